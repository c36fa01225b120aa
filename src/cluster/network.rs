//! The network of a cluster: it answers what the processes of containers ask ([`Question`]).
//!
//! Nothing of it is stored. Who has which address and which ports are open is read off the kubelets; the names and the
//! endpoints of Services are read off the store, as a DNS server and a kube-proxy that have heard of everything know them.
//! Who has asked is told of changes in [`news`](super::news).

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::rc::Rc;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::affinity::{Affinity, Remembering};
use super::api_door::Door;
use super::memo::{At, Memo, Rules};
use super::noting::Noting;
use super::policing::Policing;
use super::process::Process;
use super::shares::{Part, hash, shared_out, with_errors};
use crate::api::ip_family::IpFamily;
use crate::api::persistent::Vector;
use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{EndpointSlice, Node, Pod, Service};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, later};
use crate::apiserver::ApiServer;
use crate::kubelet::{self, visited::Visited};
use crate::network::cni::{self, Plugin};
use crate::network::dns::Objects;
use crate::network::policy::Direction;
use crate::network::proxy::{Fraction, Kernel, Origin, Packet, Ruleset, Share, Verdict};
use crate::network::question::Behind;
use crate::network::resolver::{NODE_DNS, ResolvConf};
use crate::network::traffic::{Names, StreamId};
use crate::network::visit::{RequestHead, Visit};
use crate::network::{Answer, Because, Outcome, Protocol, Question, Reply};
use crate::shell::{Outside, Sent};

/// The places of the controllers with proxies among the processes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Controllers {
    pub(super) ingress: Option<usize>,
    pub(super) gateway: Option<usize>,
}

/// The network at one moment, as whoever asks from a pod finds it.
pub(super) struct Network<'a> {
    pub(super) api: &'a ApiServer,
    pub(super) processes: &'a Vector<Rc<Process>>,
    pub(super) now: Timestamp,
    /// What connects the nodes.
    pub(super) plugin: Plugin,
    /// Whether the cluster's DNS is CoreDNS in pods.
    pub(super) core_dns: bool,
    /// Who notes the queries that come to CoreDNS, if anybody does.
    pub(super) noting: Option<Noting<'a>>,
    /// What nodes remember of clients with session affinity.
    pub(super) affinity: &'a Affinity,
    /// Who notes what they come to remember, if anybody does.
    pub(super) remembering: Option<Remembering<'a>>,
    /// What was worked out before.
    pub(super) memo: &'a Memo,
    /// The places of the controllers whose pods are proxies among the processes: looked up when the first request comes to somebody
    /// who could be one of these.
    pub(super) controllers: OnceCell<Controllers>,
    /// How requests reach kube-apiserver.
    pub(super) door: Door<'a>,
    /// The nodes with their addresses and pods, once somebody has asked for them.
    pub(super) topology: OnceCell<cni::Network>,
    /// Who notes by the rules of which nodes packets go, if anybody does.
    pub(super) led_by: Option<&'a RefCell<BTreeSet<Rc<str>>>>,
    /// The place of the process with the pod that has an address, once many are looked up.
    pub(super) places: OnceCell<BTreeMap<IpAddr, usize>>,
}

/// A pod that asks.
pub(super) struct From<'a> {
    network: Network<'a>,
    pod: &'a Key,
    /// Whether the pod asks once, now (`kubectl exec`): the answer of a busy server takes as long as it would now. A container's own program
    /// is executed again whenever an answer to it changes. A server's queue changes with every request, so what such a program is
    /// answered leaves queues out.
    now: bool,
}

impl<'a> From<'a> {
    pub(super) fn new(network: Network<'a>, pod: &'a Key) -> From<'a> {
        From { network, pod, now: false }
    }

    /// Who asks once: a server is as busy for it as for the requests of clients that are sent now.
    pub(super) fn asking_now(network: Network<'a>, pod: &'a Key) -> From<'a> {
        From { now: true, ..From::new(network, pod) }
    }
}

