//! What containers and nodes use, as the API group `metrics.k8s.io` has it
//! (`k8s.io/metrics/pkg/apis/metrics/v1beta1`).
//!
//! No table has the two kinds, because they are not stored: a metrics server answers requests for them.
//!
//! ```
//! use steady::api::metrics::{self, Usage};
//! use steady::api::quantity::Amount;
//! let usage = Usage { cpu: Amount::parse("150m").unwrap(), memory: Amount::parse("64Mi").unwrap() };
//! assert_eq!(metrics::pods().api_version(), "metrics.k8s.io/v1beta1");
//! assert_eq!(usage.to_value().to_string(), r#"{"cpu":"150m","memory":"64Mi"}"#);
//! ```

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::quantity::Amount;
use super::types::{ObjectMeta, Time};
use super::{CustomNames, Key, Kind, MetaExt, Object, Scope, Timestamp, seconds};

/// The API group.
pub const GROUP: &str = "metrics.k8s.io";
/// Its version.
pub const VERSION: &str = "v1beta1";

fn kind(name: &str, plural: &str, scope: Scope) -> Kind {
    Kind::custom(&CustomNames {
        group: GROUP.into(),
        version: VERSION.into(),
        kind: name.into(),
        list_kind: format!("{name}List"),
        plural: plural.into(),
        singular: String::new(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope,
        subresources: Vec::new(),
    })
}

/// `PodMetrics`: what the containers of a pod use. It has the pod's name, and the resource is called `pods`.
pub fn pods() -> Kind {
    kind("PodMetrics", "pods", Scope::Namespaced)
}

/// `NodeMetrics`: what a node uses. It has the node's name, and the resource is called `nodes`.
pub fn nodes() -> Kind {
    kind("NodeMetrics", "nodes", Scope::Cluster)
}

/// What is used of CPU (in cores) and memory (in bytes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// In cores.
    pub cpu: Amount,
    /// In bytes.
    pub memory: Amount,
}

impl Usage {
    /// Nothing.
    pub const ZERO: Usage = Usage { cpu: Amount::ZERO, memory: Amount::ZERO };

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        Usage { cpu: self.cpu.plus(other.cpu), memory: self.memory.plus(other.memory) }
    }

    /// `{"cpu": "150m", "memory": "64Mi"}`
    pub fn to_value(self) -> Value {
        json!({"cpu": self.cpu.canonical(), "memory": self.memory.canonical()})
    }

    /// The amount of the resource `cpu` or `memory`; `None` for any other resource.
    pub fn of(self, resource: &str) -> Option<Amount> {
        match resource {
            "cpu" => Some(self.cpu),
            "memory" => Some(self.memory),
            _ => None,
        }
    }

    fn read(value: Option<&Value>) -> Usage {
        let of = |name: &str| {
            let text = value.and_then(|v| v.get(name)).and_then(Value::as_str).unwrap_or("0");
            Amount::parse(text).unwrap_or(Amount::ZERO)
        };
        Usage { cpu: of("cpu"), memory: of("memory") }
    }
}

/// What a container uses.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerMetrics {
    /// The container's name.
    pub name: String,
    /// What it uses.
    pub usage: Usage,
    /// When it started. Only a kubelet says that.
    pub start: Option<Timestamp>,
}

impl ContainerMetrics {
    fn to_value(&self) -> Value {
        let mut value = json!({"name": self.name, "usage": self.usage.to_value()});
        if let Some(start) = self.start {
            value["startTime"] = start.to_string().into();
        }
        value
    }

    fn read(value: &Value) -> ContainerMetrics {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        ContainerMetrics {
            name: text("name").unwrap_or_default().to_owned(),
            usage: Usage::read(value.get("usage")),
            start: text("startTime").and_then(|t| t.parse().ok()),
        }
    }
}

/// What the containers of a pod used in a stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct PodMetrics {
    /// The pod's namespace and name.
    pub key: Key,
    /// The end of the stretch, in whole seconds.
    pub timestamp: Timestamp,
    /// The length of the stretch.
    pub window: SignedDuration,
    /// The containers that were measured, in the order of the answer.
    pub containers: Vec<ContainerMetrics>,
}

