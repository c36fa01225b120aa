//! Pan, zoom and fit. The view moves without anything being drawn anew: only one transform changes.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document_element;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, PointerEvent, ResizeObserver, WheelEvent};
use yew::prelude::*;

use crate::ui::layout::{Flow, Layout, Rect};

const SMALLEST: f32 = 0.08;
/// Smaller than this, the words on a card cannot be read.
const READABLE: f32 = 0.65;
/// What can still be guessed: in a pane that is so low that there is no other choice, and where all of the graph is seen so.
const GUESSED: f32 = 0.55;
/// A pane lower than this is such a one.
const LOW: f32 = 280.0;
/// How much of the pane's top the columns' heads take.
const HEADS: f32 = 40.0;
/// How much room is left above a graph that runs downwards.
const DOWN_TOP: f32 = 12.0;
/// In a pane that is wider than this, a small graph is drawn larger than it is.
const WIDE: f32 = 1100.0;
/// How much larger.
const ENLARGED: f32 = 1.4;
/// How much room is left at the pane's other edges.
const EDGE: f32 = 16.0;
const LARGEST: f32 = 2.5;
/// So many pixels of the graph stay in sight wherever a person moves it.
const KEPT: f32 = 96.0;

#[derive(Default)]
struct State {
    x: f32,
    y: f32,
    scale: f32,
    /// A person moved it: it is not fitted by itself any more.
    touched: bool,
    /// A person asked to see all of it, however small that is.
    whole: bool,
    dragged: bool,
    pointers: Vec<(i32, f32, f32)>,
    /// The pane's size, as it was measured last.
    pane: (f32, f32),
    /// What all of the graph takes of the world.
    bounds: Rect,
    /// How much room is left at the pane's top.
    top: f32,
    watchers: Vec<(u32, Rc<dyn Fn()>)>,
    next_watcher: u32,
}

impl State {
    /// Moves the world back as far as it takes for a part of the graph to stay in the pane.
    fn keep_in_sight(&mut self) {
        let (w, h) = self.pane;
        let kept = |at: f32, from: f32, length: f32, pane: f32| {
            let (from, length) = (from * self.scale, length * self.scale);
            let least = KEPT.min(length).min(pane / 2.0);
            at.max(least - from - length).min(pane - least - from)
        };
        let Rect { x, y, w: width, h: height } = self.bounds;
        if w < 1.0 || h < 1.0 || width <= 0.0 || height <= 0.0 {
            return;
        }
        (self.x, self.y) = (kept(self.x, x, width, w), kept(self.y, y, height, h));
    }
}

/// A handle on the view.
#[derive(Clone)]
pub struct Viewport {
    state: Rc<RefCell<State>>,
    world: NodeRef,
    heads: NodeRef,
    size: (f32, f32),
}

impl PartialEq for Viewport {
    fn eq(&self, other: &Viewport) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

/// What can be seen: a part of the world, and how large it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The part.
    pub rect: Rect,
    /// Pixels on the screen for one of the world's.
    pub scale: f32,
}

/// Somebody who is told when the view moves, until this is dropped.
pub struct Watcher {
    state: Rc<RefCell<State>>,
    id: u32,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.state.borrow_mut().watchers.retain(|(id, _)| *id != self.id);
    }
}

impl Viewport {
    /// What can be seen now; all of it before the pane was measured.
    pub fn seen(&self) -> Seen {
        let s = self.state.borrow();
        let scale = s.scale.max(0.001);
        let (w, h) = if s.pane.0 < 1.0 { (f32::MAX / 4.0, f32::MAX / 4.0) } else { s.pane };
        Seen { rect: Rect { x: -s.x / scale, y: -s.y / scale, w: w / scale, h: h / scale }, scale: s.scale }
    }

    /// The point of the world below a point of the window.
    pub fn world_at(&self, x: i32, y: i32) -> Option<(f32, f32)> {
        let pane = self.world.cast::<Element>()?.closest("svg").ok().flatten()?.get_bounding_client_rect();
        let s = self.state.borrow();
        let at =
            |client: i32, edge: f64, shift: f32| (client as f32 - edge as f32 - shift) / s.scale.max(0.001);
        Some((at(x, pane.left(), s.x), at(y, pane.top(), s.y)))
    }

