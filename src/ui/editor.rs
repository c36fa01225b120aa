//! The YAML editor: `editor/editor.js`, which is fetched once the page stands. Until then the text
//! is there to be read.

use js_sys::{Array, Function, Object, Promise, Reflect};
use steady::engine::{Answer, Ask, DefinedKind, ImageWarning, Input, Problem};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlElement;
use yew::prelude::*;

use super::i18n::Texts;
use super::missing::missing_image;
use super::store::{Shared, Store};
use super::topbar::is_dark;
use crate::ui::hooks::{use_store, use_texts};

/// What the editor shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The manifest.
    pub text: Shared<String>,
    /// Grows when the page set it.
    pub text_set: u32,
    /// What is wrong with it.
    pub diagnostics: Shared<Vec<Problem>>,
    /// The images in it that no registry has.
    pub images: Shared<Vec<ImageWarning>>,
    /// The custom kinds that it can be completed with.
    pub kinds: Shared<Vec<DefinedKind>>,
    /// How often somebody has asked for a line, and which line and column it was last.
    pub place: (u32, usize, usize),
    /// How often somebody has asked for the text to be formatted.
    #[prop_or_default]
    pub format: u32,
    /// Called with the whole text when a person has typed, where the text is not the manifest.
    #[prop_or_default]
    pub typed: Option<Callback<String>>,
    /// What the text is called, where it is not the manifest.
    #[prop_or_default]
    pub called: Option<AttrValue>,
}

/// The editor's own object, and what it calls.
struct Live {
    handle: JsValue,
    _calls: [Closure<dyn Fn(String)>; 2],
    _unformatted: Closure<dyn Fn(f64, String)>,
    _schema_of: Closure<dyn Fn(JsValue) -> Promise>,
}

