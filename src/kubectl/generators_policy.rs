//! `create ingress`, `create role`, `clusterrole`, `rolebinding`, `clusterrolebinding`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::cache;
use super::discovery;
use super::flags::{Args, Flag, array, slice, text};
use super::generate::{label_map, make, name};
use super::invocation::{Invocation, Result, Stop, fail};
use crate::api::Kind;
use crate::api::quote::go_quote;

pub(super) const INGRESS: &[Flag] =
    &[text("class"), array("rule"), text("default-backend"), array("annotation")];
pub(super) const ROLE: &[Flag] = &[slice("verb"), slice("resource"), array("resource-name")];
pub(super) const CLUSTER_ROLE: &[Flag] = &[slice("non-resource-url"), text("aggregation-rule")];
pub(super) const BINDING: &[Flag] =
    &[text("clusterrole"), text("role"), array("user"), array("group"), array("serviceaccount")];

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
const VERBS: &[&str] = &[
    "*",
    "get",
    "delete",
    "list",
    "create",
    "update",
    "patch",
    "watch",
    "proxy",
    "deletecollection",
    "use",
    "bind",
    "escalate",
    "impersonate",
];
const URL_VERBS: &[&str] = &["*", "get", "post", "put", "delete", "patch", "head", "options"];
/// Verbs that go with these resources only.
const SPECIAL: &[(&str, &[(&str, &str)])] = &[
    ("use", &[("policy", "podsecuritypolicies"), ("extensions", "podsecuritypolicies")]),
    ("bind", &[(RBAC_GROUP, "roles"), (RBAC_GROUP, "clusterroles")]),
    ("escalate", &[(RBAC_GROUP, "roles"), (RBAC_GROUP, "clusterroles")]),
    (
        "impersonate",
        &[("", "users"), ("", "serviceaccounts"), ("", "groups"), ("authentication.k8s.io", "userextras")],
    ),
];

pub(super) fn ingress(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let (rules, default) = (args.all("rule"), args.text("default-backend"));
    if rules.is_empty() && default.is_empty() {
        return fail(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
        );
    }
    let mut parsed = Vec::new();
    for rule in rules {
        let Some(r) = Rule::parse(rule) else {
            return fail(format!(
                "rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]"
            ));
        };
        parsed.push(r);
    }
    let mut metadata = json!({"name": name});
    for annotation in args.all("annotation") {
        let Some((key, value)) = annotation.split_once('=') else {
            return fail(format!("annotation {annotation} is invalid and should be in format key=[value]"));
        };
        metadata["annotations"][key] = value.into();
    }
    let mut spec = Map::new();
    if !default.is_empty() {
        let Some((service, port)) = default.split_once(':').filter(|(_, p)| !p.contains(':')) else {
            return fail("default-backend should be in format servicename:serviceport");
        };
        spec.insert("defaultBackend".into(), backend(service, port));
    }
    if !args.text("class").is_empty() {
        spec.insert("ingressClassName".into(), args.text("class").into());
    }
    let mut hosts: Vec<Value> = Vec::new();
    for rule in &parsed {
        let path = rule.path();
        match hosts.iter_mut().find(|h| h["host"].as_str().unwrap_or_default() == rule.host) {
            Some(known) => {
                if let Some(paths) = known["http"]["paths"].as_array_mut() {
                    paths.push(path);
                }
            }
            None => {
                let mut host = json!({"http": {"paths": [path]}});
                if !rule.host.is_empty() {
                    host["host"] = rule.host.into();
                }
                hosts.push(host);
            }
        }
    }
    if !hosts.is_empty() {
        spec.insert("rules".into(), hosts.into());
    }
    let tls = secrets(&parsed);
    if !tls.is_empty() {
        spec.insert("tls".into(), tls.into());
    }
    let value = json!({"metadata": metadata, "spec": spec, "status": {"loadBalancer": {}}});
    make(cx, args, Kind::INGRESS, value, "ingress")
}

/// `host/path=service:port[,tls[=secret]]`
struct Rule<'a> {
    host: &'a str,
    path: &'a str,
    service: &'a str,
    port: &'a str,
    secret: Option<&'a str>,
}

impl<'a> Rule<'a> {
    fn parse(text: &'a str) -> Option<Rule<'a>> {
        let word = |s: &str| s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let (host, rest) = text.split_once('/')?;
        let of_host = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'*' | b'-' | b'.');
        let (rule, tls) = rest.split_once(',').map_or((rest, None), |(rule, tls)| (rule, Some(tls)));
        let secret = match tls {
            None => None,
            Some(t) => Some(t.strip_prefix("tls")?.strip_prefix('=').unwrap_or_default()),
        };
        let (path, to) = rule.split_once('=')?;
        let (service, port) = to.split_once(':')?;
        let ok = host.bytes().all(of_host)
            && !service.is_empty()
            && !port.is_empty()
            && [service, port, secret.unwrap_or_default()].into_iter().all(word);
        ok.then_some(Rule { host, path, service, port, secret })
    }

