//! `kubectl apply`: client-side apply, which remembers in an annotation what was applied last.

use serde_json::{Map, Value};

use super::call::{Call, Payload};
use super::commands;
use super::context::{Context, Result, Stop, fail};
use super::error::Error;
use super::files::{self, Manifest};
use super::flags::Args;
use super::go;
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::{MetaExt, Object, patch};
use crate::apimachinery::{FieldValidation, Verb};

/// Where the last applied configuration is kept.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const MANAGER: &str = "kubectl-client-side-apply";
/// How often a conflict is tried again.
const RETRIES: usize = 5;

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return commands::usage("kubectl apply", format!("Unexpected args: [{}]", args.words.join(" ")));
    }
    if !args.has("filename") {
        return fail(if args.has("kustomize") {
            "kustomize is not built here"
        } else {
            "must specify one of -f and -k"
        });
    }
    if args.on("prune") && args.text("selector").is_empty() && !args.on("all") {
        return fail(
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        );
    }
    if args.on("force-conflicts") && !args.on("server-side") {
        return fail("--force-conflicts only works with --server-side");
    }
    let dry_run = DryRun::of(cx, args)?;
    if args.on("server-side") && dry_run == DryRun::Client {
        return fail(
            "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
        );
    }
    let validation = validation(args)?;
    let files::Loaded { manifests, mut errors } = files::load_all(cx, args.all("filename"))?;
    if manifests.is_empty() && errors.is_empty() {
        return fail("no objects passed to apply");
    }
    for m in &manifests {
        let done = if args.on("server-side") {
            server_side(cx, args, m, dry_run, validation)
        } else {
            one(cx, args, m, dry_run, validation)
        };
        match done {
            Err(Stop::Error(e)) => errors.push(e),
            done => done?,
        }
    }
    commands::finish(errors)
}

/// `--validate`
pub(super) fn validation(args: &Args) -> Result<FieldValidation> {
    match args.flag("validate") {
        None | Some("strict" | "true") => Ok(FieldValidation::Strict),
        Some("warn") => Ok(FieldValidation::Warn),
        Some("ignore" | "false") => Ok(FieldValidation::Ignore),
        Some(other) => fail(format!(
            "invalid - validate option {other:?}; must be one of: strict (or true), warn, ignore (or false)"
        )),
    }
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
    annotations.remove(LAST_APPLIED);
    meta.insert("annotations".into(), Value::Object(annotations.clone()));
    object.insert("metadata".into(), Value::Object(meta.clone()));
    let text = go::json(&Value::Object(object.clone())) + "\n";
    annotations.insert(LAST_APPLIED.into(), text.into());
    meta.insert("annotations".into(), Value::Object(annotations));
    object.insert("metadata".into(), Value::Object(meta));
    Value::Object(object)
}

/// `Resource: …, GroupVersionKind: …` and the name, as Go prints a resource.Info.
fn info(m: &Manifest) -> String {
    format!(
        "Resource: {:?}, GroupVersionKind: \"{}, Kind={}\"\nName: {:?}, Namespace: {:?}",
        resource::resource_string(m.kind),
        resource::resource_string(m.kind).split(',').next().unwrap_or_default(),
        m.kind.as_str(),
        m.name,
        m.namespace
    )
}

/// What stands at the manifest's place; `None` for nothing.
pub(super) fn current(cx: &mut Context<'_>, m: &Manifest) -> Result<Option<Object>> {
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
                "error when retrieving current configuration of:\n{}\nfrom server for: {:?}: ",
                info(m),
                m.source
            );
            Err(Stop::Error(match e {
                Error::Status(mut s) => {
                    s.message.insert_str(0, &about);
                    Error::Status(s)
                }
                other => Error::Text(about + &other.message()),
            }))
        }
        Err(stop) => Err(stop),
    }
}

