//! PodSecurity: the pods of a namespace obey the Pod Security Standards that labels of the namespace choose
//! (`k8s.io/pod-security-admission/admission`, `k8s.io/kubernetes/plugin/pkg/admission/security/podsecurity`).
//!
//! A pod that violates the level that is enforced is refused. A pod, or a workload whose template makes such pods, that
//! violates the level to be warned of gets a warning. When the level that is enforced becomes stricter, the answer names the pods
//! that are there and violate it. The configuration is the default one: the level `privileged` where no label says otherwise,
//! and no exemptions. What is audited would stand in the audit log, which is not kept here.

mod checks;
mod policy;
mod subject;

use std::collections::{BTreeMap, BTreeSet};

use self::policy::{Level, LevelVersion, Policy};
use self::subject::Subject;
use super::{Plugin, hook};
use crate::api::quote::go_quote;
use crate::api::types::{Pod, PodSpec};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;
use crate::apiserver::validation::invalid;

/// The kinds that the plug-in looks at.
const KINDS: &[Kind] = &[
    Kind::NAMESPACE,
    Kind::POD,
    Kind::REPLICATION_CONTROLLER,
    Kind::POD_TEMPLATE,
    Kind::REPLICA_SET,
    Kind::DEPLOYMENT,
    Kind::STATEFUL_SET,
    Kind::DAEMON_SET,
    Kind::JOB,
    Kind::CRON_JOB,
];

pub(super) const PLUGIN: Plugin = Plugin {
    validate_create: hook(KINDS, |api, object, warnings| validate(api, object, None, warnings)),
    validate_update: hook(KINDS, |api, object, old, warnings| validate(api, object, Some(old), warnings)),
    ..Plugin::new("PodSecurity")
};

/// How many pods of a namespace are looked at when its level changes (`defaultNamespaceMaxPodsToCheck`).
const MAX_PODS_TO_CHECK: usize = 3000;

/// Looks at an object that is to be stored, in the place of `old` if there is one.
///
/// # Errors
/// 403: a pod violates the level that its namespace enforces. 422: the labels of a namespace name no level or no version.
pub(super) fn validate(
    api: &ApiServer,
    object: &Object,
    old: Option<&Object>,
    warnings: &mut Vec<String>,
) -> Result<(), Status> {
    if object.kind() == Kind::NAMESPACE {
        return validate_namespace(api, object, old, warnings);
    }
    let Some(namespace) = api.namespace(object.namespace()) else { return Ok(()) };
    let (policy, _) = Policy::of_labels(namespace.meta().labels_or_empty());
    let enforces = object.kind() == Kind::POD;
    let looks =
        policy.warn.level != Level::Privileged || (enforces && policy.enforce.level != Level::Privileged);
    if !looks || (enforces && old.is_some_and(|old| !is_significant(object, old))) {
        return Ok(());
    }
    let Some(subject) = Subject::of(object) else { return Ok(()) };
    if enforces {
        let violations = subject.violations(policy.enforce);
        if !violations.is_empty() {
            let why = format!("violates PodSecurity {}: {}", policy.enforce.quoted(), detail(&violations));
            return Err(Status::forbidden(Kind::POD, object.name(), &why));
        }
    }
    let violations = subject.violations(policy.warn);
    if !violations.is_empty() {
        warnings.push(format!("would violate PodSecurity {}: {}", policy.warn.quoted(), detail(&violations)));
    }
    Ok(())
}

/// Refuses labels of a namespace that name no level or no version, unless they are as wrong as before, and warns of the pods
/// that violate a level that becomes stricter.
fn validate_namespace(
    api: &ApiServer,
    object: &Object,
    old: Option<&Object>,
    warnings: &mut Vec<String>,
) -> Result<(), Status> {
    let (policy, errors) = Policy::of_labels(object.meta().labels_or_empty());
    let before = old.map(|old| Policy::of_labels(old.meta().labels_or_empty()));
    let known = before.as_ref().is_some_and(|(_, before)| *before == errors);
    if !errors.is_empty() && !known {
        return Err(invalid(Kind::NAMESPACE, object.name(), &errors));
    }
    let Some((before, _)) = before else { return Ok(()) };
    let (enforce, before) = (policy.enforce, before.enforce);
    let relaxed = enforce.version == before.version && enforce.level <= before.level;
    if enforce != before && enforce.level != Level::Privileged && !relaxed {
        warn_of_pods(api, object.name(), enforce, warnings);
    }
    Ok(())
}

