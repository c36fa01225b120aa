//! What is peculiar to a kind (`k8s.io/kubernetes/pkg/registry/*/strategy.go`): what a new object
//! starts with, what counts as a change of what is wanted, what a status update may touch.

mod networking;
mod workloads;

use std::rc::Rc;

use super::context::RequestContext;
use super::registry::seconds;
use super::stages::Stage;
use super::{ApiServer, pod_strategy, service};
use crate::api::types::{
    Deployment, EndpointSlice, HorizontalPodAutoscaler, LoadBalancerStatus, Namespace, NamespaceStatus, Node,
    ObjectReference, PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec,
    PersistentVolumeStatus, Pod, PodCondition, PodDisruptionBudget, PodSpec, PodTemplateSpec, ReplicaSet,
    ResourceQuota, ResourceRequirements, Service, ServiceAccount, ServiceStatus, Time,
    TypedLocalObjectReference, TypedObjectReference,
};
use crate::api::{ApiKind, Kind, MetaExt, Object, Timestamp, quantity::Amount};
use crate::apimachinery::{Details, NAMESPACE_FINALIZER, Request, Response, Status, Verb};

fn edit<T: ApiKind>(object: &mut Object, f: impl FnOnce(&mut T)) {
    if let Some(t) = T::from_object_mut(object) {
        f(t);
    }
}

/// `PrepareForCreate`.
pub(super) fn prepare_for_create(
    api: &ApiServer,
    object: &mut Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    let now = api.now_seconds();
    match object.kind() {
        Kind::DEPLOYMENT => edit(object, |d: &mut Deployment| {
            d.metadata.generation = Some(1);
            d.status = Some(Default::default());
            drop_disabled(d.spec.as_mut().map(|s| &mut s.template), None);
        }),
        Kind::REPLICA_SET => edit(object, |rs: &mut ReplicaSet| {
            rs.metadata.generation = Some(1);
            rs.status = Some(Default::default());
            drop_disabled(rs.spec.as_mut().and_then(|s| s.template.as_mut()), None);
        }),
        Kind::POD_DISRUPTION_BUDGET => edit(object, |b: &mut PodDisruptionBudget| {
            b.metadata.generation = Some(1);
            b.status = Some(Default::default());
        }),
        Kind::POD => {
            edit(object, |p: &mut Pod| pod_strategy::prepare_for_create(p, now, &mut cx.warnings));
        }
        Kind::STATEFUL_SET | Kind::DAEMON_SET | Kind::JOB | Kind::CRON_JOB => workloads::create(object),
        Kind::INGRESS | Kind::INGRESS_CLASS | Kind::NETWORK_POLICY | Kind::REPLICATION_CONTROLLER => {
            networking::create(object);
        }
        Kind::NODE => edit(object, |n: &mut Node| {
            // The feature is removed.
            let Node { spec, status, .. } = n;
            spec.iter_mut().for_each(|s| s.config_source = None);
            status.iter_mut().for_each(|s| s.config = None);
        }),
        Kind::ENDPOINT_SLICE | Kind::PRIORITY_CLASS => object.meta_mut().generation = Some(1),
        Kind::HORIZONTAL_POD_AUTOSCALER => {
            edit(object, |h: &mut HorizontalPodAutoscaler| h.status = Some(Default::default()));
        }
        Kind::RESOURCE_QUOTA => edit(object, |q: &mut ResourceQuota| q.status = Some(Default::default())),
        Kind::NAMESPACE => edit(object, |n: &mut Namespace| {
            n.status = Some(NamespaceStatus { phase: Some("Active".into()), conditions: None });
            let f = n.spec.get_or_insert_default().finalizers.get_or_insert_default();
            if !f.iter().any(|f| f == NAMESPACE_FINALIZER) {
                f.push(NAMESPACE_FINALIZER.into());
            }
        }),
        Kind::SERVICE => edit(object, |s: &mut Service| {
            s.status =
                Some(ServiceStatus { load_balancer: Some(LoadBalancerStatus::default()), conditions: None });
        }),
        Kind::PERSISTENT_VOLUME_CLAIM => edit(object, |c: &mut PersistentVolumeClaim| {
            c.status = Some(Default::default());
            c.status.get_or_insert_default().phase = Some("Pending".into());
            if let Some(spec) = c.spec.as_mut() {
                drop_data_source(spec, None);
                match_data_sources(spec);
            }
        }),
        Kind::SERVICE_ACCOUNT => edit(object, only_names),
        Kind::PERSISTENT_VOLUME => edit(object, |v: &mut PersistentVolume| {
            v.status = Some(PersistentVolumeStatus {
                phase: Some("Pending".into()),
                last_phase_transition_time: Some(Time(now)),
                ..Default::default()
            });
        }),
        _ => {}
    }
    Ok(())
}

