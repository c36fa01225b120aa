//! `kubectl label`, and what it shares with `annotate`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::error::Error;
use super::flags::Args;
use super::go;
use super::invocation::{Invocation, Result, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::quote::go_quote;
use crate::api::{MetaExt, Object, names};
use crate::apimachinery::Verb;

/// What the words ask for.
pub(super) struct Changes {
    /// The words that name objects.
    pub(super) resources: Vec<String>,
    /// Keys to set.
    pub(super) set: BTreeMap<String, String>,
    /// Keys to remove.
    pub(super) remove: Vec<String>,
}

/// Sorts the words into resources and changes; `what` is `label` or `annotation`.
pub(super) fn changes(words: &[String], what: &str, checked: bool) -> Result<Changes> {
    let is_pair = |w: &str| (w.contains('=') && !w.starts_with('=')) || (w.ends_with('-') && w.len() > 1);
    let first = words.iter().position(|w| is_pair(w)).unwrap_or(words.len());
    let (resources, pairs) = words.split_at(first);
    let mut out = Changes { resources: resources.to_vec(), set: BTreeMap::new(), remove: Vec::new() };
    for word in pairs {
        if let Some((key, value)) = word.split_once('=').filter(|(k, _)| !k.is_empty()) {
            if checked {
                let errors = names::is_valid_label_value(value);
                if !errors.is_empty() {
                    return fail(format!(
                        "invalid {what} value: {word}: {}",
                        errors.join(";"),
                        word = go_quote(word)
                    ));
                }
            }
            out.set.insert(key.to_owned(), value.to_owned());
        } else if let Some(key) = word.strip_suffix('-') {
            out.remove.push(key.to_owned());
        } else {
            return fail(format!("all resources must be specified before {what} changes: {word}"));
        }
    }
    if out.remove.iter().any(|k| out.set.contains_key(k)) {
        return fail(format!("can not both modify and remove {} {what} in the same command", article(what)));
    }
    Ok(out)
}

fn article(what: &str) -> &'static str {
    if what.starts_with('a') { "an" } else { "a" }
}

/// The objects the changes are for.
pub(super) fn objects(
    cx: &mut Invocation<'_>,
    args: &Args,
    changes: &Changes,
    what: &str,
) -> Result<(Vec<Object>, Vec<Error>)> {
    if args.on("list") && !args.text("output").is_empty() {
        return fail("--list and --output may not be specified together");
    }
    for selector in ["selector", "field-selector"] {
        if args.on("all") && !args.text(selector).is_empty() {
            return fail(format!("cannot set --all and --{selector} at the same time"));
        }
    }
    if args.on("local") {
        if args.text("dry-run") == "server" {
            return fail("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
        }
        if !changes.resources.is_empty() {
            return fail(
                "can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set",
            );
        }
        if !args.has_files() {
            return fail("one or more files must be specified as -f pod.yaml or --filename=pod.json");
        }
    } else if changes.resources.is_empty() && !args.has_files() {
        return fail("one or more resources must be specified as <resource> <name> or <resource>/<name>");
    }
    if changes.set.is_empty() && changes.remove.is_empty() && !args.on("list") {
        return fail(format!("at least one {what} update is required"));
    }
    let rules = Rules { all_namespaces: args.on("all-namespaces"), ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &changes.resources, rules)?;
    if objects.len() + errors.len() > 1 && !args.text("resource-version").is_empty() {
        return fail("--resource-version may only be used with a single resource");
    }
    Ok((objects.into_iter().map(|(o, _)| o).collect(), errors))
}

/// `--list`: the labels or annotations of some objects.
pub(super) fn list<'o>(
    cx: &mut Invocation<'_>,
    objects: &'o [Object],
    what: &str,
    pairs: impl Fn(&'o Object) -> Option<&'o BTreeMap<String, String>>,
) {
    let many = objects.len() > 1;
    for object in objects {
        if many {
            let kind = object.kind();
            cx.say(&format!("Listing {what} for {}.{}/{}:", kind.as_str(), kind.group(), object.name()));
        }
        for (k, v) in pairs(object).into_iter().flatten() {
            cx.say(&format!("{}{k}={v}", if many { " " } else { "" }));
        }
    }
}

/// Sends the change of a map in `metadata`; what the object is then.
pub(super) fn send(
    cx: &mut Invocation<'_>,
    object: &Object,
    field: &str,
    changes: &Changes,
    args: &Args,
    dry_run: DryRun,
) -> Result<Value> {
    let mut map = serde_json::Map::new();
    for (k, v) in &changes.set {
        map.insert(k.clone(), v.as_str().into());
    }
    for k in &changes.remove {
        map.insert(k.clone(), Value::Null);
    }
    let mut meta = json!({field: map});
    if !args.text("resource-version").is_empty() {
        meta["resourceVersion"] = args.text("resource-version").into();
    }
    let patch = json!({"metadata": meta});
    if dry_run == DryRun::Client || args.on("local") {
        return Ok(crate::api::patch::json_merge_patch(object.to_value(), &patch));
    }
    let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name())
        .body(Payload::MergePatch(go::json(&patch)));
    call.dry_run = dry_run == DryRun::Server;
    call.field_manager.clone_from(&cx.field_manager);
    Ok(cx.object(&call)?.to_value())
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let changes = changes(&args.words, "label", true)?;
    let dry_run = DryRun::of(cx, args)?;
    let (objects, errors) = objects(cx, args, &changes, "label")?;
    if args.on("list") {
        list(cx, &objects, "labels", |o| o.meta().labels.as_ref());
        return command::finish(errors);
    }
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object, &changes, dry_run))
}

fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object, changes: &Changes, dry_run: DryRun) -> Result {
    if !args.on("overwrite") {
        let taken: Vec<Error> = changes
            .set
            .iter()
            .filter_map(|(k, v)| Some((k, object.meta().label(k).filter(|have| have != v)?)))
            .map(|(k, have)| {
                Error::Text(format!("'{k}' already has a value ({have}), and --overwrite is false"))
            })
            .collect();
        command::finish(taken)?;
    }
    for k in changes.remove.iter().filter(|k| object.meta().label(k).is_none()) {
        cx.say(&format!("label {k} not found.", k = go_quote(k)));
    }
    let set = changes.set.iter().any(|(k, v)| object.meta().label(k) != Some(v));
    let removed = changes.remove.iter().any(|k| object.meta().label(k).is_some());
    let (value, done) = match (set, removed) {
        (false, false) => (object.to_value(), "not labeled"),
        (false, true) => (send(cx, object, "labels", changes, args, dry_run)?, "unlabeled"),
        (true, false) => (send(cx, object, "labels", changes, args, dry_run)?, "labeled"),
        (true, true) => (send(cx, object, "labels", changes, args, dry_run)?, "modified"),
    };
    output::report(cx, args, &value, done, dry_run)
}
