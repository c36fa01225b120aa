//! The environment of a container (`kubelet_pods.go`, `makeEnvironmentVariables`; `envvars/envvars.go`), and `$(NAME)`
//! in its command (`third_party/forked/golang/expansion`).

use std::collections::BTreeMap;

use super::file_volumes::Store;
use super::limits;
use super::turn::Turn;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::types::{Container, Node, ObjectFieldSelector, ResourceFieldSelector, Service};
use crate::api::{ApiKind, Key, MetaExt};

/// Replaces `$(NAME)` by the variable's value, and `$$` by `$`. What cannot be replaced stays as it is.
pub(super) fn expand(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            match env.get(name) {
                Some(value) => out.push_str(value),
                None => out.extend(["$(", name, ")"]),
            }
            rest = after;
        } else {
            out.push('$');
        }
    }
    out.push_str(rest);
    out
}

/// A Service's name as a part of a variable's.
fn variable_name(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}

/// The variables that tell of a Service with an address of the cluster (`envvars.FromServices`).
fn service_variables(service: &Service, env: &mut BTreeMap<String, String>) {
    let Some(spec) = &service.spec else { return };
    let Some(address) = spec.cluster_ip.as_deref().filter(|a| !matches!(*a, "" | "None")) else { return };
    let name = variable_name(MetaExt::name(&service.metadata));
    for (i, port) in spec.ports.iter().flatten().enumerate() {
        let protocol = port.protocol.as_deref().unwrap_or("TCP");
        let host = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        let url = format!("{}://{host}:{}", protocol.to_ascii_lowercase(), port.port);
        if i == 0 {
            env.insert(format!("{name}_SERVICE_HOST"), address.into());
            env.insert(format!("{name}_SERVICE_PORT"), port.port.to_string());
            env.insert(format!("{name}_PORT"), url.clone());
        }
        if let Some(of) = port.name.as_deref().filter(|n| !n.is_empty()) {
            env.insert(format!("{name}_SERVICE_PORT_{}", variable_name(of)), port.port.to_string());
        }
        let prefix = format!("{name}_PORT_{}_{}", port.port, protocol.to_ascii_uppercase());
        env.insert(format!("{prefix}_PROTO"), protocol.to_ascii_lowercase());
        env.insert(format!("{prefix}_PORT"), port.port.to_string());
        env.insert(format!("{prefix}_ADDR"), address.into());
        env.insert(prefix, url);
    }
}

