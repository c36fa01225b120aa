//! Where the metrics come from, and how much of what is wanted they are
//! (`k8s.io/kubernetes/pkg/controller/podautoscaler/metrics`).
//!
//! What containers use is read from the API `metrics.k8s.io`. For all other metrics a cluster has an adapter, which serves
//! `custom.metrics.k8s.io` and `external.metrics.k8s.io`. Here the value of such a metric is an annotation: of each pod for
//! a metric of type Pods, of the described object for one of type Object, of the namespace for one of type External.
//! Where nothing has the annotation, the answer is that of a cluster without an adapter.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::Cx;
use crate::api::labels::Selector;
use crate::api::metrics::{self, PodMetrics};
use crate::api::quantity::Amount;
use crate::api::types::autoscaling::CrossVersionObjectReference;
use crate::api::types::{Namespace, ObjectMeta, Pod};
use crate::api::{Key, MetaExt, Timestamp};
use crate::apimachinery::{Body, Subresource, Verb};
use crate::controllers::served;

/// The prefix of annotations with the value of a metric; the metric's name follows.
pub(super) const ANNOTATION: &str = "sim.steady/metric.";

/// The value of a metric of a pod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PodMetric {
    pub(super) timestamp: Timestamp,
    pub(super) window: SignedDuration,
    /// In thousandths.
    pub(super) value: i64,
}

impl PodMetric {
    /// A value that stands in for one that is missing.
    pub(super) fn assumed(value: i64) -> PodMetric {
        PodMetric { timestamp: Timestamp::UNIX_EPOCH, window: SignedDuration::ZERO, value }
    }
}

/// The values of a metric by the names of the pods.
pub(super) type PodMetricsInfo = BTreeMap<Rc<str>, PodMetric>;

/// What the pods that are selected use of a resource, or one container of each. In thousandths.
pub(super) async fn resource_metric(
    cx: &Cx,
    resource: &str,
    namespace: &str,
    selector: &Selector,
    container: &str,
) -> Result<PodMetricsInfo, String> {
    let list = cx.list(metrics::pods(), namespace).await;
    let list =
        list.map_err(|e| format!("unable to fetch metrics from resource metrics API: {}", e.message))?;
    let selected = list.iter().filter(|o| selector.matches(o.meta().labels_or_empty()));
    let all: Vec<PodMetrics> = selected.filter_map(PodMetrics::read).collect();
    if all.is_empty() {
        return Err("no metrics returned from resource metrics API".into());
    }
    Ok(usage_of_pods(&all, resource, container))
}

/// What pods use of a resource (`getPodMetrics`), or one container of each (`getContainerMetrics`). A pod without the
/// container, or of which a use is not known, is left out.
pub(super) fn usage_of_pods(all: &[PodMetrics], resource: &str, container: &str) -> PodMetricsInfo {
    let mut found = PodMetricsInfo::new();
    for pod in all {
        let containers = pod.containers.iter().filter(|c| container.is_empty() || container == c.name);
        let values: Option<Vec<i64>> =
            containers.map(|c| c.usage.of(resource).map(Amount::milli_value)).collect();
        let value = values.filter(|v| !v.is_empty()).map(|v| v.into_iter().fold(0, i64::saturating_add));
        if let Some(value) = value {
            let PodMetrics { timestamp, window, .. } = *pod;
            found.insert(Rc::from(&*pod.key.name), PodMetric { timestamp, window, value });
        }
    }
    found
}

fn annotated(meta: &ObjectMeta, metric: &str) -> Option<i64> {
    let text = meta.annotation(&format!("{ANNOTATION}{metric}"))?;
    Amount::parse(text.trim()).ok().map(Amount::milli_value)
}

const NO_CUSTOM_API: &str = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";

