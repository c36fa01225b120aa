//! Pods and their templates (`k8s.io/kubernetes/pkg/api/pod/warnings.go`).

use std::collections::{BTreeMap, BTreeSet};

use crate::api::MetaExt;
use crate::api::pod::app_armor_profile;
use crate::api::quote::go_quote;
use crate::api::types as t;
use crate::api::well_known::{
    APP_ARMOR_ANNOTATION_PREFIX, SECCOMP_CONTAINER_ANNOTATION_PREFIX, SECCOMP_POD_ANNOTATION,
};
use crate::apiserver::validation::Path;

use super::{claim_spec, deprecated_label, fraction, ip, node_term, overlap};

const NO_SELECTOR: &str = "a null labelSelector results in matching no pod";

/// Warns of the pod template at `path`.
pub(in crate::apiserver) fn template(out: &mut Vec<String>, template: &t::PodTemplateSpec, path: &Path) {
    let (none, none_spec) = (t::ObjectMeta::default(), t::PodSpec::default());
    let meta = template.metadata.as_ref().unwrap_or(&none);
    spec(out, template.spec.as_ref().unwrap_or(&none_spec), meta, Some(path));
}

/// Warns of the pod template of an object that is created.
pub(in crate::apiserver) fn on_create(out: &mut Vec<String>, found: Option<&t::PodTemplateSpec>) {
    if let Some(found) = found {
        template(out, found, &Path::new("spec").child("template"));
    }
}

/// Warns of the pod template of an object that is created, and of the object's name if pods and hosts cannot have it.
pub(in crate::apiserver) fn on_create_named(
    out: &mut Vec<String>,
    name: &str,
    found: Option<&t::PodTemplateSpec>,
) {
    if found.is_some() {
        super::label_name(out, name, "Pod names and hostnames");
    }
    on_create(out, found);
}

/// Warns of the pod template of an object that is updated, if the update changes the spec.
pub(in crate::apiserver) fn on_update(
    out: &mut Vec<String>,
    found: Option<&t::PodTemplateSpec>,
    meta: &t::ObjectMeta,
    old: &t::ObjectMeta,
) {
    if meta.generation() != old.generation() {
        on_create(out, found);
    }
}

/// Warns of the spec of a Pod or, if `path` is given, of the pod template there.
pub(in crate::apiserver) fn spec(
    out: &mut Vec<String>,
    spec: &t::PodSpec,
    meta: &t::ObjectMeta,
    path: Option<&Path>,
) {
    let root = path.cloned().unwrap_or_else(|| Path::new(""));
    let at = root.child("spec");
    let annotations = root.child("metadata").child("annotations");
    placement(out, spec, &at);
    let has = |key: &str| meta.annotations.as_ref().is_some_and(|a| a.contains_key(key));
    for (key, why) in [
        (
            "scheduler.alpha.kubernetes.io/critical-pod",
            r#"non-functional in v1.16+; use the "priorityClassName" field instead"#,
        ),
        (
            "security.alpha.kubernetes.io/sysctls",
            r#"non-functional in v1.11+; use the "sysctls" field instead"#,
        ),
        (
            "security.alpha.kubernetes.io/unsafe-sysctls",
            r#"non-functional in v1.11+; use the "sysctls" field instead"#,
        ),
    ] {
        if has(key) {
            out.push(format!("{}: {why}", annotations.key(key)));
        }
    }
    volumes(out, spec, &at);
    overlap::volumes(out, spec.volumes.as_deref().unwrap_or_default());
    aliases_and_secrets(out, spec, &at);
    for name in ["memory", "ephemeral-storage"] {
        fraction(out, spec.overhead.as_ref(), name, &at.child("overhead"));
    }
    let context = spec.security_context.as_ref();
    let seccomp = r#"non-functional in v1.27+; use the "seccompProfile" field instead"#;
    if context.is_none_or(|c| c.seccomp_profile.is_none()) && has(SECCOMP_POD_ANNOTATION) {
        out.push(format!("{}: {seccomp}", annotations.key(SECCOMP_POD_ANNOTATION)));
    }
    let pod_armor = context.and_then(|c| c.app_armor_profile.as_ref());
    each_container(spec, &at, |c, at| {
        let context = c.security_context;
        let key = format!("{SECCOMP_CONTAINER_ANNOTATION_PREFIX}{}", c.name);
        if context.is_none_or(|c| c.seccomp_profile.is_none()) && has(&key) {
            out.push(format!("{}: {seccomp}", annotations.key(&key)));
        }
        let key = format!("{APP_ARMOR_ANNOTATION_PREFIX}{}", c.name);
        let armor = context.is_some_and(|c| c.app_armor_profile.is_some());
        let annotation = meta.annotation(&key).filter(|_| !armor);
        // The annotation may say what the pod's profile says. For a Pod the strategy warns when it turns the annotation into a
        // field.
        if path.is_some()
            && let Some(annotation) = annotation
            && (pod_armor.is_none() || pod_armor != app_armor_profile(annotation).as_ref())
        {
            out.push(format!(
                r#"{}: deprecated since v1.30; use the "appArmorProfile" field instead"#,
                annotations.key(&key)
            ));
        }
        if let Some(r) = c.resources {
            for name in ["memory", "ephemeral-storage"] {
                for (part, map) in [("limits", &r.limits), ("requests", &r.requests)] {
                    fraction(out, map.as_ref(), name, &at.child("resources").child(part));
                }
            }
        }
        hidden_variables(out, c.env, &at.child("env"));
    });
    ports(out, spec, &at);
    if spec.termination_grace_period_seconds.is_some_and(|s| s < 0) {
        out.push(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            at.child("terminationGracePeriodSeconds")
        ));
    }
    pod_affinity(out, spec, &at.child("affinity"));
    let servers = spec.dns_config.iter().flat_map(|c| c.nameservers.iter().flatten());
    for (i, server) in servers.enumerate() {
        ip(out, server, &at.child("dnsConfig").child("nameservers").index(i));
    }
    for (i, alias) in spec.host_aliases.iter().flatten().enumerate() {
        ip(out, &alias.ip, &at.child("hostAliases").index(i).child("ip"));
    }
}

