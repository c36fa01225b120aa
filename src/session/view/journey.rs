//! The journey of a request of a pod, or of somebody outside, to be read: the names that it asks for, every place that its first packet and the answer to
//! that come by, and what becomes of it. See [`crate::cluster::Cluster::journey_to`].

use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::urls;
pub use super::via::{Lack, ViaView, Whose};
use crate::api::{Key, Kind, ObjectRef};
use crate::cluster::{Cluster, Journey, RulesWait};
use crate::network::cni::{At, End, Headers, Hop, Way};
use crate::network::question::Behind;
use crate::network::traffic::{Cause, Client};
use crate::network::url::{NotAUrl, Url};
use crate::network::{Answer, Outcome, Question};

/// What can be asked for from a pod, and the journey of what was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JourneyView {
    /// URLs that the pod could ask for: those of its clients first, then those of Services: of its own namespace first, and
    /// there those that select pods.
    pub offers: Vec<String>,
    /// The URL that is followed: the one that was asked for, or else the first offer. Empty if there is none.
    pub url: String,
    /// Its journey.
    pub taken: Taken,
}

/// What comes of the wish to follow a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Taken {
    /// There is no URL.
    Nothing,
    /// The pod runs on no node, so nobody can send the request.
    NotRunning,
    /// The text is no URL that a client can use.
    NotAUrl(UrlError),
    /// The request was followed.
    Followed(Box<WayView>),
}

/// What is wrong with a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlError {
    /// Its scheme is none of HTTP.
    Scheme,
    /// Its port is no number of a port.
    Port,
    /// It has no host.
    NoHost,
    /// There is a word after it that is not `host=NAME`.
    Words,
}

/// A request that was followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WayView {
    /// The names that were asked for, in order.
    pub lookups: Vec<LookupView>,
    /// The places that the first packet comes by. Empty if there is no address, or if it stays within the pod.
    pub hops: Vec<HopView>,
    /// Where the packet's way ends; `None` if there is none.
    pub end: Option<EndView>,
    /// The places that the answer to it comes by. Empty if there is none.
    pub back: Vec<HopView>,
    /// Where the answer's way ends; `None` if there is none.
    pub back_end: Option<EndView>,
    /// The status of the answer, if there is one and it is not lost.
    pub status: Option<u16>,
    /// How many seconds the answer takes; `None` if no time, or if there is none.
    pub takes: Option<f64>,
    /// Why the request is lost.
    pub lost: Option<Cause>,
    /// Whether kube-proxy's rule that led to the endpoint is behind the EndpointSlices, which do not name it any more. For a
    /// request that came by an ingress controller, whether that is behind.
    pub behind: Option<Behind>,
    /// What the rules of the nodes that it comes by wait for.
    pub waits: Vec<WaitView>,
    /// The endpoint that was chosen, as address and port.
    pub endpoint: Option<String>,
    /// The objects that it comes by: the pods, the Service, the nodes, and the policies that do not let it pass.
    pub objects: Vec<ObjectRef>,
    /// The ingress controller that the request comes by.
    pub via: Option<ViaView>,
    /// The journey from there to the endpoint.
    pub onward: Option<Box<WayView>>,
}

impl WayView {
    /// The stops of the request in the order in which it comes by them: the questions to the DNS, the places of the packet's way, its
    /// end, the proxy in between, and what comes behind that. Each with the objects that it is at.
    pub fn stops(&self) -> Vec<Vec<ObjectRef>> {
        let sender = self.objects.first().filter(|object| object.kind == Kind::POD);
        let from: Vec<ObjectRef> = sender.cloned().into_iter().collect();
        let mut all: Vec<Vec<ObjectRef>> = self.lookups.iter().map(|_| from.clone()).collect();
        all.extend(self.hops.iter().map(|hop| hop.objects.clone()));
        if let Some(end) = self.end.as_ref().filter(|_| !self.hops.is_empty()) {
            // Where it is dropped it stays.
            let last = || self.hops.last().map(|hop| hop.objects.clone()).unwrap_or_default();
            all.push(end.pod().map_or_else(last, |pod| vec![pod]));
        }
        all.extend(self.via.as_ref().map(|via| vec![via.pod.clone()]));
        all.extend(self.onward.iter().flat_map(|onward| onward.stops()));
        all
    }
}

