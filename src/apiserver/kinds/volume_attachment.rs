//! VolumeAttachment.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/v1/zz_generated.defaults.go`,
//! `pkg/apis/storage/validation/validation.go`, `pkg/registry/storage/volumeattachment/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::persistent_volume::{default_source, validation::inline_spec};
use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep};
use crate::api::Timestamp;
use crate::api::names::inclusive_range_error;
use crate::api::types::VolumeAttachment;
use crate::api::types::storage::{VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeError};
use crate::apiserver::defaults::quantities;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{invalid_each, object_meta};
use crate::apiserver::validation::volume::csi_driver;
use crate::apiserver::validation::{Errors, FieldError, Path, internal, name_is_dns_subdomain, semantic_eq};

/// The size of what a driver says of an attachment, in bytes.
const MAX_METADATA_SIZE: usize = 256 * 1024;
/// The length of the message of an error, in bytes.
const MAX_ERROR_MESSAGE: usize = 1024;

impl Strategy for VolumeAttachment {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Attacher", "attacher indicates the name of the volume driver that MUST handle this request. This is the name returned by GetPluginName().").named(),
        Column::text("PV", "persistentVolumeName represents the name of the persistent volume to attach."),
        Column::text("Node", "nodeName represents the node that the volume should be attached to."),
        Column::of("Attached", "boolean", "attached indicates the volume is successfully attached. This field must only be set by the entity completing the attach operation, i.e. the external-attacher."),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage =
        Storage { reset: &[("status", &[&["metadata"], &["spec"]])], ..Storage::RETURNS_DELETED_OBJECT };

    nothing_for!(convert, warnings_on_create, warnings_on_update, field);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        if let Some(spec) = &mut this.spec.source.inline_volume_spec {
            quantities::list(&mut spec.capacity);
            default_source(spec);
        }
        this.status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        Rc::make_mut(this).status = Some(VolumeAttachmentStatus::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        Rc::make_mut(this).status.clone_from(&old.status);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        // `ResetObjectMetaForStatus`
        this.metadata.deletion_timestamp.clone_from(&old.metadata.deletion_timestamp);
        this.metadata.generation = old.metadata.generation;
        this.metadata.self_link.clone_from(&old.metadata.self_link);
        this.metadata.labels.clone_from(&old.metadata.labels);
        this.metadata.annotations.clone_from(&old.metadata.annotations);
        this.metadata.finalizers.clone_from(&old.metadata.finalizers);
        this.metadata.owner_references.clone_from(&old.metadata.owner_references);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_spec(errs, &self.spec);
        if let Some(status) = &self.status {
            validate_status(errs, status);
        }
        if let Some(volume) = &self.spec.source.persistent_volume_name {
            let at = Path::new("spec").child("source").child("persistentVolumeName");
            invalid_each(errs, &at, volume, name_is_dns_subdomain(volume, false));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        if !semantic_eq(&self.spec, &old.spec) {
            let value = internal::quote("VolumeAttachmentSpec", &self.spec);
            errs.push(FieldError::invalid(&Path::new("spec"), value, "field is immutable"));
        }
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        self.validate_update(old, errs);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let volume = self.spec.source.persistent_volume_name.clone().unwrap_or_default();
        vec![
            name(&self.metadata),
            self.spec.attacher.clone(),
            volume,
            self.spec.node_name.clone(),
            self.status.as_ref().is_some_and(|s| s.attached).to_string(),
            created(&self.metadata, now),
        ]
    }
}

fn validate_status(errs: &mut Errors, status: &VolumeAttachmentStatus) {
    let path = Path::new("status");
    let size: usize = status.attachment_metadata.iter().flatten().map(|(k, v)| k.len() + v.len()).sum();
    if size > MAX_METADATA_SIZE {
        errs.push(FieldError::too_long(&path.child("attachmentMetadata"), MAX_METADATA_SIZE));
    }
    validate_error(errs, status.attach_error.as_ref(), &path.child("attachError"));
    validate_error(errs, status.detach_error.as_ref(), &path.child("detachError"));
}

fn validate_spec(errs: &mut Errors, spec: &VolumeAttachmentSpec) {
    let path = Path::new("spec");
    csi_driver(errs, &spec.attacher, &path.child("attacher"));
    let at = path.child("source");
    let one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (&spec.source.inline_volume_spec, &spec.source.persistent_volume_name) {
        (None, None) => errs.push(FieldError::required(&at, one)),
        (Some(_), Some(_)) => errs.push(FieldError::forbidden(&at, one)),
        (None, Some(volume)) if volume.is_empty() => {
            let why = "must specify non empty persistentVolumeName";
            errs.push(FieldError::required(&at.child("persistentVolumeName"), why));
        }
        (None, Some(_)) => {}
        (Some(inline), None) => inline_spec(errs, inline, &at.child("inlineVolumeSpec")),
    }
    invalid_each(
        errs,
        &path.child("nodeName"),
        &spec.node_name,
        name_is_dns_subdomain(&spec.node_name, false),
    );
}

fn validate_error(errs: &mut Errors, error: Option<&VolumeError>, path: &Path) {
    let Some(error) = error else { return };
    if error.message.as_ref().is_some_and(|m| m.len() > MAX_ERROR_MESSAGE) {
        // Kubernetes names the limit of the metadata here.
        errs.push(FieldError::too_long(&path.child("message"), MAX_METADATA_SIZE));
    }
    if let Some(code) = error.error_code.filter(|code| *code < 0) {
        let message = inclusive_range_error(0, i32::MAX.into());
        errs.push(FieldError::invalid(&path.child("errorCode"), code, message));
    }
}
