//! The syntax of awk programs: their parts and their tokens.

use regex::Regex;

use super::super::regex;

/// An expression.
pub(super) enum Expr {
    Number(f64),
    Text(String),
    /// A regular expression between slashes. By itself it asks whether the record matches.
    Pattern(Regex),
    Variable(String),
    /// `$…`
    Field(Box<Expr>),
    /// `name[…]`
    Element(String, Vec<Expr>),
    /// `name in array`, `(i, j) in array`
    In(Vec<Expr>, String),
    /// An assignment; with an operator, of the result of the operator.
    Assign(Box<Expr>, Option<Op>, Box<Expr>),
    /// `++` and `--`: by how much, and whether the value is the one before.
    Increment(Box<Expr>, f64, bool),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    Not(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `~`; if `true`, `!~`.
    Match(bool, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A call of a function that awk has.
    Call(&'static str, Vec<Expr>),
}

/// An operator of two values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Concatenate,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

/// A statement.
pub(super) enum Statement {
    Expression(Expr),
    /// `print`, or with `true` `printf`; where it is redirected to, and whether the file is appended to.
    Print(bool, Vec<Expr>, Option<(bool, Expr)>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// The condition, what is done after each round, the body, and whether the body comes before the first look at the
    /// condition.
    While(Option<Expr>, Option<Box<Statement>>, Box<Statement>, bool),
    ForIn(String, String, Box<Statement>),
    Block(Vec<Statement>),
    Delete(String, Vec<Expr>),
    Next,
    Break,
    Continue,
    Exit(Option<Expr>),
}

/// When an action is done.
pub(super) enum When {
    Begin,
    End,
    Always,
    If(Expr),
    /// From a record that matches the first to one that matches the second. The number is that of the range.
    Range(Expr, Expr, usize),
}

/// A pattern with its action; without one, the record is printed.
pub(super) struct Rule {
    pub(super) when: When,
    pub(super) action: Option<Statement>,
}

/// The functions that awk has.
pub(super) const FUNCTIONS: [&str; 11] =
    ["length", "substr", "index", "split", "sub", "gsub", "match", "tolower", "toupper", "sprintf", "int"];

/// A token.
#[derive(Clone)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Pattern(Regex),
    /// A name, or a word of the language.
    Name(String),
    /// A name with an opening parenthesis directly after it.
    Function(String),
    Sign(&'static str),
    Newline,
}

/// The signs, longer ones before those that they begin with.
const SIGNS: [&str; 45] = [
    "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "!~", ">>", "**",
    "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":", "~",
    "$", "=", "@", "&", "\\", "#", ".",
];

/// The tokens of a program; `None` if it has something else.
pub(super) fn tokens(program: &str) -> Option<Vec<Token>> {
    let mut rest = program;
    let mut all: Vec<Token> = Vec::new();
    while let Some(c) = rest.chars().next() {
        if c == '\n' {
            all.push(Token::Newline);
            rest = rest.get(1..)?;
        } else if c.is_whitespace() {
            rest = rest.get(c.len_utf8()..)?;
        } else if let Some(after) = rest.strip_prefix("\\\n") {
            rest = after;
        } else if c == '#' {
            rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default();
        } else if c == '"' {
            let (text, after) = quoted(rest.get(1..)?, '"')?;
            all.push(Token::Text(unescaped(text)));
            rest = after;
        } else if c == '/' && !ends_operand(all.last()) {
            let (text, after) = quoted(rest.get(1..)?, '/')?;
            all.push(Token::Pattern(regex(&text.replace("\\/", "/"), true, false)?));
            rest = after;
        } else if c.is_ascii_digit() || (c == '.' && rest.get(1..2)?.chars().all(|d| d.is_ascii_digit())) {
            let end = rest.find(|d: char| !d.is_ascii_digit() && d != '.').unwrap_or(rest.len());
            all.push(Token::Number(rest.get(..end)?.parse().ok()?));
            rest = rest.get(end..)?;
        } else if c.is_ascii_alphabetic() || c == '_' {
            let end = rest.find(|d: char| !d.is_ascii_alphanumeric() && d != '_').unwrap_or(rest.len());
            let name = rest.get(..end)?.to_owned();
            rest = rest.get(end..)?;
            all.push(if rest.starts_with('(') { Token::Function(name) } else { Token::Name(name) });
        } else {
            let sign = SIGNS.into_iter().find(|s| rest.starts_with(s))?;
            all.push(Token::Sign(sign));
            rest = rest.get(sign.len()..)?;
        }
    }
    Some(all)
}

/// Whether a slash after this token divides.
fn ends_operand(token: Option<&Token>) -> bool {
    match token {
        Some(Token::Number(_) | Token::Text(_) | Token::Pattern(_)) => true,
        Some(Token::Name(name)) => {
            !matches!(name.as_str(), "print" | "printf" | "in" | "return" | "else" | "do")
        }
        Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "$" | "++" | "--"),
        Some(Token::Function(_) | Token::Newline) | None => false,
    }
}

/// The text up to a delimiter before which there is no backslash, and what comes after it.
fn quoted(text: &str, end: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == '\n' {
            return None;
        } else if c == end {
            return Some((text.get(..at)?, text.get(at + c.len_utf8()..)?));
        }
    }
    None
}

/// A text in which what begins with a backslash is replaced by what it stands for.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(e @ ('"' | '\\' | '/')) => out.push(e),
                Some(e) => out.extend(['\\', e]),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}
