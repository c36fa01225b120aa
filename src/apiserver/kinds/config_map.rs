//! ConfigMap.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/validation/validation.go`,
//! `pkg/registry/core/configmap/strategy.go` and `pkg/printers/internalversion/printers.go`.

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::ConfigMap;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::immutable_data::{MAX_SIZE, WHEN_IMMUTABLE, immutable_flag, same};
use crate::apiserver::validation::meta::{invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::{Errors, FieldError, Path, name_is_dns_subdomain, names};

impl Strategy for ConfigMap {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "Data",
            "string",
            "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, default, prepare_for_create, prepare_for_update, prepare_for_status_update,
        validate_status_update, warnings_on_create, warnings_on_update, field
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        let mut size = 0;
        let binary = self.binary_data.as_ref();
        for (key, value) in self.data.iter().flatten() {
            let at = Path::new("data").key(key);
            invalid_each(errs, &at, key, names::config_map_key(key));
            if binary.is_some_and(|b| b.contains_key(key)) {
                errs.push(FieldError::invalid(&at, key, "duplicate of key present in binaryData"));
            }
            size += value.len();
        }
        for (key, value) in binary.into_iter().flatten() {
            invalid_each(errs, &Path::new("binaryData").key(key), key, names::config_map_key(key));
            size += value.0.len();
        }
        if size > MAX_SIZE {
            // The path of a field without a name.
            errs.push(FieldError::too_long(&Path::new("").key(""), MAX_SIZE));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        if old.immutable == Some(true) {
            immutable_flag(errs, self.immutable);
            if !same(&self.data, &old.data) {
                errs.push(FieldError::forbidden(&Path::new("data"), WHEN_IMMUTABLE));
            }
            if !same(&self.binary_data, &old.binary_data) {
                errs.push(FieldError::forbidden(&Path::new("binaryData"), WHEN_IMMUTABLE));
            }
        }
        self.validate(errs);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let n = self.data.as_ref().map_or(0, |d| d.len()) + self.binary_data.as_ref().map_or(0, |d| d.len());
        vec![name(&self.metadata), n.to_string(), created(&self.metadata, now)]
    }
}
