//! [`Pod`], and functions that read its status (`k8s.io/kubernetes/pkg/api/v1/pod`).

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use k8s_openapi::api::core::v1::{
    AppArmorProfile, Container, EphemeralContainer, PodCondition, PodSpec, PodStatus,
};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::meta::{MetaExt, Name};
use super::metadata::Metadata;
use super::shared::Shared;

/// A pod. Pods are the most numerous objects, each has five versions until it is ready, and the spec is the
/// largest part of it. So the versions of a pod share metadata, spec and status as long as these do not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pod {
    /// Names, labels, owners and so on.
    pub metadata: Metadata,
    /// The desired state.
    pub spec: Option<Spec>,
    /// The observed state.
    pub status: Option<Shared<PodStatus>>,
}

impl Pod {
    /// The spec as the API has it, with what a [`Spec`] has beside the rest.
    pub fn whole_spec(&self) -> Cow<'_, PodSpec> {
        self.spec.as_ref().map_or_else(|| Cow::Owned(PodSpec::default()), Spec::whole)
    }

    /// The name of the pod's node, `spec.nodeName`; `None` if it has none yet.
    pub fn node_name(&self) -> Option<&str> {
        self.spec.as_ref()?.node_name.as_deref()
    }
}

impl From<k8s_openapi::api::core::v1::Pod> for Pod {
    fn from(pod: k8s_openapi::api::core::v1::Pod) -> Pod {
        Pod {
            metadata: pod.metadata.into(),
            spec: pod.spec.map(Spec::from),
            status: pod.status.map(Shared::new),
        }
    }
}

/// The name of the volume with a pod's token begins with this; five random letters follow.
pub const TOKEN_VOLUME_PREFIX: &str = "kube-api-access-";

/// The spec of a pod: what is its own, and beside that the rest, which all pods of one owner share. Its own are its node,
/// which it gets after its creation, and the name of the volume with its token, which ends with five random letters. The fields are
/// read as those of a [`PodSpec`]; only the names of volumes have to be asked for ([`Spec::volume_name`]) where they are
/// written, shown or compared with names from elsewhere. Within a spec they fit each other as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// The node's name, `spec.nodeName`.
    pub node_name: Option<String>,
    /// The name of the volume with the pod's token, which is [`TOKEN_VOLUME_PREFIX`] in the rest: no volume can really
    /// have that name, because it ends with a dash. `None` if the names in the rest are the real ones.
    token_volume: Option<Name>,
    /// All other fields. Its own `node_name` is `None`.
    rest: Shared<PodSpec>,
}

impl Spec {
    /// Whether both share the same memory and have the same node and the same token's volume.
    pub fn is_same(&self, other: &Spec) -> bool {
        self.rest.ptr_eq(&other.rest)
            && self.node_name == other.node_name
            && self.token_volume == other.token_volume
    }

    /// The spec as the API has it, with `nodeName` and the names of all volumes.
    pub fn whole(&self) -> Cow<'_, PodSpec> {
        if self.node_name.is_none() && self.token_volume.is_none() {
            return Cow::Borrowed(&self.rest);
        }
        let mut whole = PodSpec { node_name: self.node_name.clone(), ..PodSpec::clone(&self.rest) };
        if let Some(name) = &self.token_volume {
            rename_volume(&mut whole, TOKEN_VOLUME_PREFIX, name);
        }
        Cow::Owned(whole)
    }

    /// What all pods of one owner share: all fields but the node, with the name of the token's volume as it stands there.
    pub fn rest(&self) -> &Shared<PodSpec> {
        &self.rest
    }

    /// The real name of a volume that a volume or a mount of this spec has as its name.
    pub fn volume_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.token_volume.as_deref().filter(|_| name == TOKEN_VOLUME_PREFIX).unwrap_or(name)
    }

    /// Puts the name of the token's volume beside the rest, if it stands in there. What makes a spec of a [`PodSpec`] does so;
    /// what adds such a volume to the rest has to.
    pub fn part_token_volume(&mut self) {
        if self.token_volume.is_some() {
            return;
        }
        let Some(name) = token_volume(&self.rest) else { return };
        rename_volume(&mut self.rest, &name, TOKEN_VOLUME_PREFIX);
        self.token_volume = Some(name);
    }

    /// Shares the rest with another spec, if it is equal.
    pub fn share_with(&mut self, other: &Spec) {
        if self.rest == other.rest {
            self.rest = other.rest.clone();
        }
    }
}

/// The name of the volume with the token; `None` if there is none, or if it could not be told from what stands for it.
fn token_volume(spec: &PodSpec) -> Option<Name> {
    let volumes = || spec.volumes.iter().flatten().map(|v| v.name.as_str());
    let name = volumes().find(|name| name.starts_with(TOKEN_VOLUME_PREFIX))?;
    let taken = volumes().chain(mounted(spec)).any(|name| name == TOKEN_VOLUME_PREFIX);
    (!taken).then(|| name.into())
}

