//! Calls that are written as functions and become loops or tests: `parser/macro.go` and `ext/comprehensions.go` of
//! cel-go, `sortBy` of `ext/lists.go`, and those of optional values in `cel/library.go`.

use super::super::ast::{ACCU, Call, Expr, ExprKind, Fold, Item, Literal, operators as op};
use super::grammar::Parser;

/// A name that an older cel-go used for the accumulator, and that a loop may not use.
const OLD_ACCU: &str = "__result__";
const NOT_A_NAME: &str = "argument must be a simple name";
const NOT_AN_IDENTIFIER: &str = "argument is not an identifier";

/// What is wrong with the arguments of a macro, and where.
type Refused = (usize, String);

/// Makes the nodes of one expansion; all of them stand where the macro stands.
struct Maker<'p, 'a> {
    parser: &'p mut Parser<'a>,
    at: usize,
    levels: u32,
}

impl Maker<'_, '_> {
    fn node(&mut self, kind: ExprKind) -> Expr {
        self.parser.node(self.at, self.levels, kind)
    }

    fn literal(&mut self, value: Literal) -> Expr {
        self.node(ExprKind::Literal(value))
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.node(ExprKind::Ident(name.to_owned()))
    }

    fn accu(&mut self) -> Expr {
        self.ident(ACCU)
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.node(ExprKind::Call(Box::new(Call { function: function.to_owned(), target: None, args })))
    }

    fn member(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        self.node(ExprKind::Call(Box::new(Call {
            function: function.to_owned(),
            target: Some(target),
            args,
        })))
    }

    fn list(&mut self, values: Vec<Expr>) -> Expr {
        let items = values.into_iter().map(|value| Item { optional: false, value }).collect();
        self.node(ExprKind::List(items))
    }

    /// `filter ? step : accu`, or the step alone.
    fn filtered(&mut self, filter: Option<Expr>, step: Expr) -> Expr {
        let Some(filter) = filter else { return step };
        let accu = self.accu();
        self.call(op::CONDITIONAL, vec![filter, step, accu])
    }

    fn fold(&mut self, range: Expr, names: Names, loops: Loop) -> Expr {
        let Loop { init, condition, step, result } = loops;
        let Names { var, var2 } = names;
        self.node(ExprKind::Fold(Box::new(Fold {
            range,
            var,
            var2,
            accu: ACCU.to_owned(),
            init,
            condition,
            step,
            result,
        })))
    }

    /// A loop that keeps its accumulator as the result, over all items.
    fn collect(&mut self, range: Expr, names: Names, init: Expr, step: Expr) -> Expr {
        let condition = self.literal(Literal::Bool(true));
        let result = self.accu();
        self.fold(range, names, Loop { init, condition, step, result })
    }

    fn quantifier(&mut self, function: &str, range: Expr, names: Names, predicate: Expr) -> Expr {
        match function {
            "all" => {
                let init = self.literal(Literal::Bool(true));
                let accu = self.accu();
                let condition = self.call(op::NOT_STRICTLY_FALSE, vec![accu]);
                let accu = self.accu();
                let step = self.call(op::AND, vec![accu, predicate]);
                let result = self.accu();
                self.fold(range, names, Loop { init, condition, step, result })
            }
            "exists" => {
                let init = self.literal(Literal::Bool(false));
                let accu = self.accu();
                let none = self.call(op::NOT, vec![accu]);
                let condition = self.call(op::NOT_STRICTLY_FALSE, vec![none]);
                let accu = self.accu();
                let step = self.call(op::OR, vec![accu, predicate]);
                let result = self.accu();
                self.fold(range, names, Loop { init, condition, step, result })
            }
            _ => {
                let init = self.literal(Literal::Int(0));
                let condition = self.literal(Literal::Bool(true));
                let (accu, one) = (self.accu(), self.literal(Literal::Int(1)));
                let more = self.call(op::ADD, vec![accu, one]);
                let step = self.filtered(Some(predicate), more);
                let (accu, one) = (self.accu(), self.literal(Literal::Int(1)));
                let result = self.call(op::EQUALS, vec![accu, one]);
                self.fold(range, names, Loop { init, condition, step, result })
            }
        }
    }

    /// Names `value` for the length of `body`: a loop over nothing that begins with it.
    fn bind(&mut self, name: String, value: Expr, body: Expr) -> Expr {
        let range = self.list(Vec::new());
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(&name);
        let fold = Fold {
            range,
            var: "#unused".to_owned(),
            var2: None,
            accu: name,
            init: value,
            condition,
            step,
            result: body,
        };
        self.node(ExprKind::Fold(Box::new(fold)))
    }

