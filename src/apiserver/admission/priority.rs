//! Priority: the name of a pod's PriorityClass becomes a number, and at most one class is the default
//! (`k8s.io/kubernetes/plugin/pkg/admission/priority`).

use std::rc::Rc;

use super::{Plugin, hook};
use crate::api::types::{Pod, PriorityClass};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;
use crate::apiserver::refusal::name_in_refusal;

pub(super) const PLUGIN: Plugin = Plugin {
    admit_create: hook(&[Kind::POD], admit_create),
    admit_update: hook(&[Kind::POD], keep_priority),
    validate_create: hook(&[Kind::PRIORITY_CLASS], |api, object, _| only_default_priority(api, object, None)),
    validate_update: hook(&[Kind::PRIORITY_CLASS], |api, object, old, _| {
        only_default_priority(api, object, Some(old))
    }),
    ..Plugin::new("Priority")
};

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    Pod::from_object_mut(object).map_or(Ok(()), |pod| priority(api, pod))
}

/// Gives a pod that is replaced by a manifest without a priority the one that it got when it was created.
fn keep_priority(object: &mut Object, old: &Object) {
    let Some(before) = old.get::<Pod>().and_then(|p| p.spec.as_ref()) else { return };
    let Some(spec) = Pod::from_object_mut(object).and_then(|p| p.spec.as_mut()) else { return };
    if spec.priority.is_none() {
        spec.priority = before.priority;
    }
    if spec.preemption_policy.is_none() {
        spec.preemption_policy.clone_from(&before.preemption_policy);
    }
}

/// Refuses a second class that is the default. A new class is a second one even if the default has its name.
fn only_default_priority(api: &ApiServer, object: &Object, old: Option<&Object>) -> Result<(), Status> {
    let Some(class) = PriorityClass::from_object(object).filter(|c| c.global_default == Some(true)) else {
        return Ok(());
    };
    match global_default(api) {
        Some(other) if old.is_none() || other.metadata.name() != class.metadata.name() => {
            let why = format!(
                "PriorityClass {} is already marked as default. Only one default can exist",
                other.metadata.name()
            );
            Err(Status::forbidden(Kind::PRIORITY_CLASS, object.name(), &why))
        }
        _ => Ok(()),
    }
}

/// Gives a pod the value and the preemption policy of its class, or of the default class.
fn priority(api: &ApiServer, pod: &mut Pod) -> Result<(), Status> {
    let pod_name = name_in_refusal(&pod.metadata).to_owned();
    let Some(spec) = pod.spec.as_mut() else { return Ok(()) };
    let class_name = spec.priority_class_name.clone().filter(|n| !n.is_empty());
    let (value, policy, name) = match class_name {
        None => match global_default(api) {
            Some(c) => {
                (c.value.unwrap_or(0), c.preemption_policy.clone(), Some(c.metadata.name().to_owned()))
            }
            None => (0, None, None),
        },
        Some(name) => {
            let at = ObjectRef { kind: Kind::PRIORITY_CLASS, key: Key::new("", &name) };
            let Some(c) = api.etcd.get(&at).and_then(|r| PriorityClass::from_object(&r.object)) else {
                let why = format!("no PriorityClass with name {name} was found");
                return Err(Status::forbidden(Kind::POD, &pod_name, &why));
            };
            (c.value.unwrap_or(0), c.preemption_policy.clone(), Some(name))
        }
    };
    if let Some(p) = spec.priority
        && p != value
    {
        let why = format!(
            "the integer value of priority ({p}) must not be provided in pod spec; priority admission controller computed {value} from the given PriorityClass name"
        );
        return Err(Status::forbidden(Kind::POD, &pod_name, &why));
    }
    spec.priority = Some(value);
    spec.priority_class_name = name;
    let policy = policy.unwrap_or_else(|| "PreemptLowerPriority".into());
    if let Some(p) = &spec.preemption_policy
        && *p != policy
    {
        let why = format!(
            "the string value of PreemptionPolicy ({p}) must not be provided in pod spec; priority admission controller computed {policy} from the given PriorityClass name"
        );
        return Err(Status::forbidden(Kind::POD, &pod_name, &why));
    }
    spec.preemption_policy = Some(policy);
    Ok(())
}

/// The default class; of several, which a race can leave, the one with the least value.
fn global_default(api: &ApiServer) -> Option<Rc<PriorityClass>> {
    api.etcd
        .range(Kind::PRIORITY_CLASS, None)
        .filter_map(|(_, r)| PriorityClass::from_object(&r.object))
        .filter(|c| c.global_default == Some(true))
        .min_by_key(|c| c.value)
        .cloned()
}
