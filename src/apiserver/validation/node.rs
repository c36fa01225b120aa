//! Nodes.

use std::collections::BTreeSet;

use crate::api::types as t;

use super::field::{Errors, FieldError, Path, json_strings};
use super::meta::{invalid_each, label_name, object_meta, object_meta_update};
use super::names::{self, name_is_dns_subdomain};
use super::{internal, ip, list, or_default, resources, scheduling, text};

pub(in crate::apiserver) fn node(errs: &mut Errors, node: &t::Node) {
    object_meta(errs, &node.metadata, false, name_is_dns_subdomain);
    let none = Default::default();
    let spec = or_default(&node.spec, &none);
    taints(errs, list(&spec.taints));
    amounts(errs, node);
    let cidrs = list(&spec.pod_cidrs);
    let path = Path::new("spec").child("podCIDRs");
    for (i, cidr) in cidrs.iter().enumerate() {
        ip::legacy_cidr(errs, cidr, &path.index(i));
    }
    if cidrs.len() > 1 {
        if !ip::is_dual_stack(cidrs) || cidrs.len() > 2 {
            let message = "may specify no more than one CIDR for each IP family";
            errs.push(FieldError::invalid(&path, json_strings(cidrs), message));
        }
        let mut seen = BTreeSet::new();
        for (i, cidr) in cidrs.iter().enumerate() {
            if !seen.insert(cidr) {
                errs.push(FieldError::duplicate(&path.index(i), cidr));
            }
        }
    }
}

/// Kubernetes reports taints under `metadata`, not under `spec`.
fn taints(errs: &mut Errors, taints: &[t::Taint]) {
    let path = Path::new("metadata").child("taints");
    let mut seen = BTreeSet::new();
    for (i, taint) in taints.iter().enumerate() {
        let at = path.index(i);
        label_name(errs, &taint.key, &at.child("key"));
        let value = text(&taint.value);
        let messages = names::label_value(value);
        if !messages.is_empty() {
            invalid_each(errs, &at.child("value"), value, vec![messages.join(";")]);
        }
        scheduling::taint_effect(errs, &taint.effect, false, &at.child("effect"));
        if !seen.insert((&taint.effect, &taint.key)) {
            let mut error = FieldError::duplicate(&at, internal::quote("Taint", taint));
            "taints must be unique by key and effect pair".clone_into(&mut error.detail);
            errs.push(error);
        }
    }
}

fn amounts(errs: &mut Errors, node: &t::Node) {
    let Some(status) = &node.status else { return };
    for (name, map) in [("capacity", &status.capacity), ("allocatable", &status.allocatable)] {
        let path = Path::new("status").child(name);
        for (resource, amount) in map.iter().flatten() {
            resources::resource_amount(errs, resource, amount, &path.named(resource));
        }
    }
}

/// An update of a Node, of its status as well.
pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Node, old: &t::Node) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    amounts(errs, new);
    let mut seen = Vec::new();
    let path = Path::new("status").child("addresses");
    for (i, address) in new.status.iter().flat_map(|s| list(&s.addresses)).enumerate() {
        if seen.contains(&address) {
            errs.push(FieldError::duplicate(&path.index(i), internal::quote("NodeAddress", address)));
        }
        seen.push(address);
    }
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    let none_before = Default::default();
    let before = or_default(&old.spec, &none_before);
    let (cidrs, cidrs_before) = (list(&spec.pod_cidrs), list(&before.pod_cidrs));
    if !cidrs_before.is_empty() {
        let path = Path::new("spec").child("podCIDRs");
        let message = "node updates may not change podCIDR except from \"\" to valid";
        let changed = if cidrs.len() == cidrs_before.len() {
            cidrs.iter().zip(cidrs_before).filter(|(a, b)| a != b).count()
        } else {
            1
        };
        errs.extend((0..changed).map(|_| FieldError::forbidden(&path, message)));
    }
    let provider = text(&before.provider_id);
    if !provider.is_empty() && provider != text(&spec.provider_id) {
        errs.push(FieldError::forbidden(
            &Path::new("spec").child("providerID"),
            "node updates may not change providerID except from \"\" to valid",
        ));
    }
    taints(errs, list(&spec.taints));
    if text(&spec.external_id) != text(&before.external_id) {
        errs.push(FieldError::forbidden(&Path::new("spec").child("externalID"), "may not be updated"));
    }
}
