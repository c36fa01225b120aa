//! What is always in reach: the scenario, the transport, the depth, the settings.

use std::rc::Rc;

use gloo::utils::{document_element, window};
use steady::engine::{
    Answer, Ask, Depth, Fault, Happened, Input, LessonView, Mode, NextLine, PlaneFault, Policy, SPEEDS,
    ScenarioView,
};
use yew::prelude::*;

use super::gallery::Gallery;
use super::glyph;
use super::i18n::{Lang, Texts, sentence};
use super::menu::{Choice, Menu};
use super::policy::PolicyMenu;
use super::store::{Shared, Store};
use crate::ui::hooks::{use_store, use_texts};

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub struct BarProps {
    /// The scenario that is on the table.
    pub scenario: Option<Shared<ScenarioView>>,
    /// The lesson that the run belongs to.
    pub lesson: Option<Shared<LessonView>>,
    /// Opens the map of the course.
    pub course: Callback<bool>,
    /// Opens the keys.
    pub help: Callback<bool>,
    /// Opens the list of kept runs.
    pub runs: Callback<bool>,
    /// Whether the explorer is open.
    pub exploring: bool,
    /// Opens or closes it.
    pub explore: Callback<bool>,
    /// Whether the panel about rollouts is open.
    pub rehearsing: bool,
    /// Opens or closes it.
    pub rehearse: Callback<bool>,
}

/// What a run is called: by the lesson that it belongs to, or else by its scenario.
pub fn title_of(t: &Texts, scenario: Option<&ScenarioView>, lesson: Option<&LessonView>) -> String {
    match (lesson, scenario) {
        (Some(lesson), _) => t.of(&lesson.title),
        (None, Some(scenario)) => t.of(&scenario.title),
        (None, None) => t.get("own-work"),
    }
}

/// Brand, scenario, settings.
#[component]
pub fn TopBar(props: &BarProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let title = title_of(&t, props.scenario.as_deref(), props.lesson.as_deref());
    let course = props.course.reform(|_: MouseEvent| true);
    let other = match t.lang() {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    };
    let language = {
        let store = store.clone();
        move |_| {
            remember("steady:lang", other.tag());
            // What a person chooses outranks what the address says.
            store.set_options(|options| options.lang = None);
            store.write_options();
            store.set_lang(other);
        }
    };
    let theme = {
        let store = store.clone();
        move |_| {
            toggle_theme();
            store.set_options(|options| options.dark = None);
            store.write_options();
        }
    };
    let share = {
        let store = store.clone();
        move |_| store.send(Input::Share)
    };
    let help = {
        let help = props.help.clone();
        move |_| help.emit(true)
    };
    let explore = {
        let (explore, open) = (props.explore.clone(), props.exploring);
        move |_| explore.emit(!open)
    };
    let rehearse = {
        let (rehearse, open) = (props.rehearse.clone(), props.rehearsing);
        move |_| rehearse.emit(!open)
    };
    html! {
        <header class="top">
            <div class="top-start">
            <h1 class="brand">
                <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
                    <circle cx="11" cy="11" r="9.2" /><path d="M4.5 11c2.2-5 4.2 5 6.5 0s4.3 0 6.5 0" />
                </svg>
                { "Steady" }
            </h1>
            <Gallery {title} now={props.scenario.as_ref().filter(|_| props.lesson.is_none()).map(|s| s.id.clone())} runs={props.runs.clone()} course={props.course.clone()}
                rehearse={props.rehearse.clone()} />
            <button type="button" id="course-button" class="menu-button course-open" title={t.get("course-title")} aria-label={t.get("course")} aria-haspopup="dialog" onclick={course}>
                { glyph::icon(glyph::COURSE) }<span>{ t.get("course") }</span>
            </button>
            <Faults />
            <button type="button" id="explore-button" class="menu-button" title={t.get("explore-keys")} aria-label={t.get("explore")}
                aria-expanded={props.exploring.to_string()} onclick={explore}>
                { glyph::icon(glyph::ORDERS) }<span>{ t.get("explore") }</span>
            </button>
            <button type="button" id="rehearse-button" class="menu-button" title={t.get("rehearse-keys")} aria-label={t.get("rehearse")}
                aria-expanded={props.rehearsing.to_string()} onclick={rehearse}>
                { glyph::icon(glyph::REQUESTS) }<span>{ t.get("rehearse") }</span>
            </button>
            </div>
            <div class="top-end">
            <button type="button" class="language" onclick={language} lang={other.tag()}>
                { if other == Lang::Zh { "中文" } else { "English" } }
            </button>
            <button type="button" class="tool" title={t.get("theme")} aria-label={t.get("theme")} onclick={theme}>
                { glyph::icon(glyph::THEME) }
            </button>
            <button type="button" id="keys-button" class="tool" title={t.get("keys")} aria-label={t.get("keys")} onclick={help}>
                <b aria-hidden="true">{ "?" }</b>
            </button>
            <button type="button" class="share" onclick={share}>{ t.get("share") }</button>
            </div>
        </header>
    }
}

