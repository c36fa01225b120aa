//! `-o go-template=…`: the part of Go's `text/template` that people use with kubectl: fields,
//! variables' dot, texts, `range`, `if`, `else`, `end`, `len` and `index`. The rest is refused.

use serde_json::Value;

use super::go;
use super::words;

/// How deep blocks may nest.
const MAX_DEPTH: usize = 20;
/// How much a template may print.
const MAX_OUTPUT: usize = 4_000_000;
/// How many nodes and items it may visit.
const MAX_STEPS: usize = 200_000;

/// One part of a template.
enum Node {
    Text(String),
    Print(Vec<String>),
    If(Vec<String>, Vec<Node>, Vec<Node>),
    Range(Vec<String>, Vec<Node>, Vec<Node>),
}

/// A parsed template.
pub(super) struct Template(Vec<Node>);

/// A piece of the text: outside braces, or between them.
enum Token<'a> {
    Text(&'a str),
    Action(&'a str),
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Template, String> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            let (before, after) = rest.split_at(at);
            let after = after.get(2..).unwrap_or_default();
            let end = after.find("}}").ok_or("template: output:1: unclosed action")?;
            let (action, tail) = after.split_at(end);
            tokens.push(Token::Text(before));
            tokens.push(Token::Action(action.trim_matches('-').trim()));
            rest = tail.get(2..).unwrap_or_default();
        }
        tokens.push(Token::Text(rest));
        let mut tokens = tokens.into_iter();
        let (nodes, ended_by) = block(&mut tokens, 0)?;
        match ended_by {
            "" => Ok(Template(nodes)),
            other => Err(format!("template: output:1: unexpected {{{{{other}}}}}")),
        }
    }

    pub(super) fn render(&self, value: &Value) -> Result<String, String> {
        let mut out = String::new();
        nodes(&self.0, value, value, &mut out, &mut 0)?;
        Ok(out)
    }
}

/// Nodes up to `else`, `end` or the end of the text, and which of them it was.
fn block<'a>(
    tokens: &mut std::vec::IntoIter<Token<'a>>,
    depth: usize,
) -> Result<(Vec<Node>, &'static str), String> {
    if depth > MAX_DEPTH {
        return Err("template: output:1: too many blocks within each other".into());
    }
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        let action = match token {
            Token::Text(t) => {
                out.push(Node::Text(t.to_owned()));
                continue;
            }
            Token::Action(a) => a,
        };
        let (word, rest) = action.split_once(char::is_whitespace).unwrap_or((action, ""));
        match word {
            "end" => return Ok((out, "end")),
            "else" => return Ok((out, "else")),
            "if" | "range" => {
                let terms = terms(rest)?;
                let (body, ended) = block(tokens, depth + 1)?;
                let (other, ended) =
                    if ended == "else" { block(tokens, depth + 1)? } else { (Vec::new(), ended) };
                if ended != "end" {
                    return Err("template: output:1: unexpected EOF".into());
                }
                out.push(if word == "if" {
                    Node::If(terms, body, other)
                } else {
                    Node::Range(terms, body, other)
                });
            }
            "with" | "define" | "template" | "block" | "break" | "continue" => {
                return Err(format!("template: output:1: {word} is not built here"));
            }
            _ if action.starts_with("/*") => {}
            _ => out.push(Node::Print(terms(action)?)),
        }
    }
    Ok((out, ""))
}

/// The words of an action; a text keeps one quote before it, so that it is known as one.
fn terms(action: &str) -> Result<Vec<String>, String> {
    if action.contains(['|', '(', ':']) && !action.contains('"') {
        return Err(format!("template: output:1: pipelines and variables are not built here: {action}"));
    }
    if let Some(text) = action.strip_prefix(['"', '`']) {
        let text = text.strip_suffix(['"', '`']).ok_or("template: output:1: unterminated quoted string")?;
        let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
        return Ok(vec![format!("\"{text}")]);
    }
    words::split(&action.replace('"', "'\"'")).map_err(|e| format!("template: output:1: {e}"))
}

