//! `kubectl auth reconcile`: makes roles and bindings allow at least what files say
//! (`k8s.io/kubectl/pkg/cmd/auth`, `k8s.io/component-helpers/auth/rbac`).
//!
//! The kubectl of the recordings crashes where a Role or RoleBinding is read; this one does what its source means.

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::files;
use super::flags::{Args, Flag, boolean};
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::{Loaded, Manifest};
use super::output::{self, DryRun};
use crate::api::Kind;
use crate::apimachinery::{DeleteOptions, Verb};

pub(super) const FLAGS: &[Flag] = &[boolean("remove-extra-permissions"), boolean("remove-extra-subjects")];

/// An object with this annotation set to `false` is left as it is.
const AUTOUPDATE: &str = "/metadata/annotations/rbac.authorization.kubernetes.io~1autoupdate";

/// What has to be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    None,
    Create,
    Update,
    Recreate,
}

/// What became of an object, and what differs.
struct Outcome {
    object: Value,
    operation: Operation,
    protected: bool,
    missing: Vec<Value>,
    extra: Vec<Value>,
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.has_files() {
        return fail("must specify one of -f and -k");
    }
    if !args.words.is_empty() {
        return fail("no arguments are allowed");
    }
    let dry_run = DryRun::of(cx, args)?;
    if dry_run == DryRun::Server {
        return fail("--dry-run=server for command reconcile is not supported yet");
    }
    let Loaded { manifests, mut errors, .. } = files::load_all(cx, args)?;
    for m in &manifests {
        let of_role = [Kind::ROLE, Kind::CLUSTER_ROLE].contains(&m.kind);
        let of_binding = [Kind::ROLE_BINDING, Kind::CLUSTER_ROLE_BINDING].contains(&m.kind);
        if !of_role && !of_binding {
            continue;
        }
        let remove = args.on(if of_role { "remove-extra-permissions" } else { "remove-extra-subjects" });
        match one(cx, m, of_role, remove, dry_run) {
            Ok(outcome) => {
                output::report(cx, args, &outcome.object, "reconciled", dry_run)?;
                tell(cx, &outcome, of_role, remove);
            }
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    command::finish(errors)
}

fn one(
    cx: &mut Invocation<'_>,
    m: &Manifest,
    of_role: bool,
    remove: bool,
    dry_run: DryRun,
) -> Result<Outcome> {
    let existing = match cx.get(m.kind, &m.namespace, &m.name) {
        Ok(object) => Some(object.to_value()),
        Err(Stop::Error(e)) if e.is_not_found() => None,
        Err(stop) => return Err(stop),
    };
    let mut outcome = match &existing {
        None => Outcome {
            missing: items(&m.value, if of_role { "rules" } else { "subjects" }),
            object: m.value.clone(),
            operation: Operation::Create,
            protected: false,
            extra: Vec::new(),
        },
        Some(existing) if of_role => role(existing, &m.value, remove),
        Some(existing) => binding(existing, &m.value, remove),
    };
    if outcome.protected || dry_run == DryRun::Client {
        return Ok(outcome);
    }
    let write = |verb: Verb, object: &Value| {
        Call::new(verb, m.kind, &m.namespace, &m.name).body(Payload::Object(object.clone()))
    };
    match outcome.operation {
        Operation::None => return Ok(outcome),
        Operation::Update => {
            outcome.object = cx.object(&write(Verb::Update, &outcome.object))?.to_value();
            return Ok(outcome);
        }
        Operation::Recreate => {
            let options = DeleteOptions {
                uid: existing.as_ref().and_then(|e| e.pointer("/metadata/uid")?.as_str().map(Into::into)),
                ..DeleteOptions::default()
            };
            let delete =
                Call::new(Verb::Delete, m.kind, &m.namespace, &m.name).body(Payload::Delete(options));
            match cx.send(&delete) {
                Err(Stop::Error(e)) if e.is_not_found() => {}
                sent => drop(sent?),
            }
        }
        Operation::Create => ensure_namespace(cx, &m.namespace)?,
    }
    outcome.object = cx.object(&write(Verb::Create, &outcome.object))?.to_value();
    Ok(outcome)
}

/// Creates the namespace that an object is to be in, if there is none.
fn ensure_namespace(cx: &mut Invocation<'_>, namespace: &str) -> Result {
    if namespace.is_empty() {
        return Ok(());
    }
    match cx.get(Kind::NAMESPACE, "", namespace) {
        Err(Stop::Error(e)) if e.is_not_found() => {
            let body = Payload::Object(json!({"metadata": {"name": namespace}}));
            cx.send(&Call::new(Verb::Create, Kind::NAMESPACE, "", namespace).body(body))?;
            Ok(())
        }
        found => found.map(|_| ()),
    }
}

fn items(of: &Value, list: &str) -> Vec<Value> {
    of.get(list).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The existing object with the labels and annotations that it lacks; also whether it lacks some.
fn marked(existing: &Value, expected: &Value) -> (Value, bool) {
    let mut object = existing.clone();
    for marks in ["labels", "annotations"] {
        let wanted = expected.pointer(&format!("/metadata/{marks}")).and_then(Value::as_object);
        for (key, value) in wanted.into_iter().flatten() {
            let have = &mut object["metadata"][marks];
            if have.get(key).is_none() {
                have[key] = value.clone();
            }
        }
    }
    let changed = object != *existing;
    (object, changed)
}

fn outcome(
    existing: &Value,
    expected: &Value,
    list: &str,
    remove: bool,
    differ: (Vec<Value>, Vec<Value>),
) -> Outcome {
    let (mut object, mut changed) = marked(existing, expected);
    let (missing, extra) = differ;
    if remove && !(missing.is_empty() && extra.is_empty()) {
        object[list] = items(expected, list).into();
        changed = true;
    } else if !missing.is_empty() {
        object[list] = items(existing, list).into_iter().chain(missing.iter().cloned()).collect();
        changed = true;
    }
    Outcome {
        object,
        operation: if changed { Operation::Update } else { Operation::None },
        protected: existing.pointer(AUTOUPDATE).and_then(Value::as_str) == Some("false"),
        missing,
        extra,
    }
}

/// What has to become of a role (`computeReconciledRole`).
fn role(existing: &Value, expected: &Value, remove: bool) -> Outcome {
    let (have, want) = (items(existing, "rules"), items(expected, "rules"));
    let selectors = |of: &Value| {
        of.pointer("/aggregationRule/clusterRoleSelectors").map(|_| of["aggregationRule"].clone())
    };
    let (aggregates, should) = (selectors(existing), selectors(expected));
    // The rules of a role that is put together from others are a controller's.
    let extra = if aggregates.is_some() && should.is_some() { Vec::new() } else { uncovered(&want, &have) };
    let mut outcome = outcome(existing, expected, "rules", remove, (uncovered(&have, &want), extra));
    let of =
        |rule: &Option<Value>| rule.as_ref().map(|r| items(r, "clusterRoleSelectors")).unwrap_or_default();
    let (has, wants) = (of(&aggregates), of(&should));
    let lacks: Vec<Value> = wants.iter().filter(|s| !has.contains(s)).cloned().collect();
    let surplus = has.iter().any(|s| !wants.contains(s));
    if remove && (surplus || !lacks.is_empty()) {
        match should {
            Some(rule) => outcome.object["aggregationRule"] = rule,
            None => drop(outcome.object.as_object_mut().and_then(|o| o.remove("aggregationRule"))),
        }
        outcome.operation = Operation::Update;
    } else if !lacks.is_empty() {
        let all: Vec<Value> = has.into_iter().chain(lacks).collect();
        outcome.object["aggregationRule"] = json!({"clusterRoleSelectors": all});
        outcome.operation = Operation::Update;
    }
    outcome
}

/// What has to become of a binding (`computeReconciledRoleBinding`). A binding to another role is made anew.
fn binding(existing: &Value, expected: &Value, remove: bool) -> Outcome {
    let part = |of: &Value, key: &str| of["roleRef"][key].as_str().unwrap_or_default().to_owned();
    if ["kind", "name"].iter().any(|key| part(existing, key) != part(expected, key)) {
        let protected = existing.pointer(AUTOUPDATE).and_then(Value::as_str) == Some("false");
        let (object, operation) = (expected.clone(), Operation::Recreate);
        return Outcome { object, operation, protected, missing: Vec::new(), extra: Vec::new() };
    }
    let (have, want) = (items(existing, "subjects"), items(expected, "subjects"));
    let who =
        |s: &Value| ["kind", "name", "namespace"].map(|key| s[key].as_str().unwrap_or_default().to_owned());
    let without = |of: &[Value], from: &[Value]| -> Vec<Value> {
        of.iter().filter(|s| !from.iter().any(|other| who(other) == who(s))).cloned().collect()
    };
    outcome(existing, expected, "subjects", remove, (without(&want, &have), without(&have, &want)))
}

fn texts(rule: &Value, list: &str) -> Vec<String> {
    items(rule, list).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The rules, each about one thing, that none of the owner's rules covers (`Covers`).
fn uncovered(owner: &[Value], rules: &[Value]) -> Vec<Value> {
    let single = rules.iter().flat_map(broken_down);
    single.filter(|rule| !owner.iter().any(|o| covers(o, rule))).collect()
}

/// A rule as rules about one thing each (`BreakdownRule`).
fn broken_down(rule: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let names = texts(rule, "resourceNames");
    for group in texts(rule, "apiGroups") {
        for resource in texts(rule, "resources") {
            for verb in texts(rule, "verbs") {
                let one = json!({"verbs": [verb], "apiGroups": [group], "resources": [resource]});
                if names.is_empty() {
                    out.push(one);
                    continue;
                }
                out.extend(names.iter().map(|name| {
                    let mut one = one.clone();
                    one["resourceNames"] = json!([name]);
                    one
                }));
            }
        }
    }
    for url in texts(rule, "nonResourceURLs") {
        out.extend(
            texts(rule, "verbs").iter().map(|verb| json!({"verbs": [verb], "nonResourceURLs": [url]})),
        );
    }
    out
}

/// Whether a rule allows all that another one does (`ruleCovers`).
fn covers(owner: &Value, rule: &Value) -> bool {
    let all = |list: &str, matches: &dyn Fn(&[String], &str) -> bool| {
        let (have, want) = (texts(owner, list), texts(rule, list));
        want.iter().all(|w| have.iter().any(|h| h == w) || matches(&have, w))
    };
    let star = |have: &[String], _: &str| have.iter().any(|h| h == "*");
    // `*/scale` is that part of everything.
    let part = |have: &[String], want: &str| {
        star(have, want) || want.split_once('/').is_some_and(|(_, part)| have.contains(&format!("*/{part}")))
    };
    let url = |have: &[String], want: &str| {
        have.iter().any(|h| h.strip_suffix('*').is_some_and(|prefix| want.starts_with(prefix)))
    };
    let names = (texts(owner, "resourceNames"), texts(rule, "resourceNames"));
    let names = names.0.is_empty() || (!names.1.is_empty() && names.1.iter().all(|n| names.0.contains(n)));
    all("verbs", &star)
        && all("apiGroups", &star)
        && all("resources", &part)
        && all("nonResourceURLs", &url)
        && names
}

/// Says what was done (`printResults`).
fn tell(cx: &mut Invocation<'_>, outcome: &Outcome, of_role: bool, remove: bool) {
    let done = match outcome.operation {
        Operation::None => return,
        Operation::Create => "create",
        Operation::Update => "update",
        Operation::Recreate => "recreate",
    };
    let caveat = if outcome.protected {
        ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)"
    } else {
        ""
    };
    cx.err.push_str(&format!("\treconciliation required {done}{caveat}\n"));
    let what = if of_role { "rules" } else { "subjects" };
    let lists =
        [("missing", "added", outcome.missing.as_slice()), ("extra", "removed", outcome.extra.as_slice())];
    for (kind, done, list) in
        lists.into_iter().take(if remove { 2 } else { 1 }).filter(|(_, _, l)| !l.is_empty())
    {
        cx.err.push_str(&format!("\t{kind} {what} {done}:\n"));
        for item in list {
            let text = if of_role { rule_text(item) } else { subject_text(item) };
            cx.err.push_str(&format!("\t\t{text}\n"));
        }
    }
}

/// A rule as Go prints the struct.
fn rule_text(rule: &Value) -> String {
    let list = |name: &str| format!("[{}]", texts(rule, name).join(" "));
    format!(
        "{{Verbs:{} APIGroups:{} Resources:{} ResourceNames:{} NonResourceURLs:{}}}",
        list("verbs"),
        list("apiGroups"),
        list("resources"),
        list("resourceNames"),
        list("nonResourceURLs")
    )
}

/// A subject as Go prints the struct.
fn subject_text(subject: &Value) -> String {
    let text = |key: &str| subject[key].as_str().unwrap_or_default();
    format!(
        "{{Kind:{} APIGroup:{} Name:{} Namespace:{}}}",
        text("kind"),
        text("apiGroup"),
        text("name"),
        text("namespace")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_covered_by_one_that_allows_more() {
        let rule =
            |resource: &str, verb: &str| json!({"apiGroups": [""], "resources": [resource], "verbs": [verb]});
        let of = |owner: Value, other: Value| uncovered(&[owner], &[other]).is_empty();
        assert!(of(rule("*", "*"), rule("pods", "get")));
        assert!(of(rule("*/scale", "get"), rule("things/scale", "get")));
        assert!(!of(rule("pods", "get"), rule("pods", "list")));
        let mut named = rule("pods", "get");
        named["resourceNames"] = json!(["a"]);
        assert!(of(rule("pods", "get"), named.clone()));
        assert!(!of(named, rule("pods", "get")));
        let url = |path: &str| json!({"nonResourceURLs": [path], "verbs": ["get"]});
        assert!(of(url("/api/*"), url("/api/v1")));
        assert!(!of(url("/api"), url("/api/v1")));
    }

    #[test]
    fn a_role_gets_what_it_lacks_and_loses_only_what_it_shall() {
        let have = json!({"metadata": {"name": "r"}, "rules": [
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]});
        let want = json!({"metadata": {"name": "r", "labels": {"a": "b"}}, "rules": [
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "watch"]}]});
        let more = role(&have, &want, false);
        assert!(more.operation == Operation::Update && more.object["metadata"]["labels"]["a"] == "b");
        assert_eq!(items(&more.object, "rules").len(), 2);
        assert_eq!((more.missing.len(), more.extra.len()), (1, 1));
        assert_eq!(role(&have, &want, true).object["rules"], want["rules"]);
        assert!(role(&have, &have, true).operation == Operation::None);
    }
}
