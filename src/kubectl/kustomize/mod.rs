//! `kubectl kustomize` and `-k`: objects made of files, as a kustomization says (`sigs.k8s.io/kustomize`).
//!
//! A kustomization is built bottom up: the resources that it names (files, and directories with kustomizations of their
//! own), then components, generators and transformers, in Kustomize's order. At the end generated ConfigMaps and Secrets
//! get the hash of their content as a suffix, and references to renamed objects are renamed, too.

mod file;
mod generate;
mod images;
mod labels;
mod names;
mod patches;
mod references;

use serde_json::Value;

use super::Files;
use super::error::Error;
use super::flags::{Args, Flag, boolean, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::paths::{clean, join};
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, order};
use file::Kustomization;

/// Flags about plug-ins, Helm and remote bases are read and have nothing to act on.
pub(super) const FLAGS: &[Flag] = &[
    text("output").short('o'),
    text("reorder"),
    text("load-restrictor").or("LoadRestrictionsRootOnly"),
    boolean("enable-alpha-plugins"),
    boolean("enable-helm"),
];
/// How deep kustomizations may name each other.
const DEPTH_LIMIT: usize = 20;
/// Kinds in the order in which they are printed; other kinds come after them.
const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
/// Kinds that are printed after all others.
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// What is wrong with a kustomization.
type Built<T = ()> = std::result::Result<T, String>;

/// An object on its way.
#[derive(Clone, Debug)]
struct Resource {
    value: Value,
    /// The names that it had before it was renamed, the first one first.
    names: Vec<String>,
    /// Whether its name gets the hash of its content.
    hashed: bool,
}

impl Resource {
    fn new(value: Value) -> Resource {
        Resource { value, names: Vec::new(), hashed: false }
    }

    fn text(&self, path: &str) -> &str {
        self.value.pointer(path).and_then(Value::as_str).unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    fn namespace(&self) -> &str {
        self.text("/metadata/namespace")
    }

    fn kind(&self) -> &str {
        self.text("/kind")
    }

    fn api_version(&self) -> &str {
        self.text("/apiVersion")
    }

    /// The built-in kind.
    fn built_in(&self) -> Option<Kind> {
        Kind::of(self.api_version(), self.kind())
    }

    /// Whether the object lives in a namespace; so do those of kinds that are not known.
    fn namespaced(&self) -> bool {
        self.built_in().is_none_or(Kind::namespaced)
    }

    /// Whether the object has a name, or had it.
    fn was_named(&self, name: &str) -> bool {
        self.name() == name || self.names.iter().any(|n| n == name)
    }

    fn rename(&mut self, name: String) {
        let before = self.name().to_owned();
        if before != name {
            self.names.push(before);
            self.value["metadata"]["name"] = name.into();
        }
    }

    /// `Deployment.v1.apps/web.default`, as Kustomize names an object.
    fn id(&self) -> String {
        let (group, version) = self.api_version().rsplit_once('/').unwrap_or(("", self.api_version()));
        let or = |text: &str, none: &str| if text.is_empty() { none.to_owned() } else { text.to_owned() };
        let (group, namespace) = (or(group, "[noGrp]"), or(self.namespace(), "[noNs]"));
        format!("{}.{version}.{group}/{}.{namespace}", self.kind(), self.name())
    }
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let directory = match args.words.as_slice() {
        [] => ".",
        [one] => one,
        _ => return fail("specify one path to kustomization.yaml"),
    };
    let reorder = args.flag("reorder").unwrap_or("legacy");
    if !matches!(reorder, "legacy" | "none") {
        return fail(format!("illegal flag value --reorder {reorder}; legal values: [legacy none]"));
    }
    if !args.text("output").is_empty() {
        return fail("there is no file to write to here: kustomize without -o prints");
    }
    let texts: Vec<String> =
        objects(cx.files, directory, reorder == "legacy")?.iter().map(yaml::to_yaml).collect();
    cx.out.push_str(&texts.join("---\n"));
    Ok(())
}

/// The objects of the kustomization in a directory.
///
/// # Errors
/// What is wrong with it.
pub(super) fn build(files: &dyn Files, directory: &str) -> Result<Vec<Value>> {
    objects(files, directory, true)
}

fn objects(files: &dyn Files, directory: &str, legacy: bool) -> Result<Vec<Value>> {
    let built = || -> Built<Vec<Value>> {
        let path = clean(directory);
        let file = find(files, path, directory)?;
        let fifo = file.sort_options.as_ref().is_some_and(|s| s.order == "fifo");
        let mut all = accumulate(files, path, &file, Vec::new(), &mut vec![path.to_owned()])?;
        for resource in all.iter_mut().filter(|r| r.hashed) {
            let hash = generate::content_hash(&resource.value);
            resource.rename(format!("{}-{hash}", resource.name()));
        }
        references::update(&mut all);
        if legacy && !fifo {
            order::sort_by_key(&mut all, |r| {
                let id = (r.api_version().to_owned(), r.namespace().to_owned(), r.name().to_owned());
                (rank(r.kind()), r.kind().to_owned(), id)
            });
        }
        Ok(all.into_iter().map(|r| r.value).collect())
    };
    built().map_err(|why| Stop::Error(Error::Text(why)))
}

fn rank(kind: &str) -> usize {
    match FIRST.iter().position(|k| *k == kind) {
        Some(at) => at,
        None if LAST.contains(&kind) => FIRST.len() + 1,
        None => FIRST.len(),
    }
}

const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The kustomization of a directory. `named` is how a person wrote it.
fn find(files: &dyn Files, directory: &str, named: &str) -> Built<Kustomization> {
    let mut found: Vec<String> = NAMES.iter().filter_map(|n| files.read(&join(directory, n))).collect();
    match found.len() {
        0 if files.list(directory).is_none() => Err(no_directory(directory, named)),
        0 => Err(format!(
            "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/{directory}'"
        )),
        1 => file::parse(&found.remove(0)),
        _ => Err(format!("Found multiple kustomization files under: /{directory}")),
    }
}

fn no_directory(directory: &str, named: &str) -> String {
    format!(
        "must build at directory: not a valid directory: evalsymlink failure on '{named}' : lstat /{directory}: no such file or directory"
    )
}

/// A path that a file in `directory` names.
fn path(directory: &str, name: &str) -> Built<String> {
    let whole = join(directory, name);
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(|| format!("'{name}' is not in or below the directory"))?;
            }
            part => parts.push(part),
        }
    }
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// What a kustomization makes of its own resources and, if it is a component, of those of the kustomization that uses it.
fn accumulate(
    files: &dyn Files,
    directory: &str,
    file: &Kustomization,
    mut all: Vec<Resource>,
    around: &mut Vec<String>,
) -> Built<Vec<Resource>> {
    if around.len() > DEPTH_LIMIT {
        return Err("kustomizations name each other too deep".into());
    }
    for name in file.resources.iter().chain(&file.bases) {
        if name.contains("://") || name.starts_with("github.com/") {
            return Err(format!("accumulating resources from '{name}': there is no network here"));
        }
        let at = path(directory, name)?;
        let new = match files.read(&at) {
            Some(text) => documents(&text, name)?,
            None => accumulate_directory(files, &at, name, Vec::new(), around)?,
        };
        for resource in new {
            add(&mut all, resource)?;
        }
    }
    for name in &file.components {
        let at = path(directory, name)?;
        all = accumulate_directory(files, &at, name, all, around)?;
    }
    generate::run(files, directory, file, &mut all)?;
    patches::run(files, directory, file, &mut all)?;
    names::namespace(&file.namespace, &mut all);
    names::affixes(&file.name_prefix, &file.name_suffix, &mut all);
    labels::labels(file, &mut all)?;
    labels::annotations(&file.common_annotations, &mut all);
    patches::run_json(files, directory, file, &mut all)?;
    images::replicas(&file.replicas, &mut all)?;
    images::images(&file.images, &mut all);
    Ok(all)
}

