//! Reads a script: a recursive descent over its characters. What a word means depends on where it stands, so there
//! is no lexer of its own.

use std::rc::Rc;

use super::ast::{Assign, Assigned, Node, Part, Word, literal};

/// How deep commands and substitutions can be nested.
const DEPTH_LIMIT: usize = 40;

/// Why a script cannot be read, in the words after `syntax error: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError(pub String);

pub(super) type Parsed<T> = Result<T, SyntaxError>;

/// A script, as far as it can be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Its commands; if it cannot be read to its end, those of the lines before the error. A shell executes them before it
    /// reads the next line.
    pub commands: Node,
    /// Why it cannot be read further, and in which line, counted from 1.
    pub error: Option<(usize, SyntaxError)>,
}

/// Reads a whole script. `bash` is whether it may have arrays in it.
pub fn parse(text: &str, bash: bool) -> Script {
    let mut p = Parser::new(text, bash);
    let (mut all, mut whole) = (Vec::new(), 0);
    let error = loop {
        p.skip_blanks();
        if p.peek() == Some('\n') {
            whole = all.len();
            p.skip_lines();
        }
        match p.peek() {
            None => break None,
            Some(c @ (')' | ';')) => break Some(p.unexpected(c)),
            Some(_) => {}
        }
        if let Err(error) = p.one_command(&mut all) {
            break Some(error);
        }
    };
    let error = error.map(|error| {
        all.truncate(whole);
        (p.s.iter().take(p.at).filter(|c| **c == '\n').count() + 1, error)
    });
    Script { commands: Node::List(all), error }
}

/// Whether a script ends in the middle of something, so that more lines could make it whole.
pub(super) fn is_unfinished(text: &str) -> bool {
    let backslashes = text.chars().rev().take_while(|c| *c == '\\').count();
    if backslashes % 2 == 1 {
        return true;
    }
    let mut p = Parser::new(text, false);
    match p.list(&[]) {
        Ok(_) => p.open_document,
        Err(_) => p.at >= p.s.len() || p.open_document,
    }
}

pub(super) struct Parser {
    pub(super) s: Vec<char>,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Where the line after the here-documents begins that belong to the current line.
    pub(super) documents: Option<usize>,
    /// Whether a here-document has no end.
    pub(super) open_document: bool,
    /// Whether arrays are read.
    pub(super) bash: bool,
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
    pub(super) fn new(text: &str, bash: bool) -> Parser {
        let s = text.chars().collect();
        Parser { s, at: 0, depth: 0, documents: None, open_document: false, bash }
    }

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
            self.one_command(&mut all)?;
        }
    }

    /// A command with the `;` or `&` behind it.
    fn one_command(&mut self, all: &mut Vec<(Rc<Node>, bool)>) -> Parsed<()> {
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
        Ok(())
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
                    if let Some(name) = words.first().and_then(literal) {
                        return self.function(name);
                    }
                    return self.unexpected_here("");
                }
                _ => break,
            }
            let declares = self.bash && words.first().and_then(literal).is_some_and(|w| is_declaration(&w));
            if (words.is_empty() || declares)
                && let Some(assign) = self.assignment(declares)?
            {
                if declares {
                    words.push(vec![Part::Text { text: assign.name.clone(), quoted: true }]);
                }
                assigns.push(assign);
                continue;
            }
            let word = self.word()?;
            if words.is_empty() && literal(&word).as_deref() == Some("function") {
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
            && let Some(first) = words.first().and_then(literal)
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

    /// Reads `NAME=word`, if it stands here. `list` is whether only a list is looked for.
    fn assignment(&mut self, list: bool) -> Parsed<Option<Assign>> {
        let start = self.at;
        let name: String =
            self.s.iter().skip(start).take_while(|c| **c == '_' || c.is_ascii_alphanumeric()).collect();
        if !is_name(&name) {
            return Ok(None);
        }
        self.at += name.chars().count();
        let index = if self.bash { self.index()? } else { None };
        let append = self.bash && self.take("+");
        if !self.take("=") || (list && self.peek() != Some('(')) {
            self.at = start;
            return Ok(None);
        }
        let value = match self.peek() {
            Some('(') if self.bash && index.is_none() => Assigned::List(self.elements()?),
            Some(c) if !is_meta(c) => Assigned::Text(self.word()?),
            _ => Assigned::Text(Vec::new()),
        };
        Ok(Some(Assign { name, index, append, value }))
    }

    /// `(word [index]=word …)`
    fn elements(&mut self) -> Parsed<Vec<(Option<Word>, Word)>> {
        self.at += 1;
        let mut all = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                Some(')') => {
                    self.at += 1;
                    return Ok(all);
                }
                Some(c) if !is_meta(c) => {}
                _ => return self.unexpected_here(")"),
            }
            let start = self.at;
            let index = self.index()?.filter(|_| self.take("="));
            if index.is_none() {
                self.at = start;
            }
            let empty = index.is_some() && self.peek().is_none_or(is_meta);
            all.push((index, if empty { Vec::new() } else { self.word()? }));
        }
    }
}

/// Whether a command declares variables, so that arrays can be among its arguments.
fn is_declaration(name: &str) -> bool {
    matches!(name, "declare" | "export" | "local" | "readonly" | "typeset")
}
