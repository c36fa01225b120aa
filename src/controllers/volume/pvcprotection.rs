//! PVC protection (`k8s.io/kubernetes/pkg/controller/volume/pvcprotection`): a claim that is being deleted
//! stays until no pod on a node uses it.

use std::rc::Rc;

use super::is_terminated;
use crate::api::types::{PersistentVolumeClaim, Pod};
use crate::api::volume::{CLAIM_PROTECTION, claim_of};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// The PVC protection controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller;

fn on_a_node(pod: &Pod) -> bool {
    !pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default().is_empty()
}

/// Whether a kubelet has ended the pod: it does so with a grace period of zero (`podIsShutDown`).
fn is_shut_down(pod: &Pod) -> bool {
    pod.metadata.is_deleting() && pod.metadata.deletion_grace_period_seconds == Some(0)
}

/// The keys of the claims that a pod names.
fn claims(pod: &Pod) -> Vec<Key> {
    let volumes = pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
    let keys = volumes.iter().filter_map(|v| claim_of(pod, v));
    keys.map(|(name, _)| Key::new(pod.metadata.namespace(), &name)).collect()
}

/// Whether a pod uses a claim (`podUsesPVC`). A pod without a node does not: the kubelet would not start it.
fn uses(pod: &Pod, claim: &PersistentVolumeClaim) -> bool {
    let volumes = pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
    let its_own = || claim.metadata.controller().is_some_and(|o| Some(&o.uid) == pod.metadata.uid.as_ref());
    on_a_node(pod)
        && volumes.iter().any(|v| match claim_of(pod, v) {
            Some((name, false)) => name == claim.metadata.name(),
            Some((name, true)) => name == claim.metadata.name() && !is_shut_down(pod) && its_own(),
            None => false,
        })
}

fn unprotected(claim: &PersistentVolumeClaim) -> bool {
    let m = &claim.metadata;
    m.is_deleting() == m.has_finalizer(CLAIM_PROTECTION)
}

fn handle_pod(cx: &mut Handler<'_>, seen: Seen<'_, Pod>) {
    let pod = seen.object();
    // A pod that continues to run frees no claim.
    if !seen.is_gone() && !is_terminated(pod) && on_a_node(pod) {
        return;
    }
    let caches = cx.caches;
    let waits = |k: &Key| caches.get::<PersistentVolumeClaim>(k).is_some_and(|c| c.metadata.is_deleting());
    claims(pod).into_iter().filter(|k| waits(k)).for_each(|k| cx.enqueue(k));
}

impl Reconciler for Controller {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "persistentvolumeclaim-protection-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "pvc-protection-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new()
            .watches(|cx, seen: Seen<'_, PersistentVolumeClaim>| {
                if seen.new.is_some_and(|c| unprotected(c)) {
                    cx.enqueue(seen.key.clone());
                }
            })
            .watches(handle_pod)
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(claim) = cx.lister::<PersistentVolumeClaim>().get(&key).cloned() else { return Ok(()) };
        if !unprotected(&claim) {
            return Ok(());
        }
        let why = |rule| {
            let at = ObjectRef::of(&*claim);
            Why::new(rule).read("claim", at, "metadata.finalizers", claim.metadata.name())
        };
        let mut to = claim.clone();
        let finalizers = Rc::make_mut(&mut to).metadata.finalizers.get_or_insert_default();
        if !claim.metadata.is_deleting() {
            finalizers.push(CLAIM_PROTECTION.into());
            cx.update(to).because(why("claim_protection.add_finalizer")).await?;
            return Ok(());
        }
        if cx.lister::<Pod>().list(Some(&key.namespace)).any(|p| uses(p, &claim)) {
            return Ok(());
        }
        // The cache may be behind, so the API server is asked.
        let live = cx.list(Kind::POD, &key.namespace).await?;
        if live.iter().filter_map(Pod::from_object).any(|p| uses(p, &claim)) {
            return Ok(());
        }
        finalizers.retain(|f| f != CLAIM_PROTECTION);
        cx.update(to).because(why("claim_protection.remove_finalizer")).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;
    use crate::api::Object;

    /// `podUsesPVC`: the claim of an ephemeral volume is free when the kubelet has ended the pod, or somebody by force;
    /// what the containers do does not count.
    #[test]
    fn an_ephemeral_claim_is_used_until_its_pod_is_ended() {
        let claim = json!({"metadata": {"name": "web-v", "namespace": "default", "ownerReferences": [
            {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "u", "controller": true}]}});
        let claim = Object::from_value(Kind::PERSISTENT_VOLUME_CLAIM, claim).unwrap();
        let claim = claim.get::<PersistentVolumeClaim>().unwrap();
        let used = |grace: Option<i64>, state: Value| {
            let mut pod = json!({
                "metadata": {"name": "web", "namespace": "default", "uid": "u"},
                "spec": {"nodeName": "node-1", "containers": [], "volumes": [
                    {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]},
                "status": {"containerStatuses": [{
                    "name": "c", "state": state, "image": "", "imageID": "", "ready": false, "restartCount": 0}]},
            });
            if let Some(grace) = grace {
                pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
                pod["metadata"]["deletionGracePeriodSeconds"] = grace.into();
            }
            let pod = Object::from_value(Kind::POD, pod).unwrap();
            uses(pod.get::<Pod>().unwrap(), claim)
        };
        let (running, terminated) = (json!({"running": {}}), json!({"terminated": {"exitCode": 0}}));
        assert!(used(None, terminated.clone()));
        assert!(used(Some(30), terminated.clone()));
        assert!(!used(Some(0), terminated));
        assert!(!used(Some(0), running));
    }
}
