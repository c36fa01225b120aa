//! PersistentVolume.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/persistentvolume/strategy.go`,
//! `pkg/registry/core/persistentvolume/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep};
use crate::api::Timestamp;
use crate::api::types::{PersistentVolume, PersistentVolumeStatus, Time};
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation, warnings};

impl Strategy for PersistentVolume {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Capacity", "capacity is the description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity"),
        Column::text("Access Modes", "accessModes contains all ways the volume can be mounted. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes"),
        Column::text("Reclaim Policy", "persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming"),
        Column::text("Status", "status represents the current information/status for the persistent volume. Populated by the system. Read-only. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#persistent-volumes"),
        Column::text("Claim", "claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding"),
        Column::text("StorageClass", "StorageClass of the pv"),
        Column::text("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
        Column::text("Reason", "reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI."),
        AGE,
        Column::text("VolumeMode", "volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of Filesystem is implied when not included in spec.").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::core::persistent_volume(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status = Some(PersistentVolumeStatus {
            phase: Some("Pending".into()),
            last_phase_transition_time: Some(Time(creation.now)),
            ..Default::default()
        });
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        let before = old.status.as_ref();
        if let Some(s) = this.status.as_mut()
            && s.phase != before.and_then(|s| s.phase.clone())
            && s.last_phase_transition_time == before.and_then(|s| s.last_phase_transition_time.clone())
        {
            s.last_phase_transition_time = Some(Time(now));
        }
    }

    fn validate(&self, errs: &mut Errors) {
        validation::storage::volume(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::storage::volume_update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::storage::volume_status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::volume(out, self);
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warnings::volume(out, self);
    }

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::storage::volume(self, now)
    }
}
