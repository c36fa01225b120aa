//! A grid: many objects of one kind as one element, with a cell for each. The cells of one look are one path. They are drawn in
//! tiles: a tile is drawn anew only where a cell has changed, and not at all while it is out of sight.

use std::collections::BTreeSet;
use std::fmt::Write;

use steady::engine::{Graph, Kind, ObjectRef, PodLook};
use yew::prelude::*;

use super::Held;
use super::viewport::{Seen, Viewport};
use crate::ui::glyph::tone;
use crate::ui::hooks::use_texts;
use crate::ui::layout::{CELL, FOLD_HEAD, FOLD_PAD, Fold};
use crate::ui::store::Shared;

/// Up to so many cells that changed are marked one by one; if more changed, the whole grid is marked.
const MARKED: usize = 100;
/// Cells along a side of a tile.
const TILE: usize = 16;
/// A cell that is smaller than this on the screen is drawn as a plain square.
const COARSE: f32 = 0.5;

/// What a grid shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The grid's place among the grids.
    pub number: usize,
    /// The grid's slots, one for each cell.
    pub fold: Held<Fold>,
    /// The view, which decides which tiles are drawn.
    pub view: Viewport,
    /// The objects.
    pub graph: Shared<Graph>,
    /// What the last step changed.
    pub changed: Shared<BTreeSet<ObjectRef>>,
    /// What a command that is pointed at is about.
    pub lit: Shared<BTreeSet<ObjectRef>>,
    /// Grows with every step.
    pub version: u64,
    /// The selected object, if it is one of the grid's.
    pub selected: Option<usize>,
    /// Called with the object that is clicked.
    pub select: Callback<ObjectRef>,
}

/// How a cell looks: see [`GraphNode::look`](steady::engine::GraphNode::look).
type Look = Option<PodLook>;

/// The tiles in sight: from column and row to column and row (without these), and whether the cells are drawn as plain
/// squares.
type Tiles = (usize, usize, usize, usize, bool);

fn tiles(f: &Fold, seen: Seen) -> Tiles {
    let side = CELL * TILE as f32;
    let rows = f.cells.len().div_ceil(f.columns.max(1));
    let (left, top) = (f.rect.x + FOLD_PAD, f.rect.y + FOLD_HEAD);
    // A float that is too small or too large becomes the nearest that there is.
    let span = |from: f32, to: f32, cells: usize| {
        let all = cells.div_ceil(TILE);
        (((from / side).floor() as usize).min(all), ((to / side).ceil() as usize).min(all))
    };
    let (x0, x1) = span(seen.rect.x - left, seen.rect.right() - left, f.columns);
    let (y0, y1) = span(seen.rect.y - top, seen.rect.bottom() - top, rows);
    (x0, y0, x1, y1, seen.scale < COARSE)
}

