//! Who gets how much of a node's CPU when containers want more than there is: the weights of their cgroups.
//!
//! The kernel hands out CPU group by group. Below `kubepods` each Guaranteed pod, all Burstable pods together and all BestEffort pods
//! together are a group, below these each pod, and below a pod each container. A group's weight is what its containers request
//! (`pkg/kubelet/cm/qos_container_manager_linux.go`, `helpers_linux.go`); that of BestEffort pods is the least one. What a group does
//! not want, the others of its level get.

use super::requests::pod_requests;
use super::sandbox_config::{MIN_SHARES, shares, shares_of, weight};
use crate::api::resource::qos_class;
use crate::api::types::{Container, PodSpec};

/// A pod whose containers run: what each of them wants, in billionths of a CPU.
pub(super) struct Wants<'a> {
    /// The pod's specification.
    pub(super) spec: &'a PodSpec,
    /// Each container by its name.
    pub(super) containers: Vec<(&'a str, i64)>,
}

impl Wants<'_> {
    fn sum(&self) -> i64 {
        self.containers.iter().map(|(_, wants)| *wants).fold(0, i64::saturating_add)
    }

    /// The pod's weight.
    fn weight(&self) -> i64 {
        weight(shares(pod_requests(self.spec).cpu))
    }

    /// What its containers get if the pod gets so much.
    fn hand_out(&self, all: i64) -> Vec<i64> {
        let members: Vec<(i64, i64)> =
            self.containers.iter().map(|(name, wants)| (weight_of(self.spec, name), *wants)).collect();
        fair(all, &members)
    }
}

/// The weight of a container's cgroup below that of its pod.
pub(super) fn weight_of(spec: &PodSpec, name: &str) -> i64 {
    let mut all = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let of: Option<&Container> = all.find(|c| c.name == name);
    weight(of.map_or(MIN_SHARES, |c| shares_of(spec, c)))
}

/// What each member of a group gets of so much: in proportion to its weight, and no more than it wants. Members are pairs of both.
fn fair(all: i64, members: &[(i64, i64)]) -> Vec<i64> {
    let mut got = vec![0; members.len()];
    let mut left = i128::from(all.max(0));
    let mut open: Vec<usize> = (0..members.len()).collect();
    while !open.is_empty() {
        let weights: i128 = open.iter().map(|i| i128::from(members[*i].0.max(1))).sum();
        let part = |i: usize| left * i128::from(members[i].0.max(1)) / weights;
        let (sated, hungry): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|i| i128::from(members[**i].1) <= part(**i));
        if sated.is_empty() {
            for i in open {
                got[i] = i64::try_from(part(i)).unwrap_or(i64::MAX);
            }
            break;
        }
        for i in sated {
            got[i] = members[i].1;
            left -= i128::from(members[i].1);
        }
        open = hungry;
    }
    got
}

/// What the containers of each pod get of so much CPU, in billionths; `None` if there is enough for all.
pub(super) fn hand_out(capacity: i64, pods: &[Wants<'_>]) -> Option<Vec<Vec<i64>>> {
    let wanted = pods.iter().map(Wants::sum).fold(0, i64::saturating_add);
    if wanted <= capacity {
        return None;
    }
    // The groups below `kubepods`, each with its weight and its pods.
    let (mut groups, mut burstable, mut best_effort) = (Vec::new(), Vec::new(), Vec::new());
    for (i, pod) in pods.iter().enumerate() {
        match qos_class(pod.spec) {
            "Guaranteed" => groups.push((pod.weight(), vec![i])),
            "Burstable" => burstable.push(i),
            _ => best_effort.push(i),
        }
    }
    let requested =
        |of: &[usize]| of.iter().map(|i| pod_requests(pods[*i].spec).cpu).fold(0, i64::saturating_add);
    groups.push((weight(shares(requested(&burstable))), burstable));
    groups.push((weight(MIN_SHARES), best_effort));
    let wants = |of: &[usize]| of.iter().map(|i| pods[*i].sum()).fold(0, i64::saturating_add);
    let members: Vec<(i64, i64)> = groups.iter().map(|(weight, of)| (*weight, wants(of))).collect();
    let mut all: Vec<Vec<i64>> = pods.iter().map(|_| Vec::new()).collect();
    for ((_, of), part) in groups.iter().zip(fair(capacity, &members)) {
        let members: Vec<(i64, i64)> = of.iter().map(|i| (pods[*i].weight(), pods[*i].sum())).collect();
        for (i, part) in of.iter().zip(fair(part, &members)) {
            all[*i] = pods[*i].hand_out(part);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    const CPU: i64 = 1_000_000_000;

    fn spec(request: &str, limit: &str) -> PodSpec {
        let mut resources = json!({});
        if !request.is_empty() {
            resources["requests"] = json!({"cpu": request, "memory": "64Mi"});
        }
        if !limit.is_empty() {
            resources["limits"] = json!({"cpu": limit, "memory": "64Mi"});
        }
        serde_json::from_value(json!({"containers": [{"name": "c", "resources": resources}]})).unwrap()
    }

    /// What each pod gets of two CPUs, in thousandths, if each wants so many thousandths.
    fn got(pods: &[(&PodSpec, i64)]) -> Option<Vec<i64>> {
        let mut all: Vec<Wants<'_>> = Vec::new();
        for (spec, milli) in pods {
            all.push(Wants { spec, containers: vec![("c", milli * CPU / 1000)] });
        }
        let all = hand_out(2 * CPU, &all)?;
        Some(all.into_iter().map(|of| of[0] * 1000 / CPU).collect())
    }

    /// kubernetes.io/docs/concepts/configuration/manage-resources-containers, "How Kubernetes applies resource requests and limits":
    /// the request is a weight, so who requests more gets more CPU time when it is contended. The weights are 35, 80 and, of who requests nothing, 1
    /// beside the 100 of all Burstable pods.
    #[test]
    fn requests_are_weights_where_cpu_is_contended() {
        let (one, three, none) = (spec("250m", ""), spec("750m", ""), spec("", ""));
        assert_eq!(got(&[(&one, 1000), (&three, 1000)]), None);
        assert_eq!(got(&[(&one, 5000), (&three, 5000)]), Some(vec![608, 1391]));
        // What one does not want, the other gets.
        assert_eq!(got(&[(&one, 5000), (&three, 400)]), Some(vec![1600, 400]));
        // Nearly nothing is left to whom requests nothing.
        let of = got(&[(&one, 5000), (&three, 5000), (&none, 5000)]).unwrap();
        assert_eq!(of[2], 19, "{of:?}");
        assert_eq!(got(&[(&one, 300), (&none, 5000)]), Some(vec![300, 1700]));
    }

    /// `setCPUCgroupConfig` of `qos_container_manager_linux.go`: all Burstable pods together have the weight of their requests.
    #[test]
    fn a_guaranteed_pod_stands_beside_all_burstable_ones() {
        let (sure, small, large) = (spec("1", "1"), spec("100m", ""), spec("900m", ""));
        assert_eq!(qos_class(&sure), "Guaranteed");
        let of = got(&[(&sure, 1000), (&small, 5000), (&large, 5000)]).unwrap();
        assert_eq!(of[0], 1000);
        assert!((150..=160).contains(&of[1]) && (840..=850).contains(&of[2]), "{of:?}");
    }
}
