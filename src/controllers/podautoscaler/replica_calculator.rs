//! How many replicas a metric asks for (`replica_calculator.go`).

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::metrics::{self, PodMetric, PodMetricsInfo};
use super::{CPU_INITIALIZATION_PERIOD, Cx, INITIAL_READINESS_DELAY, TOLERANCE};
use crate::api::labels::Selector;
use crate::api::quantity::amount_of;
use crate::api::resource::pod_resources;
use crate::api::types::autoscaling::HorizontalPodAutoscalerBehavior;
use crate::api::types::{Container, Pod, PodSpec};
use crate::api::{MetaExt, Timestamp, later};

/// By which share a metric may be off its target without effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tolerances {
    pub(super) down: f64,
    pub(super) up: f64,
}

impl Tolerances {
    /// Those of an autoscaler; the controller's own where it names none (`tolerancesForHpa`).
    pub(super) fn of(behavior: Option<&HorizontalPodAutoscalerBehavior>) -> Tolerances {
        let of = |rules: Option<&crate::api::types::autoscaling::HPAScalingRules>| {
            let tolerance = rules.and_then(|r| r.tolerance.as_ref());
            tolerance.map_or(TOLERANCE, |t| amount_of(Some(t)).scaled_value(-9) as f64 / 1e9)
        };
        Tolerances {
            down: of(behavior.and_then(|b| b.scale_down.as_ref())),
            up: of(behavior.and_then(|b| b.scale_up.as_ref())),
        }
    }

    fn contain(self, ratio: f64) -> bool {
        1.0 - self.down <= ratio && ratio <= 1.0 + self.up
    }
}

/// What a metric asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) replicas: i32,
    /// In percent; 0 for a metric that is not compared with requests.
    pub(super) percent: i32,
    /// The value that the status shows, in thousandths.
    pub(super) value: i64,
}

/// The target's size, its pods, and what the autoscaler tolerates.
pub(super) struct Calculator<'a> {
    pub(super) cx: &'a Cx,
    pub(super) namespace: &'a str,
    pub(super) selector: &'a Selector,
    /// `spec.replicas` of the scale.
    pub(super) replicas: i32,
    /// `status.replicas` of the scale.
    pub(super) current: i32,
    pub(super) tolerances: Tolerances,
    /// Set if a pod was left out that will count when time has passed.
    pub(super) waits: Cell<bool>,
}

type Result<T> = std::result::Result<T, String>;

/// A ratio times a number of pods, rounded up.
fn times(ratio: f64, pods: usize) -> i32 {
    (ratio * pods as f64).ceil() as i32
}

