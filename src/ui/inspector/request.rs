//! The requests of the command that led here, and what the API server answered: as YAML, without what
//! the API server keeps books with, or as kubectl says it when it is asked to be verbose; and the finest
//! actions behind them.

use gloo::utils::window;
use serde_json::Value;
use steady::apimachinery::{Body, Response, wire_answer};
use steady::client::transport;
use steady::session::view::yaml_of;
use steady::session::{Exchange, MomentId};
use yew::prelude::*;

use super::yaml;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::map::Into;
use crate::ui::who;

/// Everything is said at this level.
const VERBOSITY: u8 = 9;
/// So many requests are shown; a reconcile can have thousands.
const SHOWN: usize = 40;

/// Which moment.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It.
    pub at: MomentId,
}

/// The exchanges.
#[component]
pub fn Exchanges(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let verbose = use_state(|| false);
    let exchanges: Vec<Exchange> = store.with(|s| s.session().exchanges(props.at));
    let now = store.with(|s| s.session().now());
    let show = |e: &Exchange| {
        let (request, code) = (&e.request, e.response.code());
        let head = html! { <>
            <p class="method"><b>{ request.verb.method() }</b><code>{ request.path() }</code></p>
            <p class="from"><i class="dot" aria-hidden="true"></i>{ request.user.to_string() }
                <span class={classes!("chip", if code < 400 { "ok" } else { "bad" })}>{ transport::status(code) }</span></p>
            if let Some(why) = &e.why { <p class="why">{ t.why(why) }</p> }
        </> };
        let body = if *verbose {
            let (sent, answered) = e.on_the_wire();
            let text = transport::debugging(VERBOSITY, now, &sent, &answered);
            let copy = {
                let (store, text) = (store.clone(), text.clone());
                move |_| store.copy(&text)
            };
            html! { <>
                <button type="button" class="quiet copy" onclick={copy}>{ t.get("request-copy") }</button>
                <pre class="klog">{ text }</pre>
            </> }
        } else {
            html! { <>
                if let Some((kind, text)) = body(e) {
                    <h3>{ t.get("request-body") }{ " " }<span>{ kind }</span></h3>{ yaml::plain(&text) }
                }
                if let Some(text) = answer(&e.response) { <h3>{ t.get("response-body") }</h3>{ yaml::plain(&text) } }
            </> }
        };
        html! { <section class={classes!("exchange", who::class(&request.user))}>{ head }{ body }</section> }
    };
    let choice = |v: bool, key: &str| {
        let verbose = verbose.clone();
        html! {
            <button type="button" aria-pressed={(*verbose == v).to_string()} onclick={move |_| verbose.set(v)}>{ t.get(key) }</button>
        }
    };
    html! { <>
        if exchanges.is_empty() { <p class="empty">{ t.get("request-none") }</p> }
        else {
            <div class="request-as" role="group" aria-label={t.get("request-as")}>
                { choice(false, "request-plain") }{ choice(true, "request-verbose") }</div>
        }
        { for exchanges.iter().take(SHOWN).map(show) }
        if exchanges.len() > SHOWN {
            <p class="empty">{ t.with("next-more", &[("n", ((exchanges.len() - SHOWN) as f64).into())]) }</p>
        }
        <Into at={props.at} />
    </> }
}

impl crate::ui::store::Store {
    /// Copies a text.
    pub fn copy(&self, text: &str) {
        let store = self.clone();
        let copied = window().navigator().clipboard().write_text(text);
        wasm_bindgen_futures::spawn_local(async move {
            if wasm_bindgen_futures::JsFuture::from(copied).await.is_ok() {
                store.say(store.texts().get("request-copied"), false);
            }
        });
    }
}

fn pretty(value: &Value) -> String {
    steady::api::yaml::to_yaml_unfolded(value)
}

/// What a request carries, and as which media type.
fn body(e: &Exchange) -> Option<(String, String)> {
    let (http, _) = e.on_the_wire();
    if http.body.is_empty() {
        return None;
    }
    let text = match &e.request.body {
        Body::Object(o) => yaml_of(o, false),
        _ => match serde_json::from_slice(&http.body) {
            Ok(value) => pretty(&value),
            Err(_) => String::from_utf8_lossy(&http.body).into_owned(),
        },
    };
    Some((http.content_type, text))
}

fn answer(r: &Response) -> Option<String> {
    match r {
        Response::Object { object, .. } => Some(yaml_of(object, false)),
        Response::Failure(s) => Some(pretty(&s.to_value())),
        Response::Success { .. } => {
            let text = wire_answer(steady::api::Kind::POD, r).body;
            Some(pretty(&serde_json::from_str(&text).unwrap_or_default()))
        }
        Response::List { .. } => None,
    }
}
