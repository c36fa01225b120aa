//! IPAddress.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/validation/validation.go`,
//! `pkg/registry/networking/ipaddress/strategy.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::IPAddress;
use crate::api::types::networking::ParentReference;
use crate::apiserver::printers::name;
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, dns1123_subdomain, internal, ip, path_segment_name, text,
};

impl Strategy for IPAddress {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "ParentRef",
            "ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.",
        ),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { random_names: false, ..Storage::PLAIN };

    /// Marks a parent that is given without any field with an empty group. It lacks a resource and a name, while a parent
    /// that is not given at all is one error; the typed struct has no room for the difference.
    fn convert(body: &mut Value) -> Result<(), String> {
        if let Some(Value::Object(parent)) = body.pointer_mut("/spec/parentRef")
            && parent.is_empty()
        {
            parent.insert("group".into(), "".into());
        }
        Ok(())
    }

    fn default(_this: &mut Rc<Self>) {}

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_address);
        let path = Path::new("spec").child("parentRef");
        match parent(self) {
            Some(parent) => validate_parent(errs, parent, &path),
            None => errs.push(FieldError::required(&path, "")),
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
        if parent(self) != parent(old) {
            let value = match parent(self) {
                Some(parent) => internal::quote("ParentReference", parent),
                None => BadValue::Json("null".to_owned()),
            };
            errs.push(FieldError::invalid(&Path::new("spec").child("parentRef"), value, IMMUTABLE));
        }
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        let parent = parent(self).map(|p| {
            let group = text(&p.group).to_lowercase();
            let resource = p.resource.to_lowercase();
            let resource = if group.is_empty() { resource } else { format!("{resource}.{group}") };
            let namespace = text(&p.namespace);
            let namespace = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
            format!("{resource}{namespace}/{}", p.name)
        });
        vec![name(&self.metadata), parent.unwrap_or_else(|| "<none>".to_owned())]
    }
}

/// The object that an address belongs to; `None` if none was given.
fn parent(address: &IPAddress) -> Option<&ParentReference> {
    let parent = &address.spec.parent_ref;
    (*parent != ParentReference::default()).then_some(parent)
}

/// The name of an IPAddress is the address in its canonical form (`ValidateIPAddressName`).
fn name_is_address(name: &str, _prefix: bool) -> Vec<String> {
    let mut errs = Errors::new();
    ip::ip(&mut errs, name, &Path::new(""));
    errs.into_iter().map(|e| e.detail).collect()
}

fn validate_parent(errs: &mut Errors, parent: &ParentReference, path: &Path) {
    let group = text(&parent.group);
    if !group.is_empty() {
        invalid_each(errs, &path.child("group"), group, dns1123_subdomain(group));
    }
    for (field, value) in [("resource", &parent.resource), ("name", &parent.name)] {
        let at = path.child(field);
        if value.is_empty() {
            errs.push(FieldError::required(&at, ""));
        } else {
            invalid_each(errs, &at, value, path_segment_name(value));
        }
    }
    let namespace = text(&parent.namespace);
    if !namespace.is_empty() {
        invalid_each(errs, &path.child("namespace"), namespace, path_segment_name(namespace));
    }
}
