//! How the scheduler stands to a pod: where the pod waits, and the table of the last attempt or of one that would be made now.

use steady::engine::scheduling::{QueueName, Scheduling, SchedulingPhase, SchedulingTable, Tried, Waiting};
use steady::engine::{Answer, Ask, Input, ObjectRef};
use yew::prelude::*;

use super::TabProps;
use super::plugins::{Ending, PluginTable};
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::{Texts, seconds};

/// How many columns the table has at first, and how many more a press shows.
const COLUMNS: usize = 6;
const MORE: usize = 12;

/// The tab.
#[component]
pub fn SchedulingOf(props: &TabProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let now = use_state(|| None::<bool>);
    let columns = use_state(|| COLUMNS);
    let object = props.object.clone();
    let answer = use_answer(Some(Ask::Scheduling(object.clone())), props.version);
    let Some(Answer::Scheduling(Some(s))) = answer.as_deref() else {
        return html! { <p class="empty">{ t.get("sched-gone") }</p> };
    };
    let attempt = match s.tried {
        Tried::At(moment, place) => Some((moment, place)),
        _ => None,
    };
    let bound = matches!(s.phase, SchedulingPhase::Bound(_) | SchedulingPhase::Chosen(..));
    // A pod that has its node is read as it was; one that waits as it is.
    let is_now = attempt.is_none() || now.unwrap_or(!bound);
    let choice = |value: bool, word: String| {
        let now = now.clone();
        html! { <button type="button" aria-pressed={(is_now == value).to_string()} onclick={move |_| now.set(Some(value))}>{ word }</button> }
    };
    let known = !matches!(s.phase, SchedulingPhase::OtherScheduler(_) | SchedulingPhase::NoScheduler);
    let about = match &s.phase {
        SchedulingPhase::Waits(w)
            if matches!(w.queue, QueueName::Gated(..) | QueueName::WaitsForClaims(_)) =>
        {
            t.get("sched-now-gated")
        }
        SchedulingPhase::Unheard => t.get("sched-now-unheard"),
        _ if bound => t.get("sched-now-bound"),
        _ => t.get("sched-now-waits"),
    };
    let more = {
        let columns = columns.clone();
        Callback::from(move |()| columns.set(*columns + MORE))
    };
    html! { <>
        <Standing scheduling={(**s).clone()} />
        if known {
            if let Some((moment, place)) = attempt {
                <div class="request-as when" role="group" aria-label={t.get("sched-when")}>
                    { choice(false, t.with("sched-then", &[("n", (place as f64).into())])) }
                    { choice(true, t.get("sched-now")) }
                    if !is_now && store.with(|s| s.at) != moment {
                        <button type="button" class="goto" onclick={move |_| store.send(Input::Goto(moment))}>{ t.get("sched-go") }</button>
                    }
                </div>
            }
            if is_now {
                <p class="about">{ about }</p>
                <Now {object} version={props.version} columns={*columns} {more} />
            } else if let Some((moment, _)) = attempt {
                <Then {object} {moment} columns={*columns} {more} />
            }
        }
        if let SchedulingPhase::Waits(w) = &s.phase { { refused_by(&t, w) } }
    </> }
}

#[derive(Properties, PartialEq)]
struct NowProps {
    object: ObjectRef,
    version: u64,
    columns: usize,
    more: Callback<()>,
}

/// The table of an attempt at the moment that is shown.
#[component]
fn Now(props: &NowProps) -> Html {
    let t = use_texts();
    let ask = Ask::SchedulingTable(props.object.clone(), None, props.columns);
    let answer = use_answer(Some(ask), props.version);
    match answer.as_deref() {
        Some(Answer::SchedulingTable(Some(table))) => both(table, &props.more),
        Some(Answer::SchedulingTable(None)) => {
            html! { <p class="empty">{ t.get("sched-no-table") }</p> }
        }
        _ => Html::default(),
    }
}

#[derive(Properties, PartialEq)]
struct ThenProps {
    object: ObjectRef,
    moment: usize,
    columns: usize,
    more: Callback<()>,
}

/// The table of the attempt that led to a moment. It does not change with the steps that follow.
#[component]
fn Then(props: &ThenProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let session = store.with(|s| s.session);
    let ask = Ask::SchedulingTable(props.object.clone(), Some(props.moment), props.columns);
    let answer = use_answer(Some(ask), u64::from(session));
    let at = props.moment;
    let go = move |_| store.send(Input::Goto(at));
    match answer.as_deref() {
        Some(Answer::SchedulingTable(Some(table))) => both(table, &props.more),
        Some(Answer::SchedulingTable(None)) => html! {
            <p class="about">{ t.get("sched-far") }{ " " }
                <button type="button" class="quiet" onclick={go}>{ t.get("sched-go") }</button></p>
        },
        _ => Html::default(),
    }
}

