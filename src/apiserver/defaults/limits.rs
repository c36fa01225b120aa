//! Defaults of HorizontalPodAutoscalers, LimitRanges and ResourceQuotas
//! (`pkg/apis/autoscaling/v2/defaults.go`, `pkg/apis/core/v1/defaults.go`).

use std::collections::BTreeMap;

use crate::api::types as t;
use crate::api::types::autoscaling as hpa;

use super::quantities;

/// How much of its requested CPU a pod is to use, in percent, where nothing is said.
const CPU_UTILIZATION: i32 = 80;
/// How long a default scaling policy looks back, in seconds.
const POLICY_PERIOD: i32 = 15;

pub(in crate::apiserver) fn autoscaler(scaler: &mut t::HorizontalPodAutoscaler) {
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
    // Go writes the counts even when they are 0.
    scaler.status.get_or_insert_default();
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

pub(in crate::apiserver) fn limit_range(range: &mut t::LimitRange) {
    let limits = range.spec.iter_mut().flat_map(|s| s.limits.iter_mut());
    for item in limits {
        // What is not said about a container follows from what is.
        if item.type_ == "Container" {
            fill(&mut item.default, item.max.as_ref());
            fill(&mut item.default_request, item.default.as_ref());
            fill(&mut item.default_request, item.min.as_ref());
        }
        for list in [
            &mut item.max,
            &mut item.min,
            &mut item.default,
            &mut item.default_request,
            &mut item.max_limit_request_ratio,
        ] {
            quantities::list(list);
        }
    }
}

type Resources = BTreeMap<String, t::Quantity>;

fn fill(into: &mut Option<Resources>, from: Option<&Resources>) {
    for (name, amount) in from.into_iter().flatten() {
        into.get_or_insert_default().entry(name.clone()).or_insert_with(|| amount.clone());
    }
}

pub(in crate::apiserver) fn quota(quota: &mut t::ResourceQuota) {
    quantities::list(&mut quota.spec.get_or_insert_default().hard);
    let status = quota.status.get_or_insert_default();
    quantities::list(&mut status.hard);
    quantities::list(&mut status.used);
}
