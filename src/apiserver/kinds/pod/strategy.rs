//! What the API server does to a Pod before it is validated (`pkg/registry/core/pod/strategy.go`): a new pod gets its
//! first status, label keys become selectors, and an update of a subresource leaves everything else as it was.

use std::collections::BTreeMap;

use super::disabled::{drop_disabled, uses_disabled};
use crate::api::pod::app_armor_profile;
use crate::api::resource::qos_class;
use crate::api::types as t;
use crate::api::well_known::APP_ARMOR_ANNOTATION_PREFIX;
use crate::api::{ApiKind, MetaExt, Object, Timestamp, seconds};

/// Prepares a new Pod (`PrepareForCreate`). Warnings are added to `warned`.
pub(super) fn prepare_for_create(pod: &mut t::Pod, now: Timestamp, warned: &mut Vec<String>) {
    pod.metadata.generation = Some(1);
    let mut status = t::PodStatus {
        phase: Some("Pending".into()),
        qos_class: Some(pod.spec.as_deref().map_or("BestEffort", qos_class).into()),
        ..Default::default()
    };
    let gates = pod.spec.as_ref().and_then(|s| s.scheduling_gates.as_ref());
    if gates.is_some_and(|g| !g.is_empty()) {
        status.conditions = Some(vec![t::PodCondition {
            type_: "PodScheduled".into(),
            status: "False".into(),
            reason: Some("SchedulingGated".into()),
            message: Some("Scheduling is blocked due to non-empty scheduling gates".into()),
            last_transition_time: Some(t::Time(seconds(now))),
            ..Default::default()
        }]);
    }
    // Pods of one owner share one spec in memory, so it is copied only where something has to change.
    let t::Pod { metadata, spec, .. } = pod;
    let armored = |a: &Labels| a.keys().any(|k| k.starts_with(APP_ARMOR_ANNOTATION_PREFIX));
    if let Some(spec) = spec.as_mut().filter(|s| {
        uses_disabled(s) || selects_by_keys(s) || metadata.annotations.as_ref().is_some_and(armored)
    }) {
        drop_disabled(spec, None);
        select_by_keys(spec, metadata.labels.as_ref());
        app_armor(spec, metadata.annotations.as_ref(), warned);
    }
    pod.status = Some(status.into());
}

fn selects_by_keys(spec: &t::PodSpec) -> bool {
    spec.affinity.is_some()
        || spec.topology_spread_constraints.iter().flatten().any(|c| c.match_label_keys.is_some())
}

fn select(selector: &mut t::LabelSelector, keys: Option<&Vec<String>>, operator: &str, labels: &Labels) {
    for key in keys.into_iter().flatten() {
        if let Some(value) = labels.get(key) {
            selector.match_expressions.get_or_insert_default().push(t::LabelSelectorRequirement {
                key: key.clone(),
                operator: operator.to_owned(),
                values: Some(vec![value.clone()]),
            });
        }
    }
}

type Labels = BTreeMap<String, String>;

/// Adds the pod's own values of `matchLabelKeys` and `mismatchLabelKeys` to the selectors beside them.
fn select_by_keys(spec: &mut t::PodSpec, labels: Option<&Labels>) {
    let Some(labels) = labels else { return };
    let term = |term: &mut t::PodAffinityTerm| {
        if let Some(selector) = &mut term.label_selector {
            select(selector, term.match_label_keys.as_ref(), "In", labels);
            select(selector, term.mismatch_label_keys.as_ref(), "NotIn", labels);
        }
    };
    if let Some(affinity) = &mut spec.affinity {
        if let Some(a) = &mut affinity.pod_affinity {
            let preferred = a.preferred_during_scheduling_ignored_during_execution.iter_mut().flatten();
            preferred.for_each(|w| term(&mut w.pod_affinity_term));
            a.required_during_scheduling_ignored_during_execution.iter_mut().flatten().for_each(term);
        }
        if let Some(a) = &mut affinity.pod_anti_affinity {
            let preferred = a.preferred_during_scheduling_ignored_during_execution.iter_mut().flatten();
            preferred.for_each(|w| term(&mut w.pod_affinity_term));
            a.required_during_scheduling_ignored_during_execution.iter_mut().flatten().for_each(term);
        }
    }
    for constraint in spec.topology_spread_constraints.iter_mut().flatten() {
        if let Some(selector) = &mut constraint.label_selector {
            select(selector, constraint.match_label_keys.as_ref(), "In", labels);
        }
    }
}

/// Sets the fields that AppArmor annotations stand for (`applyAppArmorVersionSkew`).
fn app_armor(spec: &mut t::PodSpec, annotations: Option<&Labels>, warned: &mut Vec<String>) {
    let Some(annotations) =
        annotations.filter(|a| a.keys().any(|k| k.starts_with(APP_ARMOR_ANNOTATION_PREFIX)))
    else {
        return;
    };
    if spec.os.as_ref().is_some_and(|os| os.name == "windows") {
        return;
    }
    let whole = spec.security_context.as_ref().and_then(|c| c.app_armor_profile.clone());
    let containers = spec.init_containers.iter_mut().flatten().chain(spec.containers.iter_mut());
    for c in containers {
        let key = format!("{APP_ARMOR_ANNOTATION_PREFIX}{}", c.name);
        let Some(annotation) = annotations.get(&key) else { continue };
        if c.security_context.as_ref().is_some_and(|s| s.app_armor_profile.is_some()) {
            continue;
        }
        let field = app_armor_profile(annotation);
        if field.is_some() && field == whole {
            continue;
        }
        if field.is_some() {
            c.security_context.get_or_insert_default().app_armor_profile = field;
        }
        warned.push(format!(
            r#"metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead"#
        ));
    }
}