fn accumulate_directory(
    files: &dyn Files,
    at: &str,
    name: &str,
    all: Vec<Resource>,
    around: &mut Vec<String>,
) -> Built<Vec<Resource>> {
    if around.iter().any(|a| a == at) {
        let chain = around.join(" -> ");
        return Err(format!("cycle detected: candidate root '/{at}' contains visited root: {chain}"));
    }
    let file = find(files, at, &format!("/{at}")).map_err(|why| {
        format!(
            "accumulating resources: accumulation err='accumulating resources from '{name}': open /{at}: no such file or directory': {why}"
        )
    })?;
    around.push(at.to_owned());
    let built = accumulate(files, at, &file, all, around);
    around.pop();
    built
}

fn add(all: &mut Vec<Resource>, resource: Resource) -> Built {
    if all.iter().any(|r| r.id() == resource.id()) {
        return Err(format!("may not add resource with an already registered id: {}", resource.id()));
    }
    all.push(resource);
    Ok(())
}

/// The objects of a file; those of a `List` by themselves.
fn documents(text: &str, name: &str) -> Built<Vec<Resource>> {
    let documents = yaml::documents(text, &Limits::default())
        .map_err(|e| format!("accumulating resources from '{name}': MalformedYAMLError: {}", e.message))?;
    let mut values: Vec<Value> = documents.into_iter().map(|d| d.value).collect();
    let mut out = Vec::new();
    values.reverse();
    while let Some(mut value) = values.pop() {
        let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        if kind.ends_with("List")
            && let Some(Value::Array(items)) = value.get_mut("items").map(Value::take)
        {
            values.extend(items.into_iter().rev());
            continue;
        }
        let resource = Resource::new(value);
        if kind.is_empty() {
            return Err(format!("accumulating resources from '{name}': missing Resource metadata: kind"));
        }
        if resource.name().is_empty() {
            return Err(format!(
                "accumulating resources from '{name}': missing metadata.name in object {kind}"
            ));
        }
        out.push(resource);
    }
    Ok(out)
}

/// Calls `change` with every value at a path; lists on the way are gone through.
fn each(value: &mut Value, path: &[&str], change: &mut dyn FnMut(&mut Value)) {
    if let Value::Array(items) = value {
        items.iter_mut().for_each(|item| each(item, path, change));
        return;
    }
    match path.split_first() {
        None => change(value),
        Some((key, rest)) => {
            if let Some(inner) = value.get_mut(key) {
                each(inner, rest, change);
            }
        }
    }
}

#[cfg(test)]
mod tests;