/// The names of the volumes that containers mount.
fn mounted(spec: &PodSpec) -> impl Iterator<Item = &str> {
    let containers = spec.init_containers.iter().flatten().chain(&spec.containers).map(|c| &c.volume_mounts);
    let ephemeral = spec.ephemeral_containers.iter().flatten().map(|c| &c.volume_mounts);
    containers.chain(ephemeral).flat_map(|mounts| mounts.iter().flatten()).map(|m| m.name.as_str())
}

/// Gives a volume another name, also where it is mounted.
fn rename_volume(spec: &mut PodSpec, from: &str, to: &str) {
    let PodSpec { volumes, init_containers, containers, ephemeral_containers, .. } = spec;
    let containers = init_containers.iter_mut().flatten().chain(containers).map(|c| &mut c.volume_mounts);
    let ephemeral = ephemeral_containers.iter_mut().flatten().map(|c| &mut c.volume_mounts);
    let mounts =
        containers.chain(ephemeral).flat_map(|mounts| mounts.iter_mut().flatten()).map(|m| &mut m.name);
    let names = volumes.iter_mut().flatten().map(|v| &mut v.name).chain(mounts);
    names.filter(|name| *name == from).for_each(|name| to.clone_into(name));
}

impl From<PodSpec> for Spec {
    fn from(spec: PodSpec) -> Spec {
        Spec::from(Shared::new(spec))
    }
}

impl From<Shared<PodSpec>> for Spec {
    fn from(mut rest: Shared<PodSpec>) -> Spec {
        let node_name = rest.node_name.is_some().then(|| rest.node_name.take()).flatten();
        let mut spec = Spec { node_name, token_volume: None, rest };
        spec.part_token_volume();
        spec
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
        pod.serialize_field("metadata", &*self.metadata.whole())?;
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

/// The profile that the value of an AppArmor annotation names; `None` if it names none.
pub fn app_armor_profile(annotation: &str) -> Option<AppArmorProfile> {
    let profile = |kind: &str, file: Option<&str>| AppArmorProfile {
        type_: kind.to_owned(),
        localhost_profile: file.map(str::to_owned),
    };
    match annotation {
        "unconfined" => Some(profile("Unconfined", None)),
        "runtime/default" => Some(profile("RuntimeDefault", None)),
        other => {
            let file = other.strip_prefix("localhost/").filter(|f| !f.trim().is_empty() && f.trim() == *f)?;
            Some(profile("Localhost", Some(file)))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn spec(volume: &str) -> PodSpec {
        let mount = json!([{"name": volume, "mountPath": "/token"}, {"name": "data", "mountPath": "/data"}]);
        let spec = json!({
            "nodeName": "node-1",
            "containers": [{"name": "app", "volumeMounts": mount}],
            "initContainers": [{"name": "init", "volumeMounts": mount}],
            "ephemeralContainers": [{"name": "shell", "volumeMounts": mount}],
            "volumes": [{"name": "data"}, {"name": volume, "projected": {}}],
        });
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn pods_with_tokens_share_all_but_the_names_of_the_volumes() {
        let (mut a, b) =
            (Spec::from(spec("kube-api-access-aaaaa")), Spec::from(spec("kube-api-access-bbbbb")));
        assert_ne!(a, b);
        a.share_with(&b);
        assert!(a.rest.ptr_eq(&b.rest));
        assert!(!a.is_same(&b));
        assert_eq!(*a.whole(), spec("kube-api-access-aaaaa"));
        assert_eq!(*b.whole(), spec("kube-api-access-bbbbb"));
        let named = |spec: &Spec| -> Vec<String> {
            spec.volumes.iter().flatten().map(|v| spec.volume_name(&v.name).to_owned()).collect()
        };
        assert_eq!(named(&a), ["data", "kube-api-access-aaaaa"]);
        // Within the spec, names fit each other.
        let mounts = a.containers[0].volume_mounts.as_ref().unwrap();
        assert_eq!(mounts[0].name, a.volumes.as_ref().unwrap()[1].name);
    }

    #[test]
    fn a_spec_comes_back_as_it_was_whatever_its_volumes_are_called() {
        for name in ["kube-api-access-", "kube-api-access-x", "data", "other"] {
            assert_eq!(*Spec::from(spec(name)).whole(), spec(name), "{name}");
        }
        // A mount without a volume, or with the name that stands for the token's.
        let mut odd = spec("kube-api-access-aaaaa");
        odd.containers[0].volume_mounts.as_mut().unwrap()[1].name = TOKEN_VOLUME_PREFIX.into();
        assert_eq!(*Spec::from(odd.clone()).whole(), odd);
        odd.volumes = None;
        assert_eq!(*Spec::from(odd.clone()).whole(), odd);
    }
}