/// `PrepareForUpdate`: status stays, and a change of what is wanted is counted.
pub(super) fn prepare_for_update(object: &mut Object, old: &Object) {
    match object.kind() {
        Kind::DEPLOYMENT => {
            let Some(o) = Deployment::from_object(old).cloned() else { return };
            edit(object, |d: &mut Deployment| {
                d.status.clone_from(&o.status);
                let before = o.spec.as_ref().map(|s| &s.template);
                drop_disabled(d.spec.as_mut().map(|s| &mut s.template), before);
                if d.spec != o.spec || d.metadata.annotations != o.metadata.annotations {
                    d.metadata.generation = Some(o.metadata.generation() + 1);
                }
            });
        }
        Kind::REPLICA_SET => {
            let Some(o) = ReplicaSet::from_object(old).cloned() else { return };
            edit(object, |rs: &mut ReplicaSet| {
                rs.status.clone_from(&o.status);
                let before = o.spec.as_ref().and_then(|s| s.template.as_ref());
                drop_disabled(rs.spec.as_mut().and_then(|s| s.template.as_mut()), before);
                if rs.spec != o.spec {
                    rs.metadata.generation = Some(o.metadata.generation() + 1);
                }
            });
        }
        Kind::POD_DISRUPTION_BUDGET => {
            let Some(o) = PodDisruptionBudget::from_object(old).cloned() else { return };
            edit(object, |b: &mut PodDisruptionBudget| {
                b.status.clone_from(&o.status);
                if b.spec != o.spec {
                    b.metadata.generation = Some(o.metadata.generation() + 1);
                }
            });
        }
        Kind::STATEFUL_SET | Kind::DAEMON_SET | Kind::JOB | Kind::CRON_JOB => workloads::update(object, old),
        Kind::INGRESS | Kind::INGRESS_CLASS | Kind::NETWORK_POLICY | Kind::REPLICATION_CONTROLLER => {
            networking::update(object, old);
        }
        Kind::ENDPOINT_SLICE => {
            let Some(o) = EndpointSlice::from_object(old).cloned() else { return };
            edit(object, |s: &mut EndpointSlice| {
                let same = s.address_type == o.address_type
                    && s.endpoints == o.endpoints
                    && s.ports == o.ports
                    && s.metadata.labels == o.metadata.labels;
                if !same {
                    s.metadata.generation = Some(o.metadata.generation() + 1);
                }
            });
        }
        Kind::POD => {
            let Some(o) = Pod::from_object(old).cloned() else { return };
            edit(object, |p: &mut Pod| {
                p.status.clone_from(&o.status);
                if let Some(spec) = p.spec.as_mut().filter(|s| pod_strategy::uses_disabled(s)) {
                    pod_strategy::drop_disabled(spec, o.spec.as_deref());
                }
                if p.spec != o.spec {
                    p.metadata.generation = Some(o.metadata.generation() + 1);
                }
            });
        }
        Kind::NAMESPACE => {
            let Some(o) = Namespace::from_object(old).cloned() else { return };
            edit(object, |n: &mut Namespace| {
                n.spec.clone_from(&o.spec);
                n.status.clone_from(&o.status);
            });
        }
        Kind::NODE => {
            let Some(o) = Node::from_object(old).cloned() else { return };
            edit(object, |n: &mut Node| {
                n.status.clone_from(&o.status);
                if let Some(spec) =
                    n.spec.as_mut().filter(|_| o.spec.as_ref().is_none_or(|s| s.config_source.is_none()))
                {
                    spec.config_source = None;
                }
            });
        }
        Kind::SERVICE => {
            let Some(o) = Service::from_object(old).cloned() else { return };
            edit(object, |s: &mut Service| {
                s.status.clone_from(&o.status);
                service::prepare_for_update(s, &o);
            });
        }
        Kind::SERVICE_ACCOUNT => edit(object, only_names),
        Kind::HORIZONTAL_POD_AUTOSCALER => {
            let Some(o) = HorizontalPodAutoscaler::from_object(old).cloned() else { return };
            edit(object, |h: &mut HorizontalPodAutoscaler| h.status.clone_from(&o.status));
        }
        Kind::RESOURCE_QUOTA => {
            let Some(o) = ResourceQuota::from_object(old).cloned() else { return };
            edit(object, |q: &mut ResourceQuota| q.status.clone_from(&o.status));
        }
        Kind::PERSISTENT_VOLUME_CLAIM => {
            let Some(o) = PersistentVolumeClaim::from_object(old).cloned() else { return };
            edit(object, |c: &mut PersistentVolumeClaim| {
                c.status.clone_from(&o.status);
                if let Some(spec) = c.spec.as_mut() {
                    drop_data_source(spec, o.spec.as_ref());
                }
            });
        }
        Kind::PERSISTENT_VOLUME => {
            let Some(o) = PersistentVolume::from_object(old).cloned() else { return };
            edit(object, |v: &mut PersistentVolume| v.status.clone_from(&o.status));
        }
        _ => {}
    }
}

