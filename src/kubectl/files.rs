//! Manifests: the files that `-f` names, read as kubectl reads them.

use std::rc::Rc;

use serde_json::Value;

use super::discovery;
use super::error::Error;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::{Loaded, Manifest};
use super::paths::{clean, join};
use super::refused::ManifestPlace;
use super::{Files, kustomize};
use crate::api::labels::Selector;
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};

/// The objects of the files that `-f` and `-k` name, without those that `-l` does not select. What is wrong is an error
/// among the errors; the rest is still loaded.
pub(super) fn load_all(cx: &mut Invocation<'_>, args: &Args) -> Result<Loaded> {
    let (names, directory) = (args.all("filename"), args.text("kustomize"));
    if !names.is_empty() && !directory.is_empty() {
        return fail("only one of -f or -k can be specified");
    }
    let recursive = args.on("recursive");
    if !directory.is_empty() && recursive {
        return fail("the -k flag can't be used with -f or -R");
    }
    let sources = (names.to_vec(), directory.to_owned(), recursive);
    let loaded = match cx.manifests.get(&sources) {
        Some(loaded) => loaded,
        None => {
            let loaded = read_all(cx, names, directory, recursive)?;
            cx.manifests.put(sources, &loaded);
            loaded
        }
    };
    cx.refused.extend(loaded.refused.iter().cloned());
    selected(loaded, args.text("selector"))
}

fn read_all(cx: &mut Invocation<'_>, names: &[String], directory: &str, recursive: bool) -> Result<Loaded> {
    let mut loaded = Loaded::default();
    if !directory.is_empty() {
        for (document, value) in kustomize::build(cx.files, directory)?.into_iter().enumerate() {
            let place = ManifestPlace { source: directory.to_owned(), document, item: String::new() };
            add(cx, value, &place, &mut loaded)?;
        }
    }
    for name in names {
        let sources = match cx.files.list(clean(name)) {
            Some(_) => manifests_in(cx.files, name, recursive)?,
            None => vec![name.clone()],
        };
        for source in sources {
            let text = read(cx, &source)?;
            match yaml::documents(&text, &Limits::default()) {
                Ok(documents) => {
                    for (document, d) in documents.into_iter().enumerate() {
                        let place = ManifestPlace { source: source.clone(), document, item: String::new() };
                        add(cx, d.value, &place, &mut loaded)?;
                    }
                }
                Err(e) => {
                    let why = format!("error parsing {source}: {}", e.kubectl_text());
                    loaded.errors.push(Error::Text(why));
                }
            }
        }
    }
    Ok(loaded)
}

/// The objects that a label selector selects.
fn selected(mut loaded: Loaded, selector: &str) -> Result<Loaded> {
    if selector.is_empty() {
        return Ok(loaded);
    }
    let selector = match Selector::parse(selector) {
        Ok(selector) => selector,
        Err(e) => return fail(e),
    };
    loaded.manifests.retain(|m| {
        let labels = m.value.pointer("/metadata/labels").and_then(Value::as_object);
        let pairs = labels.into_iter().flatten();
        let labels = pairs.filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))).collect();
        selector.matches(&labels)
    });
    Ok(loaded)
}

/// The manifests of a directory, and with `recursive` of those in it.
fn manifests_in(files: &dyn Files, name: &str, recursive: bool) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut directories = vec![clean(name).to_owned()];
    while let Some(directory) = directories.pop() {
        let mut inner = Vec::new();
        for entry in files.list(&directory).unwrap_or_default() {
            match entry.strip_suffix('/') {
                Some(entry) => inner.push(join(&directory, entry)),
                None if [".json", ".yaml", ".yml"].iter().any(|e| entry.ends_with(e)) => {
                    out.push(join(&directory, &entry));
                }
                None => {}
            }
        }
        if recursive {
            directories.extend(inner.into_iter().rev());
        }
    }
    if out.is_empty() {
        return fail(format!("error reading [{name}]: recognized file extensions are [.json .yaml .yml]"));
    }
    Ok(out)
}

/// The objects of the files; the first mistake ends it.
pub(super) fn load(cx: &mut Invocation<'_>, args: &Args) -> Result<Vec<Rc<Manifest>>> {
    let Loaded { manifests, errors, .. } = load_all(cx, args)?;
    match Error::aggregate(errors) {
        Some(e) => Err(Stop::Error(e)),
        None => Ok(manifests),
    }
}

/// The text of a manifest. There is no network.
fn read(cx: &Invocation<'_>, name: &str) -> Result<String> {
    if name.starts_with("http://") || name.starts_with("https://") {
        return fail(format!("unable to read URL {name}: there is no network here", name = go_quote(name)));
    }
    match cx.files.read(clean(name)) {
        Some(text) => Ok(text),
        None if name == "-" => fail("there is no standard input here: name a file"),
        None => fail(format!("the path {name} does not exist", name = go_quote(name))),
    }
}

