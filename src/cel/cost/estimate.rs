//! What an expression costs before any value is known, after `checker/cost.go` of cel-go.

use std::collections::BTreeMap;

use super::super::ast::{ACCU, Call, Expr, ExprKind, Fold, Literal};
use super::super::check::Checked;
use super::super::decl::{DeclKind, DeclType};
use super::super::env::Env;
use super::super::types::Type;
use super::{
    CREATE_LIST, CREATE_MAP, CREATE_STRUCT, CostEstimate, SELECT_OR_IDENT, SizeEstimate, TRAVERSAL, by,
};

/// Where a value comes from: a variable, then fields and the like.
pub(super) type Path = Vec<String>;

/// What a call costs, and the size of what it gives if that has one.
pub(super) struct CallEstimate {
    pub cost: CostEstimate,
    pub size: Option<SizeEstimate>,
}

/// The sizes of the keys and the values of a list or map.
#[derive(Clone, Copy)]
struct Entries {
    is_list: bool,
    key: SizeEstimate,
    value: SizeEstimate,
}

#[derive(Clone)]
struct Local {
    name: String,
    path: Path,
    size: Option<SizeEstimate>,
    entries: Option<Entries>,
}

/// A target or an argument of a call.
pub(super) struct Operand<'n> {
    pub node: &'n Expr,
    pub path: Path,
    pub t: Type,
    pub size: Option<SizeEstimate>,
}

pub(super) struct Coster<'n> {
    checked: &'n Checked,
    env: &'n Env,
    paths: BTreeMap<usize, Path>,
    locals: Vec<Local>,
    sizes: BTreeMap<usize, SizeEstimate>,
    entries: BTreeMap<usize, Entries>,
}

/// The cost of an expression.
pub(crate) fn estimate(root: &Expr, checked: &Checked, env: &Env) -> CostEstimate {
    let mut coster = Coster {
        checked,
        env,
        paths: BTreeMap::new(),
        locals: Vec::new(),
        sizes: BTreeMap::new(),
        entries: BTreeMap::new(),
    };
    coster.cost(root)
}

impl<'n> Coster<'n> {
    fn cost(&mut self, node: &'n Expr) -> CostEstimate {
        match &node.kind {
            ExprKind::Broken | ExprKind::Literal(_) => CostEstimate::default(),
            ExprKind::Ident(name) => {
                let path = self.local(name).map_or_else(|| vec![name.clone()], |l| l.path.clone());
                self.paths.insert(node.id, path);
                CostEstimate::fixed(SELECT_OR_IDENT)
            }
            ExprKind::Select { operand, field, test } => {
                let cost = self.cost(operand);
                if *test {
                    // Kubernetes keeps `has` as cheap as it once was.
                    return cost;
                }
                let selects = matches!(self.checked.type_of(operand), Type::Map(_) | Type::Struct(_));
                let mut path = self.path(operand);
                path.push(field.clone());
                self.paths.insert(node.id, path);
                if selects { cost.plus(CostEstimate::fixed(SELECT_OR_IDENT)) } else { cost }
            }
            ExprKind::Call(call) => self.call(node, call),
            ExprKind::List(items) => {
                let least = if items.is_empty() { 0 } else { u64::MAX };
                let mut size = SizeEstimate::between(least, 0);
                let mut sum = CostEstimate::fixed(CREATE_LIST);
                for item in items {
                    sum = sum.plus(self.cost(&item.value));
                    size = size.union(self.size_or_unknown(&item.value));
                }
                self.entries
                    .insert(node.id, Entries { is_list: true, key: SizeEstimate::fixed(1), value: size });
                sum
            }
            ExprKind::Map(entries) => {
                let least = if entries.is_empty() { 0 } else { u64::MAX };
                let (mut key, mut value) = (SizeEstimate::between(least, 0), SizeEstimate::between(least, 0));
                let mut sum = CostEstimate::fixed(CREATE_MAP);
                for entry in entries {
                    sum = sum.plus(self.cost(&entry.key)).plus(self.cost(&entry.value));
                    key = key.union(self.size_or_unknown(&entry.key));
                    value = value.union(self.size_or_unknown(&entry.value));
                }
                self.entries.insert(node.id, Entries { is_list: false, key, value });
                sum
            }
            ExprKind::Struct(_, fields) => {
                let fields = fields.iter().map(|f| self.cost(&f.value));
                fields.fold(CostEstimate::fixed(CREATE_STRUCT), CostEstimate::plus)
            }
            ExprKind::Fold(fold) if is_bind(fold) => self.bind(node, fold),
            ExprKind::Fold(fold) => self.fold(node, fold),
        }
    }

