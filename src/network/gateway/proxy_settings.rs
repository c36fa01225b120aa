//! The settings of an NginxProxy (`apis/v1alpha2/nginxproxy_types.go`), as far as the definition that is installed has them. Those of a
//! Gateway come before those of its class (`buildEffectiveNginxProxy`).

use serde::Deserialize;
use serde_json::Value;

use crate::api::types::{ResourceRequirements, Toleration};
use std::collections::BTreeMap;

/// What is said of nginx, and of the objects that run it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The metrics of nginx.
    pub metrics: Option<Metrics>,
    /// The objects.
    pub kubernetes: Option<Kubernetes>,
}

/// The metrics of nginx.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metrics {
    /// Their port.
    pub port: Option<u16>,
    /// Whether there are none.
    pub disable: Option<bool>,
}

/// The objects that run nginx.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Kubernetes {
    /// The Deployment.
    pub deployment: Option<Deployment>,
    /// The Service.
    pub service: Option<Service>,
}

/// The Deployment.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Deployment {
    /// How many pods.
    pub replicas: Option<i32>,
    /// The container of nginx.
    pub container: Container,
    /// The pods.
    pub pod: Pod,
}

/// The container of nginx.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// The image.
    pub image: Image,
    /// Requests and limits.
    pub resources: Option<ResourceRequirements>,
    /// The readiness probe.
    pub readiness_probe: Probe,
}

/// The image of nginx.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Image {
    /// Its name.
    pub repository: Option<String>,
    /// Its tag.
    pub tag: Option<String>,
    /// When it is pulled.
    pub pull_policy: Option<String>,
}

/// The readiness probe of nginx.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Probe {
    /// The port.
    pub port: Option<u16>,
    /// The seconds before the first probe.
    pub initial_delay_seconds: Option<i32>,
}

/// The pods of nginx.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Pod {
    /// How long they may take to end.
    pub termination_grace_period_seconds: Option<i64>,
    /// The labels of their nodes.
    pub node_selector: Option<BTreeMap<String, String>>,
    /// Which taints they tolerate.
    pub tolerations: Option<Vec<Toleration>>,
}

/// The Service.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Service {
    /// Its type.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// `externalTrafficPolicy`
    pub external_traffic_policy: Option<String>,
    /// Node ports for listeners.
    pub node_ports: Vec<NodePort>,
}

/// The node port for a listener.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodePort {
    /// The node port.
    pub port: i32,
    /// The listener's port.
    pub listener_port: u16,
}

/// Puts a value into the place of another one: objects field by field.
fn merge(into: &mut Value, over: &Value) {
    match (into, over) {
        (Value::Object(into), Value::Object(over)) => {
            for (name, value) in over {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, over) => *into = over.clone(),
    }
}

impl Settings {
    /// The settings of a Gateway over those of its class; `None` if neither has any.
    pub fn of(class: Option<&Value>, gateway: Option<&Value>) -> Option<Settings> {
        let mut all = class.or(gateway)?.clone();
        if let Some(gateway) = gateway {
            merge(&mut all, gateway);
        }
        serde_json::from_value(all).ok()
    }

    /// The port of nginx' metrics; `None` if there are none.
    pub fn metrics_port(settings: Option<&Settings>) -> Option<u16> {
        let metrics = settings.and_then(|s| s.metrics.as_ref());
        if metrics.and_then(|m| m.disable) == Some(true) {
            return None;
        }
        Some(metrics.and_then(|m| m.port).unwrap_or(9113))
    }

    /// The port of the readiness probe.
    pub fn probe_port(settings: Option<&Settings>) -> u16 {
        let deployment = settings.and_then(|s| s.kubernetes.as_ref()?.deployment.as_ref());
        deployment.and_then(|d| d.container.readiness_probe.port).unwrap_or(8081)
    }
}
