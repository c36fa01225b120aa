//! `kubectl set image|env|resources|serviceaccount`: changes to pod templates.

use serde_json::{Map, Value, json};

use super::call::{Call, Payload};
use super::commands::{self, Command, sub};
use super::context::{Context, Result, fail};
use super::error::Error;
use super::flags::{Args, Flag, boolean, slice, text};
use super::go;
use super::output::{self, DRY_RUN, DryRun, PRINT};
use super::resource::{self, FILENAME, Rules, SELECTOR};
use crate::api::{Kind, Object, patch, quantity};
use crate::apimachinery::Verb;

const COMMON: &[Flag] = &[boolean("all"), boolean("local"), text("containers").short('c')];
const ENV: &[Flag] = &[
    slice("env").short('e'),
    text("from"),
    boolean("list"),
    boolean("overwrite"),
    text("prefix"),
    boolean("resolve"),
    slice("keys"),
];

pub(super) const COMMANDS_OF: &[Command] = &[
    sub("image", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME, COMMON], &[], image),
    sub("env", &[], &[PRINT, DRY_RUN, SELECTOR, FILENAME, COMMON, ENV], &[], env),
    sub(
        "resources",
        &[],
        &[PRINT, DRY_RUN, SELECTOR, FILENAME, COMMON, &[slice("limits"), slice("requests")]],
        &[],
        resources,
    ),
    sub("serviceaccount", &["sa"], &[PRINT, DRY_RUN, SELECTOR, FILENAME, COMMON], &[], service_account),
];

const HELP: &str = "Configure application resources.

 These commands help you make changes to existing application resources.

Available Commands:
  env              Update environment variables on a pod template
  image            Update the image of a pod template
  resources        Update resource requests/limits on objects with pod templates
  serviceaccount   Update the service account of a resource

Usage:
  kubectl set SUBCOMMAND [options]

Use \"kubectl set <command> --help\" for more information about a given command.
Use \"kubectl options\" for a list of global command-line options (applies to all commands).
";

pub(super) fn group(cx: &mut Context<'_>, args: &Args) -> Result {
    commands::group(cx, args, "kubectl set", HELP)
}

/// Where the pod spec of a kind is.
fn pod_spec(kind: Kind, value: &mut Value) -> Option<&mut Map<String, Value>> {
    let path = if kind == Kind::POD { "/spec" } else { "/spec/template/spec" };
    value.pointer_mut(path)?.as_object_mut()
}

/// A change of a pod spec, or what is wrong with it.
type Edit<'a> = dyn Fn(&mut Map<String, Value>) -> std::result::Result<(), Vec<String>> + 'a;

/// Changes every object's pod spec and sends what is different.
fn change(cx: &mut Context<'_>, args: &Args, words: &[String], done: &str, edit: &Edit) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, words, rules)?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    commands::each(cx, objects, errors, &mut |cx, object| one(cx, args, object, done, edit, dry_run))
}

fn one(
    cx: &mut Context<'_>,
    args: &Args,
    object: &Object,
    done: &str,
    edit: &Edit<'_>,
    dry_run: DryRun,
) -> Result {
    let before = object.to_value();
    let mut after = before.clone();
    let kind = object.kind();
    let Some(spec) = pod_spec(kind, &mut after) else {
        return fail(format!(
            "{}/{} the object is not a pod or does not have a pod template: {}",
            kind.plural(),
            object.name(),
            kind.as_str()
        ));
    };
    if let Err(why) = edit(spec) {
        return commands::finish(why.into_iter().map(Error::Text).collect());
    }
    let patch = match patch::create_two_way_merge_patch(kind, &before, &after) {
        Ok(patch) => patch,
        Err(e) => return fail(format!("unable to compute patch: {e}")),
    };
    if patch.as_object().is_none_or(Map::is_empty) {
        return Ok(());
    }
    let value = if dry_run == DryRun::Client || args.on("local") {
        after
    } else {
        let mut call = Call::new(Verb::Patch, kind, object.namespace(), object.name())
            .body(Payload::StrategicPatch(go::json(&patch)));
        call.dry_run = dry_run == DryRun::Server;
        call.field_manager = "kubectl-set";
        cx.object(&call)?.to_value()
    };
    output::report(cx, args, &value, done, dry_run)
}

