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
    let handles = |kind, subresource| evaluator(kind).handles(Operation::Update, subresource);
    assert!(!handles(Kind::POD, "") && !handles(Kind::POD, "status") && handles(Kind::POD, "resize"));
    assert!(handles(Kind::PERSISTENT_VOLUME_CLAIM, "") && handles(Kind::PERSISTENT_VOLUME_CLAIM, "status"));
    assert!(
        handles(Kind::SERVICE, "") && !handles(Kind::DEPLOYMENT, "") && !handles(Kind::DEPLOYMENT, "scale")
    );
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
