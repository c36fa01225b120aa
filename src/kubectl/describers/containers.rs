//! Containers, and where pods may run, in descriptions.

use serde_json::Value;

use super::super::resource_value::resource_value;
use super::Writer;
use crate::api::quote::go_quote;
use crate::api::types::{
    Container, ContainerState, ContainerStatus, EnvVarSource, Pod, Probe, ResourceRequirements,
    SeccompProfile, Toleration, TopologySpreadConstraint,
};
use crate::api::{intstr, labels, order};

/// Whose containers are described.
#[derive(Clone, Copy)]
pub(super) enum Of<'a> {
    /// A pod template's: they stand two blanks further in.
    Template,
    /// A pod's: variables show the values that they take from the pod.
    Pod(&'a Pod),
}

impl Of<'_> {
    fn space(self) -> &'static str {
        match self {
            Of::Template => "  ",
            Of::Pod(_) => "",
        }
    }

    /// The value of a field of the pod. kubectl knows no other names of a pod's fields than these.
    fn value(self, path: &str) -> String {
        match (self, path) {
            (Of::Pod(pod), "metadata.name") => pod.metadata.name.clone().unwrap_or_default(),
            (Of::Pod(pod), "metadata.namespace") => pod.metadata.namespace.clone().unwrap_or_default(),
            _ => String::new(),
        }
    }
}

/// Every container; `states` are those of a running pod.
pub(super) fn all(
    w: &mut Writer,
    title: &str,
    containers: &[Container],
    states: &[ContainerStatus],
    of: Of<'_>,
) {
    let none = if containers.is_empty() { " <none>" } else { "" };
    w.line(0, &format!("{}{title}:{none}", of.space()));
    for c in containers {
        let status = states.iter().find(|s| s.name == c.name);
        one(w, c, status, of);
    }
}

fn one(w: &mut Writer, c: &Container, status: Option<&ContainerStatus>, of: Of<'_>) {
    w.line(1, &format!("{}{}:", if of.space().is_empty() { "" } else { " " }, c.name));
    if let Some(s) = status {
        w.line(2, &format!("Container ID:\t{}", s.container_id.as_deref().unwrap_or_default()));
    }
    w.line(2, &format!("Image:\t{}", c.image.as_deref().unwrap_or_default()));
    if let Some(s) = status {
        w.line(2, &format!("Image ID:\t{}", s.image_id));
    }
    ports(w, c);
    seccomp(w, 2, 3, c.security_context.as_ref().and_then(|s| s.seccomp_profile.as_ref()));
    for (name, words) in [("Command", &c.command), ("Args", &c.args)] {
        if let Some(words) = words.as_ref().filter(|w| !w.is_empty()) {
            w.line(2, &format!("{name}:"));
            words.iter().flat_map(|w| w.split('\n')).for_each(|word| w.line(3, word));
        }
    }
    if let Some(s) = status {
        state(w, "State", s.state.as_ref());
        if s.last_state.as_ref().is_some_and(|l| l.terminated.is_some()) {
            state(w, "Last State", s.last_state.as_ref());
        }
        w.line(2, &format!("Ready:\t{}", if s.ready { "True" } else { "False" }));
        w.line(2, &format!("Restart Count:\t{}", s.restart_count));
    }
    resources(w, 2, c.resources.as_ref());
    for (name, p) in
        [("Liveness", &c.liveness_probe), ("Readiness", &c.readiness_probe), ("Startup", &c.startup_probe)]
    {
        if let Some(p) = p {
            w.line(2, &format!("{name}:\t{}", probe(p)));
        }
    }
    environment(w, c, of);
    mounts(w, c);
}

fn mounts(w: &mut Writer, c: &Container) {
    let mut mounts = c.volume_mounts.clone().unwrap_or_default();
    let none = if mounts.is_empty() { "\t<none>" } else { "" };
    w.line(2, &format!("Mounts:{none}"));
    order::sort_by_key(&mut mounts, |m| m.mount_path.clone());
    for m in mounts {
        let mut flags = vec![if m.read_only == Some(true) { "ro" } else { "rw" }.to_owned()];
        flags.extend(
            m.sub_path.as_ref().filter(|p| !p.is_empty()).map(|p| format!("path={p}", p = go_quote(p))),
        );
        w.line(3, &format!("{} from {} ({})", m.mount_path, m.name, flags.join(",")));
    }
    let mut devices = c.volume_devices.clone().unwrap_or_default();
    if !devices.is_empty() {
        w.line(2, &format!("Devices:{none}"));
        order::sort_by_key(&mut devices, |d| d.device_path.clone());
        devices.iter().for_each(|d| w.line(3, &format!("{} from {}", d.device_path, d.name)));
    }
}

/// A seccomp profile, and at another level its file.
pub(super) fn seccomp(w: &mut Writer, level: usize, below: usize, profile: Option<&SeccompProfile>) {
    let Some(profile) = profile else { return };
    w.line(level, &format!("SeccompProfile:\t{}", profile.type_));
    if profile.type_ == "Localhost" {
        let file = profile.localhost_profile.as_deref().unwrap_or_default();
        w.line(below, &format!("LocalhostProfile:\t{file}"));
    }
}

fn ports(w: &mut Writer, c: &Container) {
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
    w.line(2, &format!("Port{s}:\t{}", text(own)));
    w.line(2, &format!("Host Port{s}:\t{}", text(host)));
}

