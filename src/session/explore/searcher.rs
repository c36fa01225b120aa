//! Working out the steps of states: what a search costs. A [`Searcher`] has the clusters of the states that are its own to
//! explore, and knows nothing of the graph.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::address::OfAddress;
use super::findings::{Fresh, Judged, Seen, Step};
use super::fingerprint::Fingerprints;
use super::invariant::{Invariant, Violation};
use super::normal::{Able, Choice, Did, Next, Normal, normal};
use super::order::{Branch, Order, Told};
use super::{Options, StateId};
use crate::cluster::{Cluster, Stopped};
use crate::session::Depth;

/// Explores the states that it is told to.
pub struct Searcher {
    start: Cluster,
    depth: Depth,
    invariants: Vec<Box<dyn Invariant>>,
    /// The invariants that are known to be violated, by index. They are not checked any more.
    broken: BTreeSet<usize>,
    pub(super) fingerprints: Fingerprints,
    pub(super) able: Able,
    /// The states that are its own to explore, and their clusters.
    held: BTreeMap<StateId, Normal>,
    /// The states that it has found and that nobody has judged yet: the state and the index of the step that leads there.
    offered: BTreeMap<(StateId, usize), (u128, Normal)>,
    /// For each fingerprint that it has found the smallest id of a state from which it has.
    seen: Prints,
    /// The paths that it has yet to take, to states that others have found.
    replays: VecDeque<Replay>,
}

/// A map by fingerprints, which is asked for one at a time and never gone through.
type Prints = HashMap<u128, StateId, std::hash::BuildHasherDefault<OfAddress>>;

/// Paths that are taken one step at a time.
struct Replay {
    branches: VecDeque<Branch>,
    /// By the index of its branch: the state there and how many branches begin at it, as long as some do.
    there: BTreeMap<usize, Normal>,
    uses: Vec<usize>,
    at: usize,
}

impl Searcher {
    /// A searcher from a cluster, which holds no state.
    pub fn new(start: &Cluster, options: &Options, invariants: Vec<Box<dyn Invariant>>) -> Searcher {
        Searcher {
            start: start.clone(),
            depth: options.depth,
            invariants,
            broken: BTreeSet::new(),
            fingerprints: Fingerprints::new(options.symmetry),
            able: Able::default(),
            held: BTreeMap::new(),
            offered: BTreeMap::new(),
            seen: Prints::default(),
            replays: VecDeque::new(),
        }
    }

    /// The names of the invariants.
    pub(super) fn names(&self) -> Vec<String> {
        self.invariants.iter().map(|i| i.name().to_owned()).collect()
    }

    /// What is to be known of the start, which is its own to explore.
    pub(super) fn begin(&mut self) -> Result<(u128, Fresh), Stopped> {
        let here = self.first()?;
        let fingerprint = self.fingerprints.of(&here.cluster);
        let fresh = self.look(&here);
        if !here.is_steady() {
            self.held.insert(0, here);
        }
        Ok((fingerprint, fresh))
    }

    /// Whether there is something that it can do now.
    pub fn is_busy(&self) -> bool {
        !self.held.is_empty() || !self.replays.is_empty()
    }

    /// Hears what it is to do.
    pub fn hear(&mut self, order: Order) -> Vec<Told> {
        match order {
            Order::Judged(judged) => self.judged(&judged),
            Order::Broken(broken) => self.broken.extend(broken),
            Order::Take(branches) => {
                let mut uses = vec![0; branches.len()];
                for from in branches.iter().filter_map(|b| b.from) {
                    if let Some(n) = uses.get_mut(from) {
                        *n += 1;
                    }
                }
                self.replays.push_back(Replay {
                    branches: branches.into(),
                    there: BTreeMap::new(),
                    uses,
                    at: 0,
                });
            }
            Order::GiveUp(most) => return vec![Told::GaveUp(self.give_up(most))],
        }
        Vec::new()
    }

    /// Does the next piece of work. `None` if there is none, or nothing is to be told of it.
    pub fn work(&mut self) -> Option<Told> {
        if self.replays.is_empty() {
            let (id, steps) = self.explore()?;
            return Some(Told::Explored(id, steps));
        }
        self.go_a_step().err().map(Told::Failed)
    }

    /// The steps of the state with the smallest id that is its own to explore.
    pub(super) fn explore(&mut self) -> Option<(StateId, Vec<Step>)> {
        let (id, here) = self.held.pop_first()?;
        let nobody = || Did { by: None, writes: Vec::new() };
        let circle = |choice| Step { choice, did: nobody(), broke: Vec::new(), to: None };
        let mut steps = Vec::with_capacity(here.choices.len());
        for choice in here.choices.iter().copied() {
            match here.take(choice) {
                Ok(None) => {}
                Err(_) => steps.push(circle(choice)),
                Ok(Some(next)) => {
                    let step = self.step(id, steps.len(), &here, next);
                    steps.push(step);
                }
            }
        }
        Some((id, steps))
    }

