#![allow(clippy::unwrap_used)]
//! Tables over the whole cycle: messages, scores, spreading.

use std::rc::Rc;

use serde_json::{Value, json};

use super::*;
use crate::api::labels::Selector;
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, LabelSelector, PersistentVolume, PersistentVolumeClaim, Pod,
    PodDisruptionBudget, StorageClass, VolumeAttachment,
};
use crate::scheduler::default_preemption::post_filter;
use crate::scheduler::framework::*;

pub(crate) fn node(name: &str, spec: Value, labels: Value) -> NodeInfo {
    let mut all = json!({"kubernetes.io/hostname": name});
    all.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
    let v = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": all}, "spec": spec,
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}});
    NodeInfo::of_node(serde_json::from_value(v).unwrap())
}

pub(crate) fn three() -> Vec<NodeInfo> {
    ["n1", "n2", "n3"].map(|n| node(n, json!({}), json!({}))).into()
}

pub(crate) fn pod(name: &str, labels: Value, mut spec: Value) -> PodInfo {
    if spec.get("containers").is_none() {
        spec["containers"] = json!([{"name": "c"}]);
    }
    let v = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec,
        "metadata": {"name": name, "namespace": "ns", "uid": name, "labels": labels}});
    PodInfo::new(serde_json::from_value(v).unwrap())
}

pub(crate) fn cpu(cpu: &str) -> Value {
    json!({"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]})
}

pub(crate) fn shared(nodes: &[NodeInfo]) -> Vec<Rc<NodeInfo>> {
    nodes.iter().cloned().map(Rc::new).collect()
}

fn message(nodes: &[NodeInfo], pod: &PodInfo) -> String {
    let nodes = shared(nodes);
    message_with(&Handle::of_nodes(&nodes), pod, &[])
}

fn message_with(h: &Handle<'_>, pod: &PodInfo, pdbs: &[Rc<PodDisruptionBudget>]) -> String {
    let found = find_nodes_that_fit(h, pod, FindArgs::default());
    if !found.nodes.is_empty() {
        return found.nodes.iter().map(|n| &**n.name()).collect::<Vec<_>>().join(" ");
    }
    let post = post_filter(h, &found, pdbs, 0);
    fit_error_message(h.snapshot.nodes.len(), &found.diagnosis, &post.message)
}

const NOT_HELPFUL: &str = "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
const NO_VICTIMS: &str = "no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";

#[test]
fn messages_of_pods_that_fit_nowhere() {
    let mut full = three();
    for (i, n) in full.iter_mut().enumerate() {
        n.add_pod(Rc::new(pod(&format!("full-{i}"), json!({"app": "a"}), cpu("3"))));
    }
    let required = |term: Value| json!({"requiredDuringSchedulingIgnoredDuringExecution": [term]});
    let near_a =
        json!({"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"});
    let tainted: Vec<_> = ["n1", "n2", "n3"]
        .map(|n| node(n, json!({"taints": [{"key": "k", "value": n, "effect": "NoSchedule"}]}), json!({})))
        .into();
    let table: [(&str, &[NodeInfo], Value, String); 9] = [
        ("more than any node has", &three(), cpu("5"), format!("3 Insufficient cpu. {NOT_HELPFUL}")),
        ("more than is left", &full, cpu("2500m"), format!("3 Insufficient cpu. {NO_VICTIMS}")),
        ("taints", &tainted, json!({}), format!("3 node(s) had untolerated taint(s). {NOT_HELPFUL}")),
        (
            "a label no node has",
            &full,
            json!({"nodeSelector": {"disk": "ssd"}}),
            format!("3 node(s) didn't match Pod's node affinity/selector. {NOT_HELPFUL}"),
        ),
        (
            "anti-affinity",
            &full,
            json!({"affinity": {"podAntiAffinity": required(near_a.clone())}}),
            format!("3 node(s) didn't match pod anti-affinity rules. {NO_VICTIMS}"),
        ),
        (
            "affinity",
            &three(),
            json!({"affinity": {"podAffinity": required(near_a)}}),
            format!("3 node(s) didn't match pod affinity rules. {NOT_HELPFUL}"),
        ),
        (
            "one node by name, which is full",
            &full,
            json!({"containers": cpu("2")["containers"], "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}}}),
            "1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: \
             0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
                .to_owned(),
        ),
        (
            "a claim that is missing",
            &three(),
            json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}),
            "persistentvolumeclaim \"c\" not found. not found".to_owned(),
        ),
        (
            "never preempts",
            &full,
            json!({"containers": cpu("2")["containers"], "preemptionPolicy": "Never"}),
            "3 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.".to_owned(),
        ),
    ];
    for (what, nodes, spec, want) in table {
        let p = pod("p", json!({"app": "p"}), spec);
        assert_eq!(message(nodes, &p), format!("0/3 nodes are available: {want}"), "{what}");
    }
}

#[test]
fn spreading_counts_a_cordoned_node_as_a_place() {
    let mut nodes = three();
    nodes[2] = node("n3", json!({"unschedulable": true}), json!({}));
    let spec = json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "a"}}}]});
    let p = |name: &str| pod(name, json!({"app": "a"}), spec.clone());
    for (i, n) in nodes.iter_mut().enumerate() {
        n.add_pod(Rc::new(p(&format!("x{i}"))));
    }
    assert_eq!(message(&nodes, &p("p")), "n1 n2");
    nodes[0].add_pod(Rc::new(p("y")));
    assert_eq!(message(&nodes, &p("p")), "n2");
    nodes[1].add_pod(Rc::new(p("z")));
    assert_eq!(
        message(&nodes, &p("p")),
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. \
         no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, \
         2 No preemption victims found for incoming pod."
    );
}

