//! A run as a picture that moves: an SVG file whose pictures follow each other by its own styles, for ever. It needs no
//! script, so that it moves in an `<img>`, in a README for instance; its words stay text; and no encoder has to be loaded,
//! as a GIF would need. For a reader who wants no motion it stands still on its last picture.

use std::fmt::Write;

use steady::engine::Frame;

use super::svg::{FOOT, Picture, drawing, head, sentence, size};
use crate::ui::i18n::{Texts, sentence as in_words};
use crate::ui::layout::{Flow, Layout, Slots, layout};

/// How many seconds a picture stands.
const STANDS: f32 = 1.6;
/// How many seconds the last one stands.
const LAST: f32 = 4.0;

/// The pictures of a run, in a language.
pub fn animated(frames: &[Frame], title: &str, texts: &Texts, dark: bool) -> String {
    // What stands somewhere stays there from picture to picture, as on the page.
    let mut slots = Slots::default();
    let placed: Vec<Layout> =
        frames.iter().map(|f| layout(&f.graph, Flow::Right, &mut slots, None)).collect();
    let (mut w, mut h) = (0f32, 0f32);
    for layout in &placed {
        let (width, height) = size(layout);
        (w, h) = (w.max(width), h.max(height));
    }
    let mut out = head(w.max(320.0), h + FOOT, dark, title);
    let last = frames.len().saturating_sub(1);
    let whole = STANDS * last as f32 + LAST;
    // Writing to a String does not fail.
    out.push_str("<style>.f{visibility:hidden}");
    let _ = write!(
        out,
        ".f{last}{{visibility:visible}}@media (prefers-reduced-motion:no-preference){{.f{last}{{visibility:hidden}}"
    );
    for nth in 0..frames.len() {
        let begins = STANDS * nth as f32 / whole * 100.0;
        let ends = if nth == last { 100.0 } else { STANDS * (nth + 1) as f32 / whole * 100.0 };
        let before =
            if nth == 0 { String::new() } else { format!("0%,{:.3}%{{visibility:hidden}}", begins - 0.001) };
        let after = if nth == last { String::new() } else { format!("{ends:.3}%,100%{{visibility:hidden}}") };
        let until = if nth == last { ends } else { ends - 0.001 };
        let _ = write!(
            out,
            "@keyframes k{nth}{{{before}{begins:.3}%,{until:.3}%{{visibility:visible}}{after}}}.f{nth}{{animation:k{nth} {whole:.1}s step-end infinite}}"
        );
    }
    out.push_str("}</style>\n");
    for (nth, (frame, layout)) in frames.iter().zip(&placed).enumerate() {
        let who =
            frame.by.as_deref().filter(|by| *by != "you").map(|by| format!("{by}: ")).unwrap_or_default();
        let what = in_words(texts, &frame.happened);
        // The sentence of a command begins with its component.
        let says = format!(
            "{} · {}{}",
            frame.number,
            if what.starts_with(&who) { "" } else { &who },
            what.replace('\n', " ")
        );
        let picture = Picture { graph: &frame.graph, changed: &frame.changed, says: &says, texts, dark };
        let _ = writeln!(out, "<g class=\"f f{nth}\">");
        drawing(&mut out, &picture, layout);
        out.push_str(&sentence(&picture, w.max(320.0), h));
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}
