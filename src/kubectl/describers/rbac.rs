//! Roles and their bindings.

use super::super::invocation::{Invocation, Result};
use super::{Writer, annotations};
use crate::api::types::{ClusterRole, ClusterRoleBinding, Role, RoleBinding, rbac};
use crate::api::{Object, order};

fn head(w: &mut Writer, object: &Object) {
    w.line(0, &format!("Name:\t{}", object.name()));
    w.map(0, "Labels", object.meta().labels.as_ref());
    annotations(w, 0, object.meta().annotations.as_ref());
}

pub(in super::super) fn role(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let rules = match (object.get::<Role>(), object.get::<ClusterRole>()) {
        (Some(r), _) => r.rules.as_deref(),
        (_, Some(r)) => r.rules.as_deref(),
        _ => return Ok(false),
    };
    head(w, object);
    w.line(0, "PolicyRule:");
    w.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    w.line(1, "---------\t-----------------\t--------------\t-----");
    access(rules.unwrap_or_default()).iter().for_each(|line| w.line(1, line));
    Ok(false)
}

/// What rules allow: a line for each resource or URL, with tabs between its cells.
pub(in super::super) fn access(rules: &[rbac::PolicyRule]) -> Vec<String> {
    let line = |rule: Line| {
        let Line { resource, urls, names, verbs, .. } = &rule;
        format!("{resource}\t{}\t{}\t{}", go(urls), go(names), go(verbs))
    };
    compact(rules).into_iter().map(line).collect()
}

/// A list as Go prints it.
fn go(items: &[String]) -> String {
    format!("[{}]", items.join(" "))
}

/// A rule about one resource or one URL.
struct Line {
    group: Vec<String>,
    of: Vec<String>,
    resource: String,
    urls: Vec<String>,
    names: Vec<String>,
    verbs: Vec<String>,
}

/// Rules taken apart, those that differ only by the verb put together, and sorted as their text in Go
/// is (`BreakdownRule`, `CompactRules`).
fn compact(rules: &[rbac::PolicyRule]) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    let none = [String::new()];
    for rule in rules {
        let names = rule.resource_names.as_deref().filter(|n| !n.is_empty());
        for group in rule.api_groups.iter().flatten() {
            for of in rule.resources.iter().flatten() {
                for verb in &rule.verbs {
                    for name in names.unwrap_or(&none) {
                        let names: Vec<String> = names.map(|_| name.clone()).into_iter().collect();
                        let same = |l: &&mut Line| {
                            l.group == [group.as_str()] && l.of == [of.as_str()] && l.names == names
                        };
                        match out.iter_mut().find(same) {
                            Some(line) if line.verbs.contains(verb) => {}
                            Some(line) => line.verbs.push(verb.clone()),
                            None => out.push(Line {
                                resource: combined(of, group),
                                group: vec![group.clone()],
                                of: vec![of.clone()],
                                urls: Vec::new(),
                                names,
                                verbs: vec![verb.clone()],
                            }),
                        }
                    }
                }
            }
        }
        for url in rule.non_resource_urls.iter().flatten() {
            for verb in &rule.verbs {
                out.push(Line {
                    resource: String::new(),
                    group: Vec::new(),
                    of: Vec::new(),
                    urls: vec![url.clone()],
                    names: Vec::new(),
                    verbs: vec![verb.clone()],
                });
            }
        }
    }
    order::sort_by_key(&mut out, |l| {
        let lists = [&l.verbs, &l.group, &l.of, &l.names, &l.urls].map(|list| go(list));
        let [verbs, groups, resources, names, urls] = lists;
        format!(
            "{verbs},APIGroups:{groups},Resources:{resources},ResourceNames:{names},NonResourceURLs:{urls},"
        )
    });
    out
}

/// `deployments.apps/status`
fn combined(resource: &str, group: &str) -> String {
    let (name, part) = resource.split_once('/').unwrap_or((resource, ""));
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if part.is_empty() { "" } else { "/" };
    format!("{name}{dot}{group}{slash}{part}")
}

pub(in super::super) fn binding(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let (role, subjects) = match (object.get::<RoleBinding>(), object.get::<ClusterRoleBinding>()) {
        (Some(b), _) => (&b.role_ref, &b.subjects),
        (_, Some(b)) => (&b.role_ref, &b.subjects),
        _ => return Ok(false),
    };
    head(w, object);
    w.line(0, "Role:");
    w.line(1, &format!("Kind:\t{}", role.kind));
    w.line(1, &format!("Name:\t{}", role.name));
    w.line(0, "Subjects:");
    w.line(1, "Kind\tName\tNamespace");
    w.line(1, "----\t----\t---------");
    for s in subjects.iter().flatten() {
        w.line(1, &format!("{}\t{}\t{}", s.kind, s.name, s.namespace.as_deref().unwrap_or_default()));
    }
    Ok(false)
}
