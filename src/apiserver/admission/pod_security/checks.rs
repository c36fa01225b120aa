//! The checks of the levels `baseline` and `restricted`, each with its revisions by version
//! (`k8s.io/pod-security-admission/policy`).

use std::collections::BTreeSet;

use super::policy::{Level, LevelVersion, Version};
use super::subject::{Container, Subject};
use crate::api::quote::go_quote;
use crate::api::types as t;
use crate::api::well_known::{
    APP_ARMOR_ANNOTATION_PREFIX, SECCOMP_CONTAINER_ANNOTATION_PREFIX, SECCOMP_POD_ANNOTATION,
};

/// What a check has against a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation {
    /// What it is, in a few words.
    pub(super) reason: &'static str,
    /// Which containers, volumes or values it is about.
    pub(super) detail: String,
}

/// What one revision of a check finds in a pod.
type Find = fn(&Subject) -> Option<Violation>;

/// A check, and what it looks like from which minor version on.
struct Check {
    level: Level,
    id: &'static str,
    /// The check of `baseline` in whose place it stands where `restricted` is asked for.
    overrides: &'static str,
    /// The revisions, oldest first.
    revisions: &'static [(i64, Find)],
}

/// The checks in the order in which their findings are told: those of `baseline` by their ids, then the others by theirs.
const CHECKS: &[Check] = &[
    baseline("appArmorProfile", &[(0, app_armor_profile)]),
    baseline("capabilities_baseline", &[(0, capabilities_baseline)]),
    baseline("hostNamespaces", &[(0, host_namespaces)]),
    baseline("hostPathVolumes", &[(0, host_path_volumes)]),
    baseline("hostPorts", &[(0, host_ports)]),
    baseline("hostProbesAndHostLifecycle", &[(34, host_probes)]),
    baseline("privileged", &[(0, privileged)]),
    baseline("procMount", &[(0, proc_mount), (35, |s| unless_user_namespace(s, proc_mount))]),
    baseline(
        "seLinuxOptions",
        &[(0, |s| se_linux(s, SELINUX_TYPES)), (31, |s| se_linux(s, SELINUX_TYPES_31))],
    ),
    baseline("seccompProfile_baseline", &[(0, seccomp_annotations), (19, seccomp_baseline)]),
    baseline(
        "sysctls",
        &[
            (0, |s| sysctls(s, &[SYSCTLS])),
            (27, |s| sysctls(s, &[SYSCTLS, SYSCTLS_27])),
            (29, |s| sysctls(s, &[SYSCTLS, SYSCTLS_27, SYSCTLS_29])),
            (32, |s| sysctls(s, &[SYSCTLS, SYSCTLS_27, SYSCTLS_29, SYSCTLS_32])),
        ],
    ),
    baseline("windowsHostProcess", &[(0, windows_host_process)]),
    restricted(
        "allowPrivilegeEscalation",
        "",
        &[(8, allow_privilege_escalation), (25, |s| unless_windows(s, allow_privilege_escalation))],
    ),
    restricted(
        "capabilities_restricted",
        "capabilities_baseline",
        &[(22, capabilities_restricted), (25, |s| unless_windows(s, capabilities_restricted))],
    ),
    restricted("procMount_restricted", "procMount", &[(35, proc_mount)]),
    restricted("restrictedVolumes", "hostPathVolumes", &[(0, restricted_volumes)]),
    restricted(
        "runAsNonRoot",
        "",
        &[(0, run_as_non_root), (35, |s| unless_user_namespace(s, run_as_non_root))],
    ),
    restricted("runAsUser", "", &[(23, run_as_user), (35, |s| unless_user_namespace(s, run_as_user))]),
    restricted(
        "seccompProfile_restricted",
        "seccompProfile_baseline",
        &[(19, seccomp_restricted), (25, |s| unless_windows(s, seccomp_restricted))],
    ),
];

const fn baseline(id: &'static str, revisions: &'static [(i64, Find)]) -> Check {
    Check { level: Level::Baseline, id, overrides: "", revisions }
}

const fn restricted(id: &'static str, overrides: &'static str, revisions: &'static [(i64, Find)]) -> Check {
    Check { level: Level::Restricted, id, overrides, revisions }
}

