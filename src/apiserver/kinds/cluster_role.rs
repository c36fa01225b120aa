//! ClusterRole.
//!
//! Read from Kubernetes' `pkg/apis/rbac/types.go`, `pkg/apis/rbac/validation/validation.go`,
//! `pkg/registry/rbac/clusterrole/strategy.go` and `pkg/printers/internalversion/printers.go`.

use super::role::{ANY_NAME, validate_rules};
use super::storage::Storage;
use super::{CREATED_AT, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::labels::Selector;
use crate::api::types::ClusterRole;
use crate::apiserver::printers::created_at;
use crate::apiserver::validation::meta::{label_selector, object_meta, object_meta_update};
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, list};

impl Strategy for ClusterRole {
    const COLUMNS: &'static [Column] = &[NAME, CREATED_AT];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, default, prepare_for_create, prepare_for_update, prepare_for_status_update,
        validate_status_update, warnings_on_create, warnings_on_update, field
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, ANY_NAME);
        validate_rules(errs, list(&self.rules), false);
        let Some(aggregation) = &self.aggregation_rule else { return };
        let path = Path::new("aggregationRule").child("clusterRoleSelectors");
        let selectors = list(&aggregation.cluster_role_selectors);
        if selectors.is_empty() {
            let message = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            errs.push(FieldError::required(&path, message));
        }
        for (i, selector) in selectors.iter().enumerate() {
            let at = path.index(i);
            label_selector(errs, Some(selector), &at);
            if Selector::from_label_selector(Some(selector)).is_err() {
                // What Go quotes is the selector that could not be made.
                errs.push(FieldError::invalid(&at, BadValue::Json("null".into()), "invalid label selector."));
            }
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        created_at(&self.metadata)
    }
}
