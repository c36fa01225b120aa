//! `kubectl describe`

use super::command;
use super::describers::{self, Writer};
use super::error::Error;
use super::flags::Args;
use super::invocation::{Invocation, Result, fail};
use super::kinds::known;
use super::resource::{self, Rules};
use crate::api::Object;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if args.words.is_empty() && !args.has_files() {
        return fail(
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.",
        );
    }
    let all_namespaces = args.on("all-namespaces");
    let rules = Rules { all_by_default: true, required: true, all_namespaces };
    let targets = resource::targets(cx, args, &args.words, rules)?;
    let (found, errors) = resource::fetch(cx, args, &targets)?;
    let objects: Vec<Object> = found.into_iter().flat_map(|f| f.objects).collect();
    let alone = errors.is_empty() && objects.len() == 1;
    let with_events = args.on("show-events") && (alone || args.has("show-events"));
    if let ([resource, prefix], [e]) = (args.words.as_slice(), errors.as_slice())
        && e.is_not_found()
    {
        return by_prefix(cx, args, std::slice::from_ref(resource), prefix, with_events, e);
    }
    for (i, object) in objects.iter().enumerate() {
        if i > 0 {
            cx.out.push_str("\n\n");
        }
        let text = one(cx, object, with_events)?;
        cx.out.push_str(&text);
    }
    if objects.is_empty() && errors.is_empty() {
        let line = if all_namespaces {
            "No resources found\n".to_owned()
        } else {
            format!("No resources found in {} namespace.\n", cx.namespace)
        };
        cx.err.push_str(&line);
    }
    command::finish(errors)
}

/// The objects whose names begin with a name that no object has (`DescribeMatchingResources`).
fn by_prefix(
    cx: &mut Invocation<'_>,
    args: &Args,
    resource: &[String],
    prefix: &str,
    with_events: bool,
    not_found: &Error,
) -> Result {
    let rules = Rules { all_by_default: true, required: true, all_namespaces: false };
    let targets = resource::targets(cx, args, resource, rules)?;
    if targets.len() > 1 {
        return fail("you may only specify a single resource type");
    }
    let (found, errors) = resource::fetch(cx, args, &targets)?;
    command::finish(errors)?;
    let objects = found.into_iter().flat_map(|f| f.objects);
    let matching: Vec<Object> = objects.filter(|o| o.name().starts_with(prefix)).collect();
    for object in &matching {
        let text = one(cx, object, with_events)?;
        cx.say(&text);
    }
    if matching.is_empty() { Err(not_found.clone().into()) } else { Ok(()) }
}

fn one(cx: &mut Invocation<'_>, object: &Object, with_events: bool) -> Result<String> {
    let mut w = Writer::default();
    let shows_events = (known(object.kind()).describe)(cx, &mut w, object)?;
    if with_events && shows_events {
        describers::events(cx, &mut w, object)?;
    }
    Ok(w.aligned())
}
