//! The run: a mark for each moment, coloured by who made it. Of thousands, those that would lie on
//! each other are one.

use steady::engine::{Answer, Ask, Branch, Input, Mark, Moment};
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent, ResizeObserver};
use yew::prelude::*;

use super::glyph;
use super::i18n::sentence;
use super::menu::{Choice, Menu};
use super::store::Shared;
use super::who;
use crate::ui::hooks::{use_store, use_texts};

/// What the timeline shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The marks.
    pub marks: Shared<Vec<Mark>>,
    /// Where on them we stand.
    pub position: usize,
}

const HEIGHT: f32 = 40.0;
const PITCH: f32 = 15.0;
const EDGE: f32 = 8.0;

/// How far marks are apart, so that all fit.
fn pitch(n: usize, width: f32) -> f32 {
    let room = (width - 2.0 * EDGE).max(1.0);
    (room / (n.max(2) - 1) as f32).min(PITCH)
}

/// The strip.
#[component]
pub fn Timeline(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let strip = use_node_ref();
    let width = use_width(&strip);
    let held = use_mut_ref(|| false);
    let n = props.marks.len();
    let last = n.saturating_sub(1);
    let step = pitch(n, width);
    let at = {
        let (marks, strip) = (props.marks.clone(), strip.clone());
        move |x: i32| {
            let left = strip.cast::<Element>()?.get_bounding_client_rect().left() as f32;
            let at = ((x as f32 - left - EDGE) / step).round().max(0.0) as usize;
            marks.get(at.min(last)).map(|m| (at.min(last), m.moment))
        }
    };
    let go = {
        let (store, at) = (store.clone(), at.clone());
        move |x: i32| {
            if let Some((_, moment)) = at(x) {
                store.send(Input::Goto(moment));
            }
        }
    };
    let onpointerdown = {
        let (go, held, strip) = (go.clone(), held.clone(), strip.clone());
        Callback::from(move |e: PointerEvent| {
            *held.borrow_mut() = true;
            if let Some(el) = strip.cast::<Element>() {
                let _ = el.set_pointer_capture(e.pointer_id());
            }
            go(e.client_x());
        })
    };
    let onpointermove = {
        let (held, strip, store, t) = (held.clone(), strip.clone(), store.clone(), t.clone());
        let shown = use_mut_ref(|| None::<Moment>);
        Callback::from(move |e: PointerEvent| {
            if *held.borrow() {
                return go(e.client_x());
            }
            // Who points at a step is told what it was.
            if let (Some((place, moment)), Some(el)) = (at(e.client_x()), strip.cast::<Element>())
                && shown.borrow_mut().replace(moment) != Some(moment)
            {
                let (t, shown) = (t.clone(), shown.clone());
                let told = Callback::from(move |answer: Answer| {
                    if let (Answer::Happened(happened), true) = (answer, *shown.borrow() == Some(moment)) {
                        let step = t.with("timeline-step", &[("n", (place as f64).into())]);
                        let _ = el.set_attribute("title", &format!("{step}\n{}", sentence(&t, &happened)));
                    }
                });
                store.ask(Ask::Happened(moment), told);
            }
        })
    };
    let release = Callback::from(move |_: PointerEvent| *held.borrow_mut() = false);
    let onkeydown = {
        let store = store.clone();
        Callback::from(move |e: KeyboardEvent| {
            let walk = |by: i64| store.send(Input::Walk(by));
            match e.key().as_str() {
                "ArrowLeft" | "ArrowDown" => walk(-1),
                "ArrowRight" | "ArrowUp" => walk(1),
                "PageDown" => walk(-10),
                "PageUp" => walk(10),
                "Home" => walk(i64::MIN),
                "End" => walk(i64::MAX),
                _ => return,
            }
            e.prevent_default();
            e.stop_propagation();
        })
    };
    let text = t.with("timeline-at", &[("at", (props.position as f64).into()), ("of", (last as f64).into())]);
    let x = EDGE + props.position as f32 * step;
    html! {
        <div class="timeline">
            <span class="at" aria-hidden="true">{ t.with("timeline-step", &[("n", (props.position as f64).into())]) }</span>
            <div class="strip" ref={strip} role="slider" tabindex="0" aria-label={t.get("timeline")}
                aria-valuemin="0" aria-valuemax={last.to_string()} aria-valuenow={props.position.to_string()}
                aria-valuetext={text} {onkeydown} {onpointerdown} {onpointermove}
                onpointerup={release.clone()} onpointercancel={release}>
                <svg width="100%" height={HEIGHT.to_string()} aria-hidden="true">
                    <Marks marks={props.marks.clone()} position={props.position} pitch={step} />
                    <path class="cursor" d={format!("M{x} 1V{}", HEIGHT - 1.0)} />
                </svg>
            </div>
            <span class="of" aria-hidden="true">{ t.with("timeline-of", &[("n", (last as f64).into())]) }</span>
            if props.marks.iter().any(|m| m.fork) { <Branches /> }
        </div>
    }
}

