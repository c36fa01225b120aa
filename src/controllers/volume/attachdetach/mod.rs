//! Attach and detach (`k8s.io/kubernetes/pkg/controller/volume/attachdetach`): a CSI volume is attached to the node of the
//! pods that need it, and detached when no pod does and the node's kubelet has unmounted it.
//!
//! To attach a volume is to create a VolumeAttachment and to wait until the driver's external attacher says
//! `status.attached`; to detach it is to delete the VolumeAttachment and to wait until it is gone. What is attached
//! stands in `status.volumesAttached` of the Node, where the kubelet reads it; what the kubelet has mounted stands in
//! `status.volumesInUse`.
//!
//! Kubernetes compares what is desired with what is actual ten times a second; here a volume is a key, which is enqueued
//! when something about it has changed.

mod node;
mod operation;
mod reconcile;
mod state;

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::types::{CSIDriver, Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment};
use crate::api::volume::{claim_of, claim_phase, claim_ref, volume_name};
use crate::api::{ApiKind, Key, Kind, MetaExt, csi};
use crate::client::{Caches, Context, EventFlavour, Handler, Reconciler, Result, Seen, Watches};

use super::is_terminated;
use state::Spec;
pub use state::State;

/// How long the controller takes to find pods on a node that was not managed before, in seconds
/// (`DesiredStateOfWorldPopulatorListPodsRetryDuration`).
const FIND_PODS: i64 = 180;

/// The attach/detach controller.
#[derive(Clone, Copy, Debug)]
pub struct AttachDetachController;

/// A key of the controller's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Read Nodes, VolumeAttachments and pods, after the start (`populateActualStateOfWorld`).
    Populate,
    /// Find the pods on nodes that were not managed before (`findAndAddActivePods`).
    FindPods,
    /// Attach or detach the volume with this unique name (`reconcile`).
    Volume(Rc<str>),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Populate => f.write_str("populate"),
            Task::FindPods => f.write_str("pods"),
            Task::Volume(name) => f.write_str(name),
        }
    }
}

type Cx = Context<State, Task>;

impl Reconciler for AttachDetachController {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "persistentvolume-attach-detach-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "attachdetach-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "attachdetach-controller".into(), host: None }
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .watches(handle_pod)
            .watches(handle_node)
            .watches(handle_claim)
            .reads::<PersistentVolume>()
            .reads::<CSIDriver>()
            .watches(handle_attachment)
    }

    fn initial_keys(&self, _: &Self::State) -> Vec<Task> {
        vec![Task::Populate]
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Populate => {
                populate(&cx);
                Ok(())
            }
            Task::FindPods => {
                find_pods(&cx);
                Ok(())
            }
            Task::Volume(_) if cx.state(|s| !s.populated) => Ok(()),
            Task::Volume(name) => reconcile::reconcile(&cx, &name).await,
        }
    }
}

fn node_of(pod: &Pod) -> Option<Rc<str>> {
    pod.spec.as_ref()?.node_name.as_deref().filter(|n| !n.is_empty()).map(Rc::from)
}

/// The volumes of a pod that have to be attached, each with its unique name (`CreateVolumeSpec` and
/// `FindAttachablePluginBySpec`). Claims that are not bound are left out.
fn attachable_volumes(caches: &Caches, pod: &Pod) -> Vec<(Rc<str>, Spec)> {
    let volumes = pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
    let of = |v| {
        let (name, ephemeral) = claim_of(pod, v)?;
        let claim = caches.get::<PersistentVolumeClaim>(&Key::new(pod.metadata.namespace(), &name))?;
        let own = || claim.metadata.controller().is_some_and(|o| Some(&o.uid) == pod.metadata.uid.as_ref());
        if ephemeral && !own() { None } else { attachable_volume(caches, claim) }
    };
    volumes.iter().filter_map(of).collect()
}

