//! Reads a word: quotes, escapes, and what begins with `$`.

use std::rc::Rc;

use super::ast::{Node, Op, Part, Word};
use super::parser::{Parsed, Parser, SyntaxError, is_meta, is_name};

fn push(out: &mut Word, c: char, quoted: bool) {
    match out.last_mut() {
        Some(Part::Text { text, quoted: q }) if *q == quoted => text.push(c),
        _ => out.push(Part::Text { text: c.into(), quoted }),
    }
}

impl Parser {
    /// The word that stands here. It has at least one character.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let start = self.at;
        let word = self.word_until(is_meta)?;
        match self.peek() {
            _ if self.at > start => Ok(word),
            Some(c) => Err(self.unexpected(c)),
            None => self.end_of_file(""),
        }
    }

    /// A regular expression behind `=~`: it ends at a blank outside of its parentheses.
    pub(super) fn regular_expression(&mut self) -> Parsed<Word> {
        let depth = std::cell::Cell::new(0usize);
        let start = self.at;
        let word = self.word_until(|c| {
            match c {
                '(' => depth.set(depth.get() + 1),
                ')' if depth.get() == 0 => return true,
                ')' => depth.set(depth.get() - 1),
                _ => {}
            }
            c == '\n' || (depth.get() == 0 && matches!(c, ' ' | '\t' | ';'))
        })?;
        if self.at > start { Ok(word) } else { self.unexpected_here("") }
    }

    fn word_until(&mut self, ends: impl Fn(char) -> bool) -> Parsed<Word> {
        let mut out = Word::new();
        while let Some(c) = self.peek().filter(|c| !ends(*c)) {
            self.at += 1;
            match c {
                '\\' => match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(c) => {
                        self.at += 1;
                        push(&mut out, c, true);
                    }
                    None => push(&mut out, '\\', true),
                },
                '\'' => out.push(self.single_quoted()?),
                '"' => {
                    out.push(Part::Text { text: String::new(), quoted: true });
                    out.extend(self.nested(|p| p.double_quoted(Some('"')))?);
                }
                '$' if self.peek() == Some('\'') => {
                    self.at += 1;
                    let Part::Text { text, .. } = self.escaped_quoted()? else { continue };
                    out.push(Part::Text { text, quoted: true });
                }
                '$' => self.dollar(&mut out, false)?,
                '`' => out.push(self.backquoted(false)?),
                _ => push(&mut out, c, false),
            }
        }
        Ok(out)
    }

    fn single_quoted(&mut self) -> Parsed<Part> {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '\'' {
                return Ok(Part::Text { text, quoted: true });
            }
            text.push(c);
        }
        Err(SyntaxError("unterminated quoted string".into()))
    }

    /// bash's `$'…'`.
    fn escaped_quoted(&mut self) -> Parsed<Part> {
        let mut raw = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\'' => return Ok(Part::Text { text: super::text::unescape(&raw, false).0, quoted: true }),
                '\\' => {
                    raw.push('\\');
                    raw.extend(self.peek());
                    self.at += 1;
                }
                _ => raw.push(c),
            }
        }
        Err(SyntaxError("unterminated quoted string".into()))
    }

    /// Text between double quotes, or of a here-document if there is no `end`.
    pub(super) fn double_quoted(&mut self, end: Option<char>) -> Parsed<Word> {
        let mut out = Word::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                _ if Some(c) == end => return Ok(out),
                '\\' => match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(c @ ('$' | '`' | '\\')) => {
                        self.at += 1;
                        push(&mut out, c, true);
                    }
                    Some('"') if end.is_some() => {
                        self.at += 1;
                        push(&mut out, '"', true);
                    }
                    _ => push(&mut out, '\\', true),
                },
                '$' => self.dollar(&mut out, true)?,
                '`' => out.push(self.backquoted(true)?),
                _ => push(&mut out, c, true),
            }
        }
        match end {
            Some(_) => Err(SyntaxError("unterminated quoted string".into())),
            None => Ok(out),
        }
    }

    fn backquoted(&mut self, quoted: bool) -> Parsed<Part> {
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(SyntaxError("EOF in backquote substitution".into()));
            };
            self.at += 1;
            match c {
                '`' => break,
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => {
                    text.extend(self.peek());
                    self.at += 1;
                }
                _ => text.push(c),
            }
        }
        let script = self.nested(|p| p.inner(&text))?;
        Ok(Part::Command { script: Rc::new(script), quoted })
    }

    /// Reads a text as a script, as deep as this parser is.
    fn inner(&mut self, text: &str) -> Parsed<Node> {
        let (outer, at) = (std::mem::replace(&mut self.s, text.chars().collect()), self.at);
        self.at = 0;
        let list = self.list(&[]);
        let rest = self.peek();
        (self.s, self.at) = (outer, at);
        match rest {
            Some(c) if list.is_ok() => Err(self.unexpected(c)),
            _ => list,
        }
    }

    fn dollar(&mut self, out: &mut Word, quoted: bool) -> Parsed<()> {
        let Some(c) = self.peek() else {
            push(out, '$', quoted);
            return Ok(());
        };
        let part = match c {
            '(' if self.ahead(1) == Some('(') && self.is_arithmetic() => {
                self.at += 2;
                Part::Arith { text: self.arithmetic("))")?, quoted }
            }
            '(' => {
                self.at += 1;
                let script = Rc::new(self.list(&[])?);
                if !self.take(")") {
                    return self.end_of_file(")");
                }
                Part::Command { script, quoted }
            }
            '{' => {
                self.at += 1;
                self.nested(|p| p.braced(quoted))?
            }
            '@' | '*' | '#' | '?' | '-' | '$' | '!' | '0'..='9' => {
                self.at += 1;
                Part::Param { name: c.into(), index: None, op: Op::None, quoted }
            }
            c if c == '_' || c.is_ascii_alphabetic() => {
                Part::Param { name: self.name(), index: None, op: Op::None, quoted }
            }
            _ => {
                push(out, '$', quoted);
                return Ok(());
            }
        };
        out.push(part);
        Ok(())
    }

    /// bash: `[index]`, if it stands here and ends.
    pub(super) fn index(&mut self) -> Parsed<Option<Word>> {
        if self.peek() != Some('[') {
            return Ok(None);
        }
        let start = self.at;
        self.at += 1;
        let word = self.word_until(|c| c == ']' || c == '\n')?;
        if !word.is_empty() && self.take("]") {
            return Ok(Some(word));
        }
        self.at = start;
        Ok(None)
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| *c == '_' || c.is_ascii_alphanumeric()) {
            name.push(c);
            self.at += 1;
        }
        name
    }

    /// Whether `$((` here begins an expression, not a subshell in a substitution: it ends in `))`.
    fn is_arithmetic(&self) -> bool {
        let mut depth = 0usize;
        for (i, c) in self.s.iter().enumerate().skip(self.at) {
            match c {
                '(' => depth += 1,
                ')' if depth == 2 => return self.s.get(i + 1) == Some(&')'),
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        false
    }

    /// An expression up to `end`, outside of parentheses.
    pub(super) fn arithmetic(&mut self, end: &str) -> Parsed<Word> {
        self.nested(|p| {
            let (mut out, mut depth) = (Word::new(), 0usize);
            loop {
                if depth == 0 && p.take(end) {
                    return Ok(out);
                }
                let Some(c) = p.peek() else { return p.end_of_file(end) };
                p.at += 1;
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                match c {
                    '$' => p.dollar(&mut out, true)?,
                    '`' => out.push(p.backquoted(true)?),
                    '"' => {}
                    _ => push(&mut out, c, true),
                }
            }
        })
    }

    fn braced(&mut self, quoted: bool) -> Parsed<Part> {
        let length = self.peek() == Some('#') && self.ahead(1).is_some_and(|c| c != '}');
        if length {
            self.at += 1;
        }
        let named = self.ahead(1).is_some_and(|c| c == '_' || c.is_ascii_alphanumeric());
        let indirect = self.bash && named && self.take("!");
        let name = match self.peek() {
            Some(c @ ('@' | '*' | '#' | '?' | '-' | '$' | '!')) => {
                self.at += 1;
                c.into()
            }
            _ => self.name(),
        };
        let bad = || SyntaxError("Bad substitution".into());
        let special = name.chars().count() == 1 || name.chars().all(|c| c.is_ascii_digit());
        if name.is_empty() || !(special || is_name(&name)) {
            return Err(bad());
        }
        let index = if self.bash && is_name(&name) { self.index()? } else { None };
        if indirect {
            let op = Op::Indirect;
            return if self.take("}") { Ok(Part::Param { name, index, op, quoted }) } else { Err(bad()) };
        }
        if length {
            return if self.take("}") {
                Ok(Part::Param { name, index, op: Op::Length, quoted })
            } else {
                Err(bad())
            };
        }
        let colon = self.take(":");
        let Some(c) = self.peek() else { return self.end_of_file("}") };
        let op = match c {
            '}' if !colon => Op::None,
            '-' | '=' | '?' | '+' => {
                self.at += 1;
                Op::Default(c, colon, self.operand(quoted)?)
            }
            '#' | '%' if !colon => {
                self.at += 1;
                let longest = self.take(&c.to_string());
                Op::Strip(c == '%', longest, self.operand(false)?)
            }
            '/' if !colon => {
                self.at += 1;
                let all = self.take("/");
                let pattern = self.word_until(|c| c == '/' || c == '}')?;
                let with = if self.take("/") { self.operand(quoted)? } else { Word::new() };
                Op::Replace(all, pattern, with)
            }
            _ if colon => {
                let from = self.word_until(|c| c == ':' || c == '}')?;
                let length = if self.take(":") { Some(self.operand(true)?) } else { None };
                Op::Slice(from, length)
            }
            _ => return Err(bad()),
        };
        if !self.take("}") {
            return self.end_of_file("}");
        }
        Ok(Part::Param { name, index, op, quoted })
    }

    /// The word of an operator, up to `}`. Between double quotes it is text of these.
    fn operand(&mut self, quoted: bool) -> Parsed<Word> {
        let mut word = self.word_until(|c| c == '}')?;
        if quoted {
            for part in &mut word {
                match part {
                    Part::Text { quoted, .. }
                    | Part::Param { quoted, .. }
                    | Part::Command { quoted, .. }
                    | Part::Arith { quoted, .. } => *quoted = true,
                }
            }
        }
        Ok(word)
    }
}
