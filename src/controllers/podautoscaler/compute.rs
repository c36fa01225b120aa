//! What all metrics of an autoscaler ask for together (`computeReplicasForMetrics` in `horizontal.go`).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::replica_calculator::{Asked, Calculator, Tolerances};
use super::work::{SCALING_ACTIVE, Work};
use crate::api::labels::Selector;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::scale::Scale;
use crate::api::types::autoscaling as hpa;
use crate::api::types::{Pod, Quantity};
use crate::api::{Key, MetaExt};

/// What the metrics ask for.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposal {
    pub(super) replicas: i32,
    /// The metric that asks for the most, as messages name it.
    pub(super) metric: String,
    /// The value of that metric and its target, for the reason of a command.
    pub(super) compared: (String, String),
    /// `status.currentMetrics`
    pub(super) statuses: Vec<hpa::MetricStatus>,
    /// Whether the same values will mean something else when time has passed.
    pub(super) waits: bool,
}

/// Why nothing can be computed, and what the status shows of the metrics.
pub(super) struct Invalid {
    pub(super) message: String,
    pub(super) statuses: Option<Vec<hpa::MetricStatus>>,
    /// As in [`Proposal`].
    pub(super) waits: bool,
}

/// One metric that was read.
pub(super) struct Computed {
    pub(super) asked: Asked,
    pub(super) metric: String,
    pub(super) compared: (String, String),
    pub(super) status: hpa::MetricStatus,
}

/// One metric that cannot be read.
pub(super) struct Failed {
    /// The reason of the condition and the event.
    reason: &'static str,
    /// What they say.
    said: String,
    /// `said` after what the metric was wanted for.
    message: String,
}

impl Failed {
    pub(super) fn new(reason: &'static str, said: String, message: impl FnOnce(&str) -> String) -> Failed {
        Failed { reason, message: message(&said), said }
    }
}

/// `computeReplicasForMetrics`
pub(super) async fn replicas_for_metrics(work: &mut Work<'_>, scale: &Scale) -> Result<Proposal, Invalid> {
    let selector = match select(work, &scale.selector) {
        Ok(selector) => selector,
        Err(message) => return Err(Invalid { message, statuses: None, waits: false }),
    };
    let specs = work.hpa.spec.metrics.clone().unwrap_or_default();
    let namespace = work.key.namespace.clone();
    let calculator = Calculator {
        cx: work.cx,
        namespace: &namespace,
        selector: &selector,
        replicas: scale.replicas,
        current: scale.current,
        tolerances: Tolerances::of(work.hpa.spec.behavior.as_ref()),
        waits: Cell::new(false),
    };
    let mut proposal = Proposal::default();
    let (mut invalid, mut first): (usize, Option<Failed>) = (0, None);
    for spec in &specs {
        match calculator.metric(spec).await {
            Ok(computed) => {
                proposal.statuses.push(computed.status);
                if proposal.replicas == 0 || computed.asked.replicas > proposal.replicas {
                    proposal.replicas = computed.asked.replicas;
                    proposal.metric = computed.metric;
                    proposal.compared = computed.compared;
                }
            }
            Err(failed) => {
                work.event("Warning", failed.reason, failed.said.clone());
                proposal.statuses.push(hpa::MetricStatus::default());
                invalid += 1;
                first.get_or_insert(failed);
            }
        }
    }
    proposal.waits = calculator.waits.get();
    let message = first.as_ref().map(|f| {
        format!("invalid metrics ({invalid} invalid out of {}), first error is: {}", specs.len(), f.message)
    });
    let would_shrink = invalid > 0 && proposal.replicas < scale.replicas;
    if invalid >= specs.len() || would_shrink {
        if let Some(f) = &first {
            let text = format!("the HPA was unable to compute the replica count: {}", f.said);
            work.set_condition(SCALING_ACTIVE, false, f.reason, text);
        }
        let (message, waits) = (message.unwrap_or_default(), proposal.waits);
        return Err(Invalid { message, statuses: Some(proposal.statuses), waits });
    }
    let text = format!("the HPA was able to successfully calculate a replica count from {}", proposal.metric);
    work.set_condition(SCALING_ACTIVE, true, "ValidMetricFound", text);
    Ok(proposal)
}

