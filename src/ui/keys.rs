//! Keys, and the dialog that names them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document;
use steady::engine::{Depth, Input};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{CustomEvent, Element, HtmlDialogElement, HtmlElement, MutationObserver, MutationObserverInit};
use yew::prelude::*;

use super::glyph;
use super::pane::Pane;
use super::store::Store;
use crate::ui::hooks::use_texts;

/// Keys and what they do.
const KEYS: &[(&[&str], &str)] = &[
    (&["→"], "step"),
    (&["←"], "back"),
    (&["Space"], "key-run"),
    (&["⇧", "→"], "to-steady"),
    (&["Home"], "restart"),
    (&["1–9"], "key-choose"),
    (&["C"], "depth-command"),
    (&["R"], "depth-reconcile"),
    (&["M"], "depth-machinery"),
    (&["P"], "key-policy"),
    (&["E"], "key-editor"),
    (&["K"], "key-terminal"),
    (&["G"], "key-graph"),
    (&["A"], "key-menu"),
    (&["F"], "key-filter"),
    (&["Z"], "key-alone"),
    (&["T"], "key-timeline"),
    (&["V"], "key-view"),
    (&["I"], "key-into"),
    (&["Esc"], "key-out"),
    (&["O"], "key-explore"),
    (&["Q"], "key-rehearse"),
    (&["B"], "rules"),
    (&["Ctrl/⌘", "Enter"], "key-apply"),
    (&["?"], "keys"),
];

/// Puts the focus on the first thing that a selector finds: now, for the next key may come before a
/// timer, or once it is drawn.
pub fn focus(selector: &str) {
    if focused(selector) {
        return;
    }
    try_focus(selector.to_owned(), document().active_element(), 0);
}

/// How often, and after how many milliseconds each time, it is tried to focus what is not drawn yet because the engine has not
/// answered.
const TRIES: u32 = 40;
const WAIT: u32 = 16;

/// Tries to focus what a selector finds, unless the focus has moved from where it was.
fn try_focus(selector: String, from: Option<Element>, nth: u32) {
    let wait = if nth == 0 { 0 } else { WAIT };
    gloo::timers::callback::Timeout::new(wait, move || {
        let active = document().active_element();
        let moved = active != from && active.is_some_and(|el| el.tag_name() != "BODY");
        if !moved && !focused(&selector) && nth < TRIES {
            try_focus(selector, from, nth + 1);
        }
    })
    .forget();
}

/// Puts the focus on the first thing inside an element that a selector finds, if it is to be seen.
pub fn focus_in(root: &NodeRef, selector: &str) {
    let found = root.cast::<Element>().and_then(|root| root.query_selector(selector).ok().flatten());
    if let Some(el) = found.and_then(|el| el.dyn_into::<HtmlElement>().ok()) {
        let _ = el.focus();
    }
}

/// Scrolls the first thing inside an element that a selector finds into sight.
pub fn into_sight(root: &NodeRef, selector: &str) {
    let found = root.cast::<Element>().and_then(|root| root.query_selector(selector).ok().flatten());
    if let Some(el) = found {
        let nearest = web_sys::ScrollIntoViewOptions::new();
        nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
        el.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}

/// Whether nothing has the focus, or something that matches a selector.
pub fn is_nowhere(selector: &str) -> bool {
    let active = document().active_element();
    active.is_none_or(|el| el.tag_name() == "BODY" || el.closest(selector).is_ok_and(|found| found.is_some()))
}

/// Tries to focus it, and says whether it has the focus.
fn focused(selector: &str) -> bool {
    let Ok(Some(el)) = document().query_selector(selector) else { return false };
    let _ = match (el.dyn_ref::<HtmlElement>(), el.dyn_ref::<web_sys::SvgElement>()) {
        (Some(el), _) => el.focus(),
        (None, Some(el)) => el.focus(),
        (None, None) => return false,
    };
    document().active_element().as_ref() == Some(&el)
}

/// Whether what a selector finds has the focus itself.
pub fn has_focus(selector: &str) -> bool {
    document().active_element().is_some_and(|el| el.matches(selector).unwrap_or(false))
}

/// Where the focus goes in each part of the page whose content may be taken away while it has the focus.
const PARTS: [(&str, Then); 2] = [
    (".next", &[".next[aria-busy=false] li button", ".next"]),
    (".inspector", &[".inspector [role=tab][tabindex='0']"]),
];

/// Selectors of what the focus may go to, the best one first.
type Then = &'static [&'static str];

/// What had the focus last, and where the focus goes if that is taken away.
#[derive(Clone, Default)]
pub struct LastFocus {
    last: Rc<RefCell<Option<(Element, Then)>>>,
    /// Whether a key was pressed after anything was pointed at.
    by_keys: Rc<Cell<bool>>,
}

