//! `crictl inspect` and `crictl inspectp`: the status of a container and of a sandbox, as the runtime answers
//! `ContainerStatus` and `PodSandboxStatus`, in JSON.

use serde_json::{Value, json};

use super::crictl::{bare, created, handler, instances, sandboxes};
use super::{Looked, NodeOutput};
use crate::api::types::Pod;
use crate::api::{Key, Timestamp};
use crate::kubelet::container_state::{ContainerRuntime, ContainerState};
use crate::kubelet::cri::{ContainerConfig, LinuxContainerResources};
use crate::kubelet::images;
use crate::kubelet::look::{self, OfNode};
use crate::kubelet::state::PodRuntime;

/// A moment that has not come yet, as Go writes it.
const ZERO: &str = "0001-01-01T00:00:00Z";

fn not_found(what: &str, of: &str, id: &str) -> NodeOutput {
    NodeOutput::failed(
        1,
        format!(
            "FATA[0000] getting the status of the {what} \"{id}\": rpc error: code = NotFound desc = an error occurred when try to find {of}: not found\n"
        ),
    )
}

fn printed(status: &Value) -> NodeOutput {
    let all = json!({"info": {}, "status": status});
    NodeOutput::of(format!("{all:#}\n"))
}

fn resources(r: &LinuxContainerResources) -> Value {
    json!({"linux": {
        "cpuPeriod": r.cpu_period.to_string(), "cpuQuota": r.cpu_quota.to_string(), "cpuShares": r.cpu_shares.to_string(),
        "cpusetCpus": r.cpuset_cpus, "memoryLimitInBytes": r.memory_limit.to_string(), "oomScoreAdj": r.oom_score_adj.to_string(),
    }})
}

fn labels(key: &Key, uid: &str) -> Value {
    json!({
        "io.kubernetes.pod.name": &*key.name, "io.kubernetes.pod.namespace": &*key.namespace, "io.kubernetes.pod.uid": uid,
    })
}

impl Looked<'_> {
    fn of_node(&self) -> OfNode<'_> {
        OfNode { state: self.state, caches: self.caches, node: self.node, now: self.cluster.now() }
    }

    fn pod(&self, key: &Key) -> Option<std::rc::Rc<Pod>> {
        look::pod(self.state, self.caches, key).map(|(pod, _)| pod)
    }

    /// `crictl inspectp`: the sandbox whose id begins with these digits.
    pub(super) fn sandbox(&self, id: &str) -> NodeOutput {
        let mut of = sandboxes(self.state).filter(|(_, rt)| look::sandbox_id(rt).starts_with(id));
        let Some((key, rt)) = of.next().filter(|_| !id.is_empty()) else {
            return not_found("pod sandbox", "sandbox", id);
        };
        let pod = self.pod(key);
        let config = self.of_node().sandbox_config(key).unwrap_or_default();
        let [network, pid, ipc] = config.namespaces;
        let mut labels = labels(key, &rt.uid);
        let own = pod.as_ref().and_then(|p| p.metadata.labels.clone()).unwrap_or_default();
        for (name, value) in own {
            labels[name.as_str()] = Value::from(value);
        }
        let annotations = pod.as_ref().and_then(|p| p.metadata.annotations.clone()).unwrap_or_default();
        let ips: Vec<&str> = rt.addresses.iter().map(|ip| &**ip).collect();
        let on_host = network == "NODE";
        let further: Vec<Value> = ips.iter().skip(1).map(|ip| json!({"ip": ip})).collect();
        let since = created(pod.as_deref(), rt, self.cluster.now());
        printed(&json!({
            "annotations": annotations,
            "createdAt": time(since),
            "id": look::sandbox_id(rt),
            "labels": labels,
            "linux": {"namespaces": {"options": {"ipc": ipc, "network": network, "pid": pid}}},
            "metadata": {"attempt": 0, "name": &*key.name, "namespace": &*key.namespace, "uid": &*rt.uid},
            "network": {
                "additionalIps": if on_host { Vec::new() } else { further },
                "ip": ips.first().filter(|_| !on_host).copied().unwrap_or_default(),
            },
            "runtimeHandler": handler(self.cluster, pod.as_deref()).replace("(default)", ""),
            "state": if rt.sandbox { "SANDBOX_READY" } else { "SANDBOX_NOTREADY" },
        }))
    }

    /// `crictl inspect`: the container whose id begins with these digits.
    pub(super) fn container(&self, id: &str) -> NodeOutput {
        for (key, rt) in sandboxes(self.state).filter(|_| !id.is_empty()) {
            for (i, container) in rt.containers.iter().enumerate() {
                let mut all = instances(container, self.cluster.now()).into_iter();
                if let Some(instance) = all.find(|instance| bare(instance.id).starts_with(id)) {
                    let config = self.of_node().container_config(key, i).unwrap_or_default();
                    let status =
                        Status { key, rt, container, config, id: instance.id, state: instance.state };
                    return printed(&status.json(instance.attempt, instance.created));
                }
            }
        }
        not_found("container", &format!("container \"{id}\""), id)
    }
}

