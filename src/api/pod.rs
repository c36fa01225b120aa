//! [`Pod`], and functions that read its status (`k8s.io/kubernetes/pkg/api/v1/pod`).

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use k8s_openapi::api::core::v1::{Container, EphemeralContainer, PodCondition, PodSpec, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::meta::MetaExt;
use super::shared::Shared;

/// A pod. Pods are the most numerous objects, each has five versions until it is ready, and the spec is the
/// largest part of it. So the versions of a pod share spec and status as long as these do not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pod {
    /// Names, labels, owners and so on.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: Option<Spec>,
    /// The observed state.
    pub status: Option<Shared<PodStatus>>,
}

impl Pod {
    /// The spec as the API has it, `nodeName` included.
    pub fn whole_spec(&self) -> Cow<'_, PodSpec> {
        self.spec.as_ref().map_or_else(|| Cow::Owned(PodSpec::default()), Spec::whole)
    }
}

impl From<k8s_openapi::api::core::v1::Pod> for Pod {
    fn from(pod: k8s_openapi::api::core::v1::Pod) -> Pod {
        Pod { metadata: pod.metadata, spec: pod.spec.map(Spec::from), status: pod.status.map(Shared::new) }
    }
}

/// The spec of a pod, with the node's name beside the rest. Binding is the only change in the life of most
/// specs, which have ten kilobytes; the rest is not copied for it. The fields are read as those of a
/// [`PodSpec`], `node_name` included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// The node's name, `spec.nodeName`.
    pub node_name: Option<String>,
    /// All other fields. Its own `node_name` is `None`.
    rest: Shared<PodSpec>,
}

impl Spec {
    /// Whether both share the same memory and have the same node.
    pub fn is_same(&self, other: &Spec) -> bool {
        self.rest.ptr_eq(&other.rest) && self.node_name == other.node_name
    }

    /// The spec as the API has it, `nodeName` included.
    pub fn whole(&self) -> Cow<'_, PodSpec> {
        if self.node_name.is_none() {
            return Cow::Borrowed(&self.rest);
        }
        Cow::Owned(PodSpec { node_name: self.node_name.clone(), ..PodSpec::clone(&self.rest) })
    }
}

impl From<PodSpec> for Spec {
    fn from(mut spec: PodSpec) -> Spec {
        Spec { node_name: spec.node_name.take(), rest: spec.into() }
    }
}

impl From<Shared<PodSpec>> for Spec {
    fn from(mut rest: Shared<PodSpec>) -> Spec {
        let node_name = rest.node_name.is_some().then(|| rest.node_name.take()).flatten();
        Spec { node_name, rest }
    }
}

impl Deref for Spec {
    type Target = PodSpec;
    fn deref(&self) -> &PodSpec {
        &self.rest
    }
}

impl DerefMut for Spec {
    fn deref_mut(&mut self) -> &mut PodSpec {
        &mut self.rest
    }
}

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.whole().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pod {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pod, D::Error> {
        k8s_openapi::api::core::v1::Pod::deserialize(deserializer).map(Pod::from)
    }
}

impl Serialize for Pod {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = 3 + usize::from(self.spec.is_some()) + usize::from(self.status.is_some());
        let mut pod = serializer.serialize_struct("Pod", fields)?;
        pod.serialize_field("apiVersion", "v1")?;
        pod.serialize_field("kind", "Pod")?;
        pod.serialize_field("metadata", &self.metadata)?;
        if let Some(spec) = &self.spec {
            pod.serialize_field("spec", spec)?;
        }
        if let Some(status) = &self.status {
            pod.serialize_field("status", status)?;
        }
        pod.end()
    }
}

/// Sets a condition in its place, or adds it (`UpdatePodCondition`). If the condition's status is as it was, so is its
/// transition time. Returns whether that changed anything.
pub fn update_pod_condition(status: &mut PodStatus, mut new: PodCondition) -> bool {
    let conditions = status.conditions.get_or_insert_default();
    let Some(old) = conditions.iter_mut().find(|c| c.type_ == new.type_) else {
        conditions.push(new);
        return true;
    };
    if old.status == new.status {
        new.last_transition_time.clone_from(&old.last_transition_time);
    }
    let changed = PodCondition { observed_generation: old.observed_generation, ..new.clone() } != *old;
    *old = new;
    changed
}

/// A pod's condition of a type, if there is one.
pub fn pod_condition<'a>(pod: &'a Pod, type_: &str) -> Option<&'a PodCondition> {
    pod.status.as_ref()?.conditions.as_ref()?.iter().find(|c| c.type_ == type_)
}

/// The pod's phase; empty if it has none.
pub fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default()
}

/// Whether the pod's condition `Ready` is true (`podutil.IsPodReady`).
pub fn is_ready(pod: &Pod) -> bool {
    pod_condition(pod, "Ready").is_some_and(|c| c.status == "True")
}

/// Whether the pod has ended: its phase is `Succeeded` or `Failed` (`podutil.IsPodTerminal`).
pub fn is_terminal(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Whether the pod has neither ended nor is being deleted (`controller.IsPodActive`).
pub fn is_active(pod: &Pod) -> bool {
    !is_terminal(pod) && !pod.metadata.is_deleting()
}

/// Whether the pod has not ended and is being deleted (`controller.IsPodTerminating`).
pub fn is_terminating(pod: &Pod) -> bool {
    !is_terminal(pod) && pod.metadata.is_deleting()
}

/// An ephemeral container as a container: all its fields but the container that it targets (`EphemeralContainerCommon`).
pub fn of_ephemeral(e: &EphemeralContainer) -> Container {
    Container {
        args: e.args.clone(),
        command: e.command.clone(),
        env: e.env.clone(),
        env_from: e.env_from.clone(),
        image: e.image.clone(),
        image_pull_policy: e.image_pull_policy.clone(),
        lifecycle: e.lifecycle.clone(),
        liveness_probe: e.liveness_probe.clone(),
        name: e.name.clone(),
        ports: e.ports.clone(),
        readiness_probe: e.readiness_probe.clone(),
        resize_policy: e.resize_policy.clone(),
        resources: e.resources.clone(),
        restart_policy: e.restart_policy.clone(),
        restart_policy_rules: e.restart_policy_rules.clone(),
        security_context: e.security_context.clone(),
        startup_probe: e.startup_probe.clone(),
        stdin: e.stdin,
        stdin_once: e.stdin_once,
        termination_message_path: e.termination_message_path.clone(),
        termination_message_policy: e.termination_message_policy.clone(),
        tty: e.tty,
        volume_devices: e.volume_devices.clone(),
        volume_mounts: e.volume_mounts.clone(),
        working_dir: e.working_dir.clone(),
    }
}
