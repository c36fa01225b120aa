//! The gallery: a button that opens the scenarios by theme, below a field in which a person types what to look for. The field is
//! a combobox and the scenarios are its listbox, as the ARIA Authoring Practices have them: the focus stays in the field, and
//! arrow keys say which scenario Enter opens.

use std::rc::Rc;

use gloo::utils::{document, window};
use steady::engine::{Answer, Ask, Input, ScenarioView, Theme};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use super::glyph;
use super::i18n::Texts;
use super::pane::is_narrow;
use super::sought::Sought;
use crate::ui::hooks::{use_store, use_texts};

/// The id of the list, which the field names.
const LIST: &str = "gallery-list";

/// How many scenarios Page Down passes over.
const PAGE: usize = 6;

/// What the gallery needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What the run is called that is open.
    pub title: String,
    /// The id of the scenario that is open.
    pub now: Option<Rc<str>>,
    /// Opens the list of kept runs.
    pub runs: Callback<bool>,
    /// Opens the map of the course.
    pub course: Callback<bool>,
    /// Opens the panel about requests.
    pub rehearse: Callback<bool>,
}

/// A scenario in the gallery.
#[derive(Clone, PartialEq)]
struct Line {
    scenario: ScenarioView,
    /// Its number and title.
    title: String,
}

/// The heading of a theme.
fn heading(t: &Texts, theme: Option<Theme>) -> String {
    t.get(match theme {
        Some(Theme::FirstSteps) => "theme-first-steps",
        Some(Theme::Rollouts) => "theme-rollouts",
        Some(Theme::Workloads) => "theme-workloads",
        Some(Theme::Containers) => "theme-containers",
        Some(Theme::Scheduling) => "theme-scheduling",
        Some(Theme::Autoscaling) => "theme-autoscaling",
        Some(Theme::Network) => "theme-network",
        Some(Theme::Storage) => "theme-storage",
        Some(Theme::Nodes) => "theme-nodes",
        Some(Theme::ControlPlane) => "theme-control-plane",
        Some(Theme::Api) => "theme-api",
        None => "theme-others",
    })
}

/// The scenarios by theme, each with its number among all of them.
fn lines(t: &Texts, scenarios: Vec<ScenarioView>) -> Vec<Line> {
    let titled = |(i, scenario): (usize, ScenarioView)| {
        let title = format!("{}. {}", i + 1, t.of(&scenario.title));
        Line { scenario, title }
    };
    let mut lines: Vec<Line> = scenarios.into_iter().enumerate().map(titled).collect();
    // The numbers stay in their order under each heading.
    lines.sort_by_key(|line| (line.scenario.theme.is_none(), line.scenario.theme));
    lines
}

/// Whether a scenario is among those that are looked for: by its number and title, its text, in both languages, or its heading.
fn is_found(t: &Texts, sought: &Sought, line: &Line) -> bool {
    let Line { scenario: ScenarioView { title, text, theme, .. }, .. } = line;
    let head = if sought.is_empty() { String::new() } else { heading(t, *theme) };
    sought.is_in([&*line.title, &*title.en, &*title.zh, &*text.en, &*text.zh, &*head])
}

