//! What rules allow, and which rules others cover (`pkg/apis/rbac/v1/evaluation_helpers.go`,
//! `k8s.io/component-helpers/auth/rbac/validation`, `pkg/registry/rbac/validation/policy_compact.go`).

use std::collections::BTreeSet;

use super::access::{Access, Asked};
use crate::api::quote::go_quote;
use crate::api::types::rbac::PolicyRule;

fn list(of: &Option<Vec<String>>) -> &[String] {
    of.as_deref().unwrap_or_default()
}

fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|w| w == word)
}

/// Whether a rule allows what is asked for (`RuleAllows` of `plugin/pkg/auth/authorizer/rbac`).
pub(super) fn allows(rule: &PolicyRule, access: &Access) -> bool {
    if !has(&rule.verbs, "*") && !has(&rule.verbs, &access.verb) {
        return false;
    }
    match &access.of {
        Asked::Path(path) => list(&rule.non_resource_urls).iter().any(|url| url_covers(url, path)),
        Asked::Resource(of) => {
            let groups = list(&rule.api_groups);
            let names = list(&rule.resource_names);
            (has(groups, "*") || has(groups, &of.group))
                && list(&rule.resources).iter().any(|r| resource_matches(r, &of.combined(), &of.subresource))
                && (names.is_empty() || has(names, &of.name))
        }
    }
}

fn resource_matches(of_rule: &str, combined: &str, part: &str) -> bool {
    of_rule == "*"
        || of_rule == combined
        || (!part.is_empty() && of_rule.strip_prefix("*/").is_some_and(|rest| rest == part))
}

fn url_covers(of_rule: &str, path: &str) -> bool {
    of_rule == "*"
        || of_rule == path
        || (of_rule.ends_with('*') && path.starts_with(of_rule.trim_end_matches('*')))
}

/// One verb for one resource, or one path: what a rule consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Url { url: String, verb: String },
    Resource { group: String, resource: String, name: Option<String>, verb: String },
}

/// What a rule consists of (`BreakdownRule`).
fn parts(rule: &PolicyRule) -> Vec<Part> {
    let mut parts = Vec::new();
    let names = list(&rule.resource_names);
    for group in list(&rule.api_groups) {
        for resource in list(&rule.resources) {
            for verb in &rule.verbs {
                let mut push = |name: Option<&String>| {
                    parts.push(Part::Resource {
                        group: group.clone(),
                        resource: resource.clone(),
                        name: name.cloned(),
                        verb: verb.clone(),
                    });
                };
                match names {
                    [] => push(None),
                    names => names.iter().for_each(|name| push(Some(name))),
                }
            }
        }
    }
    for url in list(&rule.non_resource_urls) {
        parts.extend(rule.verbs.iter().map(|verb| Part::Url { url: url.clone(), verb: verb.clone() }));
    }
    parts
}

/// Whether a rule covers a part (`ruleCovers`).
fn covers(owner: &PolicyRule, part: &Part) -> bool {
    let (verb, rest) = match part {
        Part::Url { url, verb } => {
            let of_path = |owned: &String| {
                owned == url || (owned.ends_with('*') && url.starts_with(owned.trim_end_matches('*')))
            };
            // A rule for some names only covers nothing that has none.
            (
                verb,
                list(&owner.non_resource_urls).iter().any(of_path) && list(&owner.resource_names).is_empty(),
            )
        }
        Part::Resource { group, resource, name, verb } => {
            let (groups, resources, names) =
                (list(&owner.api_groups), list(&owner.resources), list(&owner.resource_names));
            let part = resource.split_once('/').map(|(_, part)| format!("*/{part}"));
            let of_resource = has(resources, "*")
                || has(resources, resource)
                || part.is_some_and(|part| has(resources, &part));
            let of_name = names.is_empty() || name.as_ref().is_some_and(|name| has(names, name));
            (verb, (has(groups, "*") || has(groups, group)) && of_resource && of_name)
        }
    };
    rest && (has(&owner.verbs, "*") || has(&owner.verbs, verb))
}

