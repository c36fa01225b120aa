//! What was found, in words.

use std::rc::Rc;

use steady::engine::explorer::{Break, Cut, Found, Goal, Outcome};
use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use super::model::INVARIANTS;
use crate::ui::hooks::use_texts;
use crate::ui::i18n::Texts;

/// What the answers need.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What was found.
    pub found: Rc<Found>,
    /// How long it took, in milliseconds.
    pub took: f64,
    /// Whether ways can be gone now.
    pub can_open: bool,
    /// Goes a way.
    pub open: Callback<Goal>,
}

/// The answers.
#[component]
pub fn Answers(props: &Props) -> Html {
    let t = use_texts();
    let f = &props.found;
    let n = |key: &str, n: usize| t.with(key, &[("n", (n as f64).into())]);
    let (mark, verdict) = match (f.outcomes.len(), f.complete) {
        (0, true) => ("bad", t.get("explore-no-end")),
        (1, true) if f.circle.is_none() => ("ok", t.get("explore-one-end")),
        (1, true) => ("wait", t.get("explore-one-end-if")),
        (ends, true) => ("wait", n("explore-ends", ends)),
        (0, false) => ("wait", t.get("explore-no-end-yet")),
        (ends, false) => ("wait", n("explore-ends-yet", ends)),
    };
    let root = use_node_ref();
    {
        let root = root.clone();
        use_effect_with(props.found.clone(), move |_| {
            if let Some(el) = root.cast::<Element>() {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Start);
                el.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    }
    let several = f.outcomes.len() > 1;
    let outcomes = f.outcomes.iter().enumerate().map(|(nth, o)| outcome(props, &t, nth, o, several));
    html! {
        <div class="explore-answers" ref={root}>
            <p class={classes!("board-verdict", mark)}>{ verdict }</p>
            <p class="board-hint">{ looked(f, props.took, &t) }</p>
            if !f.complete { <p class="board-cut">{ cut(f, &t) }</p> }
            <ul>
                { for outcomes }
                if let Some(longest) = f.longest.filter(|l| Some(*l) != f.shortest) {
                    { line("", n("explore-longest", longest), None, button(props, Goal::Longest, &t)) }
                }
                if let Some(c) = &f.circle {
                    { line("bad", t.with("explore-circle", &[("before", (c.before as f64).into()), ("length", (c.length as f64).into())]),
                        None, button(props, Goal::Circle, &t)) }
                } else {
                    { line(if f.complete { "ok" } else { "" },
                        t.get(if f.complete { "explore-no-circle" } else { "explore-no-circle-yet" }), None, Html::default()) }
                }
            </ul>
            if !f.broken.is_empty() || !f.held.is_empty() {
                <h3>{ t.get("explore-invariants") }</h3>
                <ul>
                    { for f.broken.iter().enumerate().map(|(nth, b)| broken(props, &t, nth, b)) }
                    { for f.held.iter().map(|name| line("ok", held(name, f.complete, &t), None, Html::default())) }
                </ul>
            }
        </div>
    }
}

/// How many states, steps between them, how fast, and what they take.
fn looked(f: &Found, took: f64, t: &Texts) -> String {
    let rate = if took > 0.0 { f.states as f64 * 1000.0 / took } else { 0.0 };
    let args = [
        ("states", (f.states as f64).into()),
        ("edges", (f.edges as f64).into()),
        ("seconds", ((took / 100.0).round() / 10.0).into()),
        ("rate", rate.round().into()),
    ];
    let looked = t.with("explore-looked", &args);
    if f.memory == 0 || f.states == 0 {
        return looked;
    }
    let memory =
        if f.memory >> 20 == 0 { format!("{} KB", f.memory >> 10) } else { format!("{} MB", f.memory >> 20) };
    let args = [("memory", memory.into()), ("kb", ((f.memory / f.states / 100) as f64 / 10.0).into())];
    format!("{looked} {}", t.with("explore-took", &args))
}

/// Why it was cut short, and what holds all the same.
fn cut(f: &Found, t: &Texts) -> String {
    let key = match f.cut {
        None => "explore-cut-stop",
        Some(Cut::States) => "explore-cut-states",
        Some(Cut::Steps) => "explore-cut-steps",
        Some(Cut::Waiting) => "explore-cut-waiting",
        Some(Cut::Memory) => "explore-cut-memory",
        Some(Cut::Circle) => "explore-cut-circle",
    };
    let mut said = vec![t.get(key)];
    if f.waiting > 0 {
        said.push(t.with("explore-cut-waiting-for", &[("n", (f.waiting as f64).into())]));
    }
    said.push(t.with("explore-cut-left", &[("steps", (f.steps as f64).into())]));
    said.join(" ")
}

fn button(props: &Props, goal: Goal, t: &Texts) -> Html {
    let open = props.open.clone();
    html! {
        <button type="button" class="quiet" disabled={!props.can_open} onclick={move |_| open.emit(goal)}>
            { t.get("explore-open") }</button>
    }
}

fn line(mark: &'static str, text: String, more: Option<String>, button: Html) -> Html {
    html! {
        <li class={mark}><i aria-hidden="true"></i><div><span>{ text }</span>
            if let Some(more) = more { <small>{ more }</small> }</div>{ button }</li>
    }
}

fn outcome(props: &Props, t: &Texts, nth: usize, o: &Outcome, several: bool) -> Html {
    let steps = [("n", (o.steps as f64).into()), ("nth", ((nth + 1) as f64).into())];
    let text = t.with(if several { "explore-outcome" } else { "explore-shortest" }, &steps);
    let objects: Vec<String> = o.objects.iter().map(|(kind, n)| format!("{n} × {kind}")).collect();
    line("end", text, Some(objects.join(", ")), button(props, Goal::Outcome(nth), t))
}

/// An invariant's text: the catalogue's, or a person's own.
fn title(name: &str, t: &Texts) -> String {
    if INVARIANTS.contains(&name) { t.get(&format!("explore-holds-{name}")) } else { name.to_owned() }
}

fn held(name: &str, complete: bool, t: &Texts) -> String {
    let key = if complete { "explore-holds" } else { "explore-holds-yet" };
    t.with(key, &[("what", title(name, t).into())])
}

fn broken(props: &Props, t: &Texts, nth: usize, b: &Break) -> Html {
    let steps = (b.steps as f64).into();
    let what = title(&b.name, t).into();
    if let Some(why) = &b.undecided {
        let text = t.with("explore-undecided", &[("what", what), ("n", steps)]);
        return line("wait", text, Some(why.clone()), button(props, Goal::Broken(nth), t));
    }
    let mut facts: Vec<String> = b.object.iter().cloned().collect();
    facts.extend(b.values.iter().map(|(name, value)| format!("{name} {value}")));
    let about = format!("explore-why-{}", b.name);
    let about =
        if INVARIANTS.contains(&b.name.as_str()) && t.has(&about) { t.get(&about) } else { String::new() };
    let facts = facts.join(", ");
    let more = [facts, about].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(". ");
    let more = (!more.is_empty()).then_some(more);
    line(
        "bad",
        t.with("explore-breaks", &[("what", what), ("n", steps)]),
        more,
        button(props, Goal::Broken(nth), t),
    )
}
