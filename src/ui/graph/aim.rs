//! Which object a person points at, or has the focus on.

use std::rc::Rc;

use gloo::utils::window;
use steady::engine::{Graph, ObjectRef};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::card;
use super::viewport::Viewport;
use crate::ui::layout::{CELL, Layout, Rect};
use crate::ui::store::Shared;

/// What is drawn in the pane, to find the object under the pointer by.
#[derive(Clone)]
pub struct Aim {
    /// The objects.
    pub graph: Shared<Graph>,
    /// The places of cards and grids.
    pub placed: Rc<Layout>,
    /// The view onto the graph.
    pub view: Viewport,
    /// The selected object. Of a grid, which is one element for many objects, it is the one that is meant.
    pub selection: Option<ObjectRef>,
}

impl PartialEq for Aim {
    fn eq(&self, other: &Aim) -> bool {
        self.graph == other.graph
            && Rc::ptr_eq(&self.placed, &other.placed)
            && self.view == other.view
            && self.selection == other.selection
    }
}

/// An object that was pointed at.
#[derive(Clone)]
pub struct Target {
    /// The object.
    pub object: ObjectRef,
    /// The object's card, or the grid in which it is a cell.
    pub element: Element,
    /// The place of the card or cell in the window.
    pub rect: Rect,
}

/// The card or the grid that an event happened on.
pub fn element_of(e: &web_sys::Event) -> Option<Element> {
    e.target()?.dyn_into::<Element>().ok()?.closest(".world .card, .world .fold").ok().flatten()
}

impl Aim {
    /// The object of a card or grid. In a grid it is the one at a point of the window, or, without a point, the selected one,
    /// or the first.
    pub fn object(&self, element: Element, at: Option<(i32, i32)>) -> Option<Target> {
        let target = |place: usize, rect: Rect| {
            let object = self.graph.node(place)?.reference.clone();
            Some(Target { object, element: element.clone(), rect: self.view.in_window(rect)? })
        };
        if let Some(id) = element.get_attribute("data-object") {
            let is_it = |place: usize| self.graph.node(place).is_some_and(|n| card::id(&n.reference) == id);
            let item = self.placed.items.iter().find(|item| is_it(item.node))?;
            return target(item.node, item.rect);
        }
        let number: usize = element.get_attribute("data-fold")?.parse().ok()?;
        let fold = self.placed.folds.get(number)?;
        let slot = match at {
            Some((x, y)) => {
                let (x, y) = self.view.world_at(x, y)?;
                fold.slot_at(x, y)?
            }
            None => {
                let selected = self.selection.as_ref().and_then(|s| self.graph.find(s));
                let at = selected.and_then(|s| fold.cells.iter().position(|c| *c == Some(s)));
                at.or_else(|| fold.cells.iter().position(Option::is_some))?
            }
        };
        let (x, y) = fold.corner(slot);
        target(fold.cells.get(slot).copied().flatten()?, Rect { x, y, w: CELL - 3.0, h: CELL - 3.0 })
    }
}

/// The width and height of the window, in pixels.
pub fn window_size() -> (f32, f32) {
    let length = |value: Result<wasm_bindgen::JsValue, _>| {
        value.ok().and_then(|v| v.as_f64()).map_or(0.0, |n| n as f32)
    };
    (length(window().inner_width()), length(window().inner_height()))
}

/// Moves an element to a place of the window.
pub fn put(element: &Element, left: f32, top: f32) {
    if let Some(el) = element.dyn_ref::<HtmlElement>() {
        let _ = el.style().set_property("left", &format!("{left:.0}px"));
        let _ = el.style().set_property("top", &format!("{top:.0}px"));
    }
}
