//! Why an object, or a line of its YAML, is as it is: the writes that led to it, back to what a person did.

use steady::engine::{Answer, Ask, FieldChange, Input, ObjectRef, WhyLink};
use yew::prelude::*;

use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::{middle, sentence};
use crate::ui::who;

/// What is asked.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The object.
    pub object: ObjectRef,
    /// The field, and whether the fields that are only kept for bookkeeping are shown; the object's last write with `None`.
    pub field: Option<(u32, bool)>,
    /// Grows with every step.
    pub version: u64,
}

/// The chain, the last write first.
#[component]
pub fn Why(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let answer = use_answer(Some(Ask::Why(props.object.clone(), props.field)), props.version);
    let Some(Answer::Why(why)) = answer.as_deref() else { return Html::default() };
    let at = store.with(|s| s.at);
    let change = |c: &FieldChange| {
        let short = c.path.rsplit_once('.').map_or(c.path.as_str(), |(_, s)| s).to_owned();
        let value = |v: &Option<String>| middle(v.as_deref().unwrap_or("–"), 22);
        html! { <span class="change" title={c.path.clone()}>{ short }{ " " }<s>{ value(&c.old) }</s>{ " → " }<b>{ value(&c.new) }</b></span> }
    };
    let said = |link: &WhyLink| match link.moment {
        None => t.get("why-start"),
        Some(_) => sentence(&t, &link.happened),
    };
    let last = why.chain.len().saturating_sub(1);
    let row = |(i, link): (usize, &WhyLink)| {
        let (store, moment) = (store.clone(), link.moment.unwrap_or_default());
        let by = match &link.happened {
            steady::engine::Happened::Issued(issued, _) => who::class(&issued.by),
            _ => who::class("you"),
        };
        let now = link.moment == Some(at);
        html! { <>
            if i == last && why.more > 0 {
                <li class="empty">{ t.with("why-more", &[("n", (why.more as f64).into())]) }</li>
            }
            <li>
                <button type="button" class={classes!("version", by, now.then_some("now"))} aria-current={now.then_some("step")}
                    onclick={move |_| store.send(Input::Goto(moment))}>
                    <i class="dot" aria-hidden="true"></i>
                    <span class="told">{ said(link) }if link.waited { <em>{ t.get("why-waited") }</em> }</span>
                    <span class="step-n">{ t.with("timeline-step", &[("n", (link.place as f64).into())]) }</span>
                    { for link.changes.iter().map(change) }
                </button>
            </li>
        </> }
    };
    let of = match props.field {
        Some(_) => t.with("why-of", &[("line", why.line.clone().into())]),
        None => t.get("menu-why"),
    };
    html! {
        <div class="why" role="group" aria-label={of}>
            <ol class="versions">{ for why.chain.iter().enumerate().map(row) }</ol>
        </div>
    }
}
