//! Role.
//!
//! Read from Kubernetes' `pkg/apis/rbac/types.go`, `pkg/apis/rbac/validation/validation.go`,
//! `pkg/registry/rbac/role/strategy.go` and `pkg/printers/internalversion/printers.go`.

use super::storage::Storage;
use super::{CREATED_AT, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::Role;
use crate::api::types::rbac::PolicyRule;
use crate::apiserver::printers::created_at;
use crate::apiserver::validation::meta::{object_meta, object_meta_update};
use crate::apiserver::validation::names::NameRule;
use crate::apiserver::validation::{Errors, FieldError, Path, json_strings, list, path_segment_name};

impl Strategy for Role {
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
        object_meta(errs, &self.metadata, true, ANY_NAME);
        validate_rules(errs, list(&self.rules), true);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        created_at(&self.metadata)
    }
}

/// The names of the kinds of rbac.authorization.k8s.io: any that fit into a path.
pub(super) const ANY_NAME: NameRule = |name, _| path_segment_name(name);

/// Validates the rules of a Role (`namespaced`) or a ClusterRole (`ValidatePolicyRule`).
pub(super) fn validate_rules(errs: &mut Errors, rules: &[PolicyRule], namespaced: bool) {
    for (i, rule) in rules.iter().enumerate() {
        let path = Path::new("rules").index(i);
        let mut required = |field: &'static str, message: &str| {
            errs.push(FieldError::required(&path.child(field), message));
        };
        if rule.verbs.is_empty() {
            required("verbs", "verbs must contain at least one value");
        }
        let urls = list(&rule.non_resource_urls);
        let (groups, resources) = (list(&rule.api_groups), list(&rule.resources));
        if urls.is_empty() {
            if groups.is_empty() {
                required("apiGroups", "resource rules must supply at least one api group");
            }
            if resources.is_empty() {
                required("resources", "resource rules must supply at least one resource");
            }
            continue;
        }
        let at = path.child("nonResourceURLs");
        if namespaced {
            let message = "namespaced rules cannot apply to non-resource URLs";
            errs.push(FieldError::invalid(&at, json_strings(urls), message));
        }
        if !groups.is_empty() || !resources.is_empty() || !list(&rule.resource_names).is_empty() {
            let message = "rules cannot apply to both regular resources and non-resource URLs";
            errs.push(FieldError::invalid(&at, json_strings(urls), message));
        }
    }
}
