//! After `pkg/registry/networking/servicecidr/strategy.go`.

use serde_json::json;

use super::{Creation, object, prepare_for_create, prepare_for_update, storage};
use crate::api::{Kind, Timestamp};

/// `PrepareForCreate`, `PrepareForUpdate` with the gate `ServiceCIDRStatusFieldWiping`.
#[test]
fn the_status_of_a_range_is_its_controllers() {
    let range = |status: &str| {
        let conditions = json!([{"type": "Ready", "status": status, "reason": "R", "message": "",
            "lastTransitionTime": "2020-01-01T00:00:00Z"}]);
        let body =
            json!({"metadata": {}, "spec": {"cidrs": ["10.0.0.0/24"]}, "status": {"conditions": conditions}});
        object(Kind::SERVICE_CIDR, body)
    };
    let (old, mut new) = (range("True"), range("False"));
    prepare_for_update(&mut new, &old);
    assert_eq!(new.to_value()["status"], old.to_value()["status"]);
    let mut made = range("True");
    let mut warnings = Vec::new();
    let mut creation =
        Creation { now: Timestamp::UNIX_EPOCH, labelled: false, user: None, warnings: &mut warnings };
    prepare_for_create(&mut made, &mut creation);
    assert_eq!(made.to_value()["status"]["conditions"], json!(null));
}

/// `GetResetFields` of the strategy of the status.
#[test]
fn a_write_of_the_status_owns_no_metadata() {
    let of_status = storage(Kind::SERVICE_CIDR).reset.iter().find(|(of, _)| *of == "status").unwrap();
    assert_eq!(of_status.1, [&["metadata"], &["spec"]]);
}