    fn call(&mut self, node: &'n Expr, call: &'n Call) -> CostEstimate {
        if call.function == "dyn"
            && let [arg] = call.args.as_slice()
        {
            let cost = self.cost(arg);
            self.copy_sizes(node, arg);
            return cost.plus(CostEstimate::fixed(1));
        }
        let costs: Vec<CostEstimate> = call.args.iter().map(|arg| self.cost(arg)).collect();
        let args: Vec<Operand> = call.args.iter().map(|arg| self.operand(arg)).collect();
        let overloads = self.checked.overloads(node);
        if overloads.is_empty() {
            return CostEstimate::default();
        }
        let mut sum = CostEstimate::default();
        let mut target = None;
        if let Some(of) = &call.target {
            sum = self.cost(of);
            target = Some(self.operand(of));
        }
        let mut cost = CostEstimate::between(u64::MAX, 0);
        let mut size: Option<SizeEstimate> = None;
        for overload in overloads {
            let one = self.function(node, &call.function, overload, target.as_ref(), &args, &costs);
            cost = cost.union(one.cost);
            size = match (size, one.size) {
                (Some(a), Some(b)) => Some(a.union(b)),
                (a, b) => a.or(b),
            };
            let indexed = match *overload {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(part), Some(of)) = (indexed, call.args.first()) {
                size = self.entries_of(of).map(|e| e.value);
                let mut path = self.path(of);
                path.push(part.to_owned());
                self.paths.insert(node.id, path);
            }
            size = size.or_else(|| self.size(node));
        }
        if let Some(size) = size {
            self.sizes.insert(node.id, size);
        }
        sum.plus(cost)
    }

    fn function(
        &mut self,
        node: &Expr,
        function: &str,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
        costs: &[CostEstimate],
    ) -> CallEstimate {
        let all = costs.iter().fold(CostEstimate::default(), |sum, c| sum.plus(*c));
        if let Some(estimate) = self.library(function, overload, target, args) {
            return CallEstimate { cost: estimate.cost.plus(all), size: estimate.size };
        }
        let plain = |cost: CostEstimate| CallEstimate { cost: cost.plus(all), size: None };
        let known = |operand: &Operand| operand.size.unwrap_or(SizeEstimate::UNKNOWN);
        match (overload, target, args, costs) {
            ("string_format", Some(target), ..) => plain(known(target).by(TRAVERSAL)),
            ("string_to_bytes", _, [arg], _) => {
                let size = known(arg);
                let bytes = SizeEstimate::between(size.min, size.max.wrapping_mul(4));
                CallEstimate { cost: size.by(TRAVERSAL).plus(all), size: Some(bytes) }
            }
            ("bytes_to_string", _, [arg], _) => {
                let size = known(arg);
                let chars = SizeEstimate::between(size.min / 4, size.max);
                CallEstimate { cost: size.by(TRAVERSAL).plus(all), size: Some(chars) }
            }
            ("strings_quote", _, [arg], _) => {
                let size = known(arg);
                let quoted = SizeEstimate::between(
                    size.min.saturating_add(2),
                    size.max.wrapping_mul(2).wrapping_add(2),
                );
                CallEstimate { cost: size.by(TRAVERSAL).plus(all), size: Some(quoted) }
            }
            ("starts_with_string" | "ends_with_string", _, [arg], _) => plain(known(arg).by(TRAVERSAL)),
            ("in_list", _, [_, list], _) => plain(known(list)),
            ("matches_string", Some(target), [pattern], _) => {
                let text = known(target).plus(SizeEstimate::fixed(1)).by(TRAVERSAL);
                plain(text.times(known(pattern).by(super::REGEX)))
            }
            ("contains_string", Some(target), [part], _) => {
                plain(known(target).by(TRAVERSAL).times(known(part).by(TRAVERSAL)))
            }
            ("logical_or" | "logical_and", _, _, [left, right]) => {
                let cost = CostEstimate::between(left.min, left.plus(*right).max);
                CallEstimate { cost, size: None }
            }
            ("conditional", _, [_, yes, no], [condition, if_yes, if_no]) => {
                let size = known(yes).union(known(no));
                if let (Some(a), Some(b)) = (self.entries_of(yes.node), self.entries_of(no.node)) {
                    self.entries.insert(node.id, both(a, b));
                }
                CallEstimate { cost: condition.plus(if_yes.union(*if_no)), size: Some(size) }
            }
            ("add_string" | "add_bytes" | "add_list", _, [left, right], _) => {
                let size = known(left).plus(known(right));
                if let (Some(a), Some(b)) = (self.entries_of(left.node), self.entries_of(right.node)) {
                    self.entries.insert(node.id, both(a, b));
                }
                let cost = if overload == "add_list" { CostEstimate::fixed(1) } else { size.by(TRAVERSAL) };
                CallEstimate { cost: cost.plus(all), size: Some(size) }
            }
            (_, _, [left, right], _) if compares(overload) => {
                let most = known(left).max.min(known(right).max);
                plain(CostEstimate::between(u64::from(most > 0), most).by(TRAVERSAL))
            }
            _ => plain(CostEstimate::fixed(1)),
        }
    }