/// The text of a file that is no manifest.
pub(super) fn text(cx: &Invocation<'_>, name: &str) -> Result<String> {
    match cx.files.read(clean(name)) {
        Some(text) => Ok(text),
        None => fail(format!("open {name}: no such file or directory")),
    }
}

fn add(cx: &mut Invocation<'_>, mut value: Value, place: &ManifestPlace, into: &mut Loaded) -> Result {
    let source = &place.source;
    let text = |v: &Value, path: &str| v.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (api_version, kind) = (text(&value, "/apiVersion"), text(&value, "/kind"));
    let missing = match &value {
        Value::Object(_) if kind.is_empty() && api_version.is_empty() => {
            Some("[apiVersion not set, kind not set]")
        }
        Value::Object(_) if kind.is_empty() => Some("kind not set"),
        Value::Object(_) if api_version.is_empty() => Some("apiVersion not set"),
        Value::Object(_) => None,
        _ => Some("invalid object to validate"),
    };
    if let Some(what) = missing {
        let message = format!(
            "error validating {source}: error validating data: {what}; if you choose to ignore these errors, turn validation off with --validate=false",
            source = go_quote(source)
        );
        into.refuse(place, message);
        return Ok(());
    }
    if kind == "List" || (kind.ends_with("List") && value.get("items").is_some_and(Value::is_array)) {
        if let Some(Value::Array(items)) = value.get_mut("items").map(Value::take) {
            for (i, item) in items.into_iter().enumerate() {
                let list = if place.item.is_empty() { String::new() } else { format!("{}.", place.item) };
                add(cx, item, &ManifestPlace { item: format!("{list}items[{i}]"), ..place.clone() }, into)?;
            }
        }
        return Ok(());
    }
    let (name, own) = (text(&value, "/metadata/name"), text(&value, "/metadata/namespace"));
    let Some(kind_found) = discovery::kind_of(cx, &api_version, &kind)? else {
        let message = format!(
            "resource mapping not found for name: {name} namespace: {own} from {source}: no matches for kind {kind} in version {api_version}\nensure CRDs are installed first",
            name = go_quote(&name),
            own = go_quote(&own),
            source = go_quote(source),
            kind = go_quote(&kind),
            api_version = go_quote(&api_version)
        );
        into.refuse(place, message);
        return Ok(());
    };
    let mut namespace = own;
    if kind_found.namespaced() {
        if namespace.is_empty() {
            namespace.clone_from(&cx.namespace);
        } else if cx.explicit_namespace && namespace != cx.namespace {
            let message = format!(
                "the namespace from the provided object {} does not match the namespace {}. You must pass '--namespace={namespace}' to perform this operation.",
                go_quote(&namespace),
                go_quote(&cx.namespace)
            );
            into.refuse(place, message);
            return Ok(());
        }
        let meta = value
            .as_object_mut()
            .map(|m| m.entry("metadata").or_insert_with(|| Value::Object(Default::default())));
        if let Some(Value::Object(meta)) = meta {
            meta.insert("namespace".into(), namespace.clone().into());
        }
    } else {
        namespace.clear();
    }
    let manifest =
        Manifest { kind: kind_found, namespace, name, value, source: source.clone(), place: place.clone() };
    into.manifests.push(Rc::new(manifest));
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use std::collections::BTreeMap;

    use super::super::{ApiClient, CommandWait, Kubectl, Poll, Waited};
    use super::*;
    use crate::api::Timestamp;
    use crate::apimachinery::{HttpRequest, HttpResponse};

    /// An API server with objects that a finalizer keeps, and a client that hands back every wait.
    struct Finalizers;

    impl ApiClient for Finalizers {
        fn http(&mut self, request: &HttpRequest) -> HttpResponse {
            let name = request.path.rsplit('/').next().unwrap_or_default();
            let body = serde_json::json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default", "uid": "u"}
            });
            HttpResponse { status: 200, body: body.to_string(), ..HttpResponse::default() }
        }
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }
        fn wait(&mut self, _: &CommandWait) -> Waited {
            Waited::Later
        }
    }

    #[test]
    fn a_manifest_is_parsed_once_however_many_documents_it_has_and_however_long_the_command_waits() {
        for n in [1, 10, 100] {
            let map = |i| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\n");
            let all: Vec<String> = (0..n).map(map).collect();
            let files = BTreeMap::from([("all.yaml".to_owned(), all.join("---\n"))]);
            let mut kubectl =
                Kubectl::new("delete -f all.yaml", Rc::new(files), Default::default(), Timestamp::UNIX_EPOCH);
            for _ in 0..4 {
                let Poll::Wait(_, output) = kubectl.drive(&mut Finalizers) else { panic!("it has ended") };
                assert_eq!(output.stdout.lines().count(), n);
                // A clone goes on from where the command waits.
                kubectl = kubectl.clone();
                kubectl.wake(Timestamp::UNIX_EPOCH);
            }
            assert_eq!(kubectl.manifests.parsed(), 1);
        }
    }
}
