//! ConfigMaps and Secrets of literals and files, and the hash of their content.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::super::Files;
use super::super::hash;
use super::file::{Generator, Kustomization, Options};
use super::{Built, Resource, add, path};
use crate::api::quote::go_quote;

pub(super) fn run(
    files: &dyn Files,
    directory: &str,
    file: &Kustomization,
    all: &mut Vec<Resource>,
) -> Built {
    for (generators, secret) in [(&file.config_map_generator, false), (&file.secret_generator, true)] {
        for generator in generators {
            let made = resource(files, directory, generator, &file.generator_options, secret)?;
            merge(made, &generator.behavior, all)?;
        }
    }
    Ok(())
}

fn resource(
    files: &dyn Files,
    directory: &str,
    generator: &Generator,
    shared: &Options,
    secret: bool,
) -> Built<Resource> {
    if generator.name.is_empty() {
        return Err("configmap/secret must have name".into());
    }
    let mut data = Map::new();
    let mut insert = |key: &str, value: &str| -> Built {
        let value = if secret { STANDARD.encode(value) } else { value.to_owned() };
        match data.insert(key.to_owned(), value.into()) {
            None => Ok(()),
            Some(_) => {
                Err(format!("cannot add key '{key}', another key by that name already exists in the map"))
            }
        }
    };
    let read = |name: &str| {
        let at = path(directory, name)?;
        files
            .read(&at)
            .ok_or_else(|| format!("evalsymlink failure on '/{at}' : lstat /{at}: no such file or directory"))
    };
    for name in generator.envs.iter().chain(Some(&generator.env).filter(|e| !e.is_empty())) {
        let text = read(name)?;
        for line in text.lines().map(str::trim_start).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            insert(key, value)?;
        }
    }
    for source in &generator.files {
        let (key, name) =
            source.split_once('=').unwrap_or((source.rsplit('/').next().unwrap_or(source), source));
        insert(key, &read(name)?)?;
    }
    for literal in &generator.literals {
        let Some((key, value)) = literal.split_once('=').filter(|(k, _)| !k.is_empty()) else {
            return Err(format!("invalid literal source {literal}, expected key=value"));
        };
        let quoted = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q));
        insert(key, quoted.unwrap_or(value))?;
    }
    let kind = if secret { "Secret" } else { "ConfigMap" };
    let mut metadata = json!({"name": generator.name});
    if !generator.namespace.is_empty() {
        metadata["namespace"] = generator.namespace.as_str().into();
    }
    let own = &generator.options;
    for (field, shared, own) in
        [("labels", &shared.labels, &own.labels), ("annotations", &shared.annotations, &own.annotations)]
    {
        if !shared.is_empty() || !own.is_empty() {
            let mut both = shared.clone();
            both.extend(own.clone());
            metadata[field] = json!(both);
        }
    }
    let mut value = json!({"apiVersion": "v1", "kind": kind, "metadata": metadata});
    if !data.is_empty() {
        value["data"] = data.into();
    }
    if secret {
        let type_ = if generator.type_.is_empty() { "Opaque" } else { &generator.type_ };
        value["type"] = type_.into();
    }
    if shared.immutable || own.immutable {
        value["immutable"] = true.into();
    }
    let hashed = !(shared.disable_name_suffix_hash || own.disable_name_suffix_hash);
    Ok(Resource { hashed, ..Resource::new(value) })
}

/// Adds a generated object, or merges it into the one of its name.
fn merge(made: Resource, behavior: &str, all: &mut Vec<Resource>) -> Built {
    let same = |r: &&mut Resource| r.kind() == made.kind() && r.was_named(made.name());
    match (behavior, all.iter_mut().find(same)) {
        ("" | "create", _) => add(all, made),
        ("merge", Some(old)) => {
            for part in ["data", "metadata"] {
                if let Some(new) = made.value.get(part).and_then(Value::as_object) {
                    merge_maps(&mut old.value[part], new, part == "metadata");
                }
            }
            Ok(())
        }
        ("replace", Some(old)) => {
            let name = old.name().to_owned();
            old.value = made.value;
            old.value["metadata"]["name"] = name.into();
            Ok(())
        }
        ("merge" | "replace", None) => {
            Err(format!("id {} does not exist; cannot merge or replace", made.id()))
        }
        (other, _) => Err(format!("invalid behavior {other} of a generator", other = go_quote(other))),
    }
}

fn merge_maps(old: &mut Value, new: &Map<String, Value>, metadata: bool) {
    if !old.is_object() {
        *old = Value::Object(Map::new());
    }
    for (key, value) in new {
        match value.as_object() {
            _ if metadata && matches!(key.as_str(), "name" | "namespace") => {}
            Some(inner) => merge_maps(&mut old[key.as_str()], inner, false),
            None => old[key.as_str()] = value.clone(),
        }
    }
}

/// The hash of a ConfigMap's or a Secret's content (`api/hasher`).
pub(super) fn content_hash(value: &Value) -> String {
    let field = |name: &str| value.get(name).cloned();
    let data = field("data").unwrap_or_else(|| "".into());
    let mut content = json!({"kind": value["kind"], "name": "", "data": data});
    let further: &[&str] = if value["kind"] == "Secret" { &["type", "stringData"] } else { &["binaryData"] };
    for name in further {
        if let Some(value) = field(name) {
            content[*name] = value;
        }
    }
    hash::of(&content)
}