fn remember(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        // A setting that cannot be kept holds until the page is closed.
        let _ = storage.set_item(key, value);
    }
}

/// Whether the page is dark now.
pub fn is_dark() -> bool {
    // Of the address or of the browser's storage: static/boot.js has read both.
    match document_element().get_attribute("data-theme").as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => window().match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|m| m.matches()),
    }
}

fn toggle_theme() {
    let next = if is_dark() { "light" } else { "dark" };
    remember("steady:theme", next);
    let _ = document_element().set_attribute("data-theme", next);
    if let Ok(event) = web_sys::Event::new("steady:theme") {
        let _ = window().dispatch_event(&event);
    }
}

/// What the transport shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Whether it runs.
    pub mode: Mode,
    /// How fast.
    pub speed: usize,
    /// How deep a step goes.
    pub depth: Depth,
    /// Who goes next where nobody is chosen.
    pub policy: Policy,
    /// Whether there is nothing to go back to.
    pub at_start: bool,
    /// What a step would do.
    pub first: Option<NextLine>,
    /// Whether there is nothing to step to.
    pub steady: bool,
    /// What a person did next, which a step does again where there is nothing else to do, or where it was typed into a container.
    pub ahead: Option<Rc<Happened>>,
}

/// The depths, and their keys in the catalogue.
const DEPTHS: [(Depth, &str); 3] = [
    (Depth::Command, "depth-command"),
    (Depth::Reconcile, "depth-reconcile"),
    (Depth::Machinery, "depth-machinery"),
];

/// Restart, back, step, run, to steady; speed and depth.
#[component]
pub fn Transport(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let on = |input: Input| {
        let store = store.clone();
        move |_: MouseEvent| store.send(input.clone())
    };
    let playing = props.mode == Mode::Playing;
    let rushing = matches!(props.mode, Mode::ToSteady { .. });
    let is_typed = |ahead: &&Rc<Happened>| matches!(***ahead, Happened::Executed { .. });
    let again = props.ahead.as_ref().filter(|ahead| props.steady || is_typed(ahead));
    let hint = match (&props.first, again) {
        (_, Some(ahead)) => t.with("redo-what", &[("what", sentence(&t, ahead).into())]),
        (Some(line), None) => t.next(line),
        (None, None) if props.steady => t.get("steady"),
        (None, None) => String::new(),
    };
    let speed = |i: usize, ms: u32| {
        let label = format!("{}×", 400.0 / f64::from(ms));
        html! { <option value={i.to_string()} selected={i == props.speed}>{ label }</option> }
    };
    let set_speed = {
        let store = store.clone();
        Callback::from(move |e: Event| {
            let to = e.target_dyn_into::<web_sys::HtmlSelectElement>().and_then(|s| s.value().parse().ok());
            store.send(Input::Speed(to.unwrap_or(2)));
        })
    };
    let choose_depth = {
        let store = store.clone();
        Callback::from(move |e: Event| {
            let to: Option<usize> =
                e.target_dyn_into::<web_sys::HtmlSelectElement>().and_then(|s| s.value().parse().ok());
            if let Some((depth, _)) = to.and_then(|i| DEPTHS.get(i)) {
                store.send(Input::Depth(*depth));
            }
        })
    };
    let depth = |d: Depth, key: &'static str| {
        let store = store.clone();
        html! {
            <button type="button" role="radio" aria-checked={(d == props.depth).to_string()}
                tabindex={if d == props.depth { "0" } else { "-1" }} title={t.get(&format!("{key}-about"))}
                onclick={move |_| store.send(Input::Depth(d))}>{ t.get(key) }</button>
        }
    };
    html! {
        <section class="controls" aria-label={t.get("controls")}>
            <div class="transport" role="group" aria-label={t.get("transport")}>
                <button type="button" class="tool" title={t.get("restart-keys")} aria-label={t.get("restart")} onclick={on(Input::Restart)}>
                    { glyph::icon(glyph::RESTART) }</button>
                <button type="button" class="tool" title={t.get("back-keys")} aria-label={t.get("back")} disabled={props.at_start}
                    onclick={on(Input::Back)}>{ glyph::icon(glyph::BACK) }</button>
                <button type="button" class={classes!("step", (props.steady && again.is_none()).then_some("rest"))} title={hint} aria-keyshortcuts="ArrowRight" onclick={on(Input::Step)}>
                    { t.get(if again.is_some() { "redo" } else { "step" }) }<kbd aria-hidden="true">{ "→" }</kbd></button>
                <button type="button" class="word" aria-pressed={playing.to_string()} onclick={on(Input::Run)}
                    aria-label={t.get(if playing { "pause" } else { "run" })} title={t.get("key-run")}>
                    { glyph::icon(if playing { glyph::PAUSE } else { glyph::PLAY }) }
                    <span>{ t.get(if playing { "pause" } else { "run" }) }</span></button>
                <button type="button" class="word" aria-pressed={rushing.to_string()} onclick={on(Input::ToSteady)}
                    aria-label={t.get(if rushing { "stop" } else { "to-steady" })} title={t.get("to-steady-keys")}>
                    { glyph::icon(glyph::STEADY) }<span>{ t.get(if rushing { "stop" } else { "to-steady" }) }</span></button>
                <span class="fine">
                    <label class="speed"><span class="sr">{ t.get("speed") }</span>
                        <select onchange={set_speed}>{ for SPEEDS.iter().enumerate().map(|(i, ms)| speed(i, *ms)) }</select></label>
                    // Where there is no room for three buttons.
                    <label class="depth-choice"><span class="sr">{ t.get("depth") }</span>
                        <select onchange={choose_depth}>{ for DEPTHS.iter().enumerate().map(|(i, (d, key))| html! {
                            <option value={i.to_string()} selected={*d == props.depth}>{ t.get(key) }</option> }) }</select></label>
                </span>
                <PolicyMenu policy={props.policy.clone()} />
            </div>
            <div class="seg" role="radiogroup" aria-label={t.get("depth")} onkeydown={depth_keys(&store)}>
                { for DEPTHS.iter().map(|(d, key)| depth(*d, key)) }
            </div>
        </section>
    }
}

