//! The parser of awk programs.

use super::syntax::{Expr, Rule, Statement, Token, When, tokens};

/// How deep expressions and statements may lie in each other.
pub(super) const DEPTH: usize = 64;

/// Reads a program; `None` if it has what is not known here: functions of its own, `getline`, pipes.
pub(super) fn parse(program: &str) -> Option<Vec<Rule>> {
    let mut parser = Parser { tokens: tokens(program)?, at: 0, depth: 0, ranges: 0, in_print: false };
    let mut rules = Vec::new();
    loop {
        parser.skip_ends();
        if parser.peek().is_none() {
            return Some(rules);
        }
        rules.push(parser.rule()?);
    }
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
    ranges: usize,
    /// Whether `>` is a redirection.
    pub(super) in_print: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(s)) if *s == sign)
    }

    /// Takes a sign if it is the next token.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign);
        self.at += usize::from(is);
        is
    }

    pub(super) fn expect(&mut self, sign: &str) -> Option<()> {
        self.take(sign).then_some(())
    }

    /// Takes a word if it is the next token, with or without a parenthesis behind it.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Name(n) | Token::Function(n)) if n == word);
        self.at += usize::from(is);
        is
    }

    pub(super) fn skip_newlines(&mut self) {
        while matches!(self.peek(), Some(Token::Newline)) {
            self.at += 1;
        }
    }

    fn skip_ends(&mut self) {
        while matches!(self.peek(), Some(Token::Newline)) || self.is_sign(";") {
            self.at += 1;
        }
    }

    fn rule(&mut self) -> Option<Rule> {
        let when = if self.word("BEGIN") {
            When::Begin
        } else if self.word("END") {
            When::End
        } else if self.is_sign("{") {
            When::Always
        } else {
            let from = self.expression()?;
            if self.take(",") {
                self.skip_newlines();
                let to = self.expression()?;
                self.ranges += 1;
                When::Range(from, to, self.ranges)
            } else {
                When::If(from)
            }
        };
        let action = if self.is_sign("{") { Some(self.block()?) } else { None };
        Some(Rule { when, action })
    }

    fn block(&mut self) -> Option<Statement> {
        self.expect("{")?;
        let mut all = Vec::new();
        loop {
            self.skip_ends();
            if self.take("}") {
                return Some(Statement::Block(all));
            }
            all.push(self.statement()?);
        }
    }

    /// A statement that another one governs.
    fn body(&mut self) -> Option<Box<Statement>> {
        self.skip_newlines();
        if self.take(";") {
            return Some(Box::new(Statement::Block(Vec::new())));
        }
        Some(Box::new(self.statement()?))
    }

    fn statement(&mut self) -> Option<Statement> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let statement = self.any_statement();
        self.depth -= 1;
        statement
    }

    fn any_statement(&mut self) -> Option<Statement> {
        if self.is_sign("{") {
            return self.block();
        }
        if self.word("if") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let then = self.body()?;
            let before = self.at;
            self.skip_ends();
            if self.word("else") {
                return Some(Statement::If(condition, then, Some(self.body()?)));
            }
            self.at = before;
            return Some(Statement::If(condition, then, None));
        }
        if self.word("while") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            return Some(Statement::While(Some(condition), None, self.body()?, false));
        }
        if self.word("do") {
            let body = self.body()?;
            self.skip_ends();
            if !self.word("while") {
                return None;
            }
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            return Some(Statement::While(Some(condition), None, body, true));
        }
        if self.word("for") {
            return self.loop_for();
        }
        let simple = self.simple()?;
        // The end of the block ends the statement, too.
        let ended = self.peek().is_none() || self.is_sign("}") || self.is_sign(";");
        (ended || matches!(self.peek(), Some(Token::Newline))).then_some(simple)
    }

    fn loop_for(&mut self) -> Option<Statement> {
        self.expect("(")?;
        let next = self.tokens.get(self.at..self.at + 4)?;
        if let [Token::Name(variable), Token::Name(word), Token::Name(array), Token::Sign(")")] = next
            && word == "in"
        {
            let (variable, array) = (variable.clone(), array.clone());
            self.at += 4;
            return Some(Statement::ForIn(variable, array, self.body()?));
        }
        let first = if self.is_sign(";") { None } else { Some(self.simple()?) };
        self.expect(";")?;
        let condition = if self.is_sign(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let after = if self.is_sign(")") { None } else { Some(Box::new(self.simple()?)) };
        self.expect(")")?;
        let whole = Statement::While(condition, after, self.body()?, false);
        Some(Statement::Block(first.into_iter().chain([whole]).collect()))
    }

    fn simple(&mut self) -> Option<Statement> {
        if self.word("next") {
            return Some(Statement::Next);
        }
        if self.word("break") {
            return Some(Statement::Break);
        }
        if self.word("continue") {
            return Some(Statement::Continue);
        }
        if self.word("exit") {
            let ends = self.peek().is_none()
                || self.is_sign("}")
                || self.is_sign(";")
                || matches!(self.peek(), Some(Token::Newline));
            return Some(Statement::Exit(if ends { None } else { Some(self.expression()?) }));
        }
        if self.word("delete") {
            let Some(Token::Name(name)) = self.peek().cloned() else { return None };
            self.at += 1;
            let at = if self.take("[") { self.list("]")? } else { Vec::new() };
            return Some(Statement::Delete(name, at));
        }
        let format = self.word("printf");
        if format || self.word("print") {
            return self.print(format);
        }
        Some(Statement::Expression(self.expression()?))
    }

    fn print(&mut self, format: bool) -> Option<Statement> {
        let before = std::mem::replace(&mut self.in_print, true);
        let mut all = Vec::new();
        // `print (a, b)`: parentheses around the whole list.
        let opening = self.at;
        let listed = self.take("(").then(|| {
            self.in_print = false;
            let list = self.list(")");
            self.in_print = true;
            list
        });
        let ends = |p: &Parser| {
            p.peek().is_none()
                || matches!(p.peek(), Some(Token::Newline))
                || ["}", ";", ">", ">>", "|"].iter().any(|s| p.is_sign(s))
        };
        match listed.flatten() {
            Some(list) if ends(self) => all = list,
            _ => {
                self.at = opening;
                while !ends(self) {
                    all.push(self.expression()?);
                    if !self.take(",") {
                        break;
                    }
                    self.skip_newlines();
                }
            }
        }
        let append = self.is_sign(">>");
        let to = if self.take(">>") || self.take(">") { Some((append, self.concatenation()?)) } else { None };
        self.in_print = before;
        (!self.is_sign("|")).then_some(Statement::Print(format, all, to))
    }

    /// Expressions between commas, up to a closing sign.
    pub(super) fn list(&mut self, end: &str) -> Option<Vec<Expr>> {
        let mut all = Vec::new();
        while !self.take(end) {
            all.push(self.expression()?);
            self.skip_newlines();
            if !self.is_sign(end) {
                self.expect(",")?;
                self.skip_newlines();
            }
        }
        Some(all)
    }
}
