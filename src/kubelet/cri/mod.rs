//! The Container Runtime Interface (`k8s.io/cri-api`, `pkg/apis/runtime/v1/api.proto`): the calls with which a kubelet has its
//! container runtime do things, as data. [`Call::parts`] says what containerd does for a call.
//!
//! A kubelet notes its calls only while somebody looks ([`Component::look`](crate::client::Component::look)); the notes are
//! made where the kubelet acts (`calls`), so their order is the order of what happens. The runtime itself is simulated: what a
//! call leads to is decided there, and nothing is decided by a note.

mod parts;
mod request;

use std::rc::Rc;

pub use parts::{Doer, Oci, Part, SANDBOX_IMAGE};
pub use request::{
    ContainerConfig, DnsConfig, LinuxContainerResources, Mount, PodSandboxConfig, Request, Service,
};

use crate::api::{Key, Timestamp};

/// A field of a request or an answer: its path, as in the protobuf messages, and its value as text.
pub type Field = (&'static str, String);

/// How long a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It is answered at the moment of the call.
    AtOnce,
    /// It is answered at this moment; `None` if it is not known when.
    Until(Option<Timestamp>),
    /// The call was made earlier, and is answered now.
    Returns,
}

/// A call of the kubelet to its runtime, or the answer to an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// When the call is made, or the answer comes. A call that the kubelet has planned is made later than it is noted: after
    /// a preStop hook, or when it is a sidecar's turn.
    pub at: Timestamp,
    /// The pod; `None` if the call is about none.
    pub pod: Option<Key>,
    /// The container; `None` if the call is about none.
    pub container: Option<Rc<str>>,
    /// The handler of the pod's RuntimeClass; empty for the default one.
    pub handler: String,
    /// Whether the pod is on the network of the node, so that no CNI plugin has to do with it.
    pub host_network: bool,
    /// What is asked for.
    pub request: Request,
    /// How long it takes.
    pub course: Course,
    /// The fields of the answer, as far as they are known yet, or the error.
    pub answer: Result<Vec<Field>, String>,
}
