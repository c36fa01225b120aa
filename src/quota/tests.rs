#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{Evaluator, Operation};
use crate::api::types::ResourceQuota;
use crate::api::{ApiKind, Kind, Object, Timestamp};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn evaluator(kind: Kind) -> Evaluator {
    Evaluator::of(kind).unwrap()
}

fn object(kind: Kind, body: Value) -> Object {
    Object::from_value(kind, body).unwrap()
}

fn used(object: &Object) -> Vec<String> {
    let used = evaluator(object.kind()).usage(object, NOW);
    used.into_iter().map(|(name, amount)| format!("{name}={}", amount.canonical())).collect()
}

fn in_scope(object: &Object, scope: Value) -> bool {
    let quota = json!({"metadata": {"name": "q"}, "spec": {"scopeSelector": {"matchExpressions": [scope]}}});
    let quota = Object::from_value(Kind::RESOURCE_QUOTA, quota).unwrap();
    evaluator(object.kind()).in_scopes(ResourceQuota::from_object(&quota).unwrap(), object)
}

#[test]
fn every_namespaced_kind_but_events_is_counted() {
    for kind in Kind::BUILT_IN {
        let counted = kind.namespaced() && *kind != Kind::EVENT;
        assert_eq!(Evaluator::of(*kind).is_some(), counted, "{}", kind.plural());
        if let Some(evaluator) = Evaluator::of(*kind) {
            assert!(evaluator.matches_resource(&format!("count/{}", kind.group_resource())));
            assert!(evaluator.handles(Operation::Create, ""));
        }
    }
}

#[test]
fn four_kinds_are_counted_by_their_older_names() {
    for kind in [Kind::CONFIG_MAP, Kind::REPLICATION_CONTROLLER, Kind::RESOURCE_QUOTA, Kind::SECRET] {
        assert!(evaluator(kind).matches_resource(kind.plural()), "{}", kind.plural());
    }
    assert!(!evaluator(Kind::DEPLOYMENT).matches_resource("deployments"));
    let controller = object(Kind::REPLICATION_CONTROLLER, json!({"metadata": {"name": "c"}}));
    assert_eq!(used(&controller), ["count/replicationcontrollers=1", "replicationcontrollers=1"]);
}

#[test]
fn updates_are_counted_where_they_can_use_more() {
    let handles = |kind, subresource| {
        let same = object(kind, json!({"metadata": {"name": "x"}}));
        evaluator(kind).handles(Operation::Update { old: &same, new: &same }, subresource)
    };
    assert!(!handles(Kind::POD, "") && !handles(Kind::POD, "status") && handles(Kind::POD, "resize"));
    assert!(handles(Kind::PERSISTENT_VOLUME_CLAIM, "") && handles(Kind::PERSISTENT_VOLUME_CLAIM, "status"));
    // `Handles` in `pkg/quota/v1/evaluator/core/services.go`
    assert!(handles(Kind::SERVICE, "") && !handles(Kind::SERVICE, "status"));
    assert!(!handles(Kind::DEPLOYMENT, "") && !handles(Kind::DEPLOYMENT, "scale"));
}

fn pod(spec: Value, status: Value) -> Object {
    object(Kind::POD, json!({"metadata": {"name": "p"}, "spec": spec, "status": status}))
}

/// `Handles` in `pkg/quota/v1/evaluator/core/pods.go`, `DefaultUpdateFilter` in `pkg/quota/v1/install/update_filter.go`: a pod
/// that gets a deadline, or loses it, comes to other scopes.
#[test]
fn a_pod_that_comes_to_other_scopes_is_counted() {
    let ends = |at: Value| pod(json!({"containers": [], "activeDeadlineSeconds": at}), json!({}));
    for (old, new, counted) in [(json!(null), json!(5), true), (json!(9), json!(5), false)] {
        let (old, new) = (ends(old), ends(new));
        assert_eq!(
            evaluator(Kind::POD).handles(Operation::Update { old: &old, new: &new }, ""),
            counted,
            "{new:?}"
        );
        assert_eq!(evaluator(Kind::POD).replenishes(&old, &new, NOW), counted, "{new:?}");
    }
}

/// `hasResourcesChanged` in `pkg/quota/v1/install/update_filter.go` compares `resources` of containers by their names.
#[test]
fn a_container_with_other_resources_has_its_pod_counted_again() {
    let status = |name: &str, cpu: &str| {
        json!({"name": name, "image": "i", "imageID": "", "ready": true, "restartCount": 0,
            "resources": {"requests": {"cpu": cpu}}})
    };
    let changed = |old: Value, new: Value| {
        let of = |status| pod(json!({"containers": []}), status);
        evaluator(Kind::POD).replenishes(&of(old), &of(new), NOW)
    };
    for list in ["containerStatuses", "initContainerStatuses"] {
        let one = json!({list: [status("a", "1")]});
        assert!(changed(one.clone(), json!({list: [status("a", "2")]})), "{list}");
        assert!(!changed(one.clone(), json!({list: [status("b", "2"), status("a", "1000m")]})), "{list}");
        assert!(!changed(one, json!({})), "{list}");
    }
}

