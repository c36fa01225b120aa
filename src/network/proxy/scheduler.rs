//! How IPVS chooses a real server (`--ipvs-scheduler`). The modules of the kernel have the same names: `ip_vs_rr`.

use std::fmt;

/// A scheduler of IPVS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// `rr`: one after the other. This is what kube-proxy uses if nothing is said.
    #[default]
    RoundRobin,
    /// `wrr`: one after the other, by weight. kube-proxy gives every server the weight 1.
    WeightedRoundRobin,
    /// `lc`: the server with the fewest connections.
    LeastConnection,
    /// `wlc`: the server with the fewest connections for its weight.
    WeightedLeastConnection,
    /// `sh`: by a hash of the source address.
    SourceHashing,
    /// `dh`: by a hash of the destination address.
    DestinationHashing,
    /// `sed`: the server with the shortest expected delay.
    ShortestExpectedDelay,
    /// `nq`: a server that has nothing to do, and otherwise as `sed`.
    NeverQueue,
}

impl Scheduler {
    /// The scheduler of a name; `None` if the name is not known here.
    pub fn parse(name: &str) -> Option<Scheduler> {
        Some(match name {
            "" | "rr" => Scheduler::RoundRobin,
            "wrr" => Scheduler::WeightedRoundRobin,
            "lc" => Scheduler::LeastConnection,
            "wlc" => Scheduler::WeightedLeastConnection,
            "sh" => Scheduler::SourceHashing,
            "dh" => Scheduler::DestinationHashing,
            "sed" => Scheduler::ShortestExpectedDelay,
            "nq" => Scheduler::NeverQueue,
            _ => return None,
        })
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheduler::RoundRobin => "rr",
            Scheduler::WeightedRoundRobin => "wrr",
            Scheduler::LeastConnection => "lc",
            Scheduler::WeightedLeastConnection => "wlc",
            Scheduler::SourceHashing => "sh",
            Scheduler::DestinationHashing => "dh",
            Scheduler::ShortestExpectedDelay => "sed",
            Scheduler::NeverQueue => "nq",
        })
    }
}
