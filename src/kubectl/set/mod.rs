//! `kubectl set image|env|resources|serviceaccount|selector|subject` (`k8s.io/kubectl/pkg/cmd/set`).

mod env;
mod selector;
mod subject;

use serde_json::{Map, Value};

use super::call::{Call, Payload};
use super::command::{self, CliCommand, sub};
use super::error::Error;
use super::flags::{Args, Flag, array, boolean, slice, text};
use super::go;
use super::invocation::{Invocation, Result, Stop, fail};
use super::kinds::known;
use super::output::{self, DryRun, PRINT};
use super::resource::{self, FILENAME, Rules, SELECTOR};
use crate::api::quote::go_quote;
use crate::api::{Object, patch, quantity};
use crate::apimachinery::Verb;

const COMMON: &[Flag] = &[boolean("all"), boolean("local"), boolean("record")];
const MANAGED: &[Flag] = &output::managed("kubectl-set");
const CONTAINERS: &[Flag] = &[text("containers").short('c').or("*")];
const ENV: &[Flag] = &[
    array("env").short('e'),
    text("from"),
    boolean("list"),
    boolean("overwrite").or("true"),
    text("prefix"),
    boolean("resolve"),
    slice("keys"),
];
const REQUIREMENTS: &[Flag] = &[text("limits"), text("requests")];
const SUBJECTS: &[Flag] = &[array("user"), array("group"), array("serviceaccount")];

pub(super) const COMMANDS_OF: &[CliCommand] = &[
    sub("image", &[], &[PRINT, MANAGED, SELECTOR, FILENAME, COMMON], &[], image),
    sub("env", &[], &[PRINT, MANAGED, SELECTOR, FILENAME, COMMON, CONTAINERS, ENV], &[], env::run),
    sub(
        "resources",
        &[],
        &[PRINT, MANAGED, SELECTOR, FILENAME, COMMON, CONTAINERS, REQUIREMENTS],
        &[],
        resources,
    ),
    sub("serviceaccount", &["sa"], &[PRINT, MANAGED, FILENAME, COMMON], &[], service_account),
    sub(
        "selector",
        &[],
        &[PRINT, MANAGED, FILENAME, COMMON, &[text("resource-version")]],
        &[],
        selector::run,
    ),
    sub("subject", &[], &[PRINT, MANAGED, SELECTOR, FILENAME, COMMON, SUBJECTS], &[], subject::run),
];

pub(super) const HELP: &str = "Configure application resources.

 These commands help you make changes to existing application resources.

Available Commands:
  env              Update environment variables on a pod template
  image            Update the image of a pod template
  resources        Update resource requests/limits on objects with pod templates
  selector         Set the selector on a resource
  serviceaccount   Update the service account of a resource
  subject          Update the user, group, or service account in a role binding or cluster role binding

Usage:
  kubectl set SUBCOMMAND [options]

Use \"kubectl set <command> --help\" for more information about a given command.
Use \"kubectl options\" for a list of global command-line options (applies to all commands).
";

pub(super) fn group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    command::complaining_group(cx, args, "kubectl set", HELP)
}

/// A change of an object: whether it changed something, or what is wrong.
type Edit<'a> = dyn FnMut(&mut Invocation<'_>, &Object, &mut Value) -> Result<bool> + 'a;

/// Changes every object and sends what is different. `failed` stands before a refusal of the server.
fn change(
    cx: &mut Invocation<'_>,
    args: &Args,
    words: &[String],
    done: &str,
    failed: &str,
    edit: &mut Edit<'_>,
) -> Result {
    let dry_run = dry_run(cx, args)?;
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, words, rules)?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, object| {
        let before = object.to_value();
        let mut after = before.clone();
        match edit(cx, object, &mut after) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(Stop::Error(Error::Text(why))) => {
                return fail(format!("error: {}/{} {why}\n", object.kind().plural(), object.name()));
            }
            Err(stop) => return Err(stop),
        }
        let patch = two_way(object, &before, &after)?;
        if patch.as_object().is_none_or(Map::is_empty) {
            return Ok(());
        }
        let value = if dry_run == DryRun::Client || args.on("local") {
            after
        } else {
            match send(cx, object, &patch, dry_run) {
                Err(Stop::Error(Error::Status(s))) => return fail(format!("{failed} {}", s.message)),
                sent => sent?,
            }
        };
        output::report(cx, args, &value, done, dry_run)
    })
}

fn dry_run(cx: &mut Invocation<'_>, args: &Args) -> Result<DryRun> {
    let dry_run = DryRun::of(cx, args)?;
    if args.on("all") && !args.text("selector").is_empty() {
        return fail("cannot set --all and --selector at the same time");
    }
    if args.on("local") && dry_run == DryRun::Server {
        return fail("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
    }
    Ok(dry_run)
}

fn two_way(object: &Object, before: &Value, after: &Value) -> Result<Value> {
    patch::create_two_way_merge_patch(object.kind(), before, after)
        .or_else(|e| fail(format!("unable to compute patch: {e}")))
}

fn send(cx: &mut Invocation<'_>, object: &Object, patch: &Value, dry_run: DryRun) -> Result<Value> {
    let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name())
        .body(Payload::StrategicPatch(go::json(patch)));
    call.dry_run = dry_run == DryRun::Server;
    call.field_manager.clone_from(&cx.field_manager);
    Ok(cx.object(&call)?.to_value())
}

/// The pod spec of an object (`UpdatePodSpecForObject`).
fn pod_spec<'v>(object: &Object, value: &'v mut Value) -> Result<&'v mut Map<String, Value>> {
    let kind = object.kind();
    match known(kind).set.pod_spec().and_then(|path| value.pointer_mut(path)?.as_object_mut()) {
        Some(spec) => Ok(spec),
        None => fail(format!(
            "the object is not a pod or does not have a pod template: *{}.{}",
            kind.version(),
            kind.as_str()
        )),
    }
}

