//! Whether the types of an expression agree, after `checker/checker.go` of cel-go.

mod literals;
mod unify;

use std::collections::BTreeMap;

use super::ast::{Call, Expr, ExprKind, Fold, Literal, operators as op};
use super::env::{Env, NoField};
use super::issues::Issue;
use super::overloads::Overload;
use super::types::Type;
use unify::{Mapping, most_general};

/// What is known of an expression's nodes once it is checked, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    types: Vec<Type>,
    /// The overloads that may be meant by a call.
    overloads: BTreeMap<usize, Vec<&'static str>>,
}

impl Checked {
    pub fn type_of(&self, node: &Expr) -> &Type {
        self.types.get(node.id).unwrap_or(&Type::Dyn)
    }

    /// None for operators that are no functions.
    pub fn overloads(&self, node: &Expr) -> &[&'static str] {
        self.overloads.get(&node.id).map_or(&[], Vec::as_slice)
    }
}

/// Checks an expression. Names with points that mean one thing become one node.
///
/// # Errors
/// Everything that does not fit.
pub(crate) fn check(env: &Env, root: &mut Expr, nodes: usize) -> Result<Checked, Vec<Issue>> {
    let mut checker = Checker {
        env,
        mapping: Mapping::default(),
        scopes: Vec::new(),
        checked: Checked { types: vec![Type::Dyn; nodes], overloads: BTreeMap::new() },
        issues: Vec::new(),
    };
    checker.check(root);
    let Checker { mapping, mut checked, mut issues, .. } = checker;
    for t in &mut checked.types {
        *t = mapping.substitute(t, true);
    }
    if issues.is_empty() {
        literals::check(root, &checked, &mut issues);
    }
    if issues.is_empty() { Ok(checked) } else { Err(issues) }
}

