//! Evaluating an expression, and counting what that costs: `interpreter/` of cel-go, with the runtime costs of
//! `interpreter/runtimecost.go`.

mod asked;
mod cost;
mod error;
mod libs;
mod made;
mod meter;
mod numbers;
mod objects;
mod operators;
mod paths;
mod typed;
mod value;

use std::collections::BTreeMap;

use super::ast::{Call, Entry, Expr, ExprKind, Fold, operators as op};
use super::check::Checked;
use super::cost::{CREATE_LIST, CREATE_MAP, CREATE_STRUCT, SELECT_OR_IDENT};
use super::env::Env;
use super::type_names::TypeNames;
pub use asked::{AllowAll, Asked, Authorizer, Question, Verdict};
pub use error::EvalError;
use meter::Meter;
pub(crate) use objects::Semver;
use paths::{constant, has, is_constant, not_optional, relative, select, valid};
use value::{Entries, Items};
pub use value::{Key, Library, List, Map, Value};

pub(crate) type EvalResult = Result<Value, EvalError>;

/// What an evaluation gave, and what it cost, failed or not.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value, or why there is none.
    pub result: Result<Value, EvalError>,
    /// What the evaluation cost, in cel-go's units.
    pub cost: u64,
}

/// The values of variables.
#[derive(Clone, Debug, Default)]
pub struct Activation {
    variables: BTreeMap<String, EvalResult>,
}

impl Activation {
    /// An activation without variables.
    pub fn new() -> Activation {
        Activation::default()
    }

    /// Adds a variable.
    #[must_use]
    pub fn with(self, name: &str, value: Value) -> Activation {
        self.with_result(name, Ok(value))
    }

    /// Adds a variable whose value may be an error, which every expression that reads the variable gets.
    #[must_use]
    pub fn with_result(mut self, name: &str, result: Result<Value, EvalError>) -> Activation {
        self.variables.insert(name.to_owned(), result);
        self
    }
}

pub(crate) fn evaluate(
    root: &Expr,
    checked: &Checked,
    types: &TypeNames,
    env: &Env,
    activation: &Activation,
    limit: u64,
) -> Evaluation {
    let mut run = Run { checked, types, env, activation, locals: Vec::new(), meter: Meter::new(limit) };
    let result = run.eval(root);
    Evaluation { result, cost: run.meter.cost() }
}

struct Run<'p> {
    checked: &'p Checked,
    types: &'p TypeNames,
    env: &'p Env,
    activation: &'p Activation,
    locals: Vec<(&'p str, EvalResult)>,
    meter: Meter,
}

impl<'p> Run<'p> {
    fn eval(&mut self, node: &'p Expr) -> EvalResult {
        match &node.kind {
            ExprKind::Broken => Err(EvalError::new("no expression")),
            ExprKind::Literal(literal) => Ok(constant(literal)),
            ExprKind::Ident(name) => self.ident(node, name),
            ExprKind::Select { operand, field, test } => {
                let of = self.eval(operand)?;
                self.meter.spend(relative(operand))?;
                if *test {
                    return has(&of, field);
                }
                self.meter.spend(SELECT_OR_IDENT)?;
                select(&of, field)
            }
            ExprKind::Call(call) => self.call(node, call),
            ExprKind::List(items) => {
                let mut list = Items::new();
                for item in items {
                    match (self.eval(&item.value)?, item.optional) {
                        (Value::Optional(None), true) => {}
                        (Value::Optional(Some(value)), true) => list.push_back((*value).clone()),
                        (other, true) => return Err(not_optional("list element", &other)),
                        (value, false) => list.push_back(value),
                    }
                }
                if !is_constant(node) {
                    self.meter.spend(CREATE_LIST)?;
                }
                Ok(Value::list(list))
            }
            ExprKind::Map(entries) => self.map(node, entries),
            ExprKind::Struct(name, fields) => {
                let mut entries = Entries::new();
                for field in fields {
                    let key = Key::String(field.name.as_str().into());
                    match (self.eval(&field.value)?, field.optional) {
                        (Value::Optional(None), true) => {}
                        (Value::Optional(Some(value)), true) => {
                            entries.insert(key, (*value).clone());
                        }
                        (other, true) => return Err(not_optional("field", &other)),
                        (value, false) => {
                            entries.insert(key, value);
                        }
                    }
                }
                self.meter.spend(CREATE_STRUCT)?;
                let made = self.env.makes_patch(name).then(|| name.as_str().into());
                Ok(Value::Map(Map { entries, made, ..Map::default() }))
            }
            ExprKind::Fold(fold) => self.fold(fold),
        }
    }

