//! `kubectl describe`

use super::command;
use super::describers::{self, Writer};
use super::flags::Args;
use super::invocation::{Invocation, Result, fail};
use super::kinds::known;
use super::resource::{self, Rules, Target};
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
    let (mut objects, mut errors) = (Vec::new(), Vec::new());
    let mut by_prefix = false;
    for target in targets {
        let (found, failed) = resource::fetch(cx, args, std::slice::from_ref(&target))?;
        objects.extend(found.into_iter().flat_map(|f| f.objects));
        match (&target, failed.first()) {
            // A name that is none may be the beginning of some.
            (Target::Named { kind, namespace, name }, Some(e)) if e.is_not_found() => {
                let mut matching = cx.list(*kind, namespace, "")?;
                matching.retain(|o| o.name().starts_with(name.as_str()));
                if matching.is_empty() {
                    errors.extend(failed);
                }
                by_prefix |= !matching.is_empty();
                objects.extend(matching);
            }
            _ => errors.extend(failed),
        }
    }
    let with_events = args.on("show-events") && (objects.len() == 1 || args.has("show-events"));
    for (i, object) in objects.iter().enumerate() {
        if i > 0 && !by_prefix {
            cx.out.push_str("\n\n");
        }
        let text = one(cx, object, with_events)?;
        cx.out.push_str(&text);
        if by_prefix {
            cx.out.push('\n');
        }
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

fn one(cx: &mut Invocation<'_>, object: &Object, with_events: bool) -> Result<String> {
    let mut w = Writer::default();
    let shows_events = (known(object.kind()).describe)(cx, &mut w, object)?;
    if with_events && shows_events {
        describers::events(cx, &mut w, object)?;
    }
    Ok(w.aligned())
}
