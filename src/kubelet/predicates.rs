//! What keeps a pod from running on a node, beside what it asks for: the node's labels, its taints, its ports, its system, and
//! settings of its kernel (`pkg/kubelet/lifecycle/predicate.go`, `pkg/scheduler/scheduler.go`: `AdmissionCheck`;
//! `pkg/kubelet/sysctl/allowlist.go`).

use super::state::{PodRuntime, WorkerPhase};
use super::turn::Turn;
use crate::api::node_selector::RequiredNodeAffinity;
use crate::api::quote::go_quote;
use crate::api::resource::{Amounts, add, is_extended, is_huge_page, pod_resources};
use crate::api::toleration::tolerates;
use crate::api::types::{ContainerPort, Node, PodSpec};
use crate::api::well_known::CONFIG_SOURCE_ANNOTATION;
use crate::api::{Key, MetaExt};

/// The reason of a pod's status and of the event, and the message.
pub(super) type Refusal = (&'static str, String);

/// The operating system of every node.
const SYSTEM: &str = "linux";
/// The label that says it (`v1.LabelOSStable`).
const SYSTEM_LABEL: &str = "kubernetes.io/os";

/// The settings of the kernel that every pod may change (`pkg/kubelet/sysctl/safe_sysctls.go`), on a recent kernel.
const SAFE_SYSCTLS: [&str; 12] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
];
/// What the kernel keeps for each group of processes that share memory (`component-helpers/node/util/sysctl/namespace.go`).
const OF_IPC: [&str; 4] = ["kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue."];

/// A setting's name with dots between its parts, however it is written (`NormalizeName`).
fn with_dots(name: &str) -> String {
    match name.find(['.', '/']) {
        Some(at) if name.get(at..).is_some_and(|rest| rest.starts_with('/')) => {
            let turned = |c: char| match c {
                '/' => '.',
                '.' => '/',
                c => c,
            };
            name.chars().map(turned).collect()
        }
        _ => name.to_owned(),
    }
}

/// The ports of the node that a pod takes for itself: protocol, address, number.
fn host_ports(spec: &PodSpec) -> impl Iterator<Item = (&str, &str, i32)> {
    let sidecar = |c: &&crate::api::types::Container| c.restart_policy.as_deref() == Some("Always");
    let sidecars = spec.init_containers.iter().flatten().filter(sidecar);
    let port = |p: &'_ ContainerPort| p.host_port.filter(|n| *n > 0);
    spec.containers.iter().chain(sidecars).flat_map(|c| c.ports.iter().flatten()).filter_map(move |p| {
        let protocol = p.protocol.as_deref().filter(|t| !t.is_empty()).unwrap_or("TCP");
        let address = p.host_ip.as_deref().filter(|t| !t.is_empty()).unwrap_or("0.0.0.0");
        Some((protocol, address, port(p)?))
    })
}

fn collide(a: (&str, &str, i32), b: (&str, &str, i32)) -> bool {
    const ANY: &str = "0.0.0.0";
    (a.0, a.2) == (b.0, b.2) && (a.1 == b.1 || a.1 == ANY || b.1 == ANY)
}

/// Whether a pod counts as one of the node's when another one comes.
fn counts(rt: &PodRuntime) -> bool {
    rt.requests.is_some() && rt.phase != WorkerPhase::Terminated
}

