//! What a worker does that helps another one explore: it repeats the same run, and then works out the steps that it is told to.

use std::collections::VecDeque;

use steady::session::explore::message::{Call, Plan, Said};
use steady::session::explore::order::Order;
use steady::session::explore::{Options, Searcher};
use steady::session::{Link, Replay};

use crate::work::{invariants, options};

/// The task of a worker that helps.
#[derive(Default)]
pub struct Search {
    replaying: Option<(Replay, Box<Plan>)>,
    searcher: Option<Searcher>,
    /// What it is to do when it has repeated the run.
    early: VecDeque<Order>,
    /// The memory in use when it had repeated the run, in bytes.
    before: usize,
    failed: bool,
}

impl Search {
    /// Whether there is something to go on with.
    pub fn is_busy(&self) -> bool {
        !self.failed && (self.replaying.is_some() || self.searcher.as_ref().is_some_and(Searcher::is_busy))
    }

    /// Hears the worker that it helps.
    pub fn hear(&mut self, call: Call) -> Vec<Said> {
        match call {
            Call::Begin(plan) => {
                *self = Search::default();
                match Link::decode(&plan.link) {
                    Ok(link) => self.replaying = Some((Replay::new(&link), plan)),
                    Err(why) => return self.fail(why.to_string()),
                }
                Vec::new()
            }
            Call::Order(order) => match &mut self.searcher {
                Some(searcher) => searcher.hear(order).into_iter().map(Said::Told).collect(),
                None => {
                    self.early.push_back(order);
                    Vec::new()
                }
            },
        }
    }

    /// Goes on as long as `time` returns true; `memory` returns the memory in use, in bytes.
    pub fn go_on(&mut self, mut time: impl FnMut() -> bool, memory: impl Fn() -> usize) -> Vec<Said> {
        if let Some((mut replay, plan)) = self.replaying.take() {
            while time() {
                if replay.advance(1) {
                    let session = replay.finish().session;
                    let invariants = match invariants(&plan) {
                        Ok(invariants) => invariants,
                        Err(why) => return self.fail(why.why),
                    };
                    let options: Options = options(&plan);
                    let mut searcher = Searcher::new(session.cluster(), &options, invariants);
                    self.before = memory();
                    let early = std::mem::take(&mut self.early);
                    let told = early.into_iter().flat_map(|order| searcher.hear(order)).map(Said::Told);
                    let said = std::iter::once(Said::Begun).chain(told).collect();
                    self.searcher = Some(searcher);
                    return said;
                }
            }
            self.replaying = Some((replay, plan));
            return Vec::new();
        }
        let Some(searcher) = &mut self.searcher else { return Vec::new() };
        let mut said = Vec::new();
        while searcher.is_busy() && time() {
            said.extend(searcher.work().map(Said::Told));
        }
        said.push(Said::Memory(memory().saturating_sub(self.before)));
        said
    }

    fn fail(&mut self, why: String) -> Vec<Said> {
        self.failed = true;
        vec![Said::Failed(why)]
    }
}
