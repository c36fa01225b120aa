//! What an operand begins with: names, calls, brackets, literals.

use super::super::ast::{Entry, Expr, ExprKind, Field, Item, Literal};
use super::super::escape::is_reserved;
use super::grammar::{COMMA, LIST_START, NOTHING, Parser, one};
use super::literals;
use super::recovery::{Failure, Next, only};
use super::tokens::{Set, Tok};

const FIELD_START: Set = Set::FIELD_NAME.and(Set::of(&[Tok::Question]));

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Result<Expr, Failure> {
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
    fn named(&mut self) -> Result<Expr, Failure> {
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
            return Ok(self.node(token.start, 0, ExprKind::Ident(name)));
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

    fn list(&mut self) -> Result<Expr, Failure> {
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
        Ok(self.node(at, levels, ExprKind::List(items)))
    }

    fn optional_expr(&mut self, follow: Next) -> (bool, Expr) {
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

    fn map(&mut self) -> Result<Expr, Failure> {
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
        Ok(self.node(at, levels, ExprKind::Map(entries)))
    }

    fn object(&mut self, name: String) -> Result<Expr, Failure> {
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
        Ok(self.node(at, levels, ExprKind::Struct(name, fields)))
    }

    fn literal(&mut self) -> Result<Expr, Failure> {
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
            Ok(value) => self.node(first.start, 0, ExprKind::Literal(value)),
            Err(message) => self.refuse(first.start, message),
        })
    }
}
