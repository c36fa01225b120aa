//! A connection as policies see it, and what they say of it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use crate::api::Key;
use crate::api::types::{NetworkPolicy, Pod};
use crate::network::protocol::Protocol;

/// The direction of a connection, as the pod that a policy isolates sees it (`policyTypes`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    /// The pod opens the connection.
    Egress,
    /// The pod accepts the connection.
    Ingress,
}

impl Direction {
    /// As `policyTypes` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Egress => "Egress",
            Direction::Ingress => "Ingress",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The address, as a packet has it where policies are enforced.
    pub address: IpAddr,
    /// The pod with the address. `None` for a pod in the network of its node.
    pub pod: Option<&'a Pod>,
    /// The node that the address is on; `None` if it is outside of the cluster.
    pub node: Option<&'a str>,
}

/// The first packet of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Connection<'a> {
    /// Who opens it.
    pub source: End<'a>,
    /// Who is to accept it.
    pub destination: End<'a>,
    /// The protocol and the destination's port; `None` for a packet without ports (ICMP). Kubernetes does not say what
    /// policies are for those: here, as in kube-network-policies, a rule with ports is not about them.
    pub port: Option<(Protocol, u16)>,
}

/// The objects that say what is allowed.
pub trait Objects {
    /// The policies of a namespace, in the order of their names.
    fn policies<'a>(&'a self, namespace: &'a str) -> Vec<&'a NetworkPolicy>;
    /// The labels of a namespace; `None` if there is no such namespace.
    fn namespace_labels(&self, namespace: &str) -> Option<BTreeMap<String, String>>;
}

/// Why a connection may not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// Whose policies do not allow it: `Egress` for the sender's, `Ingress` for the receiver's.
    pub direction: Direction,
    /// The isolated pod.
    pub pod: Key,
    /// The names of the policies that isolate the pod in this direction. None of their rules allows the connection.
    pub policies: Vec<String>,
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies = self.policies.join(", ");
        write!(f, "{} of {} is not allowed by {policies}", self.direction, self.pod)
    }
}
