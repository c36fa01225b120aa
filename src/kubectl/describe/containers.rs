//! Containers, volumes and tolerations in descriptions.

use super::super::set;
use super::Writer;
use crate::api::intstr;
use crate::api::order;
use crate::api::types::{
    Container, ContainerState, ContainerStatus, EnvVar, Probe, Quantity, Toleration, Volume,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Every container; `states` are those of a running pod.
pub(super) fn all(
    w: &mut Writer,
    title: &str,
    containers: &[Container],
    states: &[ContainerStatus],
    space: &str,
) {
    let none = if containers.is_empty() { " <none>" } else { "" };
    w.raw(&format!("{space}{title}:{none}"));
    for c in containers {
        w.raw(&format!("{space} {}:", c.name));
        let status = states.iter().find(|s| s.name == c.name);
        one(w, c, status, &format!("{space}  "));
    }
}

fn one(w: &mut Writer, c: &Container, status: Option<&ContainerStatus>, pad: &str) {
    if let Some(s) = status {
        let id = |n: &str, v: &str| format!("{pad}{n}:\t{v}");
        w.raw(&id("Container ID", s.container_id.as_deref().unwrap_or_default()));
    }
    w.raw(&format!("{pad}Image:\t{}", c.image.as_deref().unwrap_or_default()));
    if let Some(s) = status {
        w.raw(&format!("{pad}Image ID:\t{}", s.image_id));
    }
    ports(w, c, pad);
    for (name, words) in [("Command", &c.command), ("Args", &c.args)] {
        if let Some(words) = words.as_ref().filter(|w| !w.is_empty()) {
            w.raw(&format!("{pad}{name}:"));
            for word in words.iter().flat_map(|w| w.split('\n')) {
                w.raw(&format!("{pad}  {word}"));
            }
        }
    }
    if let Some(s) = status {
        state(w, "State", s.state.as_ref(), pad);
        if s.last_state.as_ref().is_some_and(|l| l.terminated.is_some()) {
            state(w, "Last State", s.last_state.as_ref(), pad);
        }
        w.raw(&format!("{pad}Ready:\t{}", if s.ready { "True" } else { "False" }));
        w.raw(&format!("{pad}Restart Count:\t{}", s.restart_count));
    }
    let resources = c.resources.clone().unwrap_or_default();
    quantities(w, "Limits", resources.limits.as_ref(), pad);
    quantities(w, "Requests", resources.requests.as_ref(), pad);
    for (name, p) in
        [("Liveness", &c.liveness_probe), ("Readiness", &c.readiness_probe), ("Startup", &c.startup_probe)]
    {
        if let Some(p) = p {
            w.raw(&format!("{pad}{name}:\t{}", probe(p)));
        }
    }
    environment(w, c, pad);
    let mounts = c.volume_mounts.as_deref().unwrap_or_default();
    let none = if mounts.is_empty() { "\t<none>" } else { "" };
    w.raw(&format!("{pad}Mounts:{none}"));
    for m in mounts {
        let mut flags = vec![if m.read_only == Some(true) { "ro" } else { "rw" }.to_owned()];
        flags.extend(m.sub_path.as_ref().filter(|p| !p.is_empty()).map(|p| format!("path={p:?}")));
        w.raw(&format!("{pad}  {} from {} ({})", m.mount_path, m.name, flags.join(",")));
    }
}

fn ports(w: &mut Writer, c: &Container, pad: &str) {
    let ports = c.ports.as_deref().unwrap_or_default();
    let name = |n: &Option<String>| n.as_ref().map_or(String::new(), |n| format!(" ({n})"));
    let protocol = |p: &Option<String>| p.clone().unwrap_or_else(|| "TCP".into());
    let own: Vec<String> = ports
        .iter()
        .map(|p| format!("{}/{}{}", p.container_port, protocol(&p.protocol), name(&p.name)))
        .collect();
    let host: Vec<String> = ports
        .iter()
        .map(|p| format!("{}/{}{}", p.host_port.unwrap_or(0), protocol(&p.protocol), name(&p.name)))
        .collect();
    let s = if ports.len() > 1 { "s" } else { "" };
    let text = |v: Vec<String>| if v.is_empty() { "<none>".to_owned() } else { v.join(", ") };
    w.raw(&format!("{pad}Port{s}:\t{}", text(own)));
    w.raw(&format!("{pad}Host Port{s}:\t{}", text(host)));
}

fn state(w: &mut Writer, title: &str, state: Option<&ContainerState>, pad: &str) {
    let mut line = |name: &str, value: &str| w.raw(&format!("{pad}{name}:\t{value}"));
    let none = ContainerState::default();
    let state = state.unwrap_or(&none);
    if let Some(r) = &state.running {
        line(title, "Running");
        line("  Started", &super::moment(r.started_at.as_ref()));
    } else if let Some(r) = &state.waiting {
        line(title, "Waiting");
        if let Some(reason) = r.reason.as_deref().filter(|r| !r.is_empty()) {
            line("  Reason", reason);
        }
    } else if let Some(t) = &state.terminated {
        line(title, "Terminated");
        if let Some(reason) = t.reason.as_deref().filter(|r| !r.is_empty()) {
            line("  Reason", reason);
        }
        if let Some(message) = t.message.as_deref().filter(|m| !m.is_empty()) {
            line("  Message", message);
        }
        line("  Exit Code", &t.exit_code.to_string());
        if let Some(signal) = t.signal.filter(|s| *s > 0) {
            line("  Signal", &signal.to_string());
        }
        line("  Started", &super::moment(t.started_at.as_ref()));
        line("  Finished", &super::moment(t.finished_at.as_ref()));
    } else {
        line(title, "Waiting");
    }
}

fn quantities(w: &mut Writer, name: &str, map: Option<&BTreeMap<String, Quantity>>, pad: &str) {
    let Some(map) = map.filter(|m| !m.is_empty()) else { return };
    w.raw(&format!("{pad}{name}:"));
    for (resource, q) in map {
        w.raw(&format!("{pad}  {resource}:\t{}", q.0));
    }
}

fn environment(w: &mut Writer, c: &Container, pad: &str) {
    if let Some(from) = c.env_from.as_deref().filter(|f| !f.is_empty()) {
        w.raw(&format!("{pad}Environment Variables from:"));
        for f in from {
            let (name, kind, optional) = match (&f.config_map_ref, &f.secret_ref) {
                (Some(m), _) => (m.name.as_str(), "ConfigMap", m.optional),
                (None, Some(s)) => (s.name.as_str(), "Secret", s.optional),
                (None, None) => ("", "", None),
            };
            let prefix = f.prefix.as_deref().filter(|p| !p.is_empty());
            let prefix = prefix.map_or(String::new(), |p| format!(" with prefix '{p}'"));
            w.raw(&format!("{pad}  {name}\t{kind}{prefix}\tOptional: {}", optional.unwrap_or(false)));
        }
    }
    let vars = c.env.as_deref().unwrap_or_default();
    let none = if vars.is_empty() { "\t<none>" } else { "" };
    w.raw(&format!("{pad}Environment:{none}"));
    let resources = c.resources.as_ref().map(crate::api::to_value).unwrap_or_default();
    for v in vars {
        w.raw(&format!("{pad}  {}:\t{}", v.name, variable(v, &resources)));
    }
}

fn variable(v: &EnvVar, resources: &Value) -> String {
    let Some(from) = &v.value_from else { return v.value.clone().unwrap_or_default() };
    if let Some(f) = &from.field_ref {
        return format!(" ({}:{})", f.api_version.as_deref().unwrap_or("v1"), f.field_path);
    }
    if let Some(s) = &from.secret_key_ref {
        return format!(
            "<set to the key '{}' in secret '{}'>\tOptional: {}",
            s.key,
            s.name,
            s.optional == Some(true)
        );
    }
    if let Some(m) = &from.config_map_key_ref {
        return format!(
            "<set to the key '{}' of config map '{}'>\tOptional: {}",
            m.key,
            m.name,
            m.optional == Some(true)
        );
    }
    let Some(r) = &from.resource_field_ref else { return String::new() };
    let divisor = r.divisor.as_ref().map_or("0", |q| q.0.as_str());
    let value = set::resource_value(resources, &r.resource, divisor).unwrap_or_default();
    format!("{value} ({})", r.resource)
}

fn probe(p: &Probe) -> String {
    let attributes = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        p.initial_delay_seconds.unwrap_or(0),
        p.timeout_seconds.unwrap_or(0),
        p.period_seconds.unwrap_or(0),
        p.success_threshold.unwrap_or(0),
        p.failure_threshold.unwrap_or(0)
    );
    if let Some(e) = &p.exec {
        return format!("exec [{}] {attributes}", e.command.as_deref().unwrap_or_default().join(" "));
    }
    if let Some(h) = &p.http_get {
        let scheme = h.scheme.as_deref().unwrap_or("HTTP").to_lowercase();
        let path = h.path.as_deref().unwrap_or_default();
        let host = h.host.as_deref().unwrap_or_default();
        return format!("http-get {scheme}://{host}:{}{path} {attributes}", intstr::to_string(&h.port));
    }
    if let Some(t) = &p.tcp_socket {
        return format!(
            "tcp-socket {}:{} {attributes}",
            t.host.as_deref().unwrap_or_default(),
            intstr::to_string(&t.port)
        );
    }
    if let Some(g) = &p.grpc {
        return format!("grpc <pod>:{} {} {attributes}", g.port, g.service.as_deref().unwrap_or_default());
    }
    format!("unknown {attributes}")
}

