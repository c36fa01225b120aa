//! Reading the requirements of a selector from a text (`labels.Parser`).

use std::borrow::Cow;

use super::{Operator, Requirement};
use crate::api::quote::go_quote;
use crate::api::{names, order};

/// The requirements of a selector's text, in their order.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    Parser { tokens: scan(text), position: 0 }.parse()
}

/// A token of a selector's text. `in` and `notin` can also be values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    End,
    /// `( ) , ! = == != < >`
    Symbol(&'a str),
    /// `in`, `notin`
    Word(&'a str),
    Identifier(&'a str),
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Token::End => "",
            Token::Symbol(s) | Token::Word(s) | Token::Identifier(s) => s,
        }
    }

    /// The token in a place for values, where every word is an identifier.
    fn as_value(self) -> Token<'a> {
        if let Token::Word(s) = self { Token::Identifier(s) } else { self }
    }
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
const SPECIAL: [char; 7] = ['=', '!', '(', ')', ',', '>', '<'];

fn scan(text: &str) -> Vec<Token<'_>> {
    // Go's lexer takes NUL as the end of the text.
    let mut rest = text.split('\0').next().unwrap_or_default();
    let mut tokens = Vec::new();
    loop {
        rest = rest.trim_start_matches(SPACE);
        let Some(first) = rest.chars().next() else {
            return tokens;
        };
        let symbol = SPECIAL.contains(&first);
        let len = if symbol {
            if rest.starts_with("==") || rest.starts_with("!=") { 2 } else { 1 }
        } else {
            rest.find(|c| SPACE.contains(&c) || SPECIAL.contains(&c)).unwrap_or(rest.len())
        };
        let (token, tail) = rest.split_at(len);
        tokens.push(match token {
            _ if symbol => Token::Symbol(token),
            "in" | "notin" => Token::Word(token),
            _ => Token::Identifier(token),
        });
        rest = tail;
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.position).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn parse(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek().as_value() {
                Token::Identifier(_) | Token::Symbol("!") => {}
                Token::End => return Ok(requirements),
                other => {
                    return Err(format!(
                        "found '{}', expected: !, identifier, or 'end of string'",
                        other.text()
                    ));
                }
            }
            let requirement = self.requirement().map_err(|e| format!("unable to parse requirement: {e}"))?;
            requirements.push(requirement);
            match self.next() {
                Token::End => return Ok(requirements),
                Token::Symbol(",") => {
                    let after = self.peek().as_value();
                    if !matches!(after, Token::Identifier(_) | Token::Symbol("!")) {
                        return Err(format!("found '{}', expected: identifier after ','", after.text()));
                    }
                }
                other => return Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let negated = self.peek() == Token::Symbol("!");
        if negated {
            self.next();
        }
        let Token::Identifier(key) = self.next().as_value() else {
            self.position -= 1;
            return Err(format!("found '{}', expected: identifier", self.peek().text()));
        };
        let errors = names::is_qualified_name(key);
        if !errors.is_empty() {
            return Err(format!("<nil>: Invalid value: {}: {}", go_quote(key), errors.join("; ")));
        }
        if negated {
            return Requirement::new(key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Requirement::new(key, Operator::Exists, Vec::new());
        }
        let operator = match self.next() {
            Token::Word("in") => Operator::In,
            Token::Word("notin") => Operator::NotIn,
            Token::Symbol("=") => Operator::Equals,
            Token::Symbol("==") => Operator::DoubleEquals,
            Token::Symbol("!=") => Operator::NotEquals,
            Token::Symbol(">") => Operator::GreaterThan,
            Token::Symbol("<") => Operator::LessThan,
            other => {
                return Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", other.text()));
            }
        };
        let mut values: Vec<String> = match operator {
            Operator::In | Operator::NotIn => self.values()?.into_iter().map(Cow::into_owned).collect(),
            _ => vec![self.exact_value()?.to_owned()],
        };
        order::sort(&mut values);
        values.dedup();
        Requirement::new(key, operator, values)
    }

    fn exact_value(&mut self) -> Result<&'a str, String> {
        match self.peek().as_value() {
            Token::End | Token::Symbol(",") => Ok(""),
            Token::Identifier(value) => {
                self.next();
                Ok(value)
            }
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    fn values(&mut self) -> Result<Vec<Cow<'a, str>>, String> {
        let open = self.next();
        if open != Token::Symbol("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        match self.peek().as_value() {
            Token::Identifier(_) | Token::Symbol(",") => {
                let values = self.identifiers()?;
                self.next();
                Ok(values)
            }
            Token::Symbol(")") => {
                self.next();
                Ok(vec!["".into()])
            }
            other => Err(format!("found '{}', expected: ',', ')' or identifier", other.text())),
        }
    }

    /// The values up to the closing parenthesis, which is not consumed. Empty values count.
    fn identifiers(&mut self) -> Result<Vec<Cow<'a, str>>, String> {
        let mut values: Vec<Cow<'a, str>> = Vec::new();
        loop {
            match self.next().as_value() {
                Token::Identifier(value) => {
                    values.push(value.into());
                    match self.peek().as_value() {
                        Token::Symbol(",") => {}
                        Token::Symbol(")") => return Ok(values),
                        other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
                    }
                }
                Token::Symbol(",") => {
                    if values.is_empty() {
                        values.push("".into());
                    }
                    match self.peek() {
                        Token::Symbol(")") => {
                            values.push("".into());
                            return Ok(values);
                        }
                        Token::Symbol(",") => {
                            self.next();
                            values.push("".into());
                        }
                        _ => {}
                    }
                }
                other => return Err(format!("found '{}', expected: ',', or identifier", other.text())),
            }
        }
    }
}
