//! Labels and annotations, of objects, their templates and their selectors.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::file::Kustomization;
use super::{Built, Resource, each};

/// Where a map of labels is, of which kinds, and whether it is made where there is none.
struct Place {
    kinds: &'static [&'static str],
    path: &'static [&'static str],
    create: bool,
}

const fn place(kinds: &'static [&'static str], path: &'static [&'static str], create: bool) -> Place {
    Place { kinds, path, create }
}

const TEMPLATED: &[&str] =
    &["ReplicationController", "Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job"];

/// `includeTemplates`
const TEMPLATES: &[Place] = &[
    place(TEMPLATED, &["spec", "template", "metadata", "labels"], true),
    place(&["StatefulSet"], &["spec", "volumeClaimTemplates", "metadata", "labels"], true),
    place(&["CronJob"], &["spec", "jobTemplate", "metadata", "labels"], true),
    place(&["CronJob"], &["spec", "jobTemplate", "spec", "template", "metadata", "labels"], true),
];

/// `includeSelectors`
const SELECTORS: &[Place] = &[
    place(&["Service", "ReplicationController"], &["spec", "selector"], true),
    place(
        &["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"],
        &["spec", "selector", "matchLabels"],
        true,
    ),
    place(&["Job", "PodDisruptionBudget"], &["spec", "selector", "matchLabels"], false),
    place(&["CronJob"], &["spec", "jobTemplate", "spec", "selector", "matchLabels"], false),
    place(&["NetworkPolicy"], &["spec", "podSelector", "matchLabels"], false),
    place(&["NetworkPolicy"], &["spec", "ingress", "from", "podSelector", "matchLabels"], false),
    place(&["NetworkPolicy"], &["spec", "egress", "to", "podSelector", "matchLabels"], false),
];

/// Selectors in the pod specs of Deployments and StatefulSets.
const AFFINITY: [&[&str]; 5] = [
    &["podAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm"],
    &["podAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    &["podAntiAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm"],
    &["podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    &[],
];

pub(super) fn labels(file: &Kustomization, all: &mut [Resource]) -> Built {
    for labels in &file.labels {
        add(&labels.pairs, labels.include_selectors, labels.include_templates, all);
    }
    add(&file.common_labels, true, true, all);
    Ok(())
}

fn add(pairs: &BTreeMap<String, String>, selectors: bool, templates: bool, all: &mut [Resource]) {
    if pairs.is_empty() {
        return;
    }
    for resource in all {
        put(&mut resource.value, &["metadata", "labels"], true, pairs);
        let templates = if selectors || templates { TEMPLATES } else { &[] };
        let selected = if selectors { SELECTORS } else { &[] };
        for place in templates.iter().chain(selected) {
            if place.kinds.contains(&resource.kind()) {
                put(&mut resource.value, place.path, place.create, pairs);
            }
        }
        if selectors && matches!(resource.kind(), "Deployment" | "StatefulSet") {
            for term in AFFINITY {
                let field = if term.is_empty() { "topologySpreadConstraints" } else { "affinity" };
                let mut path = vec!["spec", "template", "spec", field];
                path.extend(term);
                path.extend(["labelSelector", "matchLabels"]);
                put(&mut resource.value, &path, false, pairs);
            }
        }
    }
}

pub(super) fn annotations(pairs: &BTreeMap<String, String>, all: &mut [Resource]) {
    if pairs.is_empty() {
        return;
    }
    for resource in all {
        put(&mut resource.value, &["metadata", "annotations"], true, pairs);
        if TEMPLATED.contains(&resource.kind()) {
            put(&mut resource.value, &["spec", "template", "metadata", "annotations"], true, pairs);
        }
        if resource.kind() == "CronJob" {
            put(&mut resource.value, &["spec", "jobTemplate", "metadata", "annotations"], true, pairs);
            let path = &["spec", "jobTemplate", "spec", "template", "metadata", "annotations"];
            put(&mut resource.value, path, true, pairs);
        }
    }
}

/// Adds pairs to the map at a path. `create` makes what is missing of the path's last two steps.
fn put(value: &mut Value, path: &[&str], create: bool, pairs: &BTreeMap<String, String>) {
    let insert = &mut |map: &mut Value| {
        if !map.is_object() {
            *map = Value::Object(Map::new());
        }
        for (key, text) in pairs {
            map[key.as_str()] = text.as_str().into();
        }
    };
    let last_two = path.len().saturating_sub(2);
    let (outer, inner) = path.split_at(if create { last_two } else { path.len() });
    each(value, outer, &mut |at| match inner {
        [a, b] if at.is_object() => insert(&mut at[*a][*b]),
        _ => insert(at),
    });
}
