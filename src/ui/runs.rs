//! The dialog with the runs that this browser keeps.

use std::rc::Rc;

use steady::engine::runs::{Kept, NAME_LIMIT};
use steady::engine::{Answer, Ask};
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use super::glyph;
use super::i18n::Texts;
use super::keys;
use super::store::{RunDeed, RunList};
use crate::ui::hooks::{use_answer, use_store, use_texts};

/// What the dialog is drawn from.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Whether the dialog is open.
    pub open: bool,
    /// Opens the dialog (`true`) or closes it (`false`).
    pub set: Callback<bool>,
    /// The id of the run that is shown.
    pub run: Rc<str>,
}

/// The first button of the list that can have the focus.
const FIRST: &str = ".runs-list .quiet:enabled";

/// The dialog. Its list is read when it opens, and after each change.
#[component]
pub fn RunsDialog(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let dialog = use_node_ref();
    let list = use_state(|| None::<RunList>);
    let renaming = use_state(|| None::<String>);
    let scenarios = use_answer(props.open.then_some(Ask::Scenarios), 0);
    let lessons = use_answer(props.open.then_some(Ask::Course), 0);
    {
        let (dialog, store, list, renaming) = (dialog.clone(), store.clone(), list.clone(), renaming.clone());
        use_effect_with(props.open, move |open| {
            let Some(d) = dialog.cast::<HtmlDialogElement>() else { return };
            if *open && !d.open() {
                renaming.set(None);
                let _ = d.show_modal();
                let shown = list.setter();
                store.list_runs(Callback::from(move |runs| shown.set(Some(runs))));
            } else if !*open && d.open() {
                d.close();
            }
        });
    }
    let act = {
        let (store, list) = (store.clone(), list.clone());
        Callback::from(move |(id, deed): (String, RunDeed)| {
            let shown = list.setter();
            // The button that was pressed goes with its row or its notice, and the focus would go with it.
            let next = match &deed {
                RunDeed::Delete => Some(".run-undo button"),
                RunDeed::Undo => Some(FIRST),
                RunDeed::Rename(_) | RunDeed::Duplicate(_) => None,
            };
            let done = Callback::from(move |runs| {
                shown.set(Some(runs));
                if let Some(next) = next {
                    keys::focus(next);
                }
            });
            store.do_with_run(id, deed, done);
        })
    };
    let set = |open: bool| {
        let set = props.set.clone();
        move || set.emit(open)
    };
    let title = |run: &Kept| {
        let scenario = match scenarios.as_deref() {
            Some(Answer::Scenarios(all)) => all.iter().find(|s| *s.id == *run.scenario).map(|s| &s.title),
            _ => None,
        };
        let lesson = match lessons.as_deref() {
            Some(Answer::Course(all)) => all.iter().find(|l| l.id == run.scenario).map(|l| &l.title),
            _ => None,
        };
        scenario.or(lesson).map_or_else(|| t.get("own-work"), |title| t.of(title))
    };
    let rows = list.iter().flat_map(|l| l.runs.iter().map(move |run| (l, run))).map(|(l, run)| {
        let here = *run.id == *props.run;
        let elsewhere = l.elsewhere.contains(&run.id);
        let title = title(run);
        let name = if run.name.is_empty() { title.clone() } else { run.name.clone() };
        let deed = |deed: RunDeed| {
            let (act, id) = (act.clone(), run.id.clone());
            move |_: MouseEvent| act.emit((id.clone(), deed.clone()))
        };
        let label = |key: &str| t.with(key, &[("name", name.as_str().into())]);
        let open = {
            let (store, id, close) = (store.clone(), run.id.clone(), set(false));
            move |_: MouseEvent| {
                close();
                store.open_run(id.clone());
            }
        };
        let rename = {
            let (renaming, id) = (renaming.clone(), run.id.clone());
            move |_: MouseEvent| {
                renaming.set(Some(id.clone()));
                keys::focus("#run-name");
            }
        };
        let is_renamed = renaming.as_deref() == Some(run.id.as_str());
        let renamed = {
            let (renaming, act, id) = (renaming.clone(), act.clone(), run.id.clone());
            Callback::from(move |name: Option<String>| {
                renaming.set(None);
                if let Some(name) = name {
                    act.emit((id.clone(), RunDeed::Rename(name)));
                }
                keys::focus(FIRST);
            })
        };
        html! {
            <li key={run.id.clone()} aria-current={here.then_some("true")}>
                if is_renamed {
                    <NameForm name={run.name.clone()} hint={title.clone()} done={renamed} />
                } else {
                    <b>{ &name }</b>
                }
                <p class="muted">
                    if !run.name.is_empty() { { &title }{ " · " } }
                    { t.with("run-steps", &[("n", (run.steps as f64).into())]) }{ " · " }
                    <time>{ when(&t, run.changed) }</time>{ " · " }{ size(&t, run.size) }
                    if here { <em>{ t.get("run-here") }</em> }
                    if elsewhere { <em>{ t.get("run-elsewhere") }</em> }
                </p>
                <div class="run-acts">
                    <button type="button" class="quiet" disabled={here} aria-label={label("run-open-name")} onclick={open}>{ t.get(if elsewhere { "run-open-copy" } else { "run-open" }) }</button>
                    <button type="button" class="quiet" aria-label={label("run-rename-name")} onclick={rename}>{ t.get("run-rename") }</button>
                    <button type="button" class="quiet" aria-label={label("run-duplicate-name")} onclick={deed(RunDeed::Duplicate(name.clone()))}>{ t.get("run-duplicate") }</button>
                    <button type="button" class="quiet bad" disabled={elsewhere} title={elsewhere.then(|| t.get("run-elsewhere"))}
                        aria-label={label("run-delete-name")} onclick={deed(RunDeed::Delete)}>{ t.get("run-delete") }</button>
                </div>
            </li>
        }
    });
    let rows: Vec<Html> = rows.collect();
    let deleted = list.as_ref().and_then(|l| l.deleted.as_ref());
    let outside = {
        let close = set(false);
        Callback::from(move |e: MouseEvent| {
            if e.target() == e.current_target() {
                close();
            }
        })
    };
    let (closed, close) = (set(false), set(false));
    html! {
        <dialog class="keys runs" ref={dialog} aria-labelledby="runs-title" onclose={Callback::from(move |_: Event| closed())} onclick={outside}>
            <div class="sheet">
                <header><h2 id="runs-title">{ t.get("runs") }</h2>
                    <button type="button" class="tool" aria-label={t.get("close")} onclick={Callback::from(move |_: MouseEvent| close())}>{ glyph::icon(glyph::CLOSE) }</button></header>
                <p>{ t.get("runs-about") }</p>
                if let Some(run) = deleted {
                    <p class="run-undo" role="status">
                        { t.with("run-deleted", &[("name", if run.name.is_empty() { title(run).into() } else { run.name.as_str().into() })]) }
                        <button type="button" class="quiet" onclick={let (act, id) = (act.clone(), run.id.clone()); move |_| act.emit((id.clone(), RunDeed::Undo))}>{ t.get("run-undo") }</button>
                    </p>
                }
                if let Some(l) = list.as_ref().filter(|l| l.unreadable > 0) {
                    <p class="runs-unreadable" role="alert">{ t.with("runs-unreadable", &[("n", (l.unreadable as f64).into())]) }</p>
                }
                if let Some(l) = list.as_ref().filter(|l| l.refused) {
                    <p role="alert">{ t.get(if l.newer { "runs-newer" } else { "runs-refused" }) }</p>
                } else if list.as_ref().is_some_and(|l| l.unreadable == 0) && rows.is_empty() {
                    <p class="muted">{ t.get("runs-none") }</p>
                }
                <ul class="runs-list">{ for rows }</ul>
            </div>
        </dialog>
    }
}

