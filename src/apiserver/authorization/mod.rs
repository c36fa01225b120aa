//! Who sends a request, and what they may do (`k8s.io/apiserver/pkg/{authentication,authorization}`,
//! `plugin/pkg/auth/authorizer`).
//!
//! A request over HTTP comes with headers that say who asks ([`authentication`], [`secret_tokens`], [`impersonation`]). What it asks for
//! ([`access`]) is put before three authorizers, one after the other: members of `system:masters` may do everything, kubelets
//! what concerns their nodes ([`node`]), everybody what roles and bindings say ([`rbac`]). The roles and bindings that a new
//! cluster has are not stored until somebody changes them ([`defaults`]). Whoever writes roles and bindings can give away what
//! they have themselves, and no more ([`escalation`]), and who approves or signs certificates needs that right for their signer
//! ([`signers`]). Parts of the status of a ResourceClaim have rights of their own ([`claims`]).
//!
//! The components of the cluster, which send typed requests, are not asked: the default roles allow what they do.

mod access;
mod authentication;
mod claims;
mod defaults;
mod escalation;
mod impersonation;
mod node;
mod rbac;
mod rules;
mod secret_tokens;
mod signers;

use std::rc::Rc;

use super::ApiServer;
use crate::apimachinery::user::MASTERS;
use crate::apimachinery::{Status, UserInfo};

pub(super) use access::{AUTHORIZED_FIELDS, Access, Asked, Resource, forbidden};
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

    /// Refuses what the user may not do.
    ///
    /// # Errors
    /// 403, with what the authorizers say.
    pub(super) fn must(&self, access: &Access) -> Result<(), Status> {
        let decision = self.authorize(access);
        if decision.allowed { Ok(()) } else { Err(access.forbidden(&decision.reason)) }
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