impl Check {
    /// The revision that a version has; `None` if the check is younger than it.
    fn revision(&self, version: Version) -> Option<Find> {
        let counts = |minor: i64| Version::Minor(minor) <= version;
        self.revisions.iter().rev().find(|(minor, _)| counts(*minor)).map(|(_, find)| *find)
    }
}

impl Subject<'_> {
    /// What the checks of a level find in the pod.
    pub(super) fn violations(&self, asked: LevelVersion) -> Vec<Violation> {
        let of_level: Vec<(&Check, Find)> = CHECKS
            .iter()
            .filter(|check| check.level <= asked.level)
            .filter_map(|check| Some((check, check.revision(asked.version)?)))
            .collect();
        let overridden: BTreeSet<&str> = of_level.iter().map(|(check, _)| check.overrides).collect();
        let counts = of_level.iter().filter(|(check, _)| !overridden.contains(check.id));
        counts.filter_map(|(_, find)| find(self)).collect()
    }

    /// The names of the containers for which something is so.
    fn named(&self, so: impl Fn(&Container) -> bool) -> Vec<&str> {
        self.containers.iter().filter(|c| so(c)).map(|c| c.name).collect()
    }

    fn pod_security(&self) -> Option<&t::PodSecurityContext> {
        self.spec.security_context.as_ref()
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations?.get(key).map(String::as_str)
    }
}

fn violation(reason: &'static str, detail: String) -> Option<Violation> {
    Some(Violation { reason, detail })
}

/// `"a", "b"`
fn quoted<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("\"{}\"", item.as_ref())).collect();
    items.join(", ")
}

fn plural<'a>(one: &'a str, many: &'a str, count: usize) -> &'a str {
    if count == 1 { one } else { many }
}

/// `container "a"`, `containers "a", "b"`
fn containers(names: &[&str]) -> String {
    format!("{} {}", plural("container", "containers", names.len()), quoted(names))
}

/// Who sets what may not be set: the pod, and these containers; `None` if nobody does.
fn setters(pod: bool, names: &[&str]) -> Option<String> {
    let mut setters = Vec::new();
    if pod {
        setters.push("pod".to_owned());
    }
    if !names.is_empty() {
        setters.push(containers(names));
    }
    (!setters.is_empty()).then(|| setters.join(" and "))
}

/// What a check finds unless the pod has a user namespace of its own (KEP-127).
fn unless_user_namespace(s: &Subject, find: Find) -> Option<Violation> {
    if s.spec.host_users == Some(false) { None } else { find(s) }
}

/// What a check finds unless the pod is one for Windows, which has no such field.
fn unless_windows(s: &Subject, find: Find) -> Option<Violation> {
    let windows = s.spec.os.as_ref().is_some_and(|os| os.name == "windows");
    if windows { None } else { find(s) }
}

/// `check_appArmorProfile.go`
fn app_armor_profile(s: &Subject) -> Option<Violation> {
    let mut values = BTreeSet::new();
    let mut is_bad = |profile: Option<&t::AppArmorProfile>| {
        let bad = profile
            .map(|p| p.type_.as_str())
            .filter(|type_| !matches!(*type_, "RuntimeDefault" | "Localhost"));
        bad.inspect(|type_| {
            values.insert((*type_).to_owned());
        })
        .is_some()
    };
    let pod = is_bad(s.pod_security().and_then(|c| c.app_armor_profile.as_ref()));
    let mut bad = Vec::new();
    for c in &s.containers {
        if is_bad(c.security.and_then(|c| c.app_armor_profile.as_ref())) {
            bad.push(c.name);
        }
    }
    let allowed = |value: &str| matches!(value, "" | "runtime/default") || value.starts_with("localhost/");
    let mut annotations: Vec<String> = s
        .annotations
        .into_iter()
        .flatten()
        .filter(|(key, value)| key.starts_with(APP_ARMOR_ANNOTATION_PREFIX) && !allowed(value))
        .map(|(key, value)| format!("{key}={}", go_quote(value)))
        .collect();
    annotations.sort();
    let of_annotations =
        (!annotations.is_empty()).then(|| plural("annotation", "annotations", annotations.len()).to_owned());
    let who: Vec<String> = setters(pod, &bad).into_iter().chain(of_annotations).collect();
    let values: Vec<String> = values.into_iter().chain(annotations).collect();
    if who.is_empty() {
        return None;
    }
    violation(
        plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.len()),
        format!("{} must not set AppArmor profile type to {}", who.join(" and "), quoted(values)),
    )
}

