//! The calls of a kubelet to its container runtime, one after the other: the finest steps of an action.

use std::rc::Rc;

use steady::engine::machinery::{CallPart, CallView, CallsView};
use steady::engine::{Actor, Answer, Ask, Moment, Word};
use yew::prelude::*;

use super::held::n;
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::{Texts, middle, seconds};

/// On a store of more keys than this the calls are only worked out when somebody asks: what led to them has to be done again.
const AT_ONCE: usize = 400;
/// A value is shown up to so many characters.
const VALUE: usize = 240;

/// Whose calls are shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The moment that they led to.
    pub at: Moment,
    /// How many keys the store has.
    pub keys: usize,
    /// The kubelet.
    pub actor: Actor,
}

/// The calls of a kubelet on the way to a moment, of which one is chosen.
#[component]
pub fn Calls(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let asked = use_state(|| None::<Moment>);
    let session = store.with(|s| s.session);
    let wanted = props.keys <= AT_ONCE || *asked == Some(props.at);
    let answer = use_answer(wanted.then_some(Ask::RuntimeCalls(props.at)), u64::from(session));
    let view = match answer.as_deref() {
        Some(Answer::RuntimeCalls(Some(view))) if wanted => Some(&**view),
        _ => None,
    };
    if !wanted {
        let at = props.at;
        let onclick = move |_| asked.set(Some(at));
        return html! { <button type="button" class="quiet" {onclick}>{ t.get("calls-ask") }</button> };
    }
    let Some(view) = view else {
        let far = matches!(answer.as_deref(), Some(Answer::RuntimeCalls(None)));
        return html! { if far { <p class="muted">{ t.get("calls-far") }</p> } };
    };
    let own: Vec<CallView> = view.calls.iter().filter(|c| c.actor == props.actor).cloned().collect();
    html! { <Walk key={props.at} calls={Rc::new(own)} more={view.more} /> }
}

#[derive(Properties, PartialEq)]
struct WalkProps {
    calls: Rc<Vec<CallView>>,
    more: usize,
}

/// Goes from call to call.
#[component]
fn Walk(props: &WalkProps) -> Html {
    let t = use_texts();
    let at = use_state(|| 0_usize);
    let all = &props.calls;
    let Some(call) = all.get(*at).or(all.first()) else {
        return html! { <p class="muted">{ t.get("calls-none") }</p> };
    };
    let to = |place: usize| {
        let at = at.clone();
        move |_: MouseEvent| at.set(place)
    };
    let last = all.len().saturating_sub(1);
    let chip = |(i, c): (usize, &CallView)| {
        let on = i == *at;
        html! {
            <button type="button" class={classes!("call-chip", c.error.is_some().then_some("refused"), on.then_some("on"))}
                aria-pressed={on.to_string()} title={about(&t, c)} onclick={to(i)}>{ c.method.to_string() }
                if c.returns { <span class="n">{ "↩" }<span class="sr">{ t.get("calls-returns") }</span></span> }
            </button>
        }
    };
    html! { <>
        <div class="calls-walk">
            <button type="button" class="quiet" disabled={*at == 0} onclick={to(at.saturating_sub(1))}>{ t.get("calls-prev") }</button>
            <span role="status">{ t.with("calls-at", &[("n", ((*at).min(last) as f64 + 1.0).into()), ("all", (all.len() as f64).into())]) }</span>
            <button type="button" class="quiet" disabled={*at >= last} onclick={to(at.saturating_add(1).min(last))}>{ t.get("calls-next") }</button>
        </div>
        <div class="calls-list" role="group" aria-label={t.get("calls-title")}>{ for all.iter().enumerate().map(chip) }</div>
        if props.more > 0 { <p class="muted">{ t.with("next-more", &n(props.more)) }</p> }
        <div class="call-detail">{ detail(&t, call) }</div>
    </> }
}

fn about(t: &Texts, c: &CallView) -> String {
    let whose = c.container.as_deref().or(c.pod.as_deref()).unwrap_or_default();
    format!("{whose}: {}", t.get(&format!("call-{}", c.method)))
}

/// When the call is made, and when it is answered.
fn course(t: &Texts, c: &CallView) -> String {
    let s = |key: &str, ms: i64| t.with(key, &[("s", seconds(ms).into())]);
    if c.returns {
        return t.get("calls-returns");
    }
    let made = (c.after > 0).then(|| s("calls-later", c.after));
    let answered = match (c.takes, c.open) {
        (Some(ms), _) if ms > 0 => s("calls-takes", ms),
        (_, true) => t.get("calls-open"),
        _ => t.get("calls-now"),
    };
    made.into_iter().chain([answered]).collect::<Vec<_>>().join(" · ")
}

fn fields(list: &[(Word, String)]) -> Html {
    let line = |(path, value): &(Word, String)| {
        html! { <li><code class="path">{ path.to_string() }</code><b>{ middle(value, VALUE) }</b></li> }
    };
    html! { <ul class="fields">{ for list.iter().map(line) }</ul> }
}

fn detail(t: &Texts, c: &CallView) -> Html {
    let part = |p: &CallPart| {
        html! {
            <li><span class={classes!("doer", p.by.to_string())}>{ p.by.to_string() }</span>
                <span>{ t.get(&format!("part-{}", p.what)) }</span>
                if !p.text.is_empty() { <code>{ p.text.clone() }</code> }</li>
        }
    };
    let pod = c.pod.as_ref().map(|pod| html! { <code>{ pod.clone() }</code> });
    html! { <>
        <p class="about"><b>{ format!("{}/{}", c.service, c.method) }</b>{ pod }
            if let Some(name) = &c.container { <code>{ name.to_string() }</code> }<em>{ course(t, c) }</em></p>
        <p class="muted">{ t.get(&format!("call-{}", c.method)) }</p>
        if !c.parts.is_empty() { <h5>{ t.get("calls-below") }</h5><ol class="call-parts">{ for c.parts.iter().map(part) }</ol> }
        if !c.returns { <h5>{ t.get("calls-request") }</h5>{ fields(&c.request) } }
        <h5>{ t.get("calls-answer") }</h5>
        if let Some(why) = &c.error { <p class="bad">{ why.clone() }</p> }
        else if c.answer.is_empty() { <p class="muted">{ t.get("calls-answer-empty") }</p> }
        else { { fields(&c.answer) } }
    </> }
}

/// Of which moment.
#[derive(Properties, PartialEq)]
pub struct OfProps {
    /// The moment.
    pub at: Moment,
}

/// The calls of a moment in the inspector, worked out when they are opened.
#[component]
pub fn CallsOf(props: &OfProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let open = use_state(|| false);
    let session = store.with(|s| s.session);
    let answer = use_answer(open.then_some(Ask::RuntimeCalls(props.at)), u64::from(session));
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |e: Event| {
            let is = e.target_dyn_into::<web_sys::Element>().is_some_and(|d| d.has_attribute("open"));
            open.set(is);
        })
    };
    let walk = |view: &CallsView| {
        html! { <Walk key={props.at} calls={Rc::new(view.calls.clone())} more={view.more} /> }
    };
    html! {
        <details class="into calls" {ontoggle}>
            <summary>{ t.get("calls-title") }</summary>
            <div class="calls-in">
            { match answer.as_deref() {
                Some(Answer::RuntimeCalls(Some(view))) if *open => walk(view),
                Some(Answer::RuntimeCalls(None)) => html! { <p class="muted">{ t.get("calls-far") }</p> },
                _ => Html::default(),
            } }
            </div>
        </details>
    }
}
