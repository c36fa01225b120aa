//! The menu of an object in the graph: what a person can look at, and what can be done to the object.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use gloo::utils::window;
use steady::engine::{Answer, Ask, Deed, Graph, Input, Kind, ObjectRef, ObjectView};
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};
use yew::prelude::*;

use super::aim::{Aim, Target, element_of, put, window_size};
use super::callout::layer;
use crate::ui::hooks::{use_answer_to, use_store, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::keys;
use crate::ui::menu::{To, move_focus};
use crate::ui::store::{Shared, Store};

/// An object's menu opens when a finger has lain on it for so many milliseconds.
const LONG: u32 = 500;
/// A finger that moves by more pixels than this drags the view and opens no menu.
const STILL: f32 = 10.0;

/// The parts of the page that entries of the menu lead to.
#[derive(Clone, PartialEq)]
pub struct Leads {
    /// Shows the terminal.
    pub terminal: Callback<()>,
    /// Shows the editor.
    pub editor: Callback<()>,
    /// Shows why an object is as it is.
    pub why: Callback<ObjectRef>,
    /// Shows the journey of a request of a pod.
    pub follow: Callback<ObjectRef>,
    /// Asks whether a rollout of the selected object drops requests.
    pub rehearse: Callback<()>,
}

/// What the menu finds objects by.
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
    /// Where entries lead to.
    pub leads: Leads,
}

/// An object whose menu is open.
#[derive(Clone)]
struct Opened {
    target: Target,
    at: (f32, f32),
}

/// What the event listeners of the pane share.
#[derive(Default)]
struct Press {
    aim: RefCell<Option<Aim>>,
    /// The finger that lies on an object: where it was put down, and the timer that opens the menu.
    finger: RefCell<Option<((f32, f32), Timeout)>>,
    /// Whether the menu opened under a finger that is still down. The click that a browser makes of lifting it is ignored.
    held: Cell<bool>,
}

impl Press {
    fn target(&self, element: Element, at: Option<(i32, i32)>) -> Option<Target> {
        self.aim.borrow().as_ref().and_then(|aim| aim.object(element, at))
    }
}

/// The menu, while it is open.
#[component]
pub fn ObjectMenu(props: &Props) -> Html {
    let store = use_store();
    let opened = use_state(|| None::<Opened>);
    let press = use_memo((), |()| Press::default());
    *press.aim.borrow_mut() = Some(props.aim.clone());
    {
        let (pane, press) = (props.pane.clone(), press.clone());
        let open = {
            let set = opened.setter();
            Rc::new(move |target: Target, at: (f32, f32)| {
                store.send(Input::Select(Some(target.object.clone())));
                set.set(Some(Opened { target, at }));
            })
        };
        use_effect_with((), move |()| {
            let listeners = pane.cast::<Element>().map(|pane| listen(&pane, &press, &open));
            move || drop(listeners)
        });
    }
    let object = opened.as_ref().map(|o| o.target.object.clone());
    let answer = use_answer_to(object.map(Ask::Object), props.version);
    let (Some(o), Some(layer)) = ((*opened).clone(), layer()) else { return Html::default() };
    let Some(Answer::Object(view)) = answer.as_deref() else { return Html::default() };
    let close = {
        let (set, back) = (opened.setter(), o.target.element.clone());
        Callback::from(move |focus: bool| {
            set.set(None);
            if focus && let Some(el) = back.dyn_ref::<web_sys::SvgElement>() {
                let _ = el.focus();
            }
        })
    };
    let owned = props.whole.owned_by(&o.target.object);
    let list = html! {
        <List object={o.target.object.clone()} at={o.at} view={(**view).clone()} owned={Rc::new(owned)} leads={props.leads.clone()} {close} />
    };
    create_portal(list, layer)
}

type Open = Rc<dyn Fn(Target, (f32, f32))>;

