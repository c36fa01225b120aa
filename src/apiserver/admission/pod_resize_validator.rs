//! PodResizeValidator: a pod on a node asks for no more than the node has for pods (`k8s.io/kubernetes/plugin/pkg/admission/podresize`).

use super::{Plugin, node_of_change};
use crate::api::quantity::{Amount, amount_of};
use crate::api::resource::pod_resources;
use crate::api::types::Pod;
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::{Cause, Status};
use crate::apiserver::ApiServer;

/// It has no hook: `pods/resize` asks it ([`super::validate_resize`]).
pub(super) const PLUGIN: Plugin = Plugin::new("PodResizeValidator");

/// Refuses a resize beyond what the node of the pod has, or of a pod on a node without Linux.
pub(super) fn validate(api: &ApiServer, object: &Object, old: &Object) -> Result<(), Status> {
    let (Some(pod), Some(before)) = (Pod::from_object(object), Pod::from_object(old)) else { return Ok(()) };
    let Some(node) = node_of_change(api, pod, before)? else { return Ok(()) };
    let forbidden = |why: &str| Status::forbidden(Kind::POD, pod.metadata.name(), why);
    let system = node.metadata.label("kubernetes.io/os").filter(|os| *os != "linux");
    if let Some(os) = system {
        let name = node.metadata.name();
        let why = format!("pod resize is only supported on linux nodes, node \"{name}\" is \"{os}\"");
        return Err(because(forbidden(&why), "UnsupportedPlatform"));
    }
    let allocatable = node.status.as_ref().and_then(|s| s.allocatable.as_ref());
    let has = |name: &str| amount_of(allocatable.and_then(|all| all.get(name)));
    let requests = pod_resources(&pod.whole_spec(), false);
    let mut short = Vec::new();
    for (name, amount) in ["cpu", "memory"].into_iter().filter_map(|name| Some((name, requests.get(name)?))) {
        if *amount > has(name) {
            let number = |amount: Amount| {
                if name == "cpu" { amount.milli_value() } else { amount.value() }
            };
            short.push(format!("{name}, requested: {}, allocatable: {}", number(*amount), number(has(name))));
        }
    }
    if short.is_empty() {
        return Ok(());
    }
    let why = format!("node didn't have enough allocatable resources: {}", short.join("; "));
    Err(because(forbidden(&why), "NodeCapacity"))
}

fn because(mut status: Status, reason: &str) -> Status {
    let cause = Cause { reason: reason.into(), ..Cause::default() };
    status.details.get_or_insert_default().causes.push(cause);
    status
}
