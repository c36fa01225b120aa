//! The next commands: who would do what, and why. When there are none, the cluster is steady.

use std::rc::Rc;

use steady::engine::{
    self, Ailing, Ails, Counts, Declared, Halt, Happened, Input, Issued, Kind, Listing, Mode, NextLine,
    NextWhat, ObjectRef, Short, Word,
};
use yew::prelude::*;

use super::i18n::{Texts, middle, seconds, sentence};
use super::missing::missing_image;
use super::summary::Summary;
use super::{keys, who};
use crate::ui::hooks::{use_store, use_texts};

/// The verb of a command, as its chip has it.
fn verb(c: &Issued) -> String {
    match c.request.verb.as_str() {
        "deletecollection" => "DELETE".to_owned(),
        "list" | "watch" => "GET".to_owned(),
        verb => verb.to_ascii_uppercase(),
    }
}

/// What the list shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The lines.
    pub listing: Listing,
    /// What was declared.
    pub declared: Rc<Declared>,
    /// Whether it runs.
    pub mode: Mode,
    /// Whether a lesson asks what happens next, so that the pill does not tell it.
    #[prop_or_default]
    pub asks: bool,
    /// Grows with every step.
    #[prop_or_default]
    pub version: u64,
    /// What a person did next in this run.
    #[prop_or_default]
    pub ahead: Option<Rc<Happened>>,
    /// The step of a lesson that asks for a prediction which has not been made: its lesson's id and its place. The list would
    /// give the answer away, so it is shown only to who asks for it.
    #[prop_or_default]
    pub asked: Option<(String, usize)>,
    /// Shows how the scheduler stands to a pod.
    #[prop_or_default]
    pub why_node: Callback<ObjectRef>,
    /// Opens the rule book, at a rule if one is named; a page without it has none.
    #[prop_or_default]
    pub rules: Option<Callback<Option<Word>>>,
}

/// The list.
#[component]
pub fn NextCommands(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let d = &props.declared;
    let lines = &props.listing.lines;
    let looked = use_state(|| None::<(String, usize)>);
    let hidden = props.asked.is_some() && *looked != props.asked;
    let running = props.mode != Mode::Idle;
    let waits = lines.first().is_some_and(|l| l.wait > 0);
    let actions = lines.first().is_some_and(|l| matches!(l.what, NextWhat::Action { .. }));
    let heading = if hidden || props.listing.steady() {
        t.get("next-none")
    } else if actions {
        t.get("next-actions")
    } else if waits {
        t.get("next-waiting")
    } else {
        t.get("next-pick")
    };
    // What was typed into a container is done again before anything else.
    let redoes = props.ahead.as_ref().is_some_and(|ahead| matches!(**ahead, Happened::Executed { .. }));
    let item = |i: usize, line: &NextLine| {
        let (lighter, lit) = (store.clone(), line.clone());
        let light = move || lighter.light(Some(&lit));
        let dark = {
            let store = store.clone();
            move || store.light(None)
        };
        let (store, pick) = (store.clone(), line.pick);
        let first = i == 0 && !redoes;
        html! {
            <li key={format!("{i} {}", line.by)}>
                <button type="button" class={classes!("command", who::class(&line.by), first.then_some("first"))} title={t.next(line)}
                    onmouseenter={let l = light.clone(); move |_| l()} onmouseleave={let d = dark.clone(); move |_| d()}
                    onfocus={move |_| light()} onblur={move |_| dark()}
                    onclick={move |_| store.send(Input::Choose(pick))} disabled={running}>
                    <i class="dot" aria-hidden="true"></i>
                    <span class="by">{ middle(&line.by, 30) }</span>
                    { command(&t, line) }
                    <span class="go" aria-hidden="true">{ if first { t.get("step") } else { t.get("go-first") } }</span>
                </button>
                <WhyNode by={Some(line.by.clone())} about={line.about.to_vec()} open={props.why_node.clone()} />
                { for props.rules.as_ref().and_then(|open| rule_of(&t, line, open)) }
            </li>
        }
    };
    let again = props.ahead.as_ref().map(|ahead| {
        let store = store.clone();
        html! {
            <li key="again">
                <button type="button" class="command who-you first" disabled={running}
                    onclick={move |_| store.send(Input::Step)}>
                    <i class="dot" aria-hidden="true"></i>
                    <span class="by">{ t.get("you") }</span>
                    <span class="verb">{ t.get("redo-verb") }</span>
                    <span class="what">{ sentence(&t, ahead) }</span>
                    <span class="go" aria-hidden="true">{ t.get("redo") }</span>
                </button>
            </li>
        }
    });
    // Whoever chose a line by a key goes on in the list that follows it.
    use_effect_with((props.listing.ready, props.listing.lines.clone()), |(ready, _)| {
        if *ready && keys::has_focus(".next") {
            keys::focus(".next li button");
        }
    });
    let items = lines.iter().enumerate().map(|(i, line)| item(i, line));
    let scheduled = props.listing.scheduled.iter().map(|line| item(0, line));
    html! {
        <div class={classes!("next", (!props.listing.ready).then_some("looking"), hidden.then_some("withheld"))} tabindex="-1" aria-busy={(!props.listing.ready).to_string()}>
            <h2>{ heading }<Readings declared={d.clone()} />
                if let Some(open) = &props.rules {
                    <button type="button" id="rules-button" class="quiet rules-open" title={t.get("rules-title")} aria-haspopup="dialog"
                        onclick={let open = open.clone(); move |_| open.emit(None)}>{ t.get("rules-open") }</button>
                }</h2>
            if hidden {
                <p class="empty">{ t.get("next-asked") }{ " " }<button type="button" class="quiet"
                    onclick={let (looked, asked) = (looked.clone(), props.asked.clone()); move |_| looked.set(asked.clone())}>{ t.get("next-look") }</button></p>
            } else if props.listing.steady() {
                <Steady declared={props.declared.clone()} scheduled={props.listing.scheduled.is_some()} />
                if !running { <Summary version={props.version} /> }
                if let Some(again) = again {
                    <p class="empty">{ t.get("redo-about") }</p>
                    <ol>{ again }</ol>
                } else {
                    <ol>{ for scheduled }</ol>
                }
            } else if running && lines.is_empty() {
                <p class="empty">{ t.get("next-running") }</p>
            } else {
                if !running && props.listing.ready && !d.readings.is_empty() && d.as_declared() == (true, true) {
                    <p class="empty">{ t.get("reading-early") }</p>
                }
                <ol>{ for again.filter(|_| redoes) }{ for items }</ol>
                if props.listing.more > 0 {
                    <button type="button" class="quiet more" disabled={running || !props.listing.ready}
                        onclick={let s = store.clone(); move |_| s.send(Input::ShowMore)}>
                        { t.with("next-more", &[("n", (props.listing.more as f64).into())]) }</button>
                }
            }
        </div>
    }
}