    /// Where a part of the world stands in the window.
    pub fn in_window(&self, r: Rect) -> Option<Rect> {
        let pane = self.world.cast::<Element>()?.closest("svg").ok().flatten()?.get_bounding_client_rect();
        let s = self.state.borrow();
        let (left, top) = (pane.left() as f32 + s.x, pane.top() as f32 + s.y);
        Some(Rect { x: left + r.x * s.scale, y: top + r.y * s.scale, w: r.w * s.scale, h: r.h * s.scale })
    }

    /// Moves a point of the world into the middle of the pane.
    pub fn centre(&self, x: f32, y: f32) {
        let seen = self.seen();
        let (cx, cy) = seen.rect.middle();
        self.pan((cx - x) * seen.scale, (cy - y) * seen.scale);
    }

    /// Tells somebody when the view moves.
    pub fn watch(&self, tell: impl Fn() + 'static) -> Watcher {
        let mut s = self.state.borrow_mut();
        s.next_watcher += 1;
        let id = s.next_watcher;
        s.watchers.push((id, Rc::new(tell)));
        Watcher { state: self.state.clone(), id }
    }

    /// The pane's width.
    pub fn width(&self) -> f32 {
        self.size.0
    }

    /// The pane's size, to be compared.
    pub fn size(&self) -> (u32, u32) {
        (self.size.0 as u32, self.size.1 as u32)
    }

    /// Whether the last press was a drag.
    pub fn dragged(&self) -> bool {
        self.state.borrow().dragged
    }

    fn draw(&self) {
        let watchers = {
            let s = self.state.borrow();
            if let Some(world) = self.world.cast::<Element>() {
                let transform = format!("translate({:.2} {:.2}) scale({:.4})", s.x, s.y, s.scale);
                let _ = world.set_attribute("transform", &transform);
            }
            // The heads stay in sight above what is moved up.
            if let Some(heads) = self.heads.cast::<Element>() {
                let _ = heads.set_attribute("data-over", if s.y < HEADS { "true" } else { "false" });
                if let Some(titles) = heads.last_element_child() {
                    let y = s.y.max(HEADS - 4.0);
                    let transform = format!("translate({:.2} {y:.2}) scale({:.4})", s.x, s.scale);
                    let _ = titles.set_attribute("transform", &transform);
                }
            }
            s.watchers.clone()
        };
        watchers.iter().for_each(|(_, tell)| tell());
    }

    /// Shows all of it, however small.
    pub fn fit(&self, placed: &Layout, flow: Flow) {
        {
            let mut s = self.state.borrow_mut();
            (s.touched, s.whole) = (false, true);
        }
        self.fit_if_untouched(placed, flow);
    }

    /// Shows all of it, or as much from its beginning as can be read; unless a person has chosen what to see.
    pub fn fit_if_untouched(&self, placed: &Layout, flow: Flow) {
        let ((w, h), bounds) = (self.size, placed.bounds);
        if w < 1.0 || h < 1.0 {
            return;
        }
        {
            let mut s = self.state.borrow_mut();
            s.bounds = bounds;
            if s.touched {
                return;
            }
            match flow {
                Flow::Down { .. } => {
                    s.scale = 1.0;
                    s.top = DOWN_TOP;
                    (s.x, s.y) = (14.0, DOWN_TOP);
                }
                Flow::Right => {
                    s.top = HEADS;
                    let (across, down) = (w - 2.0 * EDGE, h - HEADS - EDGE);
                    let scale = (across / bounds.w.max(1.0)).min(down / bounds.h.max(1.0));
                    // A grid of pods is read by its colours, so it may be as small as it has to.
                    let least = if s.whole || !placed.folds.is_empty() {
                        SMALLEST
                    } else if h < LOW || scale >= GUESSED {
                        GUESSED
                    } else {
                        READABLE
                    };
                    s.scale = scale.clamp(least, if w > WIDE { ENLARGED } else { 1.0 });
                    s.x = ((w - bounds.w * s.scale) / 2.0).max(EDGE);
                    s.y = HEADS + ((down - bounds.h * s.scale) / 2.0).clamp(0.0, 90.0);
                }
            }
        }
        self.draw();
    }