/// The unique name of the volume of a bound claim, if it has to be attached.
fn attachable_volume(caches: &Caches, claim: &PersistentVolumeClaim) -> Option<(Rc<str>, Spec)> {
    if claim_phase(claim) != "Bound" || volume_name(claim).is_empty() {
        return None;
    }
    let volume = caches.get::<PersistentVolume>(&Key::new("", volume_name(claim)))?;
    claim_ref(volume).filter(|r| r.uid == claim.metadata.uid)?;
    attachable(caches, volume)
}

fn attachable(caches: &Caches, volume: &PersistentVolume) -> Option<(Rc<str>, Spec)> {
    let (driver, handle) = csi::source(volume)?;
    let installed = caches.get::<CSIDriver>(&Key::new("", driver));
    csi::needs_attach(installed.map(|d| &**d)).then(|| {
        let spec = Spec {
            volume: volume.metadata.name().into(),
            multi_attach: csi::is_multi_attach_allowed(volume),
        };
        (csi::unique_name(driver, handle).into(), spec)
    })
}

fn handle_pod(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    let pod = seen.object();
    let Some(node) = node_of(pod) else { return };
    let names: Vec<Rc<str>> = match cx.state.managed.get(&node).copied() {
        keep if seen.is_gone() || (is_terminated(pod) && keep != Some(true)) => cx.state.remove_pod(pod),
        None => return,
        Some(_) => {
            let volumes = attachable_volumes(cx.caches, pod);
            if volumes.is_empty() {
                return;
            }
            let names = volumes.iter().map(|(name, _)| name.clone()).collect();
            if cx.state.add_pod(pod, &node, volumes) { names } else { return }
        }
    };
    names.into_iter().for_each(|name| cx.enqueue(Task::Volume(name)));
}

fn handle_claim(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, PersistentVolumeClaim>) {
    let caches = cx.caches;
    let Some((name, spec)) = seen.new.and_then(|c| attachable_volume(caches, c)) else { return };
    let pods = caches.of(Kind::POD).list(Some(&seen.key.namespace)).filter_map(Pod::from_object);
    let mut new = false;
    for pod in pods.filter(|p| !is_terminated(p)) {
        let Some(node) = node_of(pod).filter(|n| cx.state.managed.contains_key(n)) else { continue };
        if attachable_volumes(caches, pod).iter().any(|(n, _)| *n == name) {
            new |= cx.state.add_pod(pod, &node, vec![(name.clone(), spec.clone())]);
        }
    }
    if new {
        cx.enqueue(Task::Volume(name));
    }
}

fn handle_node(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Node>) {
    let node = seen.object();
    let name: Rc<str> = node.metadata.name().into();
    let mut names = cx.state.set_mounted(&name, node);
    if seen.is_gone() {
        if !cx.state.desired.keys().any(|(_, n)| *n == name) {
            cx.state.managed.remove(&name);
        }
    } else if node.metadata.annotation(csi::CONTROLLER_MANAGED_ATTACH).is_some() {
        let keep = node.metadata.annotation(csi::KEEP_TERMINATED_POD_VOLUMES) == Some("true");
        let known = cx.state.managed.get(&name).copied();
        if known != Some(keep) {
            cx.state.managed.insert(name.clone(), keep);
        }
        if known.is_none() && seen.old.is_some() {
            cx.enqueue_after(Task::FindPods, SignedDuration::from_secs(FIND_PODS));
        }
    }
    let state = |n: &Rc<Node>| (node::is_healthy(n), node::is_out_of_service(n));
    if seen.old.map(state) != seen.new.map(state) {
        let here = cx.state.actual.keys().filter(|(_, n)| *n == name);
        names.extend(here.map(|(volume, _)| volume.clone()));
    }
    if seen.old.is_none() && cx.state.actual.keys().any(|(_, n)| *n == name) {
        cx.state.unreported.insert(name, ());
    }
    names.into_iter().for_each(|name| cx.enqueue(Task::Volume(name)));
}

