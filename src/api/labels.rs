//! Label selectors (`k8s.io/apimachinery/pkg/labels`, `metav1.LabelSelector`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::names;
use super::quote::go_quote;
use super::types::LabelSelector;
use crate::api::order;

/// The relation of a label to the values of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `!key`
    DoesNotExist,
    /// `key=value`
    Equals,
    /// `key==value`
    DoubleEquals,
    /// `key in (a,b)`
    In,
    /// `key!=value`
    NotEquals,
    /// `key notin (a,b)`
    NotIn,
    /// `key`
    Exists,
    /// `key>1`
    GreaterThan,
    /// `key<1`
    LessThan,
}

/// A condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// The relation of the label to the values.
    pub operator: Operator,
    /// The values; empty for `Exists` and `DoesNotExist`.
    pub values: Vec<String>,
}

/// Conditions on labels, all of which must hold; or a selector that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// `None` for a selector that selects nothing.
    requirements: Option<Vec<Requirement>>,
}

impl Requirement {
    /// A requirement whose key and values have been validated (`labels.NewRequirement`).
    ///
    /// # Errors
    /// The message of Kubernetes about an invalid key, an invalid value or a wrong number of values.
    pub fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Requirement, String> {
        use Operator::*;
        let mut errors = Vec::new();
        let key_errors = names::is_qualified_name(key);
        if !key_errors.is_empty() {
            errors.push(format!("key: Invalid value: {}: {}", go_quote(key), key_errors.join("; ")));
        }
        let mut invalid = |detail: &str| {
            // Go prints the values as JSON; an empty list is nil there.
            let list = if values.is_empty() {
                "null".to_owned()
            } else {
                format!("[{}]", values.iter().map(go_quote).collect::<Vec<_>>().join(","))
            };
            errors.push(format!("values: Invalid value: {list}: {detail}"));
        };
        match operator {
            In | NotIn if values.is_empty() => {
                invalid("for 'in', 'notin' operators, values set can't be empty");
            }
            Equals | DoubleEquals | NotEquals if values.len() != 1 => {
                invalid("exact-match compatibility requires one single value");
            }
            Exists | DoesNotExist if !values.is_empty() => {
                invalid("values set must be empty for exists and does not exist");
            }
            GreaterThan | LessThan if values.len() != 1 => {
                invalid("for 'Gt', 'Lt' operators, exactly one value is required");
            }
            _ => {}
        }
        if matches!(operator, GreaterThan | LessThan) {
            for (i, v) in values.iter().enumerate().filter(|(_, v)| v.parse::<i64>().is_err()) {
                errors.push(format!(
                    "values[{i}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                    go_quote(v)
                ));
            }
        }
        for (i, v) in values.iter().enumerate() {
            let value_errors = names::is_valid_label_value(v);
            if !value_errors.is_empty() {
                errors.push(format!(
                    "values[{i}][{key}]: Invalid value: {}: {}",
                    go_quote(v),
                    value_errors.join("; ")
                ));
            }
        }
        match errors.as_slice() {
            [] => Ok(Requirement { key: key.to_owned(), operator, values }),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    /// Whether labels meet the requirement. An absent label meets `!=` and `notin`.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => {
                value.is_some_and(|v| self.values.contains(v))
            }
            Operator::NotIn | Operator::NotEquals => value.is_none_or(|v| !self.values.contains(v)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let number = |s: Option<&String>| s.and_then(|s| s.parse::<i64>().ok());
                match (number(value), number(self.values.first())) {
                    (Some(have), Some(want)) if self.operator == Operator::GreaterThan => have > want,
                    (Some(have), Some(want)) => have < want,
                    _ => false,
                }
            }
        }
    }
}

impl Selector {
    /// Parses the text of `?labelSelector=` or `-l` (`labels.Parse`).
    ///
    /// # Errors
    /// The message of Kubernetes.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let mut requirements = Parser { tokens: scan(text), position: 0 }.parse()?;
        order::sort_by(&mut requirements, |a, b| a.key.cmp(&b.key));
        Ok(Selector { requirements: Some(requirements) })
    }

    /// The selector of an object's spec (`metav1.LabelSelectorAsSelector`). `None` selects nothing, an empty
    /// one everything.
    ///
    /// # Errors
    /// The message of Kubernetes about an invalid key, value or operator.
    pub fn from_label_selector(selector: Option<&LabelSelector>) -> Result<Selector, String> {
        let Some(selector) = selector else {
            return Ok(Selector::nothing());
        };
        let mut requirements = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            requirements.push(Requirement::new(key, Operator::Equals, vec![value.clone()])?);
        }
        for expression in selector.match_expressions.iter().flatten() {
            let operator = match expression.operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    return Err(format!("{} is not a valid label selector operator", go_quote(other)));
                }
            };
            let values = expression.values.clone().unwrap_or_default();
            requirements.push(Requirement::new(&expression.key, operator, values)?);
        }
        order::sort_by(&mut requirements, |a, b| a.key.cmp(&b.key));
        Ok(Selector { requirements: Some(requirements) })
    }

    /// A selector for exactly these labels, without validation (`labels.SelectorFromSet`). An empty set
    /// selects everything.
    pub fn from_set(set: &BTreeMap<String, String>) -> Selector {
        let requirement = |(key, value): (&String, &String)| Requirement {
            key: key.clone(),
            operator: Operator::Equals,
            values: vec![value.clone()],
        };
        Selector { requirements: Some(set.iter().map(requirement).collect()) }
    }

    /// A selector that selects everything.
    pub const fn everything() -> Selector {
        Selector { requirements: Some(Vec::new()) }
    }

    /// A selector that selects nothing.
    pub const fn nothing() -> Selector {
        Selector { requirements: None }
    }

    /// Whether the selector has no requirement. [`Selector::nothing`] is not empty.
    pub fn is_empty(&self) -> bool {
        self.requirements.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether labels meet all requirements.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.as_ref().is_some_and(|all| all.iter().all(|r| r.matches(labels)))
    }

    /// The requirements, sorted by key; empty for a selector that selects nothing.
    pub fn requirements(&self) -> &[Requirement] {
        self.requirements.as_deref().unwrap_or_default()
    }
}

/// Labels as `key=value,key=value`; `<none>` without labels (`labels.FormatLabels`).
pub fn format_labels(labels: Option<&BTreeMap<String, String>>) -> String {
    let text: Vec<String> = labels.into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
    if text.is_empty() { "<none>".into() } else { text.join(",") }
}

/// The text of a selector (`metav1.FormatLabelSelector`): `app=web,tier in (a,b)`; `<none>` if it is empty,
/// `<error>` if it is invalid.
pub fn format_label_selector(selector: &LabelSelector) -> String {
    match Selector::from_label_selector(Some(selector)) {
        Err(_) => "<error>".to_owned(),
        Ok(s) if s.requirements().is_empty() => "<none>".to_owned(),
        Ok(s) => s.to_string(),
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, between, after) = match self.operator {
            Operator::DoesNotExist => return write!(f, "!{}", self.key),
            Operator::Exists => return f.write_str(&self.key),
            Operator::Equals => ("", "=", ""),
            Operator::DoubleEquals => ("", "==", ""),
            Operator::NotEquals => ("", "!=", ""),
            Operator::GreaterThan => ("", ">", ""),
            Operator::LessThan => ("", "<", ""),
            Operator::In => (" in ", "(", ")"),
            Operator::NotIn => (" notin ", "(", ")"),
        };
        let mut values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        order::sort(&mut values);
        write!(f, "{}{before}{between}{}{after}", self.key, values.join(","))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, requirement) in self.requirements().iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
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

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;