/// Of the secrets of a ServiceAccount only the names are kept.
fn only_names(account: &mut ServiceAccount) {
    for secret in account.secrets.iter_mut().flatten() {
        *secret = ObjectReference { name: secret.name.take(), ..Default::default() };
    }
}

/// What a claim cannot be filled from is dropped without a word: another namespace's objects, and in
/// the older of the two fields all but claims and snapshots
/// (`k8s.io/kubernetes/pkg/api/persistentvolumeclaim`, KEP-1495).
fn drop_data_source(spec: &mut PersistentVolumeClaimSpec, old: Option<&PersistentVolumeClaimSpec>) {
    let elsewhere =
        spec.data_source_ref.as_ref().and_then(|r| r.namespace.as_ref()).is_some_and(|n| !n.is_empty());
    if elsewhere && old.is_none_or(|o| o.data_source_ref.is_none()) {
        spec.data_source_ref = None;
    }
    let used = old.is_some_and(|o| o.data_source.is_some() || o.data_source_ref.is_some());
    if used || spec.data_source_ref.is_some() {
        return;
    }
    spec.data_source.take_if(|source| {
        let group = source.api_group.as_deref().unwrap_or_default();
        !matches!(
            (source.kind.as_str(), group),
            ("PersistentVolumeClaim", "") | ("VolumeSnapshot", "snapshot.storage.k8s.io")
        )
    });
}

/// The two fields that say what a claim is filled from say the same.
fn match_data_sources(spec: &mut PersistentVolumeClaimSpec) {
    match (&spec.data_source, &spec.data_source_ref) {
        (Some(s), None) => {
            spec.data_source_ref = Some(TypedObjectReference {
                api_group: s.api_group.clone(),
                kind: s.kind.clone(),
                name: s.name.clone(),
                namespace: None,
            });
        }
        (None, Some(r)) if r.namespace.as_deref().unwrap_or_default().is_empty() => {
            spec.data_source = Some(TypedLocalObjectReference {
                api_group: r.api_group.clone(),
                kind: r.kind.clone(),
                name: r.name.clone(),
            });
        }
        _ => {}
    }
}

/// `DropDisabledTemplateFields`
fn drop_disabled(template: Option<&mut PodTemplateSpec>, old: Option<&PodTemplateSpec>) {
    if let Some(spec) = template.and_then(|t| t.spec.as_mut()) {
        pod_strategy::drop_disabled(spec, old.and_then(|t| t.spec.as_ref()));
    }
}

/// Sets back what may not change. Most often it has not, and what is large is not copied.
fn keep<T: Clone + PartialEq>(new: &mut T, old: &T) {
    if new != old {
        new.clone_from(old);
    }
}

