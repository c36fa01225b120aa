//! ClusterRoleBinding.
//!
//! Read from Kubernetes' `pkg/apis/rbac/types.go`, `pkg/apis/rbac/v1/{conversion,defaults}.go`,
//! `pkg/apis/rbac/validation/validation.go`, `pkg/registry/rbac/clusterrolebinding/strategy.go`,
//! `pkg/registry/rbac/clusterrolebinding/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::ClusterRoleBinding;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation};

impl Strategy for ClusterRoleBinding {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Role",
            "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
        ),
        AGE,
        Column::text("Users", "Users in the clusterRoleBinding").wide(),
        Column::text("Groups", "Groups in the clusterRoleBinding").wide(),
        Column::text("ServiceAccounts", "ServiceAccounts in the clusterRoleBinding").wide(),
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
        validation::rbac::cluster_role_binding(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::rbac::cluster_role_binding_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::networking::cluster_binding(self, now)
    }
}
