//! How ANTLR's parser words what it did not expect, and where it goes on afterwards.
//!
//! kube-apiserver's syntax errors are those of the parser that ANTLR generates from cel-go's grammar. Their words
//! depend on the state that parser is in: which tokens could come next in the rule, what may follow each rule that
//! is open, and whether it has found its way back after the last error. This is that strategy
//! (`DefaultErrorStrategy` in antlr4's Go runtime) for the rules in `grammar.rs`, which names each state by the
//! number that it has in the generated parser.

use super::super::issues::Issue;
use super::lexer::{Lexed, Token};
use super::tokens::{Set, Tok};

/// After so many recoveries the parser gives up.
const RECOVERY_LIMIT: u32 = 30;
/// The most tokens that one recovery skips.
const LOOKAHEAD_LIMIT: usize = 256;
/// The most syntax errors that are reported.
const REPORT_LIMIT: usize = 100;

/// An error that the rule which found it has yet to tell.
pub(super) struct Failure {
    message: String,
    at: usize,
}

/// What may come next: tokens, and whether the rule may end here.
#[derive(Clone, Copy)]
pub(super) struct Next {
    pub tokens: Set,
    pub end: bool,
}

pub(super) const fn only(tokens: Set) -> Next {
    Next { tokens, end: false }
}

pub(super) const fn or_end(tokens: Set) -> Next {
    Next { tokens, end: true }
}

/// The tokens of one expression, and the state of recovering from errors.
pub(super) struct Stream<'a> {
    source: &'a [char],
    tokens: Vec<Token>,
    holes: Vec<std::ops::Range<usize>>,
    at: usize,
    pub syntax: Vec<Issue>,
    /// Nothing is read any more.
    pub stopped: bool,
    /// The state the parser is in, and what may come next in its rule.
    state: u16,
    next: Next,
    /// What may follow each open rule, inside of the rule that called it.
    open: Vec<Next>,
    recovering: bool,
    /// Where the last error was, and in which states there was one.
    last: Option<(usize, Vec<u16>)>,
    attempts: u32,
}

