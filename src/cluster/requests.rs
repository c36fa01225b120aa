//! Requests to kube-apiserver that come by the network: of pods, of nodes, and of the person's own machine.
//!
//! Each is answered by the server's own function ([`crate::apiserver::http`]), so whoever has no token is `system:anonymous`, and what a
//! ServiceAccount may do its roles say. An answer to a process of a container has to be the same as long as the cluster is, so such a
//! request is answered by a copy of the server, and what would write is refused. A command of `kubectl exec` is executed once: what its
//! requests write is there when it has ended, as is what the server has drawn meanwhile.

use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::aggregate::connected;
use super::api_door::{Answered, whole};
use super::kubelets;
use super::network::Network;
use crate::api::types::Service;
use crate::api::{Key, Kind, ObjectRef, Timestamp, root_ca};
use crate::apimachinery::{
    AttachOptions, Attached, ContainerLog, ExecOptions, Executed, HttpRequest, HttpResponse, KubeletError,
    LogOptions, LogPlace, Status,
};
use crate::apiserver::{ApiServer, Kubelets};
use crate::network::question::{Extras, HeaderFields, Mistrust, Trust};
use crate::network::{Outcome, Question, Response};

/// The names for which kubeadm has the server's certificate signed, beside its addresses (`GetAPIServerAltNames`), and those that kind
/// adds.
const NAMES: [&str; 6] = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
    "127.0.0.1",
];

/// Why a request does not write.
const READS_ONLY: &str =
    "this request would write, and here only the requests of a command of kubectl exec do";

/// The kubelets, for the logs of containers. No command is executed for a program that does not switch protocols.
struct Logs<'a, 'n>(&'a Network<'n>);

impl Kubelets for Logs<'_, '_> {
    fn answers(&self, process: &str) -> bool {
        kubelets::answers(self.0.processes, process)
    }

    fn log(
        &self,
        node: &str,
        pod: &Key,
        options: &LogOptions,
        from: Option<&LogPlace>,
        now: Timestamp,
    ) -> Result<ContainerLog, KubeletError> {
        kubelets::container_log((self.0.processes, self.0.door.traffic), node, pod, options, from, now)
    }

    fn exec(
        &self,
        _: &str,
        _: &Key,
        _: &ExecOptions,
        _: &mut ApiServer,
        _: Timestamp,
    ) -> Result<Executed, KubeletError> {
        Err(KubeletError::Refused("Upgrade request required".to_owned()))
    }

    fn attach(
        &self,
        _: &str,
        _: &Key,
        _: &AttachOptions,
        _: &ApiServer,
        _: Timestamp,
    ) -> Result<Attached, KubeletError> {
        Err(KubeletError::Refused("Upgrade request required".to_owned()))
    }
}

/// The request as the server reads it.
fn request(method: &str, path: &str, headers: &HeaderFields, extras: &Extras) -> HttpRequest {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let header = |name: &str| headers.get(name).unwrap_or_default();
    let says_who = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == "authorization" || name.starts_with("impersonate-")
    };
    let identity = headers.iter().filter(|(name, _)| says_who(name));
    let mut identity: Vec<(String, String)> =
        identity.map(|(name, value)| (name.to_string(), value.to_string())).collect();
    if headers.get("Authorization").is_none() {
        // Without it the request would come with the administrator's certificate.
        identity.push(("Authorization".to_owned(), String::new()));
    }
    HttpRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        content_type: header("Content-Type"),
        accept: header("Accept"),
        user_agent: headers.get("User-Agent").unwrap_or_else(|| extras.agent.to_string()),
        if_none_match: header("If-None-Match"),
        identity,
        body: extras.body.as_bytes().to_vec(),
        unfinished: false,
        attached: String::new(),
    }
}

