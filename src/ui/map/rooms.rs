//! The rooms of a kubelet: what each of its loops has, and the container runtime below.

use steady::engine::machinery::{
    DecisionRow, ExclusiveRow, PlegEvent, ProbeRow, Relists, Rooms, SandboxRow, SignalRow, SourceRoom,
    VolumeRow, WorkerRow,
};
use steady::engine::{Actor, Moment};
use yew::prelude::*;

use super::calls::Calls;
use super::held::{Held, n};
use crate::ui::hooks::use_texts;
use crate::ui::i18n::{Texts, middle, seconds};

/// A name is shown up to so many characters.
const NAME: usize = 30;
/// Why something was decided is shown up to so many characters; all of it stands in the title.
const SAID: usize = 70;

/// The rooms that are drawn.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The rooms.
    pub rooms: Held<Rooms>,
    /// The moment that is looked at.
    pub at: Moment,
    /// How many keys the store has.
    pub keys: usize,
    /// The kubelet.
    pub actor: Actor,
}

/// A moment from now, or one that has passed.
fn time(t: &Texts, key: &str, ms: i64) -> String {
    t.with(key, &[("s", seconds(ms.max(0)).into())])
}

/// A size in bytes as crictl writes it.
fn size(bytes: i64) -> String {
    let mb = bytes as f64 / 1e6;
    if mb >= 1000.0 { format!("{:.1} GB", mb / 1000.0) } else { format!("{mb:.0} MB") }
}

fn name(text: &str) -> Html {
    html! { <code title={text.to_owned()}>{ middle(text, NAME) }</code> }
}

/// The rooms.
#[component]
pub fn RoomsView(props: &Props) -> Html {
    let t = use_texts();
    let r = &props.rooms.0;
    let room = |key: &str, wide: bool, inner: Html| {
        let title = t.get(key);
        html! { <article class={classes!("part", "room", wide.then_some("wide"))} aria-label={title.clone()}><h4>{ title }</h4>{ inner }</article> }
    };
    let list = |lines: Vec<Html>, more: usize, none: &str| {
        html! {
            <ul>{ for lines.iter().cloned() }
                if lines.is_empty() { <li class="muted">{ t.get(none) }</li> }
                if more > 0 { <li class="muted">{ t.with("next-more", &n(more)) }</li> }
            </ul>
        }
    };
    let sources = html! {
        <ul>{ for r.sources.iter().map(|s| source(&t, s)) }
            if r.sources.iter().all(|s| *s.name != *"http") {
                <li><span class="tag">{ "http" }</span><span class="muted">{ t.get("room-http") }</span></li>
            }</ul>
    };
    let workers = r.workers.0.iter().map(|w| worker(&t, w)).collect();
    let pleg = r.pleg.0.iter().map(|e| event(&t, e)).collect();
    let probes = r.probes.0.iter().map(|p| probe(&t, p)).collect();
    let statuses: Vec<Html> = r
        .statuses
        .0
        .iter()
        .map(|s| html! { <li>{ name(s) }<em>{ t.get("room-unwritten") }</em></li> })
        .collect();
    let volumes = r.volumes.0.iter().map(|v| volume(&t, v)).collect();
    let sandboxes = r.sandboxes.0.iter().map(|s| sandbox(&t, s)).collect();
    let pulling = r.pulling.0.iter().map(|(image, left)| {
        html! { <li><span class="tag">{ t.get("room-pulling") }</span>{ name(image) }<em>{ time(&t, "in-time", *left) }</em></li> }
    });
    html! {
        <div class="rooms" role="group" aria-label={t.get("rooms")}>
            <h3>{ t.get("rooms") }</h3>
            // First what this step has done, so that nobody has to scroll from step to step.
            { room("calls-title", true, html! { <Calls at={props.at} keys={props.keys} actor={props.actor} /> }) }
            { room("room-sources", false, sources) }
            { room("room-workers", false, list(workers, r.workers.1, "room-workers-none")) }
            { room("room-pleg", false, html! { <>
                <p class="muted">{ relists(&t, &r.relists) }</p>
                { list(pleg, r.pleg.1, "room-pleg-none") }
            </> }) }
            { room("room-probes", false, list(probes, r.probes.1, "room-probes-none")) }
            { room("room-statuses", false, html! { <>
                { for (!statuses.is_empty()).then(|| list(statuses.clone(), r.statuses.1, "room-statuses-none")) }
                <p class="muted">{ t.with("room-reported", &n(r.reported)) }</p></> }) }
            { room("room-volumes", false, html! { <>
                { list(volumes, r.volumes.1, "room-volumes-none") }
                if r.worlds.0 > 0 { <p class="muted">{ worlds(&t, r.worlds) }</p> }
            </> }) }
            { room("room-manager", false, manager(&t, r)) }
            { room("room-eviction", false, eviction(&t, r)) }
            { room("room-garbage", false, garbage(&t, r)) }
            { room("room-node", false, node(&t, r)) }
            { room("room-runtime", true, html! { <>
                { list(sandboxes, r.sandboxes.1, "room-runtime-none") }
                if !r.pulling.0.is_empty() { <ul>{ for pulling }</ul> }
            </> }) }
        </div>
    }
}

