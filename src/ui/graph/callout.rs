//! The callout of an object: a small box with its kind, name and status, beside a card that is pointed at or has the focus.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use gloo::utils::{document, window};
use steady::engine::{Answer, Ask, Graph, Kind, ObjectView};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::aim::{Aim, Target, element_of, put, window_size};
use super::card;
use crate::ui::hooks::{use_answer, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::layout::Rect;
use crate::ui::store::Shared;
use crate::ui::who;

/// The callout opens when the pointer has been over a card for so many milliseconds.
const BEFORE: u32 = 450;
/// The callout closes when the pointer has left the card for so many milliseconds: time to reach the callout itself.
const AFTER: u32 = 200;
/// The id of the callout's element.
const ID: &str = "object-callout";
/// The pixels between a card and its callout.
const GAP: f32 = 6.0;

/// What the callout finds objects by.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The graph's pane.
    pub pane: NodeRef,
    /// What is drawn in the pane.
    pub aim: Aim,
    /// All objects of the graph, also those that a filter hides.
    pub whole: Shared<Graph>,
    /// Grows with every step.
    pub version: u64,
}

/// What the event listeners of the pane share.
#[derive(Default)]
struct Waiting {
    aim: RefCell<Option<Aim>>,
    timer: RefCell<Option<Timeout>>,
    /// The object whose callout is open, or will open when the timer ends.
    about: RefCell<Option<Target>>,
    /// Whether the pointer is on the callout.
    inside: Cell<bool>,
}

impl Waiting {
    fn target(&self, element: Element, at: Option<(i32, i32)>) -> Option<Target> {
        self.aim.borrow().as_ref().and_then(|aim| aim.object(element, at))
    }
}

/// The element that lies over all panes, in which callouts and menus are drawn.
pub fn layer() -> Option<Element> {
    document().query_selector(".layer").ok().flatten()
}

/// The callout, while it is open.
#[component]
pub fn Callout(props: &Props) -> Html {
    let shown = use_state(|| None::<Target>);
    let waiting = use_memo((), |()| Waiting::default());
    *waiting.aim.borrow_mut() = Some(props.aim.clone());
    {
        let (pane, waiting, set) = (props.pane.clone(), waiting.clone(), shown.setter());
        use_effect_with((), move |()| {
            let listeners = pane.cast::<Element>().map(|pane| listen(&pane, &waiting, &set));
            move || drop(listeners)
        });
    }
    {
        // A callout does not move with the view, so it closes when the view moves.
        let (waiting, set) = (waiting.clone(), shown.setter());
        use_effect_with(props.aim.view.clone(), move |view| {
            let watcher = view.watch(move || hide(&waiting, &set));
            move || drop(watcher)
        });
    }
    {
        let (waiting, set) = (waiting.clone(), shown.setter());
        use_effect_with(shown.is_some(), move |open| {
            let escape = open.then(|| {
                let options =
                    EventListenerOptions { phase: gloo::events::EventListenerPhase::Capture, passive: false };
                EventListener::new_with_options(&window(), "keydown", options, move |e| {
                    if e.dyn_ref::<KeyboardEvent>().is_some_and(|e| e.key() == "Escape") {
                        e.stop_propagation();
                        e.prevent_default();
                        hide(&waiting, &set);
                    }
                })
            });
            move || drop(escape)
        });
    }
    let object = shown.as_ref().map(|target| target.object.clone());
    let answer = use_answer(object.clone().map(Ask::Object), props.version);
    let (Some(target), Some(layer)) = ((*shown).clone(), layer()) else { return Html::default() };
    let Some(Answer::Object(view)) = answer.as_deref() else { return Html::default() };
    let Some(place) = props.whole.find(&target.object) else { return Html::default() };
    let onpointerenter = {
        let waiting = waiting.clone();
        Callback::from(move |_: PointerEvent| {
            waiting.inside.set(true);
            waiting.timer.borrow_mut().take();
        })
    };
    let onpointerleave = {
        let (waiting, set) = (waiting.clone(), shown.setter());
        Callback::from(move |_: PointerEvent| {
            waiting.inside.set(false);
            hide_later(&waiting, &set);
        })
    };
    let said = html! {
        <Said {target} {place} graph={props.whole.clone()} view={(**view).clone()} {onpointerenter} {onpointerleave} />
    };
    create_portal(said, layer)
}

fn hide(waiting: &Rc<Waiting>, set: &UseStateSetter<Option<Target>>) {
    waiting.timer.borrow_mut().take();
    waiting.inside.set(false);
    if waiting.about.borrow_mut().take().is_some() {
        set.set(None);
    }
}

fn hide_later(waiting: &Rc<Waiting>, set: &UseStateSetter<Option<Target>>) {
    let (again, set) = (waiting.clone(), set.clone());
    let timer = Timeout::new(AFTER, move || {
        if !again.inside.get() {
            again.about.borrow_mut().take();
            set.set(None);
        }
    });
    *waiting.timer.borrow_mut() = Some(timer);
}

fn show_later(waiting: &Rc<Waiting>, set: &UseStateSetter<Option<Target>>, target: Target) {
    let same = waiting.about.borrow().as_ref().is_some_and(|t| t.object == target.object);
    if same {
        // The callout of this object is open already, or will open.
        return;
    }
    *waiting.about.borrow_mut() = Some(target.clone());
    set.set(None);
    let set = set.clone();
    let show = move || {
        // A menu lies over callouts.
        if document().query_selector(".object-menu").ok().flatten().is_none() {
            set.set(Some(target));
        }
    };
    *waiting.timer.borrow_mut() = Some(Timeout::new(BEFORE, show));
}

