//! Requests to the API server.

use serde_json::Value;
use steady::apimachinery::{HttpRequest, HttpResponse};
use steady::cluster::Cluster;

use crate::clusters;
use crate::heard::Heard;

/// How many requests of an input are sent.
const REQUESTS: usize = 5;
/// How many commands the cluster takes after a request that has written something.
const COMMANDS: usize = 3;

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let requests = match serde_json::from_slice(input) {
        Ok(Value::Array(all)) => all,
        Ok(one) => vec![one],
        // A text that is no JSON is a body that is none.
        Err(_) => return send(&mut clusters::base().cluster().clone(), &as_body(input), heard),
    };
    let mut cluster = clusters::base().cluster().clone();
    for request in requests.iter().take(REQUESTS) {
        send(&mut cluster, &read(request), heard);
    }
}

fn as_body(body: &[u8]) -> HttpRequest {
    let path = "/apis/apps/v1/namespaces/default/deployments".into();
    HttpRequest { method: "POST".into(), path, body: body.to_vec(), ..HttpRequest::default() }
}

/// A request as this crate writes it: a body that is a text is sent as that text, and any other one as JSON.
fn read(request: &Value) -> HttpRequest {
    let text = |name: &str| match request.get(name) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    HttpRequest {
        method: text("method"),
        path: text("path"),
        query: text("query"),
        content_type: text("content"),
        accept: text("accept"),
        user_agent: text("agent"),
        body: text("body").into_bytes(),
        ..HttpRequest::default()
    }
}

fn send(cluster: &mut Cluster, request: &HttpRequest, heard: &mut Heard) {
    let before = cluster.clone();
    let said = cluster.trace_http(request).map(|t| format!("{:?}", t.entered.last().map(|e| e.stage)));
    if let Some(said) = said {
        heard.say("trace", &said);
    }
    let (response, writes) = cluster.http(request);
    let HttpResponse { status, body, .. } = &response;
    let what = format!("{} {}?{}", request.method, request.path, request.query);
    assert!((100..600).contains(status), "{what}: {status}");
    response.warnings.iter().for_each(|w| heard.say("warning", w));
    if *status >= 400 {
        // A Service that is refused has had its addresses for a moment.
        assert!(clusters::cancel_out(&writes), "{what}: {status}, and it wrote {}", writes.len());

        if writes.is_empty() {
            clusters::unchanged(&before, cluster, request.body.len() + request.query.len());
        }
        refusal(&what, &response, request.body.len(), heard);
        return;
    }
    heard.say("served", &format!("{} {status} {}", request.method, response.content_type));
    let is_json = response.content_type.starts_with("application/json");
    let is_watch = request.query.contains("watch") || request.path.contains("/watch/");
    if is_json && !is_watch && *status != 101 {
        let value: Result<Value, _> = serde_json::from_str(body);
        assert!(value.is_ok(), "{what}: {status} with a body that is no JSON: {}", short(body));
        if let (Ok(value), false) = (value, writes.is_empty()) {
            written(cluster, &value, heard);
        }
    }
    if !writes.is_empty() {
        clusters::rising(&before, &writes);
        for _ in 0..COMMANDS {
            let Ok(command) = cluster.next_command(None) else { break };
            heard.say("command", &command.request.verb_string());
        }
    }
}

/// An error is a Status with a reason, or the text of a path that nobody serves.
fn refusal(what: &str, response: &HttpResponse, asked: usize, heard: &mut Heard) {
    let HttpResponse { status, body, .. } = response;
    // Each of many errors may print a whole list of the request, as those of `x-kubernetes-list-map-keys` do, once for each key.
    let most = 200_000 + 40 * asked + asked * asked / 2;
    assert!(body.len() < most, "{what}: {} bytes say why", body.len());
    if !response.content_type.starts_with("application/json") {
        return heard.say("refused", &format!("{status} {}", short(body)));
    }
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    assert_eq!(value["kind"], "Status", "{what}: {}", short(body));
    assert_eq!(value["code"], *status, "{what}: {}", short(body));
    let message = value["message"].as_str().unwrap_or_default();
    assert!(!message.is_empty(), "{what}: {status} without a message");
    heard.say("refused", &format!("{status} {} {message}", value["reason"]));
    for cause in value["details"]["causes"].as_array().into_iter().flatten() {
        heard.say("cause", &format!("{} {}", cause["reason"], cause["message"].as_str().unwrap_or_default()));
    }
}

/// What was written can be read, and writing it once more changes nothing.
fn written(cluster: &mut Cluster, answer: &Value, heard: &mut Heard) {
    let text = |path: &str| answer.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (version, kind, name) = (text("/apiVersion"), text("/kind"), text("/metadata/name"));
    // The update of a definition puts the version that is stored into its status.
    if text("/metadata/resourceVersion").is_empty() || name.is_empty() || kind == "CustomResourceDefinition" {
        return;
    }
    let Some(path) = clusters::path_of(version, kind, text("/metadata/namespace"), name) else {
        return;
    };
    let get = HttpRequest { method: "GET".into(), path: path.clone(), ..HttpRequest::default() };
    let (got, _) = cluster.http(&get);
    if got.status == 404 {
        return;
    }
    assert_eq!(got.status, 200, "{path}: {}", short(&got.body));
    let put =
        |body: &str| HttpRequest { method: "PUT".into(), body: body.as_bytes().to_vec(), ..get.clone() };
    let mut again = cluster.clone();
    let (mut answered, mut writes) = again.http(&put(&got.body));
    if answered.status == 200 && !writes.is_empty() {
        // An empty list that is read as null is null from then on.
        let body = answered.body.clone();
        (answered, writes) = again.http(&put(&body));
    }
    let same = writes.is_empty();
    heard.say("again", &format!("{} {same}", answered.status));
    assert!(
        answered.status != 200 || same,
        "{path}: writing what was read changes it:\n{}\n{}",
        got.body,
        answered.body
    );
}

fn short(text: &str) -> String {
    text.chars().take(600).collect()
}