/// Whether an update of a pod is one that can bring violations: other containers or other images (`isSignificantPodUpdate`).
fn is_significant(object: &Object, old: &Object) -> bool {
    let (Some(pod), Some(old)) = (Pod::from_object(object), Pod::from_object(old)) else { return false };
    let none = PodSpec::default();
    let new: &PodSpec = pod.spec.as_deref().unwrap_or(&none);
    let old: &PodSpec = old.spec.as_deref().unwrap_or(&none);
    let images = |spec: &PodSpec| -> [Vec<Option<String>>; 2] {
        let init = spec.init_containers.iter().flatten();
        [spec.containers.iter().map(|c| c.image.clone()).collect(), init.map(|c| c.image.clone()).collect()]
    };
    let was = |name: &str| old.ephemeral_containers.iter().flatten().find(|c| c.name == name);
    let mut ephemeral = new.ephemeral_containers.iter().flatten();
    images(new) != images(old) || ephemeral.any(|c| was(&c.name).is_none_or(|was| was.image != c.image))
}

/// What the checks of a pod found, with the details (`ForbiddenDetail`).
fn detail(violations: &[checks::Violation]) -> String {
    let texts: Vec<String> = violations.iter().map(|v| format!("{} ({})", v.reason, v.detail)).collect();
    texts.join(", ")
}

/// What the checks of a pod found, in short (`ForbiddenReason`).
fn reason(violations: &[checks::Violation]) -> String {
    let texts: Vec<&str> = violations.iter().map(|v| v.reason).collect();
    texts.join(", ")
}

/// Warns of the pods in a namespace that violate the level that it is to enforce (`EvaluatePodsInNamespace`). Pods with the
/// same violations share a line, which names the first of them.
fn warn_of_pods(api: &ApiServer, namespace: &str, enforce: LevelVersion, warnings: &mut Vec<String>) {
    let pods: Vec<&Object> = api.etcd.range(Kind::POD, Some(namespace)).map(|(_, r)| &r.object).collect();
    let mut controllers = BTreeSet::new();
    // The first pod of each controller is looked at before the others, as there is a limit.
    let (first, others): (Vec<&Object>, Vec<&Object>) = pods
        .iter()
        .partition(|pod| pod.meta().controller().is_none_or(|owner| controllers.insert(owner.uid.clone())));
    let mut found: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for pod in first.into_iter().chain(others).take(MAX_PODS_TO_CHECK) {
        let violations = Subject::of(pod).map(|s| s.violations(enforce)).unwrap_or_default();
        if violations.is_empty() {
            continue;
        }
        let (name, count) = found.entry(reason(&violations)).or_insert_with(|| (pod.name().to_owned(), 0));
        *count += 1;
        if pod.name() < name.as_str() {
            pod.name().clone_into(name);
        }
    }
    if pods.len() > MAX_PODS_TO_CHECK {
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {MAX_PODS_TO_CHECK} of {} existing pods",
            pods.len()
        ));
    }
    if found.is_empty() {
        return;
    }
    warnings.push(format!(
        "existing pods in namespace {} violate the new PodSecurity enforce level {}",
        go_quote(namespace),
        enforce.quoted()
    ));
    let mut lines: Vec<String> = found
        .into_iter()
        .map(|(why, (name, count))| match count {
            1 => format!("{name}: {why}"),
            2 => format!("{name} (and 1 other pod): {why}"),
            _ => format!("{name} (and {} other pods): {why}", count - 1),
        })
        .collect();
    lines.sort();
    warnings.append(&mut lines);
}

#[cfg(test)]
mod tests;
