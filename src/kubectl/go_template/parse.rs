//! From tokens to a tree (`text/template/parse/parse.go`).

use std::collections::BTreeMap;

use super::lex::{self, Kind, Piece, Token, wrong};
use super::{Base, Branch, Command, MAX_DEPTH, Node, Operand, Pipeline, functions};
use crate::api::quote::go_quote;

/// The nodes of a template, and those of the templates that it defines.
type Parsed = (Vec<Node>, BTreeMap<String, Vec<Node>>);

pub(super) fn template(text: &str) -> Result<Parsed, String> {
    let last = lex::line(text, text.len());
    let mut parser = Parser {
        text,
        pieces: lex::pieces(text)?.into_iter(),
        named: BTreeMap::new(),
        variables: vec!["$".to_owned()],
        last,
        ranges: 0,
    };
    let (nodes, end) = parser.block(0)?;
    match end {
        End::Text => Ok((nodes, parser.named)),
        End::Closed(line) => Err(wrong(line, "unexpected {{end}}")),
        End::Else(line, _) => Err(wrong(line, "unexpected {{else}}")),
    }
}

/// What ended a block.
enum End {
    /// The end of the template.
    Text,
    /// `{{end}}`, on this line.
    Closed(usize),
    /// `{{else}}`, with what stands after it.
    Else(usize, Vec<Token>),
}

struct Parser<'t> {
    text: &'t str,
    pieces: std::vec::IntoIter<Piece>,
    named: BTreeMap<String, Vec<Node>>,
    /// The variables that can be seen.
    variables: Vec<String>,
    /// The last line.
    last: usize,
    /// How many ranges are around.
    ranges: usize,
}

