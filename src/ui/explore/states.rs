//! The graph of states: layers from left to right, one step each. It is walked with arrow keys.

use std::rc::Rc;

use steady::engine::explorer::{Found, Line, Node, Picture, StateId};
use wasm_bindgen::JsCast;
use web_sys::{Element, SvgElement};
use yew::prelude::*;

use crate::ui::hooks::use_texts;
use crate::ui::i18n::Texts;

/// A layer's width and a row's height.
const LAYER: f32 = 46.0;
const ROW: f32 = 24.0;
/// Room around.
const EDGE: f32 = 26.0;
/// What is walked to keeps so far from the pane's edge.
const NEAR: f64 = 26.0;

/// What the graph needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is drawn.
    pub picture: Rc<Picture>,
    /// What was found.
    pub found: Option<Rc<Found>>,
    /// The state that a person stands on.
    pub focus: Option<StateId>,
    /// The states that the page's run passes.
    pub run: Rc<Vec<Option<StateId>>>,
    /// Whether ways can be gone now.
    pub can_open: bool,
    /// Stands on another state.
    pub stand: Callback<StateId>,
    /// Asks for what lies around a state.
    pub more: Callback<StateId>,
    /// Goes the way to a state.
    pub open: Callback<StateId>,
}

/// The graph, and what it says of the state one stands on.
#[component]
pub fn States(props: &Props) -> Html {
    let t = use_texts();
    let root = use_node_ref();
    let p = &props.picture;
    let here = props.focus.and_then(|id| p.nodes.iter().position(|n| n.id == id)).unwrap_or(0);
    // The state that was walked to last, which may not have been drawn yet.
    let last = use_mut_ref(|| here);
    *last.borrow_mut() = here;
    let onkeydown = {
        let (p, last, root) = (p.clone(), last.clone(), root.clone());
        let (stand, more, open, can_open) =
            (props.stand.clone(), props.more.clone(), props.open.clone(), props.can_open);
        Callback::from(move |e: KeyboardEvent| {
            if e.ctrl_key() || e.meta_key() || e.alt_key() {
                return;
            }
            let at = *last.borrow();
            let Some(node) = p.nodes.get(at) else { return };
            let to = match e.key().as_str() {
                "Enter" | " " => {
                    if can_open {
                        open.emit(node.id);
                    }
                    None
                }
                "Home" => Some(0),
                "ArrowRight" => {
                    let next = forth(&p, at);
                    if next.is_none() && node.more > 0 {
                        more.emit(node.id);
                    }
                    next
                }
                "ArrowLeft" => back(&p, at),
                "ArrowUp" => aside(&p, at, -1.0),
                "ArrowDown" => aside(&p, at, 1.0),
                _ => return,
            };
            e.prevent_default();
            e.stop_propagation();
            if let Some((to, node)) = to.and_then(|to| Some((to, p.nodes.get(to)?))) {
                *last.borrow_mut() = to;
                stand.emit(node.id);
                focus(&root, node.id);
            }
        })
    };
    {
        let root = root.clone();
        let id = p.nodes.get(here).map_or(0, |n| n.id);
        let drawn = use_mut_ref(|| None);
        use_effect_with((id, props.picture.clone()), move |(id, picture)| {
            // A new graph begins with the state in its middle; then as little moves as can.
            let new = drawn.borrow().as_ref().is_none_or(|last| !Rc::ptr_eq(last, picture));
            *drawn.borrow_mut() = Some(picture.clone());
            reveal(&root, *id, new);
        });
    }
    let (width, height) = (
        2.0 * EDGE + LAYER * p.layers.saturating_sub(1) as f32,
        2.0 * EDGE + ROW * p.widest.saturating_sub(1) as f32,
    );
    let middle = height / 2.0;
    let lit = |from: StateId, to: StateId| {
        props.run.windows(2).any(|w| w.first() == Some(&Some(from)) && w.get(1) == Some(&Some(to)))
    };
    let lines = p.lines.iter().filter_map(|l| {
        let (a, b) = (p.nodes.get(l.from)?, p.nodes.get(l.to)?);
        let class = classes!(l.circle.then_some("circle"), lit(a.id, b.id).then_some("lit"));
        Some((lit(a.id, b.id), html! { <path {class} d={curve(a, b, middle)} /> }))
    });
    // What is lit lies above what is not.
    let (above, below): (Vec<_>, Vec<_>) = lines.partition(|(lit, _)| *lit);
    let now = props.run.last().copied().flatten();
    let mark = |(i, n): (usize, &Node)| {
        let (stand, id) = (props.stand.clone(), n.id);
        let onclick = move |_: MouseEvent| stand.emit(id);
        let ondblclick = {
            let (open, can_open) = (props.open.clone(), props.can_open);
            move |_: MouseEvent| {
                if can_open {
                    open.emit(id);
                }
            }
        };
        let class = classes!(
            "state",
            n.outcome.map(|_| "end"),
            n.broken.map(|_| "broken"),
            n.circle.then_some("circle"),
            (!n.explored).then_some("open"),
            props.run.contains(&Some(n.id)).then_some("lit"),
            (now == Some(n.id)).then_some("now"),
        );
        let transform = format!("translate({} {})", x(n), y(n, middle));
        html! {
            <g key={n.id} {class} {transform} role="button" data-state={n.id.to_string()} aria-label={name(n, props, now, &t)}
                aria-pressed={(i == here).to_string()} tabindex={if i == here { "0" } else { "-1" }} {onclick} {ondblclick}>
                <circle class="hit" r="12" />
                { shape(n) }
                if i == here { <circle class="picked" r="10" /> }
            </g>
        }
    };
    let hidden = (p.hidden > 0).then(|| {
        let args = [("n", (p.nodes.len() as f64).into()), ("hidden", (p.hidden as f64).into())];
        t.with("explore-hidden", &args)
    });
    html! {
        <div class="explore-states">
            <div class="explore-scroll" ref={root}>
                <svg class="states" width={width.to_string()} height={height.to_string()} role="group"
                    aria-label={t.get("explore-graph-keys")} {onkeydown}>
                    <g aria-hidden="true" class="steps">{ for below.into_iter().map(|(_, h)| h) }{ for above.into_iter().map(|(_, h)| h) }</g>
                    { for p.nodes.iter().enumerate().map(mark) }
                </svg>
            </div>
            <div class="explore-legend" aria-hidden="true">
                { for [("end", "explore-key-end"), ("broken", "explore-key-broken"), ("circle", "explore-key-circle"), ("lit", "explore-key-lit")]
                    .map(|(class, key)| html! { <span><i class={class}></i>{ t.get(key) }</span> }) }
                if let Some(hidden) = hidden.clone() { <b>{ hidden }</b> }
            </div>
            if let Some(hidden) = hidden { <p class="sr">{ hidden }</p> }
            { detail(props, here, &t) }
        </div>
    }
}

