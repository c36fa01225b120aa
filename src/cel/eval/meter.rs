//! What an evaluation may still cost.

use super::error::EvalError;

/// One evaluation looks at twice as many items as it may cost, and at so many in any case. Costs do not bound that
/// everywhere: comparing lists of lists costs what the outer lists are long.
const WORK_LIMIT: u64 = 2_000_000;

pub(crate) struct Meter {
    cost: u64,
    limit: u64,
    work: u64,
}

impl Meter {
    pub fn new(limit: u64) -> Meter {
        Meter { cost: 0, limit, work: 0 }
    }

    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Adds a cost.
    ///
    /// # Errors
    /// That the limit is exceeded.
    pub fn spend(&mut self, cost: u64) -> Result<(), EvalError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(EvalError::cost_limit()) } else { Ok(()) }
    }

    /// Takes back a cost.
    pub fn refund(&mut self, cost: u64) {
        self.cost = self.cost.saturating_sub(cost);
    }

    /// Counts items that are looked at, or bytes that are made.
    ///
    /// # Errors
    /// That there were too many.
    pub fn work(&mut self, items: u64) -> Result<(), EvalError> {
        self.work = self.work.saturating_add(items);
        if self.work > self.limit.saturating_mul(2).max(WORK_LIMIT) {
            Err(EvalError::cost_limit())
        } else {
            Ok(())
        }
    }
}