/// The capabilities that a container may add at the level `baseline`.
const CAPABILITIES: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// The capabilities that a container adds and may not.
fn added<'a>(c: &Container<'a>, allowed: &[&str]) -> Vec<&'a str> {
    let capabilities = c.security.and_then(|s| s.capabilities.as_ref());
    let added = capabilities.and_then(|c| c.add.as_ref()).into_iter().flatten();
    added.map(String::as_str).filter(|c| !allowed.contains(c)).collect()
}

/// Which containers add capabilities that they may not add, and which these are.
fn forbidden_capabilities(s: &Subject, allowed: &[&str]) -> Option<String> {
    let bad = s.named(|c| !added(c, allowed).is_empty());
    let capabilities: BTreeSet<&str> = s.containers.iter().flat_map(|c| added(c, allowed)).collect();
    (!bad.is_empty()).then(|| {
        format!(
            "{} must not include {} in securityContext.capabilities.add",
            containers(&bad),
            quoted(capabilities)
        )
    })
}

/// `check_capabilities_baseline.go`
fn capabilities_baseline(s: &Subject) -> Option<Violation> {
    forbidden_capabilities(s, CAPABILITIES).and_then(|detail| violation("non-default capabilities", detail))
}

/// `check_capabilities_restricted.go`
fn capabilities_restricted(s: &Subject) -> Option<Violation> {
    let dropped = |c: &Container| {
        let capabilities = c.security.and_then(|s| s.capabilities.as_ref());
        capabilities.and_then(|c| c.drop.as_ref()).is_some_and(|drop| drop.iter().any(|c| c == "ALL"))
    };
    let missing = s.named(|c| !dropped(c));
    let mut details = Vec::new();
    if !missing.is_empty() {
        details
            .push(format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", containers(&missing)));
    }
    details.extend(forbidden_capabilities(s, &["NET_BIND_SERVICE"]));
    if details.is_empty() { None } else { violation("unrestricted capabilities", details.join("; ")) }
}

/// `check_hostNamespaces.go`
fn host_namespaces(s: &Subject) -> Option<Violation> {
    let shared = [
        (s.spec.host_network, "hostNetwork=true"),
        (s.spec.host_pid, "hostPID=true"),
        (s.spec.host_ipc, "hostIPC=true"),
    ];
    let shared: Vec<&str> =
        shared.into_iter().filter(|(so, _)| *so == Some(true)).map(|(_, what)| what).collect();
    if shared.is_empty() { None } else { violation("host namespaces", shared.join(", ")) }
}

/// `check_hostPathVolumes.go`
fn host_path_volumes(s: &Subject) -> Option<Violation> {
    let volumes = s.spec.volumes.iter().flatten().filter(|v| v.host_path.is_some());
    let names: Vec<&str> = volumes.map(|v| v.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    violation("hostPath volumes", format!("{} {}", plural("volume", "volumes", names.len()), quoted(names)))
}

/// `check_hostPorts.go`
fn host_ports(s: &Subject) -> Option<Violation> {
    let of = |c: &Container| -> Vec<String> {
        let ports = c.ports.into_iter().flatten().filter_map(|p| p.host_port);
        ports.filter(|port| *port != 0).map(|port| port.to_string()).collect()
    };
    let bad = s.named(|c| !of(c).is_empty());
    // They are sorted as texts.
    let ports: BTreeSet<String> = s.containers.iter().flat_map(of).collect();
    if bad.is_empty() {
        return None;
    }
    let detail = format!(
        "{} {} {} {}",
        containers(&bad),
        plural("uses", "use", bad.len()),
        plural("hostPort", "hostPorts", ports.len()),
        ports.into_iter().collect::<Vec<_>>().join(", ")
    );
    violation("hostPort", detail)
}

/// `check_hostProbesAndhostLifecycle.go`
fn host_probes(s: &Subject) -> Option<Violation> {
    let of = |c: &Container| -> Vec<String> {
        let probes = c.probes.iter().flatten().map(|p| (p.http_get.as_ref(), p.tcp_socket.as_ref()));
        let handlers = c.lifecycle.into_iter().flat_map(|l| [l.post_start.as_ref(), l.pre_stop.as_ref()]);
        let handlers = handlers.flatten().map(|h| (h.http_get.as_ref(), h.tcp_socket.as_ref()));
        let hosts = probes
            .chain(handlers)
            .flat_map(|(http, tcp)| [http.and_then(|h| h.host.as_ref()), tcp.and_then(|t| t.host.as_ref())]);
        hosts.flatten().filter(|host| !host.is_empty()).cloned().collect()
    };
    let mut bad = s.named(|c| !of(c).is_empty());
    bad.sort_unstable();
    bad.dedup();
    let hosts: BTreeSet<String> = s.containers.iter().flat_map(of).collect();
    if bad.is_empty() {
        return None;
    }
    let detail = format!(
        "{} {} {} {}",
        containers(&bad),
        plural("uses", "use", bad.len()),
        plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.len()),
        quoted(hosts)
    );
    violation("probe or lifecycle host", detail)
}

/// `check_privileged.go`
fn privileged(s: &Subject) -> Option<Violation> {
    let bad = s.named(|c| c.security.and_then(|s| s.privileged) == Some(true));
    if bad.is_empty() {
        return None;
    }
    violation("privileged", format!("{} must not set securityContext.privileged=true", containers(&bad)))
}

/// `procMount_1_0` of `check_procMount_baseline.go`
fn proc_mount(s: &Subject) -> Option<Violation> {
    let of = |c: &Container| {
        let mount = c.security.and_then(|s| s.proc_mount.clone());
        mount.filter(|mount| mount != "Default")
    };
    let bad = s.named(|c| of(c).is_some());
    let mounts: BTreeSet<String> = s.containers.iter().filter_map(of).collect();
    if bad.is_empty() {
        return None;
    }
    let detail = format!("{} must not set securityContext.procMount to {}", containers(&bad), quoted(mounts));
    violation("procMount", detail)
}

/// The SELinux types that may be set.
const SELINUX_TYPES: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t"];
/// Those that may be set since the minor version 31.
const SELINUX_TYPES_31: &[&str] =
    &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

/// `check_seLinuxOptions.go`
fn se_linux(s: &Subject, allowed: &[&str]) -> Option<Violation> {
    fn set(text: &Option<String>) -> Option<&str> {
        text.as_deref().filter(|text| !text.is_empty())
    }
    let bad_type = |o: &t::SELinuxOptions| set(&o.type_).filter(|t| !allowed.contains(t)).map(str::to_owned);
    let is_bad =
        |o: &t::SELinuxOptions| bad_type(o).is_some() || set(&o.user).is_some() || set(&o.role).is_some();
    let of_pod = s.pod_security().and_then(|c| c.se_linux_options.as_ref());
    fn of<'a>(c: &Container<'a>) -> Option<&'a t::SELinuxOptions> {
        c.security.and_then(|s| s.se_linux_options.as_ref())
    }
    let who = setters(of_pod.is_some_and(is_bad), &s.named(|c| of(c).is_some_and(is_bad)))?;
    let all: Vec<&t::SELinuxOptions> = of_pod.into_iter().chain(s.containers.iter().filter_map(of)).collect();
    let types: BTreeSet<String> = all.iter().filter_map(|o| bad_type(o)).collect();
    let mut what = Vec::new();
    if !types.is_empty() {
        what.push(format!("{} {}", plural("type", "types", types.len()), quoted(types)));
    }
    if all.iter().any(|o| set(&o.user).is_some()) {
        what.push("user may not be set".to_owned());
    }
    if all.iter().any(|o| set(&o.role).is_some()) {
        what.push("role may not be set".to_owned());
    }
    let detail = format!("{who} set forbidden securityContext.seLinuxOptions: {}", what.join("; "));
    violation("seLinuxOptions", detail)
}