/// What follows the focus, until it is dropped.
pub struct Following {
    _listeners: [EventListener; 3],
    observer: Option<MutationObserver>,
    _changed: Closure<dyn FnMut()>,
}

impl Drop for Following {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

impl LastFocus {
    /// Follows the focus, and moves it on where what had it is taken away: at any time, since parts of the page are drawn when the
    /// engine answers.
    pub fn follow(&self) -> Following {
        let window = gloo::utils::window();
        let notes = |event: &'static str, keys: bool| {
            let by_keys = self.by_keys.clone();
            let options = EventListenerOptions::run_in_capture_phase();
            EventListener::new_with_options(&window, event, options, move |_| by_keys.set(keys))
        };
        let last = self.last.clone();
        let focus = EventListener::new(&window, "focusin", move |e| {
            let target = e.target().and_then(|t| t.dyn_into::<Element>().ok());
            *last.borrow_mut() = target.and_then(|el| {
                let inside = |part: &str| el.closest(part).ok().flatten().is_some();
                let (_, then) = PARTS.into_iter().find(|(part, _)| inside(part))?;
                Some((el, then))
            });
        });
        let (this, planned) = (self.clone(), Rc::new(Cell::new(false)));
        let changed = Closure::<dyn FnMut()>::new(move || {
            if planned.replace(true) {
                return;
            }
            let (this, planned) = (this.clone(), planned.clone());
            // Once everything of this drawing stands.
            gloo::timers::callback::Timeout::new(0, move || {
                planned.set(false);
                this.mend();
            })
            .forget();
        });
        let observer = MutationObserver::new(changed.as_ref().unchecked_ref()).ok();
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_subtree(true);
        options.set_attribute_filter(&js_sys::Array::of1(&"disabled".into()));
        if let (Some(observer), Some(body)) = (&observer, document().body()) {
            // Only options that contradict each other are refused.
            let _ = observer.observe_with_options(&body, &options);
        }
        let listeners = [focus, notes("keydown", true), notes("pointerdown", false)];
        Following { _listeners: listeners, observer, _changed: changed }
    }

    /// Moves the focus on if what had it was taken away or can have it no longer. Who points at things goes on pointing, and
    /// expects the keys of the whole page to work meanwhile.
    fn mend(&self) {
        let last = self.last.borrow().clone();
        let Some((el, then)) = last.filter(|_| self.by_keys.get()) else { return };
        let lost = document().active_element().is_none_or(|a| a.tag_name().eq_ignore_ascii_case("body"));
        if lost && (!el.is_connected() || el.has_attribute("disabled")) {
            then.iter().any(|selector| focused(selector));
        }
    }
}

/// Opens the menu of the object that has the focus, or of the selected one, or of the first.
pub fn open_menu() {
    let card = |el: &Element| el.closest(".world .card, .world .fold").ok().flatten();
    let find = |selector: &str| document().query_selector(selector).ok().flatten();
    let focused = document().active_element().and_then(|el| card(&el));
    let on = focused
        .or_else(|| find(".graph:not([hidden]) .card[aria-pressed='true'], .graph:not([hidden]) .fold.holds"))
        .or_else(|| find(".graph:not([hidden]) .world [tabindex='0']"));
    let init = web_sys::CustomEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    if let (Some(on), Ok(event)) = (on, CustomEvent::new_with_event_init_dict("contextmenu", &init)) {
        let _ = on.dispatch_event(&event);
    }
}

/// Clicks the first thing that a selector finds.
pub fn click(selector: &str) {
    if let Ok(Some(el)) = document().query_selector(selector)
        && let Some(el) = el.dyn_ref::<HtmlElement>()
    {
        el.click();
    }
}

/// The keys that apply, as this keyboard has them.
pub fn apply_keys() -> &'static str {
    let agent = gloo::utils::window().navigator().user_agent().unwrap_or_default();
    if agent.contains("Mac") || agent.contains("iPhone") || agent.contains("iPad") {
        "⌘↵"
    } else {
        "Ctrl ↵"
    }
}

/// Whether a key belongs to what has the focus.
fn taken(e: &KeyboardEvent) -> bool {
    // The editor lives in a shadow root: what was really typed into stands first on the path.
    let inner = e.composed_path().get(0).dyn_into::<HtmlElement>();
    if inner.is_ok_and(|el| el.is_content_editable()) {
        return true;
    }
    let Some(el) = e.target().and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    let tag = el.tag_name().to_ascii_lowercase();
    matches!(tag.as_str(), "input" | "textarea" | "select")
        || el.closest(".editor, dialog, [role=menu]").ok().flatten().is_some()
        || (e.key() == " " && matches!(tag.as_str(), "button" | "summary" | "a"))
}

