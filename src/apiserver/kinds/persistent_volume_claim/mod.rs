//! PersistentVolumeClaim.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/persistentvolumeclaim/strategy.go`,
//! `pkg/api/persistentvolumeclaim/util.go` and `pkg/printers/internalversion/printers.go`.

mod validation;

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus, TypedLocalObjectReference,
    TypedObjectReference,
};
use crate::api::volume::{access_modes_as_string, claim_class};
use crate::api::{MetaExt, Timestamp, quantity};
use crate::apiserver::defaults::{claim_spec::claim_spec, default, quantities};
use crate::apiserver::printers::{created, name, or_unset};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::warnings;

impl Strategy for PersistentVolumeClaim {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Status", "phase represents the current phase of PersistentVolumeClaim."),
        Column::text("Volume", "volumeName is the binding reference to the PersistentVolume backing this claim."),
        Column::text("Capacity", "capacity represents the actual resources of the underlying volume."),
        Column::text("Access Modes", "accessModes contains the actual access modes the volume backing the PVC has. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1"),
        Column::text("StorageClass", "StorageClass of the pvc"),
        Column::text("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
        AGE,
        Column::text("VolumeMode", "volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(convert, field);

    fn default(this: &mut Rc<Self>) {
        fill_in(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status =
            Some(PersistentVolumeClaimStatus { phase: Some("Pending".into()), ..Default::default() });
        if let Some(spec) = this.spec.as_mut() {
            drop_data_source(spec, None);
            match_data_sources(spec);
        }
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        if let Some(spec) = this.spec.as_mut() {
            drop_data_source(spec, old.spec.as_ref());
            match_data_sources(spec);
        }
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        validation::claim(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::beta_class(out, &self.metadata);
        if let Some(spec) = &self.spec {
            warnings::claim_spec(out, spec, &Path::new("spec"));
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warnings::beta_class(out, &self.metadata);
        if let Some(spec) = &self.spec {
            warnings::claim_spec(out, spec, &Path::new("spec"));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let status = self.status.clone().unwrap_or_default();
        let volume = spec.volume_name.clone().unwrap_or_default();
        let phase = if self.metadata.is_deleting() { Some("Terminating".to_owned()) } else { status.phase };
        let (capacity, modes) = if volume.is_empty() {
            (String::new(), String::new())
        } else {
            let capacity =
                quantity::amount_of(status.capacity.as_ref().and_then(|c| c.get("storage"))).canonical();
            (capacity, access_modes_as_string(status.access_modes.as_ref()))
        };
        vec![
            name(&self.metadata),
            phase.unwrap_or_default(),
            volume,
            capacity,
            modes,
            claim_class(self).to_owned(),
            or_unset(spec.volume_attributes_class_name.as_ref()),
            created(&self.metadata, now),
            spec.volume_mode.unwrap_or_else(|| "<unset>".into()),
        ]
    }
}

/// What a claim cannot be filled from is dropped without a word: another namespace's objects, and in
/// the older of the two fields all but claims and snapshots
/// (`k8s.io/kubernetes/pkg/api/persistentvolumeclaim`, KEP-1495).
fn drop_data_source(spec: &mut PersistentVolumeClaimSpec, old: Option<&PersistentVolumeClaimSpec>) {
    let elsewhere =
        spec.data_source_ref.as_ref().and_then(|r| r.namespace.as_ref()).is_some_and(|n| !n.is_empty());
    if elsewhere && old.is_none_or(|o| o.data_source_ref.is_none()) {
        spec.data_source_ref = None;
    }
    let used = old.is_some_and(|o| o.data_source.is_some() || o.data_source_ref.is_some());
    if used || spec.data_source_ref.is_some() {
        return;
    }
    spec.data_source.take_if(|source| {
        let group = source.api_group.as_deref().unwrap_or_default();
        !matches!(
            (source.kind.as_str(), group),
            ("PersistentVolumeClaim", "") | ("VolumeSnapshot", "snapshot.storage.k8s.io")
        )
    });
}

/// The two fields that say what a claim is filled from say the same.
fn match_data_sources(spec: &mut PersistentVolumeClaimSpec) {
    match (&spec.data_source, &spec.data_source_ref) {
        (Some(s), None) => {
            spec.data_source_ref = Some(TypedObjectReference {
                api_group: s.api_group.clone(),
                kind: s.kind.clone(),
                name: s.name.clone(),
                namespace: None,
            });
        }
        (None, Some(r)) if r.namespace.as_deref().unwrap_or_default().is_empty() => {
            spec.data_source = Some(TypedLocalObjectReference {
                api_group: r.api_group.clone(),
                kind: r.kind.clone(),
                name: r.name.clone(),
            });
        }
        _ => {}
    }
}

/// Fills in the defaults of a claim or a claim template.
pub(super) fn fill_in(claim: &mut PersistentVolumeClaim) {
    let status = claim.status.get_or_insert_default();
    default(&mut status.phase, "Pending");
    quantities::list(&mut status.capacity);
    quantities::list(&mut status.allocated_resources);
    claim_spec(claim.spec.get_or_insert_default());
}
