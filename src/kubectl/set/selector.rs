//! `kubectl set selector`

use serde_json::{Map, Value, json};

use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, fail};
use super::super::kinds::{Settable, known};
use super::super::output::{self, DryRun};
use super::super::resource::{self, Rules};
use super::{dry_run, send, two_way};
use crate::api::Object;
use crate::api::labels::{Operator, Requirement, Selector};

pub(in super::super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = dry_run(cx, args)?;
    let Some((selector, words)) = args.words.split_last() else {
        return fail("one selector is required");
    };
    let selector = match Selector::parse(selector) {
        Ok(selector) => selector,
        Err(e) => return fail(format!("couldn't parse the selector string \"{selector}\": {e}")),
    };
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, words, rules)?;
    super::command::finish(errors)?;
    for (object, _) in objects {
        one(cx, args, &object, &selector, dry_run)?;
    }
    Ok(())
}

fn one(
    cx: &mut Invocation<'_>,
    args: &Args,
    object: &Object,
    selector: &Selector,
    dry_run: DryRun,
) -> Result {
    if known(object.kind()).set != Settable::Selector {
        return fail("setting a selector is only supported for Services");
    }
    let mut before = object.to_value();
    let mut after = before.clone();
    after["spec"]["selector"] = Value::Object(labels(selector)?);
    let version = args.text("resource-version");
    if !version.is_empty() {
        // The patch names the version, and the server compares it.
        after["metadata"]["resourceVersion"] = version.into();
        before["metadata"]["resourceVersion"] = json!("");
    }
    let value = if dry_run == DryRun::Client || args.on("local") {
        after
    } else {
        let patch = two_way(object, &before, &after)?;
        send(cx, object, &patch, dry_run)?
    };
    output::report(cx, args, &value, "selector updated", dry_run)
}

/// The labels of a selector that has nothing but labels.
fn labels(selector: &Selector) -> Result<Map<String, Value>> {
    let mut labels = Map::new();
    let mut expressions = Vec::new();
    for requirement in selector.requirements() {
        match (requirement.operator, requirement.values.as_slice()) {
            (Operator::Equals | Operator::DoubleEquals, [value]) => {
                labels.insert(requirement.key.clone(), value.as_str().into());
            }
            _ => expressions.push(expression(requirement)),
        }
    }
    match expressions.is_empty() {
        true => Ok(labels),
        false => {
            let all = expressions.join(" ");
            fail(format!("match expression [{all}] not supported on this object"))
        }
    }
}

/// A requirement as Go prints a LabelSelectorRequirement.
fn expression(requirement: &Requirement) -> String {
    let operator = match requirement.operator {
        Operator::Equals | Operator::DoubleEquals | Operator::In => "In",
        Operator::NotEquals | Operator::NotIn => "NotIn",
        Operator::Exists => "Exists",
        Operator::DoesNotExist => "DoesNotExist",
        Operator::GreaterThan => "Gt",
        Operator::LessThan => "Lt",
    };
    format!("{{{} {operator} [{}]}}", requirement.key, requirement.values.join(" "))
}