/// `PrepareForUpdate` of the status strategy: everything but status stays, and of metadata what
/// each kind keeps.
pub(super) fn prepare_for_status_update(object: &mut Object, old: &Object, now: Timestamp) {
    match object.kind() {
        Kind::DEPLOYMENT => {
            let Some(o) = Deployment::from_object(old).cloned() else { return };
            edit(object, |d: &mut Deployment| {
                keep(&mut d.spec, &o.spec);
                keep(&mut d.metadata.labels, &o.metadata.labels);
            });
        }
        Kind::REPLICA_SET => {
            let Some(o) = ReplicaSet::from_object(old).cloned() else { return };
            edit(object, |rs: &mut ReplicaSet| keep(&mut rs.spec, &o.spec));
        }
        Kind::STATEFUL_SET | Kind::DAEMON_SET | Kind::JOB | Kind::CRON_JOB => workloads::keep_spec(object, old),
        Kind::INGRESS | Kind::REPLICATION_CONTROLLER => networking::keep_spec(object, old),
        Kind::POD => {
            let Some(o) = Pod::from_object(old).cloned() else { return };
            edit(object, |p: &mut Pod| {
                keep(&mut p.spec, &o.spec);
                keep(&mut p.metadata.owner_references, &o.metadata.owner_references);
                let qos = o.status.as_ref().and_then(|s| s.qos_class.clone());
                if let Some(s) = p.status.as_mut()
                    && s.qos_class.is_none()
                {
                    s.qos_class = qos;
                }
            });
        }
        Kind::NODE => {
            let Some(o) = Node::from_object(old).cloned() else { return };
            edit(object, |n: &mut Node| keep(&mut n.spec, &o.spec));
        }
        Kind::NAMESPACE => {
            let Some(o) = Namespace::from_object(old).cloned() else { return };
            edit(object, |n: &mut Namespace| keep(&mut n.spec, &o.spec));
        }
        Kind::SERVICE => {
            let Some(o) = Service::from_object(old).cloned() else { return };
            edit(object, |s: &mut Service| keep(&mut s.spec, &o.spec));
        }
        Kind::POD_DISRUPTION_BUDGET => {
            let Some(o) = PodDisruptionBudget::from_object(old).cloned() else { return };
            edit(object, |b: &mut PodDisruptionBudget| keep(&mut b.spec, &o.spec));
        }
        Kind::HORIZONTAL_POD_AUTOSCALER => {
            let Some(o) = HorizontalPodAutoscaler::from_object(old).cloned() else { return };
            edit(object, |h: &mut HorizontalPodAutoscaler| keep(&mut h.spec, &o.spec));
        }
        Kind::RESOURCE_QUOTA => {
            let Some(o) = ResourceQuota::from_object(old).cloned() else { return };
            edit(object, |q: &mut ResourceQuota| keep(&mut q.spec, &o.spec));
        }
        Kind::PERSISTENT_VOLUME_CLAIM => {
            let Some(o) = PersistentVolumeClaim::from_object(old).cloned() else { return };
            edit(object, |c: &mut PersistentVolumeClaim| keep(&mut c.spec, &o.spec));
        }
        Kind::PERSISTENT_VOLUME => {
            let Some(o) = PersistentVolume::from_object(old).cloned() else { return };
            edit(object, |v: &mut PersistentVolume| {
                keep(&mut v.spec, &o.spec);
                let before = o.status.as_ref();
                if let Some(s) = v.status.as_mut()
                    && s.phase != before.and_then(|s| s.phase.clone())
                    && s.last_phase_transition_time
                        == before.and_then(|s| s.last_phase_transition_time.clone())
                {
                    s.last_phase_transition_time = Some(Time(now));
                }
            });
        }
        _ => {}
    }
}

/// `PrepareForUpdate` of a namespace's finalize strategy: `spec.finalizers` may change, status not.
pub(super) fn prepare_for_finalize(object: &mut Object, old: &Object) {
    let Some(o) = Namespace::from_object(old).cloned() else { return };
    edit(object, |n: &mut Namespace| n.status.clone_from(&o.status));
}

/// Kinds whose PUT makes the object where there is none.
pub(super) fn allow_create_on_update(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::LEASE
            | Kind::EVENT
            | Kind::SERVICE
            | Kind::ENDPOINTS
            | Kind::LIMIT_RANGE
            | Kind::ROLE
            | Kind::CLUSTER_ROLE
            | Kind::ROLE_BINDING
            | Kind::CLUSTER_ROLE_BINDING
    )
}

/// Kinds that can be replaced without saying which version is replaced.
pub(super) fn allow_unconditional_update(kind: Kind) -> bool {
    !matches!(kind, Kind::LEASE | Kind::POD_DISRUPTION_BUDGET)
}

/// Namespaces have finalizers in `spec` beside those in `metadata`.
pub(super) fn has_spec_finalizers(object: &Object) -> bool {
    Namespace::from_object(object)
        .and_then(|n| n.spec.as_ref()?.finalizers.as_ref())
        .is_some_and(|f| !f.is_empty())
}

pub(super) fn mark_namespace_terminating(object: &mut Object) {
    edit(object, |n: &mut Namespace| n.status.get_or_insert_default().phase = Some("Terminating".into()));
}

/// How long a pod gets, in seconds (`CheckGracefulDelete`): what was asked for, else its own; none
/// where nothing runs.
pub(super) fn grace_period(pod: &Pod, asked: Option<i64>) -> i64 {
    let spec = pod.spec.as_ref();
    let own = spec.and_then(|s| s.termination_grace_period_seconds).unwrap_or(0);
    let period = asked.unwrap_or(own);
    let unscheduled = spec.and_then(|s| s.node_name.as_deref()).unwrap_or_default().is_empty();
    if unscheduled || is_terminal(pod) {
        return 0;
    }
    if period < 0 { 1 } else { period }
}