/// `seccompProfileBaseline_1_0` of `check_seccompProfile_baseline.go`
fn seccomp_annotations(s: &Subject) -> Option<Violation> {
    let allowed = |value: &str| {
        matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/")
    };
    let of_containers =
        s.containers.iter().map(|c| format!("{SECCOMP_CONTAINER_ANNOTATION_PREFIX}{}", c.name));
    let keys = std::iter::once(SECCOMP_POD_ANNOTATION.to_owned()).chain(of_containers);
    let forbidden: BTreeSet<String> = keys
        .filter_map(|key| {
            let value = s.annotation(&key).filter(|value| !allowed(value))?;
            Some(format!("{key}={}", go_quote(value)))
        })
        .collect();
    if forbidden.is_empty() {
        return None;
    }
    let detail = format!(
        "forbidden {} {}",
        plural("annotation", "annotations", forbidden.len()),
        forbidden.into_iter().collect::<Vec<_>>().join(", ")
    );
    violation("seccompProfile", detail)
}

/// The type of a seccomp profile that is not allowed.
fn bad_seccomp(profile: Option<&t::SeccompProfile>) -> Option<&str> {
    profile.map(|p| p.type_.as_str()).filter(|type_| !matches!(*type_, "RuntimeDefault" | "Localhost"))
}