fn x(n: &Node) -> f32 {
    EDGE + LAYER * n.layer as f32
}

fn y(n: &Node, middle: f32) -> f32 {
    middle + ROW * n.row
}

/// A line from a state to another: on to the next layer, or in a bow back.
fn curve(a: &Node, b: &Node, middle: f32) -> String {
    let (x1, y1, x2, y2) = (x(a), y(a, middle), x(b), y(b, middle));
    if x2 > x1 {
        let half = (x1 + x2) / 2.0;
        return format!("M{x1} {y1}C{half} {y1} {half} {y2} {x2} {y2}");
    }
    let up = y1.min(y2) - 20.0;
    format!("M{x1} {y1}C{} {up} {} {up} {x2} {y2}", x1 + 16.0, x2 - 16.0)
}

/// A steady state is a square, one where something breaks a triangle, any other a circle.
fn shape(n: &Node) -> Html {
    match (n.broken, n.outcome) {
        (Some(_), _) => html! { <path class="body" d="M0-7.5 7.5 6H-7.5Z" /> },
        (None, Some(_)) => html! { <rect class="body" x="-6" y="-6" width="12" height="12" rx="2" /> },
        (None, None) => html! { <circle class="body" r={if n.id == 0 { "7" } else { "5" }} /> },
    }
}

/// What a state is called, for who does not see it.
fn name(n: &Node, props: &Props, now: Option<StateId>, t: &Texts) -> String {
    let args = [("id", (n.id as f64).into()), ("n", (n.layer as f64).into())];
    let mut said = vec![t.with("explore-state", &args)];
    if let Some(outcome) = n.outcome {
        said.push(t.with("explore-state-end", &[("nth", ((outcome + 1) as f64).into())]));
    }
    if n.broken.is_some() {
        said.push(t.get("explore-state-broken"));
    }
    if n.circle {
        said.push(t.get("explore-state-circle"));
    }
    if !n.explored {
        said.push(t.get("explore-state-open"));
    }
    if now == Some(n.id) {
        said.push(t.get("explore-state-now"));
    } else if props.run.contains(&Some(n.id)) {
        said.push(t.get("explore-state-lit"));
    }
    said.join(", ")
}

/// Who did what on a step.
fn step(l: &Line, t: &Texts) -> String {
    match &l.by {
        None => t.get("explore-time"),
        Some(by) if l.writes.is_empty() => by.clone(),
        Some(by) => format!("{by}: {}", l.writes.join(", ")),
    }
}