impl Outside for From<'_> {
    fn answer(&self, question: &Question) -> Option<Answer> {
        let answer = self.network.answer(self.pod, question);
        Some(if self.now { self.network.met_now(answer) } else { answer })
    }

    fn sent(&self, sent: &Sent<'_>) {
        let network = &self.network;
        let (Some(noting), Question::Fetch { to, method, path, headers, .. }) =
            (network.noting, sent.question)
        else {
            return;
        };
        let Outcome::Answered(response) = &sent.reply.outcome else { return };
        let Some(process) = response.by.as_ref().map(|by| by.process.clone()) else { return };
        let host = network.hosts().find(|h| h.state.pods.contains_key(&process.pod));
        let logs = |h: &Host<'_>| {
            kubelet::visit_log::logs_requests(h.state, &h.process.caches, &h.node, &process, network.now)
        };
        if !host.is_some_and(|h| logs(&h)) {
            return;
        }
        // A pod that asks itself does so at its own address.
        let own = network
            .sender(self.pod, to.ip())
            .map(|s| if to.ip().is_loopback() { to.ip() } else { s.address });
        let referer = headers.get("Referer").unwrap_or_default().into();
        let agent = headers.get("User-Agent").unwrap_or_else(|| sent.agent.to_owned()).into();
        let head = RequestHead { method: method.clone(), path: path.clone(), agent, referer };
        let at = sent.given_up.unwrap_or_else(|| later(sent.came, response.takes));
        if let Some(visit) = Visit::answered(sent.reply, own, head, (sent.came, at)) {
            let visit = Visit { given_up: sent.given_up.is_some(), ..visit };
            noting.noted.borrow_mut().visits.push(Visited { process, visit });
        }
    }
}

impl Objects for Network<'_> {
    fn service(&self, key: &Key) -> Option<&Service> {
        self.api.cached(&ObjectRef { kind: Kind::SERVICE, key: key.clone() })?.get::<Service>().map(|s| &**s)
    }

    fn services(&self) -> Vec<&Service> {
        self.all_services().collect()
    }

    fn slices(&self, service: &Key) -> Vec<&EndpointSlice> {
        let Some(service) = self.service(service) else { return Vec::new() };
        let name = service.metadata.name();
        let all = self.api.cached_list(Kind::ENDPOINT_SLICE, Some(service.metadata.namespace()));
        let all = all.filter_map(|(_, o)| o.get::<EndpointSlice>().map(|s| &**s));
        all.filter(|s| s.metadata.label(LABEL_SERVICE_NAME) == Some(name)).collect()
    }

    fn has_namespace(&self, name: &str) -> bool {
        self.api.cached(&ObjectRef { kind: Kind::NAMESPACE, key: Key::new("", name) }).is_some()
    }

    fn has_pod(&self, namespace: &str, address: IpAddr) -> bool {
        let has = |p: &Pod| {
            let all = p.status.iter().flat_map(|s| s.pod_ips.iter().flatten());
            all.filter_map(|ip| ip.ip.parse::<IpAddr>().ok()).any(|ip| ip == address)
        };
        let mut all = self.api.cached_list(Kind::POD, Some(namespace));
        all.any(|(_, o)| o.get::<Pod>().is_some_and(|p| has(p)))
    }
}

/// A kubelet that runs, with what it and its process know.
pub(super) struct Host<'a> {
    pub(super) node: Key,
    pub(super) process: &'a Process,
    pub(super) state: &'a kubelet::State,
}