#[derive(Properties, PartialEq)]
struct NameProps {
    name: String,
    /// What stands there as long as there is no name.
    hint: String,
    /// Called with the name; with `None` if it stays as it is.
    done: Callback<Option<String>>,
}

/// A field for a run's name: Enter and leaving it take it over, Escape does not.
#[component]
fn NameForm(props: &NameProps) -> Html {
    let t = use_texts();
    let onkeydown = {
        let done = props.done.clone();
        Callback::from(move |e: KeyboardEvent| {
            let Some(field) = e.target().and_then(|f| f.dyn_into::<HtmlInputElement>().ok()) else { return };
            match e.key().as_str() {
                "Enter" => done.emit(Some(field.value())),
                "Escape" => done.emit(None),
                _ => return,
            }
            // Escape would close the dialog.
            e.prevent_default();
            e.stop_propagation();
        })
    };
    let onchange = {
        let done = props.done.clone();
        Callback::from(move |e: Event| done.emit(Some(e.target_unchecked_into::<HtmlInputElement>().value())))
    };
    html! {
        <input id="run-name" type="text" autocomplete="off" spellcheck="false" maxlength={NAME_LIMIT.to_string()}
            aria-label={t.get("run-name")} placeholder={props.hint.clone()} value={props.name.clone()} {onkeydown} {onchange} />
    }
}

/// A time, in the language's own form.
fn when(t: &Texts, milliseconds: f64) -> String {
    let date = js_sys::Date::new(&milliseconds.into());
    let style = crate::ui::js::object(&[("dateStyle", "medium".into()), ("timeStyle", "short".into())]);
    date.to_locale_string(t.lang().tag(), &style).into()
}

fn size(t: &Texts, characters: usize) -> String {
    t.with("run-size", &[("kb", ((characters as f64 / 100.0).ceil() / 10.0).into())])
}
