//! The members of etcd (`go.etcd.io/raft`), as far as they can be seen from outside: who leads, how far each
//! log goes, and whether anything can be written.
//!
//! A write is an entry of the leader's log that a majority of members has. While there is a leader, every
//! member that runs gets every entry at once, so no entries are counted; of a lost member only the end of
//! its log is kept. An elected leader has every entry that was ever acknowledged, because any two majorities
//! share a member.

use jiff::SignedDuration;

use rand_core::Rng;
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

use crate::api::{Timestamp, later};

/// The election timeout in milliseconds (`--election-timeout`). A member that hears of no leader for this
/// time, plus a random time of up to the same length, stands for election.
const ELECTION_TIMEOUT: u32 = 1000;
/// The term of the first leader: the members of a new cluster start with term 1.
const FIRST_TERM: u64 = 2;

/// Where a log ends: its last entry's term and index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LogEnd {
    /// The term that entry was written in.
    pub term: u64,
    /// Its index.
    pub index: u64,
}

/// The role of a member among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The leader takes all writes.
    Leader,
    /// It runs and follows the leader.
    Follower,
    /// It runs, but there is no leader.
    Leaderless,
    /// It does not run, or cannot be reached.
    Lost,
}

/// A member, as it can be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The member's name, for example `etcd-1`.
    pub name: String,
    /// The member's role.
    pub role: Role,
    /// The end of the member's log.
    pub log: LogEnd,
}

/// What is kept of a member.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    lost: bool,
    /// The end of its log; `None` if the log is complete.
    lacks: Option<LogEnd>,
}

/// The members.
#[derive(Clone, Debug)]
pub struct Raft {
    members: Vec<Place>,
    term: u64,
    leader: Option<usize>,
    /// When the running members will have elected a leader; `None` if no election is under way.
    electing: Option<Timestamp>,
    /// The number of log entries that are not revisions: one for each member at the start, and one for each
    /// leader.
    beside: u64,
}

impl Raft {
    /// This many members (0 counts as 1), of which the first leads.
    pub fn new(members: usize) -> Raft {
        let members = members.max(1);
        Raft {
            members: vec![Place::default(); members],
            term: FIRST_TERM,
            leader: Some(0),
            electing: None,
            beside: members as u64 + 1,
        }
    }

    /// Whether there is a leader. Without one nothing can be written, and nothing can be read that has to be
    /// up to date.
    pub fn has_leader(&self) -> bool {
        self.leader.is_some()
    }

    /// The present term.
    pub fn term(&self) -> u64 {
        self.term
    }

    /// When the election under way ends; `None` if there is none.
    pub fn electing(&self) -> Option<Timestamp> {
        self.electing
    }

    /// The number of members, the number that run, and the number that have to run for a majority.
    pub fn quorum(&self) -> (usize, usize, usize) {
        let run = self.members.iter().filter(|m| !m.lost).count();
        (self.members.len(), run, self.members.len() / 2 + 1)
    }

    /// The end of a complete log at a revision.
    fn end(&self, revision: u64) -> LogEnd {
        LogEnd { term: self.term, index: revision + self.beside }
    }

    /// All members at a revision, in order.
    pub fn members(&self, revision: u64) -> Vec<Member> {
        let role = |at: usize, place: &Place| match place {
            Place { lost: true, .. } => Role::Lost,
            _ if self.leader == Some(at) => Role::Leader,
            _ if self.leader.is_some() => Role::Follower,
            _ => Role::Leaderless,
        };
        let member = |(at, place): (usize, &Place)| Member {
            name: format!("etcd-{}", at + 1),
            role: role(at, place),
            log: place.lacks.unwrap_or(self.end(revision)),
        };
        self.members.iter().enumerate().map(member).collect()
    }

    fn place(&mut self, name: &str) -> Option<usize> {
        let at = name.strip_prefix("etcd-")?.parse::<usize>().ok()?.checked_sub(1)?;
        (at < self.members.len()).then_some(at)
    }

    /// A member is lost. `false` if none has that name, or it is lost already.
    pub fn lose(&mut self, name: &str, revision: u64, now: Timestamp, seed: u64) -> bool {
        let end = self.end(revision);
        let Some(at) = self.place(name) else { return false };
        match self.members.get_mut(at) {
            Some(place) if !place.lost => {
                place.lost = true;
                place.lacks.get_or_insert(end);
            }
            _ => return false,
        }
        let (_, run, needed) = self.quorum();
        // A leader that does not reach a majority steps down.
        if self.leader == Some(at) || run < needed {
            self.leader = None;
        }
        self.call_election(now, seed);
        true
    }

