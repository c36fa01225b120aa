//! The processors of a machine, and which of them a container gets for itself (`pkg/kubelet/cm/cpumanager/topology`,
//! `cpu_assignment.go`; for the NUMA nodes `policy_static.go`: `generateCPUTopologyHints`, and `topologymanager/policy.go`).

use std::collections::BTreeSet;

use crate::api::order;

/// Processors by their numbers.
pub(super) type CpuSet = BTreeSet<u32>;

/// The most NUMA nodes of a machine (`defaultMaxAllowableNUMANodes`).
pub(super) const NUMA_LIMIT: u32 = 8;
/// The most processors that are looked at. A machine with more has the policy `none`.
pub(super) const CPUS_LIMIT: u32 = 1024;

/// How the processors of a machine belong together. They are numbered core by core, NUMA node by NUMA node, and each NUMA node
/// is a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Topology {
    /// How many processors there are.
    pub(super) cpus: u32,
    /// How many of them are one core.
    pub(super) threads: u32,
    /// How many NUMA nodes there are.
    pub(super) numa: u32,
}

/// What a container would get: the NUMA nodes as bits, and whether it cannot be better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    pub(super) nodes: u32,
    pub(super) preferred: bool,
}

impl Topology {
    fn core(self, cpu: u32) -> u32 {
        cpu / self.threads.max(1)
    }

    pub(super) fn numa_of(self, cpu: u32) -> u32 {
        let cores = self.cpus.div_ceil(self.threads.max(1)).max(1);
        self.core(cpu) * self.numa / cores
    }

    pub(super) fn all(self) -> CpuSet {
        (0..self.cpus).collect()
    }

    /// The processors of the cores that any of these belong to.
    pub(super) fn whole_cores(self, cpus: &CpuSet) -> CpuSet {
        let cores: BTreeSet<u32> = cpus.iter().map(|c| self.core(*c)).collect();
        self.all().into_iter().filter(|c| cores.contains(&self.core(*c))).collect()
    }

    fn in_nodes(self, cpus: &CpuSet, nodes: u32) -> CpuSet {
        cpus.iter().copied().filter(|c| nodes & (1 << self.numa_of(*c)) != 0).collect()
    }

    /// Takes processors so that as few NUMA nodes and cores as possible are broken into (`takeByTopologyNUMAPacked`). `None` if there
    /// are too few.
    pub(super) fn take(self, from: &CpuSet, count: usize) -> Option<CpuSet> {
        let (mut left, mut taken) = (from.clone(), CpuSet::new());
        if left.len() < count {
            return None;
        }
        let grab = |left: &mut CpuSet, taken: &mut CpuSet, cpus: Vec<u32>| {
            for cpu in cpus {
                left.remove(&cpu);
                taken.insert(cpu);
            }
        };
        let all = self.all();
        // Whole NUMA nodes, those with the fewest free processors first.
        for node in self.nodes_by_room(&left) {
            let (whole, free) = (self.in_nodes(&all, 1 << node), self.in_nodes(&left, 1 << node));
            if whole == free && !whole.is_empty() && count - taken.len() >= whole.len() {
                grab(&mut left, &mut taken, free.into_iter().collect());
            }
        }
        // Whole cores.
        for core in self.cores_by_room(&left) {
            let of =
                |set: &CpuSet| set.iter().copied().filter(|c| self.core(*c) == core).collect::<Vec<u32>>();
            let (whole, free) = (of(&all), of(&left));
            if whole == free && count - taken.len() >= whole.len() {
                grab(&mut left, &mut taken, free);
            }
        }
        // Single processors, of the cores that are broken into already.
        let mut rest: Vec<u32> = Vec::new();
        for core in self.cores_by_room(&left) {
            rest.extend(left.iter().filter(|c| self.core(**c) == core));
        }
        rest.truncate(count - taken.len());
        grab(&mut left, &mut taken, rest);
        Some(taken)
    }

    /// The NUMA nodes, the one with the fewest free processors first (`sortAvailableNUMANodes`).
    fn nodes_by_room(self, free: &CpuSet) -> Vec<u32> {
        let mut nodes: Vec<(usize, u32)> = (0..self.numa)
            .map(|n| (self.in_nodes(free, 1 << n).len(), n))
            .filter(|(room, _)| *room > 0)
            .collect();
        order::sort(&mut nodes);
        nodes.into_iter().map(|(_, n)| n).collect()
    }

