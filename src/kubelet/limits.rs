//! The limits of cgroups: those of a container, which has its pod's where it has none of its own
//! (`kuberuntime_container_linux.go`, `getCPULimit` and `getMemoryLimit`).

use crate::api::quantity::amount_of;
use crate::api::types::{PodSpec, Quantity, ResourceRequirements};

fn limit<'a>(of: Option<&'a ResourceRequirements>, resource: &str) -> Option<&'a Quantity> {
    let limits = of?.limits.as_ref()?;
    limits.get(resource).filter(|q| !amount_of(Some(q)).is_zero())
}

/// The limit of a pod as a whole (`spec.resources`); `None` if it has none.
pub(super) fn of_pod<'a>(pod: &'a PodSpec, resource: &str) -> Option<&'a Quantity> {
    limit(pod.resources.as_ref(), resource)
}

/// The limit of CPU or of memory that the cgroup of a container with these resources has; `None` if it has none.
pub(super) fn of_container<'a>(
    pod: Option<&'a PodSpec>,
    own: Option<&'a ResourceRequirements>,
    resource: &str,
) -> Option<&'a Quantity> {
    limit(own, resource).or_else(|| of_pod(pod?, resource))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    /// `kuberuntime_container_linux.go`, `getCPULimit` and `getMemoryLimit`.
    #[test]
    fn a_container_without_a_limit_has_that_of_its_pod() {
        let spec = json!({
            "resources": {"limits": {"memory": "100Mi"}},
            "containers": [
                {"name": "own", "resources": {"limits": {"cpu": "1", "memory": "50Mi"}}},
                {"name": "zero", "resources": {"limits": {"memory": "0"}}},
                {"name": "none"},
            ],
        });
        let spec: PodSpec = serde_json::from_value(spec).unwrap();
        let of = |i: usize, resource: &str| {
            let own = spec.containers[i].resources.as_ref();
            of_container(Some(&spec), own, resource).map(|q| q.0.clone())
        };
        assert_eq!(of(0, "memory").as_deref(), Some("50Mi"));
        assert_eq!(of(1, "memory").as_deref(), Some("100Mi"));
        assert_eq!(of(2, "memory").as_deref(), Some("100Mi"));
        assert_eq!((of(0, "cpu").as_deref(), of(2, "cpu")), (Some("1"), None));
    }
}