/// Warns of node labels that are deprecated.
fn placement(out: &mut Vec<String>, spec: &t::PodSpec, at: &Path) {
    for key in spec.node_selector.iter().flat_map(|s| s.keys()) {
        if let Some(why) = deprecated_label(key) {
            out.push(format!("{}: {why}", at.child("nodeSelector").key(key)));
        }
    }
    let affinity = spec.affinity.as_ref().and_then(|a| a.node_affinity.as_ref());
    if let Some(affinity) = affinity {
        let path = at.child("affinity").child("nodeAffinity");
        let terms = path.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
        let required = affinity.required_during_scheduling_ignored_during_execution.iter();
        for (i, term) in required.flat_map(|r| &r.node_selector_terms).enumerate() {
            node_term(out, term, false, &terms.index(i));
        }
        let terms = path.child("preferredDuringSchedulingIgnoredDuringExecution");
        let preferred = affinity.preferred_during_scheduling_ignored_during_execution.iter().flatten();
        for (i, term) in preferred.enumerate() {
            node_term(out, &term.preference, true, &terms.index(i).child("preference"));
        }
    }
    for (i, constraint) in spec.topology_spread_constraints.iter().flatten().enumerate() {
        let at = at.child("topologySpreadConstraints").index(i);
        let key = &constraint.topology_key;
        if let Some(why) = deprecated_label(key) {
            out.push(format!("{}: {key} is {why}", at.child("topologyKey")));
        }
        if constraint.label_selector.is_none() {
            out.push(format!("{}: {NO_SELECTOR}", at.child("labelSelector")));
        }
    }
}

fn volumes(out: &mut Vec<String>, spec: &t::PodSpec, at: &Path) {
    for (i, v) in spec.volumes.iter().flatten().enumerate() {
        let at = at.child("volumes").index(i);
        for (name, since, set) in [
            (
                "photonPersistentDisk",
                "deprecated in v1.11, non-functional in v1.16+",
                v.photon_persistent_disk.is_some(),
            ),
            ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+", v.git_repo.is_some()),
            ("scaleIO", "deprecated in v1.16, non-functional in v1.22+", v.scale_io.is_some()),
            ("flocker", "deprecated in v1.22, non-functional in v1.25+", v.flocker.is_some()),
            ("storageOS", "deprecated in v1.22, non-functional in v1.25+", v.storageos.is_some()),
            ("quobyte", "deprecated in v1.22, non-functional in v1.25+", v.quobyte.is_some()),
            ("glusterfs", "deprecated in v1.25, non-functional in v1.26+", v.glusterfs.is_some()),
        ] {
            if set {
                out.push(format!("{}: {since}", at.child(name)));
            }
        }
        if let Some(template) = v.ephemeral.as_ref().and_then(|e| e.volume_claim_template.as_ref()) {
            let at = at.child("ephemeral").child("volumeClaimTemplate").child("spec");
            claim_spec(out, &template.spec, &at);
        }
        for (name, set) in [("cephfs", v.cephfs.is_some()), ("rbd", v.rbd.is_some())] {
            if set {
                out.push(format!("{}: deprecated in v1.28, non-functional in v1.31+", at.child(name)));
            }
        }
    }
}