/// The grid.
#[component]
pub fn FoldView(props: &Props) -> Html {
    let t = use_texts();
    let f = props.fold.0.clone();
    let look = |slot: usize| {
        let place = f.cells.get(slot).copied().flatten()?;
        Some(props.graph.node(place)?.look())
    };
    let (mut all, mut ready, mut bad) = (0.0, 0.0, 0.0);
    for look in (0..f.cells.len()).filter_map(look) {
        all += 1.0;
        match look {
            Some(PodLook::Ready) => ready += 1.0,
            Some(PodLook::Failed) => bad += 1.0,
            _ => {}
        }
    }
    let kind = f.kind.as_str();
    let heading = if f.kind == Kind::POD {
        t.with("fold", &[("n", all.into()), ("ready", ready.into())])
    } else if bad > 0.0 {
        t.with("fold-bad", &[("n", all.into()), ("kind", kind.into()), ("bad", bad.into())])
    } else {
        t.with("fold-kind", &[("n", all.into()), ("kind", kind.into())])
    };
    let onclick = {
        let (fold, graph, select, view) =
            (f.clone(), props.graph.clone(), props.select.clone(), props.view.clone());
        Callback::from(move |e: MouseEvent| {
            e.stop_propagation();
            let Some((x, y)) = view.world_at(e.client_x(), e.client_y()) else { return };
            let pod = fold.slot_at(x, y).and_then(|s| fold.cells.get(s).copied().flatten());
            if let Some(n) = pod.and_then(|p| graph.node(p)).filter(|_| !view.dragged()) {
                select.emit(n.reference.clone());
            }
        })
    };
    // The grid is drawn anew only if the view shows other tiles.
    let moved = use_state_eq(|| tiles(&f, props.view.seen()));
    let seen = tiles(&f, props.view.seen());
    {
        let moved = moved.setter();
        use_effect_with((props.fold.clone(), props.view.clone()), move |(fold, view)| {
            moved.set(tiles(&fold.0, view.seen()));
            let (fold, eye) = (fold.clone(), view.clone());
            let watcher = view.watch(move || moved.set(tiles(&fold.0, eye.seen())));
            move || drop(watcher)
        });
    }
    let (x0, y0, x1, y1, coarse) = seen;
    let places = (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y)));
    let blocks = places.map(|(x, y)| {
        let columns = f.columns.saturating_sub(x * TILE).min(TILE);
        let looks: Vec<Option<Look>> = (0..TILE * columns)
            .map(|i| look((y * TILE + i / columns) * f.columns + x * TILE + i % columns))
            .collect();
        html! { <Tile key={y * 1_000 + x} {x} {y} {columns} {looks} {coarse} /> }
    });
    let ring = |slot: usize, class: &'static str| {
        let (x, y) = ((slot % f.columns.max(1)) as f32 * CELL, (slot / f.columns.max(1)) as f32 * CELL);
        html! {
            <rect key={format!("{class} {slot} {}", props.version)} {class} x={(x + FOLD_PAD - 2.5).to_string()}
                y={(y + FOLD_HEAD - 2.5).to_string()} width="18" height="18" rx="6" />
        }
    };
    // Few objects change in a step, so each of those is looked for among the cells, and not each cell among those.
    let slots = |of: &BTreeSet<ObjectRef>| -> Vec<usize> {
        let places = of.iter().filter(|r| r.kind == f.kind).filter_map(|r| props.graph.find(r));
        places.take(MARKED + 1).filter_map(|i| f.cells.iter().position(|c| *c == Some(i))).collect()
    };
    let (changed, lit) = (slots(&props.changed), slots(&props.lit));
    // If more cells are to be marked, the whole grid is.
    let whole = |slots: &[usize], class: &'static str| {
        let (w, h) = ((f.rect.w + 2.0).to_string(), (f.rect.h + 2.0).to_string());
        (slots.len() > MARKED).then(|| html! { <rect key={format!("{class} {}", props.version)} {class} x="-1" y="-1" rx="10" width={w} height={h} /> })
    };
    let each = |slots: &[usize], class: &'static str| -> Vec<Html> {
        let marked = slots.iter().filter(|_| slots.len() <= MARKED);
        whole(slots, class).into_iter().chain(marked.map(|slot| ring(*slot, class))).collect()
    };
    let selected = props.selected.and_then(|s| f.cells.iter().position(|c| *c == Some(s)));
    html! {
        <g class={classes!("fold", selected.is_some().then_some("holds"))} role="button" tabindex="0" aria-label={heading.clone()} data-fold={props.number.to_string()} {onclick}
            transform={format!("translate({} {})", f.rect.x, f.rect.y)}>
            <rect class="box" width={f.rect.w.to_string()} height={f.rect.h.to_string()} rx="9" />
            <text class="under" x={FOLD_PAD.to_string()} y="19">{ heading }</text>
            <g transform={format!("translate({FOLD_PAD} {FOLD_HEAD})")}>{ for blocks }</g>
            { for each(&changed, "ring") }
            { for each(&lit, "picked") }
            { for selected.into_iter().map(|s| ring(s, "picked")) }
            <rect class="focus" x="-4" y="-4" rx="12" width={(f.rect.w + 8.0).to_string()} height={(f.rect.h + 8.0).to_string()} />
        </g>
    }
}

#[derive(Properties, PartialEq)]
struct TileProps {
    x: usize,
    y: usize,
    columns: usize,
    /// The look of each slot; `None` for an empty one.
    looks: Vec<Option<Look>>,
    coarse: bool,
}

