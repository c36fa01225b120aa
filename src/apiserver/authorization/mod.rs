//! Who sends a request, and what they may do (`k8s.io/apiserver/pkg/{authentication,authorization}`,
//! `plugin/pkg/auth/authorizer`).
//!
//! A request over HTTP comes with headers that say who asks ([`authentication`], [`impersonation`]). What it asks for
//! ([`access`]) is put before three authorizers, one after the other: members of `system:masters` may do everything, kubelets
//! what concerns their nodes ([`node`]), everybody what roles and bindings say ([`rbac`]). The roles and bindings that a new
//! cluster has are not stored until somebody changes them ([`defaults`]). Whoever writes roles and bindings can give away what
//! they have themselves, and no more ([`escalation`]).
//!
//! The components of the cluster, which send typed requests, are not asked: the default roles allow what they do.

mod access;
mod authentication;
mod defaults;
mod escalation;
mod impersonation;
mod node;
mod rbac;
mod rules;

use std::rc::Rc;

use super::ApiServer;
use crate::apimachinery::UserInfo;
use crate::apimachinery::user::MASTERS;

pub(super) use access::{Access, Asked, Resource};
pub(super) use defaults::DefaultPolicy;
pub(super) use rbac::Rules;

/// What the authorizers say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) allowed: bool,
    /// Why; mostly empty where it is not allowed.
    pub(super) reason: String,
}

impl Decision {
    fn no(reason: impl Into<String>) -> Decision {
        Decision { allowed: false, reason: reason.into() }
    }

    fn yes(reason: impl Into<String>) -> Decision {
        Decision { allowed: true, reason: reason.into() }
    }
}

impl ApiServer {
    /// Whether the user may do what is asked for (`union.New` of the authorizers).
    #[inline(never)]
    pub(super) fn authorize(&self, access: &Access) -> Decision {
        if access.user.is_in(MASTERS) {
            return Decision::yes("");
        }
        let of_node = node::authorize(self, access);
        if of_node.allowed {
            return of_node;
        }
        let by_rules = self.authorize_by_rules(access);
        if by_rules.allowed {
            return by_rules;
        }
        let reasons: Vec<String> =
            [of_node.reason, by_rules.reason].into_iter().filter(|r| !r.is_empty()).collect();
        Decision::no(reasons.join("\n"))
    }

    /// What a user may do in a namespace, as far as it can be listed.
    pub(super) fn rules_for(&self, user: &Rc<UserInfo>, namespace: &str) -> Rules {
        let mut rules = self.rbac_rules(user, namespace);
        if node::name_of(user).is_some() {
            rules.incomplete = true;
            rules.errors.insert(0, "node authorizer does not support user rule resolution".to_owned());
        }
        rules
    }
}

#[cfg(test)]
mod tests;
