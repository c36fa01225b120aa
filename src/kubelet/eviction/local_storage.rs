//! Pods that use more of the disk than they may (`localStorageEviction` in `pkg/kubelet/eviction/eviction_manager.go`): of
//! an emptyDir volume's `sizeLimit`, of the limits of all containers of the pod together, or of one container's.

use std::rc::Rc;

use super::super::amounts::{Written, limit_of};
use super::super::state::State;
use super::super::stats::{empty_dirs, is_critical, layer_and_log, writes};
use super::rank::active;
use super::{IMMEDIATE, Order, REASON};
use crate::api::Key;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::quote::go_quote;
use crate::api::resource::pod_resources;
use crate::api::types::Pod;
use crate::client::Caches;

/// The resource of which a pod's writable layers, logs and emptyDir volumes are a part.
pub(in super::super) const STORAGE: &str = "ephemeral-storage";

/// What a pod exceeds that has written so much, as it is told; `None` if it exceeds nothing.
pub(in super::super) fn exceeded(pod: &Pod, written: Option<&Written>) -> Option<String> {
    let spec = pod.spec.as_deref().filter(|_| written.is_some() || writes(pod))?;
    for (name, volume, used) in empty_dirs(pod, written) {
        let limit = volume.size_limit.as_ref().map(|q| amount_of(Some(q))).filter(|l| l.sign() > 0);
        if let Some(limit) = limit.filter(|l| Amount::from_value(used, Format::BinarySI) > *l) {
            let (name, limit) = (go_quote(name), go_quote(limit.canonical()));
            return Some(format!("Usage of EmptyDir volume {name} exceeds the limit {limit}. "));
        }
    }
    let layers = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let layers: i64 = layers.map(|c| layer_and_log(pod, written, &c.name)).fold(0, i64::saturating_add);
    let on_disk = empty_dirs(pod, written).filter(|(_, v, _)| !super::super::stats::is_in_memory(v));
    let all = on_disk.map(|(_, _, used)| used).fold(layers, i64::saturating_add);
    if let Some(limit) =
        pod_resources(spec, true).get(STORAGE).filter(|l| Amount::from_value(all, Format::BinarySI) > **l)
    {
        let limit = limit.canonical();
        return Some(format!(
            "Pod ephemeral local storage usage exceeds the total limit of containers {limit}. "
        ));
    }
    let over = |c: &&crate::api::types::Container| {
        limit_of(c, STORAGE).is_some_and(|limit| layer_and_log(pod, written, &c.name) > limit)
    };
    let container = spec.containers.iter().find(over)?;
    let limits = container.resources.as_ref().and_then(|r| r.limits.as_ref());
    let limit = go_quote(amount_of(limits.and_then(|l| l.get(STORAGE))).canonical());
    Some(format!("Container {} exceeded its local ephemeral storage limit {limit}. ", container.name))
}

/// The pods to be ended for that, all at once.
pub(super) fn evictions(state: &State, caches: &Caches) -> Vec<(Key, Rc<Pod>, Order)> {
    let of = |c: super::rank::Candidate<'_>| {
        let writes = c.rt.annotated || c.rt.written.is_some();
        let free = writes && c.rt.order.is_none() && c.rt.sandbox && !is_critical(c.pod);
        let message: Rc<str> = exceeded(c.pod, c.rt.written.as_deref()).filter(|_| free)?.into();
        let order = Order { reason: REASON, message, grace: Some(IMMEDIATE), disruption: None, evicts: true };
        Some((c.key.clone(), c.pod.clone(), order))
    };
    active(state, caches).into_iter().filter_map(of).collect()
}
