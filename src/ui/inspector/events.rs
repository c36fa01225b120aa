//! Conditions and events of an object.

use steady::engine::{Answer, Ask, Condition, EventLine};
use yew::prelude::*;

use super::TabProps;
use crate::ui::hooks::{use_answer, use_texts};
use crate::ui::i18n::seconds;
use crate::ui::who;

/// Both lists.
#[component]
pub fn Events(props: &TabProps) -> Html {
    let t = use_texts();
    let answer = use_answer(Some(Ask::Events(props.object.clone())), props.version);
    let Some(Answer::Events(view)) = answer.as_deref() else { return Html::default() };
    let condition = |c: &Condition| {
        let shape = match c.status.as_str() {
            "True" => "ok",
            "False" => "no",
            _ => "unknown",
        };
        html! {
            <li class="condition"><span class={classes!("mark", shape)} aria-hidden="true"></span>
                <b>{ &c.type_ }</b><span class="status">{ &c.status }</span>
                <span class="reason">{ &c.reason }</span><p>{ &c.message }</p></li>
        }
    };
    let event = |e: &EventLine| {
        html! {
            <li class={classes!("event", who::class(&e.by), e.warning.then_some("warning"))}>
                <i class="dot" aria-hidden="true"></i>
                <b>{ &e.reason }</b>
                if e.count > 1 { <span class="count">{ format!("×{}", e.count) }</span> }
                <span class="from">{ &e.from }{ e.at.map(|at| format!(" · {} s", seconds(at))) }</span>
                <p>{ &e.message }</p></li>
        }
    };
    html! { <>
        <h3>{ t.get("conditions") }</h3>
        if view.conditions.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ul class="facts">{ for view.conditions.iter().map(condition) }</ul>
        <h3>{ t.get("events") }</h3>
        if view.events.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ul class="facts">{ for view.events.iter().rev().map(event) }</ul>
    </> }
}