impl Parser<'_> {
    fn block(&mut self, depth: usize) -> Result<(Vec<Node>, End), String> {
        if depth > MAX_DEPTH {
            return Err(wrong(self.last, "too many blocks within each other"));
        }
        let mut out = Vec::new();
        while let Some(piece) = self.pieces.next() {
            let (line, tokens) = match piece {
                Piece::Text(text) => {
                    out.push(Node::Text(text));
                    continue;
                }
                Piece::Action(line, tokens) => (line, tokens),
            };
            let (word, rest) = match tokens.split_first() {
                Some((Token { kind: Kind::Word(word), .. }, rest)) => (word.as_str(), rest.to_vec()),
                _ => ("", tokens.clone()),
            };
            match word {
                "end" => return Ok((out, End::Closed(line))),
                "else" => return Ok((out, End::Else(line, rest))),
                "if" => out.push(Node::If(self.branch(line, rest, depth, false, "if")?)),
                "with" => out.push(Node::With(self.branch(line, rest, depth, false, "with")?)),
                "range" => out.push(Node::Range(self.branch(line, rest, depth, true, "range")?)),
                "break" | "continue" => {
                    if self.ranges == 0 {
                        return Err(wrong(line, format!("{{{{{word}}}}} outside {{{{range}}}}")));
                    }
                    out.push(if word == "break" { Node::Break } else { Node::Continue });
                }
                "define" => {
                    let (name, _, _) = name(line, rest, "define clause")?;
                    let body = self.body(depth)?;
                    self.named.insert(name, body);
                }
                "template" | "block" => {
                    let (name, at, rest) = name(line, rest, &format!("{word} clause"))?;
                    let pipeline = if rest.is_empty() && word == "template" {
                        None
                    } else {
                        Some(self.pipeline(line, &rest, depth, word)?)
                    };
                    if word == "block" {
                        let body = self.body(depth)?;
                        self.named.insert(name.clone(), body);
                    }
                    out.push(Node::Template(at, name, pipeline));
                }
                _ => out.push(Node::Print(self.pipeline(line, &tokens, depth, "command")?)),
            }
        }
        Ok((out, End::Text))
    }

    /// The body of a `define` or a `block`, which sees no variable of its surroundings.
    fn body(&mut self, depth: usize) -> Result<Vec<Node>, String> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let (body, end) = self.block(depth + 1)?;
        self.variables = variables;
        self.ended(&end)?;
        Ok(body)
    }

    fn ended(&self, end: &End) -> Result<(), String> {
        match end {
            End::Closed(_) => Ok(()),
            End::Else(line, _) => Err(wrong(*line, "unexpected {{else}}")),
            End::Text => Err(wrong(self.last, "unexpected EOF")),
        }
    }

    fn branch(
        &mut self,
        line: usize,
        tokens: Vec<Token>,
        depth: usize,
        range: bool,
        word: &str,
    ) -> Result<Branch, String> {
        if depth > MAX_DEPTH {
            return Err(wrong(line, "too many blocks within each other"));
        }
        let seen = self.variables.len();
        let pipeline = self.pipeline(line, &tokens, depth, word)?;
        if pipeline.variables.len() > 1 && !range {
            return Err(wrong(line, format!("too many declarations in {word}")));
        }
        self.ranges += usize::from(range);
        let (body, end) = self.block(depth + 1)?;
        self.ranges -= usize::from(range);
        let other = match end {
            End::Else(line, tokens) => match tokens.split_first() {
                None => {
                    let (other, end) = self.block(depth + 1)?;
                    self.ended(&end)?;
                    other
                }
                // `{{else if}}` is an `{{if}}` within, which ends with the one around it.
                Some((Token { kind: Kind::Word(again), .. }, rest)) if !range && again == word => {
                    let branch = self.branch(line, rest.to_vec(), depth + 1, false, word)?;
                    vec![if word == "if" { Node::If(branch) } else { Node::With(branch) }]
                }
                Some(_) => return Err(wrong(line, "unexpected token in {{else}}")),
            },
            end => {
                self.ended(&end)?;
                Vec::new()
            }
        };
        self.variables.truncate(seen);
        Ok(Branch { pipeline, body, other })
    }

    fn pipeline(
        &mut self,
        line: usize,
        tokens: &[Token],
        depth: usize,
        context: &str,
    ) -> Result<Pipeline, String> {
        if depth > MAX_DEPTH {
            return Err(wrong(line, "too many parentheses within each other"));
        }
        let (variables, declares, tokens) = declarations(tokens);
        let mut commands = Vec::new();
        let mut rest = tokens;
        loop {
            let (command, tail) = self.command(line, rest, depth)?;
            let Some(command) = command else {
                return Err(wrong(line, format!("missing value for {context}")));
            };
            commands.push(command);
            match tail.split_first() {
                None => break,
                Some((_, tail)) => rest = tail,
            }
        }
        if !declares && let Some(unknown) = variables.iter().find(|v| !self.variables.contains(*v)) {
            return Err(wrong(line, format!("undefined variable {unknown}", unknown = go_quote(unknown))));
        }
        if declares {
            self.variables.extend(variables.iter().cloned());
        }
        let misplaced = commands.iter().skip(1).any(|c| {
            !c.operands.first().is_some_and(|o| matches!(o.base, Base::Function(_)) || !o.fields.is_empty())
        });
        if misplaced {
            return Err(wrong(line, "non executable command in pipeline"));
        }
        Ok(Pipeline { variables, declares, commands })
    }

    /// The command up to the next `|`, and what stands from there.
    fn command<'k>(
        &mut self,
        line: usize,
        tokens: &'k [Token],
        depth: usize,
    ) -> Result<(Option<Command>, &'k [Token]), String> {
        let mut operands: Vec<Operand> = Vec::new();
        let mut rest = tokens;
        let mut end = 0;
        while let Some((token, tail)) = rest.split_first() {
            if token.kind == Kind::Sign('|') {
                break;
            }
            end = token.end;
            match (&token.kind, operands.last_mut()) {
                (Kind::Field(name), Some(last)) if !token.spaced => {
                    if last.fields.is_empty() || matches!(last.base, Base::Dot) && last.fields.len() == 1 {
                        last.at = token.at;
                    }
                    last.fields.push(name.clone());
                    last.text.push_str(self.text.get(token.at..token.end).unwrap_or_default());
                    rest = tail;
                }
                (_, Some(_)) if !token.spaced && token.kind != Kind::Sign(')') => {
                    let text = self.text.get(token.at..token.end).unwrap_or_default();
                    return Err(wrong(line, format!("unexpected {text} in operand", text = go_quote(text))));
                }
                _ => {
                    let (operand, tail) = self.operand(line, token, tail, depth)?;
                    end = tail_end(rest, tail).unwrap_or(end);
                    operands.push(operand);
                    rest = tail;
                }
            }
        }
        let at = tokens.first().map_or(0, |t| t.at);
        let text = self.text.get(at..end).unwrap_or_default().to_owned();
        Ok(((!operands.is_empty()).then_some(Command { at, text, operands }), rest))
    }

    fn operand<'k>(
        &mut self,
        line: usize,
        token: &Token,
        tail: &'k [Token],
        depth: usize,
    ) -> Result<(Operand, &'k [Token]), String> {
        let text = self.text.get(token.at..token.end).unwrap_or_default().to_owned();
        let mut fields = Vec::new();
        let mut rest = tail;
        let base = match &token.kind {
            Kind::Dot => Base::Dot,
            Kind::Field(name) => {
                fields.push(name.clone());
                Base::Dot
            }
            Kind::Literal(value) => Base::Literal(value.clone()),
            Kind::Variable(name) if self.variables.contains(name) => Base::Variable(name.clone()),
            Kind::Variable(name) => {
                return Err(wrong(line, format!("undefined variable {name}", name = go_quote(name))));
            }
            Kind::Word(word) => match word.as_str() {
                "true" | "false" => Base::Literal((word == "true").into()),
                "nil" => Base::Literal(serde_json::Value::Null),
                word if functions::is_known(word) => Base::Function(word.to_owned()),
                word => {
                    return Err(wrong(line, format!("function {word} not defined", word = go_quote(word))));
                }
            },
            Kind::Sign('(') => {
                let close = closing(tail).ok_or_else(|| wrong(line, "unclosed left paren"))?;
                let (inside, after) = tail.split_at(close);
                rest = after.get(1..).unwrap_or_default();
                Base::Parenthesized(self.pipeline(line, inside, depth + 1, "parenthesized pipeline")?)
            }
            Kind::Sign(')') => return Err(wrong(line, "unexpected right paren")),
            Kind::Sign(_) | Kind::Declare => {
                return Err(wrong(line, format!("unexpected {text} in operand", text = go_quote(&text))));
            }
        };
        Ok((Operand { at: token.at, text, base, fields }, rest))
    }
}

