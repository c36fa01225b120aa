use serde_json::{Value, json};

use super::{object, refusals};
use crate::api::Kind;

#[test]
fn replication_controllers() {
    let spec =
        json!({"spec": {"containers": [{"name": "c", "image": "i"}]}, "metadata": {"labels": {"a": "b"}}});
    let with =
        |selector: Value, template: Value| json!({"spec": {"selector": selector, "template": template}});
    // What is not said is as the pods are.
    let made = object(Kind::REPLICATION_CONTROLLER, with(Value::Null, spec.clone())).to_value();
    assert_eq!(
        (&made["spec"]["selector"], &made["metadata"]["labels"]),
        (&json!({"a": "b"}), &json!({"a": "b"}))
    );
    assert_eq!(made["spec"]["replicas"], 1);
    let mut once = spec.clone();
    once["spec"]["restartPolicy"] = "Never".into();
    once["spec"]["activeDeadlineSeconds"] = 3.into();
    for (body, message) in [
        (with(Value::Null, spec.clone()), ""),
        (
            with(json!({"z": "y"}), spec),
            r#"spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`"#,
        ),
        (with(Value::Null, Value::Null), "[spec.selector: Required value, spec.template: Required value]"),
        (
            with(Value::Null, once),
            r#"[spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always", spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported]"#,
        ),
    ] {
        assert_eq!(refusals(Kind::REPLICATION_CONTROLLER, body), message);
    }
}
