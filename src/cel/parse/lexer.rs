//! Source into tokens. The longest token wins, and what is no token is told as ANTLR's lexer tells it.

use super::super::issues::Issue;
use super::tokens::Tok;

/// A token: its kind and its place, in code points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Tok,
    pub start: usize,
    pub end: usize,
}

/// What a source is made of.
pub(super) struct Lexed {
    /// Ended by `Eof`.
    pub tokens: Vec<Token>,
    /// One for each text that is no token.
    pub issues: Vec<Issue>,
    /// Where these texts are: messages about others leave them out.
    pub holes: Vec<std::ops::Range<usize>>,
}

/// Cuts a source into tokens.
pub(super) fn lex(source: &[char]) -> Lexed {
    let (mut tokens, mut issues, mut holes, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
    while at < source.len() {
        let lexer = Lexer { source, start: at };
        match lexer.token() {
            Ok((kind, end)) => {
                if let Some(kind) = kind {
                    tokens.push(Token { kind, start: at, end });
                }
                at = end;
            }
            Err(stopped) => {
                let end = (stopped + 1).min(source.len());
                let text: String = source.get(at..end).unwrap_or_default().iter().collect();
                let message = format!("Syntax error: token recognition error at: '{text}'");
                issues.push(Issue { at: Some(at), message });
                holes.push(at..end);
                at = end;
            }
        }
    }
    tokens.push(Token { kind: Tok::Eof, start: source.len(), end: source.len() });
    Lexed { tokens, issues, holes }
}

struct Lexer<'a> {
    source: &'a [char],
    start: usize,
}