impl<'a> Network<'a> {
    pub(super) fn hosts(&self) -> impl Iterator<Item = Host<'a>> {
        let running = self.processes.iter().filter(|p| p.running);
        running.filter_map(|p| {
            let node = Key::new("", p.node.as_deref()?);
            let state = p.components.iter().find_map(|c| c.state().downcast_ref::<kubelet::State>())?;
            Some(Host { node, process: p, state })
        })
    }

    /// The node that runs whose pod has an address.
    pub(super) fn host_of(&self, address: IpAddr) -> Option<Host<'a>> {
        let host = |process: &'a Rc<Process>| {
            let node = process.node.as_deref().filter(|_| process.running)?;
            let state = kubelets(process).find(|state| state.pod_of(address).is_some())?;
            Some(Host { node: Key::new("", node), process, state })
        };
        match self.places.get() {
            Some(places) => host(self.processes.get(*places.get(&address)?)?),
            None => self.processes.iter().find_map(host),
        }
    }

    /// Notes which process has the pods with which addresses, so that [`host_of`](Network::host_of) does not look at each node.
    fn note_places(&self) {
        self.places.get_or_init(|| {
            let mut places = BTreeMap::new();
            for (place, process) in self.processes.iter().enumerate() {
                if process.running && process.node.is_some() {
                    for address in kubelets(process).flat_map(kubelet::State::addresses) {
                        places.entry(address).or_insert(place);
                    }
                }
            }
            places
        });
    }

    /// The node that runs with an address: its own, or that of one of its pods.
    fn machine_of(&self, address: IpAddr) -> Option<Key> {
        self.host_of(address).map(|host| host.node).or_else(|| self.node_with(address))
    }

    /// What a question of a pod is answered.
    pub(super) fn answer(&self, from: &Key, question: &Question) -> Answer {
        self.answer_by(from, question, 0)
    }

    /// The same if so many proxies have passed the question on.
    pub(super) fn answer_by(&self, from: &Key, question: &Question, hops: usize) -> Answer {
        let seed = seed_of(from, question);
        match question {
            Question::Lookup { .. } => self.asked(from, question, 0),
            Question::Echo { to, ttl, whole } => {
                Answer::Replies { replies: Rc::new([self.echoed(from, *to, *ttl, *whole)]), seed: 0 }
            }
            Question::Connect { to, .. } | Question::Fetch { to, .. } => {
                Answer::Replies { replies: self.replies_by(from, *to, question, hops).into(), seed }
            }
        }
    }

    /// An answer whose replies are as somebody gets them who asks now.
    fn met_now(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Replies { replies, seed } => {
                let replies = replies.iter().map(|reply| self.meets_now(reply.clone())).collect();
                Answer::Replies { replies, seed }
            }
            Answer::Records(_) => answer,
        }
    }

    /// A reply as somebody gets it who asks now ([`History::meets`](crate::network::traffic::History::meets)).
    pub(super) fn meets_now(&self, reply: Reply) -> Reply {
        self.door.traffic.meets(reply, self.now)
    }

    /// Whether an address is in the range of Services' addresses.
    pub(super) fn is_cluster_address(&self, address: IpAddr) -> bool {
        self.api.ip_family().service_ranges().any(|range| range.contains(&address))
    }

    /// What can become of a connection to an address: each endpoint of a Service, or the one machine that has the address.
    pub(super) fn replies(&self, from: &Key, to: SocketAddr, question: &Question) -> Vec<Reply> {
        self.replies_by(from, to, question, 0)
    }

    /// What can become of a connection whose sender is a proxy, which `hops` proxies with it have passed on.
    pub(super) fn replies_by(
        &self,
        from: &Key,
        to: SocketAddr,
        question: &Question,
        hops: usize,
    ) -> Vec<Reply> {
        let one = |(outcome, because): (Outcome, Because)| vec![Reply::of_all(outcome, because)];
        let services = self.services_at(to);
        let sender = self.sender(from, to.ip());
        // kube-proxy's rules for iptables are also for node ports at a node's own 127.0.0.1 (`--iptables-localhost-nodeports`).
        let by_rules = |s: &Sender| s.hosted && to.is_ipv4() && !services.is_empty() && !is_own_machine(from);
        if to.ip().is_loopback() && !sender.as_ref().is_some_and(by_rules) {
            return one(self.of_pod(from, question));
        }
        let Some(sender) = sender else {
            return one((Outcome::Unreachable, Because::Gone));
        };
        let mut leg = Leg {
            node: sender.node.clone(),
            source: if to.ip().is_loopback() { to.ip() } else { sender.address },
            origin: if sender.hosted { Origin::Node } else { Origin::Pod },
            interface: if sender.hosted { "" } else { "veth0" },
        };
        if is_own_machine(from) {
            if let Some(service) = self.balancer_at(&services, to.ip()) {
                return self.balanced(from, &sender, service, (to, question), hops);
            }
            // Only what is for a node's address comes by rules of the cluster.
            let Some(node) = self.node_with(to.ip()).filter(|node| self.hosts().any(|h| h.node == *node))
            else {
                return one(self.reached_by_own_machine(question, to.ip()));
            };
            leg = Leg { node, origin: Origin::Outside, interface: "eth0", ..leg };
        }
        // A node port of another node: the packet is sent there, with this node's address as its source.
        if let Some(other) = self.other_node_with_port(&sender, to, &services) {
            let source = self.address_of(&sender.node, to.ip()).unwrap_or(sender.address);
            leg = Leg { node: other, source, origin: Origin::Outside, interface: "eth0" };
        }
        self.led(from, (&sender, &leg), (to, question), hops)
    }

    /// What can become of a connection that has come to the node whose rules lead it on.
    pub(super) fn led(
        &self,
        from: &Key,
        (sender, leg): (&Sender, &Leg),
        (to, question): (SocketAddr, &Question),
        hops: usize,
    ) -> Vec<Reply> {
        let (protocol, services) = (protocol_of(question), self.services_at(to));
        let packet = Packet {
            source: SocketAddr::new(leg.source, SOURCE_PORT),
            destination: to,
            protocol: protocol.unwrap_or_default(),
            origin: leg.origin,
            interface: leg.interface.to_owned(),
        };
        let written = self.written_rules(&leg.node, to);
        let leads = |rules: &Ruleset| rules.distribution(&packet, self.now, &Kernel::default());
        let led = |of: Rules, work: &dyn Fn() -> Vec<Share>| {
            let at = At {
                node: leg.node.name.to_string().into(),
                source: leg.source,
                destination: to,
                protocol: packet.protocol,
                origin: leg.origin,
            };
            self.memo.led(at, of, work)
        };
        // Where rules that are not behind would lead to.
        let made = || led(self.sources(&leg.node, to), &|| leads(&self.rules_at(&leg.node, to)));
        let (shares, right) = match written {
            Some((all, rules)) => (led(Rules::Written(all.clone()), &|| leads(rules)), Some(made())),
            None => (made(), None),
        };
        let barred = |address: SocketAddr, masquerade: bool| {
            self.barred(from, sender, leg, (to, address), protocol, masquerade)
        };
        if shares.len() >= MANY {
            self.note_places();
        }
        let shares = match has_affinity(&services) {
            true => self.stay(shares, &leg.node, &packet, sender.address),
            false => shares,
        };
        let reply = |share: &Share| {
            let (endpoint, (outcome, because)) = match &share.verdict {
                Verdict::Endpoint { address, masquerade } => {
                    let met = barred(*address, *masquerade).unwrap_or_else(|| {
                        // The endpoint's node sends its answer straight to the sender, who has asked another address.
                        let astray = leg.origin == Origin::Outside
                            && !masquerade
                            && self.machine_of(address.ip()).is_some_and(|node| node != leg.node);
                        match astray {
                            true => (Outcome::TimedOut, Because::Astray),
                            false => self.delivered(&moved(question, *address)),
                        }
                    });
                    // What the sender's own node drops comes to no other node, whose rules would choose.
                    let dropped_before =
                        leg.node != sender.node && met.1 == Because::Policy(Direction::Egress);
                    (Some(*address).filter(|_| !dropped_before), met)
                }
                Verdict::Reject => (None, (Outcome::Refused, Because::NoEndpoints)),
                Verdict::Drop => (None, (Outcome::TimedOut, Because::NoEndpoints)),
                // No rule is for the port, and no machine has the address.
                Verdict::Unchanged if self.is_cluster_address(to.ip()) => {
                    (None, (Outcome::TimedOut, Because::NoSuchPort))
                }
                Verdict::Unchanged if to.ip().is_loopback() => (None, self.of_pod(from, question)),
                Verdict::Unchanged => {
                    let mapped = self.mapped(to, protocol);
                    let at = mapped.unwrap_or(to);
                    (mapped, barred(at, false).unwrap_or_else(|| self.delivered(&moved(question, at))))
                }
            };
            // Shares are in the order of their verdicts.
            let is_right =
                |right: &Rc<[Share]>| right.binary_search_by(|r| r.verdict.cmp(&share.verdict)).is_ok();
            let behind = right.as_ref().filter(|right| !is_right(right)).map(|_| Behind::Rules);
            let source = match &share.verdict {
                Verdict::Endpoint { address, masquerade } if leg.origin == Origin::Outside => {
                    self.seen(leg, address.ip(), *masquerade)
                }
                _ => None,
            };
            let own = Reply { endpoint, behind, source, ..Reply::of_all(outcome, because) };
            self.parts_of(own, &moved(question, endpoint.unwrap_or(to)), hops)
        };
        let parts: Vec<(Fraction, Vec<Part>)> = shares.iter().map(|s| (s.share, reply(s))).collect();
        shared_out(parts)
    }

    /// What becomes of a connection that was accepted: what its server answers, or what a proxy makes of it.
    fn parts_of(&self, own: Reply, question: &Question, hops: usize) -> Vec<Part> {
        let accepted = matches!(own.outcome, Outcome::Connected | Outcome::Answered(_));
        let passes = own.because == Because::PassedOn;
        let Some(parts) = accepted.then(|| self.passed_on(question, hops, passes)).flatten() else {
            return with_errors(own);
        };
        let through = |part: Part| Part {
            reply: Reply {
                endpoint: part.reply.endpoint.or(own.endpoint),
                behind: part.reply.behind.or(own.behind),
                source: own.source,
                ..part.reply
            },
            ..part
        };
        parts.into_iter().map(through).collect()
    }

    /// Where a pod sends from, or a node, whose key has no namespace, or the person's [`own_machine`].
    pub(super) fn sender(&self, pod: &Key, to: IpAddr) -> Option<Sender> {
        if is_own_machine(pod) {
            let address = self.addresses_of(pod).into_iter().find(|a| a.is_ipv4() == to.is_ipv4())?;
            return Some(Sender { node: pod.clone(), address, hosted: true });
        }
        if pod.namespace.is_empty() {
            let address = self.address_of(pod, to)?;
            return Some(Sender { node: pod.clone(), address, hosted: true });
        }
        let host = self.hosts().find(|h| h.state.pods.contains_key(pod))?;
        let rt = host.state.pods.get(pod)?;
        let hosted = kubelet::network::is_on_host_network(host.state, &host.process.caches, pod)?;
        let addresses = rt.addresses.iter().filter_map(|a| a.parse::<IpAddr>().ok());
        let address = addresses.into_iter().find(|a| a.is_ipv4() == to.is_ipv4())?;
        Some(Sender { node: host.node, address, hosted })
    }

    /// The Node that has an address.
    pub(super) fn node_with(&self, address: IpAddr) -> Option<Key> {
        Policing(self.api).node_with(address)
    }

    /// The address of a node in the network of the machines, of the family of another one.
    pub(super) fn address_of(&self, node: &Key, like: IpAddr) -> Option<IpAddr> {
        let at = ObjectRef { kind: Kind::NODE, key: node.clone() };
        let status = self.api.cached(&at)?.get::<Node>()?.status.as_ref()?;
        let internal = status.addresses.iter().flatten().filter(|a| a.type_ == "InternalIP");
        internal.filter_map(|a| a.address.parse::<IpAddr>().ok()).find(|a| a.is_ipv4() == like.is_ipv4())
    }

    /// The addresses of a node in the network of the machines, or those of the person's [`own_machine`].
    pub(super) fn addresses_of(&self, machine: &Key) -> Vec<IpAddr> {
        if is_own_machine(machine) {
            let ranges = machine_ranges(self.api.ip_family());
            return ranges.iter().filter_map(|range| range.hosts().next()).collect();
        }
        let v4 = self.address_of(machine, IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        v4.into_iter().chain(self.address_of(machine, IpAddr::V6(Ipv6Addr::UNSPECIFIED))).collect()
    }

    /// The texts of `/etc/hosts` and `/etc/resolv.conf` of a node, or of the person's [`own_machine`].
    pub(super) fn files_of_machine(&self, machine: &Key) -> [String; 2] {
        let mut hosts = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n".to_owned();
        if !is_own_machine(machine) {
            let own = self.addresses_of(machine);
            own.iter().for_each(|address| hosts.push_str(&format!("{address}\t{}\n", machine.name)));
        }
        [hosts, format!("nameserver {NODE_DNS}\noptions ndots:0\n")]
    }

    /// The node with an address, if it is another one than the sender's and runs, and some Service has its port as a node port.
    fn other_node_with_port(&self, sender: &Sender, to: SocketAddr, services: &[&Service]) -> Option<Key> {
        if to.port() == 0 || services.is_empty() {
            return None;
        }
        if is_own_machine(&sender.node) {
            return None;
        }
        let other = self.node_with(to.ip()).filter(|node| *node != sender.node)?;
        self.hosts().any(|h| h.node == other).then_some(other)
    }

    /// What a pod, or the person's [`own_machine`], knows of names by itself.
    pub(super) fn names_of(&self, pod: &Key) -> Option<Names> {
        if is_own_machine(pod) {
            let [hosts, conf] = self.files_of_machine(pod);
            return Some(Names { conf: ResolvConf::parse(&conf), hosts: hosts.into() });
        }
        let host = self.hosts().find(|h| h.state.pods.contains_key(pod))?;
        kubelet::clients::names(host.state, &host.process.caches, &host.node, pod, self.now)
    }
}

