//! The object graph.

mod actions;
mod aim;
mod callout;
mod card;
mod drawn;
mod filter;
mod fold;
mod legend;
mod minimap;
mod viewport;
mod walk;

use std::collections::BTreeSet;
use std::rc::Rc;

use steady::engine::{Graph as Facts, GraphFilter, Input, NextRuns, ObjectRef};
use web_sys::Element;
use yew::prelude::*;

use super::glyph;
use super::keys;
use super::layout::{CELL, Flow, Layout, Rect, Slots, layout};
use super::pane::is_narrow;
use super::store::{Shared, Way};
use crate::ui::hooks::{use_store, use_texts};
pub use actions::Leads;
use actions::ObjectMenu;
use aim::Aim;
use callout::Callout;
pub use card::{halted, tally};
use drawn::{cards, folds, packet, titles, way, wires};
use filter::FilterBar;
use legend::{Legend, Lines};
use minimap::Minimap;
use viewport::use_viewport;

/// Narrower than this, the graph runs downwards.
const NARROW: f32 = 600.0;

/// In a pane that runs downwards and is lower than this, a card has one line of text.
const LOW: u32 = 240;

/// In a pane that runs to the right and is lower than this, cards stand close together.
const CLOSE: u32 = 280;

/// Of more objects that a step changed, none is looked for to bring it into view.
const FOLLOWED: usize = 20;

/// What the graph shows.
#[derive(Properties)]
pub struct Props {
    /// Whether something else is shown in its place. It keeps its places and is not drawn meanwhile.
    pub hidden: bool,
    /// The objects that are shown.
    pub graph: Shared<Facts>,
    /// All objects.
    pub whole: Shared<Facts>,
    /// By which filter the ones are chosen from the others; without one the graph cannot be filtered here.
    #[prop_or_default]
    pub filter: Option<Shared<GraphFilter>>,
    /// Where an object's menu leads to; without it objects have no menu.
    #[prop_or_default]
    pub leads: Option<Leads>,
    /// Whether the graph has the page for itself, and what changes that; without it, it cannot have it.
    #[prop_or_default]
    pub alone: Option<(bool, Callback<bool>)>,
    /// Whether a run without pauses is under way.
    pub rushing: bool,
    /// When objects with a schedule run next, in milliseconds since 1970.
    pub runs: Shared<NextRuns>,
    /// What the clock shows, likewise.
    pub now: i64,
    /// What the last step changed.
    pub changed: Shared<BTreeSet<ObjectRef>>,
    /// What a command that is pointed at is about.
    pub lit: Shared<BTreeSet<ObjectRef>>,
    /// The way of the request that is followed.
    #[prop_or_default]
    pub way: Shared<Way>,
    /// Grows with every step, so that marks move anew.
    pub version: u64,
    /// The number of the run. When it changes, the graph is scrolled to its beginning.
    pub session: u32,
    /// What is selected.
    pub selection: Option<ObjectRef>,
    /// Called when the selected object shall be looked at.
    pub inspect: Callback<()>,
    /// What is laid over it.
    #[prop_or_default]
    pub children: Html,
    /// The scenario: another one begins with empty places.
    pub scenario: Option<Rc<str>>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Props) -> bool {
        self.hidden && other.hidden
            || self.hidden == other.hidden
                && self.version == other.version
                && self.rushing == other.rushing
                && self.graph == other.graph
                && self.whole == other.whole
                && self.filter == other.filter
                && self.leads == other.leads
                && self.alone == other.alone
                && self.changed == other.changed
                && self.lit == other.lit
                && self.way == other.way
                && self.selection == other.selection
                && self.inspect == other.inspect
                && self.children == other.children
                && self.scenario == other.scenario
    }
}