    /// Forgets that a person has chosen what to see: the pane is another one.
    pub fn forget(&self) {
        self.state.borrow_mut().touched = false;
    }

    /// Zooms about the middle.
    pub fn zoom(&self, by: f32) {
        self.zoom_at(by, self.size.0 / 2.0, self.size.1 / 2.0);
    }

    fn zoom_at(&self, by: f32, x: f32, y: f32) {
        {
            let mut s = self.state.borrow_mut();
            let scale = (s.scale * by).clamp(SMALLEST, LARGEST);
            let by = scale / s.scale.max(0.001);
            s.x = x - (x - s.x) * by;
            s.y = y - (y - s.y) * by;
            s.scale = scale;
            s.touched = true;
            s.keep_in_sight();
        }
        self.draw();
    }

    fn pan(&self, dx: f32, dy: f32) {
        self.state.borrow_mut().touched = true;
        self.shift(dx, dy);
    }

    fn shift(&self, dx: f32, dy: f32) {
        {
            let mut s = self.state.borrow_mut();
            s.x += dx;
            s.y += dy;
            s.keep_in_sight();
        }
        self.draw();
    }

    /// Moves just so far that something which changed can be seen, unless a person has chosen what to see.
    pub fn follow(&self, r: Rect) {
        let (dx, dy) = self.way_to(r);
        if !self.state.borrow().touched && (dx != 0.0 || dy != 0.0) {
            self.shift(dx, dy);
        }
    }

    /// Moves just so far that this can be seen.
    pub fn reveal(&self, r: Rect) {
        let (dx, dy) = self.way_to(r);
        if dx != 0.0 || dy != 0.0 {
            self.pan(dx, dy);
        }
    }

    /// How far the view has to move to show this.
    fn way_to(&self, r: Rect) -> (f32, f32) {
        let s = self.state.borrow();
        let (w, h) = self.size;
        if w < 1.0 || h < 1.0 {
            return (0.0, 0.0);
        }
        let (left, right) = (r.x * s.scale + s.x, r.right() * s.scale + s.x);
        let (top, bottom) = (r.y * s.scale + s.y, r.bottom() * s.scale + s.y);
        let shift = |from: f32, to: f32, size: f32, a: f32, b: f32| {
            if from < a {
                a - from
            } else if to > size - b {
                size - b - to
            } else {
                0.0
            }
        };
        let edge = EDGE.min(s.top);
        (shift(left, right, w, edge, edge), shift(top, bottom, h, s.top, edge))
    }

    fn press(&self, e: &PointerEvent) {
        let mut s = self.state.borrow_mut();
        if e.button() > 1 {
            return;
        }
        if s.pointers.is_empty() {
            s.dragged = false;
        }
        s.pointers.push((e.pointer_id(), e.client_x() as f32, e.client_y() as f32));
    }

    fn drag(&self, e: &PointerEvent, pane: &Element) {
        let (x, y) = (e.client_x() as f32, e.client_y() as f32);
        let (before, after) = {
            let mut s = self.state.borrow_mut();
            let before: Vec<(f32, f32)> = s.pointers.iter().map(|p| (p.1, p.2)).collect();
            let Some(at) = s.pointers.iter().position(|p| p.0 == e.pointer_id()) else { return };
            let far = s.pointers.get(at).is_some_and(|p| (p.1 - x).abs() + (p.2 - y).abs() > 3.0);
            if !s.dragged && !far {
                return;
            }
            if !s.dragged {
                s.dragged = true;
                // From here on it is a drag, wherever the pointer goes.
                let _ = pane.set_pointer_capture(e.pointer_id());
            }
            if let Some(p) = s.pointers.get_mut(at) {
                (p.1, p.2) = (x, y);
            }
            (before, s.pointers.iter().map(|p| (p.1, p.2)).collect::<Vec<_>>())
        };
        if let ([a, b, ..], [c, d, ..]) = (before.as_slice(), after.as_slice()) {
            let length = |p: &(f32, f32), q: &(f32, f32)| (p.0 - q.0).hypot(p.1 - q.1).max(1.0);
            let middle = |p: &(f32, f32), q: &(f32, f32)| ((p.0 + q.0) / 2.0, (p.1 + q.1) / 2.0);
            let r = pane.get_bounding_client_rect();
            let (m, n) = (middle(a, b), middle(c, d));
            self.zoom_at(length(c, d) / length(a, b), n.0 - r.left() as f32, n.1 - r.top() as f32);
            self.pan(n.0 - m.0, n.1 - m.1);
        } else if let (Some(a), Some(b)) = (before.first(), after.first()) {
            self.pan(b.0 - a.0, b.1 - a.1);
        }
    }

