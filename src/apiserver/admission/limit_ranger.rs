//! LimitRanger: what a container uses if it does not say, and what a pod or a claim may not
//! (`k8s.io/kubernetes/plugin/pkg/admission/limitranger`). Where Go iterates a map, names come in order.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Plugin, hook};
use crate::api::quantity::{Amount, amount_of};
use crate::api::resource::{Amounts, amounts, container_limits, container_requests};
use crate::api::types::{
    Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec, Quantity,
    ResourceRequirements,
};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin = Plugin {
    admit_create: hook(&[Kind::POD], admit_create),
    validate_create: hook(&[Kind::POD, Kind::PERSISTENT_VOLUME_CLAIM], |api, object, _| {
        validate(api, object)
    }),
    // What a pod uses changes by `pods/resize` alone, but a claim may ask for more.
    validate_update: hook(&[Kind::PERSISTENT_VOLUME_CLAIM], |api, object, old, _| {
        validate_update(api, object, old)
    }),
    ..Plugin::new("LimitRanger")
};

/// Where a pod says what was added to it.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";

type Resources = BTreeMap<String, Quantity>;

fn ranges(api: &ApiServer, namespace: &str) -> Vec<Rc<LimitRange>> {
    let all = api.etcd.range(Kind::LIMIT_RANGE, Some(namespace));
    all.filter_map(|(_, r)| LimitRange::from_object(&r.object)).cloned().collect()
}

fn items(range: &LimitRange) -> impl Iterator<Item = &LimitRangeItem> {
    range.spec.iter().flat_map(|s| &s.limits)
}

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    fill_in(api, object);
    Ok(())
}

/// Fills in what the containers of a pod do not say whose resources are to change; nothing of one that is being deleted.
pub(super) fn admit_resize(api: &ApiServer, object: &mut Object, old: &Object) {
    if !old.meta().is_deleting() {
        fill_in(api, object);
    }
}

/// Refuses an object that is to replace one which is not being deleted, as [`validate`] does.
///
/// # Errors
/// A range refuses it.
pub(super) fn validate_update(api: &ApiServer, object: &Object, old: &Object) -> Result<(), Status> {
    if old.meta().is_deleting() { Ok(()) } else { validate(api, object) }
}

/// Fills in what the containers of a pod do not say.
fn fill_in(api: &ApiServer, object: &mut Object) {
    if let Some(pod) = Pod::from_object_mut(object) {
        mutate(api, pod);
    }
}

fn mutate(api: &ApiServer, pod: &mut Pod) {
    for range in ranges(api, pod.metadata.namespace()) {
        let (mut requests, mut limits) = (Resources::new(), Resources::new());
        for item in items(&range).filter(|i| i.type_ == "Container") {
            requests.extend(item.default_request.clone().unwrap_or_default());
            limits.extend(item.default.clone().unwrap_or_default());
        }
        let Some(spec) = pod.spec.as_deref_mut() else { return };
        let mut said = Vec::new();
        for c in &mut spec.containers {
            merge(c, "container", &requests, &limits, &mut said);
        }
        for c in spec.init_containers.iter_mut().flatten() {
            merge(c, "init container", &requests, &limits, &mut said);
        }
        if !said.is_empty() {
            let text = format!("LimitRanger plugin set: {}", said.join("; "));
            pod.metadata.annotations.get_or_insert_default().insert(ANNOTATION.into(), text);
        }
    }
}

fn merge(c: &mut Container, what: &str, requests: &Resources, limits: &Resources, said: &mut Vec<String>) {
    let resources = c.resources.get_or_insert_default();
    let set_limits = fill(&mut resources.limits, limits);
    let set_requests = fill(&mut resources.requests, requests);
    for (set, name) in [(set_requests, "request"), (set_limits, "limit")] {
        if !set.is_empty() {
            said.push(format!("{} {name} for {what} {}", set.join(", "), c.name));
        }
    }
}

/// Adds what is not there; the names of what was.
fn fill(have: &mut Option<Resources>, defaults: &Resources) -> Vec<String> {
    let mut set = Vec::new();
    for (name, amount) in defaults {
        if !have.as_ref().is_some_and(|h| h.contains_key(name)) {
            have.get_or_insert_default().insert(name.clone(), amount.clone());
            set.push(name.clone());
        }
    }
    set
}

