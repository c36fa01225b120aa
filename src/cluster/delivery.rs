//! The end of a packet's way: who has the address that it is for, and what becomes of it there.

use std::net::{IpAddr, SocketAddr};

use super::beyond::outside;
use super::network::{Host, Leg, Network, is_own_machine, machine_ranges, moved, protocol_of};
use crate::api::Key;
use crate::api::types::discovery::Endpoint;
use crate::kubelet;
use crate::network::dns::Objects;
use crate::network::proxy::Origin;
use crate::network::question::TTL;
use crate::network::{Because, Outcome, Protocol, Question};

/// The port of a kubelet.
const KUBELET: u16 = 10_250;
/// The port of kube-apiserver.
const API_SERVER: u16 = 6443;

impl Network<'_> {
    /// What becomes of a packet that has left its node for an address that is not a Service's.
    pub(super) fn delivered(&self, question: &Question) -> (Outcome, Because) {
        let to = match question {
            Question::Connect { to, .. } | Question::Fetch { to, .. } => *to,
            Question::Echo { to, .. } => SocketAddr::new(*to, 0),
            Question::Lookup { server, .. } => SocketAddr::new(*server, 53),
        };
        let refused = (Outcome::Refused, Because::NotListening);
        if let Some(Host { node, process, state }) = self.host_of(to.ip()) {
            let Some(pod) = state.pod_of(to.ip()) else { return (Outcome::Unreachable, Because::Gone) };
            let work = || kubelet::network::reached(state, &process.caches, &node, pod, question, self.now);
            return match kubelet::network::lasting(state, &process.caches, pod, self.now, |spec| {
                self.memo.changes(spec)
            }) {
                Some(of) => self.memo.met(question, of, work),
                None => work(),
            };
        }
        if let Some(node) = self.node_with(to.ip()) {
            // A machine that is down does not answer.
            let Some(host) = self.hosts().find(|h| h.node == node) else {
                return (Outcome::Unreachable, Because::CutOff);
            };
            return self.of_node(&host, question);
        }
        if self.is_the_control_plane(to.ip()) {
            return if to.port() == API_SERVER && self.api.serves() {
                (self.of_api_server(question), Because::Nothing)
            } else {
                refused
            };
        }
        if self.is_within(to.ip()) {
            return (
                Outcome::Unreachable,
                if self.is_cut_off(to.ip()) { Because::CutOff } else { Because::Gone },
            );
        }
        (outside(question, to.ip()), Because::Nothing)
    }

    /// Where a packet to a port of a node goes that a pod of the node has for itself (`hostPort`).
    pub(super) fn mapped(&self, to: SocketAddr, protocol: Option<Protocol>) -> Option<SocketAddr> {
        let node = self.node_with(to.ip())?;
        let host = self.hosts().find(|h| h.node == node)?;
        self.mapped_on(&host, to, protocol)
    }

    fn mapped_on(&self, host: &Host<'_>, to: SocketAddr, protocol: Option<Protocol>) -> Option<SocketAddr> {
        let protocol = protocol.filter(|_| self.plugin.maps_ports() && to.port() != 0)?;
        kubelet::network::mapped(host.state, &host.process.caches, to, protocol)
    }

    /// What becomes of a question that has reached a node itself.
    fn of_node(&self, host: &Host<'_>, question: &Question) -> (Outcome, Because) {
        let Host { state, process, node } = host;
        let to = match question {
            Question::Connect { to, .. } | Question::Fetch { to, .. } => Some(*to),
            Question::Echo { .. } | Question::Lookup { .. } => None,
        };
        if let Some(to) = to.and_then(|to| self.mapped_on(host, to, protocol_of(question))) {
            return self.delivered(&moved(question, to));
        }
        // A kube-apiserver in a static pod is in the network of its node.
        if to.is_some_and(|to| to.port() == API_SERVER && self.is_the_control_plane(to.ip())) {
            return match self.api.serves() {
                true => (self.of_api_server(question), Because::Nothing),
                false => (Outcome::Refused, Because::NotListening),
            };
        }
        if let Some(pod) = kubelet::network::listens_on_host(state, &process.caches, node, question, self.now)
        {
            return kubelet::network::reached(state, &process.caches, node, &pod, question, self.now);
        }
        match question {
            Question::Connect { to, .. } | Question::Fetch { to, .. } if to.port() == KUBELET => {
                (Outcome::Connected, Because::Nothing)
            }
            _ => match self.of_kube_proxy(node, question) {
                Some(outcome) => (outcome, Because::Nothing),
                None => (Outcome::Refused, Because::NotListening),
            },
        }
    }

    pub(super) fn echo(&self, from: &Key, to: IpAddr) -> (Outcome, Because) {
        if to.is_loopback() {
            return (Outcome::Connected, Because::Nothing);
        }
        // kube-proxy has rules for the ports of a Service and none for anything else that is sent to its address.
        if self.is_cluster_address(to) {
            return (Outcome::TimedOut, Because::NoSuchPort);
        }
        let question = Question::Echo { to, ttl: TTL, whole: None };
        if is_own_machine(from) {
            return match self.reached_by_own_machine(&question, to) {
                (Outcome::Refused, _) => (Outcome::Connected, Because::Nothing),
                other => other,
            };
        }
        if let Some(sender) = self.sender(from, to) {
            let leg = Leg {
                node: sender.node.clone(),
                source: sender.address,
                origin: Origin::Pod,
                interface: "veth0",
            };
            let at = SocketAddr::new(to, 0);
            if let Some(barred) = self.barred(from, &sender, &leg, (at, at), None, false) {
                return barred;
            }
        }
        match self.delivered(&question) {
            (Outcome::Refused, _) => (Outcome::Connected, Because::Nothing),
            other => other,
        }
    }

    /// What becomes of what the person's own machine sends to an address that is no node's.
    pub(super) fn reached_by_own_machine(&self, question: &Question, to: IpAddr) -> (Outcome, Because) {
        let pods = self.api.ip_family().pod_ranges().iter().any(|r| r.cluster.contains(&to));
        if pods || self.is_cluster_address(to) {
            // Nobody has told it of these ranges, so that they lead to the internet, where nobody has such an address.
            return (Outcome::TimedOut, Because::NoRoute);
        }
        self.delivered(question)
    }

    /// Whether a pod of a node that is cut off has an address.
    fn is_cut_off(&self, address: IpAddr) -> bool {
        let away = self.processes.iter().filter(|p| !p.running).flat_map(|p| &p.components);
        let mut states = away.filter_map(|c| c.state().downcast_ref::<kubelet::State>());
        states.any(|s| s.pod_of(address).is_some())
    }

    /// Whether an address is that of the machine of the control plane, by the EndpointSlices of `kubernetes`.
    pub(super) fn is_the_control_plane(&self, address: IpAddr) -> bool {
        let has = |e: &Endpoint| e.addresses.iter().any(|a| a.parse() == Ok(address));
        let slices = self.slices(&Key::new("default", "kubernetes"));
        slices.iter().flat_map(|s| s.endpoints.iter().flatten()).any(has)
    }

    /// Whether an address belongs to the pods' network or to that of the machines.
    fn is_within(&self, address: IpAddr) -> bool {
        let of_pods = self.api.ip_family().pod_ranges().iter().any(|r| r.cluster.contains(&address));
        of_pods || machine_ranges(self.api.ip_family()).iter().any(|r| r.contains(&address))
    }

    /// What becomes of a question that a pod asks itself, or a node.
    pub(super) fn of_pod(&self, pod: &Key, question: &Question) -> (Outcome, Because) {
        if is_own_machine(pod) {
            return (Outcome::Refused, Because::NotListening);
        }
        if pod.namespace.is_empty() {
            return self
                .hosts()
                .find(|h| h.node == *pod)
                .map_or((Outcome::Unreachable, Because::Gone), |host| self.of_node(&host, question));
        }
        let host = self.hosts().find(|h| h.state.pods.contains_key(pod));
        host.map_or((Outcome::Unreachable, Because::Gone), |h| {
            let caches = &h.process.caches;
            let named = if kubelet::network::is_on_host_network(h.state, caches, pod) == Some(true) {
                kubelet::network::listens_on_host(h.state, caches, &h.node, question, self.now)
            } else {
                None
            };
            kubelet::network::reached(
                h.state,
                caches,
                &h.node,
                named.as_ref().unwrap_or(pod),
                question,
                self.now,
            )
        })
    }
}