/// `Constraints` in `pkg/quota/v1/evaluator/core/pods.go`: nothing is asked of the containers of a pod that says something as a
/// whole, also if it is not all that the quota limits.
#[test]
fn a_pod_that_requests_something_as_a_whole_need_not_say_more() {
    let missing = |resources: Value| {
        let spec = json!({"containers": [{"name": "c", "image": "i"}], "resources": resources});
        evaluator(Kind::POD).constraints(&["requests.cpu", "limits.memory"], &pod(spec, json!({})))
    };
    assert_eq!(missing(json!({"requests": {"memory": "1Gi"}})), None);
    let all = "must specify limits.memory for: c; requests.cpu for: c";
    assert_eq!(missing(json!({})).as_deref(), Some(all));
    assert_eq!(missing(json!(null)).as_deref(), Some(all));
}

#[test]
fn a_claim_uses_whole_bytes_of_what_it_requests_or_was_allocated() {
    let claim = |request: &str, allocated: &str| {
        object(
            Kind::PERSISTENT_VOLUME_CLAIM,
            json!({"metadata": {"name": "c"}, "spec": {"storageClassName": "fast",
                "resources": {"requests": {"storage": request}}}, "status": {"allocatedResources": {"storage": allocated}}}),
        )
    };
    assert_eq!(
        used(&claim("1500m", "1")),
        [
            "count/persistentvolumeclaims=1",
            "fast.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "fast.storageclass.storage.k8s.io/requests.storage=2",
            "persistentvolumeclaims=1",
            "requests.storage=2",
        ]
    );
    assert!(used(&claim("1Gi", "2Gi")).contains(&"requests.storage=2Gi".to_owned()));
    assert!(used(&claim("2Gi", "1Gi")).contains(&"requests.storage=2Gi".to_owned()));
}

#[test]
fn a_claim_is_in_the_scope_of_each_of_its_attributes_classes() {
    let scope = |operator: &str, values: &[&str]| json!({"scopeName": "VolumeAttributesClass", "operator": operator, "values": values});
    let plain = object(Kind::PERSISTENT_VOLUME_CLAIM, json!({"metadata": {"name": "c"}}));
    let changing = object(
        Kind::PERSISTENT_VOLUME_CLAIM,
        json!({"metadata": {"name": "c"}, "spec": {"volumeAttributesClassName": "gold"},
            "status": {"currentVolumeAttributesClassName": "silver"}}),
    );
    let rows = [
        ("Exists", &[][..], false, true),
        ("DoesNotExist", &[], true, false),
        ("In", &["gold"], false, true),
        ("In", &["silver"], false, true),
        ("In", &["bronze"], false, false),
        // One of its classes is another than gold.
        ("NotIn", &["gold"], true, true),
        ("NotIn", &["gold", "silver"], true, false),
    ];
    for (operator, values, without, with) in rows {
        assert_eq!(
            in_scope(&plain, scope(operator, values)),
            without,
            "{operator} {values:?} without a class"
        );
        assert_eq!(in_scope(&changing, scope(operator, values)), with, "{operator} {values:?} with two");
    }
    let pod = object(Kind::POD, json!({"metadata": {"name": "p"}, "spec": {"containers": []}}));
    assert!(!in_scope(&pod, scope("DoesNotExist", &[])), "a pod is in no scope of claims");
}

#[test]
fn a_pod_that_is_resized_uses_the_most_of_wanted_allocated_and_applied() {
    let pod = |wanted: &str, allocated: &str, conditions: Value| {
        let status = json!({"conditions": conditions, "containerStatuses": [{"name": "c", "image": "i", "imageID": "", "ready": true,
            "restartCount": 0, "allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": allocated}, "limits": {"cpu": "4"}}}]});
        let resources = json!({"requests": {"cpu": wanted}, "limits": {"cpu": "3"}});
        object(
            Kind::POD,
            json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]}, "status": status}),
        )
    };
    let cpu = |pod: &Object| {
        let used = used(pod);
        let of = |name: &str| used.iter().find_map(|u| u.strip_prefix(name).map(str::to_owned)).unwrap();
        (of("requests.cpu="), of("limits.cpu="))
    };
    let infeasible = json!([{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]);
    assert_eq!(cpu(&pod("2", "1", json!([]))), ("2".into(), "4".into()));
    assert_eq!(cpu(&pod("1", "2", json!([]))), ("2".into(), "4".into()));
    assert_eq!(cpu(&pod("2", "1", infeasible)), ("1".into(), "4".into()));
}
