//! The lines of the graph, found from the objects.

use super::{Card, Edge, EdgeKind, Graph, GraphNode};
use crate::api::labels::Selector;
use crate::api::types::{Deployment, Pod, PodSpec, ReplicaSet, Service};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::session::view::pods::PodView;

/// A selector, whose it is, the kind that it selects, and whether only those without an owner
/// matter.
pub(super) struct Selecting {
    from: usize,
    selector: Selector,
    wanted: Kind,
    only_orphans: bool,
}

impl Graph {
    /// All lines, in order.
    pub(super) fn find_edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        let selecting = self.selecting();
        for i in 0..self.nodes.len() {
            self.edges_of(i, &selecting, &mut edges);
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// What has a selector. Pods have none, and most objects are pods.
    pub(super) fn selecting(&self) -> Vec<Selecting> {
        let others = self.nodes.iter().enumerate().filter(|(_, n)| n.reference.kind != Kind::POD);
        others
            .filter_map(|(from, n)| {
                let (selector, wanted, only_orphans) = selector_of(&n.object)?;
                Some(Selecting { from, selector, wanted, only_orphans })
            })
            .collect()
    }

    /// The kind that an owner reference names: a built-in one, or that of a custom object in the graph.
    fn owner_kind(&self, api_version: &str, kind: &str) -> Option<Kind> {
        let group = || api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let custom = || {
            let kinds = self.nodes.iter().rev().map(|n| n.reference.kind).take_while(|k| k.is_custom());
            kinds.into_iter().find(|k| k.as_str() == kind && k.group() == group())
        };
        Kind::of(api_version, kind).map(Kind::stored).or_else(custom)
    }

    /// The lines that one object makes: to its owners, to its node, to what it names, and from what
    /// selects it.
    pub(super) fn edges_of(&self, i: usize, selecting: &[Selecting], edges: &mut Vec<Edge>) {
        let Some(n) = self.nodes.get(i) else { return };
        let mut controller = None;
        for owner in n.object.meta().owners() {
            let Some(kind) = self.owner_kind(&owner.api_version, &owner.kind) else { continue };
            let namespace = if kind.namespaced() { n.object.namespace() } else { "" };
            let Some(o) = self.find(&ObjectRef { kind, key: Key::new(namespace, &owner.name) }) else {
                continue;
            };
            if self.nodes.get(o).is_some_and(|o| o.uid() == owner.uid) {
                edges.push(Edge { from: o, to: i, kind: EdgeKind::Owner });
                controller = controller.or((owner.controller == Some(true)).then_some(o));
            }
        }
        if let Card::Pod(PodView { node: Some(name), .. }) = &n.card
            && let Some(node) = self.find(&ObjectRef::new(Kind::NODE, "", name))
        {
            edges.push(Edge { from: i, to: node, kind: EdgeKind::Binding });
        }
        if let Some(spec) = n.object.get::<Pod>().and_then(|p| p.spec.as_ref()) {
            for (kind, name) in named_by(spec) {
                if let Some(o) = self.find(&ObjectRef::new(kind, n.object.namespace(), name)) {
                    // All pods of one owner name the same: one line says it.
                    edges.push(Edge { from: controller.unwrap_or(i), to: o, kind: EdgeKind::Reference });
                }
            }
        }
        let labels = n.object.meta().labels_or_empty();
        for s in selecting.iter().filter(|s| s.wanted == n.reference.kind) {
            if (s.only_orphans && controller.is_some()) || s.from == i {
                continue;
            }
            let near = self.nodes.get(s.from).is_some_and(|f| f.object.namespace() == n.object.namespace());
            if near && s.selector.matches(labels) {
                edges.push(Edge { from: s.from, to: i, kind: EdgeKind::Selector });
            }
        }
    }
}

/// Whether an object makes the same lines as an older version of it: the same owners and labels and
/// the same node. What pods name and what controllers select cannot be changed; a Service's
/// selector can.
pub(super) fn same_lines(old: &GraphNode, new: &GraphNode) -> bool {
    let node = |n: &GraphNode| match &n.card {
        Card::Pod(p) => p.node.clone(),
        _ => None,
    };
    let selects = |n: &GraphNode| {
        let service = n.object.get::<Service>()?;
        Some(service.spec.as_ref()?.selector.clone())
    };
    let (a, b) = (old.object.meta(), new.object.meta());
    old.id == new.id
        && a.owners() == b.owners()
        && a.labels == b.labels
        && node(old) == node(new)
        && selects(old) == selects(new)
}

/// Whether a pod names something else, a ConfigMap for instance.
pub(super) fn names_something(n: &GraphNode) -> bool {
    let spec = n.object.get::<Pod>().and_then(|p| p.spec.as_ref());
    spec.is_some_and(|s| !named_by(s).is_empty())
}

/// A selector, the kind it selects, and whether only those without an owner matter.
fn selector_of(object: &Object) -> Option<(Selector, Kind, bool)> {
    if let Some(s) = object.get::<Service>() {
        let labels = s.spec.as_ref()?.selector.as_ref().filter(|l| !l.is_empty())?;
        return Some((Selector::from_set(labels), Kind::POD, false));
    }
    let (selector, kind) = if let Some(d) = object.get::<Deployment>() {
        (&d.spec.as_ref()?.selector, Kind::REPLICA_SET)
    } else {
        (&object.get::<ReplicaSet>()?.spec.as_ref()?.selector, Kind::POD)
    };
    Some((Selector::from_label_selector(Some(selector)).ok()?, kind, true))
}

/// What a pod names: ConfigMaps, Secrets, claims.
fn named_by(spec: &PodSpec) -> Vec<(Kind, &str)> {
    let mut named: Vec<(Kind, &str)> = Vec::new();
    for v in spec.volumes.iter().flatten() {
        if let Some(c) = &v.config_map {
            named.push((Kind::CONFIG_MAP, &c.name));
        }
        if let Some(n) = v.secret.as_ref().and_then(|s| s.secret_name.as_deref()) {
            named.push((Kind::SECRET, n));
        }
        if let Some(p) = &v.persistent_volume_claim {
            named.push((Kind::PERSISTENT_VOLUME_CLAIM, &p.claim_name));
        }
    }
    for c in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
        for e in c.env_from.iter().flatten() {
            named.extend(e.config_map_ref.as_ref().map(|r| (Kind::CONFIG_MAP, r.name.as_str())));
            named.extend(e.secret_ref.as_ref().map(|r| (Kind::SECRET, r.name.as_str())));
        }
        for from in c.env.iter().flatten().filter_map(|e| e.value_from.as_ref()) {
            named.extend(from.config_map_key_ref.as_ref().map(|r| (Kind::CONFIG_MAP, r.name.as_str())));
            named.extend(from.secret_key_ref.as_ref().map(|r| (Kind::SECRET, r.name.as_str())));
        }
    }
    named
}
