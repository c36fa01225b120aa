//! What decides where a pod may run: affinity, tolerations, spread constraints.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::order;
use crate::api::types as t;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::meta::{invalid_each, label_name, label_selector};
use super::names::{self, name_is_dns_subdomain};
use super::{list, text};

const NOT_AN_OPERATOR: &str = "not a valid selector operator";
const IN_BOTH: &str = "exists in both matchLabelKeys and labelSelector";

/// A string behind a pointer, as a message quotes it.
fn pointer(value: &str) -> BadValue {
    BadValue::Json(go_json_string(value))
}

/// The effect of a taint.
pub(in crate::apiserver) fn taint_effect(errs: &mut Errors, effect: &str, allow_empty: bool, path: &Path) {
    if effect.is_empty() && !allow_empty {
        errs.push(FieldError::required(path, ""));
    } else if !matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        errs.push(FieldError::not_supported(path, effect, &effects));
    }
}

/// Whether a pod may displace others.
pub(in crate::apiserver) fn preemption_policy(errs: &mut Errors, policy: &str, path: &Path) {
    match policy {
        "PreemptLowerPriority" | "Never" => {}
        "" => errs.push(FieldError::required(path, "")),
        other => {
            errs.push(FieldError::not_supported(path, pointer(other), &["PreemptLowerPriority", "Never"]))
        }
    }
}

/// The taints a pod tolerates.
pub(in crate::apiserver) fn tolerations(errs: &mut Errors, tolerations: &[t::Toleration], path: &Path) {
    for (i, toleration) in tolerations.iter().enumerate() {
        let at = path.index(i);
        let (key, operator) = (text(&toleration.key), text(&toleration.operator));
        let (value, effect) = (text(&toleration.value), text(&toleration.effect));
        if !key.is_empty() {
            label_name(errs, key, &at.child("key"));
        }
        if key.is_empty() && operator != "Exists" {
            errs.push(FieldError::invalid(
                &at.child("operator"),
                operator,
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
            ));
        }
        if toleration.toleration_seconds.is_some() && effect != "NoExecute" {
            errs.push(FieldError::invalid(
                &at.child("effect"),
                effect,
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
            ));
        }
        match operator {
            "Equal" | "" => {
                let messages = names::label_value(value);
                if !messages.is_empty() {
                    invalid_each(errs, &at.child("operator"), value, vec![messages.join(";")]);
                }
            }
            "Exists" => {
                if !value.is_empty() {
                    let message = "value must be empty when `operator` is 'Exists'";
                    errs.push(FieldError::invalid(&at.child("operator"), value, message));
                }
            }
            other => {
                // The gate of the operators that compare numbers is off by default. They are named to those who ask for them.
                let operators = if matches!(other, "Lt" | "Gt") {
                    &["Equal", "Exists", "Lt", "Gt"][..]
                } else {
                    &["Equal", "Exists"]
                };
                errs.push(FieldError::not_supported(&at.child("operator"), other, operators));
            }
        }
        if !effect.is_empty() {
            taint_effect(errs, effect, true, &at.child("effect"));
        }
    }
}

/// Which nodes and which company a pod wants.
pub(in crate::apiserver) fn affinity(errs: &mut Errors, affinity: Option<&t::Affinity>, path: &Path) {
    let Some(affinity) = affinity else { return };
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    if let Some(node) = &affinity.node_affinity {
        let path = path.child("nodeAffinity");
        if let Some(required) = &node.required_during_scheduling_ignored_during_execution {
            node_selector(errs, required, &path.child(REQUIRED));
        }
        let preferred = list(&node.preferred_during_scheduling_ignored_during_execution);
        for (i, term) in preferred.iter().enumerate() {
            let at = path.child(PREFERRED).index(i);
            weight(errs, term.weight, &at);
            // Values are not looked at here: on a cluster of one node any preference can be met.
            node_selector_term(errs, &term.preference, false, &at.child("preference"));
        }
    }
    let terms = |errs: &mut Errors,
                 required: &[t::PodAffinityTerm],
                 preferred: &[t::WeightedPodAffinityTerm],
                 path: &Path| {
        for (i, term) in required.iter().enumerate() {
            pod_affinity_term(errs, term, &path.child(REQUIRED).index(i));
        }
        for (i, term) in preferred.iter().enumerate() {
            let at = path.child(PREFERRED).index(i);
            weight(errs, term.weight, &at);
            pod_affinity_term(errs, &term.pod_affinity_term, &at.child("podAffinityTerm"));
        }
    };
    if let Some(pods) = &affinity.pod_affinity {
        let required = list(&pods.required_during_scheduling_ignored_during_execution);
        let preferred = list(&pods.preferred_during_scheduling_ignored_during_execution);
        terms(errs, required, preferred, &path.child("podAffinity"));
    }
    if let Some(pods) = &affinity.pod_anti_affinity {
        let required = list(&pods.required_during_scheduling_ignored_during_execution);
        let preferred = list(&pods.preferred_during_scheduling_ignored_during_execution);
        terms(errs, required, preferred, &path.child("podAntiAffinity"));
    }
}