impl Lexer<'_> {
    fn char(&self, at: usize) -> Option<char> {
        self.source.get(at).copied()
    }

    fn run(&self, mut at: usize, of: impl Fn(char) -> bool) -> usize {
        while self.char(at).is_some_and(&of) {
            at += 1;
        }
        at
    }

    /// The token here and where it ends; no kind for what is skipped. Otherwise where no token could go on.
    fn token(&self) -> Result<(Option<Tok>, usize), usize> {
        let at = self.start;
        let next = self.char(at + 1);
        let one = |kind| Ok((Some(kind), at + 1));
        let two = |kind| Ok((Some(kind), at + 2));
        match self.char(at).unwrap_or('\0') {
            ' ' | '\t' | '\r' | '\n' | '\u{c}' => {
                Ok((None, self.run(at, |c| matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{c}'))))
            }
            '/' if next == Some('/') => Ok((None, self.run(at, |c| c != '\n'))),
            '=' if next == Some('=') => two(Tok::Equals),
            '!' if next == Some('=') => two(Tok::NotEquals),
            '<' if next == Some('=') => two(Tok::LessEquals),
            '>' if next == Some('=') => two(Tok::GreaterEquals),
            '&' if next == Some('&') => two(Tok::And),
            '|' if next == Some('|') => two(Tok::Or),
            '=' | '&' | '|' => Err(at + 1),
            '!' => one(Tok::Exclam),
            '<' => one(Tok::Less),
            '>' => one(Tok::Greater),
            '[' => one(Tok::LBracket),
            ']' => one(Tok::RBracket),
            '{' => one(Tok::LBrace),
            '}' => one(Tok::RBrace),
            '(' => one(Tok::LParen),
            ')' => one(Tok::RParen),
            ',' => one(Tok::Comma),
            '-' => one(Tok::Minus),
            '?' => one(Tok::Question),
            ':' => one(Tok::Colon),
            '+' => one(Tok::Plus),
            '*' => one(Tok::Star),
            '/' => one(Tok::Slash),
            '%' => one(Tok::Percent),
            '.' if next.is_some_and(|c| c.is_ascii_digit()) => {
                let digits = self.run(at + 1, |c| c.is_ascii_digit());
                Ok((Some(Tok::Float), self.exponent(digits)))
            }
            '.' => one(Tok::Dot),
            '0'..='9' => Ok(self.number()),
            '"' | '\'' => self.string(at, false).map(|end| (Some(Tok::String), end)),
            '`' => self.escaped_identifier(),
            c if c == '_' || c.is_ascii_alphabetic() => Ok(self.word()),
            _ => Err(at),
        }
    }

    fn word(&self) -> (Option<Tok>, usize) {
        let at = self.start;
        let quote = |at| matches!(self.char(at), Some('"' | '\''));
        let is = |at, a, b| self.char(at).is_some_and(|c| c == a || c == b);
        // A prefix makes a text raw, or bytes, or both. If the text does not end, the prefix is a name.
        let prefixed = if is(at, 'r', 'R') && quote(at + 1) {
            self.string(at + 1, true).map(|end| (Tok::String, end)).ok()
        } else if is(at, 'b', 'B') && quote(at + 1) {
            self.string(at + 1, false).map(|end| (Tok::Bytes, end)).ok()
        } else if is(at, 'b', 'B') && is(at + 1, 'r', 'R') && quote(at + 2) {
            self.string(at + 2, true).map(|end| (Tok::Bytes, end)).ok()
        } else {
            None
        };
        if let Some((kind, end)) = prefixed {
            return (Some(kind), end);
        }
        let end = self.run(at, |c| c == '_' || c.is_ascii_alphanumeric());
        let word: String = self.source.get(at..end).unwrap_or_default().iter().collect();
        let kind = match word.as_str() {
            "in" => Tok::In,
            "true" => Tok::True,
            "false" => Tok::False,
            "null" => Tok::Null,
            _ => Tok::Ident,
        };
        (Some(kind), end)
    }

    fn escaped_identifier(&self) -> Result<(Option<Tok>, usize), usize> {
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' ');
        let end = self.run(self.start + 1, inside);
        if end > self.start + 1 && self.char(end) == Some('`') {
            Ok((Some(Tok::EscIdent), end + 1))
        } else {
            Err(end)
        }
    }

    fn number(&self) -> (Option<Tok>, usize) {
        let at = self.start;
        let digits = |at| self.run(at, |c| c.is_ascii_digit());
        let unsigned = |kind, end| match self.char(end) {
            Some('u' | 'U') => (Some(Tok::Uint), end + 1),
            _ => (Some(kind), end),
        };
        if self.char(at) == Some('0') && self.char(at + 1) == Some('x') {
            let end = self.run(at + 2, |c| c.is_ascii_hexdigit());
            if end > at + 2 {
                return unsigned(Tok::Int, end);
            }
        }
        let whole = digits(at);
        if self.char(whole) == Some('.') {
            let end = digits(whole + 1);
            if end > whole + 1 {
                return (Some(Tok::Float), self.exponent(end));
            }
        }
        let end = self.exponent(whole);
        if end > whole { (Some(Tok::Float), end) } else { unsigned(Tok::Int, whole) }
    }

    /// Where the exponent ends that may begin here.
    fn exponent(&self, at: usize) -> usize {
        if !matches!(self.char(at), Some('e' | 'E')) {
            return at;
        }
        let sign = usize::from(matches!(self.char(at + 1), Some('+' | '-')));
        let end = self.run(at + 1 + sign, |c| c.is_ascii_digit());
        if end > at + 1 + sign { end } else { at }
    }

    /// Where the text ends that begins with the quote here. Otherwise where it cannot go on.
    fn string(&self, at: usize, raw: bool) -> Result<usize, usize> {
        let quote = self.char(at);
        if self.char(at + 1) == quote && self.char(at + 2) == quote {
            // Without an end in three quotes, two of the three are an empty text.
            return self.quoted(at + 3, quote, 3, raw).or(Ok(at + 2));
        }
        self.quoted(at + 1, quote, 1, raw)
    }

    fn quoted(&self, mut at: usize, quote: Option<char>, quotes: usize, raw: bool) -> Result<usize, usize> {
        loop {
            let c = self.char(at);
            if (0..quotes).all(|n| self.char(at + n) == quote) {
                return Ok(at + quotes);
            }
            match c {
                None => return Err(at),
                Some('\n' | '\r') if quotes == 1 => return Err(at),
                Some('\\') if !raw => at = self.escape(at)?,
                Some(_) => at += 1,
            }
        }
    }

    /// Where an escape ends that begins with the backslash here.
    fn escape(&self, at: usize) -> Result<usize, usize> {
        let (of, digits): (fn(char) -> bool, usize) = match self.char(at + 1) {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`') => {
                return Ok(at + 2);
            }
            Some('x' | 'X') => (|c| c.is_ascii_hexdigit(), 2),
            Some('u') => (|c| c.is_ascii_hexdigit(), 4),
            Some('U') => (|c| c.is_ascii_hexdigit(), 8),
            Some('0'..='3') => (|c| matches!(c, '0'..='7'), 2),
            _ => return Err(at + 1),
        };
        match (at + 2..at + 2 + digits).find(|n| !self.char(*n).is_some_and(of)) {
            Some(stopped) => Err(stopped),
            None => Ok(at + 2 + digits),
        }
    }
}
