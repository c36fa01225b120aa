//! What roles and bindings allow (`plugin/pkg/auth/authorizer/rbac`, `pkg/registry/rbac/validation/rule.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::access::Access;
use super::{Asked, Decision, rules};
use crate::api::bootstrap_policy::GROUP;
use crate::api::quote::go_quote;
use crate::api::types::rbac::{PolicyRule, RoleRef, Subject};
use crate::api::types::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use crate::api::{Kind, Object, ObjectRef};
use crate::apimachinery::UserInfo;
use crate::apimachinery::user::split_service_account;
use crate::apiserver::ApiServer;

/// What a user may do in a namespace.
#[derive(Clone, Debug, Default)]
pub(in crate::apiserver) struct Rules {
    pub(in crate::apiserver) rules: Vec<PolicyRule>,
    /// Whether an authorizer does not tell all that it allows.
    pub(in crate::apiserver) incomplete: bool,
    /// Roles that there are not, and the like.
    pub(in crate::apiserver) errors: Vec<String>,
}

impl Rules {
    /// The errors as one (`utilerrors.NewAggregate`); empty if there are none.
    pub(in crate::apiserver) fn error(&self) -> String {
        aggregate(&self.errors)
    }
}

/// Errors as one, each once.
fn aggregate(errors: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for error in errors {
        if !once.contains(&error.as_str()) {
            once.push(error);
        }
    }
    match once.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        many => format!("[{}]", many.join(", ")),
    }
}

/// A binding that applies to a user.
struct Bound<'a> {
    object: &'a Object,
    role: &'a RoleRef,
    subject: &'a Subject,
}

impl Bound<'_> {
    /// `RoleBinding "b/default" of Role "r" to User "jane"`
    fn describe(&self) -> String {
        let (kind, namespace) = (self.object.kind(), self.object.namespace());
        let name = match namespace {
            "" => go_quote(self.object.name()),
            namespace => go_quote(format!("{}/{namespace}", self.object.name())),
        };
        let Subject { kind: of, name: subject, namespace: given, .. } = self.subject;
        let subject = match of.as_str() {
            "ServiceAccount" => {
                let given = given.as_deref().filter(|n| !n.is_empty()).unwrap_or(namespace);
                go_quote(format!("{subject}/{given}"))
            }
            _ => go_quote(subject),
        };
        format!(
            "{} {name} of {} {} to {of} {subject}",
            kind.as_str(),
            self.role.kind,
            go_quote(&self.role.name)
        )
    }
}

/// Whether a binding that lies in `namespace` means the user by a subject.
fn means(subject: &Subject, user: &UserInfo, namespace: &str) -> bool {
    match subject.kind.as_str() {
        "User" => user.name == subject.name,
        "Group" => user.is_in(&subject.name),
        "ServiceAccount" => {
            let given = subject.namespace.as_deref().filter(|n| !n.is_empty()).unwrap_or(namespace);
            !given.is_empty() && split_service_account(&user.name) == Some((given, subject.name.as_str()))
        }
        _ => false,
    }
}

impl ApiServer {
    /// Whether a rule of a role that is bound to the user allows what is asked for.
    pub(super) fn authorize_by_rules(&self, access: &Access) -> Decision {
        let namespace = match &access.of {
            Asked::Resource(of) => of.namespace.as_str(),
            Asked::Path(_) => "",
        };
        let mut errors = Vec::new();
        for (kind, place) in places(namespace) {
            let bindings = self.bindings(kind, place);
            for bound in bindings.values().filter_map(|o| applies(o, &access.user, place)) {
                match self.rules_of(bound.role, place) {
                    Ok(found) if found.iter().any(|rule| rules::allows(rule, access)) => {
                        return Decision::yes(format!("RBAC: allowed by {}", bound.describe()));
                    }
                    Ok(_) => {}
                    Err(why) => errors.push(why),
                }
            }
        }
        match aggregate(&errors) {
            none if none.is_empty() => Decision::default(),
            why => Decision::no(format!("RBAC: {why}")),
        }
    }

    /// The rules of all roles that are bound to a user for a namespace; for none, those that hold for the whole cluster.
    pub(super) fn rbac_rules(&self, user: &Rc<UserInfo>, namespace: &str) -> Rules {
        let mut out = Rules::default();
        for (kind, place) in places(namespace) {
            let bindings = self.bindings(kind, place);
            for bound in bindings.values().filter_map(|o| applies(o, user, place)) {
                match self.rules_of(bound.role, place) {
                    Ok(found) => out.rules.extend(found.iter().cloned()),
                    Err(why) => out.errors.push(why),
                }
            }
        }
        out
    }

    /// The bindings of a kind in a namespace, by name.
    fn bindings<'a>(&'a self, kind: Kind, namespace: &'a str) -> BTreeMap<&'a str, &'a Object> {
        let defaults = self.default_policy().iter();
        let defaults = defaults.filter(|(at, _)| at.kind == kind && *at.key.namespace == *namespace);
        let there = defaults.filter(|(at, _)| self.default_object(at).is_some()).map(|(_, object)| object);
        let stored = self.etcd.range(kind, Some(namespace).filter(|n| !n.is_empty())).map(|(_, r)| &r.object);
        there.chain(stored).map(|object| (object.name(), object)).collect()
    }

    /// The rules of the role that a binding in `namespace` names (`GetRoleReferenceRules`).
    ///
    /// # Errors
    /// There is no such role.
    pub(super) fn rules_of(&self, role: &RoleRef, namespace: &str) -> Result<&[PolicyRule], String> {
        let (kind, namespace) = match role.kind.as_str() {
            "Role" => (Kind::ROLE, namespace),
            "ClusterRole" => (Kind::CLUSTER_ROLE, ""),
            other => return Err(format!("unsupported role reference kind: {}", go_quote(other))),
        };
        let found = self.stored(&ObjectRef::new(kind, namespace, &role.name));
        let rules = found.map(|object| match (object.get::<Role>(), object.get::<ClusterRole>()) {
            (Some(role), _) => role.rules.as_deref().unwrap_or_default(),
            (_, Some(role)) => role.rules.as_deref().unwrap_or_default(),
            _ => &[],
        });
        rules.ok_or_else(|| format!("{}.{GROUP} {} not found", kind.singular(), go_quote(&role.name)))
    }
}

/// Where bindings count for requests in a namespace.
fn places(namespace: &str) -> impl Iterator<Item = (Kind, &str)> {
    let local = (!namespace.is_empty()).then_some((Kind::ROLE_BINDING, namespace));
    std::iter::once((Kind::CLUSTER_ROLE_BINDING, "")).chain(local)
}

/// The binding with the first of its subjects that means the user; `None` if none does.
fn applies<'a>(object: &&'a Object, user: &UserInfo, namespace: &str) -> Option<Bound<'a>> {
    let (role, subjects) = match (object.get::<ClusterRoleBinding>(), object.get::<RoleBinding>()) {
        (Some(binding), _) => (&binding.role_ref, &binding.subjects),
        (_, Some(binding)) => (&binding.role_ref, &binding.subjects),
        _ => return None,
    };
    let subject = subjects.iter().flatten().find(|s| means(s, user, namespace))?;
    Some(Bound { object, role, subject })
}