impl Live {
    fn call(&self, name: &str, arg: &JsValue) {
        let method =
            Reflect::get(&self.handle, &name.into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
        if let Some(method) = method {
            let _ = method.call1(&self.handle, arg);
        }
    }
}

/// The editor.
#[component]
pub fn Editor(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let host = use_node_ref();
    let live = use_mut_ref(|| None::<Live>);
    let ready = use_state(|| false);
    {
        let (host, live, ready) = (host.clone(), live.clone(), ready.setter());
        let words = words(&t, props.called.as_ref());
        let (text, typed) = (props.text.clone(), props.typed.clone());
        use_effect_with((), move |()| {
            if let Some(host) = host.cast::<HtmlElement>() {
                spawn_local(async move {
                    match mount(&host, &store, &words, &text, typed).await {
                        Ok(editor) => {
                            *live.borrow_mut() = Some(editor);
                            ready.set(true);
                        }
                        Err(e) => gloo::console::error!("the editor did not load", e),
                    }
                });
            }
        });
    }
    {
        let live = live.clone();
        use_effect_with((t.clone(), props.called.clone(), *ready), move |(t, called, _)| {
            if let Some(l) = &*live.borrow() {
                l.call("setWords", &words(t, called.as_ref()));
            }
        });
    }
    {
        let live = live.clone();
        let text = props.text.clone();
        // Which text the editor began with, or was given last: what somebody has typed since is not taken away.
        let has = use_mut_ref(|| props.text_set);
        use_effect_with((props.text_set, *ready), move |(set, _)| {
            if let Some(l) = live.borrow().as_ref().filter(|_| *has.borrow() != *set) {
                l.call("setText", &text.as_str().into());
                *has.borrow_mut() = *set;
            }
        });
    }
    {
        let live = live.clone();
        let deps = (props.diagnostics.clone(), props.images.clone(), t.clone(), *ready);
        use_effect_with(deps, move |(diagnostics, images, t, _)| {
            if let Some(l) = &*live.borrow() {
                l.call("setDiagnostics", &list(t, diagnostics, images));
            }
        });
    }
    {
        let live = live.clone();
        use_effect_with(props.place, move |(asked, line, column)| {
            if let Some(l) = live.borrow().as_ref().filter(|_| *asked > 0) {
                l.call("goTo", &place_value(*line, *column));
            }
        });
    }
    {
        let live = live.clone();
        use_effect_with(props.format, move |asked| {
            if let Some(l) = live.borrow().as_ref().filter(|_| *asked > 0) {
                l.call("format", &JsValue::UNDEFINED);
            }
        });
    }
    {
        let live = live.clone();
        use_effect_with((props.kinds.clone(), *ready), move |(kinds, _)| {
            if let Some(l) = &*live.borrow() {
                l.call("setKinds", &kinds.iter().map(kind_value).collect::<Array>());
            }
        });
    }
    {
        let live = live.clone();
        use_effect_with((), move |()| {
            let themed = move |_: &web_sys::Event| {
                if let Some(l) = &*live.borrow() {
                    l.call("setTheme", &is_dark().into());
                }
            };
            let query = gloo::utils::window().match_media("(prefers-color-scheme: dark)").ok().flatten();
            let system = query.map(|q| gloo::events::EventListener::new(&q, "change", themed.clone()));
            let chosen = gloo::events::EventListener::new(&gloo::utils::window(), "steady:theme", themed);
            move || drop((system, chosen))
        });
    }
    // What stands for the editor until it is there can be focused by a key; `mount` in editor.js hands the focus on, and
    // takes the tabindex away.
    let tabindex = (!*ready).then_some("-1");
    html! { <div class="editor" ref={host} {tabindex}><pre>{ props.text.as_str() }</pre></div> }
}

/// CodeMirror's own words, as it asks for them, and their keys in the catalogue.
const PHRASES: &[(&str, &str)] = &[
    ("Find", "cm-find"),
    ("Replace", "cm-replace"),
    ("next", "cm-next"),
    ("previous", "cm-previous"),
    ("all", "cm-all"),
    ("match case", "cm-match-case"),
    ("by word", "cm-by-word"),
    ("regexp", "cm-regexp"),
    ("replace", "cm-replace-one"),
    ("replace all", "cm-replace-all"),
    ("close", "cm-close"),
    ("current match", "cm-current-match"),
    ("on line", "cm-on-line"),
    ("replaced match on line $", "cm-replaced-one"),
    ("replaced $ matches", "cm-replaced"),
    ("Go to line", "cm-go-to-line"),
    ("go", "cm-go"),
    ("Completions", "cm-completions"),
    ("Diagnostics", "cm-diagnostics"),
    ("No diagnostics", "cm-no-diagnostics"),
    ("Selection deleted", "cm-selection-deleted"),
    ("Control character", "cm-control-character"),
    ("folded code", "cm-folded"),
    ("unfold", "cm-unfold"),
    ("Fold line", "cm-fold-line"),
    ("Unfold line", "cm-unfold-line"),
    ("Folded lines", "cm-folded-lines"),
    ("Unfolded lines", "cm-unfolded-lines"),
    ("to", "cm-to"),
    // The messages of the lint in editor/duplicates.js.
    ("The key $1 stands again in line $2, and that one counts", "cm-duplicate-first"),
    ("The key $1 stands in line $2, too: this last one counts", "cm-duplicate-last"),
];

/// What the editor is called, and its words, in the page's language.
fn words(t: &Texts, called: Option<&AttrValue>) -> JsValue {
    let phrases = Object::new();
    for (phrase, key) in PHRASES {
        let _ = Reflect::set(&phrases, &(*phrase).into(), &t.get(key).into());
    }
    let words = Object::new();
    let _ = Reflect::set(&words, &"phrases".into(), &phrases);
    let called = called.map_or_else(|| t.get("manifest"), AttrValue::to_string);
    let _ = Reflect::set(&words, &"ariaLabel".into(), &called.into());
    let _ = Reflect::set(&words, &"ariaDescription".into(), &t.get("keys-editor").into());
    words.into()
}

async fn mount(
    host: &HtmlElement,
    store: &Store,
    words: &JsValue,
    text: &str,
    typed: Option<Callback<String>>,
) -> Result<Live, JsValue> {
    let (typing, applying) = (store.clone(), store.clone());
    // Another text than the manifest is not applied: asking for it is typing.
    let (on_change, on_apply) = match typed {
        Some(typed) => {
            let again = typed.clone();
            (
                Closure::<dyn Fn(String)>::new(move |text| typed.emit(text)),
                Closure::new(move |text| again.emit(text)),
            )
        }
        None => {
            let on_apply = Closure::new(move |text: String| {
                applying.typed(text);
                applying.send(Input::ApplyOrImport);
            });
            (Closure::<dyn Fn(String)>::new(move |text| typing.typed(text)), on_apply)
        }
    };
    let telling = store.clone();
    let unformatted = Closure::<dyn Fn(f64, String)>::new(move |line: f64, why: String| {
        let t = telling.texts();
        let said = match why.is_empty() {
            true => t.get("format-not"),
            false => t.with("format-refused", &[("line", line.into()), ("why", why.into())]),
        };
        telling.say(said, true);
    });
    let asking = store.clone();
    let schema_of = Closure::<dyn Fn(JsValue) -> Promise>::new(move |kind| schema_of(&asking, &kind));
    let options = Object::new();
    let set = |name: &str, value: &JsValue| Reflect::set(&options, &name.into(), value).map(|_| ());
    set("text", &text.into())?;
    set("dark", &is_dark().into())?;
    for name in ["ariaLabel", "ariaDescription", "phrases"] {
        set(name, &Reflect::get(words, &name.into())?)?;
    }
    set("onChange", on_change.as_ref())?;
    set("onApply", on_apply.as_ref())?;
    set("onUnformatted", unformatted.as_ref())?;
    set("schemaOf", schema_of.as_ref())?;
    let window = gloo::utils::window();
    let load: Function = Reflect::get(&window, &"steadyEditor".into())?.dyn_into()?;
    let promise: Promise = load.call2(&window, host, &options)?.dyn_into()?;
    let handle = JsFuture::from(promise).await?;
    Ok(Live { handle, _calls: [on_change, on_apply], _unformatted: unformatted, _schema_of: schema_of })
}

/// A custom kind as the editor has it.
fn kind_value(kind: &DefinedKind) -> JsValue {
    with_fields([
        ("apiVersion", kind.api_version.as_str().into()),
        ("kind", kind.kind.as_str().into()),
        ("revision", (kind.revision as f64).into()),
    ])
}

/// A promise of the schema of one of the kinds that [`kind_value`] made; of `null` if the kind is gone.
fn schema_of(store: &Store, kind: &JsValue) -> Promise {
    let field = |name: &str| Reflect::get(kind, &name.into()).ok();
    let text = |name: &str| field(name).and_then(|v| v.as_string()).unwrap_or_default();
    let kind = DefinedKind {
        api_version: text("apiVersion"),
        kind: text("kind"),
        revision: field("revision").and_then(|v| v.as_f64()).unwrap_or_default() as u64,
    };
    Promise::new(&mut |resolve, _| {
        let answered = Callback::from(move |answer| {
            let schema = match answer {
                Answer::Schema(Some(schema)) => JsValue::from(schema),
                _ => JsValue::NULL,
            };
            let _ = resolve.call1(&JsValue::UNDEFINED, &schema);
        });
        store.ask(Ask::Schema(kind.clone()), answered);
    })
}

fn with_fields<const N: usize>(fields: [(&str, JsValue); N]) -> JsValue {
    let o = Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&o, &name.into(), &value);
    }
    o.into()
}