fn aliases_and_secrets(out: &mut Vec<String>, spec: &t::PodSpec, at: &Path) {
    let mut seen = BTreeSet::new();
    for (i, alias) in spec.host_aliases.iter().flatten().enumerate() {
        if !seen.insert(&alias.ip) {
            out.push(format!(
                "{}: duplicate ip {}",
                at.child("hostAliases").index(i).child("ip"),
                go_quote(&alias.ip)
            ));
        }
    }
    let secrets = spec.image_pull_secrets.as_deref().unwrap_or_default();
    let at = |i: usize| at.child("imagePullSecrets").index(i).child("name");
    let mut seen = BTreeSet::new();
    for (i, secret) in secrets.iter().enumerate() {
        if !seen.insert(&secret.name) {
            out.push(format!("{}: duplicate name {}", at(i), go_quote(&secret.name)));
        }
    }
    for (i, secret) in secrets.iter().enumerate().filter(|(_, s)| s.name.is_empty()) {
        out.push(format!("{}: invalid empty name {}", at(i), go_quote(&secret.name)));
    }
}

/// The fields of a container, an init container or an ephemeral container that warnings are about.
struct AnyContainer<'a> {
    name: &'a str,
    env: &'a [t::EnvVar],
    ports: &'a [t::ContainerPort],
    resources: Option<&'a t::ResourceRequirements>,
    security_context: Option<&'a t::SecurityContext>,
}

/// Calls `f` with each container: init containers first, then containers, then ephemeral containers.
fn each_container<'a>(spec: &'a t::PodSpec, at: &Path, mut f: impl FnMut(AnyContainer<'a>, &Path)) {
    let sorts = [
        ("initContainers", spec.init_containers.as_deref().unwrap_or_default()),
        ("containers", spec.containers.as_slice()),
    ];
    for (sort, containers) in sorts {
        for (i, c) in containers.iter().enumerate() {
            let any = AnyContainer {
                name: &c.name,
                env: c.env.as_deref().unwrap_or_default(),
                ports: c.ports.as_deref().unwrap_or_default(),
                resources: c.resources.as_ref(),
                security_context: c.security_context.as_ref(),
            };
            f(any, &at.child(sort).index(i));
        }
    }
    for (i, c) in spec.ephemeral_containers.iter().flatten().enumerate() {
        let any = AnyContainer {
            name: &c.name,
            env: c.env.as_deref().unwrap_or_default(),
            ports: c.ports.as_deref().unwrap_or_default(),
            resources: c.resources.as_ref(),
            security_context: c.security_context.as_ref(),
        };
        f(any, &at.child("ephemeralContainers").index(i));
    }
}

/// Warns of a variable that is given twice and whose second value does not refer to the first.
fn hidden_variables(out: &mut Vec<String>, env: &[t::EnvVar], at: &Path) {
    let mut seen = BTreeSet::new();
    for (i, var) in env.iter().enumerate() {
        if seen.insert(&var.name) {
            continue;
        }
        let reference = format!("$({})", var.name);
        let value = var.value.as_deref().unwrap_or_default();
        if var.value_from.is_some() || value == reference || !value.contains(&reference) {
            out.push(format!(
                "{}: hides previous definition of {}, which may be dropped when using apply",
                at.index(i),
                go_quote(&var.name)
            ));
        }
    }
}

fn ports(out: &mut Vec<String>, spec: &t::PodSpec, at: &Path) {
    let mut all: BTreeMap<(i32, String), Vec<(Path, &t::ContainerPort)>> = BTreeMap::new();
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    each_container(spec, at, |c, at| {
        for (i, port) in c.ports.iter().enumerate() {
            let at = at.child("ports").index(i);
            let (address, host) = (text(&port.host_ip), port.host_port.unwrap_or(0));
            if !address.is_empty() && host == 0 {
                out.push(format!(
                    "{at}: hostIP set without hostPort: {{Name:{} HostPort:{host} ContainerPort:{} Protocol:{} HostIP:{address}}}",
                    text(&port.name),
                    port.container_port,
                    text(&port.protocol)
                ));
            }
            let others = all.entry((port.container_port, text(&port.protocol))).or_default();
            for (other_at, other) in others.iter() {
                let (other_address, other_host) = (text(&other.host_ip), other.host_port.unwrap_or(0));
                if address == other_address && host == other_host {
                    out.push(format!("{at}: duplicate port definition with {other_at}"));
                } else if host == 0 || other_host == 0 {
                    out.push(format!("{at}: overlapping port definition with {other_at}"));
                } else if host == other_host && address.is_empty() != other_address.is_empty() {
                    out.push(format!("{at}: dangerously ambiguous port definition with {other_at}"));
                }
            }
            others.push((at, port));
        }
    });
    let mut names: BTreeMap<&str, Path> = BTreeMap::new();
    each_container(spec, at, |c, at| {
        for (i, port) in c.ports.iter().enumerate() {
            let Some(name) = port.name.as_deref().filter(|n| !n.is_empty()) else { continue };
            let at = at.child("ports").index(i);
            if let Some(first) = names.get(name) {
                out.push(format!(
                    "{at}: duplicate port name {} with {first}, services and probes that select ports by name will use {first}",
                    go_quote(name)
                ));
            } else {
                names.insert(name, at);
            }
        }
    });
}

