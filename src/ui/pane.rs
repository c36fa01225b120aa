//! The parts of the page of which a small screen shows one at a time.

use gloo::utils::window;

/// The panes of a narrow page, of which one is seen at a time.
#[derive(Clone, Copy, PartialEq)]
pub enum Pane {
    /// The object graph.
    Graph,
    /// Editor and terminal.
    Manifest,
    /// The inspector.
    Object,
    /// Next commands and timeline.
    Timeline,
}

impl Pane {
    /// All panes, each with the key of its name in the catalogue, and its name in styles.
    pub const ALL: [(Pane, &'static str, &'static str); 4] = [
        (Pane::Graph, "pane-graph", "graph"),
        (Pane::Manifest, "pane-manifest", "manifest"),
        (Pane::Object, "pane-object", "object"),
        (Pane::Timeline, "pane-timeline", "timeline"),
    ];

    /// The name of the pane in styles.
    pub fn name(self) -> &'static str {
        Pane::ALL.iter().find(|(p, ..)| *p == self).map_or("graph", |(_, _, name)| name)
    }
}

/// Whether the page shows one pane at a time, as `static/app.css` has it.
pub fn is_narrow() -> bool {
    window().match_media("(max-width: 900px)").ok().flatten().is_some_and(|m| m.matches())
}
