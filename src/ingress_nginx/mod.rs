//! The ingress controller ingress-nginx (`internal/ingress/controller` in kubernetes/ingress-nginx v1.15.1): it watches Ingresses, Services
//! and EndpointSlices, tells the nginx of each of its pods where to send requests, and writes the addresses of Ingresses. It is not
//! part of Kubernetes; a person installs it ([`Fault::IngressNginx`](crate::cluster::Fault::IngressNginx)).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`state`] | what a controller remembers: of each pod the Ingresses it serves, and what its nginx has been told |
//! | `heard` | what a change means to it |
//! | `sync` | from the caches to a configuration, and from there to nginx |
//! | `status` | the addresses in `status.loadBalancer` |
//!
//! What nginx is told stands in [`crate::network::ingress`]; here is when. Each pod of a controller is an instance with a
//! configuration of its own: its container starts it, and it is forgotten with that. All instances hear through the same informers.
//! An instance looks at its caches at most three times in ten seconds (`--sync-rate-limit`), and a second passes from there
//! ([`TAKES`]) until nginx has it, so requests go on to endpoints that are gone meanwhile.
//!
//! nginx is told by a request all the same (`pods/configuration`), so that it is a step: who, and why.

mod heard;
pub mod state;
mod status;
mod sync;

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::Key;
use crate::api::types::{EndpointSlice, Ingress, IngressClass, Node, Pod, Service};
use crate::client::{Component, Context, Controller, Reconciler, Result, Watches};

pub use state::{Instance, State};

/// The name of the component and of its process, as events and the managers of fields have it.
pub const NAME: &str = "nginx-ingress-controller";

/// How long it takes until nginx has a new configuration: its workers look for new endpoints once a second
/// (`BACKENDS_SYNC_INTERVAL` in `balancer.lua`), and a reload takes about as long.
pub const TAKES: SignedDuration = SignedDuration::from_secs(1);

/// The time between two syncs of an instance: `--sync-rate-limit` is 0.3 in a second.
pub const EVERY: SignedDuration = SignedDuration::from_millis(3_333);

/// How often the leader looks whether statuses have to be written (`--status-update-interval`).
pub const STATUS_EVERY: SignedDuration = SignedDuration::from_secs(60);

/// The components of the controller's process.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(IngressNginx)]
}

/// The reconciler of ingress-nginx.
#[derive(Clone, Copy, Debug)]
pub struct IngressNginx;

/// The keys of the work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Make a configuration for the nginx of a pod.
    Sync(Key),
    /// Hand it over.
    Apply(Key),
    /// Write the addresses of the Ingresses.
    Status,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Sync(pod) => write!(f, "sync {pod}"),
            Task::Apply(pod) => write!(f, "apply {pod}"),
            Task::Status => f.write_str("status"),
        }
    }
}

impl Reconciler for IngressNginx {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .reads::<IngressClass>()
            .reads::<Node>()
            .watches::<Service>(heard::service)
            .watches::<EndpointSlice>(heard::slice)
            .watches::<Ingress>(heard::ingress)
            .watches::<Pod>(heard::pod)
    }

    async fn sync(self, cx: Context<State, Task>, task: Task) -> Result {
        match task {
            Task::Sync(pod) => {
                sync::sync(&cx, pod);
                Ok(())
            }
            Task::Apply(pod) => sync::apply(cx, pod).await,
            Task::Status => status::write(cx).await,
        }
    }
}