    fn ident(&mut self, node: &Expr, name: &str) -> EvalResult {
        if let Some(t) = self.types.get(&node.id) {
            return Ok(Value::Type(t.clone()));
        }
        self.meter.spend(SELECT_OR_IDENT)?;
        if let Some((_, value)) = self.locals.iter().rev().find(|(n, _)| *n == name) {
            return value.clone().and_then(valid);
        }
        let plain = name.strip_prefix('.').unwrap_or(name);
        match self.activation.variables.get(plain) {
            Some(value) => value.clone().and_then(valid),
            None => Err(EvalError::new(format!("no such attribute(s): {plain}"))),
        }
    }

    fn map(&mut self, node: &Expr, entries: &'p [Entry]) -> EvalResult {
        let mut map = Entries::new();
        for entry in entries {
            let key = self.eval(&entry.key)?;
            let Some(key) = key.key() else {
                return Err(EvalError::new(format!("unsupported key type: {}", key.type_name())));
            };
            let value = match (self.eval(&entry.value)?, entry.optional) {
                (Value::Optional(None), true) => continue,
                (Value::Optional(Some(value)), true) => (*value).clone(),
                (other, true) => return Err(not_optional("map entry", &other)),
                (value, false) => value,
            };
            map.insert(key, value);
        }
        if !is_constant(node) {
            self.meter.spend(CREATE_MAP)?;
        }
        Ok(Value::map(map))
    }

    fn call(&mut self, node: &'p Expr, call: &'p Call) -> EvalResult {
        match (call.function.as_str(), call.args.as_slice()) {
            (op::AND, [left, right]) => self.logic(left, right, false),
            (op::OR, [left, right]) => self.logic(left, right, true),
            (op::CONDITIONAL, [condition, yes, no]) => {
                let branch = match self.eval(condition)? {
                    Value::Bool(true) => yes,
                    Value::Bool(false) => no,
                    _ => return Err(EvalError::overload()),
                };
                let value = self.eval(branch);
                self.meter.refund(self.base(branch));
                value
            }
            (op::NOT_STRICTLY_FALSE, [of]) => {
                let value = self.eval(of);
                if let Err(e) = &value
                    && e.is_cost_limit()
                {
                    return value;
                }
                self.meter.spend(1)?;
                Ok(Value::Bool(!matches!(value, Ok(Value::Bool(false)))))
            }
            ("or" | "orValue", [otherwise]) if call.target.is_some() => {
                let Some(target) = &call.target else { return Err(EvalError::overload()) };
                // The other one is only looked at if there is no value.
                match self.eval(target)? {
                    value @ Value::Optional(Some(_)) if call.function == "or" => Ok(value),
                    Value::Optional(Some(value)) => Ok((*value).clone()),
                    Value::Optional(None) => self.eval(otherwise),
                    _ => Err(EvalError::overload()),
                }
            }
            (function, _) => {
                let mut args = Vec::with_capacity(call.args.len() + 1);
                let mut failed = None;
                let binary = call.args.len() + usize::from(call.target.is_some()) <= 2;
                for arg in call.target.iter().chain(&call.args) {
                    match self.eval(arg) {
                        Ok(value) => args.push(value),
                        // A call of one or two arguments costs what it costs although it is not made.
                        Err(e) if binary && !e.is_cost_limit() => {
                            args.push(Value::Invalid("".into()));
                            failed = failed.or(Some(e));
                        }
                        Err(e) => return Err(e),
                    }
                }
                if let Some(e) = failed {
                    if relative(node) > 0 {
                        self.meter.spend(cost::call(function, self.checked.overloads(node), &args))?;
                    }
                    return Err(e);
                }
                if call.function == op::IN && call.args.get(1).is_some_and(is_constant) {
                    return operators::contains(&args, &mut self.meter);
                }
                if let (op::INDEX | op::OPT_INDEX | op::OPT_SELECT, [of, at]) =
                    (function, call.args.as_slice())
                {
                    self.meter.refund(self.base(at));
                    self.meter.spend(relative(of))?;
                }
                let overloads = self.checked.overloads(node);
                if !is_constant(node) {
                    let cost = cost::call(function, overloads, &args);
                    self.meter.spend(cost)?;
                }
                libs::call(function, call.target.is_some(), &args, &mut self.meter).and_then(valid)
            }
        }
    }

