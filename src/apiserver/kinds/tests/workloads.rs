//! Rules of the kinds that have pod templates, and of a Lease, after their strategies in `pkg/registry`.

use serde_json::{Value, json};

use super::{
    Creation, object, prepare_for_create, prepare_for_status_update, prepare_for_update, refusals, said,
};
use crate::api::{Kind, Object, Timestamp};
use crate::apiserver::decode::to_object;
use crate::apiserver::rest::{validate_create, validate_status_update, validate_update, warnings_on_update};

fn template(more: Value) -> Value {
    let mut template =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let (Value::Object(all), Value::Object(more)) = (&mut template["spec"], more) else { unreachable!() };
    all.extend(more);
    template
}

fn selecting(template: Value) -> Value {
    json!({"metadata": {}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}})
}

fn created(mut new: Object) -> Value {
    let mut warnings = Vec::new();
    let mut creation =
        Creation { now: Timestamp::UNIX_EPOCH, labelled: false, user: None, warnings: &mut warnings };
    prepare_for_create(&mut new, &mut creation);
    new.to_value()
}

/// `PrepareForCreate` and `PrepareForUpdate` in `pkg/registry/coordination/lease/strategy.go`, with the gate
/// `CoordinatedLeaderElection` off.
#[test]
fn a_lease_has_no_strategy() {
    let lease = |spec: Value| object(Kind::LEASE, json!({"metadata": {}, "spec": spec}));
    let election =
        || json!({"holderIdentity": "a", "strategy": "OldestEmulationVersion", "preferredHolder": "b"});
    assert_eq!(created(lease(election()))["spec"], json!({"holderIdentity": "a"}));
    let mut new = lease(election());
    prepare_for_update(&mut new, &lease(json!({"strategy": "OldestEmulationVersion"})));
    assert_eq!(new.to_value()["spec"], json!({"holderIdentity": "a", "strategy": "OldestEmulationVersion"}));
}

/// `ValidateUpdate` and `WarningsOnUpdate` in `pkg/registry/core/replicationcontroller/strategy.go`. The warnings there are of
/// the old template, which is a mistake.
#[test]
fn an_update_of_a_controller_is_looked_at_once_and_its_old_template_spoken_of() {
    let rc = |generation: i64, template: Value| {
        let metadata = json!({"generation": generation});
        object(Kind::REPLICATION_CONTROLLER, json!({"metadata": metadata, "spec": {"template": template}}))
    };
    let wrong = rc(1, template(json!({"activeDeadlineSeconds": 3})));
    assert_eq!(validate_create(&wrong).len(), 1);
    assert_eq!(validate_update(&wrong, &wrong).len(), 1);
    let labelled = rc(1, template(json!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}})));
    let plain = rc(2, template(json!({})));
    assert_eq!(warnings_on_update(&plain, &labelled).len(), 1);
    assert!(warnings_on_update(&rc(2, template(json!({}))), &rc(1, template(json!({})))).is_empty());
}

/// `ValidateStatefulSetSpec` and `ValidatePodTemplateSpecForStatefulSet` in `pkg/apis/apps/validation/validation.go`.
#[test]
fn a_template_of_a_stateful_set() {
    let hosts = template(json!({"hostname": "A_B", "subdomain": "C_D"}));
    assert_eq!(refusals(Kind::STATEFUL_SET, selecting(hosts)), "");
    // Labels and annotations are looked at twice, and once more when the whole template is passed over.
    let mut labelled = template(json!({}));
    labelled["metadata"]["labels"]["a b"] = "c".into();
    let set = object(Kind::STATEFUL_SET, selecting(labelled));
    let count = |errors: Vec<crate::apiserver::validation::FieldError>| {
        errors.iter().filter(|e| e.field == "spec.template.labels").count()
    };
    assert_eq!(count(validate_create(&set)), 2);
    assert_eq!(count(validate_update(&set, &set)), 1);
}

