//! `kubectl replace -f`

use super::call::{Call, Payload};
use super::context::{Context, Result, Stop, fail};
use super::flags::Args;
use super::output::{self, DryRun};
use super::{apply, commands, files};
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    if !args.has("filename") {
        return commands::usage("kubectl replace", "Must specify --filename to replace");
    }
    if args.on("force") {
        return fail("replace --force is not built here: delete and create");
    }
    let dry_run = DryRun::of(cx, args)?;
    let validation = apply::validation(args)?;
    let files::Loaded { manifests, mut errors } = files::load_all(cx, args.all("filename"))?;
    if manifests.is_empty() && errors.is_empty() {
        return fail("no objects passed to replace");
    }
    for m in manifests {
        let mut value = m.value.clone();
        if dry_run != DryRun::Client && !m.name.is_empty() {
            match version(cx, &m) {
                Ok(version) => value["metadata"]["resourceVersion"] = version.into(),
                Err(stop) => match apply::from::<()>(Err(stop), "replacing", &m.source) {
                    Err(Stop::Error(e)) => {
                        errors.push(e);
                        continue;
                    }
                    other => other?,
                },
            }
        }
        let done = if m.name.is_empty() {
            fail("resource name may not be empty")
        } else if dry_run == DryRun::Client {
            Ok(value)
        } else {
            let mut call =
                Call::new(Verb::Update, m.kind, &m.namespace, &m.name).body(Payload::Object(value));
            call.dry_run = dry_run == DryRun::Server;
            call.field_validation = validation;
            call.field_manager = "kubectl-replace";
            cx.object(&call).map(|o| o.to_value())
        };
        match apply::from(done, "replacing", &m.source) {
            Ok(value) => output::report(cx, args, &value, "replaced", dry_run)?,
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    commands::finish(errors)
}

/// The version to replace: the one that is there, unless the file names one.
fn version(cx: &mut Context<'_>, m: &files::Manifest) -> Result<String> {
    match m.value.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str) {
        Some(version) => Ok(version.to_owned()),
        None => {
            Ok(cx.get(m.kind, &m.namespace, &m.name)?.meta().resource_version.clone().unwrap_or_default())
        }
    }
}
