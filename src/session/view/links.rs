//! What an object hangs together with, and what was said of it.

use crate::api::order;
use crate::api::types::Event;
use crate::api::{Kind, Object, ObjectRef};
use crate::cluster::Cluster;

use super::graph::{EdgeKind, Graph};

/// What an object hangs together with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Its owners.
    pub owners: Vec<ObjectRef>,
    /// What it owns.
    pub dependents: Vec<ObjectRef>,
    /// What its selector matches.
    pub selects: Vec<ObjectRef>,
    /// Whose selector matches it.
    pub selected_by: Vec<ObjectRef>,
    /// The node it runs on.
    pub node: Vec<ObjectRef>,
    /// The pods that run on it.
    pub pods: Vec<ObjectRef>,
    /// What it names.
    pub names: Vec<ObjectRef>,
    /// What names it.
    pub named_by: Vec<ObjectRef>,
}

/// Reads the lines of the graph from one object's place.
pub fn links(graph: &Graph, of: &ObjectRef) -> Links {
    let mut out = Links::default();
    let Some(me) = graph.find(of) else { return out };
    for e in graph.edges.iter() {
        let other = match (e.from == me, e.to == me) {
            (true, false) => e.to,
            (false, true) => e.from,
            _ => continue,
        };
        let Some(other) = graph.node(other).map(|n| n.reference.clone()) else { continue };
        let outwards = e.from == me;
        let list = match (e.kind, outwards) {
            (EdgeKind::Owner, true) => &mut out.dependents,
            (EdgeKind::Owner, false) => &mut out.owners,
            (EdgeKind::Selector, true) => &mut out.selects,
            (EdgeKind::Selector, false) => &mut out.selected_by,
            (EdgeKind::Binding, true) => &mut out.node,
            (EdgeKind::Binding, false) => &mut out.pods,
            (EdgeKind::Reference, true) => &mut out.names,
            (EdgeKind::Reference, false) => &mut out.named_by,
        };
        list.push(other);
    }
    out
}

/// With more events than this, only those are looked at that are named after their object, as every
/// component names them.
const EVENTS: usize = 2_000;

/// The events about an object, oldest first.
pub fn events_of(cluster: &Cluster, of: &ObjectRef) -> Vec<Object> {
    let namespace = if of.kind.namespaced() { &*of.key.namespace } else { "default" };
    let api = cluster.api();
    let mut events: Vec<(u64, Object)> = Vec::new();
    let mut look = |event: &Object| {
        let about = event.get::<Event>().is_some_and(|e| {
            e.involved_object.name.as_deref() == Some(&*of.key.name)
                && e.involved_object.kind.as_deref() == Some(of.kind.as_str())
        });
        if about {
            let version = event.meta().resource_version.as_deref().and_then(|v| v.parse().ok());
            events.push((version.unwrap_or(0), event.clone()));
        }
    };
    if api.cached_list(Kind::EVENT, Some(namespace)).nth(EVENTS).is_some() {
        let prefix = format!("{}.", of.key.name);
        api.cached_named(Kind::EVENT, namespace, &prefix).for_each(|(_, o)| look(o));
    } else {
        api.cached_list(Kind::EVENT, Some(namespace)).for_each(|(_, o)| look(o));
    }
    order::sort_by_key(&mut events, |(revision, _)| *revision);
    events.into_iter().map(|(_, o)| o).collect()
}