fn listen(
    pane: &Element,
    press: &Rc<Press>,
    open: &Rc<impl Fn(Target, (f32, f32)) + 'static>,
) -> Vec<EventListener> {
    let open: Open = open.clone();
    let on = |name: &'static str, run: fn(&Rc<Press>, &Open, &web_sys::Event)| {
        let (press, open) = (press.clone(), open.clone());
        let options = EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(pane, name, options, move |e| run(&press, &open, e))
    };
    // The click that a browser makes of a lifted finger may happen on the menu, which lies under the finger by then.
    let anywhere = |name: &'static str, run: fn(&Press, &web_sys::Event)| {
        let press = press.clone();
        let options =
            EventListenerOptions { phase: gloo::events::EventListenerPhase::Capture, passive: false };
        EventListener::new_with_options(&window(), name, options, move |e| run(&press, e))
    };
    let swallow = |press: &Press, e: &web_sys::Event| {
        if press.held.get() {
            e.prevent_default();
            e.stop_propagation();
        }
    };
    vec![
        anywhere("pointerdown", |press, _| press.held.set(false)),
        anywhere("mousedown", swallow),
        anywhere("click", swallow),
        on("contextmenu", move |press, open, e| {
            let Some(element) = element_of(e) else { return };
            // A menu that a key has opened has no point of the window: it opens at the card.
            let pointed = e.dyn_ref::<MouseEvent>().filter(|m| m.button() == 2 || m.ctrl_key());
            let at = pointed.map(|m| (m.client_x(), m.client_y()));
            if let Some(target) = press.target(element, at) {
                e.prevent_default();
                let r = target.rect;
                let below = (r.x + r.w.min(24.0), r.y + r.h.min(46.0));
                open(target, at.map_or(below, |(x, y)| (x as f32, y as f32)));
            }
        }),
        on("pointerdown", move |press, open, e| {
            press.finger.borrow_mut().take();
            let Some(p) = e.dyn_ref::<PointerEvent>() else { return };
            let is_finger = p.pointer_type() == "touch" && p.is_primary();
            let Some(element) = element_of(e).filter(|_| is_finger) else { return };
            let at = (p.client_x(), p.client_y());
            let place = (at.0 as f32, at.1 as f32);
            let (again, open) = (press.clone(), open.clone());
            let timer = Timeout::new(LONG, move || {
                if let Some(target) = again.target(element, Some(at)) {
                    again.held.set(true);
                    open(target, place);
                }
            });
            *press.finger.borrow_mut() = Some((place, timer));
        }),
        on("pointermove", |press, _, e| {
            let Some(p) = e.dyn_ref::<PointerEvent>() else { return };
            let far =
                press.finger.borrow().as_ref().is_some_and(|((x, y), _)| {
                    (p.client_x() as f32 - x).hypot(p.client_y() as f32 - y) > STILL
                });
            if far {
                press.finger.borrow_mut().take();
            }
        }),
        on("pointerup", |press, _, _| drop(press.finger.borrow_mut().take())),
        on("pointercancel", |press, _, _| drop(press.finger.borrow_mut().take())),
    ]
}

#[derive(Properties)]
struct ListProps {
    object: ObjectRef,
    at: (f32, f32),
    view: ObjectView,
    owned: Rc<std::collections::BTreeSet<ObjectRef>>,
    leads: Leads,
    /// Closes the menu. `true` gives the focus back to the object.
    close: Callback<bool>,
}

impl PartialEq for ListProps {
    fn eq(&self, other: &ListProps) -> bool {
        self.object == other.object
            && self.at == other.at
            && self.view == other.view
            && self.owned == other.owned
    }
}

/// What an entry of the menu does.
enum Does {
    /// Runs a line in the terminal, which is shown.
    Terminal(String),
    /// Shows the object's YAML in the editor.
    Edit(String),
    Why,
    Follow,
    Rehearse,
    /// Lights what the object owns.
    Owned,
    Send(Input),
}

/// An entry of the menu.
struct Entry {
    title: String,
    bad: bool,
    does: Does,
}

fn entries(t: &Texts, object: &ObjectRef, view: &ObjectView, owned: usize) -> [Vec<Entry>; 3] {
    let entry = |title: String, bad: bool, does: Does| Entry { title, bad, does };
    let mut look = Vec::new();
    if !view.gone {
        look.push(entry(t.get("menu-describe"), false, Does::Terminal(view.describe.clone())));
        if let Some(logs) = &view.logs {
            look.push(entry(t.get("menu-logs"), false, Does::Terminal(logs.clone())));
        }
        look.push(entry(t.get("menu-edit"), false, Does::Edit(view.edit.clone())));
    }
    look.push(entry(t.get("menu-why"), false, Does::Why));
    if object.kind == Kind::POD && !view.gone {
        look.push(entry(t.get("menu-follow"), false, Does::Follow));
    }
    if view.rolls_out {
        look.push(entry(t.get("menu-rehearse"), false, Does::Rehearse));
    }
    if owned > 0 {
        look.push(entry(t.with("menu-owns", &[("n", (owned as f64).into())]), false, Does::Owned));
    }
    let (mut acts, mut breaks) = (Vec::new(), Vec::new());
    for offer in &view.offers {
        let input = match &offer.deed {
            Deed::Kubectl(line) => Input::Do(line.clone()),
            Deed::Evict => Input::Evict(object.clone()),
            Deed::Fault(fault) => Input::Break(fault.clone()),
        };
        let to = if matches!(offer.deed, Deed::Fault(_)) { &mut breaks } else { &mut acts };
        to.push(entry(t.get(&offer.key), offer.bad, Does::Send(input)));
    }
    for container in &view.running {
        let title = t.with("menu-crash", &[("container", container.to_string().into())]);
        breaks.push(entry(title, true, Does::Send(Input::Crash(object.clone(), container.to_string(), 1))));
    }
    for f in &view.faults {
        let probe = f.probe.map_or("", |p| p.as_str());
        let title = t.with(&f.key, &[("what", f.what.to_string().into()), ("probe", probe.into())]);
        breaks.push(entry(title, true, Does::Send(Input::Break(f.fault.clone()))));
    }
    [look, acts, breaks]
}