impl Turn<'_> {
    /// The pods that are on the node already, by their specs.
    fn others(&self) -> impl Iterator<Item = &PodSpec> {
        let own = MetaExt::key(&self.pod.metadata);
        let others = self.pods.iter().filter(move |(key, rt)| **key != own && counts(rt));
        others.filter_map(|(key, rt): (&Key, _)| rt.pod(key, self.caches)?.spec.as_deref())
    }

    /// Why a pod's settings of the kernel forbid it; `None` if they do not. `allowed` are those that the kubelet was told to
    /// allow, which can end in `*`.
    pub(super) fn forbidden_sysctl(&self, allowed: &[String]) -> Option<Refusal> {
        let asked = self.spec.security_context.as_ref()?.sysctls.as_ref()?;
        let host = |on: Option<bool>| on == Some(true);
        let why = |name: &str| {
            let name = with_dots(name);
            let known = SAFE_SYSCTLS.contains(&name.as_str())
                || allowed.iter().map(|a| with_dots(a)).any(|a| match a.strip_suffix('*') {
                    Some(prefix) => name.starts_with(prefix),
                    None => a == name,
                });
            let of_host = |what: &str| format!("{} not allowed with host {what} enabled", go_quote(&name));
            match () {
                () if !known => Some(format!("{} not allowlisted", go_quote(&name))),
                () if host(self.spec.host_ipc) && OF_IPC.iter().any(|p| name.starts_with(p)) => {
                    Some(of_host("ipc"))
                }
                () if host(self.spec.host_network) && name.starts_with("net.") => Some(of_host("net")),
                () => None,
            }
        };
        let why = asked.iter().find_map(|s| why(&s.name))?;
        Some(("SysctlForbidden", format!("forbidden sysctl: {why}")))
    }

    /// Why the pod is for another operating system than the node's; `None` if it is not.
    pub(super) fn wrong_system(&self) -> Option<Refusal> {
        let label = self.pod.metadata.labels_or_empty().get(SYSTEM_LABEL);
        if label.is_some_and(|os| os != SYSTEM) {
            let told = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
            return Some(("PodOSSelectorNodeLabelDoesNotMatch", told.into()));
        }
        let field = self.spec.os.as_ref().is_some_and(|os| os.name != SYSTEM);
        field.then(|| {
            ("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS".into())
        })
    }

    /// Which predicate fails, apart from those of resources; `None` if none does.
    pub(super) fn failed_predicate(&self, node: &Node) -> Option<Refusal> {
        let failed = |name: &'static str, why: &str| Some((name, format!("Predicate {name} failed: {why}")));
        if !RequiredNodeAffinity::of(self.pod).matches(node) {
            return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
        }
        let ports: Vec<_> = host_ports(self.spec).collect();
        let taken = |of: &PodSpec| host_ports(of).any(|theirs| ports.iter().any(|own| collide(*own, theirs)));
        if !ports.is_empty() && self.others().any(taken) {
            return failed("NodePorts", "node(s) didn't have free ports for the requested pod ports");
        }
        let is_static = self.pod.metadata.annotation(CONFIG_SOURCE_ANNOTATION).is_some_and(|s| s != "api");
        let taints = node.spec.as_ref().and_then(|s| s.taints.as_deref()).unwrap_or_default();
        let mut hard = taints.iter().filter(|t| t.effect == "NoExecute");
        let untolerated =
            hard.any(|taint| !self.spec.tolerations.iter().flatten().any(|t| tolerates(t, taint)));
        if untolerated && !is_static {
            return failed("TaintToleration", "node(s) had taints that the pod didn't tolerate");
        }
        None
    }

    /// The extended resource, or huge pages, of which the pod asks for more than the node has left: its name, and how much is
    /// asked for, used and there. A resource that the node does not have at all is not checked.
    pub(super) fn short_of_extended(&self, node: &Node) -> Option<(String, [i64; 3])> {
        let has = node.status.as_ref()?.allocatable.as_ref()?;
        let asked: Vec<_> = pod_resources(self.spec, false)
            .into_iter()
            .filter(|(name, _)| (is_extended(name) || is_huge_page(name)) && has.contains_key(name))
            .collect();
        if asked.is_empty() {
            return None;
        }
        let mut used = Amounts::new();
        self.others().for_each(|other| add(&mut used, &pod_resources(other, false)));
        asked.into_iter().find_map(|(name, amount)| {
            let there = crate::api::quantity::amount_of(has.get(&name)).value();
            let [asked, used] = [amount.value(), used.get(&name).map_or(0, |a| a.value())];
            (asked > 0 && asked.saturating_add(used) > there).then_some((name, [asked, used, there]))
        })
    }
}
