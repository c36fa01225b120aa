//! `kubectl wait`

use jiff::SignedDuration;
use serde_json::Value;

use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output;
use super::resource::{self, Rules, Target};
use super::stop::{CommandWait, WaitFor};
use super::{command, go};
use crate::api::jsonpath::{self, Template};
use crate::api::quote::go_quote;
use crate::api::{Kind, Object, Timestamp};

const EXAMPLE: &str = "--for=jsonpath='{.status.readyReplicas}'=3";
const EXAMPLE_PATH: &str = "--for=jsonpath='{.status.readyReplicas}'";

const TIMED_OUT: &str = "timed out waiting for the condition";

/// What is waited for.
enum Condition {
    Delete,
    Create,
    /// A type and a status, compared without regard to case.
    Status(String, String),
    Path(Template, Option<String>),
}

/// All that is waited for, one after the other; that an object is there comes first.
fn conditions(args: &Args) -> Result<Vec<Condition>> {
    let mut all = args.all("for").iter().map(|text| condition(text)).collect::<Result<Vec<_>>>()?;
    if all.is_empty() {
        return fail("unrecognized condition: []");
    }
    all.sort_by_key(|c| !matches!(c, Condition::Create));
    Ok(all)
}

/// The text between single equal signs; those that come in pairs belong to a comparison.
fn split_path(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '=' && chars.next_if_eq(&'=').is_none() {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
            if c == '=' {
                last.push(c);
            }
        }
    }
    parts
}

fn condition(text: &str) -> Result<Condition> {
    let lower = text.to_lowercase();
    if lower == "delete" {
        Ok(Condition::Delete)
    } else if lower == "create" {
        Ok(Condition::Create)
    } else if let Some(rest) = text.strip_prefix("condition=") {
        let (type_, status) = rest.split_once('=').unwrap_or((rest, "true"));
        Ok(Condition::Status(type_.to_owned(), status.to_owned()))
    } else if let Some(rest) = text.strip_prefix("jsonpath=") {
        let parts = split_path(rest);
        let (path, value) = match parts.as_slice() {
            [path] => (path, None),
            [path, value] => (path, Some(value.trim_matches(['\'', '"']).to_owned())),
            _ => return fail(format!("jsonpath wait format must be {EXAMPLE} or {EXAMPLE_PATH}")),
        };
        if value.as_deref() == Some("") {
            return fail(format!("jsonpath wait has to have a value after equal sign, like {EXAMPLE}"));
        }
        let path = path.trim_matches('\'');
        match jsonpath::relaxed(path).and_then(|p| Template::parse(&p)) {
            Ok(template) => Ok(Condition::Path(template, value)),
            Err(e) => fail(e),
        }
    } else {
        fail(format!("unrecognized condition: {text}", text = go_quote(text)))
    }
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let conditions = conditions(args)?;
    let timeout = args.duration("timeout").unwrap_or_default();
    let until = match timeout {
        t if t.is_negative() => cx.now().checked_add(SignedDuration::from_hours(168)).ok(),
        t => cx.now().checked_add(t).ok(),
    };
    let rules = Rules { required: true, all_namespaces: args.on("all-namespaces"), ..Rules::default() };
    let targets = resource::targets(cx, args, &args.words, rules)?;
    let mut errors = Vec::new();
    let mut seen = 0;
    for target in targets {
        let named: Vec<(Kind, String, String)> = match target {
            Target::Named { kind, namespace, name } => vec![(kind, namespace, name)],
            Target::File(m) => vec![(m.kind, m.namespace.clone(), m.name.clone())],
            listed @ Target::Listed { .. } => {
                let (found, failed) = resource::fetch(cx, args, &[listed])?;
                errors.extend(failed);
                let objects = found.into_iter().flat_map(|f| f.objects);
                objects.map(|o| (o.kind(), o.namespace().to_owned(), o.name().to_owned())).collect()
            }
        };
        for (kind, namespace, name) in named {
            seen += 1;
            for condition in &conditions {
                match one(cx, args, kind, &namespace, &name, condition, until) {
                    Ok(()) => {}
                    Err(Stop::Error(e)) => {
                        errors.push(e);
                        break;
                    }
                    Err(stop) => return Err(stop),
                }
            }
        }
    }
    if seen == 0 && errors.is_empty() && !conditions.iter().any(|c| matches!(c, Condition::Delete)) {
        return fail("no matching resources found");
    }
    command::finish(errors)
}