fn nodes(
    nodes: &[Node],
    root: &Value,
    dot: &Value,
    out: &mut String,
    steps: &mut usize,
) -> Result<(), String> {
    for node in nodes {
        *steps += 1;
        if out.len() > MAX_OUTPUT || *steps > MAX_STEPS {
            return Err("the template does too much".into());
        }
        match node {
            Node::Text(t) => out.push_str(t),
            Node::Print(terms) => match terms.as_slice() {
                [one] if one.starts_with('"') => out.push_str(one.get(1..).unwrap_or_default()),
                terms => match evaluate(terms, root, dot)? {
                    Value::Null => out.push_str("<no value>"),
                    v => out.push_str(&go::format_value(&v)),
                },
            },
            Node::If(terms, body, other) => {
                let chosen = if is_true(&evaluate(terms, root, dot)?) { body } else { other };
                self::nodes(chosen, root, dot, out, steps)?;
            }
            Node::Range(terms, body, other) => {
                let over = evaluate(terms, root, dot)?;
                let items: Vec<Value> = match over {
                    Value::Array(items) => items,
                    Value::Object(map) => map.into_iter().map(|(_, v)| v).collect(),
                    Value::Null => Vec::new(),
                    v => return Err(format!("range can't iterate over {}", go::format_value(&v))),
                };
                if items.is_empty() {
                    self::nodes(other, root, dot, out, steps)?;
                }
                for item in &items {
                    *steps += 1;
                    self::nodes(body, root, item, out, steps)?;
                }
            }
        }
    }
    Ok(())
}

fn evaluate(terms: &[String], root: &Value, dot: &Value) -> Result<Value, String> {
    match terms {
        [one] => operand(one, root, dot),
        [f, of] if f == "len" => Ok(match operand(of, root, dot)? {
            Value::Array(a) => a.len().into(),
            Value::Object(m) => m.len().into(),
            Value::String(s) => s.len().into(),
            v => return Err(format!("len of type {}", go::format_value(&v))),
        }),
        [f, of, key] if f == "index" => {
            let (value, key) = (operand(of, root, dot)?, operand(key, root, dot)?);
            let found = match (&key, key.as_u64()) {
                (Value::String(k), _) => value.get(k).cloned(),
                (_, Some(i)) => usize::try_from(i).ok().and_then(|i| value.get(i).cloned()),
                _ => None,
            };
            Ok(found.unwrap_or(Value::Null))
        }
        [] => Err("template: output:1: missing value for command".into()),
        [f, ..] => Err(format!("template: output:1: function {f:?} not defined")),
    }
}

fn operand(term: &str, root: &Value, dot: &Value) -> Result<Value, String> {
    if let Some(text) = term.strip_prefix('"') {
        return Ok(text.trim_end_matches('"').into());
    }
    if let Ok(n) = term.parse::<i64>() {
        return Ok(n.into());
    }
    let (start, path) = match term.strip_prefix('$') {
        Some(path) => (root, path),
        None => (dot, term),
    };
    if term == "true" || term == "false" {
        return Ok((term == "true").into());
    }
    if !path.is_empty() && !path.starts_with('.') {
        return Err(format!("template: output:1: function {term:?} not defined"));
    }
    let mut value = start;
    for name in path.split('.').filter(|n| !n.is_empty()) {
        match value.get(name) {
            Some(v) => value = v,
            None => return Ok(Value::Null),
        }
    }
    Ok(value.clone())
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(s) => !s.is_empty(),
        Value::Array(a) => !a.is_empty(),
        Value::Object(m) => !m.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn templates() {
        let v = serde_json::json!({"items": [{"name": "a", "n": 1}, {"name": "b"}], "m": {"x/y": "z"}});
        for (template, want) in [
            ("{{range .items}}{{.name}}{{\"\\n\"}}{{end}}", "a\nb\n"),
            ("{{range .items}}{{if .n}}{{.n}}{{else}}-{{end}}{{end}}", "1-"),
            ("{{len .items}} {{.nothing}} {{index .m \"x/y\"}}", "2 <no value> z"),
            ("plain", "plain"),
        ] {
            assert_eq!(Template::parse(template).unwrap().render(&v).as_deref(), Ok(want), "{template}");
        }
        for bad in ["{{.a", "{{range .a}}", "{{end}}", "{{foo .a .b}}"] {
            assert!(Template::parse(bad).and_then(|t| t.render(&v)).is_err(), "{bad}");
        }
    }
}
