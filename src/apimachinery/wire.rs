//! A typed request and its answer as they would travel over HTTP: components of the cluster share typed structs,
//! clients outside send and get JSON.

use serde_json::{Value, json};

use super::http::{HttpRequest, HttpResponse};
use super::json::ordered;
use super::options::DeleteOptions;
use super::patch::Patch;
use super::request::{Body, Request, Response, Subresource, Verb};
use crate::api::patch::create_two_way_merge_patch;
use crate::api::{Kind, Object, go_types};

const JSON: &str = "application/json";

/// A request as a client of the API would send it.
pub fn wire(request: &Request) -> HttpRequest {
    let (content_type, body) = match body_of(request) {
        Some((media, body)) => (media.to_owned(), body),
        None => (String::new(), String::new()),
    };
    let mut query = Vec::new();
    if request.dry_run && request.verb != Verb::Delete {
        query.push("dryRun=All".to_owned());
    }
    if let Some(manager) = &request.field_manager {
        query.push(format!("fieldManager={manager}"));
    }
    if matches!(&request.body, Body::Patch(Patch::Apply { force: true, .. })) {
        query.push("force=true".to_owned());
    }
    HttpRequest {
        method: request.verb.method().to_owned(),
        path: request.path(),
        query: query.join("&"),
        content_type,
        accept: JSON.to_owned(),
        user_agent: request.user.to_string(),
        body: body.into_bytes(),
        ..HttpRequest::default()
    }
}

/// The answer to a request as a client of the API would get it, without `managedFields`.
pub fn wire_answer(kind: Kind, response: &Response) -> HttpResponse {
    let as_json = |status: u16, body: String| HttpResponse {
        status,
        content_type: JSON.to_owned(),
        body,
        ..HttpResponse::default()
    };
    match response {
        Response::Object { object, .. } => as_json(response.code(), text_of(object) + "\n"),
        Response::List { items, revision } => {
            let items: Vec<String> = items.iter().map(item_of).collect();
            as_json(
                200,
                format!(
                    "{{\"kind\":\"{}List\",\"apiVersion\":\"{}\",\"metadata\":{{\"resourceVersion\":\"{revision}\"}},\"items\":[{}]}}\n",
                    kind.as_str(),
                    kind.api_version(),
                    items.join(",")
                ),
            )
        }
        Response::Success { code, details } => {
            let mut value =
                json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
            put(&mut value, "details", details.as_ref().map(|d| d.to_value()));
            put(&mut value, "code", (*code != 200).then(|| (*code).into()));
            as_json(*code, ordered(&value) + "\n")
        }
        Response::AccessReview(review) => as_json(response.code(), review_text(review) + "\n"),
        Response::Failure(status) => as_json(status.code, ordered(&status.to_value()) + "\n"),
    }
}

fn review_text(review: &Value) -> String {
    go_types::to_json(go_types::subject_access_review(), review, None)
}

fn text_of(object: &Object) -> String {
    go_types::to_json(go_types::of(object.kind()), &object.to_value(), None)
}

/// The text of an item of a list. It has neither `kind` nor `apiVersion`: the list has them.
fn item_of(object: &Object) -> String {
    let mut value = object.to_value();
    if let Value::Object(map) = &mut value {
        map.remove("kind");
        map.remove("apiVersion");
    }
    go_types::to_json(go_types::of(object.kind()), &value, None)
}

/// What a request carries, and as which media type.
fn body_of(request: &Request) -> Option<(&'static str, String)> {
    const STRATEGIC: &str = "application/strategic-merge-patch+json";
    Some(match &request.body {
        Body::Object(o) => (JSON, text_of(o) + "\n"),
        Body::Patch(p) => match p {
            Patch::Json(v) => ("application/json-patch+json", v.to_string()),
            Patch::Merge(v) => ("application/merge-patch+json", v.to_string()),
            Patch::Strategic(v) => (STRATEGIC, v.to_string()),
            Patch::Apply { config, .. } => ("application/apply-patch+yaml", config.to_string()),
            Patch::PodStatus { from, status } => {
                let (from, to) = Patch::between(from, status);
                (STRATEGIC, difference(&from, &to).to_string())
            }
            Patch::Between { from, to } => (STRATEGIC, difference(from, to).to_string()),
        },
        Body::Delete(options) if request.subresource == Subresource::Eviction => {
            let metadata = json!({"name": &*request.key.name, "namespace": &*request.key.namespace});
            let mut body = json!({"kind": "Eviction", "apiVersion": "policy/v1", "metadata": metadata});
            put(&mut body, "deleteOptions", delete_options(options, false));
            (JSON, ordered(&body) + "\n")
        }
        Body::Delete(options) => {
            let options = delete_options(options, request.dry_run)?;
            (JSON, go_types::to_json(go_types::delete_options(), &options, None) + "\n")
        }
        Body::Binding(binding) => {
            let mut target = json!({"name": &*binding.node});
            put(&mut target, "kind", binding.says_node.then(|| "Node".into()));
            let mut metadata = json!({"name": &*request.key.name, "namespace": &*request.key.namespace});
            for (key, text) in [("uid", &binding.uid), ("resourceVersion", &binding.resource_version)] {
                put(&mut metadata, key, (!text.is_empty()).then(|| text.as_str().into()));
            }
            for (key, map) in [("labels", &binding.labels), ("annotations", &binding.annotations)] {
                put(&mut metadata, key, (!map.is_empty()).then(|| json!(map)));
            }
            let body = json!({"kind": "Binding", "apiVersion": "v1", "metadata": metadata, "target": target});
            (JSON, ordered(&body) + "\n")
        }
        Body::Scale { replicas, resource_version } => {
            let mut metadata = json!({"name": &*request.key.name, "namespace": &*request.key.namespace});
            put(&mut metadata, "resourceVersion", resource_version.clone().map(Value::from));
            let body = json!({
                "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata,
                "spec": {"replicas": replicas},
            });
            (JSON, ordered(&body) + "\n")
        }
        Body::AccessReview(review) => (JSON, review_text(review) + "\n"),
        Body::None => return None,
    })
}

/// The strategic merge patch between two objects, or the whole new object if no patch can be made.
fn difference(from: &Object, to: &Object) -> Value {
    let (old, new) = (from.to_value(), to.to_value());
    create_two_way_merge_patch(to.kind(), &old, &new).unwrap_or(new)
}

/// The JSON of `metav1.DeleteOptions`; `None` if no option is set.
fn delete_options(d: &DeleteOptions, dry_run: bool) -> Option<Value> {
    if *d == DeleteOptions::default() && !dry_run {
        return None;
    }
    let mut body = json!({"kind": "DeleteOptions", "apiVersion": "v1"});
    put(&mut body, "gracePeriodSeconds", d.grace_period_seconds.map(Value::from));
    put(&mut body, "propagationPolicy", d.propagation_policy.map(|p| p.as_str().into()));
    let mut preconditions = json!({});
    put(&mut preconditions, "uid", d.uid.clone().map(Value::from));
    put(&mut preconditions, "resourceVersion", d.resource_version.clone().map(Value::from));
    put(&mut body, "preconditions", Some(preconditions).filter(|p| *p != json!({})));
    put(&mut body, "dryRun", dry_run.then(|| json!(["All"])));
    Some(body)
}

fn put(into: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (into.as_object_mut(), value) {
        map.insert(key.to_owned(), value);
    }
}