    fn step(&mut self, id: StateId, nth: usize, here: &Normal, next: Next) -> Step {
        let Next { choice, did, after } = next;
        let broke = self.check(|i| i.step(&here.cluster, &after));
        let Ok(there) = normal(after, self.depth, &mut self.able) else {
            return Step { choice, did, broke, to: None };
        };
        let fingerprint = self.fingerprints.of(&there.cluster);
        let is_fresh = self.seen.get(&fingerprint).is_none_or(|from| id < *from);
        let fresh = is_fresh.then(|| {
            self.seen.insert(fingerprint, id);
            let fresh = self.look(&there);
            if fresh.objects.is_none() {
                self.offered.insert((id, nth), (fingerprint, there));
            }
            fresh
        });
        Step { choice, did, broke, to: Some(Seen { fingerprint: fingerprint.into(), fresh }) }
    }

    fn look(&mut self, here: &Normal) -> Fresh {
        let steady = here.is_steady();
        let broke = self.check(|i| {
            let always = i.state(&here.cluster);
            if steady { always.and_then(|()| i.steady(&here.cluster)) } else { always }
        });
        Fresh { objects: steady.then(|| self.fingerprints.of_objects(&here.cluster).into()), broke }
    }

    /// The violations of the invariants that are not known to be violated.
    fn check(&self, holds: impl Fn(&dyn Invariant) -> Result<(), Violation>) -> Vec<(usize, Violation)> {
        let all = self.invariants.iter().enumerate().filter(|(nth, _)| !self.broken.contains(nth));
        all.filter_map(|(nth, invariant)| Some((nth, holds(&**invariant).err()?))).collect()
    }

    /// What becomes of the states that it has offered.
    pub(super) fn judged(&mut self, judged: &Judged) {
        let mut later = self.offered.split_off(&(judged.of, 0));
        self.offered.append(&mut later.split_off(&(judged.of.saturating_add(1), 0)));
        for nth in &judged.refused {
            if let Some((fingerprint, _)) = later.get(&(judged.of, *nth)) {
                self.seen.remove(fingerprint);
            }
        }
        for (nth, id) in &judged.kept {
            if let Some((_, there)) = later.remove(&(judged.of, *nth)) {
                self.held.insert(*id, there);
            }
        }
    }

    pub(super) fn broken(&mut self, broken: impl IntoIterator<Item = usize>) {
        self.broken.extend(broken);
    }

    /// Gives up at most so many of its states, those that it would explore last.
    pub(super) fn give_up(&mut self, most: usize) -> Vec<StateId> {
        let mut given: Vec<StateId> = self.held.keys().rev().take(most).copied().collect();
        given.reverse();
        for id in &given {
            self.held.remove(id);
        }
        given
    }

    /// Takes the next step of the paths to states that others have found.
    fn go_a_step(&mut self) -> Result<(), String> {
        let Some(mut replay) = self.replays.pop_front() else { return Ok(()) };
        let Some(branch) = replay.branches.pop_front() else { return Ok(()) };
        let lost = || "a worker could not repeat the way to a state that another one has found".to_owned();
        let (at, from) = (replay.at, branch.from);
        let here = match from {
            None => self.first(),
            Some(from) => {
                let before = replay.there.get(&from).ok_or_else(lost)?;
                let next = before.take(branch.choice).ok().flatten().ok_or_else(lost)?;
                normal(next.after, self.depth, &mut self.able)
            }
        };
        let here = here.map_err(|_| lost())?;
        // The names of objects that are there have to be known when they are not any more.
        let fingerprint = self.fingerprints.of(&here.cluster);
        if let Some((id, expected)) = branch.state {
            if u128::from(expected) != fingerprint {
                return Err(lost());
            }
            self.held.insert(id, here.clone());
        }
        if let Some(from) = from
            && let Some(uses) = replay.uses.get_mut(from)
        {
            *uses = uses.saturating_sub(1);
            if *uses == 0 {
                replay.there.remove(&from);
            }
        }
        if replay.uses.get(at).is_some_and(|uses| *uses > 0) {
            replay.there.insert(at, here);
        }
        replay.at += 1;
        if !replay.branches.is_empty() {
            self.replays.push_front(replay);
        }
        Ok(())
    }

    fn first(&mut self) -> Result<Normal, Stopped> {
        normal(self.start.clone(), self.depth, &mut self.able)
    }

    /// The state of a cluster, by its fingerprint.
    pub(super) fn fingerprint(&mut self, cluster: &Cluster) -> Option<u128> {
        let here = normal(cluster.clone(), self.depth, &mut self.able).ok()?;
        Some(self.fingerprints.of(&here.cluster))
    }

    /// The cluster at the end of a path from the start.
    pub(super) fn cluster(&self, way: impl IntoIterator<Item = Choice>) -> Option<Cluster> {
        let mut able = Able::default();
        let mut here = normal(self.start.clone(), self.depth, &mut able).ok()?;
        for choice in way {
            let next = here.take(choice).ok()??;
            here = normal(next.after, self.depth, &mut able).ok()?;
        }
        Some(here.cluster)
    }

    /// The choices that lead from the start through states with these fingerprints, one after the other.
    pub(super) fn through(&mut self, fingerprints: impl IntoIterator<Item = u128>) -> Option<Vec<Choice>> {
        let mut here = self.first().ok()?;
        let mut way = Vec::new();
        for wanted in fingerprints {
            let mut found = None;
            for next in here.steps() {
                let next = next.ok()?;
                let there = normal(next.after, self.depth, &mut self.able).ok()?;
                if self.fingerprints.of(&there.cluster) == wanted {
                    found = Some((next.choice, there));
                    break;
                }
            }
            let (choice, there) = found?;
            way.push(choice);
            here = there;
        }
        Some(way)
    }
}