fn both(table: &SchedulingTable, more: &Callback<()>) -> Html {
    html! { <>
        <Ending table={table.clone()} />
        <PluginTable table={table.clone()} more={more.clone()} />
    </> }
}

#[derive(Properties, PartialEq)]
struct StandingProps {
    scheduling: Scheduling,
}

/// Where the pod stands, and when it was tried.
#[component]
fn Standing(props: &StandingProps) -> Html {
    let t = use_texts();
    let s = &props.scheduling;
    let node = |key: &str, name: &str| t.with(key, &[("name", name.to_owned().into())]);
    let phase = match &s.phase {
        SchedulingPhase::Bound(name) => node("sched-phase-bound", name),
        SchedulingPhase::Chosen(name, true) => node("sched-phase-claims", name),
        SchedulingPhase::Chosen(name, false) => node("sched-phase-chosen", name),
        SchedulingPhase::OtherScheduler(name) => node("sched-phase-other", name),
        SchedulingPhase::Unheard => t.get("sched-phase-unheard"),
        SchedulingPhase::NoScheduler => t.get("sched-phase-none"),
        SchedulingPhase::Waits(w) => return waits(&t, w, s.nominated.as_deref()),
    };
    let tried = match s.tried {
        Tried::At(..) => None,
        Tried::Named => Some(t.get("sched-tried-named")),
        Tried::NotInRun => Some(t.get("sched-tried-not-in-run")),
        Tried::NotYet => None,
    };
    html! { <p class="about">{ phase }{ tried.map(|said| format!("{}{said}", t.gap(&said))) }</p> }
}

/// The queue in which a pod waits, and what may help it.
fn waits(t: &Texts, w: &Waiting, nominated: Option<&str>) -> Html {
    let s = |ms: i64| [("s", seconds(ms.max(0)).into())];
    let (name, tone, text) = match &w.queue {
        QueueName::Active(before) => {
            ("activeQ", "ok", t.with("sched-queue-active", &[("n", (*before as f64).into())]))
        }
        QueueName::Backoff(ms, false) => ("backoffQ", "wait", t.with("sched-queue-backoff", &s(*ms))),
        QueueName::Backoff(ms, true) => ("backoffQ", "wait", t.with("sched-queue-backoff-error", &s(*ms))),
        QueueName::Unschedulable(ms) => {
            ("unschedulablePods", "bad", t.with("sched-queue-unschedulable", &s(*ms)))
        }
        QueueName::WaitsForClaims(why) => {
            let args = [("why", why.clone().into())];
            ("unschedulablePods", "wait", t.with("sched-queue-claims", &args))
        }
        QueueName::Gated(plugin, gates) if gates.is_empty() => {
            let args = [("plugin", plugin.to_string().into())];
            ("unschedulablePods", "wait", t.with("sched-queue-preempts", &args))
        }
        QueueName::Gated(plugin, gates) => {
            let args = [("plugin", plugin.to_string().into()), ("gates", gates.join(", ").into())];
            ("unschedulablePods", "wait", t.with("sched-queue-gated", &args))
        }
    };
    html! {
        <p class="about"><span class={classes!("chip", tone)}>{ name }</span>{ " " }{ text }
            if w.attempts > 0 { { t.gap("a") }{ t.with("sched-attempts", &[("n", w.attempts.into())]) } }
            if let Some(node) = nominated { { t.gap("a") }{ t.with("sched-nominated", &[("name", node.to_owned().into())]) } }
        </p>
    }
}

/// The plugins that refused a pod, and the events that may help.
fn refused_by(t: &Texts, w: &Waiting) -> Html {
    if w.refused_by.is_empty() {
        return Html::default();
    }
    let refused = w.refused_by.iter().map(|(plugin, events)| {
        html! { <div><dt>{ plugin.to_string() }</dt>
        <dd>{ for events.iter().map(|e| html! { <><code>{ e.clone() }</code>{ " " }</> }) }</dd></div> }
    });
    html! { <>
        <h3>{ t.get("sched-refused-by") }</h3>
        <dl class="refused-by">{ for refused }</dl>
        <p class="empty">{ t.get("sched-hints") }</p>
    </> }
}
