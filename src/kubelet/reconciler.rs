//! The kubelet as a [`Reconciler`]: what wakes it, what it does with each task.

use std::any::Any;
use std::rc::Rc;

use super::attach::{self, Attachment};
use super::busy;
use super::contents::StorageNews;
use super::control_plane::{self, EtcdNews};
use super::csi::is_expansion_pending;
use super::eviction;
use super::exec::{self, Execution};
use super::fault::KubeletFault;
use super::file_source;
use super::file_volumes::Store;
use super::http_source::{self, Decoded, is_from_url};
use super::lasting;
use super::manifest::ManifestChange;
use super::network::{self, NetworkNews, Opened};
use super::network_ready::{self, NetworkReadiness};
use super::node;
use super::nodeshutdown;
use super::pod_manager;
use super::queries::Queried;
use super::query_log;
use super::sandbox::handlers_changed;
use super::state::{PodRuntime, State, WorkerPhase};
use super::strain::Strained;
use super::synced::Synced;
use super::task::{Cx, Kubelet, Task};
use super::visit_log;
use super::visited::Visited;
use super::{changes, status, timings, volumes};
use crate::api::types::{
    CSIDriver, Node, PersistentVolume, PersistentVolumeClaim, Pod, RuntimeClass, Secret, Service,
};
use crate::api::{Key, Object, csi};
use crate::apimachinery::Filter;
use crate::client::{EventFlavour, Handler, Reading, Reconciler, Result, Seen, Wait, Watches};

