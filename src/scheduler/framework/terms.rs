//! Pod affinity terms and topology spread constraints, parsed once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::class::{Labels, PodClass, digest};
use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::types::{
    LabelSelector, Pod, PodAffinityTerm, TopologySpreadConstraint, WeightedPodAffinityTerm,
};

/// A selector as Kubernetes reads an optional one: absent selects nothing, empty selects all.
/// One that cannot be read selects nothing.
fn selector(s: Option<&LabelSelector>) -> Option<Selector> {
    Selector::from_label_selector(Some(s?)).ok()
}

/// Namespaces, as terms ask for them. The scheduler answers from its informers.
pub trait NamespaceLister {
    /// The labels of a namespace; none if it is not known.
    fn namespace_labels(&self, name: &str) -> Option<Cow<'_, Labels>>;
}

/// A processed `PodAffinityTerm` (`framework.AffinityTerm`).
#[derive(Clone, Debug)]
pub struct AffinityTerm {
    /// Namespaces by name. Empty only if the selector chooses.
    namespaces: Vec<String>,
    namespace_selector: Option<Selector>,
    selector: Option<Selector>,
    /// Equal for terms that mean the same pods.
    pub id: u128,
    /// The node label whose equal values make nodes one place.
    pub topology_key: Rc<str>,
}

impl AffinityTerm {
    /// Reads a term of a pod in `namespace`, which is meant where the term names none.
    pub fn parse(term: &PodAffinityTerm, namespace: &str) -> AffinityTerm {
        let named = term.namespaces.clone().unwrap_or_default();
        let own = named.is_empty() && term.namespace_selector.is_none();
        let namespaces = if own { vec![namespace.to_owned()] } else { named };
        let namespace_selector = selector(term.namespace_selector.as_ref());
        let selector = selector(term.label_selector.as_ref());
        let id = digest([format!("{namespaces:?}{namespace_selector:?}{selector:?}").as_str()].into_iter());
        AffinityTerm {
            namespaces,
            namespace_selector,
            selector,
            id,
            topology_key: term.topology_key.as_str().into(),
        }
    }

    /// Whether the term means a pod of these labels in this namespace.
    pub fn matches(&self, namespace: &str, labels: &Labels, namespaces: &dyn NamespaceLister) -> bool {
        let here = self.namespaces.iter().any(|n| n == namespace)
            || self.namespace_selector.as_ref().is_some_and(|s| {
                match namespaces.namespace_labels(namespace) {
                    Some(l) => s.matches(&l),
                    None => s.matches(&BTreeMap::new()),
                }
            });
        here && self.selector.as_ref().is_some_and(|s| s.matches(labels))
    }

    /// [`AffinityTerm::matches`] for the pods of a class.
    pub fn matches_class(&self, class: &PodClass, namespaces: &dyn NamespaceLister) -> bool {
        self.matches(class.namespace(), class.labels(), namespaces)
    }
}

/// A preference with its weight.
#[derive(Clone, Debug)]
pub struct WeightedAffinityTerm {
    /// What is preferred.
    pub term: AffinityTerm,
    /// 1 to 100.
    pub weight: i64,
}

impl WeightedAffinityTerm {
    /// Reads a weighted term of a pod in `namespace`.
    pub fn parse(t: &WeightedPodAffinityTerm, namespace: &str) -> WeightedAffinityTerm {
        WeightedAffinityTerm {
            term: AffinityTerm::parse(&t.pod_affinity_term, namespace),
            weight: i64::from(t.weight),
        }
    }
}

/// A processed `TopologySpreadConstraint`.
#[derive(Clone, Debug)]
pub struct SpreadConstraint {
    /// By how many pods the places may differ.
    pub max_skew: i64,
    /// The node label whose equal values make nodes one place.
    pub topology_key: Rc<str>,
    /// How many places there must be before the emptiest one counts; at least 1.
    pub min_domains: i64,
    /// Which pods are counted: all of these must match, and so must `labels`. Nothing if empty.
    selectors: Vec<Rc<Selector>>,
    /// Labels the incoming pod adds to the selector by `matchLabelKeys`.
    labels: Vec<(String, String)>,
    /// Whether nodes the pod's node affinity excludes are left out of the count.
    pub honor_node_affinity: bool,
    /// Whether nodes with taints the pod does not tolerate are left out of the count.
    pub honor_node_taints: bool,
}

impl SpreadConstraint {
    /// Reads a constraint of `pod`.
    pub fn parse(c: &TopologySpreadConstraint, pod: &Pod) -> SpreadConstraint {
        let own = pod.metadata.labels_or_empty();
        let keys = c.match_label_keys.iter().flatten();
        SpreadConstraint {
            max_skew: i64::from(c.max_skew),
            topology_key: c.topology_key.as_str().into(),
            min_domains: i64::from(c.min_domains.unwrap_or(1)),
            selectors: selector(c.label_selector.as_ref()).map(Rc::new).into_iter().collect(),
            labels: keys.filter_map(|k| own.get(k).map(|v| (k.clone(), v.clone()))).collect(),
            honor_node_affinity: c.node_affinity_policy.as_deref() != Some("Ignore"),
            honor_node_taints: c.node_taints_policy.as_deref() == Some("Honor"),
        }
    }

    /// One of the constraints every pod has by default (`systemDefaultConstraints`).
    pub fn system_default(
        topology_key: &str,
        max_skew: i64,
        selectors: Vec<Rc<Selector>>,
    ) -> SpreadConstraint {
        SpreadConstraint {
            max_skew,
            topology_key: topology_key.into(),
            min_domains: 1,
            selectors,
            labels: Vec::new(),
            honor_node_affinity: true,
            honor_node_taints: false,
        }
    }

    /// Whether a pod of these labels counts.
    pub fn matches(&self, labels: &Labels) -> bool {
        !self.selectors.is_empty()
            && self.selectors.iter().all(|s| s.matches(labels))
            && self.labels.iter().all(|(k, v)| labels.get(k) == Some(v))
    }
}
