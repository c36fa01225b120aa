//! `kubectl get`

use serde_json::Value;

use super::call::{self, Accept, Call};
use super::command;
use super::error::Error;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, Printer};
use super::resource::{self, Found, Rules};
use super::sorter;
use super::table::{self, Row, tables};
use super::watch;
use crate::api::Object;
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if let Some(path) = args.flag("raw") {
        return raw(cx, path);
    }
    if args.words.is_empty() && !args.has_files() {
        cx.err.push_str("You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\n");
        return command::usage(
            "kubectl get",
            "Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).",
        );
    }
    let output = args.text("output");
    if args.on("show-labels") && !matches!(output, "" | "wide") {
        let printer = output.split('=').next().unwrap_or(output);
        return fail(format!("--show-labels option cannot be used with {printer} printer"));
    }
    let watch = args.on("watch") || args.on("watch-only");
    if args.on("output-watch-events") && !watch {
        return fail("--output-watch-events option can only be used with --watch or --watch-only");
    }
    let all_namespaces = args.on("all-namespaces");
    let rules = Rules { all_by_default: true, required: true, all_namespaces };
    let targets = resource::targets(cx, args, &args.words, rules)?;
    if watch {
        return watch::get(cx, args, &targets, all_namespaces);
    }
    let printer = Printer::of(cx, args, true)?;
    match printer {
        Some(printer) => {
            let (mut found, errors) = resource::fetch_with(cx, args, &targets, &mut values)?;
            let errors = unforgiven(args, errors);
            for f in found.iter_mut().filter(|f| !f.named) {
                sorter::sort(args, &mut f.objects, Value::clone)?;
            }
            whole(cx, args, &printer, &found, errors.is_empty())?;
            command::finish(errors)
        }
        None => {
            let whole = !args.text("sort-by").is_empty();
            let served = args.on("server-print");
            let (mut found, errors) =
                resource::fetch_with(cx, args, &targets, &mut |cx, call| match served {
                    true => table::rows(cx, call, whole),
                    false => values(cx, call).map(|objects| table::plain(cx, objects)),
                })?;
            let errors = unforgiven(args, errors);
            for f in found.iter_mut().filter(|f| f.objects.len() > 1) {
                match sorter::sort(args, &mut f.objects, |row: &Row| row.object.clone()) {
                    // kubectl prints no table that it cannot sort, and does not say why.
                    Err(Stop::Error(_)) => f.objects.clear(),
                    sorted => sorted?,
                }
            }
            let before = cx.out.len();
            tables(cx, args, &found, all_namespaces);
            if cx.out.len() == before && errors.is_empty() && !args.on("ignore-not-found") {
                let line = if all_namespaces || found.iter().any(|f| !f.kind.namespaced()) {
                    "No resources found\n".to_owned()
                } else {
                    format!("No resources found in {} namespace.\n", cx.namespace)
                };
                cx.err.push_str(&line);
            }
            command::finish(errors)
        }
    }
}

/// The errors that are left with `--ignore-not-found`.
fn unforgiven(args: &Args, mut errors: Vec<Error>) -> Vec<Error> {
    if args.on("ignore-not-found") {
        errors.retain(|e| !e.is_not_found());
    }
    errors
}

/// `--raw`: the answer as it is.
fn raw(cx: &mut Invocation<'_>, path: &str) -> Result {
    let answer = cx.exchange(&call::raw("GET", path, Accept::Objects, Vec::new()))?;
    cx.out.push_str(&answer.response.body);
    Ok(())
}

/// Objects as they are, one by itself or several in a list.
fn whole(
    cx: &mut Invocation<'_>,
    args: &Args,
    printer: &Printer,
    found: &[Found<Value>],
    fine: bool,
) -> Result {
    let values: Vec<Value> = found.iter().flat_map(|f| &f.objects).cloned().collect();
    let headers = !args.on("no-headers");
    let single = found.len() == 1 && found.iter().all(|f| f.named);
    match (single, values.as_slice()) {
        (true, [one]) => printer.print(cx, one, headers),
        _ if found.is_empty() && (!fine || args.on("ignore-not-found")) => Ok(()),
        _ => printer.print(cx, &output::list(values), headers),
    }
}

/// Asks for one object or subresource, or for a list.
fn values(cx: &mut Invocation<'_>, call: Call) -> Result<Vec<Value>> {
    if !call.subresource.is_empty() {
        return Ok(vec![cx.send(&call)?.value().clone()]);
    }
    match call.verb {
        Verb::Get => Ok(vec![cx.object(&call)?.to_value()]),
        _ => Ok(cx.all(call)?.iter().map(Object::to_value).collect()),
    }
}
