//! From a template's text to tokens (`text/template/parse/lex.go`).

use serde_json::Value;

use crate::api::quote::go_quote;

/// A piece of a template: text outside braces, or what stands between them.
pub(super) enum Piece {
    Text(String),
    /// The line on which it begins, and its tokens.
    Action(usize, Vec<Token>),
}

/// A token of an action.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Where it begins, in bytes of the template.
    pub(super) at: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Whether blanks stand before it.
    pub(super) spaced: bool,
    pub(super) kind: Kind,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// `.`
    Dot,
    /// `.name`
    Field(String),
    /// `$` or `$name`
    Variable(String),
    /// A function, a keyword, `true`, `false`, `nil`.
    Word(String),
    /// A number, a text or a character.
    Literal(Value),
    /// `|`, `(`, `)`, `,`, `=`
    Sign(char),
    /// `:=`
    Declare,
}

/// An error on a line.
pub(super) fn wrong(line: usize, what: impl std::fmt::Display) -> String {
    format!("template: output:{line}: {what}")
}

/// The line of a place in the text.
pub(super) fn line(text: &str, at: usize) -> usize {
    1 + text.get(..at).unwrap_or_default().matches('\n').count()
}

/// Cuts a template into its pieces.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    let (mut at, mut trim) = (0, false);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(open) = rest.find("{{") else {
            push_text(rest, trim, false, &mut out);
            return Ok(out);
        };
        let inside = rest.get(open + 2..).unwrap_or_default();
        let trims_before =
            inside.starts_with('-') && inside.get(1..).is_some_and(|t| t.starts_with(is_space));
        push_text(rest.get(..open).unwrap_or_default(), trim, trims_before, &mut out);
        let begin = at + open + 2 + usize::from(trims_before);
        let line = line(text, begin);
        let after = text.get(begin..).unwrap_or_default();
        let (tokens, end) = if let Some(comment) = after.trim_start_matches(is_space).strip_prefix("/*") {
            let skipped = after.len() - comment.len();
            let Some(close) = comment.find("*/") else { return Err(wrong(line, "unclosed comment")) };
            (None, begin + skipped + close + 2)
        } else {
            let (tokens, end) = tokens(text, begin, line)?;
            (Some(tokens), end)
        };
        let tail = text.get(end..).unwrap_or_default();
        let blank = tail.len() - tail.trim_start_matches(is_space).len();
        let close = tail.trim_start_matches(is_space);
        (at, trim) = if let Some(rest) = close.strip_prefix("-}}").filter(|_| blank > 0) {
            (text.len() - rest.len(), true)
        } else if let Some(rest) = close.strip_prefix("}}") {
            (text.len() - rest.len(), false)
        } else {
            let what =
                if tokens.is_none() { "comment ends before closing delimiter" } else { "unclosed action" };
            return Err(wrong(line, what));
        };
        if let Some(tokens) = tokens {
            out.push(Piece::Action(line, tokens));
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn push_text(text: &str, left: bool, right: bool, out: &mut Vec<Piece>) {
    let text = if left { text.trim_start_matches(is_space) } else { text };
    let text = if right { text.trim_end_matches(is_space) } else { text };
    if !text.is_empty() {
        out.push(Piece::Text(text.to_owned()));
    }
}

/// The tokens of an action up to its closing braces, and where those (or the blanks before them) begin.
fn tokens(text: &str, begin: usize, line: usize) -> Result<(Vec<Token>, usize), String> {
    let mut out = Vec::new();
    let mut at = begin;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let tail = rest.trim_start_matches(is_space);
        let spaced = tail.len() < rest.len();
        let start = text.len() - tail.len();
        if tail.starts_with("}}") || (spaced && tail.starts_with("-}}")) {
            return Ok((out, at));
        }
        let Some(c) = tail.chars().next() else { return Err(wrong(line, "unclosed action")) };
        let (kind, length) = token(tail, c).map_err(|e| wrong(line, e))?;
        let end = start + length;
        out.push(Token { at: start, end, spaced, kind });
        at = end;
    }
}

