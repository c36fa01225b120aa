//! Hooks of containers, `postStart` and `preStop` (`k8s.io/kubernetes/pkg/kubelet/lifecycle/handlers.go`).

use jiff::SignedDuration;

use super::prober::{Http, http_question};
use super::turn::Turn;
use crate::api::Timestamp;
use crate::api::types::{HTTPGetAction, LifecycleHandler};
use crate::network::Outcome;

/// How long a command takes that never ends, or a server that never answers. No grace period is longer.
const FOREVER: SignedDuration = SignedDuration::from_secs(1 << 32);

/// How long the kernel tries to open a connection that nobody answers (`tcp_syn_retries` is 6): the client of hooks has no
/// timeout of its own.
const CONNECT: SignedDuration = SignedDuration::from_secs(127);

impl Turn<'_> {
    /// Runs a hook of a container. How long it takes, and whether it succeeds. One that never ends is cut off at the end
    /// of the grace period.
    pub(super) fn hook(
        &mut self,
        i: usize,
        handler: &LifecycleHandler,
        at: Timestamp,
    ) -> (SignedDuration, bool) {
        if let Some(exec) = &handler.exec {
            return self.exec_hook(i, exec.command.as_deref().unwrap_or_default(), at);
        }
        if let Some(http) = &handler.http_get {
            return self.http_hook(i, http, at);
        }
        match &handler.sleep {
            Some(s) => (SignedDuration::from_secs(s.seconds.clamp(0, 1 << 32)), true),
            // The kubelet knows no other handler, and so none of `tcpSocket`.
            None => (SignedDuration::ZERO, false),
        }
    }

    fn exec_hook(&mut self, i: usize, command: &[String], at: Timestamp) -> (SignedDuration, bool) {
        let executed = self.execute(i, command, at).filter(|_| !command.is_empty());
        let error = self.exec_error(i, command, at);
        if !command.is_empty() {
            let told = error.as_deref().map_or(Ok(true), Err);
            self.note_exec(i, (command, 0, at), executed.as_ref(), told);
        }
        if error.is_some() {
            return (SignedDuration::ZERO, false);
        }
        let Some(executed) = executed else { return (SignedDuration::ZERO, true) };
        self.note_execution(i, &executed);
        (executed.takes.unwrap_or(FOREVER), executed.code == 0)
    }

    /// Sends a request and waits for the answer, whatever its status is (`runHTTPHandler`).
    fn http_hook(&mut self, i: usize, http: &HTTPGetAction, at: Timestamp) -> (SignedDuration, bool) {
        let Some(spec) = self.container_spec(i) else { return (SignedDuration::ZERO, true) };
        let mut asks = http_question(self, spec, http);
        // What is asked of another host is taken to be answered at once.
        let Some(to) = asks.own(self) else { return (SignedDuration::ZERO, true) };
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
                return (response.takes, true);
            }
        }
        match outcome {
            Outcome::Answered(response) => (response.takes, true),
            Outcome::Connected => (SignedDuration::ZERO, true),
            Outcome::TimedOut => (CONNECT, false),
            Outcome::Refused | Outcome::Unreachable | Outcome::Reset => (SignedDuration::ZERO, false),
        }
    }
}
