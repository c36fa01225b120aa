//! Updates of one part of a Pod: `pods/ephemeralcontainers` and `pods/resize` (`ephemeralContainersStrategy` and
//! `resizeStrategy` of `k8s.io/kubernetes/pkg/registry/core/pod/strategy.go`).

use std::collections::BTreeMap;

use crate::api::MetaExt;
use crate::api::resource::qos_class;
use crate::api::types as t;
use crate::api::well_known::CONFIG_MIRROR_ANNOTATION;
use t::Quantity;

use super::update;
use super::validation::metadata_and_spec;
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, go_json_string, go_quote};
use crate::apiserver::validation::{diff, internal, list, or_default, semantic_eq, text};

fn is_mirror(pod: &t::Pod) -> bool {
    pod.metadata.annotation(CONFIG_MIRROR_ANNOTATION).is_some()
}

/// Refuses the whole object with one message.
fn refuse_all(errs: &mut Errors, message: &str) {
    errs.clear();
    errs.push(FieldError::forbidden(&Path::new(""), message));
}

/// Validates an update of `pods/ephemeralcontainers`: containers may be added, and those that the pod has must stay as
/// they are (`ValidatePodEphemeralContainersUpdate`).
pub(in crate::apiserver) fn ephemeral_containers(errs: &mut Errors, new: &t::Pod, old: &t::Pod) {
    update::metadata(errs, new, old);
    metadata_and_spec(errs, new);
    update::annotations(errs, new, old);
    if is_mirror(old) {
        return refuse_all(errs, "static pods do not support ephemeral containers");
    }
    let path = Path::new("spec").child("ephemeralContainers");
    let (none, none_before) = Default::default();
    let after = list(&or_default(&new.spec, &none).ephemeral_containers);
    for before in list(&or_default(&old.spec, &none_before).ephemeral_containers) {
        let name = go_quote(&before.name);
        match after.iter().rfind(|c| c.name == before.name) {
            None => {
                let message = format!("existing ephemeral containers {name} may not be removed\n");
                errs.push(FieldError::forbidden(&path, message));
            }
            Some(now) if !semantic_eq(now, before) => {
                let pretty = |c: &t::EphemeralContainer| {
                    let value = serde_json::to_value(c).unwrap_or_default();
                    internal::convert("EphemeralContainer", &value).indented()
                };
                let diff = diff::unified(&pretty(before), &pretty(now));
                let message = format!("existing ephemeral containers {name} may not be changed\n{diff}");
                errs.push(FieldError::forbidden(&path, message));
            }
            Some(_) => {}
        }
    }
}

