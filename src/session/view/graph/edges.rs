//! The lines of the graph, found from the objects.

use super::{Drawing, Edge, EdgeKind, Place};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::session::view::kinds::{self, Named, Selects};

/// What an object selects, and where it stands.
pub(super) struct Selecting {
    from: usize,
    what: Selects,
}

impl Drawing {
    /// All lines, in order.
    pub(super) fn find_edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        let selecting = self.selecting();
        for i in 0..self.objects.len() {
            self.edges_of(i, &selecting, &mut edges);
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// What has a selector. Pods have none, and most objects are pods.
    pub(super) fn selecting(&self) -> Vec<Selecting> {
        let nodes = self.graph.nodes.iter().zip(&self.objects).enumerate();
        let others = nodes.filter(|(_, (n, _))| n.place != Place::Pod);
        others
            .filter_map(|(from, (n, o))| {
                Some(Selecting { from, what: kinds::of(n.reference.kind).selects(o)? })
            })
            .collect()
    }

    /// The kind that an owner reference names: a built-in one, or that of a custom object in the graph.
    fn owner_kind(&self, api_version: &str, kind: &str) -> Option<Kind> {
        let group = || api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let custom = || {
            let kinds = self.graph.nodes.iter().rev().map(|n| n.reference.kind).take_while(|k| k.is_custom());
            kinds.into_iter().find(|k| k.as_str() == kind && k.group() == group())
        };
        Kind::of(api_version, kind).map(Kind::stored).or_else(custom)
    }

    /// The lines that one object makes: to its owners, to its node, to what it names, and from what
    /// selects it.
    pub(super) fn edges_of(&self, i: usize, selecting: &[Selecting], edges: &mut Vec<Edge>) {
        let Some(object) = self.objects.get(i) else { return };
        let view = kinds::of(object.kind());
        let mut controller = None;
        for owner in object.meta().owners() {
            let Some(kind) = self.owner_kind(&owner.api_version, &owner.kind) else { continue };
            let namespace = if kind.namespaced() { object.namespace() } else { "" };
            let owner_ref = ObjectRef { kind, key: Key::new(namespace, &owner.name) };
            let Some(o) = self.graph.find(&owner_ref) else { continue };
            if self.objects.get(o).is_some_and(|o| o.uid() == owner.uid) {
                edges.push(Edge { from: o, to: i, kind: EdgeKind::Owner });
                controller = controller.or((owner.controller == Some(true)).then_some(o));
            }
        }
        if let Some(name) = view.node(object)
            && let Some(node) = self.graph.find(&ObjectRef::new(Kind::NODE, "", name))
        {
            edges.push(Edge { from: i, to: node, kind: EdgeKind::Binding });
        }
        for Named { kind, namespace, name } in view.names(object) {
            let namespace = if kind.namespaced() { namespace.unwrap_or(object.namespace()) } else { "" };
            if let Some(o) = self.graph.find(&ObjectRef::new(kind, namespace, name)) {
                // All pods of one owner name the same: one line says it. Pods with a place of their own have claims
                // of their own.
                let own = kind == Kind::PERSISTENT_VOLUME_CLAIM && view.ordinal(object).is_some();
                let from = controller.filter(|_| !own).unwrap_or(i);
                edges.push(Edge { from, to: o, kind: EdgeKind::Reference });
            }
        }
        let labels = object.meta().labels_or_empty();
        for s in selecting.iter().filter(|s| s.what.kind == object.kind()) {
            if (s.what.only_orphans && controller.is_some()) || s.from == i {
                continue;
            }
            let near = self.objects.get(s.from).is_some_and(|f| f.namespace() == object.namespace());
            if near && s.what.selector.matches(labels) {
                edges.push(Edge { from: s.from, to: i, kind: EdgeKind::Selector });
            }
        }
    }
}

/// Whether an object makes the same lines as an older version of it: the same owners, labels, node, selector and names.
/// What a pod names in its spec cannot be changed.
pub(super) fn same_lines(old: &Object, new: &Object) -> bool {
    let view = kinds::of(new.kind());
    let (a, b) = (old.meta(), new.meta());
    a.owners() == b.owners()
        && a.labels == b.labels
        && view.node(old) == view.node(new)
        && view.selects(old) == view.selects(new)
        && (new.kind() == Kind::POD || view.names(old) == view.names(new))
}

/// Whether an object names others in its spec, a ConfigMap for instance.
pub(super) fn names_something(object: &Object) -> bool {
    !kinds::of(object.kind()).names(object).is_empty()
}
