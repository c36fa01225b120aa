//! The panel with the lesson that somebody goes through: the step's text, what it asks, and the way on.

mod answers;
mod file;
mod markdown;

use steady::engine::{
    Answer, Ask, CourseLine, EndView, Input, JourneyLink, LessonView, ObjectRef, PrintView, SeenView,
    TaskView, Text,
};
use yew::prelude::*;

use self::answers::Prophecy;
pub use self::file::LessonFile;
use self::markdown::markdown;
use super::hooks::{use_answer, use_store, use_texts};
use super::i18n::Texts;
use super::store::{Shared, Store};
use super::{glyph, keys, who};

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The lesson.
    pub lesson: Shared<LessonView>,
    /// The object that is selected in the graph.
    pub selection: Option<ObjectRef>,
    /// Shows the journey of a request; `None` where no such place is on the page.
    #[prop_or_default]
    pub follow: Option<Callback<JourneyLink>>,
    /// Where the panel stands: `beside` the editor, `brief` above the graph of a narrow page, `played` above that of a run that is
    /// embedded or presented.
    pub class: &'static str,
}

/// The panel.
#[component]
pub fn LessonPanel(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let panel = use_node_ref();
    let folded = use_state(|| false);
    let lesson = &props.lesson;
    {
        // Whoever pressed "Next" reads on, also with a screen reader: the new text has the focus.
        let (panel, before) = (panel.clone(), use_mut_ref(|| None::<(String, usize, bool)>));
        let answered = lesson.predict.as_ref().is_some_and(|p| p.predicted.is_some());
        use_effect_with((lesson.id.clone(), lesson.step, answered), move |now| {
            let was = before.replace(Some(now.clone()));
            let same_step = was.as_ref().is_some_and(|was| (&was.0, was.1) == (&now.0, now.1));
            if same_step && now.2 {
                // The buttons of the answers are gone, and with them what had the focus.
                keys::focus_in(&panel, ".lesson-outcome");
            } else if was.is_some() || keys::is_nowhere("#course-button, .lesson") {
                keys::focus_in(&panel, ".lesson-text");
            }
        });
    }
    {
        // What is printed can be longer than the panel: whoever has reached the goal sees it.
        let panel = panel.clone();
        let met = lesson.task.as_ref().is_some_and(|task| task.met);
        use_effect_with((lesson.id.clone(), lesson.step, met), move |(_, _, met)| {
            if *met {
                keys::into_sight(&panel, ".lesson-met");
            }
        });
    }
    let on = |input: Input| {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| store.send(input.clone()))
    };
    let is_end = lesson.end.is_some();
    let place = lesson.id.split('-').next().unwrap_or_default().to_owned();
    let dot = |n: usize| {
        let (reached, here) = (n < lesson.reached, n == lesson.step);
        let name = if n < lesson.steps {
            t.with("lesson-step", &[("n", ((n + 1) as f64).into()), ("of", (lesson.steps as f64).into())])
        } else {
            t.get("lesson-end")
        };
        html! {
            <li><button type="button" aria-label={name.clone()} title={name} disabled={!reached}
                aria-current={here.then_some("step")} onclick={on(Input::LessonStep(n))}></button></li>
        }
    };
    html! {
        <section class={classes!("lesson", props.class, folded.then_some("folded"))} aria-label={t.with("lesson-called", &[("title", t.of(&lesson.title).into())])} ref={panel}>
            <header>
                <h2>if !lesson.own { <span class="lesson-place">{ place }</span>{ " " } }{ t.of(&lesson.title) }</h2>
                <button type="button" class="tool lesson-fold" aria-expanded={(!*folded).to_string()} aria-label={t.get("lesson-fold")} title={t.get("lesson-fold")}
                    onclick={let folded = folded.clone(); move |_| folded.set(!*folded)}>{ glyph::icon(glyph::DOWN) }</button>
                <button type="button" class="tool" aria-label={t.get("lesson-leave")} title={t.get("lesson-leave")} onclick={on(Input::LeaveLesson)}>{ glyph::icon(glyph::CLOSE) }</button>
            </header>
            <ol class="lesson-steps" aria-label={t.get("lesson-steps")}>{ for (0..=lesson.steps).map(dot) }</ol>
            <div class="lesson-body" key={format!("{}/{}", lesson.id, lesson.step)}>
                if let Some(text) = &lesson.text {
                    <div class="lesson-text" tabindex="-1">{ markdown(&t, &t.of(text)) }</div>
                }
                if let Some(predict) = &lesson.predict {
                    <Prophecy key={format!("{}/{}", lesson.id, lesson.step)} predict={predict.clone()} selection={props.selection.clone()} />
                }
                if !lesson.prints.is_empty() {
                    <div class="lesson-prints" role="group" aria-label={t.get("lesson-prints")}>{ for lesson.prints.iter().map(printed) }</div>
                }
                { for props.follow.iter().flat_map(|follow| lesson.journeys.iter().map(|j| journey(&t, follow, j))) }
                if let Some(task) = &lesson.task { { self::task(&store, &t, task, lesson.astray) } }
                if let Some(end) = &lesson.end { { self::end(&store, &t, end) } }
                if lesson.astray && lesson.task.is_none() && !is_end {
                    <p class="muted">{ t.get("lesson-astray") }{ " " }<button type="button" class="quiet" onclick={on(Input::LessonAgain)}>{ t.get("lesson-again") }</button></p>
                }
            </div>
            <footer>
                if lesson.step > 0 {
                    <button type="button" class="quiet" onclick={on(Input::LessonStep(lesson.step - 1))}>{ t.get("lesson-back") }</button>
                }
                if is_end {
                    <Onward id={lesson.id.clone()} own={lesson.own} />
                } else {
                    <button type="button" class="solid lesson-next" disabled={!lesson.done} title={(!lesson.done).then(|| t.get("lesson-first"))}
                        onclick={on(Input::LessonStep(lesson.step + 1))}>{ t.get(if lesson.step + 1 == lesson.steps { "lesson-finish" } else { "lesson-next" }) }</button>
                }
            </footer>
        </section>
    }
}

