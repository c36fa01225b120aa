//! The graph as an SVG image: real text, and nothing that has to be fetched.

use std::collections::BTreeSet;
use std::fmt::Write;

use steady::engine::{Card, EdgeKind, Graph, GraphNode, ObjectRef, Place, PodLook, PodView};

use super::escaped;
use super::palette::Palette;
use crate::ui::i18n::{Texts, middle};
use crate::ui::layout::{CELL, Flow, Fold, Layout, Rect, Slots, layout};

/// Room around the graph.
const EDGE: f32 = 24.0;
/// Room above it for its columns' titles.
const HEAD: f32 = 34.0;
const FONT: &str = "Inter, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";
const MONO: &str = "'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/// What a picture shows.
pub struct Picture<'a> {
    /// The objects.
    pub graph: &'a Graph,
    /// Those that the last step wrote.
    pub changed: &'a BTreeSet<ObjectRef>,
    /// The sentence below.
    pub says: &'a str,
    /// The language.
    pub texts: &'a Texts,
    /// Whether the ground is dark.
    pub dark: bool,
}

/// The picture as the text of an SVG file.
pub fn svg(picture: &Picture<'_>) -> String {
    let placed = layout(picture.graph, Flow::Right, &mut Slots::default(), None);
    let (w, h) = size(&placed);
    let foot = if picture.says.is_empty() { 0.0 } else { FOOT };
    let mut out = head(w, h + foot, picture.dark, picture.says);
    drawing(&mut out, picture, &placed);
    out.push_str(&sentence(picture, w, h));
    out.push_str("</svg>\n");
    out
}

/// The height of the sentence below a picture.
pub(super) const FOOT: f32 = 44.0;

/// How large a layout is with the room around it.
pub(super) fn size(placed: &Layout) -> (f32, f32) {
    (placed.bounds.right().max(280.0) + 2.0 * EDGE, placed.bounds.bottom().max(80.0) + EDGE + HEAD)
}

/// The beginning of a file, with the ground.
pub(super) fn head(w: f32, h: f32, dark: bool, title: &str) -> String {
    let p = Palette { dark };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" role=\"img\" \
         font-family=\"{FONT}\" font-size=\"11.5\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escaped(title),
        p.get("bg")
    )
}

/// The sentence below a picture of this size.
pub(super) fn sentence(picture: &Picture<'_>, w: f32, h: f32) -> String {
    if picture.says.is_empty() {
        return String::new();
    }
    let p = Palette { dark: picture.dark };
    // About as many characters as fit; Han characters are twice as wide.
    let wide = picture.says.chars().filter(|c| *c > '\u{2e80}').count();
    let fits = ((w - 2.0 * EDGE) / 6.3) as usize;
    let all = picture.says.chars().count();
    let says: String = if all + wide > fits {
        let keep = (fits * all).checked_div(all + wide).unwrap_or(0).saturating_sub(1);
        picture.says.chars().take(keep).chain(['…']).collect()
    } else {
        picture.says.to_owned()
    };
    format!(
        "<rect y=\"{h:.0}\" width=\"100%\" height=\"{FOOT}\" fill=\"{}\"/><text x=\"{EDGE}\" y=\"{:.0}\" font-size=\"12.5\" fill=\"{}\">{}</text>\n",
        p.get("panel"),
        h + 27.0,
        p.get("ink-2"),
        escaped(&says)
    )
}

/// The graph itself.
pub(super) fn drawing(out: &mut String, picture: &Picture<'_>, placed: &Layout) {
    let pen = Pen { picture, p: Palette { dark: picture.dark } };
    // Writing to a String does not fail.
    let _ = writeln!(out, "<g transform=\"translate({EDGE} {HEAD})\">");
    for (title, x) in &placed.titles {
        let _ = writeln!(
            out,
            "<text x=\"{x:.0}\" y=\"-12\" font-size=\"11\" fill=\"{}\">{}</text>",
            pen.p.get("ink-3"),
            escaped(&middle(title, 60))
        );
    }
    for wire in placed.wires.iter().filter(|w| !w.path.is_empty() && w.kind != EdgeKind::Binding) {
        let (colour, dash) = match wire.kind {
            EdgeKind::Selector => ("w-a", " stroke-dasharray=\"5 4\""),
            EdgeKind::Reference => ("w-b", " stroke-dasharray=\"9 3 2 3\""),
            _ => ("line-2", ""),
        };
        let faint = if wire.behind { " stroke-opacity=\".4\"" } else { "" };
        let _ = writeln!(
            out,
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"{dash}{faint}/>",
            wire.path,
            pen.p.get(colour)
        );
    }
    for item in &placed.items {
        if let Some(node) = picture.graph.node(item.node) {
            pen.card(out, node, item.rect);
        }
    }
    for fold in &placed.folds {
        pen.fold(out, fold);
    }
    out.push_str("</g>\n");
}

