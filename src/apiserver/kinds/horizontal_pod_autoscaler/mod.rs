//! HorizontalPodAutoscaler.
//!
//! Read from Kubernetes' `pkg/apis/autoscaling/types.go`, `pkg/apis/autoscaling/v2/{conversion,defaults}.go`,
//! `pkg/apis/autoscaling/validation/validation.go`, `pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go`,
//! `pkg/registry/autoscaling/horizontalpodautoscaler/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

mod metrics;
pub(in crate::apiserver) mod row;
pub(super) mod v1;
mod validation;

use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::HorizontalPodAutoscaler;
use crate::api::types::autoscaling as hpa;
use crate::apiserver::defaults::{prepare, quantities};
use crate::apiserver::validation::Errors;

/// The target for the use of CPU where no metric is given, in percent of what pods request.
const CPU_UTILIZATION: i32 = 80;
/// How long a default scaling policy looks back, in seconds.
const POLICY_PERIOD: i32 = 15;

impl Strategy for HorizontalPodAutoscaler {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Reference",
            "scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.",
        ),
        Column::text(
            "Targets",
            "metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used).  The desired replica count is calculated multiplying the ratio between the target value and the current value by the current number of pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for more information about how each type of metric must respond. If not set, the default metric will be set to 80% average CPU utilization.",
        ),
        Column::text(
            "MinPods",
            "minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is active as long as at least one metric value is available.",
        ),
        Column::of(
            "MaxPods",
            "string",
            "maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be less that minReplicas.",
        ),
        Column::of(
            "Replicas",
            "string",
            "currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the autoscaler.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for!(warnings_on_create, warnings_on_update, field);

    fn convert(body: &mut Value) -> Result<(), String> {
        for part in ["spec", "status"] {
            if let Some(part) = body.get_mut(part) {
                numbers_to_text(part);
            }
        }
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        let scaler = Rc::make_mut(this);
        let spec = &mut scaler.spec;
        spec.min_replicas.get_or_insert(1);
        if spec.metrics.as_ref().is_none_or(Vec::is_empty) {
            let target = hpa::MetricTarget {
                type_: "Utilization".into(),
                average_utilization: Some(CPU_UTILIZATION),
                ..Default::default()
            };
            spec.metrics = Some(vec![hpa::MetricSpec {
                type_: "Resource".into(),
                resource: Some(hpa::ResourceMetricSource { name: "cpu".into(), target }),
                ..Default::default()
            }]);
        }
        let percent = policy("Percent", 100);
        if let Some(behavior) = &mut spec.behavior {
            scaling_rules(&mut behavior.scale_up, Some(0), vec![policy("Pods", 4), percent.clone()]);
            scaling_rules(&mut behavior.scale_down, None, vec![percent]);
        }
        for metric in spec.metrics.iter_mut().flatten() {
            for target in targets(metric) {
                quantities::optional(&mut target.value);
                quantities::optional(&mut target.average_value);
            }
        }
        scaler.status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status = Some(Default::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::status_update(errs, self, old);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        row::cells(self, now)
    }
}

fn targets(metric: &mut hpa::MetricSpec) -> impl Iterator<Item = &mut hpa::MetricTarget> {
    let of = [
        metric.resource.as_mut().map(|m| &mut m.target),
        metric.container_resource.as_mut().map(|m| &mut m.target),
        metric.pods.as_mut().map(|m| &mut m.target),
        metric.object.as_mut().map(|m| &mut m.target),
        metric.external.as_mut().map(|m| &mut m.target),
    ];
    of.into_iter().flatten()
}

fn policy(type_: &str, value: i32) -> hpa::HPAScalingPolicy {
    hpa::HPAScalingPolicy { type_: type_.into(), value, period_seconds: POLICY_PERIOD }
}

fn scaling_rules(
    rules: &mut Option<hpa::HPAScalingRules>,
    window: Option<i32>,
    policies: Vec<hpa::HPAScalingPolicy>,
) {
    let rules = rules.get_or_insert_default();
    rules.select_policy.get_or_insert_with(|| "Max".into());
    rules.stabilization_window_seconds = rules.stabilization_window_seconds.or(window);
    rules.policies.get_or_insert(policies);
    quantities::optional(&mut rules.tolerance);
}

/// Turns quantities that are JSON numbers into text, wherever a metric or a rule has them.
fn numbers_to_text(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(numbers_to_text),
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "averageValue" | "tolerance" => prepare::to_text(field),
                    // Labels have no fields.
                    "matchLabels" => {}
                    name => {
                        if matches!(name, "target" | "current")
                            && let Some(value) = field.get_mut("value")
                        {
                            prepare::to_text(value);
                        }
                        numbers_to_text(field);
                    }
                }
            }
        }
        _ => {}
    }
}