fn source(t: &Texts, s: &SourceRoom) -> Html {
    let count = s.pods.0.len() + s.pods.1;
    html! {
        <li><span class="tag">{ s.name.to_string() }</span><b>{ t.with("room-pods", &n(count)) }</b>
            { for s.pods.0.iter().map(|p| name(p)) }
            if s.pods.1 > 0 { <span class="muted">{ t.with("next-more", &n(s.pods.1)) }</span> }
            if let Some(why) = &s.error { <span class="bad">{ why.to_string() }</span> }</li>
    }
}

fn worker(t: &Texts, w: &WorkerRow) -> Html {
    let waits = w.waits.as_ref().map(|what| {
        let what = t.get(&format!("room-wait-{what}"));
        let container = w.container.as_ref().map(|c| format!(" {c}")).unwrap_or_default();
        let left = w.left.map(|ms| format!(" · {}", time(t, "in-time", ms))).unwrap_or_default();
        html! { <em>{ format!("{what}{container}{left}") }</em> }
    });
    html! {
        <li>{ name(&w.pod) }<b>{ w.phase.to_string() }</b>
            { waits.unwrap_or_else(|| html! { <span class="muted">{ t.get("room-wait-nothing") }</span> }) }
            if let Some(why) = &w.reason { <span class="bad">{ why.to_string() }</span> }
            if w.steps > 0 { <span class="muted">{ t.with("room-steps", &n(w.steps)) }</span> }</li>
    }
}

fn event(t: &Texts, e: &PlegEvent) -> Html {
    let code = e.exit.map(|code| t.with("room-exit", &[("code", code.to_string().into())]));
    html! {
        <li><b>{ e.event.to_string() }</b>{ name(&e.pod) }<code>{ e.container.to_string() }</code>
            if let Some(code) = code { <span class="muted">{ code }</span> }
            <span class="muted">{ time(t, "room-ago", e.ago) }</span>
            if e.unnoticed { <em>{ t.get("room-unnoticed") }</em> } else if e.unseen { <em>{ t.get("room-unseen") }</em> }</li>
    }
}

/// How often PLEG lists the containers, and when it finds something next.
fn relists(t: &Texts, r: &Relists) -> String {
    let every = time(t, "room-pleg-lists", r.period);
    match r.next {
        Some(next) => format!("{every} · {} {}", t.get("room-pleg-next"), time(t, "in-time", next)),
        None => every,
    }
}