/// The containers of a pod spec, of both sorts.
fn containers<'a>(
    spec: &'a mut Map<String, Value>,
    sorts: &'a [&'a str],
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    spec.iter_mut()
        .filter(|(k, _)| sorts.contains(&k.as_str()))
        .filter_map(|(_, v)| v.as_array_mut())
        .flatten()
        .filter_map(Value::as_object_mut)
}

fn name_of(container: &Map<String, Value>) -> &str {
    container.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Whether `-c` means this container; `*` stands for anything.
fn selected(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern.is_empty() || pattern == name,
        Some((a, b)) => name.len() >= a.len() + b.len() && name.starts_with(a) && name.ends_with(b),
    }
}

fn is_pair(word: &str) -> bool {
    (word.contains('=') && !word.starts_with('=')) || (word.ends_with('-') && word.len() > 1)
}

/// The words before and after the first `a=b` (or `a-`).
fn split(words: &[String], what: &str) -> Result<(Vec<String>, Vec<String>)> {
    let first = words.iter().position(|w| is_pair(w)).unwrap_or(words.len());
    let (resources, pairs) = words.split_at(first);
    if let Some(odd) = pairs.iter().find(|w| !is_pair(w)) {
        return fail(format!("all resources must be specified before {what} changes: {odd}"));
    }
    Ok((resources.to_vec(), pairs.to_vec()))
}

