//! Every version of an object on this branch: who wrote it, and what that changed; and why the object is as it is.

use steady::engine::{Answer, Ask, FieldChange, Input, ObjectRef, Version};
use yew::prelude::*;

use super::why::Why;
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::middle;
use crate::ui::{keys, who};

/// The id of the button that shows why an object is as it is.
pub const WHY: &str = "why-object";

/// What the tab gets.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The object.
    pub object: ObjectRef,
    /// Grows with every step.
    pub version: u64,
    /// The object of which it is shown why it is as it is.
    pub why: UseStateHandle<Option<ObjectRef>>,
}

/// The writes that led to the object as it is, if they are asked for, and the versions, newest first.
#[component]
pub fn History(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let answer = use_answer(Some(Ask::History(props.object.clone())), props.version);
    let Some(Answer::History(versions)) = answer.as_deref() else { return Html::default() };
    let at = store.with(|s| s.at);
    let row = |v: &Version| {
        let (store, moment) = (store.clone(), v.moment);
        let change = |c: &FieldChange| {
            let short = c.path.rsplit_once('.').map_or(c.path.as_str(), |(_, s)| s).to_owned();
            let value = |v: &Option<String>| middle(v.as_deref().unwrap_or("–"), 22);
            html! { <span class="change" title={c.path.clone()}>{ short }{ " " }<s>{ value(&c.old) }</s>{ " → " }<b>{ value(&c.new) }</b></span> }
        };
        let now = v.moment == at;
        html! {
            <li>
                <button type="button" class={classes!("version", who::class(&v.by), now.then_some("now"))}
                    aria-current={now.then_some("step")} onclick={move |_| store.send(Input::Goto(moment))}>
                    <i class="dot" aria-hidden="true"></i>
                    <b>{ v.by.to_string() }</b>
                    <span class="step-n">{ t.with("timeline-step", &[("n", (v.place as f64).into())]) }</span>
                    <code>{ &v.verb }</code>
                    <span class="rv">{ format!("rv {}", v.revision) }</span>
                    { for v.changes.iter().map(change) }
                    if v.more > 0 { <span class="change">{ t.with("problem-more", &[("n", (v.more as f64).into())]) }</span> }
                </button>
            </li>
        }
    };
    let open = props.why.as_ref() == Some(&props.object);
    let set = {
        let (why, object) = (props.why.setter(), props.object.clone());
        Callback::from(move |open: bool| why.set(open.then(|| object.clone())))
    };
    let onkeydown = {
        let set = set.clone();
        Callback::from(move |e: KeyboardEvent| {
            if open && e.key() == "Escape" {
                e.prevent_default();
                e.stop_propagation();
                set.emit(false);
                keys::focus(&format!("#{WHY}"));
            }
        })
    };
    html! { <>
        <div class="why-object" {onkeydown}>
            <button type="button" class="quiet fold-button" id={WHY} aria-expanded={open.to_string()} onclick={move |_| set.emit(!open)}>
                { t.get("menu-why") }</button>
            if open { <Why object={props.object.clone()} field={None} version={props.version} /> }
        </div>
        if versions.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ol class="versions">{ for versions.iter().rev().map(row) }</ol>
    </> }
}