fn pod_affinity(out: &mut Vec<String>, spec: &t::PodSpec, at: &Path) {
    let Some(affinity) = &spec.affinity else { return };
    let mut terms = |required: &Option<Vec<t::PodAffinityTerm>>,
                     preferred: &Option<Vec<t::WeightedPodAffinityTerm>>,
                     at: Path| {
        let path = at.child("requiredDuringSchedulingIgnoredDuringExecution");
        for (i, _) in required.iter().flatten().enumerate().filter(|(_, t)| t.label_selector.is_none()) {
            out.push(format!("{}: {NO_SELECTOR}", path.index(i).child("labelSelector")));
        }
        let path = at.child("preferredDuringSchedulingIgnoredDuringExecution");
        let preferred = preferred.iter().flatten().enumerate();
        for (i, _) in preferred.filter(|(_, t)| t.pod_affinity_term.label_selector.is_none()) {
            let at = path.index(i).child("podAffinityTerm").child("labelSelector");
            out.push(format!("{at}: {NO_SELECTOR}"));
        }
    };
    if let Some(a) = &affinity.pod_affinity {
        terms(
            &a.required_during_scheduling_ignored_during_execution,
            &a.preferred_during_scheduling_ignored_during_execution,
            at.child("podAffinity"),
        );
    }
    if let Some(a) = &affinity.pod_anti_affinity {
        terms(
            &a.required_during_scheduling_ignored_during_execution,
            &a.preferred_during_scheduling_ignored_during_execution,
            at.child("podAntiAffinity"),
        );
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn of(value: serde_json::Value) -> Vec<String> {
        let mut out = Vec::new();
        spec(&mut out, &serde_json::from_value(value).unwrap(), &t::ObjectMeta::default(), None);
        out
    }

    #[test]
    fn a_variable_may_build_on_one_of_its_name_but_not_hide_it() {
        let env = |second: &str| json!({"containers": [{"name": "c", "env": [{"name": "A", "value": "1"}, {"name": "A", "value": second}]}]});
        assert!(of(env("$(A)2")).is_empty());
        assert_eq!(
            of(env("2")),
            [
                r#"spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply"#
            ]
        );
    }

    #[test]
    fn ports_that_meet() {
        let port = |host: i32, ip: &str| json!({"containerPort": 80, "protocol": "TCP", "hostPort": host, "hostIP": ip});
        let two = |a, b| json!({"initContainers": [{"name": "i", "ports": [a]}], "containers": [{"name": "c", "ports": [b]}]});
        let (first, second) = ("spec.initContainers[0].ports[0]", "spec.containers[0].ports[0]");
        for (value, what) in [
            (two(port(0, ""), port(0, "")), "duplicate"),
            (two(port(0, ""), port(80, "")), "overlapping"),
            (two(port(80, ""), port(80, "1.1.1.1")), "dangerously ambiguous"),
        ] {
            assert_eq!(of(value), [format!("{second}: {what} port definition with {first}")]);
        }
        assert_eq!(
            of(json!({"containers": [{"name": "c", "ports": [port(0, "1.1.1.1")]}]})),
            [
                "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}"
            ]
        );
    }

    /// `pkg/api/pod/warnings.go`, `warningsForPodSpecAndMeta`: the names of the ports of all containers.
    #[test]
    fn ports_of_one_name() {
        let port = |number: i32| json!({"name": "web", "containerPort": number, "protocol": "TCP"});
        let value = json!({
            "initContainers": [{"name": "i", "restartPolicy": "Always", "ports": [port(80)]}],
            "containers": [{"name": "c", "ports": [{"containerPort": 81}, port(82)]}]});
        let (first, second) = ("spec.initContainers[0].ports[0]", "spec.containers[0].ports[1]");
        assert_eq!(
            of(value),
            [format!(
                "{second}: duplicate port name \"web\" with {first}, services and probes that select ports by name will use {first}"
            )]
        );
    }

    #[test]
    fn what_selects_nothing_is_spoken_of() {
        let value = json!({
            "containers": [],
            "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "failure-domain.beta.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}],
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "k"}]}},
            "terminationGracePeriodSeconds": -1,
            "imagePullSecrets": [{"name": ""}],
        });
        assert_eq!(
            of(value),
            [
                r#"spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead"#,
                "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
                r#"spec.imagePullSecrets[0].name: invalid empty name """#,
                "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
                "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
            ]
        );
    }
}