    /// A copy of an expression, with numbers of its own.
    fn copy(&mut self, node: &Expr) -> Expr {
        let mut count = 0;
        node.walk(&mut |_| count += 1);
        for _ in 0..count {
            if self.parser.stream.stopped {
                return self.parser.broken(node.at);
            }
            self.parser.id();
        }
        if self.parser.stream.stopped {
            return self.parser.broken(node.at);
        }
        let mut copy = node.clone();
        renumber(&mut copy, &mut (self.parser.nodes() - count));
        copy
    }
}

fn renumber(node: &mut Expr, next: &mut usize) {
    node.id = *next;
    *next += 1;
    match &mut node.kind {
        ExprKind::Broken | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
        ExprKind::Select { operand, .. } => renumber(operand, next),
        ExprKind::Call(call) => call.target.iter_mut().chain(&mut call.args).for_each(|n| renumber(n, next)),
        ExprKind::List(items) => items.iter_mut().for_each(|i| renumber(&mut i.value, next)),
        ExprKind::Map(entries) => entries.iter_mut().for_each(|e| {
            renumber(&mut e.key, next);
            renumber(&mut e.value, next);
        }),
        ExprKind::Struct(_, fields) => fields.iter_mut().for_each(|f| renumber(&mut f.value, next)),
        ExprKind::Fold(f) => {
            let parts = [&mut f.range, &mut f.init, &mut f.condition, &mut f.step, &mut f.result];
            parts.into_iter().for_each(|n| renumber(n, next));
        }
    }
}

struct Names {
    var: String,
    var2: Option<String>,
}

struct Loop {
    init: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

fn name(arg: &Expr, otherwise: &str) -> Result<String, Refused> {
    match &arg.kind {
        ExprKind::Ident(name) if name == ACCU || name == OLD_ACCU => {
            Err((arg.at, "iteration variable overwrites accumulator variable".to_owned()))
        }
        ExprKind::Ident(name) => Ok(name.clone()),
        _ => Err((arg.at, otherwise.to_owned())),
    }
}

fn two_names(first: &Expr, second: &Expr) -> Result<Names, Refused> {
    for arg in [first, second] {
        if !matches!(arg.kind, ExprKind::Ident(_)) {
            return Err((arg.at, NOT_A_NAME.to_owned()));
        }
    }
    if let (ExprKind::Ident(a), ExprKind::Ident(b)) = (&first.kind, &second.kind)
        && a == b
    {
        return Err((second.at, format!("duplicate variable name: {a}")));
    }
    Ok(Names { var: name(first, NOT_A_NAME)?, var2: Some(name(second, NOT_A_NAME)?) })
}

impl Parser<'_> {
    /// A call, or what the macro of its name makes of it.
    pub(super) fn expand(
        &mut self,
        at: usize,
        name: String,
        target: Option<Expr>,
        args: Vec<Expr>,
        levels: u32,
    ) -> Expr {
        let levels = levels + u32::from(target.is_some());
        if levels > super::DEPTH_LIMIT {
            self.stream.stop("max recursion depth exceeded".to_owned());
            return self.broken(at);
        }
        let is_macro = match (name.as_str(), args.len()) {
            ("has", 1) => target.is_none(),
            ("bind", 3) => {
                self.bindings
                    && target
                        .as_ref()
                        .is_some_and(|t| matches!(&t.kind, ExprKind::Ident(name) if name == "cel"))
            }
            ("all" | "exists" | "exists_one" | "existsOne" | "map", 2 | 3) => target.is_some(),
            ("filter" | "optMap" | "optFlatMap" | "sortBy", 2) => target.is_some(),
            ("transformList" | "transformMap" | "transformMapEntry", 3 | 4) => target.is_some(),
            _ => false,
        };
        if !is_macro {
            let call = Call { function: name, target, args };
            return self.node(at, levels, ExprKind::Call(Box::new(call)));
        }
        let mut maker = Maker { parser: self, at, levels };
        match expansion(&mut maker, &name, target, args) {
            Ok(node) => node,
            Err((at, message)) => self.refuse(at, message),
        }
    }
}

