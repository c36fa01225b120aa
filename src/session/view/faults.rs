//! What can go wrong with a pod, as a person may cause it.

use std::rc::Rc;

use crate::api::types::{Container, Pod};
use crate::api::{Kind, MetaExt, ObjectRef};
use crate::cluster::{Cluster, Fault};
use crate::kubelet::{self, ProbeType};

/// The faults that make sense for a pod now, each with the key of its name in the catalogue: a
/// running container can crash, one with a readiness probe can fail it, and its image can vanish
/// from the registry.
pub fn pod_faults(cluster: &Cluster, object: &ObjectRef) -> Vec<(&'static str, Fault)> {
    let Some(record) = cluster.api().etcd().get(object).filter(|_| object.kind == Kind::Pod) else {
        return Vec::new();
    };
    let Some(pod) = record.object.get::<Pod>() else { return Vec::new() };
    let Some(spec) = pod.spec.as_ref() else { return Vec::new() };
    let (Some(node), Some(container)) = (spec.node_name.clone(), spec.containers.first()) else {
        return Vec::new();
    };
    let here = |fault| Fault::Kubelet { node: Some(node.clone()), fault };
    let name: Rc<str> = container.name.as_str().into();
    let mut faults = Vec::new();
    if runs(pod, container) {
        let crash =
            kubelet::Fault::CrashContainer { pod: pod.metadata.key(), container: name.clone(), exit_code: 1 };
        faults.push(("act-crash", here(crash)));
    }
    if container.readiness_probe.is_some() {
        for (key, failing) in [("act-probe-fails", true), ("act-probe-passes", false)] {
            let probe = kubelet::Fault::FailProbe {
                pod: pod.metadata.key(),
                container: name.clone(),
                probe: ProbeType::Readiness,
                failing,
            };
            faults.push((key, here(probe)));
        }
    }
    let image: Rc<str> = container.image.as_deref().unwrap_or_default().into();
    for (key, pullable) in [("act-image-gone", false), ("act-image-back", true)] {
        let gone = kubelet::Fault::Image { image: image.clone(), pullable, message: "".into() };
        faults.push((key, Fault::Kubelet { node: None, fault: gone }));
    }
    faults
}

fn runs(pod: &Pod, container: &Container) -> bool {
    let statuses = pod.status.as_ref().and_then(|s| s.container_statuses.as_ref());
    statuses
        .into_iter()
        .flatten()
        .find(|s| s.name == container.name)
        .and_then(|s| s.state.as_ref())
        .is_some_and(|s| s.running.is_some())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, scenario};

    #[test]
    fn a_running_pod_can_crash_and_comes_back() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        while session.step(Depth::Command, None) {}
        let pod = session.cluster().api().etcd().range(Kind::Pod, None).next().unwrap().0.clone();
        let faults = pod_faults(session.cluster(), &pod);
        let crash = faults.iter().find(|(k, _)| *k == "act-crash").unwrap().1.clone();
        session.fault(&crash).unwrap();
        while session.step(Depth::Command, None) {}
        let object = session.cluster().api().etcd().get(&pod).unwrap().object.clone();
        let status = object.get::<Pod>().unwrap().status.clone().unwrap();
        assert_eq!(status.container_statuses.unwrap()[0].restart_count, 1);
    }
}
