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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::session::explore::{Explorer, Options, builtin, picture};
    use crate::session::{Session, Start, scenario};

    /// The attributes between brackets, read as Graphviz does: names, and values that are words or quoted.
    fn attributes(text: &str) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, after) = rest.split_once('=').unwrap();
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => {
                    let mut escaped = false;
                    let end = quoted.find(|c| {
                        let ends = c == '"' && !escaped;
                        escaped = c == '\\' && !escaped;
                        ends
                    });
                    let end = end.unwrap();
                    (quoted.get(..end).unwrap(), quoted.get(end + 1..).unwrap())
                }
                None => after.split_at(after.find(',').unwrap_or(after.len())),
            };
            out.insert(name.trim().to_owned(), value.to_owned());
            rest = after.strip_prefix(',').unwrap_or(after).trim();
        }
        out
    }

    #[test]
    fn every_state_and_step_is_a_statement_of_the_graph() {
        let mut session = Session::new(Start { nodes: 2, ..Start::default() });
        session.apply(&scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 2"));
        let mut explorer = Explorer::new(session.cluster(), Options::default(), builtin());
        while explorer.explore(100) {}
        for limit in [usize::MAX, 5] {
            let picture = picture::picture(explorer.states(), &explorer.report(), None, limit);
            let text = dot(&picture);
            let body = text.strip_prefix("digraph orders {\n").unwrap().strip_suffix("}\n").unwrap();
            let (mut states, mut steps, mut comments) = (BTreeMap::new(), Vec::new(), 0);
            for line in body.lines().map(str::trim).skip(2) {
                if line.starts_with("//") {
                    comments += 1;
                    continue;
                }
                let (what, rest) = line.split_once(" [").unwrap();
                let says = attributes(rest.strip_suffix("];").unwrap());
                match what.split_once(" -> ") {
                    Some((from, to)) => steps.push((from.to_owned(), to.to_owned(), says)),
                    None => assert!(states.insert(what.to_owned(), says).is_none(), "{line}"),
                }
            }
            assert_eq!((states.len(), steps.len()), (picture.nodes.len(), picture.lines.len()));
            assert_eq!(comments, usize::from(picture.hidden > 0));
            for (from, to, says) in &steps {
                assert!(states.contains_key(from) && states.contains_key(to), "{from} {to}");
                assert!(!says["label"].is_empty() && says["tooltip"].starts_with(&says["label"]), "{says:?}");
            }
            if limit == usize::MAX {
                let ends = states.values().filter(|s| s.get("shape").is_some_and(|s| s == "doublecircle"));
                assert_eq!(ends.count(), 1, "all orders end in one state");
                let left: BTreeSet<&String> = steps.iter().map(|(from, ..)| from).collect();
                assert_eq!(left.len() + 1, states.len(), "of every other state a step leads on");
            }
        }
    }
}
