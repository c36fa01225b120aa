//! Namespace.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/namespace/strategy.go`,
//! `pkg/registry/core/namespace/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::{Namespace, NamespaceStatus};
use crate::api::{ApiKind, MetaExt, Object, Timestamp};
use crate::apimachinery::NAMESPACE_FINALIZER;
use crate::apiserver::defaults::default;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{finalizer_name, object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_label;
use crate::apiserver::validation::{Errors, FieldError, Path, text};

impl Strategy for Namespace {
    const COLUMNS: &'static [Column] = &[NAME, Column::text("Status", "The status of the namespace"), AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::These(&["status.phase", "metadata.name"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage =
        Storage { reset: &[("finalize", &[&["status"]])], ..Storage::RETURNS_DELETED_OBJECT };

    nothing_for!(convert, warnings_on_create, warnings_on_update);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        let name = MetaExt::name(&this.metadata).to_owned();
        if !name.is_empty() {
            let labels = this.metadata.labels.get_or_insert_default();
            labels.insert("kubernetes.io/metadata.name".to_owned(), name);
        }
        this.spec.get_or_insert_default();
        default(&mut this.status.get_or_insert_default().phase, "Active");
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status = Some(NamespaceStatus { phase: Some("Active".into()), conditions: None });
        let finalizers = this.spec.get_or_insert_default().finalizers.get_or_insert_default();
        if !finalizers.iter().any(|f| f == NAMESPACE_FINALIZER) {
            finalizers.push(NAMESPACE_FINALIZER.into());
        }
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.spec.clone_from(&old.spec);
        this.status.clone_from(&old.status);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_label);
        let path = Path::new("spec").child("finalizers");
        for finalizer in self.spec.iter().flat_map(|s| s.finalizers.iter().flatten()) {
            finalizer_name(errs, finalizer, &path);
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let phase = self.status.as_ref().map_or("", |s| text(&s.phase));
        let at = Path::new("status").child("Phase");
        if self.metadata.is_deleting() {
            if phase != "Terminating" {
                let message = "may only be 'Terminating' if `deletionTimestamp` is not empty";
                errs.push(FieldError::invalid(&at, phase, message));
            }
        } else if phase != "Active" {
            errs.push(FieldError::invalid(
                &at,
                phase,
                "may only be 'Active' if `deletionTimestamp` is empty",
            ));
        }
    }

    fn field(&self, path: &str) -> Option<String> {
        self.status.as_ref().filter(|_| path == "status.phase")?.phase.clone()
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let phase = self.status.as_ref().and_then(|s| s.phase.clone()).unwrap_or_default();
        vec![name(&self.metadata), phase, created(&self.metadata, now)]
    }
}

/// Sets back what an update through `finalize` may not touch (`PrepareForUpdate` of the finalize strategy):
/// `spec.finalizers` may change, the status not.
pub(in crate::apiserver) fn prepare_for_finalize(object: &mut Object, old: &Object) {
    if let (Some(new), Some(old)) = (Namespace::from_object_mut(object), old.get::<Namespace>()) {
        new.status.clone_from(&old.status);
    }
}

/// Finds what is wrong with an update through `finalize` (`ValidateNamespaceFinalizeUpdate`).
pub(in crate::apiserver) fn validate_finalize_update(errs: &mut Errors, new: &Namespace, old: &Namespace) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let path = Path::new("spec").child("finalizers");
    let finalizers = new.spec.iter().flat_map(|s| s.finalizers.iter().flatten());
    finalizers.enumerate().for_each(|(i, f)| finalizer_name(errs, f, &path.index(i)));
}

/// Whether the object is a namespace that still has finalizers in its `spec`; those in `metadata` are others.
pub(in crate::apiserver) fn has_spec_finalizers(object: &Object) -> bool {
    let spec = object.get::<Namespace>().and_then(|n| n.spec.as_ref());
    spec.and_then(|s| s.finalizers.as_ref()).is_some_and(|f| !f.is_empty())
}

/// Marks a namespace whose deletion has begun.
pub(in crate::apiserver) fn mark_terminating(object: &mut Object) {
    if let Some(namespace) = Namespace::from_object_mut(object) {
        namespace.status.get_or_insert_default().phase = Some("Terminating".into());
    }
}