impl Calculator<'_> {
    pub(super) fn pods(&self) -> Vec<Rc<Pod>> {
        let pods = self.cx.lister::<Pod>();
        let all = pods.list(Some(self.namespace));
        all.filter(|p| self.selector.matches(p.metadata.labels_or_empty())).cloned().collect()
    }

    fn known_pods(&self) -> Result<Vec<Rc<Pod>>> {
        let pods = self.pods();
        if pods.is_empty() {
            return Err("no pods returned by selector while calculating replica count".into());
        }
        Ok(pods)
    }

    async fn resource(&self, resource: &str, container: &str) -> Result<PodMetricsInfo> {
        let found =
            metrics::resource_metric(self.cx, resource, self.namespace, self.selector, container).await;
        found.map_err(|e| format!("unable to get metrics for resource {resource}: {e}"))
    }

    /// By the use of a resource in percent of the requests (`GetResourceReplicas`).
    pub(super) async fn by_utilization(&self, resource: &str, container: &str, target: i32) -> Result<Asked> {
        let mut metrics = self.resource(resource, container).await?;
        let pods = self.known_pods()?;
        let groups = Groups::of(&pods, &metrics, resource, self.cx.now());
        self.waits.set(self.waits.get() || groups.waits);
        groups.leave_out(&mut metrics)?;
        let requests = requests(&pods, container, resource)?;
        let first = metrics::utilization(&metrics, &requests, target)?;
        let asked = |replicas| Asked { replicas, percent: first.percent, value: first.average };
        let with_unready = !groups.unready.is_empty() && first.ratio > 1.0;
        if !with_unready && groups.missing.is_empty() {
            return Ok(asked(if self.tolerances.contain(first.ratio) {
                self.replicas
            } else {
                times(first.ratio, groups.ready)
            }));
        }
        // A pod without metrics is taken to use all that it requests where pods are to be removed, and nothing where
        // pods are to be added.
        let most = i64::from(target.max(100));
        groups.assume(&mut metrics, first.ratio, with_unready, |pod| {
            requests.get(pod).copied().unwrap_or(0).saturating_mul(most) / 100
        });
        let again = metrics::utilization(&metrics, &requests, target)?;
        Ok(asked(self.with_assumptions(first.ratio, again.ratio, metrics.len())))
    }

    /// By the use of a resource itself (`GetRawResourceReplicas`). `target` is in thousandths.
    pub(super) async fn by_usage(&self, resource: &str, container: &str, target: i64) -> Result<Asked> {
        let metrics = self.resource(resource, container).await?;
        self.plain(metrics, target, resource)
    }

    /// By a metric of the pods (`GetMetricReplicas`).
    pub(super) fn by_pods(&self, metric: &str, target: i64, metric_selector: &Selector) -> Result<Asked> {
        let found = metrics::raw_metric(self.cx, metric, &self.pods(), metric_selector);
        let metrics = found.map_err(|e| format!("unable to get metric {metric}: {e}"))?;
        self.plain(metrics, target, "")
    }

    /// `calcPlainMetricReplicas`
    fn plain(&self, mut metrics: PodMetricsInfo, target: i64, resource: &str) -> Result<Asked> {
        let pods = self.known_pods()?;
        let groups = Groups::of(&pods, &metrics, resource, self.cx.now());
        self.waits.set(self.waits.get() || groups.waits);
        groups.leave_out(&mut metrics)?;
        let (ratio, value) = metrics::usage_ratio(&metrics, target);
        let asked = |replicas| Asked { replicas, percent: 0, value };
        let with_unready = !groups.unready.is_empty() && ratio > 1.0;
        if !with_unready && groups.missing.is_empty() {
            let same = self.tolerances.contain(ratio);
            return Ok(asked(if same { self.replicas } else { times(ratio, groups.ready) }));
        }
        groups.assume(&mut metrics, ratio, with_unready, |_| target);
        let (again, _) = metrics::usage_ratio(&metrics, target);
        Ok(asked(self.with_assumptions(ratio, again, metrics.len())))
    }

    /// The size by the metrics with those that were assumed. It does not change where these alone would change it, or
    /// change it in the other direction.
    fn with_assumptions(&self, first: f64, again: f64, counted: usize) -> i32 {
        let turned = |a: f64, b: f64| a < 1.0 && b > 1.0;
        if self.tolerances.contain(again) || turned(first, again) || turned(again, first) {
            return self.replicas;
        }
        let replicas = times(again, counted);
        let astray = (again < 1.0 && replicas > self.replicas) || (again > 1.0 && replicas < self.replicas);
        if astray { self.replicas } else { replicas }
    }

    /// By the value of a metric, for all pods together (`getUsageRatioReplicaCount`).
    pub(super) fn by_ratio(&self, value: i64, target: i64) -> Result<Asked> {
        let ratio = value as f64 / target as f64;
        let replicas = match self.replicas {
            0 => ratio.ceil() as i32,
            replicas if self.tolerances.contain(ratio) => replicas,
            _ => {
                let pods = self.known_pods().map_err(|e| format!("unable to calculate ready pods: {e}"))?;
                times(ratio, pods.iter().filter(|p| phase(p) == "Running" && is_ready(p)).count())
            }
        };
        Ok(Asked { replicas, percent: 0, value })
    }

    /// By the value of a metric, shared by all pods (`GetObjectPerPodMetricReplicas`,
    /// `GetExternalPerPodMetricReplicas`).
    pub(super) fn by_share(&self, value: i64, target: i64) -> Asked {
        let ratio = value as f64 / (target as f64 * f64::from(self.current));
        let replicas = if self.tolerances.contain(ratio) {
            self.current
        } else {
            (value as f64 / target as f64).ceil() as i32
        };
        let value = (value as f64 / f64::from(self.current)).ceil() as i64;
        Asked { replicas, percent: 0, value }
    }
}

fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default()
}

/// `status` and `lastTransitionTime` of the condition Ready.
fn ready_condition(pod: &Pod) -> Option<(&str, Timestamp)> {
    let conditions = pod.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    let ready = conditions.iter().find(|c| c.type_ == "Ready")?;
    // A time that is not set is the zero time of Go, long before any other.
    let since = ready.last_transition_time.as_ref().map_or(Timestamp::UNIX_EPOCH, |t| t.0);
    Some((ready.status.as_str(), since))
}

fn is_ready(pod: &Pod) -> bool {
    ready_condition(pod).is_some_and(|(status, _)| status == "True")
}

/// The pods by how they count (`groupPods`).
#[derive(Debug, Default)]
struct Groups {
    /// How many count as they are.
    ready: usize,
    /// Pods that are not ready, or have not been for long.
    unready: BTreeSet<Rc<str>>,
    /// Pods without metrics.
    missing: BTreeSet<Rc<str>>,
    /// Pods that are being deleted, and pods that have failed.
    ignored: BTreeSet<Rc<str>>,
    /// Whether a pod counts as unready only for a certain time.
    waits: bool,
}