/// The person's own machine, which is the gateway of the nodes' network: who asks from there has this key in the place of a pod's. The
/// machine is no node, so no kube-proxy writes rules on it, and it knows no way to the addresses of pods and Services.
pub(super) fn own_machine() -> Key {
    Key::new("", "")
}

/// Who sends a packet, as a network plugin knows it. `balanced_to` is the node that a load balancer has chosen, with the address there.
pub(super) fn sent_by(
    from: &Key,
    sender: &Sender,
    balanced_to: Option<(Rc<str>, SocketAddr)>,
) -> cni::Sender {
    cni::Sender {
        node: sender.node.name.to_string().into(),
        pod: if is_own_machine(from) { "".into() } else { from.to_string().into() },
        hosted: sender.hosted,
        balanced_to,
    }
}

/// Who asks the network for a stream of requests: the pod that sends it, or the person's [`own_machine`].
pub(super) fn asker(stream: &StreamId) -> Key {
    if stream.is_from_outside() { own_machine() } else { stream.sender.key.clone() }
}

/// Whether a key is that of the person's [`own_machine`].
pub(super) fn is_own_machine(key: &Key) -> bool {
    key.namespace.is_empty() && key.name.is_empty()
}

/// Whether clients of Services stay with the endpoint that they had first (`sessionAffinity: ClientIP`).
fn has_affinity(services: &[&Service]) -> bool {
    let affine =
        |s: &&Service| s.spec.as_ref().and_then(|s| s.session_affinity.as_deref()) == Some("ClientIP");
    services.iter().any(affine)
}

