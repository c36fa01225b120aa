//! Requests that come to a pod that is a proxy, and go on from there: to the endpoint that the nginx of an ingress controller or of a
//! Gateway chooses, or to where the configuration of an nginx of one's own leads.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::network::{Controllers, Network};
use super::shares::{Part, common_multiple};
use super::{gateway, ingress};
use crate::api::types::Pod;
use crate::api::{Key, Kind, ObjectRef};
use crate::gateway_fabric;
use crate::ingress_nginx;
use crate::kubelet;
use crate::network::dns::{Objects as _, RecordType};
use crate::network::gateway::Configuration;
use crate::network::ingress::{self as nginx, Flags, Nginx};
use crate::network::nginx::Passing;
use crate::network::passing::{HeaderChange, Passed, Passes, Place, Request, Routed, Then, Upstream};
use crate::network::proxy::common_divisor;
use crate::network::question::{Behind, Extras, Trust, Via, reason};
use crate::network::traffic::Client;
use crate::network::url::Url;
use crate::network::{Answer, Because, Outcome, Question, Reply, Response};

/// Through how many proxies a request may go. A real one that is led in a circle ends when somebody gives up.
const PROXIES_LIMIT: usize = 3;

/// The most endpoints that one request is tried at, where the number of tries has no limit.
const TRIES_LIMIT: usize = 100;

/// The nginx of a pod.
enum Proxied<'a> {
    /// Of ingress-nginx, with its flags; without a configuration it has not opened its ports.
    Ingress(Flags, Option<&'a nginx::Configuration>),
    /// Of a Gateway.
    Gateway(&'a Configuration),
    /// With a configuration that is mounted, and what that says of the request.
    Mounted(Box<Passing>),
}

/// A page that nginx makes by itself.
fn page(status: u16, location: Option<&Rc<str>>) -> Outcome {
    // nginx has its own words for some statuses (`ngx_http_special_response.c`).
    let words = match status {
        421 => "Misdirected Request",
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
        headers: Default::default(),
        takes: SignedDuration::ZERO,
        goes_on: SignedDuration::ZERO,
        by: None,
    }))
}

/// Somebody whom a proxy can ask: the address that it asks, and what comes of it.
struct Peer {
    to: SocketAddr,
    part: Part,
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
        Outcome::Refused | Outcome::Unreachable | Outcome::Closed => {
            (Tried::Failed(502, no_time), passed.next_on_error)
        }
        // It is no HTTP that comes back.
        Outcome::Connected | Outcome::Untrusted(_) => (Tried::Failed(502, no_time), false),
    }
}

/// An answer that comes later, and from nginx.
fn handed_on(outcome: &Outcome, waited: SignedDuration, change: &HeaderChange) -> Outcome {
    let Outcome::Answered(response) = outcome else { return outcome.clone() };
    let mut response = (**response).clone();
    response.server = "".into();
    response.takes = response.takes.saturating_add(waited);
    response.headers = change.of_answer(&response.headers);
    Outcome::Answered(Rc::new(response))
}

/// A pod that is a proxy, and that a request has come to.
struct Proxy<'a, 'n> {
    network: &'a Network<'n>,
    pod: Key,
    at: SocketAddr,
    passes: &'a dyn Passes,
    hops: usize,
}

