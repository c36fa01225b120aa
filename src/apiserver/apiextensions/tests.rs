//! The recorded requests about custom kinds, answered by the functions of this room: a store of one
//! definition and its objects stands in for the API server.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::*;
use crate::api::patch::{json_merge_patch, json_patch};
use crate::api::{Timestamp, yaml};
use crate::apiserver::validation::{Errors, aggregate};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn recorded(group: &str) -> Vec<Value> {
    let path = format!("{}/tests/conformance/api/{group}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    // A time that was replaced is any time.
    text.lines()
        .map(|line| serde_json::from_str(&line.replace("<time>", "2026-01-01T00:00:00Z")).unwrap())
        .collect()
}

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// An answer: its code, its text or its object, and its warnings.
struct Answer {
    code: u64,
    message: String,
    causes: Vec<(String, String, String)>,
    object: Value,
    warnings: Vec<String>,
}

impl Answer {
    fn ok(code: u64, object: Value, warnings: Vec<String>) -> Answer {
        Answer { code, message: String::new(), causes: Vec::new(), object, warnings }
    }

    fn error(code: u64, message: impl Into<String>) -> Answer {
        Answer { message: message.into(), ..Answer::ok(code, Value::Null, Vec::new()) }
    }

    fn invalid(what: &str, name: &str, errs: &Errors) -> Answer {
        let causes = errs.iter().map(|e| (e.field.clone(), e.kind.reason().to_owned(), e.body()));
        let message = format!("{what} {name:?} is invalid: {}", aggregate(errs));
        Answer { causes: causes.collect(), ..Answer::error(422, message) }
    }
}

#[derive(Default)]
struct Server {
    crds: BTreeMap<String, CustomResourceDefinition>,
    objects: BTreeMap<String, Value>,
}

impl Server {
    fn served(&self, crd: CustomResourceDefinition) -> CustomResourceDefinition {
        let mut crd = crd;
        crd.status = names::sync(&crd, self.crds.values(), now()).or(crd.status.take());
        crd.status = names::establish(&crd, now()).or(crd.status.take());
        crd
    }

    fn kind(&self, request: &Value) -> (CustomKind, String) {
        let path = request["path"].as_str().unwrap();
        let parts: Vec<&str> = path.split('/').collect();
        let crd = &self.crds[&format!("{}.{}", parts[6], parts[2])];
        (CustomKind::new(crd, parts[3]).unwrap(), crd.spec.names.kind.clone())
    }

    fn answer(&mut self, request: &Value) -> Answer {
        let path = request["path"].as_str().unwrap();
        let rest = path.strip_prefix(CRDS);
        match (request["method"].as_str().unwrap(), rest) {
            ("POST", Some("")) => self.create_crd(request),
            ("PATCH", Some(rest)) => self.patch_crd(request, &rest[1..]),
            ("GET", Some(rest)) => Answer::ok(200, api::to_value(&self.crds[&rest[1..]]), Vec::new()),
            ("POST", None) => self.create(request),
            ("GET", None) => self.get(request),
            _ => self.change(request),
        }
    }

    fn create_crd(&mut self, request: &Value) -> Answer {
        let mut crd: CustomResourceDefinition = serde_json::from_value(request["body"].clone()).unwrap();
        let name = crd.metadata.name.clone().unwrap();
        defaults::set_defaults(&mut crd);
        strategy::prepare_for_create(&mut crd);
        let errs = validation::validate_create(&crd);
        if !errs.is_empty() {
            return Answer::invalid("CustomResourceDefinition.apiextensions.k8s.io", &name, &errs);
        }
        let warnings = strategy::warnings_on_create(&crd);
        let answer = Answer::ok(201, api::to_value(&crd), warnings);
        if request["query"] != "dryRun=All" {
            let crd = self.served(crd);
            self.crds.insert(name, crd);
        }
        answer
    }

    fn patch_crd(&mut self, request: &Value, name: &str) -> Answer {
        let (name, status) = name.strip_suffix("/status").map_or((name, false), |n| (n, true));
        let mut old = self.crds[name].clone();
        old.metadata.resource_version = Some("1".to_owned());
        let patched = patched(request, api::to_value(&old));
        let mut new: CustomResourceDefinition = serde_json::from_value(patched).unwrap();
        defaults::set_defaults(&mut new);
        let errs = if status {
            strategy::prepare_for_status_update(&mut new, &old);
            validation::validate_status_update(&new, &old)
        } else {
            strategy::prepare_for_update(&mut new, &old);
            validation::validate_update(&new, &old)
        };
        if !errs.is_empty() {
            return Answer::invalid("CustomResourceDefinition.apiextensions.k8s.io", name, &errs);
        }
        let warnings = strategy::warnings_on_update(&new, &old);
        let answer = Answer::ok(200, api::to_value(&new), warnings);
        let new = self.served(new);
        self.crds.insert(name.to_owned(), new);
        answer
    }

    fn create(&mut self, request: &Value) -> Answer {
        let (kind, word) = self.kind(request);
        let mut object = body(request);
        let unknown = match kind.coerce(&mut object, Decode::Request) {
            Ok(unknown) => unknown,
            Err(error) => {
                let message = format!("{word} in version \"v1\" cannot be handled as a {word}: {error}");
                return Answer::error(400, message);
            }
        };
        let warnings: Vec<String> = unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
        let query = request["query"].as_str().unwrap();
        if query == "fieldValidation=Strict" && !warnings.is_empty() {
            let errors = warnings.join(", ");
            let message = format!(
                "{word} in version \"v1\" cannot be handled as a {word}: strict decoding error: {errors}"
            );
            return Answer::error(400, message);
        }
        kind.default(&mut object);
        kind.prepare_for_create(&mut object);
        let name = object["metadata"]["name"].as_str().unwrap_or("gen-x").to_owned();
        object["metadata"]["name"] = name.clone().into();
        object["metadata"]["namespace"] = "default".into();
        let what = format!("{}.stable.example.com", object["kind"].as_str().unwrap());
        let validated = kind.validate_create(&object);
        if !validated.errors.is_empty() {
            return Answer::invalid(&what, &name, &validated.errors);
        }
        if query != "dryRun=All" {
            object["metadata"]["resourceVersion"] = "1".into();
            object = self.store(&kind, &name, object);
        }
        let warnings = if query == "fieldValidation=Ignore" { Vec::new() } else { warnings };
        Answer::ok(201, object, warnings)
    }

    fn crd(&self) -> &CustomResourceDefinition {
        self.crds.values().next().unwrap()
    }

    /// The object as it comes out of the store.
    fn stored(&self, kind: &CustomKind, name: &str) -> Value {
        let mut object = self.objects[name].clone();
        let version = object["apiVersion"].as_str().unwrap().rsplit('/').next().unwrap();
        let stored = CustomKind::new(self.crd(), version).unwrap();
        stored.coerce(&mut object, Decode::Stored).unwrap();
        stored.default(&mut object);
        kind.convert(&mut object).unwrap();
        object
    }

    /// Stores an object, and gives what is answered.
    fn store(&mut self, kind: &CustomKind, name: &str, mut object: Value) -> Value {
        let version = &self.crd().spec.versions.iter().find(|v| v.storage).unwrap().name;
        CustomKind::new(self.crd(), version).unwrap().convert(&mut object).unwrap();
        self.objects.insert(name.to_owned(), object);
        self.stored(kind, name)
    }

    fn get(&mut self, request: &Value) -> Answer {
        let (kind, _) = self.kind(request);
        let path = request["path"].as_str().unwrap();
        let parts: Vec<&str> = path.split('/').collect();
        let object = self.stored(&kind, parts[7]);
        if parts.get(8) == Some(&"scale") {
            let paths = kind.scale().unwrap();
            let scale = super::scale::read(paths, &object).unwrap();
            if scale.replicas.is_none() {
                let message = super::scale::no_replicas(paths);
                return Answer::error(500, format!("Internal error occurred: {message}"));
            }
            return Answer::ok(200, super::scale::to_value(&scale, &object["metadata"]), Vec::new());
        }
        Answer::ok(200, object, Vec::new())
    }

    fn change(&mut self, request: &Value) -> Answer {
        let (kind, word) = self.kind(request);
        let path = request["path"].as_str().unwrap();
        let parts: Vec<&str> = path.split('/').collect();
        let (name, subresource) = (parts[7], parts.get(8).copied().unwrap_or_default());
        let old = self.stored(&kind, name);
        let paths = kind.scale().cloned();
        let mut new = old.clone();
        let mut unknown = Vec::new();
        if subresource == "scale" {
            let mut scale = super::scale::read(paths.as_ref().unwrap(), &old).unwrap();
            scale.replicas.get_or_insert(super::scale::NO_REPLICAS);
            let wanted = match request["method"].as_str() {
                Some("PUT") => body(request),
                _ => patched(request, super::scale::to_value(&scale, &old["metadata"])),
            };
            let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or_default();
            super::scale::write(paths.as_ref().unwrap(), &mut new, replicas).unwrap();
        } else {
            new = match request["method"].as_str() {
                Some("PUT") => body(request),
                _ => patched(request, old.clone()),
            };
            unknown = kind.coerce(&mut new, Decode::Request).unwrap();
            kind.default(&mut new);
        }
        let validated = if subresource == "status" {
            kind.prepare_for_status_update(&mut new, &old);
            kind.validate_status_update(&new, &old)
        } else {
            kind.prepare_for_update(&mut new, &old);
            kind.validate_update(&new, &old)
        };
        if !validated.errors.is_empty() {
            return Answer::invalid(&format!("{word}.stable.example.com"), name, &validated.errors);
        }
        new = self.store(&kind, name, new);
        let mut warnings: Vec<String> =
            unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
        warnings.extend(validated.warnings);
        if subresource == "scale" {
            let scale = super::scale::read(paths.as_ref().unwrap(), &new).unwrap();
            new = super::scale::to_value(&scale, &new["metadata"]);
        }
        Answer::ok(200, new, warnings)
    }
}

use crate::api;

fn body(request: &Value) -> Value {
    match &request["body"] {
        Value::String(text) => {
            let documents = yaml::documents(text, &yaml::Limits::default()).unwrap();
            documents[0].value.clone()
        }
        value => value.clone(),
    }
}

fn patched(request: &Value, object: Value) -> Value {
    let body = body(request);
    match request["contentType"].as_str().unwrap() {
        "application/merge-patch+json" => json_merge_patch(object, &body),
        "application/json-patch+json" => json_patch(object, &body).unwrap(),
        other => panic!("{other}"),
    }
}

/// What counts of an object: everything but what the server writes into metadata.
fn essence(object: &Value) -> Value {
    let mut out: Map<String, Value> = object.as_object().cloned().unwrap_or_default();
    let metadata = out.remove("metadata").unwrap_or_default();
    for name in ["name", "labels", "annotations", "generation", "finalizers"] {
        out.insert(format!("metadata.{name}"), metadata.get(name).cloned().unwrap_or_default());
    }
    Value::Object(out)
}

/// Answers the requests of a group; all but those in `others`, which are about the server itself, have to be
/// answered as they were.
fn replay(group: &str, others: &[u64]) {
    let mut server = Server::default();
    let mut wrong = Vec::new();
    for request in recorded(group) {
        let n = request["n"].as_u64().unwrap();
        if others.contains(&n) {
            continue;
        }
        let answer = server.answer(&request);
        let response = &request["response"];
        let warned: Vec<String> = (request["warnings"].as_array().into_iter().flatten())
            .filter_map(|w| {
                w.as_str()?.strip_prefix("299 - ")?.parse::<Value>().ok()?.as_str().map(str::to_owned)
            })
            .collect();
        let code = request["status"].as_u64().unwrap();
        if answer.code != code {
            let said = response["message"].as_str().unwrap_or_default();
            wrong.push(format!("{n}: {} {:?} instead of {code} {said}", answer.code, answer.message));
            continue;
        }
        if code < 300 {
            let is_definition = response["kind"] == "CustomResourceDefinition";
            let (mut found, mut wanted) = (essence(&answer.object), essence(response));
            if is_definition {
                // The status is written a moment later.
                for side in [&mut found, &mut wanted] {
                    side.as_object_mut().unwrap().retain(|k, _| k == "spec" || k == "metadata.generation");
                }
            }
            if found != wanted {
                wrong.push(format!("{n}: {found}\n   instead of {wanted}"));
            }
            // What the decoder says of a definition is not this room's.
            let warned: Vec<String> = warned
                .into_iter()
                .filter(|w| !w.contains("is deprecated"))
                .filter(|w| !is_definition || !w.starts_with("unknown field"))
                .collect();
            if answer.warnings != warned {
                wrong.push(format!("{n}: warns {:?} instead of {warned:?}", answer.warnings));
            }
            continue;
        }
        let mut causes = answer.causes;
        let mut wanted: Vec<_> = (response["details"]["causes"].as_array().into_iter().flatten())
            .map(|c| {
                let text = |name: &str| c[name].as_str().unwrap_or_default().to_owned();
                (text("field"), text("reason"), text("message"))
            })
            .collect();
        // Several errors come in any order.
        causes.sort();
        wanted.sort();
        if code == 422 && causes != wanted {
            wrong.push(format!("{n}: {causes:#?}\n   instead of {wanted:#?}"));
        } else if causes.len() < 2 && answer.message != response["message"] {
            wrong.push(format!("{n}: {}\n   instead of {}", answer.message, response["message"]));
        }
    }
    assert!(wrong.is_empty(), "{group}: {} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn values_are_validated_as_recorded() {
    // Server-side apply; a body that is no JSON.
    replay("22-cr-validation", &[73, 77]);
}

#[test]
fn objects_are_pruned_and_defaulted_as_recorded() {
    // Keys given twice; patches whose result is quoted; server-side apply; a conflict.
    replay("23-cr-pruning-defaulting", &[18, 19, 20, 21, 22, 23, 24]);
}

#[test]
fn status_and_scale_are_as_recorded() {
    // Conflicts, wrong types of a scale, server-side apply, wrong methods, tables, discovery, deletion.
    replay("24-cr-status-scale", &[13, 18, 20, 22, 23, 24, 25, 30, 31, 32, 33, 34, 35]);
}

#[test]
fn rules_are_evaluated_as_recorded() {
    // Server-side apply, a conflict.
    replay("25-cr-cel", &[23, 24, 25]);
}

#[test]
fn definitions_are_validated_as_recorded() {
    // 17: that an empty list of versions was written is not known any more.
    replay("28-crd-validation", &[17]);
}

#[test]
fn versions_are_kept_as_recorded() {
    // Discovery, versions that are not served or not there, field selectors, lists.
    let others = [3, 4, 12, 13, 14, 15, 16, 17, 18, 25, 26, 27, 28, 29];
    replay("27-crd-versions", &others);
}

#[test]
fn names_are_accepted_as_recorded() {
    let lines = recorded("21-crd-lifecycle");
    let line = |n: u64| lines.iter().find(|l| l["n"] == n).unwrap();
    let mut server = Server::default();
    for (created, read) in [(2, 3), (37, 38), (39, 40)] {
        server.answer(line(created));
        let name = line(read)["response"]["metadata"]["name"].as_str().unwrap();
        let status = |object: &Value| {
            let mut status = object["status"].clone();
            // Go has no absent lists, and leaves empty names out or not.
            if let Some(names) = status["acceptedNames"].as_object_mut() {
                names.retain(|_, v| *v != "" && *v != json!([]));
            }
            status
        };
        assert_eq!(status(&api::to_value(&server.crds[name])), status(&line(read)["response"]));
    }
    for (n, wanted) in [(41, 422), (42, 422), (43, 422), (44, 200), (45, 200)] {
        let answer = server.answer(line(n));
        assert_eq!(answer.code, wanted);
        assert_eq!(answer.message, line(n)["response"]["message"].as_str().unwrap_or_default());
    }
    let mut marked = server.crds["widgets.stable.example.com"].clone();
    strategy::mark_for_deletion(&mut marked, now());
    let wanted = &line(50)["response"];
    assert_eq!(api::to_value(&marked)["status"]["conditions"], wanted["status"]["conditions"]);
    assert_eq!(json!(marked.metadata.finalizers), wanted["metadata"]["finalizers"]);
}

#[test]
fn tables_are_as_recorded() {
    let lines = recorded("24-cr-status-scale");
    let crd = serde_json::from_value(lines[0]["body"].clone()).unwrap();
    let kind = CustomKind::new(&crd, "v1").unwrap();
    let table = &lines.iter().find(|l| l["n"] == 30).unwrap()["response"];
    for (column, wanted) in kind.columns().iter().zip(table["columnDefinitions"].as_array().unwrap()) {
        assert_eq!(
            (&*column.name, &*column.type_),
            (wanted["name"].as_str().unwrap(), wanted["type"].as_str().unwrap())
        );
        assert_eq!(json!(column.priority), wanted["priority"]);
        if let Some(description) = &column.description {
            assert_eq!(*description, wanted["description"]);
        }
    }
    let object = json!({"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"replicas": 0, "color": "red"}, "status": {"phase": "Again"}});
    let mut wanted = table["rows"][0]["cells"].clone();
    wanted[4] = "0s".into();
    assert_eq!(json!(kind.cells(&object, now())), wanted);
}
