//! How the kernel chooses a real server of a virtual server: the schedulers `ip_vs_rr`, `ip_vs_lc` and so on.

use std::net::{IpAddr, SocketAddr};

use super::super::flow::Flow;
use super::super::packet::{Connections, VirtualServerKey};
use super::super::scheduler::Scheduler;
use super::state::{RealServer, VirtualServer};

/// How many connections that are not open weigh as much as one that is (`ip_vs_dest_conn_overhead`).
const ACTIVE_WEIGHT: u64 = 256;

/// The real server of a new connection; `None` if the virtual server has none that takes connections.
pub(super) fn choose(
    key: &VirtualServerKey,
    server: &VirtualServer,
    flow: &mut Flow<'_>,
) -> Option<SocketAddr> {
    let open: Vec<&RealServer> = server.real_servers.iter().filter(|s| s.weight > 0).collect();
    let list = server.head(key);
    let client = flow.source.ip();
    if let Some(seconds) = server.persistent_seconds
        && let Some(known) = flow.kernel.affine(&list, client, seconds, flow.now)
        && open.iter().any(|s| s.address == known)
    {
        flow.kernel.remember(&list, client, known, flow.now);
        return Some(known);
    }
    let count = |flow: &Flow<'_>, s: &RealServer| {
        flow.kernel.connections.get(&(*key, s.address)).copied().unwrap_or_default()
    };
    let counts: Vec<Connections> = open.iter().map(|s| count(flow, s)).collect();
    let overhead = |c: &Connections| c.active.saturating_mul(ACTIVE_WEIGHT).saturating_add(c.inactive);
    let chosen = match server.scheduler {
        Scheduler::RoundRobin | Scheduler::WeightedRoundRobin => {
            let last = flow.kernel.last_chosen.get(key);
            let last = last.and_then(|last| open.iter().position(|s| s.address == *last));
            let turn = last.map_or(0, |last| (last + 1) % open.len().max(1));
            flow.dice.turn(turn, open.len())
        }
        Scheduler::LeastConnection | Scheduler::WeightedLeastConnection => least(&counts, overhead, flow),
        Scheduler::ShortestExpectedDelay => least(&counts, |c| c.active, flow),
        Scheduler::NeverQueue => {
            // One that has nothing to do comes first, and it is the first one in the list.
            match counts.iter().position(|c| c.active == 0) {
                Some(idle) if counts.iter().any(|c| c.active > 0) => idle,
                _ => least(&counts, |c| c.active, flow),
            }
        }
        Scheduler::SourceHashing => bucket(client, open.len()),
        Scheduler::DestinationHashing => bucket(key.0.ip(), open.len()),
    };
    let chosen = open.get(chosen)?.address;
    flow.kernel.last_chosen.insert(*key, chosen);
    if server.persistent_seconds.is_some() {
        flow.kernel.remember(&list, client, chosen, flow.now);
    }
    Some(chosen)
}

/// The first server with the least load. If all have the same, each of them will have its turn.
fn least(counts: &[Connections], load: impl Fn(&Connections) -> u64, flow: &mut Flow<'_>) -> usize {
    let smallest = counts.iter().map(&load).min().unwrap_or_default();
    let first = counts.iter().position(|c| load(c) == smallest).unwrap_or_default();
    let equal = counts.iter().all(|c| load(c) == smallest);
    if equal { flow.dice.turn(first, counts.len()) } else { first }
}

/// How many buckets the table of a scheduler that hashes has.
const BUCKETS: u32 = 256;

/// The server that an address's hash leads to (`ip_vs_sh_hashkey`, `hash_32`): the buckets belong to the servers in turn.
fn bucket(ip: IpAddr, servers: usize) -> usize {
    let folded = match ip {
        IpAddr::V4(ip) => u32::from(ip),
        IpAddr::V6(ip) => {
            let bits = u128::from(ip);
            // The four words of the address, each cut to its 32 bits.
            [96, 64, 32, 0].iter().fold(0, |word, shift| word ^ (bits >> shift) as u32)
        }
    };
    let hash = folded.wrapping_mul(0x61C8_8647) >> (32 - BUCKETS.trailing_zeros());
    usize::try_from(hash).unwrap_or_default().checked_rem(servers).unwrap_or_default()
}
