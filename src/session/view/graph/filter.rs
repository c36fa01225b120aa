//! Which objects of the graph are shown: a person's filter, and the graph that is left of it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{Drawing, Edge, EdgeKind, Graph, GraphNode};
use crate::api::labels::Selector;
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::session::view::card::Health;

/// Which objects of the graph a person wants to see. The default one lets every object through. An object has to meet all
/// four conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphFilter {
    /// Words with blanks between them, which all have to be met. A word with `=` is a label selector as kubectl's `-l` takes
    /// it (`app=web`, `tier!=cache`). Any other word is a part of the object's name or of its kind's, or a short name of the
    /// kind (`cm`).
    pub text: String,
    /// One of these kinds; empty for any.
    pub kinds: BTreeSet<Kind>,
    /// One of these namespaces; empty for any. An object without a namespace is in the namespace `""`.
    pub namespaces: BTreeSet<String>,
    /// One of these states; empty for any.
    pub health: BTreeSet<Health>,
}

impl GraphFilter {
    /// Whether every object is let through.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
            && self.kinds.is_empty()
            && self.namespaces.is_empty()
            && self.health.is_empty()
    }

    /// The conditions in the text. A word that is not a valid selector lets nothing through.
    fn words(&self) -> Vec<Condition> {
        let word = |word: &str| {
            if word.contains('=') {
                Condition::Label(Selector::parse(word).unwrap_or_else(|_| Selector::nothing()))
            } else {
                Condition::Word(word.to_lowercase())
            }
        };
        self.text.split_whitespace().map(word).collect()
    }

    fn lets_through(&self, words: &[Condition], node: &GraphNode, object: &Object) -> bool {
        let ObjectRef { kind, key } = &node.reference;
        let met = |condition: &Condition| match condition {
            Condition::Label(selector) => selector.matches(object.meta().labels_or_empty()),
            Condition::Word(word) => {
                key.name.contains(word.as_str())
                    || kind.singular().contains(word.as_str())
                    || kind.plural() == word
                    || kind.short_names().contains(&word.as_str())
            }
        };
        (self.kinds.is_empty() || self.kinds.contains(kind))
            && (self.namespaces.is_empty() || self.namespaces.contains(&*key.namespace))
            && (self.health.is_empty() || node.health().is_some_and(|h| self.health.contains(&h)))
            && words.iter().all(met)
    }
}

/// One word of a filter's text.
#[derive(Debug)]
enum Condition {
    Label(Selector),
    Word(String),
}

/// What a graph can be filtered by: each value with the number of objects that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// The kinds, in their order in the graph.
    pub kinds: Vec<(Kind, usize)>,
    /// The namespaces, sorted; `""` for objects without one.
    pub namespaces: Vec<(String, usize)>,
    /// The states.
    pub health: Vec<(Health, usize)>,
}

impl Graph {
    /// What the graph can be filtered by.
    pub fn facets(&self) -> Facets {
        let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
        let mut namespaces: BTreeMap<&str, usize> = BTreeMap::new();
        let mut health: BTreeMap<Health, usize> = BTreeMap::new();
        for node in &self.nodes {
            *kinds.entry(node.reference.kind).or_default() += 1;
            *namespaces.entry(&node.reference.key.namespace).or_default() += 1;
            if let Some(h) = node.health() {
                *health.entry(h).or_default() += 1;
            }
        }
        Facets {
            kinds: kinds.into_iter().collect(),
            namespaces: namespaces.into_iter().map(|(name, n)| (name.to_owned(), n)).collect(),
            health: health.into_iter().collect(),
        }
    }

    /// What an object owns, and what that owns, and so on.
    pub fn owned_by(&self, owner: &ObjectRef) -> BTreeSet<ObjectRef> {
        let mut out = BTreeSet::new();
        let mut left: Vec<usize> = self.find(owner).into_iter().collect();
        while let Some(from) = left.pop() {
            // The lines are sorted by where they begin.
            let begin = self.edges.partition_point(|e| e.from < from);
            let lines = self.edges.iter().skip(begin).take_while(|e| e.from == from);
            for edge in lines.filter(|e| e.kind == EdgeKind::Owner) {
                if let Some(node) = self.node(edge.to)
                    && out.insert(node.reference.clone())
                {
                    left.push(edge.to);
                }
            }
        }
        out
    }
}

/// Numbers of this size and more are the shapes of filtered graphs, so that these differ from those of whole graphs.
const SHAPES: u64 = 1 << 52;