pub(super) fn volumes(w: &mut Writer, volumes: &[Volume], space: &str) {
    if volumes.is_empty() {
        return w.raw(&format!("{space}Volumes:\t<none>"));
    }
    w.raw(&format!("{space}Volumes:"));
    for v in volumes {
        w.raw(&format!("{space} {}:", v.name));
        let mut field = |name: &str, value: &str| w.raw(&format!("{space}  {name}:\t{value}"));
        if let Some(m) = &v.config_map {
            field("Type", "ConfigMap (a volume populated by a ConfigMap)");
            field("Name", &m.name);
            field("Optional", &(m.optional == Some(true)).to_string());
        } else if let Some(s) = &v.secret {
            field("Type", "Secret (a volume populated by a Secret)");
            field("SecretName", s.secret_name.as_deref().unwrap_or_default());
            field("Optional", &(s.optional == Some(true)).to_string());
        } else if let Some(e) = &v.empty_dir {
            field("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)");
            field("Medium", e.medium.as_deref().unwrap_or_default());
            field("SizeLimit", e.size_limit.as_ref().map_or("<unset>", |q| q.0.as_str()));
        } else if let Some(c) = &v.persistent_volume_claim {
            field(
                "Type",
                "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
            );
            field("ClaimName", &c.claim_name);
            field("ReadOnly", &(c.read_only == Some(true)).to_string());
        } else if let Some(h) = &v.host_path {
            field("Type", "HostPath (bare host directory volume)");
            field("Path", &h.path);
            field("HostPathType", h.type_.as_deref().unwrap_or_default());
        } else if let Some(p) = &v.projected {
            field("Type", "Projected (a volume that contains injected data from multiple sources)");
            for source in p.sources.iter().flatten() {
                if let Some(t) = &source.service_account_token {
                    field("TokenExpirationSeconds", &t.expiration_seconds.unwrap_or(3600).to_string());
                } else if let Some(m) = &source.config_map {
                    field("ConfigMapName", &m.name);
                    field("Optional", &(m.optional == Some(true)).to_string());
                } else if let Some(s) = &source.secret {
                    field("SecretName", &s.name);
                    field("Optional", &(s.optional == Some(true)).to_string());
                } else if source.downward_api.is_some() {
                    field("DownwardAPI", "true");
                }
            }
        } else {
            field("Type", "<unknown>");
        }
    }
}

pub(super) fn tolerations(w: &mut Writer, tolerations: &[Toleration], space: &str) {
    if tolerations.is_empty() {
        return w.raw(&format!("{space}Tolerations:\t<none>"));
    }
    let mut lines: Vec<String> = tolerations.iter().map(toleration).collect();
    order::sort(&mut lines);
    for (i, line) in lines.iter().enumerate() {
        let head = if i == 0 { "Tolerations:" } else { "" };
        w.raw(&format!("{space}{head}\t{line}"));
    }
}

fn toleration(t: &Toleration) -> String {
    let mut text = t.key.clone().unwrap_or_default();
    if let Some(v) = t.value.as_deref().filter(|v| !v.is_empty()) {
        text.push('=');
        text.push_str(v);
    }
    if let Some(e) = t.effect.as_deref().filter(|e| !e.is_empty()) {
        text.push(':');
        text.push_str(e);
    }
    if t.operator.as_deref() == Some("Exists") && t.value.as_deref().unwrap_or_default().is_empty() {
        text.push_str(if t.key.is_some() || t.effect.is_some() { " op=Exists" } else { "op=Exists" });
    }
    if let Some(s) = t.toleration_seconds {
        text.push_str(&format!(" for {s}s"));
    }
    text
}
