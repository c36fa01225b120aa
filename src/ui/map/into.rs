//! Into a step: the finest actions that it is made of.

use std::rc::Rc;

use steady::engine::{Answer, Ask, FinestLine, Input, Moment};
use yew::prelude::*;

use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::who;

/// The moment that is stepped into.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The moment.
    pub at: Moment,
    /// How many finest actions it is made of.
    pub finest: usize,
    /// The component that issued the step.
    #[prop_or_default]
    pub by: Option<Rc<str>>,
    /// Whether a step was stepped into before.
    #[prop_or_default]
    pub inside: bool,
    /// The component whose step that was.
    #[prop_or_default]
    pub inside_of: Option<Rc<str>>,
}

/// A button that steps into the moment that is looked at, or back out of one.
#[component]
pub fn StepIn(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    if props.inside {
        return html! { <>
            if let Some(who) = &props.inside_of {
                <span class="inside-of">{ t.with("into-inside", &[("who", who.to_string().into())]) }</span>
            }
            <button type="button" class="quiet step-in" title={t.get("out-about")} aria-keyshortcuts="Escape"
                onclick={move |_| store.send(Input::StepOut)}>{ t.get("out") }</button>
        </> };
    }
    if props.finest < 2 {
        return Html::default();
    }
    let who = props.by.as_deref().unwrap_or_default().to_owned();
    let about = t.with("into-about", &[("n", (props.finest as f64).into()), ("who", who.into())]);
    let at = props.at;
    html! {
        <button type="button" class="quiet step-in" title={about} aria-keyshortcuts="I"
            onclick={move |_| store.send(Input::StepInto(at, 1))}>{ t.get("into") }</button>
    }
}

/// The list, worked out when it is opened.
#[component]
pub fn Into(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let open = use_state(|| false);
    let session = store.with(|s| s.session);
    let answer = use_answer(open.then_some(Ask::Finest(props.at)), u64::from(session));
    if props.finest < 2 {
        return Html::default();
    }
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |e: Event| {
            let is = e.target_dyn_into::<web_sys::Element>().is_some_and(|d| d.has_attribute("open"));
            open.set(is);
        })
    };
    let at = props.at;
    let row = |(i, line): (usize, &FinestLine)| {
        let store = store.clone();
        html! {
            <li><button type="button" class={classes!("finest", who::class(&line.by))} onclick={move |_| store.send(Input::StepInto(at, i + 1))}>
                <span class="rv">{ i + 1 }</span><i class="dot" aria-hidden="true"></i><b>{ line.by.to_string() }</b><span>{ t.finest(&line.did) }</span></button></li>
        }
    };
    let list = match answer.as_deref() {
        Some(Answer::Finest(view)) => html! { <>
            if let Some(all) = &view.lines { <ol>{ for all.iter().enumerate().map(row) }</ol> }
            else { <p class="empty">{ t.with("into-too-many", &[("n", (view.limit as f64).into())]) }</p> }
            if view.more > 0 { <p class="empty">{ t.with("next-more", &[("n", (view.more as f64).into())]) }</p> }
        </> },
        _ => Html::default(),
    };
    html! {
        <details class="into" {ontoggle}>
            <summary>{ t.with("into-title", &[("n", (props.finest as f64).into())]) }</summary>
            <p class="muted">{ t.get("into-how") }</p>
            { list }
        </details>
    }
}