#[component]
fn List(props: &ListProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let root = use_node_ref();
    {
        let root = root.clone();
        use_effect_with((props.object.clone(), props.at.0 as i32, props.at.1 as i32), move |(_, x, y)| {
            if let Some(el) = root.cast::<Element>() {
                within(&el, (*x as f32, *y as f32));
            }
            move_focus(&root, To::First);
        });
    }
    let onkeydown = {
        let (root, close) = (root.clone(), props.close.clone());
        Callback::from(move |e: KeyboardEvent| {
            match e.key().as_str() {
                "Escape" => close.emit(true),
                "Tab" => close.emit(true),
                "ArrowDown" => move_focus(&root, To::By(1)),
                "ArrowUp" => move_focus(&root, To::By(-1)),
                "Home" => move_focus(&root, To::First),
                "End" => move_focus(&root, To::Last),
                key if key.chars().count() == 1 && key != " " && !e.ctrl_key() && !e.meta_key() => {
                    move_focus(&root, To::Named(key.to_lowercase()));
                }
                _ => return,
            }
            e.prevent_default();
            e.stop_propagation();
        })
    };
    let onfocusout = {
        let (root, close) = (root.clone(), props.close.clone());
        Callback::from(move |e: FocusEvent| {
            let to = e.related_target().and_then(|t| t.dyn_into::<web_sys::Node>().ok());
            if !root.cast::<Element>().is_some_and(|r| r.contains(to.as_ref())) {
                close.emit(false);
            }
        })
    };
    let oncontextmenu = Callback::from(|e: MouseEvent| e.prevent_default());
    // A press in the menu beside its entries leaves the focus where it is.
    let onmousedown = Callback::from(|e: MouseEvent| {
        if e.target()
            .and_then(|t| t.dyn_into::<Element>().ok())
            .is_some_and(|t| t.closest("button").ok().flatten().is_none())
        {
            e.prevent_default();
        }
    });
    let run = {
        let (store, leads, close) = (store.clone(), props.leads.clone(), props.close.clone());
        let (object, owned, t) = (props.object.clone(), props.owned.clone(), t.clone());
        Rc::new(move |does: &Does| {
            let stays = matches!(does, Does::Owned | Does::Send(_));
            close.emit(stays);
            match does {
                Does::Terminal(line) => {
                    leads.terminal.emit(());
                    store.send(Input::Outside(line.clone()));
                    keys::focus("#kubectl-line");
                }
                Does::Edit(line) => {
                    leads.editor.emit(());
                    store.send(Input::Outside(line.clone()));
                }
                Does::Why => leads.why.emit(object.clone()),
                Does::Follow => leads.follow.emit(object.clone()),
                Does::Rehearse => leads.rehearse.emit(()),
                Does::Owned => light(&store, &t, &object, &owned),
                Does::Send(input) => store.send(input.clone()),
            }
        })
    };
    let groups = entries(&t, &props.object, &props.view, props.owned.len());
    let headings = [None, Some("menu-do"), Some("act-break")];
    let part = |(group, heading): (Vec<Entry>, Option<&str>)| {
        if group.is_empty() {
            return Html::default();
        }
        let lines = group.into_iter().map(|entry| {
            let run = run.clone();
            let class = entry.bad.then_some("bad");
            let Entry { title, does, .. } = entry;
            html! { <button type="button" role="menuitem" tabindex="-1" {class} onclick={move |_| run(&does)}><b>{ title }</b></button> }
        });
        let lines: Html = lines.collect();
        match heading {
            Some(key) => html! {
                <div role="group" aria-label={t.get(key)}><p class="menu-head" role="presentation">{ t.get(key) }</p>{ lines }</div>
            },
            None => lines,
        }
    };
    let name = format!("{} {}", props.object.kind.as_str(), props.object.key.name);
    html! {
        <div class="menu-list object-menu" role="menu" ref={root} aria-label={t.with("menu-of", &[("object", name.clone().into())])}
            {onkeydown} {onfocusout} {oncontextmenu} {onmousedown}>
            <p class="menu-of" role="presentation">{ name }</p>
            { for groups.into_iter().zip(headings).map(part) }
        </div>
    }
}

/// Lights what an object owns, and says how many objects that are.
fn light(store: &Store, t: &Texts, object: &ObjectRef, owned: &std::collections::BTreeSet<ObjectRef>) {
    store.light_these(owned.clone());
    let says = [
        ("object", format!("{} {}", object.kind.as_str(), object.key.name).into()),
        ("n", (owned.len() as f64).into()),
    ];
    store.say(t.with("menu-owned", &says), false);
}

/// Puts the menu at a point of the window, or as near to that point as the whole menu can be seen.
fn within(element: &Element, (x, y): (f32, f32)) {
    let size = element.get_bounding_client_rect();
    let (width, height) = window_size();
    let left = x.min(width - size.width() as f32 - 6.0).max(6.0);
    let top = y.min(height - size.height() as f32 - 6.0).max(6.0);
    put(element, left, top);
}