fn seccomp_of<'a>(c: &Container<'a>) -> Option<&'a t::SeccompProfile> {
    c.security.and_then(|s| s.seccomp_profile.as_ref())
}

/// `seccompProfileBaseline_1_19` of `check_seccompProfile_baseline.go`
fn seccomp_baseline(s: &Subject) -> Option<Violation> {
    let of_pod = bad_seccomp(s.pod_security().and_then(|c| c.seccomp_profile.as_ref()));
    let who = setters(of_pod.is_some(), &s.named(|c| bad_seccomp(seccomp_of(c)).is_some()))?;
    let of_containers = s.containers.iter().filter_map(|c| bad_seccomp(seccomp_of(c)));
    let values: BTreeSet<&str> = of_pod.into_iter().chain(of_containers).collect();
    let detail = format!("{who} must not set securityContext.seccompProfile.type to {}", quoted(values));
    violation("seccompProfile", detail)
}

/// `check_seccompProfile_restricted.go`
fn seccomp_restricted(s: &Subject) -> Option<Violation> {
    let bad = seccomp_baseline(s);
    if bad.is_some() || s.pod_security().is_some_and(|c| c.seccomp_profile.is_some()) {
        return bad;
    }
    let without = s.named(|c| seccomp_of(c).is_none());
    if without.is_empty() {
        return None;
    }
    let detail = format!(
        "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
        containers(&without)
    );
    violation("seccompProfile", detail)
}