/// The pane.
#[component]
pub fn Graph(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let pane = use_node_ref();
    let world = use_node_ref();
    let slots = use_mut_ref(Slots::default);
    let lines = use_state(Lines::default);
    // Whether records are drawn, once a person has chosen.
    let records = use_state(|| None::<bool>);
    let heads = use_node_ref();
    let view = use_viewport(&pane, &world, &heads);
    // Before it has been measured nothing is drawn: it would only fly to another place.
    let measured = view.width() > 0.0;
    let width = if view.width() > 0.0 { view.width().max(220.0) } else { 2.0 * NARROW };
    let tight = view.size().1 < LOW;
    let flow = if width < NARROW { Flow::Down { width: width - 28.0, tight } } else { Flow::Right };
    let low = flow == Flow::Right && measured && view.size().1 < CLOSE;
    {
        let slots = slots.clone();
        use_memo((props.scenario.clone(), flow == Flow::Right, low), move |(.., low)| {
            *slots.borrow_mut() = Slots::of(*low)
        });
    }
    let placed = {
        let slots = slots.clone();
        let graph = props.graph.clone();
        use_memo(
            (props.graph.shape, FlowKey(flow), low, props.scenario.clone(), *records),
            move |(.., records)| layout(&graph, flow, &mut slots.borrow_mut(), *records),
        )
    };
    {
        let view = view.clone();
        use_effect_with(props.alone.as_ref().map(|(alone, _)| *alone), move |_| view.forget());
    }
    {
        // Another filter shows something else: what a person had moved to may not be among it.
        let (view, placed) = (view.clone(), placed.clone());
        use_effect_with(props.filter.clone(), move |_| {
            view.forget();
            view.fit_if_untouched(&placed, flow);
        });
    }
    {
        let view = view.clone();
        let placed = placed.clone();
        use_effect_with((placed.bounds, FlowKey(flow), view.size()), move |_| {
            view.fit_if_untouched(&placed, flow);
        });
    }
    {
        let (view, placed, graph, changed) =
            (view.clone(), placed.clone(), props.graph.clone(), props.changed.clone());
        let (opened, session, selection) = (use_mut_ref(|| 0), props.session, props.selection.clone());
        use_effect_with(props.version, move |_| {
            // A run that was just opened is seen from its beginning, and so far that what is selected can be seen.
            let new = opened.replace(session) != session;
            let seen: Vec<&ObjectRef> =
                if new { selection.iter().collect() } else { changed.iter().collect() };
            // What a step changed may stand where a small pane does not reach.
            let places = seen.into_iter().filter_map(|r| graph.find(r)).take(FOLLOWED);
            let mut rects =
                places.filter_map(|i| placed.items.iter().find(|item| item.node == i)).map(|i| i.rect);
            if let Some(first) = rects.next() {
                view.follow(first);
            }
        });
    }
    let filtering = use_state(|| false);
    let inspect = use_mut_ref(|| props.inspect.clone());
    *inspect.borrow_mut() = props.inspect.clone();
    // The same from drawing to drawing, so that only cards that changed are drawn.
    let select = use_callback(store.clone(), move |object: ObjectRef, store| {
        store.light(None);
        store.send(Input::Select(Some(object)));
        // On a narrow page what is said of it is another pane. The lesson that has asked for an object is above the graph.
        let answers = || store.with(|s| s.lesson.as_ref().is_some_and(|lesson| lesson.asks_for_object()));
        if is_narrow() && !answers() {
            inspect.borrow().emit(());
        }
    });
    let found = {
        let (store, view, placed) = (store.clone(), view.clone(), placed.clone());
        Callback::from(move |object: ObjectRef| {
            let place = store.with(|s| s.filtered.find(&object));
            if let Some(rect) = place.and_then(|place| rect_of(&placed, place)) {
                view.reveal(rect);
            }
        })
    };
    let panel = pane.clone();
    let onkeydown = {
        let (store, placed, graph) = (store.clone(), placed.clone(), props.graph.clone());
        let (inspect, view, pane) = (props.inspect.clone(), view.clone(), pane.clone());
        let menu = props.leads.is_some();
        Callback::from(move |e: KeyboardEvent| {
            if menu && (e.key() == "ContextMenu" || e.key() == "F10" && e.shift_key()) {
                keys::open_menu();
                e.prevent_default();
                e.stop_propagation();
                return;
            }
            if e.ctrl_key() || e.meta_key() || e.alt_key() || e.shift_key() {
                return;
            }
            // Of the store and not of what was drawn last: a second key may come before the first
            // has been drawn.
            let selection = store.selection();
            match e.key().as_str() {
                "Enter" | " " => {
                    if selection.is_some() {
                        inspect.emit(());
                    }
                }
                key @ ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown") => {
                    let from = selection.as_ref().and_then(|s| graph.find(s));
                    if let Some((node, rect)) = walk::next(&placed, from, key)
                        && let Some(n) = graph.node(node)
                    {
                        store.send(Input::Select(Some(n.reference.clone())));
                        view.reveal(rect);
                        focus(&pane, &n.reference);
                    }
                }
                "Escape" if selection.is_some() => {
                    store.light(None);
                    store.send(Input::Select(None));
                }
                _ => return,
            }
            e.prevent_default();
            e.stop_propagation();
        })
    };
    let clear = {
        let (store, view) = (store.clone(), view.clone());
        Callback::from(move |e: MouseEvent| {
            if !view.dragged() && e.target() == e.current_target() {
                store.light(None);
                store.send(Input::Select(None));
            }
        })
    };
    let selected = props.selection.as_ref().and_then(|s| props.graph.find(s));
    let aim = Aim {
        graph: props.graph.clone(),
        placed: placed.clone(),
        view: view.clone(),
        selection: props.selection.clone(),
    };
    let filter_button = props.filter.as_ref().map(|filter| {
        let (filtering, on) = (filtering.clone(), !filter.is_empty());
        // A second press leads into the field.
        let onclick = move |_| if *filtering { keys::focus(".filter input") } else { filtering.set(true) };
        html! {
            <button type="button" id="graph-filter" class={classes!("tool", on.then_some("set"))} title={t.get("filter-open")} aria-label={t.get("filter-open")}
                aria-keyshortcuts="F" {onclick}>{ glyph::icon(glyph::FILTER) }</button>
        }
    });
    let alone_button = props.alone.clone().map(|(alone, set)| {
        let name = t.get("graph-alone");
        html! {
            <button type="button" id="graph-alone" class="tool" title={name.clone()} aria-label={name} aria-pressed={alone.to_string()}
                aria-keyshortcuts="Z" onclick={move |_| set.emit(!alone)}>{ glyph::icon(glyph::ALONE) }</button>
        }
    });
    let is_filtered = *filtering || props.filter.as_ref().is_some_and(|filter| !filter.is_empty());
    let is_alone = props.alone.as_ref().is_some_and(|(alone, _)| *alone);
    html! {
        <section class={classes!("graph", (flow != Flow::Right).then_some("down"), props.rushing.then_some("rushing"), is_filtered.then_some("filtered"))} aria-label={t.get("graph")} hidden={props.hidden}>
            <div class="over">{ props.children.clone() }</div>
            if let Some(filter) = &props.filter {
                <FilterBar whole={props.whole.clone()} filtered={props.graph.clone()} filter={filter.clone()} open={*filtering} {found}
                    set={{ let filtering = filtering.clone(); Callback::from(move |open| filtering.set(open)) }} />
            }
            <div class="canvas" ref={panel.clone()}>
            <svg class="world" role="group" aria-label={t.get("graph-keys")} {onkeydown} onclick={clear}>
                <g ref={world}>
                    if measured {
                    <g class="wires" aria-hidden="true">{ for wires(props, &placed, flow, *lines, selected) }</g>
                    <g aria-hidden="true">{ for way(props, &placed) }</g>
                    { for cards(props, &placed, flow, &select, selected, &t) }
                    { for folds(props, &placed, &view, &select, selected) }
                    <g aria-hidden="true">{ for packet(props, &placed) }</g>
                    }
                </g>
                <g class="heads" ref={heads} aria-hidden="true"><rect width="100%" height="36" /><g>{ for titles(&placed) }</g></g>
            </svg>
            if measured && !props.hidden { <Minimap placed={placed.clone()} view={view.clone()} /> }
            </div>
            if !props.hidden {
                <Callout pane={panel.clone()} aim={aim.clone()} whole={props.whole.clone()} version={props.version} />
                if let Some(leads) = &props.leads {
                    <ObjectMenu pane={panel.clone()} {aim} whole={props.whole.clone()} version={props.version} leads={leads.clone()} />
                }
            }
            <span class="sr" role="status">{ if is_alone { t.get("graph-alone-says") } else { String::new() } }</span>
            <div class="foot">
            <Legend lines={*lines} set={{ let lines = lines.clone(); Callback::from(move |l| lines.set(l)) }}>
                if placed.records.0 > 0 {
                    <button type="button" aria-pressed={placed.records.1.to_string()} title={t.get("records-about")}
                        onclick={ let (records, shown) = (records.clone(), placed.records.1); move |_| records.set(Some(!shown)) }>
                        { t.with("records", &[("n", (placed.records.0 as f64).into())]) }
                    </button>
                }
            </Legend>
            <div class="zoom" role="group" aria-label={t.get("zoom")}>
                { for filter_button }
                { zoom_button(&view, 1.25, t.get("zoom-in"), glyph::PLUS) }
                { zoom_button(&view, 0.8, t.get("zoom-out"), glyph::MINUS) }
                <button class="tool" title={t.get("zoom-fit")} aria-label={t.get("zoom-fit")}
                    onclick={ let (view, placed) = (view.clone(), placed.clone()); move |_| view.fit(&placed, flow) }>
                    { glyph::icon(glyph::FIT) }
                </button>
                { for alone_button }
            </div>
            </div>
        </section>
    }
}

