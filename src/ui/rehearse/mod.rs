//! Does a rollout drop requests? A person chooses a workload and presses one button; the worker rolls it out on a copy of the
//! run, with clients that send requests ([`steady::session::rehearsal`]), and the panel shows what became of these.

mod chart;
mod found;
mod model;
mod words;

use std::cell::RefCell;

use steady::engine::explorer::rehearsal::{Occasion, Plan, Port, RATE_LIMIT};
use steady::engine::explorer::{Ask, Rehearse as Task, Tell};
use steady::engine::{Answer, Ask as Question, Input, ObjectRef, RolloutTarget};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::board::Board;
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::store::Shared;
use crate::ui::worker::Host;
use found::{Found, Way};
use model::{Anchor, Change, Model, Phase};

/// What the panel needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Whether it is shown.
    pub open: bool,
    /// Closes it.
    pub close: Callback<()>,
    /// Shows every order in its place, with nothing chosen but whether requests are lost.
    pub explore: Callback<()>,
    /// Grows with every change of the run.
    pub version: u64,
    /// Which session it is: moments of one mean nothing in another.
    pub session: u32,
    /// The object that is selected.
    pub selection: Option<ObjectRef>,
    /// The editor's text.
    pub text: Shared<String>,
    /// Whether nothing else is under way.
    pub idle: bool,
}