    /// What cel-go counts for the beginning of a path, and leaves out where the path is a branch of a conditional or
    /// an index: there it resolves the path without looking at it as an expression.
    fn base(&self, node: &Expr) -> u64 {
        match &node.kind {
            ExprKind::Ident(_) => u64::from(!self.types.contains_key(&node.id)),
            ExprKind::Select { operand, test: false, .. } => relative(operand) + self.base(operand),
            ExprKind::Call(call) => match (call.function.as_str(), call.args.first()) {
                (op::INDEX | op::OPT_INDEX | op::OPT_SELECT, Some(of)) => relative(of) + self.base(of),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// `&&`, and with `decides` `||`: one side may decide although the other is an error.
    fn logic(&mut self, left: &'p Expr, right: &'p Expr, decides: bool) -> EvalResult {
        let first = self.eval(left);
        match &first {
            Ok(Value::Bool(b)) if *b == decides => return first,
            Err(e) if e.is_cost_limit() => return first,
            _ => {}
        }
        let second = self.eval(right);
        match (first, second) {
            (_, Ok(Value::Bool(b))) if b == decides => Ok(Value::Bool(decides)),
            (_, Err(e)) if e.is_cost_limit() => Err(e),
            (Ok(Value::Bool(_)), Ok(Value::Bool(_))) => Ok(Value::Bool(!decides)),
            (Err(e), _) | (_, Err(e)) => Err(e),
            _ => Err(EvalError::overload()),
        }
    }

    fn fold(&mut self, fold: &'p Fold) -> EvalResult {
        let range = self.eval(&fold.range)?;
        let init = match self.eval(&fold.init) {
            Err(e) if e.is_cost_limit() => return Err(e),
            init => init,
        };
        let outside = self.locals.len();
        self.locals.push((&fold.accu, init));
        let result = self.iterate(fold, &range);
        self.locals.truncate(outside + 1);
        let result = result.and_then(|()| self.eval(&fold.result));
        self.locals.truncate(outside);
        result
    }

    fn iterate(&mut self, fold: &'p Fold, range: &Value) -> Result<(), EvalError> {
        match range {
            Value::List(list) => {
                for (index, item) in list.items.iter().enumerate() {
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    let first = if fold.var2.is_some() { Value::Int(index) } else { item.clone() };
                    if !self.step(fold, first, item)? {
                        break;
                    }
                }
                Ok(())
            }
            Value::Map(map) => {
                for (key, value) in &map.entries {
                    if !self.step(fold, key.value(), value)? {
                        break;
                    }
                }
                Ok(())
            }
            other => {
                let message = format!("got '{}', expected iterable type", other.type_name());
                Err(EvalError::new(message))
            }
        }
    }

    /// One turn of a loop; false once it is over.
    fn step(&mut self, fold: &'p Fold, first: Value, second: &Value) -> Result<bool, EvalError> {
        // A turn that costs nothing still takes time.
        self.meter.work(1)?;
        let outside = self.locals.len();
        self.locals.push((&fold.var, Ok(first)));
        self.locals.extend(fold.var2.iter().map(|name| (name.as_str(), Ok(second.clone()))));
        let goes_on = match self.eval(&fold.condition) {
            Ok(Value::Bool(goes_on)) => Ok(goes_on),
            Ok(_) => Err(EvalError::overload()),
            Err(e) => Err(e),
        };
        let step = match goes_on {
            Ok(true) => Some(self.eval(&fold.step)),
            Ok(false) => None,
            Err(e) => {
                self.locals.truncate(outside);
                return Err(e);
            }
        };
        self.locals.truncate(outside);
        let Some(step) = step else { return Ok(false) };
        if let Err(e) = &step
            && e.is_cost_limit()
        {
            return Err(e.clone());
        }
        if let Some((_, accu)) = self.locals.last_mut() {
            *accu = step;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
