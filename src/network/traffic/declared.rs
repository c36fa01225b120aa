//! Clients outside of the cluster, as an object declares them that is reached from there.

use super::client::{Client, NotAClient};
use crate::api::{Kind, MetaExt, Object};
use crate::network::gateway::objects::GROUP;

/// The annotation, as at a pod.
pub const REQUESTS: &str = "sim.steady/requests";

/// Whether objects of a kind can declare clients outside: those that make something reachable from there.
pub fn can_declare(kind: Kind) -> bool {
    kind == Kind::SERVICE || kind == Kind::INGRESS || (kind.plural() == "gateways" && kind.group() == GROUP)
}

/// What an object declares; `None` if it declares no clients.
pub fn declared(object: &Object) -> Option<&str> {
    let text = object.meta().annotation(REQUESTS).filter(|_| can_declare(object.kind()));
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// Why what an object declares cannot be read; `None` if it can be, and if it declares nothing.
pub fn why_unread(object: &Object) -> Option<NotAClient> {
    Client::parse(declared(object)?).err()
}
