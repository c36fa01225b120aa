//! `kubectl create -f`; the commands that make an object from flags are in `generators`.

use serde_json::Value;

use super::call::{Call, Payload};
use super::context::{Context, Result, Stop, fail};
use super::files;
use super::flags::Args;
use super::output::{self, DryRun};
use super::{apply, commands};
use crate::api::{Key, Kind};
use crate::apimachinery::{DeleteOptions, FieldValidation, Response, Subresource, Verb};

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    if !args.has("filename") {
        return fail("must specify one of -f and -k");
    }
    if !args.words.is_empty() {
        return commands::usage("kubectl create", format!("Unexpected args: [{}]", args.words.join(" ")));
    }
    if let Some(path) = args.flag("raw") {
        return evict(cx, args, path);
    }
    let dry_run = DryRun::of(cx, args)?;
    let validation = apply::validation(args)?;
    let (manifests, mut errors) = files::load_all(cx, args.all("filename"))?;
    if manifests.is_empty() && errors.is_empty() {
        return fail("no objects passed to create");
    }
    for m in manifests {
        let value = if args.on("save-config") { apply::annotated(&m.value) } else { m.value.clone() };
        let made = post(cx, m.kind, &m.key(), value, dry_run, validation, "kubectl-create");
        match apply::from(made, "creating", &m.source) {
            Ok(value) => output::report(cx, args, &value, "created", dry_run)?,
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    commands::finish(errors)
}

/// Makes an object, or says what it would be.
pub(super) fn post(
    cx: &mut Context<'_>,
    kind: Kind,
    key: &Key,
    value: Value,
    dry_run: DryRun,
    validation: FieldValidation,
    manager: &'static str,
) -> Result<Value> {
    if dry_run == DryRun::Client {
        return Ok(value);
    }
    let mut call = Call::new(Verb::Create, kind, &key.namespace, &key.name).body(Payload::Object(value));
    call.dry_run = dry_run == DryRun::Server;
    call.field_validation = validation;
    call.field_manager = manager;
    Ok(cx.object(call)?.to_value())
}

/// `create --raw …/pods/NAME/eviction -f FILE`: the one raw request that lessons use.
fn evict(cx: &mut Context<'_>, args: &Args, path: &str) -> Result {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let ["api", "v1", "namespaces", namespace, "pods", name, "eviction"] = parts.as_slice() else {
        return fail("raw requests are not built here, but for …/pods/NAME/eviction");
    };
    for f in args.all("filename") {
        files::text(cx, f)?;
    }
    let mut call =
        Call::new(Verb::Create, Kind::POD, namespace, name).body(Payload::Delete(DeleteOptions::default()));
    call.subresource = Subresource::Eviction;
    match &cx.send(call)?.response {
        Response::Failure(s) => Err((**s).clone().into()),
        other => {
            cx.out.push_str(&format!(
                "{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":\"Success\",\"code\":{}}}\n",
                other.code()
            ));
            Ok(())
        }
    }
}