    /// A lost member is back, with the log it had. `false` if none has that name, or it is not lost.
    pub fn restore(&mut self, name: &str, now: Timestamp, seed: u64) -> bool {
        let Some(at) = self.place(name) else { return false };
        let leads = self.leader.is_some();
        match self.members.get_mut(at) {
            Some(place) if place.lost => {
                place.lost = false;
                if leads {
                    place.lacks = None;
                }
            }
            _ => return false,
        }
        self.call_election(now, seed);
        true
    }

    fn call_election(&mut self, now: Timestamp, seed: u64) {
        let (_, run, needed) = self.quorum();
        if self.leader.is_some() || run < needed {
            self.electing = None;
        } else if self.electing.is_none() {
            let chance = Pcg32::new(seed, self.term).next_u32() % ELECTION_TIMEOUT;
            let takes = SignedDuration::from_millis(i64::from(ELECTION_TIMEOUT + chance));
            self.electing = Some(later(now, takes));
        }
    }

    /// Ends an election: the running member with the longest log leads. `false` if no election was under
    /// way.
    pub fn elect(&mut self, revision: u64) -> bool {
        if self.electing.take().is_none() {
            return false;
        }
        let end = self.end(revision);
        let running = self.members.iter().enumerate().filter(|(_, m)| !m.lost);
        // Of members with equal logs the first is elected.
        let best = running.max_by_key(|(at, m)| (m.lacks.unwrap_or(end), std::cmp::Reverse(*at)));
        self.leader = best.map(|(at, _)| at);
        self.term += 1;
        self.beside += 1;
        for place in self.members.iter_mut().filter(|m| !m.lost) {
            place.lacks = None;
        }
        true
    }
}

impl Default for Raft {
    fn default() -> Raft {
        Raft::new(1)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn roles(raft: &Raft) -> Vec<Role> {
        raft.members(100).into_iter().map(|m| m.role).collect()
    }

    #[test]
    fn a_majority_goes_on_and_a_minority_does_not() {
        use Role::{Follower, Leader, Leaderless, Lost};
        let mut raft = Raft::new(3);
        assert_eq!(roles(&raft), [Leader, Follower, Follower]);
        assert!(raft.lose("etcd-3", 100, NOW, 1));
        assert!(!raft.lose("etcd-3", 100, NOW, 1));
        assert!(!raft.lose("etcd-4", 100, NOW, 1));
        assert!(raft.has_leader() && raft.electing().is_none());
        assert!(raft.lose("etcd-1", 120, NOW, 1));
        assert_eq!(roles(&raft), [Lost, Leaderless, Lost]);
        assert!(!raft.has_leader() && raft.electing().is_none());
        // The third member lacks what was written without it, so it cannot lead.
        assert!(raft.restore("etcd-3", NOW, 1));
        let takes = raft.electing().unwrap().duration_since(NOW).as_millis();
        assert!((1000..2000).contains(&takes));
        assert!(raft.members(120)[2].log < raft.members(120)[1].log);
        assert!(raft.elect(120));
        assert_eq!(roles(&raft), [Lost, Leader, Follower]);
        assert_eq!(raft.term(), 3);
        let members = raft.members(120);
        assert_eq!(members[2].log, members[1].log);
        assert!(members[0].log < members[1].log);
        assert!(!raft.elect(120));
    }

    #[test]
    fn a_leader_that_is_lost_is_followed_by_another() {
        let mut raft = Raft::new(5);
        assert!(raft.lose("etcd-1", 7, NOW, 1));
        let due = raft.electing().unwrap();
        assert!(raft.lose("etcd-2", 7, NOW, 1), "a second one meanwhile");
        assert_eq!(raft.electing(), Some(due));
        assert!(raft.elect(7));
        assert_eq!(roles(&raft)[2], Role::Leader);
        assert_eq!(raft.quorum(), (5, 3, 3));
    }

    #[test]
    fn whoever_is_elected_has_all_that_was_acknowledged() {
        // Members are lost and come back at random between writes.
        for seed in 0..200 {
            let mut dice = Pcg32::new(seed, 0);
            let (mut raft, mut revision) = (Raft::new(5), 0);
            let mut acknowledged = LogEnd::default();
            for _ in 0..200 {
                let name = format!("etcd-{}", 1 + dice.next_u32() % 5);
                match dice.next_u32() % 4 {
                    0 => {
                        raft.lose(&name, revision, NOW, seed);
                    }
                    1 => {
                        raft.restore(&name, NOW, seed);
                    }
                    2 if raft.elect(revision) => {
                        let leader = raft.members(revision).into_iter().find(|m| m.role == Role::Leader);
                        assert!(leader.unwrap().log > acknowledged);
                    }
                    _ if raft.has_leader() => {
                        revision += 1;
                        acknowledged = raft.end(revision);
                        let have = raft.members(revision).into_iter().filter(|m| m.log >= acknowledged);
                        assert!(have.count() >= 3, "a majority has it");
                    }
                    _ => {}
                }
            }
        }
    }
}
