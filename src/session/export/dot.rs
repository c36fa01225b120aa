//! The graph of states that the explorer found, in Graphviz' language (<https://graphviz.org/doc/info/lang.html>).

use std::fmt::Write;

use crate::api::quote::go_quote;
use crate::session::explore::picture::Picture;

/// The states and steps of a drawing. A state is steady (a double circle), or breaks an invariant (red), or neither.
pub fn dot(picture: &Picture) -> String {
    let mut out =
        String::from("digraph orders {\n  rankdir=LR;\n  node [shape=circle, label=\"\", width=0.18];\n");
    for node in &picture.nodes {
        let mut says =
            vec![format!("tooltip={}", go_quote(format!("state {} after {} steps", node.id, node.layer)))];
        match (node.outcome, node.broken) {
            (_, Some(_)) => says.push("color=red, style=filled".to_owned()),
            (Some(outcome), None) => says.push(format!("shape=doublecircle, label=\"{}\"", outcome + 1)),
            (None, None) if node.circle => says.push("color=orange, style=filled".to_owned()),
            (None, None) => {}
        }
        // Writing to a String does not fail.
        let _ = writeln!(out, "  s{} [{}];", node.id, says.join(", "));
    }
    let id = |place: usize| picture.nodes.get(place).map_or(0, |n| n.id);
    for line in &picture.lines {
        let by = line.by.as_deref().unwrap_or("time passes");
        let label = match line.writes.as_slice() {
            [] => by.to_owned(),
            writes => format!("{by}: {}", writes.join(", ")),
        };
        let _ = writeln!(
            out,
            "  s{} -> s{} [tooltip={}, label={}];",
            id(line.from),
            id(line.to),
            go_quote(&label),
            go_quote(by)
        );
    }
    if picture.hidden > 0 {
        let _ = writeln!(out, "  // {} more states", picture.hidden);
    }
    out.push_str("}\n");
    out
}
