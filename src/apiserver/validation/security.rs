//! Security contexts of pods and containers.

use std::collections::BTreeSet;

use crate::api::types as t;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::meta::invalid_each;
use super::{internal, list, local_path, names, text};

/// The longest AppArmor profile's name, in bytes.
const MAX_PROFILE: usize = 4095;
const MAX_SYSCTL: usize = 253;

fn id(errs: &mut Errors, id: Option<i64>, path: &Path) {
    let Some(id) = id else { return };
    errs.extend(names::user_or_group_id(id).into_iter().map(|m| FieldError::invalid(path, id, m)));
}

/// One of a few words behind a pointer, as a message quotes it.
fn one_of(errs: &mut Errors, value: &Option<String>, words: &[&str], path: &Path) {
    if let Some(value) = value
        && !words.contains(&value.as_str())
    {
        errs.push(FieldError::not_supported(path, BadValue::Json(go_json_string(value)), words));
    }
}

/// A pod's security context.
pub(in crate::apiserver) fn pod(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    let Some(context) = &spec.security_context else { return };
    id(errs, context.fs_group, &path.child("fsGroup"));
    id(errs, context.run_as_user, &path.child("runAsUser"));
    id(errs, context.run_as_group, &path.child("runAsGroup"));
    for (i, group) in list(&context.supplemental_groups).iter().enumerate() {
        id(errs, Some(*group), &path.child("supplementalGroups").index(i));
    }
    if spec.share_process_namespace == Some(true) && spec.host_pid == Some(true) {
        errs.push(FieldError::invalid(
            &path.child("shareProcessNamespace"),
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
        ));
    }
    sysctls(errs, spec, list(&context.sysctls), &path.child("sysctls"));
    let at = path.child("fsGroupChangePolicy");
    one_of(errs, &context.fs_group_change_policy, &["Always", "OnRootMismatch"], &at);
    seccomp(errs, context.seccomp_profile.as_ref(), &path.child("seccompProfile"));
    app_armor(errs, context.app_armor_profile.as_ref(), &path.child("appArmorProfile"));
    let at = path.child("supplementalGroupsPolicy");
    one_of(errs, &context.supplemental_groups_policy, &["Merge", "Strict"], &at);
    // `MountOption` needs the gate `SELinuxMount`, which is off by default.
    if let Some(policy) = context.se_linux_change_policy.as_ref().filter(|p| *p != "Recursive") {
        errs.push(FieldError::not_supported(&path.child("seLinuxChangePolicy"), policy, &["Recursive"]));
    }
}

fn is_sysctl_name(name: &str) -> bool {
    let word = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= MAX_SYSCTL
        && name.split(['.', '/']).all(|part| {
            let b = part.as_bytes();
            b.first().is_some_and(|&c| word(c))
                && b.last().is_some_and(|&c| word(c))
                && b.iter().all(|&c| word(c) || matches!(c, b'-' | b'_'))
        })
}

fn sysctls(errs: &mut Errors, spec: &t::PodSpec, sysctls: &[t::Sysctl], path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, sysctl) in sysctls.iter().enumerate() {
        let at = path.index(i).child("name");
        let name = sysctl.name.as_str();
        if name.is_empty() {
            errs.push(FieldError::required(&at, ""));
        } else if !is_sysctl_name(name) {
            errs.push(FieldError::invalid(
                &at,
                name,
                format!(
                    "must have at most {MAX_SYSCTL} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
                ),
            ));
        } else if seen.contains(name) {
            errs.push(FieldError::duplicate(&at, name));
        }
        let dotted = name.replace('/', ".");
        if spec.host_network == Some(true) && dotted.starts_with("net.") {
            errs.push(FieldError::invalid(&at, name, "may not be specified when 'hostNetwork' is true"));
        }
        let ipc = dotted.starts_with("fs.mqueue.")
            || dotted.starts_with("kernel.shm")
            || dotted.starts_with("kernel.msg")
            || dotted == "kernel.sem";
        if spec.host_ipc == Some(true) && ipc {
            errs.push(FieldError::invalid(&at, name, "may not be specified when 'hostIPC' is true"));
        }
        seen.insert(name);
    }
}

fn seccomp(errs: &mut Errors, profile: Option<&t::SeccompProfile>, path: &Path) {
    let Some(profile) = profile else { return };
    match profile.type_.as_str() {
        "Localhost" | "RuntimeDefault" | "Unconfined" => {}
        "" => {
            let message = "type is required when seccompProfile is set";
            errs.push(FieldError::required(&path.child("type"), message));
        }
        other => errs.push(FieldError::not_supported(
            &path.child("type"),
            other,
            &["Localhost", "RuntimeDefault", "Unconfined"],
        )),
    }
    let at = path.child("localhostProfile");
    match (&profile.localhost_profile, profile.type_ == "Localhost") {
        (None, true) => {
            errs.push(FieldError::required(&at, "must be set when seccomp type is Localhost"));
        }
        (Some(file), true) => local_path::local_descending_path(errs, file, &at),
        (Some(_), false) => errs.push(FieldError::invalid(
            &at,
            internal::quote("SeccompProfile", profile),
            "can only be set when seccomp type is Localhost",
        )),
        (None, false) => {}
    }
}

