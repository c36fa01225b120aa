//! The objects that run the nginx of a Gateway (`buildNginxResourceObjects` in `internal/controller/provisioner/objects.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::flags::{Flags, VERSION};
use crate::api::types::Secret;
use crate::api::{Key, Kind};
use crate::network::gateway::graph::Gateway;
use crate::network::gateway::name_of_resources;
use crate::network::gateway::proxy_settings::Settings;

/// The label, or the annotation if the name is too long for a label, with the name of the Gateway.
pub(super) const GATEWAY_LABEL: &str = "gateway.networking.k8s.io/gateway-name";

/// The name of the container of nginx.
pub(super) const NGINX: &str = "nginx";

/// The longest value of a label.
const LONGEST_LABEL: usize = 63;

/// The directories of nginx that are volumes without content, with their mounts.
const DIRECTORIES: [(&str, &str); 10] = [
    ("nginx-agent-log", "/var/log/nginx-agent"),
    ("nginx-agent-lib", "/var/lib/nginx-agent"),
    ("nginx-conf", "/etc/nginx/conf.d"),
    ("nginx-stream-conf", "/etc/nginx/stream-conf.d"),
    ("nginx-main-includes", "/etc/nginx/main-includes"),
    ("nginx-events-includes", "/etc/nginx/events-includes"),
    ("nginx-secrets", "/etc/nginx/secrets"),
    ("nginx-run", "/var/run/nginx"),
    ("nginx-cache", "/var/cache/nginx"),
    ("nginx-includes", "/etc/nginx/includes"),
];

/// What is made for a Gateway.
pub(super) struct Maker<'a> {
    flags: &'a Flags,
    gateway: &'a Gateway,
    name: &'a str,
    /// The reference to the Gateway as the owner.
    owner: Value,
}

/// A kind with the object that there shall be.
pub(super) type Wanted = (Kind, Key, Value);

