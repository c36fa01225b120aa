//! The row of a HorizontalPodAutoscaler, and how its metrics are printed
//! (`pkg/printers/internalversion/printers.go`).

use crate::api::Timestamp;
use crate::api::cells::{CurrentMetric, UNKNOWN, current_metric, quantity};
use crate::api::types::{HorizontalPodAutoscaler, autoscaling as hpa};
use crate::apiserver::printers::{created, name};

/// How many metrics the cell shows; the others are counted.
const METRICS_SHOWN: usize = 2;

/// The cells of a HorizontalPodAutoscaler.
pub(super) fn cells(h: &HorizontalPodAutoscaler, now: Timestamp) -> Vec<String> {
    let spec = &h.spec;
    let status = h.status.clone().unwrap_or_default();
    let target = &spec.scale_target_ref;
    vec![
        name(&h.metadata),
        format!("{}/{}", target.kind, target.name),
        metrics(
            spec.metrics.as_deref().unwrap_or_default(),
            status.current_metrics.as_deref().unwrap_or_default(),
        ),
        spec.min_replicas.map_or_else(|| "<unset>".into(), |n| n.to_string()),
        spec.max_replicas.to_string(),
        status.current_replicas.unwrap_or(0).to_string(),
        created(&h.metadata, now),
    ]
}

fn metrics(specs: &[hpa::MetricSpec], current_metrics: &[hpa::MetricStatus]) -> String {
    if specs.is_empty() {
        return "<none>".into();
    }
    let mut shown: Vec<String> = specs
        .iter()
        .enumerate()
        .map(|(i, m)| metric(m, &current_metric(m, current_metrics.get(i))))
        .collect();
    let more = shown.len().saturating_sub(METRICS_SHOWN);
    shown.truncate(METRICS_SHOWN);
    let text = shown.join(", ");
    if more > 0 { format!("{text} + {more} more...") } else { text }
}

fn metric(m: &hpa::MetricSpec, now: &CurrentMetric) -> String {
    let outside = |target: &hpa::MetricTarget| match &target.average_value {
        Some(average) => format!("{}/{} (avg)", quantity(now.average.as_ref()), quantity(Some(average))),
        None => format!("{}/{}", quantity(now.value.as_ref()), quantity(target.value.as_ref())),
    };
    let resource = |name: &str, target: &hpa::MetricTarget| match &target.average_value {
        Some(average) => format!("{name}: {}/{}", quantity(now.average.as_ref()), quantity(Some(average))),
        None => {
            let percent = |n: Option<i32>, none: &str| n.map_or_else(|| none.to_owned(), |n| format!("{n}%"));
            let (have, want) =
                (percent(now.utilization, UNKNOWN), percent(target.average_utilization, "<auto>"));
            format!("{name}: {have}/{want}")
        }
    };
    let text = match m.type_.as_str() {
        "External" => m.external.as_ref().map(|s| outside(&s.target)),
        "Object" => m.object.as_ref().map(|s| outside(&s.target)),
        "Pods" => m.pods.as_ref().map(|s| {
            format!("{}/{}", quantity(now.average.as_ref()), quantity(s.target.average_value.as_ref()))
        }),
        "Resource" => m.resource.as_ref().map(|s| resource(&s.name, &s.target)),
        "ContainerResource" => m.container_resource.as_ref().map(|s| resource(&s.name, &s.target)),
        _ => None,
    };
    text.unwrap_or_else(|| "<unknown type>".into())
}