impl EndView {
    /// The pod that the packet has come to.
    fn pod(&self) -> Option<ObjectRef> {
        match self {
            EndView::Arrived { pod: Some(name), .. } | EndView::Refused { pod: Some(name), .. } => {
                key_of(name).map(|key| ObjectRef { kind: Kind::POD, key })
            }
            _ => None,
        }
    }
}

/// What the rules of a node wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitView {
    /// The node.
    pub node: String,
    /// What they wait for.
    pub what: WaitWhat,
    /// For how many milliseconds more; 0 where that is not known.
    pub left: i64,
}

/// What rules wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitWhat {
    /// For their kube-proxy, which does not run.
    Stopped,
    /// For news of Services and EndpointSlices to come to it.
    News,
    /// For its work.
    Work,
    /// For the least time between two syncs.
    Period,
}

/// A question to the DNS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookupView {
    /// The whole name.
    pub name: String,
    /// The type of the records: `A` or `AAAA`.
    pub record: String,
    /// What the DNS answered.
    pub answer: LookupAnswer,
}

/// What the DNS answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LookupAnswer {
    /// Nothing, in time.
    Silence,
    /// There is no such name.
    NxDomain,
    /// The name has these addresses; without any it has records of other types only.
    Addresses(Vec<String>),
}

/// A place that a packet comes by, or what is done with it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HopPlace {
    /// A process: the one that sends it, or the one that it is for.
    Process,
    /// The kernel of where it is for, which refuses it: no process listens.
    Kernel,
    /// The pod's end of its line.
    PodInterface,
    /// The node's end of the pod's line.
    Veth,
    /// The bridge of the node's pods.
    Bridge,
    /// The rules of kube-proxy.
    KubeProxy,
    /// A line of the routing table.
    Route,
    /// NetworkPolicies.
    Policy,
    /// A rule that gives it the node's address as its source.
    Masquerade,
    /// A connection that the kernel keeps, by which an answer is translated back.
    Conntrack,
    /// An interface of the kernel that packs it into another packet, or unpacks it.
    Tunnel,
    /// A process that packs or unpacks it.
    UserSpace,
    /// The node's interface to the network of the machines.
    Interface,
    /// A load balancer in front of the cluster.
    Balancer,
}

/// One step of a packet's way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HopView {
    /// The node; empty for the person's own machine, which is outside of the cluster.
    pub node: String,
    /// The pod, as namespace and name, where the packet is in one.
    pub pod: Option<String>,
    /// The place.
    pub place: HopPlace,
    /// What the place is called on the node, or the line that is followed there; empty for a process.
    pub detail: String,
    /// The rules of kube-proxy that matched.
    pub rules: Vec<String>,
    /// The packet's source: address and port.
    pub source: String,
    /// Its destination.
    pub destination: String,
    /// Its protocol: `TCP`, `UDP`, `SCTP` or `ICMP`.
    pub protocol: String,
    /// Whether the place has changed the source.
    pub new_source: bool,
    /// Whether the place has changed the destination.
    pub new_destination: bool,
    /// The headers around it, while it is packed into another packet.
    pub outer: Option<OuterView>,
    /// The objects that the place belongs to: the pod or the node, the Service whose rules match, the policies that let nothing pass.
    pub objects: Vec<ObjectRef>,
}

/// The headers around a packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OuterView {
    /// The outer source: address and port.
    pub source: String,
    /// The outer destination.
    pub destination: String,
    /// The number of the network in VXLAN's header, where there is one.
    pub vni: Option<u32>,
    /// How many bytes the outer headers take.
    pub overhead: u16,
    /// The largest packet of a pod that needs not be cut for it, in bytes.
    pub mtu: u16,
    /// How often a packet is copied between the kernel and a process, on each of the two nodes.
    pub copies: u8,
}