impl<'n> Network<'n> {
    /// What becomes of a request that has come to an address where a proxy accepts it; `None` if somebody else is there. `hops`
    /// counts the proxies that it has come by; `mounted` says that a configuration that is mounted there passes it on.
    pub(super) fn passed_on(&self, question: &Question, hops: usize, mounted: bool) -> Option<Vec<Part>> {
        let Question::Fetch { to, tls, host, method, path, headers, .. } = question else { return None };
        let controllers = self.controllers.get_or_init(|| {
            let place = |name: &str| self.processes.iter().position(|p| &*p.name == name);
            Controllers { ingress: place(ingress_nginx::NAME), gateway: place(gateway_fabric::NAME) }
        });
        if controllers.ingress.is_none() && controllers.gateway.is_none() && !mounted {
            return None;
        }
        let pod = self.receiver(question)?;
        let own = |outcome: Outcome, because: Because| {
            Some(vec![Part { weight: 1, reply: Reply::of_all(outcome, because) }])
        };
        let proxied = self
            .ingress_at(*controllers, &pod)
            .or_else(|| self.gateway_at(*controllers, &pod, to.port()))
            .or_else(|| if mounted { self.nginx_at(&pod, question) } else { None })?;
        let of_ingress;
        let passes: &dyn Passes = match &proxied {
            Proxied::Ingress(flags, configuration) => {
                if to.port() != flags.http_port && to.port() != flags.https_port {
                    return None;
                }
                // nginx opens its ports with its first configuration.
                let Some(configuration) = configuration else {
                    return own(Outcome::Refused, Because::NotListening);
                };
                of_ingress = Nginx { configuration, flags };
                &of_ingress
            }
            Proxied::Gateway(configuration) => *configuration,
            Proxied::Mounted(passing) => &**passing,
        };
        let over_tls = passes.listens(to.port())?;
        if *tls != over_tls {
            // TLS is spoken on one of the ports, and is not understood on the other.
            return own(if *tls { Outcome::Connected } else { page(400, None) }, Because::Nothing);
        }
        let request = Request { port: to.port(), host, method, path, headers, tls: *tls };
        let Some(routed) = passes.route(&request) else {
            // The handshake of TLS fails: no server is for the name.
            return own(Outcome::Connected, Because::Nothing);
        };
        let proxy = Proxy { network: self, pod, at: *to, passes, hops };
        Some(proxy.carry_out(question, routed))
    }

