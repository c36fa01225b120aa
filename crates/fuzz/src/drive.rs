//! Making inputs and executing them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Once;

use crate::dice::Dice;
use crate::heard::Heard;
use crate::mutate::mutate;
use crate::targets::Target;

/// The most inputs that are kept for further changes.
const POOL: usize = 20_000;
/// The longest input that is kept for further changes, in bytes.
const POOLED: usize = 60_000;
/// How many executions are spent on making a finding shorter.
const SHORTENINGS: usize = 400;

/// A promise that an input broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where in the code, as `file:line`.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message: String = self.message.chars().take(2_000).collect();
        write!(f, "{}: {message}", self.place)
    }
}

thread_local! {
    /// What the last panic of this thread said, while inputs are executed.
    static PANICKED: RefCell<Option<Finding>> = const { RefCell::new(None) };
    static LISTENING: RefCell<bool> = const { RefCell::new(false) };
}

/// Has panics of executions noted instead of printed.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !LISTENING.with(|l| *l.borrow()) {
                return before(info);
            }
            let place = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
            let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
            PANICKED.with(|p| *p.borrow_mut() = Some(Finding { place, message }));
        }));
    });
}

/// Executes a target on an input. Returns what was heard, or the promise that was broken.
fn execute(target: &Target, input: &[u8]) -> Result<Heard, Finding> {
    listen();
    LISTENING.with(|l| *l.borrow_mut() = true);
    let done = catch_unwind(AssertUnwindSafe(|| {
        let mut heard = Heard::default();
        (target.run)(input, &mut heard);
        heard
    }));
    LISTENING.with(|l| *l.borrow_mut() = false);
    done.map_err(|_| {
        let nothing =
            || Finding { place: String::new(), message: "a panic of which nothing is known".into() };
        PANICKED.with(|p| p.borrow_mut().take()).unwrap_or_else(nothing)
    })
}

/// A target with the inputs that have told something new.
pub struct Drive {
    target: &'static Target,
    pool: Vec<Rc<[u8]>>,
    /// How many of the pool were not yet executed as they are.
    fresh: usize,
    seen: BTreeSet<u64>,
    dice: Dice,
    executed: u64,
}

impl Drive {
    /// A drive that begins with the target's own inputs and those that are kept.
    pub fn new(target: &'static Target, seed: u64) -> Drive {
        let mut pool: Vec<Rc<[u8]>> = (target.seeds)().into_iter().map(Rc::from).collect();
        pool.extend(crate::kept(target).into_iter().map(|k| Rc::from(k.input)));
        let fresh = pool.len();
        Drive { pool, fresh, dice: Dice::new(seed), ..Drive::bare(target) }
    }

    /// A drive without inputs, which executes those that it is given.
    pub fn bare(target: &'static Target) -> Drive {
        let (pool, seen) = (Vec::new(), BTreeSet::new());
        Drive { target, pool, fresh: 0, seen, dice: Dice::new(0), executed: 0 }
    }

    /// The next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        if self.fresh > 0 {
            self.fresh -= 1;
            return self.pool.get(self.fresh).map(|i| i.to_vec()).unwrap_or_default();
        }
        if self.pool.is_empty() {
            return Vec::new();
        }
        // What came last is what has not been changed often.
        let newest = self.pool.len().min(64);
        let at = match self.dice.once_in(3) {
            true => self.pool.len() - 1 - self.dice.below(newest),
            false => self.dice.below(self.pool.len()),
        };
        let other = self.dice.below(self.pool.len());
        mutate(self.target.form, &self.pool[at], &self.pool[other], &mut self.dice)
    }

    /// Leaves out the target's own inputs as they are, and goes on with changes of them.
    pub fn skip_own(&mut self) {
        self.fresh = 0;
    }

    /// Executes an input. One that led to something new is changed further.
    ///
    /// # Errors
    /// The promise that was broken.
    pub fn execute(&mut self, input: &[u8]) -> Result<(), Finding> {
        self.executed += 1;
        let shapes = execute(self.target, input)?.shapes();
        let before = self.seen.len();
        self.seen.extend(shapes);
        let own = self.fresh > 0;
        if self.seen.len() > before && !own && input.len() <= POOLED && self.pool.len() < POOL {
            self.pool.push(input.into());
        }
        Ok(())
    }

    /// How many inputs were executed.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// How many different answers were heard.
    pub fn heard(&self) -> usize {
        self.seen.len()
    }

    /// A shorter input that breaks the same promise.
    pub fn shorten(&self, input: &[u8], finding: &Finding) -> Vec<u8> {
        let mut input = input.to_vec();
        let mut left = SHORTENINGS;
        let mut piece = input.len() / 2;
        while piece > 0 && left > 0 {
            let mut at = 0;
            while at < input.len() && left > 0 {
                left -= 1;
                let end = (at + piece).min(input.len());
                let shorter = [&input[..at], &input[end..]].concat();
                match execute(self.target, &shorter) {
                    Err(same) if same.place == finding.place => input = shorter,
                    _ => at = end,
                }
            }
            piece /= 2;
        }
        input
    }
}
