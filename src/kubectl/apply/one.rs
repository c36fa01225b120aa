//! Applying one object (`k8s.io/kubectl/pkg/cmd/apply/patcher.go`).

use serde_json::Value;

use super::super::call::{Call, Payload};
use super::super::error::Error;
use super::super::go;
use super::super::invocation::{Invocation, Result, Stop, fail};
use super::super::manifests::Manifest;
use super::super::output::{self, DryRun};
use super::{Apply, CONFLICT, RETRIES, annotated, current, from, info, manager, options};
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{MetaExt, Object, patch};
use crate::apimachinery::Verb;

/// The patch from what is live to the manifest; `None` if there is nothing to change.
pub(in super::super) fn patch_of(m: &Manifest, live: &Object, modified: &Value) -> Result<Option<Value>> {
    let original = match live.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION) {
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

/// What is live with a patch, as kubectl works it out itself (`PatchLocal`).
fn merged(m: &Manifest, live: &Object, patch: &Value) -> Result<Value> {
    let merged = match m.kind.is_custom() {
        true => Ok(patch::json_merge_patch(live.to_value(), patch)),
        false => patch::strategic_merge(m.kind, live.to_value(), patch),
    };
    merged.map_err(|e| {
        let verb = format!("applying patch:\n{}\nto:\n{}\nfor:", go::json(patch), info(m));
        Error::text(e.to_string()).source(&verb, &m.source).into()
    })
}

fn warn_if_deleting(cx: &mut Invocation<'_>, m: &Manifest, object: &Object) {
    if object.meta().is_deleting() {
        cx.warn(&format!("Detected changes to resource {} which is currently being deleted.", m.name));
    }
}

impl Apply<'_> {
    /// Says what was done, or keeps the object for `-o`.
    fn report(&mut self, cx: &mut Invocation<'_>, value: Value, done: &str) -> Result {
        if matches!(self.args.text("output"), "" | "name") {
            return output::report(cx, self.args, &value, done, self.dry_run);
        }
        self.shown.push(value);
        Ok(())
    }

    fn create(&mut self, cx: &mut Invocation<'_>, m: &Manifest, modified: Value) -> Result<Value> {
        if self.dry_run == DryRun::Client {
            return Ok(modified);
        }
        let mut call = Call::new(Verb::Create, m.kind, &m.namespace, &m.name).body(Payload::Object(modified));
        call.dry_run = self.dry_run == DryRun::Server;
        call.field_validation = self.validation;
        call.field_manager.clone_from(&cx.field_manager);
        let made = from(cx.object(&call), "creating", &m.source)?;
        self.visited.add(&made);
        Ok(made.to_value())
    }

    pub(super) fn one(&mut self, cx: &mut Invocation<'_>, m: &Manifest) -> Result {
        if let Some(prefix) = m.value.pointer("/metadata/generateName").and_then(Value::as_str)
            && m.name.is_empty()
        {
            return fail(format!("from {prefix}: cannot use generate name with apply"));
        }
        let modified = annotated(&m.value);
        let Some(live) = current(cx, m)? else {
            let made = self.create(cx, m, modified)?;
            return self.report(cx, made, "created");
        };
        self.visited.add(&live);
        if live.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION).is_none() {
            cx.warn(&format!(
                "resource {}/{} is missing the {LAST_APPLIED_CONFIG_ANNOTATION} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
                m.kind.plural(),
                m.name
            ));
        }
        if self.dry_run == DryRun::Client {
            let Some(patch) = patch_of(m, &live, &modified)? else {
                return self.report(cx, live.to_value(), "unchanged");
            };
            let patched = merged(m, &live, &patch)?;
            warn_if_deleting(cx, m, &live);
            return self.report(cx, patched, "configured");
        }
        match self.patch(cx, m, live, &modified)? {
            (value, true) => self.report(cx, value, "configured"),
            (value, false) => self.report(cx, value, "unchanged"),
        }
    }

    /// Patches the object until there is no conflict: what it is then, and whether there was something to patch.
    fn patch(
        &mut self,
        cx: &mut Invocation<'_>,
        m: &Manifest,
        mut live: Object,
        modified: &Value,
    ) -> Result<(Value, bool)> {
        let mut attempt = 0;
        loop {
            let Some(patch) = patch_of(m, &live, modified)? else { return Ok((live.to_value(), false)) };
            warn_if_deleting(cx, m, &live);
            let text = go::json(&patch);
            // How the lists of a custom kind merge, kubectl does not know.
            let body = match m.kind.is_custom() {
                true => Payload::MergePatch(text.clone()),
                false => Payload::StrategicPatch(text.clone()),
            };
            let mut call = Call::new(Verb::Patch, m.kind, &m.namespace, &m.name).body(body);
            call.dry_run = self.dry_run == DryRun::Server;
            call.field_validation = self.validation;
            call.field_manager.clone_from(&cx.field_manager);
            let refused = match cx.object(&call) {
                Ok(object) => return Ok((object.to_value(), true)),
                Err(Stop::Error(Error::Status(s))) => s,
                Err(stop) => return Err(stop),
            };
            attempt += 1;
            if refused.is_conflict() && attempt <= RETRIES {
                match current(cx, m)? {
                    Some(object) => live = object,
                    None => return Err(Error::Status(refused).into()),
                }
            } else if self.args.on("force") && (refused.is_conflict() || refused.reason == "Invalid") {
                return Ok((self.replace(cx, m, &live, modified)?, true));
            } else {
                let refused = Error::Status(refused).source("patching", &m.source);
                let verb = format!("applying patch:\n{text}\nto:\n{}\nfor:", info(m));
                return Err(refused.source(&verb, &m.source).into());
            }
        }
    }

    /// `--force`: deletes what cannot be patched and makes it anew; if that fails, makes what was there.
    fn replace(
        &mut self,
        cx: &mut Invocation<'_>,
        m: &Manifest,
        live: &Object,
        modified: &Value,
    ) -> Result<Value> {
        let delete =
            Call::new(Verb::Delete, m.kind, &m.namespace, &m.name).body(Payload::Delete(options(self.args)?));
        cx.send(&delete)?;
        cx.wait_gone(m.kind, &m.namespace, &m.name, self.args.duration("timeout"))?;
        let refused = match self.create(cx, m, modified.clone()) {
            Err(Stop::Error(e)) => e,
            made => return made,
        };
        let mut before = live.to_value();
        if let Some(meta) = before.get_mut("metadata").and_then(Value::as_object_mut) {
            meta.remove("resourceVersion");
        }
        match self.create(cx, m, before) {
            Ok(_) => Err(refused.into()),
            Err(Stop::Error(e)) => fail(format!(
                "An error occurred force-replacing the existing object with the newly provided one:\n\n{}.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n{}",
                refused.message(),
                e.message()
            )),
            Err(stop) => Err(stop),
        }
    }

    pub(super) fn server_side(&mut self, cx: &mut Invocation<'_>, m: &Manifest) -> Result {
        let mut call =
            Call::new(Verb::Patch, m.kind, &m.namespace, &m.name).body(Payload::Apply(m.value.clone()));
        call.dry_run = self.dry_run == DryRun::Server;
        call.field_validation = self.validation;
        call.field_manager = manager(cx, self.args);
        call.force = self.args.on("force-conflicts");
        self.args.text("subresource").clone_into(&mut call.subresource);
        let object = match cx.object(&call) {
            Err(Stop::Error(Error::Status(s))) if s.is_conflict() => {
                return fail(format!("{}\n{CONFLICT}", s.message));
            }
            applied => applied?,
        };
        warn_if_deleting(cx, m, &object);
        self.visited.add(&object);
        self.report(cx, object.to_value(), "serverside-applied")
    }
}
