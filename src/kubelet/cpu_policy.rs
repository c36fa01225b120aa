//! What the CPU manager and the topology manager of a kubelet are told (`cpuManagerPolicy`, `cpuManagerPolicyOptions`,
//! `reservedSystemCPUs`, `topologyManagerPolicy`, `topologyManagerScope`), and what its machine is like.

use super::cpu_topology::{CPUS_LIMIT, CpuSet, NUMA_LIMIT, Topology, parse};

/// How the processors of a container have to be aligned with NUMA nodes (`pkg/kubelet/cm/topologymanager`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Alignment {
    /// Not at all.
    #[default]
    None,
    /// As well as it can be done.
    BestEffort,
    /// On as few NUMA nodes as a machine like this could ever do it.
    Restricted,
    /// On one.
    SingleNumaNode,
}

/// The static policy of the CPU manager (`policy_static.go`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuPolicy {
    pub(super) topology: Topology,
    /// The processors that no container gets for itself.
    pub(super) reserved: CpuSet,
    /// Whether containers get whole cores only (`full-pcpus-only`).
    pub(super) whole_cores: bool,
    /// Whether the other containers do not run on reserved processors either (`strict-cpu-reservation`).
    pub(super) strict: bool,
    pub(super) alignment: Alignment,
    /// Whether a pod's containers are aligned together.
    pub(super) by_pod: bool,
}

impl CpuPolicy {
    /// Reads it off what a Node says. `cpus` is how many processors the machine has, and `reserved` how many thousandths of them
    /// are reserved. `None` if the policy is another one, or if a kubelet would not start with that.
    pub(super) fn of<'a>(
        said: impl Fn(&str) -> Option<&'a str>,
        cpus: Option<i64>,
        reserved: i64,
    ) -> Option<CpuPolicy> {
        if said("cpu-manager-policy") != Some("static") {
            return None;
        }
        let number = |name: &str| said(name).map_or(Some(1), |text| text.parse::<u32>().ok());
        let cpus = u32::try_from(cpus?).ok().filter(|n| (1..=CPUS_LIMIT).contains(n))?;
        let threads = number("threads-per-core")?;
        let numa = number("numa-nodes")?;
        let fits = (1..=2).contains(&threads)
            && (1..=NUMA_LIMIT).contains(&numa)
            && cpus.is_multiple_of(threads * numa);
        if !fits {
            return None;
        }
        let topology = Topology { cpus, threads, numa };
        let (mut whole_cores, mut strict) = (false, false);
        for option in said("cpu-manager-policy-options").unwrap_or_default().split(',') {
            let option = option.trim();
            match option.split_once('=') {
                None if option.is_empty() => {}
                Some(("full-pcpus-only", on)) => whole_cores = on.parse().ok()?,
                Some(("strict-cpu-reservation", on)) => strict = on.parse().ok()?,
                _ => return None,
            }
        }
        let reserved = match said("reserved-cpus") {
            Some(list) => parse(list).filter(|set| set.iter().all(|cpu| *cpu < cpus))?,
            None => {
                let count =
                    usize::try_from(reserved.max(0).div_euclid(1000) + i64::from(reserved % 1000 > 0))
                        .ok()?;
                topology.take(&topology.all(), count)?
            }
        };
        let alignment = match said("topology-manager-policy").unwrap_or("none") {
            "none" => Alignment::None,
            "best-effort" => Alignment::BestEffort,
            "restricted" => Alignment::Restricted,
            "single-numa-node" => Alignment::SingleNumaNode,
            _ => return None,
        };
        let by_pod = match said("topology-manager-scope").unwrap_or("container") {
            "container" => false,
            "pod" => true,
            _ => return None,
        };
        (!reserved.is_empty()).then_some(CpuPolicy {
            topology,
            reserved,
            whole_cores,
            strict,
            alignment,
            by_pod,
        })
    }
}