fn weight(errs: &mut Errors, weight: i32, path: &Path) {
    if !(1..=100).contains(&weight) {
        errs.push(FieldError::invalid(&path.child("weight"), weight, "must be in the range 1-100"));
    }
}

/// Nodes by their labels and names.
pub(in crate::apiserver) fn node_selector(errs: &mut Errors, selector: &t::NodeSelector, path: &Path) {
    let at = path.child("nodeSelectorTerms");
    if selector.node_selector_terms.is_empty() {
        errs.push(FieldError::required(&at, "must have at least one node selector term"));
    }
    for (i, term) in selector.node_selector_terms.iter().enumerate() {
        node_selector_term(errs, term, true, &at.index(i));
    }
}

fn node_selector_term(errs: &mut Errors, term: &t::NodeSelectorTerm, values: bool, path: &Path) {
    for (i, requirement) in list(&term.match_expressions).iter().enumerate() {
        node_label_requirement(errs, requirement, values, &path.child("matchExpressions").index(i));
    }
    for (i, requirement) in list(&term.match_fields).iter().enumerate() {
        node_field_requirement(errs, requirement, &path.child("matchFields").index(i));
    }
}

fn node_label_requirement(
    errs: &mut Errors,
    requirement: &t::NodeSelectorRequirement,
    check_values: bool,
    path: &Path,
) {
    let values = list(&requirement.values);
    let at = path.child("values");
    match requirement.operator.as_str() {
        "In" | "NotIn" => {
            if values.is_empty() {
                let message = "must be specified when `operator` is 'In' or 'NotIn'";
                errs.push(FieldError::required(&at, message));
            }
        }
        "Exists" | "DoesNotExist" => {
            if !values.is_empty() {
                let message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errs.push(FieldError::forbidden(&at, message));
            }
        }
        "Gt" | "Lt" => {
            if values.len() != 1 {
                let message = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                errs.push(FieldError::required(&at, message));
            }
        }
        other => errs.push(FieldError::invalid(&path.child("operator"), other, NOT_AN_OPERATOR)),
    }
    label_name(errs, &requirement.key, &path.child("key"));
    if check_values {
        for (i, value) in values.iter().enumerate() {
            invalid_each(errs, &at.index(i), value, names::label_value(value));
        }
    }
}

fn node_field_requirement(errs: &mut Errors, requirement: &t::NodeSelectorRequirement, path: &Path) {
    let values = list(&requirement.values);
    match requirement.operator.as_str() {
        "In" | "NotIn" => {
            if values.len() != 1 {
                let message =
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                errs.push(FieldError::required(&path.child("values"), message));
            }
        }
        other => errs.push(FieldError::invalid(&path.child("operator"), other, NOT_AN_OPERATOR)),
    }
    if requirement.key == "metadata.name" {
        for (i, value) in values.iter().enumerate() {
            invalid_each(errs, &path.child("values").index(i), value, name_is_dns_subdomain(value, false));
        }
    } else {
        let message = "not a valid field selector key";
        errs.push(FieldError::invalid(&path.child("key"), &requirement.key, message));
    }
}

fn pod_affinity_term(errs: &mut Errors, term: &t::PodAffinityTerm, path: &Path) {
    label_selector(errs, term.label_selector.as_ref(), &path.child("labelSelector"));
    label_selector(errs, term.namespace_selector.as_ref(), &path.child("namespaceSelector"));
    for namespace in list(&term.namespaces) {
        invalid_each(errs, &path.child("namespace"), namespace, names::dns1123_label(namespace));
    }
    let (matching, mismatching) = (list(&term.match_label_keys), list(&term.mismatch_label_keys));
    match_label_keys(errs, matching, mismatching, term.label_selector.as_ref(), path);
    if term.topology_key.is_empty() {
        errs.push(FieldError::required(&path.child("topologyKey"), "can not be empty"));
    }
    label_name(errs, &term.topology_key, &path.child("topologyKey"));
}

