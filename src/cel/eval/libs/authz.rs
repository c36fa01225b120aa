//! Asking what the requester may do: `k8s.io/apiserver/pkg/cel/library/authz.go`.

use std::fmt;
use std::rc::Rc;

use super::super::Outcome;
use super::super::value::{Library, Value};

/// Answers what somebody may do.
pub trait Authorizer {
    /// Decides on one question.
    fn check(&self, check: &AuthorizationCheck) -> Decision;
}

/// What an expression asks: a path, or a resource with what it names of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorizationCheck {
    /// Namespace and name of the service account to ask for; the requester if there is none.
    pub service_account: Option<(String, String)>,
    /// A path that is no resource; then nothing else is set.
    pub path: String,
    /// The API group.
    pub group: String,
    /// The resource.
    pub resource: String,
    /// The subresource.
    pub subresource: String,
    /// The namespace.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// A field selector, as it was written.
    pub field_selector: String,
    /// A label selector, as it was written.
    pub label_selector: String,
    /// The verb.
    pub verb: String,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// Why there is no answer.
    pub error: Option<String>,
}

/// What the functions of the library pass on.
#[derive(Clone)]
pub struct Authorization {
    authorizer: Rc<dyn Authorizer>,
    stage: Stage,
    check: AuthorizationCheck,
    decision: Decision,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Authorizer,
    Path,
    Group,
    Resource,
    Decision,
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization").field("stage", &self.stage).field("check", &self.check).finish()
    }
}

impl PartialEq for Authorization {
    fn eq(&self, other: &Authorization) -> bool {
        self.stage == other.stage && self.check == other.check && self.decision == other.decision
    }
}

impl Authorization {
    /// The value of a variable such as `authorizer`.
    pub fn new(authorizer: Rc<dyn Authorizer>) -> Authorization {
        Authorization {
            authorizer,
            stage: Stage::Authorizer,
            check: Default::default(),
            decision: Default::default(),
        }
    }

    /// The value of a variable such as `authorizer.requestResource`.
    pub fn for_resource(authorizer: Rc<dyn Authorizer>, check: AuthorizationCheck) -> Authorization {
        Authorization { check, stage: Stage::Resource, ..Authorization::new(authorizer) }
    }

    /// As the value of a variable.
    pub fn into_value(self) -> Value {
        Value::library(Library::Authorization(Box::new(self)))
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self.stage {
            Stage::Authorizer => "kubernetes.authorization.Authorizer",
            Stage::Path => "kubernetes.authorization.PathCheck",
            Stage::Group => "kubernetes.authorization.GroupCheck",
            Stage::Resource => "kubernetes.authorization.ResourceCheck",
            Stage::Decision => "kubernetes.authorization.Decision",
        }
    }
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<Outcome> {
    let (Value::Library(library), rest) = args.split_first()? else { return None };
    let Library::Authorization(of) = &**library else { return None };
    let mut next = (**of).clone();
    let check = &mut next.check;
    match (of.stage, function, rest) {
        (Stage::Authorizer, "serviceAccount", [Value::String(namespace), Value::String(name)]) => {
            check.service_account = Some((namespace.to_string(), name.to_string()));
        }
        (Stage::Authorizer, "path", [Value::String(path)]) => {
            check.path = path.to_string();
            next.stage = Stage::Path;
        }
        (Stage::Authorizer, "group", [Value::String(group)]) => {
            check.group = group.to_string();
            next.stage = Stage::Group;
        }
        (Stage::Group, "resource", [Value::String(resource)]) => {
            check.resource = resource.to_string();
            next.stage = Stage::Resource;
        }
        (Stage::Resource, "subresource", [Value::String(text)]) => check.subresource = text.to_string(),
        (Stage::Resource, "namespace", [Value::String(text)]) => check.namespace = text.to_string(),
        (Stage::Resource, "name", [Value::String(text)]) => check.name = text.to_string(),
        (Stage::Resource, "fieldSelector", [Value::String(text)]) => check.field_selector = text.to_string(),
        (Stage::Resource, "labelSelector", [Value::String(text)]) => check.label_selector = text.to_string(),
        (Stage::Resource | Stage::Path, "check", [Value::String(verb)]) => {
            check.verb = verb.to_string();
            next.stage = Stage::Decision;
            next.decision = of.authorizer.check(&next.check);
        }
        (Stage::Decision, "allowed", []) => return Some(Ok(Value::Bool(of.decision.allowed))),
        (Stage::Decision, "errored", []) => return Some(Ok(Value::Bool(of.decision.error.is_some()))),
        (Stage::Decision, "reason", []) => return Some(Ok(Value::string(&of.decision.reason))),
        (Stage::Decision, "error", []) => {
            return Some(Ok(Value::string(of.decision.error.as_deref().unwrap_or_default())));
        }
        _ => return None,
    }
    Some(Ok(next.into_value()))
}
