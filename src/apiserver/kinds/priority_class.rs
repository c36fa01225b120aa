//! PriorityClass.
//!
//! Read from Kubernetes' `pkg/apis/scheduling/types.go`, `pkg/apis/scheduling/v1/{defaults,helpers}.go`,
//! `pkg/apis/scheduling/validation/validation.go`, `pkg/registry/scheduling/priorityclass/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::PriorityClass;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::default;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, object_meta, object_meta_update};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, go_json_string, name_is_dns_subdomain, scheduling,
};

impl Strategy for PriorityClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "Value",
            "integer",
            "value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.",
        ),
        Column::of(
            "Global-Default",
            "boolean",
            "globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.",
        ),
        AGE,
        Column::text(
            "PreemptionPolicy",
            "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
        ),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, prepare_for_update, prepare_for_status_update, validate_status_update, warnings_on_create,
        warnings_on_update, field
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        default(&mut this.preemption_policy, "PreemptLowerPriority");
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        let name = MetaExt::name(&self.metadata);
        let value = self.value.unwrap_or_default();
        if name.starts_with("system-") {
            let known = match name {
                "system-node-critical" => Some(2_000_001_000),
                "system-cluster-critical" => Some(2_000_000_000),
                _ => None,
            };
            let error = match known {
                None => Some(format!("{name} is not a known system priority class")),
                Some(v) if v != value => Some(format!("value of {name} PriorityClass must be {v}")),
                Some(_) if self.global_default == Some(true) => {
                    Some(format!("globalDefault of {name} PriorityClass must be false"))
                }
                Some(_) => None,
            };
            if let Some(error) = error {
                errs.push(FieldError::forbidden(
                &Path::new("metadata").child("name"),
                format!(
                    "priority class names with 'system-' prefix are reserved for system use only. error: {error}"
                ),
            ));
            }
        } else if value > HIGHEST_USER_PRIORITY {
            errs.push(FieldError::forbidden(
                &Path::new("value"),
                format!("maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"),
            ));
        }
        if let Some(policy) = &self.preemption_policy {
            scheduling::preemption_policy(errs, policy, &Path::new("preemptionPolicy"));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        if self.value.unwrap_or_default() != old.value.unwrap_or_default() {
            errs.push(FieldError::forbidden(&Path::new("value"), "may not be changed in an update."));
        }
        if self.preemption_policy != old.preemption_policy {
            let value = match &self.preemption_policy {
                Some(p) => BadValue::Json(go_json_string(p)),
                None => BadValue::Json("null".to_owned()),
            };
            errs.push(FieldError::invalid(&Path::new("preemptionPolicy"), value, IMMUTABLE));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![
            name(&self.metadata),
            self.value.unwrap_or(0).to_string(),
            self.global_default.unwrap_or(false).to_string(),
            created(&self.metadata, now),
            self.preemption_policy.clone().unwrap_or_default(),
        ]
    }
}

/// The highest priority a person may define.
const HIGHEST_USER_PRIORITY: i32 = 1_000_000_000;
