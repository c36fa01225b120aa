//! Many pods as a grid: one cell each, one path for all of a look, in tiles that are drawn anew only
//! where something changed, and not at all where nobody sees them.

use std::collections::BTreeSet;
use std::fmt::Write;

use steady::engine::{Card, Graph, ObjectRef, PodLook};
use yew::prelude::*;

use super::Held;
use super::viewport::{Seen, Viewport};
use crate::ui::glyph::tone;
use crate::ui::hooks::use_texts;
use crate::ui::layout::{CELL, FOLD_HEAD, FOLD_PAD, Fold};
use crate::ui::store::Shared;

/// Cells along a side of a tile.
const TILE: usize = 16;
/// Drawn smaller than this, a cell is a plain square: of more nothing would be seen.
const COARSE: f32 = 0.5;

/// What a grid shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Its slots.
    pub fold: Held<Fold>,
    /// The view, which decides what of it is drawn.
    pub view: Viewport,
    /// The objects.
    pub graph: Shared<Graph>,
    /// What the last step changed.
    pub changed: Shared<BTreeSet<ObjectRef>>,
    /// What a command that is pointed at is about.
    pub lit: Shared<BTreeSet<ObjectRef>>,
    /// Grows with every step.
    pub version: u64,
    /// The selected pod, if it is one of these.
    pub selected: Option<usize>,
    /// Called with the pod that is clicked.
    pub select: Callback<ObjectRef>,
}

fn look_of(graph: &Graph, pod: usize) -> PodLook {
    match graph.node(pod).map(|n| &n.card) {
        Some(Card::Pod(p)) => p.look,
        _ => PodLook::Unknown,
    }
}

/// The tiles that are seen: from column and row to column and row (without these), and whether they
/// are drawn coarsely.
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
        let pod = f.cells.get(slot).copied().flatten()?;
        Some(look_of(&props.graph, pod))
    };
    let (mut all, mut ready) = (0, 0);
    for slot in 0..f.cells.len() {
        let look = look(slot);
        all += usize::from(look.is_some());
        ready += usize::from(look == Some(PodLook::Ready));
    }
    let heading = t.with("fold", &[("n", (all as f64).into()), ("ready", (ready as f64).into())]);
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
    // Only a move that brings other tiles into view is a reason to draw anew.
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
        let looks: Vec<Option<PodLook>> = (0..TILE * columns)
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
    // Few change at a time: each is looked for, and not every pod looked up.
    let slots = |of: &BTreeSet<ObjectRef>| -> Vec<usize> {
        let places = of.iter().filter_map(|r| props.graph.find(r)).take(200);
        places.filter_map(|i| f.cells.iter().position(|c| *c == Some(i))).collect()
    };
    let changed = slots(&props.changed).into_iter().map(|slot| ring(slot, "ring"));
    let lit = slots(&props.lit).into_iter().map(|slot| ring(slot, "picked"));
    let selected = props.selected.and_then(|s| f.cells.iter().position(|c| *c == Some(s)));
    html! {
        <g class="fold" role="button" tabindex="0" aria-label={heading.clone()} {onclick}
            transform={format!("translate({} {})", f.rect.x, f.rect.y)}>
            <rect class="box" width={f.rect.w.to_string()} height={f.rect.h.to_string()} rx="9" />
            <text class="under" x={FOLD_PAD.to_string()} y="19">{ heading }</text>
            <g transform={format!("translate({FOLD_PAD} {FOLD_HEAD})")}>{ for blocks }</g>
            { for changed }
            { for lit }
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
    looks: Vec<Option<PodLook>>,
    coarse: bool,
}

#[component]
fn Tile(props: &TileProps) -> Html {
    let columns = props.columns.max(1);
    let path = |want: PodLook| {
        let mut d = String::new();
        if props.coarse {
            runs(&props.looks, columns, want, &mut d);
            return d;
        }
        for (i, _) in props.looks.iter().enumerate().filter(|(_, look)| **look == Some(want)) {
            let (x, y) = ((i % columns) as f32 * CELL, (i / columns) as f32 * CELL);
            let _ = write!(d, "M{x} {y}{}", shape(want));
        }
        d
    };
    let paths = PodLook::ALL.into_iter().filter_map(|l| {
        let d = path(l);
        let class = if props.coarse { coarse_class(l) } else { cell_class(l) };
        (!d.is_empty()).then(|| html! { <path class={classes!("cell", tone(l), class)} {d} /> })
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
fn runs(looks: &[Option<PodLook>], columns: usize, want: PodLook, d: &mut String) {
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
