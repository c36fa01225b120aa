//! On which nodes the pods of a set run (`daemon_controller.go`, `util/daemonset_util.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::taints::{NO_EXECUTE, NO_SCHEDULE, taints};
use crate::api::node_selector::RequiredNodeAffinity;
use crate::api::toleration::tolerates;
use crate::api::types::{
    Affinity, DaemonSet, Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod, PodSpec,
    PodTemplateSpec, Taint, Toleration,
};
use crate::api::well_known::{
    CONTROLLER_REVISION_HASH_LABEL, DEPRECATED_TEMPLATE_GENERATION, TAINT_NODE_NOT_READY,
    TAINT_NODE_UNREACHABLE, TAINT_NODE_UNSCHEDULABLE,
};
use crate::api::{MetaExt, pod};

/// The label with the number of the template that a pod was made from.
pub(super) const GENERATION_LABEL: &str = "pod-template-generation";
/// The field of nodes that node affinity can select.
const NAME_FIELD: &str = "metadata.name";

/// What a node is for a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// Whether a pod is created there.
    pub(super) should_run: bool,
    /// Whether a pod that is there may stay.
    pub(super) should_continue: bool,
}

impl Fit {
    const NO: Fit = Fit { should_run: false, should_continue: false };
}

/// The pod that a set's template describes, with the tolerations that the controller adds.
pub(super) struct DaemonPod {
    node_name: Option<String>,
    affinity: RequiredNodeAffinity,
    tolerations: Vec<Toleration>,
}

impl DaemonPod {
    pub(super) fn of(set: &DaemonSet) -> DaemonPod {
        let spec = set.spec.as_ref().and_then(|s| s.template.spec.clone()).unwrap_or_default();
        let mut pod = Pod { spec: Some(pod::Spec::from(spec)), ..Pod::default() };
        let spec = pod.spec.get_or_insert_default();
        let node_name = spec.node_name.take().filter(|n| !n.is_empty());
        add_tolerations(spec);
        let tolerations = spec.tolerations.clone().unwrap_or_default();
        DaemonPod { node_name, affinity: RequiredNodeAffinity::of(&pod), tolerations }
    }

    /// Whether the pod shall run on a node, and whether it may stay there (`NodeShouldRunDaemonPod`).
    pub(super) fn fits(&self, node: &Node) -> Fit {
        let named = self.node_name.as_deref().is_none_or(|n| n == node.metadata.name());
        if !named || !self.affinity.matches(node) {
            return Fit::NO;
        }
        let untolerated = |t: &&Taint| !self.tolerations.iter().any(|toleration| tolerates(toleration, t));
        let effects = |effect: &str| taints(node).iter().filter(untolerated).any(|t| t.effect == effect);
        let (executes, schedules) = (effects(NO_EXECUTE), effects(NO_SCHEDULE));
        Fit { should_run: !executes && !schedules, should_continue: !executes }
    }
}

