//! RoleBindings and ClusterRoleBindings: the lines lead to the role, and to the ServiceAccounts that it is granted to.

use super::{About, KindView, Named};
use crate::api::types::rbac::Subject;
use crate::api::types::{ClusterRoleBinding, RoleBinding};
use crate::api::{Kind, Object};

/// The role that a binding grants.
fn role<'o>(kind: &str, name: &'o str) -> Option<Named<'o>> {
    let known = [Kind::ROLE, Kind::CLUSTER_ROLE];
    known.into_iter().find(|k| k.as_str() == kind).map(|k| Named::near(k, name))
}

/// The ServiceAccounts among the subjects of a binding.
fn accounts(subjects: Option<&[Subject]>) -> impl Iterator<Item = Named<'_>> {
    let accounts = subjects.unwrap_or_default().iter().filter(|s| s.kind == Kind::SERVICE_ACCOUNT.as_str());
    accounts.map(|s| Named { kind: Kind::SERVICE_ACCOUNT, namespace: s.namespace.as_deref(), name: &s.name })
}

/// RoleBindings.
pub(super) struct RoleBindings;

impl KindView for RoleBindings {
    fn about(&self) -> About {
        About::ASIDE
    }
    /// The role, and the ServiceAccounts.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let Some(binding) = object.get::<RoleBinding>() else { return Vec::new() };
        let accounts = accounts(binding.subjects.as_deref());
        role(&binding.role_ref.kind, &binding.role_ref.name).into_iter().chain(accounts).collect()
    }
    usual!(card, ails, report, next_run, node, ordinal, selects, offers);
}

/// ClusterRoleBindings.
pub(super) struct ClusterRoleBindings;

impl KindView for ClusterRoleBindings {
    fn about(&self) -> About {
        About::ASIDE
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let Some(binding) = object.get::<ClusterRoleBinding>() else { return Vec::new() };
        let accounts = accounts(binding.subjects.as_deref());
        role(&binding.role_ref.kind, &binding.role_ref.name).into_iter().chain(accounts).collect()
    }
    usual!(card, ails, report, next_run, node, ordinal, selects, offers);
}
