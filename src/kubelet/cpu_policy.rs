//! What the CPU manager and the topology manager of a kubelet are told (`cpuManagerPolicy`, `cpuManagerPolicyOptions`,
//! `reservedSystemCPUs`, `topologyManagerPolicy`, `topologyManagerScope`), and what its machine is like.

use super::cpu_topology::{CPUS_LIMIT, CpuSet, NUMA_LIMIT, Topology, parse};
use super::said::Said;

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

impl Alignment {
    /// The name of the policy.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Alignment::None => "none",
            Alignment::BestEffort => "best-effort",
            Alignment::Restricted => "restricted",
            Alignment::SingleNumaNode => "single-numa-node",
        }
    }
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
    pub(super) fn of(said: &Said<'_>, cpus: Option<i64>, reserved: i64) -> Option<CpuPolicy> {
        let number = |flag: &str| {
            let read = |text: &str| text.parse::<u32>().map_err(|_| "must be a number".to_owned());
            if said.text(flag).is_some() { said.read(flag, read) } else { Some(1) }
        };
        let (threads, numa) = (number("threads-per-core"), number("numa-nodes"));
        let alignment = one_of(
            said,
            "topology-manager-policy",
            &[
                ("none", Alignment::None),
                ("best-effort", Alignment::BestEffort),
                ("restricted", Alignment::Restricted),
                ("single-numa-node", Alignment::SingleNumaNode),
            ],
        );
        let by_pod = one_of(said, "topology-manager-scope", &[("container", false), ("pod", true)]);
        let options = said.read("cpu-manager-policy-options", options).unwrap_or_default();
        if !one_of(said, "cpu-manager-policy", &[("none", false), ("static", true)]) {
            return None;
        }
        let cpus = u32::try_from(cpus?).ok().filter(|n| (1..=CPUS_LIMIT).contains(n))?;
        let (threads, numa) = (threads?, numa?);
        let fits = (1..=2).contains(&threads)
            && (1..=NUMA_LIMIT).contains(&numa)
            && cpus.is_multiple_of(threads * numa);
        if !fits {
            let flag = if threads == 1 { "numa-nodes" } else { "threads-per-core" };
            said.refuse(flag, &format!("a machine with {cpus} processors cannot have {numa} NUMA nodes and {threads} threads a core"));
            return None;
        }
        let topology = Topology { cpus, threads, numa };
        let reserved = match said.text("reserved-cpus") {
            Some(list) => {
                let set = parse(list).filter(|set| set.iter().all(|cpu| *cpu < cpus));
                if set.is_none() {
                    said.refuse(
                        "reserved-cpus",
                        &format!("the machine has the processors 0 to {}", cpus - 1),
                    );
                }
                set?
            }
            None => {
                let count =
                    usize::try_from(reserved.max(0).div_euclid(1000) + i64::from(reserved % 1000 > 0))
                        .ok()?;
                topology.take(&topology.all(), count).unwrap_or_default()
            }
        };
        if reserved.is_empty() {
            // `NewStaticPolicy`, `policy_static.go`
            said.refuse(
                "cpu-manager-policy",
                "the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero",
            );
            return None;
        }
        let [whole_cores, strict] = options;
        Some(CpuPolicy { topology, reserved, whole_cores, strict, alignment, by_pod })
    }
}

/// The options of the static policy: whether whole cores are given away, and whether reserved processors are for the system alone.
fn options(text: &str) -> Result<[bool; 2], String> {
    let mut all = [false; 2];
    for option in text.split(',').map(str::trim).filter(|option| !option.is_empty()) {
        let (name, on) =
            option.split_once('=').ok_or_else(|| format!("{option} must be formatted as name=value"))?;
        let place = ["full-pcpus-only", "strict-cpu-reservation"].iter().position(|known| *known == name);
        let on = on.parse().map_err(|_| format!("bad value for option {name}: {on}"))?;
        *place
            .and_then(|place| all.get_mut(place))
            .ok_or_else(|| format!("unsupported cpumanager option: {name}"))? = on;
    }
    Ok(all)
}

/// The value of a flag that has one of several; the first one if it is absent or another one.
fn one_of<T: Copy + Default>(said: &Said<'_>, flag: &str, values: &[(&str, T)]) -> T {
    let read = |text: &str| {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let found = values.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| *value).ok_or_else(|| format!("must be one of {}", names.join(", ")))
    };
    said.read(flag, read).unwrap_or_default()
}