/// The values of a metric of pods.
pub(super) fn raw_metric(
    cx: &Cx,
    metric: &str,
    pods: &[Rc<Pod>],
    metric_selector: &Selector,
) -> Result<PodMetricsInfo, String> {
    let value = |p: &Rc<Pod>| {
        let value = annotated(&p.metadata, metric)?;
        let window = SignedDuration::from_mins(1);
        Some((Rc::from(p.metadata.name()), PodMetric { timestamp: cx.now(), window, value }))
    };
    let found: PodMetricsInfo = pods.iter().filter_map(value).collect();
    // The values have no labels.
    if found.is_empty() || !metric_selector.is_empty() {
        return Err(NO_CUSTOM_API.into());
    }
    Ok(found)
}

/// The value of a metric of an object, in thousandths.
pub(super) async fn object_metric(
    cx: &Cx,
    metric: &str,
    namespace: &str,
    object: &CrossVersionObjectReference,
    metric_selector: &Selector,
) -> Result<i64, String> {
    let version = object.api_version.as_deref().unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = served(cx.caches()).find(|k| k.as_str() == object.kind && k.group() == group);
    let Some(kind) = kind.filter(|_| metric_selector.is_empty()) else { return Err(NO_CUSTOM_API.into()) };
    let key = Key::new(if kind.namespaced() { namespace } else { "" }, &object.name);
    let read = cx.send(Verb::Get, kind, key, Subresource::None, Body::None).await;
    let found = read.ok().flatten().and_then(|o| annotated(o.meta(), metric));
    found.ok_or_else(|| NO_CUSTOM_API.into())
}

/// The value of a metric that has nothing to do with the cluster, in thousandths.
pub(super) async fn external_metric(
    cx: &Cx,
    metric: &str,
    namespace: &str,
    metric_selector: &Selector,
) -> Result<i64, String> {
    let read = cx.get::<Namespace>(Key::new("", namespace)).await.ok();
    let found = read.filter(|_| metric_selector.is_empty()).and_then(|n| annotated(&n.metadata, metric));
    found.ok_or_else(|| {
        format!(
            "unable to fetch metrics from external metrics API: the server could not find the requested resource (get {metric}.external.metrics.k8s.io)"
        )
    })
}

/// The use of a resource compared with what is requested of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Utilization {
    /// The utilization divided by the target.
    pub(super) ratio: f64,
    /// In percent.
    pub(super) percent: i32,
    /// The average of the pods, in thousandths.
    pub(super) average: i64,
}

/// How much of what pods request they use (`GetResourceUtilizationRatio`). `requests` are in thousandths, `target` is in
/// percent.
pub(super) fn utilization(
    metrics: &PodMetricsInfo,
    requests: &BTreeMap<Rc<str>, i64>,
    target: i32,
) -> Result<Utilization, String> {
    let (mut used, mut requested, mut count) = (0i64, 0i64, 0i64);
    for (pod, metric) in metrics {
        // Metrics of pods that are not known are left out.
        let Some(request) = requests.get(pod) else { continue };
        used = used.saturating_add(metric.value);
        requested = requested.saturating_add(*request);
        count += 1;
    }
    // If the pods request nothing, there is nothing to compare with.
    let percent = used.saturating_mul(100).checked_div(requested);
    let Some((percent, average)) = percent.zip(used.checked_div(count)) else {
        return Err("no metrics returned matched known pods".into());
    };
    let percent = i32::try_from(percent).unwrap_or(i32::MAX);
    Ok(Utilization { ratio: f64::from(percent) / f64::from(target), percent, average })
}

/// The average value divided by the target, and the average value (`GetMetricUsageRatio`).
pub(super) fn usage_ratio(metrics: &PodMetricsInfo, target: i64) -> (f64, i64) {
    let total = metrics.values().fold(0i64, |sum, m| sum.saturating_add(m.value));
    let count = i64::try_from(metrics.len()).unwrap_or(i64::MAX);
    let average = total.checked_div(count).unwrap_or(0);
    (average as f64 / target as f64, average)
}
