//! What all metrics of an autoscaler ask for together (`computeReplicasForMetrics` in `horizontal.go`).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::horizontal::{SCALING_ACTIVE, Work};
use super::metrics;
use super::replica_calculator::{Asked, Calculator, Tolerances};
use crate::api::labels::Selector;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::scale::Scale;
use crate::api::types::autoscaling as hpa;
use crate::api::types::{LabelSelector, Pod, Quantity};
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
struct Computed {
    asked: Asked,
    metric: String,
    compared: (String, String),
    status: hpa::MetricStatus,
}

/// One metric that cannot be read.
struct Failed {
    /// The reason of the condition and the event.
    reason: &'static str,
    /// What they say.
    said: String,
    /// The same with its context.
    message: String,
}

impl Failed {
    fn new(reason: &'static str, said: String, message: impl FnOnce(&str) -> String) -> Failed {
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

fn milli(value: i64) -> Quantity {
    let amount = Amount::parse(&format!("{value}m")).unwrap_or(Amount::ZERO);
    amount.to_quantity()
}

/// A quantity of a resource from thousandths: memory in bytes, with binary suffixes (`buildQuantity`).
fn of_resource(resource: &str, value: i64) -> Quantity {
    match resource {
        "memory" => Amount::from_value(value / 1000, Format::BinarySI).to_quantity(),
        _ => milli(value),
    }
}

fn milli_of(quantity: &Quantity) -> i64 {
    amount_of(Some(quantity)).milli_value()
}

fn average(quantity: Quantity) -> hpa::MetricValueStatus {
    hpa::MetricValueStatus { average_value: Some(quantity), ..Default::default() }
}

fn whole(quantity: Quantity) -> hpa::MetricValueStatus {
    hpa::MetricValueStatus { value: Some(quantity), ..Default::default() }
}

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

    fn pods_metric(
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

    async fn object_metric(
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
        // The status of a metric by its average does not name the object.
        let described = if target.type_ == "Value" {
            object.clone()
        } else {
            hpa::CrossVersionObjectReference::default()
        };
        Ok(Computed {
            asked,
            compared: compared(&current, target),
            metric,
            status: hpa::MetricStatus {
                type_: spec.type_.clone(),
                object: Some(hpa::ObjectMetricStatus {
                    current,
                    described_object: described,
                    metric: source.metric.clone(),
                }),
                ..Default::default()
            },
        })
    }

    async fn external_metric(
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

/// A resource as messages name it.
fn resource_name(resource: &str, target: &hpa::MetricTarget, of: &str) -> String {
    match target.average_value {
        Some(_) => format!("{resource} resource"),
        None => format!("{resource} {of}resource utilization (percentage of request)"),
    }
}

/// A value and its target as texts.
fn compared(current: &hpa::MetricValueStatus, target: &hpa::MetricTarget) -> (String, String) {
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
