//! After `pkg/apis/storage/validation/validation.go`, and what the strategies of the kinds make of it.

use serde_json::{Value, json};

use super::{object, prepare_for_status_update, refusals, said};
use crate::api::{Kind, Object, Timestamp};
use crate::apiserver::rest::{validate_create, validate_update, warnings_on_create, warnings_on_update};

/// `ValidateUpdate` in `pkg/registry/storage/storageclass/strategy.go`, `ValidateStorageClassUpdate`.
#[test]
fn what_a_class_provisions_stays() {
    let class = |fields: Value| {
        let mut body = json!({"metadata": {}, "provisioner": "example.com/p", "parameters": {"a": "b"}});
        let (Value::Object(all), Value::Object(fields)) = (&mut body, fields) else { unreachable!() };
        all.extend(fields);
        object(Kind::STORAGE_CLASS, body)
    };
    let old = class(json!({}));
    for (fields, message) in [
        (json!({"allowVolumeExpansion": true}), ""),
        (json!({"parameters": {"a": "c"}}), r#"parameters: Invalid value: {"a":"c"}: field is immutable"#),
        (
            json!({"provisioner": "example.com/q"}),
            r#"provisioner: Invalid value: "example.com/q": field is immutable"#,
        ),
        (
            json!({"reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer"}),
            r#"[reclaimPolicy: Invalid value: "Retain": field is immutable, volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable]"#,
        ),
        // An update is held to the rules of a new class, too.
        (
            json!({"allowedTopologies": [{"matchLabelExpressions": [{"key": "k", "values": []}]}]}),
            "allowedTopologies[0].matchLabelExpressions[0].values: Required value",
        ),
    ] {
        assert_eq!(said(&validate_update(&class(fields), &old)), message);
    }
}

/// `GetWarningsForStorageClass` and `GetWarningsForCSIStorageCapacity` in `pkg/api/storage/util.go`.
#[test]
fn former_labels_of_nodes_are_spoken_of() {
    let os = "beta.kubernetes.io/os";
    let why = r#"deprecated since v1.14; use "kubernetes.io/os" instead"#;
    let term = json!({"matchLabelExpressions": [{"key": os, "values": ["linux"]}]});
    let class =
        object(Kind::STORAGE_CLASS, json!({"metadata": {}, "provisioner": "p", "allowedTopologies": [term]}));
    assert_eq!(
        warnings_on_create(&class),
        [format!("allowedTopologies[0].matchLabelExpressions[0].key: {why}")]
    );
    let topology =
        json!({"matchExpressions": [{"key": os, "operator": "Exists"}], "matchLabels": {os: "linux"}});
    let capacity = object(
        Kind::CSI_STORAGE_CAPACITY,
        json!({"metadata": {}, "storageClassName": "c", "nodeTopology": topology}),
    );
    let warnings = [
        format!("nodeTopology.matchExpressions[0].key: {os} is {why}"),
        format!("nodeTopology.matchLabels.{os}: {why}"),
    ];
    assert_eq!(warnings_on_create(&capacity), warnings);
    assert_eq!(warnings_on_update(&capacity, &capacity), warnings);
}

/// `ValidateUpdate` in `pkg/registry/storage/csistoragecapacity/strategy.go`.
#[test]
fn an_update_of_a_capacity_is_held_to_the_rules_of_a_new_one() {
    let capacity = |amount: &str| {
        let body = json!({"metadata": {}, "storageClassName": "c", "capacity": amount});
        object(Kind::CSI_STORAGE_CAPACITY, body)
    };
    assert_eq!(
        said(&validate_update(&capacity("-1"), &capacity("1"))),
        r#"capacity: Invalid value: "-1": must be greater than or equal to 0"#
    );
}

fn attachment(spec: Value, status: Value) -> Object {
    object(Kind::VOLUME_ATTACHMENT, json!({"metadata": {}, "spec": spec, "status": status}))
}

/// `ValidateVolumeAttachment`, `ValidateVolumeAttachmentUpdate`, `validateVolumeError`.
#[test]
fn an_attachment_is_looked_at_once_and_in_order() {
    let spec = json!({"attacher": "a_b", "source": {"persistentVolumeName": "v_1"}, "nodeName": "n_1"});
    let long = json!({"attached": false, "attachError": {"message": "x".repeat(1025)}});
    let wrong = attachment(spec, long);
    let fields = |errors: Vec<crate::apiserver::validation::FieldError>| {
        errors.into_iter().map(|e| e.field).collect::<Vec<_>>()
    };
    let order =
        ["spec.attacher", "spec.nodeName", "status.attachError.message", "spec.source.persistentVolumeName"];
    assert_eq!(fields(validate_create(&wrong)), order);
    assert_eq!(fields(validate_update(&wrong, &wrong)), order);
    let message = validate_create(&wrong).into_iter().find(|e| e.field.ends_with("message")).unwrap();
    assert_eq!(message.body(), "Too long: may not be more than 262144 bytes");
    let none = json!({"attacher": "", "source": {"persistentVolumeName": "v"}, "nodeName": "n"});
    assert_eq!(said(&validate_create(&attachment(none, json!(null)))), "spec.attacher: Required value");
}

/// `checkMountOption` in `pkg/volume/validation/pv_validation.go`, `deprecatedAnnotations` in
/// `pkg/api/persistentvolume/util.go`, `ValidateUpdate` in `pkg/registry/core/persistentvolume/strategy.go`.
#[test]
fn mount_options_are_for_types_that_are_mounted() {
    let volume = |source: Value| {
        let mut spec = json!({"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]});
        let (Value::Object(all), Value::Object(source)) = (&mut spec, source) else { unreachable!() };
        all.extend(source);
        let annotations = json!({"volume.beta.kubernetes.io/mount-options": "ro"});
        json!({"metadata": {"annotations": annotations}, "spec": spec})
    };
    let host = volume(json!({"hostPath": {"path": "/x"}}));
    let message = "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type";
    assert_eq!(refusals(Kind::PERSISTENT_VOLUME, host.clone()), message);
    assert_eq!(refusals(Kind::PERSISTENT_VOLUME, volume(json!({"nfs": {"server": "s", "path": "/"}}))), "");
    let host = object(Kind::PERSISTENT_VOLUME, host);
    assert_eq!(said(&validate_update(&host, &host)), message);
    let warning = r#"metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead"#;
    assert_eq!(warnings_on_create(&host), [warning]);
}

/// `ValidateUpdate` in `pkg/registry/core/persistentvolume/strategy.go` and in `pkg/registry/core/namespace/strategy.go`: the
/// rules of a new object are asked, and then those of an update, which have them again for a volume.
#[test]
fn updates_of_volumes_and_namespaces_are_held_to_the_rules_of_new_ones() {
    let volume = object(
        Kind::PERSISTENT_VOLUME,
        json!({"metadata": {}, "spec": {"capacity": {"storage": "1Gi"}, "hostPath": {"path": "/x"}}}),
    );
    let wrong = validate_update(&volume, &volume);
    assert_eq!(wrong.iter().filter(|e| e.field == "spec.accessModes").count(), 2);
    let namespace = object(Kind::NAMESPACE, json!({"metadata": {}, "spec": {"finalizers": ["a b"]}}));
    let wrong = said(&validate_update(&namespace, &namespace));
    assert!(wrong.contains("spec.finalizers: Invalid value: \"a b\""), "{wrong}");
}

/// `PrepareForUpdate` of the status strategy in `pkg/registry/core/persistentvolume/strategy.go`.
#[test]
fn a_volume_knows_when_its_phase_changed() {
    let volume = |phase: &str, since: Option<&str>| {
        let status = json!({"phase": phase, "lastPhaseTransitionTime": since});
        object(Kind::PERSISTENT_VOLUME, json!({"metadata": {}, "spec": {}, "status": status}))
    };
    let (before, now) = ("2020-01-01T00:00:00Z", "1970-01-01T00:00:00Z");
    let other = "2021-01-01T00:00:00Z";
    for (phase, since, stored) in [
        ("Available", None, before),
        ("Available", Some(other), other),
        ("Bound", None, now),
        ("Bound", Some(before), now),
        ("Bound", Some(other), other),
    ] {
        let mut new = volume(phase, since);
        prepare_for_status_update(&mut new, &volume("Available", Some(before)), Timestamp::UNIX_EPOCH);
        assert_eq!(new.to_value()["status"]["lastPhaseTransitionTime"], stored, "{phase} {since:?}");
    }
}

/// `validateTolerations` in `pkg/apis/node/validation/validation.go`, `GetWarningsForRuntimeClass` in
/// `pkg/api/node/util.go`.
#[test]
fn a_runtime_class_has_a_handler_and_tolerates_once() {
    let toleration = |seconds: Value| json!({"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds});
    let class = |handler: &str, scheduling: Value| json!({"metadata": {}, "handler": handler, "scheduling": scheduling});
    let twice = json!({"tolerations": [toleration(json!(1)), toleration(json!(null))]});
    assert_eq!(
        refusals(Kind::RUNTIME_CLASS, class("h", twice)),
        r#"scheduling.tolerations[1]: Duplicate value: {"Key":"k","Operator":"Exists","Value":"","Effect":"NoExecute","TolerationSeconds":null}"#
    );
    assert_eq!(refusals(Kind::RUNTIME_CLASS, class("", json!(null))), "handler: Required value");
    let selects = class("h", json!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}}));
    assert_eq!(
        warnings_on_create(&object(Kind::RUNTIME_CLASS, selects)),
        [r#"scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead"#]
    );
}