/// The panel. It keeps what it knows while it is closed.
#[component]
pub fn Rehearse(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let model = use_reducer(Model::default);
    let host = use_mut_ref(|| None::<Host>);
    let targets = use_answer(props.open.then_some(Question::Rollouts), props.version);
    let targets: &[RolloutTarget] = match targets.as_deref() {
        Some(Answer::Rollouts(all)) => all,
        _ => &[],
    };
    // What was chosen, or else what is selected in the graph, or else the first one.
    let is_there = |o: &&ObjectRef| targets.iter().any(|t| t.workload == **o);
    let selected = props.selection.as_ref().filter(is_there);
    let chosen = model.workload.as_ref().filter(is_there).or(selected);
    let chosen = chosen.or(targets.first().map(|t| &t.workload)).cloned();
    let target = targets.iter().find(|t| Some(&t.workload) == chosen.as_ref());
    // What was chosen for another workload, or is gone, is not chosen.
    let port = model.port.clone().filter(|p| target.is_some_and(|t| t.reaches.iter().any(|r| r.port == *p)));
    let occasion = model.occasion;
    let occasion =
        if target.is_some_and(|t| is_possible(t, occasion)) { occasion } else { Occasion::Rollout };
    let start = {
        let (store, host, model) = (store.clone(), host.clone(), model.clone());
        let (chosen, text, port) = (chosen.clone(), props.text.clone(), port.clone());
        Callback::from(move |()| {
            let Some(workload) = chosen.clone() else { return };
            store.send(Input::Stop);
            let plan = Plan {
                workload,
                manifest: Some((*text).to_string()),
                rate: model.rate,
                port: port.clone(),
                keep_alive: model.keep_alive,
                occasion,
            };
            let (host, dispatch) = (host.clone(), model.dispatcher());
            let told = move |answer: Answer| {
                let Answer::Run(Some(run)) = answer else { return };
                dispatch.dispatch(Change::Started(Anchor { session: run.session, moment: run.moment }));
                let tell = dispatch.clone();
                // A worker that still works on something else is ended.
                *host.borrow_mut() =
                    match Host::new(Callback::from(move |told| tell.dispatch(Change::Told(told)))) {
                        Ok(worker) => {
                            worker.ask(&Ask::Rehearse(Box::new(Task { link: run.link, plan: plan.clone() })));
                            Some(worker)
                        }
                        Err(why) => {
                            dispatch.dispatch(Change::Told(Tell::Failed(why)));
                            None
                        }
                    };
            };
            store.ask(Question::Run(0), Callback::from(told));
        })
    };
    let stop = {
        let (host, dispatch) = (host.clone(), model.dispatcher());
        Callback::from(move |()| {
            RefCell::borrow_mut(&host).take();
            dispatch.dispatch(Change::Ended);
        })
    };
    let open = {
        let (store, anchor, close) = (store.clone(), model.anchor, props.close.clone());
        Callback::from(move |(link, ops): Way| {
            let Some(Anchor { session, moment: from }) = anchor else { return };
            store.send(Input::Repeat { session, from, link, ops });
            close.emit(());
        })
    };
    let explore = {
        let (store, anchor, explore) = (store.clone(), model.anchor, props.explore.clone());
        Callback::from(move |(link, ops): Way| {
            let Some(Anchor { session, moment: from }) = anchor else { return };
            store.send(Input::Repeat { session, from, link, ops });
            explore.emit(());
        })
    };
    if !props.open {
        return Html::default();
    }
    let submit = {
        let (start, stop, busy) = (start, stop, model.is_busy());
        Callback::from(move |e: SubmitEvent| {
            e.prevent_default();
            if busy { stop.emit(()) } else { start.emit(()) }
        })
    };
    let choose = {
        let dispatch = model.dispatcher();
        let all: Vec<ObjectRef> = targets.iter().map(|t| t.workload.clone()).collect();
        Callback::from(move |e: Event| {
            let value = e.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some(workload) = value.parse().ok().and_then(|i: usize| all.get(i)) {
                dispatch.dispatch(Change::Workload(workload.clone()));
            }
        })
    };
    let rate = {
        let dispatch = model.dispatcher();
        Callback::from(move |e: Event| {
            let value = e.target_unchecked_into::<HtmlInputElement>().value_as_number();
            if value.is_finite() {
                dispatch.dispatch(Change::Rate((value as u32).clamp(1, RATE_LIMIT)));
            }
        })
    };
    let choose_port = {
        let dispatch = model.dispatcher();
        let all: Vec<_> = target.iter().flat_map(|t| &t.reaches).map(|r| r.port.clone()).collect();
        Callback::from(move |e: Event| {
            let value = e.target_unchecked_into::<HtmlSelectElement>().value();
            // The first one is what is taken if none is chosen.
            let nth = value.parse().ok().filter(|i: &usize| *i > 0);
            dispatch.dispatch(Change::Port(nth.and_then(|i| all.get(i)).cloned()));
        })
    };
    let choose_occasion = {
        let dispatch = model.dispatcher();
        Callback::from(move |e: Event| {
            let value = e.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some((occasion, _)) = value.parse().ok().and_then(|i: usize| OCCASIONS.get(i)) {
                dispatch.dispatch(Change::Occasion(*occasion));
            }
        })
    };
    let keep_alive = {
        let (dispatch, kept) = (model.dispatcher(), model.keep_alive);
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Change::KeepAlive(!kept)))
    };
    let option = |(i, target): (usize, &RolloutTarget)| {
        let is = chosen.as_ref() == Some(&target.workload);
        html! { <option value={i.to_string()} selected={is}>{ name(&t, target) }</option> }
    };
    let busy = model.is_busy();
    let mine = model.anchor.is_some_and(|a| a.session == props.session);
    let close = props.close.clone();
    html! {
        <Board name="rehearse" title="rehearse-title" about="rehearse-about" {close}>
            <div class="board-side">
                <form class="board-form" onsubmit={submit}>
                    if targets.is_empty() {
                        <p class="board-hint">{ t.get("rehearse-no-workload") }</p>
                    } else {
                        <label><span>{ t.get("rehearse-workload") }</span>
                            <select onchange={choose}>{ for targets.iter().enumerate().map(option) }</select></label>
                        <label><span>{ t.get("rehearse-occasion") }</span>
                            <select onchange={choose_occasion}>{ for OCCASIONS.iter().enumerate().map(|(i, (which, key))| html! {
                                <option value={i.to_string()} selected={*which == occasion}
                                    disabled={!target.is_some_and(|t| is_possible(t, *which))}>{ t.get(key) }</option> }) }</select></label>
                        if let Some(reaches) = target.map(|t| &t.reaches).filter(|r| !r.is_empty()) {
                            <label><span>{ t.get("rehearse-port") }</span>
                                <select onchange={choose_port}>{ for reaches.iter().enumerate().map(|(i, r)| {
                                    let is = port.as_ref().map_or(i == 0, |p| *p == r.port);
                                    html! { <option value={i.to_string()} selected={is}>{ format!("{}:{}", r.port.service, r.port.port) }</option> }
                                }) }</select></label>
                        }
                        if let Some(said) = own_clients(&t, target, port.as_ref()) {
                            <p>{ said }</p>
                        } else {
                            <label><span>{ t.get("rehearse-rate") }</span>
                                <input type="number" min="1" max={RATE_LIMIT.to_string()} value={model.rate.to_string()} onchange={rate} /></label>
                            <label class="board-check"><input type="checkbox" checked={model.keep_alive} onclick={keep_alive} />
                                <span>{ t.get("rehearse-keep-alive") }</span></label>
                        }
                    }
                    <div class="board-foot"><button type="submit" disabled={targets.is_empty() && !busy} class={if busy { "quiet bad board-go" } else { "solid board-go" }}>
                        { t.get(if busy { "stop" } else { "rehearse-start" }) }</button></div>
                </form>
                <p class="board-progress" role="status" aria-live="polite">{ progress(&model, &t) }</p>
                if let Some(trouble) = &model.trouble {
                    <p class="board-bad" role="alert">{ words::trouble(&t, trouble) }</p>
                }
                <p class="board-hint">{ t.get("rehearse-does") }</p>
            </div>
            <div class="rehearse-main">
                if let Some(found) = &model.found {
                    if !mine { <p class="board-bad">{ t.get("rehearse-other-run") }</p> }
                    <Found found={found.clone()} can_open={mine && props.idle && !busy} {open} {explore} />
                } else {
                    <p class="board-empty">{ t.get(if busy { "rehearse-working" } else { "rehearse-empty" }) }</p>
                }
            </div>
        </Board>
    }
}

