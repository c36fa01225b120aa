//! `kubernetes.authorization`: questions to the authorizer (`k8s.io/apiserver/pkg/cel/library/authz.go`).

use super::super::asked::{Asked, Step};
use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult};
use crate::api::names;

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let Some((Value::Library(library), rest)) = args.split_first() else { return None };
    let Library::Asked(asked) = &**library else { return None };
    let text = |text: &str| text.to_owned();
    let next = match (asked.step, function, rest) {
        (Step::Authorizer, "path", [Value::String(path)]) => {
            if path.is_empty() {
                return Some(Err(EvalError::new("path must not be empty")));
            }
            asked.to(Step::Path, |q| q.path = Some(text(path)))
        }
        (Step::Authorizer, "group", [Value::String(group)]) => {
            asked.to(Step::Group, |q| q.group = text(group))
        }
        (Step::Authorizer, "serviceAccount", [Value::String(namespace), Value::String(name)]) => {
            if !names::is_dns1123_subdomain(name).is_empty() {
                return Some(Err(EvalError::new("Invalid service account name")));
            }
            if !names::is_dns1123_label(namespace).is_empty() {
                return Some(Err(EvalError::new("Invalid service account namespace")));
            }
            asked.to(Step::Authorizer, |q| q.account = Some((text(namespace), text(name))))
        }
        (Step::Group, "resource", [Value::String(resource)]) => {
            if resource.is_empty() {
                return Some(Err(EvalError::new("resource must not be empty")));
            }
            asked.to(Step::Resource, |q| q.resource = text(resource))
        }
        (Step::Resource, part, [Value::String(value)]) if part != "check" => of_resource(asked, part, value)?,
        (Step::Path | Step::Resource, "check", [Value::String(verb)]) => asked.decided(verb),
        (Step::Decision, "allowed", []) => return Some(Ok(Value::Bool(asked.verdict.allowed))),
        (Step::Decision, "errored", []) => return Some(Ok(Value::Bool(false))),
        (Step::Decision, "reason", []) => return Some(Ok(Value::string(&asked.verdict.reason))),
        (Step::Decision, "error", []) => return Some(Ok(Value::string(""))),
        _ => return None,
    };
    Some(Ok(Value::library(Library::Asked(next))))
}

/// A question that says more of the resource; `None` for a function that there is not.
fn of_resource(asked: &Asked, part: &str, value: &str) -> Option<Asked> {
    if !matches!(part, "subresource" | "namespace" | "name" | "fieldSelector" | "labelSelector") {
        return None;
    }
    Some(asked.to(Step::Resource, |q| {
        let place = match part {
            "subresource" => &mut q.subresource,
            "namespace" => &mut q.namespace,
            "name" => &mut q.name,
            "fieldSelector" => &mut q.field_selector,
            // No authorizer looks at labels here.
            _ => return,
        };
        value.clone_into(place);
    }))
}