    fn fold(&mut self, node: &'n Expr, fold: &'n Fold) -> CostEstimate {
        let mut sum = self.cost(&fold.range).plus(self.cost(&fold.init));
        let outside = self.locals.len();
        self.push_bound(&fold.accu, &fold.init);
        let entries = self.entries_of(&fold.range);
        let is_list =
            entries.map_or(matches!(self.checked.type_of(&fold.range), Type::List(_)), |e| e.is_list);
        let path = self.path(&fold.range);
        let mut push = |name: &str, part: &str, size| {
            let path = path.iter().cloned().chain([part.to_owned()]).collect();
            self.locals.push(Local { name: name.to_owned(), path, size, entries: None });
        };
        let (key, value) = (entries.map(|e| e.key), entries.map(|e| e.value));
        match &fold.var2 {
            Some(second) => {
                push(&fold.var, if is_list { "@indices" } else { "@keys" }, key);
                push(second, if is_list { "@items" } else { "@values" }, value);
            }
            None if is_list => push(&fold.var, "@items", value),
            None => push(&fold.var, "@keys", key),
        }
        let condition = self.cost(&fold.condition);
        let step = self.cost(&fold.step);
        self.locals.truncate(outside + 1);
        sum = sum.plus(self.cost(&fold.result));
        self.locals.truncate(outside);
        let count = self.size_or_unknown(&fold.range);
        sum = sum.plus(count.times(step.plus(condition)));
        match &fold.init.kind {
            ExprKind::Literal(_) => {
                if let Some(size) = self.size(&fold.init) {
                    self.sizes.insert(node.id, size);
                }
            }
            ExprKind::List(_) | ExprKind::Map(_) => {
                self.sizes.insert(node.id, count);
                if let Some(entries) = self.entries_of(&fold.step) {
                    self.entries.insert(node.id, entries);
                }
            }
            _ => {}
        }
        sum
    }

    /// A loop over nothing, which only names a value.
    fn bind(&mut self, node: &'n Expr, fold: &'n Fold) -> CostEstimate {
        let sum = self.cost(&fold.range).plus(self.cost(&fold.init));
        let outside = self.locals.len();
        self.push_bound(&fold.accu, &fold.init);
        let sum = sum.plus(self.cost(&fold.result));
        self.locals.truncate(outside);
        self.copy_sizes(node, &fold.result);
        sum
    }

