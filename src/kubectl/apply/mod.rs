//! `kubectl apply`: client-side apply, which remembers in an annotation what was applied last, and server-side apply.

mod last_applied;
mod one;
mod prune;

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::command::{self, CliCommand, sub};
use super::error::Error;
use super::files;
use super::flags::{Args, boolean, text};
use super::go;
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::{Loaded, Manifest};
use super::output::{self, DRY_RUN, DryRun, PRINT, Printer};
use super::resource::{self, FILENAME, SELECTOR};
use crate::api::quote::go_quote;
use crate::api::well_known::{CHANGE_CAUSE_ANNOTATION, LAST_APPLIED_CONFIG_ANNOTATION};
use crate::api::{Object, patch};
use crate::apimachinery::{DeleteOptions, FieldValidation, Propagation};
pub(super) use one::patch_of;
use prune::Visited;

/// The field manager of an apply that is not server-side, and the default of `--field-manager`.
pub(super) const MANAGER: &str = "kubectl-client-side-apply";
/// The field manager of a server-side apply.
const SERVER_SIDE_MANAGER: &str = "kubectl";
/// How often a conflict is tried again.
const RETRIES: usize = 5;
/// What a person can do about a conflict of a server-side apply.
const CONFLICT: &str = "Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

pub(super) const COMMANDS_OF: &[CliCommand] = &[
    sub("view-last-applied", &[], &[PRINT, SELECTOR, FILENAME, &[boolean("all")]], &[], last_applied::view),
    sub(
        "set-last-applied",
        &[],
        &[PRINT, DRY_RUN, FILENAME, &[boolean("create-annotation")]],
        &["filename"],
        last_applied::set,
    ),
    sub(
        "edit-last-applied",
        &[],
        &[PRINT, FILENAME, &[text("field-manager").or(MANAGER)]],
        &[],
        last_applied::edit,
    ),
];

/// What to do with the objects.
struct Apply<'a> {
    args: &'a Args,
    dry_run: DryRun,
    validation: FieldValidation,
    visited: Visited,
    /// The objects for `-o`, which are printed at the end.
    shown: Vec<Value>,
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return command::usage("kubectl apply", format!("Unexpected args: [{}]", args.words.join(" ")));
    }
    if args.has("record") {
        cx.err.push_str("Flag --record has been deprecated, --record will be removed in the future\n");
    }
    if !args.has_files() {
        return fail("must specify one of -f and -k");
    }
    let dry_run = DryRun::of(cx, args)?;
    check(args, dry_run)?;
    let validation = validation(args)?;
    let printer = Printer::of(cx, args, false)?;
    options(args)?;
    prune::allowed(args)?;
    let Loaded { manifests, errors, .. } = files::load_all(cx, args)?;
    let mut errors: Vec<Error> = Error::one(errors).into_iter().collect();
    if manifests.is_empty() && errors.is_empty() {
        return fail("no objects passed to apply");
    }
    let mut apply = Apply { args, dry_run, validation, visited: Visited::default(), shown: Vec::new() };
    if cx.explicit_namespace {
        apply.visited.namespaces.insert(cx.namespace.clone());
    }
    for m in &manifests {
        if m.kind.namespaced() {
            apply.visited.namespaces.insert(m.namespace.clone());
        }
        let m = recorded(args, m);
        let done = if args.on("server-side") { apply.server_side(cx, &m) } else { apply.one(cx, &m) };
        match done {
            Err(Stop::Error(e)) => {
                cx.refuse(&m.place, &e);
                errors.push(e);
            }
            done => done?,
        }
    }
    command::finish(errors)?;
    if args.on("prune") {
        prune::all(cx, args, &apply.visited, dry_run)?;
    }
    match (printer.filter(|p| !matches!(p, Printer::Name)), apply.shown.as_slice()) {
        (None, _) => Ok(()),
        (Some(printer), [one]) => printer.print(cx, one, true),
        (Some(printer), several) => printer.print(cx, &output::list(several.to_vec()), true),
    }
}

/// Flags that do not go together.
fn check(args: &Args, dry_run: DryRun) -> Result {
    let (server_side, force, all) = (args.on("server-side"), args.on("force"), args.on("all"));
    let selected = !args.text("selector").is_empty();
    if args.on("force-conflicts") && !server_side {
        return fail("--force-conflicts only works with --server-side");
    }
    if server_side && dry_run == DryRun::Client {
        return fail(
            "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
        );
    }
    if server_side && force {
        return fail("--force cannot be used with --server-side");
    }
    if dry_run == DryRun::Server && force {
        return fail("--dry-run=server cannot be used with --force");
    }
    if all && selected {
        return fail("cannot set --all and --selector at the same time");
    }
    if args.on("prune") && force {
        return fail("--force cannot be used with --prune");
    }
    if args.on("prune") && !all && !selected {
        return fail(
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        );
    }
    if args.on("prune") && server_side {
        return fail(
            "--prune is in alpha and doesn't currently work on objects created by server-side apply",
        );
    }
    if !args.text("subresource").is_empty() && !server_side {
        return fail("--subresource can only be specified for --server-side");
    }
    Ok(())
}

