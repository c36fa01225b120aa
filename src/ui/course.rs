//! The map of the course: its lessons by chapter, what leads to what, and how far somebody is.

use steady::engine::{Answer, Ask, CourseLine, Input, Progress};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use super::glyph;
use super::hooks::{use_answer, use_store, use_texts};
use super::i18n::Texts;
use super::share::save;

/// The lesson that an author begins with where none is shown.
const EXAMPLE: &str = "1.2-enabling-condition";

/// What the dialog is drawn from.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Whether the dialog is open.
    pub open: bool,
    /// Opens the dialog (`true`) or closes it (`false`).
    pub set: Callback<bool>,
    /// The id of the lesson that is shown.
    pub now: Option<String>,
}

/// The dialog.
#[component]
pub fn CourseDialog(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let dialog = use_node_ref();
    let progress = use_state(Progress::default);
    let refused = use_state(|| false);
    let answer = use_answer(props.open.then_some(Ask::Course), 0);
    {
        let (dialog, store, progress, refused) =
            (dialog.clone(), store.clone(), progress.clone(), refused.clone());
        use_effect_with(props.open, move |open| {
            let Some(d) = dialog.cast::<HtmlDialogElement>() else { return };
            if *open && !d.open() {
                progress.set(store.progress());
                refused.set(false);
                let _ = d.show_modal();
            } else if !*open && d.open() {
                d.close();
            }
        });
    }
    let close = props.set.reform(|_: MouseEvent| false);
    let closed = props.set.reform(|_: Event| false);
    let outside = {
        let set = props.set.clone();
        Callback::from(move |e: MouseEvent| {
            if e.target() == e.current_target() {
                set.emit(false);
            }
        })
    };
    let all: &[CourseLine] = match answer.as_deref() {
        Some(Answer::Course(all)) => all,
        _ => &[],
    };
    let next = all
        .iter()
        .find(|line| !progress.is_done(&line.id) && line.after.iter().all(|id| progress.is_done(id)));
    let next = next.or_else(|| all.iter().find(|line| !progress.is_done(&line.id)));
    let card = |line: &CourseLine| {
        let (store, set, id) = (store.clone(), props.set.clone(), line.id.clone());
        let onclick = move |_| {
            set.emit(false);
            store.send(Input::OpenLesson(id.clone(), 0));
        };
        let is_next = next.is_some_and(|next| next.id == line.id);
        let passed = progress.lessons.get(&line.id).copied();
        let after: Vec<&str> = line.after.iter().map(|id| place(id)).collect();
        let state = match passed {
            Some(p) if p.done => Some(t.get("course-done")),
            Some(p) => Some(t.with(
                "course-reached",
                &[("n", (p.reached as f64).into()), ("of", (p.steps as f64).into())],
            )),
            None if is_next => Some(t.get("course-next")),
            None => None,
        };
        html! {
            <li key={line.id.clone()} class={classes!(passed.is_some_and(|p| p.done).then_some("done"), is_next.then_some("due"))}>
                <button type="button" {onclick} aria-current={(props.now.as_deref() == Some(&line.id)).then_some("true")}>
                    <b><span class="lesson-place">{ place(&line.id) }</span>{ " " }{ t.of(&line.title) }</b>
                    <span>{ t.of(&line.idea) }</span>
                    <small>
                        if let Some(state) = state { <em>{ state }</em> }
                        if !after.is_empty() { { " " }{ t.with("course-after", &[("which", after.join(", ").into())]) } }
                    </small>
                </button>
            </li>
        }
    };
    let mut chapters: Vec<(&str, Vec<&CourseLine>)> = Vec::new();
    for line in all {
        let chapter = line.id.split('.').next().unwrap_or_default();
        match chapters.last_mut() {
            Some((last, lines)) if *last == chapter => lines.push(line),
            _ => chapters.push((chapter, vec![line])),
        }
    }
    let chapter = |(name, lines): &(&str, Vec<&CourseLine>)| {
        let title = chapter_title(&t, name);
        html! {
            <section key={(*name).to_owned()} aria-label={title.clone()}>
                <h3>{ title }</h3>
                <ol class="course-lessons">{ for lines.iter().map(|line| card(line)) }</ol>
            </section>
        }
    };
    let export = {
        let progress = progress.clone();
        move |_| {
            let text = progress.write();
            spawn_local(async move {
                // The browser asks where the file goes; a person who asks for none gets none.
                let _ = save("steady-course.json", "application/json", &text, 0.0).await;
            });
        }
    };
    let forgotten = use_state(|| None::<Progress>);
    let reset = {
        let (store, progress, forgotten) = (store.clone(), progress.clone(), forgotten.clone());
        move |_| {
            forgotten.set(Some((*progress).clone()));
            store.keep_progress(&Progress::default());
            progress.set(Progress::default());
        }
    };
    let undo = forgotten.as_ref().map(|before| {
        let (store, progress, forgotten, before) =
            (store.clone(), progress.clone(), forgotten.clone(), before.clone());
        let onclick = move |_| {
            store.keep_progress(&before);
            progress.set(before.clone());
            forgotten.set(None);
        };
        html! {
            <p role="status">{ t.get("course-forgotten") }{ " " }<button type="button" class="quiet" {onclick}>{ t.get("run-undo") }</button></p>
        }
    });
    let import = {
        let (store, progress, refused) = (store.clone(), progress.clone(), refused.clone());
        read_file(move |_, text| match Progress::read(&text) {
            Some(theirs) => {
                let mut mine = store.progress();
                mine.add(theirs);
                store.keep_progress(&mine);
                progress.set(mine);
                refused.set(false);
            }
            None => refused.set(true),
        })
    };
    let own = {
        let (store, set) = (store.clone(), props.set.clone());
        read_file(move |name, text| {
            set.emit(false);
            store.send(Input::BringLesson(name, text));
        })
    };
    let write = {
        let (store, set) = (store.clone(), props.set.clone());
        // A lesson that a person has brought is no file of the course.
        let here = props.now.clone().filter(|now| all.iter().any(|line| line.id == *now));
        let example = here.unwrap_or_else(|| EXAMPLE.to_owned());
        move |_| {
            set.emit(false);
            store.write_lesson(&example);
        }
    };
    html! {
        <dialog class="keys course" ref={dialog} aria-labelledby="course-title" onclose={closed} onclick={outside}>
            <div class="sheet">
                <header><h2 id="course-title">{ t.get("course") }</h2>
                    <button type="button" class="tool" aria-label={t.get("close")} onclick={close}>{ glyph::icon(glyph::CLOSE) }</button></header>
                <p>{ t.get("course-about") }</p>
                // One child, whatever comes: the button before it keeps the focus.
                <>{ for chapters.iter().map(chapter) }</>
                <footer>
                    <button type="button" class="quiet" title={t.get("course-write-about")} onclick={write}>{ t.get("course-write") }</button>
                    <label class="quiet file">{ t.get("course-own") }<input type="file" accept=".yaml,.yml" onchange={own} /></label>
                    <button type="button" class="quiet" onclick={export}>{ t.get("course-export") }</button>
                    <label class="quiet file">{ t.get("course-import") }<input type="file" accept=".json" onchange={import} /></label>
                    <button type="button" class="quiet bad" onclick={reset}>{ t.get("course-reset") }</button>
                </footer>
                { for undo }
                if *refused { <p role="alert">{ t.get("course-refused") }</p> }
            </div>
        </dialog>
    }
}

/// The numbers of the chapter and of the lesson in it.
fn place(id: &str) -> &str {
    id.split('-').next().unwrap_or_default()
}

fn chapter_title(t: &Texts, chapter: &str) -> String {
    let key = format!("course-chapter-{chapter}");
    if t.has(&key) { t.get(&key) } else { t.with("course-chapter", &[("n", chapter.into())]) }
}

/// What reads the file that a person chooses: called with its name and its text.
fn read_file(then: impl Fn(String, String) + Clone + 'static) -> Callback<Event> {
    Callback::from(move |e: Event| {
        let Some(field) = e.target_dyn_into::<HtmlInputElement>() else { return };
        let Some(file) = field.files().and_then(|files| files.get(0)) else { return };
        let then = then.clone();
        spawn_local(async move {
            if let Ok(text) = JsFuture::from(file.text()).await
                && let Some(text) = text.as_string()
            {
                then(file.name(), text);
            }
            // The same file can be chosen again.
            field.set_value("");
        });
    })
}