/// The width of an element, as it is.
#[hook]
fn use_width(of: &NodeRef) -> f32 {
    let width = use_state(|| 600.0_f32);
    {
        let (of, width) = (of.clone(), width.clone());
        use_effect_with((), move |()| {
            let changed =
                wasm_bindgen::closure::Closure::<dyn Fn(js_sys::Array)>::new(move |e: js_sys::Array| {
                    if let Ok(e) = e.get(0).dyn_into::<web_sys::ResizeObserverEntry>() {
                        width.set(e.content_rect().width() as f32);
                    }
                });
            let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
            if let (Some(o), Some(el)) = (&observer, of.cast::<Element>()) {
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
    *width
}

#[derive(Properties, PartialEq)]
struct MarksProps {
    marks: Shared<Vec<Mark>>,
    position: usize,
    pitch: f32,
}

#[component]
fn Marks(props: &MarksProps) -> Html {
    // At least three pixels each: what is closer shares a mark, a person's before all others.
    let group = (3.0 / props.pitch.max(0.000_1)).ceil().max(1.0) as usize;
    let width = (props.pitch * group as f32 * 0.42).clamp(1.6, 5.0);
    let mark = |(i, group_marks): (usize, &[Mark])| {
        let m = group_marks.iter().find(|m| m.person).or(group_marks.first())?;
        let at = i * group;
        let x = EDGE + at as f32 * props.pitch;
        let h = if m.person { 28.0 } else { 15.0 };
        let after = at > props.position;
        Some(html! { <>
            <rect class={classes!("mark", m.by.as_deref().map_or("who-start", who::class), after.then_some("after"))} x={(x - width / 2.0).to_string()}
                y={((HEIGHT - h) / 2.0).to_string()} width={width.to_string()} height={h.to_string()} rx={(width / 2.0).min(2.0).to_string()} />
            if group_marks.iter().any(|m| m.fork) { <path class="fork" d={format!("M{x} 1.5l3 4h-6z")} /> }
        </> })
    };
    html! { <g>{ for props.marks.chunks(group).enumerate().filter_map(mark) }</g> }
}

/// The other branches, to be reached again.
#[component]
fn Branches() -> Html {
    let store = use_store();
    let t = use_texts();
    // As they were when the menu was opened.
    let offered = use_mut_ref(Vec::<Branch>::new);
    let choices = {
        let (store, t, offered) = (store.clone(), t.clone(), offered.clone());
        Callback::from(move |open: Callback<Vec<Choice>>| {
            let (t, offered) = (t.clone(), offered.clone());
            let told = move |answer: Answer| {
                let Answer::Branches(branches) = answer else { return };
                let args =
                    |b: &Branch| [("n", (b.place as f64).into()), ("length", (b.length as f64).into())];
                let choice = |b: &Branch| Choice {
                    title: t.with("branch", &args(b)),
                    about: sentence(&t, &b.happened),
                    now: false,
                    group: String::new(),
                };
                let choices = branches.iter().map(choice).collect();
                *offered.borrow_mut() = branches;
                open.emit(choices);
            };
            store.ask(Ask::Branches, Callback::from(told));
        })
    };
    let choose = Callback::from(move |i: usize| {
        if let Some(branch) = offered.borrow().get(i) {
            store.send(Input::Goto(branch.moment));
        }
    });
    html! { <Menu class="branches" name={t.get("branches")} label={glyph::icon(glyph::FORK)} {choices} {choose} /> }
}
