//! Metrics that are not what containers use: of pods, of an object, from outside
//! (`computeStatusForPodsMetric`, `computeStatusForObjectMetric`, `computeStatusForExternalMetric` in `horizontal.go`).

use std::collections::BTreeMap;

use super::compute::{Computed, Failed, average, compared, milli, milli_of, whole};
use super::metrics;
use super::replica_calculator::Calculator;
use crate::api::labels::Selector;
use crate::api::types::LabelSelector;
use crate::api::types::autoscaling as hpa;

/// A selector of metrics as Go prints the pointer to it.
fn printed(selector: Option<&LabelSelector>) -> String {
    let Some(selector) = selector else { return "nil".into() };
    let labels = selector.match_labels.iter().flatten();
    let labels: String = labels.map(|(k, v)| format!("{k}: {v},")).collect();
    let expressions = selector.match_expressions.iter().flatten().map(|r| {
        let values = r.values.clone().unwrap_or_default().join(" ");
        format!("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{values}],}},", r.key, r.operator)
    });
    let expressions: String = expressions.collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

fn selector_of(metric: &hpa::MetricIdentifier) -> Result<Selector, String> {
    Ok(match &metric.selector {
        // Without a selector every series of the metric is meant.
        None => Selector::from_set(&BTreeMap::new()),
        some => Selector::from_label_selector(some.as_ref())?,
    })
}

impl Calculator<'_> {
    pub(super) fn pods_metric(
        &self,
        spec: &hpa::MetricSpec,
        source: &hpa::PodsMetricSource,
    ) -> Result<Computed, Failed> {
        let name = &source.metric.name;
        let target = source.target.average_value.as_ref().map_or(0, milli_of);
        let asked = selector_of(&source.metric).and_then(|s| self.by_pods(name, target, &s));
        let asked = asked.map_err(|e| {
            Failed::new("FailedGetPodsMetric", e, |e| format!("failed to get pods metric value: {e}"))
        })?;
        let current = average(milli(asked.value));
        Ok(Computed {
            asked,
            compared: compared(&current, &source.target),
            metric: format!("pods metric {name}"),
            status: hpa::MetricStatus {
                type_: spec.type_.clone(),
                pods: Some(hpa::PodsMetricStatus { metric: source.metric.clone(), current }),
                ..Default::default()
            },
        })
    }

    pub(super) async fn object_metric(
        &self,
        spec: &hpa::MetricSpec,
        source: &hpa::ObjectMetricSource,
    ) -> Result<Computed, Failed> {
        const REASON: &str = "FailedGetObjectMetric";
        let (name, object) = (&source.metric.name, &source.described_object);
        let message = |e: &str| format!("failed to get object metric value: {e}");
        let selector = selector_of(&source.metric).map_err(|e| Failed::new(REASON, e, message))?;
        let read = metrics::object_metric(self.cx, name, self.namespace, object, &selector).await;
        let value = read.map_err(|e| {
            format!("unable to get metric {name}: {} on {} {}/{e}", object.kind, self.namespace, object.name)
        });
        let target = &source.target;
        let (asked, current, metric) = match (target.type_.as_str(), &target.value, &target.average_value) {
            ("Value", Some(goal), _) => {
                let asked = value.and_then(|v| self.by_ratio(v, milli_of(goal)));
                let asked = asked.map_err(|e| Failed::new(REASON, e, message))?;
                (asked, whole(milli(asked.value)), format!("{} metric {name}", object.kind))
            }
            ("AverageValue", _, Some(goal)) => {
                let value = value.map_err(|e| {
                    Failed::new(REASON, e, |e| message(&format!("failed to get {name} object metric: {e}")))
                })?;
                let asked = self.by_share(value, milli_of(goal));
                let selector = printed(source.metric.selector.as_ref());
                (asked, average(milli(asked.value)), format!("external metric {name}({selector})"))
            }
            _ => {
                let why = "invalid object metric source: neither a value target nor an average value target was set";
                return Err(Failed::new(REASON, why.into(), message));
            }
        };
        Ok(Computed {
            asked,
            compared: compared(&current, target),
            metric,
            status: hpa::MetricStatus {
                type_: spec.type_.clone(),
                object: Some(hpa::ObjectMetricStatus {
                    current,
                    described_object: object.clone(),
                    metric: source.metric.clone(),
                }),
                ..Default::default()
            },
        })
    }

    pub(super) async fn external_metric(
        &self,
        spec: &hpa::MetricSpec,
        source: &hpa::ExternalMetricSource,
    ) -> Result<Computed, Failed> {
        const REASON: &str = "FailedGetExternalMetric";
        let name = &source.metric.name;
        let outer = |e: &str| format!("failed to get {name} external metric value: {e}");
        let selector = printed(source.metric.selector.as_ref());
        let read = match selector_of(&source.metric) {
            Ok(s) => metrics::external_metric(self.cx, name, self.namespace, &s).await.map_err(|e| {
                format!("unable to get external metric {}/{name}/{selector}: {e}", self.namespace)
            }),
            Err(e) => Err(e),
        };
        let target = &source.target;
        let (asked, current) = match (&target.average_value, &target.value) {
            (Some(goal), _) => {
                let value = read.map_err(|e| {
                    Failed::new(REASON, e, |e| outer(&format!("failed to get {name} external metric: {e}")))
                })?;
                let asked = self.by_share(value, milli_of(goal));
                (asked, average(milli(asked.value)))
            }
            (None, Some(goal)) => {
                let asked = read.and_then(|v| self.by_ratio(v, milli_of(goal))).map_err(|e| {
                    Failed::new(REASON, e, |e| outer(&format!("failed to get external metric {name}: {e}")))
                })?;
                (asked, whole(milli(asked.value)))
            }
            (None, None) => {
                let why = "invalid external metric source: neither a value target nor an average value target was set";
                return Err(Failed::new(REASON, why.into(), outer));
            }
        };
        Ok(Computed {
            asked,
            compared: compared(&current, target),
            metric: format!("external metric {name}({selector})"),
            status: hpa::MetricStatus {
                type_: spec.type_.clone(),
                external: Some(hpa::ExternalMetricStatus { metric: source.metric.clone(), current }),
                ..Default::default()
            },
        })
    }
}