impl Groups {
    fn of(pods: &[Rc<Pod>], metrics: &PodMetricsInfo, resource: &str, now: Timestamp) -> Groups {
        let mut groups = Groups::default();
        for pod in pods {
            let name: Rc<str> = pod.metadata.name().into();
            let metric = metrics.get(&name);
            if pod.metadata.is_deleting() || phase(pod) == "Failed" {
                groups.ignored.insert(name);
            } else if phase(pod) == "Pending" {
                groups.unready.insert(name);
            } else if let Some(metric) = metric {
                match resource {
                    "cpu" if is_unready(pod, metric, now) => {
                        groups.waits |= is_young(pod, now);
                        groups.unready.insert(name);
                    }
                    _ => groups.ready += 1,
                }
            } else {
                groups.missing.insert(name);
            }
        }
        groups
    }

    /// Removes the metrics of pods that do not count.
    fn leave_out(&self, metrics: &mut PodMetricsInfo) -> Result<()> {
        metrics.retain(|pod, _| !self.ignored.contains(pod) && !self.unready.contains(pod));
        if metrics.is_empty() {
            return Err("did not receive metrics for targeted pods (pods might be unready)".into());
        }
        Ok(())
    }

    /// Adds values for pods that have none. `most` is the value of a pod where pods are to be removed.
    fn assume(
        &self,
        metrics: &mut PodMetricsInfo,
        ratio: f64,
        with_unready: bool,
        most: impl Fn(&Rc<str>) -> i64,
    ) {
        if ratio < 1.0 {
            metrics.extend(self.missing.iter().map(|pod| (pod.clone(), PodMetric::assumed(most(pod)))));
        } else if ratio > 1.0 {
            metrics.extend(self.missing.iter().map(|pod| (pod.clone(), PodMetric::assumed(0))));
        }
        if with_unready {
            metrics.extend(self.unready.iter().map(|pod| (pod.clone(), PodMetric::assumed(0))));
        }
    }
}

/// Whether a pod may still be starting.
fn is_young(pod: &Pod, now: Timestamp) -> bool {
    let start = pod.status.as_ref().and_then(|s| s.start_time.as_ref());
    start.is_some_and(|t| later(t.0, CPU_INITIALIZATION_PERIOD) > now)
}

/// Whether a pod's use of CPU says nothing yet.
fn is_unready(pod: &Pod, metric: &PodMetric, now: Timestamp) -> bool {
    let start = pod.status.as_ref().and_then(|s| s.start_time.as_ref());
    let Some(((status, since), start)) = ready_condition(pod).zip(start) else { return true };
    let unready = status == "False";
    if is_young(pod, now) {
        // One whole window has to lie after the moment at which the pod became ready.
        unready || metric.timestamp < later(since, metric.window)
    } else {
        // The pod has never been ready.
        unready && later(start.0, INITIAL_READINESS_DELAY) > since
    }
}

/// What each pod requests of a resource, or one container of each, in thousandths (`calculateRequests`).
pub(super) fn requests(pods: &[Rc<Pod>], container: &str, resource: &str) -> Result<BTreeMap<Rc<str>, i64>> {
    let mut requests = BTreeMap::new();
    for pod in pods {
        let name: Rc<str> = pod.metadata.name().into();
        let spec = pod.spec.as_deref();
        let requests_as_a_whole = |s: &&PodSpec| {
            s.resources.as_ref().and_then(|r| r.requests.as_ref()).is_some_and(|r| !r.is_empty())
        };
        if let Some(spec) = spec.filter(requests_as_a_whole).filter(|_| container.is_empty()) {
            let Some(request) = pod_resources(spec, false).remove(resource) else {
                return Err(format!("missing pod-level request for {resource} in Pod {name}"));
            };
            requests.insert(name, request.milli_value());
            continue;
        }
        let sidecar = |c: &&Container| c.restart_policy.as_deref() == Some("Always");
        let sidecars = spec.iter().flat_map(|s| s.init_containers.iter().flatten()).filter(sidecar);
        let all = spec.iter().flat_map(|s| s.containers.iter()).chain(sidecars);
        let mut counted = all.filter(|c| container.is_empty() || container == c.name).peekable();
        if counted.peek().is_none() && !container.is_empty() {
            return Err(format!("container {container} not found in Pod {name}"));
        }
        let mut sum = 0i64;
        for c in counted {
            let request = c.resources.as_ref().and_then(|r| r.requests.as_ref()?.get(resource));
            let Some(request) = request else {
                return Err(format!("missing request for {resource} in container {} of Pod {name}", c.name));
            };
            sum = sum.saturating_add(amount_of(Some(request)).milli_value());
        }
        requests.insert(name, sum);
    }
    Ok(requests)
}