impl Turn<'_> {
    /// The ConfigMaps and Secrets that a container's environment comes from.
    pub(super) fn environment_sources(&self, spec: &Container) -> Vec<(Store, String)> {
        let from = spec.env_from.iter().flatten().flat_map(|from| {
            let map = from.config_map_ref.as_ref().map(|r| (Store::ConfigMap, r.name.clone()));
            let secret = from.secret_ref.as_ref().map(|r| (Store::Secret, r.name.clone()));
            [map, secret]
        });
        let one = spec.env.iter().flatten().filter_map(|e| e.value_from.as_ref()).flat_map(|source| {
            let map = source.config_map_key_ref.as_ref().map(|r| (Store::ConfigMap, r.name.clone()));
            let secret = source.secret_key_ref.as_ref().map(|r| (Store::Secret, r.name.clone()));
            [map, secret]
        });
        from.chain(one).flatten().collect()
    }

    /// The environment of a container, of the objects as they are now. Objects that are missing have been told before
    /// (`missing_environment`).
    pub(super) fn environment(&self, spec: &Container) -> BTreeMap<String, String> {
        let ns = MetaExt::namespace(&self.pod.metadata);
        let mut env = BTreeMap::new();
        let services = self.caches.of(Service::KIND);
        if ns != "default"
            && let Some(s) = self.caches.get::<Service>(&Key::new("default", "kubernetes"))
        {
            service_variables(s, &mut env);
        }
        for service in services.list(Some(ns)).filter_map(Service::from_object) {
            let of_control_plane = ns == "default" && MetaExt::name(&service.metadata) == "kubernetes";
            if of_control_plane || self.spec.enable_service_links != Some(false) {
                service_variables(service, &mut env);
            }
        }
        let mut own = BTreeMap::new();
        for from in spec.env_from.iter().flatten() {
            let prefix = from.prefix.as_deref().unwrap_or_default();
            let map = from.config_map_ref.as_ref().map(|r| self.config_map_texts(&r.name));
            let secret = from.secret_ref.as_ref().map(|r| self.secret(&r.name));
            for (name, value) in map.into_iter().chain(secret).flatten() {
                own.insert(format!("{prefix}{name}"), value);
            }
        }
        for variable in spec.env.iter().flatten() {
            let source = variable.value_from.as_ref();
            let value = match source {
                None => {
                    let known = env.iter().chain(&own).map(|(n, v)| (n.clone(), v.clone())).collect();
                    Some(expand(variable.value.as_deref().unwrap_or_default(), &known))
                }
                Some(s) => {
                    let map = s.config_map_key_ref.as_ref().map(|r| (self.config_map_texts(&r.name), &r.key));
                    let secret = s.secret_key_ref.as_ref().map(|r| (self.secret(&r.name), &r.key));
                    let field = s.field_ref.as_ref().map(|f| self.field(f));
                    let resource = s.resource_field_ref.as_ref().map(|r| self.resource(r, Some(spec)));
                    let file = || self.variable_of_file(s.file_key_ref.as_ref()?).ok().flatten();
                    match map.or(secret) {
                        Some((mut all, key)) => all.remove(key),
                        None => field.or(resource).or_else(file),
                    }
                }
            };
            if let Some(value) = value {
                own.insert(variable.name.clone(), value);
            }
        }
        env.extend(own);
        env
    }

    /// The texts of a ConfigMap, of which variables are made: its binary data are none.
    fn config_map_texts(&self, name: &str) -> BTreeMap<String, String> {
        self.config_map_object(name).and_then(|map| map.data.clone()).unwrap_or_default()
    }

    /// The content of a ConfigMap; empty if it does not exist.
    pub(super) fn config_map(&self, name: &str) -> BTreeMap<String, String> {
        let Some(map) = self.config_map_object(name) else { return BTreeMap::new() };
        let mut all = map.data.clone().unwrap_or_default();
        for (key, value) in map.binary_data.iter().flatten() {
            all.insert(key.clone(), String::from_utf8_lossy(&value.0).into_owned());
        }
        all
    }

    /// The content of a Secret; empty if it does not exist.
    pub(super) fn secret(&self, name: &str) -> BTreeMap<String, String> {
        let Some(secret) = self.secret_object(name) else { return BTreeMap::new() };
        let data = secret.data.iter().flatten();
        data.map(|(k, v)| (k.clone(), String::from_utf8_lossy(&v.0).into_owned())).collect()
    }

    /// A field of the pod (`podFieldSelectorRuntimeValue`).
    pub(super) fn field(&self, selector: &ObjectFieldSelector) -> String {
        let meta = &self.pod.metadata;
        let list = |all: Option<&BTreeMap<String, String>>| {
            let lines = all.into_iter().flatten().map(|(k, v)| format!("{k}={v:?}"));
            lines.collect::<Vec<_>>().join("\n")
        };
        let entry = |all: Option<&BTreeMap<String, String>>, key: &str| {
            all.and_then(|a| a.get(key)).cloned().unwrap_or_default()
        };
        let path = selector.field_path.as_str();
        if let Some((field, key)) = path.strip_suffix("']").and_then(|p| p.split_once("['")) {
            return match field {
                "metadata.labels" => entry(meta.labels.as_ref(), key),
                _ => entry(meta.annotations.as_ref(), key),
            };
        }
        match path {
            "metadata.name" => MetaExt::name(meta).to_owned(),
            "metadata.namespace" => MetaExt::namespace(meta).to_owned(),
            "metadata.uid" => MetaExt::uid(meta).to_owned(),
            "metadata.labels" => list(meta.labels.as_ref()),
            "metadata.annotations" => list(meta.annotations.as_ref()),
            "spec.nodeName" => self.node_key.name.to_string(),
            "spec.serviceAccountName" => {
                self.spec.service_account_name.clone().unwrap_or_else(|| "default".into())
            }
            "status.podIP" => self.address().to_owned(),
            "status.podIPs" => self.rt.addresses.join(","),
            "status.hostIP" => self.host.addresses().next().unwrap_or_default().to_owned(),
            "status.hostIPs" => self.host.addresses().collect::<Vec<_>>().join(","),
            _ => String::new(),
        }
    }

    /// A container's request or limit in units of the divisor, rounded up. Without a limit it is what the node has.
    pub(super) fn resource(&self, selector: &ResourceFieldSelector, own: Option<&Container>) -> String {
        let named = selector.container_name.as_deref().filter(|n| !n.is_empty());
        let container = named.map_or(own, |n| {
            let init = self.spec.init_containers.iter().flatten();
            init.chain(&self.spec.containers).find(|c| c.name == n)
        });
        let Some((list, name)) = selector.resource.split_once('.') else { return String::new() };
        let of = container.and_then(|c| c.resources.as_ref());
        let limit = of.and_then(|r| r.limits.as_ref()?.get(name));
        let amount = match list {
            "limits" => limit.map_or_else(|| self.default_limit(name), |own| amount_of(Some(own))),
            _ => amount_of(of.and_then(|r| r.requests.as_ref()?.get(name))),
        };
        let divisor = selector.divisor.as_ref().map_or(Amount::ZERO, |d| amount_of(Some(d)));
        let divisor = if divisor.is_zero() { Amount::from_value(1, Format::DecimalSI) } else { divisor };
        let (value, by) = if name == "cpu" {
            (amount.milli_value(), divisor.milli_value())
        } else {
            (amount.value(), divisor.value())
        };
        let by = by.max(1);
        (value / by + i64::from(value % by > 0)).to_string()
    }

    /// What a container counts as limited to that has no limit of its own: what its node has, or what its pod may have if that is
    /// less (`kubelet_resources.go`, `defaultPodLimitsForDownwardAPI`).
    fn default_limit(&self, name: &str) -> Amount {
        let node = amount_of(self.allocatable(name));
        let pod = limits::of_pod(self.spec, name).map(|q| amount_of(Some(q)));
        pod.filter(|pod| *pod < node).unwrap_or(node)
    }

    fn allocatable(&self, name: &str) -> Option<&crate::api::types::Quantity> {
        let node = self.caches.get::<Node>(self.node_key)?;
        node.status.as_ref()?.allocatable.as_ref()?.get(name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    /// `pkg/kubelet/envvars/envvars.go`, `FromServices`.
    #[test]
    fn the_variables_of_a_service() {
        let of = |value: serde_json::Value| {
            let mut env = BTreeMap::new();
            let service: Service = serde_json::from_value(value).expect("a Service");
            service_variables(&service, &mut env);
            env
        };
        let ports = serde_json::json!([{"name": "web-ui", "port": 80}]);
        let env = of(
            serde_json::json!({"metadata": {"name": "1-web"}, "spec": {"clusterIP": "fd00::1", "ports": ports}}),
        );
        assert_eq!(env.get("1_WEB_SERVICE_HOST").map(String::as_str), Some("fd00::1"));
        assert_eq!(env.get("1_WEB_SERVICE_PORT_WEB_UI").map(String::as_str), Some("80"));
        assert_eq!(env.get("1_WEB_PORT").map(String::as_str), Some("tcp://[fd00::1]:80"));
    }

    /// `third_party/forked/golang/expansion/expand_test.go`.
    #[test]
    fn expansion() {
        let env = BTreeMap::from([("A".to_owned(), "x".to_owned())]);
        for (text, want) in [
            ("$(A)-$(A)", "x-x"),
            ("$$(A) $(B) $A", "$(A) $(B) $A"),
            ("$(A", "$(A"),
            ("$$$(A)", "$x"),
            ("é$", "é$"),
        ] {
            assert_eq!(expand(text, &env), want);
        }
    }
}