/// `WarningsOnUpdate` in `pkg/registry/apps/daemonset/strategy.go`, and the conversion of DaemonSets in
/// `pkg/apis/apps/v1/conversion.go`.
#[test]
fn the_generation_of_a_template_is_a_number() {
    let set = |generation: &str| {
        let mut set = selecting(template(json!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}})));
        set["metadata"] = json!({"name": "x", "generation": 1, "resourceVersion": "1",
            "annotations": {"deprecated.daemonset.template.generation": generation}});
        set
    };
    let annotation =
        |set: &Value| set["metadata"]["annotations"]["deprecated.daemonset.template.generation"].clone();
    assert_eq!(annotation(&created(object(Kind::DAEMON_SET, set("07")))), "7");
    let refused = to_object(Kind::DAEMON_SET, set("one")).unwrap_err();
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (
            400,
            r#"DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "one": invalid syntax"#
        )
    );
    let [one, two] = ["1", "2"].map(|n| object(Kind::DAEMON_SET, set(n)));
    assert!(warnings_on_update(&one, &one).is_empty());
    assert_eq!(warnings_on_update(&two, &one).len(), 1);
}

/// The conversion of Deployments in `pkg/apis/apps/v1/conversion.go`, `ValidateRollback` in
/// `pkg/apis/apps/validation/validation.go`, `PrepareForUpdate` of the status strategy in
/// `pkg/registry/apps/deployment/strategy.go`.
#[test]
fn the_revision_to_go_back_to_is_a_number() {
    let rollback = "deprecated.deployment.rollback.to";
    let deployment = |revision: &str| {
        let mut deployment = selecting(template(json!({})));
        deployment["metadata"] =
            json!({"name": "x", "resourceVersion": "1", "annotations": {rollback: revision, "k": "v"}});
        deployment
    };
    let stored = |revision: &str| object(Kind::DEPLOYMENT, deployment(revision));
    let annotations = |object: &Object| object.to_value()["metadata"]["annotations"].clone();
    assert_eq!(annotations(&stored("007")), json!({rollback: "7", "k": "v"}));
    assert_eq!(annotations(&stored("")), json!({"k": "v"}));
    let refused = to_object(Kind::DEPLOYMENT, deployment("one")).unwrap_err();
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (
            400,
            r#"Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[deprecated.deployment.rollback.to]=one as int64: strconv.ParseInt: parsing "one": invalid syntax"#
        )
    );
    assert_eq!(
        said(&validate_create(&stored("-1"))),
        "spec.rollback.version: Invalid value: -1: must be greater than or equal to 0"
    );
    for (new, old) in [("3", "7"), ("", "7"), ("3", "")] {
        let (mut new, old) = (stored(new), stored(old));
        prepare_for_status_update(&mut new, &old, Timestamp::UNIX_EPOCH);
        assert_eq!(annotations(&new), annotations(&old));
    }
}

/// `warningsForPodSpecAndMeta` in `pkg/api/pod/warnings.go`: an annotation that says what the pod's profile says is no news.
#[test]
fn annotations_of_app_armor_are_spoken_of_where_the_pod_says_something_else() {
    let warnings = |annotation: &str| {
        let mut body = selecting(template(
            json!({"securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "p"}}}),
        ));
        body["spec"]["template"]["metadata"]["annotations"] =
            json!({"container.apparmor.security.beta.kubernetes.io/c": annotation});
        crate::apiserver::rest::warnings_on_create(&object(Kind::DEPLOYMENT, body))
    };
    assert!(warnings("localhost/p").is_empty());
    let warning = r#"spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead"#;
    assert_eq!(warnings("localhost/q"), [warning]);
    assert_eq!(warnings("runtime/default"), [warning]);
}

/// `ValidateReplicaSetStatus` in `pkg/apis/apps/validation/validation.go`.
#[test]
fn counts_of_a_replica_set_in_their_order() {
    let mut body = selecting(template(json!({})));
    body["status"] = json!({"replicas": 0, "observedGeneration": -1, "terminatingReplicas": -1});
    let set = object(Kind::REPLICA_SET, body);
    let negative = "Invalid value: -1: must be greater than or equal to 0";
    assert_eq!(
        said(&validate_status_update(&set, &set)),
        format!("[status.observedGeneration: {negative}, status.terminatingReplicas: {negative}]")
    );
}
