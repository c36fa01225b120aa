//! DeviceClass.
//!
//! Read from Kubernetes' `pkg/apis/resource/types.go`, `pkg/apis/resource/validation/validation.go`,
//! `pkg/registry/resource/deviceclass/strategy.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::DeviceClass;
use crate::api::{Timestamp, resource};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{object_meta_generic, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, devices, list, name_is_dns_subdomain, semantic_eq,
};

impl Strategy for DeviceClass {
    const COLUMNS: &'static [Column] = &[NAME, AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for! {
        convert, default, prepare_for_status_update, validate_status_update, warnings_on_create,
        warnings_on_update, field
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        Rc::make_mut(this).metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let changed = !semantic_eq(&this.spec, &old.spec);
        super::count_change(&mut Rc::make_mut(this).metadata, &old.metadata, changed);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta_generic(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_spec(errs, self, None);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_generic(errs, &self.metadata, false, name_is_dns_subdomain);
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_spec(errs, self, Some(old));
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), created(&self.metadata, now)]
    }
}

/// What is as it was is not looked at too closely: it was valid when it was stored.
fn validate_spec(errs: &mut Errors, this: &DeviceClass, old: Option<&DeviceClass>) {
    let path = Path::new("spec");
    let spec = &this.spec;
    let stored = old.is_some_and(|old| semantic_eq(&spec.selectors, &old.spec.selectors));
    devices::selectors(errs, list(&spec.selectors), stored, &path.child("selectors"));
    let stored = old.is_some_and(|old| semantic_eq(&spec.config, &old.spec.config));
    let (config, at) = (list(&spec.config), path.child("config"));
    if devices::fits(errs, config, devices::MAX_CONFIG, &at) {
        for (i, config) in config.iter().enumerate() {
            devices::configuration(errs, config.opaque.as_ref(), stored, &at.index(i));
        }
    }
    if let Some(name) = spec.extended_resource_name.as_ref().filter(|name| !resource::is_extended(name)) {
        let why = "must be a valid extended resource name";
        errs.push(FieldError::invalid(&path.child("extendedResourceName"), name, why));
    }
}
