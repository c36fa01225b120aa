//! Parsing a template.

use serde_json::Value;

use super::{MAX_DEPTH, MAX_NODES, Node, Op, Step};

/// The content of a pair of braces.
enum Action {
    Path(Vec<Step>),
    Range(Vec<Step>),
    End,
}

pub(super) fn template(text: &str) -> Result<Vec<Node>, String> {
    // The open ranges: the path of each, and the nodes before it.
    let mut open: Vec<(Vec<Step>, Vec<Node>)> = Vec::new();
    let mut nodes = Vec::new();
    let mut count = 0;
    let mut rest = text;
    while !rest.is_empty() {
        count += 1;
        if count > MAX_NODES {
            return Err("the template is too long".into());
        }
        let Some(brace) = rest.find('{') else {
            nodes.push(Node::Text(rest.to_owned()));
            break;
        };
        let (before, after) = rest.split_at(brace);
        if !before.is_empty() {
            nodes.push(Node::Text(before.to_owned()));
        }
        let mut p = Parser { rest: after.get(1..).unwrap_or_default(), depth: 0 };
        let action = p.action()?;
        rest = p.rest;
        match action {
            Action::Path(steps) => nodes.push(Node::Path(steps)),
            Action::Range(steps) => {
                if open.len() >= MAX_DEPTH {
                    return Err("too many ranges within each other".into());
                }
                open.push((steps, std::mem::take(&mut nodes)));
            }
            Action::End => {
                let Some((steps, before)) = open.pop() else {
                    return Err("not in range, nothing to end".into());
                };
                let body = std::mem::replace(&mut nodes, before);
                nodes.push(Node::Range(steps, body));
            }
        }
    }
    while let Some((steps, before)) = open.pop() {
        let body = std::mem::replace(&mut nodes, before);
        nodes.push(Node::Range(steps, body));
    }
    Ok(nodes)
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn action(&mut self) -> Result<Action, String> {
        let mut steps: Vec<Step> = Vec::new();
        let mut range = false;
        loop {
            if steps.len() > MAX_NODES {
                return Err("the template is too long".into());
            }
            if self.rest.starts_with('}') {
                self.skip(1);
                return Ok(if range { Action::Range(steps) } else { Action::Path(steps) });
            }
            if self.rest.starts_with("[?(") {
                self.skip(3);
                steps.push(self.filter()?);
                continue;
            }
            if self.rest.starts_with("..") {
                self.skip(2);
                if steps.last() == Some(&Step::Recursive) {
                    return Err("invalid multiple recursive descent".into());
                }
                steps.push(Step::Recursive);
                if self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    steps.push(self.field());
                }
                continue;
            }
            let Some(c) = self.peek() else { return Err("unclosed action".into()) };
            match c {
                '\n' | '\r' => return Err("unclosed action".into()),
                ' ' | '\t' => self.skip(1),
                '@' | '$' => {
                    self.skip(1);
                    steps.push(Step::Root);
                }
                '[' => {
                    self.skip(1);
                    steps.push(self.array()?);
                }
                '"' | '\'' => {
                    self.skip(1);
                    steps.push(Step::Literal(Value::String(self.quoted(c)?)));
                }
                '.' => {
                    self.skip(1);
                    let field = self.field();
                    if field != Step::Field(String::new()) {
                        steps.push(field);
                    }
                }
                '+' | '-' | '0'..='9' => {
                    let text = self.until_terminator(true);
                    let number = text.strip_prefix('+').unwrap_or(&text);
                    let value = number
                        .parse::<i64>()
                        .map(Value::from)
                        .or_else(|_| number.parse::<f64>().map(Value::from));
                    match value {
                        Ok(v) => steps.push(Step::Literal(v)),
                        Err(_) => return Err(format!("cannot parse number {text}")),
                    }
                }
                c if c.is_alphanumeric() || c == '_' => match self.until_terminator(false).as_str() {
                    "range" => range = true,
                    "end" => {
                        let close = self.rest.find('}').ok_or("unclosed action")?;
                        self.skip(close + 1);
                        return Ok(Action::End);
                    }
                    "true" => steps.push(Step::Literal(true.into())),
                    "false" => steps.push(Step::Literal(false.into())),
                    other => return Err(format!("unrecognized identifier {other}")),
                },
                c => return Err(format!("unrecognized character in action: U+{:04X} '{c}'", u32::from(c))),
            }
        }
    }

    /// The text up to the end of a name. A backslash keeps the next character.
    fn until_terminator(&mut self, number: bool) -> String {
        let mut out = String::new();
        let mut end = self.rest.len();
        let mut chars = self.rest.char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '\\' => out.extend(chars.next().map(|(_, c)| c)),
                '.' if number => out.push(c),
                ' ' | '\t' | '\n' | '\r' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' => {
                    end = i;
                    break;
                }
                c => out.push(c),
            }
        }
        self.skip(end);
        out
    }

    fn field(&mut self) -> Step {
        match self.until_terminator(false).as_str() {
            "*" => Step::Wildcard,
            name => Step::Field(name.to_owned()),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, String> {
        let mut out = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.skip(i + c.len_utf8());
                    return Ok(out);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some(c) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        Err("unterminated quoted string".into())
    }

    fn array(&mut self) -> Result<Step, String> {
        let mut quote = None;
        let mut end = None;
        for (i, c) in self.rest.char_indices() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(q), c) if q == c => quote = None,
                (None, ']') => {
                    end = Some(i);
                    break;
                }
                (None, '\n' | '}') => break,
                _ => {}
            }
        }
        let Some(end) = end else { return Err("unterminated array".into()) };
        let text = self.rest.get(..end).unwrap_or_default().to_owned();
        self.skip(end + 1);
        if text == "*" {
            return Ok(Step::Slice(None, None, None, false));
        }
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 1 {
            let steps: Result<Vec<_>, _> = parts.iter().map(|p| index(p.trim()).map(|s| vec![s])).collect();
            return Ok(Step::Union(steps?));
        }
        index(text.trim())
    }

    fn filter(&mut self) -> Result<Step, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("too many filters within each other".into());
        }
        let mut depth = 1;
        let mut quote = None;
        let mut end = None;
        for (i, c) in self.rest.char_indices() {
            match (quote, c) {
                (Some(q), c) if q == c => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '(') => depth += 1,
                (None, ')') => {
                    depth -= 1;
                    if depth == 0 {
                        end = Some(i);
                        break;
                    }
                }
                (None, _) => {}
            }
        }
        let Some(end) = end else { return Err("unterminated filter".into()) };
        let text = self.rest.get(..end).unwrap_or_default();
        let tail = self.rest.get(end + 1..).unwrap_or_default();
        let Some(tail) = tail.strip_prefix(']') else { return Err("unclosed array expect ]".into()) };
        let (left, op, right) = comparison(text);
        let op = match op {
            "" => Op::Exists,
            "==" => Op::Eq,
            "!=" => Op::Ne,
            "<" => Op::Lt,
            "<=" => Op::Le,
            ">" => Op::Gt,
            ">=" => Op::Ge,
            other => return Err(format!("unrecognized filter operator {other}")),
        };
        let step = Step::Filter(self.nested(left)?, op, self.nested(right)?);
        self.rest = tail;
        self.depth -= 1;
        Ok(step)
    }

    fn nested(&self, text: &str) -> Result<Vec<Step>, String> {
        let text = format!("{}}}", text.trim());
        let mut p = Parser { rest: &text, depth: self.depth };
        match p.action()? {
            Action::Path(steps) => Ok(steps),
            Action::Range(_) | Action::End => Err("a filter cannot hold a range".into()),
        }
    }
}

