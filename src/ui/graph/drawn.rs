//! What the graph's pane draws of the layout: the heads of columns, the lines, the cards and the grids.

use steady::engine::{EdgeKind, ObjectRef, Place};
use yew::prelude::*;

use super::card::{self, Card};
use super::fold::FoldView;
use super::legend::Lines;
use super::viewport::Viewport;
use super::{Held, Props, rect_of};
use crate::ui::i18n::Texts;
use crate::ui::layout::{Flow, Item, Layout, Wire, led};

/// The most characters in a line of a column's head: a longer line would reach into the next column.
const HEAD: usize = 27;

/// The kinds in each column, as the lines of its head.
pub fn titles(placed: &Layout) -> Vec<Html> {
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

/// The lines that are drawn.
pub fn wires(props: &Props, placed: &Layout, flow: Flow, lines: Lines, selected: Option<usize>) -> Vec<Html> {
    let changed = |i: usize| props.graph.node(i).is_some_and(|n| props.changed.contains(&n.reference));
    // In rows there is no room between the cards: only the lines of the selected card are drawn beside owners'.
    let always = |w: &Wire| flow == Flow::Right || w.kind == EdgeKind::Owner;
    let touched = |w: &Wire| selected.is_some_and(|s| s == w.from || s == w.to);
    // A pod that was just bound shows where to.
    let hot = |w: &Wire| {
        let fresh = if w.kind == EdgeKind::Binding { w.from } else { w.to };
        changed(fresh) && (w.kind != EdgeKind::Binding || props.changed.len() < 3)
    };
    let line = |w: &Wire| {
        let (name, on) = lines.of(w.kind);
        let (touched, hot) = (touched(w), hot(w));
        let drawn = (on && always(w)) || touched || (hot && w.kind == EdgeKind::Binding);
        drawn.then(|| {
            let class = classes!(
                "wire",
                name,
                w.behind.then_some("behind"),
                hot.then_some("hot"),
                touched.then_some("touched")
            );
            html! { <path {class} d={w.path.clone()} /> }
        })
    };
    let some = |w: &&Wire| !always(w) && (touched(w) || (w.kind == EdgeKind::Binding && hot(w)));
    let between = led(placed, placed.wires.iter().filter(some));
    placed.wires.iter().filter(|w| !w.path.is_empty()).chain(&between).filter_map(line).collect()
}

/// The cards.
pub fn cards(
    props: &Props,
    placed: &Layout,
    flow: Flow,
    select: &Callback<ObjectRef>,
    selected: Option<usize>,
    t: &Texts,
) -> Vec<Html> {
    // Only objects that have a card are asked for: most pods of a large set stand in a grid.
    let mut owners: Vec<Option<usize>> = vec![None; props.graph.nodes.len()];
    for e in props.graph.edges.iter().filter(|e| e.kind == EdgeKind::Owner) {
        if let Some(owner) = owners.get_mut(e.to) {
            *owner = owner.or(Some(e.from));
        }
    }
    // Pods that are hidden run on nodes, too.
    let mut loads: Vec<usize> = vec![0; props.whole.nodes.len()];
    for e in props.whole.edges.iter().filter(|e| e.kind == EdgeKind::Binding) {
        if let Some(load) = loads.get_mut(e.to) {
            *load += 1;
        }
    }
    let owner_name = |i: usize| {
        let owner = props.graph.node(owners.get(i).copied().flatten()?)?;
        Some(std::rc::Rc::from(owner.reference.key.name.as_str()))
    };
    let first = placed.items.first().map(|i| i.node);
    let show = |item: &Item| {
        let node = props.graph.node(item.node)?.clone();
        let changed = props.changed.contains(&node.reference);
        let load = || loads.get(props.whole.find(&node.reference)?).copied();
        let pods = if node.place == Place::Node { load().unwrap_or(0) } else { 0 };
        let cut_off = props.graph.cut_off.contains(&node.reference);
        let next = props.runs.get(&node.reference);
        Some(html! {
            <Card key={card::key(&node)} rect={item.rect} node={card::Held(node.clone())}
                owner={owner_name(item.node)} {next} now={next.map_or(0, |_| props.now)} {pods} {cut_off} small={flow != Flow::Right}
                lit={props.lit.contains(&node.reference)} selected={selected == Some(item.node)} rushing={props.rushing}
                stop={selected.map_or(first == Some(item.node), |s| s == item.node)}
                changed={changed.then_some(props.version)} select={select.clone()} texts={t.clone()} />
        })
    };
    placed.items.iter().filter_map(show).collect()
}

/// The grids.
pub fn folds(
    props: &Props,
    placed: &Layout,
    view: &Viewport,
    select: &Callback<ObjectRef>,
    selected: Option<usize>,
) -> Vec<Html> {
    placed
        .folds
        .iter()
        .enumerate()
        .map(|(number, f)| {
            let owner = f.owner.and_then(|o| props.graph.node(o)).map(|n| n.reference.key.name.to_string());
            html! {
                <FoldView key={format!("fold {} {}", f.kind.as_str(), owner.clone().unwrap_or_default())} {number} fold={Held(f.clone())} view={view.clone()}
                    graph={props.graph.clone()} changed={props.changed.clone()} lit={props.lit.clone()} version={props.version}
                    selected={selected.filter(|s| f.cells.contains(&Some(*s)))} select={select.clone()} />
            }
        })
        .collect()
}

/// The line from stop to stop of the request that is followed. Stops at objects that are not shown are left out. It leads from the
/// middle of an object to that of the next, and is drawn below them, so that it lies on no text.
pub fn way(props: &Props, placed: &Layout) -> Vec<Html> {
    let at = |object: &ObjectRef| {
        let rect = rect_of(placed, props.graph.find(object)?)?;
        Some((rect.x + rect.w / 2.0, rect.y + rect.h / 2.0))
    };
    // The stops that are shown, without those at the object of the one before.
    let line = |stops: &[Option<ObjectRef>]| {
        let mut all: Vec<(f32, f32)> = stops.iter().flatten().filter_map(at).collect();
        all.dedup();
        all
    };
    let along = &props.way.along;
    let now = stop_now(props);
    let (done, ahead) = match now {
        Some(n) => (line(along.get(..=n).unwrap_or_default()), line(along.get(n..).unwrap_or_default())),
        None => (line(along), Vec::new()),
    };
    let path = |class: &'static str, points: &[(f32, f32)]| {
        (points.len() > 1).then(|| html! { <path class={classes!("way", class)} d={bows(points)} /> })
    };
    let flows = if now.is_none() { "flows" } else { "done" };
    [path("ahead", &ahead), path(flows, &done)].into_iter().flatten().collect()
}