/// Beside a next command: a button that opens the rule book at its rule.
fn rule_of(t: &Texts, line: &NextLine, open: &Callback<Option<Word>>) -> Option<Html> {
    let NextWhat::Command(c) = &line.what else { return None };
    let rule = c.why.as_ref()?.rule.clone();
    let said = t.with("rule-about", &[("rule", rule.to_string().into())]);
    let open = open.clone();
    Some(html! {
        <button type="button" class="quiet rule-of" title={said.clone()} aria-haspopup="dialog" onclick={move |_| open.emit(Some(rule.clone()))}>
            <span aria-hidden="true">{ t.get("rule-open") }</span><span class="sr">{ said }</span></button>
    })
}

/// What a step or a line is about.
#[derive(Properties, PartialEq)]
pub struct WhyNodeProps {
    /// The component that does it.
    pub by: Option<Rc<str>>,
    /// The objects.
    pub about: Vec<ObjectRef>,
    /// Shows how the scheduler stands to a pod.
    pub open: Callback<ObjectRef>,
}

/// Beside what the scheduler does: a button that shows why.
#[component]
pub fn WhyNode(props: &WhyNodeProps) -> Html {
    let t = use_texts();
    let pod = props.about.iter().find(|o| o.kind == Kind::POD).cloned();
    let schedules = props.by.as_deref().map(who::class) == Some("who-scheduler");
    let Some(pod) = pod.filter(|_| schedules) else { return Html::default() };
    let said = t.with("sched-why-about", &[("name", pod.key.name.to_string().into())]);
    let open = props.open.clone();
    html! {
        <button type="button" class="quiet why-node" title={said.clone()} onclick={move |_| open.emit(pod.clone())}>
            <span aria-hidden="true">{ t.get("sched-why") }</span><span class="sr">{ said }</span></button>
    }
}

