//! A search by several workers finds what a search by one does, however many they are and whenever their messages come.
#![allow(clippy::unwrap_used)]
use std::collections::VecDeque;

use super::message::{read, write};
use super::order::{Order, Told};
use super::*;
use crate::session::{Session, Start, scenario};

/// A source of chance, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A worker, what is on its way to it and what is on its way from it. Messages of one direction keep their order.
struct Worker {
    searcher: Searcher,
    to: VecDeque<String>,
    from: VecDeque<String>,
}

/// A search by so many workers, whose work and whose messages come in an order that chance decides. Stops after so many moves.
fn searched(s: &Session, options: &Options, workers: usize, seed: u64, moves: usize) -> Explorer {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut e = Explorer::new(s.cluster(), options.clone(), builtin());
    e.explore(chance.below(60));
    e.share(workers);
    let worker = || Worker {
        searcher: Searcher::new(s.cluster(), options, builtin()),
        to: VecDeque::new(),
        from: VecDeque::new(),
    };
    let mut all: Vec<Worker> = (0..workers).map(|_| worker()).collect();
    for _ in 0..moves {
        if e.waiting() == 0 {
            break;
        }
        for (n, order) in e.orders() {
            all[n].to.push_back(write(&order));
        }
        // One of them is slow.
        let n = chance.below(workers);
        if n == 0 && chance.below(3) > 0 {
            continue;
        }
        let w = &mut all[n];
        match chance.below(4) {
            0 => {
                if let Some(order) = w.to.pop_front() {
                    let told = w.searcher.hear(read::<Order>(&order).unwrap());
                    w.from.extend(told.iter().map(write));
                }
            }
            1 => {
                if let Some(told) = w.from.pop_front() {
                    e.hear(n, read::<Told>(&told).unwrap()).unwrap();
                }
            }
            _ => w.from.extend(w.searcher.work().iter().map(write)),
        }
    }
    e
}

fn alone(s: &Session, options: &Options) -> Explorer {
    let options = Options { waiting: usize::MAX, ..options.clone() };
    let mut e = Explorer::new(s.cluster(), options, builtin());
    while e.explore(100) {}
    e
}

/// A Deployment with two replicas, and two scenarios, one of which breaks an invariant.
fn sessions() -> Vec<(&'static str, Session)> {
    let mut first = Session::new(Start { nodes: 2, ..Start::default() });
    let manifest = scenario::all().remove(0).manifest.replace("replicas: 3", "replicas: 2");
    assert_eq!(first.apply(&manifest).exit, 0);
    let recreate = scenario::find("06-recreate").unwrap().open();
    let update = scenario::find("04-rolling-update").unwrap().open();
    vec![("first", first), ("recreate", recreate), ("update", update)]
}

#[test]
fn several_workers_find_what_one_finds() {
    for (name, s) in sessions() {
        // The bound is met in the larger ones.
        let symmetry = if name == "update" { Symmetry::Distinct } else { Symmetry::Merged };
        let options = Options { symmetry, states: 160, ..Options::default() };
        let mut one = alone(&s, &options);
        let longest = one.longest();
        for (seed, workers) in [(1, 1), (2, 2), (3, 5)] {
            let mut e = searched(&s, &options, workers, seed, usize::MAX);
            assert_eq!(e.report(), one.report(), "{name} {workers}");
            assert!(e.states() == one.states(), "{name} {workers}");
            assert_eq!(e.longest(), longest);
            assert_eq!(e.through(&longest), one.through(&longest));
            assert_eq!(e.find(s.cluster()), Some(0));
        }
    }
}

/// Stopped at any time, the states so far are those that one worker reaches first.
#[test]
fn a_search_that_is_stopped_has_found_the_nearest_states() {
    let (_, s) = sessions().remove(2);
    let options = Options { states: 300, ..Options::default() };
    let one = alone(&s, &options);
    for (seed, moves) in [(1, 50), (2, 200), (3, 400)] {
        let e = searched(&s, &options, 3, seed, moves);
        assert!(!e.states().is_empty() && e.states().len() < one.states().len());
        assert!(!e.report().complete);
        for (state, of_one) in e.states().iter().zip(one.states()) {
            assert_eq!((state.from, state.fingerprint), (of_one.from, of_one.fingerprint));
            assert!(!state.explored || state == of_one);
        }
    }
}

#[test]
fn what_was_not_asked_for_ends_the_search_and_nothing_else() {
    let (_, s) = sessions().remove(0);
    let told = [
        (0, Told::Explored(5, Vec::new())),
        (1, Told::Explored(0, Vec::new())),
        (7, Told::GaveUp(Vec::new())),
        (0, Told::GaveUp(vec![0])),
        (0, Told::Failed("no memory".into())),
    ];
    for (from, told) in told {
        let mut e = Explorer::new(s.cluster(), Options::default(), builtin());
        assert!(e.hear(from, told.clone()).is_err());
        e.share(2);
        assert!(e.hear(from, told).is_err());
        assert_eq!(e.report().states, 1);
    }
    // A path that leads to another state than the one that is meant.
    let mut searcher = Searcher::new(s.cluster(), &Options::default(), Vec::new());
    let start = order::Branch { from: None, choice: Choice::Time, state: Some((0, 1u128.into())) };
    searcher.hear(Order::Take(vec![start]));
    assert!(matches!(searcher.work(), Some(Told::Failed(_))));
}