/// The answer as a client of the network reads it.
fn response(answered: Answered) -> Response {
    let Answered { response: r, goes_on } = answered;
    let cache = if r.cache_control.is_empty() { "no-cache, private" } else { r.cache_control };
    let mut headers = vec![("Cache-Control".into(), cache.into())];
    let mut add = |name: &str, value: &str| headers.push((name.into(), value.into()));
    if !r.etag.is_empty() {
        add("Etag", &r.etag);
        add("Vary", "Accept");
    }
    r.warnings.iter().for_each(|w| add("Warning", w));
    if let Some(seconds) = r.retry_after {
        add("Retry-After", &seconds.to_string());
    }
    let body = if r.binary.is_empty() { r.body.into() } else { String::from_utf8_lossy(&r.binary).into() };
    Response {
        status: r.status,
        server: "".into(),
        content_type: r.content_type.into(),
        body,
        takes: SignedDuration::ZERO,
        goes_on,
        by: None,
        location: r.location.into(),
        headers: HeaderFields::new(headers),
    }
}

impl Network<'_> {
    /// What kube-apiserver answers.
    pub(super) fn of_api_server(&self, question: &Question) -> Outcome {
        let Question::Fetch { tls, method, path, headers, extras, .. } = question else {
            return Outcome::Connected;
        };
        if !tls {
            // Go's `net/http`, which sends no header before these words.
            let body = "Client sent an HTTP request to an HTTPS server.\n".to_owned();
            return answer(HttpResponse { status: 400, body, ..HttpResponse::default() });
        }
        if let Some(why) = self.mistrusts(extras) {
            return Outcome::Untrusted(why);
        }
        let request = request(method, path, headers, extras);
        self.door.asked.set(true);
        let kubelets = Logs(self);
        let connected = connected(self.processes, self.now, &request.path);
        if let Some(writing) = self.door.writing {
            let mut writing = writing.borrow_mut();
            if let Some(aggregated) = connected {
                writing.api.set_aggregated(aggregated);
            }
            return Outcome::Answered(Rc::new(response(writing.serve(&request, &kubelets))));
        }
        let mut copy = self.api.clone();
        copy.set_now(self.now);
        if let Some(aggregated) = connected {
            copy.set_aggregated(aggregated);
        }
        let (answered, _) = whole(&mut copy, &request, &kubelets);
        if copy.resource_version() != self.api.resource_version() {
            let status = Status::new(501, "", READS_ONLY).to_value().to_string();
            let refused =
                HttpResponse { content_type: "application/json".into(), ..HttpResponse::text(501, &status) };
            return answer(refused);
        }
        Outcome::Answered(Rc::new(response(answered)))
    }

    /// Why a client does not take the server's certificate; `None` if it does.
    fn mistrusts(&self, extras: &Extras) -> Option<Mistrust> {
        match &extras.trust {
            Trust::Anything => return None,
            Trust::Authority(file) if root_ca::is_in(file) => {}
            Trust::System | Trust::Authority(_) => return Some(Mistrust::Issuer),
        }
        let name = extras.name.to_ascii_lowercase();
        let name = name.strip_suffix('.').unwrap_or(&name);
        let own = || name.parse::<IpAddr>().is_ok_and(|ip| self.is_of_the_api_server(ip));
        (!NAMES.contains(&name) && !own()).then_some(Mistrust::Name)
    }

    /// Whether an address is the server's own, or that of the Service `kubernetes`.
    fn is_of_the_api_server(&self, address: IpAddr) -> bool {
        let service = ObjectRef { kind: Kind::SERVICE, key: Key::new("default", "kubernetes") };
        let service = self.api.cached(&service).and_then(|o| o.get::<Service>());
        let spec = service.and_then(|s| s.spec.as_ref());
        let mut all = spec.iter().flat_map(|s| s.cluster_ips.iter().flatten());
        all.any(|ip| ip.parse() == Ok(address)) || self.is_the_control_plane(address)
    }
}

fn answer(response: HttpResponse) -> Outcome {
    let response = self::response(Answered { response, ..Answered::default() });
    Outcome::Answered(Rc::new(response))
}
