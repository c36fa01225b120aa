//! Defaults of a PersistentVolumeClaim's spec (`pkg/apis/core/v1/defaults.go`).

use super::quantities;
use crate::api::types::PersistentVolumeClaimSpec;

/// Fills in the defaults of a claim's spec, which the ephemeral volumes of pods have as well.
pub(in crate::apiserver) fn claim_spec(spec: &mut PersistentVolumeClaimSpec) {
    spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
    let resources = spec.resources.get_or_insert_default();
    quantities::list(&mut resources.limits);
    quantities::list(&mut resources.requests);
}
