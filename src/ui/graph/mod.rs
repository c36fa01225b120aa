//! The object graph.

mod card;
mod fold;
mod viewport;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use steady::engine::{EdgeKind, Graph as Facts, Input, ObjectRef, Place};
use web_sys::Element;
use yew::prelude::*;

use super::glyph;
use super::i18n::Texts;
use super::layout::{Flow, Layout, Slots, layout};
use super::pane::is_narrow;
use super::store::Shared;
use crate::ui::hooks::{use_store, use_texts};
use card::Card;
pub use card::{halted, tally};
use fold::FoldView;
use viewport::use_viewport;

/// Narrower than this, the graph runs downwards.
const NARROW: f32 = 600.0;

/// Of more objects that a step changed, none is looked for to bring it into view.
const FOLLOWED: usize = 20;

/// What the graph shows.
#[derive(Properties)]
pub struct Props {
    /// Whether something else is shown in its place. It keeps its places and is not drawn meanwhile.
    pub hidden: bool,
    /// The objects.
    pub graph: Shared<Facts>,
    /// Whether a run without pauses is under way.
    pub rushing: bool,
    /// When objects with a schedule run next, in milliseconds since 1970.
    pub runs: Shared<BTreeMap<ObjectRef, i64>>,
    /// What the clock shows, likewise.
    pub now: i64,
    /// What the last step changed.
    pub changed: Shared<BTreeSet<ObjectRef>>,
    /// What a command that is pointed at is about.
    pub lit: Shared<BTreeSet<ObjectRef>>,
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
                && self.changed == other.changed
                && self.lit == other.lit
                && self.selection == other.selection
                && self.inspect == other.inspect
                && self.children == other.children
                && self.scenario == other.scenario
    }
}

/// Which lines are drawn.
#[derive(Clone, Copy, PartialEq)]
struct Lines([bool; 4]);

const KINDS: [(EdgeKind, &str, &str); 4] = [
    (EdgeKind::Owner, "owner", "line-owner"),
    (EdgeKind::Selector, "selector", "line-selector"),
    (EdgeKind::Binding, "binding", "line-binding"),
    (EdgeKind::Reference, "reference", "line-reference"),
];

/// The pane.
#[component]
pub fn Graph(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let pane = use_node_ref();
    let world = use_node_ref();
    let slots = use_mut_ref(Slots::default);
    let lines = use_state(|| Lines([true, true, false, true]));
    // Whether records are drawn, once a person has chosen.
    let records = use_state(|| None::<bool>);
    let heads = use_node_ref();
    let view = use_viewport(&pane, &world, &heads);
    // Before it has been measured nothing is drawn: it would only fly to another place.
    let measured = view.width() > 0.0;
    let width = if view.width() > 0.0 { view.width().max(220.0) } else { 2.0 * NARROW };
    let flow = if width < NARROW { Flow::Down(width - 28.0) } else { Flow::Right };
    {
        let slots = slots.clone();
        use_memo((props.scenario.clone(), flow == Flow::Right), move |_| {
            *slots.borrow_mut() = Slots::default()
        });
    }
    let placed = {
        let slots = slots.clone();
        let graph = props.graph.clone();
        use_memo(
            (props.graph.shape, FlowKey(flow), props.scenario.clone(), *records),
            move |(.., records)| layout(&graph, flow, &mut slots.borrow_mut(), *records),
        )
    };
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
    let select = {
        let (store, inspect) = (store.clone(), props.inspect.clone());
        Callback::from(move |object: ObjectRef| {
            store.send(Input::Select(Some(object)));
            // On a narrow page what is said of it is another pane.
            if is_narrow() {
                inspect.emit(());
            }
        })
    };
    let onkeydown = {
        let (store, placed, graph) = (store.clone(), placed.clone(), props.graph.clone());
        let (inspect, view, pane) = (props.inspect.clone(), view.clone(), pane.clone());
        Callback::from(move |e: KeyboardEvent| {
            if e.ctrl_key() || e.meta_key() || e.alt_key() || e.shift_key() {
                return;
            }
            // Of the store and not of what was drawn last: a second key may come before the first
            // has been drawn.
            let selection = store.with(|s| s.selection.clone());
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
                "Escape" => store.send(Input::Select(None)),
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
                store.send(Input::Select(None));
            }
        })
    };
    let selected = props.selection.as_ref().and_then(|s| props.graph.find(s));
    html! {
        <section class={classes!("graph", (flow != Flow::Right).then_some("down"), props.rushing.then_some("rushing"))} aria-label={t.get("graph")} hidden={props.hidden}>
            <div class="over">{ props.children.clone() }</div>
            <div class="canvas" ref={pane}>
            <svg class="world" role="group" aria-label={t.get("graph-keys")} {onkeydown} onclick={clear}>
                <g ref={world}>
                    if measured {
                    <g class="wires" aria-hidden="true">{ for wires(props, &placed, flow, *lines, selected) }</g>
                    { for cards(props, &placed, flow, &select, selected, &t) }
                    { for folds(props, &placed, &view, &select, selected) }
                    }
                </g>
                <g class="heads" ref={heads} aria-hidden="true"><rect width="100%" height="36" /><g>{ for titles(&placed) }</g></g>
            </svg>
            </div>
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
                { zoom_button(&view, 1.25, t.get("zoom-in"), glyph::PLUS) }
                { zoom_button(&view, 0.8, t.get("zoom-out"), glyph::MINUS) }
                <button class="tool" title={t.get("zoom-fit")} aria-label={t.get("zoom-fit")}
                    onclick={ let (view, placed) = (view.clone(), placed.clone()); move |_| view.fit(&placed, flow) }>
                    { glyph::icon(glyph::FIT) }
                </button>
            </div>
            </div>
        </section>
    }
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

