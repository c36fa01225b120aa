//! One component: a lane for each kind it watches, its queue and its worker.

use steady::engine::machinery::{Connection, Delayed, Machine, PodQueues, Reflector, Stale, Stop, Work};
use steady::engine::{Fault, Filter, Input, Key, Moment};
use yew::prelude::*;

use super::held::{Held, Lit, n};
use super::overview::short;
use super::rooms::RoomsView;
use super::stages::changes;
use super::wires::name;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::{Texts, middle, seconds};
use crate::ui::who;

/// More lanes than this are folded: those where nothing is on its way.
const LANES: usize = 5;
/// A name is shown up to so many characters.
const NAME: usize = 15;

/// The machine that is drawn.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The machine.
    pub machine: Held<Machine>,
    /// What the step touched.
    pub lit: Lit,
    /// Whether a person chose it.
    pub pinned: bool,
    /// Which lane is open.
    pub open: UseStateHandle<Option<u16>>,
    /// The moment that is looked at.
    pub at: Moment,
    /// How many keys the store has.
    pub keys: usize,
}

fn label(key: &Key) -> String {
    middle(&key.name, NAME)
}

/// The machine.
#[component]
pub fn MachineView(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let open = props.open.clone();
    let m = &props.machine.0;
    let touched = |r: &Reflector| {
        [
            Stop::Reflector(r.informer),
            Stop::Fifo(r.informer),
            Stop::Indexer(r.informer),
            Stop::Handlers(r.informer),
        ]
        .into_iter()
        .any(|s| !props.lit.class(s).is_empty())
    };
    let fold = m.reflectors.len() > LANES;
    let is_shown = |r: &&Reflector| {
        !fold || r.is_busy() || !r.stale.is_empty() || touched(r) || *open == Some(r.informer)
    };
    let quiet: Vec<&str> = m.reflectors.iter().filter(|r| !is_shown(r)).map(|r| r.kind.as_str()).collect();
    let lane = |r: &Reflector| {
        let here = r.informer;
        let on = *open == Some(here);
        let toggle = {
            let open = open.clone();
            Callback::from(move |_: MouseEvent| open.set((!on).then_some(here)))
        };
        html! { <Lane key={here} lane={Held(std::rc::Rc::new(r.clone()))} lit={props.lit.clone()} {on} {toggle} /> }
    };
    let follow = {
        let (store, actor, pinned) = (store.clone(), m.actor, props.pinned);
        move |_| store.send(Input::LookAt((!pinned).then_some(actor)))
    };
    let heads = ["map-reflector", "map-fifo", "map-indexer", "map-handlers"];
    html! {
        <section class="machine" aria-label={m.name.to_string()}>
            <header>
                <h3><i class={classes!("dot", who::class(&m.name))} aria-hidden="true"></i>{ short(&m.name).to_owned() }</h3>
                <span class="sub">{ m.process.to_string() }{ m.node.as_ref().map(|n| format!(" · {n}")) }</span>
                if !m.running { <span class="chip bad">{ t.get("state-down") }</span> }
                else if !m.on { <span class="chip bad">{ t.get("state-off") }</span> }
                if let Some(fault) = &m.switch { <Switch name={m.name.to_string()} on={m.on} fault={fault.clone()} /> }
                <button type="button" class="quiet follow" aria-pressed={(!props.pinned).to_string()} title={t.get("map-follow-about")}
                    onclick={follow}>{ t.get("map-follow") }</button>
            </header>
            <div class="lanes">
                if !m.reflectors.is_empty() {
                    <div class="lane heads" aria-hidden="true">{ for heads.iter().map(|h| html! { <span>{ t.get(h) }</span> }) }</div>
                }
                { for m.reflectors.iter().filter(is_shown).map(lane) }
                if !quiet.is_empty() {
                    <p class="quiet-lanes">{ t.with("map-lanes-more", &[("n", (quiet.len() as f64).into()), ("kinds", quiet.join(", ").into())]) }</p>
                }
            </div>
            <div class="works">
                <article class={classes!("part", "worker", props.lit.class(Stop::Worker))} data-stop="worker" aria-label={t.get("map-worker")}>
                    <h4>{ t.get("map-worker") }</h4>{ worker(&t, m) }
                </article>
                <article class={classes!("part", "queue", props.lit.class(Stop::Queue))} data-stop="queue" aria-label={t.get("map-queue")}>
                    <h4>{ t.get("map-queue") }</h4>{ queue(&t, m) }
                </article>
                if let Some(q) = &m.pods { { pods(&t, q) } }
            </div>
            if let Some(rooms) = &m.rooms {
                <RoomsView rooms={Held(std::rc::Rc::new((**rooms).clone()))} at={props.at} keys={props.keys} actor={m.actor} />
            }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct SwitchProps {
    /// The component's name.
    name: String,
    on: bool,
    /// What switches it to the other state.
    fault: Fault,
}

/// Switches a component off, or on again.
#[component]
fn Switch(props: &SwitchProps) -> Html {
    let (store, t) = (use_store(), use_texts());
    let (word, about) = if props.on { ("map-on", "map-switch-off") } else { ("map-off", "map-switch-on") };
    let input = Input::Break(props.fault.clone());
    html! {
        <button type="button" role="switch" class="quiet switch" aria-checked={props.on.to_string()} title={t.get(about)}
            onclick={move |_| store.send(input.clone())}>
            <span class="sr">{ props.name.clone() }</span><i aria-hidden="true"></i><span aria-hidden="true">{ t.get(word) }</span></button>
    }
}

#[derive(Properties, PartialEq)]
struct LaneProps {
    lane: Held<Reflector>,
    lit: Lit,
    on: bool,
    toggle: Callback<MouseEvent>,
}

/// One kind from its reflector to the handlers.
#[component]
fn Lane(props: &LaneProps) -> Html {
    let t = use_texts();
    let r = &props.lane.0;
    let filter = match &r.filter {
        Filter::All => None,
        Filter::NodeName(n) => Some(format!("spec.nodeName={n}")),
        Filter::Name(n) => Some(format!("metadata.name={n}")),
    };
    let (tone, state) = match r.connection {
        Connection::New => ("wait", t.get("map-new")),
        Connection::Cut => ("bad", t.with("map-cut", &n(r.behind))),
        Connection::Gone => ("bad", t.get("map-gone")),
        Connection::Watching if r.behind > 0 => ("wait", t.with("map-behind", &n(r.behind))),
        Connection::Watching => ("", t.get("map-caught-up")),
    };
    let coming = r.coming.first().map(|e| format!("{} {}", e.kind.as_str(), label(&e.key)));
    let delta = r.fifo.first().map(|(_, key, version)| format!("{} {version}", label(key)));
    let stale = r.stale.first().map(|s| one_stale(&t, s));
    let told = r.telling.first().map(|x| format!("{} {}", x.handler, label(&x.key)));
    let stales = r.stale.len() + r.stale_more;
    let cell = |stop: Stop, tone: &'static str, first: Html, second: Option<String>| {
        html! {
            <div class={classes!("stop", tone, props.lit.class(stop))} data-stop={name(stop)} title={second.clone()}>
                <p>{ first }</p><p class="second">{ second.unwrap_or_default() }</p>
            </div>
        }
    };
    let rv = html! { <span class="rv">{ format!("rv {}", r.resource_version) }</span> };
    let i = r.informer;
    let words = t.with("map-lane", &[("kind", r.kind.as_str().into()), ("state", state.clone().into())]);
    html! {
        <div class={classes!("lane", props.on.then_some("open"))}>
            <button type="button" class={classes!("stop", "head", tone, props.lit.class(Stop::Reflector(i)))} data-stop={name(Stop::Reflector(i))}
                aria-expanded={props.on.to_string()} aria-label={words} title={filter.clone()} onclick={props.toggle.clone()}>
                <span class="row"><b>{ r.kind.as_str() }</b>{ rv }</span>
                <span class="second"><em>{ state }</em>{ coming.map(|c| format!(" · {c}")) }</span>
            </button>
            { cell(Stop::Fifo(i), if r.deltas > 0 { "wait" } else { "" }, html! { { t.with("map-deltas", &n(r.deltas)) } }, delta) }
            { cell(Stop::Indexer(i), if stales > 0 { "stale" } else { "" }, html! { <>
                { t.with("map-known", &n(r.known)) }
                if stales > 0 { <em class="is-stale">{ t.with("map-stale", &n(stales)) }</em> }
            </> }, stale) }
            { cell(Stop::Handlers(i), if r.untold > 0 { "wait" } else { "" }, html! { { t.with("map-untold", &n(r.untold)) } }, told) }
            if props.on { { detail(&t, r, filter) } }
        </div>
    }
}

fn one_stale(t: &Texts, s: &Stale) -> String {
    let or = |v: &Option<String>, key: &str| v.clone().unwrap_or_else(|| t.get(key));
    format!("{} {} → {}", label(&s.key), or(&s.believed, "map-unknown"), or(&s.stored, "map-not-there"))
}

/// All that a lane can tell.
fn detail(t: &Texts, r: &Reflector, filter: Option<String>) -> Html {
    let list = |title: String, lines: Vec<Html>, more: usize| {
        if lines.is_empty() {
            return Html::default();
        }
        html! { <div><h5>{ title }</h5><ul>{ for lines }
        if more > 0 { <li class="muted">{ t.with("next-more", &[("n", (more as f64).into())]) }</li> }</ul></div> }
    };
    let coming = r.coming.iter().map(|e| html! { <li><b>{ e.kind.as_str() }</b>{ " " }<code>{ e.key.to_string() }</code><span class="rv">{ format!("rv {}", e.revision) }</span></li> });
    let deltas = r.fifo.iter().map(|(gone, key, version)| html! { <li><b>{ if *gone { "Deleted" } else { "Sync" } }</b>{ " " }<code>{ key.to_string() }</code><span class="rv">{ format!("rv {version}") }</span></li> });
    let telling = r.telling.iter().map(
        |x| html! { <li><b>{ x.handler.to_string() }</b>{ " " }<code>{ x.key.to_string() }</code></li> },
    );
    let stale = r
        .stale
        .iter()
        .map(|s| html! { <li><code>{ one_stale(t, s) }</code>{ changes(t, &s.fields, s.more) }</li> });
    let (coming, deltas, telling, stale): (Vec<_>, Vec<_>, Vec<_>, Vec<_>) =
        (coming.collect(), deltas.collect(), telling.collect(), stale.collect());
    let nothing = coming.is_empty() && deltas.is_empty() && telling.is_empty() && stale.is_empty();
    let more = |all: usize, shown: usize| all.saturating_sub(shown);
    html! {
        <div class="lane-detail">
            if let Some(f) = filter { <p class="muted"><code>{ f }</code></p> }
            if nothing { <p class="muted">{ t.get("map-lane-quiet") }</p> }
            { list(t.get("map-coming"), coming.clone(), more(r.behind, coming.len())) }
            { list(t.get("map-fifo"), deltas.clone(), more(r.deltas, deltas.len())) }
            { list(t.get("map-stale-list"), stale, r.stale_more) }
            { list(t.get("map-handlers"), telling.clone(), more(r.untold, telling.len())) }
        </div>
    }
}

fn queue(t: &Texts, m: &Machine) -> Html {
    let q = &m.queue;
    let more = |count: usize| {
        if count == 0 {
            return Html::default();
        }
        html! { <li class="muted">{ t.with("next-more", &[("n", (count as f64).into())]) }</li> }
    };
    let delay = |d: &Delayed| {
        let time = t.with("in-time", &[("s", seconds(d.milliseconds.max(0)).into())]);
        let why = if d.failures > 0 {
            t.with("map-failures", &n(d.failures as usize))
        } else if !d.waited_for {
            t.get("map-background")
        } else {
            String::new()
        };
        html! { <li class={classes!("delayed", (d.failures > 0).then_some("bad"), (!d.waited_for).then_some("faint"))}>
        <span class="tag">{ t.get("map-delayed") }</span><code>{ d.key.clone() }</code><em>{ time }</em><span class="muted">{ why }</span></li> }
    };
    // A key that failed and is planned for its next try says so there.
    let planned = |key: &String| q.delayed.0.iter().any(|d| d.key == *key);
    let failing = q.failing.0.iter().filter(|(key, _)| !planned(key)).map(|(key, times)| {
        html! { <li class="bad"><span class="tag">{ t.get("map-failing") }</span><code>{ key.clone() }</code><em>{ t.with("map-failures", &n(*times as usize)) }</em></li> }
    });
    html! {
        <ul class="key-list">
            if q.is_empty() { <li class="muted">{ t.get("map-queue-empty") }</li> }
            { for q.processing.iter().map(|(key, again)| html! {
                <li class="processing"><span class="tag">{ t.get("map-processing") }</span><code>{ key.clone() }</code>
                    if *again { <em>{ t.get("map-again") }</em> }</li> }) }
            { for q.waiting.0.iter().map(|key| html! { <li><span class="tag">{ t.get("map-waiting") }</span><code>{ key.clone() }</code></li> }) }
            { more(q.waiting.1) }
            { for failing }{ more(q.failing.1) }
            { for q.delayed.0.iter().map(delay) }{ more(q.delayed.1) }
        </ul>
    }
}

/// The scheduling queue, whose pods wait for the worker's key `schedule-one`.
fn pods(t: &Texts, q: &PodQueues) -> Html {
    let part = |name: &'static str, lines: Vec<(String, String)>, more: usize| {
        let line = |(key, said): &(String, String)| {
            html! { <li><code>{ key.clone() }</code>if !said.is_empty() { <em>{ said.clone() }</em> }</li> }
        };
        html! { <div><h5>{ name }{ " " }<b>{ lines.len() + more }</b></h5>
        <ul class="key-list">{ for lines.iter().map(line) }
            if more > 0 { <li class="muted">{ t.with("next-more", &n(more)) }</li> }</ul></div> }
    };
    let active = q.active.0.iter().map(|key| (key.clone(), String::new())).collect();
    let left = |ms: &i64| t.with("in-time", &[("s", seconds(*ms).into())]);
    let backoff = q.backoff.0.iter().map(|(key, ms)| (key.clone(), left(ms))).collect();
    let gated = |by: &String| t.with("map-pods-gated", &[("plugin", by.clone().into())]);
    let refused = |by: &String| t.with("map-pods-refused", &[("plugins", by.clone().into())]);
    let waits = q.unschedulable.0.iter().map(|(key, by)| (key.clone(), refused(by)));
    let parked = waits.chain(q.gated.0.iter().map(|(key, by)| (key.clone(), gated(by)))).collect();
    html! {
        <article class="part pods" aria-label={t.get("map-pods")}>
            <h4>{ t.get("map-pods") }</h4>
            { part("activeQ", active, q.active.1) }
            { part("backoffQ", backoff, q.backoff.1) }
            { part("unschedulablePods", parked, q.unschedulable.1 + q.gated.1) }
        </article>
    }
}