/// The part of a [`Drawing`] that a filter lets through. It follows the drawing: only objects that changed are looked at
/// again.
#[derive(Debug, Default)]
pub struct Filtered {
    filter: Rc<GraphFilter>,
    words: Vec<Condition>,
    /// The whole graph of which `kept` and `shown` were made; `None` before the first one and after a change of the filter.
    whole: Option<Rc<Graph>>,
    /// For each node of `whole` whether it is let through.
    kept: Vec<bool>,
    shown: Rc<Graph>,
    /// How many shapes there have been.
    shapes: u64,
}

impl Filtered {
    /// The filter.
    pub fn filter(&self) -> &Rc<GraphFilter> {
        &self.filter
    }

    /// Sets the filter.
    pub fn set(&mut self, filter: GraphFilter) {
        self.words = filter.words();
        self.filter = Rc::new(filter);
        self.whole = None;
    }

    /// What is let through of a drawing. Without a filter that is the drawing's own graph.
    pub fn follow(&mut self, drawing: &Drawing) -> Rc<Graph> {
        let graph = drawing.graph();
        if self.filter.is_empty() {
            self.whole = None;
            return graph.clone();
        }
        if self.whole.as_ref().is_some_and(|whole| Rc::ptr_eq(whole, graph)) {
            return self.shown.clone();
        }
        let kept = self.verdicts(drawing);
        let same_shape =
            self.whole.as_ref().is_some_and(|whole| whole.shape == graph.shape) && kept == self.kept;
        let mut places: Vec<Option<usize>> = Vec::with_capacity(kept.len());
        let mut nodes: Vec<Rc<GraphNode>> = Vec::new();
        for (node, keep) in graph.nodes.iter().zip(&kept) {
            places.push(keep.then_some(nodes.len()));
            if *keep {
                nodes.push(node.clone());
            }
        }
        let edges = if same_shape {
            self.shown.edges.clone()
        } else {
            self.shapes += 1;
            let place = |i: usize| places.get(i).copied().flatten();
            let kept = |e: &Edge| Some(Edge { from: place(e.from)?, to: place(e.to)?, kind: e.kind });
            Rc::new(graph.edges.iter().filter_map(kept).collect())
        };
        let cut_off = graph.cut_off.clone();
        self.shown = Rc::new(Graph { nodes, edges, shape: SHAPES + self.shapes, cut_off });
        self.kept = kept;
        self.whole = Some(graph.clone());
        self.shown.clone()
    }

