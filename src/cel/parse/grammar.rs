//! CEL's grammar (`parser/gen/CEL.g4` of cel-go), rule by rule. The numbers are the states of the parser that ANTLR
//! generates from it: see `recovery.rs`.

use super::super::ast::{Call, Entry, Field, Item, Kind, Literal, Node, operators as op};
use super::super::escape::is_reserved;
use super::super::issues::Issue;
use super::lexer::Token;
use super::literals;
use super::recovery::{Failure, Next, Stream, only, or_end};
use super::tokens::{Set, Tok};
use super::{DEPTH_LIMIT, NODES_LIMIT};

const LIST_START: Set = Set::EXPR.and(Set::of(&[Tok::Question]));
const FIELD_START: Set = Set::FIELD_NAME.and(Set::of(&[Tok::Question]));
/// What may follow an operand: every binary operator.
const OPERATORS: Next = or_end(Set::RELATION.and(Set::CALC).and(Set::of(&[Tok::And, Tok::Or])));
const MEMBER: Next = or_end(Set::MEMBER);
const NOTHING: Next = or_end(Set::NONE);
const COMMA: Next = or_end(Set::of(&[Tok::Comma]));
const fn one(kind: Tok) -> Next {
    only(Set::of(&[kind]))
}

pub(super) struct Parser<'a> {
    pub stream: Stream<'a>,
    /// What is wrong with expressions that the grammar allows.
    pub issues: Vec<Issue>,
    next_id: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    pub fn new(stream: Stream<'a>) -> Parser<'a> {
        Parser { stream, issues: Vec::new(), next_id: 0, depth: 0 }
    }

    pub fn start(&mut self) -> Node {
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
    pub fn node(&mut self, at: usize, levels: u32, kind: Kind) -> Node {
        Node { id: self.id(), at, levels, kind }
    }

    /// A node that adds a level of its own.
    fn level(&mut self, at: usize, levels: u32, kind: Kind) -> Node {
        if levels >= DEPTH_LIMIT {
            self.stream.stop("max recursion depth exceeded".to_owned());
            return self.broken(at);
        }
        self.node(at, levels + 1, kind)
    }

    pub fn broken(&mut self, at: usize) -> Node {
        self.node(at, 0, Kind::Broken)
    }

    pub fn refuse(&mut self, at: usize, message: impl Into<String>) -> Node {
        self.issues.push(Issue { at: Some(at), message: message.into() });
        self.broken(at)
    }

    fn recovered(&mut self, result: Result<Node, Failure>) -> Node {
        result.unwrap_or_else(|failure| {
            let at = self.stream.token().start;
            self.stream.recover(failure);
            self.broken(at)
        })
    }

    fn expr(&mut self, follow: Next) -> Node {
        let at = self.stream.token().start;
        if self.stream.stopped {
            return self.broken(at);
        }
        if self.depth >= DEPTH_LIMIT {
            self.stream.stop(format!("expression recursion limit exceeded: {DEPTH_LIMIT}"));
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

    fn conditional(&mut self) -> Result<Node, Failure> {
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

    fn call(&mut self, at: usize, levels: u32, function: &str, args: Vec<Node>) -> Node {
        let call = Call { function: function.to_owned(), target: None, args };
        self.level(at, levels, Kind::Call(Box::new(call)))
    }

    /// Operands and binary operators: conditionalOr, conditionalAnd, relation and calc in one.
    fn operation(&mut self, follow: Next) -> Node {
        self.stream.enter(follow);
        self.stream.enter(OPERATORS);
        let (mut operands, mut waiting): (Vec<Node>, Vec<(u8, &'static str, usize)>) = Default::default();
        let mut ands = Logic::new(op::AND);
        let mut ors = Logic::new(op::OR);
        loop {
            let operand = self.unary();
            operands.push(operand);
            let (binds, function) = binary(self.stream.peek(0));
            while let Some((_, function, at)) = waiting.pop_if(|(level, ..)| *level >= binds) {
                let (right, left) = (operands.pop(), operands.pop());
                let args: Vec<Node> = left.into_iter().chain(right).collect();
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

    fn unary(&mut self) -> Node {
        // The rule above leaves what may follow an operand open, which is what follows this rule.
        let result = self.unary_rule();
        self.recovered(result)
    }

    fn unary_rule(&mut self) -> Result<Node, Failure> {
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
    fn repeated(&mut self, first: Token, count: usize, function: &str, operand: Node) -> Node {
        if count.is_multiple_of(2) {
            return operand;
        }
        let levels = operand.levels;
        let call = Call { function: function.to_owned(), target: None, args: vec![operand] };
        self.node(first.start, levels, Kind::Call(Box::new(call)))
    }

    fn member(&mut self) -> Node {
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

    fn member_of(&mut self, operand: Node) -> Result<Node, Failure> {
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
                    return Ok(self.level(at, levels, Kind::Select { operand: operand.into(), field, test: false }));
                }
                let field = self.node(name.start, 0, Kind::Literal(Literal::String(field)));
                Ok(self.call(at, levels, op::OPT_SELECT, vec![operand, field]))
            }
            _ => {
                let failure = self.stream.no_alternative(126, 1);
                Err(self.stream.fail(failure))
            }
        }
    }

    fn optional(&mut self) -> bool {
        let optional = self.stream.is(Tok::Question);
        if optional {
            self.stream.take();
        }
        optional
    }

    /// escapeIdent. Kubernetes does not turn on names in backquotes.
    fn field_name(&mut self, follow: Next) -> String {
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

    fn arguments(&mut self, state: u16, close: u16, after: Next) -> Result<Vec<Node>, Failure> {
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

    fn primary(&mut self) -> Result<Node, Failure> {
        self.stream.sync(184, only(Set::PRIMARY))?;
        let token = self.stream.token();
        match token.kind {
            Tok::LParen => {
                self.stream.take();
                let node = self.expr(one(Tok::RParen));
                self.stream.expect(146, Tok::RParen, NOTHING)?;
                Ok(node)
            }
            Tok::LBracket => self.list(),
            Tok::LBrace => self.map(),
            Tok::Dot | Tok::Ident => self.named(),
            kind if Set::LITERAL.has(kind) => self.literal(),
            _ => {
                let failure = self.stream.no_alternative(184, 0);
                Err(self.stream.fail(failure))
            }
        }
    }

    /// An identifier, a call of a function, or an object by its type's name.
    fn named(&mut self) -> Result<Node, Failure> {
        let dot = usize::from(self.stream.is(Tok::Dot));
        if self.stream.peek(dot) != Tok::Ident {
            let failure = self.stream.no_alternative(184, dot);
            return Err(self.stream.fail(failure));
        }
        let start = self.stream.token().start;
        let mut last = dot;
        while self.stream.peek(last + 1) == Tok::Dot && self.stream.peek(last + 2) == Tok::Ident {
            last += 2;
        }
        let mut name = if dot == 1 { ".".to_owned() } else { String::new() };
        if dot == 1 {
            self.stream.take();
        }
        if self.stream.peek(last + 1 - dot) == Tok::LBrace {
            for n in dot..=last {
                let token = self.stream.take();
                name += &if n % 2 == dot % 2 { self.stream.text(token) } else { ".".to_owned() };
            }
            return self.object(name);
        }
        let token = self.stream.take();
        let word = self.stream.text(token);
        name += &word;
        let reserved = is_reserved(&word);
        if !self.stream.is(Tok::LParen) {
            if reserved {
                return Ok(self.refuse(start, format!("reserved identifier: {word}")));
            }
            return Ok(self.node(token.start, 0, Kind::Ident(name)));
        }
        let at = self.stream.take().start;
        let args = self.arguments(141, 143, NOTHING)?;
        if reserved {
            return Ok(self.refuse(start, format!("reserved identifier: {word}")));
        }
        let levels = args.iter().map(|n| n.levels).max().unwrap_or(0);
        Ok(self.expand(at, name, None, args, levels))
    }

    fn comma_and(&mut self, states: (u16, u16), close: Tok) -> Result<(), Failure> {
        self.stream.sync(states.0, only(Set::of(&[Tok::Comma, close])))?;
        if self.stream.is(Tok::Comma) {
            self.stream.take();
        }
        self.stream.expect(states.1, close, NOTHING)?;
        Ok(())
    }

    /// Whether a comma comes with another element behind it.
    fn goes_on(&mut self, start: Set) -> bool {
        let more = self.stream.is(Tok::Comma) && start.has(self.stream.peek(1));
        if more {
            self.stream.take();
        }
        more
    }

    fn list(&mut self) -> Result<Node, Failure> {
        let at = self.stream.take().start;
        let end = Set::of(&[Tok::Comma, Tok::RBracket]);
        self.stream.sync(150, only(LIST_START.and(end)))?;
        let mut items: Vec<Item> = Vec::new();
        if LIST_START.has(self.stream.peek(0)) {
            self.stream.enter(only(end));
            loop {
                let (optional, value) = self.optional_expr(COMMA);
                items.push(Item { optional, value });
                if !self.goes_on(LIST_START) {
                    break;
                }
            }
            self.stream.leave();
        }
        self.comma_and((153, 155), Tok::RBracket)?;
        let levels = items.iter().map(|i| i.value.levels).max().unwrap_or(0);
        Ok(self.node(at, levels, Kind::List(items)))
    }

    fn optional_expr(&mut self, follow: Next) -> (bool, Node) {
        self.stream.enter(follow);
        let at = self.stream.token().start;
        let result = self.stream.sync(238, only(LIST_START));
        let item = match result {
            Ok(()) => {
                let optional = self.optional();
                (optional, self.expr(NOTHING))
            }
            Err(failure) => {
                self.stream.recover(failure);
                (false, self.broken(at))
            }
        };
        self.stream.leave();
        item
    }

    fn map(&mut self) -> Result<Node, Failure> {
        let at = self.stream.take().start;
        let end = Set::of(&[Tok::Comma, Tok::RBrace]);
        self.stream.sync(158, only(LIST_START.and(end)))?;
        let mut entries: Vec<Entry> = Vec::new();
        if LIST_START.has(self.stream.peek(0)) {
            self.stream.enter(only(end));
            let mut state = 221;
            loop {
                let (optional, key) = self.optional_expr(one(Tok::Colon));
                if let Err(failure) = self.stream.expect(state, Tok::Colon, only(Set::EXPR)) {
                    self.stream.recover(failure);
                    break;
                }
                state = 225;
                let value = self.expr(COMMA);
                entries.push(Entry { optional, key, value });
                if !self.goes_on(LIST_START) {
                    break;
                }
            }
            self.stream.leave();
        }
        self.comma_and((161, 163), Tok::RBrace)?;
        let levels = entries.iter().map(|e| e.key.levels.max(e.value.levels)).max().unwrap_or(0);
        Ok(self.node(at, levels, Kind::Map(entries)))
    }

    fn object(&mut self, name: String) -> Result<Node, Failure> {
        let at = self.stream.take().start;
        let end = Set::of(&[Tok::Comma, Tok::RBrace]);
        self.stream.sync(177, only(FIELD_START.and(end)))?;
        let mut fields: Vec<Field> = Vec::new();
        if FIELD_START.has(self.stream.peek(0)) {
            self.stream.enter(only(end));
            let mut state = 203;
            loop {
                self.stream.enter(one(Tok::Colon));
                let synced = self.stream.sync(216, only(FIELD_START));
                let (mut optional, mut name) = (false, String::new());
                match synced {
                    Ok(()) => {
                        optional = self.optional();
                        name = self.field_name(NOTHING);
                    }
                    Err(failure) => self.stream.recover(failure),
                }
                self.stream.leave();
                let colon = match self.stream.expect(state, Tok::Colon, only(Set::EXPR)) {
                    Ok(colon) => colon,
                    Err(failure) => {
                        self.stream.recover(failure);
                        break;
                    }
                };
                state = 207;
                let value = self.expr(COMMA);
                fields.push(Field { at: colon.map_or(value.at, |c| c.start), name, optional, value });
                if !self.goes_on(FIELD_START) {
                    break;
                }
            }
            self.stream.leave();
        }
        self.comma_and((180, 182), Tok::RBrace)?;
        let levels = fields.iter().map(|f| f.value.levels).max().unwrap_or(0);
        Ok(self.node(at, levels, Kind::Struct(name, fields)))
    }

    fn literal(&mut self) -> Result<Node, Failure> {
        let first = self.stream.token();
        let negative = first.kind == Tok::Minus;
        if negative && !matches!(self.stream.peek(1), Tok::Int | Tok::Float) {
            let failure = self.stream.no_alternative(184, 1);
            return Err(self.stream.fail(failure));
        }
        if negative {
            self.stream.take();
        }
        let token = self.stream.take();
        let text = self.stream.text(token);
        let value = match token.kind {
            Tok::True => Ok(Literal::Bool(true)),
            Tok::False => Ok(Literal::Bool(false)),
            Tok::Null => Ok(Literal::Null),
            Tok::Int => literals::int(&text, negative).map(Literal::Int).ok_or("invalid int literal"),
            Tok::Uint => literals::uint(&text).map(Literal::Uint).ok_or("invalid uint literal"),
            Tok::Float => {
                let double = literals::double(&text).map(|d| if negative { -d } else { d });
                double.map(Literal::Double).ok_or("invalid double literal")
            }
            Tok::Bytes => {
                let rest = text.strip_prefix(['b', 'B']).unwrap_or(&text);
                literals::unescape(rest, true).map(Literal::Bytes)
            }
            _ => literals::unescape(&text, false)
                .map(|bytes| Literal::String(String::from_utf8_lossy(&bytes).into_owned())),
        };
        Ok(match value {
            Ok(value) => self.node(first.start, 0, Kind::Literal(value)),
            Err(message) => self.refuse(first.start, message),
        })
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
    terms: Vec<Node>,
    ops: Vec<usize>,
}

impl Logic {
    fn new(function: &'static str) -> Logic {
        Logic { function, terms: Vec::new(), ops: Vec::new() }
    }

    fn balanced(self, parser: &mut Parser) -> Option<Node> {
        let mut terms = self.terms.into_iter();
        tree(&self.ops, self.function, &mut terms, parser)
    }
}

fn tree(ops: &[usize], function: &str, terms: &mut impl Iterator<Item = Node>, parser: &mut Parser) -> Option<Node> {
    // Of an even number of operators the later one of the two in the middle is on top.
    let middle = ops.len() / 2;
    let Some(at) = ops.get(middle) else { return terms.next() };
    let left = tree(ops.get(..middle)?, function, terms, parser)?;
    let right = tree(ops.get(middle + 1..)?, function, terms, parser)?;
    let levels = left.levels.max(right.levels);
    let call = Call { function: function.to_owned(), target: None, args: vec![left, right] };
    Some(parser.node(*at, levels, Kind::Call(Box::new(call))))
}
