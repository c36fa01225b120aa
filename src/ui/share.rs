//! The dialog of Share: the link, the code of a frame, the run and the graph as files, and the ways to show it to others.

use steady::engine::{Answer, Ask, Form, Input, LessonView, Options, Part, ScenarioView, Shape, Which};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlDialogElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::export::{About, Picture, animated, markdown, svg};
use super::glyph;
use super::i18n::sentence;
use super::store::{Shared, Store};
use super::topbar::{is_dark, title_of};
use crate::ui::hooks::{use_store, use_texts};

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: saves a file, whose text is drawn first if it is a picture of pixels.
    #[wasm_bindgen(js_name = steadySave, catch)]
    pub(super) async fn save(name: &str, kind: &str, text: &str, scale: f64) -> Result<(), JsValue>;
}

/// What the dialog needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The address of the run.
    pub address: String,
    /// The scenario, if the run came from one.
    pub scenario: Option<Shared<ScenarioView>>,
    /// The lesson that the run belongs to.
    pub lesson: Option<Shared<LessonView>>,
    /// Presents the run.
    pub present: Callback<()>,
}

/// The sizes that are offered for a frame.
const SIZES: [(u32, u32); 3] = [(600, 400), (360, 300), (900, 560)];
/// The parts that are offered for a frame; the graph is always there.
const PARTS: [(Part, &str); 5] = [
    (Part::Story, "share-part-story"),
    (Part::Next, "share-part-next"),
    (Part::Timeline, "share-part-timeline"),
    (Part::Manifest, "share-part-manifest"),
    (Part::Object, "share-part-object"),
];

/// A file that can be downloaded.
#[derive(Clone, Copy, PartialEq)]
enum File {
    Svg,
    Png,
    Mermaid,
    Animated,
    Markdown,
    Yaml(Which),
}

const FILES: [(File, &str, &str, &str); 7] = [
    (File::Svg, "share-svg", "graph.svg", "image/svg+xml"),
    (File::Png, "share-png", "graph.png", "image/png"),
    (File::Mermaid, "share-mermaid", "graph.mmd", "text/plain"),
    (File::Animated, "share-animated", "run.svg", "image/svg+xml"),
    (File::Markdown, "share-markdown", "run.md", "text/markdown"),
    (File::Yaml(Which::All), "share-yaml", "objects.yaml", "application/yaml"),
    (File::Yaml(Which::Declared), "share-declared", "declared.yaml", "application/yaml"),
];

/// The dialog.
#[component]
pub fn Share(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(d) = dialog.cast::<HtmlDialogElement>().filter(|d| !d.open()) {
                let _ = d.show_modal();
            }
        });
    }
    let close = {
        let dialog = dialog.clone();
        move || {
            if let Some(d) = dialog.cast::<HtmlDialogElement>() {
                d.close();
            }
        }
    };
    let onclose = {
        let store = store.clone();
        move |_: Event| store.unshare()
    };
    let outside = {
        let close = close.clone();
        move |e: MouseEvent| {
            if e.target() == e.current_target() {
                close();
            }
        }
    };
    let title = title_of(&t, props.scenario.as_deref(), props.lesson.as_deref());
    // What the run began with has a short address, for a blackboard.
    let origin = match (&props.lesson, &props.scenario) {
        (Some(lesson), _) if lesson.own => None,
        (Some(lesson), _) => {
            let step = (lesson.step + 1).min(lesson.steps);
            Some((t.get("share-lesson"), format!("/lesson/{}/{step}", lesson.id)))
        }
        (None, Some(scenario)) => Some((t.get("share-scenario"), format!("/{}", scenario.id))),
        (None, None) => None,
    };
    let origin = origin.and_then(|(label, link)| Some((label, store.address(&link)?)));
    let files = FILES.map(|(file, key, name, kind)| {
        let (store, title) = (store.clone(), title.clone());
        let story = props.scenario.as_ref().map(|s| t.of(&s.text)).unwrap_or_default();
        let link = props.address.clone();
        let onclick = move |_| download(&store, file, name, kind, &title, &story, &link);
        html! { <button type="button" class="quiet" {onclick}>{ t.get(key) }</button> }
    });
    let present = {
        let (present, close) = (props.present.clone(), close.clone());
        move |_| {
            close();
            present.emit(());
        }
    };
    let print = {
        let close = close.clone();
        move |_| {
            close();
            // The dialog is gone by then.
            gloo::timers::callback::Timeout::new(50, || {
                let _ = gloo::utils::window().print();
            })
            .forget();
        }
    };
    html! {
        <dialog class="keys share-dialog" ref={dialog} aria-labelledby="share-title" {onclose} onclick={outside}>
            <div class="sheet">
                <header><h2 id="share-title">{ t.get("share-title") }</h2>
                    <button type="button" class="tool" aria-label={t.get("close")} onclick={move |_| close()}>{ glyph::icon(glyph::CLOSE) }</button></header>
                <Copied id="share-link" label={t.get("share-link")} text={props.address.clone()} />
                <p class="muted">{ t.with("share-link-about", &[("n", (props.address.len() as f64).into())]) }</p>
                if let Some((label, text)) = origin { <Copied id="share-origin" {label} {text} /> }
                <NoteOfStep />
                <Frame address={props.address.clone()} title={title.clone()} />
                <section aria-labelledby="share-download">
                    <h3 id="share-download">{ t.get("share-download") }</h3>
                    <div class="files">{ for files }</div>
                </section>
                <footer>
                    <button type="button" class="quiet" onclick={print}>{ t.get("share-print") }</button>
                    <button type="button" class="solid" onclick={present}>{ t.get("share-present") }</button>
                </footer>
            </div>
        </dialog>
    }
}

