//! Node selectors, parsed once (`k8s.io/component-helpers/scheduling/corev1/nodeaffinity`).

use std::collections::{BTreeMap, BTreeSet};

use super::MetaExt;
use super::order;
use super::types::{Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod};

type Labels = BTreeMap<String, String>;

/// One requirement on a label or on the name of a node.
#[derive(Clone, Debug, PartialEq)]
struct Requirement {
    key: String,
    op: Op,
}

#[derive(Clone, Debug, PartialEq)]
enum Op {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
    Gt(i64),
    Lt(i64),
    /// The requirement could not be parsed: its term matches no node.
    Invalid,
}

impl Requirement {
    fn parse(r: &NodeSelectorRequirement) -> Requirement {
        let values = || r.values.clone().unwrap_or_default();
        let number = |make: fn(i64) -> Op| match r.values.as_deref() {
            Some([v]) => v.parse().map_or(Op::Invalid, make),
            _ => Op::Invalid,
        };
        let op = match r.operator.as_str() {
            "In" => Op::In(values()),
            "NotIn" => Op::NotIn(values()),
            "Exists" => Op::Exists,
            "DoesNotExist" => Op::DoesNotExist,
            "Gt" => number(Op::Gt),
            "Lt" => number(Op::Lt),
            _ => Op::Invalid,
        };
        Requirement { key: r.key.clone(), op }
    }

    fn matches(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|v| v.parse::<i64>().ok());
        match &self.op {
            Op::In(values) => value.is_some_and(|v| values.iter().any(|x| x == v)),
            Op::NotIn(values) => !value.is_some_and(|v| values.iter().any(|x| x == v)),
            Op::Exists => value.is_some(),
            Op::DoesNotExist => value.is_none(),
            Op::Gt(n) => number().is_some_and(|v| v > *n),
            Op::Lt(n) => number().is_some_and(|v| v < *n),
            Op::Invalid => false,
        }
    }
}

/// A `NodeSelectorTerm`: all of its requirements must hold. A term without requirements matches no node.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    labels: Vec<Requirement>,
    fields: Vec<Requirement>,
}

impl Term {
    /// Parses a term.
    pub fn parse(term: &NodeSelectorTerm) -> Term {
        let read = |list: &Option<Vec<NodeSelectorRequirement>>| {
            list.iter().flatten().map(Requirement::parse).collect::<Vec<_>>()
        };
        Term { labels: read(&term.match_expressions), fields: read(&term.match_fields) }
    }

    /// Whether the term has no requirement.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether a node matches. `metadata.name` is the only field that a requirement can name.
    pub fn matches(&self, node: &Node) -> bool {
        let labels = node.metadata.labels_or_empty();
        let name = MetaExt::name(&node.metadata);
        !self.is_empty()
            && self.labels.iter().all(|r| r.matches(labels.get(&r.key).map(String::as_str)))
            && self.fields.iter().all(|r| r.matches((r.key == "metadata.name").then_some(name)))
    }

    /// The node names to which the term is confined; `None` if it is not confined by name.
    fn node_names(&self) -> Option<BTreeSet<&str>> {
        let mut names: Option<BTreeSet<&str>> = None;
        for r in self.fields.iter().filter(|r| r.key == "metadata.name") {
            if let Op::In(values) = &r.op {
                let these: BTreeSet<&str> = order::gather(values.iter().map(String::as_str));
                names = Some(match names {
                    None => these,
                    Some(n) => n.intersection(&these).copied().collect(),
                });
            }
        }
        names
    }
}

/// A `NodeSelector`: one of its terms must match (`nodeaffinity.NodeSelector`).
#[derive(Clone, Debug, PartialEq)]
pub struct Terms(Vec<Term>);

impl Terms {
    /// Parses a selector.
    pub fn parse(selector: &NodeSelector) -> Terms {
        Terms(selector.node_selector_terms.iter().map(Term::parse).collect())
    }

    /// Whether a node matches at least one of the terms.
    pub fn matches(&self, node: &Node) -> bool {
        self.0.iter().any(|t| t.matches(node))
    }
}

