//! Several searchers for one graph: who explores what.
//!
//! A state is explored by the searcher that was first to reach it, which has its cluster already. Where one has much to do and
//! another one little, it gives states up, and the other one takes the paths to them. What they find is entered in the order of
//! the states' ids, whenever it comes ([`Graph`]), so the result does not depend on their number and speed.

use std::collections::BTreeMap;

use super::StateId;
use super::findings::Step;
use super::graph::Graph;
use super::normal::Choice;
use super::order::{Branch, HANDED, Order, STEPS, Told};

/// Who has at most so many states to explore gets some of another one's. (Both are lower in this crate's own tests, whose
/// graphs are small.)
const POOR: usize = if cfg!(test) { 2 } else { 16 };
/// Who has at least so many states to explore can give some up.
const RICH: usize = if cfg!(test) { 6 } else { 64 };

/// A searcher, as the one who keeps the graph sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    /// The number of states that it has yet to tell the steps of.
    load: usize,
    /// For whom it was asked to give up states.
    asked: Option<usize>,
}

/// The searchers of an exploration.
#[derive(Debug)]
pub(super) struct Crew {
    members: Vec<Member>,
    /// The states whose steps are not in the graph, and who explores them.
    owners: BTreeMap<StateId, usize>,
    /// The steps of states with smaller ones before them whose steps are not known yet, and who has told them.
    early: BTreeMap<StateId, Vec<Step>>,
    orders: Vec<(usize, Order)>,
    /// The number of violated invariants that the searchers have been told of.
    broken: usize,
}

impl Crew {
    /// So many searchers, which share these states, in the order of their ids: all that are reached and not explored.
    pub fn new(graph: &Graph, searchers: usize, waiting: &[StateId]) -> Crew {
        let mut crew = Crew {
            members: vec![Member::default(); searchers],
            owners: BTreeMap::new(),
            early: BTreeMap::new(),
            orders: Vec::new(),
            broken: 0,
        };
        crew.tell_broken(graph);
        // Each gets some of those that are explored first.
        for to in 0..searchers {
            let share: Vec<StateId> = waiting.iter().skip(to).step_by(searchers).copied().collect();
            if !share.is_empty() {
                crew.hand(graph, share, to);
            }
        }
        crew
    }

    /// What the searchers are to hear, each with its number.
    pub fn take_orders(&mut self) -> Vec<(usize, Order)> {
        std::mem::take(&mut self.orders)
    }

    /// Enters what a searcher tells.
    ///
    /// # Errors
    /// Why the search cannot go on.
    pub fn hear(&mut self, graph: &mut Graph, from: usize, told: Told) -> Result<(), String> {
        let strange = || "a worker has told something that it was not asked for".to_owned();
        let member = self.members.get_mut(from).ok_or_else(strange)?;
        match told {
            Told::Failed(why) => return Err(why),
            Told::Explored(id, steps) => {
                let is_its = self.owners.get(&id) == Some(&from) && !self.early.contains_key(&id);
                if !is_its || steps.len() > STEPS {
                    return Err(strange());
                }
                member.load = member.load.saturating_sub(1);
                self.early.insert(id, steps);
                self.enter(graph);
            }
            Told::GaveUp(ids) => {
                let to = member.asked.take().ok_or_else(strange)?;
                let are_its = ids.iter().all(|id| self.owners.get(id) == Some(&from));
                if !are_its || ids.len() > HANDED {
                    return Err(strange());
                }
                member.load = member.load.saturating_sub(ids.len());
                if !ids.is_empty() {
                    self.hand(graph, ids, to);
                }
            }
        }
        self.level();
        Ok(())
    }

    /// Enters the steps of all states whose turn it is.
    fn enter(&mut self, graph: &mut Graph) {
        while let Some((id, owner)) = self.owners.first_key_value().map(|(id, owner)| (*id, *owner)) {
            let Some(steps) = self.early.remove(&id) else { break };
            self.owners.remove(&id);
            let judged = graph.explored(id, steps);
            for (_, new) in &judged.kept {
                self.owners.insert(*new, owner);
            }
            if let Some(member) = self.members.get_mut(owner) {
                member.load += judged.kept.len();
            }
            self.orders.push((owner, Order::Judged(judged)));
        }
        self.tell_broken(graph);
    }

    fn tell_broken(&mut self, graph: &Graph) {
        let broken: Vec<usize> = graph.broken().collect();
        if broken.len() > self.broken {
            self.broken = broken.len();
            let all = (0..self.members.len()).map(|member| (member, Order::Broken(broken.clone())));
            self.orders.extend(all);
        }
    }

    /// Has one who has much to do give up states for one who has little.
    fn level(&mut self) {
        for poor in 0..self.members.len() {
            let Some(needy) = self.members.get(poor).copied() else { continue };
            let expects = self.members.iter().any(|m| m.asked == Some(poor));
            if needy.load > POOR || expects {
                continue;
            }
            let others = self.members.iter_mut().enumerate().filter(|(n, m)| *n != poor && m.asked.is_none());
            let Some((rich, member)) = others.max_by_key(|(n, m)| (m.load, usize::MAX - n)) else { continue };
            if member.load < RICH {
                continue;
            }
            member.asked = Some(poor);
            let most = ((member.load - needy.load) / 2).min(HANDED);
            self.orders.push((rich, Order::GiveUp(most)));
        }
    }

    /// Has a searcher explore states that it does not have: it gets the paths to them.
    fn hand(&mut self, graph: &Graph, ids: Vec<StateId>, to: usize) {
        let mut at: BTreeMap<StateId, usize> = BTreeMap::new();
        let mut branches: Vec<Branch> = vec![Branch { from: None, choice: Choice::Time, state: None }];
        at.insert(0, 0);
        for id in &ids {
            let mut before = 0;
            for (choice, there) in graph.way(*id) {
                before = *at.entry(there).or_insert_with(|| {
                    branches.push(Branch { from: Some(before), choice, state: None });
                    branches.len() - 1
                });
            }
            let fingerprint = graph.states().get(*id).map(|s| s.fingerprint.into());
            if let Some(branch) = branches.get_mut(before) {
                branch.state = fingerprint.map(|f| (*id, f));
            }
            self.owners.insert(*id, to);
        }
        if let Some(member) = self.members.get_mut(to) {
            member.load += ids.len();
        }
        self.orders.push((to, Order::Take(branches)));
    }
}
