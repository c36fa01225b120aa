//! What an object hangs together with.

use serde::{Deserialize, Serialize};

use super::Word;
use super::graph::{EdgeKind, Graph};
use crate::api::ObjectRef;

/// More objects than this of one relation are only counted.
const SHOWN: usize = 100;

/// The objects that stand in one relation to an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkGroup {
    /// `owners`, `dependents`, `selects`, `selected-by`, `node`, `pods`, `names`, `named-by`
    pub relation: Word,
    /// The first of them.
    pub objects: Vec<ObjectRef>,
    /// How many more there are.
    pub more: usize,
}

/// The relations, in the order in which they are shown, with the lines that they are read from: outwards, so
/// that the line begins at the object, or not.
const RELATIONS: [(&str, EdgeKind, bool); 8] = [
    ("owners", EdgeKind::Owner, false),
    ("dependents", EdgeKind::Owner, true),
    ("selects", EdgeKind::Selector, true),
    ("selected-by", EdgeKind::Selector, false),
    ("node", EdgeKind::Binding, true),
    ("pods", EdgeKind::Binding, false),
    ("names", EdgeKind::Reference, true),
    ("named-by", EdgeKind::Reference, false),
];

/// Reads the lines of the graph from one object's place; relations in which nothing stands are left out.
pub fn links(graph: &Graph, of: &ObjectRef) -> Vec<LinkGroup> {
    let Some(me) = graph.find(of) else { return Vec::new() };
    let mut groups: Vec<LinkGroup> = RELATIONS
        .iter()
        .map(|(name, ..)| LinkGroup { relation: Word::new_static(name), ..LinkGroup::default() })
        .collect();
    for e in graph.edges.iter() {
        let (other, outwards) = match (e.from == me, e.to == me) {
            (true, false) => (e.to, true),
            (false, true) => (e.from, false),
            _ => continue,
        };
        let relation = RELATIONS.iter().position(|(_, kind, out)| (*kind, *out) == (e.kind, outwards));
        let group = relation.and_then(|i| groups.get_mut(i));
        let (Some(group), Some(other)) = (group, graph.node(other)) else { continue };
        if group.objects.len() < SHOWN {
            group.objects.push(other.reference.clone());
        } else {
            group.more += 1;
        }
    }
    groups.retain(|g| !g.objects.is_empty());
    groups
}
