//! The workers that help one explore, as that one sees them.

use steady::session::explore::message::{Call, Calls, Plan, Said, write};
use steady::session::explore::order::{Order, SEARCHERS};

/// Who helps, what they are to be sent, and how much memory each takes.
#[derive(Debug, Default)]
pub(crate) struct Helpers {
    /// How many there can be: none if the machine has one core.
    pub most: usize,
    /// Those that were called, each with its memory in bytes, once it can hear orders.
    called: Vec<Option<usize>>,
    calls: Calls,
    /// Whether [`Helpers::take_calls`] has something to hand out.
    changed: bool,
}

impl Helpers {
    /// As many as the machine has cores.
    pub fn new(cores: usize) -> Helpers {
        Helpers { most: if cores > 1 { cores.min(SEARCHERS) } else { 0 }, ..Helpers::default() }
    }

    /// Calls all, for a plan. Does nothing if they are called already.
    pub fn call(&mut self, plan: &Plan) {
        if self.called.is_empty() && self.most > 0 {
            self.called = vec![None; self.most];
            for n in 0..self.most {
                self.say(n, &Call::Begin(Box::new(plan.clone())));
            }
        }
    }

    /// Ends all that were called.
    pub fn end(&mut self) {
        if !self.called.is_empty() {
            self.called.clear();
            self.calls.say.clear();
            self.calls.turn += 1;
            self.changed = true;
        }
    }

    /// Notes what one of them said of itself.
    pub fn note(&mut self, n: usize, said: &Said) {
        if let Some(memory) = self.called.get_mut(n) {
            match said {
                Said::Begun => *memory = Some(0),
                Said::Memory(bytes) => *memory = Some(*bytes),
                Said::Told(_) | Said::Failed(_) => {}
            }
        }
    }

    /// Whether it is one of those that were called.
    pub fn has(&self, n: usize) -> bool {
        n < self.called.len()
    }

    /// Whether some were called and all of them can hear orders.
    pub fn are_ready(&self) -> bool {
        !self.called.is_empty() && self.called.iter().all(Option::is_some)
    }

    /// How many were called.
    pub fn count(&self) -> usize {
        self.called.len()
    }

    /// The memory of all, in bytes.
    pub fn memory(&self) -> usize {
        self.called.iter().flatten().sum()
    }

    /// Sends them what they are to do.
    pub fn order(&mut self, orders: Vec<(usize, Order)>) {
        for (n, order) in orders {
            self.say(n, &Call::Order(order));
        }
    }

    fn say(&mut self, n: usize, call: &Call) {
        self.calls.say.push((n, write(call)));
        self.changed = true;
    }

    /// What is to be done with them since the last call; `None` if nothing is.
    pub fn take_calls(&mut self) -> Option<Calls> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        Some(Calls { turn: self.calls.turn, say: std::mem::take(&mut self.calls.say) })
    }
}