/// Whether a modal dialog is open. The page behind it takes no key meanwhile, also when nothing in the dialog has the focus:
/// Escape is the browser's, which closes the dialog.
fn modal() -> bool {
    document().query_selector("dialog:modal").is_ok_and(|open| open.is_some())
}

/// A key was pressed anywhere. `help` opens the list of keys, and `show` brings the pane to the front that a key leads to.
pub fn pressed(store: &Store, e: &KeyboardEvent, help: &Callback<()>, show: &Callback<Pane>) {
    if e.default_prevented() || e.ctrl_key() || e.meta_key() || e.alt_key() || taken(e) || modal() {
        return;
    }
    match (e.key().as_str(), e.shift_key()) {
        ("ArrowRight", true) => store.send(Input::ToSteady),
        ("ArrowRight", false) => store.send(Input::Step),
        ("ArrowLeft", _) => store.send(Input::Back),
        (" ", _) => store.send(Input::Run),
        ("Home", _) => store.send(Input::Restart),
        ("c" | "C", _) => store.send(Input::Depth(Depth::Command)),
        ("r" | "R", _) => store.send(Input::Depth(Depth::Reconcile)),
        ("m" | "M", _) => store.send(Input::Depth(Depth::Machinery)),
        ("p" | "P", _) => click(".policy .menu-button"),
        ("e" | "E", _) => {
            show.emit(Pane::Manifest);
            click("#tab-manifest");
        }
        ("k" | "K", _) => {
            show.emit(Pane::Manifest);
            click("#tab-kubectl");
        }
        ("g" | "G", _) => {
            show.emit(Pane::Graph);
            focus("section.graph:not([hidden]) svg.world [tabindex='0'], .map-scroll");
        }
        ("t" | "T", _) => {
            show.emit(Pane::Timeline);
            focus(".timeline [role=slider]");
        }
        ("v" | "V", _) => store.send(Input::ShowMap(!store.with(|s| s.map.shown))),
        ("i" | "I", _) => store.send(Input::StepInto(store.with(|s| s.at), 1)),
        ("Escape", _) if store.with(|s| s.inside) => store.send(Input::StepOut),
        ("o" | "O", _) => click("#explore-button"),
        ("q" | "Q", _) => click("#rehearse-button"),
        ("b" | "B", _) => {
            show.emit(Pane::Graph);
            click("#rules-button");
        }
        ("a" | "A", _) => open_menu(),
        ("f" | "F" | "/", _) => {
            show.emit(Pane::Graph);
            click("#graph-filter");
        }
        ("z" | "Z", _) => click("#graph-alone"),
        ("Escape", _) => click("#graph-alone[aria-pressed='true'], .traffic-let-go"),
        ("?", _) => help.emit(()),
        (d, false) if d.len() == 1 && d.bytes().all(|b| (b'1'..=b'9').contains(&b)) => {
            let n: usize = d.parse().unwrap_or(1);
            click(&format!(".next li:nth-child({n}) button"));
        }
        _ => return,
    }
    e.prevent_default();
}

/// Whether the dialog is open.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It is.
    pub open: bool,
    /// Opens or closes it.
    pub set: Callback<bool>,
}

/// The keys.
#[component]
pub fn KeysDialog(props: &Props) -> Html {
    let t = use_texts();
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with(props.open, move |open| {
            if let Some(d) = dialog.cast::<HtmlDialogElement>() {
                if *open && !d.open() {
                    let _ = d.show_modal();
                } else if !*open && d.open() {
                    d.close();
                }
            }
        });
    }
    let onclose = {
        let set = props.set.clone();
        Callback::from(move |_: Event| set.emit(false))
    };
    let close = {
        let set = props.set.clone();
        Callback::from(move |_: MouseEvent| set.emit(false))
    };
    let outside = {
        let set = props.set.clone();
        Callback::from(move |e: MouseEvent| {
            if e.target() == e.current_target() {
                set.emit(false);
            }
        })
    };
    // It is drawn while it is open: it would be drawn at each step otherwise.
    let rows = KEYS.iter().map(|(keys, what)| {
        html! { <div><dt>{ for keys.iter().map(|k| html! { <kbd>{ *k }</kbd> }) }</dt><dd>{ t.get(what) }</dd></div> }
    });
    html! {
        <dialog class="keys" ref={dialog} aria-labelledby="keys-title" {onclose} onclick={outside}>
            if props.open { <div class="sheet">
                // The first that can have the focus, so that the dialog opens with its beginning in sight.
                <header><h2 id="keys-title">{ t.get("keys") }</h2>
                    <button type="button" class="tool" aria-label={t.get("close")} onclick={close}>{ glyph::icon(glyph::CLOSE) }</button></header>
                <dl>{ for rows }</dl>
                <p>{ t.get("keys-editor") }</p>
            </div> }
        </dialog>
    }
}
