//! The nodes that pods of a text run on. `kubectl get all` does not print nodes, so they are made from what their pods say.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::missing::array;
use super::{Report, text_at};
use crate::api::quantity::amount_of;
use crate::api::types::Quantity;
use crate::cluster::NodeSpec;

/// What is known of a node that is not in the text.
#[derive(Default)]
struct Made<'a> {
    pods: Vec<&'a Value>,
    uid: String,
}

/// Adds the nodes that are missing.
pub(super) fn make(objects: &mut Vec<Value>, report: &mut Report) {
    let there: BTreeSet<String> = objects
        .iter()
        .filter(|o| text_at(o, "/kind") == "Node")
        .map(|o| text_at(o, "/metadata/name"))
        .collect();
    let mut nodes: BTreeMap<String, Made<'_>> = BTreeMap::new();
    for pod in objects.iter().filter(|o| text_at(o, "/kind") == "Pod") {
        let name = text_at(pod, "/spec/nodeName");
        if name.is_empty() || there.contains(&name) {
            continue;
        }
        let made = nodes.entry(name.clone()).or_default();
        made.pods.push(pod);
        // A static pod's owner is its node.
        let owner = array(pod, "/metadata/ownerReferences").find(|o| text_at(o, "/kind") == "Node");
        if let Some(uid) = owner.map(|o| text_at(o, "/uid")).filter(|uid| !uid.is_empty()) {
            made.uid = uid;
        }
    }
    let full = short_of(objects);
    let mut out = Vec::new();
    for (place, (name, made)) in nodes.iter().enumerate() {
        let mut node = made.node(name, place, &full);
        if lacks_a_daemon(name, objects) {
            node["spec"] =
                json!({"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]});
            report.tainted.push(name.clone());
        }
        out.push(node);
        report.made.entry("Node".to_owned()).or_default().push(name.clone());
    }
    objects.extend(out);
}

/// The resources for which the scheduler has found no room. The nodes made have no more of these than their pods ask for,
/// or a pod that has no room there would have some here.
fn short_of(objects: &[Value]) -> BTreeSet<String> {
    let conditions =
        objects.iter().filter(|o| text_at(o, "/kind") == "Pod").flat_map(|o| array(o, "/status/conditions"));
    let refused =
        conditions.filter(|c| text_at(c, "/type") == "PodScheduled" && text_at(c, "/status") == "False");
    let mut full = BTreeSet::new();
    for message in refused.map(|c| text_at(c, "/message")) {
        for part in message.split("Insufficient ").skip(1) {
            full.insert(part.split([',', '.', ' ']).next().unwrap_or_default().to_owned());
        }
        if message.contains("Too many pods") {
            full.insert("pods".to_owned());
        }
    }
    full
}

/// Whether a DaemonSet that has as many pods as it is to have, has none on this node.
fn lacks_a_daemon(node: &str, objects: &[Value]) -> bool {
    objects.iter().filter(|o| text_at(o, "/kind") == "DaemonSet").any(|set| {
        let wanted = set.pointer("/status/desiredNumberScheduled").and_then(Value::as_u64);
        let (namespace, uid) = (text_at(set, "/metadata/namespace"), text_at(set, "/metadata/uid"));
        let own = |o: &&Value| {
            text_at(o, "/kind") == "Pod"
                && text_at(o, "/metadata/namespace") == namespace
                && array(o, "/metadata/ownerReferences").any(|owner| text_at(owner, "/uid") == uid)
        };
        let on: BTreeSet<String> = objects.iter().filter(own).map(|o| text_at(o, "/spec/nodeName")).collect();
        wanted == Some(on.len() as u64) && !on.contains(node) && !on.is_empty()
    })
}

impl Made<'_> {
    fn node(&self, name: &str, place: usize, full: &BTreeSet<String>) -> Value {
        let mut capacity = NodeSpec::standard(name).capacity;
        for (resource, has) in &mut capacity {
            let asked = if resource == "pods" { self.pods.len() as i64 * 1000 } else { self.asked(resource) };
            let least = amount_of(Some(&Quantity(has.clone()))).milli_value();
            if asked > least || full.contains(resource) {
                *has =
                    if resource == "cpu" { format!("{asked}m") } else { asked.div_euclid(1000).to_string() };
            }
        }
        let addresses = self.pods.iter().map(|pod| text_at(pod, "/status/hostIP"));
        let address =
            { addresses }.find(|a| !a.is_empty()).unwrap_or_else(|| format!("172.18.1.{}", place + 2));
        let condition = |type_: &str, status: &str, reason: &str, message: &str| json!({"type": type_, "status": status, "reason": reason, "message": message});
        let uid = if self.uid.is_empty() { format!("made-node-{name}") } else { self.uid.clone() };
        json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": uid, "labels": self.labels(name),
            "annotations": NodeSpec::standard(name).annotations},
        "spec": {},
        "status": {
            "capacity": capacity, "allocatable": capacity,
            "declaredFeatures": NodeSpec::standard(name).declared_features,
            "features": {"supplementalGroupsPolicy": true},
            "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
        }})
    }

    /// What its pods ask for, in thousandths.
    fn asked(&self, resource: &str) -> i64 {
        let path = format!("/resources/requests/{resource}");
        let of = |container: &Value| {
            let text =
                container.pointer(&path).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
            text.map_or(0, |text| amount_of(Some(&Quantity(text))).milli_value())
        };
        let pods = self.pods.iter().filter(|pod| !is_over(pod));
        pods.flat_map(|pod| array(pod, "/spec/containers")).map(of).fold(0, i64::saturating_add)
    }

    /// The labels of every node, and those that its pods demand of it.
    fn labels(&self, name: &str) -> Map<String, Value> {
        let mut labels = Map::new();
        for (key, value) in [
            ("beta.kubernetes.io/arch", "amd64"),
            ("beta.kubernetes.io/os", "linux"),
            ("kubernetes.io/arch", "amd64"),
            ("kubernetes.io/os", "linux"),
            ("kubernetes.io/hostname", name),
        ] {
            labels.insert(key.to_owned(), value.into());
        }
        for pod in &self.pods {
            let demanded = pod.pointer("/spec/nodeSelector").and_then(Value::as_object);
            for (key, value) in demanded.into_iter().flatten() {
                labels.insert(key.clone(), value.clone());
            }
            const REQUIRED: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0";
            let term = pod.pointer(REQUIRED);
            for demand in term.into_iter().flat_map(|term| array(term, "/matchExpressions")) {
                let value = match text_at(demand, "/operator").as_str() {
                    "In" => text_at(demand, "/values/0"),
                    "Exists" => String::new(),
                    _ => continue,
                };
                labels.entry(text_at(demand, "/key")).or_insert_with(|| value.into());
            }
        }
        labels
    }
}

fn is_over(pod: &Value) -> bool {
    matches!(text_at(pod, "/status/phase").as_str(), "Succeeded" | "Failed")
}