/// Validates an update of `pods/resize`: requests and limits of cpu and memory may change, as long as the pod keeps its
/// quality of service (`ValidatePodResize`).
pub(in crate::apiserver) fn resize(errs: &mut Errors, new: &t::Pod, old: &t::Pod) {
    update::metadata(errs, new, old);
    metadata_and_spec(errs, new);
    if is_mirror(old) {
        return refuse_all(errs, "static pods cannot be resized");
    }
    let (none, none_before) = Default::default();
    let spec = or_default(&new.spec, &none);
    let before = or_default(&old.spec, &none_before);
    if before.os.as_ref().is_some_and(|os| os.name == "windows") {
        return refuse_all(errs, "windows pods cannot be resized");
    }
    let path = Path::new("spec");
    let class = old.status.as_ref().map_or("", |s| text(&s.qos_class));
    let class = if class.is_empty() { qos_class(before) } else { class };
    if class != qos_class(spec) {
        let now = new.status.as_ref().map_or("", |s| text(&s.qos_class));
        let value = BadValue::Json(go_json_string(now));
        let message = "Pod QOS Class may not change as a result of resizing";
        errs.push(FieldError::invalid(&path, value, message));
    }
    let running = old.status.iter().flat_map(|s| list(&s.container_statuses));
    let running = running.filter(|c| c.state.as_ref().is_some_and(|s| s.running.is_some()));
    if running.take(1).any(|c| c.resources.is_none()) {
        errs.push(FieldError::forbidden(&path, "Pod running on node without support for resize"));
    }
    pod_level(errs, spec, before, &path);
    let (inits, inits_before) = (list(&spec.init_containers), list(&before.init_containers));
    let ordered = order(errs, "containers", &spec.containers, &before.containers, &path.child("containers"))
        & order(errs, "initContainers", inits, inits_before, &path.child("initContainers"));
    if !ordered {
        return;
    }
    for (i, (c, o)) in inits.iter().zip(inits_before).enumerate() {
        let path = path.child("initContainers").index(i).child("resources");
        removed(errs, c.resources.as_ref(), o.resources.as_ref(), &path, "resource");
    }
    for (i, (c, o)) in spec.containers.iter().zip(&before.containers).enumerate() {
        let path = path.child("containers").index(i).child("resources");
        removed(errs, c.resources.as_ref(), o.resources.as_ref(), &path, "resource");
    }
    for (c, o) in spec.containers.iter().zip(&before.containers) {
        if !semantic_eq(&without_cpu_and_memory(c, o), o) {
            errs.push(FieldError::forbidden(&path, "only cpu and memory resources are mutable"));
        }
    }
    for (i, (c, o)) in inits.iter().zip(inits_before).enumerate() {
        let path = path.child("initContainers").index(i);
        if !semantic_eq(&without_cpu_and_memory(c, o), o) {
            let message = "only cpu and memory resources for init or sidecar containers are mutable";
            errs.push(FieldError::forbidden(&path, message));
        }
        let sidecar = text(&c.restart_policy) == "Always";
        if !sidecar && !semantic_eq(c, o) {
            let restarts = list(&c.resize_policy).iter().filter(|p| p.restart_policy == "RestartContainer");
            for _ in restarts {
                let message =
                    "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
                errs.push(FieldError::forbidden(&path, message));
            }
        }
    }
}

/// Refuses changes of what a pod has as a whole, but for the amounts of cpu and memory (`validatePodLevelResourcesResize`, KEP-5419).
fn pod_level(errs: &mut Errors, spec: &t::PodSpec, before: &t::PodSpec, path: &Path) {
    let has = |r: &Option<t::ResourceRequirements>| {
        let parts = r.iter().flat_map(|r| [&r.requests, &r.limits]);
        parts.flatten().any(|amounts| !amounts.is_empty())
    };
    if !has(&spec.resources) && !has(&before.resources) {
        return;
    }
    let own = path.child("resources");
    if before.resources.is_some() && spec.resources.is_none() {
        errs.push(FieldError::forbidden(&own, "pod-level resources cannot be removed"));
        return;
    }
    if before.resources.is_some() {
        removed(errs, spec.resources.as_ref(), before.resources.as_ref(), &own, "pod-level resource");
    }
    let masked = masked(spec.resources.as_ref(), before.resources.as_ref());
    let empty = |r: &t::ResourceRequirements| {
        list(&r.claims).is_empty() && !has(&Some(t::ResourceRequirements { claims: None, ..r.clone() }))
    };
    let masked = Some(masked).filter(|r| before.resources.is_some() || !empty(r));
    if !semantic_eq(&masked, &before.resources) {
        errs.push(FieldError::forbidden(path, "only cpu and memory resources are mutable at pod-level"));
    }
}

/// Whether the same containers stand in the same order.
fn order(errs: &mut Errors, what: &str, new: &[t::Container], old: &[t::Container], path: &Path) -> bool {
    let before = errs.len();
    if new.len() != old.len() {
        let message = format!("{what} may not be added or removed on resize");
        errs.push(FieldError::forbidden(path, message));
        return false;
    }
    for (i, _) in new.iter().zip(old).enumerate().filter(|(_, (n, o))| n.name != o.name) {
        let message = format!("{what} may not be renamed or reordered on resize");
        errs.push(FieldError::forbidden(&path.index(i).child("name"), message));
    }
    errs.len() == before
}

