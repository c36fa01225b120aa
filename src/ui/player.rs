//! A run to look at: as a part of another page, or large to present with. The graph, a sentence of what happened and one
//! of what is next, and the few buttons that a reader needs.

use std::rc::Rc;

use gloo::utils::document;
use steady::engine::{Answer, Ask, Input, Mode, Options, Part, Shape, Shown};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::glyph;
use super::graph::Graph;
use super::inspector::{Inspector, Tab};
use super::left::Left;
use super::lesson::LessonPanel;
use super::next::{NextCommands, StatePill};
use super::notice::{Progress, message};
use super::store::{LastStep, Shared, Store, Toast};
use super::timeline::Timeline;
use super::topbar::title_of;
use crate::ui::hooks::{use_answer, use_store, use_texts};
use std::collections::BTreeSet;
use steady::engine::ObjectRef;

/// What is shown, compared by its version.
#[derive(Clone)]
pub struct Held(pub Rc<Shown>);

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What the player shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What the engine says is to be shown.
    pub shown: Held,
    /// The last step.
    pub last_step: LastStep,
    /// A message.
    pub toast: Option<Toast>,
    /// Whether the editor's text was refused when it was applied.
    pub refused: bool,
    /// The objects of a command that is pointed at.
    pub lit: Shared<BTreeSet<ObjectRef>>,
    /// Which side of the selected object is shown.
    pub tab: UseStateHandle<Tab>,
    /// Whether it is embedded or presented.
    pub shape: Shape,
    /// Leaves the presentation.
    pub leave: Callback<()>,
}

/// Takes the next step: that of the run that was opened, as long as it has one, and else the cluster's own.
pub fn forward(store: &Store) {
    let ahead = store.with(|s| s.position + 1 < s.marks.len());
    store.send(if ahead { Input::Walk(1) } else { Input::Step });
}

/// Goes to the end of the run that was opened, and from there to the steady state.
pub fn to_end(store: &Store) {
    let ahead = store.with(|s| s.position + 1 < s.marks.len() && s.mode == Mode::Idle);
    if ahead {
        store.send(Input::Walk(i64::MAX));
    }
    store.send(Input::ToSteady);
}

/// A key was pressed. A page within another page takes the arrows alone, so that the others scroll that page.
pub fn pressed(store: &Store, e: &KeyboardEvent, shape: Shape, leave: &Callback<()>) {
    let inside = |what: &str| {
        let target = e.target().and_then(|t| t.dyn_into::<Element>().ok());
        target.is_some_and(|el| el.closest(what).ok().flatten().is_some())
    };
    let taken = inside("input, textarea, select, .editor, [role=tablist], [role=menu]")
        || (e.key() == " " && inside("button, summary, a"));
    if e.default_prevented() || e.ctrl_key() || e.meta_key() || e.alt_key() || taken {
        return;
    }
    let presented = shape == Shape::Presented;
    match e.key().as_str() {
        "ArrowRight" => forward(store),
        "ArrowLeft" => store.send(Input::Back),
        "PageDown" | "ArrowDown" | " " if presented => forward(store),
        "PageUp" | "ArrowUp" | "Backspace" if presented => store.send(Input::Back),
        "End" if presented => to_end(store),
        "Home" if presented => store.send(Input::Restart),
        "Escape" if presented => leave.emit(()),
        "n" | "N" if presented => {
            if let Ok(Some(notes)) = document().query_selector(".player-story") {
                let _ = if notes.has_attribute("open") {
                    notes.remove_attribute("open")
                } else {
                    notes.set_attribute("open", "")
                };
            }
        }
        _ => return,
    }
    e.prevent_default();
}

