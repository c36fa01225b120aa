//! The file of a lesson that a person has brought: it is edited beside the lesson, which follows.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use steady::engine::{Input, OwnLesson, Problem};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::ui::editor::Editor;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::share::save;
use crate::ui::store::Shared;

/// After so many milliseconds without a key the lesson follows.
const PAUSE: u32 = 700;

/// Which file.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file, and what is wrong with it.
    pub own: Shared<OwnLesson>,
}

/// The file in an editor, what is wrong with it, and a way to save it.
#[component]
pub fn LessonFile(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    // What was typed last, which is newer than the lesson that is shown.
    let latest = use_mut_ref(|| props.own.text.to_string());
    let waiting = use_mut_ref(|| None::<Timeout>);
    let set = use_mut_ref(|| 0u32);
    let go = use_state(|| (0, 1, 1));
    // The editor calls what it was given first, and the file can become another one.
    let file = use_mut_ref(String::new);
    file.borrow_mut().clone_from(&props.own.file);
    {
        // Who leaves the file, or opens something else, does not want it back.
        let waiting = waiting.clone();
        use_effect_with((), move |()| move || drop(waiting.take()));
    }
    {
        // Another file has come, and not what was typed here.
        let (latest, set) = (latest.clone(), set.clone());
        let now = props.own.text.to_string();
        if *latest.borrow() != now && waiting.borrow().is_none() {
            *latest.borrow_mut() = now;
            *set.borrow_mut() += 1;
        }
    }
    let typed = {
        let (store, latest, waiting, file) = (store.clone(), latest.clone(), waiting.clone(), file.clone());
        Callback::from(move |text: String| {
            *latest.borrow_mut() = text;
            let (store, latest, ended, file) = (store.clone(), latest.clone(), waiting.clone(), file.clone());
            *waiting.borrow_mut() = Some(Timeout::new(PAUSE, move || {
                ended.borrow_mut().take();
                let (file, text) = (file.borrow().clone(), latest.borrow().clone());
                store.send(Input::BringLesson(file, text));
            }));
        })
    };
    let problem = props.own.problem.as_ref();
    let problems: Vec<Problem> = problem
        .map(|p| Problem {
            line: p.line.unwrap_or(1),
            column: p.column.unwrap_or(1),
            message: p.message.clone(),
            whole: String::new(),
        })
        .into_iter()
        .collect();
    let keep = {
        let (file, latest) = (props.own.file.clone(), latest.clone());
        move |_| {
            let (file, text) = (file.clone(), latest.borrow().clone());
            spawn_local(async move {
                // The browser asks where the file goes; a person who asks for none gets none.
                let _ = save(&file, "application/yaml", &text, 0.0).await;
            });
        }
    };
    let said = problem.map(|p| {
        let (line, column) = (p.line, p.column.unwrap_or(1));
        let to = go.clone();
        html! {
            <p class="lesson-problem">
                if let Some(line) = line {
                    <button type="button" class="to-line" onclick={move |_| to.set((to.0 + 1, line, column))}>
                        { t.with("problem-line", &[("line", (line as f64).into())]) }</button>
                }
                <span>{ &p.message }</span></p>
        }
    });
    let text: Rc<String> = Rc::new(latest.borrow().clone());
    let changed = *set.borrow();
    html! {
        <>
            <p class="editing">{ t.with("lesson-file-about", &[("file", props.own.file.as_str().into())]) }</p>
            <Editor text={Shared::from(text)} text_set={changed} diagnostics={Shared::from(Rc::new(problems))}
                images={Shared::default()} kinds={Shared::default()} place={*go} {typed} called={t.get("lesson-file")} />
            <div class="apply">
                <div class={classes!("changes", problem.is_some().then_some("bad"))} role="status">
                    { said.unwrap_or_else(|| played(&t, props.own.played.as_ref())) }</div>
                <button type="button" class="quiet" disabled={problem.is_some()} title={t.get("lesson-file-play-about")}
                    onclick={let store = store.clone(); move |_| store.send(Input::CheckLesson)}>{ t.get("lesson-file-play") }</button>
                <button type="button" class="solid" onclick={keep}>{ t.get("lesson-file-save") }</button>
            </div>
        </>
    }
}

/// What a play of the lesson to its end has shown.
fn played(t: &Texts, played: Option<&Result<(), (usize, String)>>) -> Html {
    match played {
        None => html! { <p class="muted">{ t.get("lesson-file-reads") }</p> },
        Some(Ok(())) => html! { <p>{ t.get("lesson-file-sound") }</p> },
        Some(Err((step, what))) => {
            let n = (*step as f64).into();
            let where_ =
                if *step == 0 { t.get("lesson-file-setup") } else { t.with("lesson-file-step", &[("n", n)]) };
            html! { <p class="lesson-problem"><b>{ where_ }</b>{ " " }<span>{ what }</span></p> }
        }
    }
}