fn token(tail: &str, c: char) -> Result<(Kind, usize), String> {
    let name = |from: usize| {
        let rest = tail.get(from..).unwrap_or_default();
        let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    };
    Ok(match c {
        '|' | '(' | ')' | ',' | '=' => (Kind::Sign(c), 1),
        ':' if tail.starts_with(":=") => (Kind::Declare, 2),
        ':' => return Err("expected :=".into()),
        '"' => quoted(tail)?,
        '`' => {
            let rest = tail.get(1..).unwrap_or_default();
            let end = rest.find('`').ok_or("unterminated raw quoted string")?;
            (Kind::Literal(rest.get(..end).unwrap_or_default().into()), end + 2)
        }
        '\'' => character(tail)?,
        '.' if !name(1).is_empty() && !name(1).starts_with(|c: char| c.is_ascii_digit()) => {
            (Kind::Field(name(1).to_owned()), 1 + name(1).len())
        }
        '.' if !name(1).is_empty() => number(tail)?,
        '.' => (Kind::Dot, 1),
        '$' => (Kind::Variable(format!("${}", name(1))), 1 + name(1).len()),
        '+' | '-' | '0'..='9' => number(tail)?,
        c if c == '_' || c.is_alphabetic() => (Kind::Word(name(0).to_owned()), name(0).len()),
        ' '..='~' => return Err(format!("unexpected {} in command", go_quote(c.to_string()))),
        c => return Err(format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(c))),
    })
}

fn quoted(tail: &str) -> Result<(Kind, usize), String> {
    let mut escaped = false;
    for (i, c) in tail.char_indices().skip(1) {
        match c {
            '\n' => break,
            '"' if !escaped => {
                let text = unescape(tail.get(1..i).unwrap_or_default())?;
                return Ok((Kind::Literal(text.into()), i + 1));
            }
            c => escaped = c == '\\' && !escaped,
        }
    }
    Err("unterminated quoted string".into())
}

fn character(tail: &str) -> Result<(Kind, usize), String> {
    let mut escaped = false;
    for (i, c) in tail.char_indices().skip(1) {
        match c {
            '\'' if !escaped => {
                let text = unescape(tail.get(1..i).unwrap_or_default())?;
                let c = text.chars().next().ok_or("malformed character constant: ''")?;
                return Ok((Kind::Literal(u32::from(c).into()), i + 1));
            }
            c => escaped = c == '\\' && !escaped,
        }
    }
    Err("unterminated character constant".into())
}

/// The text that Go's escapes stand for.
fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let digits = match chars.next() {
            Some('n') => "\n",
            Some('t') => "\t",
            Some('r') => "\r",
            Some('a') => "\u{7}",
            Some('b') => "\u{8}",
            Some('f') => "\u{c}",
            Some('v') => "\u{b}",
            Some('\\') => "\\",
            Some('"') => "\"",
            Some('\'') => "'",
            Some(kind @ ('x' | 'u' | 'U')) => {
                let length = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let hex: String = chars.by_ref().take(length).collect();
                let c = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                out.push(c.ok_or("invalid syntax")?);
                continue;
            }
            _ => return Err("invalid syntax".into()),
        };
        out.push_str(digits);
    }
    Ok(out)
}

fn number(tail: &str) -> Result<(Kind, usize), String> {
    let signed = |i: usize, c: char| {
        matches!(c, '+' | '-') && (i == 0 || tail.get(..i).is_some_and(|t| t.ends_with(['e', 'E'])))
    };
    let end = tail
        .char_indices()
        .find(|(i, c)| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || signed(*i, *c)))
        .map_or(tail.len(), |(i, _)| i);
    let text = tail.get(..end).unwrap_or_default();
    let plain = text.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        let (sign, digits) = match plain.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, plain.strip_prefix('+').unwrap_or(&plain)),
        };
        Some(sign * i64::from_str_radix(digits.strip_prefix(prefix)?, radix).ok()?)
    };
    let whole =
        radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2)).or_else(|| plain.parse().ok());
    let value = match whole {
        Some(n) => Value::from(n),
        None => match plain.parse::<f64>() {
            Ok(f) if f.is_finite() => Value::from(f),
            _ => return Err(format!("bad number syntax: {}", go_quote(text))),
        },
    };
    Ok((Kind::Literal(value), end))
}
