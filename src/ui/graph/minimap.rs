//! The minimap: a small picture of the whole graph, with the part that the pane shows. It is hidden from screen readers, which
//! have the objects themselves.

use std::fmt::Write;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};
use yew::prelude::*;

use super::viewport::{Seen, Viewport};
use crate::ui::layout::{Layout, Rect};

/// In a pane that is narrower or lower than this the minimap would take too much room.
const LEAST: (u32, u32) = (560, 320);
/// The largest size of the minimap.
const SIZE: (f32, f32) = (170.0, 110.0);
/// The minimap is shown if more than so many pixels of the graph are out of sight.
const SLACK: f32 = 24.0;

/// What the minimap shows.
#[derive(Properties)]
pub struct Props {
    /// The places of cards and grids.
    pub placed: Rc<Layout>,
    /// The view onto the graph.
    pub view: Viewport,
}

impl PartialEq for Props {
    fn eq(&self, other: &Props) -> bool {
        Rc::ptr_eq(&self.placed, &other.placed)
            && self.view == other.view
            && self.view.size() == other.view.size()
    }
}

/// Whether a part of the graph is out of sight.
fn is_cut(bounds: Rect, seen: Seen) -> bool {
    let slack = SLACK / seen.scale.max(0.001);
    bounds.x < seen.rect.x - slack
        || bounds.y < seen.rect.y - slack
        || bounds.right() > seen.rect.right() + slack
        || bounds.bottom() > seen.rect.bottom() + slack
}

/// The minimap.
#[component]
pub fn Minimap(props: &Props) -> Html {
    let frame = use_node_ref();
    let bounds = props.placed.bounds;
    let cut = use_state_eq(|| false);
    {
        let (view, frame, set) = (props.view.clone(), frame.clone(), cut.setter());
        use_effect_with((Rc::as_ptr(&props.placed), props.view.size(), *cut), {
            let bounds = props.placed.bounds;
            move |_| {
                let eye = view.clone();
                let look = move || {
                    let seen = eye.seen();
                    set.set(is_cut(bounds, seen));
                    if let Some(frame) = frame.cast::<Element>() {
                        put(&frame, seen.rect);
                    }
                };
                look();
                let watcher = view.watch(look);
                move || drop(watcher)
            }
        });
    }
    let (w, h) = props.view.size();
    if !*cut || w < LEAST.0 || h < LEAST.1 || bounds.w < 1.0 || bounds.h < 1.0 {
        return Html::default();
    }
    let scale = (SIZE.0 / bounds.w).min(SIZE.1 / bounds.h);
    let go = {
        let view = props.view.clone();
        move |e: &PointerEvent| {
            let Some(map) = e.current_target().and_then(|t| t.dyn_into::<Element>().ok()) else { return };
            let r = map.get_bounding_client_rect();
            let at = |client: i32, from: f64, length: f64, of: f32| {
                (f64::from(client) - from) as f32 / (length as f32).max(1.0) * of
            };
            view.centre(
                bounds.x + at(e.client_x(), r.left(), r.width(), bounds.w),
                bounds.y + at(e.client_y(), r.top(), r.height(), bounds.h),
            );
        }
    };
    let onpointerdown = {
        let go = go.clone();
        Callback::from(move |e: PointerEvent| {
            e.prevent_default();
            e.stop_propagation();
            if let Some(map) = e.current_target().and_then(|t| t.dyn_into::<Element>().ok()) {
                let _ = map.set_pointer_capture(e.pointer_id());
            }
            go(&e);
        })
    };
    let onpointermove = Callback::from(move |e: PointerEvent| {
        if e.buttons() & 1 == 1 {
            go(&e);
        }
    });
    html! {
        <svg class="minimap" aria-hidden="true" viewBox={format!("{} {} {} {}", bounds.x, bounds.y, bounds.w, bounds.h)}
            width={(bounds.w * scale).to_string()} height={(bounds.h * scale).to_string()} preserveAspectRatio="none" {onpointerdown} {onpointermove}>
            <path class="parts" d={parts(&props.placed)} />
            <rect class="frame" ref={frame} vector-effect="non-scaling-stroke" />
        </svg>
    }
}

fn put(frame: &Element, r: Rect) {
    for (name, value) in [("x", r.x), ("y", r.y), ("width", r.w), ("height", r.h)] {
        let _ = frame.set_attribute(name, &format!("{value:.1}"));
    }
}

/// The rectangles of all cards and grids.
fn parts(placed: &Layout) -> String {
    let mut d = String::new();
    for r in placed.items.iter().map(|i| i.rect).chain(placed.folds.iter().map(|f| f.rect)) {
        let _ = write!(d, "M{} {}h{}v{}h-{}z", r.x, r.y, r.w, r.h, r.w);
    }
    d
}