/// Validates the keys of labels whose values are those of the pod itself
/// (`ValidateMatchLabelKeysAndMismatchLabelKeys`).
fn match_label_keys(
    errs: &mut Errors,
    matching: &[String],
    mismatching: &[String],
    selector: Option<&t::LabelSelector>,
    path: &Path,
) {
    for (name, keys) in [("matchLabelKeys", matching), ("mismatchLabelKeys", mismatching)] {
        let at = path.child(name);
        if !keys.is_empty() && selector.is_none() {
            errs.push(FieldError::forbidden(&at, "must not be specified when labelSelector is not set"));
        } else {
            for (i, key) in keys.iter().enumerate() {
                label_name(errs, key, &at.index(i));
            }
        }
    }
    if let Some(selector) = selector {
        // A pod's keys are in the selector already, as expressions: once is its own doing.
        let index: BTreeMap<&String, usize> = order::gather(matching.iter().enumerate().map(|(i, k)| (k, i)));
        let mut seen: BTreeSet<&String> =
            order::gather(selector.match_labels.iter().flat_map(|labels| labels.keys()));
        for expression in list(&selector.match_expressions) {
            if let Some(i) = index.get(&expression.key)
                && seen.contains(&expression.key)
            {
                errs.push(FieldError::invalid(&path.index(*i), &expression.key, IN_BOTH));
            }
            seen.insert(&expression.key);
        }
    }
    for (i, key) in matching.iter().enumerate().filter(|(_, k)| mismatching.contains(k)) {
        let at = path.child("matchLabelKeys").index(i);
        errs.push(FieldError::invalid(&at, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
    }
}

/// How evenly pods are to be spread.
pub(in crate::apiserver) fn spread_constraints(
    errs: &mut Errors,
    constraints: &[t::TopologySpreadConstraint],
    path: &Path,
) {
    for (i, constraint) in constraints.iter().enumerate() {
        let at = path.index(i);
        let when = constraint.when_unsatisfiable.as_str();
        if constraint.max_skew <= 0 {
            let message = "must be greater than zero";
            errs.push(FieldError::invalid(&at.child("maxSkew"), constraint.max_skew, message));
        }
        if constraint.topology_key.is_empty() {
            errs.push(FieldError::required(&at.child("topologyKey"), "can not be empty"));
        }
        if !matches!(when, "DoNotSchedule" | "ScheduleAnyway") {
            let actions = ["DoNotSchedule", "ScheduleAnyway"];
            errs.push(FieldError::not_supported(&at.child("whenUnsatisfiable"), when, &actions));
        }
        let repeated = constraints
            .iter()
            .skip(i + 1)
            .any(|other| other.topology_key == constraint.topology_key && other.when_unsatisfiable == when);
        if repeated {
            let value = format!("{{{}, {when}}}", constraint.topology_key);
            errs.push(FieldError::duplicate(&at.child("{topologyKey, whenUnsatisfiable}"), &value));
        }
        min_domains(errs, constraint, &at.child("minDomains"));
        for (name, policy) in [
            ("nodeAffinityPolicy", &constraint.node_affinity_policy),
            ("nodeTaintsPolicy", &constraint.node_taints_policy),
        ] {
            if let Some(policy) = policy
                && !matches!(policy.as_str(), "Honor" | "Ignore")
            {
                let value = pointer(policy);
                errs.push(FieldError::not_supported(&at.child(name), value, &["Honor", "Ignore"]));
            }
        }
        let selector = constraint.label_selector.as_ref();
        match_label_keys(errs, list(&constraint.match_label_keys), &[], selector, &at);
        label_selector(errs, selector, &at.child("labelSelector"));
    }
}

fn min_domains(errs: &mut Errors, constraint: &t::TopologySpreadConstraint, path: &Path) {
    let Some(domains) = constraint.min_domains else { return };
    if domains <= 0 {
        errs.push(FieldError::invalid(path, domains, "must be greater than zero"));
    }
    let when = constraint.when_unsatisfiable.as_str();
    if when != "DoNotSchedule" {
        errs.push(FieldError::invalid(
            path,
            domains,
            format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {when}"),
        ));
    }
}
