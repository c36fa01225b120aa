//! ClusterRoleBinding.
//!
//! Read from Kubernetes' `pkg/apis/rbac/types.go`, `pkg/apis/rbac/v1/defaults.go`,
//! `pkg/apis/rbac/validation/validation.go`, `pkg/registry/rbac/clusterrolebinding/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::role::ANY_NAME;
use super::role_binding::{
    binding_row, default_groups, validate_role_ref, validate_same_role, validate_subjects,
};
use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::ClusterRoleBinding;
use crate::apiserver::validation::meta::{object_meta, object_meta_update};
use crate::apiserver::validation::{Errors, list};

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
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update,
        warnings_on_create, warnings_on_update, field
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        default_groups(&mut this.role_ref, &mut this.subjects);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, ANY_NAME);
        validate_role_ref(errs, &self.role_ref, &["ClusterRole"]);
        validate_subjects(errs, list(&self.subjects), false);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_same_role(errs, &self.role_ref, &old.role_ref);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        binding_row(&self.metadata, &self.role_ref, self.subjects.as_deref(), now)
    }
}
