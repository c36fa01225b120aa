//! The ingress controller of a cluster: its objects are installed, its process starts, and requests that come to one of its pods
//! go on to the endpoint that its nginx chooses.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::Cluster;
use super::fault::NoSuchFault;
use super::network::Network;
use super::process::Process;
use super::shares::Part;
use crate::api::types::{IngressClass, Pod};
use crate::api::{Key, Kind, ObjectRef};
use crate::apiserver::Write;
use crate::ingress_nginx::{self, Instance, State};
use crate::network::dns::{Objects as _, RecordType};
use crate::network::ingress::class::CONTROLLER;
use crate::network::ingress::{
    Backend, Configuration, Flags, Passed, Place, Request, Routed, Then, backends,
};
use crate::network::question::{Via, reason};
use crate::network::{Answer, Because, Outcome, Question, Reply, Response};

/// The name of the ingress controller's process.
pub const INGRESS_NGINX: &str = ingress_nginx::NAME;

/// The objects of the addon: the manifest of ingress-nginx for clusters without a cloud, without its webhook.
pub const MANIFEST: &str = include_str!("../../static/addons/ingress-nginx.yaml");

/// Through how many proxies a request may go. A real one that is led in a circle ends when somebody gives up.
const PROXIES_LIMIT: usize = 3;

/// The most endpoints that one request is tried at, where the number of tries has no limit.
const TRIES_LIMIT: usize = 100;

impl Cluster {
    /// Whether ingress-nginx is installed: whether there is its Deployment.
    pub fn has_ingress_nginx(&self) -> bool {
        let at = ObjectRef::new(Kind::DEPLOYMENT, "ingress-nginx", "ingress-nginx-controller");
        self.api.cached(&at).is_some()
    }

    /// Creates the objects of ingress-nginx, or deletes them. Those that are there already stay as they are.
    pub(super) fn install_ingress_nginx(&mut self, installed: bool) -> Result<Vec<Write>, NoSuchFault> {
        if installed == self.has_ingress_nginx() {
            return Err(NoSuchFault);
        }
        self.install(MANIFEST, "kubernetes-admin", installed)
    }

    /// Starts the process of ingress-nginx when there is a class for it. Without a pod it has nothing to do.
    pub(super) fn notice_ingress_classes(&mut self, writes: &[Write]) {
        let is_ours = |w: &Write| {
            let class = w.next.as_ref().and_then(|o| o.get::<IngressClass>());
            let spec = class.and_then(|c| c.spec.as_ref());
            spec.and_then(|s| s.controller.as_deref()) == Some(CONTROLLER)
        };
        let mut classes = writes.iter().filter(|w| w.object.kind == Kind::INGRESS_CLASS);
        if classes.any(is_ours) && self.find_process(ingress_nginx::NAME, None).is_err() {
            let mut process = Process::new(ingress_nginx::NAME, None, ingress_nginx::components());
            process.program = None;
            self.add_process(process);
        }
    }

    /// What the ingress controller remembers; `None` if its process has never been started.
    pub fn ingress_controller(&self) -> Option<&State> {
        self.processes().find_map(state)
    }
}

fn state(process: &Process) -> Option<&State> {
    let process = Some(process).filter(|p| &*p.name == ingress_nginx::NAME)?;
    process.components.iter().find_map(|c| c.state().downcast_ref::<State>())
}

