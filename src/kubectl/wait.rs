//! `kubectl wait`

use jiff::SignedDuration;
use serde_json::Value;

use super::context::{Context, Result, Stop, Wait, WaitFor, fail};
use super::error::Error;
use super::flags::Args;
use super::jsonpath::{self, Template};
use super::output;
use super::resource::{self, Rules, Target};
use super::{commands, go};
use crate::api::{Kind, Object, Timestamp};

/// What is waited for.
enum Condition {
    Delete,
    Create,
    /// A type and a status, compared without regard to case.
    Status(String, String),
    Path(Template, Option<String>),
}

fn condition(args: &Args) -> Result<Condition> {
    let text = args.text("for");
    let lower = text.to_lowercase();
    if lower == "delete" {
        Ok(Condition::Delete)
    } else if lower == "create" {
        Ok(Condition::Create)
    } else if let Some(rest) = text.strip_prefix("condition=") {
        let (type_, status) = rest.split_once('=').unwrap_or((rest, "true"));
        Ok(Condition::Status(type_.to_owned(), status.to_owned()))
    } else if let Some(rest) = text.strip_prefix("jsonpath=") {
        let rest = rest.trim_matches('\'');
        let (path, value) = match rest.rfind('}') {
            Some(end) => {
                let (path, tail) = rest.split_at(end + 1);
                (path, tail.strip_prefix('=').map(|v| v.trim_matches('"').to_owned()))
            }
            None => match rest.split_once('=') {
                Some((path, value)) => (path, Some(value.to_owned())),
                None => (rest, None),
            },
        };
        match jsonpath::relaxed(path).and_then(|p| Template::parse(&p)) {
            Ok(template) => Ok(Condition::Path(template, value)),
            Err(e) => fail(e),
        }
    } else {
        fail(format!("unrecognized condition: {text:?}"))
    }
}

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    let condition = condition(args)?;
    let timeout = args.duration("timeout").unwrap_or(SignedDuration::from_secs(30));
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
            Target::File(m) => vec![(m.kind, m.namespace, m.name)],
            listed @ Target::Listed { .. } => {
                let (found, failed) = resource::fetch(cx, args, &[listed])?;
                errors.extend(failed);
                let objects = found.into_iter().flat_map(|f| f.objects);
                objects.map(|o| (o.kind(), o.namespace().to_owned(), o.name().to_owned())).collect()
            }
        };
        for (kind, namespace, name) in named {
            seen += 1;
            match one(cx, args, kind, &namespace, &name, &condition, until) {
                Ok(()) => {}
                Err(Stop::Error(e)) => errors.push(e),
                Err(stop) => return Err(stop),
            }
        }
    }
    if seen == 0 && errors.is_empty() && !matches!(condition, Condition::Delete) {
        return fail("no matching resources found");
    }
    commands::finish(errors)
}

fn one(
    cx: &mut Context<'_>,
    args: &Args,
    kind: Kind,
    namespace: &str,
    name: &str,
    condition: &Condition,
    until: Option<Timestamp>,
) -> Result {
    let mut last: Option<Object> = None;
    loop {
        match (cx.get(kind, namespace, name), condition) {
            (Err(Stop::Error(e)), Condition::Delete) if e.is_not_found() => {
                if let Some(object) = last {
                    output::report(cx, args, &object.to_value(), "condition met", output::DryRun::No)?;
                }
                return Ok(());
            }
            (Err(Stop::Error(e)), Condition::Create) if e.is_not_found() => {
                let what = WaitFor::Change {
                    kind,
                    key: crate::api::Key::new(namespace, name),
                    resource_version: String::new(),
                };
                cx.wait(Wait { what, until })?;
            }
            (Err(stop), _) => return Err(stop),
            (Ok(object), _) => {
                if holds(condition, &object)? {
                    return output::report(cx, args, &object.to_value(), "condition met", output::DryRun::No);
                }
                cx.wait_change(&object, until)?;
                last = Some(object);
            }
        }
        if until.is_some_and(|t| cx.now() >= t) {
            return Err(Stop::Error(Error::Text(format!(
                "timed out waiting for the condition on {}/{name}",
                kind.plural()
            ))));
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
