//! Defaults of claims (`pkg/apis/resource/v1/defaults.go`).

use super::quantities;
use crate::api::types::resource::{CapacityRequirements, DeviceClaim, DeviceToleration, ResourceClaimSpec};

/// Fills in the defaults of the spec of a claim.
pub(in crate::apiserver) fn claim_spec(spec: &mut ResourceClaimSpec) {
    let claim: &mut DeviceClaim = spec.devices.get_or_insert_default();
    // As it is stored, no requests and a list of none are the same.
    claim.requests = claim.requests.take().filter(|requests| !requests.is_empty());
    for request in claim.requests.iter_mut().flatten() {
        if let Some(exactly) = &mut request.exactly {
            allocation(&mut exactly.allocation_mode, &mut exactly.count);
            tolerations(&mut exactly.tolerations);
            capacity(&mut exactly.capacity);
        }
        for sub in request.first_available.iter_mut().flatten() {
            allocation(&mut sub.allocation_mode, &mut sub.count);
            tolerations(&mut sub.tolerations);
            capacity(&mut sub.capacity);
        }
    }
}

fn allocation(mode: &mut Option<String>, count: &mut Option<i64>) {
    super::default(mode, "ExactCount");
    if mode.as_deref() == Some("ExactCount") && count.unwrap_or(0) == 0 {
        *count = Some(1);
    }
}

/// A toleration without an operator is for the value that it names.
pub(in crate::apiserver) fn tolerations(tolerations: &mut Option<Vec<DeviceToleration>>) {
    for toleration in tolerations.iter_mut().flatten() {
        super::default(&mut toleration.operator, "Equal");
    }
}

fn capacity(capacity: &mut Option<CapacityRequirements>) {
    let requests = capacity.iter_mut().filter_map(|c| c.requests.as_mut());
    requests.flat_map(|r| r.values_mut()).for_each(quantities::canonical);
}