/// A pod that sends a packet.
pub(super) struct Sender {
    pub(super) node: Key,
    pub(super) address: IpAddr,
    /// Whether it is in the network of its node.
    pub(super) hosted: bool,
}

/// The node whose rules lead a packet to an endpoint, and the packet as it comes there.
pub(super) struct Leg {
    pub(super) node: Key,
    pub(super) source: IpAddr,
    pub(super) origin: Origin,
    pub(super) interface: &'static str,
}

/// From so many endpoints on it pays to note first where each address is.
const MANY: usize = 16;

/// The kubelets of a process.
fn kubelets(process: &Process) -> impl Iterator<Item = &kubelet::State> {
    process.components.iter().filter_map(|c| c.state().downcast_ref::<kubelet::State>())
}

/// The port that connections are taken to come from. No rule looks at it.
pub(super) const SOURCE_PORT: u16 = 40_000;

/// The networks that kind gives its machines.
pub(super) fn machine_ranges(ip_family: IpFamily) -> Vec<IpNet> {
    let v4 = IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(172, 18, 0, 0), 16));
    let v6 = Ipv6Addr::new(0xfc00, 0xf853, 0xccd, 0xe793, 0, 0, 0, 0);
    let all = [v4, IpNet::V6(Ipv6Net::new_assert(v6, 64))];
    all.into_iter().take(ip_family.families().len()).collect()
}