/// Enqueues the volume of a VolumeAttachment. After a failure it is tried again when its back-off is over.
fn handle_attachment(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, VolumeAttachment>) {
    let spec = &seen.object().spec;
    let volume = spec.source.persistent_volume_name.as_deref().unwrap_or_default();
    let volume = cx.caches.get::<PersistentVolume>(&Key::new("", volume));
    let known = |cx: &Handler<'_, State, Task>| {
        // The PersistentVolume may be gone before its attachment.
        let here = |(v, n): &(Rc<str>, Rc<str>)| {
            let attachment =
                csi::parts(v).map(|(driver, handle)| csi::attachment_name(handle, driver, &spec.node_name));
            (**n == *spec.node_name && attachment.is_some_and(|a| *a == *seen.key.name)).then(|| v.clone())
        };
        cx.state.actual.keys().find_map(here)
    };
    let name = volume.and_then(|v| csi::source(v)).map(|(d, h)| Rc::from(csi::unique_name(d, h)));
    let Some(name) = name.or_else(|| known(cx)) else { return };
    if seen.is_gone() {
        cx.state.note_deleted(&name, &spec.node_name);
    }
    let now = cx.now;
    let waits = State::of(&cx.state.operations, &name).filter_map(|(_, o)| o.retry).max();
    match waits.filter(|at| *at > now) {
        Some(at) => {
            // The retry was perhaps one that no cluster waits for.
            cx.cancel(Task::Volume(name.clone()));
            cx.enqueue_after(Task::Volume(name), at.duration_since(now));
        }
        None => cx.enqueue(Task::Volume(name)),
    }
}

/// Fills the states of the world after the start, from what Nodes and VolumeAttachments say. What is not in a Node's
/// status but has a VolumeAttachment may or may not be attached.
fn populate(cx: &Cx) {
    let mut state = cx.state(State::clone);
    for node in cx.lister::<Node>().list(None) {
        let name: Rc<str> = node.metadata.name().into();
        for attached in node::volumes_attached(node) {
            state.mark_attached((Rc::from(attached.name.as_str()), name.clone()), None);
        }
        if node.metadata.annotation(csi::CONTROLLER_MANAGED_ATTACH).is_some() {
            let keep = node.metadata.annotation(csi::KEEP_TERMINATED_POD_VOLUMES) == Some("true");
            state.managed.insert(name, keep);
        }
    }
    // What was just read need not be written.
    state.unreported = Default::default();
    for attachment in cx.lister::<VolumeAttachment>().list(None) {
        let name = attachment.spec.source.persistent_volume_name.as_deref().unwrap_or_default();
        let volume = cx.lister::<PersistentVolume>().get(&Key::new("", name));
        let Some((name, spec)) = volume.and_then(|v| attachable(cx.caches(), v)) else { continue };
        let pair = (name, Rc::from(attachment.spec.node_name.as_str()));
        if !state.actual.contains_key(&pair) {
            state.mark_uncertain(pair, Some(spec));
        }
    }
    // In Kubernetes the next status of each node says that of the uncertain ones.
    for node in cx.lister::<Node>().list(None) {
        state.set_mounted(&node.metadata.name().into(), node);
    }
    add_active_pods(cx, &mut state);
    state.populated = true;
    let desired = state.desired.keys().chain(state.actual.keys());
    desired.for_each(|(volume, _)| cx.enqueue(Task::Volume(volume.clone())));
    cx.update_state(move |s| s.clone_from(&state));
}

fn find_pods(cx: &Cx) {
    let mut state = cx.state(State::clone);
    add_active_pods(cx, &mut state);
    state.desired.keys().for_each(|(volume, _)| cx.enqueue(Task::Volume(volume.clone())));
    cx.update_state(move |s| s.desired.clone_from(&state.desired));
}

fn add_active_pods(cx: &Cx, state: &mut State) {
    for pod in cx.lister::<Pod>().list(None).filter(|p| !is_terminated(p)) {
        let Some(node) = node_of(pod).filter(|n| state.managed.contains_key(n)) else { continue };
        let volumes = attachable_volumes(cx.caches(), pod);
        for (name, spec) in &volumes {
            // The volume was known only from the Node's status.
            let pair = (name.clone(), node.clone());
            if let Some(a) = state.actual.get_mut(&pair).filter(|a| a.spec.is_none()) {
                a.spec = Some(spec.clone());
            }
        }
        state.add_pod(pod, &node, volumes);
    }
}
