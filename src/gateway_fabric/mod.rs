//! NGINX Gateway Fabric (nginx/nginx-gateway-fabric v2.6.7): it watches the objects of the Gateway API, makes an nginx for each Gateway out
//! of ordinary objects (a Deployment, a Service, a ServiceAccount, ConfigMaps and a Secret), tells these nginx where to send requests, and
//! says in statuses what it has accepted. It is not part of Kubernetes; a person installs it
//! ([`Fault::GatewayFabric`](crate::cluster::Fault::GatewayFabric)).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`flags`] | what the command line of a pod of the controller says |
//! | [`state`] | what the controller remembers: its pods, the nginx of Gateways, what these have and are to have |
//! | `known` | what its caches have, as [`crate::network::gateway`] reads it |
//! | `heard` | what a change means to it |
//! | `batch` | all changes since the last look become one graph, and configurations (`internal/controller/handler.go`) |
//! | `provision`, `made` | the objects that run a Gateway's nginx (`internal/controller/provisioner`) |
//! | `apply` | nginx is told |
//! | `status` | what is said of classes, Gateways and routes |
//!
//! What follows from the objects stands in [`crate::network::gateway`]; here is when. The controller handles one batch of changes at a time: with new
//! configurations it takes a second ([`TAKES`]) until every nginx has them, and what changes meanwhile is the next batch. An nginx gets
//! whole files, so every change of endpoints is a reload, too.

mod apply;
mod batch;
pub mod flags;
mod heard;
mod known;
mod made;
mod provision;
pub mod state;
mod status;

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::Key;
use crate::api::types::{
    ConfigMap, CustomResourceDefinition, Deployment, EndpointSlice, Namespace, Pod, Secret, Service,
    ServiceAccount,
};
use crate::client::{Component, Context, Controller, Reconciler, Result, Watches};

pub use state::{Instance, State};

/// The name of the component and of its process, as the managers of fields have it.
pub const NAME: &str = "nginx-gateway-fabric";

/// How long it takes until nginx has a new configuration: its agent fetches the files, tests them (`nginx -t`), reloads nginx, and
/// waits for the new workers (`internal/nginx/nginx_instance_operator.go` in nginx/agent).
pub const TAKES: SignedDuration = SignedDuration::from_secs(1);

/// How long it takes until the agent of an nginx that starts has connected to the controller, which looks once a second
/// (`waitForConnection` in `internal/controller/nginx/agent/command.go`).
pub const CONNECTS: SignedDuration = SignedDuration::from_secs(1);

/// How long the controller waits for the Service of a Gateway before it writes statuses without addresses, and how often it looks.
const WAITS_FOR_SERVICE: SignedDuration = SignedDuration::from_secs(5);
const LOOKS_FOR_SERVICE: SignedDuration = SignedDuration::from_millis(500);

/// The components of the controller's process.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(GatewayFabric)]
}

/// The reconciler of NGINX Gateway Fabric.
#[derive(Clone, Copy, Debug)]
pub struct GatewayFabric;

/// The keys of the work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Handle all changes since the last batch.
    Batch,
    /// Make the objects of a Gateway as they shall be.
    Provision(Key),
    /// Tell the nginx of a pod.
    Apply(Key),
    /// Write all statuses.
    Statuses,
    /// Write the status of a Gateway, whose Service has changed.
    Address(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Batch => f.write_str("batch"),
            Task::Provision(gateway) => write!(f, "provision {gateway}"),
            Task::Apply(pod) => write!(f, "apply {pod}"),
            Task::Statuses => f.write_str("statuses"),
            Task::Address(gateway) => write!(f, "address {gateway}"),
        }
    }
}

impl Reconciler for GatewayFabric {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .watches::<CustomResourceDefinition>(heard::definition)
            .watches::<Pod>(heard::pod)
            .watches::<Service>(heard::service)
            .watches::<EndpointSlice>(heard::slice)
            .watches::<Secret>(heard::secret)
            .watches::<Namespace>(heard::namespace)
            .watches::<Deployment>(heard::made::<Deployment>)
            .watches::<ServiceAccount>(heard::made::<ServiceAccount>)
            .watches::<ConfigMap>(heard::made::<ConfigMap>)
            .known(|s| &s.kinds, heard::custom)
    }

    /// Every nginx goes on with what it has.
    fn restarted(&self, state: &State) -> State {
        State { instances: state.instances.clone(), ..State::default() }
    }

    async fn sync(self, cx: Context<State, Task>, task: Task) -> Result {
        match task {
            Task::Batch => {
                batch::handle(&cx);
                Ok(())
            }
            Task::Provision(gateway) => provision::provision(cx, gateway).await,
            Task::Apply(pod) => apply::apply(cx, pod).await,
            Task::Statuses => status::all(cx).await,
            Task::Address(gateway) => status::of_one(cx, gateway).await,
        }
    }
}
