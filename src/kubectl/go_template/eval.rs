//! From a tree and a value to text (`text/template/exec.go`).

use serde_json::Value;

use super::super::go;
use super::{
    Base, Branch, Command, MAX_DEPTH, MAX_OUTPUT, MAX_STEPS, Node, Operand, Pipeline, Template, functions,
    lex,
};
use crate::api::quote::go_quote;

pub(super) fn render(template: &Template, value: &Value, strict: bool) -> Result<String, String> {
    let mut run =
        Run { template, name: "output", strict, out: String::new(), steps: 0, variables: Vec::new() };
    run.variables.push(("$".to_owned(), value.clone()));
    run.nodes(&template.nodes, value, 0)?;
    Ok(run.out)
}

/// Whether a block goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

struct Run<'t> {
    template: &'t Template,
    /// The template that is carried out.
    name: &'t str,
    strict: bool,
    out: String,
    steps: usize,
    variables: Vec<(String, Value)>,
}

impl<'t> Run<'t> {
    fn wrong(&self, at: usize, text: &str, what: impl std::fmt::Display) -> String {
        let whole = self.template.text.as_str();
        let line = lex::line(whole, at);
        let begin = whole.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1);
        let (column, name) = (at - begin, self.name);
        format!(
            "template: output:{line}:{column}: executing {name} at <{text}>: {what}",
            name = go_quote(name)
        )
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.out.len() > MAX_OUTPUT || self.steps > MAX_STEPS {
            return Err("the template does too much".into());
        }
        Ok(())
    }

    fn nodes(&mut self, nodes: &'t [Node], dot: &Value, depth: usize) -> Result<Flow, String> {
        let seen = self.variables.len();
        let flow = self.each(nodes, dot, depth);
        self.variables.truncate(seen);
        flow
    }

    fn each(&mut self, nodes: &'t [Node], dot: &Value, depth: usize) -> Result<Flow, String> {
        for node in nodes {
            self.step()?;
            let flow = match node {
                Node::Text(text) => {
                    self.out.push_str(text);
                    Flow::On
                }
                Node::Print(pipeline) => {
                    let value = self.pipeline(pipeline, dot)?;
                    if pipeline.variables.is_empty() {
                        let text = printed(&value);
                        self.out.push_str(&text);
                    }
                    Flow::On
                }
                Node::If(branch) => self.branch(branch, dot, depth, false)?,
                Node::With(branch) => self.branch(branch, dot, depth, true)?,
                Node::Range(branch) => self.range(branch, dot, depth)?,
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
                Node::Template(at, name, pipeline) => {
                    self.call(*at, name, pipeline.as_ref(), dot, depth)?;
                    Flow::On
                }
            };
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    /// `if`, and `with`, whose body has the value as its dot.
    fn branch(&mut self, branch: &'t Branch, dot: &Value, depth: usize, with: bool) -> Result<Flow, String> {
        let seen = self.variables.len();
        let value = self.pipeline(&branch.pipeline, dot)?;
        let flow = if functions::is_true(&value) {
            self.nodes(&branch.body, if with { &value } else { dot }, depth)
        } else {
            self.nodes(&branch.other, dot, depth)
        };
        self.variables.truncate(seen);
        flow
    }

    fn range(&mut self, branch: &'t Branch, dot: &Value, depth: usize) -> Result<Flow, String> {
        let seen = self.variables.len();
        let over = self.pipeline(&branch.pipeline, dot)?;
        let items: Vec<(Value, Value)> = match over {
            Value::Array(items) => items.into_iter().enumerate().map(|(i, v)| (i.into(), v)).collect(),
            Value::Object(map) => map.into_iter().map(|(k, v)| (k.into(), v)).collect(),
            Value::Null => Vec::new(),
            Value::Number(n) if n.is_i64() => {
                (0..n.as_i64().unwrap_or(0).min(MAX_STEPS as i64)).map(|i| (i.into(), i.into())).collect()
            }
            other => {
                let first = branch.pipeline.commands.first();
                let (at, text) = first.map_or((0, ""), |c| (c.at, c.text.as_str()));
                let shown = go::format_value(&other);
                return Err(self.wrong(at, text, format!("range can't iterate over {shown}")));
            }
        };
        let empty = items.is_empty();
        for (key, item) in items {
            self.step()?;
            self.assign(&branch.pipeline, key, item.clone());
            let flow = self.nodes(&branch.body, &item, depth)?;
            self.variables.truncate(seen);
            if flow == Flow::Break {
                break;
            }
        }
        self.variables.truncate(seen);
        match empty {
            true => self.nodes(&branch.other, dot, depth),
            false => Ok(Flow::On),
        }
    }

    /// Gives a range's variables an item and its key.
    fn assign(&mut self, pipeline: &Pipeline, key: Value, item: Value) {
        let values = match pipeline.variables.as_slice() {
            [one] => vec![(one, item)],
            [first, second] => vec![(first, key), (second, item)],
            _ => Vec::new(),
        };
        for (name, value) in values {
            self.set(name, value, pipeline.declares);
        }
    }

    fn set(&mut self, name: &str, value: Value, declares: bool) {
        match self.variables.iter_mut().rev().find(|(n, _)| !declares && n == name) {
            Some(variable) => variable.1 = value,
            None => self.variables.push((name.to_owned(), value)),
        }
    }

    fn call(
        &mut self,
        at: usize,
        name: &'t str,
        pipeline: Option<&'t Pipeline>,
        dot: &Value,
        depth: usize,
    ) -> Result<(), String> {
        let text = format!("{{{{template {name}}}}}", name = go_quote(name));
        let value = match pipeline {
            Some(pipeline) => self.pipeline(pipeline, dot)?,
            None => Value::Null,
        };
        let Some(nodes) = self.template.named.get(name) else {
            return Err(self.wrong(at, &text, format!("template {name} not defined", name = go_quote(name))));
        };
        if depth > MAX_DEPTH {
            return Err(self.wrong(at, &text, "exceeded maximum template depth"));
        }
        let outer = std::mem::replace(&mut self.variables, vec![("$".to_owned(), value.clone())]);
        let before = std::mem::replace(&mut self.name, name);
        self.nodes(nodes, &value, depth + 1)?;
        self.variables = outer;
        self.name = before;
        Ok(())
    }

    /// The value of a pipeline, which its variables get. A range's are set for each item.
    fn pipeline(&mut self, pipeline: &'t Pipeline, dot: &Value) -> Result<Value, String> {
        let mut last = None;
        for command in &pipeline.commands {
            last = Some(self.command(command, dot, last)?);
        }
        let value = last.unwrap_or_default();
        if let [name] = pipeline.variables.as_slice() {
            self.set(name, value.clone(), pipeline.declares);
        }
        Ok(value)
    }

    fn command(&mut self, command: &'t Command, dot: &Value, last: Option<Value>) -> Result<Value, String> {
        self.step()?;
        let Some((first, rest)) = command.operands.split_first() else { return Ok(Value::Null) };
        let Base::Function(name) = &first.base else {
            if !rest.is_empty() || last.is_some() {
                let what = format!("can't give argument to non-function {}", first.text);
                return Err(self.wrong(first.at, &first.text, what));
            }
            return self.operand(first, dot);
        };
        if name == "and" || name == "or" {
            return self.short_circuit(name == "and", rest, dot, last);
        }
        let mut values = Vec::new();
        for operand in rest {
            values.push(self.operand(operand, dot)?);
        }
        values.extend(last);
        let value = functions::call(name, &values)
            .map_err(|e| self.wrong(command.at, &command.text, format!("error calling {name}: {e}")))?;
        self.fields(first, value)
    }

    /// `and` ends with the first value that is false, `or` with the first that is true.
    fn short_circuit(
        &mut self,
        and: bool,
        operands: &'t [Operand],
        dot: &Value,
        last: Option<Value>,
    ) -> Result<Value, String> {
        let mut value = Value::Null;
        for operand in operands {
            value = self.operand(operand, dot)?;
            if functions::is_true(&value) != and {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    fn operand(&mut self, operand: &'t Operand, dot: &Value) -> Result<Value, String> {
        let value = match &operand.base {
            Base::Dot => dot.clone(),
            Base::Literal(value) => value.clone(),
            Base::Variable(name) => self
                .variables
                .iter()
                .rev()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.clone())
                .unwrap_or_default(),
            Base::Function(name) => functions::call(name, &[])
                .map_err(|e| self.wrong(operand.at, &operand.text, format!("error calling {name}: {e}")))?,
            Base::Parenthesized(pipeline) => self.pipeline(pipeline, dot)?,
        };
        self.fields(operand, value)
    }

    /// What the operand's fields lead to.
    fn fields(&self, operand: &Operand, value: Value) -> Result<Value, String> {
        let mut value = value;
        for name in &operand.fields {
            value = match value {
                Value::Object(mut map) => match map.remove(name) {
                    Some(value) => value,
                    None if self.strict => {
                        let what = format!("map has no entry for key {name}", name = go_quote(name));
                        return Err(self.wrong(operand.at, &operand.text, what));
                    }
                    None => Value::Null,
                },
                Value::Null if self.strict => {
                    let what = format!("nil data; no entry for key {name}", name = go_quote(name));
                    return Err(self.wrong(operand.at, &operand.text, what));
                }
                Value::Null => Value::Null,
                _ => {
                    let what = format!("can't evaluate field {name} in type interface {{}}");
                    return Err(self.wrong(operand.at, &operand.text, what));
                }
            };
        }
        Ok(value)
    }
}

/// A value as a template prints it.
fn printed(value: &Value) -> String {
    match value {
        Value::Null => "<no value>".to_owned(),
        value => go::format_value(value),
    }
}
