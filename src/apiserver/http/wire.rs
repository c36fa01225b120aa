//! A typed request and its answer as they would travel: what a component inside says with shared
//! structs, a client outside says with JSON.

use serde_json::{Value, json};

use super::{HttpRequest, HttpResponse, answer};
use crate::api::patch::create_two_way_merge_patch;
use crate::api::{Kind, Object, go_types};
use crate::apiserver::{Body, DeleteOptions, Patch, Request, Response, Subresource};

const JSON: &str = "application/json";

/// A request as a client of the API would send it.
pub fn wire(request: &Request) -> HttpRequest {
    let (content_type, body) = match body_of(request) {
        Some((media, body)) => (media.to_owned(), body),
        None => (String::new(), String::new()),
    };
    let mut query = Vec::new();
    if request.dry_run {
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
            as_json(*code, answer::ordered(&value) + "\n")
        }
        Response::Failure(status) => answer::failure(status),
    }
}

fn text_of(object: &Object) -> String {
    go_types::to_json(go_types::of(object.kind()), &object.to_value(), None)
}

/// An item of a list: the list says what it is.
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
            put(&mut body, "deleteOptions", delete_options(options));
            (JSON, answer::ordered(&body) + "\n")
        }
        Body::Delete(options) => (JSON, answer::ordered(&delete_options(options)?) + "\n"),
        Body::Binding { node } => {
            let target = json!({"kind": "Node", "name": &**node});
            let metadata = json!({"name": &*request.key.name, "namespace": &*request.key.namespace});
            let body = json!({"kind": "Binding", "apiVersion": "v1", "metadata": metadata, "target": target});
            (JSON, answer::ordered(&body) + "\n")
        }
        Body::Scale { replicas, resource_version } => {
            let mut metadata = json!({"name": &*request.key.name, "namespace": &*request.key.namespace});
            put(&mut metadata, "resourceVersion", resource_version.clone().map(Value::from));
            let body = json!({
                "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata,
                "spec": {"replicas": replicas},
            });
            (JSON, answer::ordered(&body) + "\n")
        }
        Body::None => return None,
    })
}

/// What goes over the wire is the difference; where none can be made, the whole.
fn difference(from: &Object, to: &Object) -> Value {
    let (old, new) = (from.to_value(), to.to_value());
    create_two_way_merge_patch(to.kind(), &old, &new).unwrap_or(new)
}

/// `metav1.DeleteOptions` as they are sent; none if nothing is asked for.
fn delete_options(d: &DeleteOptions) -> Option<Value> {
    if *d == DeleteOptions::default() {
        return None;
    }
    let mut body = json!({"kind": "DeleteOptions", "apiVersion": "v1"});
    put(&mut body, "gracePeriodSeconds", d.grace_period_seconds.map(Value::from));
    put(&mut body, "propagationPolicy", d.propagation_policy.map(|p| p.as_str().into()));
    let mut preconditions = json!({});
    put(&mut preconditions, "uid", d.uid.clone().map(Value::from));
    put(&mut preconditions, "resourceVersion", d.resource_version.clone().map(Value::from));
    put(&mut body, "preconditions", Some(preconditions).filter(|p| *p != json!({})));
    Some(body)
}

fn put(into: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (into.as_object_mut(), value) {
        map.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apiserver::http::http;
    use crate::cluster::Outcome;
    use crate::session::{Depth, Session, Start, What, scenario};

    /// What components send, sent as JSON, comes out the same.
    #[test]
    fn a_request_over_the_wire_is_the_same_request() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest);
        let mut compared = 0;
        for _ in 0..400 {
            let before = s.cluster().clone();
            if !s.step(Depth::Machinery, None) {
                break;
            }
            let What::Machinery(t) = &s.current().what else { continue };
            let Outcome::Sent { request, response, .. } = &t.outcome else { continue };
            let mut api = before.api().clone();
            api.set_now(before.now());
            let answer = http(&mut api, &wire(request));
            assert_eq!(answer.status, response.code(), "{} {}", request.verb.method(), request.path());
            if let Response::Object { object, .. } = response {
                let stored = api.etcd().get(&object.reference()).map(|r| r.object.to_value());
                let live = s.cluster().api().etcd().get(&object.reference()).map(|r| r.object.to_value());
                assert_eq!(stored, live, "{}", request.path());
                let told: Value = serde_json::from_str(&wire_answer(request.kind, response).body).unwrap();
                assert_eq!(told["metadata"]["name"], object.name());
                compared += 1;
            }
        }
        assert!(compared > 10, "{compared}");
    }
}
