//! `kubernetes.authorization`: questions to the authorizer (`k8s.io/apiserver/pkg/cel/library/authz.go`). Here everybody may do
//! everything, so a question is one of which only the words are checked, and every decision allows.

use super::super::value::{Asked, Library, Value};
use super::super::{EvalError, EvalResult};
use crate::api::names;

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let Some((Value::Library(library), rest)) = args.split_first() else { return None };
    let Library::Asked(asked) = **library else { return None };
    let next = match (asked, function, rest) {
        (Asked::Authorizer, "path", [Value::String(path)]) => {
            if path.is_empty() {
                return Some(Err(EvalError::new("path must not be empty")));
            }
            Asked::Path
        }
        (Asked::Authorizer, "group", [Value::String(_)]) => Asked::Group,
        (Asked::Authorizer, "serviceAccount", [Value::String(namespace), Value::String(name)]) => {
            if !names::is_dns1123_subdomain(name).is_empty() {
                return Some(Err(EvalError::new("Invalid service account name")));
            }
            if !names::is_dns1123_label(namespace).is_empty() {
                return Some(Err(EvalError::new("Invalid service account namespace")));
            }
            Asked::Authorizer
        }
        (Asked::Group, "resource", [Value::String(resource)]) => {
            if resource.is_empty() {
                return Some(Err(EvalError::new("resource must not be empty")));
            }
            Asked::Resource
        }
        (
            Asked::Resource,
            "subresource" | "namespace" | "name" | "fieldSelector" | "labelSelector",
            [Value::String(_)],
        ) => Asked::Resource,
        (Asked::Path | Asked::Resource, "check", [Value::String(_)]) => Asked::Decision,
        (Asked::Decision, "allowed", []) => return Some(Ok(Value::Bool(true))),
        (Asked::Decision, "errored", []) => return Some(Ok(Value::Bool(false))),
        (Asked::Decision, "reason" | "error", []) => return Some(Ok(Value::string(""))),
        _ => return None,
    };
    Some(Ok(Value::library(Library::Asked(next))))
}