/// What a pod requires of its node: `nodeSelector` and required node affinity
/// (`nodeaffinity.RequiredNodeAffinity`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequiredNodeAffinity {
    labels: Labels,
    terms: Option<Terms>,
}

/// The nodes, by name, to which a pod's required affinity confines it.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeNames {
    /// The affinity does not confine the pod by name.
    All,
    /// Only nodes of these names.
    These(BTreeSet<String>),
    /// The requirements exclude each other, so no node matches.
    Conflict,
}

impl RequiredNodeAffinity {
    /// Parses a pod's `nodeSelector` and required node affinity.
    pub fn of(pod: &Pod) -> RequiredNodeAffinity {
        let Some(spec) = &pod.spec else { return RequiredNodeAffinity::default() };
        let required = spec
            .affinity
            .as_ref()
            .and_then(|a| a.node_affinity.as_ref())
            .and_then(|a| a.required_during_scheduling_ignored_during_execution.as_ref());
        RequiredNodeAffinity {
            labels: spec.node_selector.clone().unwrap_or_default(),
            terms: required.map(Terms::parse),
        }
    }

    /// Whether the pod requires nothing.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.terms.is_none()
    }

    /// Whether a node meets the requirements.
    pub fn matches(&self, node: &Node) -> bool {
        if !self.labels.is_empty() {
            let labels = node.metadata.labels_or_empty();
            if !self.labels.iter().all(|(k, v)| labels.get(k) == Some(v)) {
                return false;
            }
        }
        self.terms.as_ref().is_none_or(|t| t.matches(node))
    }

    /// The nodes to which the terms confine the pod by name.
    pub fn node_names(&self) -> NodeNames {
        let Some(Terms(terms)) = &self.terms else { return NodeNames::All };
        if terms.is_empty() {
            return NodeNames::All;
        }
        let mut all = BTreeSet::new();
        for term in terms {
            match term.node_names() {
                // Terms are alternatives, so a term that names no node allows nodes of any name.
                None => return NodeNames::All,
                Some(names) => all.extend(names.into_iter().map(str::to_owned)),
            }
        }
        if all.is_empty() { NodeNames::Conflict } else { NodeNames::These(all) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn node() -> Node {
        serde_json::from_value(json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n", "labels": {"zone": "a", "gen": "5"}}}))
        .unwrap()
    }

    #[test]
    fn terms_match_as_in_go() {
        let table = [
            (json!({"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}), true),
            (json!({"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}), false),
            (json!({"matchExpressions": [{"key": "x", "operator": "NotIn", "values": ["a"]}]}), true),
            (json!({"matchExpressions": [{"key": "x", "operator": "Exists"}]}), false),
            (json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}), true),
            (json!({"matchExpressions": [{"key": "gen", "operator": "Gt", "values": ["4"]}]}), true),
            (json!({"matchExpressions": [{"key": "gen", "operator": "Lt", "values": ["4"]}]}), false),
            (json!({"matchExpressions": [{"key": "zone", "operator": "Gt", "values": ["4"]}]}), false),
            (json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}), true),
            (json!({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}]}), false),
            (json!({}), false),
        ];
        for (term, want) in table {
            let t: NodeSelectorTerm = serde_json::from_value(term.clone()).unwrap();
            assert_eq!(Term::parse(&t).matches(&node()), want, "{term}");
        }
    }

    #[test]
    fn names_a_pod_is_confined_to() {
        let field = |names: &[&str]| json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": names}]});
        let these = |names: &[&str]| NodeNames::These(names.iter().map(|s| (*s).to_owned()).collect());
        let both = json!({"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["a"]},
            {"key": "metadata.name", "operator": "In", "values": ["b"]}]});
        let label = json!({"matchExpressions": [{"key": "zone", "operator": "Exists"}]});
        let table = [
            (vec![field(&["a"])], these(&["a"])),
            (vec![field(&["a"]), field(&["b"])], these(&["a", "b"])),
            (vec![field(&["a"]), label], NodeNames::All),
            (vec![both], NodeNames::Conflict),
        ];
        for (terms, want) in table {
            let p: Pod = serde_json::from_value(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {"containers": [],
                "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}}})).unwrap();
            assert_eq!(RequiredNodeAffinity::of(&p).node_names(), want);
        }
    }
}