    /// A star at the end of a path means all below it.
    fn path(&self) -> Value {
        let (path, kind) = match self.path.strip_suffix('*') {
            Some(path) => (path, "Prefix"),
            None => (self.path, "Exact"),
        };
        json!({"backend": backend(self.service, self.port), "path": format!("/{path}"), "pathType": kind})
    }
}

fn backend(service: &str, port: &str) -> Value {
    let port = match port.parse::<i32>() {
        Ok(number) => json!({"number": number}),
        Err(_) => json!({"name": port}),
    };
    json!({"service": {"name": service, "port": port}})
}

/// Each host once, under its secret.
fn secrets(rules: &[Rule<'_>]) -> Vec<Value> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for rule in rules {
        let Some(secret) = rule.secret.filter(|_| !seen.contains(&rule.host)) else { continue };
        seen.push(rule.host);
        match out.iter_mut().find(|(s, _)| *s == secret) {
            Some((_, hosts)) => hosts.push(rule.host),
            None if rule.host.is_empty() && secret.is_empty() => {}
            None if rule.host.is_empty() => out.push((secret, Vec::new())),
            None => out.push((secret, vec![rule.host])),
        }
    }
    let tls = |(secret, hosts): (&str, Vec<&str>)| {
        let mut tls = Map::new();
        if !hosts.is_empty() {
            tls.insert("hosts".into(), json!(hosts));
        }
        if !secret.is_empty() {
            tls.insert("secretName".into(), secret.into());
        }
        Value::Object(tls)
    };
    out.into_iter().map(tls).collect()
}

/// Each word once.
fn unique(words: &[String]) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for word in words {
        if !out.contains(&word.as_str()) {
            out.push(word);
        }
    }
    out
}

pub(super) fn role(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let verbs = verbs(args);
    if verbs.is_empty() {
        return fail("at least one verb must be specified");
    }
    warn(cx, &verbs);
    let resources = resources(cx, args)?;
    if resources.is_empty() {
        return fail("at least one resource must be specified");
    }
    check(cx, &verbs, &resources)?;
    let value = json!({"metadata": {"name": name}, "rules": rules(args, &verbs, &resources)});
    make(cx, args, Kind::ROLE, value, "")
}