fn probe(t: &Texts, p: &ProbeRow) -> Html {
    let (class, key) = match p.result {
        Some(true) => ("ok", "room-probe-passed"),
        Some(false) => ("bad", "room-probe-failed"),
        None => ("muted", "room-probe-open"),
    };
    let (have, need) = p.counted;
    let last = p.last.map(|passed| {
        let key = if passed { "room-probe-passes" } else { "room-probe-fails" };
        t.with(key, &[("n", f64::from(have).into()), ("of", f64::from(need).into())])
    });
    html! {
        <li><span class="tag">{ p.probe.to_string() }</span>{ name(&p.pod) }<code>{ p.container.to_string() }</code>
            <span class="muted">{ t.with("room-probe-how", &[("handler", p.handler.to_string().into()), ("s", f64::from(p.period).into())]) }</span>
            <span class={class}>{ t.get(key) }</span>
            if let Some(last) = last { <span class="muted">{ last }</span> }
            if p.on_hold { <em>{ t.get("room-probe-hold") }</em> }</li>
    }
}

fn volume(t: &Texts, v: &VolumeRow) -> Html {
    let state = t.get(&format!("room-volume-{}", v.state));
    let version = v.version.map(|x| t.with("room-volume-version", &n(usize::try_from(x).unwrap_or(0))));
    html! {
        <li>{ name(&v.pod) }<code>{ v.volume.to_string() }</code>
            <span class="tag">{ v.source.to_string() }</span>
            if v.is_there() { <span class="muted">{ state }</span> } else { <em>{ state }</em> }
            if let Some(version) = version { <span class="muted">{ version }</span> }</li>
    }
}

/// How many volumes the desired state of the world has, and how many the actual one.
fn worlds(t: &Texts, (desired, actual): (usize, usize)) -> String {
    t.with("room-worlds", &[("desired", (desired as f64).into()), ("actual", (actual as f64).into())])
}

/// The container manager: processors, refused pods, resizes, the shutdown.
fn manager(t: &Texts, r: &Rooms) -> Html {
    let m = &r.manager;
    let exclusive = |e: &ExclusiveRow| {
        let nodes: Vec<String> = e.numa.iter().map(u32::to_string).collect();
        html! {
            <li>{ name(&e.pod) }<code>{ e.container.to_string() }</code>
                <b>{ t.with("room-cpus-own", &[("cpus", e.cpus.clone().into())]) }</b>
                <span class="muted">{ t.with("room-cpus-numa", &[("nodes", nodes.join(", ").into())]) }</span></li>
        }
    };
    let decision = |class: &'static str, d: &DecisionRow| {
        html! {
            <li>{ name(&d.pod) }<b class={class}>{ d.what.to_string() }</b>
                if !d.message.is_empty() { <span class="muted" title={d.message.clone()}>{ middle(&d.message, SAID) }</span> }</li>
        }
    };
    let more = |count: usize| {
        html! { if count > 0 { <li class="muted">{ t.with("next-more", &n(count)) }</li> } }
    };
    let processors = match &m.processors {
        None => html! { <li class="muted">{ t.get("room-cpus-none") }</li> },
        Some(p) => {
            let (policy, scope) = &p.topology;
            let how = [
                ("policy", policy.to_string().into()),
                ("scope", scope.to_string().into()),
                ("numa", f64::from(p.numa).into()),
            ];
            let pools = [("shared", p.shared.clone().into()), ("reserved", p.reserved.clone().into())];
            html! { <>
                <li><span class="tag">{ "static" }</span><span>{ t.with("room-topology", &how) }</span></li>
                <li>{ t.with("room-cpus-pools", &pools) }</li>
                { for p.exclusive.0.iter().map(exclusive) }{ more(p.exclusive.1) }
            </> }
        }
    };
    let shutdown = m.shutdown.as_ref().map(|s| {
        let (told, of) = s.groups;
        let said = t.with("room-shutdown", &[("told", (told as f64).into()), ("of", (of as f64).into())]);
        let waits = s.waits.map(|(pods, left)| {
            t.with("room-shutdown-waits", &[("n", (pods as f64).into()), ("s", seconds(left.max(0)).into())])
        });
        html! { <li class="bad"><span>{ said }</span>if let Some(waits) = waits { <em>{ waits }</em> }</li> }
    });
    html! {
        <ul>{ processors }
            { for m.rejected.0.iter().map(|d| decision("bad", d)) }{ more(m.rejected.1) }
            { for m.resizes.0.iter().map(|d| decision("", d)) }{ more(m.resizes.1) }
            { shutdown.unwrap_or_default() }</ul>
    }
}