fn state(w: &mut Writer, title: &str, state: Option<&ContainerState>) {
    let mut line = |name: &str, value: &str| w.line(2, &format!("{name}:\t{value}"));
    let none = ContainerState::default();
    let state = state.unwrap_or(&none);
    if let Some(r) = &state.running {
        line(title, "Running");
        line("  Started", &super::instant(r.started_at.as_ref()));
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
        line("  Started", &super::instant(t.started_at.as_ref()));
        line("  Finished", &super::instant(t.finished_at.as_ref()));
    } else {
        line(title, "Waiting");
    }
}

/// Limits and requests.
pub(super) fn resources(w: &mut Writer, level: usize, resources: Option<&ResourceRequirements>) {
    let Some(resources) = resources else { return };
    for (name, map) in [("Limits", &resources.limits), ("Requests", &resources.requests)] {
        let Some(map) = map.as_ref().filter(|m| !m.is_empty()) else { continue };
        w.line(level, &format!("{name}:"));
        map.iter().for_each(|(resource, q)| w.line(level + 1, &format!("{resource}:\t{}", q.0)));
    }
}

fn environment(w: &mut Writer, c: &Container, of: Of<'_>) {
    if let Some(from) = c.env_from.as_deref().filter(|f| !f.is_empty()) {
        w.line(2, "Environment Variables from:");
        for f in from {
            let (name, kind, optional) = match (&f.config_map_ref, &f.secret_ref) {
                (Some(m), _) => (m.name.as_str(), "ConfigMap", m.optional),
                (None, Some(s)) => (s.name.as_str(), "Secret", s.optional),
                (None, None) => ("", "", None),
            };
            let prefix = f.prefix.as_deref().filter(|p| !p.is_empty());
            let prefix = prefix.map_or(String::new(), |p| format!(" with prefix '{p}'"));
            w.line(3, &format!("{name}\t{kind}{prefix}\tOptional: {}", optional.unwrap_or(false)));
        }
    }
    let vars = c.env.as_deref().unwrap_or_default();
    let none = if vars.is_empty() { "\t<none>" } else { "" };
    w.line(2, &format!("Environment:{none}"));
    let resources = c.resources.as_ref().map(crate::api::to_value).unwrap_or_default();
    for v in vars {
        match &v.value_from {
            Some(from) => {
                if let Some(text) = variable(from, &resources, of) {
                    w.line(3, &format!("{}:\t{text}", v.name));
                }
            }
            None => {
                for (i, line) in v.value.as_deref().unwrap_or_default().split('\n').enumerate() {
                    let name = if i == 0 { format!("{}:", v.name) } else { String::new() };
                    w.line(3, &format!("{name}\t{line}"));
                }
            }
        }
    }
}

/// What a variable takes its value from; `None` for a source that kubectl does not show.
fn variable(from: &EnvVarSource, resources: &Value, of: Of<'_>) -> Option<String> {
    if let Some(f) = &from.field_ref {
        let version = f.api_version.as_deref().unwrap_or("v1");
        return Some(format!("{} ({version}:{})", of.value(&f.field_path), f.field_path));
    }
    if let Some(r) = &from.resource_field_ref {
        let divisor = r.divisor.as_ref().map_or("0", |q| q.0.as_str());
        let mut value = resource_value(Some(resources), &r.resource, divisor).unwrap_or_default();
        if value == "0" && matches!(r.resource.as_str(), "limits.cpu" | "limits.memory") {
            value = "node allocatable".to_owned();
        }
        return Some(format!("{value} ({})", r.resource));
    }
    if let Some(s) = &from.secret_key_ref {
        let optional = s.optional == Some(true);
        return Some(format!("<set to the key '{}' in secret '{}'>\tOptional: {optional}", s.key, s.name));
    }
    let m = from.config_map_key_ref.as_ref()?;
    let optional = m.optional == Some(true);
    Some(format!("<set to the key '{}' of config map '{}'>\tOptional: {optional}", m.key, m.name))
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
        let path = h.path.as_deref().unwrap_or_default().replace('%', "%25").replace(' ', "%20");
        let path = path.replace('?', "%3F").replace('#', "%23");
        let path = if path.is_empty() || path.starts_with('/') { path } else { format!("/{path}") };
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

pub(super) fn tolerations(w: &mut Writer, tolerations: &[Toleration], space: &str) {
    if tolerations.is_empty() {
        return w.line(0, &format!("{space}Tolerations:\t<none>"));
    }
    let mut sorted = tolerations.to_vec();
    order::sort_by_key(&mut sorted, |t| t.key.clone().unwrap_or_default());
    for (i, t) in sorted.iter().enumerate() {
        let head = if i == 0 { "Tolerations:" } else { "" };
        w.line(0, &format!("{space}{head}\t{}", toleration(t)));
    }
}

/// How pods are to be spread.
pub(super) fn spread(w: &mut Writer, constraints: &[TopologySpreadConstraint], space: &str) {
    let mut sorted = constraints.to_vec();
    order::sort_by_key(&mut sorted, |c| c.topology_key.clone());
    for (i, c) in sorted.iter().enumerate() {
        let head = if i == 0 { "Topology Spread Constraints:" } else { "" };
        let selector = c.label_selector.as_ref();
        let selector = selector
            .map_or_else(String::new, |s| format!(" for selector {}", labels::format_label_selector(s)));
        w.line(
            0,
            &format!(
                "{space}{head}\t{}:{} when max skew {} is exceeded{selector}",
                c.topology_key, c.when_unsatisfiable, c.max_skew
            ),
        );
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
        text.push_str(if text.is_empty() { "op=Exists" } else { " op=Exists" });
    }
    if let Some(s) = t.toleration_seconds {
        text.push_str(&format!(" for {s}s"));
    }
    text
}