/// The selector of the target's pods, which no other autoscaler may select (`validateAndParseSelector`).
fn select(work: &mut Work<'_>, text: &str) -> Result<Selector, String> {
    if text.is_empty() {
        let message = "selector is required";
        work.event("Warning", "SelectorRequired", message.to_owned());
        let said = "the HPA target's scale is missing a selector".to_owned();
        work.set_condition(SCALING_ACTIVE, false, "InvalidSelector", said);
        return Err(message.into());
    }
    let mut refuse = |reason: &'static str, event: &'static str, message: String| {
        work.event("Warning", event, message.clone());
        work.set_condition(SCALING_ACTIVE, false, reason, message.clone());
        message
    };
    let selector = Selector::parse(text).map_err(|e| {
        let message = format!("couldn't convert selector into a corresponding internal selector object: {e}");
        refuse("InvalidSelector", "InvalidSelector", message)
    })?;
    let (key, own) = (work.key.clone(), Rc::new(selector.clone()));
    work.cx.update_state(move |s| {
        if s.selectors.contains_key(&key) {
            s.selectors.insert(key.clone(), Some(own.clone()));
        }
    });
    let controlling = autoscalers_of(work, &selector);
    if controlling.len() > 1 {
        let names: Vec<String> =
            controlling.iter().map(|k| format!("{{{} {}}}", k.name, k.namespace)).collect();
        let names = names.join(" ");
        let message = format!("pods by selector {text} are controlled by multiple HPAs: [{names}]");
        work.event("Warning", "AmbiguousSelector", message.clone());
        work.set_condition(SCALING_ACTIVE, false, "AmbiguousSelector", message.clone());
        return Err(message);
    }
    Ok(selector)
}

/// The autoscalers that select one of the pods that `selector` selects.
fn autoscalers_of(work: &Work<'_>, selector: &Selector) -> Vec<Key> {
    let namespace = &work.key.namespace;
    let pods = work.cx.lister::<Pod>();
    let all = pods.list(Some(namespace));
    let labels: Vec<&BTreeMap<String, String>> =
        all.map(|p| p.metadata.labels_or_empty()).filter(|l| selector.matches(l)).collect();
    work.cx.state(|s| {
        let here = s.selectors.iter().filter(|(k, _)| k.namespace == *namespace);
        let selects =
            |s: &Option<Rc<Selector>>| s.as_ref().is_some_and(|s| labels.iter().any(|l| s.matches(l)));
        here.filter(|(_, s)| selects(s)).map(|(k, _)| k.clone()).collect()
    })
}

pub(super) fn milli(value: i64) -> Quantity {
    Amount::from_milli(value, Format::DecimalSI).to_quantity()
}

/// A quantity of a resource from thousandths. Memory has binary suffixes, unless the average is no whole number of bytes
/// (`buildQuantity`).
pub(super) fn of_resource(resource: &str, value: i64) -> Quantity {
    let format = if resource == "memory" { Format::BinarySI } else { Format::DecimalSI };
    Amount::from_milli(value, format).to_quantity()
}

pub(super) fn milli_of(quantity: &Quantity) -> i64 {
    amount_of(Some(quantity)).milli_value()
}

pub(super) fn average(quantity: Quantity) -> hpa::MetricValueStatus {
    hpa::MetricValueStatus { average_value: Some(quantity), ..Default::default() }
}

pub(super) fn whole(quantity: Quantity) -> hpa::MetricValueStatus {
    hpa::MetricValueStatus { value: Some(quantity), ..Default::default() }
}

