//! Who writes a role or a binding gives away rights, and can give only what he has (`pkg/registry/rbac/escalation_check.go`,
//! `…/{role,clusterrole,rolebinding,clusterrolebinding}/policybased/storage.go`, `ConfirmNoEscalation`).

use std::rc::Rc;

use super::access::{Access, Asked, Resource, forbidden};
use super::impersonation::described;
use super::rules;
use crate::api::bootstrap_policy::{GROUP, KINDS};
use crate::api::types::rbac::{PolicyRule, RoleRef};
use crate::api::types::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use crate::api::{Kind, Object};
use crate::apimachinery::user::MASTERS;
use crate::apimachinery::{Request, Status, UserInfo};
use crate::apiserver::ApiServer;
use crate::apiserver::context::RequestContext;

/// What only whoever may do everything can give away.
fn everything() -> [PolicyRule; 2] {
    let all = || vec!["*".to_owned()];
    [
        PolicyRule { verbs: all(), api_groups: Some(all()), resources: Some(all()), ..PolicyRule::default() },
        PolicyRule { verbs: all(), non_resource_urls: Some(all()), ..PolicyRule::default() },
    ]
}

fn aggregates(role: &ClusterRole) -> bool {
    let selectors = role.aggregation_rule.as_ref().and_then(|a| a.cluster_role_selectors.as_ref());
    selectors.is_some_and(|s| !s.is_empty())
}

/// Whether a write changes only what the garbage collector needs to delete the object (`IsOnlyMutatingGCFields`).
fn only_for_collection(object: &Object, old: &Object) -> bool {
    let mut copy = object.clone();
    let meta = copy.meta_mut();
    meta.owner_references.clone_from(&old.meta().owner_references);
    meta.finalizers.clone_from(&old.meta().finalizers);
    meta.managed_fields.clone_from(&old.meta().managed_fields);
    copy == *old
}

/// Whoever writes.
struct Writer<'a> {
    api: &'a ApiServer,
    user: &'a Rc<UserInfo>,
    r: &'a Request,
}

impl Writer<'_> {
    fn may(&self, verb: &str, kind: Kind, name: &str) -> bool {
        let of = Resource {
            group: GROUP.to_owned(),
            resource: kind.plural().to_owned(),
            namespace: self.r.key.namespace.to_string(),
            name: name.to_owned(),
            ..Resource::default()
        };
        let access = Access { user: self.user.clone(), verb: verb.to_owned(), of: Asked::Resource(of) };
        self.api.authorize(&access).allowed
    }

    /// Checks that the writer has all rights that rules give.
    fn confirm(&self, wanted: &[PolicyRule]) -> Result<(), String> {
        let owned = self.api.rbac_rules(self.user, &self.r.key.namespace);
        let missing = rules::missing(&owned.rules, wanted);
        if missing.is_empty() {
            return Ok(());
        }
        let errors = match owned.error() {
            none if none.is_empty() => none,
            error => format!("; resolution errors: [{error}]"),
        };
        Err(format!(
            "{} is attempting to grant RBAC permissions not currently held:\n{}{errors}",
            described(self.user),
            missing.join("\n")
        ))
    }

    /// Checks a role with these rules.
    fn role(&self, wanted: &[PolicyRule], aggregates: bool) -> Result<(), String> {
        self.confirm(wanted)?;
        if aggregates && self.confirm(&everything()).is_err() {
            return Err("must have cluster-admin privileges to use the aggregationRule".to_owned());
        }
        Ok(())
    }
}

impl ApiServer {
    /// Checks that the user of a request has the rights that a role or a binding gives. `old` is what it replaces.
    ///
    /// # Errors
    /// 403: the user has not. 404: a binding names a role that there is not.
    pub(in crate::apiserver) fn check_escalation(
        &self,
        r: &Request,
        object: &Object,
        old: Option<&Object>,
        cx: &RequestContext,
    ) -> Result<(), Status> {
        let Some(user) = cx.user.as_ref().filter(|user| !user.is_in(MASTERS)) else { return Ok(()) };
        if !KINDS.contains(&r.kind) {
            return Ok(());
        }
        let writer = Writer { api: self, user, r };
        let refused = |why: String| forbidden(GROUP, r.kind.plural(), object.name(), &why);
        let for_collection = || old.is_some_and(|old| only_for_collection(object, old));
        let of_role = match (object.get::<Role>(), object.get::<ClusterRole>()) {
            (Some(role), _) => Some((&role.rules, false)),
            (_, Some(role)) => {
                let had = old.and_then(|o| o.get::<ClusterRole>()).is_some_and(|old| aggregates(old));
                Some((&role.rules, aggregates(role) || had))
            }
            _ => None,
        };
        if let Some((rules, aggregates)) = of_role {
            if writer.may("escalate", r.kind, &r.key.name) || for_collection() {
                return Ok(());
            }
            return writer.role(rules.as_deref().unwrap_or_default(), aggregates).map_err(refused);
        }
        let role: &RoleRef = match (object.get::<RoleBinding>(), object.get::<ClusterRoleBinding>()) {
            (Some(binding), _) => &binding.role_ref,
            (_, Some(binding)) => &binding.role_ref,
            _ => return Ok(()),
        };
        let kind = match role.kind.as_str() {
            "Role" => Some(Kind::ROLE),
            "ClusterRole" => Some(Kind::CLUSTER_ROLE),
            _ => None,
        };
        if for_collection() || kind.is_some_and(|kind| writer.may("bind", kind, &role.name)) {
            return Ok(());
        }
        match self.rules_of(role, &r.key.namespace) {
            Ok(rules) => writer.confirm(rules).map_err(refused),
            // The store names the resource of the request.
            Err(_) if kind.is_some() => Err(Status::not_found(r.kind, &role.name)),
            Err(why) => Err(Status::new(500, "", why)),
        }
    }
}