fn place_value(line: usize, column: usize) -> JsValue {
    with_fields([("line", (line as u32).into()), ("column", (column as u32).into())])
}

/// What is wrong with the text, as the editor has it. An image that may be meant is offered in place of the one that is
/// missing.
fn list(t: &Texts, diagnostics: &[Problem], images: &[ImageWarning]) -> JsValue {
    let marked = |line: usize, column: usize, severity: &str, message: String| {
        [
            ("line", (line as u32).into()),
            ("column", (column as u32).into()),
            ("severity", severity.into()),
            ("message", message.into()),
        ]
    };
    let errors =
        diagnostics.iter().map(|d| with_fields(marked(d.line, d.column, "error", d.message.clone())));
    let warnings = images.iter().map(|w| {
        let warning = with_fields(marked(w.line, w.column, "warning", missing_image(t, &w.missing)));
        if let Some(meant) = &w.missing.meant {
            let said = t.with("image-use", &[("meant", meant.clone().into())]);
            let [was, is] = [w.missing.image.as_str(), meant].map(JsValue::from);
            let instead = with_fields([("was", was), ("is", is), ("said", said.into())]);
            let _ = Reflect::set(&warning, &"instead".into(), &instead);
        }
        warning
    });
    errors.chain(warnings).collect::<Array>().into()
}