/// The left side, the operator and the right side of a filter. Without an operator the last two are empty.
fn comparison(text: &str) -> (&str, &str, &str) {
    let is_op = |c: char| matches!(c, '=' | '!' | '<' | '>');
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if is_op(c) => {
                let (left, rest) = text.split_at(i);
                let end = rest.find(|c| !is_op(c)).unwrap_or(rest.len());
                let (op, right) = rest.split_at(end);
                return (left, op, right);
            }
            (None, _) => {}
        }
    }
    (text, "", "")
}

/// The content of brackets: a key, an index or a slice.
fn index(text: &str) -> Result<Step, String> {
    if let Some(key) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return Ok(Step::Field(key.to_owned()));
    }
    let invalid = || format!("invalid array index {text}");
    if text == "*" {
        return Ok(Step::Slice(None, None, None, false));
    }
    let mut bounds = [None; 3];
    let mut parts = 0;
    for (slot, part) in bounds.iter_mut().zip(text.split(':')) {
        parts += 1;
        if !part.is_empty() {
            *slot = Some(part.parse::<i64>().map_err(|_| invalid())?);
        }
    }
    if text.matches(':').count() > 2 || text.is_empty() {
        return Err(invalid());
    }
    let [from, to, step] = bounds;
    Ok(match (parts, from) {
        (1, Some(i)) => Step::Slice(Some(i), Some(i.saturating_add(1)), None, true),
        _ => Step::Slice(from, to, step, false),
    })
}