/// A line of a column's head has at most so many characters, so that it does not reach into the next column.
const HEAD: usize = 27;

/// The kinds of what stands in each column. Those that do not fit into a line stand in one above it.
fn titles(placed: &Layout) -> Vec<Html> {
    let title = |(kinds, x): &(String, f32)| {
        let mut lines: Vec<String> = Vec::new();
        for kind in kinds.split(" · ") {
            match lines.last_mut() {
                Some(line) if line.chars().count() + kind.len() + 3 <= HEAD => {
                    *line = format!("{line} · {kind}")
                }
                Some(line) => {
                    line.push_str(" ·");
                    lines.push(kind.to_owned());
                }
                None => lines.push(kind.to_owned()),
            }
        }
        let above = lines.len();
        let line = |(i, line): (usize, String)| {
            let y = -12 - 13 * i32::try_from(above - 1 - i).unwrap_or(0);
            html! { <tspan x={x.to_string()} y={y.to_string()}>{ line }</tspan> }
        };
        html! { <text class="title">{ for lines.into_iter().enumerate().map(line) }</text> }
    };
    placed.titles.iter().map(title).collect()
}

fn wires(props: &Props, placed: &Layout, flow: Flow, lines: Lines, selected: Option<usize>) -> Vec<Html> {
    let changed = |i: usize| props.graph.node(i).is_some_and(|n| props.changed.contains(&n.reference));
    let mut out = Vec::new();
    for w in placed.wires.iter().filter(|w| !w.path.is_empty()) {
        let (name, on) = KINDS
            .iter()
            .zip(lines.0)
            .find(|((k, ..), _)| *k == w.kind)
            .map_or(("owner", true), |((_, name, _), on)| (*name, on));
        // In rows there is no room between the cards: only the lines of the selected card are drawn beside owners'.
        let on = on && (flow == Flow::Right || w.kind == EdgeKind::Owner);
        let touched = selected.is_some_and(|s| s == w.from || s == w.to);
        // A pod that was just bound shows where to.
        let fresh = if w.kind == EdgeKind::Binding { w.from } else { w.to };
        let hot = changed(fresh) && (w.kind != EdgeKind::Binding || props.changed.len() < 3);
        if on || touched || (hot && w.kind == EdgeKind::Binding) {
            out.push(html! {
                <path class={classes!("wire", name, hot.then_some("hot"), touched.then_some("touched"))}
                    d={w.path.clone()} />
            });
        }
    }
    out
}