pub(super) fn cluster_role(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let (verbs, resources) = (verbs(args), resources(cx, args)?);
    let urls = unique(args.all("non-resource-url"));
    let mut value = json!({"metadata": {"name": name}});
    if let Some(rule) = args.flag("aggregation-rule").filter(|r| !r.is_empty()) {
        if !urls.is_empty() || !verbs.is_empty() || !resources.is_empty() || args.has("resource-name") {
            return fail(
                "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames",
            );
        }
        let Some(labels) = label_map(rule) else {
            return fail(format!("malformed pair, expect string=string: {rule}"));
        };
        value["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
        value["rules"] = Value::Null;
        return make(cx, args, Kind::CLUSTER_ROLE, value, "");
    }
    if verbs.is_empty() {
        return fail("at least one verb must be specified");
    }
    if resources.is_empty() && urls.is_empty() {
        return fail("one of resource or nonResourceURL must be specified");
    }
    if !resources.is_empty() {
        warn(cx, &verbs);
        check(cx, &verbs, &resources)?;
    }
    if !urls.is_empty() {
        if let Some(verb) = verbs.iter().find(|v| !URL_VERBS.contains(v)) {
            return fail(format!("invalid verb: '{verb}' for nonResourceURL"));
        }
        for url in urls.iter().filter(|u| **u != "*") {
            if !url.starts_with('/') {
                return fail("nonResourceURL should start with /");
            }
            if url.strip_suffix(|_: char| true).unwrap_or_default().contains('*') {
                return fail("nonResourceURL only supports wildcard matches when '*' is at the end");
            }
        }
    }
    let mut rules = rules(args, &verbs, &resources);
    if !urls.is_empty() {
        rules.push(json!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    value["rules"] = rules.into();
    make(cx, args, Kind::CLUSTER_ROLE, value, "")
}

fn verbs(args: &Args) -> Vec<&str> {
    let verbs = unique(args.all("verb"));
    if verbs.contains(&"*") { vec!["*"] } else { verbs }
}

fn warn(cx: &mut Invocation<'_>, verbs: &[&str]) {
    for verb in verbs.iter().filter(|v| !VERBS.contains(v)) {
        cx.err.push_str(&format!("Warning: '{verb}' is not a standard resource verb\n"));
    }
}

/// A resource of a rule: `deployments.apps/scale`.
struct Resource<'a> {
    name: &'a str,
    group: &'a str,
    part: &'a str,
    /// Name and group of the resource that the server has by this name.
    known: Option<(String, String)>,
}

/// The name and the group that the server has for a resource.
fn known(served: &[cache::Resource], name: &str, group: &str) -> Option<(String, String)> {
    let name = name.to_lowercase();
    let known = served.iter().find(|r| {
        let named = r.name == name || r.kind.to_lowercase() == name || r.short.contains(&name);
        named && (group.is_empty() || r.group == group)
    });
    known.map(|r| (r.name.clone(), r.group.clone()))
}

fn resources<'a>(cx: &mut Invocation<'_>, args: &'a Args) -> Result<Vec<Resource<'a>>> {
    let given = args.all("resource");
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let served = discovery::resources(cx)?;
    let all = given.iter().map(|r| {
        let (whole, part) = r.split_once('/').unwrap_or((r, ""));
        let (name, group) = whole.split_once('.').unwrap_or((whole, ""));
        Resource { name, group, part, known: known(&served, name, group) }
    });
    let all: Vec<Resource<'_>> = all.collect();
    Ok(match all.iter().position(|r| r.name == "*" && r.group.is_empty() && r.part.is_empty()) {
        Some(at) => all.into_iter().skip(at).take(1).collect(),
        None => all,
    })
}

fn check(cx: &mut Invocation<'_>, verbs: &[&str], resources: &[Resource<'_>]) -> Result {
    for r in resources {
        if r.name.is_empty() {
            return fail("resource must be specified if apiGroup/subresource specified");
        }
        if r.name == "*" {
            return Ok(());
        }
        let (name, group) = r.known.clone().unwrap_or_else(|| (r.name.into(), r.group.into()));
        let mut found = r.known.is_some();
        for (verb, of) in SPECIAL.iter().filter(|(v, _)| verbs.contains(v)) {
            if !of.contains(&(group.as_str(), name.as_str())) {
                return fail(format!("can not perform '{verb}' on '{name}' in group '{group}'"));
            }
            found = true;
        }
        if !found {
            let of = if group.is_empty() {
                String::new()
            } else {
                format!(" in group {group}", group = go_quote(&group))
            };
            // kubectl prints this error of its REST mapper without `error:` before it.
            cx.err.push_str(&format!(
                "the server doesn't have a resource type {name}{of}\n",
                name = go_quote(&name)
            ));
            return Err(Stop::Exit(1));
        }
    }
    Ok(())
}

/// One rule for each group, in order.
fn rules(args: &Args, verbs: &[&str], resources: &[Resource<'_>]) -> Vec<Value> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for r in resources {
        let (mut name, group) = r.known.clone().unwrap_or_else(|| (r.name.into(), r.group.into()));
        if !r.part.is_empty() {
            name = format!("{name}/{}", r.part);
        }
        let of = groups.entry(group).or_default();
        if !of.contains(&name) {
            of.push(name);
        }
    }
    let names = unique(args.all("resource-name"));
    let rule = |(group, resources): (String, Vec<String>)| {
        let mut rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
        if !names.is_empty() {
            rule["resourceNames"] = json!(names);
        }
        rule
    };
    groups.into_iter().map(rule).collect()
}

pub(super) fn role_binding(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let (cluster, own) = (args.text("clusterrole"), args.text("role"));
    if cluster.is_empty() == own.is_empty() {
        return fail("exactly one of clusterrole or role must be specified");
    }
    let role = if own.is_empty() { ("ClusterRole", cluster) } else { ("Role", own) };
    let value = binding(args, name, role)?;
    make(cx, args, Kind::ROLE_BINDING, value, "rolebinding")
}

pub(super) fn cluster_role_binding(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let value = binding(args, name, ("ClusterRole", args.text("clusterrole")))?;
    make(cx, args, Kind::CLUSTER_ROLE_BINDING, value, "clusterrolebinding")
}

fn binding(args: &Args, name: &str, (kind, role): (&str, &str)) -> Result<Value> {
    let mut subjects = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        let named = args.all(flag).iter();
        subjects.extend(named.map(|n| json!({"apiGroup": RBAC_GROUP, "kind": kind, "name": n})));
    }
    for account in args.all("serviceaccount") {
        let parts: Vec<&str> = account.split(':').collect();
        let &[namespace, name] = parts.as_slice() else {
            return fail("serviceaccount must be <namespace>:<name>");
        };
        if namespace.is_empty() || name.is_empty() {
            return fail("serviceaccount must be <namespace>:<name>");
        }
        subjects.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    let mut value = json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": role},
    });
    if !subjects.is_empty() {
        value["subjects"] = subjects.into();
    }
    Ok(value)
}
