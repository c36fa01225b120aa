//! `pods/eviction`: a deletion that asks the budgets first
//! (`k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go`).

use std::rc::Rc;

use super::context::RequestContext;
use super::delete::preconditions;
use super::kinds::pod::deletion::can_ignore_budget;
use super::kinds::pod::status::preserve_observed_generation;
use super::stage::Stage;
use super::{ApiServer, admission};
use crate::api::disruption_budget::{DISRUPTION_ALLOWED, SYNC_FAILED, update_condition};
use crate::api::pod::update_pod_condition;
use crate::api::quote::go_quote;
use crate::api::types::{Pod, PodCondition, PodDisruptionBudget, PodDisruptionBudgetStatus, Time};
use crate::api::{ApiKind, Kind, MetaExt, Object, seconds};
use crate::apimachinery::{Body, DeleteOptions, Details, Request, Response, Status, Subresource, Verb};

/// How many evictions a budget may have that its controller has not confirmed yet (`MaxDisruptedPodSize`).
const MAX_DISRUPTED_PODS: usize = 2000;

impl ApiServer {
    pub(super) fn evict(&mut self, r: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        cx.enter(Stage::Decode, "", None);
        admission::admit_subresource(self, r.kind, &r.key, cx)?;
        cx.enter(Stage::Compare, "", None);
        let target = Request { subresource: Subresource::None, ..r.clone() };
        let pod = self.existing(&target)?;
        let mut options = match &r.body {
            Body::Delete(o) => o.clone(),
            _ => DeleteOptions::default(),
        };
        if !can_ignore_budget(&pod) {
            self.check_budgets(r, &pod, cx)?;
        }
        let pod = self.add_condition(&target, pod, &mut options, cx)?;
        // The eviction is the request that the audit log has of these writes.
        self.delete_object(r, &pod, &options, cx)?;
        Ok(Response::Success { code: 201, details: None })
    }

    fn check_budgets(&mut self, r: &Request, pod: &Object, cx: &mut RequestContext) -> Result<(), Status> {
        let mut matching = Vec::new();
        for (_, record) in self.etcd.range(Kind::POD_DISRUPTION_BUDGET, Some(pod.namespace())) {
            let Some(b) = PodDisruptionBudget::from_object(&record.object) else { continue };
            let selector = b.spec.as_ref().and_then(|s| s.selector.as_ref());
            let matches = crate::api::labels::Selector::from_label_selector(selector)
                .is_ok_and(|s| s.matches(pod.meta().labels_or_empty()));
            if matches {
                matching.push(Rc::clone(b));
            }
        }
        match matching.as_slice() {
            [] => Ok(()),
            [one] => self.take_disruption(r, pod, one, cx),
            _ => Err(Status::new(
                500,
                "",
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            )),
        }
    }

    fn take_disruption(
        &mut self,
        r: &Request,
        pod: &Object,
        budget: &Rc<PodDisruptionBudget>,
        cx: &mut RequestContext,
    ) -> Result<(), Status> {
        let name = budget.metadata.name().to_owned();
        let status = budget.status.clone().unwrap_or_default();
        if !Pod::from_object(pod).is_some_and(|p| crate::api::pod::is_ready(p)) {
            // A pod that is not ready does not count as healthy, so its eviction takes nothing from the budget.
            let policy = budget.spec.as_ref().and_then(|s| s.unhealthy_pod_eviction_policy.as_deref());
            let desired = status.desired_healthy.unwrap_or(0);
            let healthy_enough = desired > 0 && status.current_healthy.unwrap_or(0) >= desired;
            if policy == Some("AlwaysAllow") || healthy_enough {
                return Ok(());
            }
        }
        if status.observed_generation.unwrap_or(0) < budget.metadata.generation() {
            let m = format!("The disruption budget {name} is still being processed by the server.");
            return Err(Status::too_many_evictions(m, 10));
        }
        if status.disruptions_allowed.unwrap_or(0) < 0 {
            return Err(forbidden(&name, "pdb disruptions allowed is negative"));
        }
        if status.disrupted_pods.as_ref().is_some_and(|pods| pods.len() > MAX_DISRUPTED_PODS) {
            let why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
            return Err(forbidden(&name, why));
        }
        if status.disruptions_allowed.unwrap_or(0) == 0 {
            return Err(Status::too_many_evictions(why_none(&name, &status), 0));
        }
        let mut new = Rc::clone(budget);
        let now = seconds(self.now);
        if let Some(s) = Rc::make_mut(&mut new).status.as_mut() {
            s.disruptions_allowed = Some(status.disruptions_allowed.unwrap_or(0) - 1);
            s.disrupted_pods.get_or_insert_default().insert(pod.name().to_owned(), Time(now));
            if s.disruptions_allowed == Some(0) {
                update_condition(s, now);
            }
        }
        let old = Object::from(Rc::clone(budget));
        let write = Request {
            verb: Verb::Update,
            kind: Kind::POD_DISRUPTION_BUDGET,
            key: old.key(),
            subresource: Subresource::Status,
            body: Body::None,
            // The API server is the user of this write.
            user: "kube-apiserver".into(),
            dry_run: r.dry_run,
            field_manager: None,
        };
        self.store_update(&write, old, new.into(), cx).map(|_| ())
    }

