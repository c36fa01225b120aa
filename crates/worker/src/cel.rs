//! A person's invariant: an expression in the Common Expression Language over `objects`.
//!
//! ```
//! use steady::session::explore::message::Own;
//! let own = |text: &str| Own { text: text.into(), steady: false };
//! assert!(steady_worker::Cel::read(&own("objects.filter(o, o.kind == 'Pod').size() <= 5")).is_ok());
//! let why = steady_worker::Cel::read(&own("objects.size() <= ")).err().unwrap();
//! assert_eq!((why.line, why.column), (1, 19));
//! ```
//!
//! The language is that of Kubernetes, see [`steady::cel`]. The cost limit of Kubernetes does not suit an
//! exploration, for which a person waits. Here the length of the expression and the nesting of its loops are
//! limited: evaluating takes at most the number of objects to the power of [`LOOPS`]. A person who does not
//! want to wait for that ends the worker.

use std::cell::RefCell;
use std::collections::BTreeMap;

use steady::api::Object;
use steady::cel::{Activation, DeclType, Env, Program, Value};
use steady::cluster::Cluster;
use steady::session::explore::message::{Own, Unreadable};
use steady::session::explore::{Invariant, Violation, objects};

/// The most characters of an expression.
pub const LENGTH: usize = 1_000;
/// The deepest nesting of loops (`all`, `exists`, `exists_one`, `map`, `filter`).
pub const LOOPS: usize = 3;
/// The cost at which an evaluation is ended, in the units of [`steady::cel`].
const COST_LIMIT: u64 = 10_000_000_000;
/// The most objects whose values are kept.
const KNOWN: usize = 20_000;
/// The most characters of an error: it could quote every object.
const SAID: usize = 300;

/// A compiled expression.
pub struct Cel {
    own: Own,
    program: Program,
    // By the object's address. The object is kept, so that its address is not used again.
    known: RefCell<BTreeMap<usize, (Object, Value)>>,
}

impl Cel {
    /// Compiles an expression.
    ///
    /// # Errors
    /// Where and why it cannot be compiled.
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

    /// Checks that the expression holds for a cluster.
    ///
    /// # Errors
    /// A violation if it does not hold, or if it cannot be evaluated.
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

    /// The CEL value of an object: that of its JSON.
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