#[derive(Properties, PartialEq)]
struct CopiedProps {
    id: &'static str,
    label: String,
    text: String,
    /// Whether it has several lines.
    #[prop_or_default]
    long: bool,
}

/// A text that can be copied, or selected where the browser does not allow that.
#[component]
fn Copied(props: &CopiedProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let told = use_state(|| None::<bool>);
    let copy = {
        let (store, told) = (store.clone(), told.setter());
        Callback::from(move |text: String| {
            let told = told.clone();
            store.copied(&text, Callback::from(move |done| told.set(Some(done))));
        })
    };
    {
        // What was said of another text does not hold of this one.
        let told = told.setter();
        use_effect_with(props.text.clone(), move |_| told.set(None));
    }
    let onclick = {
        let text = props.text.clone();
        move |_| copy.emit(text.clone())
    };
    let select = |e: FocusEvent| {
        if let Some(field) = e.target_dyn_into::<HtmlTextAreaElement>() {
            field.select();
        }
        if let Some(field) = e.target_dyn_into::<HtmlInputElement>() {
            field.select();
        }
    };
    html! { <>
        <label for={props.id}>{ &props.label }</label>
        <div class="copied">
            if props.long {
                <textarea id={props.id} readonly=true rows="4" value={props.text.clone()} onfocus={select} spellcheck="false" />
            } else {
                <input id={props.id} readonly=true value={props.text.clone()} onfocus={select} />
            }
            <button type="button" class="quiet" {onclick}>{ t.get("share-copy") }</button>
        </div>
        <p class="told" role="status">{ told.map(|done| t.get(if done { "share-copied" } else { "share-not-copied" })).unwrap_or_default() }</p>
    </> }
}

/// What the author says at the step that is shown.
#[component]
fn NoteOfStep() -> Html {
    let store = use_store();
    let t = use_texts();
    let text = store.with(|s| {
        let at = s.position.saturating_sub(s.beginning);
        s.notes.iter().find(|(step, _)| *step == at).map(|(_, text)| t.of(text)).unwrap_or_default()
    });
    let onchange = {
        let store = store.clone();
        move |e: Event| {
            if let Some(field) = e.target_dyn_into::<HtmlTextAreaElement>() {
                store.send(Input::Note(field.value()));
                store.send(Input::Share);
            }
        }
    };
    html! { <>
        <label for="share-note">{ t.get("share-note") }</label>
        <textarea id="share-note" rows="2" value={text} {onchange} aria-describedby="share-note-about" />
        <p class="muted" id="share-note-about">{ t.get("share-note-about") }</p>
    </> }
}

#[derive(Properties, PartialEq)]
struct FrameProps {
    address: String,
    title: String,
}