/// `countPodsMatchSelector` of `plugins/podtopologyspread/common.go`: an empty selector counts none of the pods on nodes.
#[test]
fn spreading_by_an_empty_selector_counts_nothing() {
    let spec = |selector: Value| {
        json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]})
    };
    let mut nodes = three();
    nodes[0].add_pod(Rc::new(pod("x", json!({"app": "a"}), json!({}))));
    nodes[0].add_pod(Rc::new(pod("y", json!({"app": "a"}), json!({}))));
    let fits = |selector| message(&nodes, &pod("p", json!({"app": "a"}), spec(selector)));
    assert_eq!(fits(json!({})), "n1 n2 n3");
    assert_eq!(fits(json!({"matchLabels": {"app": "a"}})), "n2 n3");
}

#[test]
fn a_pod_near_its_own_kind_may_be_the_first() {
    let spec = json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        [{"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}]}}});
    let mut nodes = three();
    assert_eq!(message(&nodes, &pod("p", json!({"app": "a"}), spec.clone())), "n1 n2 n3");
    nodes[1].add_pod(Rc::new(pod("first", json!({"app": "a"}), spec.clone())));
    assert_eq!(message(&nodes, &pod("p", json!({"app": "a"}), spec)), "n2");
}

#[test]
fn anti_affinity_of_pods_that_are_there_keeps_others_away() {
    let spec = json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        [{"labelSelector": {"matchLabels": {"app": "b"}}, "topologyKey": "kubernetes.io/hostname"}]}}});
    let mut nodes = three();
    nodes[0].add_pod(Rc::new(pod("loner", json!({"app": "a"}), spec)));
    assert_eq!(message(&nodes, &pod("p", json!({"app": "b"}), json!({}))), "n2 n3");
    let found = nodes[0].remove_pod(&crate::api::Key::new("ns", "loner"));
    assert!(found.is_some());
    assert_eq!(message(&nodes, &pod("p", json!({"app": "b"}), json!({}))), "n1 n2 n3");
}

#[test]
fn ports_and_pod_numbers() {
    let ports = |p: i32, ip: &str| json!({"containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": p, "hostIP": ip}]}]});
    let mut n = node("n", json!({}), json!({}));
    n.add_pod(Rc::new(pod("a", json!({}), ports(80, "10.0.0.1"))));
    let nodes = [n];
    for (spec, fits) in [
        (ports(80, "10.0.0.1"), false),
        (ports(80, ""), false),
        (ports(80, "10.0.0.2"), true),
        (ports(81, "10.0.0.1"), true),
    ] {
        assert_eq!(message(&nodes, &pod("p", json!({}), spec.clone())) == "n", fits, "{spec}");
    }
    let mut n = node("n", json!({}), json!({}));
    for i in 0..110 {
        n.add_pod(Rc::new(pod(&i.to_string(), json!({}), json!({}))));
    }
    assert!(
        message(&[n], &pod("p", json!({}), json!({})))
            .starts_with("0/1 nodes are available: 1 Too many pods.")
    );
}

