//! Which requests a policy or a binding looks at (`policy/matching`, `webhook/predicates`).

use super::attributes::Attributes;
use crate::api::labels::Selector;
use crate::api::types::LabelSelector;
use crate::api::types::admission::{MatchResources, NamedRuleWithOperations};
use crate::api::{Kind, MetaExt};
use crate::apiserver::ApiServer;
use crate::apiserver::kinds::versions;
use crate::apiserver::validation::{list, text};

/// By which version of the resource a request is looked at; `None` if it is not.
///
/// # Errors
/// A selector cannot be read, or the namespace is not there.
pub(super) fn matches(
    api: &ApiServer,
    of: &Attributes,
    wanted: &MatchResources,
) -> Result<Option<Kind>, String> {
    let namespace = namespace_matches(api, of, wanted.namespace_selector.as_ref());
    if namespace == Ok(false) {
        return Ok(None);
    }
    let object = object_matches(of, wanted.object_selector.as_ref());
    if object == Ok(false) {
        return Ok(None);
    }
    let equivalent = text(&wanted.match_policy) == "Equivalent";
    if by_rules(api, of, list(&wanted.exclude_resource_rules), equivalent).is_some() {
        return Ok(None);
    }
    let rules = list(&wanted.resource_rules);
    let found = if rules.is_empty() { Some(of.resource) } else { by_rules(api, of, rules, equivalent) };
    // What cannot be asked is an error of requests that the rules are about, and of no others.
    if found.is_some() {
        namespace?;
        object?;
    }
    Ok(found)
}

/// A selector; an empty one is `None`.
fn selector(of: Option<&LabelSelector>) -> Result<Option<Selector>, String> {
    Ok(Some(Selector::from_label_selector(of)?).filter(|selector| !selector.is_empty()))
}

fn namespace_matches(
    api: &ApiServer,
    of: &Attributes,
    wanted: Option<&LabelSelector>,
) -> Result<bool, String> {
    let is_namespace = of.resource == Kind::NAMESPACE;
    if of.namespace.is_empty() && !is_namespace {
        return Ok(true);
    }
    let Some(selector) = selector(wanted)? else { return Ok(true) };
    if let Some(object) = of.object.as_ref().filter(|_| is_namespace && of.subresource.is_empty()) {
        return Ok(selector.matches(object.labels()));
    }
    match api.namespace(of.namespace) {
        Some(namespace) => Ok(selector.matches(namespace.meta().labels_or_empty())),
        None => Err(format!("namespaces \"{}\" not found", of.namespace)),
    }
}

fn object_matches(of: &Attributes, wanted: Option<&LabelSelector>) -> Result<bool, String> {
    let Some(selector) = selector(wanted)? else { return Ok(true) };
    let mut objects = [&of.object, &of.old].into_iter().flatten();
    Ok(objects.any(|object| selector.matches(object.labels())))
}

/// By which version of the resource rules name a request; `None` if they do not. With `equivalent` they may name another
/// version in which the resource is served.
fn by_rules(
    api: &ApiServer,
    of: &Attributes,
    rules: &[NamedRuleWithOperations],
    equivalent: bool,
) -> Option<Kind> {
    let names = |kind: Kind| rules.iter().any(|rule| rule_names(rule, of, kind));
    if names(of.resource) {
        return Some(of.resource);
    }
    if !equivalent {
        return None;
    }
    other_versions(api, of.resource).into_iter().find(|kind| names(*kind))
}

/// The other versions in which a resource is served.
fn other_versions(api: &ApiServer, kind: Kind) -> Vec<Kind> {
    let other = |k: &Kind| k.api_version() != kind.api_version();
    if kind.is_custom() {
        let Some(definition) = api.definitions().find(kind.group(), kind.plural()) else { return Vec::new() };
        let served = definition.versions().iter().filter(|v| v.served).map(|v| v.kind);
        return served.filter(other).collect();
    }
    let of_kind = Kind::served().filter(|k| *k == kind && other(k));
    of_kind.filter(|k| versions::of(kind, k.api_version()).is_some()).collect()
}

fn rule_names(rule: &NamedRuleWithOperations, of: &Attributes, kind: Kind) -> bool {
    let any = |items: &Option<Vec<String>>, wanted: &str| list(items).iter().any(|i| i == "*" || i == wanted);
    let named = list(&rule.resource_names);
    let is_namespace = of.resource == Kind::NAMESPACE;
    let in_scope = match text(&rule.scope) {
        "Namespaced" => !is_namespace && !of.namespace.is_empty(),
        "Cluster" => is_namespace || of.namespace.is_empty(),
        _ => true,
    };
    let names_resource = |resource: &String| {
        let (resource, part) = resource.split_once('/').unwrap_or((resource, ""));
        (resource == "*" || resource == kind.plural()) && (part == "*" || part == of.subresource)
    };
    in_scope
        && any(&rule.operations, of.operation.as_str())
        && any(&rule.api_groups, kind.group())
        && any(&rule.api_versions, kind.version())
        && list(&rule.resources).iter().any(names_resource)
        && (named.is_empty() || named.iter().any(|name| name == of.name))
}