fn app_armor(errs: &mut Errors, profile: Option<&t::AppArmorProfile>, path: &Path) {
    let Some(profile) = profile else { return };
    let at = path.child("localhostProfile");
    match profile.type_.as_str() {
        "Localhost" => {
            let name = text(&profile.localhost_profile);
            if profile.localhost_profile.is_none() || (name.is_empty()) {
                errs.push(FieldError::required(&at, "must be set when AppArmor type is Localhost"));
            } else if name.trim() != name {
                errs.push(FieldError::invalid(&at, name, "must not be padded with whitespace"));
            }
            if name.len() > MAX_PROFILE {
                errs.push(FieldError::too_long(&at, MAX_PROFILE));
            }
        }
        "RuntimeDefault" | "Unconfined" => {
            if let Some(name) = &profile.localhost_profile {
                let value = BadValue::Json(go_json_string(name));
                let message = "can only be set when AppArmor type is Localhost";
                errs.push(FieldError::invalid(&at, value, message));
            }
        }
        "" => errs
            .push(FieldError::required(&path.child("type"), "type is required when appArmorProfile is set")),
        other => errs.push(FieldError::not_supported(
            &path.child("type"),
            other,
            &["Localhost", "RuntimeDefault", "Unconfined"],
        )),
    }
}

/// A container's security context.
pub(in crate::apiserver) fn container(
    errs: &mut Errors,
    context: Option<&t::SecurityContext>,
    host_users: bool,
    path: &Path,
) {
    let Some(context) = context else { return };
    id(errs, context.run_as_user, &path.child("runAsUser"));
    id(errs, context.run_as_group, &path.child("runAsGroup"));
    if let Some(mount) = &context.proc_mount {
        let at = path.child("procMount");
        if !matches!(mount.as_str(), "Default" | "Unmasked") {
            errs.push(FieldError::not_supported(&at, mount, &["Default", "Unmasked"]));
        }
        if host_users && mount == "Unmasked" {
            let value = BadValue::Json(go_json_string(mount));
            errs.push(FieldError::invalid(&at, value, "`hostUsers` must be false to use `Unmasked`"));
        }
    }
    seccomp(errs, context.seccomp_profile.as_ref(), &path.child("seccompProfile"));
    if context.allow_privilege_escalation == Some(false) {
        let mut refuse = |what: &str| {
            errs.push(FieldError::invalid(
                path,
                internal::quote("SecurityContext", context),
                format!("cannot set `allowPrivilegeEscalation` to false and {what}"),
            ));
        };
        if context.privileged == Some(true) {
            refuse("`privileged` to true");
        }
        let added = context.capabilities.iter().flat_map(|c| list(&c.add));
        for _ in added.filter(|c| *c == "CAP_SYS_ADMIN") {
            refuse("`capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    app_armor(errs, context.app_armor_profile.as_ref(), &path.child("appArmorProfile"));
}

const WHEN_NO_HOST_USERS: &str = "when `hostUsers` is false";

/// A pod with users of its own may not share other things with the host.
pub(in crate::apiserver) fn host_users(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    if spec.security_context.is_none() || spec.host_users != Some(false) {
        return;
    }
    // The case of the names is Kubernetes'.
    for (name, shared) in
        [("hostNetwork", spec.host_network), ("HostPID", spec.host_pid), ("HostIPC", spec.host_ipc)]
    {
        if shared == Some(true) {
            errs.push(FieldError::forbidden(&path.child(name), WHEN_NO_HOST_USERS));
        }
    }
    // The owners of the files on a device cannot be mapped.
    let has = |devices: &Option<Vec<t::VolumeDevice>>| !list(devices).is_empty();
    let of = |containers: &[t::Container]| -> Vec<bool> {
        containers.iter().map(|c| has(&c.volume_devices)).collect()
    };
    let ephemeral = list(&spec.ephemeral_containers).iter().map(|c| has(&c.volume_devices)).collect();
    for (name, with_devices) in [
        ("initContainers", of(list(&spec.init_containers))),
        ("containers", of(&spec.containers)),
        ("ephemeralContainers", ephemeral),
    ] {
        for (i, _) in with_devices.into_iter().enumerate().filter(|(_, has)| *has) {
            let at = path.child(name).index(i).child("volumeDevices");
            errs.push(FieldError::forbidden(&at, WHEN_NO_HOST_USERS));
        }
    }
}

/// The operating system a pod is for. Of what Windows and Linux forbid each other only the
/// Windows options of a Linux pod are looked at: nodes here run Linux.
pub(in crate::apiserver) fn os(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    let Some(os) = &spec.os else { return };
    let at = path.child("os");
    match os.name.as_str() {
        "" => errs.push(FieldError::required(&at.child("name"), "")),
        "windows" => {}
        "linux" => {
            let message = "windows options cannot be set for a linux pod";
            let set = spec.security_context.as_ref().is_some_and(|c| c.windows_options.is_some());
            if set {
                let at = path.child("securityContext").child("windowsOptions");
                errs.push(FieldError::forbidden(&at, message));
            }
            for (name, containers) in
                [("initContainers", list(&spec.init_containers)), ("containers", &spec.containers)]
            {
                for (i, container) in containers.iter().enumerate() {
                    if container.security_context.as_ref().is_some_and(|c| c.windows_options.is_some()) {
                        let at = path.child(name).index(i).child("securityContext").child("windowsOptions");
                        errs.push(FieldError::forbidden(&at, message));
                    }
                }
            }
        }
        other => errs.push(FieldError::not_supported(&at, other, &["linux", "windows"])),
    }
}

/// Names of users and of other objects in a pod's spec.
pub(in crate::apiserver) fn dns_name(errs: &mut Errors, name: &str, path: &Path) {
    invalid_each(errs, path, name, names::dns1123_subdomain(name));
}
