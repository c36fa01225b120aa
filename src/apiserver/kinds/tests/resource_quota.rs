//! After `pkg/registry/core/resourcequota/strategy.go`.

use serde_json::{Value, json};

use super::object;
use crate::api::Kind;
use crate::apiserver::rest::warnings_on_create;

/// `WarningsOnCreate`.
#[test]
fn requests_above_limits_are_spoken_of() {
    let warned = |hard: Value| {
        warnings_on_create(&object(Kind::RESOURCE_QUOTA, json!({"metadata": {}, "spec": {"hard": hard}})))
    };
    assert_eq!(warned(json!({"requests.cpu": "2", "limits.cpu": "2", "limits.memory": "1Gi"})), [""; 0]);
    assert_eq!(
        warned(
            json!({"requests.cpu": "2500m", "cpu": "1", "limits.cpu": "2", "memory": "2Gi", "limits.memory": "1Gi",
            "requests.ephemeral-storage": "2", "limits.ephemeral-storage": "1"})
        ),
        [
            "ResourceQuota requests.cpu (2500m) should be less than limits.cpu (2)",
            "ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)",
            "ResourceQuota requests.ephemeral-storage (2) should be less than limits.ephemeral-storage (1)",
        ]
    );
}
