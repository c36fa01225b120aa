//! ResourceClaimTemplate.
//!
//! Read from Kubernetes' `pkg/apis/resource/types.go`, `pkg/apis/resource/v1/defaults.go`,
//! `pkg/apis/resource/validation/validation.go`, `pkg/registry/resource/resourceclaimtemplate/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::resource_claim::capacity_as_text;
use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::ResourceClaimTemplate;
use crate::apiserver::defaults;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, annotations, labels, object_meta, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, devices, internal, name_is_dns_subdomain, semantic_eq,
};

impl Strategy for ResourceClaimTemplate {
    const COLUMNS: &'static [Column] = &[NAME, AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for! {
        prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update,
        warnings_on_create, warnings_on_update, field
    }

    fn convert(body: &mut Value) -> Result<(), String> {
        capacity_as_text(body.pointer_mut("/spec/spec/devices/requests"));
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        let spec = &mut Rc::make_mut(this).spec;
        spec.metadata.get_or_insert_default();
        defaults::devices::claim_spec(&mut spec.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        let path = Path::new("spec");
        if let Some(meta) = &self.spec.metadata {
            let at = path.child("metadata");
            annotations(errs, meta.annotations.as_ref(), &at.child("annotations"));
            labels(errs, meta.labels.as_ref(), &at.child("labels"));
        }
        devices::claim_spec(errs, &self.spec.spec, &path.child("spec"));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        if !semantic_eq(&self.spec, &old.spec) {
            let value = internal::embedding(
                self.spec.metadata.as_ref(),
                internal::convert("ResourceClaimSpec", &crate::api::to_value(&self.spec.spec)),
            );
            errs.push(FieldError::invalid(&Path::new("spec"), value, IMMUTABLE));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), created(&self.metadata, now)]
    }
}
