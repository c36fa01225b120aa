//! Where the parts stand, measured, and what is moved along the wires between them.

use gloo::render::request_animation_frame;
use gloo::utils::window;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement, ResizeObserver};
use yew::prelude::*;

use super::wires::{self, Places};
use crate::ui::layout::Rect;

/// Milliseconds per pixel of the way, and the bounds of the whole.
const PACE: f32 = 1.15;
const QUICKEST: f32 = 320.0;
const SLOWEST: f32 = 1100.0;

/// Where the parts of an element stand that say which they are. Measured after each drawing and
/// whenever its size changes, in the browser's next frame: it works out the layout there anyway, and in the task that changed the page
/// that would be done a first time.
#[hook]
pub fn use_places(world: &NodeRef) -> std::rc::Rc<Places> {
    let places = use_state(|| std::rc::Rc::new(Places::new()));
    let measure = {
        let (world, places) = (world.clone(), places.clone());
        move || {
            let found = world.cast::<Element>().map(|w| measured(&w)).unwrap_or_default();
            if found != **places {
                places.set(std::rc::Rc::new(found));
            }
        }
    };
    use_effect(move || {
        let frame = request_animation_frame(move |_| measure());
        move || drop(frame)
    });
    let resized = use_state(|| 0_u32);
    {
        let (world, resized) = (world.clone(), resized.setter());
        let count = use_mut_ref(|| 0_u32);
        use_effect_with((), move |()| {
            let changed = wasm_bindgen::closure::Closure::<dyn Fn()>::new(move || {
                *count.borrow_mut() += 1;
                resized.set(*count.borrow());
            });
            let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
            if let (Some(o), Some(el)) = (&observer, world.cast::<Element>()) {
                o.observe(&el);
            }
            move || {
                if let Some(o) = observer {
                    o.disconnect();
                }
                drop(changed);
            }
        });
    }
    (*places).clone()
}

/// Where they stand now.
pub fn measured(world: &Element) -> Places {
    let base = world.get_bounding_client_rect();
    let mut out = Places::new();
    let Ok(all) = world.query_selector_all("[data-stop]") else { return out };
    for i in 0..all.length() {
        let Some(el) = all.item(i).and_then(|n| n.dyn_into::<Element>().ok()) else { continue };
        let (Some(name), r) = (el.get_attribute("data-stop"), el.get_bounding_client_rect()) else {
            continue;
        };
        if r.width() > 0.0 {
            let (x, y) = ((r.left() - base.left()) as f32, (r.top() - base.top()) as f32);
            // Whole pixels: what does not move is found where it was.
            let rect = Rect {
                x: x.round(),
                y: y.round(),
                w: r.width().round() as f32,
                h: r.height().round() as f32,
            };
            out.insert(name, rect);
        }
    }
    out
}

fn calm() -> bool {
    window().match_media("(prefers-reduced-motion: reduce)").ok().flatten().is_some_and(|m| m.matches())
}

/// Sends the token along a way; nothing moves for who wants no motion.
pub fn travel(token: &NodeRef, points: &[(f32, f32)]) {
    let Some(el) = token.cast::<HtmlElement>() else { return };
    if calm() || points.len() < 2 {
        return;
    }
    let d = wires::path(points);
    // Through the object model: the page's policy allows no style in the markup.
    if el.style().set_property("offset-path", &format!("path(\"{d}\")")).is_err() {
        return;
    }
    let frame = |offset: &str, distance: &str, opacity: f64| {
        let o = Object::new();
        let set = |k: &str, v: JsValue| {
            let _ = Reflect::set(&o, &k.into(), &v);
        };
        set("offsetDistance", distance.into());
        set("opacity", opacity.into());
        set("offset", offset.parse::<f64>().unwrap_or(0.0).into());
        o
    };
    let frames = Array::of4(
        &frame("0", "0%", 0.0),
        &frame("0.08", "6%", 1.0),
        &frame("0.86", "100%", 1.0),
        &frame("1", "100%", 0.0),
    );
    let options = Object::new();
    let time = (wires::length(points) * PACE).clamp(QUICKEST, SLOWEST);
    let _ = Reflect::set(&options, &"duration".into(), &f64::from(time).into());
    let _ = Reflect::set(&options, &"easing".into(), &"cubic-bezier(.45,.05,.35,1)".into());
    let method =
        |name: &str| Reflect::get(&el, &name.into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
    // The one before is over.
    if let Some(all) = method("getAnimations").and_then(|f| f.call0(&el).ok()) {
        for a in Array::from(&all).iter() {
            if let Ok(cancel) = Reflect::get(&a, &"cancel".into())
                && let Ok(cancel) = cancel.dyn_into::<Function>()
            {
                let _ = cancel.call0(&a);
            }
        }
    }
    if let Some(animate) = method("animate") {
        let _ = animate.call2(&el, &frames, &options);
    }
}
