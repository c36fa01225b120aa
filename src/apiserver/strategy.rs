//! What is peculiar to a kind (`k8s.io/kubernetes/pkg/registry/*/strategy.go`): what a new object
//! starts with, what counts as a change of what is wanted, what a status update may touch.

use std::rc::Rc;

use super::ApiServer;
use super::context::RequestContext;
use super::registry::seconds;
use super::stages::Stage;
use crate::api::types::{Namespace, Pod, PodCondition, PodSpec, ResourceRequirements, Time};
use crate::api::{ApiKind, MetaExt, Object, quantity::Amount};
use crate::apimachinery::{Details, Request, Response, Status, Verb};

fn edit<T: ApiKind>(object: &mut Object, f: impl FnOnce(&mut T)) {
    if let Some(t) = T::from_object_mut(object) {
        f(t);
    }
}

/// `PrepareForUpdate` of a namespace's finalize strategy: `spec.finalizers` may change, status not.
pub(super) fn prepare_for_finalize(object: &mut Object, old: &Object) {
    let Some(o) = Namespace::from_object(old).cloned() else { return };
    edit(object, |n: &mut Namespace| n.status.clone_from(&o.status));
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