/// Adds the tolerations of all daemon pods, which node problems do not drive away
/// (`AddOrUpdateDaemonPodTolerations`).
fn add_tolerations(spec: &mut PodSpec) {
    let mut all = vec![
        (TAINT_NODE_NOT_READY, NO_EXECUTE),
        (TAINT_NODE_UNREACHABLE, NO_EXECUTE),
        ("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
        ("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
        ("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
        (TAINT_NODE_UNSCHEDULABLE, NO_SCHEDULE),
    ];
    if spec.host_network == Some(true) {
        all.push(("node.kubernetes.io/network-unavailable", NO_SCHEDULE));
    }
    let tolerations = spec.tolerations.get_or_insert_default();
    for (key, effect) in all {
        let added = Toleration {
            key: Some(key.to_owned()),
            operator: Some("Exists".to_owned()),
            effect: Some(effect.to_owned()),
            ..Toleration::default()
        };
        let is_same = |t: &&mut Toleration| {
            t.key == added.key
                && t.operator == added.operator
                && t.effect == added.effect
                && t.value.as_deref().unwrap_or_default().is_empty()
        };
        let mut found = false;
        for same in tolerations.iter_mut().filter(is_same) {
            *same = added.clone();
            found = true;
        }
        if !found {
            tolerations.push(added);
        }
    }
}

/// The number of the set's template, which the API server raises when the template changes (`GetTemplateGeneration`).
pub(super) fn template_generation(set: &DaemonSet) -> Option<i64> {
    set.metadata.annotation(DEPRECATED_TEMPLATE_GENERATION)?.parse().ok()
}

/// The template of the pods of a set, with its tolerations and labels (`CreatePodTemplate`).
pub(super) fn pod_template(set: &DaemonSet, hash: &str) -> PodTemplateSpec {
    let mut template = set.spec.as_ref().map(|s| s.template.clone()).unwrap_or_default();
    add_tolerations(template.spec.get_or_insert_default());
    let labels: &mut BTreeMap<String, String> =
        template.metadata.get_or_insert_default().labels.get_or_insert_default();
    if let Some(generation) = template_generation(set) {
        labels.insert(GENERATION_LABEL.into(), generation.to_string());
    }
    if !hash.is_empty() {
        labels.insert(CONTROLLER_REVISION_HASH_LABEL.into(), hash.to_owned());
    }
    template
}

/// Confines a pod to a node by its name, so that the scheduler binds it there
/// (`ReplaceDaemonSetPodNodeNameNodeAffinity`).
pub(super) fn confine(affinity: &mut Option<Affinity>, node: &str) {
    let name = NodeSelectorRequirement {
        key: NAME_FIELD.to_owned(),
        operator: "In".to_owned(),
        values: Some(vec![node.to_owned()]),
    };
    let term = NodeSelectorTerm { match_fields: Some(vec![name]), match_expressions: None };
    affinity
        .get_or_insert_default()
        .node_affinity
        .get_or_insert_default()
        .required_during_scheduling_ignored_during_execution =
        Some(NodeSelector { node_selector_terms: vec![term] });
}

/// The node on which a pod runs, or to which it is confined (`GetTargetNodeName`).
pub(super) fn target_node(pod: &Rc<Pod>) -> Option<&str> {
    let spec = pod.spec.as_ref()?;
    if let Some(node) = spec.node_name.as_deref().filter(|n| !n.is_empty()) {
        return Some(node);
    }
    let affinity = spec.affinity.as_ref()?.node_affinity.as_ref()?;
    let terms = &affinity.required_during_scheduling_ignored_during_execution.as_ref()?.node_selector_terms;
    let fields = terms.iter().flat_map(|t| t.match_fields.iter().flatten());
    let name = fields.filter(|r| r.key == NAME_FIELD && r.operator == "In").map(|r| r.values.as_deref());
    match name.flatten().next()? {
        [one] => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::{Kind, Object};
    use serde_json::{Value, json};

    fn set(spec: Value) -> Rc<DaemonSet> {
        let value = json!({"metadata": {"name": "agent"}, "spec": {
            "selector": {"matchLabels": {"a": "b"}}, "template": {"spec": spec}}});
        Object::from_value(Kind::DAEMON_SET, value).unwrap().get::<DaemonSet>().unwrap().clone()
    }

    fn node(taint: Option<(&str, &str)>) -> Rc<Node> {
        let taints: Vec<Value> =
            taint.iter().map(|(key, effect)| json!({"key": key, "effect": effect})).collect();
        let value =
            json!({"metadata": {"name": "n1", "labels": {"disk": "ssd"}}, "spec": {"taints": taints}});
        Object::from_value(Kind::NODE, value).unwrap().get::<Node>().unwrap().clone()
    }

    #[test]
    fn a_node_fits_by_its_name_its_labels_and_its_taints() {
        let yes = Fit { should_run: true, should_continue: true };
        let stay = Fit { should_run: false, should_continue: true };
        let table = [
            (json!({}), None, yes),
            (json!({"nodeName": "n1"}), None, yes),
            (json!({"nodeName": "n2"}), None, Fit::NO),
            (json!({"nodeSelector": {"disk": "ssd"}}), None, yes),
            (json!({"nodeSelector": {"disk": "hdd"}}), None, Fit::NO),
            (json!({}), Some(("infra", "NoSchedule")), stay),
            (json!({}), Some(("infra", "PreferNoSchedule")), yes),
            (json!({}), Some(("infra", "NoExecute")), Fit::NO),
            (json!({"tolerations": [{"operator": "Exists"}]}), Some(("infra", "NoExecute")), yes),
            // The tolerations that the controller adds.
            (json!({}), Some(("node.kubernetes.io/unreachable", "NoExecute")), yes),
            (json!({}), Some(("node.kubernetes.io/unschedulable", "NoSchedule")), yes),
            (json!({}), Some(("node.kubernetes.io/network-unavailable", "NoSchedule")), stay),
            (
                json!({"hostNetwork": true}),
                Some(("node.kubernetes.io/network-unavailable", "NoSchedule")),
                yes,
            ),
        ];
        for (spec, taint, want) in table {
            assert_eq!(DaemonPod::of(&set(spec.clone())).fits(&node(taint)), want, "{spec} {taint:?}");
        }
    }

    /// `AddOrUpdateTolerationInPodSpec` in `pkg/apis/core/v1/helper/helpers.go`
    #[test]
    fn every_toleration_that_matches_one_of_the_controller_is_replaced() {
        let short = |seconds: i64| {
            json!({"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
                "tolerationSeconds": seconds})
        };
        let template = pod_template(&set(json!({"tolerations": [short(5), short(7)]})), "");
        let tolerations = template.spec.unwrap().tolerations.unwrap();
        let same: Vec<_> =
            tolerations.iter().filter(|t| t.key.as_deref() == Some(TAINT_NODE_NOT_READY)).collect();
        assert_eq!(same.len(), 2);
        assert!(same.iter().all(|t| t.toleration_seconds.is_none()), "{same:?}");
    }
}