/// The field manager of an apply. The default of the flag is not for `--server-side` (`GetApplyFieldManagerFlag`).
pub(super) fn manager(cx: &Invocation<'_>, args: &Args) -> String {
    match args.on("server-side") && !args.has("field-manager") {
        true => SERVER_SIDE_MANAGER.to_owned(),
        false => cx.field_manager.clone(),
    }
}

/// How `--prune` and `--force` delete.
fn options(args: &Args) -> Result<DeleteOptions> {
    let policy = match args.text("cascade") {
        "" | "background" | "true" => Propagation::Background,
        "foreground" => Propagation::Foreground,
        "orphan" | "false" => Propagation::Orphan,
        other => {
            return fail(format!(
                "invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            ));
        }
    };
    let grace = args.int("grace-period").filter(|g| *g >= 0).or(args.on("force").then_some(0));
    Ok(DeleteOptions { grace_period_seconds: grace, propagation_policy: Some(policy), ..Default::default() })
}

/// With `--record`, the manifest with the command in its annotation `kubernetes.io/change-cause`.
fn recorded(args: &Args, m: &Rc<Manifest>) -> Rc<Manifest> {
    if !args.on("record") {
        return m.clone();
    }
    let mut m = (**m).clone();
    let cause = json!({"metadata": {"annotations": {CHANGE_CAUSE_ANNOTATION: format!("kubectl apply {}", args.recorded())}}});
    m.value = patch::json_merge_patch(m.value, &cause);
    Rc::new(m)
}

/// `--validate`
pub(super) fn validation(args: &Args) -> Result<FieldValidation> {
    match args.flag("validate") {
        None | Some("strict" | "true") => Ok(FieldValidation::Strict),
        Some("warn") => Ok(FieldValidation::Warn),
        Some("ignore" | "false") => Ok(FieldValidation::Ignore),
        Some(other) => fail(format!(
            "invalid - validate option {other}; must be one of: strict (or true), warn, ignore (or false)",
            other = go_quote(other)
        )),
    }
}

/// The manifest without the annotation, as `diff` compares it: its annotations are a map, even if there are none.
pub(super) fn unannotated(value: &Value) -> Value {
    let mut value = annotated(value);
    if let Some(Value::Object(annotations)) = value.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED_CONFIG_ANNOTATION);
    }
    value
}

/// The manifest with its own text in the annotation, as it is created and compared.
pub(super) fn annotated(value: &Value) -> Value {
    let part = |of: &Map<String, Value>, key: &str| match of.get(key) {
        Some(Value::Object(m)) => m.clone(),
        _ => Map::new(),
    };
    let mut object = value.as_object().cloned().unwrap_or_default();
    let mut meta = part(&object, "metadata");
    let mut annotations = part(&meta, "annotations");
    annotations.remove(LAST_APPLIED_CONFIG_ANNOTATION);
    meta.insert("annotations".into(), Value::Object(annotations.clone()));
    object.insert("metadata".into(), Value::Object(meta.clone()));
    let text = go::json(&Value::Object(object.clone())) + "\n";
    annotations.insert(LAST_APPLIED_CONFIG_ANNOTATION.into(), text.into());
    meta.insert("annotations".into(), Value::Object(annotations));
    object.insert("metadata".into(), Value::Object(meta));
    Value::Object(object)
}

/// `Resource: …, GroupVersionKind: …` and the name, as Go prints a resource.Info.
fn info(m: &Manifest) -> String {
    format!(
        "Resource: {}, GroupVersionKind: \"{}, Kind={}\"\nName: {}, Namespace: {}",
        go_quote(resource::resource_string(m.kind)),
        resource::resource_string(m.kind).split(',').next().unwrap_or_default(),
        m.kind.as_str(),
        go_quote(&m.name),
        go_quote(&m.namespace)
    )
}

/// What stands at the manifest's place; `None` for nothing.
pub(super) fn current(cx: &mut Invocation<'_>, m: &Manifest) -> Result<Option<Object>> {
    let got = if m.name.is_empty() {
        fail("resource name may not be empty")
    } else {
        cx.get(m.kind, &m.namespace, &m.name)
    };
    match got {
        Ok(object) => Ok(Some(object)),
        Err(Stop::Error(e)) if e.is_not_found() => Ok(None),
        Err(Stop::Error(e)) => {
            let about = format!(
                "error when retrieving current configuration of:\n{}\nfrom server for: {}: ",
                info(m),
                go_quote(&m.source)
            );
            Err(Stop::Error(match e {
                Error::Status(_) => e.about(&about),
                other => Error::Text(about + &other.message()),
            }))
        }
        Err(stop) => Err(stop),
    }
}

/// Says which file an error was about.
pub(super) fn from<T>(result: Result<T>, verb: &str, source: &str) -> Result<T> {
    result.map_err(|stop| match stop {
        Stop::Error(e) => Stop::Error(e.source(verb, source)),
        other => other,
    })
}