/// The containers of a pod spec, of both sorts.
fn containers(spec: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    spec.iter_mut()
        .filter(|(k, _)| matches!(k.as_str(), "containers" | "initContainers"))
        .filter_map(|(_, v)| v.as_array_mut())
        .flatten()
        .filter_map(Value::as_object_mut)
}

fn name_of(container: &Map<String, Value>) -> &str {
    container.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// `--containers`
fn pattern(args: &Args) -> &str {
    args.text("containers")
}

/// Whether `-c` means this container; `*` stands for anything.
fn selected(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        match name.find(part).and_then(|at| name.get(at + part.len()..)) {
            Some(tail) => name = tail,
            None => return false,
        }
    }
    true
}

fn is_pair(word: &str) -> bool {
    (word.contains('=') && !word.starts_with('=')) || (word.ends_with('-') && word.len() > 1)
}

fn image(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let first = args.words.iter().position(|w| is_pair(w)).unwrap_or(args.words.len());
    let (words, pairs) = args.words.split_at(first);
    if let Some(odd) = pairs.iter().find(|w| !is_pair(w)) {
        return fail(format!("all resources must be specified before image changes: {odd}"));
    }
    let images: Vec<(&str, &str)> = pairs.iter().filter_map(|p| p.split_once('=')).collect();
    let mut errors = Vec::new();
    if words.is_empty() && !args.has_files() {
        errors.push(Error::text(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        ));
    }
    if images.is_empty() {
        errors.push(Error::text("at least one image update is required"));
    } else if images.len() > 1 && images.iter().any(|(name, _)| *name == "*") {
        errors.push(Error::text(
            "all containers are already specified by *, but saw more than one container_name=container_image pairs",
        ));
    }
    command::finish(errors)?;
    let mut missing = Vec::new();
    let done = change(
        cx,
        args,
        words,
        "image updated",
        "failed to patch image update to pod template:",
        &mut |_, object, value| {
            let spec = pod_spec(object, value)?;
            for (name, image) in &images {
                let mut found = false;
                for c in containers(spec).filter(|c| *name == "*" || name_of(c) == *name) {
                    found = true;
                    c.insert("image".into(), (*image).into());
                }
                if !found {
                    missing.push(Error::Text(format!(
                        "error: unable to find container named {name}",
                        name = go_quote(name)
                    )));
                }
            }
            Ok(true)
        },
    );
    with(missing, done)
}

/// What was wrong with the objects, and what went wrong after that.
fn with(mut errors: Vec<Error>, done: Result) -> Result {
    match done {
        Err(Stop::Error(Error::Many(more))) => errors.extend(more),
        Err(Stop::Error(e)) => errors.push(e),
        done => done?,
    }
    command::finish(errors)
}

/// `cpu=200m,memory=512Mi`
fn quantities(text: &str) -> Result<Map<String, Value>> {
    let mut out = Map::new();
    for statement in text.split(',').filter(|_| !text.is_empty()) {
        let [name, amount] = statement.split('=').collect::<Vec<_>>()[..] else {
            return fail(format!("Invalid argument syntax {statement}, expected <resource>=<value>"));
        };
        match quantity::canonicalize(amount) {
            Ok(text) => out.insert(name.to_owned(), text.into()),
            Err(e) => return fail(e.to_string()),
        };
    }
    Ok(out)
}

fn resources(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if args.words.is_empty() && !args.has_files() {
        return fail("one or more resources must be specified as <resource> <name> or <resource>/<name>");
    }
    if args.text("limits").is_empty() && args.text("requests").is_empty() {
        return fail("you must specify an update to requests or limits (in the form of --requests/--limits)");
    }
    let changes =
        [("limits", quantities(args.text("limits"))?), ("requests", quantities(args.text("requests"))?)];
    let mut missing = Vec::new();
    let done = change(
        cx,
        args,
        &args.words,
        "resource requirements updated",
        "failed to patch resources update to pod template",
        &mut |_, object, value| {
            let mut found = false;
            for c in containers(pod_spec(object, value)?).filter(|c| selected(pattern(args), name_of(c))) {
                found = true;
                let mut all = c.get("resources").and_then(Value::as_object).cloned().unwrap_or_default();
                for (field, change) in changes.iter().filter(|(_, change)| !change.is_empty()) {
                    let mut have = all.get(*field).and_then(Value::as_object).cloned().unwrap_or_default();
                    have.extend(change.clone());
                    all.insert((*field).into(), Value::Object(have));
                }
                c.insert("resources".into(), Value::Object(all));
            }
            if !found {
                let pattern = pattern(args);
                missing.push(Error::Text(format!("error: unable to find container named {pattern}")));
            }
            Ok(found)
        },
    );
    with(missing, done)
}

fn service_account(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let Some((account, words)) = args.words.split_last() else {
        return fail("serviceaccount is required");
    };
    change(
        cx,
        args,
        words,
        "serviceaccount updated",
        "failed to patch ServiceAccountName",
        &mut |_, object, value| {
            let spec = pod_spec(object, value)?;
            spec.insert("serviceAccountName".into(), account.as_str().into());
            spec.insert("serviceAccount".into(), account.as_str().into());
            Ok(true)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::selected;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, want) in [
            ("*", "web", true),
            ("web", "web", true),
            ("web", "web-2", false),
            ("web*", "web-2", true),
            ("*2", "web-2", true),
            ("w*b*2", "web-2", true),
            ("w*x*2", "web-2", false),
            ("", "web", false),
        ] {
            assert_eq!(selected(pattern, name), want, "{pattern} {name}");
        }
    }
}