/// The stop of the way that is looked at; `None` if all of it is.
fn stop_now(props: &Props) -> Option<usize> {
    props.way.at.map(|n| n.min(props.way.along.len().saturating_sub(1)))
}

/// The request that is followed, where it is: at the edge of a card, or on its cell of a grid, which has no text.
pub fn packet(props: &Props, placed: &Layout) -> Option<Html> {
    let at = |object: &ObjectRef| {
        let node = props.graph.find(object)?;
        let rect = rect_of(placed, node)?;
        let is_card = placed.items.iter().any(|item| item.node == node);
        Some((if is_card { rect.x } else { rect.x + rect.w / 2.0 }, rect.y + rect.h / 2.0))
    };
    let behind = props.way.along.get(..=stop_now(props)?)?;
    let (x, y) = behind.iter().rev().flatten().find_map(at)?;
    Some(html! { <circle class="packet" r="7" cx={x.to_string()} cy={y.to_string()} /> })
}

/// A line through points. Each part is bent to its left, so that the way there and the way back do not cover each other.
fn bows(points: &[(f32, f32)]) -> String {
    const BEND: f32 = 0.12;
    let mut d = String::new();
    let mut last = None;
    for (x, y) in points {
        match last {
            None => d.push_str(&format!("M{x} {y}")),
            Some((fx, fy)) => {
                let (mx, my) = ((fx + x) / 2.0 + (y - fy) * BEND, (fy + y) / 2.0 - (x - fx) * BEND);
                d.push_str(&format!("Q{mx} {my} {x} {y}"));
            }
        }
        last = Some((*x, *y));
    }
    d
}