fn image(cx: &mut Context<'_>, args: &Args) -> Result {
    let (words, pairs) = split(&args.words, "image")?;
    let mut errors = Vec::new();
    if words.is_empty() && !args.has("filename") {
        errors.push(Error::text(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    if pairs.is_empty() {
        errors.push(Error::text("at least one image update is required"));
    }
    commands::finish(errors)?;
    let images: Vec<(String, String)> =
        pairs.iter().filter_map(|p| p.split_once('=')).map(|(c, i)| (c.to_owned(), i.to_owned())).collect();
    change(cx, args, &words, "image updated", &|spec| {
        let mut missing = Vec::new();
        for (name, image) in &images {
            let mut found = false;
            for c in containers(spec, &["containers", "initContainers"]) {
                if name == "*" || name_of(c) == name {
                    found = true;
                    c.insert("image".into(), image.as_str().into());
                }
            }
            if !found {
                missing.push(format!("unable to find container named {name:?}"));
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(missing) }
    })
}

fn env(cx: &mut Context<'_>, args: &Args) -> Result {
    let (words, mut pairs) = split(&args.words, "environment variable")?;
    pairs.extend(args.all("env").iter().cloned());
    if words.is_empty() && !args.has("filename") {
        return fail("one or more resources must be specified as <resource> <name> or <resource>/<name>");
    }
    if args.has("from") {
        return fail("set env --from is not built here");
    }
    if args.on("list") {
        return list_env(cx, args, &words);
    }
    if pairs.is_empty() {
        return fail("at least one environment variable must be provided");
    }
    let pattern = args.text("containers").to_owned();
    let overwrite = args.on_or("overwrite", true);
    change(cx, args, &words, "env updated", &|spec| {
        let mut wrong = Vec::new();
        for c in containers(spec, &["containers", "initContainers"]) {
            if !selected(&pattern, name_of(c)) {
                continue;
            }
            let mut vars = c.get("env").and_then(Value::as_array).cloned().unwrap_or_default();
            for pair in &pairs {
                let is = |v: &Value, name: &str| v.get("name").and_then(Value::as_str) == Some(name);
                match pair.split_once('=') {
                    Some((name, value)) => match vars.iter_mut().find(|v| is(v, name)) {
                        Some(_) if !overwrite => {
                            wrong.push(format!("'{name}' already has a value, and --overwrite is false"));
                        }
                        Some(var) => *var = json!({"name": name, "value": value}),
                        None => vars.push(json!({"name": name, "value": value})),
                    },
                    None => vars.retain(|v| !is(v, pair.trim_end_matches('-'))),
                }
            }
            if vars.is_empty() {
                c.remove("env");
            } else {
                c.insert("env".into(), Value::Array(vars));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    })
}

fn list_env(cx: &mut Context<'_>, args: &Args, words: &[String]) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, words, rules)?;
    for (object, _) in objects {
        let mut value = object.to_value();
        let Some(spec) = pod_spec(object.kind(), &mut value) else { continue };
        for c in containers(spec, &["containers", "initContainers"]) {
            if !selected(args.text("containers"), name_of(c)) {
                continue;
            }
            cx.say(&format!("# {} {}, container {}", object.kind().as_str(), object.name(), name_of(c)));
            for var in c.get("env").and_then(Value::as_array).into_iter().flatten() {
                let name = var.get("name").and_then(Value::as_str).unwrap_or_default();
                match var.get("valueFrom") {
                    Some(from) => cx.say(&format!("# {name} from {}", go::json(from))),
                    None => {
                        let value = var.get("value").and_then(Value::as_str).unwrap_or_default();
                        cx.say(&format!("{name}={value}"));
                    }
                }
            }
        }
    }
    commands::finish(errors)
}

/// `cpu=200m,memory=512Mi`
fn quantities(parts: &[String]) -> Result<Map<String, Value>> {
    let mut out = Map::new();
    for part in parts.iter().filter(|p| !p.is_empty()) {
        let Some((name, amount)) = part.split_once('=') else {
            return fail(format!("Invalid argument syntax {part}, expected <resource>=<quantity>"));
        };
        match quantity::canonicalize(amount) {
            Ok(text) => out.insert(name.to_owned(), text.into()),
            Err(e) => return fail(e.to_string()),
        };
    }
    Ok(out)
}

fn resources(cx: &mut Context<'_>, args: &Args) -> Result {
    if args.words.is_empty() && !args.has("filename") {
        return fail("one or more resources must be specified as <resource> <name> or <resource>/<name>");
    }
    let (limits, requests) = (quantities(args.all("limits"))?, quantities(args.all("requests"))?);
    if limits.is_empty() && requests.is_empty() {
        return fail("you must specify an update to requests or limits (in the form of --requests/--limits)");
    }
    let pattern = args.text("containers").to_owned();
    change(cx, args, &args.words, "resource requirements updated", &|spec| {
        let mut found = false;
        for c in containers(spec, &["containers", "initContainers"]) {
            if !selected(&pattern, name_of(c)) {
                continue;
            }
            found = true;
            let mut all = c.get("resources").and_then(Value::as_object).cloned().unwrap_or_default();
            for (field, change) in [("limits", &limits), ("requests", &requests)] {
                if change.is_empty() {
                    continue;
                }
                let mut have = all.get(field).and_then(Value::as_object).cloned().unwrap_or_default();
                have.extend(change.clone());
                all.insert(field.into(), Value::Object(have));
            }
            c.insert("resources".into(), Value::Object(all));
        }
        if found { Ok(()) } else { Err(vec![format!("unable to find container named {pattern}")]) }
    })
}

fn service_account(cx: &mut Context<'_>, args: &Args) -> Result {
    let Some((account, words)) = args.words.split_last() else {
        return fail("serviceaccount is required");
    };
    if words.is_empty() && !args.has("filename") {
        return fail("resource(s) were provided, but no name was specified");
    }
    change(cx, args, words, "serviceaccount updated", &|spec| {
        spec.insert("serviceAccountName".into(), account.as_str().into());
        spec.insert("serviceAccount".into(), account.as_str().into());
        Ok(())
    })
}
