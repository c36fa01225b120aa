//! The terms of the glossary in a text: each shows what it means while it is pointed at or has the focus.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use steady::engine::glossary::{Piece, Reader, Term};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};
use yew::prelude::*;

use super::hooks::use_texts;
use super::i18n::{Lang, Texts};

/// A reader of a text in the page's language.
pub fn reader(t: &Texts) -> Reader {
    Reader::new(match t.lang() {
        Lang::En => |forms| forms.en,
        Lang::Zh => |forms| forms.zh,
    })
}

/// The next part of a text, in which terms that were not there before are explained.
pub fn told(reader: &mut Reader, text: &str) -> Html {
    let piece = |Piece { text, term }: Piece<'_>| match term {
        Some(term) => html! { <Explained {term} text={text.to_owned()} /> },
        None => html! { { text.to_owned() } },
    };
    reader.read(text).map(piece).collect()
}

/// A text without Markdown.
#[derive(Properties, PartialEq)]
pub struct WordsProps {
    /// The text.
    pub text: String,
}

/// A text in which the terms are explained.
#[component]
pub fn Words(props: &WordsProps) -> Html {
    told(&mut reader(&use_texts()), &props.text)
}

#[derive(Properties)]
struct ExplainedProps {
    term: &'static Term,
    /// The term as the text has it.
    text: String,
}

impl PartialEq for ExplainedProps {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.term, other.term) && self.text == other.text
    }
}

/// A place on the page; `None` as long as none was reported.
type Place = Option<(i32, i32)>;

/// Where the pointer is. Browsers report a move, too, when what is under it has moved.
struct Pointer {
    /// At the last report but one, and at the last.
    at: Rc<Cell<[Place; 2]>>,
    _listener: EventListener,
}

thread_local! {
    static POINTER: Pointer = Pointer::watch();
}

impl Pointer {
    fn watch() -> Pointer {
        let at = Rc::new(Cell::new([None; 2]));
        let seen = at.clone();
        let options = EventListenerOptions::run_in_capture_phase();
        let listener = EventListener::new_with_options(&window(), "mousemove", options, move |e| {
            let [_, before] = seen.get();
            let now = e.dyn_ref::<web_sys::MouseEvent>().map(|e| (e.client_x(), e.client_y()));
            seen.set([before, now]);
        });
        Pointer { at, _listener: listener }
    }

    /// Whether the last report was of the pointer's own move.
    fn has_moved(&self) -> bool {
        let [before, now] = self.at.get();
        before.is_none() || before != now
    }
}

/// The number of the next term on the page, of which its ids are made.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A term, and the note that explains it.
#[component]
fn Explained(props: &ExplainedProps) -> Html {
    let t = use_texts();
    let id = use_memo((), |()| format!("term-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    // From now on it is known where the pointer was.
    use_effect_with((), |()| POINTER.with(|_| ()));
    let open = use_state_eq(|| false);
    let (whole, word, note) = (use_node_ref(), use_node_ref(), use_node_ref());
    {
        let (word, note, set) = (word.clone(), note.clone(), open.setter());
        use_effect_with(*open, move |open| {
            let listeners = match (*open, note.cast::<HtmlElement>(), word.cast::<Element>()) {
                (true, Some(note), Some(word)) if note.show_popover().is_ok() => {
                    place(&note, &word);
                    Some(closers(set))
                }
                (false, Some(note), _) => {
                    // A note that was never shown cannot be hidden.
                    let _ = note.hide_popover();
                    None
                }
                _ => None,
            };
            move || drop(listeners)
        });
    }
    let to = |is: bool| {
        let open = open.setter();
        move || open.set(is)
    };
    let (enter, focused, pressed) = (to(true), to(true), to(true));
    // A text that moves under a pointer at rest is not pointed at.
    let pointed = Callback::from(move |_: MouseEvent| {
        if POINTER.with(Pointer::has_moved) {
            enter();
        }
    });
    // The pointer or the focus may go on to the note.
    let left = {
        let (open, whole) = (open.setter(), whole.clone());
        Callback::from(move |_: MouseEvent| {
            let active = gloo::utils::document().active_element();
            let inside =
                whole.cast::<Node>().is_some_and(|w| w.contains(active.as_ref().map(|a| a.as_ref())));
            open.set(inside);
        })
    };
    let blurred = {
        let (open, whole) = (open.setter(), whole.clone());
        Callback::from(move |e: FocusEvent| {
            let to = e.related_target().and_then(|t| t.dyn_into::<Node>().ok());
            if !whole.cast::<Node>().is_some_and(|w| to.is_some() && w.contains(to.as_ref())) {
                open.set(false);
            }
        })
    };
    let keyed = {
        let open = open.clone();
        Callback::from(move |e: KeyboardEvent| {
            if matches!(e.key().as_str(), "Enter" | " ") {
                e.prevent_default();
                open.set(!*open);
            }
        })
    };
    let name = t.of(&props.term.term);
    html! {
        <span class="term-whole" ref={whole} onmousemove={pointed} onmouseleave={left} onfocusin={move |_| focused()} onfocusout={blurred}>
            <span class="term" role="button" tabindex="0" ref={word} aria-expanded={open.to_string()} aria-describedby={(*id).clone()}
                onclick={move |_| pressed()} onkeydown={keyed}>{ &props.text }</span>
            <span class="term-note" popover="manual" ref={note}>
                <span class="term-says"><b>{ &name }</b><span id={(*id).clone()}>{ t.of(&props.term.says) }</span>
                    <a href={t.page(props.term.url)} target="_blank" rel="noopener">{ t.with("term-page", &[("term", name.as_str().into())]) }</a></span>
            </span>
        </span>
    }
}

/// Puts a note under its word, or above it where there is no room.
fn place(note: &HtmlElement, word: &Element) {
    const EDGE: f64 = 8.0;
    let size = |length: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        length.ok().and_then(|v| v.as_f64()).unwrap_or_default()
    };
    let (width, height) = (size(window().inner_width()), size(window().inner_height()));
    let (at, own) = (word.get_bounding_client_rect(), note.get_bounding_client_rect());
    let left = at.left().min(width - own.width() - EDGE).max(EDGE);
    let below = at.bottom() + own.height() <= height - EDGE;
    let top = if below { at.bottom() } else { (at.top() - own.height()).max(EDGE) };
    let style = note.style();
    // The browser takes each length.
    let _ = style.set_property("left", &format!("{left}px"));
    let _ = style.set_property("top", &format!("{top}px"));
}

/// Escape closes a note, wherever the focus is, and so does a scroll, which takes its word away from under it.
fn closers(open: UseStateSetter<bool>) -> [EventListener; 2] {
    let options = EventListenerOptions { phase: gloo::events::EventListenerPhase::Capture, passive: false };
    let scrolled = open.clone();
    [
        EventListener::new_with_options(&window(), "keydown", options, move |e| {
            if e.dyn_ref::<web_sys::KeyboardEvent>().is_some_and(|e| e.key() == "Escape") {
                // Nothing else ends by the same press.
                e.prevent_default();
                e.stop_propagation();
                open.set(false);
            }
        }),
        EventListener::new_with_options(
            &window(),
            "scroll",
            EventListenerOptions::run_in_capture_phase(),
            move |_| {
                scrolled.set(false);
            },
        ),
    ]
}
