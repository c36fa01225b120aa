//! Roles and their bindings (`pkg/apis/rbac/validation`). In an update the rules of a create are asked
//! twice, by the strategy and by the update's own function; so each cause is there twice.

use crate::api::labels::Selector;
use crate::api::types as t;
use crate::api::types::rbac;
use crate::apiserver::defaults::RBAC_GROUP;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string, json_strings};
use super::meta::{invalid_each, label_selector, object_meta, object_meta_update};
use super::names::{self, NameRule, name_is_dns_subdomain};
use super::{list, text};

/// Any name that fits into a path.
const NAME: NameRule = |name, _| names::path_segment_name(name);

pub(in crate::apiserver) fn role(errs: &mut Errors, role: &t::Role) {
    object_meta(errs, &role.metadata, true, NAME);
    rules(errs, list(&role.rules), true);
}

pub(in crate::apiserver) fn role_update(errs: &mut Errors, new: &t::Role, old: &t::Role) {
    role(errs, new);
    role(errs, new);
    object_meta_update(errs, &new.metadata, &old.metadata);
}

pub(in crate::apiserver) fn cluster_role(errs: &mut Errors, role: &t::ClusterRole) {
    object_meta(errs, &role.metadata, false, NAME);
    rules(errs, list(&role.rules), false);
    let Some(aggregation) = &role.aggregation_rule else { return };
    let path = Path::new("aggregationRule").child("clusterRoleSelectors");
    let selectors = list(&aggregation.cluster_role_selectors);
    if selectors.is_empty() {
        let message = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errs.push(FieldError::required(&path, message));
    }
    for (i, selector) in selectors.iter().enumerate() {
        let at = path.index(i);
        label_selector(errs, Some(selector), &at);
        if Selector::from_label_selector(Some(selector)).is_err() {
            // What Go quotes is the selector that could not be made.
            errs.push(FieldError::invalid(&at, BadValue::Json("null".into()), "invalid label selector."));
        }
    }
}

pub(in crate::apiserver) fn cluster_role_update(
    errs: &mut Errors,
    new: &t::ClusterRole,
    old: &t::ClusterRole,
) {
    cluster_role(errs, new);
    cluster_role(errs, new);
    object_meta_update(errs, &new.metadata, &old.metadata);
}

fn rules(errs: &mut Errors, rules: &[rbac::PolicyRule], namespaced: bool) {
    for (i, rule) in rules.iter().enumerate() {
        let path = Path::new("rules").index(i);
        let mut required = |field: &'static str, message: &str| {
            errs.push(FieldError::required(&path.child(field), message));
        };
        if rule.verbs.is_empty() {
            required("verbs", "verbs must contain at least one value");
        }
        let urls = list(&rule.non_resource_urls);
        let (groups, resources) = (list(&rule.api_groups), list(&rule.resources));
        if urls.is_empty() {
            if groups.is_empty() {
                required("apiGroups", "resource rules must supply at least one api group");
            }
            if resources.is_empty() {
                required("resources", "resource rules must supply at least one resource");
            }
            continue;
        }
        let at = path.child("nonResourceURLs");
        if namespaced {
            let message = "namespaced rules cannot apply to non-resource URLs";
            errs.push(FieldError::invalid(&at, json_strings(urls), message));
        }
        if !groups.is_empty() || !resources.is_empty() || !list(&rule.resource_names).is_empty() {
            let message = "rules cannot apply to both regular resources and non-resource URLs";
            errs.push(FieldError::invalid(&at, json_strings(urls), message));
        }
    }
}

pub(in crate::apiserver) fn role_binding(errs: &mut Errors, binding: &t::RoleBinding) {
    object_meta(errs, &binding.metadata, true, NAME);
    role_ref(errs, &binding.role_ref, &["Role", "ClusterRole"]);
    subjects(errs, list(&binding.subjects), true);
}

pub(in crate::apiserver) fn role_binding_update(
    errs: &mut Errors,
    new: &t::RoleBinding,
    old: &t::RoleBinding,
) {
    role_binding(errs, new);
    role_binding(errs, new);
    object_meta_update(errs, &new.metadata, &old.metadata);
    same_role(errs, &new.role_ref, &old.role_ref);
}

pub(in crate::apiserver) fn cluster_role_binding(errs: &mut Errors, binding: &t::ClusterRoleBinding) {
    object_meta(errs, &binding.metadata, false, NAME);
    role_ref(errs, &binding.role_ref, &["ClusterRole"]);
    subjects(errs, list(&binding.subjects), false);
}

pub(in crate::apiserver) fn cluster_role_binding_update(
    errs: &mut Errors,
    new: &t::ClusterRoleBinding,
    old: &t::ClusterRoleBinding,
) {
    cluster_role_binding(errs, new);
    cluster_role_binding(errs, new);
    object_meta_update(errs, &new.metadata, &old.metadata);
    same_role(errs, &new.role_ref, &old.role_ref);
}

fn role_ref(errs: &mut Errors, role: &rbac::RoleRef, kinds: &[&str]) {
    let path = Path::new("roleRef");
    if text(&role.api_group) != RBAC_GROUP {
        errs.push(FieldError::not_supported(&path.child("apiGroup"), text(&role.api_group), &[RBAC_GROUP]));
    }
    if !kinds.contains(&role.kind.as_str()) {
        errs.push(FieldError::not_supported(&path.child("kind"), &role.kind, kinds));
    }
    if role.name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    } else {
        invalid_each(errs, &path.child("name"), &role.name, names::path_segment_name(&role.name));
    }
}

fn same_role(errs: &mut Errors, new: &rbac::RoleRef, old: &rbac::RoleRef) {
    if new != old {
        let value = BadValue::Json(format!(
            "{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}",
            go_json_string(text(&new.api_group)),
            go_json_string(&new.kind),
            go_json_string(&new.name)
        ));
        errs.push(FieldError::invalid(&Path::new("roleRef"), value, "cannot change roleRef"));
    }
}

fn subjects(errs: &mut Errors, subjects: &[rbac::Subject], namespaced: bool) {
    for (i, subject) in subjects.iter().enumerate() {
        let path = Path::new("subjects").index(i);
        let at = path.child("name");
        if subject.name.is_empty() {
            errs.push(FieldError::required(&at, ""));
        }
        let group = match subject.kind.as_str() {
            "ServiceAccount" => {
                if !subject.name.is_empty() {
                    let messages = name_is_dns_subdomain(&subject.name, false);
                    invalid_each(errs, &at, &subject.name, messages);
                }
                ""
            }
            "User" | "Group" => RBAC_GROUP,
            other => {
                let kinds = &["ServiceAccount", "User", "Group"];
                errs.push(FieldError::not_supported(&path.child("kind"), other, kinds));
                continue;
            }
        };
        let given = text(&subject.api_group);
        if given != group {
            errs.push(FieldError::not_supported(&path.child("apiGroup"), given, &[group]));
        }
        if group.is_empty() && !namespaced && text(&subject.namespace).is_empty() {
            errs.push(FieldError::required(&path.child("namespace"), ""));
        }
    }
}
