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

/// Parses an optional selector as Kubernetes does: an absent one matches nothing, an empty one everything.
/// One that cannot be parsed matches nothing.
fn selector(s: Option<&LabelSelector>) -> Option<Selector> {
    Selector::from_label_selector(Some(s?)).ok()
}

/// Reads namespaces for terms with a namespace selector. The scheduler answers from its informers' caches.
pub trait NamespaceLister {
    /// The labels of a namespace; `None` if the namespace is not in the cache.
    fn namespace_labels(&self, name: &str) -> Option<Cow<'_, Labels>>;
}

/// A parsed `PodAffinityTerm` (`framework.AffinityTerm`).
#[derive(Clone, Debug)]
pub struct AffinityTerm {
    /// Namespaces by name. Empty only if the namespace selector is set.
    namespaces: Vec<String>,
    namespace_selector: Option<Selector>,
    selector: Option<Selector>,
    /// A digest of the term, equal for terms that match the same pods.
    pub id: u128,
    /// The node label (`topologyKey`): nodes with the same value of it are in one domain.
    pub topology_key: Rc<str>,
}

impl AffinityTerm {
    /// Parses a term of a pod in `namespace`. That namespace applies if the term names none and selects
    /// none.
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

    /// Whether the term matches a pod with these labels in this namespace.
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

    /// [`AffinityTerm::matches`] for all pods of a class.
    pub fn matches_class(&self, class: &PodClass, namespaces: &dyn NamespaceLister) -> bool {
        self.matches(class.namespace(), class.labels(), namespaces)
    }
}

/// A `WeightedPodAffinityTerm`.
#[derive(Clone, Debug)]
pub struct WeightedAffinityTerm {
    /// The preferred term.
    pub term: AffinityTerm,
    /// Its weight, 1 to 100.
    pub weight: i64,
}

impl WeightedAffinityTerm {
    /// Parses a weighted term of a pod in `namespace`.
    pub fn parse(t: &WeightedPodAffinityTerm, namespace: &str) -> WeightedAffinityTerm {
        WeightedAffinityTerm {
            term: AffinityTerm::parse(&t.pod_affinity_term, namespace),
            weight: i64::from(t.weight),
        }
    }
}

/// A parsed `TopologySpreadConstraint`.
#[derive(Clone, Debug)]
pub struct SpreadConstraint {
    /// By how many pods a domain may exceed the one with the fewest (`maxSkew`).
    pub max_skew: i64,
    /// The node label (`topologyKey`): nodes with the same value of it are in one domain.
    pub topology_key: Rc<str>,
    /// `minDomains`: while there are fewer domains than this, the smallest count is taken as 0. At least 1.
    pub min_domains: i64,
    /// Which pods are counted: those that all of these selectors and `labels` match. None are if this is
    /// empty.
    selectors: Vec<Rc<Selector>>,
    /// Labels of the incoming pod that counted pods must have (`matchLabelKeys`).
    labels: Vec<(String, String)>,
    /// `nodeAffinityPolicy: Honor`: nodes that the pod's node affinity excludes are not counted.
    pub honor_node_affinity: bool,
    /// `nodeTaintsPolicy: Honor`: nodes with taints that the pod does not tolerate are not counted.
    pub honor_node_taints: bool,
}

impl SpreadConstraint {
    /// Parses a constraint of `pod`.
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

    /// One of the constraints of pods that have none of their own (`systemDefaultConstraints`).
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

    /// Whether there is a selector, but one that asks for no label (`Selector.Empty`).
    pub fn asks_for_nothing(&self) -> bool {
        !self.selectors.is_empty() && self.labels.is_empty() && self.selectors.iter().all(|s| s.is_empty())
    }

    /// Whether the constraint matches a pod with these labels.
    pub fn matches(&self, labels: &Labels) -> bool {
        !self.selectors.is_empty()
            && self.selectors.iter().all(|s| s.matches(labels))
            && self.labels.iter().all(|(k, v)| labels.get(k) == Some(v))
    }
}