#[test]
fn a_node_gives_back_what_a_pod_took() {
    let mut n = node("n", json!({}), json!({}));
    let empty = format!("{:?}", n.clone());
    let p = pod(
        "p",
        json!({"app": "a"}),
        json!({"containers": [{"name": "c", "ports": [{"containerPort": 1, "hostPort": 1}],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}], "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}),
    );
    let key = p.key.clone();
    n.add_pod(Rc::new(p.clone()));
    n.add_pod(Rc::new(p));
    assert_eq!(
        (n.pod_count(), n.requested().milli_cpu, n.claim_users(&crate::api::Key::new("ns", "c"))),
        (1, 1000, 1)
    );
    n.remove_pod(&key);
    assert_eq!(format!("{n:?}"), empty);
}

/// A cluster with a Service that selects `app=a`, one storage class, and some claims and volumes.
struct Rich(Vec<PersistentVolumeClaim>, Vec<PersistentVolume>);

impl WorkloadLister for Rich {
    fn default_selectors(&self, _: &Pod) -> Vec<Rc<Selector>> {
        let s: LabelSelector = serde_json::from_value(json!({"matchLabels": {"app": "a"}})).unwrap();
        vec![Rc::new(Selector::from_label_selector(Some(&s)).unwrap())]
    }
}

impl VolumeLister for Rich {
    fn claim(&self, _: &str, name: &str) -> Option<Rc<PersistentVolumeClaim>> {
        self.0.iter().find(|c| c.metadata.name.as_deref() == Some(name)).cloned().map(Rc::new)
    }
    fn volume(&self, name: &str) -> Option<Rc<PersistentVolume>> {
        self.1.iter().find(|c| c.metadata.name.as_deref() == Some(name)).cloned().map(Rc::new)
    }
    fn class(&self, name: &str) -> Option<Rc<StorageClass>> {
        let mode = if name == "wait" { "WaitForFirstConsumer" } else { "Immediate" };
        let v = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": "x", "volumeBindingMode": mode});
        Some(Rc::new(serde_json::from_value(v).unwrap()))
    }
    fn csi_node(&self, _: &str) -> Option<Rc<CSINode>> {
        None
    }
    fn csi_driver(&self, _: &str) -> Option<Rc<CSIDriver>> {
        None
    }
    fn capacities_of_class(&self, _: &str) -> Vec<Rc<CSIStorageCapacity>> {
        Vec::new()
    }
    fn attachments_on(&self, _: &str) -> Vec<Rc<VolumeAttachment>> {
        Vec::new()
    }
    fn volumes_of_class(&self, _: &str) -> Vec<Rc<PersistentVolume>> {
        self.1.iter().cloned().map(Rc::new).collect()
    }
}

/// One plugin's score of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PluginScore {
    /// The plugin's name.
    plugin: &'static str,
    /// The score before normalisation.
    raw: i64,
    /// The score from 0 to 100.
    normalized: i64,
    /// The normalised score times the plugin's weight.
    weighted: i64,
}

/// A node's score with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NodeScore {
    /// The node's name.
    name: Rc<str>,
    /// The sum of the weighted scores.
    total: i64,
    /// The score of each plugin.
    by_plugin: Vec<PluginScore>,
}

/// The same scores, grouped by node.
fn by_node(scores: &Scores) -> Vec<NodeScore> {
    let part = |p: &PluginScores, i: usize| {
        let (raw, normalized) = (*p.raw.get(i)?, *p.normalized.get(i)?);
        Some(PluginScore { plugin: p.plugin, raw, normalized, weighted: normalized * p.weight })
    };
    let nodes = scores.nodes.iter().zip(&scores.totals).enumerate();
    nodes
        .map(|(i, (name, total))| NodeScore {
            name: name.clone(),
            total: *total,
            by_plugin: scores.plugins.iter().filter_map(|p| part(p, i)).collect(),
        })
        .collect()
}

