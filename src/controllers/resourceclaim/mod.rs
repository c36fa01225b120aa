//! The resource claim controller (`k8s.io/kubernetes/pkg/controller/resourceclaim`): it makes the claims of pods from templates,
//! reserves claims for pods that no scheduler has reserved them for, and takes reservations and devices away from claims
//! whose pods are done.

mod claim;
mod pod;

use std::fmt;
use std::rc::Rc;

use crate::api::persistent::Map;
use crate::api::pod::is_terminal;
use crate::api::resource_claim::{is_allocated, is_for_pod, is_reserved_for_pod, name, pod_claims};
use crate::api::types::{Pod, ResourceClaim, ResourceClaimTemplate};
use crate::api::{ApiKind, Key, Kind, MetaExt, Timestamp};
use crate::client::{Caches, Context, EventFlavour, Handler, Memory, Reconciler, Result, Seen, Watches};

/// A key of the controller's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// A claim may be reserved for pods that are done.
    Claim(Key),
    /// A pod may need claims, or reservations of them.
    Pod(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Claim(key) => write!(f, "claim:{key}"),
            Task::Pod(key) => write!(f, "pod:{key}"),
        }
    }
}

/// The claims that the controller has made and its informer has not delivered yet (`claimCache`): nothing says which of the two
/// informers is the first to deliver what a sync has written.
#[derive(Clone, Debug, Default)]
pub struct State {
    made: Map<Key, Rc<ResourceClaim>>,
}

impl State {
    /// A claim that was made, whether it is in the cache or not.
    fn claim<'a>(&'a self, caches: &'a Caches, key: &Key) -> Option<&'a Rc<ResourceClaim>> {
        caches.get(key).or_else(|| self.made.get(key))
    }
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        self.made.keys().map(|claim| format!("has made {claim}")).collect()
    }
}

/// The resource claim controller.
#[derive(Clone, Copy, Debug)]
pub struct ResourceClaimController;

type Cx = Context<State, Task>;

impl Reconciler for ResourceClaimController {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "resourceclaim-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "resource-claim-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "resource_claim".into(), host: None }
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .watches(|cx, seen: Seen<'_, Pod>| enqueue_pod(cx, seen.object(), seen.is_gone()))
            .watches(enqueue_claim)
            .reads::<ResourceClaimTemplate>()
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Claim(key) => claim::sync(&cx, &key).await,
            Task::Pod(key) => pod::sync(&cx, &key).await,
        }
    }
}

/// The claim that was made for the extended resources of a pod, by the scheduler.
fn extended_claim(pod: &Pod) -> Option<&str> {
    let status = pod.status.as_ref()?.extended_resource_claim_status.as_ref()?;
    Some(status.resource_claim_name.as_str())
}

/// Enqueues a pod that needs work, and the claims of one that needs them no longer (`enqueuePod`).
fn enqueue_pod(cx: &mut Handler<'_, State, Task>, pod: &Pod, gone: bool) {
    let claims = pod_claims(pod);
    let extended = extended_claim(pod);
    if claims.is_empty() && extended.is_none() {
        return;
    }
    if gone || is_done(pod) {
        let named = claims.iter().filter_map(|claim| name(pod, claim).ok()?.name());
        for claim in named.chain(extended) {
            cx.enqueue(Task::Claim(Key::new(pod.metadata.namespace(), claim)));
        }
    }
    if needs_work(cx.state, cx.caches, pod) {
        cx.enqueue(Task::Pod(pod.metadata.key()));
    }
}

/// Whether none of a pod's containers runs or will run (`isPodDone`).
fn is_done(pod: &Pod) -> bool {
    is_terminal(pod) || (pod.metadata.is_deleting() && !has_node(pod))
}

fn has_node(pod: &Pod) -> bool {
    pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_some_and(|node| !node.is_empty())
}

/// Whether claims are reserved for a pod that the scheduler has not reserved them for. Of a pod that is done reservations are taken away,
/// so it gets none: in this release both go on in turn without end (kubernetes/kubernetes#141274).
fn may_reserve(pod: &Pod) -> bool {
    has_node(pod) && !is_done(pod)
}

/// Whether a claim has to be made or reserved for a pod (`podNeedsWork`).
fn needs_work(state: &State, caches: &Caches, pod: &Pod) -> bool {
    if pod.metadata.is_deleting() {
        return false;
    }
    for entry in pod_claims(pod) {
        let Ok(named) = name(pod, entry) else { return true };
        let Some(claim) = named.name() else { return false };
        let key = Key::new(pod.metadata.namespace(), claim);
        let Some(claim) = state.claim(caches, &key) else {
            // A claim that is named directly is somebody else's to make.
            return entry.resource_claim_template_name.is_some();
        };
        if entry.resource_claim_name.is_none() && is_for_pod(pod, claim).is_err() {
            return false;
        }
        if may_reserve(pod) && is_allocated(claim) && !is_reserved_for_pod(pod, claim) {
            return true;
        }
    }
    false
}

/// Enqueues a claim, and the pods that use it (`enqueueResourceClaim`).
fn enqueue_claim(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, ResourceClaim>) {
    cx.state.made.remove(seen.key);
    if !seen.is_gone() {
        cx.enqueue(Task::Claim(seen.key.clone()));
    }
    let caches = cx.caches;
    let uses = |pod: &Pod| {
        let mut named = pod_claims(pod).iter().filter_map(|claim| name(pod, claim).ok()?.name());
        named.any(|name| *name == *seen.key.name) || extended_claim(pod).is_some_and(|n| *n == *seen.key.name)
    };
    let pods = caches.of(Kind::POD).list(Some(&seen.key.namespace)).filter_map(Pod::from_object);
    pods.filter(|pod| uses(pod)).for_each(|pod| enqueue_pod(cx, pod, false));
}