type Amounts = BTreeMap<String, Quantity>;

fn amounts(r: Option<&t::ResourceRequirements>, limits: bool) -> Option<&Amounts> {
    let r = r?;
    if limits { r.limits.as_ref() } else { r.requests.as_ref() }
}

/// Refuses that a request or a limit is removed; it may only become smaller. `what` the messages begin with.
fn removed(
    errs: &mut Errors,
    new: Option<&t::ResourceRequirements>,
    old: Option<&t::ResourceRequirements>,
    path: &Path,
    what: &str,
) {
    for (name, limits) in [("requests", false), ("limits", true)] {
        let after = amounts(new, limits);
        let gone = amounts(old, limits).into_iter().flatten();
        if gone.into_iter().any(|(name, _)| after.is_none_or(|a| !a.contains_key(name))) {
            errs.push(FieldError::forbidden(&path.child(name), format!("{what} {name} cannot be removed")));
        }
    }
}

/// The new resources with the requests and limits of cpu and memory of the old ones.
fn masked(
    new: Option<&t::ResourceRequirements>,
    old: Option<&t::ResourceRequirements>,
) -> t::ResourceRequirements {
    let part = |limits: bool| {
        let (before, after) = (amounts(old, limits), amounts(new, limits));
        if before.is_none() && after.is_none() {
            return None;
        }
        let mut after = after.cloned().unwrap_or_default();
        for name in ["cpu", "memory"] {
            after.remove(name);
            if let Some(amount) = before.and_then(|before| before.get(name)) {
                after.insert(name.to_owned(), amount.clone());
            }
        }
        // Go's empty map is as good as none.
        Some(after).filter(|after| before.is_some() || !after.is_empty())
    };
    let claims = new.and_then(|new| new.claims.clone());
    t::ResourceRequirements { limits: part(true), requests: part(false), claims }
}