fn totals(rich: &Rich, nodes: &[NodeInfo], p: &PodInfo) -> Vec<NodeScore> {
    let nodes = shared(nodes);
    let h = Handle { workloads: rich, volumes: rich, ..Handle::of_nodes(&nodes) };
    let found = find_nodes_that_fit(&h, p, FindArgs::default());
    by_node(&score_nodes(&h, &found.state, &found.nodes))
}

#[test]
fn scores_of_an_empty_and_a_used_node() {
    let rich = Rich(Vec::new(), Vec::new());
    let mut nodes = vec![node("n1", json!({}), json!({})), node("n2", json!({}), json!({}))];
    nodes[0].add_pod(Rc::new(pod("x", json!({"app": "a"}), cpu("1"))));
    let scores = totals(&rich, &nodes, &pod("p", json!({"app": "a"}), cpu("1")));
    let parts = |i: usize| {
        scores[i].by_plugin.iter().map(|p| (p.plugin, p.raw, p.normalized, p.weighted)).collect::<Vec<_>>()
    };
    assert_eq!(
        parts(0),
        [
            ("TaintToleration", 0, 100, 300),
            // (4000-2000)/4000 and (8192-400)/8192, whole numbers each: (50 + 95) / 2.
            ("NodeResourcesFit", 72, 72, 72),
            // One pod times ln(4), plus 2 for maxSkew 3, plus nothing for the zone it lacks: 3.39.
            ("PodTopologySpread", 3, 66, 132),
            // The use is 0.5 and 0 of the node with the pod (75), 0.25 and 0 without it (87): 50 + (50 + 75
            // - 87) / 2.
            ("NodeResourcesBalancedAllocation", 69, 69, 69),
            ("ImageLocality", 0, 0, 0),
        ]
    );
    assert_eq!(
        parts(1),
        [
            ("TaintToleration", 0, 100, 300),
            ("NodeResourcesFit", 86, 86, 86),
            ("PodTopologySpread", 2, 100, 200),
            ("NodeResourcesBalancedAllocation", 68, 68, 68),
            ("ImageLocality", 0, 0, 0),
        ]
    );
    assert_eq!((scores[0].total, scores[1].total), (573, 654));
}

#[test]
fn preferences_move_scores() {
    let rich = Rich(Vec::new(), Vec::new());
    let mut nodes = vec![node("n1", json!({}), json!({"z": "a"})), node("n2", json!({}), json!({"z": "b"}))];
    nodes[1].add_pod(Rc::new(pod("x", json!({"app": "x"}), json!({}))));
    let term = json!({"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "z"});
    let spec = json!({"affinity": {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10,
            "preference": {"matchExpressions": [{"key": "z", "operator": "In", "values": ["a"]}]}}]},
        "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": term}]}}});
    let scores = totals(&rich, &nodes, &pod("p", json!({"app": "p"}), spec));
    let of = |i: usize, name: &str| {
        scores[i].by_plugin.iter().find(|p| p.plugin == name).map(|p| (p.raw, p.normalized)).unwrap()
    };
    assert_eq!((of(0, "NodeAffinity"), of(1, "NodeAffinity")), ((10, 100), (0, 0)));
    assert_eq!((of(0, "InterPodAffinity"), of(1, "InterPodAffinity")), ((0, 100), (-5, 0)));
}

#[test]
fn how_many_nodes_are_enough() {
    let table = [
        (0, 3, 3),
        (0, 99, 99),
        (0, 100, 100),
        (0, 1000, 420),
        (0, 10000, 500),
        (30, 1000, 300),
        (1, 1000, 100),
        (100, 1000, 1000),
    ];
    for (percentage, nodes, want) in table {
        assert_eq!(num_feasible_nodes_to_find(percentage, nodes), want, "{percentage}% of {nodes}");
    }
}

#[test]
fn the_start_goes_round() {
    let nodes: Vec<_> = (0..200).map(|i| node(&format!("n{i:03}"), json!({}), json!({}))).collect();
    let nodes = shared(&nodes);
    let h = Handle::of_nodes(&nodes);
    let p = pod("p", json!({}), json!({}));
    let found = find_nodes_that_fit(&h, &p, FindArgs { percentage: 0, start: 150 });
    assert_eq!((found.nodes.len(), found.evaluated, found.next_start), (100, 100, 50));
    assert_eq!(&**found.nodes[0].name(), "n150");
}

