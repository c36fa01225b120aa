//! The graph as a Mermaid flowchart (<https://mermaid.js.org/syntax/flowchart.html>), which many wikis draw.

use std::fmt::Write;

use crate::session::view::Card;
use crate::session::view::graph::{EdgeKind, Graph};

/// Mermaid draws no more lines than this unless it is told to (`maxEdges`).
const LINES_LIMIT: usize = 500;

/// The graph, with one line of text for each object and each relation.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    for (i, node) in graph.nodes.iter().enumerate() {
        let says = match &node.card {
            Card::Workload { want, ready, .. } => format!("<br/>{ready} / {want}"),
            Card::Pod(pod) => format!("<br/>{}", escaped(&pod.word)),
            _ => String::new(),
        };
        let (kind, name) = (node.reference.kind.as_str(), escaped(&node.reference.key.name));
        // Writing to a String does not fail.
        let _ = writeln!(out, "  n{i}[\"{kind}<br/><b>{name}</b>{says}\"]");
    }
    for edge in graph.edges.iter().take(LINES_LIMIT) {
        let arrow = match edge.kind {
            EdgeKind::Owner => "-->",
            EdgeKind::Selector => "-. selects .->",
            EdgeKind::Binding => "-. runs on .-",
            EdgeKind::Reference => "-- names -->",
        };
        let _ = writeln!(out, "  n{} {arrow} n{}", edge.from, edge.to);
    }
    let more = graph.edges.len().saturating_sub(LINES_LIMIT);
    if more > 0 {
        let _ = writeln!(out, "  %% {more} more lines");
    }
    out
}

/// A text between quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "#amp;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;")
}
