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
//! What the library that reads it does not bound is bounded here: how long an expression is, how deep
//! it is nested, how many loops lie in each other. Evaluating is then at most the number of objects to
//! the power of [`LOOPS`]; who does not want to wait for that ends the worker.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, IdedExpr};
use cel::parser::PrattParser;
use cel::{Context, Env, Value};
use steady::api::Object;
use steady::cluster::Cluster;
use steady::session::explore::message::{Own, Unreadable};
use steady::session::explore::{Invariant, Violation, objects};

/// An expression is at most so long, in characters.
pub const LENGTH: usize = 1_000;
/// It has at most so many parts: 190 additions in a row take 16 MB of stack, unoptimised (see build.rs).
const PARTS: usize = 400;
/// It is nested at most so deep.
const DEPTH: u16 = 32;
/// So many loops (`all`, `exists`, `exists_one`, `map`, `filter`) lie in each other at most.
pub const LOOPS: usize = 3;
/// More objects than this are not remembered at a time.
const KNOWN: usize = 20_000;
/// An error is told in so many characters: it may quote every object.
const SAID: usize = 300;
/// The names of types that may stand where a name may.
const TYPES: &[&str] =
    &["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type", "dyn"];

/// An expression that can be evaluated.
pub struct Cel {
    own: Own,
    expression: IdedExpr,
    env: Arc<Env>,
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
        let parser = PrattParser::new().max_recursion_depth(DEPTH).max_expression_node_count(PARTS);
        let expression = parser.parse(text).map_err(|all| {
            let first = all.errors.into_iter().next();
            first.map_or_else(
                || whole("it cannot be read".to_owned()),
                |e| Unreadable {
                    line: usize::try_from(e.pos.0).unwrap_or(0),
                    column: usize::try_from(e.pos.1).unwrap_or(0),
                    why: e.msg,
                },
            )
        })?;
        let mut check = Check { names: vec!["objects"], loops: 0 };
        check.visit(&expression).map_err(|stop| match stop {
            Stop::Unknown(name) => {
                let (line, column) = position(text, &name).unwrap_or((0, 0));
                let why =
                    format!("undeclared reference to '{name}': there is `objects`, and what a loop names");
                Unreadable { line, column, why }
            }
            Stop::Loops => whole(format!("more than {LOOPS} loops lie in each other")),
            Stop::Broken => whole("it cannot be read".to_owned()),
        })?;
        let env = Arc::new(Env::stdlib());
        Ok(Cel { own: own.clone(), expression, env, known: RefCell::default() })
    }

    /// Whether it holds of a cluster.
    ///
    /// # Errors
    /// That it does not, or why that cannot be said.
    pub fn holds(&self, cluster: &Cluster) -> Result<(), Violation> {
        let mut all = Vec::new();
        for object in objects(cluster) {
            all.push(self.value(object)?);
        }
        let mut context = Context::with_env(self.env.clone());
        context.add_variable_from_value("objects", Value::List(Arc::new(all)));
        match Value::resolve(&self.expression, &context) {
            Ok(Value::Bool(true)) => Ok(()),
            Ok(Value::Bool(false)) => Err(Violation::new(None, Vec::new())),
            Ok(other) => {
                let what = other.type_of();
                Err(Violation::undecided(format!("it gives a value of type {what}, and not true or false")))
            }
            Err(why) => Err(Violation::undecided(short(&why.to_string()))),
        }
    }

    /// An object as CEL sees it: as it is written in JSON.
    fn value(&self, object: &Object) -> Result<Value, Violation> {
        let mut known = self.known.borrow_mut();
        if let Some((_, value)) = known.get(&object.address()) {
            return Ok(value.clone());
        }
        let value = cel::to_value(object.to_value())
            .map_err(|e| Violation::undecided(format!("{}: {e}", object.reference())))?;
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(object.address(), (object.clone(), value.clone()));
        Ok(value)
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

/// Why an expression that can be read is refused.
enum Stop {
    Unknown(String),
    Loops,
    Broken,
}

/// Walks an expression; it is never deeper than the parser lets it be.
struct Check<'a> {
    names: Vec<&'a str>,
    loops: usize,
}

impl<'a> Check<'a> {
    fn visit(&mut self, e: &'a IdedExpr) -> Result<(), Stop> {
        match &e.expr {
            Expr::Unspecified => Err(Stop::Broken),
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => {
                let known = self.names.contains(&name.as_str()) || TYPES.contains(&name.as_str());
                if known { Ok(()) } else { Err(Stop::Unknown(name.clone())) }
            }
            Expr::Select(s) => self.visit(&s.operand),
            Expr::List(l) => l.elements.iter().try_for_each(|x| self.visit(x)),
            Expr::Map(m) => self.entries(&m.entries, false),
            Expr::Struct(s) => self.entries(&s.entries, true),
            Expr::Call(c) => {
                c.target.iter().try_for_each(|x| self.visit(x))?;
                c.args.iter().try_for_each(|x| self.visit(x))
            }
            Expr::Comprehension(c) => {
                self.visit(&c.iter_range)?;
                self.visit(&c.accu_init)?;
                if self.loops >= LOOPS {
                    return Err(Stop::Loops);
                }
                let outside = self.names.len();
                self.loops += 1;
                self.names.extend([c.iter_var.as_str(), c.accu_var.as_str()]);
                self.names.extend(c.iter_var2.as_deref());
                self.visit(&c.loop_cond)?;
                self.visit(&c.loop_step)?;
                self.visit(&c.result)?;
                self.names.truncate(outside);
                self.loops -= 1;
                Ok(())
            }
        }
    }

    fn entries(&mut self, entries: &'a [IdedEntryExpr], of_struct: bool) -> Result<(), Stop> {
        entries.iter().try_for_each(|e| match &e.expr {
            EntryExpr::MapEntry(m) if !of_struct => {
                self.visit(&m.key)?;
                self.visit(&m.value)
            }
            EntryExpr::StructField(f) if of_struct => self.visit(&f.value),
            _ => Err(Stop::Broken),
        })
    }
}

/// Where a name stands as a word of its own: line and column, from 1.
fn position(text: &str, name: &str) -> Option<(usize, usize)> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (line, said) in text.lines().enumerate() {
        let mut from = 0;
        while let Some(at) = said.get(from..).and_then(|rest| rest.find(name)).map(|n| n + from) {
            let before = said.get(..at).and_then(|s| s.chars().next_back());
            let after = said.get(at + name.len()..).and_then(|s| s.chars().next());
            // A field of that name, or a text, is not it.
            let stands = before.is_none_or(|c| !word(c) && !matches!(c, '.' | '\'' | '"'));
            if stands && after.is_none_or(|c| !word(c)) {
                return Some((line + 1, said.get(..at).map_or(0, |s| s.chars().count()) + 1));
            }
            from = at + name.len();
        }
    }
    None
}