fn cards(
    props: &Props,
    placed: &Layout,
    flow: Flow,
    select: &Callback<ObjectRef>,
    selected: Option<usize>,
    t: &Texts,
) -> Vec<Html> {
    // Only what has a card of its own is asked for: most pods of a large set have none.
    let mut owners: Vec<Option<usize>> = vec![None; props.graph.nodes.len()];
    let mut loads: Vec<usize> = vec![0; props.graph.nodes.len()];
    for e in props.graph.edges.iter() {
        match (e.kind, owners.get_mut(e.to), loads.get_mut(e.to)) {
            (EdgeKind::Owner, Some(owner), _) => *owner = owner.or(Some(e.from)),
            (EdgeKind::Binding, _, Some(load)) => *load += 1,
            _ => {}
        }
    }
    let owner_name = |i: usize| {
        let owner = props.graph.node(owners.get(i).copied().flatten()?)?;
        Some(std::rc::Rc::from(owner.reference.key.name.as_str()))
    };
    let first = placed.items.first().map(|i| i.node);
    let show = |item: &super::layout::Item| {
        let node = props.graph.node(item.node)?.clone();
        let changed = props.changed.contains(&node.reference);
        let pods = if node.place == Place::Node { loads.get(item.node).copied().unwrap_or(0) } else { 0 };
        let next = props.runs.get(&node.reference).copied();
        Some(html! {
            <Card key={card::key(&node)} rect={item.rect} node={card::Held(node.clone())}
                owner={owner_name(item.node)} {next} now={next.map_or(0, |_| props.now)} {pods} small={flow != Flow::Right}
                lit={props.lit.contains(&node.reference)} selected={selected == Some(item.node)} rushing={props.rushing}
                stop={selected.map_or(first == Some(item.node), |s| s == item.node)}
                changed={changed.then_some(props.version)} select={select.clone()} texts={t.clone()} />
        })
    };
    placed.items.iter().filter_map(show).collect()
}

fn folds(
    props: &Props,
    placed: &Layout,
    view: &viewport::Viewport,
    select: &Callback<ObjectRef>,
    selected: Option<usize>,
) -> Vec<Html> {
    placed
        .folds
        .iter()
        .map(|f| {
            let owner = f.owner.and_then(|o| props.graph.node(o)).map(|n| n.reference.key.name.to_string());
            html! {
                <FoldView key={format!("fold {}", owner.clone().unwrap_or_default())} fold={Held(f.clone())} view={view.clone()}
                    graph={props.graph.clone()} changed={props.changed.clone()} lit={props.lit.clone()} version={props.version}
                    selected={selected.filter(|s| f.cells.contains(&Some(*s)))} select={select.clone()} />
            }
        })
        .collect()
}

#[derive(Properties, PartialEq)]
struct LegendProps {
    lines: Lines,
    set: Callback<Lines>,
    children: Html,
}

/// What the lines mean; each can be switched.
#[component]
fn Legend(props: &LegendProps) -> Html {
    let t = use_texts();
    let buttons = KINDS.iter().enumerate().map(|(i, (_, name, key))| {
        let on = props.lines.0.get(i).copied().unwrap_or(false);
        let (set, lines) = (props.set.clone(), props.lines);
        let onclick = move |_| {
            let mut next = lines;
            if let Some(slot) = next.0.get_mut(i) {
                *slot = !on;
            }
            set.emit(next);
        };
        html! {
            <button type="button" aria-pressed={on.to_string()} {onclick}>
                <svg viewBox="0 0 20 8" width="20" height="8" aria-hidden="true">
                    <path class={classes!("wire", *name)} d="M1 4H19" />
                </svg>
                { t.get(key) }
            </button>
        }
    });
    html! { <div class="legend" role="group" aria-label={t.get("lines")}>{ for buttons }{ props.children.clone() }</div> }
}
