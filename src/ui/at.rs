//! Where an event is. Yew listens at the page's root for all components, so the `currentTarget` of an event is that root, whoever hears
//! of it (`xtask/tests/events.rs` keeps it out).

use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

fn target(e: &Event) -> Option<Element> {
    e.target()?.dyn_into().ok()
}

/// The element of a selector that an event is in.
pub fn within(e: &Event, selector: &str) -> Option<Element> {
    target(e)?.closest(selector).ok()?
}

/// Whether an event is at an element of a selector itself, and at nothing in it.
pub fn is(e: &Event, selector: &str) -> bool {
    target(e).is_some_and(|element| element.matches(selector).unwrap_or(false))
}
