//! Patches: strategic merge and JSON 6902.

use regex::Regex;
use serde_json::Value;

use super::super::Files;
use super::file::{Kustomization, Patch, Target};
use super::{Built, Resource, path};
use crate::api::labels::Selector;
use crate::api::patch;
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};

/// `patchesStrategicMerge` and `patches`.
pub(super) fn run(
    files: &dyn Files,
    directory: &str,
    file: &Kustomization,
    all: &mut Vec<Resource>,
) -> Built {
    for given in &file.patches_strategic_merge {
        let text = if given.contains('\n') { given.clone() } else { read(files, directory, given)? };
        for change in parse(&text)? {
            merge_named(&change, all)?;
        }
    }
    for given in &file.patches {
        let changes = changes(files, directory, given)?;
        match (&given.target, changes.as_slice()) {
            (Some(target), _) => targeted(target, given, &changes, all)?,
            (None, changes) if changes.iter().any(Value::is_array) => {
                return Err("must specify a target for JSON patch".into());
            }
            (None, changes) => {
                for change in changes {
                    merge_named(change, all)?;
                }
            }
        }
    }
    Ok(())
}

/// `patchesJson6902`
pub(super) fn run_json(
    files: &dyn Files,
    directory: &str,
    file: &Kustomization,
    all: &mut Vec<Resource>,
) -> Built {
    for given in &file.patches_json6902 {
        let changes = changes(files, directory, given)?;
        let Some(target) = &given.target else { return Err("must specify a target for patch".into()) };
        targeted(target, given, &changes, all)?;
    }
    Ok(())
}

fn read(files: &dyn Files, directory: &str, name: &str) -> Built<String> {
    let at = path(directory, name)?;
    files.read(&at).ok_or_else(|| {
        format!("unable to get patch from file: evalsymlink failure on '/{at}' : lstat /{at}: no such file or directory")
    })
}

fn changes(files: &dyn Files, directory: &str, given: &Patch) -> Built<Vec<Value>> {
    match (given.path.as_str(), given.patch.as_str()) {
        ("", "") => Err("must specify one of patch and path in PatchTransformer".into()),
        ("", text) => parse(text),
        (name, "") => parse(&read(files, directory, name)?),
        _ => Err("patch and path can't be set at the same time".into()),
    }
}

fn parse(text: &str) -> Built<Vec<Value>> {
    let documents = yaml::documents(text, &Limits::default()).map_err(|e| {
        format!("unable to parse SM or JSON patch from [patch: {text}]: {}", e.message, text = go_quote(text))
    })?;
    Ok(documents.into_iter().map(|d| d.value).collect())
}

/// Merges a patch into the object that it names itself.
fn merge_named(change: &Value, all: &mut Vec<Resource>) -> Built {
    let own = Resource::new(change.clone());
    let is = |r: &Resource| {
        r.kind() == own.kind()
            && group(r.api_version()) == group(own.api_version())
            && r.was_named(own.name())
            && (own.namespace().is_empty() || own.namespace() == r.namespace())
    };
    let Some(at) = all.iter().position(is) else {
        let id = own.id();
        return Err(format!(
            "no resource matches strategic merge patch {}: no matches for Id {id}; failed to find unique target for patch {id}",
            go_quote(&id)
        ));
    };
    merge(at, change, false, all)
}

fn group(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// Merges a patch into an object, or takes the object away (`$patch: delete`).
fn merge(at: usize, change: &Value, renames: bool, all: &mut Vec<Resource>) -> Built {
    if change.get("$patch").and_then(Value::as_str) == Some("delete") {
        all.remove(at);
        return Ok(());
    }
    let Some(resource) = all.get_mut(at) else { return Ok(()) };
    let merged = match resource.built_in() {
        Some(kind) => {
            patch::strategic_merge(kind, resource.value.clone(), change).map_err(|e| e.to_string())?
        }
        None => patch::json_merge_patch(resource.value.clone(), change),
    };
    put(resource, merged, renames);
    Ok(())
}

/// Puts what came of a patch in an object's place. Its kind stays, and its name unless `renames`.
fn put(resource: &mut Resource, mut value: Value, renames: bool) {
    let new = value.pointer("/metadata/name").and_then(Value::as_str).map(str::to_owned);
    value["kind"] = resource.value["kind"].clone();
    value["metadata"]["name"] = resource.value["metadata"]["name"].clone();
    resource.value = value;
    if let Some(name) = new.filter(|_| renames) {
        resource.rename(name);
    }
}

/// Applies patches to each object that the target means.
fn targeted(target: &Target, given: &Patch, changes: &[Value], all: &mut Vec<Resource>) -> Built {
    let is = matcher(target)?;
    let renames = given.options.get("allowNameChange") == Some(&true);
    for change in changes {
        // From the last to the first: a patch may take objects away.
        for at in (0..all.len()).rev() {
            let Some(resource) = all.get_mut(at).filter(|r| is(r)) else { continue };
            if change.is_array() {
                let value = patch::json_patch(resource.value.clone(), change).map_err(|e| e.to_string())?;
                put(resource, value, renames);
            } else {
                merge(at, change, renames, all)?;
            }
        }
    }
    Ok(())
}

/// Whether an object is meant by a target.
fn matcher(target: &Target) -> Built<impl Fn(&Resource) -> bool + '_> {
    let whole = |text: &str| match text {
        "" => Ok(None),
        text => Regex::new(&format!("^(?:{text})$")).map(Some).map_err(|e| e.to_string()),
    };
    let (name, namespace) = (whole(&target.name)?, whole(&target.namespace)?);
    let (kind, version) = (whole(&target.kind)?, whole(&target.version)?);
    let groups = whole(&target.group)?;
    let (labels, annotations) =
        (Selector::parse(&target.label_selector)?, Selector::parse(&target.annotation_selector)?);
    let fits = |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_none_or(|p| p.is_match(text));
    Ok(move |r: &Resource| {
        let of_version = r.api_version().rsplit('/').next().unwrap_or_default();
        let selects = |selector: &Selector, field: &str| {
            let pairs = r.value.pointer(field).and_then(Value::as_object).into_iter().flatten();
            selector.matches(&pairs.filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))).collect())
        };
        let named = fits(&name, r.name()) || r.names.iter().any(|n| fits(&name, n));
        named
            && fits(&namespace, r.namespace())
            && fits(&kind, r.kind())
            && fits(&version, of_version)
            && fits(&groups, group(r.api_version()))
            && selects(&labels, "/metadata/labels")
            && selects(&annotations, "/metadata/annotations")
    })
}
