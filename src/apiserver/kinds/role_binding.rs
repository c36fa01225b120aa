//! RoleBinding.
//!
//! Read from Kubernetes' `pkg/apis/rbac/types.go`, `pkg/apis/rbac/v1/{conversion,defaults}.go`,
//! `pkg/apis/rbac/validation/validation.go`, `pkg/registry/rbac/rolebinding/strategy.go`,
//! `pkg/registry/rbac/rolebinding/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::RoleBinding;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation};

impl Strategy for RoleBinding {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Role",
            "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
        ),
        AGE,
        Column::text("Users", "Users in the roleBinding").wide(),
        Column::text("Groups", "Groups in the roleBinding").wide(),
        Column::text("ServiceAccounts", "ServiceAccounts in the roleBinding").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        defaults::networking::binding(&mut this.role_ref, &mut this.subjects);
    }

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::rbac::role_binding(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::rbac::role_binding_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::networking::binding(&self.metadata, &self.role_ref, self.subjects.as_deref(), now)
    }
}