/// Where a packet's way ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EndView {
    /// In the network of a pod, or of the node if there is no pod.
    Arrived {
        /// The node; empty for the person's own machine, which is outside of the cluster.
        node: String,
        /// The pod, as namespace and name.
        pod: Option<String>,
    },
    /// As `Arrived`, but nobody listens on the port there: the kernel answers the first packet of a connection with a reset.
    Refused {
        /// The node.
        node: String,
        /// The pod, as namespace and name.
        pod: Option<String>,
        /// The port.
        port: u16,
    },
    /// At a machine that is no node.
    Neighbour,
    /// Outside of the cluster.
    Outside,
    /// A node knows no way to it, or nobody has the address.
    Lost,
    /// A rule of kube-proxy rejects it.
    Rejected,
    /// A rule of kube-proxy drops it.
    Dropped,
    /// NetworkPolicies drop it.
    Denied(Vec<String>),
    /// It would be an answer, but nobody on the node has asked the address that it comes from.
    Untracked {
        /// The node; empty for the person's own machine.
        node: String,
    },
}

/// The journey of a request for a URL; without one, for the first of the URLs that are offered. A pod sends it or, for any other object,
/// somebody outside of the cluster. `nth` is the request's number, which says which of several endpoints it meets.
pub fn journey(cluster: &Cluster, sender: &ObjectRef, url: Option<&str>, nth: u64) -> JourneyView {
    let offers = match sender.kind == Kind::POD {
        true => urls::all(cluster, &sender.key),
        false => urls::outside(cluster, sender),
    };
    let url = url.map(str::trim).filter(|u| !u.is_empty()).or(offers.first().map(String::as_str));
    let url = url.unwrap_or_default().to_owned();
    let taken = if url.is_empty() { Taken::Nothing } else { take(cluster, sender, &url, nth) };
    JourneyView { offers, url, taken }
}

/// Follows a URL, after which there may be the header `Host`: `http://web host=shop.example`.
fn take(cluster: &Cluster, sender: &ObjectRef, text: &str, nth: u64) -> Taken {
    let mut words = text.split_whitespace();
    let url = words.next().unwrap_or_default();
    let host = words.next().map(|word| word.strip_prefix("host=").filter(|h| !h.is_empty()));
    if host == Some(None) || words.next().is_some() {
        return Taken::NotAUrl(UrlError::Words);
    }
    match Url::parse(url) {
        Err(NotAUrl::Scheme(_)) => Taken::NotAUrl(UrlError::Scheme),
        Err(NotAUrl::Port(_)) => Taken::NotAUrl(UrlError::Port),
        Err(NotAUrl::NoHost) => Taken::NotAUrl(UrlError::NoHost),
        Ok(url) => {
            let client = Client { host: host.flatten().map(Rc::from), ..Client::once(&url) };
            let journey = match sender.kind == Kind::POD {
                true => cluster.journey_of(&sender.key, &client, nth),
                false => cluster.journey_from_outside(&client, nth),
            };
            match journey {
                Some(journey) => Taken::Followed(Box::new(followed(cluster, &journey))),
                None => Taken::NotRunning,
            }
        }
    }
}

fn followed(cluster: &Cluster, journey: &Journey) -> WayView {
    let reply = journey.reply.as_ref();
    let response = reply.and_then(|r| match &r.outcome {
        Outcome::Answered(response) if journey.cause.is_none() => Some(response),
        _ => None,
    });
    let service = journey.service.as_ref();
    let refused = reply.is_some_and(|r| r.outcome == Outcome::Refused && r.via.is_none());
    let hops_of = |way: Option<&Way>| way.map(|way| hops(way, service)).unwrap_or_default();
    let (mut there, mut back) = (hops_of(journey.way.as_ref()), hops_of(journey.back.as_ref()));
    if refused {
        // No process has to do with it.
        for hop in there.last_mut().into_iter().chain(back.first_mut()) {
            if hop.place == HopPlace::Process {
                hop.place = HopPlace::Kernel;
            }
        }
    }
    WayView {
        lookups: journey.names.iter().filter_map(lookup).collect(),
        hops: there,
        end: journey.way.as_ref().map(|w| if refused { refusing(w) } else { end(&w.end) }),
        back,
        back_end: journey.back.as_ref().map(|w| end(&w.end)),
        status: response.map(|r| r.status),
        takes: response.filter(|r| !r.takes.is_zero()).map(|r| r.takes.as_secs_f64()),
        lost: journey.cause,
        behind: reply.and_then(|r| r.behind),
        waits: waits(cluster, journey),
        endpoint: reply.and_then(|r| r.endpoint).map(|e| e.to_string()),
        objects: objects(journey),
        via: reply.and_then(ViaView::of),
        onward: journey.onward.as_deref().map(|j| Box::new(followed(cluster, j))),
    }
}