fn detail(props: &Props, here: usize, t: &Texts) -> Html {
    let p = &props.picture;
    let Some(node) = p.nodes.get(here) else { return Html::default() };
    let now = props.run.last().copied().flatten();
    let first = p.lines.iter().filter(|l| l.to == here && l.from != here);
    let first = first.min_by_key(|l| p.nodes.get(l.from).map_or(usize::MAX, |n| n.layer));
    let broken = node.broken.and_then(|nth| props.found.as_ref()?.broken.get(nth).map(|b| b.name.clone()));
    let next = p.lines.iter().filter(|l| l.from == here).map(|l| {
        let stand = props.stand.clone();
        let to = p.nodes.get(l.to).map_or(0, |n| n.id);
        html! { <li><button type="button" class="link" onclick={move |_| stand.emit(to)}>
        <code>{ step(l, t) }</code><span>{ format!("→ {to}") }</span></button></li> }
    });
    let more = {
        let (more, id) = (props.more.clone(), node.id);
        move |_: MouseEvent| more.emit(id)
    };
    let open = {
        let (open, id) = (props.open.clone(), node.id);
        move |_: MouseEvent| open.emit(id)
    };
    html! {
        <div class="explore-detail" role="region" aria-label={t.get("explore-detail")}>
            <p><b>{ name(node, props, now, t) }</b>
                <button type="button" class="quiet" disabled={!props.can_open} onclick={open}>{ t.get("explore-open") }</button></p>
            if let Some(l) = first { <p>{ t.with("explore-came", &[("what", step(l, t).into())]) }</p> }
            if let Some(name) = broken { <p class="board-bad"><code>{ name }</code></p> }
            if p.lines.iter().any(|l| l.from == here && l.by.is_none()) { <p class="board-hint">{ t.get("explore-events") }</p> }
            <ul>{ for next }
                if node.more > 0 {
                    <li><button type="button" class="quiet" onclick={more}>
                        { t.with("explore-more", &[("n", (node.more as f64).into())]) }</button></li>
                }
            </ul>
        </div>
    }
}

/// Onwards along a line, to the nearest row.
fn forth(p: &Picture, at: usize) -> Option<usize> {
    nearest(p, at, p.lines.iter().filter(|l| l.from == at).map(|l| l.to), |n, here| n.layer > here.layer)
}

/// Back along a line, to the nearest row.
fn back(p: &Picture, at: usize) -> Option<usize> {
    nearest(p, at, p.lines.iter().filter(|l| l.to == at).map(|l| l.from), |n, here| n.layer < here.layer)
}

fn nearest(
    p: &Picture,
    at: usize,
    among: impl Iterator<Item = usize>,
    fits: impl Fn(&Node, &Node) -> bool,
) -> Option<usize> {
    let here = p.nodes.get(at)?;
    let all = among.filter(|i| p.nodes.get(*i).is_some_and(|n| fits(n, here)));
    all.min_by(|a, b| {
        let far = |i: usize| p.nodes.get(i).map_or(f32::MAX, |n| (n.row - here.row).abs());
        far(*a).total_cmp(&far(*b))
    })
}

/// The next of its layer, upwards or downwards.
fn aside(p: &Picture, at: usize, way: f32) -> Option<usize> {
    let here = p.nodes.get(at)?;
    let far = |n: &Node| (n.row - here.row) * way;
    let all = p.nodes.iter().enumerate().filter(|(_, n)| n.layer == here.layer && far(n) > 0.1);
    all.min_by(|(_, a), (_, b)| far(a).total_cmp(&far(b))).map(|(i, _)| i)
}

fn find(root: &NodeRef, id: StateId) -> Option<Element> {
    root.cast::<Element>()?.query_selector(&format!("[data-state=\"{id}\"]")).ok().flatten()
}

/// Puts the focus on a state.
fn focus(root: &NodeRef, id: StateId) {
    if let Some(el) = find(root, id).and_then(|el| el.dyn_into::<SvgElement>().ok()) {
        let _ = el.focus();
    }
}

/// Scrolls the graph, and nothing around it, to see a state: as little as is needed, or so that it is in the
/// middle.
fn reveal(root: &NodeRef, id: StateId, middle: bool) {
    let (Some(root_el), Some(el)) = (root.cast::<Element>(), find(root, id)) else { return };
    let (pane, state) = (root_el.get_bounding_client_rect(), el.get_bounding_client_rect());
    let by = |from: f64, to: f64, least: f64, most: f64, middle: bool| {
        if middle {
            (from + to - least - most) / 2.0
        } else {
            (from - least - NEAR).min(0.0) + (to - most + NEAR).max(0.0)
        }
    };
    let down = by(state.top(), state.bottom(), pane.top(), pane.bottom(), middle);
    let aside = by(state.left(), state.right(), pane.left(), pane.right(), false);
    root_el.set_scroll_top(root_el.scroll_top() + down as i32);
    root_el.set_scroll_left(root_el.scroll_left() + aside as i32);
}
