//! Which endpoint a client with session affinity stays with: what its node remembers ([`Affinity`](super::affinity::Affinity)), or a
//! draw that is remembered from then on.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use super::Cluster;
use super::affinity::Remembered;
use super::network::{Network, asker};
use super::shares::drawn;
use crate::api::Key;
use crate::network::proxy::{Affine, Fraction, Packet, Share};
use crate::network::traffic::Fate;

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
            let nodes = stream.addresses.iter().filter_map(|a| network.sender(&asker(&stream.id), *a));
            let of_nodes = nodes.flat_map(|sender| network.addresses_of(&sender.node));
            let clients: Vec<IpAddr> = stream.addresses.iter().copied().chain(of_nodes).collect();
            affinity.refresh(&clients, &endpoints, stream.client.sent(start, nth));
        }
        self.affinity = affinity;
    }
}