/// What the rules of the nodes that the packet comes by wait for, in the order of its way.
fn waits(cluster: &Cluster, journey: &Journey) -> Vec<WaitView> {
    let mut nodes: Vec<&str> = Vec::new();
    for hop in journey.way.iter().flat_map(|way| &way.hops) {
        if !nodes.contains(&&*hop.node) {
            nodes.push(&hop.node);
        }
    }
    let view = |node: &str| {
        let (what, at) = match cluster.rules_wait(node)? {
            RulesWait::Stopped => (WaitWhat::Stopped, None),
            RulesWait::News => (WaitWhat::News, None),
            RulesWait::Work(at) => (WaitWhat::Work, Some(at)),
            RulesWait::Period(at) => (WaitWhat::Period, Some(at)),
        };
        let left = at.map_or(0, |at| at.duration_since(cluster.now()).as_millis().max(0));
        Some(WaitView { node: node.to_owned(), what, left: i64::try_from(left).unwrap_or(i64::MAX) })
    };
    nodes.into_iter().filter_map(view).collect()
}

fn lookup((question, answer): &(Question, Answer)) -> Option<LookupView> {
    let Question::Lookup { name, type_, .. } = question else { return None };
    let Answer::Records(records) = answer else { return None };
    let answer = match records {
        None => LookupAnswer::Silence,
        Some(records) if !records.exists => LookupAnswer::NxDomain,
        Some(records) => LookupAnswer::Addresses(records.addresses.iter().map(ToString::to_string).collect()),
    };
    Some(LookupView { name: name.to_string(), record: type_.as_str().to_owned(), answer })
}

fn hops(way: &Way, service: Option<&Key>) -> Vec<HopView> {
    let before = std::iter::once(None).chain(way.hops.iter().map(|h| Some(h.headers)));
    way.hops.iter().zip(before).map(|(hop, before)| hop_view(hop, before, service)).collect()
}

/// The objects that a place belongs to.
fn objects_of(hop: &Hop, service: Option<&Key>) -> Vec<ObjectRef> {
    let object = |kind, key| vec![ObjectRef { kind, key }];
    // The person's own machine is no object.
    let node = || match hop.node.is_empty() {
        true => Vec::new(),
        false => object(Kind::NODE, Key::new("", &hop.node)),
    };
    match &hop.at {
        At::Policy(denied) => {
            let policy = |name: &String| Key::new(&denied.pod.namespace, name);
            denied
                .policies
                .iter()
                .map(|name| ObjectRef { kind: Kind::NETWORK_POLICY, key: policy(name) })
                .collect()
        }
        At::KubeProxy(_) => service.map_or_else(node, |key| object(Kind::SERVICE, key.clone())),
        // A line of the routing table can be the pod's own.
        _ => {
            let pod = hop.pod.as_ref().and_then(|pod| key_of(pod));
            pod.map_or_else(node, |key| object(Kind::POD, key))
        }
    }
}