fn expansion(
    make: &mut Maker,
    function: &str,
    target: Option<Expr>,
    args: Vec<Expr>,
) -> Result<Expr, Refused> {
    let count = args.len();
    let mut args = args.into_iter();
    let Some(first) = args.next() else { return Ok(make.node(ExprKind::Broken)) };
    let Some(range) = target else {
        // `has` is the only one without a target.
        return match first.kind {
            ExprKind::Select { operand, field, test: false } => {
                Ok(make.node(ExprKind::Select { operand, field, test: true }))
            }
            _ => Err((first.at, "invalid argument to has() macro".to_owned())),
        };
    };
    let mut next = || args.next();
    match (function, count) {
        ("all" | "exists" | "exists_one" | "existsOne", 2) => {
            let names = Names { var: name(&first, NOT_A_NAME)?, var2: None };
            let predicate = next().unwrap_or(first);
            Ok(make.quantifier(function, range, names, predicate))
        }
        ("all" | "exists" | "exists_one" | "existsOne", _) => {
            let second = next().unwrap_or_else(|| first.clone());
            let names = two_names(&first, &second)?;
            let predicate = next().unwrap_or(first);
            Ok(make.quantifier(function, range, names, predicate))
        }
        ("map" | "filter", _) => {
            let names = Names { var: name(&first, NOT_AN_IDENTIFIER)?, var2: None };
            let last_two = (next(), next());
            let (filter, item) = match (function, last_two) {
                ("filter", (filter, _)) => (filter, first),
                (_, (item, None)) => (None, item.unwrap_or(first)),
                (_, (filter, Some(item))) => (filter, item),
            };
            let init = make.list(Vec::new());
            let (accu, list) = (make.accu(), make.list(vec![item]));
            let step = make.call(op::ADD, vec![accu, list]);
            let step = make.filtered(filter, step);
            Ok(make.collect(range, names, init, step))
        }
        ("transformList" | "transformMap" | "transformMapEntry", _) => {
            let second = next().unwrap_or_else(|| first.clone());
            let names = two_names(&first, &second)?;
            let (filter, item) = match (next(), next()) {
                (item, None) => (None, item.unwrap_or(first)),
                (filter, Some(item)) => (filter, item),
            };
            let (init, step) = match function {
                "transformList" => {
                    let (accu, list) = (make.accu(), make.list(vec![item]));
                    (make.list(Vec::new()), make.call(op::ADD, vec![accu, list]))
                }
                "transformMap" => {
                    let (accu, key) = (make.accu(), make.ident(&names.var));
                    (make.node(ExprKind::Map(Vec::new())), make.call(op::MAP_INSERT, vec![accu, key, item]))
                }
                _ => {
                    let accu = make.accu();
                    (make.node(ExprKind::Map(Vec::new())), make.call(op::MAP_INSERT, vec![accu, item]))
                }
            };
            let step = make.filtered(filter, step);
            Ok(make.collect(range, names, init, step))
        }
        ("bind", _) => {
            let ExprKind::Ident(var) = &first.kind else {
                return Err((first.at, "cel.bind() variable names must be simple identifiers".to_owned()));
            };
            let var = var.clone();
            let value = next().unwrap_or_else(|| first.clone());
            let body = next().unwrap_or(first);
            Ok(make.bind(var, value, body))
        }
        ("sortBy", _) => sort_by(make, range, first, next()),
        (_, _) => {
            let ExprKind::Ident(var) = &first.kind else {
                return Err((first.at, format!("{function}() variable name must be a simple identifier")));
            };
            let var = var.clone();
            let body = next().unwrap_or(first);
            let copy = make.copy(&range);
            let has = make.member("hasValue", range, Vec::new());
            let value = make.member("value", copy, Vec::new());
            let mut then = make.bind(var, value, body);
            if function == "optMap" {
                then = make.call("optional.of", vec![then]);
            }
            let none = make.call("optional.none", Vec::new());
            Ok(make.call(op::CONDITIONAL, vec![has, then, none]))
        }
    }
}

/// `list.sortBy(x, key)`: the list sorted by what `list.map(x, key)` gives.
fn sort_by(make: &mut Maker, range: Expr, first: Expr, key: Option<Expr>) -> Result<Expr, Refused> {
    if !matches!(
        range.kind,
        ExprKind::Ident(_)
            | ExprKind::Select { .. }
            | ExprKind::List(_)
            | ExprKind::Call(_)
            | ExprKind::Fold(_)
    ) {
        return Err((
            range.at,
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
                .to_owned(),
        ));
    }
    let names = Names { var: name(&first, NOT_AN_IDENTIFIER)?, var2: None };
    let name = "@__sortBy_input__".to_owned();
    let key = key.unwrap_or(first);
    let init = make.list(Vec::new());
    let (accu, list) = (make.accu(), make.list(vec![key]));
    let step = make.call(op::ADD, vec![accu, list]);
    let input = make.ident(&name);
    let keys = make.collect(input, names, init, step);
    let input = make.ident(&name);
    let sorted = make.member("@sortByAssociatedKeys", input, vec![keys]);
    Ok(make.bind(name, range, sorted))
}
