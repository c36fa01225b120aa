//! CEL's grammar (`parser/gen/CEL.g4` of cel-go), rule by rule. The numbers are the states of the parser that ANTLR
//! generates from it: see `recovery.rs`.

use super::super::ast::{Call, Expr, ExprKind, Literal, operators as op};
use super::super::issues::Issue;
use super::lexer::Token;
use super::recovery::{Failure, Next, Stream, only, or_end};
use super::tokens::{Set, Tok};
use super::{DEPTH_LIMIT, NESTING_LIMIT, NODES_LIMIT};

pub(super) const LIST_START: Set = Set::EXPR.and(Set::of(&[Tok::Question]));
const MEMBER: Next = or_end(Set::MEMBER);
pub(super) const NOTHING: Next = or_end(Set::NONE);
pub(super) const COMMA: Next = or_end(Set::of(&[Tok::Comma]));
pub(super) const fn one(kind: Tok) -> Next {
    only(Set::of(&[kind]))
}

pub(super) struct Parser<'a> {
    pub stream: Stream<'a>,
    /// What is wrong with expressions that the grammar allows.
    pub issues: Vec<Issue>,
    next_id: usize,
    depth: u32,
    /// Whether `cel.bind` is a macro.
    pub(super) bindings: bool,
}

impl<'a> Parser<'a> {
    pub fn new(stream: Stream<'a>, bindings: bool) -> Parser<'a> {
        Parser { stream, issues: Vec::new(), next_id: 0, depth: 0, bindings }
    }

    pub fn start(&mut self) -> Expr {
        let node = self.expr(one(Tok::Eof));
        if let Err(failure) = self.stream.expect(35, Tok::Eof, NOTHING) {
            self.stream.recover(failure);
        }
        node
    }

    /// How many nodes there are; their numbers are below it.
    pub fn nodes(&self) -> usize {
        self.next_id
    }

    pub fn id(&mut self) -> usize {
        self.next_id += 1;
        if self.next_id > NODES_LIMIT {
            self.stream.stop(format!("expression has more than {NODES_LIMIT} nodes"));
        }
        self.next_id - 1
    }

    /// A node; `levels` is that of the deepest of its parts.
    pub fn node(&mut self, at: usize, levels: u32, kind: ExprKind) -> Expr {
        Expr { id: self.id(), at, levels, kind }
    }

    /// A node that adds a level of its own.
    fn level(&mut self, at: usize, levels: u32, kind: ExprKind) -> Expr {
        if levels >= DEPTH_LIMIT {
            self.stream.stop("max recursion depth exceeded".to_owned());
            return self.broken(at);
        }
        self.node(at, levels + 1, kind)
    }

    pub fn broken(&mut self, at: usize) -> Expr {
        self.node(at, 0, ExprKind::Broken)
    }

    pub fn refuse(&mut self, at: usize, message: impl Into<String>) -> Expr {
        self.issues.push(Issue { at: Some(at), message: message.into() });
        self.broken(at)
    }

    fn recovered(&mut self, result: Result<Expr, Failure>) -> Expr {
        result.unwrap_or_else(|failure| {
            let at = self.stream.token().start;
            self.stream.recover(failure);
            self.broken(at)
        })
    }

    pub(super) fn expr(&mut self, follow: Next) -> Expr {
        let at = self.stream.token().start;
        if self.stream.stopped {
            return self.broken(at);
        }
        if self.depth >= NESTING_LIMIT {
            self.stream.stop(format!("expression recursion limit exceeded: {NESTING_LIMIT}"));
            return self.broken(at);
        }
        self.depth += 1;
        self.stream.enter(follow);
        let result = self.conditional();
        let node = self.recovered(result);
        self.stream.leave();
        self.depth -= 1;
        node
    }

    fn conditional(&mut self) -> Result<Expr, Failure> {
        let condition = self.operation(or_end(Set::of(&[Tok::Question])));
        if !self.stream.is(Tok::Question) {
            return Ok(condition);
        }
        let at = self.stream.take().start;
        let yes = self.operation(one(Tok::Colon));
        self.stream.expect(40, Tok::Colon, only(Set::EXPR))?;
        let no = self.expr(NOTHING);
        let levels = condition.levels.max(yes.levels).max(no.levels);
        Ok(self.call(at, levels, op::CONDITIONAL, vec![condition, yes, no]))
    }

    pub(super) fn call(&mut self, at: usize, levels: u32, function: &str, args: Vec<Expr>) -> Expr {
        let call = Call { function: function.to_owned(), target: None, args };
        self.level(at, levels, ExprKind::Call(Box::new(call)))
    }

    pub(super) fn unary(&mut self) -> Expr {
        // The rule above leaves what may follow an operand open, which is what follows this rule.
        let result = self.unary_rule();
        self.recovered(result)
    }

    fn unary_rule(&mut self) -> Result<Expr, Failure> {
        self.stream.sync(99, only(Set::EXPR))?;
        let first = self.stream.token();
        let number = |next| matches!(next, Tok::Int | Tok::Float);
        match first.kind {
            Tok::Exclam => {
                let mut count = 0usize;
                while self.stream.is(Tok::Exclam) {
                    self.stream.take();
                    count += 1;
                    self.stream.sync_loop(90, only(Set::EXPR));
                }
                let operand = self.member();
                Ok(self.repeated(first, count, op::NOT, operand))
            }
            // A sign before a number belongs to the number.
            Tok::Minus if !number(self.stream.peek(1)) => {
                let mut count = 0usize;
                while self.stream.is(Tok::Minus) && (count == 0 || !number(self.stream.peek(1))) {
                    if !Set::PRIMARY.has(self.stream.peek(1)) {
                        let state = if count == 0 { 99 } else { 96 };
                        let failure = self.stream.no_alternative(state, 1);
                        return Err(self.stream.fail(failure));
                    }
                    self.stream.take();
                    count += 1;
                }
                // The last of several signs, before a number: the repetition takes it.
                if count > 0 && self.stream.is(Tok::Minus) {
                    self.stream.take();
                    count += 1;
                }
                let operand = self.member();
                Ok(self.repeated(first, count, op::NEGATE, operand))
            }
            kind if Set::EXPR.has(kind) => Ok(self.member()),
            _ => {
                let failure = self.stream.no_alternative(99, 0);
                Err(self.stream.fail(failure))
            }
        }
    }

    /// An even number of signs is none.
    fn repeated(&mut self, first: Token, count: usize, function: &str, operand: Expr) -> Expr {
        if count.is_multiple_of(2) {
            return operand;
        }
        let levels = operand.levels;
        let call = Call { function: function.to_owned(), target: None, args: vec![operand] };
        self.node(first.start, levels, ExprKind::Call(Box::new(call)))
    }

    fn member(&mut self) -> Expr {
        self.stream.enter(NOTHING);
        self.stream.enter(MEMBER);
        let result = self.primary();
        let mut node = self.recovered(result);
        self.stream.leave();
        while Set::MEMBER.has(self.stream.peek(0)) && !self.stream.stopped {
            let at = self.stream.token().start;
            match self.member_of(node) {
                Ok(next) => node = next,
                Err(failure) => {
                    self.stream.recover(failure);
                    node = self.broken(at);
                    break;
                }
            }
        }
        self.stream.leave();
        node
    }

    fn member_of(&mut self, operand: Expr) -> Result<Expr, Failure> {
        let levels = operand.levels;
        if self.stream.is(Tok::LBracket) {
            let at = self.stream.take().start;
            self.stream.sync(121, only(LIST_START))?;
            let optional = self.optional();
            let index = self.expr(one(Tok::RBracket));
            self.stream.expect(124, Tok::RBracket, MEMBER)?;
            let function = if optional { op::OPT_INDEX } else { op::INDEX };
            let levels = levels.max(index.levels);
            return Ok(self.call(at, levels, function, vec![operand, index]));
        }
        match (self.stream.peek(1), self.stream.peek(2)) {
            (Tok::Ident, Tok::LParen) => {
                self.stream.take();
                let name = self.stream.take();
                let name = self.stream.text(name);
                let at = self.stream.take().start;
                let args = self.arguments(115, 117, MEMBER)?;
                let levels = args.iter().map(|n| n.levels).fold(levels, u32::max);
                let node = self.expand(at, name, Some(operand), args, levels);
                Ok(node)
            }
            (Tok::Question | Tok::Ident | Tok::EscIdent, _) => {
                let at = self.stream.take().start;
                let optional = self.optional();
                let name = self.stream.token();
                let field = self.field_name(MEMBER);
                if !optional {
                    return Ok(self.level(
                        at,
                        levels,
                        ExprKind::Select { operand: operand.into(), field, test: false },
                    ));
                }
                let field = self.node(name.start, 0, ExprKind::Literal(Literal::String(field)));
                Ok(self.call(at, levels, op::OPT_SELECT, vec![operand, field]))
            }
            _ => {
                let failure = self.stream.no_alternative(126, 1);
                Err(self.stream.fail(failure))
            }
        }
    }

    pub(super) fn optional(&mut self) -> bool {
        let optional = self.stream.is(Tok::Question);
        if optional {
            self.stream.take();
        }
        optional
    }

    /// escapeIdent. Kubernetes does not turn on names in backquotes.
    pub(super) fn field_name(&mut self, follow: Next) -> String {
        self.stream.enter(follow);
        let result = self.stream.sync(235, only(Set::FIELD_NAME));
        let token = self.stream.token();
        let name = match result {
            Err(failure) => {
                self.stream.recover(failure);
                String::new()
            }
            Ok(()) if token.kind == Tok::Ident => {
                self.stream.take();
                self.stream.text(token)
            }
            Ok(()) if token.kind == Tok::EscIdent => {
                self.stream.take();
                self.refuse(token.start, "unsupported syntax: '`'");
                String::new()
            }
            Ok(()) => {
                let failure = self.stream.no_alternative(235, 0);
                let failure = self.stream.fail(failure);
                self.stream.recover(failure);
                String::new()
            }
        };
        self.stream.leave();
        name
    }

    pub(super) fn arguments(&mut self, state: u16, close: u16, after: Next) -> Result<Vec<Expr>, Failure> {
        self.stream.sync(state, only(Set::EXPR.and(Set::of(&[Tok::RParen]))))?;
        let mut args = Vec::new();
        if Set::EXPR.has(self.stream.peek(0)) {
            self.stream.enter(one(Tok::RParen));
            args.push(self.expr(COMMA));
            while self.stream.is(Tok::Comma) {
                self.stream.take();
                let arg = self.expr(COMMA);
                args.push(arg);
            }
            self.stream.leave();
        }
        self.stream.expect(close, Tok::RParen, after)?;
        Ok(args)
    }
}