/// Sets the spec, and sets back everything else that an update of a subresource may not touch
/// (`ResetObjectMetaForStatus`).
fn keep_all_but(pod: &mut t::Pod, old: &t::Pod, spec: t::PodSpec) {
    pod.spec = Some(spec.into());
    pod.status.clone_from(&old.status);
    let (meta, before) = (&mut pod.metadata, &old.metadata);
    meta.labels.clone_from(&before.labels);
    meta.annotations.clone_from(&before.annotations);
    meta.finalizers.clone_from(&before.finalizers);
    meta.owner_references.clone_from(&before.owner_references);
    if pod.spec != old.spec {
        pod.metadata.generation = Some(old.metadata.generation() + 1);
    }
}

/// Prepares an update of `pods/ephemeralcontainers`, which changes ephemeral containers alone.
pub(in crate::apiserver) fn prepare_for_ephemeral_containers(object: &mut Object, old: &Object) {
    let Some(before) = t::Pod::from_object(old) else { return };
    let Some(pod) = t::Pod::from_object_mut(object) else { return };
    let mut spec = before.whole_spec().into_owned();
    spec.ephemeral_containers = pod.spec.take().and_then(|s| s.ephemeral_containers.clone());
    keep_all_but(pod, before, spec);
}

/// Prepares an update of `pods/resize`, which changes requests, limits and resize policies alone. If containers were
/// added, removed or renamed, nothing is set back, so that validation refuses the update.
pub(in crate::apiserver) fn prepare_for_resize(object: &mut Object, old: &Object) {
    let Some(before) = t::Pod::from_object(old) else { return };
    let Some(pod) = t::Pod::from_object_mut(object) else { return };
    let (new, mut spec) = (pod.whole_spec().into_owned(), before.whole_spec().into_owned());
    let count = |s: &t::PodSpec| (s.containers.len(), s.init_containers.as_ref().map_or(0, Vec::len));
    if count(&new) != count(&spec) {
        return;
    }
    let resized = |new: &[t::Container], old: &[t::Container]| -> Vec<t::Container> {
        if new.iter().zip(old).any(|(n, o)| n.name != o.name) {
            return new.to_vec();
        }
        let one = |(n, o): (&t::Container, &t::Container)| t::Container {
            resources: n.resources.clone(),
            resize_policy: n.resize_policy.clone(),
            ..o.clone()
        };
        new.iter().zip(old).map(one).collect()
    };
    spec.containers = resized(&new.containers, &spec.containers);
    if let (Some(n), Some(o)) = (&new.init_containers, &spec.init_containers) {
        spec.init_containers = Some(resized(n, o));
    }
    spec.resources = new.resources;
    keep_all_but(pod, before, spec);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn created(value: serde_json::Value) -> (t::Pod, Vec<String>) {
        let mut pod: t::Pod = serde_json::from_value(value).unwrap();
        let mut warned = Vec::new();
        prepare_for_create(&mut pod, Timestamp::UNIX_EPOCH, &mut warned);
        (pod, warned)
    }

    #[test]
    fn label_keys_become_selectors_with_the_pods_own_values() {
        let (pod, _) = created(json!({
            "metadata": {"labels": {"v": "1"}},
            "spec": {"containers": [], "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {}, "matchLabelKeys": ["v", "w"]}],
                "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "zone", "labelSelector": {}, "mismatchLabelKeys": ["v"]}]}}}
        }));
        let spec = pod.spec.unwrap();
        let expressions = |s: &Option<t::LabelSelector>| {
            serde_json::to_value(s.as_ref().unwrap().match_expressions.as_ref().unwrap()).unwrap()
        };
        let constraint = &spec.topology_spread_constraints.clone().unwrap()[0];
        assert_eq!(
            expressions(&constraint.label_selector),
            json!([{"key": "v", "operator": "In", "values": ["1"]}])
        );
        let anti = spec.affinity.clone().unwrap().pod_anti_affinity.unwrap();
        let term = &anti.required_during_scheduling_ignored_during_execution.unwrap()[0];
        assert_eq!(
            expressions(&term.label_selector),
            json!([{"key": "v", "operator": "NotIn", "values": ["1"]}])
        );
    }

    #[test]
    fn fields_of_features_that_are_off_are_dropped() {
        let (pod, _) = created(json!({"spec": {
            "schedulingGroup": {"podGroupName": "g"},
            "containers": [{"name": "c", "lifecycle": {"stopSignal": "SIGTERM"}}],
            "volumes": [{"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"name": "n", "path": "p"}}]}}]
        }}));
        let spec = pod.spec.unwrap();
        assert!(spec.scheduling_group.is_none() && spec.containers[0].lifecycle.is_none());
        let sources = spec.volumes.clone().unwrap()[0].projected.clone().unwrap().sources.unwrap();
        assert_eq!(sources, [t::VolumeProjection::default()]);
    }

    #[test]
    fn an_app_armor_annotation_becomes_a_field() {
        let (pod, warned) = created(json!({
            "metadata": {"annotations": {
                "container.apparmor.security.beta.kubernetes.io/c": "runtime/default",
                "container.apparmor.security.beta.kubernetes.io/d": "nonsense"}},
            "spec": {"containers": [{"name": "c"}, {"name": "d"}]}
        }));
        let containers = pod.spec.unwrap().containers.clone();
        let profile = containers[0].security_context.clone().unwrap().app_armor_profile.unwrap();
        assert_eq!(profile.type_, "RuntimeDefault");
        assert!(containers[1].security_context.is_none());
        assert_eq!(warned.len(), 2, "{warned:?}");
    }
}
