//! The requests of the command that led here, and what the API server answered. What the API server
//! keeps books with is left out, as in the object's own YAML.

use serde_json::{Value, json};
use steady::api::patch::create_two_way_merge_patch;
use steady::apiserver::{Body, DeleteOptions, Patch, Request, Response, Subresource};
use steady::cluster::Outcome;
use steady::session::view::yaml_of;
use steady::session::{MomentId, What};
use yew::prelude::*;

use super::yaml;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::who;

/// Which moment.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It.
    pub at: MomentId,
}

/// The exchanges.
#[component]
pub fn Exchange(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let exchanges: Vec<(Request, Response, Option<String>)> = store.with(|s| {
        let Some(m) = s.session().moment(props.at) else { return Vec::new() };
        match &m.what {
            What::Person { exchanges, .. } => {
                exchanges.iter().map(|(r, a)| ((**r).clone(), a.clone(), None)).collect()
            }
            What::Commands(commands) => commands
                .iter()
                .map(|c| ((*c.request).clone(), c.response.clone(), c.why.as_ref().map(|w| t.why(w))))
                .collect(),
            What::Machinery(m) => match &m.outcome {
                Outcome::Sent { request, response, why, .. } => {
                    vec![((**request).clone(), response.clone(), why.as_ref().map(|w| t.why(w)))]
                }
                _ => Vec::new(),
            },
            #[allow(unreachable_patterns)]
            _ => Vec::new(),
        }
    });
    let show = |(request, response, why): &(Request, Response, Option<String>)| {
        let code = response.code();
        html! {
            <section class={classes!("exchange", who::class(&request.user))}>
                <p class="method"><b>{ request.verb.method() }</b><code>{ request.path() }</code></p>
                <p class="from"><i class="dot" aria-hidden="true"></i>{ request.user.to_string() }
                    <span class={classes!("chip", if code < 400 { "ok" } else { "bad" })}>{ format!("{code} {}", phrase(code)) }</span></p>
                if let Some(why) = why { <p class="why">{ why }</p> }
                if let Some((kind, text)) = body(request) {
                    <h3>{ t.get("request-body") }{ " " }<span>{ kind }</span></h3>{ yaml::plain(&text) }
                }
                if let Some(text) = answer(response) { <h3>{ t.get("response-body") }</h3>{ yaml::plain(&text) } }
            </section>
        }
    };
    html! { <>
        if exchanges.is_empty() { <p class="empty">{ t.get("request-none") }</p> }
        { for exchanges.iter().map(show) }
    </> }
}

fn pretty(value: &Value) -> String {
    steady::api::yaml::to_yaml_unfolded(value)
}

/// What a request carries, and as which media type.
fn body(request: &Request) -> Option<(&'static str, String)> {
    let subresource = request.subresource;
    Some(match &request.body {
        Body::Object(o) => ("application/json", yaml_of(o, false)),
        Body::Patch(p) => match p {
            Patch::Json(v) => ("application/json-patch+json", pretty(v)),
            Patch::Merge(v) => ("application/merge-patch+json", pretty(v)),
            Patch::Strategic(v) => ("application/strategic-merge-patch+json", pretty(v)),
            Patch::PodStatus { status, .. } => {
                let status = steady::api::to_value(status);
                ("application/strategic-merge-patch+json", pretty(&json!({"status": status})))
            }
            Patch::Apply { config, .. } => ("application/apply-patch+yaml", pretty(config)),
            Patch::Between { from, to } => {
                // What goes over the wire is the difference; where none can be made, the whole.
                let (old, new) = (from.to_value(), to.to_value());
                let patch = create_two_way_merge_patch(to.kind(), &old, &new).unwrap_or(new);
                ("application/strategic-merge-patch+json", pretty(&patch))
            }
        },
        Body::Delete(d) => {
            let eviction = subresource == Subresource::Eviction;
            let options = delete_options(d);
            match (eviction, options) {
                (true, options) => {
                    let mut body = json!({"apiVersion": "policy/v1", "kind": "Eviction"});
                    put(&mut body, "deleteOptions", options.filter(|o| *o != json!({})));
                    ("application/json", pretty(&body))
                }
                (false, options) => ("application/json", pretty(&options?)),
            }
        }
        Body::Binding { node } => {
            let target = json!({"apiVersion": "v1", "kind": "Node", "name": &**node});
            let body = json!({"apiVersion": "v1", "kind": "Binding", "target": target});
            ("application/json", pretty(&body))
        }
        Body::Scale { replicas, .. } => {
            let spec = json!({"replicas": replicas});
            (
                "application/json",
                pretty(&json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": spec})),
            )
        }
        Body::None => return None,
    })
}

/// `metav1.DeleteOptions` as they are sent; none if nothing is asked for.
fn delete_options(d: &DeleteOptions) -> Option<Value> {
    if *d == DeleteOptions::default() {
        return None;
    }
    let mut body = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
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

fn answer(r: &Response) -> Option<String> {
    match r {
        Response::Object { object, .. } => Some(yaml_of(object, false)),
        Response::Failure(s) => Some(pretty(&s.to_value())),
        Response::Success { code, .. } => {
            Some(pretty(&json!({"apiVersion": "v1", "kind": "Status", "status": "Success", "code": code})))
        }
        Response::List { .. } => None,
    }
}

fn phrase(code: u16) -> &'static str {
    match code {
        200 => "OK",
        201 => "Created",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        410 => "Gone",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        _ => "",
    }
}
