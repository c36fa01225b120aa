//! A packet on its way through a node: what rules have made of it so far, and what they may ask.

use std::net::{IpAddr, SocketAddr};

use crate::api::Timestamp;

use super::dice::Dice;
use super::packet::{Kernel, Origin, Packet, Step, Verdict};
use crate::network::protocol::Protocol;

/// What becomes of a packet at a hook of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// It goes on.
    On,
    /// It vanishes.
    Drop,
    /// It is sent back.
    Reject,
}

/// A packet on its way.
pub(super) struct Flow<'a> {
    pub source: SocketAddr,
    pub destination: SocketAddr,
    pub protocol: Protocol,
    pub origin: Origin,
    pub interface: &'a str,
    /// The packet's mark, which it loses when it leaves the node.
    pub mark: u32,
    /// Whether the destination has been changed.
    pub dnat: bool,
    pub masquerade: bool,
    /// The virtual server of IPVS that took the connection.
    pub virtual_server: Option<SocketAddr>,
    /// The node's own addresses.
    pub own: &'a [IpAddr],
    pub now: Timestamp,
    pub kernel: &'a mut Kernel,
    pub dice: &'a mut dyn Dice,
    /// The rules that matched.
    pub steps: Vec<Step>,
}

impl<'a> Flow<'a> {
    pub fn new(
        packet: &'a Packet,
        own: &'a [IpAddr],
        now: Timestamp,
        kernel: &'a mut Kernel,
        dice: &'a mut dyn Dice,
    ) -> Flow<'a> {
        Flow {
            source: packet.source,
            destination: packet.destination,
            protocol: packet.protocol,
            origin: packet.origin,
            interface: &packet.interface,
            mark: 0,
            dnat: false,
            masquerade: false,
            virtual_server: None,
            own,
            now,
            kernel,
            dice,
            steps: Vec::new(),
        }
    }

    /// Notes that the packet has met a rule, if somebody wants to know.
    pub fn meet(&mut self, step: impl FnOnce() -> Step) {
        if self.dice.is_told() {
            self.steps.push(step());
        }
    }

    /// Whether an address is one of the node's own.
    pub fn is_own(&self, ip: IpAddr) -> bool {
        ip.is_loopback() || self.own.contains(&ip)
    }

    /// Whether the packet comes in by an interface; with `prefix`, only the first letters of its name count.
    pub fn comes_by(&self, name: &str, prefix: bool) -> bool {
        if prefix { self.interface.starts_with(name) } else { self.interface == name }
    }

    /// The packet gets another destination.
    pub fn send_to(&mut self, endpoint: SocketAddr) {
        self.destination = endpoint;
        self.dnat = true;
    }

    /// What has become of the packet at its end.
    pub fn verdict(&self, passed: Passed) -> Verdict {
        match passed {
            Passed::Drop => Verdict::Drop,
            Passed::Reject => Verdict::Reject,
            Passed::On if self.dnat => {
                Verdict::Endpoint { address: self.destination, masquerade: self.masquerade }
            }
            Passed::On => Verdict::Unchanged,
        }
    }
}
