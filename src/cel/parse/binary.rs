//! Operands and what stands between them.

use super::super::ast::{Call, Expr, ExprKind, operators as op};
use super::grammar::Parser;
use super::recovery::{Next, or_end};
use super::tokens::{Set, Tok};

/// What may follow an operand: every binary operator.
const OPERATORS: Next = or_end(Set::RELATION.and(Set::CALC).and(Set::of(&[Tok::And, Tok::Or])));

impl Parser<'_> {
    /// Operands and binary operators: conditionalOr, conditionalAnd, relation and calc in one.
    pub(super) fn operation(&mut self, follow: Next) -> Expr {
        self.stream.enter(follow);
        self.stream.enter(OPERATORS);
        let (mut operands, mut waiting): (Vec<Expr>, Vec<(u8, &'static str, usize)>) = Default::default();
        let mut ands = Logic::new(op::AND);
        let mut ors = Logic::new(op::OR);
        loop {
            let operand = self.unary();
            operands.push(operand);
            let (binds, function) = binary(self.stream.peek(0));
            while let Some((_, function, at)) = waiting.pop_if(|(level, ..)| *level >= binds) {
                let (right, left) = (operands.pop(), operands.pop());
                let args: Vec<Expr> = left.into_iter().chain(right).collect();
                let levels = args.iter().map(|n| n.levels).max().unwrap_or(0);
                let node = self.call(at, levels, function, args);
                operands.push(node);
            }
            if binds >= RELATION {
                waiting.push((binds, function, self.stream.take().start));
                continue;
            }
            ands.terms.extend(operands.pop());
            if binds == AND {
                ands.ops.push(self.stream.take().start);
                continue;
            }
            let ended = std::mem::replace(&mut ands, Logic::new(op::AND));
            ors.terms.extend(ended.balanced(self));
            if binds != OR {
                break;
            }
            ors.ops.push(self.stream.take().start);
        }
        self.stream.leave();
        self.stream.leave();
        let at = self.stream.token().start;
        match ors.balanced(self) {
            Some(node) => node,
            None => self.broken(at),
        }
    }
}

const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;

/// How strongly an operator binds, and its function. Nothing binds with 0.
fn binary(kind: Tok) -> (u8, &'static str) {
    match kind {
        Tok::Or => (OR, op::OR),
        Tok::And => (AND, op::AND),
        Tok::Equals => (RELATION, op::EQUALS),
        Tok::NotEquals => (RELATION, op::NOT_EQUALS),
        Tok::In => (RELATION, op::IN),
        Tok::Less => (RELATION, op::LESS),
        Tok::LessEquals => (RELATION, op::LESS_EQUALS),
        Tok::Greater => (RELATION, op::GREATER),
        Tok::GreaterEquals => (RELATION, op::GREATER_EQUALS),
        Tok::Plus => (4, op::ADD),
        Tok::Minus => (4, op::SUBTRACT),
        Tok::Star => (5, op::MULTIPLY),
        Tok::Slash => (5, op::DIVIDE),
        Tok::Percent => (5, op::MODULO),
        _ => (0, ""),
    }
}

/// Terms between `&&` or `||`. They become a balanced tree, as in cel-go, so that many of them are not deep.
struct Logic {
    function: &'static str,
    terms: Vec<Expr>,
    ops: Vec<usize>,
}

impl Logic {
    fn new(function: &'static str) -> Logic {
        Logic { function, terms: Vec::new(), ops: Vec::new() }
    }

    fn balanced(self, parser: &mut Parser) -> Option<Expr> {
        let mut terms = self.terms.into_iter();
        tree(&self.ops, self.function, &mut terms, parser)
    }
}

fn tree(
    ops: &[usize],
    function: &str,
    terms: &mut impl Iterator<Item = Expr>,
    parser: &mut Parser,
) -> Option<Expr> {
    // Of an even number of operators the later one of the two in the middle is on top.
    let middle = ops.len() / 2;
    let Some(at) = ops.get(middle) else { return terms.next() };
    let left = tree(ops.get(..middle)?, function, terms, parser)?;
    let right = tree(ops.get(middle + 1..)?, function, terms, parser)?;
    let levels = left.levels.max(right.levels);
    let call = Call { function: function.to_owned(), target: None, args: vec![left, right] };
    Some(parser.node(*at, levels, ExprKind::Call(Box::new(call))))
}