/// What can make pods go, each with the key of its text.
const OCCASIONS: [(Occasion, &str); 5] = [
    (Occasion::Rollout, "rehearse-rollout"),
    (Occasion::Restart, "rehearse-restart"),
    (Occasion::Undo, "rehearse-undo"),
    (Occasion::Scale, "rehearse-scale"),
    (Occasion::Drain, "rehearse-drain"),
];

/// Whether something can make pods of a workload go.
fn is_possible(target: &RolloutTarget, occasion: Occasion) -> bool {
    match occasion {
        // What is in the editor alone comes into the cluster first.
        Occasion::Rollout | Occasion::Restart => true,
        Occasion::Undo => target.former,
        Occasion::Scale => target.replicas.is_some_and(|n| n > 1),
        // A drain leaves the pods of DaemonSets.
        Occasion::Drain => target.replicas.is_some_and(|n| n > 0),
    }
}

/// What a workload is called in the list.
fn name(t: &Texts, target: &RolloutTarget) -> String {
    let name = target.workload.to_string();
    match (target.reaches.is_empty(), target.applied) {
        (true, _) => t.with("rehearse-alone", &[("name", name.into())]),
        (false, false) => t.with("rehearse-in-editor", &[("name", name.into())]),
        (false, true) => name,
    }
}

/// That the run has clients of its own, which are those of the rehearsal; `None` if it has none.
fn own_clients(t: &Texts, target: Option<&RolloutTarget>, port: Option<&Port>) -> Option<String> {
    let mut reaches = target?.reaches.iter();
    let clients = &reaches.find(|r| port.is_none_or(|p| *p == r.port))?.clients;
    let rate = (clients.iter().sum::<f64>() * 10.0).round() / 10.0;
    let args = [("clients", (clients.len() as f64).into()), ("rate", rate.into())];
    (!clients.is_empty()).then(|| t.with("rehearse-own-clients", &args))
}

/// How far it is, in words.
fn progress(model: &Model, t: &Texts) -> String {
    match model.phase {
        Phase::Idle => String::new(),
        Phase::Replaying(_, 0) => t.get("rehearse-loading"),
        Phase::Replaying(done, of) => {
            t.with("explore-replaying", &[("done", (done as f64).into()), ("of", (of as f64).into())])
        }
        Phase::Rehearsing(stand) => {
            let n = |n: usize| fluent_bundle::FluentValue::from(n as f64);
            t.with(
                "rehearse-progress",
                &[("nth", n(stand.tried + 1)), ("of", n(stand.of)), ("steps", n(stand.steps))],
            )
        }
    }
}
