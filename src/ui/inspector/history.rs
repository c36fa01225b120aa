//! Every version of an object on this branch, and who wrote it.

use steady::session::view::versions;
use yew::prelude::*;

use super::TabProps;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::who;

/// The versions, newest first.
#[component]
pub fn History(props: &TabProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let (versions, at) = store.with(|s| (versions(s.session(), &props.object), s.session().at()));
    let row = |v: &steady::session::view::Version| {
        let (store, moment) = (store.clone(), v.moment);
        let now = v.moment == at;
        let step = store.with(|s| s.place_of(v.moment));
        html! {
            <li>
                <button type="button" class={classes!("version", who::class(&v.by), now.then_some("now"))}
                    aria-current={now.then_some("step")} onclick={move |_| { store.goto(moment); }}>
                    <i class="dot" aria-hidden="true"></i>
                    <b>{ v.by.to_string() }</b>
                    <span class="step-n">{ t.with("timeline-step", &[("n", (step as f64).into())]) }</span>
                    <code>{ &v.verb }</code>
                    <span class="rv">{ format!("rv {}", v.revision) }</span>
                </button>
            </li>
        }
    };
    html! { <>
        if versions.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ol class="versions">{ for versions.iter().rev().map(row) }</ol>
    </> }
}
