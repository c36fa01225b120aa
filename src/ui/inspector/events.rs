//! Conditions and events of an object.

use serde_json::Value;
use steady::session::view::events_of;
use yew::prelude::*;

use super::TabProps;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::seconds;
use crate::ui::who;

/// Both lists.
#[component]
pub fn Events(props: &TabProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let (conditions, events, start) = store.with(|s| {
        let cluster = s.session().cluster();
        let object = cluster.api().cached(&props.object).map(|o| o.to_value());
        let conditions = object
            .and_then(|v| v.pointer("/status/conditions").cloned())
            .and_then(|c| c.as_array().cloned())
            .unwrap_or_default();
        let events: Vec<Value> = events_of(cluster, &props.object).iter().map(|e| e.to_value()).collect();
        let start = s.session().cluster_at(0).map_or(0, |c| c.now().as_millisecond());
        (conditions, events, start)
    });
    let text = |v: &Value, p: &str| v.pointer(p).and_then(Value::as_str).unwrap_or_default().to_owned();
    let condition = |c: &Value| {
        let status = text(c, "/status");
        let shape = if status == "True" {
            "ok"
        } else if status == "False" {
            "no"
        } else {
            "unknown"
        };
        html! {
            <li class="condition"><span class={classes!("mark", shape)} aria-hidden="true"></span>
                <b>{ text(c, "/type") }</b><span class="status">{ status }</span>
                <span class="reason">{ text(c, "/reason") }</span><p>{ text(c, "/message") }</p></li>
        }
    };
    let event = |e: &Value| {
        let from = match text(e, "/source/component") {
            s if s.is_empty() => text(e, "/reportingComponent"),
            s => s,
        };
        let count =
            e.pointer("/count").or_else(|| e.pointer("/series/count")).and_then(Value::as_i64).unwrap_or(1);
        let when = ["/lastTimestamp", "/eventTime", "/metadata/creationTimestamp"].iter().find_map(|p| {
            let at: steady::api::Timestamp = e.pointer(p)?.as_str()?.parse().ok()?;
            Some(seconds(at.as_millisecond() - start))
        });
        html! {
            <li class={classes!("event", who::class(&from), (text(e, "/type") == "Warning").then_some("warning"))}>
                <i class="dot" aria-hidden="true"></i>
                <b>{ text(e, "/reason") }</b>
                if count > 1 { <span class="count">{ format!("×{count}") }</span> }
                <span class="from">{ from }{ when.map(|w| format!(" · {w} s")) }</span>
                <p>{ text(e, "/message") }</p></li>
        }
    };
    html! { <>
        <h3>{ t.get("conditions") }</h3>
        if conditions.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ul class="facts">{ for conditions.iter().map(condition) }</ul>
        <h3>{ t.get("events") }</h3>
        if events.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ul class="facts">{ for events.iter().rev().map(event) }</ul>
    </> }
}