impl Reconciler for Kubelet {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        self.name.clone()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.name.clone(), host: Some(self.node.clone()) }
    }

    fn watches(&self) -> Watches<State, Task> {
        let (node, me, drivers) = (self.node.clone(), self.node.clone(), self.node.clone());
        Watches::new()
            .watches_only(Filter::Name(node.clone()), move |cx, seen: Seen<'_, Node>| {
                eviction::node_seen(cx, &me, seen);
                nodeshutdown::node_seen(cx, &me, seen);
                http_source::node_seen(cx, &me);
                let Some(node) = seen.new else { return };
                if node::needs_status(node) {
                    cx.enqueue(Task::Status(me.clone()));
                } else if volumes::is_unreported(cx.state, node) {
                    cx.enqueue_after(Task::Status(me.clone()), volumes::next_report(cx.now));
                } else if seen.old.is_none() {
                    // Nothing has to be reported when the kubelet starts: the first report is a heartbeat.
                    cx.enqueue_waiting(Task::Status(me.clone()), timings::NODE_STATUS, Wait::Background);
                }
                if node::is_unschedulable(node) != cx.state.unschedulable {
                    let task = Task::Schedulable(me.clone());
                    cx.enqueue_waiting(task, volumes::next_report(cx.now), Wait::Background);
                }
                if seen.old.is_some_and(|old| handlers_changed(old, node)) {
                    volumes::retry_mounts(cx, None);
                    cx.enqueue(Task::Status(me.clone()));
                }
                volumes::waiting_pods(cx.state).into_iter().for_each(|pod| cx.enqueue(Task::Pod(pod)));
            })
            .watches(changes::config_map_changed)
            .watches::<PersistentVolumeClaim>(|cx, seen| {
                volumes::retry_mounts(cx, Some(&seen.key.namespace));
                if seen.new.is_some_and(|c| is_expansion_pending(c))
                    && volumes::mounted_claim(cx.state, seen.key).is_some()
                {
                    cx.enqueue(Task::Expand(seen.key.clone()));
                }
            })
            .watches::<Secret>(|cx, seen| changes::config_changed(cx, Store::Secret, seen.key))
            .reads::<Service>()
            .watches_only(Filter::NodeName(node), |cx, seen: Seen<'_, Pod>| {
                pod_manager::note_deleted(cx.state, seen);
                if concerns_the_worker(seen) {
                    cx.enqueue(Task::Pod(seen.key.clone()));
                }
                status::reconcile(cx, seen);
            })
            .reads::<PersistentVolume>()
            .watches(|cx, _: Seen<'_, RuntimeClass>| volumes::retry_mounts(cx, None))
            .watches(move |cx, seen: Seen<'_, CSIDriver>| {
                if *seen.key.name == *csi::DRIVER && (seen.old.is_none() || seen.is_gone()) {
                    cx.enqueue(Task::Drivers(drivers.clone()));
                }
                volumes::retry_mounts(cx, None);
            })
    }

    fn initial_keys(&self, state: &State) -> Vec<Task> {
        // The API server tells of its pods; static pods are known without it.
        let running = state.pods.iter().filter(|(_, rt)| rt.static_pod.is_some()).map(|(key, _)| key);
        let static_pods = state.static_pods.keys().chain(running).cloned().map(Task::Pod);
        std::iter::once(Task::Lease(self.node.clone())).chain(static_pods).collect()
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Lease(_) => self.update_lease(&cx).await,
            Task::Status(_) => self.sync_node_status(&cx).await,
            Task::Schedulable(_) => {
                self.record_schedulable(&cx);
                Ok(())
            }
            Task::Evict(_) => {
                self.synchronize(&cx);
                Ok(())
            }
            Task::Images(_) => {
                self.collect_images(&cx);
                Ok(())
            }
            Task::Shutdown(_) => {
                self.shut_down(&cx);
                Ok(())
            }
            Task::OutOfMemory(_) => {
                self.kill_for_memory(&cx);
                Ok(())
            }
            Task::Manifests(_) => {
                self.read_manifests(&cx);
                Ok(())
            }
            Task::Url(_) => {
                self.read_url(&cx);
                Ok(())
            }
            Task::Drivers(_) => self.update_csi_node(&cx).await,
            Task::Expand(claim) => self.expand_volume(&cx, &claim).await,
            Task::Pod(pod) | Task::Recurring(pod) | Task::Background(pod) => {
                let result = self.sync_pod(&cx, pod.clone()).await;
                self.plan_volumes(&cx, &pod);
                result
            }
        }
    }

    fn fault(&self, cx: &mut Handler<'_, State, Task>, fault: &dyn Any) -> bool {
        if let Some(execution) = fault.downcast_ref::<Execution>() {
            return exec::note(cx, &self.key, execution);
        }
        if let Some(attachment) = fault.downcast_ref::<Attachment>() {
            return attach::note(cx, &self.key, attachment);
        }
        if let Some(news) = fault.downcast_ref::<NetworkNews>() {
            return network::note(cx, news);
        }
        if let Some(opened) = fault.downcast_ref::<Opened>() {
            return network::open(cx, opened);
        }
        if let Some(news) = fault.downcast_ref::<NetworkReadiness>() {
            return network_ready::note(cx, &self.node, *news);
        }
        if let Some(news) = fault.downcast_ref::<EtcdNews>() {
            return control_plane::note(cx, *news);
        }
        if let Some(news) = fault.downcast_ref::<Strained>() {
            return busy::note(cx, news);
        }
        if let Some(news) = fault.downcast_ref::<StorageNews>() {
            return lasting::note(cx, news);
        }
        if let Some(query) = fault.downcast_ref::<Queried>() {
            return query_log::note(cx, query);
        }
        if let Some(visited) = fault.downcast_ref::<Visited>() {
            return visit_log::note(cx, visited);
        }
        if let Some(change) = fault.downcast_ref::<ManifestChange>() {
            file_source::note(cx, &self.node, change);
            return true;
        }
        if let Some(decoded) = fault.downcast_ref::<Decoded>() {
            return http_source::note(cx, &self.node, decoded);
        }
        let Some(fault) = fault.downcast_ref::<KubeletFault>() else { return false };
        let mut pods = Vec::new();
        match fault {
            KubeletFault::CrashContainer { pod, .. } | KubeletFault::FailProbe { pod, .. } => {
                if cx.state.pods.contains_key(pod) {
                    pods.push(pod.clone());
                }
            }
            KubeletFault::Mount { volume, failing, message } => {
                if *failing {
                    let message = match &**message {
                        "" => "the file system on the device cannot be read".into(),
                        _ => message.clone(),
                    };
                    cx.state.unmountable.insert(volume.clone(), message);
                } else {
                    cx.state.unmountable.remove(volume);
                    volumes::retry_mounts(cx, None);
                }
            }
            KubeletFault::Image { image, pullable, message } => {
                if *pullable {
                    cx.state.unpullable.remove(image);
                    // Pods that wait for the image retry when their back-off is over.
                    let waits = |rt: &Rc<PodRuntime>| rt.lacks_image(Some(image));
                    pods.extend(cx.state.pods.iter().filter(|(_, rt)| waits(rt)).map(|(k, _)| k.clone()));
                } else {
                    let message = match &**message {
                        "" => super::images::not_found(image).into(),
                        _ => message.clone(),
                    };
                    cx.state.unpullable.insert(image.clone(), message);
                }
            }
        }
        for pod in pods {
            let number = cx.state.next_fault;
            cx.state.next_fault += 1;
            cx.state.faults.insert((pod.clone(), number), fault.clone());
            cx.enqueue(Task::Pod(pod));
        }
        true
    }

    fn metrics(&self, state: &State, reading: &Reading<'_>) -> Option<Vec<Object>> {
        super::usage::read(state, &self.key, reading)
    }

    fn restarted(&self, state: &State) -> State {
        // Images, disks and addresses survive a restart of the node; containers do not.
        let mut state = state.clone();
        state.starts_again = true;
        state.reboots = state.reboots.saturating_add(1);
        // What came from a URL is known again when that has answered.
        http_source::forget(&mut state, &self.key);
        let pods: Vec<Key> = state.pods.keys().cloned().collect();
        for key in pods {
            if let Some(rt) = state.pods.get_mut(&key) {
                let rt = Rc::make_mut(rt);
                rt.rebooted = true;
                // PLEG lists everything as soon as it runs, and no worker has synced anything yet.
                rt.notice_all();
                rt.synced = Synced::default();
                (rt.ending, rt.waits_for_volumes) = (None, false);
                // A static pod that had ended, as at a shutdown of the node, runs anew after it.
                let is_unknown = rt.static_pod.as_ref().is_some_and(|pod| is_from_url(pod));
                rt.withdrawn |= rt.static_pod.is_some() && (is_unknown || rt.phase != WorkerPhase::Sync);
            }
        }
        state.node.pulling = Default::default();
        state.node.staged = Default::default();
        state.node.puller_free = None;
        state.lease = None;
        state.eviction = Default::default();
        state.shutdown = None;
        state.settings = Default::default();
        state.told_of = Default::default();
        state
    }
}

/// Whether a change of a pod is more than the kubelet's own status report.
fn concerns_the_worker(seen: Seen<'_, Pod>) -> bool {
    let (Some(old), Some(new)) = (seen.old, seen.new) else { return true };
    let (o, n) = (&old.metadata, &new.metadata);
    // The pod was listed again, after a restart or a watch that ended.
    if o.resource_version == n.resource_version
        || o.uid != n.uid
        || o.generation != n.generation
        || o.deletion_timestamp != n.deletion_timestamp
        || o.deletion_grace_period_seconds != n.deletion_grace_period_seconds
        || o.labels != n.labels
        || o.annotations != n.annotations
    {
        return true;
    }
    let gates = new.spec.as_ref().and_then(|s| s.readiness_gates.as_ref());
    let conditions = |p: &Rc<Pod>| p.status.as_ref().and_then(|s| s.conditions.clone());
    gates.is_some_and(|g| !g.is_empty()) && conditions(old) != conditions(new)
}
