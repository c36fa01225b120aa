//! NodeDeclaredFeatureValidator: a change of a pod that its kubelet has to carry out needs a kubelet that can
//! (`k8s.io/kubernetes/plugin/pkg/admission/nodedeclaredfeatures`, KEP-5328).

use super::{Plugin, node_of_change};
use crate::api::types::{Pod, PodSpec};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

/// It has no hook: `pods/resize` asks it ([`super::validate_resize`]). Other changes of a pod need no feature.
pub(super) const PLUGIN: Plugin = Plugin::new("NodeDeclaredFeatureValidator");

/// The features that a change needs, in the order of their names (`InferForUpdate`).
fn needs(new: &PodSpec, old: &PodSpec) -> Vec<&'static str> {
    let mut all = Vec::new();
    if new.resources != old.resources {
        all.push("InPlacePodLevelResourcesVerticalScaling");
    }
    let init = old.init_containers.iter().flatten().zip(new.init_containers.iter().flatten());
    let mut init = init.filter(|(old, _)| old.restart_policy.as_deref() != Some("Always"));
    if init.any(|(old, new)| old.resources != new.resources) {
        all.push("InPlacePodVerticalScalingInitContainers");
    }
    all
}

/// Refuses a resize that the kubelet of the pod's node does not know.
pub(super) fn validate(api: &ApiServer, object: &Object, old: &Object) -> Result<(), Status> {
    let (Some(pod), Some(before)) = (Pod::from_object(object), Pod::from_object(old)) else { return Ok(()) };
    let mut missing = needs(&pod.whole_spec(), &before.whole_spec());
    if missing.is_empty() {
        return Ok(());
    }
    let Some(node) = node_of_change(api, pod, before)? else { return Ok(()) };
    let declared = node.status.as_ref().and_then(|s| s.declared_features.as_deref()).unwrap_or_default();
    missing.retain(|need| !declared.iter().any(|known| known == need));
    if missing.is_empty() {
        return Ok(());
    }
    let (missing, name) = (missing.join(", "), node.metadata.name());
    let why = format!("pod update requires features {missing} which are not available on node \"{name}\"");
    Err(Status::forbidden(Kind::POD, pod.metadata.name(), &why))
}