fn command(t: &Texts, line: &NextLine) -> Html {
    match &line.what {
        NextWhat::Command(c) => {
            // 0: no server has answered.
            let refused = c.code >= 400 || c.code == 0;
            html! { <>
                <span class={classes!("verb", refused.then_some("bad"))}>{ verb(c) }</span>
                <span class="what"><code>{ middle(&c.request.object, 46) }</code>
                    if refused { <em class="refused">{ t.with("refused", &[("code", c.code.into())]) }</em> }
                    if line.wait > 0 { <em class="wait">{ t.with("in-time", &[("s", seconds(line.wait).into())]) }</em> }
                    if let Some((reason, message)) = &c.event { { " " }<b>{ reason }</b>{ ": " }{ message } }
                    if let Some(why) = &c.why { { " " }<span class="because">{ t.get("because") }{ t.gap(&t.why(why)) }<b>{ t.why(why) }</b></span> }
                </span>
            </> }
        }
        NextWhat::Action { name, kind } => html! { <>
            <span class="verb">{ t.get("step-verb") }</span>
            <span class="what">{ t.action(name, &line.by, kind) }
                if line.wait > 0 { <em class="wait">{ t.with("in-time", &[("s", seconds(line.wait).into())]) }</em> }
            </span>
        </> },
    }
}

#[derive(Properties, PartialEq)]
struct SteadyProps {
    declared: Rc<Declared>,
    scheduled: bool,
}

/// More objects with which something is wrong are only counted.
const AILING: usize = 50;

/// Nothing is left to do; and whether that is what was asked for.
#[component]
fn Steady(props: &SteadyProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let d = &*props.declared;
    let row = |s: &Short| {
        let object = s.pod.clone().unwrap_or_else(|| s.object.clone());
        let store = store.clone();
        html! {
            <li>
                <button type="button" class="short" onclick={move |_| store.send(Input::Select(Some(object.clone())))}>
                    <b>{ format!("{} {}", s.object.kind.as_str(), s.object.key.name) }</b>
                    <span>{ short(&t, s) }</span>
                    if let Some((reason, message)) = &s.own { <code>{ reason }</code><span class="message">{ message }</span> }
                    if !s.reason.is_empty() { <code>{ &s.reason }</code> }
                    if !s.message.is_empty() { <span class="message">{ &s.message }</span> }
                    if let Some(image) = &s.image { <span class="meant">{ missing_image(&t, image) }</span> }
                </button>
            </li>
        }
    };
    if d.met() {
        let text = match d {
            Declared { want: 0, bare: 0, completions: 0, ended: 0, stored: 0, .. } => t.get("steady-nothing"),
            Declared { want: 0, bare: 0, completions: 0, ended: 0, custom: 0, .. } => t.get("steady-stored"),
            Declared { want: 0, bare: 0, completions: 0, ended: 0, custom, .. } => {
                t.with("steady-custom", &[("n", (*custom as f64).into())])
            }
            Declared { want: 0, bare: 0, failed, .. } if !failed.is_empty() => String::new(),
            Declared { want: 0, bare: 0, completions, ended, .. } => {
                t.with("steady-ended", &[("n", ((completions + ended) as f64).into())])
            }
            Declared { want, bare, .. } => t.with("steady-met", &[("n", ((want + bare) as f64).into())]),
        };
        if d.failed.is_empty() {
            return html! { <p class="steady met"><b>{ t.get("steady") }</b>{ text }</p> };
        }
        let failed = t.with("steady-failed", &[("n", (d.failed.len() as f64).into())]);
        return html! { <>
            <p class="steady met"><b>{ t.get("steady") }</b>{ text }{ " " }{ failed }</p>
            <ul class="shorts">{ for d.failed.iter().map(row) }</ul>
        </> };
    }
    let ailing = |a: &Ailing| {
        let (store, object) = (store.clone(), a.object.clone());
        let (text, reason, message) = match &a.ails {
            Ails::Condition(c) => {
                let args = [("type", c.type_.clone().into()), ("status", c.status.clone().into())];
                (t.with("ails-condition", &args), c.reason.as_str(), c.message.as_str())
            }
            Ails::Phase { phase, reason, message } => {
                (t.with("ails-phase", &[("phase", phase.clone().into())]), reason.as_str(), message.as_str())
            }
            Ails::NoEndpoints => (t.get("ails-no-endpoints"), "", ""),
            Ails::NoSuchTargetPort(name) => {
                (t.with("ails-no-such-target-port", &[("name", name.clone().into())]), "", "")
            }
            Ails::NotServed => (t.get("ails-not-served"), "", ""),
            Ails::Missing(object) => {
                let name = format!("{} {}", object.kind.as_str(), object.key.name);
                (t.with("ails-missing", &[("object", name.into())]), "", "")
            }
            Ails::OverQuota { resource, used, hard } => {
                let args = [("resource", resource), ("used", used), ("hard", hard)];
                (t.with("ails-over-quota", &args.map(|(name, text)| (name, text.clone().into()))), "", "")
            }
            Ails::Finalizers(all) => {
                (t.with("ails-finalizers", &[("finalizers", all.join(", ").into())]), "", "")
            }
        };
        html! {
            <li>
                <button type="button" class="short" onclick={move |_| store.send(Input::Select(Some(object.clone())))}>
                    <b>{ format!("{} {}", a.object.kind.as_str(), a.object.key.name) }</b>
                    <span>{ text }</span>
                    if !reason.is_empty() { <code>{ reason }</code> }
                    if !message.is_empty() { <span class="message">{ message }</span> }
                    if let Some(image) = &a.image { <span class="meant">{ missing_image(&t, image) }</span> }
                </button>
            </li>
        }
    };
    html! { <>
        <p class="steady unmet"><b>{ t.get("steady-stuck") }</b>{ stuck(&t, d, props.scheduled) }
            { " " }{ parting(&t, d) }</p>
        <ul class="shorts">{ for d.short.iter().chain(&d.failed).map(row) }{ for d.ailing.iter().take(AILING).map(ailing) }</ul>
        if d.ailing.len() > AILING {
            <p class="empty">{ t.with("ails-more", &[("n", ((d.ailing.len() - AILING) as f64).into())]) }</p>
        }
    </> }
}