    /// The cores, in the order of their NUMA nodes, the one with the fewest free processors first (`sortAvailableCores`).
    fn cores_by_room(self, free: &CpuSet) -> Vec<u32> {
        let mut all = Vec::new();
        for node in self.nodes_by_room(free) {
            let here = self.in_nodes(free, 1 << node);
            let ids: BTreeSet<u32> = here.iter().map(|c| self.core(*c)).collect();
            let room = |core: u32| here.iter().filter(|c| self.core(**c) == core).count();
            let mut cores: Vec<(usize, u32)> = ids.into_iter().map(|core| (room(core), core)).collect();
            order::sort(&mut cores);
            all.extend(cores.into_iter().map(|(_, core)| core));
        }
        all
    }

    /// The best NUMA nodes for so many processors: as few as could ever do, or else as few as can do now. `None` if the processors
    /// that are free are too few.
    pub(super) fn best_hint(self, free: &CpuSet, count: usize) -> Option<Hint> {
        let all = self.all();
        let masks = || 1_u32..(1 << self.numa);
        let could = masks().filter(|m| self.in_nodes(&all, *m).len() >= count).map(u32::count_ones).min()?;
        let can = masks().filter(|m| self.in_nodes(free, *m).len() >= count);
        let best = can.min_by_key(|m| (m.count_ones(), *m))?;
        Some(Hint { nodes: best, preferred: best.count_ones() == could })
    }

    /// Takes processors, as many as possible from the NUMA nodes of a hint (`allocateCPUs`). `None` if there are too few.
    pub(super) fn allocate(self, free: &CpuSet, count: usize, hint: Option<Hint>) -> Option<CpuSet> {
        let aligned = hint.map(|h| self.in_nodes(free, h.nodes)).unwrap_or_default();
        let mut taken = self.take(&aligned, aligned.len().min(count))?;
        let rest: CpuSet = free.difference(&taken).copied().collect();
        let missing = count - taken.len();
        taken.extend(self.take(&rest, missing)?);
        Some(taken)
    }
}

/// A set as text: `0-2,5` (`cpuset.CPUSet.String`).
pub(super) fn text(cpus: &CpuSet) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
            _ => parts.push((*cpu, *cpu)),
        }
    }
    let part = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

/// The set that a text means; `None` if it is none (`cpuset.Parse`).
pub(super) fn parse(text: &str) -> Option<CpuSet> {
    let mut all = CpuSet::new();
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        if from > to || to >= CPUS_LIMIT {
            return None;
        }
        all.extend(from..=to);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn take(topology: Topology, free: &str, count: usize) -> String {
        topology.take(&parse(free).unwrap(), count).map_or_else(|| "too few".into(), |set| text(&set))
    }

    /// `pkg/kubelet/cm/cpumanager/cpu_assignment_test.go`: `TestTakeByTopologyNUMAPacked`
    #[test]
    fn cores_and_numa_nodes_are_kept_whole() {
        let single = Topology { cpus: 8, threads: 2, numa: 1 };
        assert_eq!(take(single, "0-7", 8), "0-7");
        assert_eq!(take(single, "0-7", 1), "0");
        assert_eq!(take(single, "0-7", 2), "0-1");
        // Half of the first core is taken: a whole one is.
        assert_eq!(take(single, "1-7", 2), "2-3");
        // A single processor is of the core that is broken into.
        assert_eq!(take(single, "1-7", 1), "1");
        assert_eq!(take(single, "1-7", 3), "1-3");
        assert_eq!(take(single, "1,3", 3), "too few");
        let dual = Topology { cpus: 12, threads: 2, numa: 2 };
        assert_eq!(take(dual, "0-11", 6), "0-5");
        assert_eq!(take(dual, "1-11", 6), "6-11");
        // The NUMA node with the fewest free processors is used first.
        assert_eq!(take(dual, "0-9", 2), "6-7");
        assert_eq!(take(dual, "0-11", 8), "0-7");
    }

    /// `policy_static_test.go`, `topologymanager/policy_test.go`: as few NUMA nodes as could ever do are preferred.
    #[test]
    fn hints_name_the_fewest_numa_nodes() {
        let dual = Topology { cpus: 8, threads: 1, numa: 2 };
        let hint =
            |free: &str, count| dual.best_hint(&parse(free).unwrap(), count).map(|h| (h.nodes, h.preferred));
        assert_eq!(hint("0-7", 2), Some((0b01, true)));
        assert_eq!(hint("3-7", 2), Some((0b10, true)));
        assert_eq!(hint("2-5", 3), Some((0b11, false)));
        assert_eq!(hint("0-7", 5), Some((0b11, true)));
        assert_eq!(hint("2-3", 3), None);
        let taken =
            dual.allocate(&parse("2-7").unwrap(), 3, dual.best_hint(&parse("2-7").unwrap(), 3)).unwrap();
        assert_eq!(text(&taken), "4-6");
    }
}