fn listen(pane: &Element, waiting: &Rc<Waiting>, set: &UseStateSetter<Option<Target>>) -> Vec<EventListener> {
    let on = |name: &'static str, run: fn(&Rc<Waiting>, &UseStateSetter<Option<Target>>, &web_sys::Event)| {
        let (waiting, set) = (waiting.clone(), set.clone());
        EventListener::new(pane, name, move |e| run(&waiting, &set, e))
    };
    vec![
        on("pointermove", move |waiting, set, e| {
            let Some(p) = e.dyn_ref::<PointerEvent>().filter(|p| p.pointer_type() == "mouse") else { return };
            if p.buttons() != 0 {
                return hide(waiting, set);
            }
            let over = element_of(e);
            // While the pointer stays on one card, its object need not be looked for again.
            let same = |w: &Waiting, el: &Element| {
                !el.has_attribute("data-fold") && w.about.borrow().as_ref().is_some_and(|t| t.element == *el)
            };
            if over.as_ref().is_some_and(|el| same(waiting, el)) {
                return;
            }
            match over.and_then(|el| waiting.target(el, Some((p.client_x(), p.client_y())))) {
                Some(target) => show_later(waiting, set, target),
                None if waiting.about.borrow().is_some() => hide_later(waiting, set),
                None => {}
            }
        }),
        on("pointerleave", |waiting, set, _| {
            if waiting.about.borrow().is_some() {
                hide_later(waiting, set);
            }
        }),
        on("pointerdown", |waiting, set, _| hide(waiting, set)),
        on("contextmenu", |waiting, set, _| hide(waiting, set)),
        on("focusin", move |waiting, set, e| {
            let seen = |el: &Element| el.matches(":focus-visible").unwrap_or(false);
            if let Some(target) = element_of(e).filter(seen).and_then(|el| waiting.target(el, None)) {
                show_later(waiting, set, target);
            }
        }),
        on("focusout", |waiting, set, _| hide(waiting, set)),
    ]
}

#[derive(Properties)]
struct SaidProps {
    target: Target,
    place: usize,
    graph: Shared<Graph>,
    view: ObjectView,
    onpointerenter: Callback<PointerEvent>,
    onpointerleave: Callback<PointerEvent>,
}

impl PartialEq for SaidProps {
    fn eq(&self, other: &SaidProps) -> bool {
        self.target.object == other.target.object && self.graph == other.graph && self.view == other.view
    }
}

#[component]
fn Said(props: &SaidProps) -> Html {
    let t = use_texts();
    let element = use_node_ref();
    {
        let (element, target) = (element.clone(), props.target.clone());
        use_effect_with(props.target.object.clone(), move |_| {
            if let Some(el) = element.cast::<Element>() {
                beside(&el, target.rect);
            }
            let _ = target.element.set_attribute("aria-describedby", ID);
            move || {
                let _ = target.element.remove_attribute("aria-describedby");
            }
        });
    }
    let Some(node) = props.graph.node(props.place) else { return Html::default() };
    let object = &props.target.object;
    let namespace = &object.key.namespace;
    let owner = props.view.owner.as_ref().map(|(kind, name)| {
        t.with("owned-by", &[("kind", kind.clone().into()), ("name", name.clone().into())])
    });
    let age = (!props.view.age.is_empty())
        .then(|| t.with("callout-age", &[("age", props.view.age.clone().into())]));
    let load = (pods_on(&props.graph, props.place, object.kind), props.graph.cut_off.contains(object));
    let state = card::says(node, &t, None, load);
    html! {
        <div class={classes!("callout", who::keeper(&props.view.keeper))} id={ID} role="tooltip" ref={element}
            onpointerenter={props.onpointerenter.clone()} onpointerleave={props.onpointerleave.clone()}>
            <p class="kind">{ object.kind.as_str() }
                if !namespace.is_empty() { <span>{ t.with("callout-namespace", &[("namespace", namespace.to_string().into())]) }</span> }
            </p>
            <p class="name">{ object.key.name.to_string() }</p>
            if !state.is_empty() { <p>{ state }</p> }
            { more(&t, node.deleting, age, owner) }
        </div>
    }
}

fn more(t: &Texts, deleting: bool, age: Option<String>, owner: Option<String>) -> Html {
    let deleting = deleting.then(|| t.get("callout-deleting"));
    let said: Vec<String> = [deleting, age, owner].into_iter().flatten().collect();
    if said.is_empty() {
        Html::default()
    } else {
        html! { <p class="under">{ said.join(" · ") }</p> }
    }
}

/// How many pods run on a node.
fn pods_on(graph: &Graph, place: usize, kind: Kind) -> usize {
    if kind != Kind::NODE {
        return 0;
    }
    graph.edges.iter().filter(|e| e.kind == steady::engine::EdgeKind::Binding && e.to == place).count()
}

/// Puts a callout below a card, above it or beside it, wherever there is room, and never on it.
fn beside(element: &Element, r: Rect) {
    let size = element.get_bounding_client_rect();
    let (w, h) = (size.width() as f32, size.height() as f32);
    let (width, height) = window_size();
    let x = r.x.min(width - w - GAP).max(GAP);
    let y = (r.y + (r.h - h) / 2.0).min(height - h - GAP).max(GAP);
    let (left, top) = if r.bottom() + GAP + h <= height {
        (x, r.bottom() + GAP)
    } else if r.y - GAP - h >= 0.0 {
        (x, r.y - GAP - h)
    } else if r.right() + GAP + w <= width {
        (r.right() + GAP, y)
    } else {
        (r.x - GAP - w, y)
    };
    put(element, left, top);
}
