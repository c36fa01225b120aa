//! RoleBinding.
//!
//! Read from Kubernetes' `pkg/apis/rbac/types.go`, `pkg/apis/rbac/v1/defaults.go`,
//! `pkg/apis/rbac/validation/validation.go`, `pkg/registry/rbac/rolebinding/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::role::ANY_NAME;
use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::rbac::{RoleRef, Subject};
use crate::api::types::{ObjectMeta, RoleBinding};
use crate::apiserver::defaults::default;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, go_json_string, list, name_is_dns_subdomain, names, text,
};

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
        object_meta(errs, &self.metadata, true, ANY_NAME);
        validate_role_ref(errs, &self.role_ref, &["Role", "ClusterRole"]);
        validate_subjects(errs, list(&self.subjects), true);
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

/// The group of roles, and of users and groups.
pub(super) const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// Fills in the group of the role and of each subject.
pub(super) fn default_groups(role: &mut RoleRef, subjects: &mut Option<Vec<Subject>>) {
    default(&mut role.api_group, RBAC_GROUP);
    for subject in subjects.iter_mut().flatten() {
        if matches!(subject.kind.as_str(), "User" | "Group") {
            default(&mut subject.api_group, RBAC_GROUP);
        }
    }
}

/// Validates which role is bound; `kinds` are those that it may have.
pub(super) fn validate_role_ref(errs: &mut Errors, role: &RoleRef, kinds: &[&str]) {
    let path = Path::new("roleRef");
    if text(&role.api_group) != RBAC_GROUP {
        errs.push(FieldError::not_supported(&path.child("apiGroup"), text(&role.api_group), &[RBAC_GROUP]));
    }
    if !kinds.contains(&role.kind.as_str()) {
        errs.push(FieldError::not_supported(&path.child("kind"), &role.kind, kinds));
    }
    if role.name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    } else {
        invalid_each(errs, &path.child("name"), &role.name, names::path_segment_name(&role.name));
    }
}

/// Refuses that another role is bound.
pub(super) fn validate_same_role(errs: &mut Errors, new: &RoleRef, old: &RoleRef) {
    if new != old {
        let value = BadValue::Json(format!(
            "{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}",
            go_json_string(text(&new.api_group)),
            go_json_string(&new.kind),
            go_json_string(&new.name)
        ));
        errs.push(FieldError::invalid(&Path::new("roleRef"), value, "cannot change roleRef"));
    }
}

/// Validates who the role is bound to (`ValidateRoleBindingSubject`).
pub(super) fn validate_subjects(errs: &mut Errors, subjects: &[Subject], namespaced: bool) {
    for (i, subject) in subjects.iter().enumerate() {
        let path = Path::new("subjects").index(i);
        let at = path.child("name");
        if subject.name.is_empty() {
            errs.push(FieldError::required(&at, ""));
        }
        let group = match subject.kind.as_str() {
            "ServiceAccount" => {
                if !subject.name.is_empty() {
                    let messages = name_is_dns_subdomain(&subject.name, false);
                    invalid_each(errs, &at, &subject.name, messages);
                }
                ""
            }
            "User" | "Group" => RBAC_GROUP,
            other => {
                let kinds = &["ServiceAccount", "User", "Group"];
                errs.push(FieldError::not_supported(&path.child("kind"), other, kinds));
                continue;
            }
        };
        let given = text(&subject.api_group);
        if given != group {
            errs.push(FieldError::not_supported(&path.child("apiGroup"), given, &[group]));
        }
        if group.is_empty() && !namespaced && text(&subject.namespace).is_empty() {
            errs.push(FieldError::required(&path.child("namespace"), ""));
        }
    }
}

/// The cells of a RoleBinding or ClusterRoleBinding.
pub(super) fn binding_row(
    meta: &ObjectMeta,
    role: &RoleRef,
    subjects: Option<&[Subject]>,
    now: Timestamp,
) -> Vec<String> {
    let of = |kind: &str| -> String {
        let all = subjects.unwrap_or_default().iter().filter(|s| s.kind == kind);
        let names = all.map(|s| match kind {
            "ServiceAccount" => format!("{}/{}", s.namespace.as_deref().unwrap_or_default(), s.name),
            _ => s.name.clone(),
        });
        names.collect::<Vec<_>>().join(", ")
    };
    vec![
        name(meta),
        format!("{}/{}", role.kind, role.name),
        created(meta, now),
        of("User"),
        of("Group"),
        of("ServiceAccount"),
    ]
}