/// That nothing more happens by itself, and what is missing.
fn stuck(t: &Texts, d: &Declared, scheduled: bool) -> String {
    if let Some((run, of)) = d.no_majority {
        return t.with("stuck-etcd", &[("run", (run as f64).into()), ("of", (of as f64).into())]);
    }
    let lead = t.get(if scheduled { "stuck-until" } else { "stuck-for-good" });
    let counts = [("have", d.updated), ("of", d.want)].map(|(name, n)| (name, (n as f64).into()));
    let missing = |key, have: i64, want: i64| {
        (want > have).then(|| {
            t.with(
                key,
                &[
                    ("lead", lead.clone().into()),
                    ("n", ((want - have) as f64).into()),
                    ("of", (want as f64).into()),
                ],
            )
        })
    };
    missing("stuck-ready", d.ready, d.want)
        .or_else(|| {
            let [have, of] = counts;
            (d.want > d.updated).then(|| t.with("stuck-updated", &[("lead", lead.clone().into()), have, of]))
        })
        .or_else(|| missing("stuck-succeeded", d.succeeded, d.completions))
        .unwrap_or_else(|| t.with("stuck-other", &[("lead", lead.clone().into())]))
}

/// Where the two readings of what was declared part ways.
fn parting(t: &Texts, d: &Declared) -> String {
    match d.as_declared() {
        _ if d.readings.is_empty() => String::new(),
        (true, false) => t.get("reading-only-replica-sets"),
        (false, true) => t.get("reading-only-pods"),
        (false, false) => t.get("reading-neither"),
        (true, true) => String::new(),
    }
}

/// What the cluster's Deployments are, read in both ways: the short form, and the whole sentence.
#[derive(Properties, PartialEq)]
struct ReadingsProps {
    declared: Rc<Declared>,
}

/// Both readings of what was declared, each with whether the state matches.
#[component]
fn Readings(props: &ReadingsProps) -> Html {
    let t = use_texts();
    let open = use_state(|| false);
    let d = &props.declared;
    if d.readings.is_empty() {
        return Html::default();
    }
    let (replica_sets, pods) = d.as_declared();
    let of = d.readings.len() as f64;
    let met = |as_declared: fn(&engine::Readings) -> bool| {
        d.readings.iter().filter(|r| as_declared(r)).count() as f64
    };
    let chip = |word: &'static str, yes: bool| {
        html! {
            <span class={classes!("reading", if yes { "yes" } else { "no" })}>
                { word }{ " " }<b>{ t.get(if yes { "reading-yes" } else { "reading-no" }) }</b>
            </span>
        }
    };
    let said = |key: &'static str, met: f64| t.with(key, &[("met", met.into()), ("of", of.into())]);
    let about = [
        t.get("reading-about"),
        said("reading-replica-sets", met(engine::Readings::as_replica_sets)),
        said("reading-pods", met(engine::Readings::as_pods)),
    ];
    let toggle = {
        let open = open.clone();
        move |_| open.set(!*open)
    };
    html! { <>
        <button type="button" class="readings" title={about.join("\n")} aria-expanded={open.to_string()} aria-controls="readings-about"
            onclick={toggle}>{ t.get("reading-declared") }
            { chip("ReplicaSets", replica_sets) }{ chip("Pods", pods) }<i aria-hidden="true">{ "?" }</i></button>
        <span id="readings-about" class="readings-about" hidden={!*open}>{ for about.into_iter().map(|line| html! { <span>{ line }</span> }) }</span>
    </> }
}