impl<'a> Stream<'a> {
    pub fn new(source: &'a [char], lexed: Lexed) -> Stream<'a> {
        let mut stream = Stream {
            source,
            tokens: lexed.tokens,
            holes: lexed.holes,
            at: 0,
            syntax: Vec::new(),
            stopped: false,
            state: 0,
            next: or_end(Set::NONE),
            open: Vec::new(),
            recovering: false,
            last: None,
            attempts: 0,
        };
        lexed.issues.into_iter().for_each(|issue| stream.tell(issue));
        stream
    }

    fn nth(&self, ahead: usize) -> Token {
        let end = self.source.len();
        let eof = Token { kind: Tok::Eof, start: end, end };
        self.tokens.get(self.at + ahead).copied().unwrap_or(eof)
    }

    pub fn token(&self) -> Token {
        self.nth(0)
    }

    /// The kind of a token ahead; 0 is the next one.
    pub fn peek(&self, ahead: usize) -> Tok {
        self.nth(ahead).kind
    }

    pub fn is(&self, kind: Tok) -> bool {
        self.peek(0) == kind
    }

    pub fn text(&self, token: Token) -> String {
        self.source.get(token.start..token.end).unwrap_or_default().iter().collect()
    }

    fn consume(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Takes a token that was looked at already.
    pub fn take(&mut self) -> Token {
        let token = self.token();
        self.matched();
        self.consume();
        token
    }

    pub fn enter(&mut self, follow: Next) {
        self.open.push(follow);
    }

    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// Ends reading because of something that concerns the whole expression.
    pub fn stop(&mut self, message: String) {
        if !self.stopped {
            self.stopped = true;
            self.syntax.push(Issue { at: None, message });
        }
        self.at = self.tokens.len().saturating_sub(1);
    }

    /// All tokens that may come here, those behind the rules that may end included.
    fn expected(&self) -> Set {
        let (mut all, mut end) = (self.next.tokens, self.next.end);
        for follow in self.open.iter().rev() {
            if !end {
                return all;
            }
            all = all.and(follow.tokens);
            end = follow.end;
        }
        if end { all.and(Set::of(&[Tok::Eof])) } else { all }
    }

    fn named(&self, token: Token) -> String {
        match token.kind {
            Tok::Eof => "'<EOF>'".to_owned(),
            _ => quoted(&self.text(token)),
        }
    }

    fn tell(&mut self, issue: Issue) {
        if self.stopped {
            return;
        }
        if self.syntax.len() < REPORT_LIMIT {
            self.syntax.push(issue);
            return;
        }
        let message = format!("Syntax error: More than {REPORT_LIMIT} syntax errors");
        self.syntax.push(Issue { at: issue.at, message });
        self.stopped = true;
        self.at = self.tokens.len().saturating_sub(1);
    }

    fn report(&mut self, failure: Failure) {
        if !self.recovering {
            self.recovering = true;
            let message = format!("Syntax error: {}", failure.message);
            self.tell(Issue { at: Some(failure.at), message });
        }
    }

    fn matched(&mut self) {
        self.recovering = false;
        self.last = None;
    }

    fn mismatch(&self) -> Failure {
        let token = self.token();
        let message = format!("mismatched input {} expecting {}", self.named(token), self.expected());
        Failure { message, at: token.start }
    }

    /// The error of no alternative that goes on as the tokens do, up to the one `ahead`.
    pub fn no_alternative(&self, state: u16, ahead: usize) -> (u16, Failure) {
        let (from, to) = (self.token(), self.nth(ahead));
        let chars = self.source.iter().enumerate().take(to.end).skip(from.start);
        let known = chars.filter(|(at, _)| !self.holes.iter().any(|hole| hole.contains(at)));
        let text: String = known.map(|(_, c)| c).collect();
        let word = text.strip_prefix(|_: char| true).filter(|w| matches!(*w, "true" | "false" | "null"));
        let message = match word {
            // cel-go keeps the words of an older grammar here.
            Some(word) => format!("mismatched input '{word}' expecting IDENTIFIER"),
            None if from.kind == Tok::Eof => "no viable alternative at input '<EOF>'".to_owned(),
            None => format!("no viable alternative at input {}", quoted(&text)),
        };
        (state, Failure { message, at: to.start })
    }

    pub fn fail(&mut self, (state, failure): (u16, Failure)) -> Failure {
        self.state = state;
        failure
    }

    fn unwanted(&mut self) {
        let token = self.token();
        let message = format!("extraneous input {} expecting {}", self.named(token), self.expected());
        self.report(Failure { message, at: token.start });
    }

    /// Whether the next token could simply be left out; then it is.
    fn delete_one(&mut self) -> bool {
        if self.stopped || !self.expected().has(self.peek(1)) {
            return false;
        }
        self.unwanted();
        self.consume();
        self.matched();
        true
    }

    /// Looks whether what comes is among what may come where a choice begins.
    pub fn sync(&mut self, state: u16, next: Next) -> Result<(), Failure> {
        self.state = state;
        self.next = next;
        if self.recovering || next.end || next.tokens.has(self.peek(0)) || self.delete_one() {
            return Ok(());
        }
        Err(self.mismatch())
    }

    /// The same where a repetition may go on: what does not belong there is skipped.
    pub fn sync_loop(&mut self, state: u16, next: Next) {
        self.state = state;
        self.next = next;
        if self.recovering || next.end || next.tokens.has(self.peek(0)) {
            return;
        }
        self.unwanted();
        let until = self.expected().and(self.recovery());
        self.skip_to(until);
    }

    /// Takes a token of one kind, behind which `after` may come.
    pub fn expect(&mut self, state: u16, kind: Tok, after: Next) -> Result<Option<Token>, Failure> {
        self.state = state;
        self.next = only(Set::of(&[kind]));
        if self.is(kind) {
            return Ok(Some(self.take()));
        }
        self.attempt();
        if self.delete_one() {
            let token = self.token();
            self.consume();
            return Ok(Some(token));
        }
        self.next = after;
        let behind = self.expected();
        self.next = only(Set::of(&[kind]));
        if !behind.has(self.peek(0)) || self.stopped {
            return Err(self.mismatch());
        }
        let token = self.token();
        let message = format!("missing {} at {}", self.expected(), self.named(token));
        self.report(Failure { message, at: token.start });
        Ok(None)
    }

    fn attempt(&mut self) {
        if self.attempts == RECOVERY_LIMIT && !self.stopped {
            let message = format!("Syntax error: error recovery attempt limit exceeded: {RECOVERY_LIMIT}");
            self.tell(Issue { at: Some(self.token().start), message });
            self.stopped = true;
            self.at = self.tokens.len().saturating_sub(1);
        }
        self.attempts = self.attempts.saturating_add(1);
    }

    fn recovery(&self) -> Set {
        self.open.iter().fold(Set::NONE, |all, follow| all.and(follow.tokens))
    }

    fn skip_to(&mut self, until: Set) {
        for _ in 0..LOOKAHEAD_LIMIT {
            if self.is(Tok::Eof) || until.has(self.peek(0)) {
                return;
            }
            self.consume();
        }
        if !self.is(Tok::Eof) && !until.has(self.peek(0)) {
            self.stop(format!("error recovery token lookahead limit exceeded: {LOOKAHEAD_LIMIT}"));
        }
    }

    /// Tells an error that ended a rule, and skips to where one of the open rules may go on.
    pub fn recover(&mut self, failure: Failure) {
        self.report(failure);
        self.attempt();
        let here = (self.at, self.state);
        if self.last.as_ref().is_some_and(|(at, states)| *at == here.0 && states.contains(&here.1)) {
            self.consume();
        }
        let mut states = self.last.take().map(|(_, states)| states).unwrap_or_default();
        states.push(here.1);
        self.last = Some((self.at, states));
        self.skip_to(self.recovery());
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}