fn one(
    cx: &mut Context<'_>,
    args: &Args,
    m: &Manifest,
    dry_run: DryRun,
    validation: FieldValidation,
) -> Result {
    let modified = annotated(&m.value);
    let Some(mut live) = current(cx, m)? else {
        let value = if dry_run == DryRun::Client {
            modified
        } else {
            let mut call =
                Call::new(Verb::Create, m.kind, &m.namespace, &m.name).body(Payload::Object(modified));
            call.dry_run = dry_run == DryRun::Server;
            call.field_validation = validation;
            call.field_manager = MANAGER;
            from(cx.object(&call), "creating", &m.source)?.to_value()
        };
        return output::report(cx, args, &value, "created", dry_run);
    };
    if live.meta().annotation(LAST_APPLIED).is_none() {
        cx.warn(&format!(
            "resource {}/{} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
            m.kind.plural(),
            m.name
        ));
    }
    if dry_run == DryRun::Client {
        return output::report(cx, args, &live.to_value(), "configured", dry_run);
    }
    for attempt in 0..=RETRIES {
        let Some(patch) = patch_of(m, &live, &modified)? else {
            return output::report(cx, args, &live.to_value(), "unchanged", dry_run);
        };
        if live.meta().is_deleting() {
            cx.warn(&format!("Detected changes to resource {} which is currently being deleted.", m.name));
        }
        let text = go::json(&patch);
        // How the lists of a custom kind merge, kubectl does not know.
        let body = match m.kind.is_custom() {
            true => Payload::MergePatch(text.clone()),
            false => Payload::StrategicPatch(text.clone()),
        };
        let mut call = Call::new(Verb::Patch, m.kind, &m.namespace, &m.name).body(body);
        call.dry_run = dry_run == DryRun::Server;
        call.field_validation = validation;
        call.field_manager = MANAGER;
        match cx.object(&call) {
            Ok(object) => return output::report(cx, args, &object.to_value(), "configured", dry_run),
            Err(Stop::Error(Error::Status(s))) if s.is_conflict() && attempt < RETRIES => {
                match current(cx, m)? {
                    Some(object) => live = object,
                    None => return Err(Error::Status(s).into()),
                }
            }
            failed => {
                let verb = format!("applying patch:\n{text}\nto:\n{}\nfor:", info(m));
                from(failed, &verb, &m.source)?;
            }
        }
    }
    Ok(())
}

/// The patch from what is live to the manifest; `None` if there is nothing to change.
pub(super) fn patch_of(m: &Manifest, live: &Object, modified: &Value) -> Result<Option<Value>> {
    let original = match live.meta().annotation(LAST_APPLIED) {
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        None => Value::Null,
    };
    let made = match m.kind.is_custom() {
        true => Ok(patch::create_three_way_json_merge_patch(&original, modified, &live.to_value())),
        false => patch::create_three_way_merge_patch(m.kind, &original, modified, &live.to_value()),
    };
    match made {
        Ok(Value::Object(p)) if p.is_empty() => Ok(None),
        Ok(p) => Ok(Some(p)),
        Err(e) => Err(Stop::Error(
            Error::Text(format!(
                "creating patch with:\noriginal:\n{}\nmodified:\n{}\ncurrent:\n{}\nfor: {e}",
                go::json(&original),
                go::json(modified),
                go::json(&live.to_value())
            ))
            .source("applying", &m.source),
        )),
    }
}

fn server_side(
    cx: &mut Context<'_>,
    args: &Args,
    m: &Manifest,
    dry_run: DryRun,
    validation: FieldValidation,
) -> Result {
    let mut call =
        Call::new(Verb::Patch, m.kind, &m.namespace, &m.name).body(Payload::Apply(m.value.clone()));
    call.dry_run = dry_run == DryRun::Server;
    call.field_validation = validation;
    call.field_manager = "kubectl";
    call.force = args.on("force-conflicts");
    let object = cx.object(&call)?;
    output::report(cx, args, &object.to_value(), "serverside-applied", dry_run)
}

/// Says which file an error was about.
pub(super) fn from<T>(result: Result<T>, verb: &str, source: &str) -> Result<T> {
    result.map_err(|stop| match stop {
        Stop::Error(e) => Stop::Error(e.source(verb, source)),
        other => other,
    })
}

pub(super) fn view_last_applied(cx: &mut Context<'_>, args: &Args) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    for (object, source) in objects {
        let Some(text) = object.meta().annotation(LAST_APPLIED) else {
            return Err(Stop::Error(
                Error::Text(format!(
                    "no last-applied-configuration annotation found on resource: {}",
                    object.name()
                ))
                .source("viewing", &source),
            ));
        };
        let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        if args.text("output") == "json" {
            let json = go::json_indent(&value);
            cx.say(&json);
        } else {
            cx.out.push_str(&crate::api::yaml::to_yaml(&value));
        }
    }
    commands::finish(errors)
}
