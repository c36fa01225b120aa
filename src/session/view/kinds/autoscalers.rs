//! HorizontalPodAutoscalers.

use serde_json::json;

use super::{About, KindView, Named, Shows, stuck};
use crate::api::cells::{current_metric, quantity};
use crate::api::types::{HorizontalPodAutoscaler, autoscaling as hpa};
use crate::api::{Kind, Object};
use crate::cluster::{Cluster, Fault};
use crate::session::view::Word;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Deed, Offer, deletion, line};

/// HorizontalPodAutoscalers.
pub(super) struct Autoscalers;

/// The condition that is false because the target or its metrics cannot be read. An autoscaler whose target was scaled
/// to zero by a person rests.
fn trouble(object: &Object) -> Option<hpa::HorizontalPodAutoscalerCondition> {
    let status = object.get::<HorizontalPodAutoscaler>()?.status.as_ref()?;
    let mut conditions = status.conditions.iter().flatten();
    let wrong = |c: &&hpa::HorizontalPodAutoscalerCondition| {
        ["AbleToScale", "ScalingActive"].contains(&c.type_.as_str())
            && c.status == "False"
            && c.reason.as_deref() != Some("ScalingDisabled")
    };
    conditions.find(wrong).cloned()
}

/// The first metric as a card has it: `150%/50%`.
fn first_metric(scaler: &HorizontalPodAutoscaler) -> Option<String> {
    let spec = scaler.spec.metrics.as_ref()?.first()?;
    let status = scaler.status.as_ref().and_then(|s| s.current_metrics.as_ref()?.first());
    let now = current_metric(spec, status);
    let target = [
        spec.resource.as_ref().map(|m| &m.target),
        spec.container_resource.as_ref().map(|m| &m.target),
        spec.pods.as_ref().map(|m| &m.target),
        spec.object.as_ref().map(|m| &m.target),
        spec.external.as_ref().map(|m| &m.target),
    ];
    let target = target.into_iter().flatten().next()?;
    if let Some(want) = target.average_utilization {
        let have = now.utilization.map_or_else(|| "?".to_owned(), |n| format!("{n}%"));
        return Some(format!("{have}/{want}%"));
    }
    let text =
        |q: Option<&crate::api::types::Quantity>| q.map_or_else(|| "?".to_owned(), |q| quantity(Some(q)));
    let want = target.average_value.as_ref().or(target.value.as_ref());
    Some(format!("{}/{}", text(now.average.as_ref().or(now.value.as_ref())), text(want)))
}

impl KindView for Autoscalers {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "horizontal-pod-autoscaler-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    /// Its first metric with its target, and the size that it wants.
    fn card(&self, object: &Object) -> Card {
        let Some(scaler) = object.get::<HorizontalPodAutoscaler>() else { return Card::Other };
        let status = scaler.status.as_ref();
        let metric = first_metric(scaler).unwrap_or_default();
        let size = status.filter(|s| s.desired_replicas > 0).map(|s| format!("→ {}", s.desired_replicas));
        let word = [metric, size.unwrap_or_default()].join(" ").trim().to_owned();
        // Before its controller has looked at the target for the first time, nothing is known to be well.
        let looked_at = status.is_some_and(|s| s.conditions.as_ref().is_some_and(|c| !c.is_empty()));
        Card::Resource(Some(Standing { good: looked_at && trouble(object).is_none(), word }))
    }
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let Some(c) = trouble(object) else { return stuck(object) };
        Some(Ails::Condition(Condition::new(&c.type_, &c.status, c.reason.as_deref(), c.message.as_deref())))
    }
    /// What it scales.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let Some(scaler) = object.get::<HorizontalPodAutoscaler>() else { return Vec::new() };
        let target = &scaler.spec.scale_target_ref;
        let kind = Kind::of(target.api_version.as_deref().unwrap_or_default(), &target.kind);
        kind.map(|k| Named::near(k, target.name.as_str())).into_iter().collect()
    }
    fn offers(&self, cluster: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = Vec::new();
        if !cluster.has_metrics_server() {
            let deed = Deed::Fault(Fault::MetricsServer { installed: true });
            out.push(Offer { key: Word::new_static("fault-metrics-install"), bad: false, deed });
        }
        if let Some(scaler) = object.get::<HorizontalPodAutoscaler>() {
            let most = scaler.spec.max_replicas.saturating_add(1);
            let change = json!({"spec": {"maxReplicas": most}});
            out.push(line("act-more-at-most", "patch", object, &format!("--type=merge -p '{change}'")));
        }
        out.push(deletion(object));
        out
    }
    usual!(report, next_run, node, ordinal, selects);
}