    /// For each node whether it is let through. A node that is the same as in the graph before is not looked at again.
    fn verdicts(&self, drawing: &Drawing) -> Vec<bool> {
        let old = self.whole.iter().flat_map(|whole| whole.nodes.iter().zip(&self.kept));
        let mut old = old.peekable();
        let nodes = drawing.graph().nodes.iter().enumerate();
        nodes
            .map(|(i, node)| {
                while old.next_if(|(o, _)| o.reference < node.reference).is_some() {}
                match old.next_if(|(o, _)| o.reference == node.reference) {
                    Some((same, kept)) if Rc::ptr_eq(same, node) => *kept,
                    _ => drawing.object(i).is_some_and(|o| self.filter.lets_through(&self.words, node, o)),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, Session, scenario};

    const MORE: &str = "---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web, tier: front}}
---
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elsewhere, namespace: other}
";

    /// The first scenario at its end, with a few more objects.
    fn session() -> Session {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        let text = scenario::find("01-first-deployment").unwrap().manifest;
        session.apply(&format!("{text}{MORE}"));
        while session.step(Depth::Command, None) {}
        session
    }

    fn drawing(session: &Session) -> Drawing {
        let mut drawing = Drawing::default();
        drawing.draw(session.cluster(), &session.cluster_at(0).unwrap());
        drawing
    }

    fn names(graph: &Graph) -> Vec<String> {
        graph
            .nodes
            .iter()
            .map(|n| format!("{}/{}", n.reference.kind.singular(), n.reference.key.name))
            .collect()
    }

    fn shown(session: &Session, filter: GraphFilter) -> Vec<String> {
        let mut filtered = Filtered::default();
        filtered.set(filter);
        names(&filtered.follow(&drawing(session)))
    }

    fn text(text: &str) -> GraphFilter {
        GraphFilter { text: text.to_owned(), ..GraphFilter::default() }
    }

    #[test]
    fn words_are_names_kinds_and_labels() {
        let session = session();
        let of = |words: &str| shown(&session, text(words));
        assert_eq!(of("settings"), ["configmap/settings"]);
        // Two words have to be met both, whatever their case.
        assert_eq!(of("ConfigMap ELSE"), ["configmap/elsewhere"]);
        // Two that were applied, and the one that each new namespace gets.
        assert_eq!(of("cm").len(), 3);
        assert_eq!(of("tier=front"), ["configmap/settings"]);
        // As `-l` takes it: without the label it is not `front` either.
        assert_eq!(of("tier!=front web").len(), of("web").len());
        assert_eq!(of("app=web configmap"), ["configmap/settings"]);
        assert!(of("app=web").iter().any(|n| n.starts_with("pod/")));
        // What cannot be a label matches nothing, as long as it is being typed.
        assert_eq!(of("=web"), Vec::<String>::new());
    }

    #[test]
    fn kinds_namespaces_and_health_have_to_be_met_together() {
        let session = session();
        let filter = |kinds: &[Kind], namespaces: &[&str], health: &[Health]| GraphFilter {
            kinds: kinds.iter().copied().collect(),
            namespaces: namespaces.iter().map(|n| (*n).to_owned()).collect(),
            health: health.iter().copied().collect(),
            ..GraphFilter::default()
        };
        assert_eq!(
            shown(&session, filter(&[Kind::CONFIG_MAP], &["other"], &[])),
            ["configmap/elsewhere", "configmap/kube-root-ca.crt"]
        );
        assert_eq!(shown(&session, filter(&[Kind::NODE], &[""], &[])).len(), 3);
        assert_eq!(shown(&session, filter(&[Kind::POD], &[], &[Health::Well])).len(), 3);
        assert_eq!(shown(&session, filter(&[Kind::POD], &[], &[Health::Bad])).len(), 0);
        // A ConfigMap does not say how it stands.
        assert_eq!(shown(&session, filter(&[Kind::CONFIG_MAP], &[], &[Health::Well])).len(), 0);
    }

    #[test]
    fn facets_count_every_object_once() {
        let graph = drawing(&session()).graph().clone();
        let facets = graph.facets();
        assert_eq!(facets.kinds.iter().map(|(_, n)| n).sum::<usize>(), graph.nodes.len());
        assert_eq!(facets.namespaces.iter().map(|(_, n)| n).sum::<usize>(), graph.nodes.len());
        // Its two ConfigMaps and its ServiceAccount.
        assert_eq!(facets.namespaces.iter().find(|(name, _)| name == "other").unwrap().1, 3);
        assert!(facets.health.iter().all(|(health, _)| *health == Health::Well));
    }

    #[test]
    fn what_is_owned_is_owned_all_the_way_down() {
        let graph = drawing(&session()).graph().clone();
        let web = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
        let kinds: Vec<&str> = graph.owned_by(&web).iter().map(|o| o.kind.as_str()).collect();
        assert_eq!(kinds.iter().filter(|k| **k == "Pod").count(), 3);
        assert!(kinds.contains(&"ReplicaSet"));
        assert!(graph.owned_by(&ObjectRef::new(Kind::NODE, "", "node-1")).is_empty());
    }

    /// What follows the drawing step by step is what would be made anew, lines included.
    #[test]
    fn a_filter_that_follows_lets_through_what_a_new_one_would() {
        let mut session = scenario::find("04-rolling-update").unwrap().open();
        let boot = session.cluster_at(0).unwrap();
        let mut drawing = drawing(&session);
        let mut filtered = Filtered::default();
        assert!(Rc::ptr_eq(&filtered.follow(&drawing), drawing.graph()));
        filtered.set(text("pod"));
        let mut shapes = BTreeSet::new();
        session.kubectl("set image deployment --all *=nginx:1.28", &[]);
        for _ in 0..80 {
            session.step(Depth::Command, None);
            drawing.draw(session.cluster(), &boot);
            let graph = filtered.follow(&drawing);
            let mut anew = Filtered::default();
            anew.set(text("pod"));
            let new = anew.follow(&drawing);
            assert_eq!((names(&graph), &graph.edges), (names(&new), &new.edges));
            assert!(graph.edges.iter().all(|e| graph.node(e.from).is_some() && graph.node(e.to).is_some()));
            assert!(graph.shape >= SHAPES);
            shapes.insert(graph.shape);
            // Nothing was drawn in between.
            assert!(Rc::ptr_eq(&graph, &filtered.follow(&drawing)));
        }
        assert!(shapes.len() > 1);
    }
}