/// Longer lines than this are wrapped.
const WIDE: usize = 120;

/// A command line, and what it prints at the moment that is shown. The keyboard scrolls it.
fn printed(p: &PrintView) -> Html {
    let line = format!("kubectl {}", p.line);
    // A table keeps its columns, and a sentence is read without scrolling.
    let wraps = p.output.lines().any(|line| line.chars().count() > WIDE).then_some("wraps");
    html! {
        <figure class={classes!(wraps)}>
            <figcaption><code>{ line.clone() }</code></figcaption>
            <pre tabindex="0" role="group" aria-label={line}>{ p.output.clone() }</pre>
        </figure>
    }
}

/// Leads to the journey of a request.
fn journey(t: &Texts, follow: &Callback<JourneyLink>, link: &JourneyLink) -> Html {
    let (follow, to) = (follow.clone(), link.clone());
    let label = t.with(
        "lesson-follow",
        &[("pod", link.pod.key.name.to_string().into()), ("url", link.url.as_str().into())],
    );
    html! { <div class="lesson-choices"><button type="button" class="quiet" onclick={move |_| follow.emit(to.clone())}>{ label }</button></div> }
}

/// What is to be done, which parts of it hold, and help.
fn task(store: &Store, t: &Texts, task: &TaskView, astray: bool) -> Html {
    let on = |input: Input| {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| store.send(input.clone()))
    };
    let part = |p: &steady::engine::PartView| {
        let (state, key) = match p.holds {
            Some(true) => ("holds", "lesson-holds"),
            Some(false) => ("open", "lesson-open"),
            None => ("unknown", "lesson-unknown"),
        };
        html! {
            <li class={state} title={p.error.clone()}><i aria-hidden="true">{ if p.holds == Some(true) { "✓" } else { "" } }</i>
                <span>{ t.of(&p.label) }<span class="sr">{ t.get(key) }</span></span></li>
        }
    };
    html! {
        <div class="lesson-task" role="group" aria-label={t.get("lesson-goal")}>
            <p class="lesson-goal">{ t.get("lesson-goal") }</p>
            <ul class="lesson-parts" role="status">{ for task.parts.iter().map(part) }</ul>
            if task.met { <p class="lesson-met" role="status">{ t.get("lesson-met") }</p> }
            if !task.hints.is_empty() {
                <ol class="lesson-hints">{ for task.hints.iter().map(|hint| html! { <li>{ markdown(t, &t.of(hint)) }</li> }) }</ol>
            }
            <div class="lesson-choices">
                if task.more_hints {
                    <button type="button" class="quiet lesson-hint" onclick={on(Input::Hint)}>{ t.get("lesson-hint") }</button>
                } else if !task.met {
                    <button type="button" class="quiet lesson-solve" onclick={on(Input::Solve)}>{ t.get("lesson-solve") }</button>
                }
                if astray || !task.met {
                    <button type="button" class="quiet" onclick={on(Input::LessonAgain)}>{ t.get("lesson-again") }</button>
                }
            </div>
        </div>
    }
}

