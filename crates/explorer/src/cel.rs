//! A person's own invariant: an expression in the Common Expression Language over `objects`.
//!
//! ```
//! use steady::session::explore::message::Own;
//! let own = |text: &str| Own { text: text.into(), steady: false };
//! assert!(steady_explorer::Cel::read(&own("objects.filter(o, o.kind == 'Pod').size() <= 5")).is_ok());
//! let why = steady_explorer::Cel::read(&own("objects.size() <= ")).err().unwrap();
//! assert_eq!((why.line, why.column), (1, 19));
//! ```
//!
//! The language is Kubernetes', see [`steady::cel`]. What an expression may cost there is no bound for an exploration,
//! which a person waits for: here its length and the loops in each other are bounded instead. Evaluating takes at most
//! the number of objects to the power of [`LOOPS`]; whoever does not want to wait for that ends the worker.

use std::cell::RefCell;
use std::collections::BTreeMap;

use steady::api::Object;
use steady::cel::{Activation, DeclType, Env, Program, Value};
use steady::cluster::Cluster;
use steady::session::explore::message::{Own, Unreadable};
use steady::session::explore::{Invariant, Violation, objects};

/// An expression is at most so long, in characters.
pub const LENGTH: usize = 1_000;
/// So many loops (`all`, `exists`, `exists_one`, `map`, `filter`) lie in each other at most.
pub const LOOPS: usize = 3;
/// One evaluation is ended once it costs more than this, in the units of [`steady::cel`].
const COST_LIMIT: u64 = 10_000_000_000;
/// The values of at most so many objects are kept.
const KNOWN: usize = 20_000;
/// An error is told in so many characters: it may quote every object.
const SAID: usize = 300;

/// An expression that can be evaluated.
pub struct Cel {
    own: Own,
    program: Program,
    // By address. The object is kept, so that its address stays its own.
    known: RefCell<BTreeMap<usize, (Object, Value)>>,
}

impl Cel {
    /// Reads an expression.
    ///
    /// # Errors
    /// Where and why it cannot be read.
    pub fn read(own: &Own) -> Result<Cel, Unreadable> {
        let whole = |why: String| Unreadable { line: 0, column: 0, why };
        let text = own.text.as_str();
        if text.chars().count() > LENGTH {
            return Err(whole(format!("it is longer than {LENGTH} characters")));
        }
        let env = Env::base().variable("objects", DeclType::list(DeclType::dyn_type(), None));
        let program = env.compile(text).map_err(|issues| match issues.each().next() {
            Some((Some((line, column)), why)) => Unreadable { line, column, why: why.to_owned() },
            Some((None, why)) => whole(why.to_owned()),
            None => whole("it cannot be read".to_owned()),
        })?;
        if program.loops() > LOOPS {
            return Err(whole(format!("more than {LOOPS} loops lie in each other")));
        }
        Ok(Cel { own: own.clone(), program, known: RefCell::default() })
    }

    /// Whether it holds of a cluster.
    ///
    /// # Errors
    /// That it does not, or why that cannot be said.
    pub fn holds(&self, cluster: &Cluster) -> Result<(), Violation> {
        let all = objects(cluster).map(|object| self.value(object));
        let activation = Activation::new().with("objects", Value::from_values(all));
        match self.program.evaluate(&activation, COST_LIMIT).result {
            Ok(Value::Bool(true)) => Ok(()),
            Ok(Value::Bool(false)) => Err(Violation::new(None, Vec::new())),
            Ok(other) => {
                let what = other.type_of();
                let what = what.name();
                Err(Violation::undecided(format!("it gives a value of type {what}, and not true or false")))
            }
            Err(why) => Err(Violation::undecided(short(&why.to_string()))),
        }
    }

    /// An object as CEL sees it: as it is written in JSON.
    fn value(&self, object: &Object) -> Value {
        let mut known = self.known.borrow_mut();
        if let Some((_, value)) = known.get(&object.address()) {
            return value.clone();
        }
        let value = Value::from_json(&object.to_value());
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(object.address(), (object.clone(), value.clone()));
        value
    }
}

impl Invariant for Cel {
    fn name(&self) -> &str {
        &self.own.text
    }

    fn state(&self, cluster: &Cluster) -> Result<(), Violation> {
        if self.own.steady { Ok(()) } else { self.holds(cluster) }
    }

    fn steady(&self, cluster: &Cluster) -> Result<(), Violation> {
        if self.own.steady { self.holds(cluster) } else { Ok(()) }
    }
}

fn short(text: &str) -> String {
    if text.chars().count() <= SAID {
        return text.to_owned();
    }
    text.chars().take(SAID).chain(std::iter::once('…')).collect()
}
