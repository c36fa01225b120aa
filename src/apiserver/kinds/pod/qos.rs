//! The quality of service of a pod (`k8s.io/kubernetes/pkg/apis/core/v1/helper/qos`).

use crate::api::quantity::Amount;
use crate::api::types::{PodSpec, ResourceRequirements};

/// `BestEffort`, `Burstable` or `Guaranteed`, by what the containers request and may use.
pub(in crate::apiserver) fn qos_class(spec: &PodSpec) -> &'static str {
    let containers = || spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let amount = |r: Option<&ResourceRequirements>, limits: bool, name: &str| -> Option<Amount> {
        let r = r?;
        let map = if limits { r.limits.as_ref() } else { r.requests.as_ref() };
        Amount::parse(&map?.get(name)?.0).ok().filter(|a| !a.is_zero())
    };
    let pod_level = spec.resources.as_ref();
    let mut any = false;
    let mut guaranteed = true;
    let mut check = |r: Option<&ResourceRequirements>| {
        for name in ["cpu", "memory"] {
            let (request, limit) = (amount(r, false, name), amount(r, true, name));
            any |= request.is_some() || limit.is_some();
            guaranteed &= limit.is_some() && request == limit;
        }
    };
    if pod_level.is_some() {
        check(pod_level);
    } else {
        for c in containers() {
            check(c.resources.as_ref());
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