/// The new container with the requests and limits of cpu and memory of the old one.
fn without_cpu_and_memory(new: &t::Container, old: &t::Container) -> t::Container {
    let resources = masked(new.resources.as_ref(), old.resources.as_ref());
    let resources = t::ResourceRequirements { claims: None, ..resources };
    // Go has the object itself, which is there also if nothing is in it.
    let some = [&resources.requests, &resources.limits].into_iter().flatten().any(|part| !part.is_empty());
    t::Container { resources: (old.resources.is_some() || some).then_some(resources), ..new.clone() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apiserver::validation::aggregate;
    use serde_json::json;

    fn pod(spec: serde_json::Value) -> t::Pod {
        let mut spec = spec;
        for (key, value) in [
            ("terminationGracePeriodSeconds", json!(30)),
            ("restartPolicy", json!("Always")),
            ("dnsPolicy", json!("ClusterFirst")),
        ] {
            spec[key] = value;
        }
        serde_json::from_value(json!({
            "metadata": {"name": "p", "namespace": "default", "resourceVersion": "1"}, "spec": spec}))
        .unwrap()
    }

    fn container(resources: serde_json::Value) -> serde_json::Value {
        json!({"name": "c", "image": "i", "imagePullPolicy": "Always", "terminationMessagePolicy": "File", "resources": resources})
    }

    fn resized(old: serde_json::Value, new: serde_json::Value) -> String {
        let mut errs = Errors::new();
        let (new, old) = (pod(json!({"containers": [new]})), pod(json!({"containers": [old]})));
        resize(&mut errs, &new, &old);
        aggregate(&errs)
    }

    #[test]
    fn a_pod_keeps_its_quality_of_service() {
        let plain = container(json!({}));
        let asks = container(json!({"requests": {"cpu": "1"}}));
        assert!(
            resized(plain, asks.clone()).contains("Pod QOS Class may not change as a result of resizing")
        );
        assert_eq!(resized(asks.clone(), container(json!({"requests": {"cpu": "2"}}))), "[]");
        let text = resized(asks, container(json!({"requests": {"memory": "1Mi"}})));
        assert_eq!(
            text,
            "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"
        );
    }

    #[test]
    fn other_resources_do_not_change() {
        let storage = |n: &str| container(json!({"requests": {"cpu": "1", "ephemeral-storage": n}}));
        assert_eq!(
            resized(storage("1Mi"), storage("2Mi")),
            "spec: Forbidden: only cpu and memory resources are mutable"
        );
    }

    /// `ValidatePodResize`: init containers have what they are allocated when they start (KEP-5532), and a restart makes no sense for them.
    #[test]
    fn an_init_container_is_resized_before_it_runs() {
        let of = |cpu: &str, policy: &str| {
            let mut init = container(json!({"requests": {"cpu": cpu}}));
            init["name"] = "init".into();
            init["resizePolicy"] = json!([{"resourceName": "cpu", "restartPolicy": policy}]);
            pod(
                json!({"initContainers": [init], "containers": [container(json!({"requests": {"cpu": "1"}}))]}),
            )
        };
        let resized = |policy: &str| {
            let mut errs = Errors::new();
            resize(&mut errs, &of("2", policy), &of("1", policy));
            aggregate(&errs)
        };
        assert_eq!(resized("NotRequired"), "[]");
        let told = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
        assert!(resized("RestartContainer").contains(&format!("spec.initContainers[0]: Forbidden: {told}")));
    }

    /// `validatePodLevelResourcesResize`
    #[test]
    fn what_a_pod_has_as_a_whole_is_resized() {
        let of = |resources: serde_json::Value| {
            let mut spec = json!({"containers": [container(json!({}))]});
            if !resources.is_null() {
                spec["resources"] = resources;
            }
            pod(spec)
        };
        let resized = |old: serde_json::Value, new: serde_json::Value| {
            let mut errs = Errors::new();
            resize(&mut errs, &of(new), &of(old));
            aggregate(&errs)
        };
        let cpu = |n: &str| json!({"requests": {"cpu": n}});
        assert_eq!(resized(cpu("1"), cpu("2")), "[]");
        assert_eq!(resized(cpu("1"), json!({"requests": {"cpu": "1", "memory": "1Gi"}})), "[]");
        let gone = resized(json!({"requests": {"cpu": "1", "memory": "1Gi"}}), cpu("1"));
        assert_eq!(gone, "spec.resources.requests: Forbidden: pod-level resource requests cannot be removed");
        let all = resized(cpu("1"), serde_json::Value::Null);
        assert!(all.contains("spec.resources: Forbidden: pod-level resources cannot be removed"), "{all}");
        let huge =
            |n: &str| json!({"requests": {"cpu": "1", "hugepages-2Mi": n}, "limits": {"hugepages-2Mi": n}});
        let told = resized(huge("2Mi"), huge("4Mi"));
        assert!(
            told.contains("spec: Forbidden: only cpu and memory resources are mutable at pod-level"),
            "{told}"
        );
    }

    #[test]
    fn an_ephemeral_container_stays_what_it_is() {
        let debug = |image: &str| {
            let e = json!({"name": "debug", "image": image, "imagePullPolicy": "Always", "terminationMessagePolicy": "File"});
            pod(json!({"containers": [container(json!({}))], "ephemeralContainers": [e]}))
        };
        let mut errs = Errors::new();
        ephemeral_containers(&mut errs, &debug("b"), &debug("a"));
        let text = aggregate(&errs);
        assert!(text.starts_with(
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be changed\n@@"
        ), "{text}");
        assert!(text.contains("- \"Image\": \"a\",\n+ \"Image\": \"b\","), "{text}");
        let mut errs = Errors::new();
        ephemeral_containers(&mut errs, &pod(json!({"containers": [container(json!({}))]})), &debug("a"));
        assert!(aggregate(&errs).contains("\"debug\" may not be removed\n"));
    }
}