/// The player.
#[component]
pub fn Player(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let why = use_state(|| None);
    let v = &*props.shown.0;
    let options = store.options();
    let presented = props.shape == Shape::Presented;
    let shows = |part: Part| options.shows(part);
    let graph: Shared<_> = (&v.graph).into();
    let scenario = v.scenario.as_ref().map(Shared::from);
    let lesson = v.lesson.as_ref().map(Shared::from);
    let asks = v.lesson.as_ref().is_some_and(|l| l.asks());
    let title = title_of(&t, scenario.as_deref(), lesson.as_deref());
    let story = scenario.as_ref().map(|s| t.of(&s.text)).unwrap_or_default();
    let past = v.position.saturating_sub(v.beginning);
    let note = (v.notes.iter().rev()).find(|(at, _)| *at <= past).map(|(_, text)| t.of(text));
    // A lesson tells by itself, and what it asks is not given away.
    let told = note.or_else(|| Some(story).filter(|s| !s.is_empty())).filter(|_| lesson.is_none());
    let next = v.listing.lines.first().or(v.listing.scheduled.as_ref()).map(|line| t.next(line));
    let recorded = v.position + 1 < v.marks.len();
    let next = match next {
        _ if v.ended => Some(t.get("player-ended")),
        _ if recorded || asks => None,
        None if v.listing.ready => Some(t.get(if v.listing.steady() { "steady" } else { "next-none" })),
        next => next.map(|what| t.with("player-next", &[("what", what.into())])),
    };
    let on = |input: Input| {
        let store = store.clone();
        move |_| store.send(input.clone())
    };
    let step = {
        let store = store.clone();
        move |_| forward(&store)
    };
    let rushing = matches!(v.mode, Mode::ToSteady { .. });
    let end = {
        let store = store.clone();
        move |_| to_end(&store)
    };
    let stuck = v.ended || (v.listing.steady() && v.listing.scheduled.is_none() && !recorded);
    let leave = props.leave.clone();
    html! {
        <div class={classes!("app", "player", if presented { "presented" } else { "embedded" })}>
            <header class="player-head">
                <h1>{ title }</h1>
                <StatePill listing={v.listing.clone()} declared={v.declared.clone()} mode={v.mode} {asks} />
                if presented {
                    <button type="button" class="quiet" onclick={move |_| leave.emit(())}>{ t.get("present-leave") }</button>
                } else {
                    <OpenWhole version={v.version} />
                }
            </header>
            <main class={classes!("player-main", (shows(Part::Manifest) || shows(Part::Object)).then_some("split"))}>
                if shows(Part::Manifest) {
                    <Left scenario={None::<Shared<steady::engine::ScenarioView>>} text={Shared::from(&v.text)} text_set={v.text_set}
                        diagnostics={Shared::from(&v.diagnostics)} refused={props.refused} images={Shared::from(&v.images)} kinds={Shared::from(&v.kinds)} preview={v.preview.as_ref().map(Shared::from)}
                        terminal={Shared::from(&v.terminal)} history={Shared::from(&v.history)} shell={v.shell.as_ref().map(Shared::from)} editing={v.editing.as_ref().map(Shared::from)} />
                }
                <div class="player-middle">
                    if let Some(lesson) = lesson.filter(|_| shows(Part::Story)) {
                        <LessonPanel {lesson} selection={v.selection.clone()} class="played" />
                    }
                    if let Some(told) = told {
                        if shows(Part::Story) {
                            <details class="player-story" open=true><summary>{ t.get("story") }</summary><p>{ told }</p></details>
                        }
                    }
                    if shows(Part::Graph) {
                        <Graph hidden={false} graph={graph.clone()} whole={graph.clone()} rushing={matches!(v.mode, Mode::ToSteady { .. } | Mode::ToMoment { .. })}
                            runs={Shared::from(&v.runs)} now={v.clock} changed={Shared::from(&v.changed)} lit={props.lit.clone()} version={v.version}
                            session={v.session} selection={v.selection.clone()} inspect={Callback::noop()} scenario={v.scenario.as_ref().map(|s| s.id.clone())}>
                        </Graph>
                    }
                    if shows(Part::Next) {
                        <NextCommands listing={v.listing.clone()} declared={v.declared.clone()} mode={v.mode} version={v.version} ahead={v.act_ahead.clone()}
                            asked={v.lesson.as_ref().filter(|l| l.asks()).map(|l| (l.id.clone(), l.step))} />
                    }
                </div>
                if shows(Part::Object) {
                    <Inspector selection={v.selection.clone()} {rushing} subject={v.subject.clone()} graph={graph} version={v.version} at={v.at}
                        finest={v.finest} tab={props.tab.clone()} why={why} />
                }
                <div class="layer"></div>
            </main>
            <section class="player-said" aria-label={t.get("what-next")}>
                <p class={classes!("happened", props.last_step.who)}><i class="dot" aria-hidden="true"></i>
                    <span role="status" aria-live="polite">{ &props.last_step.text }</span></p>
                if let Some(next) = next { <p class="then">{ next }</p> }
            </section>
            if shows(Part::Timeline) { <Timeline marks={Shared::from(&v.marks)} position={v.position} /> }
            if !options.bare {
            <section class="player-controls" aria-label={t.get("transport")}>
                <button type="button" class="tool" title={t.get("restart")} aria-label={t.get("restart")} onclick={on(Input::Restart)}>
                    { glyph::icon(glyph::RESTART) }</button>
                <button type="button" class="tool" title={t.get("back-keys")} aria-label={t.get("back")} disabled={v.position <= v.beginning}
                    onclick={on(Input::Back)}>{ glyph::icon(glyph::BACK) }</button>
                <button type="button" class={classes!("step", stuck.then_some("rest"))} aria-keyshortcuts="ArrowRight" onclick={step} disabled={v.ended}>
                    { t.get("step") }<kbd aria-hidden="true">{ "→" }</kbd></button>
                <button type="button" class="word" aria-pressed={rushing.to_string()} onclick={end} disabled={v.ended}
                    aria-label={t.get(if rushing { "stop" } else { "to-steady" })}>
                    { glyph::icon(glyph::STEADY) }<span>{ t.get(if rushing { "stop" } else { "to-steady" }) }</span></button>
                <span class="player-at">{ t.with("player-at", &[("n", (past as f64).into())]) }</span>
            </section>
            }
            { message(&store, &t, props.toast.as_ref()) }
            <Progress mode={v.mode} slow={v.slow} />
        </div>
    }
}

/// What the link to the whole page is drawn from.
#[derive(Properties, PartialEq)]
struct OpenWholeProps {
    /// Grows with every change of the run.
    version: u64,
}

/// A link to the whole page with this run, in a window of its own.
#[component]
fn OpenWhole(props: &OpenWholeProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let here = match use_answer(Some(Ask::Link), props.version).as_deref() {
        Some(Answer::Link(Some(link))) => store.address(link),
        _ => store.address_with(&Options::default(), ""),
    };
    html! { <a class="quiet open-whole" href={here} target="_blank" rel="noopener">{ t.get("open-whole") }</a> }
}