/// What was seen, and the sentence to keep.
fn end(store: &Store, t: &Texts, end: &EndView) -> Html {
    let seen = |s: &SeenView| {
        let (store, moment) = (store.clone(), s.moment);
        let more = s.times.saturating_sub(1);
        let times =
            if more > 0 { t.with("lesson-more-like", &[("n", (more as f64).into())]) } else { String::new() };
        html! {
            <li><button type="button" class={classes!("led", who::class(&s.first.by))} onclick={move |_| store.send(Input::Goto(moment))}>
                <i class="dot" aria-hidden="true"></i><span>{ t.command(&s.first) }{ times }</span></button></li>
        }
    };
    let page = |(label, url): &(Text, String)| {
        html! { <li><a href={t.page(url)} target="_blank" rel="noopener">{ t.of(label) }</a></li> }
    };
    html! {
        <div class="lesson-text" tabindex="-1">
            <p class="lesson-keep">{ t.of(&end.keep) }</p>
            if !end.seen.is_empty() {
                <h3>{ t.get("lesson-saw") }</h3>
                <ul class="lesson-seen">{ for end.seen.iter().map(seen) }</ul>
                if end.more > 0 { <p class="muted">{ t.with("summary-left-out", &[("n", (end.more as f64).into())]) }</p> }
            }
            if !end.read_on.is_empty() {
                <h3>{ t.get("lesson-read-on") }</h3>
                <ul>{ for end.read_on.iter().map(page) }</ul>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct OnwardProps {
    id: String,
    /// Whether a person has brought the lesson.
    own: bool,
}

/// The next lesson of the course.
#[component]
fn Onward(props: &OnwardProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let answer = use_answer((!props.own).then_some(Ask::Course), 0);
    let Some(Answer::Course(all)) = answer.as_deref() else { return Html::default() };
    let next = next_of(all, &props.id);
    let go = next.map(|line| {
        let (store, id) = (store.clone(), line.id.clone());
        let place = line.id.split('-').next().unwrap_or_default().to_owned();
        let label = t.with("lesson-onward", &[("place", place.into()), ("title", t.of(&line.title).into())]);
        html! {
            <button type="button" class="solid lesson-next" onclick={move |_| store.send(Input::OpenLesson(id.clone(), 0))}>{ label }</button>
        }
    });
    go.unwrap_or_default()
}

/// The lesson after one in the course.
fn next_of<'a>(all: &'a [CourseLine], id: &str) -> Option<&'a CourseLine> {
    let at = all.iter().position(|line| line.id == id)?;
    all.get(at + 1)
}