/// A container to be shown.
struct Status<'a> {
    key: &'a Key,
    rt: &'a PodRuntime,
    container: &'a ContainerRuntime,
    config: ContainerConfig,
    id: &'a str,
    state: &'static str,
}

impl Status<'_> {
    fn json(&self, attempt: i32, since: Timestamp) -> Value {
        let exited = match &self.container.state {
            ContainerState::Exited(e) if *e.instance.id == *self.id => Some(e),
            _ => self.container.last.as_ref().filter(|e| *e.instance.id == *self.id),
        };
        let code = exited.map_or(0, |e| e.exit.code);
        let reason = exited.map_or("", |e| match (e.reason, e.exit.out_of_memory, code) {
            (Some(reason), ..) => reason,
            (None, true, _) => "OOMKilled",
            (None, false, 0) => "Completed",
            (None, false, _) => "Error",
        });
        let mut labels = labels(self.key, &self.rt.uid);
        labels["io.kubernetes.container.name"] = Value::from(&*self.container.name);
        let mounts = self.config.mounts.iter();
        let mounts = mounts.map(|m| {
            json!({"containerPath": m.container_path, "hostPath": m.host_path, "propagation": "PROPAGATION_PRIVATE", "readonly": m.readonly})
        });
        let name = MetaOf(self.key);
        json!({
            "createdAt": time(since),
            "exitCode": code,
            "finishedAt": exited.map_or_else(|| ZERO.to_owned(), |e| time(e.finished)),
            "id": bare(self.id),
            "image": {"image": images::full_name(&self.config.image), "userSpecifiedImage": ""},
            "imageId": format!("sha256:{}", images::config_digest(&self.config.image)),
            "imageRef": images::id(&self.config.image),
            "labels": labels,
            "logPath": format!("/var/log/pods/{name}_{}/{}/{attempt}.log", self.rt.uid, self.container.name),
            "message": exited.and_then(|e| e.message.as_deref()).unwrap_or_default(),
            "metadata": {"attempt": attempt, "name": &*self.container.name},
            "mounts": mounts.collect::<Vec<_>>(),
            "reason": reason,
            "resources": resources(&self.config.resources),
            "startedAt": if self.state == "Created" { ZERO.to_owned() } else { time(since) },
            "state": format!("CONTAINER_{}", self.state.to_uppercase()),
        })
    }
}

/// A pod's namespace and name as they stand in the directory of its logs.
struct MetaOf<'a>(&'a Key);

impl std::fmt::Display for MetaOf<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", self.0.namespace, self.0.name)
    }
}

/// A moment as Go writes it.
fn time(at: Timestamp) -> String {
    at.to_string()
}
