//! CSINode.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/validation/validation.go`,
//! `pkg/registry/storage/csinode/strategy.go` and `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeSet;

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::CSINode;
use crate::api::types::storage::CSINodeDriver;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, label_name, non_negative, object_meta};
use crate::apiserver::validation::volume::csi_driver;
use crate::apiserver::validation::{Errors, FieldError, Path, internal, list, name_is_dns_subdomain};

/// The longest id of a node, in bytes.
const MAX_NODE_ID: usize = 256;

impl Strategy for CSINode {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "Drivers",
            "integer",
            "Drivers indicates the number of CSI drivers registered on the node",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for! {
        convert, default, prepare_for_create, prepare_for_update, prepare_for_status_update,
        validate_status_update, warnings_on_create, warnings_on_update, field
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        let path = Path::new("spec").child("drivers");
        let mut names = BTreeSet::new();
        for (i, driver) in self.spec.drivers.iter().enumerate() {
            validate_driver(errs, driver, &mut names, &path.index(i));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        // Of a driver that stays only the number of volumes may change.
        let rest = |driver: &CSINodeDriver| CSINodeDriver { allocatable: None, ..driver.clone() };
        for before in &old.spec.drivers {
            for driver in self.spec.drivers.iter().filter(|d| d.name == before.name) {
                if rest(driver) != rest(before) {
                    let value = internal::quote("CSINodeDriver", &rest(driver));
                    errs.push(FieldError::invalid(&Path::new("spec").child("drivers"), value, IMMUTABLE));
                }
            }
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), self.spec.drivers.len().to_string(), created(&self.metadata, now)]
    }
}

fn validate_driver<'a>(
    errs: &mut Errors,
    driver: &'a CSINodeDriver,
    names: &mut BTreeSet<&'a str>,
    path: &Path,
) {
    csi_driver(errs, &driver.name, &path.child("name"));
    let at = path.child("nodeID");
    if driver.node_id.is_empty() {
        errs.push(FieldError::required(&at, ""));
    }
    if driver.node_id.len() > MAX_NODE_ID {
        let message = format!("must be {MAX_NODE_ID} characters or less");
        errs.push(FieldError::invalid(&at, &driver.node_id, message));
    }
    if let Some(count) = driver.allocatable.as_ref().and_then(|a| a.count) {
        non_negative(errs, count, &path.child("allocatable").child("count"));
    }
    if !names.insert(&driver.name) {
        errs.push(FieldError::duplicate(&path.child("name"), &driver.name));
    }
    let mut keys = BTreeSet::new();
    for key in list(&driver.topology_keys) {
        if key.is_empty() {
            errs.push(FieldError::required(path, ""));
        }
        if !keys.insert(key) {
            errs.push(FieldError::duplicate(path, key));
        }
        label_name(errs, key, path);
    }
}