impl Calculator<'_> {
    /// `computeReplicasForMetric`
    async fn metric(&self, spec: &hpa::MetricSpec) -> Result<Computed, Failed> {
        if let Some(source) = &spec.resource {
            let result = self.by_resource(&source.name, "", &source.target).await;
            let name = &source.name;
            return result
                .map(|(asked, current)| Computed {
                    asked,
                    compared: compared(&current, &source.target),
                    metric: resource_name(name, &source.target, ""),
                    status: hpa::MetricStatus {
                        type_: spec.type_.clone(),
                        resource: Some(hpa::ResourceMetricStatus { name: name.clone(), current }),
                        ..Default::default()
                    },
                })
                .map_err(|e| {
                    Failed::new("FailedGetResourceMetric", e, |e| {
                        format!("failed to get {name} resource metric value: {e}")
                    })
                });
        }
        if let Some(source) = &spec.container_resource {
            let result = self.by_resource(&source.name, &source.container, &source.target).await;
            let (name, container) = (source.name.clone(), source.container.clone());
            return result
                .map(|(asked, current)| Computed {
                    asked,
                    compared: compared(&current, &source.target),
                    metric: resource_name(&name, &source.target, "container "),
                    status: hpa::MetricStatus {
                        type_: spec.type_.clone(),
                        container_resource: Some(hpa::ContainerResourceMetricStatus {
                            name,
                            container: container.clone(),
                            current,
                        }),
                        ..Default::default()
                    },
                })
                .map_err(|e| {
                    Failed::new("FailedGetContainerResourceMetric", e, |e| {
                        format!("failed to get {container} container metric value: {e}")
                    })
                });
        }
        if let Some(source) = &spec.pods {
            return self.pods_metric(spec, source);
        }
        if let Some(source) = &spec.object {
            return self.object_metric(spec, source).await;
        }
        if let Some(source) = &spec.external {
            return self.external_metric(spec, source).await;
        }
        let why = format!("unknown metric source type {:?}", spec.type_);
        Err(Failed::new("InvalidMetricSourceType", why, str::to_owned))
    }

    /// `computeStatusForResourceMetricGeneric`
    async fn by_resource(
        &self,
        resource: &str,
        container: &str,
        target: &hpa::MetricTarget,
    ) -> Result<(Asked, hpa::MetricValueStatus), String> {
        if let Some(usage) = &target.average_value {
            let asked = self.by_usage(resource, container, milli_of(usage)).await;
            let asked = asked.map_err(|e| format!("failed to get {resource} usage: {e}"))?;
            return Ok((asked, average(of_resource(resource, asked.value))));
        }
        let Some(utilization) = target.average_utilization else {
            return Err("invalid resource metric source: neither an average utilization target nor an average value (usage) target was set".into());
        };
        let asked = self.by_utilization(resource, container, utilization).await;
        let asked = asked.map_err(|e| format!("failed to get {resource} utilization: {e}"))?;
        let current = hpa::MetricValueStatus {
            average_utilization: Some(asked.percent),
            ..average(of_resource(resource, asked.value))
        };
        Ok((asked, current))
    }
}

/// A resource as messages name it.
fn resource_name(resource: &str, target: &hpa::MetricTarget, of: &str) -> String {
    match target.average_value {
        Some(_) => format!("{resource} resource"),
        None => format!("{resource} {of}resource utilization (percentage of request)"),
    }
}

/// A value and its target as texts.
pub(super) fn compared(current: &hpa::MetricValueStatus, target: &hpa::MetricTarget) -> (String, String) {
    let text = |q: &Option<Quantity>| q.as_ref().map(|q| amount_of(Some(q)).canonical());
    let percent = |n: Option<i32>| n.map(|n| format!("{n}%"));
    let of = |utilization: Option<i32>, average: &Option<Quantity>, value: &Option<Quantity>| {
        percent(utilization).or_else(|| text(average)).or_else(|| text(value)).unwrap_or_default()
    };
    (
        of(current.average_utilization, &current.average_value, &current.value),
        of(target.average_utilization, &target.average_value, &target.value),
    )
}
