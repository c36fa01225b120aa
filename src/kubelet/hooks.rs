//! Hooks of containers, `postStart` and `preStop` (`k8s.io/kubernetes/pkg/kubelet/lifecycle/handlers.go`).

use jiff::SignedDuration;

use super::prober::{Http, http_question, unresolved};
use super::turn::Turn;
use crate::api::Timestamp;
use crate::api::quote::go_quote;
use crate::api::types::{HTTPGetAction, IntOrString, LifecycleHandler};
use crate::network::Outcome;

/// How long a command takes that never ends, or a server that never answers. No grace period is longer.
const FOREVER: SignedDuration = SignedDuration::from_secs(1 << 32);

/// How long the kernel tries to open a connection that nobody answers (`tcp_syn_retries` is 6): the client of hooks has no
/// timeout of its own.
const CONNECT: SignedDuration = SignedDuration::from_secs(127);

/// How long a hook takes, and what its runner says if it fails (`handlers.go`, `Run`).
type Ran = (SignedDuration, Option<String>);

impl Turn<'_> {
    /// Runs a hook of a container. One that never ends is cut off at the end of the grace period.
    pub(super) fn hook(&mut self, i: usize, handler: &LifecycleHandler, at: Timestamp) -> Ran {
        let name = self.container_spec(i).map_or("", |spec| &spec.name);
        let whose = format!("for Container {} in Pod {}", go_quote(name), go_quote(self.pod_name()));
        if let Some(exec) = &handler.exec {
            let command = exec.command.as_deref().unwrap_or_default();
            let (takes, failure) = self.exec_hook(i, command, at);
            let words = command.join(" ");
            let say = |(error, output): (String, String)| {
                let output = go_quote(&output);
                format!("Exec lifecycle hook ([{words}]) {whose} failed - error: {error}, message: {output}")
            };
            return (takes, failure.map(say));
        }
        if let Some(http) = &handler.http_get {
            let (takes, failure) = self.http_hook(i, http, at);
            let path = http.path.as_deref().unwrap_or_default();
            let say = |error| format!("HTTP lifecycle hook ({path}) {whose} failed - error: {error}");
            return (takes, failure.map(say));
        }
        match &handler.sleep {
            Some(s) => (SignedDuration::from_secs(s.seconds.clamp(0, 1 << 32)), None),
            // The kubelet knows no other handler, and so none of `tcpSocket`.
            None => (SignedDuration::ZERO, Some(unknown_handler(handler))),
        }
    }

    /// Executes a command: how long it takes, and if it fails, why and what it has printed (`ExecSync` of the kubelet's client).
    fn exec_hook(
        &mut self,
        i: usize,
        command: &[String],
        at: Timestamp,
    ) -> (SignedDuration, Option<(String, String)>) {
        let executed = self.execute(i, command, at).filter(|_| !command.is_empty());
        let error = self.exec_error(i, command, at);
        if !command.is_empty() {
            let told = error.as_deref().map_or(Ok(true), Err);
            self.note_exec(i, (command, 0, at), executed.as_ref(), told);
        }
        if let Some(error) = error {
            return (SignedDuration::ZERO, Some((error, String::new())));
        }
        let Some(executed) = executed else { return (SignedDuration::ZERO, None) };
        self.note_execution(i, &executed);
        let failure = (executed.code != 0).then(|| {
            let (stdout, stderr) = executed.streams();
            let error = format!("command '{}' exited with {}: {stderr}", command.join(" "), executed.code);
            (error, stdout + &stderr)
        });
        (executed.takes.unwrap_or(FOREVER), failure)
    }

    /// Sends a request and waits for the answer, whatever its status is (`runHTTPHandler`).
    fn http_hook(&mut self, i: usize, http: &HTTPGetAction, at: Timestamp) -> Ran {
        let Some(spec) = self.container_spec(i) else { return (SignedDuration::ZERO, None) };
        if let Some(why) = unresolved(&http.port, spec) {
            return (SignedDuration::ZERO, Some(why));
        }
        let mut asks = http_question(self, spec, http);
        // What is asked of another host is taken to be answered at once.
        let Some(to) = asks.own(self) else { return (SignedDuration::ZERO, None) };
        let outcome = self.reply(&asks.ask(to), at).0;
        let secured = asks.http.as_ref().is_some_and(|h| h.scheme == "https");
        if secured && outcome == Outcome::Connected {
            let plain = asks.http.take().map(|h| Http { scheme: "http".into(), ..h });
            asks.http = plain;
            if let Outcome::Answered(response) = self.reply(&asks.ask(to), at).0 {
                let message = format!(
                    "request to HTTPS lifecycle hook {}:{} got HTTP response, retry with HTTP succeeded",
                    asks.to, asks.port
                );
                self.event(None, "Warning", "LifecycleHTTPFallback", message);
                return (response.takes, None);
            }
        }
        let url = asks
            .http
            .as_ref()
            .map_or_else(String::new, |h| format!("{}://{}:{}{}", h.scheme, asks.to, asks.port, h.path));
        let failed =
            |why: &str| Some(format!("Get {}: dial tcp {}:{}: {why}", go_quote(&url), asks.to, asks.port));
        match outcome {
            Outcome::Answered(response) => (response.takes, None),
            Outcome::Connected | Outcome::Untrusted(_) => (SignedDuration::ZERO, None),
            Outcome::TimedOut => (CONNECT, failed("connect: connection timed out")),
            Outcome::Unreachable => (SignedDuration::ZERO, failed("connect: no route to host")),
            Outcome::Refused => (SignedDuration::ZERO, failed("connect: connection refused")),
            // Nothing has come back when the connection ends (`readLoop` in Go's `net/http/transport.go`).
            Outcome::Closed => (SignedDuration::ZERO, Some(format!("Get {}: EOF", go_quote(&url)))),
        }
    }
}

/// What is said of a handler that the kubelet does not know, which is printed as Go prints the struct.
fn unknown_handler(handler: &LifecycleHandler) -> String {
    let socket = handler.tcp_socket.as_ref().map_or_else(
        || "nil".to_owned(),
        |tcp| {
            let port = match &tcp.port {
                IntOrString::Int(n) => format!("0 {n} "),
                IntOrString::String(name) => format!("1 0 {name}"),
            };
            format!("&TCPSocketAction{{Port:{{{port}}},Host:{},}}", tcp.host.as_deref().unwrap_or_default())
        },
    );
    format!(
        "Cannot run handler: invalid handler: &LifecycleHandler{{Exec:nil,HTTPGet:nil,TCPSocket:{socket},Sleep:nil,}}"
    )
}