struct Pen<'a> {
    picture: &'a Picture<'a>,
    p: Palette,
}

impl Pen<'_> {
    fn text(&self, x: f32, y: f32, style: &str, colour: &str, text: &str) -> String {
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{style} fill=\"{}\">{}</text>",
            self.p.get(colour),
            escaped(text)
        )
    }

    fn card(&self, out: &mut String, node: &GraphNode, r: Rect) {
        let changed = self.picture.changed.contains(&node.reference);
        let (fill, stroke) = match node.place {
            Place::Node => ("sunk", "line"),
            _ => ("panel", "line-2"),
        };
        let dash = if node.deleting { " stroke-dasharray=\"4 3\"" } else { "" };
        let (stroke, width) = if changed { ("accent", 2.0) } else { (stroke, 1.0) };
        let _ = writeln!(
            out,
            "<g transform=\"translate({:.1} {:.1})\"><rect width=\"{:.0}\" height=\"{:.0}\" rx=\"9\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
            r.x,
            r.y,
            r.w,
            r.h,
            self.p.get(fill),
            self.p.get(stroke)
        );
        match &node.card {
            Card::Workload { want, ready, have, .. } => self.workload(out, node, r, (*want, *ready, *have)),
            Card::Pod(pod) => self.pod(out, node, r, pod),
            Card::Node { ready, .. } => {
                let word = if *ready { "Ready" } else { "NotReady" };
                self.lines(out, node, r, Some((word, *ready)));
            }
            Card::Resource(Some(standing)) => self.lines(out, node, r, Some((&standing.word, standing.good))),
            Card::Schedule { schedule, .. } => self.lines(out, node, r, Some((schedule, true))),
            Card::Resource(None) | Card::Other => self.lines(out, node, r, None),
        }
        out.push_str("</g>\n");
    }

    fn name(&self, node: &GraphNode, x: f32, y: f32, room: f32) -> String {
        let name = middle(&node.reference.key.name, (room / 7.5) as usize);
        self.text(
            x,
            y,
            &format!(" font-family=\"{MONO}\" font-size=\"12\" font-weight=\"600\""),
            "ink",
            &name,
        )
    }

    fn workload(&self, out: &mut String, node: &GraphNode, r: Rect, (want, ready, have): (i32, i32, i32)) {
        let edge = self.p.who(&node.keeper);
        let _ = write!(
            out,
            "<rect x=\"10\" y=\"12\" width=\"3\" height=\"{:.0}\" rx=\"1.5\" fill=\"{edge}\"/>",
            r.h - 24.0
        );
        out.push_str(&self.text(22.0, 21.0, " font-size=\"11\"", "ink-3", node.reference.kind.as_str()));
        out.push_str(&self.name(node, 22.0, 40.0, r.w - 34.0));
        let count = format!("{ready} / {want}");
        let end = format!(" font-family=\"{MONO}\" font-size=\"12\" text-anchor=\"end\"");
        out.push_str(&self.text(r.w - 12.0, 64.5, &end, "ink-2", &count));
        let (all, room) = (want.max(have).clamp(0, 24), r.w - 34.0 - count.len() as f32 * 7.4 - 10.0);
        let width = ((room + 3.0) / all.max(1) as f32 - 3.0).clamp(2.0, 20.0);
        for i in 0..all {
            let colour = if i < ready {
                "ok"
            } else if i < have {
                "wait"
            } else {
                "line-2"
            };
            let x = 22.0 + i as f32 * (width + 3.0);
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"58.5\" width=\"{width:.1}\" height=\"5\" rx=\"2.5\" fill=\"{}\"/>",
                self.p.get(colour)
            );
        }
    }

    fn pod(&self, out: &mut String, node: &GraphNode, r: Rect, pod: &PodView) {
        let _ = write!(out, "<g transform=\"translate(20 {:.1})\">{}</g>", r.h / 2.0, self.look(pod.look));
        out.push_str(&self.name(node, 36.0, 18.5, r.w - 44.0));
        let under = match (&pod.node, pod.word.as_str()) {
            (Some(node), "Running") => format!("{node} · {}/{}", pod.ready.0, pod.ready.1),
            (None, "Pending") => self.picture.texts.get("pod-no-node"),
            (_, word) => word.to_owned(),
        };
        out.push_str(&self.text(
            36.0,
            33.5,
            " font-size=\"11\"",
            "ink-3",
            &middle(&under, ((r.w - 44.0) / 6.1) as usize),
        ));
    }

    fn lines(&self, out: &mut String, node: &GraphNode, r: Rect, stands: Option<(&str, bool)>) {
        let kind = middle(node.reference.kind.as_str(), ((r.w - 24.0) / 6.0) as usize);
        out.push_str(&self.text(12.0, 18.0, " font-size=\"11\"", "ink-3", &kind));
        out.push_str(&self.name(node, 12.0, 34.5, r.w - 24.0));
        if let Some((word, good)) = stands.filter(|_| r.h > 48.0) {
            let _ = write!(
                out,
                "<circle cx=\"15.5\" cy=\"48.5\" r=\"3.5\" fill=\"{}\"/>",
                self.p.get(if good { "ok" } else { "wait" })
            );
            out.push_str(&self.text(
                24.0,
                52.0,
                " font-size=\"11\"",
                "ink-3",
                &middle(word, ((r.w - 36.0) / 6.0) as usize),
            ));
        }
    }

    /// The shapes of `ui/glyph.rs`, sixteen wide around the origin.
    fn look(&self, look: PodLook) -> String {
        let (tone, on) = (self.p.get(tone(look)), self.p.get("panel"));
        let line = format!("fill=\"none\" stroke=\"{tone}\" stroke-width=\"1.6\" stroke-linecap=\"round\"");
        let over = format!("fill=\"none\" stroke=\"{on}\" stroke-width=\"1.9\" stroke-linecap=\"round\"");
        match look {
            PodLook::Ready => {
                format!("<circle r=\"7.5\" fill=\"{tone}\"/><path d=\"M-3.2.2-.9 2.5 3.3-2.2\" {over}/>")
            }
            PodLook::Succeeded => {
                format!("<circle r=\"7\" {line}/><path d=\"M-3 .2-.8 2.4 3.1-2.1\" {line}/>")
            }
            PodLook::NotReady => {
                format!("<circle r=\"7\" {line}/><path d=\"M0-7A7 7 0 0 1 0 7Z\" fill=\"{tone}\"/>")
            }
            PodLook::Starting => {
                format!("<circle r=\"7\" {line}/><path d=\"M0 0V-7A7 7 0 0 1 7 0Z\" fill=\"{tone}\"/>")
            }
            PodLook::Unscheduled => {
                format!("<circle r=\"7\" {line}/><path d=\"M-3.2 0H3.2M0-3.2V3.2\" {line}/>")
            }
            PodLook::Terminating => format!("<circle r=\"6.8\" {line} stroke-dasharray=\"2.8 2.6\"/>"),
            PodLook::Trouble => format!(
                "<path d=\"M0-8 8 6.4H-8Z\" fill=\"{tone}\"/><path d=\"M0-2.6V2.2M0 4.2V4.7\" {over}/>"
            ),
            PodLook::Failed => format!(
                "<circle r=\"7.5\" fill=\"{tone}\"/><path d=\"M-2.8-2.8 2.8 2.8M2.8-2.8-2.8 2.8\" {over}/>"
            ),
            PodLook::Unknown => format!(
                "<circle r=\"7\" {line}/><path d=\"M-2.2-1.6A2.2 2.2 0 1 1 .9.4Q0 .8 0 2M0 4.2V4.6\" {line}/>"
            ),
        }
    }

    /// Many pods of one owner: a small square for each.
    fn fold(&self, out: &mut String, fold: &Fold) {
        let graph = self.picture.graph;
        let owner = fold.owner.and_then(|o| graph.node(o)).map(|n| n.reference.key.name.to_string());
        let pods = fold.cells.iter().flatten().count();
        let r = fold.rect;
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"9\" fill=\"{}\" stroke=\"{}\"/>{}",
            r.x,
            r.y,
            r.w,
            r.h,
            self.p.get("panel"),
            self.p.get("line-2"),
            self.text(
                r.x + 12.0,
                r.y + 19.0,
                " font-size=\"11\"",
                "ink-3",
                &format!("{} · {pods}", owner.unwrap_or_else(|| fold.kind.as_str().to_owned()))
            )
        );
        for (slot, cell) in fold.cells.iter().enumerate() {
            let Some(place) = *cell else { continue };
            let (x, y) = fold.corner(slot);
            let look = graph.node(place).and_then(|n| n.look());
            let colour = self.p.get(look.map_or("line-2", tone));
            let solid = look.is_none_or(|look| {
                matches!(look, PodLook::Ready | PodLook::Failed | PodLook::Trouble | PodLook::NotReady)
            });
            let ink = if solid {
                format!("fill=\"{colour}\"")
            } else {
                format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"")
            };
            let side = CELL - 3.0;
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side}\" height=\"{side}\" rx=\"3\" {ink}/>"
            );
        }
        out.push('\n');
    }
}

fn tone(look: PodLook) -> &'static str {
    match look {
        PodLook::Ready | PodLook::Succeeded => "ok",
        PodLook::NotReady | PodLook::Starting => "wait",
        PodLook::Trouble | PodLook::Failed | PodLook::Unknown => "bad",
        PodLook::Unscheduled => "accent",
        PodLook::Terminating => "gone",
    }
}
