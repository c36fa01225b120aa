//! `pods/binding` (`BindingREST` in `pkg/registry/core/pod/storage/storage.go`).

use std::rc::Rc;

use super::admission::{self, pod_topology_labels};
use super::context::RequestContext;
use super::registry::{other_uid, precondition_failed};
use super::{ApiServer, stage::Stage};
use crate::api::quote::go_quote;
use crate::api::types::{Pod, PodCondition, Time};
use crate::api::{ApiKind, MetaExt, Object, seconds};
use crate::apimachinery::{Binding, Details, Request, Response, Status, Verb};

impl ApiServer {
    /// Sets `spec.nodeName` to the node that the scheduler chose, and gives the pod what the binding has for it.
    pub(super) fn bind(
        &mut self,
        r: &Request,
        mut binding: Binding,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        cx.enter(Stage::Decode, "", None);
        admission::admit_subresource(self, r.kind, &r.key, cx)?;
        cx.enter(Stage::Mutate, pod_topology_labels::NAME, None);
        pod_topology_labels::admit_binding(self, &mut binding);
        cx.enter(Stage::Compare, "", None);
        let old = self.existing(r)?;
        cx.enter(Stage::Compare, "", Some(&old));
        preconditions(&binding, &old)?;
        let Some(pod) = Pod::from_object(&old) else { return Err(Status::no_such_path()) };
        let gates = pod.spec.as_ref().and_then(|s| s.scheduling_gates.as_ref());
        let why = if pod.metadata.is_deleting() {
            Some(format!("pod {} is being deleted, cannot be assigned to a host", pod.metadata.name()))
        } else if let Some(node) = pod.node_name().filter(|n| !n.is_empty()) {
            Some(format!("pod {} is already assigned to node {}", pod.metadata.name(), go_quote(node)))
        } else if gates.is_some_and(|gates| !gates.is_empty()) {
            Some(format!("pod {} has non-empty .spec.schedulingGates", pod.metadata.name()))
        } else {
            None
        };
        if let Some(why) = why {
            let m =
                format!("Operation cannot be fulfilled on pods/binding {}: {why}", go_quote(&*r.key.name));
            return Err(Status::new(409, "Conflict", m).with(Details {
                name: r.key.name.to_string(),
                kind: "pods/binding".into(),
                ..Default::default()
            }));
        }
        cx.enter(Stage::Patch, "", Some(&old));
        let mut new = Rc::clone(pod);
        let p = Rc::make_mut(&mut new);
        let now = seconds(self.now_seconds());
        p.spec.get_or_insert_default().node_name = Some(binding.node.to_string());
        if !binding.labels.is_empty() {
            p.metadata.labels.get_or_insert_default().extend(binding.labels);
        }
        if !binding.annotations.is_empty() {
            p.metadata.annotations.get_or_insert_default().extend(binding.annotations);
        }
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
            None => {
                // Mostly it is the only one until the kubelet reports, and there are as many of them as pods.
                conditions.reserve_exact(1);
                conditions.push(condition);
            }
        }
        if !r.dry_run {
            let at = old.reference();
            let new = new.into();
            cx.enter(Stage::Store, "", Some(&new));
            self.write(at.clone(), Some(old), new, r, cx);
        }
        debug_assert_eq!(r.verb, Verb::Create);
        Ok(Response::Success { code: 201, details: None })
    }
}

/// Whether the pod is the one that a binding names by its uid and its revision.
///
/// # Errors
/// It is another one.
fn preconditions(binding: &Binding, pod: &Object) -> Result<(), Status> {
    if !binding.uid.is_empty() && binding.uid != pod.uid() {
        return Err(other_uid(&binding.uid, pod));
    }
    let (meant, have) = (&binding.resource_version, pod.resource_version().unwrap_or_default());
    if !meant.is_empty() && meant != have {
        return Err(precondition_failed(&pod.reference(), "ResourceVersion", meant, have));
    }
    Ok(())
}