fn hop_view(hop: &Hop, before: Option<Headers>, service: Option<&Key>) -> HopView {
    let (place, detail, rules) = match &hop.at {
        At::Process => (HopPlace::Process, String::new(), Vec::new()),
        At::PodInterface => (HopPlace::PodInterface, "eth0".to_owned(), Vec::new()),
        At::Veth(name) => (HopPlace::Veth, name.clone(), Vec::new()),
        At::Bridge => (HopPlace::Bridge, "cni0".to_owned(), Vec::new()),
        At::KubeProxy(rules) => (HopPlace::KubeProxy, String::new(), rules.clone()),
        At::Route(route) => (HopPlace::Route, route.to_string(), Vec::new()),
        At::Policy(denied) => (HopPlace::Policy, denied.policies.join(", "), Vec::new()),
        At::Masquerade(rule) => (HopPlace::Masquerade, rule.to_string(), Vec::new()),
        At::Conntrack(entry) => (HopPlace::Conntrack, entry.to_string(), Vec::new()),
        At::Tunnel(name) => (HopPlace::Tunnel, (*name).to_owned(), Vec::new()),
        At::UserSpace(name) => (HopPlace::UserSpace, (*name).to_owned(), Vec::new()),
        At::Interface => (HopPlace::Interface, "eth0".to_owned(), Vec::new()),
        At::Balancer => (HopPlace::Balancer, String::new(), Vec::new()),
    };
    let headers = hop.headers;
    HopView {
        node: hop.node.to_string(),
        pod: hop.pod.as_ref().map(ToString::to_string),
        place,
        detail,
        rules,
        source: side(&headers, headers.source),
        destination: side(&headers, headers.destination),
        protocol: headers.protocol.map_or("ICMP", |p| p.name()).to_owned(),
        new_source: before.is_some_and(|b| b.source != headers.source),
        new_destination: before.is_some_and(|b| b.destination != headers.destination),
        outer: hop.outer.as_ref().map(|o| OuterView {
            source: o.headers.source.to_string(),
            destination: o.headers.destination.to_string(),
            vni: o.vni,
            overhead: o.overhead,
            mtu: o.mtu,
            copies: o.copies,
        }),
        objects: objects_of(hop, service),
    }
}

/// One side of a packet's headers; ICMP has no ports.
fn side(headers: &Headers, side: std::net::SocketAddr) -> String {
    if headers.protocol.is_some() { side.to_string() } else { side.ip().to_string() }
}

/// Where the way of a packet ends that is refused.
fn refusing(way: &Way) -> EndView {
    match end(&way.end) {
        EndView::Arrived { node, pod } => {
            EndView::Refused { node, pod, port: way.headers.destination.port() }
        }
        other => other,
    }
}

fn end(end: &End) -> EndView {
    match end {
        End::Arrived { node, pod } => {
            EndView::Arrived { node: node.to_string(), pod: pod.as_ref().map(ToString::to_string) }
        }
        End::Neighbour => EndView::Neighbour,
        End::Outside => EndView::Outside,
        End::Lost => EndView::Lost,
        End::Rejected => EndView::Rejected,
        End::Dropped => EndView::Dropped,
        End::Denied(denied) => EndView::Denied(denied.policies.clone()),
        End::Untracked { node } => EndView::Untracked { node: node.to_string() },
    }
}

/// The objects that a request comes by, each once, in the order of the way.
fn objects(journey: &Journey) -> Vec<ObjectRef> {
    let pod = |key: Key| ObjectRef { kind: Kind::POD, key };
    let mut all: Vec<ObjectRef> = Vec::new();
    if !journey.from.name.is_empty() {
        all.push(pod(journey.from.clone()));
    }
    all.extend(journey.service.clone().map(|key| ObjectRef { kind: Kind::SERVICE, key }));
    if let Some(way) = &journey.way {
        for hop in way.hops.iter().filter(|hop| !hop.node.is_empty()) {
            all.push(ObjectRef { kind: Kind::NODE, key: Key::new("", &hop.node) });
        }
        match &way.end {
            End::Arrived { pod: Some(name), .. } => all.extend(key_of(name).map(pod)),
            End::Denied(denied) => all.extend(denied.policies.iter().map(|name| ObjectRef {
                kind: Kind::NETWORK_POLICY,
                key: Key::new(&denied.pod.namespace, name),
            })),
            _ => {}
        }
    }
    all.extend(journey.reply.as_ref().and_then(ViaView::of).iter().flat_map(ViaView::objects));
    all.extend(journey.onward.iter().flat_map(|j| objects(j)));
    let mut seen = BTreeSet::new();
    all.retain(|o| seen.insert(o.clone()));
    all
}

/// The key of `NAMESPACE/NAME`.
fn key_of(text: &str) -> Option<Key> {
    text.split_once('/').map(|(namespace, name)| Key::new(namespace, name))
}

#[cfg(test)]
#[path = "journey_tests.rs"]
mod tests;