/// Arrow keys choose among the depths, as in any set of radio buttons.
fn depth_keys(store: &Store) -> Callback<KeyboardEvent> {
    let store = store.clone();
    Callback::from(move |e: KeyboardEvent| {
        // As it is, which may not be drawn yet.
        let now = store.with(|s| s.depth);
        let at = DEPTHS.iter().position(|(d, _)| *d == now).unwrap_or(0);
        let to = match e.key().as_str() {
            "ArrowRight" | "ArrowDown" => (at + 1) % 3,
            "ArrowLeft" | "ArrowUp" => (at + 2) % 3,
            _ => return,
        };
        e.prevent_default();
        e.stop_propagation();
        if let Some((d, _)) = DEPTHS.get(to) {
            store.send(Input::Depth(*d));
            super::keys::focus(&format!(".seg button:nth-child({})", to + 1));
        }
    })
}

/// What can go wrong with the control plane.
#[component]
fn Faults() -> Html {
    let store = use_store();
    let t = use_texts();
    // As they were when the menu was opened.
    let offered = use_mut_ref(Vec::<PlaneFault>::new);
    let choices = {
        let (store, t, offered) = (store.clone(), t.clone(), offered.clone());
        Callback::from(move |open: Callback<Vec<Choice>>| {
            let (t, offered) = (t.clone(), offered.clone());
            let told = move |answer: Answer| {
                let Answer::PlaneFaults(faults) = answer else { return };
                let choice = |f: &PlaneFault| Choice {
                    title: t.with(&f.key, &[("what", f.what.to_string().into())]),
                    about: t.with(&format!("{}-about", f.key), &[("what", f.what.to_string().into())]),
                    now: false,
                    group: match &f.fault {
                        Fault::MetricsServer { .. }
                        | Fault::CoreDns { .. }
                        | Fault::IngressNginx { .. }
                        | Fault::GatewayFabric { .. }
                        | Fault::KubeProxy { .. }
                        | Fault::NetworkPlugin { .. } => t.get("faults-installed"),
                        Fault::Manifest { .. } => t.get("faults-manifests"),
                        _ => t.get("faults-plane"),
                    },
                };
                let choices = faults.iter().map(choice).collect();
                *offered.borrow_mut() = faults;
                open.emit(choices);
            };
            store.ask(Ask::PlaneFaults, Callback::from(told));
        })
    };
    let choose = Callback::from(move |i: usize| {
        let chosen = offered.borrow().get(i).map(|f| f.fault.clone());
        if let Some(fault) = chosen {
            store.send(Input::Break(fault));
        }
    });
    let label = html! { <>{ glyph::icon(glyph::BOLT) }<span class="if-wide">{ t.get("faults") }</span></> };
    html! { <Menu class="faults" name={t.get("faults")} {label} {choices} {choose} /> }
}
