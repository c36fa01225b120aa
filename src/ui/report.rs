//! What is printed: the run as a page to read. It stands nowhere else. A browser that is about to print waits for nobody, so the
//! engine is asked for what is in it as soon as the run has stood still for a moment.

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo::utils::window;
use steady::engine::{Answer, Ask, LessonView, ScenarioView};
use yew::prelude::*;

use super::export::{Picture, svg};
use super::i18n::sentence;
use super::store::Shared;
use super::topbar::title_of;
use crate::ui::hooks::{use_answer, use_store, use_texts};

/// For how many milliseconds the run stands still before the engine is asked.
const STILL: u32 = 1000;

/// What the report is about.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The scenario, if the run came from one.
    pub scenario: Option<Shared<ScenarioView>>,
    /// The lesson that the run belongs to.
    pub lesson: Option<Shared<LessonView>>,
    /// Grows with every change of the run.
    pub version: u64,
}

/// The report, while the browser prints.
#[component]
pub fn Report(props: &Props) -> Html {
    let store = use_store();
    let printing = use_state(|| false);
    {
        let printing = printing.setter();
        use_effect_with((), move |()| {
            let on = |event: &'static str, to: bool| {
                let printing = printing.clone();
                EventListener::new(&window(), event, move |_| printing.set(to))
            };
            let listeners = [on("beforeprint", true), on("afterprint", false)];
            move || drop(listeners)
        });
    }
    let t = use_texts();
    let still = use_state(|| 0);
    {
        let still = still.setter();
        use_effect_with(props.version, move |version| {
            let version = *version;
            let timer = Timeout::new(STILL, move || still.set(version));
            move || drop(timer)
        });
    }
    let wanted = *printing || *still == props.version;
    let steps = use_answer(wanted.then_some(Ask::Steps), props.version);
    let link = use_answer(wanted.then_some(Ask::Link), props.version);
    if !*printing {
        return Html::default();
    }
    let title = title_of(&t, props.scenario.as_deref(), props.lesson.as_deref());
    let story = props.scenario.as_ref().map(|s| t.of(&s.text)).unwrap_or_default();
    let (graph, changed, text) = store.with(|s| (s.graph.clone(), s.changed.clone(), s.text.clone()));
    let picture = svg(&Picture { graph: &graph, changed: &changed, says: "", texts: &t, dark: false });
    let picture = format!("data:image/svg+xml;charset=utf-8,{}", js_sys::encode_uri_component(&picture));
    let (steps, more) = match steps.as_deref() {
        Some(Answer::Steps(steps, more)) => (steps.as_slice(), *more),
        _ => (Default::default(), 0),
    };
    let link = match link.as_deref() {
        Some(Answer::Link(Some(link))) => store.address(link).unwrap_or_default(),
        _ => String::new(),
    };
    let step = |told: &steady::engine::StepTold| {
        let who = told
            .by
            .as_deref()
            .map_or_else(String::new, |by| if by == "you" { t.get("you") } else { by.to_owned() });
        let seconds = format!("{:.1}", told.time as f64 / 1000.0);
        let head = t.with(
            "export-step",
            &[("n", told.number.to_string().into()), ("who", who.into()), ("s", seconds.into())],
        );
        let fields = told.written.iter().flat_map(|w| w.changes.iter().take(3)).map(|c| {
            let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "–".into());
            html! { <code>{ format!("{}: {} → {}  ", c.path, value(&c.old), value(&c.new)) }</code> }
        });
        html! { <li><b>{ head }</b><span>{ sentence(&t, &told.happened) }</span>{ for fields }</li> }
    };
    html! {
        <article class="report">
            <h1>{ title }</h1>
            <p>{ story }</p>
            <img src={picture} alt={t.get("graph")} />
            <h2>{ t.get("timeline") }</h2>
            <ol>{ for steps.iter().map(step) }</ol>
            if more > 0 { <p>{ t.with("export-more", &[("n", (more as f64).into())]) }</p> }
            <h2>{ t.get("manifest") }</h2>
            <pre>{ text.as_str() }</pre>
            <p class="link">{ link }</p>
        </article>
    }
}