/// The protocol of what is asked; `None` for ICMP.
pub(super) fn protocol_of(question: &Question) -> Option<Protocol> {
    match question {
        Question::Connect { protocol, .. } => Some(*protocol),
        Question::Fetch { .. } => Some(Protocol::Tcp),
        Question::Lookup { .. } => Some(Protocol::Udp),
        Question::Echo { .. } => None,
    }
}

/// A question to another address and port.
pub(super) fn moved(question: &Question, to: SocketAddr) -> Question {
    match question {
        Question::Connect { protocol, .. } => Question::Connect { to, protocol: *protocol },
        Question::Fetch { tls, host, method, path, headers, extras, .. } => Question::Fetch {
            to,
            tls: *tls,
            host: host.clone(),
            method: method.clone(),
            path: path.clone(),
            headers: headers.clone(),
            extras: extras.clone(),
        },
        Question::Lookup { name, type_, .. } => {
            Question::Lookup { server: to.ip(), name: name.clone(), type_: *type_ }
        }
        Question::Echo { ttl, whole, .. } => Question::Echo { to: to.ip(), ttl: *ttl, whole: *whole },
    }
}

/// Where the choice of endpoints begins for a pod and a question.
pub(super) fn seed_of(from: &Key, question: &Question) -> u64 {
    hash(&format!("{from} {question}"))
}