/// What `wanted` allows and `owned` does not, as a refusal lists it: one line for each resource, sorted; empty if nothing.
pub(super) fn missing(owned: &[PolicyRule], wanted: &[PolicyRule]) -> Vec<String> {
    let uncovered = wanted.iter().flat_map(parts).filter(|part| !owned.iter().any(|rule| covers(rule, part)));
    // Verbs of one resource, and of one name, are told together; each path stands alone.
    let mut compact: Vec<(Part, Vec<String>)> = Vec::new();
    for part in uncovered {
        let (key, verb) = match part {
            Part::Url { url, verb } => {
                compact.push((Part::Url { url, verb: String::new() }, vec![verb]));
                continue;
            }
            Part::Resource { group, resource, name, verb } => {
                (Part::Resource { group, resource, name, verb: String::new() }, verb)
            }
        };
        match compact.iter_mut().find(|(known, _)| *known == key) {
            Some((_, verbs)) => verbs.push(verb),
            None => compact.push((key, vec![verb])),
        }
    }
    let lines: BTreeSet<String> = compact.iter().map(|(part, verbs)| line(part, verbs)).collect();
    lines.into_iter().collect()
}

/// `CompactString`
fn line(part: &Part, verbs: &[String]) -> String {
    let verbs = quoted(verbs);
    match part {
        Part::Url { url, .. } => format!("{{NonResourceURLs:[{}], Verbs:{verbs}}}", go_quote(url)),
        Part::Resource { group, resource, name, .. } => {
            let (group, resource) = (go_quote(group), go_quote(resource));
            let names =
                name.as_ref().map(|n| format!("ResourceNames:[{}], ", go_quote(n))).unwrap_or_default();
            format!("{{APIGroups:[{group}], Resources:[{resource}], {names}Verbs:{verbs}}}")
        }
    }
}

/// A list as Go's `%q` writes it.
pub(super) fn quoted(list: &[String]) -> String {
    format!("[{}]", list.iter().map(go_quote).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(verbs: &[&str], groups: &[&str], resources: &[&str], names: &[&str]) -> PolicyRule {
        let own = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        PolicyRule {
            verbs: own(verbs),
            api_groups: Some(own(groups)),
            resources: Some(own(resources)),
            resource_names: Some(own(names)),
            non_resource_urls: None,
        }
    }

    /// `component-helpers/auth/rbac/validation/policy_comparator_test.go` and
    /// `pkg/registry/rbac/validation/policy_compact_test.go`.
    #[test]
    fn what_is_not_covered_is_listed_by_resource() {
        let owned = [
            rule(&["get", "list"], &[""], &["pods", "*/scale"], &[]),
            rule(&["*"], &["apps"], &["*"], &["a"]),
        ];
        assert!(missing(&owned, &[rule(&["get"], &[""], &["pods"], &["one"])]).is_empty());
        assert!(
            missing(&owned, &[rule(&["list"], &[""], &["replicationcontrollers/scale"], &[])]).is_empty()
        );
        assert!(missing(&owned, &[rule(&["delete"], &["apps"], &["deployments"], &["a"])]).is_empty());
        let wanted = [
            rule(&["get", "watch", "delete"], &[""], &["secrets", "pods"], &[]),
            rule(&["get"], &["apps"], &["deployments"], &["a", "b"]),
        ];
        assert_eq!(
            missing(&owned, &wanted),
            [
                r#"{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}"#,
                r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get" "watch" "delete"]}"#,
                r#"{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["get"]}"#,
            ]
        );
    }

    /// `pkg/apis/rbac/v1/evaluation_helpers.go`, `NonResourceURLMatches`.
    #[test]
    fn a_star_at_the_end_of_a_path_stands_for_the_rest() {
        for (url, path, covers) in [
            ("*", "/metrics", true),
            ("/met*", "/metrics", true),
            ("/nothing/*", "/nothing", false),
            ("/nothing/*", "/nothing/here/too", true),
            ("/logs", "/logsx", false),
        ] {
            assert_eq!(url_covers(url, path), covers, "{url} {path}");
        }
    }
}
