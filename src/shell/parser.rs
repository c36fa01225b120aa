//! Reads a script: a recursive descent over its characters. What a word means depends on where it stands, so there
//! is no lexer of its own.

use std::rc::Rc;

use super::ast::{Node, Redirect, Target, Word};

/// How deep commands and substitutions can be nested.
const DEPTH_LIMIT: usize = 40;

/// Why a script cannot be read, in the words after `syntax error: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError(pub String);

pub(super) type Parsed<T> = Result<T, SyntaxError>;

/// Reads a whole script.
pub fn parse(text: &str) -> Parsed<Node> {
    let mut p = Parser { s: text.chars().collect(), at: 0, depth: 0, documents: None, open_document: false };
    let list = p.list(&[])?;
    match p.peek() {
        None => Ok(list),
        Some(c) => Err(p.unexpected(c)),
    }
}

/// Whether a script ends in the middle of something, so that more lines could make it whole.
pub(super) fn is_unfinished(text: &str) -> bool {
    let backslashes = text.chars().rev().take_while(|c| *c == '\\').count();
    if backslashes % 2 == 1 {
        return true;
    }
    let mut p = Parser { s: text.chars().collect(), at: 0, depth: 0, documents: None, open_document: false };
    match p.list(&[]) {
        Ok(_) => p.open_document,
        Err(_) => p.at >= p.s.len() || p.open_document,
    }
}

pub(super) struct Parser {
    pub(super) s: Vec<char>,
    pub(super) at: usize,
    depth: usize,
    /// Where the line after the here-documents begins that belong to the current line.
    documents: Option<usize>,
    /// Whether a here-document has no end.
    open_document: bool,
}

