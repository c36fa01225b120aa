//! An explorer that has other workers help it, without a browser.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::VecDeque;

use steady::session::explore::message::{Ask, Call, Found, Goal, Plan, Said, Tell, read, write};
use steady::session::explore::{Cut, Symmetry, builtin};
use steady::session::{Depth, Link, scenario};
use steady_worker::{Search, Work};

/// A rolling update, whose bound on states is met.
fn plan() -> Plan {
    let session = scenario::find("04-rolling-update").unwrap().open();
    Plan {
        link: Link::between(&session, 0).unwrap().encode(),
        depth: Depth::Command,
        symmetry: Symmetry::Merged,
        states: 900,
        steps: 1_000,
        megabytes: 100,
        invariants: builtin().iter().map(|i| i.name().to_owned()).collect(),
        own: Vec::new(),
    }
}

/// A worker that helps, and what is on its way to it.
#[derive(Default)]
struct Helper {
    search: Search,
    orders: VecDeque<String>,
    /// The memory that it says it has when it is asked the next time, in bytes: none when it has just begun.
    memory: Cell<usize>,
}

/// What the page, an explorer and those that help it are, and what is on its way between them.
struct Page {
    work: Work,
    told: Vec<Tell>,
    turn: u32,
    helpers: Vec<Helper>,
    /// How many helpers were ever started.
    started: usize,
    /// The memory that each of them says it has, in megabytes.
    memory: usize,
}

impl Page {
    fn new(cores: usize) -> Page {
        let mut work = Work::new(cores);
        assert_eq!(work.hear(Ask::Explore(Box::new(plan())), 0), []);
        Page { work, told: Vec::new(), turn: 0, helpers: Vec::new(), started: 0, memory: 1 }
    }

    /// One slice of everybody. What static/worker.js does.
    fn slice(&mut self) {
        let some = |n: usize| {
            let mut left = n;
            move || {
                left -= 1;
                left > 0
            }
        };
        if self.work.is_busy() && !self.work.waits_for_others() {
            self.told.extend(self.work.go_on(some(40), || 0));
        }
        self.call();
        for n in 0..self.helpers.len() {
            // A helper that was ended meanwhile is gone.
            let Some(Helper { search, orders, memory }) = self.helpers.get_mut(n) else { break };
            let mut said = Vec::new();
            while let Some(call) = orders.pop_front() {
                said.extend(search.hear(read::<Call>(&call).unwrap()));
            }
            if search.is_busy() {
                let grows = || memory.replace(self.memory << 20);
                said.extend(search.go_on(some(10 + 20 * n), grows));
            }
            let said: Vec<Said> = read(&write(&said)).unwrap();
            self.told.extend(self.work.hear_helper(n, said, 0));
            self.call();
        }
    }

    fn call(&mut self) {
        let Some(calls) = self.work.calls() else { return };
        if calls.turn != self.turn {
            self.turn = calls.turn;
            self.helpers.clear();
        }
        for (n, text) in calls.say {
            if n == self.helpers.len() {
                self.helpers.push(Helper::default());
                self.started += 1;
            }
            self.helpers[n].orders.push_back(text);
        }
    }

    fn finish(&mut self) -> Found {
        while self.work.is_busy() {
            self.slice();
        }
        assert!(self.helpers.is_empty(), "nobody works on when it is done");
        let found = self.told.iter().rev().find_map(|t| match t {
            Tell::Found(f) => Some((**f).clone()),
            _ => None,
        });
        found.unwrap()
    }
}

#[test]
fn those_who_help_change_nothing_that_is_found() {
    let mut alone = Page::new(1);
    let mut one = alone.finish();
    assert_eq!((alone.started, one.cut), (0, Some(Cut::States)));
    one.memory = 0;
    for cores in [2, 3] {
        let mut page = Page::new(cores);
        let found = page.finish();
        assert_eq!(page.started, cores);
        assert_eq!(Found { memory: 0, ..found }, one);
        for goal in [Goal::State(850), Goal::Broken(0)] {
            assert_eq!(page.work.hear(Ask::Way(goal), 0), alone.work.hear(Ask::Way(goal), 0));
        }
        assert_eq!(page.work.hear(Ask::Picture(None), 0), alone.work.hear(Ask::Picture(None), 0));
        // A second exploration begins with others.
        assert_eq!(page.work.hear(Ask::Explore(Box::new(plan())), 0), []);
        page.finish();
        assert_eq!(page.started, 2 * cores);
    }
}

/// A page whose explorer has shared its work.
fn shared() -> Page {
    let mut page = Page::new(2);
    while !page.work.waits_for_others() {
        assert!(page.work.is_busy());
        page.slice();
    }
    page
}

#[test]
fn stopping_and_the_bound_on_memory_end_all_of_them() {
    let mut page = shared();
    page.slice();
    let told = page.work.hear(Ask::Stop, 0);
    page.call();
    assert!(matches!(&told[..], [Tell::Found(f), Tell::Picture(_)] if !f.complete && f.cut.is_none()));
    assert!(page.helpers.is_empty() && !page.work.is_busy());

    let mut page = shared();
    page.memory = 60;
    let found = page.finish();
    assert_eq!((found.cut, found.complete), (Some(Cut::Memory), false));
}

#[test]
fn one_that_dies_ends_the_exploration_if_it_had_work() {
    let mut page = shared();
    let told = page.work.hear_helper(1, vec![Said::Failed("no memory".into())], 0);
    page.call();
    assert_eq!(told, [Tell::Failed("no memory".into())]);
    assert!(page.helpers.is_empty() && !page.work.is_busy());

    // Where one cannot be had, the explorer goes on alone.
    let mut page = Page::new(2);
    while page.started == 0 {
        page.slice();
    }
    assert_eq!(page.work.hear_helper(0, vec![Said::Failed("no worker".into())], 0), []);
    page.call();
    assert!(page.helpers.is_empty());
    assert_eq!(page.finish().cut, Some(Cut::States));
    assert_eq!(page.started, 2);
}