/// Refuses a pod or a claim that a range does not allow.
///
/// # Errors
/// 403, with everything that the first such range has against it.
fn validate(api: &ApiServer, object: &Object) -> Result<(), Status> {
    for range in ranges(api, object.namespace()) {
        let mut errors = Vec::new();
        if let Some(pod) = Pod::from_object(object) {
            of_pod(&range, pod, &mut errors);
        } else if let Some(claim) = PersistentVolumeClaim::from_object(object) {
            of_claim(&range, claim, &mut errors);
        }
        // An error that is there twice is said once.
        let mut seen = std::collections::BTreeSet::new();
        errors.retain(|e: &String| seen.insert(e.clone()));
        let why = match errors.as_slice() {
            [] => continue,
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        return Err(Status::forbidden(object.kind(), object.name(), &why));
    }
    Ok(())
}

fn of_pod(range: &LimitRange, pod: &Pod, errors: &mut Vec<String>) {
    let Some(spec) = pod.spec.as_ref() else { return };
    for item in items(range) {
        let mut check = |requests: &Amounts, limits: &Amounts| {
            constraints(&item.min, |k, v| minimum(&item.type_, k, v, requests, limits), errors);
            constraints(&item.max, |k, v| maximum(&item.type_, k, v, requests, limits), errors);
            let ratios = &item.max_limit_request_ratio;
            constraints(ratios, |k, v| ratio(&item.type_, k, v, requests, limits), errors);
        };
        match item.type_.as_str() {
            "Container" => {
                let none = ResourceRequirements::default();
                for c in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
                    let r = c.resources.as_ref().unwrap_or(&none);
                    check(&amounts(r.requests.as_ref()), &amounts(r.limits.as_ref()));
                }
            }
            "Pod" => check(&of_all(spec, false), &of_all(spec, true)),
            _ => {}
        }
    }
}

/// The requests of a pod or, with `limits`, its limits as a range of the type `Pod` counts them: its overhead is not among
/// them, and of the amounts that the pod says as a whole only those of cpu and memory are (`podRequests`, `podLimits`).
fn of_all(spec: &PodSpec, limits: bool) -> Amounts {
    let mut total = if limits { container_limits(spec) } else { container_requests(spec) };
    let whole = spec.resources.as_ref();
    let whole = amounts(whole.and_then(|r| if limits { r.limits.as_ref() } else { r.requests.as_ref() }));
    total.extend(whole.into_iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory")));
    total
}

fn constraints(
    enforced: &Option<Resources>,
    rule: impl Fn(&str, Amount) -> Option<String>,
    errors: &mut Vec<String>,
) {
    errors.extend(enforced.iter().flatten().filter_map(|(k, v)| rule(k, amount_of(Some(v)))));
}

fn of_claim(range: &LimitRange, claim: &PersistentVolumeClaim, errors: &mut Vec<String>) {
    let requests = claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref());
    let requests = amounts(requests);
    for item in items(range).filter(|i| i.type_ == "PersistentVolumeClaim") {
        constraints(&item.min, |k, v| minimum(&item.type_, k, v, &requests, &Amounts::new()), errors);
        constraints(&item.max, |k, v| maximum_request(&item.type_, k, v, &requests), errors);
    }
}

fn minimum(kind: &str, name: &str, enforced: Amount, requests: &Amounts, limits: &Amounts) -> Option<String> {
    let head = format!("minimum {name} usage per {kind} is {}", enforced.canonical());
    let Some(request) = requests.get(name) else { return Some(format!("{head}.  No request is specified")) };
    if *request < enforced {
        return Some(format!("{head}, but request is {}", request.canonical()));
    }
    let limit = limits.get(name).filter(|l| **l < enforced)?;
    Some(format!("{head}, but limit is {}", limit.canonical()))
}

fn maximum(kind: &str, name: &str, enforced: Amount, requests: &Amounts, limits: &Amounts) -> Option<String> {
    let head = format!("maximum {name} usage per {kind} is {}", enforced.canonical());
    let Some(limit) = limits.get(name) else { return Some(format!("{head}.  No limit is specified")) };
    if *limit > enforced {
        return Some(format!("{head}, but limit is {}", limit.canonical()));
    }
    let request = requests.get(name).filter(|r| **r > enforced)?;
    Some(format!("{head}, but request is {}", request.canonical()))
}

fn maximum_request(kind: &str, name: &str, enforced: Amount, requests: &Amounts) -> Option<String> {
    let head = format!("maximum {name} usage per {kind} is {}", enforced.canonical());
    let Some(request) = requests.get(name) else { return Some(format!("{head}.  No request is specified")) };
    (*request > enforced).then(|| format!("{head}, but request is {}", request.canonical()))
}

fn ratio(kind: &str, name: &str, enforced: Amount, requests: &Amounts, limits: &Amounts) -> Option<String> {
    let head = format!("{name} max limit to request ratio per {kind} is {}", enforced.canonical());
    let some = |of: &Amounts| of.get(name).copied().filter(|a| !a.is_zero());
    let Some(request) = some(requests) else {
        return Some(format!("{head}, but no request is specified or request is 0"));
    };
    let Some(limit) = some(limits) else {
        return Some(format!("{head}, but no limit is specified or limit is 0"));
    };
    // As Go counts.
    let observed = limit.milli_value() as f64 / request.milli_value() as f64;
    (observed * 1000.0 > enforced.milli_value() as f64)
        .then(|| format!("{head}, but provided ratio is {observed:.6}"))
}