impl PodMetrics {
    /// The object, with the labels of the pod.
    pub fn to_object(&self, pod: &ObjectMeta, now: Timestamp) -> Option<Object> {
        let containers: Vec<Value> = self.containers.iter().map(ContainerMetrics::to_value).collect();
        let value = json!({
            "metadata": metadata(pod, now), "timestamp": Time(seconds(self.timestamp)),
            "window": window(self.window), "containers": containers,
        });
        Object::from_value(pods(), value).ok()
    }

    /// Reads an object; `None` if it is of another kind.
    pub fn read(object: &Object) -> Option<PodMetrics> {
        let fields = object.custom().filter(|_| object.kind() == pods())?.fields();
        let containers = fields.get("containers").and_then(Value::as_array);
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        Some(PodMetrics {
            key: object.key(),
            timestamp: text("timestamp").parse().unwrap_or(Timestamp::UNIX_EPOCH),
            window: parse_window(text("window")),
            containers: containers.into_iter().flatten().map(ContainerMetrics::read).collect(),
        })
    }
}

/// The NodeMetrics of a node, with the node's labels.
pub fn of_node(
    node: &ObjectMeta,
    timestamp: Timestamp,
    length: SignedDuration,
    usage: Usage,
    now: Timestamp,
) -> Option<Object> {
    let value = json!({
        "metadata": metadata(node, now), "timestamp": Time(seconds(timestamp)), "window": window(length),
        "usage": usage.to_value(),
    });
    Object::from_value(nodes(), value).ok()
}

/// The usage in a NodeMetrics.
pub fn usage_of_node(object: &Object) -> Usage {
    Usage::read(object.custom().and_then(|o| o.fields().get("usage")))
}

fn metadata(of: &ObjectMeta, now: Timestamp) -> Value {
    let mut value = json!({"name": of.name(), "creationTimestamp": Time(seconds(now))});
    if !of.namespace().is_empty() {
        value["namespace"] = of.namespace().into();
    }
    if let Some(labels) = of.labels.as_ref().filter(|l| !l.is_empty()) {
        value["labels"] = json!(labels);
    }
    value
}

/// A duration as Go writes it: `15s`, `1m0s`, `10.5s`.
fn window(length: SignedDuration) -> String {
    let millis = length.as_millis().max(0);
    let (minutes, seconds, rest) = (millis / 60_000, millis / 1000 % 60, millis % 1000);
    let mut text = if minutes > 0 { format!("{minutes}m{seconds}") } else { seconds.to_string() };
    if rest > 0 {
        text.push_str(format!(".{rest:03}").trim_end_matches('0'));
    }
    text + "s"
}

fn parse_window(text: &str) -> SignedDuration {
    let text = text.strip_suffix('s').unwrap_or(text);
    let (minutes, seconds) = text.split_once('m').unwrap_or(("0", text));
    let minutes: i64 = minutes.parse().unwrap_or(0);
    let seconds: f64 = seconds.parse().unwrap_or(0.0);
    SignedDuration::from_millis(minutes.saturating_mul(60_000).saturating_add((seconds * 1000.0) as i64))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_object_is_read_as_it_was_written() {
        let pod = ObjectMeta { name: Some("p".into()), namespace: Some("d".into()), ..Default::default() };
        let usage = Usage { cpu: Amount::parse("0.15").unwrap(), memory: Amount::parse("65536Ki").unwrap() };
        let timestamp = "2026-01-01T00:00:15Z".parse().unwrap();
        for (millis, text) in [(15_000, "15s"), (10_500, "10.5s"), (75_020, "1m15.02s"), (0, "0s")] {
            let metrics = PodMetrics {
                key: Key::new("d", "p"),
                timestamp,
                window: SignedDuration::from_millis(millis),
                containers: vec![ContainerMetrics { name: "c".into(), usage, start: Some(timestamp) }],
            };
            let object = metrics.to_object(&pod, timestamp).unwrap();
            assert_eq!(object.to_value()["window"], text);
            assert_eq!(object.to_value()["containers"][0]["usage"], json!({"cpu": "150m", "memory": "64Mi"}));
            assert_eq!(PodMetrics::read(&object), Some(metrics));
        }
    }
}