    fn release(&self, e: &PointerEvent) {
        self.state.borrow_mut().pointers.retain(|p| p.0 != e.pointer_id());
    }

    fn wheel(&self, e: &WheelEvent, pane: &Element) {
        let zooms = e.ctrl_key() || e.meta_key();
        // As a part of another page, the page leaves the wheel to that page.
        if !zooms && document_element().get_attribute("data-shape").as_deref() == Some("embedded") {
            return;
        }
        e.prevent_default();
        let unit = if e.delta_mode() == 1 { 16.0 } else { 1.0 };
        let (dx, dy) = (e.delta_x() as f32 * unit, e.delta_y() as f32 * unit);
        if zooms {
            let r = pane.get_bounding_client_rect();
            let (x, y) = (e.client_x() as f32 - r.left() as f32, e.client_y() as f32 - r.top() as f32);
            self.zoom_at((-dy * 0.01).clamp(-0.5, 0.5).exp(), x, y);
        } else if e.shift_key() && dx == 0.0 {
            self.pan(-dy, 0.0);
        } else {
            self.pan(-dx, -dy);
        }
    }
}

/// The view of a pane onto a world. Above it the heads of its columns move to the left and right with it.
#[hook]
pub fn use_viewport(pane: &NodeRef, world: &NodeRef, heads: &NodeRef) -> Viewport {
    let state = use_mut_ref(|| State { scale: 1.0, ..State::default() });
    let size = use_state(|| (0.0_f32, 0.0_f32));
    let viewport = Viewport { state, world: world.clone(), heads: heads.clone(), size: *size };
    {
        let (pane, viewport) = (pane.clone(), viewport.clone());
        use_effect_with((), move |()| {
            let element = pane.cast::<Element>();
            let listeners = element.clone().map(|e| listen(&e, &viewport));
            let measured = {
                let (size, state) = (size.clone(), viewport.state.clone());
                Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
                    if let Ok(e) = entries.get(0).dyn_into::<web_sys::ResizeObserverEntry>() {
                        let r = e.content_rect();
                        state.borrow_mut().pane = (r.width() as f32, r.height() as f32);
                        size.set((r.width() as f32, r.height() as f32));
                    }
                })
            };
            let observer = ResizeObserver::new(measured.as_ref().unchecked_ref()).ok();
            if let (Some(o), Some(e)) = (&observer, &element) {
                o.observe(e);
            }
            move || {
                drop(listeners);
                if let Some(o) = observer {
                    o.disconnect();
                }
                drop(measured);
            }
        });
    }
    viewport
}

fn listen(element: &Element, viewport: &Viewport) -> Vec<EventListener> {
    let on = |name: &'static str, run: fn(&Viewport, &web_sys::Event, &Element)| {
        let (viewport, pane) = (viewport.clone(), element.clone());
        EventListener::new_with_options(
            element,
            name,
            EventListenerOptions::enable_prevent_default(),
            move |e| {
                run(&viewport, e, &pane);
            },
        )
    };
    vec![
        on("pointerdown", |v, e, _| {
            let world = e.target().and_then(|t| t.dyn_into::<Element>().ok());
            if world.is_some_and(|w| w.closest("svg.world").ok().flatten().is_some()) {
                e.dyn_ref().into_iter().for_each(|e| v.press(e));
            }
        }),
        on("pointermove", |v, e, pane| e.dyn_ref().into_iter().for_each(|e| v.drag(e, pane))),
        on("pointerup", |v, e, _| e.dyn_ref().into_iter().for_each(|e| v.release(e))),
        on("pointercancel", |v, e, _| e.dyn_ref().into_iter().for_each(|e| v.release(e))),
        on("wheel", |v, e, pane| e.dyn_ref().into_iter().for_each(|e| v.wheel(e, pane))),
    ]
}
