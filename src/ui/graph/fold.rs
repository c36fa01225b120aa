//! Many pods as a grid: one cell each, one path for all of a look, in blocks that are drawn anew
//! only where something changed.

use std::collections::BTreeSet;
use std::fmt::Write;

use steady::api::ObjectRef;
use steady::session::view::PodLook;
use steady::session::view::graph::{Card, Graph};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::ui::glyph::tone;
use crate::ui::hooks::use_texts;
use crate::ui::layout::{CELL, FOLD_HEAD, FOLD_PAD, Fold};
use crate::ui::store::Shared;

/// Slots in a block.
const BLOCK: usize = 256;

/// What a grid shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Its slots.
    pub fold: Fold,
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

/// The grid.
#[component]
pub fn FoldView(props: &Props) -> Html {
    let t = use_texts();
    let f = &props.fold;
    let looks: Vec<Option<PodLook>> =
        f.cells.iter().map(|c| c.map(|pod| look_of(&props.graph, pod))).collect();
    let count = |l: PodLook| looks.iter().filter(|c| **c == Some(l)).count();
    let all = looks.iter().flatten().count();
    let ready = count(PodLook::Ready);
    let heading = t.with("fold", &[("n", (all as f64).into()), ("ready", (ready as f64).into())]);
    let onclick = {
        let (fold, graph, select) = (f.clone(), props.graph.clone(), props.select.clone());
        Callback::from(move |e: MouseEvent| {
            e.stop_propagation();
            let Some(group) = e.current_target().and_then(|g| g.dyn_into::<web_sys::Element>().ok()) else {
                return;
            };
            // The grid's own box tells the scale it is drawn at.
            let r = group.get_bounding_client_rect();
            let scale = fold.rect.w / (r.width() as f32).max(1.0);
            let x = fold.rect.x + (e.client_x() as f32 - r.left() as f32) * scale;
            let y = fold.rect.y + (e.client_y() as f32 - r.top() as f32) * scale;
            let pod = fold.slot_at(x, y).and_then(|s| fold.cells.get(s).copied().flatten());
            if let Some(n) = pod.and_then(|p| graph.node(p)) {
                select.emit(n.reference.clone());
            }
        })
    };
    let blocks = looks.chunks(BLOCK).enumerate().map(|(i, looks)| {
        html! { <Block key={i} first={i * BLOCK} columns={f.columns} looks={looks.to_vec()} /> }
    });
    let ring = |slot: usize, class: &'static str| {
        let (x, y) = ((slot % f.columns.max(1)) as f32 * CELL, (slot / f.columns.max(1)) as f32 * CELL);
        html! {
            <rect key={format!("{class} {slot} {}", props.version)} {class} x={(x + FOLD_PAD - 2.5).to_string()}
                y={(y + FOLD_HEAD - 2.5).to_string()} width="18" height="18" rx="6" />
        }
    };
    let changed: Vec<Html> = f
        .cells
        .iter()
        .enumerate()
        .filter(|(_, c)| {
            c.and_then(|p| props.graph.node(p)).is_some_and(|n| props.changed.contains(&n.reference))
        })
        .take(200)
        .map(|(slot, _)| ring(slot, "ring"))
        .collect();
    let lit: Vec<Html> = f
        .cells
        .iter()
        .enumerate()
        .filter(|(_, c)| {
            !props.lit.is_empty()
                && c.and_then(|p| props.graph.node(p)).is_some_and(|n| props.lit.contains(&n.reference))
        })
        .map(|(slot, _)| ring(slot, "picked"))
        .collect();
    let selected = props.selected.and_then(|s| f.cells.iter().position(|c| *c == Some(s)));
    html! {
        <g class="fold" role="button" tabindex="0" aria-label={heading.clone()} {onclick}
            transform={format!("translate({} {})", f.rect.x, f.rect.y)}>
            <rect class="box" width={f.rect.w.to_string()} height={f.rect.h.to_string()} rx="9" />
            <text class="under" x={FOLD_PAD.to_string()} y="19">{ heading }</text>
            <g transform={format!("translate({FOLD_PAD} {FOLD_HEAD})")}>{ for blocks }</g>
            { for changed }
            { for lit }
            { for selected.map(|s| ring(s, "picked")) }
            <rect class="focus" x="-4" y="-4" rx="12" width={(f.rect.w + 8.0).to_string()} height={(f.rect.h + 8.0).to_string()} />
        </g>
    }
}

#[derive(Properties, PartialEq)]
struct BlockProps {
    first: usize,
    columns: usize,
    looks: Vec<Option<PodLook>>,
}

#[component]
fn Block(props: &BlockProps) -> Html {
    let path = |want: PodLook| {
        let mut d = String::new();
        for (i, look) in props.looks.iter().enumerate() {
            if *look == Some(want) {
                let slot = props.first + i;
                let (x, y) = (
                    (slot % props.columns.max(1)) as f32 * CELL,
                    (slot / props.columns.max(1)) as f32 * CELL,
                );
                let _ = write!(d, "M{x} {y}{}", shape(want));
            }
        }
        d
    };
    let paths = PodLook::ALL.into_iter().filter_map(|l| {
        let d = path(l);
        (!d.is_empty()).then(|| html! { <path class={classes!("cell", tone(l), cell_class(l))} {d} /> })
    });
    html! { <>{ for paths }</> }
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