fn one(
    cx: &mut Invocation<'_>,
    args: &Args,
    kind: Kind,
    namespace: &str,
    name: &str,
    condition: &Condition,
    until: Option<Timestamp>,
) -> Result {
    let mut last: Option<Object> = None;
    let looks_once = args.duration("timeout").is_some_and(|t| t.is_zero());
    loop {
        match (cx.get(kind, namespace, name), condition) {
            (Err(Stop::Error(e)), Condition::Delete) if e.is_not_found() => {
                if let Some(object) = last {
                    output::report(cx, args, &object.to_value(), "condition met", output::DryRun::No)?;
                }
                return Ok(());
            }
            (Err(Stop::Error(e)), Condition::Create) if e.is_not_found() => {
                if looks_once {
                    return fail(TIMED_OUT);
                }
                let what = WaitFor::Change {
                    kind,
                    key: crate::api::Key::new(namespace, name),
                    resource_version: String::new(),
                };
                cx.wait(CommandWait { what, until })?;
            }
            (Err(stop), _) => return Err(stop),
            (Ok(object), _) => {
                if holds(condition, &object)? {
                    return output::report(cx, args, &object.to_value(), "condition met", output::DryRun::No);
                }
                if looks_once {
                    return fail(format!("condition not met for {}/{name}", kind.plural()));
                }
                cx.wait_change(&object, until)?;
                last = Some(object);
            }
        }
        if until.is_some_and(|t| cx.now() >= t) {
            if matches!(condition, Condition::Create) && last.is_none() {
                return fail(TIMED_OUT);
            }
            return fail(format!("{TIMED_OUT} on {}/{name}", kind.plural()));
        }
    }
}

fn holds(condition: &Condition, object: &Object) -> Result<bool> {
    match condition {
        Condition::Delete => Ok(false),
        Condition::Create => Ok(true),
        Condition::Status(type_, status) => {
            let value = object.to_value();
            let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
            let text =
                |c: &Value, key: &str| c.get(key).and_then(Value::as_str).unwrap_or_default().to_lowercase();
            let found = conditions.into_iter().flatten().find(|c| text(c, "type") == type_.to_lowercase());
            let stale = |c: &Value| {
                let seen = c.get("observedGeneration").or(value.pointer("/status/observedGeneration"));
                let now = object.meta().generation.unwrap_or(0);
                seen.and_then(Value::as_i64).is_some_and(|g| g < now)
            };
            Ok(found.is_some_and(|c| text(c, "status") == status.to_lowercase() && !stale(c)))
        }
        Condition::Path(template, wanted) => {
            let value = object.to_value();
            let found = match template.find(&value) {
                Ok(found) => found,
                Err(e) => return fail(e),
            };
            match (found.as_slice(), wanted) {
                ([], _) => Ok(false),
                (_, None) => Ok(true),
                ([one], Some(w)) => Ok(go::format_value(one) == *w),
                _ => fail("given jsonpath expression matches more than one value"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Condition, condition, split_path};
    use crate::kubectl::error::Error;
    use crate::kubectl::invocation::Stop;

    #[test]
    fn paths_end_at_a_single_equal_sign() {
        assert_eq!(split_path("a.b.c====d.e.f===g.h.i==="), ["a.b.c====d.e.f==", "g.h.i==", ""]);
        let path = |text: &str| match condition(text) {
            Ok(Condition::Path(_, value)) => value,
            Err(Stop::Error(Error::Text(text))) => Some(text),
            _ => None,
        };
        assert_eq!(path("jsonpath={.status.readyReplicas}=3").unwrap(), "3");
        assert_eq!(path("jsonpath={.spec.containers[?(@.name==\"c\")].image}"), None);
        assert!(path("jsonpath={.status.phase}=").unwrap().starts_with("jsonpath wait has to have a value"));
        assert!(path("jsonpath={.a}=b=c").unwrap().starts_with("jsonpath wait format must be"));
    }
}