fn eviction(t: &Texts, r: &Rooms) -> Html {
    let row = |s: &SignalRow| {
        let [has, all, least] = &s.amounts;
        let said = t.with(
            "room-signal",
            &[("has", has.clone().into()), ("all", all.clone().into()), ("least", least.clone().into())],
        );
        let since = s.since.map(|ms| time(t, "room-signal-since", ms));
        html! {
            <li class={s.is_met.then_some("bad")}><code>{ s.signal.to_string() }</code><span>{ said }</span>
                if s.grace > 0 { <span class="muted">{ t.with("room-signal-soft", &[("s", (s.grace as f64).into())]) }</span> }
                if s.is_met { <em>{ since.unwrap_or_else(|| t.get("room-signal-met")) }</em> }</li>
        }
    };
    let pressure = |(name, ago): &(steady::engine::Word, Option<i64>)| {
        html! { <li class="bad"><b>{ name.to_string() }</b>if let Some(ms) = ago { <em>{ time(t, "room-ago", *ms) }</em> }</li> }
    };
    html! { <>
        <ul>{ for r.pressures.iter().map(pressure) }{ for r.signals.iter().map(row) }
            if r.signals.is_empty() { <li class="muted">{ t.get("room-signals-none") }</li> }</ul>
        <p class="muted">{ r.looks.map_or_else(|| t.get("room-looks-not"), |ms| time(t, "room-looks", ms)) }</p>
    </> }
}

fn garbage(t: &Texts, r: &Rooms) -> Html {
    let g = &r.garbage;
    let images = |key: &str, (count, bytes): (usize, i64)| {
        t.with(key, &[("n", (count as f64).into()), ("size", size(bytes).into())])
    };
    let disk = g.disk.map(|d| t.with("room-disk", &[("size", size(d).into())]));
    html! {
        <ul><li>{ images("room-images", g.images) }if let Some(disk) = disk { <span class="muted">{ disk }</span> }</li>
            <li>{ images("room-images-unused", g.unused) }</li>
            <li>{ t.with("room-dead", &n(g.dead)) }</li></ul>
    }
}

fn node(t: &Texts, r: &Rooms) -> Html {
    let (renewed, next) = r.lease;
    html! {
        <ul><li><span class="tag">{ "Lease" }</span>{ renewed.map_or_else(|| t.get("room-lease-none"), |ms| time(t, "room-lease", ms)) }
                if let Some(ms) = next { <em>{ time(t, "room-next", ms) }</em> }</li>
            <li><span class="tag">{ "NodeStatus" }</span>{ r.status.map_or_else(|| t.get("room-status-none"), |ms| time(t, "room-next", ms)) }</li></ul>
    }
}

fn sandbox(t: &Texts, s: &SandboxRow) -> Html {
    let ready = if s.ready { "SANDBOX_READY" } else { "SANDBOX_NOTREADY" };
    let handler = if s.handler.is_empty() { "runc" } else { &s.handler };
    let container = |(name, state): &(std::rc::Rc<str>, steady::engine::Word)| {
        html! { <span class={classes!("box", state.to_string().to_lowercase())}>{ format!("{name} {state}") }</span> }
    };
    html! {
        <li><code>{ s.id.clone() }</code>{ name(&s.pod) }<b>{ ready }</b><span class="muted">{ handler }</span>
            <span class="box pause" title={t.get("room-pause-about")}>{ "pause" }</span>{ for s.containers.iter().map(container) }</li>
    }
}