/// Whether a character ends an unquoted word.
pub(super) fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Whether a text is a name (POSIX 3.216).
pub fn is_name(s: &str) -> bool {
    s.chars().next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && s.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.s.get(self.at).copied()
    }

    pub(super) fn ahead(&self, n: usize) -> Option<char> {
        self.s.get(self.at + n).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.ahead(i) == Some(c))
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    pub(super) fn unexpected(&self, c: char) -> SyntaxError {
        match c {
            '\n' => SyntaxError("unexpected newline".into()),
            _ => SyntaxError(format!("unexpected \"{c}\"")),
        }
    }

    pub(super) fn end_of_file<T>(&self, wanted: &str) -> Parsed<T> {
        Err(SyntaxError(match wanted {
            "" => "unexpected end of file".into(),
            _ => format!("unexpected end of file (expecting \"{wanted}\")"),
        }))
    }

    pub(super) fn unexpected_here<T>(&self, wanted: &str) -> Parsed<T> {
        match self.peek() {
            None => self.end_of_file(wanted),
            Some(c) if is_meta(c) => Err(self.unexpected(c)),
            Some(_) => {
                let word: String = self.s.iter().skip(self.at).take_while(|c| !is_meta(**c)).collect();
                Err(SyntaxError(format!("unexpected \"{word}\"")))
            }
        }
    }

    /// Counts a level of nesting, for the stack's sake.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_LIMIT {
            return Err(SyntaxError("commands are nested too deeply".into()));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.ahead(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Steps over a newline, and over the here-documents that begin after it.
    fn newline(&mut self) {
        self.at += 1;
        if let Some(after) = self.documents.take() {
            self.at = after;
        }
    }

    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return;
            }
            self.newline();
        }
    }

    /// The reserved word that stands here.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.looking_at(word) && self.ahead(word.chars().count()).is_none_or(is_meta)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.at += word.chars().count();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        self.skip_lines();
        if self.take_word(word) { Ok(()) } else { self.unexpected_here(word) }
    }

    /// Commands up to the end, a `)`, a `;;`, or one of the reserved words.
    pub(super) fn list(&mut self, ends: &[&str]) -> Parsed<Node> {
        self.nested(|p| p.commands(ends))
    }

    fn commands(&mut self, ends: &[&str]) -> Parsed<Node> {
        let mut all = Vec::new();
        loop {
            self.skip_lines();
            let stop = match self.peek() {
                None | Some(')') => true,
                Some(';') => self.looking_at(";;"),
                _ => ends.iter().any(|e| self.at_word(e)),
            };
            if stop {
                return Ok(Node::List(all));
            }
            let command = Rc::new(self.and_or()?);
            self.skip_blanks();
            let background = self.peek() == Some('&') && self.ahead(1) != Some('&');
            all.push((command, background));
            match self.peek() {
                Some('&') => self.at += 1,
                Some(';') if !self.looking_at(";;") => self.at += 1,
                None | Some('\n' | ')' | ';') => {}
                Some(_) => return self.unexpected_here(""),
            }
        }
    }

    /// As [`Self::list`], but at least one command.
    pub(super) fn some(&mut self, ends: &[&str]) -> Parsed<Node> {
        let list = self.list(ends)?;
        match &list {
            Node::List(all) if all.is_empty() => self.unexpected_here(ends.first().unwrap_or(&"")),
            _ => Ok(list),
        }
    }

    fn and_or(&mut self) -> Parsed<Node> {
        let first = self.pipeline()?;
        let mut all = vec![(true, first)];
        loop {
            self.skip_blanks();
            let and = self.looking_at("&&");
            if !and && !self.looking_at("||") {
                break;
            }
            self.at += 2;
            self.skip_lines();
            all.push((and, self.pipeline()?));
        }
        Ok(if all.len() == 1 { all.remove(0).1 } else { Node::AndOr(all) })
    }

    fn pipeline(&mut self) -> Parsed<Node> {
        let mut negated = false;
        while self.take_word("!") {
            negated = !negated;
            self.skip_blanks();
        }
        let mut all = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some('|') || self.ahead(1) == Some('|') {
                break;
            }
            self.at += 1;
            self.skip_lines();
            all.push(self.command()?);
        }
        Ok(if all.len() == 1 && !negated { all.remove(0) } else { Node::Pipeline(negated, all) })
    }

    pub(super) fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(r) => all.push(r),
                None => return Ok(all),
            }
        }
    }

    fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        if self.take("&>") {
            self.skip_blanks();
            return Ok(Some(Redirect { fd: 1, to: Target::Both(self.word()?) }));
        }
        let digit = self.peek().and_then(|c| c.to_digit(10));
        let skip = usize::from(digit.is_some());
        if !matches!(self.ahead(skip), Some('<' | '>')) {
            return Ok(None);
        }
        self.at += skip;
        let output = self.peek() == Some('>');
        let fd = digit.and_then(|d| u8::try_from(d).ok()).unwrap_or(u8::from(output));
        let make = |to| Ok(Some(Redirect { fd, to }));
        if self.take("<<<") {
            self.skip_blanks();
            let mut text = self.word()?;
            text.push(super::ast::Part::Text { text: "\n".into(), quoted: true });
            return make(Target::Text(text));
        }
        if self.take("<<") {
            let strip = self.take("-");
            return make(Target::Text(self.document(strip)?));
        }
        let kind = [">>", ">&", "<&", ">|", "<>", ">", "<"].into_iter().find(|k| self.take(k));
        self.skip_blanks();
        let word = self.word()?;
        make(match kind {
            Some(">>") => Target::Append(word),
            Some(">&" | "<&") => Target::Copy(word),
            Some("<" | "<>") => Target::Read(word),
            _ => Target::Write(word),
        })
    }

    /// A here-document: its text begins after the current line, or after the one before it.
    fn document(&mut self, strip: bool) -> Parsed<Word> {
        self.skip_blanks();
        let raw = self.plain();
        let end: String = raw.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        let mut at = match self.documents {
            Some(at) => at,
            None => {
                let line = self.s.iter().skip(self.at).position(|c| *c == '\n');
                line.map_or(self.s.len(), |n| self.at + n + 1)
            }
        };
        let mut text = String::new();
        let mut ended = false;
        while at < self.s.len() {
            let line: String = self.s.iter().skip(at).take_while(|c| **c != '\n').collect();
            at += line.chars().count() + 1;
            let line = if strip { line.trim_start_matches('\t') } else { &line };
            if line == end {
                ended = true;
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        self.open_document |= !ended;
        self.documents = Some(at.min(self.s.len()));
        if end != raw {
            return Ok(vec![super::ast::Part::Text { text, quoted: true }]);
        }
        self.nested(|p| {
            let s = text.chars().collect();
            Parser { s, at: 0, depth: p.depth, documents: None, open_document: false }.double_quoted(None)
        })
    }

    pub(super) fn simple(&mut self) -> Parsed<Node> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            if let Some(r) = self.redirect()? {
                redirects.push(r);
                continue;
            }
            match self.peek() {
                Some(c) if !is_meta(c) => {}
                Some('(') if words.len() == 1 && assigns.is_empty() && redirects.is_empty() => {
                    if let Some(name) = words.first().and_then(super::ast::literal) {
                        return self.function(name);
                    }
                    return self.unexpected_here("");
                }
                _ => break,
            }
            if words.is_empty()
                && let Some(name) = self.assignment()
            {
                let value = match self.peek() {
                    Some(c) if !is_meta(c) => self.word()?,
                    _ => Vec::new(),
                };
                assigns.push((name, value));
                continue;
            }
            let word = self.word()?;
            if words.is_empty() && super::ast::literal(&word).as_deref() == Some("function") {
                self.skip_blanks();
                let name = self.plain();
                self.skip_blanks();
                return self.function(name);
            }
            words.push(word);
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return self.unexpected_here("");
        }
        const RESERVED: [&str; 9] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", "in"];
        if assigns.is_empty()
            && let Some(first) = words.first().and_then(super::ast::literal)
            && RESERVED.contains(&first.as_str())
            && first != "in"
        {
            return Err(SyntaxError(format!("unexpected \"{first}\"")));
        }
        Ok(Node::Simple { assigns, words, redirects })
    }

    fn function(&mut self, name: String) -> Parsed<Node> {
        if self.take("(") {
            self.expect_word_char(')')?;
        }
        self.skip_lines();
        Ok(Node::Function(name, Rc::new(self.command()?)))
    }

    /// Steps over `NAME=`, if it stands here.
    fn assignment(&mut self) -> Option<String> {
        let name: String =
            self.s.iter().skip(self.at).take_while(|c| **c == '_' || c.is_ascii_alphanumeric()).collect();
        let length = name.chars().count();
        if !is_name(&name) || self.ahead(length) != Some('=') {
            return None;
        }
        self.at += length + 1;
        Some(name)
    }
}