fn short(t: &Texts, s: &Short) -> String {
    match s.counts {
        Counts::Pods { want, updated, available, total } => {
            let key = if s.halt == Some(Halt::Paused) { "short-paused" } else { "short" };
            let args = [("want", want), ("updated", updated), ("available", available), ("total", total)];
            t.with(key, &args.map(|(name, n)| (name, n.into())))
        }
        Counts::Completions { want, succeeded, active, failed } => {
            let args = [("want", want), ("succeeded", succeeded), ("active", active), ("failed", failed)];
            let key = if s.halt.is_some() { "short-suspended" } else { "short-job" };
            let said = t.with(key, &args.map(|(name, n)| (name, n.into())));
            // Nothing is left to do, and yet a pod runs.
            let endless = active > 0 && s.pod.is_some() && s.reason.is_empty();
            if endless { t.with("short-endless", &[("said", said.into())]) } else { said }
        }
    }
}

/// How it stands, over the graph.
#[component]
pub fn StatePill(props: &Props) -> Html {
    let t = use_texts();
    let d = &props.declared;
    let met = d.met();
    let counts = |have: i64, want: i64| [("want", (want as f64).into()), ("have", (have as f64).into())];
    let (class, text) = if props.mode != Mode::Idle {
        ("busy", t.get("pill-running"))
    } else if props.listing.steady() {
        match d.failed.as_slice() {
            _ if !met => ("unmet", t.get("stuck")),
            [] => ("met", t.get("steady")),
            [one] => ("failed", t.with("pill-failed", &[("name", one.object.key.name.to_string().into())])),
            all => ("failed", t.with("pill-failed-many", &[("n", (all.len() as f64).into())])),
        }
    } else if !props.listing.ready && props.listing.lines.is_empty() {
        ("busy", t.get("pill-looking"))
    } else if props.asks {
        // What it waits for, and for how long, may be what a lesson asks.
        ("busy", t.get("pill-asked"))
    } else if let Some(line) = props.listing.lines.first().filter(|l| l.wait > 0) {
        ("busy", t.with("pill-waiting", &[("s", seconds(line.wait).into())]))
    } else {
        let n = props.listing.lines.len() + props.listing.more;
        let actions = props.listing.lines.first().is_some_and(|l| matches!(l.what, NextWhat::Action { .. }));
        ("busy", t.with(if actions { "pill-actions" } else { "pill-next" }, &[("n", (n as f64).into())]))
    };
    let counted = [
        (d.want > 0).then(|| t.with("pill-ready", &counts(d.ready, d.want))),
        (d.updated < d.want && d.updated < d.ready)
            .then(|| t.with("pill-updated", &counts(d.updated, d.want))),
        (d.completions > 0).then(|| t.with("pill-succeeded", &counts(d.succeeded, d.completions))),
    ];
    html! {
        <p class={classes!("pill", class)}>
            <svg viewBox="-9 -9 18 18" width="14" height="14" aria-hidden="true">
                if class == "met" { <circle r="8" class="fill" /><path class="on" d="M-3.4.2-1 2.6 3.4-2.3" /> }
                else if class == "unmet" || class == "failed" { <path class="fill" d="M0-8 8.5 7h-17z" /><path class="on" d="M0-2.5V2.4M0 4.6v.2" /> }
                else { <circle r="7" class="line" /><path class="fill" d="M0 0V-7A7 7 0 0 1 7 0Z" /> }
            </svg>
            <b>{ text }</b>
            { for counted.into_iter().flatten().map(|said| html! { <span>{ said }</span> }) }
        </p>
    }
}
