//! `kubectl edit`: the program that runs the command gets the object as text for a person to change, and the difference is
//! sent as a patch (`k8s.io/kubectl/pkg/cmd/util/editor`).

use serde_json::Value;

use super::call::{Call, Payload};
use super::command;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output;
use super::refused::ManifestPlace;
use super::resource::{self, Rules};
use crate::api::yaml::{self, Limits};
use crate::api::{Object, patch};
use crate::apimachinery::Verb;

/// What stands above the object in the editor.
const HEADER: &str = "# Please edit the object below. Lines beginning with a '#' will be ignored,\n# and an empty file will abort the edit. If an error occurs while saving this file will be\n# reopened with the relevant failures.\n#\n";

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    if objects.is_empty() && errors.is_empty() {
        return fail("edit cancelled, no objects found");
    }
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object))
}

fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object) -> Result {
    let shown = output::shown(&object.to_value(), args.on("show-managed-fields"));
    let Some((opened, saved)) = cx.edit(&format!("{HEADER}{}", yaml::to_yaml(&shown)))? else {
        let (kind, name) = (object.kind().singular(), object.name());
        return fail(format!(
            "no editor can be opened from this terminal: \"kubectl get {kind} {name} -o yaml\" prints the object; change that in the manifest beside and apply it, or use kubectl patch, set or scale",
        ));
    };
    if without_comments(&saved) == without_comments(&opened) {
        cx.err.push_str("Edit cancelled, no changes made.\n");
        return Ok(());
    }
    if without_comments(&saved).trim().is_empty() {
        cx.err.push_str("Edit cancelled, saved file was empty.\n");
        return Ok(());
    }
    let first = |text: &str| {
        let documents = yaml::documents(text, &Limits::default())?;
        Ok(documents.into_iter().next().map_or(Value::Null, |d| d.value))
    };
    let (before, after) = match first(&opened).and_then(|before| Ok((before, first(&saved)?))) {
        Ok(both) => both,
        Err(yaml::YamlError { message, .. }) => {
            return fail(format!("The edited file had a syntax error: {message}"));
        }
    };
    for key in ["apiVersion", "kind"] {
        if after.get(key) != before.get(key) {
            return fail(format!("{key} should not be changed"));
        }
    }
    if after.pointer("/metadata/name") != before.pointer("/metadata/name") {
        return fail("At least one of apiVersion, kind and name was changed");
    }
    let custom = object.kind().is_custom();
    let made = match custom {
        true => Ok(patch::create_json_merge_patch(&before, &after)),
        false => patch::create_two_way_merge_patch(object.kind(), &before, &after),
    };
    let change = match made {
        Ok(Value::Object(p)) if p.is_empty() => {
            cx.err.push_str("Edit cancelled, no changes made.\n");
            return Ok(());
        }
        Ok(change) => change,
        Err(e) => return fail(e.to_string()),
    };
    let mut call = Call::new(Verb::Patch, object.kind(), object.namespace(), object.name());
    let text = change.to_string();
    call.body = if custom { Payload::MergePatch(text) } else { Payload::StrategicPatch(text) };
    call.field_manager.clone_from(&cx.field_manager);
    let patched = match cx.object(&call) {
        Ok(patched) => patched,
        Err(stop) => {
            if let Stop::Error(e) = &stop {
                // The first document of what was saved.
                cx.refuse(&ManifestPlace::default(), e);
            }
            return Err(stop);
        }
    };
    output::report(cx, args, &patched.to_value(), "edited", output::DryRun::No)
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|l| !l.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n")
}
