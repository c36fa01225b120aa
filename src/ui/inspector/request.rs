//! The requests of the command that led here, and what the API server answered: as YAML, or as kubectl says
//! it when it is asked to be verbose; and the finest actions behind them.

use steady::engine::{Answer, Ask, Moment, RequestView};
use yew::prelude::*;

use super::yaml;
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::map::{CallsOf, Into};
use crate::ui::who;

/// The moment whose request is shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The moment.
    pub at: Moment,
    /// How many finest actions it is made of.
    pub finest: usize,
}

/// The exchanges.
#[component]
pub fn Exchanges(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let verbose = use_state(|| false);
    let session = store.with(|s| s.session);
    let answer = use_answer(Some(Ask::Requests(props.at, *verbose)), u64::from(session));
    let Some(Answer::Requests(requests, more)) = answer.as_deref() else { return Html::default() };
    let show = |r: &RequestView| {
        let head = html! { <>
            <p class="method"><b>{ r.head.method.to_string() }</b><code>{ &r.head.path }</code></p>
            <p class="from"><i class="dot" aria-hidden="true"></i>{ r.head.user.to_string() }
                <span class={classes!("chip", if (1..400).contains(&r.head.code) { "ok" } else { "bad" })}>{ &r.head.status }</span></p>
            if let Some(why) = &r.why { <p class="why">{ t.why(why) }</p> }
        </> };
        let body = if let Some(log) = &r.log {
            let copy = {
                let (store, log) = (store.clone(), log.clone());
                move |_| store.copy(&log)
            };
            html! { <>
                <button type="button" class="quiet copy" onclick={copy}>{ t.get("request-copy") }</button>
                <pre class="klog">{ log }</pre>
            </> }
        } else {
            html! { <>
                if let Some((media, text)) = &r.body {
                    <h3>{ t.get("request-body") }{ " " }<span>{ media }</span></h3>{ yaml::plain(text) }
                }
                if let Some(text) = &r.answer { <h3>{ t.get("response-body") }</h3>{ yaml::plain(text) } }
            </> }
        };
        html! { <section class={classes!("exchange", who::class(&r.head.by))}>{ head }{ body }</section> }
    };
    let choice = |v: bool, key: &str| {
        let verbose = verbose.clone();
        html! {
            <button type="button" aria-pressed={(*verbose == v).to_string()} onclick={move |_| verbose.set(v)}>{ t.get(key) }</button>
        }
    };
    html! { <>
        if requests.is_empty() { <p class="empty">{ t.get("request-none") }</p> }
        else {
            <div class="request-as" role="group" aria-label={t.get("request-as")}>
                { choice(false, "request-plain") }{ choice(true, "request-verbose") }</div>
        }
        { for requests.iter().map(show) }
        if *more > 0 {
            <p class="empty">{ t.with("next-more", &[("n", (*more as f64).into())]) }</p>
        }
        <Into at={props.at} finest={props.finest} />
        <CallsOf at={props.at} />
    </> }
}