#[component]
fn Tile(props: &TileProps) -> Html {
    let columns = props.columns.max(1);
    let path = |want: Look| {
        let mut d = String::new();
        if props.coarse {
            runs(&props.looks, columns, want, &mut d);
            return d;
        }
        for (i, _) in props.looks.iter().enumerate().filter(|(_, look)| **look == Some(want)) {
            let (x, y) = ((i % columns) as f32 * CELL, (i / columns) as f32 * CELL);
            let _ = write!(d, "M{x} {y}{}", shape(want.unwrap_or(PodLook::Ready)));
        }
        d
    };
    let paths = PodLook::ALL.into_iter().map(Some).chain([None]).filter_map(|look| {
        let d = path(look);
        let class = match look {
            Some(l) => classes!("cell", tone(l), if props.coarse { coarse_class(l) } else { cell_class(l) }),
            None => classes!("cell", "plain"),
        };
        (!d.is_empty()).then(|| html! { <path {class} {d} /> })
    });
    let side = CELL * TILE as f32;
    let at = format!("translate({} {})", props.x as f32 * side, props.y as f32 * side);
    html! {
        <g transform={at}>{ for paths }
            if props.coarse { <path class="slits" d={SLITS} /> }
        </g>
    }
}

/// Cells so small that only their colour tells: what lies beside each other is one band …
fn runs(looks: &[Option<Look>], columns: usize, want: Look, d: &mut String) {
    for (row, looks) in looks.chunks(columns).enumerate() {
        let mut from = 0;
        for same in looks.chunk_by(|a, b| a == b) {
            if same.first() == Some(&Some(want)) {
                let (x, y) = (from as f32 * CELL, row as f32 * CELL);
                let w = same.len() as f32 * CELL - 3.0;
                let _ = write!(d, "M{x} {y}h{w}v13h-{w}z");
            }
            from += same.len();
        }
    }
}

/// … which these cut into cells.
const SLITS: &str = "M14.5 0v256m16-256v256m16-256v256m16-256v256m16-256v256m16-256v256m16-256v256m16-256v256m16-256v256\
    m16-256v256m16-256v256m16-256v256m16-256v256m16-256v256m16-256v256";

fn coarse_class(l: PodLook) -> &'static str {
    match l {
        PodLook::Ready | PodLook::Failed | PodLook::Trouble | PodLook::Succeeded => "solid",
        _ => "solid pale",
    }
}

fn cell_class(l: PodLook) -> &'static str {
    match l {
        PodLook::Ready | PodLook::NotReady | PodLook::Failed | PodLook::Trouble => "solid",
        PodLook::Terminating => "open dash",
        _ => "open",
    }
}

/// A look in a box of 13, relative to its left upper corner.
fn shape(l: PodLook) -> &'static str {
    match l {
        // A full square with round corners.
        PodLook::Ready => "m3 0h7q3 0 3 3v7q0 3-3 3h-7q-3 0-3-3v-7q0-3 3-3z",
        // Its right half.
        PodLook::NotReady => "m6.5 0h3.5q3 0 3 3v7q0 3-3 3h-3.5zm-6.5 0h2v13h-2z",
        PodLook::Starting => "m3 1h7q2 0 2 2v7q0 2-2 2h-7q-2 0-2-2v-7q0-2 2-2zm3.5 5.5h5.5m-5.5 0v-5.5",
        PodLook::Unscheduled => "m6.5 2v9m-4.5-4.5h9",
        PodLook::Terminating => "m3 1h7q2 0 2 2v7q0 2-2 2h-7q-2 0-2-2v-7q0-2 2-2z",
        PodLook::Trouble => "m6.5 0l6.5 12.5h-13z",
        PodLook::Failed => {
            "m2 0l4.5 4.5l4.5-4.5l2 2l-4.5 4.5l4.5 4.5l-2 2l-4.5-4.5l-4.5 4.5l-2-2l4.5-4.5l-4.5-4.5z"
        }
        PodLook::Succeeded => "m1.5 7l3.5 3.5l7-8",
        PodLook::Unknown => "m3 1h7q2 0 2 2v7q0 2-2 2h-7q-2 0-2-2v-7q0-2 2-2zm3.5 3v3m0 2.5v.5",
    }
}