    /// The nginx of ingress-nginx in a pod.
    fn ingress_at(&self, controllers: Controllers, pod: &Key) -> Option<Proxied<'_>> {
        let state = ingress::state(self.processes.get(controllers.ingress?)?)?;
        let object = self.api.cached(&ObjectRef { kind: Kind::POD, key: pod.clone() })?;
        let (_, flags) = Flags::of_pod(object.get::<Pod>()?)?;
        let running = state.instances.get(pod).and_then(|i| i.running.as_deref());
        Some(Proxied::Ingress(flags, running))
    }

    /// The nginx of a pod whose configuration is mounted, if it passes the request on.
    fn nginx_at(&self, pod: &Key, question: &Question) -> Option<Proxied<'_>> {
        let host = self.hosts().find(|h| h.state.pods.contains_key(pod))?;
        let caches = &host.process.caches;
        let passing = kubelet::network::passing(host.state, caches, &host.node, pod, question, self.now)?;
        Some(Proxied::Mounted(Box::new(passing)))
    }

    /// The nginx of a Gateway in a pod, if it has been told of a port.
    fn gateway_at(&self, controllers: Controllers, pod: &Key, port: u16) -> Option<Proxied<'_>> {
        let state = gateway::state(self.processes.get(controllers.gateway?)?)?;
        let configuration = state.instances.get(pod)?.running.as_deref()?;
        configuration.listens(port).map(|_| Proxied::Gateway(configuration))
    }

    /// The pod that gets what is sent to an address that is no Service's.
    fn receiver(&self, question: &Question) -> Option<Key> {
        let Question::Fetch { to, .. } = question else { return None };
        if let Some(host) = self.host_of(to.ip()) {
            return host.state.pod_of(to.ip()).cloned();
        }
        let node = self.node_with(to.ip())?;
        let host = self.hosts().find(|h| h.node == node)?;
        kubelet::network::listens_on_host(host.state, &host.process.caches, &node, question, self.now)
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
            let upstream = self.passes.upstream(name)?;
            Some((u128::from(*weight), upstream, self.peers(question, passed, &upstream)))
        });
        let backends: Vec<(u128, Upstream<'_>, Vec<Peer>)> = backends.collect();
        // The backends' parts stand in relation to each other, whatever the number of their endpoints is.
        let whole = backends.iter().map(|(_, _, peers)| sum(peers)).fold(1, common_multiple);
        let mut parts = Vec::new();
        for (weight, upstream, peers) in &backends {
            let each = weight.saturating_mul(whole.checked_div(sum(peers)).unwrap_or(1));
            if peers.is_empty() {
                parts.push(Part { weight: each, reply: self.without(passed, place, upstream) });
            }
            for first in 0..peers.len() {
                let Some(own) = peers.get(first).map(|p| p.part.weight) else { continue };
                let reply = self.try_from(question, first, peers, (passed, place, upstream));
                parts.push(Part { weight: own.saturating_mul(each), reply });
            }
        }
        parts
    }

    /// What the proxy answers if a backend has nobody to ask.
    fn without(&self, passed: &Passed, place: &Place, upstream: &Upstream<'_>) -> Reply {
        let (status, lack) = upstream.without;
        let mut via = Via { lack: Some(lack), ..self.via(place) };
        via.place.service = service_of(upstream);
        let answer = handed_on(&page(status, None), SignedDuration::ZERO, &passed.answer);
        Reply { via: Some(Rc::new(via)), ..Reply::of_all(answer, Because::Nothing) }
    }

    /// What becomes of the request at each endpoint of a backend.
    fn peers(&self, question: &Question, passed: &Passed, upstream: &Upstream<'_>) -> Vec<Peer> {
        let (mut all, behind) = (Vec::new(), self.behind(upstream));
        for to in self.endpoints(upstream) {
            let asked = asked(question, passed, to);
            let found = self.network.replies_by(&self.pod, to, &asked, self.hops + 1);
            let every: u128 = found.iter().map(|r| u128::from(r.share)).sum();
            let parts = found.into_iter().map(|reply| Part {
                weight: u128::from(reply.share) * 1_000_000 / every.max(1),
                reply: Reply {
                    endpoint: reply.endpoint.or(Some(to)),
                    behind: reply.behind.or(behind.contains(&to).then_some(Behind::Proxy)),
                    ..reply
                },
            });
            all.extend(parts.map(|part| Peer { to, part }));
        }
        // In the smallest numbers: several backends are brought to one denominator.
        let divisor = all.iter().fold(0, |d, p: &Peer| common_divisor(p.part.weight, d)).max(1);
        let smaller = |p: &mut Peer| p.part.weight = p.part.weight.checked_div(divisor).unwrap_or(1);
        all.iter_mut().for_each(smaller);
        all
    }

    /// The endpoints of a backend; those of a host outside are its addresses.
    fn endpoints(&self, upstream: &Upstream<'_>) -> Vec<SocketAddr> {
        let Some((host, port)) = upstream.external else { return upstream.endpoints.to_vec() };
        if let Ok(address) = host.parse() {
            return vec![SocketAddr::new(address, port)];
        }
        if upstream.searches {
            return self.looked_up(host, port);
        }
        let servers = self.network.names_of(&self.pod).map(|names| names.conf.servers).unwrap_or_default();
        let Some(server) = servers.first().copied() else { return Vec::new() };
        let name: Rc<str> = host.trim_end_matches('.').to_ascii_lowercase().into();
        let question = Question::Lookup { server, name, type_: RecordType::A };
        match self.network.asked(&self.pod, &question, 0) {
            Answer::Records(Some(records)) => {
                records.addresses.iter().map(|a| SocketAddr::new(*a, port)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The addresses of a host, as a program of the pod looks its name up.
    fn looked_up(&self, host: &str, port: u16) -> Vec<SocketAddr> {
        let (Some(names), Ok(url)) =
            (self.network.names_of(&self.pod), Url::parse(&format!("http://{host}:{port}")))
        else {
            return Vec::new();
        };
        let looked = self.network.look_up(&self.pod, &names, &Client::once(&url));
        let mut found = Vec::new();
        for (_, answer) in &looked.names {
            if let Answer::Records(Some(records)) = answer {
                found.extend(records.addresses.iter().map(|a| SocketAddr::new(*a, port)));
            }
        }
        found
    }

    /// Asks one endpoint after the other until one answers, beginning with that in a place.
    fn try_from(
        &self,
        question: &Question,
        first: usize,
        peers: &[Peer],
        to: (&Passed, &Place, &Upstream<'_>),
    ) -> Reply {
        let (passed, place, upstream) = to;
        let limit = match passed.tries {
            0 => TRIES_LIMIT,
            tries => usize::try_from(tries).unwrap_or(TRIES_LIMIT).min(TRIES_LIMIT),
        };
        let limit = if passed.each_once { limit.min(peers.len()) } else { limit };
        let mut via = self.via(place);
        via.place.service = service_of(upstream);
        let mut waited = SignedDuration::ZERO;
        let mut last = Reply::of_all(page(502, None), Because::Nothing);
        let mut met = None;
        for nth in 0..limit.max(1) {
            let turn = (first + nth).checked_rem(peers.len()).and_then(|place| peers.get(place));
            let Some(Peer { to, part: Part { reply, .. } }) = turn else { break };
            met = Some(*to);
            let (came, again) = tried(passed, reply);
            let outcome = match came {
                Tried::Answer(outcome) => handed_on(&outcome, waited, &passed.answer),
                Tried::Failed(status, after) => {
                    waited = waited.saturating_add(after);
                    handed_on(&page(status, None), waited, &passed.answer)
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
        let parts = || peers.iter().map(|p| &p.part);
        if passed.next_on_error && via.failed.len() + 1 < limit {
            let next = parts().filter(answers).find(|p| p.reply.endpoint != last.endpoint);
            via.next = next.and_then(|p| p.reply.endpoint);
        }
        // A host that is looked up can be a Service, whose address is asked then.
        let to = if upstream.searches { met } else { last.endpoint };
        via.asked = to.map(|to| asked(question, passed, to));
        Reply { via: Some(Rc::new(via)), ..last }
    }

    /// The endpoints of a backend that the EndpointSlices do not name any more, though nginx still has them.
    fn behind(&self, upstream: &Upstream<'_>) -> BTreeSet<SocketAddr> {
        let mut all: BTreeSet<SocketAddr> = upstream.endpoints.iter().copied().collect();
        let service = upstream.service.and_then(|(key, port)| Some((self.network.service(key)?, key, port)));
        if let Some((service, key, port)) = service {
            for endpoint in self.passes.found(service, &self.network.slices(key), port) {
                all.remove(&endpoint);
            }
        }
        all
    }
}

fn service_of(upstream: &Upstream<'_>) -> Option<(Key, Rc<str>)> {
    upstream.service.map(|(key, port)| (key.clone(), port.clone()))
}

fn sum(peers: &[Peer]) -> u128 {
    peers.iter().map(|p| p.part.weight).sum::<u128>().max(1)
}

/// What nginx asks an endpoint.
fn asked(question: &Question, passed: &Passed, to: SocketAddr) -> Question {
    let (method, headers, extras) = match question {
        // nginx checks no certificates (`proxy_ssl_verify off`).
        Question::Fetch { method, headers, extras, .. } => (
            method.clone(),
            passed.request.of_request(headers),
            Rc::new(Extras { trust: Trust::Anything, ..(**extras).clone() }),
        ),
        _ => ("GET".into(), Default::default(), Rc::default()),
    };
    Question::Fetch {
        to,
        tls: passed.tls,
        host: passed.host.clone(),
        method,
        path: passed.path.clone(),
        headers,
        extras,
    }
}