    /// Sets the pod's condition `DisruptionTarget`, if the pod is the one that the options name
    /// (`addConditionAndDeletePod`).
    fn add_condition(
        &mut self,
        r: &Request,
        pod: Object,
        options: &mut DeleteOptions,
        cx: &mut RequestContext,
    ) -> Result<Object, Status> {
        let Some(p) = Pod::from_object(&pod).filter(|_| !r.dry_run) else { return Ok(pod) };
        preconditions(Kind::POD, &pod, options)?;
        // This write gives the pod a new revision.
        options.resource_version = None;
        let mut p = Rc::clone(p);
        let now = self.now_seconds();
        let status = Rc::make_mut(&mut p).status.get_or_insert_default();
        let before = status.clone();
        // The condition names no generation; one that was there keeps the generation that it had.
        update_pod_condition(
            status,
            PodCondition {
                type_: "DisruptionTarget".into(),
                status: "True".into(),
                reason: Some("EvictionByEvictionAPI".into()),
                message: Some("Eviction API: evicting".into()),
                last_transition_time: Some(Time(now)),
                ..Default::default()
            },
        );
        preserve_observed_generation(status, &before);
        let changed = Object::from(p);
        if changed == pod {
            return Ok(pod);
        }
        let patch = Request { verb: Verb::Create, subresource: Subresource::Eviction, ..r.clone() };
        let at = pod.reference();
        Ok(self.write(at, Some(pod), changed, &patch, cx))
    }
}

/// Why a budget allows no disruption. If the controller could not count the pods, it does not say how many there are.
fn why_none(name: &str, status: &PodDisruptionBudgetStatus) -> String {
    let condition = status.conditions.iter().flatten().find(|c| c.type_ == DISRUPTION_ALLOWED);
    let condition = condition.filter(|c| c.status == "False" && !c.message.is_empty());
    let (want, have) = (status.desired_healthy.unwrap_or(0), status.current_healthy.unwrap_or(0));
    let refused = format!("The disruption budget {name} does not allow evicting pods currently");
    match condition {
        Some(c) if c.reason == SYNC_FAILED => format!("{refused} because it failed sync: {}", c.message),
        _ if have <= want => {
            format!("The disruption budget {name} needs {want} healthy pods and has {have} currently")
        }
        Some(c) => format!("{refused} ({}): {}", c.reason, c.message),
        None => refused,
    }
}

/// A refusal with 403. Unlike other refusals, evictions name the budget's resource in the singular.
fn forbidden(budget: &str, why: &str) -> Status {
    let (resource, group) =
        (Kind::POD_DISRUPTION_BUDGET.singular(), Kind::POD_DISRUPTION_BUDGET.stored().group());
    let message = format!("{resource}.{group} {} is forbidden: {why}", go_quote(budget));
    Status::new(403, "Forbidden", message).with(Details {
        name: budget.into(),
        group: group.into(),
        kind: resource.into(),
        ..Default::default()
    })
}
