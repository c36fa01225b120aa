//! What the kernels of nodes remember of clients with session affinity (`sessionAffinity: ClientIP`): with which endpoint a client is, and
//! when it opened a connection last. The rules of a node ask for it before a dice is thrown: the match `recent` of iptables, the sets of
//! nftables, and the persistence of IPVS (`pkg/proxy/iptables/proxier.go`, `writeServiceToEndpointRules`; `syncProxyRules` in
//! `pkg/proxy/nftables/proxier.go` and `pkg/proxy/ipvs/proxier.go`).
//!
//! It is kept by the lists that the rules name ([`Kernel::affinity`]), so who shares what is as the mode has it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;

use super::Cluster;
use super::network::Network;
use super::shares::drawn;
use crate::api::{Key, Timestamp};
use crate::network::proxy::{Affine, Fraction, Kernel, Packet, Share};
use crate::network::traffic::Fate;

/// The longest time for which a Service can have clients remembered (`MaxClientIPServiceAffinitySeconds`).
const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// The endpoints of one client, by the list.
type Lists = BTreeMap<String, Affine>;

/// What all nodes remember.
#[derive(Clone, Debug, Default)]
pub(super) struct Affinity(Rc<BTreeMap<(Rc<str>, IpAddr), Lists>>);

/// What a node remembers of a client since it has opened a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remembered {
    node: Rc<str>,
    client: IpAddr,
    list: String,
    affine: Affine,
}

/// Who notes what nodes remember.
#[derive(Clone, Copy)]
pub(super) struct Remembering<'a> {
    /// What they have come to remember so far.
    pub(super) noted: &'a RefCell<Vec<Remembered>>,
    /// Whether who asks opens a connection now. Otherwise it is only told where its connections lead, and only a draw is noted.
    pub(super) opens: bool,
}

impl Affinity {
    /// Whether nobody is remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the kernel of a node remembers of a client; `None` if nothing.
    pub(super) fn kernel(&self, node: &str, client: IpAddr) -> Option<Kernel> {
        if self.is_empty() {
            return None;
        }
        let lists = self.0.get(&(node.into(), client))?;
        let affinity = lists.iter().map(|(list, affine)| ((list.clone(), client), affine.clone())).collect();
        Some(Kernel { affinity, ..Kernel::default() })
    }

    /// Remembers clients, and forgets those that no Service can have remembered any more.
    pub(super) fn remember(&mut self, all: Vec<Remembered>, now: Timestamp) {
        if all.is_empty() {
            return;
        }
        let known = Rc::make_mut(&mut self.0);
        for Remembered { node, client, list, affine } in all {
            known.entry((node, client)).or_default().insert(list, affine);
        }
        known.retain(|_, lists| {
            lists.retain(|_, affine| now.duration_since(affine.last) < LONGEST);
            !lists.is_empty()
        });
    }

    /// Clients with some addresses have gone on to open connections to endpoints.
    fn refresh(&mut self, clients: &[IpAddr], endpoints: &[SocketAddr], last: Timestamp) {
        let is_older = |affine: &Affine| endpoints.contains(&affine.endpoint) && affine.last < last;
        let of_clients =
            |client: &IpAddr, lists: &Lists| clients.contains(client) && lists.values().any(is_older);
        if !self.0.iter().any(|((_, client), lists)| of_clients(client, lists)) {
            return;
        }
        for ((_, client), lists) in Rc::make_mut(&mut self.0) {
            for affine in lists.values_mut().filter(|_| clients.contains(client)) {
                if is_older(affine) {
                    affine.last = last;
                }
            }
        }
    }

    /// What is remembered, line by line.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let lists = self.0.iter().flat_map(|(at, lists)| lists.iter().map(move |list| (at, list)));
        lists.map(|((node, client), (list, affine))| {
            format!("{node} {client} {list} {} {}", affine.endpoint, affine.last.as_nanosecond())
        })
    }
}

impl Network<'_> {
    /// What is left of the shares of a packet for a client with session affinity, who has `client` as its own address: the endpoint
    /// that the node remembers or, without one, the endpoint that is drawn.
    pub(super) fn stay(
        &self,
        shares: Rc<[Share]>,
        node: &Key,
        packet: &Packet,
        client: IpAddr,
    ) -> Rc<[Share]> {
        let address = packet.source.ip();
        let known = self.affinity.kernel(&node.name, address);
        let shares = match &known {
            Some(kernel) => {
                self.rules_of(node, packet.destination).distribution(packet, self.now, kernel).into()
            }
            None => shares,
        };
        // Who comes back after its time has another draw.
        let last = known.iter().flat_map(|k| k.affinity.values()).map(|affine| affine.last).max();
        let Some(chosen) = drawn(&shares, client, last) else { return shares };
        let draws = shares.len() > 1 || known.is_none();
        if let Some(remembering) = self.remembering.filter(|r| r.opens || draws) {
            let mut kernel = known.unwrap_or_default();
            let before = kernel.affinity.clone();
            let rules = self.rules_of(node, packet.destination);
            rules.lead(packet, self.now, &mut kernel, &chosen.verdict);
            let is_new = |(at, affine): &(&(String, IpAddr), &Affine)| before.get(*at) != Some(*affine);
            let new = kernel.affinity.iter().filter(is_new).map(|((list, client), affine)| Remembered {
                node: node.name.to_string().into(),
                client: *client,
                list: list.clone(),
                affine: affine.clone(),
            });
            remembering.noted.borrow_mut().extend(new);
        }
        Rc::new([Share { share: Fraction::ONE, ..chosen }])
    }
}

impl Cluster {
    /// Lets nodes remember clients that have sent requests all the time since somebody was asked where they lead, each with its
    /// last request. A client that keeps its connections opens none with a request.
    pub(super) fn refresh_affinity(&mut self) {
        if self.affinity.is_empty() {
            return;
        }
        let Some(scene) = self.traffic.scene().cloned() else { return };
        let now = self.now();
        let mut affinity = self.affinity.clone();
        for stream in scene.streams.iter().filter(|s| s.client.keep.is_none()) {
            let Fate::Replies(choice) = &stream.fate else { continue };
            let (start, end) = (stream.id.start, stream.end.map_or(now, |end| end.min(now)));
            let Some(nth) = stream.client.until(start, end).checked_sub(1) else { continue };
            // The rules lead to the proxy, which chooses the endpoint.
            let led = choice.replies().iter().map(|r| r.via.as_ref().map_or(r.endpoint, |via| Some(via.at)));
            let endpoints: Vec<SocketAddr> = led.flatten().collect();
            // Where it asks a node port of another node, its own node has put its address in the place of the pod's.
            let network = self.network();
            let nodes = stream.addresses.iter().filter_map(|a| network.sender(&stream.id.pod, *a));
            let of_nodes = nodes.flat_map(|sender| network.addresses_of(&sender.node));
            let clients: Vec<IpAddr> = stream.addresses.iter().copied().chain(of_nodes).collect();
            affinity.refresh(&clients, &endpoints, stream.client.sent(start, nth));
        }
        self.affinity = affinity;
    }
}