fn worker(t: &Texts, m: &Machine) -> Html {
    let events =
        (m.events > 0).then(|| html! { <p class="muted">{ t.with("map-events", &n(m.events)) }</p> });
    let memory = (!m.memory.0.is_empty()).then(|| {
        html! { <div class="memory"><h5>{ t.get("map-memory") }</h5><p class="muted">{ t.get("map-memory-about") }</p><ul>{ for m.memory.0.iter().map(|l| html! { <li><code>{ middle(l, 64) }</code></li> }) }
            if m.memory.1 > 0 { <li class="muted">{ t.with("next-more", &n(m.memory.1)) }</li> }</ul></div> }
    });
    let Some(w) = &m.work else {
        let idle = if m.running && m.on { "map-worker-idle" } else { "map-worker-off" };
        return html! { <><p class="muted">{ t.get(idle) }</p>{ events }{ memory }</> };
    };
    html! { <>
        <p><span class="tag">{ t.get("map-worker-key") }</span><code>{ w.key.clone() }</code></p>
        { asks(t, w) }
        { events }{ memory }
    </> }
}

/// At which request a sync stands, and whether it knows what it writes.
fn asks(t: &Texts, w: &Work) -> Html {
    let codes: Vec<String> = w.answers.iter().map(u16::to_string).collect();
    let at = if codes.is_empty() {
        t.with("map-worker-first", &[])
    } else {
        t.with(
            "map-worker-at",
            &[("n", ((w.answers.len() + 1) as f64).into()), ("codes", codes.join(", ").into())],
        )
    };
    let Some(a) = &w.pending else { return Html::default() };
    let stale = (a.is_stale() && a.stored.is_some()).then(|| {
        let believed = a.believed.clone().unwrap_or_else(|| "–".into());
        let stored = a.stored.clone().unwrap_or_else(|| "–".into());
        html! { <p class="is-stale">{ t.with("map-worker-stale", &[("believed", believed.into()), ("stored", stored.into())]) }</p> }
    });
    html! { <>
        <p class="asks"><b>{ a.method.to_string() }</b>{ " " }<code title={a.path.clone()}>{ format!("{} {}", a.object.kind.as_str(), a.object.key.name) }</code></p>
        <p class="muted">{ at }</p>
        { stale }
        if let Some(why) = &a.why { <p class="why">{ t.why(why) }</p> }
    </> }
}