impl<'a> Maker<'a> {
    /// What a controller makes for a Gateway, which `owner` refers to.
    pub(super) fn new(flags: &'a Flags, gateway: &'a Gateway, owner: Value) -> Maker<'a> {
        Maker { flags, gateway, name: &gateway.resources, owner }
    }

    /// The labels by which the pods are selected.
    fn selector(&self) -> BTreeMap<&'static str, String> {
        let mut all = BTreeMap::from([
            ("app.kubernetes.io/instance", self.flags.instance.to_string()),
            ("app.kubernetes.io/managed-by", self.flags.managed_by().to_string()),
            ("app.kubernetes.io/name", self.name.to_owned()),
        ]);
        let gateway = &self.gateway.source.key.name;
        if gateway.len() <= LONGEST_LABEL {
            all.insert(GATEWAY_LABEL, gateway.to_string());
        }
        all
    }

    fn labels(&self) -> Value {
        let mut all: Map<String, Value> =
            self.selector().into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect();
        let asked = self.gateway.source.spec.infrastructure.iter().flat_map(|i| &i.labels);
        all.extend(asked.map(|(k, v)| (k.clone(), v.as_str().into())));
        Value::Object(all)
    }

    fn annotations(&self) -> Map<String, Value> {
        let gateway = &self.gateway.source.key.name;
        let long =
            (gateway.len() > LONGEST_LABEL).then(|| (GATEWAY_LABEL.to_owned(), gateway.to_string().into()));
        let asked = self.gateway.source.spec.infrastructure.iter().flat_map(|i| &i.annotations);
        long.into_iter().chain(asked.map(|(k, v)| (k.clone(), v.as_str().into()))).collect()
    }

    fn object(&self, kind: Kind, name: &str, content: Value) -> Wanted {
        let namespace = &*self.gateway.source.key.namespace;
        let mut meta = json!({
            "name": name, "namespace": namespace, "labels": self.labels(), "ownerReferences": [self.owner],
        });
        let annotations = self.annotations();
        if let Some(meta) = meta.as_object_mut().filter(|_| !annotations.is_empty()) {
            meta.insert("annotations".into(), Value::Object(annotations));
        }
        let mut value = content;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("apiVersion".into(), kind.api_version().into());
            fields.insert("kind".into(), kind.as_str().into());
            fields.insert("metadata".into(), meta);
        }
        (kind, Key::new(namespace, name), value)
    }

    fn settings(&self) -> Option<&Settings> {
        self.gateway.settings.as_ref()
    }

    /// The ports of the listeners, each with its protocol, once.
    fn ports(&self) -> Vec<(u16, &'static str, String)> {
        let protocol = |p: &str| if p == "UDP" { "UDP" } else { "TCP" };
        let mut all: Vec<(u16, &'static str)> =
            self.gateway.listeners.iter().map(|l| (l.source.port, protocol(&l.source.protocol))).collect();
        crate::api::order::sort(&mut all);
        all.dedup();
        let of = |port: u16| all.iter().filter(|(p, _)| *p == port).count();
        let name = |port: u16, protocol: &str| match of(port) {
            1 => format!("port-{port}"),
            _ => format!("port-{port}-{}", protocol.to_ascii_lowercase()),
        };
        all.iter().map(|(port, protocol)| (*port, *protocol, name(*port, protocol))).collect()
    }

    fn named(&self, suffix: &str) -> String {
        name_of_resources(self.name, suffix).to_string()
    }

    /// The names of the objects beside those that have the Gateway's own name.
    fn secret_name(&self) -> String {
        self.named(&self.flags.agent_secret)
    }

    /// All objects, in the order in which they are made. `secret` is the one that the agent gets a copy of.
    pub(super) fn all(&self, secret: Option<&Secret>) -> Vec<Wanted> {
        let mut all = Vec::new();
        if let Some(secret) = secret {
            let data = serde_json::to_value(&secret.data).unwrap_or_default();
            let content = json!({"type": "kubernetes.io/tls", "data": data});
            all.push(self.object(Kind::SECRET, &self.secret_name(), content));
        }
        let includes = json!({"data": {
            "main.conf": "\nerror_log stderr info;", "events.conf": "\nworker_connections 1024;",
        }});
        all.push(self.object(Kind::CONFIG_MAP, &self.named("includes-bootstrap"), includes));
        let agent = json!({"data": {"nginx-agent.conf": self.agent()}});
        all.push(self.object(Kind::CONFIG_MAP, &self.named("agent-config"), agent));
        let account = json!({"automountServiceAccountToken": false});
        all.push(self.object(Kind::SERVICE_ACCOUNT, self.name, account));
        all.push(self.object(Kind::SERVICE, self.name, json!({"spec": self.service()})));
        all.push(self.object(Kind::DEPLOYMENT, self.name, json!({"spec": self.deployment()})));
        all
    }

    /// The objects that are deleted when the Gateway cannot be served any more, in order.
    pub(super) fn names(&self) -> Vec<(Kind, Key)> {
        let namespace = &self.gateway.source.key.namespace;
        let key = |name: &str| Key::new(namespace, name);
        vec![
            (Kind::DEPLOYMENT, key(self.name)),
            (Kind::SERVICE, key(self.name)),
            (Kind::SERVICE_ACCOUNT, key(self.name)),
            (Kind::CONFIG_MAP, key(&self.named("includes-bootstrap"))),
            (Kind::CONFIG_MAP, key(&self.named("agent-config"))),
            (Kind::SECRET, key(&self.secret_name())),
        ]
    }

    /// The configuration of the agent, which says who it is.
    fn agent(&self) -> String {
        let Flags { service, namespace, .. } = self.flags;
        let server = format!("{service}.{namespace}.svc");
        let metrics = Settings::metrics_port(self.settings());
        let feature = metrics.map(|_| "- metrics\n").unwrap_or_default();
        let collector = metrics.map(|port| {
            format!(
                "collector:\n    log:\n       path: \"stdout\"\n    exporters:\n        prometheus:\n            server:\n                host: \"0.0.0.0\"\n                port: {port}\n    pipelines:\n        metrics:\n            \"default\":\n                receivers: [\"host_metrics\", \"nginx_metrics\"]\n                exporters: [\"prometheus\"]\n"
            )
        });
        let owner = format!("{}_{}", self.gateway.source.key.namespace, self.name);
        format!(
            "command:\n    server:\n        host: {server}\n        port: 443\n    auth:\n        tokenpath: /var/run/secrets/ngf/serviceaccount/token\n    tls:\n        cert: /var/run/secrets/ngf/tls.crt\n        key: /var/run/secrets/ngf/tls.key\n        ca: /var/run/secrets/ngf/ca.crt\n        server_name: {server}\nallowed_directories:\n- /etc/nginx\n- /usr/share/nginx\n- /var/run/nginx\nfeatures:\n- configuration\n- certificates\n{feature}labels:\n    owner-name: {owner}\n    owner-type: Deployment\n{}",
            collector.unwrap_or_default()
        )
    }

    fn service(&self) -> Value {
        let own = self.settings().and_then(|s| s.kubernetes.as_ref()?.service.as_ref());
        let type_ = own.and_then(|s| s.type_.as_deref()).unwrap_or("LoadBalancer");
        let asked = self.gateway.source.spec.addresses.iter();
        let asked = asked.filter(|a| a.type_.as_deref() == Some("IPAddress"));
        let external: Vec<&str> = asked.map(|a| a.value.as_str()).filter(|a| !a.is_empty()).collect();
        let node_port = |port: u16| {
            let of_listener = own.into_iter().flat_map(|s| &s.node_ports);
            of_listener.filter(|_| type_ != "ClusterIP").find(|n| n.listener_port == port).map(|n| n.port)
        };
        let ports = self.ports().into_iter().map(|(port, protocol, name)| {
            let mut value = json!({"name": name, "port": port, "targetPort": port, "protocol": protocol});
            if let Some((fields, node_port)) = value.as_object_mut().zip(node_port(port)) {
                fields.insert("nodePort".into(), node_port.into());
            }
            value
        });
        let mut spec = json!({
            "type": type_,
            "ports": ports.collect::<Value>(),
            "selector": self.selector(),
            "ipFamilyPolicy": "PreferDualStack",
        });
        if let Some(fields) = spec.as_object_mut() {
            if type_ != "ClusterIP" || !external.is_empty() {
                let policy = own.and_then(|s| s.external_traffic_policy.as_deref()).unwrap_or("Local");
                fields.insert("externalTrafficPolicy".into(), policy.into());
            }
            if !external.is_empty() {
                fields.insert("externalIPs".into(), external.into());
            }
        }
        spec
    }

    fn deployment(&self) -> Value {
        let own = self.settings().and_then(|s| s.kubernetes.as_ref()?.deployment.as_ref());
        let mut spec = json!({"selector": {"matchLabels": self.selector()}, "template": self.template()});
        if let Some((fields, replicas)) = spec.as_object_mut().zip(own.and_then(|d| d.replicas)) {
            fields.insert("replicas".into(), replicas.into());
        }
        spec
    }

    fn template(&self) -> Value {
        let own = self.settings().and_then(|s| s.kubernetes.as_ref()?.deployment.as_ref());
        let mut annotations = self.annotations();
        if let Some(port) = Settings::metrics_port(self.settings()) {
            annotations.insert("prometheus.io/scrape".into(), "true".into());
            annotations.insert("prometheus.io/port".into(), port.to_string().into());
        }
        let image = own.map(|d| &d.container.image);
        let repository = image.and_then(|i| i.repository.as_deref());
        let repository = repository.unwrap_or("ghcr.io/nginx/nginx-gateway-fabric/nginx");
        let tag = image.and_then(|i| i.tag.as_deref()).unwrap_or(VERSION);
        let pull = image.and_then(|i| i.pull_policy.as_deref()).unwrap_or("IfNotPresent");
        let mut nginx = json!({
            "name": NGINX,
            "image": format!("{repository}:{tag}"),
            "imagePullPolicy": pull,
            "ports": self.container_ports(),
            "readinessProbe": {
                "httpGet": {"path": "/readyz", "port": Settings::probe_port(self.settings())},
                "initialDelaySeconds": own.and_then(|d| d.container.readiness_probe.initial_delay_seconds).unwrap_or(3),
            },
            "securityContext": confined(),
            "volumeMounts": mounts(),
        });
        let resources = own.and_then(|d| d.container.resources.as_ref());
        if let Some((fields, resources)) = nginx.as_object_mut().zip(resources) {
            fields.insert("resources".into(), serde_json::to_value(resources).unwrap_or_default());
        }
        let mut spec = json!({
            "automountServiceAccountToken": true,
            "containers": [nginx],
            "initContainers": [self.init(pull)],
            "serviceAccountName": self.name,
            "securityContext": {
                "fsGroup": 1001,
                "runAsNonRoot": true,
                "sysctls": [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}],
            },
            "volumes": self.volumes(),
        });
        if let Some((fields, pod)) = spec.as_object_mut().zip(own.map(|d| &d.pod)) {
            let value = |v: Option<Value>| v.filter(|v| !v.is_null());
            let grace = value(pod.termination_grace_period_seconds.map(Into::into));
            let selector = value(serde_json::to_value(&pod.node_selector).ok());
            let tolerations = value(serde_json::to_value(&pod.tolerations).ok());
            fields.extend(grace.map(|v| ("terminationGracePeriodSeconds".to_owned(), v)));
            fields.extend(selector.map(|v| ("nodeSelector".to_owned(), v)));
            fields.extend(tolerations.map(|v| ("tolerations".to_owned(), v)));
        }
        json!({"metadata": {"labels": self.labels(), "annotations": annotations}, "spec": spec})
    }

    fn container_ports(&self) -> Value {
        let ports = self.ports().into_iter();
        let mut all: Vec<(u16, Value)> = ports
            .map(|(port, protocol, name)| {
                (port, json!({"name": name, "containerPort": port, "protocol": protocol}))
            })
            .collect();
        let metrics = Settings::metrics_port(self.settings());
        all.extend(metrics.map(|port| (port, json!({"name": "metrics", "containerPort": port}))));
        crate::api::order::sort_by(&mut all, |a, b| a.0.cmp(&b.0));
        all.into_iter().map(|(_, value)| value).collect()
    }

    /// The container that puts the files of the ConfigMaps to their places.
    fn init(&self, pull: &str) -> Value {
        let copies = [
            ("/agent/nginx-agent.conf", "/etc/nginx-agent"),
            ("/includes/main.conf", "/etc/nginx/main-includes"),
            ("/includes/events.conf", "/etc/nginx/events-includes"),
        ];
        let mut command = vec!["/usr/bin/gateway", "initialize"];
        for (from, to) in copies {
            command.extend(["--source", from, "--destination", to]);
        }
        json!({
            "name": "init",
            "image": &*self.flags.image,
            "imagePullPolicy": pull,
            "command": command,
            "env": [
                {"name": "POD_UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}},
                {"name": "CLUSTER_UID", "value": "unknown"},
            ],
            "volumeMounts": [
                {"mountPath": "/agent", "name": "nginx-agent-config"},
                {"mountPath": "/etc/nginx-agent", "name": "nginx-agent"},
                {"mountPath": "/includes", "name": "nginx-includes-bootstrap"},
                {"mountPath": "/etc/nginx/main-includes", "name": "nginx-main-includes"},
                {"mountPath": "/etc/nginx/events-includes", "name": "nginx-events-includes"},
            ],
            "securityContext": confined(),
        })
    }

    fn volumes(&self) -> Value {
        let Flags { service, namespace, .. } = self.flags;
        let token = json!({"path": "token", "audience": format!("{service}.{namespace}.svc")});
        let mut all = vec![
            json!({"name": "token", "projected": {"sources": [{"serviceAccountToken": token}]}}),
            json!({"name": "nginx-agent", "emptyDir": {}}),
            json!({"name": "nginx-agent-config", "configMap": {"name": self.named("agent-config")}}),
            json!({"name": "nginx-agent-tls", "secret": {"secretName": self.secret_name()}}),
        ];
        all.extend(DIRECTORIES.iter().map(|(name, _)| json!({"name": name, "emptyDir": {}})));
        let includes = self.named("includes-bootstrap");
        all.push(json!({"name": "nginx-includes-bootstrap", "configMap": {"name": includes}}));
        Value::Array(all)
    }
}

fn mounts() -> Value {
    let first = [
        ("nginx-agent", "/etc/nginx-agent"),
        ("nginx-agent-tls", "/var/run/secrets/ngf"),
        ("token", "/var/run/secrets/ngf/serviceaccount"),
    ];
    let all = first.iter().chain(&DIRECTORIES);
    all.map(|(name, path)| json!({"mountPath": path, "name": name})).collect()
}

/// What the containers may not do.
fn confined() -> Value {
    json!({
        "allowPrivilegeEscalation": false,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": true,
        "runAsGroup": 1001,
        "runAsUser": 101,
        "seccompProfile": {"type": "RuntimeDefault"},
    })
}
