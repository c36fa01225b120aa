//! Where containers mount volumes, or have them as devices.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::types as t;

use super::field::{Errors, FieldError, Path};
use super::local_path::local_descending_path;
use super::{list, text};

type Volumes<'a> = BTreeMap<&'a str, &'a t::Volume>;

/// Where a container mounts volumes.
pub(in crate::apiserver) fn mounts(
    errs: &mut Errors,
    container: &t::Container,
    volumes: &Volumes<'_>,
    path: &Path,
) {
    let devices = list(&container.volume_devices);
    let privileged = container.security_context.as_ref().is_some_and(|c| c.privileged == Some(true));
    let mut seen = BTreeSet::new();
    for (i, mount) in list(&container.volume_mounts).iter().enumerate() {
        let at = path.index(i);
        let (name, target) = (mount.name.as_str(), mount.mount_path.as_str());
        if name.is_empty() {
            errs.push(FieldError::required(&at.child("name"), ""));
        }
        if !volumes.contains_key(name) {
            errs.push(FieldError::not_found(&at.child("name"), name));
        }
        if target.is_empty() {
            errs.push(FieldError::required(&at.child("mountPath"), ""));
        }
        if !seen.insert(target) {
            errs.push(FieldError::invalid(&at.child("mountPath"), target, "must be unique"));
        }
        if devices.iter().any(|d| d.name == name) {
            let message = "must not already exist in volumeDevices";
            errs.push(FieldError::invalid(&at.child("name"), name, message));
        }
        if devices.iter().any(|d| d.device_path == target) {
            let message = "must not already exist as a path in volumeDevices";
            errs.push(FieldError::invalid(&at.child("mountPath"), target, message));
        }
        // Kubernetes reports the rest at the list.
        let (sub, expr) = (text(&mount.sub_path), text(&mount.sub_path_expr));
        if !sub.is_empty() {
            local_descending_path(errs, sub, &path.child("subPath"));
        }
        if !expr.is_empty() {
            if !sub.is_empty() {
                let message = "subPathExpr and subPath are mutually exclusive";
                errs.push(FieldError::invalid(&at.child("subPathExpr"), expr, message));
            }
            local_descending_path(errs, expr, &path.child("subPathExpr"));
        }
        propagation(errs, mount, privileged, path);
    }
}

fn propagation(errs: &mut Errors, mount: &t::VolumeMount, privileged: bool, path: &Path) {
    if let Some(mode) = &mount.mount_propagation {
        let at = path.child("mountPropagation");
        const MODES: &[&str] = &["Bidirectional", "HostToContainer", "None"];
        if !MODES.contains(&mode.as_str()) {
            errs.push(FieldError::not_supported(&at, mode, MODES));
        }
        if mode == "Bidirectional" && !privileged {
            let message = "Bidirectional mount propagation is available only to privileged containers";
            errs.push(FieldError::forbidden(&at, message));
        }
    }
    let Some(recursive) = &mount.recursive_read_only else { return };
    let at = path.child("recursiveReadOnly");
    match recursive.as_str() {
        "Disabled" => {}
        "Enabled" | "IfPossible" => {
            if mount.read_only != Some(true) {
                errs.push(FieldError::forbidden(&at, "may only be specified when readOnly is true"));
            }
            if mount.mount_propagation.as_deref().is_some_and(|p| p != "None") {
                let message = "may only be specified when mountPropagation is None or not specified";
                errs.push(FieldError::forbidden(&at, message));
            }
        }
        other => errs.push(FieldError::not_supported(&at, other, &["Disabled", "Enabled", "IfPossible"])),
    }
}

/// Which volumes a container has as block devices.
pub(in crate::apiserver) fn devices(
    errs: &mut Errors,
    container: &t::Container,
    volumes: &Volumes<'_>,
    path: &Path,
) {
    let mounts = list(&container.volume_mounts);
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (i, device) in list(&container.volume_devices).iter().enumerate() {
        let at = path.index(i);
        let (name, target) = (device.name.as_str(), device.device_path.as_str());
        let (at_name, at_path) = (at.child("name"), at.child("devicePath"));
        if name.is_empty() {
            errs.push(FieldError::required(&at_name, ""));
        }
        if names.contains(name) {
            errs.push(FieldError::invalid(&at_name, name, "must be unique"));
        }
        match volumes.get(name) {
            None => errs.push(FieldError::not_found(&at_name, name)),
            Some(v) if v.persistent_volume_claim.is_none() && v.ephemeral.is_none() => {
                let message =
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errs.push(FieldError::invalid(&at_name, name, message));
            }
            Some(_) => {}
        }
        if target.is_empty() {
            errs.push(FieldError::required(&at_path, ""));
        }
        if paths.contains(target) {
            errs.push(FieldError::invalid(&at_path, target, "must be unique"));
        }
        if target.split('/').any(|part| part == "..") {
            errs.push(FieldError::invalid(&at_path, target, "can not contain backsteps ('..')"));
        } else {
            paths.insert(target);
        }
        if mounts.iter().any(|m| m.name == name) {
            let message = "must not already exist in volumeMounts";
            errs.push(FieldError::invalid(&at_name, name, message));
        }
        if mounts.iter().any(|m| m.mount_path == target) {
            let message = "must not already exist as a path in volumeMounts";
            errs.push(FieldError::invalid(&at_path, target, message));
        }
        if !name.is_empty() {
            names.insert(name);
        }
    }
}