/// The code of a frame, and what it shows.
#[component]
fn Frame(props: &FrameProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let size = use_state(|| 0usize);
    let parts = use_state(|| vec![Part::Story]);
    let dark = use_state(|| None::<bool>);
    let link = props.address.split_once('#').map_or("", |(_, link)| link);
    let shown = [Part::Graph].into_iter().chain(parts.iter().copied()).collect();
    let options = Options {
        shape: Shape::Embedded,
        lang: Some(t.lang().tag().to_owned()),
        dark: *dark,
        parts: shown,
        ..Options::default()
    };
    let (w, h) = SIZES.get(*size).copied().unwrap_or(SIZES[0]);
    let there = store.address_with(&options, link).unwrap_or_default().replace('&', "&amp;");
    let name = t.with("share-embed-frame", &[("what", props.title.clone().into())]).replace('"', "&quot;");
    let code = format!(
        "<iframe src=\"{there}\" width=\"{w}\" height=\"{h}\" title=\"{name}\" loading=\"lazy\"></iframe>"
    );
    let choose = |set: UseStateSetter<usize>| {
        move |e: Event| {
            let chosen = e.target_dyn_into::<HtmlSelectElement>().and_then(|s| s.value().parse().ok());
            set.set(chosen.unwrap_or(0));
        }
    };
    let theme = {
        let dark = dark.setter();
        move |e: Event| {
            let chosen = e.target_dyn_into::<HtmlSelectElement>().map(|s| s.value()).unwrap_or_default();
            dark.set(match chosen.as_str() {
                "dark" => Some(true),
                "light" => Some(false),
                _ => None,
            });
        }
    };
    let boxes = PARTS.map(|(part, key)| {
        let set = parts.clone();
        let onchange = move |_| {
            let mut next = (*set).clone();
            if next.contains(&part) { next.retain(|p| *p != part) } else { next.push(part) }
            set.set(next);
        };
        html! { <label><input type="checkbox" checked={parts.contains(&part)} {onchange} />{ t.get(key) }</label> }
    });
    let chosen = dark.map_or("system", |dark| if dark { "dark" } else { "light" });
    let themes = ["system", "light", "dark"].map(|name| {
        html! { <option value={name} selected={name == chosen}>{ t.get(&format!("share-embed-theme-{name}")) }</option> }
    });
    html! {
        <details class="share-embed">
            <summary>{ t.get("share-embed") }</summary>
            <div class="frame-options">
                <label>{ t.get("share-embed-size") }
                    <select onchange={choose(size.setter())}>
                        { for SIZES.iter().enumerate().map(|(i, (w, h))| html! {
                            <option value={i.to_string()} selected={i == *size}>{ format!("{w} × {h}") }</option> }) }
                    </select></label>
                <label>{ t.get("share-embed-theme") }<select onchange={theme}>{ for themes }</select></label>
                <fieldset><legend>{ t.get("share-embed-parts") }</legend>{ for boxes }</fieldset>
            </div>
            <Copied id="share-code" label={t.get("share-embed-code")} text={code} long={true} />
        </details>
    }
}

/// Makes a file of what is shown and gives it to the person.
fn download(
    store: &Store,
    file: File,
    name: &'static str,
    kind: &'static str,
    title: &str,
    story: &str,
    link: &str,
) {
    let (texts, dark) = (store.texts(), is_dark());
    let give = {
        let store = store.clone();
        move |text: String| {
            let scale = if file == File::Png { 2.0 } else { 0.0 };
            give(&store, name, kind, text, scale);
        }
    };
    match file {
        File::Svg | File::Png => {
            let (graph, changed, happened) =
                store.with(|s| (s.graph.clone(), s.changed.clone(), s.happened.clone()));
            let says = sentence(&texts, &happened).replace('\n', " ");
            give(svg(&Picture { graph: &graph, changed: &changed, says: &says, texts: &texts, dark }));
        }
        File::Animated => {
            let title = title.to_owned();
            store.ask(
                Ask::Frames,
                Callback::from(move |answer: Answer| {
                    if let Answer::Frames(frames) = answer {
                        give(animated(&frames, &title, &texts, dark));
                    }
                }),
            );
        }
        File::Markdown => {
            let (title, story, link) = (title.to_owned(), story.to_owned(), link.to_owned());
            let manifest = store.with(|s| s.text.clone());
            store.ask(
                Ask::Steps,
                Callback::from(move |answer: Answer| {
                    if let Answer::Steps(steps, more) = answer {
                        let about =
                            About { title: &title, story: &story, link: &link, manifest: &manifest, more };
                        give(markdown(&steps, &about, &texts));
                    }
                }),
            );
        }
        File::Mermaid | File::Yaml(_) => {
            let form = if let File::Yaml(which) = file { Form::Yaml(which) } else { Form::Mermaid };
            store.ask(
                Ask::Export(form),
                Callback::from(move |answer: Answer| {
                    if let Answer::Export(text) = answer {
                        give(text);
                    }
                }),
            );
        }
    }
}

/// Saves a text as a file.
pub fn give(store: &Store, name: &'static str, kind: &'static str, text: String, scale: f64) {
    let store = store.clone();
    spawn_local(async move {
        if let Err(why) = save(name, kind, &text, scale).await {
            let why = why
                .as_string()
                .or_else(|| js_sys::Error::from(why).message().as_string())
                .unwrap_or_default();
            store.say(store.texts().with("share-download-failed", &[("why", why.into())]), true);
        }
    });
}
