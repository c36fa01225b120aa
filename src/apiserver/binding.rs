//! `pods/binding` (`BindingREST` in `pkg/registry/core/pod/storage/storage.go`).

use std::rc::Rc;

use super::context::RequestContext;
use super::stage::Stage;
use super::{ApiServer, admission::pod_topology_labels};
use crate::api::quote::go_quote;
use crate::api::types::{Pod, PodCondition, Time};
use crate::api::{ApiKind, MetaExt, seconds};
use crate::apimachinery::{Details, Request, Response, Status, Verb};

impl ApiServer {
    /// Sets `spec.nodeName` to the node that the scheduler chose.
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
            pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).filter(|n| !n.is_empty()).map(|n| {
                format!("pod {} is already assigned to node {n}", pod.metadata.name(), n = go_quote(n))
            })
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
        cx.enter(Stage::Mutate, pod_topology_labels::NAME, Some(&old));
        let mut new = Rc::clone(pod);
        let p = Rc::make_mut(&mut new);
        pod_topology_labels::copy_labels(self, node, p);
        cx.enter(Stage::Patch, "", Some(&old));
        let now = seconds(self.now_seconds());
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