/// The sysctls that may be set.
const SYSCTLS: &[&str] = &[
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
];
/// Those that came with the minor version 27.
const SYSCTLS_27: &[&str] = &["net.ipv4.ip_local_reserved_ports"];
/// Those that came with the minor version 29.
const SYSCTLS_29: &[&str] = &[
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
];
/// Those that came with the minor version 32.
const SYSCTLS_32: &[&str] = &["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

/// `check_sysctls.go`
fn sysctls(s: &Subject, allowed: &[&[&str]]) -> Option<Violation> {
    let set =
        s.pod_security().and_then(|c| c.sysctls.as_ref()).into_iter().flatten().map(|s| s.name.as_str());
    let forbidden: Vec<&str> = set.filter(|name| !allowed.iter().any(|some| some.contains(name))).collect();
    if forbidden.is_empty() { None } else { violation("forbidden sysctls", forbidden.join(", ")) }
}

/// `check_windowsHostProcess.go`
fn windows_host_process(s: &Subject) -> Option<Violation> {
    let is_bad = |o: Option<&t::WindowsSecurityContextOptions>| o.and_then(|o| o.host_process) == Some(true);
    let pod = is_bad(s.pod_security().and_then(|c| c.windows_options.as_ref()));
    let who = setters(pod, &s.named(|c| is_bad(c.security.and_then(|s| s.windows_options.as_ref()))))?;
    violation("hostProcess", format!("{who} must not set securityContext.windowsOptions.hostProcess=true"))
}

/// `check_allowPrivilegeEscalation.go`
fn allow_privilege_escalation(s: &Subject) -> Option<Violation> {
    let bad = s.named(|c| c.security.and_then(|s| s.allow_privilege_escalation) != Some(false));
    if bad.is_empty() {
        return None;
    }
    let detail = format!("{} must set securityContext.allowPrivilegeEscalation=false", containers(&bad));
    violation("allowPrivilegeEscalation != false", detail)
}

/// The type of a volume that the level `restricted` does not allow; `None` if it does.
fn restricted_volume(v: &t::Volume) -> Option<&'static str> {
    let allowed = v.config_map.is_some()
        || v.csi.is_some()
        || v.downward_api.is_some()
        || v.empty_dir.is_some()
        || v.ephemeral.is_some()
        || v.image.is_some()
        || v.persistent_volume_claim.is_some()
        || v.projected.is_some()
        || v.secret.is_some();
    if allowed {
        return None;
    }
    let types = [
        (v.host_path.is_some(), "hostPath"),
        (v.gce_persistent_disk.is_some(), "gcePersistentDisk"),
        (v.aws_elastic_block_store.is_some(), "awsElasticBlockStore"),
        (v.git_repo.is_some(), "gitRepo"),
        (v.nfs.is_some(), "nfs"),
        (v.iscsi.is_some(), "iscsi"),
        (v.glusterfs.is_some(), "glusterfs"),
        (v.rbd.is_some(), "rbd"),
        (v.flex_volume.is_some(), "flexVolume"),
        (v.cinder.is_some(), "cinder"),
        (v.cephfs.is_some(), "cephfs"),
        (v.flocker.is_some(), "flocker"),
        (v.fc.is_some(), "fc"),
        (v.azure_file.is_some(), "azureFile"),
        (v.vsphere_volume.is_some(), "vsphereVolume"),
        (v.quobyte.is_some(), "quobyte"),
        (v.azure_disk.is_some(), "azureDisk"),
        (v.photon_persistent_disk.is_some(), "photonPersistentDisk"),
        (v.portworx_volume.is_some(), "portworxVolume"),
        (v.scale_io.is_some(), "scaleIO"),
        (v.storageos.is_some(), "storageos"),
    ];
    types.into_iter().find(|(so, _)| *so).map(|(_, name)| name).or(Some("unknown"))
}

/// `check_restrictedVolumes.go`
fn restricted_volumes(s: &Subject) -> Option<Violation> {
    let volumes =
        s.spec.volumes.iter().flatten().filter_map(|v| Some((v.name.as_str(), restricted_volume(v)?)));
    let (names, types): (Vec<&str>, BTreeSet<&str>) = volumes.unzip();
    if names.is_empty() {
        return None;
    }
    let detail = format!(
        "{} {} {} {} {}",
        plural("volume", "volumes", names.len()),
        quoted(&names),
        plural("uses", "use", names.len()),
        plural("restricted volume type", "restricted volume types", types.len()),
        quoted(types)
    );
    violation("restricted volume types", detail)
}

/// `check_runAsNonRoot.go`
fn run_as_non_root(s: &Subject) -> Option<Violation> {
    const REASON: &str = "runAsNonRoot != true";
    let of_pod = s.pod_security().and_then(|c| c.run_as_non_root);
    let of = |c: &Container| c.security.and_then(|s| s.run_as_non_root);
    if let Some(who) = setters(of_pod == Some(false), &s.named(|c| of(c) == Some(false))) {
        return violation(REASON, format!("{who} must not set securityContext.runAsNonRoot=false"));
    }
    let without = s.named(|c| of(c).is_none() && of_pod != Some(true));
    if without.is_empty() {
        return None;
    }
    violation(REASON, format!("pod or {} must set securityContext.runAsNonRoot=true", containers(&without)))
}

/// `check_runAsUser.go`
fn run_as_user(s: &Subject) -> Option<Violation> {
    let pod = s.pod_security().and_then(|c| c.run_as_user) == Some(0);
    let who = setters(pod, &s.named(|c| c.security.and_then(|s| s.run_as_user) == Some(0)))?;
    violation("runAsUser=0", format!("{who} must not set runAsUser=0"))
}