/// A page that nginx makes by itself.
fn page(status: u16, location: Option<&Rc<str>>) -> Outcome {
    // nginx has its own words for some statuses.
    let words = match status {
        503 => "Service Temporarily Unavailable",
        504 => "Gateway Time-out",
        other => reason(other),
    };
    let title = format!("{status} {words}");
    let body = format!(
        "<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    );
    Outcome::Answered(Rc::new(Response {
        status,
        server: "".into(),
        content_type: "text/html".into(),
        body: body.into(),
        location: location.cloned().unwrap_or_else(|| "".into()),
        takes: SignedDuration::ZERO,
        by: None,
    }))
}

/// What came of one try.
enum Tried {
    /// The client gets this.
    Answer(Outcome),
    /// The endpoint has not answered properly: nginx' status for it, and how long that took.
    Failed(u16, SignedDuration),
}

/// What nginx makes of what became of its connection to an endpoint.
fn tried(passed: &Passed, reply: &Reply) -> (Tried, bool) {
    let no_time = SignedDuration::ZERO;
    match &reply.outcome {
        Outcome::Answered(r) if r.takes > passed.read_timeout => {
            (Tried::Failed(504, passed.read_timeout), passed.next_on_timeout)
        }
        Outcome::Answered(r) => (Tried::Answer(reply.outcome.clone()), passed.next_on.contains(&r.status)),
        Outcome::TimedOut => (Tried::Failed(504, passed.connect_timeout), passed.next_on_timeout),
        Outcome::Refused | Outcome::Unreachable | Outcome::Reset => {
            (Tried::Failed(502, no_time), passed.next_on_error)
        }
        // It is no HTTP that comes back.
        Outcome::Connected => (Tried::Failed(502, no_time), false),
    }
}

/// An answer that comes later, and from nginx.
fn handed_on(outcome: &Outcome, waited: SignedDuration) -> Outcome {
    let Outcome::Answered(response) = outcome else { return outcome.clone() };
    let mut response = (**response).clone();
    response.server = "".into();
    response.takes = response.takes.saturating_add(waited);
    Outcome::Answered(Rc::new(response))
}

/// A pod of the controller that a request has come to.
struct Proxy<'a, 'n> {
    network: &'a Network<'n>,
    pod: Key,
    at: SocketAddr,
    configuration: &'a Configuration,
    hops: usize,
}

impl<'n> Network<'n> {
    /// What becomes of a request that has come to an address where a pod of an ingress controller accepts it; `None` if
    /// somebody else is there. `hops` counts the proxies that it has come by.
    pub(super) fn passed_on(&self, question: &Question, hops: usize) -> Option<Vec<Part>> {
        let Question::Fetch { to, tls, host, path, .. } = question else { return None };
        let place = || self.processes.iter().position(|p| &*p.name == ingress_nginx::NAME);
        let state = state(self.processes.get((*self.controller.get_or_init(place))?)?)?;
        let pod = self.receiver(question)?;
        let object = self.api.cached(&ObjectRef { kind: Kind::POD, key: pod.clone() })?;
        let (_, flags) = Flags::of_pod(object.get::<Pod>()?)?;
        let own = |outcome: Outcome, because: Because| {
            Some(vec![Part { weight: 1, reply: Reply::of_all(outcome, because) }])
        };
        if to.port() != flags.http_port && to.port() != flags.https_port {
            return None;
        }
        let running = state.instances.get(&pod).map(|i: &Rc<Instance>| i.running.as_deref());
        let Some(Some(configuration)) = running else {
            // nginx opens its ports with its first configuration.
            return own(Outcome::Refused, Because::NotListening);
        };
        if *tls != (to.port() == flags.https_port) {
            // TLS is spoken on one of the ports, and is not understood on the other.
            return own(if *tls { Outcome::Connected } else { page(400, None) }, Because::Nothing);
        }
        let routed = configuration.route(&Request { host, path, tls: *tls });
        let proxy = Proxy { network: self, pod, at: *to, configuration, hops };
        Some(proxy.carry_out(question, routed))
    }

    /// The pod that gets what is sent to an address that is no Service's.
    fn receiver(&self, question: &Question) -> Option<Key> {
        let Question::Fetch { to, .. } = question else { return None };
        if let Some(host) = self.host_of(to.ip()) {
            return host.state.pod_of(to.ip()).cloned();
        }
        let node = self.node_with(to.ip())?;
        let host = self.hosts().find(|h| h.node == node)?;
        crate::kubelet::network::listens_on_host(host.state, &host.process.caches, &node, question, self.now)
    }
}

impl Proxy<'_, '_> {
    fn via(&self, place: &Place) -> Via {
        Via {
            pod: self.pod.clone(),
            at: self.at,
            place: place.clone(),
            lack: None,
            asked: None,
            failed: Vec::new(),
            next: None,
        }
    }

    /// Does what the configuration says.
    fn carry_out(&self, question: &Question, routed: Routed) -> Vec<Part> {
        let Routed { place, then } = routed;
        let one = |outcome: Outcome, via: Via| {
            let reply = Reply { via: Some(Rc::new(via)), ..Reply::of_all(outcome, Because::Nothing) };
            vec![Part { weight: 1, reply }]
        };
        match then {
            Then::Redirect { status, to } => one(page(status, Some(&to)), self.via(&place)),
            Then::Error { status, lack } => one(page(status, None), Via { lack, ..self.via(&place) }),
            Then::Pass(_) if self.hops >= PROXIES_LIMIT => one(page(502, None), self.via(&place)),
            Then::Pass(passed) => self.pass(question, &passed, &place),
        }
    }

    /// What becomes of a request for each endpoint that could be asked first.
    fn pass(&self, question: &Question, passed: &Passed, place: &Place) -> Vec<Part> {
        let backends = passed.backends.iter().filter_map(|(name, weight)| {
            let backend = self.configuration.backends.get(name)?;
            Some((u128::from(*weight), backend, self.peers(question, passed, backend)))
        });
        let backends: Vec<(u128, &Backend, Vec<Part>)> = backends.collect();
        let mut parts = Vec::new();
        for (weight, backend, peers) in &backends {
            // The backends' parts stand in relation to each other, whatever the number of their endpoints is.
            let others =
                backends.iter().filter(|(_, b, _)| b.service != backend.service || b.port != backend.port);
            let others: u128 = others.map(|(_, _, peers)| sum(peers)).product();
            for first in 0..peers.len() {
                let Some(own) = peers.get(first).map(|p| p.weight) else { continue };
                let reply = self.try_from(question, first, peers, (passed, place, backend));
                parts.push(Part { weight: own.saturating_mul(*weight).saturating_mul(others), reply });
            }
        }
        if parts.is_empty() {
            // A host that the Service stands for has no address.
            let via = Via { lack: Some(crate::network::ingress::Lack::NoEndpoints), ..self.via(place) };
            let reply = Reply { via: Some(Rc::new(via)), ..Reply::of_all(page(503, None), Because::Nothing) };
            parts.push(Part { weight: 1, reply });
        }
        parts
    }

    /// What becomes of the request at each endpoint of a backend.
    fn peers(&self, question: &Question, passed: &Passed, backend: &Backend) -> Vec<Part> {
        let (mut all, behind) = (Vec::new(), self.behind(backend));
        for to in self.endpoints(backend) {
            let asked = asked(question, passed, to);
            let found = self.network.replies_by(&self.pod, to, &asked, self.hops + 1);
            let every: u128 = found.iter().map(|r| u128::from(r.share)).sum();
            all.extend(found.into_iter().map(|reply| Part {
                weight: u128::from(reply.share) * 1_000_000 / every.max(1),
                reply: Reply {
                    endpoint: reply.endpoint.or(Some(to)),
                    stale: reply.stale || behind.contains(&to),
                    ..reply
                },
            }));
        }
        all
    }

    /// The endpoints of a backend; those of a host outside are its addresses.
    fn endpoints(&self, backend: &Backend) -> Vec<SocketAddr> {
        let Some((host, port)) = &backend.external else { return backend.endpoints.clone() };
        if let Ok(address) = host.parse() {
            return vec![SocketAddr::new(address, *port)];
        }
        let servers = self.network.names_of(&self.pod).map(|names| names.conf.servers).unwrap_or_default();
        let Some(server) = servers.first().copied() else { return Vec::new() };
        let name: Rc<str> = host.trim_end_matches('.').to_ascii_lowercase().into();
        let question = Question::Lookup { server, name, type_: RecordType::A };
        match self.network.asked(&self.pod, &question, 0) {
            Answer::Records(Some(records)) => {
                records.addresses.iter().map(|a| SocketAddr::new(*a, *port)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Asks one endpoint after the other until one answers, beginning with that in a place.
    fn try_from(
        &self,
        question: &Question,
        first: usize,
        peers: &[Part],
        to: (&Passed, &Place, &Backend),
    ) -> Reply {
        let (passed, place, backend) = to;
        let limit = match passed.tries {
            0 => TRIES_LIMIT,
            tries => usize::try_from(tries).unwrap_or(TRIES_LIMIT).min(TRIES_LIMIT),
        };
        let mut via = self.via(place);
        via.place.service = Some((backend.service.clone(), backend.port.clone()));
        let mut waited = SignedDuration::ZERO;
        let mut last = Reply::of_all(page(502, None), Because::Nothing);
        for nth in 0..limit.max(1) {
            let turn = (first + nth).checked_rem(peers.len()).and_then(|place| peers.get(place));
            let Some(Part { reply, .. }) = turn else { break };
            let (came, again) = tried(passed, reply);
            let outcome = match came {
                Tried::Answer(outcome) => handed_on(&outcome, waited),
                Tried::Failed(status, after) => {
                    waited = waited.saturating_add(after);
                    handed_on(&page(status, None), waited)
                }
            };
            last = Reply { outcome, ..reply.clone() };
            if !again {
                break;
            }
            via.failed.extend(reply.endpoint.filter(|_| nth + 1 < limit));
        }
        // Whoever ends while it answers is followed by the next one, which the client does not notice.
        let answers = |p: &&Part| matches!(tried(passed, &p.reply), (Tried::Answer(_), false));
        if passed.next_on_error && via.failed.len() + 1 < limit {
            let next = peers.iter().filter(answers).find(|p| p.reply.endpoint != last.endpoint);
            via.next = next.and_then(|p| p.reply.endpoint);
        }
        via.asked = last.endpoint.map(|to| asked(question, passed, to));
        Reply { via: Some(Rc::new(via)), ..last }
    }

    /// The endpoints of a backend that the EndpointSlices do not name any more, though nginx still has them.
    fn behind(&self, backend: &Backend) -> BTreeSet<SocketAddr> {
        let mut all: BTreeSet<SocketAddr> = backend.endpoints.iter().copied().collect();
        if let Some(service) = self.network.service(&backend.service) {
            let now = backends::endpoints(service, &self.network.slices(&backend.service), &backend.port);
            let own = backends::cluster_endpoint(service, &backend.port);
            for endpoint in now.endpoints.iter().chain(&own) {
                all.remove(endpoint);
            }
        }
        all
    }
}

fn sum(parts: &[Part]) -> u128 {
    parts.iter().map(|p| p.weight).sum::<u128>().max(1)
}

/// What nginx asks an endpoint.
fn asked(question: &Question, passed: &Passed, to: SocketAddr) -> Question {
    let method = match question {
        Question::Fetch { method, .. } => method.clone(),
        _ => "GET".into(),
    };
    Question::Fetch { to, tls: passed.tls, host: passed.host.clone(), method, path: passed.path.clone() }
}
