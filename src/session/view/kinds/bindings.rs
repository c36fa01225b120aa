//! RoleBindings and ClusterRoleBindings: the lines lead to the role, and to the ServiceAccounts that it is granted to.

use super::{About, KindView};
use crate::api::types::{ClusterRoleBinding, RoleBinding};
use crate::api::{Kind, MetaExt, Object};

/// The role that a binding grants.
fn role<'o>(kind: &str, name: &'o str) -> Option<(Kind, &'o str)> {
    let known = [Kind::ROLE, Kind::CLUSTER_ROLE];
    known.into_iter().find(|k| k.as_str() == kind).map(|k| (k, name))
}

/// RoleBindings.
pub(super) struct RoleBindings;

impl KindView for RoleBindings {
    fn about(&self) -> About {
        About::ASIDE
    }
    /// The role, and the ServiceAccounts of the binding's own namespace.
    fn names<'o>(&self, object: &'o Object) -> Vec<(Kind, &'o str)> {
        let Some(binding) = object.get::<RoleBinding>() else { return Vec::new() };
        let own = binding.metadata.namespace();
        let accounts = binding.subjects.iter().flatten().filter(|s| {
            s.kind == Kind::SERVICE_ACCOUNT.as_str() && s.namespace.as_deref().is_none_or(|n| n == own)
        });
        let accounts = accounts.map(|s| (Kind::SERVICE_ACCOUNT, s.name.as_str()));
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
    fn names<'o>(&self, object: &'o Object) -> Vec<(Kind, &'o str)> {
        let reference = object.get::<ClusterRoleBinding>().map(|b| &b.role_ref);
        reference.and_then(|r| role(&r.kind, &r.name)).into_iter().collect()
    }
    usual!(card, ails, report, next_run, node, ordinal, selects, offers);
}
