//! The requests of the command that led here, and what the API server answered.

use steady::apiserver::{Body, Patch, Request, Response};
use steady::cluster::Outcome;
use steady::session::{MomentId, What};
use yew::prelude::*;

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
                if let Some((kind, text)) = body(&request.body) {
                    <h3>{ t.get("request-body") }{ " " }<span>{ kind }</span></h3><pre class="yaml">{ text }</pre>
                }
                if let Some(text) = answer(response) { <h3>{ t.get("response-body") }</h3><pre class="yaml">{ text }</pre> }
            </section>
        }
    };
    html! { <>
        if exchanges.is_empty() { <p class="empty">{ t.get("request-none") }</p> }
        { for exchanges.iter().map(show) }
    </> }
}

fn pretty(value: &serde_json::Value) -> String {
    steady::api::yaml::to_yaml(value)
}

fn body(b: &Body) -> Option<(&'static str, String)> {
    Some(match b {
        Body::Object(o) => ("application/json", pretty(&o.to_value())),
        Body::Patch(p) => match p {
            Patch::Json(v) => ("application/json-patch+json", pretty(v)),
            Patch::Merge(v) => ("application/merge-patch+json", pretty(v)),
            Patch::Strategic(v) => ("application/strategic-merge-patch+json", pretty(v)),
            Patch::PodStatus { status, .. } => {
                let status = serde_json::to_value(status).unwrap_or_default();
                ("application/strategic-merge-patch+json", pretty(&serde_json::json!({"status": status})))
            }
            Patch::Between { to, .. } => ("application/strategic-merge-patch+json", pretty(&to.to_value())),
            #[allow(unreachable_patterns)]
            _ => return None,
        },
        Body::Delete(d) => ("DeleteOptions", format!("{d:#?}")),
        Body::Binding { node } => ("Binding", format!("target:\n  kind: Node\n  name: {node}\n")),
        Body::Scale { replicas, .. } => ("Scale", format!("spec:\n  replicas: {replicas}\n")),
        #[allow(unreachable_patterns)]
        _ => return None,
    })
}

fn answer(r: &Response) -> Option<String> {
    match r {
        Response::Object { object, .. } => Some(pretty(&object.to_value())),
        Response::Failure(s) => Some(pretty(&s.to_value())),
        _ => None,
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