/// Where the tokens end that were taken from the front of `before`.
fn tail_end(before: &[Token], after: &[Token]) -> Option<usize> {
    before.get(before.len().checked_sub(after.len())?.checked_sub(1)?).map(|t| t.end)
}

/// Where the parenthesis closes that was opened before these tokens.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign('(') => depth += 1,
            Kind::Sign(')') if depth == 0 => return Some(i),
            Kind::Sign(')') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// `$x :=`, `$i, $x :=` or `$x =` at the beginning of a pipeline, and what stands after it.
fn declarations(tokens: &[Token]) -> (Vec<String>, bool, &[Token]) {
    let variable = |i: usize| match tokens.get(i).map(|t| &t.kind) {
        Some(Kind::Variable(name)) => Some(name.clone()),
        _ => None,
    };
    let kind = |i: usize| tokens.get(i).map(|t| &t.kind);
    let after = |n: usize| tokens.get(n..).unwrap_or_default();
    let is_sign = |i: usize| matches!(kind(i), Some(Kind::Declare | Kind::Sign('=')));
    match (variable(0), variable(2)) {
        (Some(one), Some(two)) if kind(1) == Some(&Kind::Sign(',')) && is_sign(3) => {
            (vec![one, two], kind(3) == Some(&Kind::Declare), after(4))
        }
        (Some(one), _) if is_sign(1) => (vec![one], kind(1) == Some(&Kind::Declare), after(2)),
        _ => (Vec::new(), false, tokens),
    }
}

/// The quoted name after a keyword, where it is, and what stands after it.
fn name(line: usize, tokens: Vec<Token>, context: &str) -> Result<(String, usize, Vec<Token>), String> {
    match tokens.split_first() {
        Some((Token { kind: Kind::Literal(serde_json::Value::String(name)), at, .. }, rest)) => {
            Ok((name.clone(), *at, rest.to_vec()))
        }
        _ => Err(wrong(line, format!("unexpected token in {context}"))),
    }
}