#[test]
fn claims() {
    let claim = |name: &str, class: &str, extra: Value| -> PersistentVolumeClaim {
        let mut v = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "ns"},
            "spec": {"storageClassName": class, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
        for (k, x) in extra.as_object().unwrap() {
            v[k].as_object_mut().unwrap().extend(x.as_object().unwrap().clone());
        }
        serde_json::from_value(v).unwrap()
    };
    let bound = |volume: &str| json!({"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": volume}});
    let selected = json!({"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n2"}}});
    let pv: PersistentVolume = serde_json::from_value(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"},
        "spec": {"storageClassName": "wait", "capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"], "nodeAffinity": {"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n3"]}]}]}}},
        "status": {"phase": "Available"}}))
    .unwrap();
    let rich = Rich(
        vec![
            claim("now", "now", json!({})),
            claim("wait", "wait", json!({})),
            claim("selected", "wait", selected),
            claim("here", "wait", bound("pv")),
            claim("gone", "wait", bound("no-such")),
            claim("going", "wait", json!({"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}})),
        ],
        vec![pv],
    );
    let nodes = shared(&three());
    let h = Handle { volumes: &rich, ..Handle::of_nodes(&nodes) };
    let table = [
        ("now", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"),
        ("wait", "n1 n2 n3"),
        ("selected", "n2"),
        ("here", "n3"),
        ("going", "0/3 nodes are available: persistentvolumeclaim \"going\" is being deleted. not found"),
        // `getPVbyPod` of `plugins/volumezone/volume_zone.go`, which comes before the filter of VolumeBinding.
        ("gone", "0/3 nodes are available: persistentvolume \"no-such\" not found. not found"),
    ];
    for (name, want) in table {
        let p = pod(
            "p",
            json!({}),
            json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}),
        );
        assert_eq!(message_with(&h, &p, &[]), want, "{name}");
    }
    // n3 has a volume that fits the claim; on the other nodes a volume is provisioned.
    let p = pod(
        "p",
        json!({}),
        json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "wait"}}]}),
    );
    let state = pre_filter(&h, &p).state.volume_binding.unwrap();
    let plan = |i: usize| {
        let v = crate::scheduler::plugins::volume::binding::find_pod_volumes(&h, &state, &nodes[i]).unwrap();
        (v.static_bindings.len(), v.dynamic_provisions.len())
    };
    assert_eq!((plan(0), plan(2)), ((0, 1), (1, 0)));
}

#[test]
fn keeping_the_classes_changes_nothing_but_the_time() {
    let rich = Rich(Vec::new(), Vec::new());
    let mut nodes = three();
    let mut classes = Classes::default();
    for i in 0..9 {
        let near = json!({"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3,
            "podAffinityTerm": {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}}]}}});
        let p = Rc::new(pod(&format!("x{i}"), json!({"app": if i % 2 == 0 { "a" } else { "b" }}), near));
        classes.add(&p.class);
        nodes[(i * i) % 3].add_pod(p);
    }
    let gone = pod("gone", json!({"app": "a", "v": "1"}), json!({}));
    classes.add(&gone.class);
    classes.remove(&gone.class);
    assert_eq!(classes.iter().count(), 2);
    let nodes = shared(&nodes);
    let spec = json!({"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7,
        "podAffinityTerm": {"labelSelector": {"matchLabels": {"app": "b"}}, "topologyKey": "kubernetes.io/hostname"}}]}}});
    let p = pod("p", json!({"app": "a"}), spec);
    let plain = Handle { workloads: &rich, ..Handle::of_nodes(&nodes) };
    let fast = Handle { snapshot: Snapshot { nodes: &nodes, classes: Some(&classes) }, ..plain };
    let scores = |h: &Handle<'_>| {
        let found = find_nodes_that_fit(h, &p, FindArgs::default());
        by_node(&score_nodes(h, &found.state, &found.nodes))
    };
    assert_eq!(scores(&plain), scores(&fast));
    assert_eq!(scores(&fast)[0].by_plugin.len(), 5);
}

#[path = "volume_tests.rs"]
mod volumes;