fn is_terminal(pod: &Pod) -> bool {
    matches!(pod.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Succeeded" | "Failed"))
}

/// Whether a pod may be evicted whatever its budgets say: it does not run, or not any more.
pub(super) fn can_ignore_budget(object: &Object) -> bool {
    Pod::from_object(object).is_none_or(|p| {
        is_terminal(p)
            || p.metadata.is_deleting()
            || p.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Pending")
    })
}

impl ApiServer {
    /// `pods/binding`: the scheduler's word becomes `spec.nodeName`.
    pub(super) fn bind(
        &mut self,
        r: &Request,
        node: &str,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        cx.enter(Stage::Decode, "", None);
        let old = self.existing(r)?;
        cx.enter(Stage::Compare, "", Some(&old));
        let Some(pod) = Pod::from_object(&old) else { return Err(Status::no_such_path()) };
        let why = if pod.metadata.is_deleting() {
            Some(format!("pod {} is being deleted, cannot be assigned to a host", pod.metadata.name()))
        } else {
            pod.spec
                .as_ref()
                .and_then(|s| s.node_name.as_deref())
                .filter(|n| !n.is_empty())
                .map(|n| format!("pod {} is already assigned to node {n:?}", pod.metadata.name()))
        };
        if let Some(why) = why {
            let m = format!("Operation cannot be fulfilled on pods/binding {:?}: {why}", &*r.key.name);
            return Err(Status::new(409, "Conflict", m).with(Details {
                name: r.key.name.to_string(),
                kind: "pods/binding".into(),
                ..Default::default()
            }));
        }
        cx.enter(Stage::Patch, "", Some(&old));
        let now = seconds(self.now_seconds());
        let mut new = Rc::clone(pod);
        let p = Rc::make_mut(&mut new);
        p.spec.get_or_insert_default().node_name = Some(node.to_owned());
        let status = p.status.get_or_insert_default();
        status.nominated_node_name = None;
        let conditions = status.conditions.get_or_insert_default();
        let condition = PodCondition {
            type_: "PodScheduled".into(),
            status: "True".into(),
            last_transition_time: Some(Time(now)),
            ..Default::default()
        };
        match conditions.iter_mut().find(|c| c.type_ == "PodScheduled") {
            Some(c) => *c = condition,
            None => conditions.push(condition),
        }
        if !r.dry_run {
            let at = old.reference();
            let new = new.into();
            cx.enter(Stage::Store, "", Some(&new));
            self.write(at.clone(), Some(old), new, r, cx);
            self.note_binding(&at);
        }
        debug_assert_eq!(r.verb, Verb::Create);
        Ok(Response::Success { code: 201, details: None })
    }
}

/// A pod's quality of service (`k8s.io/kubernetes/pkg/apis/core/v1/helper/qos`).
pub fn qos_class(spec: &PodSpec) -> &'static str {
    let containers = || spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let amount = |r: Option<&ResourceRequirements>, limits: bool, name: &str| -> Option<Amount> {
        let r = r?;
        let map = if limits { r.limits.as_ref() } else { r.requests.as_ref() };
        Amount::parse(&map?.get(name)?.0).ok().filter(|a| !a.is_zero())
    };
    let pod_level = spec.resources.as_ref();
    let mut any = false;
    let mut guaranteed = true;
    let mut check = |r: Option<&ResourceRequirements>| {
        for name in ["cpu", "memory"] {
            let (request, limit) = (amount(r, false, name), amount(r, true, name));
            any |= request.is_some() || limit.is_some();
            guaranteed &= limit.is_some() && request == limit;
        }
    };
    if pod_level.is_some() {
        check(pod_level);
    } else {
        for c in containers() {
            check(c.resources.as_ref());
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn a_status_update_copies_a_spec_only_if_it_differs() {
        let pod = |image: &str| {
            let spec = json!({"containers": [{"name": "c", "image": image}]});
            Object::from_value(Kind::POD, json!({"metadata": {"name": "p"}, "spec": spec})).unwrap()
        };
        let containers = |o: &Object| o.get::<Pod>().unwrap().spec.as_ref().unwrap().containers.as_ptr();
        let (old, mut same, mut other) = (pod("a"), pod("a"), pod("b"));
        let before = containers(&same);
        prepare_for_status_update(&mut same, &old, Timestamp::UNIX_EPOCH);
        assert_eq!(containers(&same), before);
        prepare_for_status_update(&mut other, &old, Timestamp::UNIX_EPOCH);
        assert_eq!(other, old);
    }
}
