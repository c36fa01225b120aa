//! The admission plug-in RuntimeClass (`k8s.io/kubernetes/plugin/pkg/admission/runtimeclass`): a pod that names a class
//! gets the class's overhead, node selector and tolerations.

use std::collections::BTreeMap;

use super::{Plugin, hook};
use crate::api::quantity::amount_of;
use crate::api::quote::go_quote;
use crate::api::types::{Pod, Quantity, RuntimeClass, Toleration};
use crate::api::{ApiKind, Key, Kind, ObjectRef};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;
use crate::apiserver::refusal::name_in_refusal;

pub(super) const PLUGIN: Plugin = Plugin {
    admit_create: hook(&[Kind::POD], |api, object| {
        Pod::from_object_mut(object).map_or(Ok(()), |pod| admit(api, pod))
    }),
    validate_create: hook(&[Kind::POD], |api, object, _| {
        Pod::from_object(object).map_or(Ok(()), |pod| validate(api, pod))
    }),
    ..Plugin::new("RuntimeClass")
};

/// The pod's class; `None` if the pod names none.
///
/// # Errors
/// The class that the pod names does not exist.
fn class_of<'a>(api: &'a ApiServer, pod: &Pod) -> Result<Option<&'a RuntimeClass>, Status> {
    let Some(name) = pod.spec.as_ref().and_then(|s| s.runtime_class_name.as_deref()) else { return Ok(None) };
    let at = ObjectRef { kind: Kind::RUNTIME_CLASS, key: Key::new("", name) };
    match api.etcd.get(&at).and_then(|r| RuntimeClass::from_object(&r.object)) {
        Some(class) => Ok(Some(class)),
        None => Err(rejected(pod, &format!("RuntimeClass {} not found", go_quote(name)))),
    }
}

fn rejected(pod: &Pod, why: &str) -> Status {
    Status::forbidden(Kind::POD, name_in_refusal(&pod.metadata), &format!("pod rejected: {why}"))
}

/// The overhead that a class defines, which may be empty.
fn overhead_of(class: &RuntimeClass) -> Option<BTreeMap<String, Quantity>> {
    class.overhead.as_ref().map(|o| o.pod_fixed.clone().unwrap_or_default())
}

/// Whether two overheads have the same amounts.
fn are_equal(a: &BTreeMap<String, Quantity>, b: &BTreeMap<String, Quantity>) -> bool {
    a.len() == b.len()
        && a.iter().all(|(name, x)| b.get(name).is_some_and(|y| amount_of(Some(x)) == amount_of(Some(y))))
}

const MISMATCH: &str = "Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/// Gives a new pod what its class defines (`Admit`).
///
/// # Errors
/// The class does not exist, or contradicts what the pod says itself.
fn admit(api: &ApiServer, pod: &mut Pod) -> Result<(), Status> {
    let Some(class) = class_of(api, pod)?.cloned() else { return Ok(()) };
    if let Some(overhead) = overhead_of(&class) {
        let own = pod.spec.as_ref().and_then(|s| s.overhead.as_ref());
        if own.is_some_and(|own| !are_equal(own, &overhead)) {
            return Err(rejected(pod, MISMATCH));
        }
        if let Some(spec) = pod.spec.as_deref_mut() {
            spec.overhead = Some(overhead).filter(|o| !o.is_empty());
        }
    }
    let Some(scheduling) = class.scheduling else { return Ok(()) };
    let selects = scheduling.node_selector.unwrap_or_default();
    let own = pod.spec.as_ref().and_then(|s| s.node_selector.clone()).unwrap_or_default();
    let conflict =
        selects.iter().find_map(|(key, value)| Some((key, value, own.get(key).filter(|v| *v != value)?)));
    if let Some((key, wanted, own)) = conflict {
        let why = format!(
            "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = {own}"
        );
        return Err(Status::forbidden(Kind::POD, name_in_refusal(&pod.metadata), &why));
    }
    if let Some(spec) = pod.spec.as_deref_mut() {
        if !selects.is_empty() {
            spec.node_selector.get_or_insert_default().extend(selects);
        }
        let own = spec.tolerations.take().unwrap_or_default();
        spec.tolerations =
            Some(merge(own, scheduling.tolerations.unwrap_or_default())).filter(|t| !t.is_empty());
    }
    Ok(())
}

/// Refuses a new pod whose overhead is not that of its class (`Validate`).
///
/// # Errors
/// The class does not exist, or the pod's overhead is another one.
fn validate(api: &ApiServer, pod: &Pod) -> Result<(), Status> {
    let own = pod.spec.as_ref().and_then(|s| s.overhead.as_ref());
    match class_of(api, pod)?.and_then(overhead_of) {
        Some(overhead) if !are_equal(own.unwrap_or(&BTreeMap::new()), &overhead) => {
            Err(rejected(pod, MISMATCH))
        }
        None if own.is_some() => {
            Err(rejected(pod, "Pod Overhead set without corresponding RuntimeClass defined Overhead"))
        }
        _ => Ok(()),
    }
}

/// Both lists of tolerations, without those that another one covers (`MergeTolerations`).
fn merge(mut all: Vec<Toleration>, more: Vec<Toleration>) -> Vec<Toleration> {
    all.extend(more);
    let mut merged: Vec<Toleration> = Vec::with_capacity(all.len());
    for (i, t) in all.iter().enumerate() {
        let later = all.iter().skip(i + 1);
        // Of two equal ones the first is kept.
        if !merged.iter().any(|other| covers(other, t))
            && !later.clone().any(|other| other != t && covers(other, t))
        {
            merged.push(t.clone());
        }
    }
    merged
}

/// Whether `a` tolerates every taint that `b` tolerates, and as long (`isSuperset`).
fn covers(a: &Toleration, b: &Toleration) -> bool {
    if a == b {
        return true;
    }
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    let operator = text(&a.operator);
    if text(&a.key) != text(&b.key) && !(text(&a.key).is_empty() && operator == "Exists") {
        return false;
    }
    if text(&a.effect) != text(&b.effect) && !text(&a.effect).is_empty() {
        return false;
    }
    if text(&a.effect) == "NoExecute"
        && let Some(seconds) = a.toleration_seconds
        && b.toleration_seconds.is_none_or(|own| own > seconds)
    {
        return false;
    }
    match operator.as_str() {
        "" | "Equal" => text(&b.operator) == "Equal" && text(&a.value) == text(&b.value),
        "Exists" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn a_toleration_that_another_one_covers_goes() {
        let list = |v: serde_json::Value| -> Vec<Toleration> { serde_json::from_value(v).unwrap() };
        let own = list(json!([
            {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
            {"key": "slow", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "own", "operator": "Exists"},
        ]));
        let class = list(json!([
            {"key": "gpu", "operator": "Exists"},
            {"key": "slow", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30},
            {"key": "own", "operator": "Exists"},
        ]));
        let merged = list(json!([
            {"key": "slow", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "own", "operator": "Exists"},
            {"key": "gpu", "operator": "Exists"},
        ]));
        assert_eq!(merge(own, class), merged);
    }
}