/// The button, and the gallery when it is open.
#[component]
pub fn Gallery(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    // As they were when it was opened.
    let open = use_state(|| None::<Vec<Line>>);
    let typed = use_state(String::new);
    // The place of the scenario that Enter opens, among those that are shown.
    let at = use_state(|| 0_usize);
    let root = use_node_ref();
    let button = use_node_ref();
    let sought = Sought::new(&typed);
    let shown: Vec<&Line> = open.iter().flatten().filter(|line| is_found(&t, &sought, line)).collect();
    let active = shown.get(*at).map(|line| option_id(line));
    {
        let root = root.clone();
        use_effect_with(open.is_some(), move |open| {
            if *open {
                // On a phone the field would bring up the keyboard, which leaves little room for the list.
                let coarse = window().match_media("(pointer: coarse)").ok().flatten();
                let touched = is_narrow() && coarse.is_some_and(|m| m.matches());
                focus_in(&root, if touched { ".gallery-list" } else { ".menu-find" });
            }
        });
    }
    use_effect_with(active.clone(), |active| {
        let option = active.as_ref().and_then(|id| document().get_element_by_id(id));
        if let Some(option) = option {
            let nearest = ScrollIntoViewOptions::new();
            nearest.set_block(ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
    let toggle = {
        let (store, t, open, typed) = (store.clone(), t.clone(), open.clone(), typed.clone());
        let (at, now) = (at.clone(), props.now.clone());
        Callback::from(move |_: MouseEvent| {
            if open.is_some() {
                return open.set(None);
            }
            typed.set(String::new());
            let (t, open, at, now) = (t.clone(), open.setter(), at.setter(), now.clone());
            let told = move |answer: Answer| {
                let Answer::Scenarios(scenarios) = answer else { return };
                let lines = lines(&t, scenarios);
                // It opens where the scenario stands that is open.
                let here = lines.iter().position(|line| now.as_ref() == Some(&line.scenario.id));
                at.set(here.unwrap_or(0));
                open.set(Some(lines));
            };
            store.ask(Ask::Scenarios, Callback::from(told));
        })
    };
    let close = {
        let (open, button) = (open.clone(), button.clone());
        move || {
            open.set(None);
            if let Some(b) = button.cast::<HtmlElement>() {
                let _ = b.focus();
            }
        }
    };
    let choose = {
        let (store, close) = (store.clone(), close.clone());
        Callback::from(move |id: Rc<str>| {
            close();
            store.send(Input::OpenScenario(id.to_string()));
        })
    };
    let onkeydown = {
        let (root, open, close, at) = (root.clone(), open.clone(), close.clone(), at.clone());
        let (empty, last) = (typed.is_empty(), shown.len().saturating_sub(1));
        let chosen = shown.get(*at).map(|line| line.scenario.id.clone());
        let choose = choose.clone();
        Callback::from(move |e: KeyboardEvent| {
            if open.is_none() {
                return;
            }
            let on = e.target().and_then(|target| target.dyn_into::<Element>().ok());
            let is_on = |selector: &str| on.as_ref().is_some_and(|on| on.matches(selector).unwrap_or(false));
            let (field, list) = (is_on(".menu-find"), is_on(".gallery-list"));
            let to = match e.key().as_str() {
                // The page's own keys hear nothing of what is typed here.
                _ if e.is_composing() => return e.stop_propagation(),
                "Tab" => return,
                "Escape" => {
                    close();
                    None
                }
                "Enter" | " " if list || (field && e.key() == "Enter") => {
                    chosen.iter().for_each(|id| choose.emit(id.clone()));
                    None
                }
                "ArrowDown" => Some(if *at >= last { 0 } else { *at + 1 }),
                "ArrowUp" => Some(at.checked_sub(1).unwrap_or(last)),
                "PageDown" => Some((*at + PAGE).min(last)),
                "PageUp" => Some(at.saturating_sub(PAGE)),
                // In a text these move its caret.
                "Home" if empty => Some(0),
                "End" if empty => Some(last),
                key => {
                    e.stop_propagation();
                    let types = key.chars().count() == 1 && key != " ";
                    if types && !field && !e.ctrl_key() && !e.meta_key() && !e.alt_key() {
                        // The field takes the letter over, for it has the focus by the time that the letter is put in.
                        focus_in(&root, ".menu-find");
                    }
                    return;
                }
            };
            e.prevent_default();
            e.stop_propagation();
            if let Some(to) = to {
                at.set(to);
                if !field && !list {
                    focus_in(&root, ".menu-find");
                }
            }
        })
    };
    let onfocusout = {
        let (open, root) = (open.clone(), root.clone());
        Callback::from(move |e: FocusEvent| {
            let to = e.related_target().and_then(|t| t.dyn_into::<web_sys::Node>().ok());
            let inside = root.cast::<Element>().is_some_and(|r| r.contains(to.as_ref()));
            if !inside && open.is_some() {
                open.set(None);
            }
        })
    };
    let oninput = {
        let (typed, at) = (typed.clone(), at.clone());
        Callback::from(move |e: InputEvent| {
            typed.set(e.target_unchecked_into::<HtmlInputElement>().value());
            at.set(0);
        })
    };
    // What has no button of its own on a phone.
    let act = |key: &str, about: &str, icon: &'static str, act: &Callback<bool>| {
        let (act, close) = (act.clone(), close.clone());
        let onclick = move |_: MouseEvent| {
            close();
            act.emit(true);
        };
        html! {
            <button type="button" class="quiet" title={t.get(about)} {onclick}>{ glyph::icon(icon) }{ t.get(key) }</button>
        }
    };
    let name = t.get("scenarios");
    let called = t.with("scenarios-now", &[("title", props.title.as_str().into())]);
    html! {
        <div class="menu scenarios" ref={root} {onkeydown} {onfocusout}>
            <button type="button" class="menu-button" ref={button} aria-haspopup="dialog" title={name.clone()}
                aria-expanded={open.is_some().to_string()} aria-label={called} onclick={toggle}>
                <b>{ &props.title }</b>{ glyph::icon(glyph::DOWN) }
            </button>
            if open.is_some() {
                <div class="menu-list gallery" role="dialog" aria-label={name.clone()} tabindex="-1">
                    <div class="gallery-head">
                        <input class="menu-find" type="text" role="combobox" autocomplete="off" spellcheck="false" aria-autocomplete="list"
                            aria-expanded="true" aria-controls={LIST} aria-activedescendant={active.clone()} aria-label={t.get("gallery-find")}
                            placeholder={t.get("gallery-find")} value={(*typed).clone()} {oninput} />
                        <div class="gallery-acts">
                            { act("course-open", "course-title", glyph::COURSE, &props.course) }
                            { act("runs-open", "runs-open-about", glyph::RUNS, &props.runs) }
                            { act("rehearse-title", "rehearse-about", glyph::REQUESTS, &props.rehearse) }
                        </div>
                        <p class={if shown.is_empty() { "empty" } else { "sr" }} role="status">
                            if !sought.is_empty() { { t.with("gallery-found", &[("n", shown.len().into())]) } }
                        </p>
                    </div>
                    <div class="gallery-list" id={LIST} role="listbox" aria-label={name} aria-activedescendant={active.clone()} tabindex="-1">
                        { for shown.chunk_by(|a, b| a.scenario.theme == b.scenario.theme).map(|of| group(&t, of, active.as_deref(), props.now.as_ref(), &choose)) }
                    </div>
                </div>
            }
        </div>
    }
}

/// The scenarios of one theme, below its heading.
fn group(
    t: &Texts,
    of: &[&Line],
    active: Option<&str>,
    now: Option<&Rc<str>>,
    choose: &Callback<Rc<str>>,
) -> Html {
    let Some(first) = of.first() else { return Html::default() };
    let head = format!("gallery-of-{}", first.scenario.id);
    let option = |line: &&Line| {
        let id = option_id(line);
        let is_active = active == Some(&*id);
        let (choose, scenario) = (choose.clone(), line.scenario.id.clone());
        let onclick = move |_: MouseEvent| choose.emit(scenario.clone());
        let current = (now == Some(&line.scenario.id)).then_some("true");
        html! {
            <div key={id.clone()} role="option" aria-selected={is_active.to_string()} aria-current={current} {onclick}
                aria-labelledby={format!("{id}-title")} aria-describedby={format!("{id}-about")} id={id.clone()}>
                <b id={format!("{id}-title")}>{ &line.title }</b>
                <span id={format!("{id}-about")}>{ t.of(&line.scenario.text) }</span>
            </div>
        }
    };
    html! {
        <div role="group" aria-labelledby={head.clone()}>
            <p class="menu-head" role="presentation" id={head}>{ heading(t, first.scenario.theme) }</p>
            { for of.iter().map(option) }
        </div>
    }
}

/// The id of a scenario's line.
fn option_id(line: &Line) -> String {
    format!("gallery-{}", line.scenario.id)
}

fn focus_in(root: &NodeRef, selector: &str) {
    let found = root.cast::<Element>().and_then(|root| root.query_selector(selector).ok().flatten());
    if let Some(el) = found.and_then(|el| el.dyn_into::<HtmlElement>().ok()) {
        let _ = el.focus();
    }
}