/// Where an object stands: its card, or its cell of a grid.
fn rect_of(placed: &Layout, place: usize) -> Option<Rect> {
    if let Some(item) = placed.items.iter().find(|item| item.node == place) {
        return Some(item.rect);
    }
    placed.folds.iter().find_map(|fold| {
        let slot = fold.cells.iter().position(|cell| *cell == Some(place))?;
        let (x, y) = fold.corner(slot);
        Some(Rect { x, y, w: CELL - 3.0, h: CELL - 3.0 })
    })
}

/// A pointer that is compared by its address.
#[derive(Clone)]
struct Held<T>(Rc<T>);

impl<T> PartialEq for Held<T> {
    fn eq(&self, other: &Held<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A flow that can be compared (its width is a whole number).
#[derive(Clone, Copy, PartialEq)]
struct FlowKey(Flow);

fn zoom_button(view: &viewport::Viewport, by: f32, label: String, icon: &'static str) -> Html {
    let view = view.clone();
    html! {
        <button class="tool" title={label.clone()} aria-label={label} onclick={move |_| view.zoom(by)}>
            { glyph::icon(icon) }
        </button>
    }
}

/// Puts the focus on a card.
fn focus(pane: &NodeRef, reference: &ObjectRef) {
    use wasm_bindgen::JsCast;
    let Some(pane) = pane.cast::<Element>() else { return };
    let selector = format!("[data-object=\"{}\"]", card::id(reference));
    if let Ok(Some(el)) = pane.query_selector(&selector)
        && let Ok(el) = el.dyn_into::<web_sys::SvgElement>()
    {
        let _ = el.focus();
    }
}