struct Checker<'e> {
    env: &'e Env,
    mapping: Mapping,
    /// The variables of loops.
    scopes: Vec<(String, Type)>,
    checked: Checked,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    fn issue(&mut self, at: usize, message: String) {
        self.issues.push(Issue { at: Some(at), message });
    }

    fn set(&mut self, id: usize, t: Type) -> Type {
        if let Some(of) = self.checked.types.get_mut(id) {
            *of = t.clone();
        }
        t
    }

    fn mismatch(&mut self, at: usize, expected: &Type, found: &Type) {
        self.issue(at, format!("expected type '{}' but found '{}'", self.shown(expected), self.shown(found)));
    }

    /// A type as a message shows it. cel-go numbers what it does not know.
    fn shown(&self, t: &Type) -> Type {
        self.mapping.substitute(t, true)
    }

    fn undeclared(&mut self, at: usize, name: &str) -> Type {
        self.issue(at, format!("undeclared reference to '{name}' (in container '')"));
        Type::Error
    }

    fn lookup(&self, name: &str) -> Option<Type> {
        let plain = name.strip_prefix('.').unwrap_or(name);
        let local = self.scopes.iter().rev().find(|(n, _)| n == name).map(|(_, t)| t.clone());
        local.or_else(|| self.env.lookup(plain))
    }

    fn check(&mut self, node: &mut Expr) -> Type {
        let t = match &mut node.kind {
            ExprKind::Broken => Type::Error,
            ExprKind::Literal(literal) => match literal {
                Literal::Null => Type::Null,
                Literal::Bool(_) => Type::Bool,
                Literal::Int(_) => Type::Int,
                Literal::Uint(_) => Type::Uint,
                Literal::Double(_) => Type::Double,
                Literal::String(_) => Type::String,
                Literal::Bytes(_) => Type::Bytes,
            },
            ExprKind::Ident(name) => match self.lookup(name) {
                Some(t) => t,
                None => {
                    let name = name.clone();
                    self.undeclared(node.at, &name)
                }
            },
            ExprKind::Select { .. } => return self.select(node),
            ExprKind::Call(_) => return self.call(node),
            ExprKind::List(items) => {
                let mut joined = None;
                for item in items {
                    let t = self.check(&mut item.value);
                    let t = self.unwrapped(item.optional, item.value.at, t);
                    joined = Some(self.join(joined, t));
                }
                Type::list(joined.unwrap_or_else(|| self.mapping.fresh()))
            }
            ExprKind::Map(entries) => {
                let (mut keys, mut values) = (None, None);
                for entry in entries {
                    let t = self.check(&mut entry.key);
                    keys = Some(self.join(keys, t));
                    let t = self.check(&mut entry.value);
                    let t = self.unwrapped(entry.optional, entry.value.at, t);
                    values = Some(self.join(values, t));
                }
                let keys = keys.unwrap_or_else(|| self.mapping.fresh());
                Type::map(keys, values.unwrap_or_else(|| self.mapping.fresh()))
            }
            ExprKind::Struct(..) => return self.object(node),
            ExprKind::Fold(fold) => self.fold(fold),
        };
        self.set(node.id, t)
    }

    fn unwrapped(&mut self, optional: bool, at: usize, t: Type) -> Type {
        if !optional {
            return t;
        }
        let t = self.mapping.substitute(&t, false);
        if let Some(inner) = t.optional_inner() {
            return inner;
        }
        if !t.is_dyn() {
            self.mismatch(at, &Type::optional(t.clone()), &t);
        }
        t
    }

    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else { return current };
        if self.mapping.assignable(&previous, &current) {
            return most_general(&previous, &current);
        }
        // Whether it may is looked at once all types are known: see `literals.rs`.
        Type::Dyn
    }

    fn select(&mut self, node: &mut Expr) -> Type {
        if let Some(name) = node.qualified_name()
            && let Some(t) = self.lookup(&name)
        {
            node.kind = ExprKind::Ident(name);
            return self.set(node.id, t);
        }
        let ExprKind::Select { operand, field, test } = &mut node.kind else { return Type::Error };
        let t = self.field_of(node.at, operand, field, false);
        let t = if *test { Type::Bool } else { self.mapping.substitute(&t, false) };
        self.set(node.id, t)
    }

    fn field_of(&mut self, at: usize, operand: &mut Expr, field: &str, optional: bool) -> Type {
        let of = self.check(operand);
        let of = self.mapping.substitute(&of, false);
        let (of, is_optional) = of.optional_inner().map_or((of.clone(), false), |inner| (inner, true));
        let result = match &of {
            Type::Map(_) => of.param(1),
            Type::Struct(name) => self.field_type(at, name, field),
            Type::Var(_) => {
                self.mapping.assignable(&Type::Dyn, &of);
                Type::Dyn
            }
            t if t.is_dyn_or_error() => Type::Dyn,
            other => {
                self.issue(at, format!("type '{other}' does not support field selection"));
                Type::Dyn
            }
        };
        if is_optional || optional { Type::optional(result) } else { result }
    }

    fn field_type(&mut self, at: usize, object: &str, field: &str) -> Type {
        let missing = match self.env.field(object, field) {
            Ok(t) => return t,
            Err(NoField::NoObject) => format!("unexpected failed resolution of '{object}'"),
            Err(NoField::Unknown) => format!("undefined field '{field}'"),
        };
        self.issue(at, missing);
        Type::Error
    }

    fn call(&mut self, node: &mut Expr) -> Type {
        let ExprKind::Call(call) = &mut node.kind else { return Type::Error };
        if call.function == op::OPT_SELECT {
            let Call { args, .. } = call.as_mut();
            let [operand, Expr { kind: ExprKind::Literal(Literal::String(field)), .. }] = args.as_mut_slice()
            else {
                return self.set(node.id, Type::Error);
            };
            let t = self.field_of(node.at, operand, field, true);
            let t = self.mapping.substitute(&t, false);
            self.checked.overloads.insert(node.id, vec!["select_optional_field"]);
            return self.set(node.id, t);
        }
        let mut types: Vec<Type> = call.args.iter_mut().map(|arg| self.check(arg)).collect();
        // `a.b.c()` is a function of that name before it is `c` called on `a.b`.
        let qualified = call.target.as_ref().and_then(Expr::qualified_name);
        let qualified = qualified.map(|prefix| format!("{prefix}.{}", call.function));
        let plain = |name: &str| name.strip_prefix('.').unwrap_or(name).to_owned();
        if let Some(name) = qualified.map(|n| plain(&n)).filter(|n| self.env.function(n).is_some()) {
            call.function = name;
            call.target = None;
        }
        if let Some(target) = &mut call.target {
            types.insert(0, self.check(target));
        } else {
            call.function = plain(&call.function);
        }
        let (function, member) = (call.function.clone(), call.target.is_some());
        let places: Vec<usize> = call.args.iter().map(|a| a.at).collect();
        let t = match self.env.function(&function) {
            Some(overloads) => self.resolve(node, &function, overloads, member, types, &places),
            None => self.undeclared(node.at, &function),
        };
        self.set(node.id, t)
    }

    fn resolve(
        &mut self,
        node: &Expr,
        function: &str,
        overloads: &'static [Overload],
        member: bool,
        types: Vec<Type>,
        places: &[usize],
    ) -> Type {
        if matches!(function, op::AND | op::OR) {
            let mut result = Type::Bool;
            for (t, at) in types.iter().zip(places) {
                if !self.mapping.assignable(t, &Type::Bool) {
                    self.mismatch(*at, &Type::Bool, t);
                    result = Type::Error;
                }
            }
            let id = if function == op::AND { "logical_and" } else { "logical_or" };
            self.checked.overloads.insert(node.id, vec![id]);
            return result;
        }
        let mut result: Option<Type> = None;
        let mut fitting = Vec::new();
        for overload in overloads.iter().filter(|o| o.member == member) {
            let mut params = BTreeMap::new();
            let args: Vec<Type> = overload.args.iter().map(|t| self.instance(t, &mut params)).collect();
            let gives = self.instance(&overload.result, &mut params);
            if !self.mapping.assignable_all(&types, &args) {
                continue;
            }
            fitting.push(overload.id.as_str());
            let gives = self.mapping.substitute(&gives, false);
            result = Some(match result {
                None => gives,
                Some(known) if !known.is_dyn() && known != gives => Type::Dyn,
                Some(known) => known,
            });
        }
        let Some(result) = result else {
            let shown: Vec<String> = types.iter().map(|t| self.shown(t).to_string()).collect();
            let signature = match shown.split_first() {
                Some((target, args)) if member => format!("{target}.({})", args.join(", ")),
                _ => format!("({})", shown.join(", ")),
            };
            let message = format!("found no matching overload for '{function}' applied to '{signature}'");
            self.issue(node.at, message);
            return Type::Error;
        };
        self.checked.overloads.insert(node.id, fitting);
        result
    }

    /// A type of an overload with unknown types for its parameters.
    fn instance(&mut self, t: &Type, params: &mut BTreeMap<&'static str, Type>) -> Type {
        match t {
            Type::Param(name) => params.entry(name).or_insert_with(|| self.mapping.fresh()).clone(),
            _ if t.params().is_empty() => t.clone(),
            _ => t.with_params(t.params().iter().map(|p| self.instance(p, params)).collect()),
        }
    }

    fn object(&mut self, node: &mut Expr) -> Type {
        let (at, id) = (node.at, node.id);
        let ExprKind::Struct(name, fields) = &mut node.kind else { return Type::Error };
        let plain = name.strip_prefix('.').unwrap_or(name).to_owned();
        *name = plain.clone();
        let known = self.env.is_object(&plain);
        if !known {
            let t = match self.lookup(&plain) {
                None => return self.undeclared_object(at, id, &plain),
                Some(t) => t,
            };
            let what = match &t {
                Type::Type(_) => format!("'{}' is not a message type", t.param(0).name()),
                other => format!("'{}' is not a type", other.name()),
            };
            self.issue(at, what);
        }
        let mut issues = Vec::new();
        for field in fields {
            let found = self.check(&mut field.value);
            let found = self.unwrapped(field.optional, field.value.at, found);
            let wanted = if known { self.field_type(field.at, &plain, &field.name) } else { Type::Error };
            if !self.mapping.assignable(&wanted, &found) {
                issues.push((field.at, field.name.clone(), wanted, found));
            }
        }
        for (at, field, wanted, found) in issues {
            let (wanted, found) = (self.shown(&wanted), self.shown(&found));
            self.issue(
                at,
                format!("expected type of field '{field}' is '{wanted}' but provided type is '{found}'"),
            );
        }
        self.set(id, if known { Type::object(&plain) } else { Type::Error })
    }

    fn undeclared_object(&mut self, at: usize, id: usize, name: &str) -> Type {
        let t = self.undeclared(at, name);
        self.set(id, t)
    }

    fn fold(&mut self, fold: &mut Fold) -> Type {
        let range = self.check(&mut fold.range);
        let accu = self.check(&mut fold.init);
        let range = self.mapping.substitute(&range, false);
        let outside = self.scopes.len();
        self.scopes.push((fold.accu.clone(), accu.clone()));
        let two = fold.var2.is_some();
        let (first, second) = match &range {
            Type::List(_) if two => (Type::Int, range.param(0)),
            Type::List(_) => (range.param(0), Type::Dyn),
            Type::Map(_) => (range.param(0), range.param(1)),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.mapping.assignable(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.issue(fold.range.at, message);
                (Type::Error, Type::Error)
            }
        };
        self.scopes.push((fold.var.clone(), first));
        self.scopes.extend(fold.var2.clone().map(|name| (name, second)));
        let condition = self.check(&mut fold.condition);
        self.assert(fold.condition.at, &Type::Bool, &condition);
        let step = self.check(&mut fold.step);
        self.assert(fold.step.at, &accu, &step);
        self.scopes.truncate(outside + 1);
        let result = self.check(&mut fold.result);
        self.scopes.truncate(outside);
        self.mapping.substitute(&result, false)
    }

    fn assert(&mut self, at: usize, wanted: &Type, found: &Type) {
        if !self.mapping.assignable(wanted, found) {
            self.mismatch(at, wanted, found);
        }
    }
}

#[cfg(test)]
mod tests;
