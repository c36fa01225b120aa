//! The kubelet of a node, [`Kubelet`], and the keys of its work queue, [`Task`].

use std::fmt;
use std::rc::Rc;

use super::state::State;
use crate::api::Key;
use crate::client::Context;

/// The kubelet of one node.
#[derive(Clone, Debug)]
pub struct Kubelet {
    pub(super) node: Rc<str>,
    pub(super) name: Rc<str>,
    /// The key of its Node object.
    pub(super) key: Key,
}

impl Kubelet {
    /// The kubelet of the node with this name.
    pub fn new(node: &str) -> Kubelet {
        Kubelet { node: node.into(), name: "kubelet".into(), key: Key::new("", node) }
    }
}

/// A key of the kubelet's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Renew the lease of the node with this name.
    Lease(Rc<str>),
    /// Report the status of the node with this name.
    Status(Rc<str>),
    /// Record whether the node with this name is schedulable.
    Schedulable(Rc<str>),
    /// Look whether the node with this name runs out of something, and end pods if it does.
    Evict(Rc<str>),
    /// Remove images that nobody uses from the disk of the node with this name, if it is too full.
    Images(Rc<str>),
    /// End the pods of the node with this name, because it is being shut down.
    Shutdown(Rc<str>),
    /// See to it that the memory of the node with this name suffices: the kernel kills a container if it does not.
    OutOfMemory(Rc<str>),
    /// Register the CSI drivers of the node with this name.
    Drivers(Rc<str>),
    /// Read the manifests on the node with this name.
    Manifests(Rc<str>),
    /// Read the URL of the static pods of the node with this name.
    Url(Rc<str>),
    /// Complete the expansion of a claim's volume.
    Expand(Key),
    /// Take a turn of a pod.
    Pod(Key),
    /// The same, planned for a deadline that recurs.
    Recurring(Key),
    /// The same, planned for a background deadline.
    Background(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Lease(node) => write!(f, "{node}/lease"),
            Task::Status(node) => write!(f, "{node}/status"),
            Task::Schedulable(node) => write!(f, "{node}/schedulable"),
            Task::Evict(node) => write!(f, "{node}/evict"),
            Task::Images(node) => write!(f, "{node}/images"),
            Task::Shutdown(node) => write!(f, "{node}/shutdown"),
            Task::OutOfMemory(node) => write!(f, "{node}/out-of-memory"),
            Task::Drivers(node) => write!(f, "{node}/drivers"),
            Task::Manifests(node) => write!(f, "{node}/manifests"),
            Task::Url(node) => write!(f, "{node}/url"),
            Task::Expand(claim) => write!(f, "{claim}/expand"),
            Task::Pod(pod) => pod.fmt(f),
            Task::Recurring(pod) => write!(f, "{pod}/recurring"),
            Task::Background(pod) => write!(f, "{pod}/background"),
        }
    }
}

pub(super) type Cx = Context<State, Task>;