    fn push_bound(&mut self, name: &str, to: &'n Expr) {
        let local = Local {
            name: name.to_owned(),
            path: self.path(to),
            size: self.size(to),
            entries: self.entries_of(to),
        };
        self.locals.push(local);
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|l| l.name == name)
    }

    fn path(&self, node: &Expr) -> Path {
        if let ExprKind::Ident(name) = &node.kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&node.id).cloned().unwrap_or_default()
    }

    fn operand(&mut self, node: &'n Expr) -> Operand<'n> {
        let mut path = self.path(node);
        if path.first().is_some_and(|root| root == ACCU) {
            path.clear();
        }
        Operand { node, path, t: self.checked.type_of(node).clone(), size: self.size(node) }
    }

    fn copy_sizes(&mut self, to: &Expr, from: &Expr) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }

    fn size_or_unknown(&mut self, node: &Expr) -> SizeEstimate {
        self.size(node).unwrap_or(SizeEstimate::UNKNOWN)
    }

    fn size(&mut self, node: &Expr) -> Option<SizeEstimate> {
        if let Some(size) = self.sizes.get(&node.id) {
            return Some(*size);
        }
        let written = match &node.kind {
            ExprKind::Literal(Literal::String(text)) => Some(text.chars().count()),
            ExprKind::Literal(Literal::Bytes(bytes)) => Some(bytes.len()),
            ExprKind::Literal(_) => Some(1),
            ExprKind::List(items) => Some(items.len()),
            ExprKind::Map(entries) => Some(entries.len()),
            _ => None,
        };
        if let Some(written) = written {
            return Some(SizeEstimate::fixed(written as u64));
        }
        if let Some(size) = self.declared(&self.path(node)) {
            self.sizes.insert(node.id, size);
            return Some(size);
        }
        if is_scalar(self.checked.type_of(node)) {
            return Some(SizeEstimate::fixed(1));
        }
        match &node.kind {
            ExprKind::Ident(name) => self.local(name).and_then(|l| l.size),
            _ => None,
        }
    }

    fn entries_of(&self, node: &Expr) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&node.id) {
            return Some(*entries);
        }
        match &node.kind {
            ExprKind::Ident(name) => self.local(name).and_then(|l| l.entries),
            _ => None,
        }
    }

    /// The size that the type of a variable gives to a part of it.
    pub(super) fn declared(&self, path: &[String]) -> Option<SizeEstimate> {
        let (variable, parts) = path.split_first()?;
        // In a rule every path is looked up from the type of `self`, be it one of a type's name.
        let mut decl: DeclType = self.env.declared(variable).or_else(|| self.env.declared("self"))?.clone();
        for part in parts {
            decl = match (part.as_str(), decl.kind()) {
                ("@items" | "@values", _) => decl.element()?.clone(),
                ("@keys", DeclKind::Map(_)) => decl.key(),
                (_, DeclKind::Map(_)) => decl.named_value()?.clone(),
                (_, DeclKind::Object(Some(name), _)) => self.env.object(name)?.get(part)?.clone(),
                _ => return None,
            };
        }
        Some(SizeEstimate::between(0, decl.max_elements()))
    }
}

fn both(a: Entries, b: Entries) -> Entries {
    Entries { is_list: a.is_list, key: a.key.union(b.key), value: a.value.union(b.value) }
}

fn is_bind(fold: &Fold) -> bool {
    matches!(&fold.range.kind, ExprKind::List(items) if items.is_empty())
        && fold.condition.kind.is_literal(&Literal::Bool(false))
        && fold.accu != "__result__"
}

fn is_scalar(t: &Type) -> bool {
    match t {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        other => other.optional_inner().is_some_and(|inner| is_scalar(&inner)),
    }
}

/// Whether an overload looks at both of its arguments up to the end of the shorter one.
fn compares(overload: &str) -> bool {
    let ordered = ["less_", "less_equals_", "greater_", "greater_equals_"];
    let of_text = |rest: &str| matches!(rest, "string" | "bytes");
    matches!(overload, "equals" | "not_equals")
        || ordered.iter().any(|prefix| overload.strip_prefix(prefix).is_some_and(of_text))
}

/// How often an operator's arguments are looked at is one question for both kinds of cost.
pub(crate) fn compared(overload: &str, left: u64, right: u64) -> Option<u64> {
    compares(overload).then(|| by(left.min(right), TRAVERSAL))
}
