//! PersistentVolume.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/persistentvolume/strategy.go`,
//! `pkg/volume/validation/pv_validation.go`, `pkg/api/persistentvolume/util.go` and `pkg/printers/internalversion/printers.go`.

pub(super) mod validation;

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep};
use crate::api::types::{PersistentVolume, PersistentVolumeSpec, PersistentVolumeStatus, Time};
use crate::api::volume::{access_modes_as_string, volume_class};
use crate::api::{MetaExt, Timestamp, quantity};
use crate::apiserver::defaults::{default, quantities, volume};
use crate::apiserver::printers::{created, name, or_unset};
use crate::apiserver::validation::{Errors, Path, text};
use crate::apiserver::warnings;

impl Strategy for PersistentVolume {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Capacity", "capacity is the description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity"),
        Column::text("Access Modes", "accessModes contains all ways the volume can be mounted. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes"),
        Column::text("Reclaim Policy", "persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming"),
        Column::text("Status", "phase indicates if a volume is available, bound to a claim, or released by a claim. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase"),
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
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(convert, field);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        default(&mut this.status.get_or_insert_default().phase, "Pending");
        let spec = this.spec.get_or_insert_default();
        default(&mut spec.persistent_volume_reclaim_policy, "Retain");
        spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
        quantities::list(&mut spec.capacity);
        default_source(spec);
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
        let changed_at = before.and_then(|s| s.last_phase_transition_time.as_ref());
        let Some(s) = this.status.as_mut() else { return };
        let same_phase = text(&s.phase) == before.map_or("", |s| text(&s.phase));
        match &s.last_phase_transition_time {
            None if same_phase => s.last_phase_transition_time = changed_at.cloned(),
            given if !same_phase && (given.is_none() || given.as_ref() == changed_at) => {
                s.last_phase_transition_time = Some(Time(now));
            }
            _ => {}
        }
    }

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::beta_class(out, &self.metadata);
        if self.metadata.annotation(validation::MOUNT_OPTIONS).is_some() {
            let why = r#"deprecated since v1.31; use "mountOptions" attribute instead"#;
            out.push(format!("metadata.annotations[{}]: {why}", validation::MOUNT_OPTIONS));
        }
        let Some(spec) = &self.spec else { return };
        if spec.persistent_volume_reclaim_policy.as_deref() == Some("Recycle") {
            out.push("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.".to_owned());
        }
        let required = spec.node_affinity.as_ref().and_then(|a| a.required.as_ref());
        let at = Path::new("spec").child("nodeAffinity").child("required").child("nodeSelectorTerms");
        for (i, term) in required.iter().flat_map(|r| &r.node_selector_terms).enumerate() {
            warnings::node_term(out, term, false, &at.index(i));
        }
        for (name, since, set) in [
            (
                "photonPersistentDisk",
                "deprecated in v1.11, non-functional in v1.16+",
                spec.photon_persistent_disk.is_some(),
            ),
            ("scaleIO", "deprecated in v1.16, non-functional in v1.22+", spec.scale_io.is_some()),
            ("storageOS", "deprecated in v1.22, non-functional in v1.25+", spec.storageos.is_some()),
            ("glusterfs", "deprecated in v1.25, non-functional in v1.26+", spec.glusterfs.is_some()),
            ("rbd", "deprecated in v1.28, non-functional in v1.31+", spec.rbd.is_some()),
            ("cephfs", "deprecated in v1.28, non-functional in v1.31+", spec.cephfs.is_some()),
        ] {
            if set {
                out.push(format!("spec.{name}: {since}"));
            }
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let status = self.status.clone().unwrap_or_default();
        let claim = spec.claim_ref.as_ref().map(|c| {
            format!(
                "{}/{}",
                c.namespace.as_deref().unwrap_or_default(),
                c.name.as_deref().unwrap_or_default()
            )
        });
        let phase = if self.metadata.is_deleting() { Some("Terminating".to_owned()) } else { status.phase };
        vec![
            name(&self.metadata),
            quantity::amount_of(spec.capacity.as_ref().and_then(|c| c.get("storage"))).canonical(),
            access_modes_as_string(spec.access_modes.as_ref()),
            spec.persistent_volume_reclaim_policy.unwrap_or_default(),
            phase.unwrap_or_default(),
            claim.unwrap_or_default(),
            volume_class(self).to_owned(),
            or_unset(spec.volume_attributes_class_name.as_ref()),
            status.reason.unwrap_or_default(),
            created(&self.metadata, now),
            spec.volume_mode.unwrap_or_else(|| "<unset>".into()),
        ]
    }
}

/// Fills in the defaults of a volume's source, which a VolumeAttachment's inline volume has as well.
pub(super) fn default_source(spec: &mut PersistentVolumeSpec) {
    if let Some(path) = &mut spec.host_path {
        volume::host_path(path);
    }
    if let Some(iscsi) = &mut spec.iscsi {
        default(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(rbd) = &mut spec.rbd {
        default(&mut rbd.pool, "rbd");
        default(&mut rbd.user, "admin");
        default(&mut rbd.keyring, "/etc/ceph/keyring");
    }
    if let Some(disk) = &mut spec.azure_disk {
        volume::azure_disk(disk);
    }
    if let Some(io) = &mut spec.scale_io {
        default(&mut io.storage_mode, "ThinProvisioned");
        default(&mut io.fs_type, "xfs");
    }
}
