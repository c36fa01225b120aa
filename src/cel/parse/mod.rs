//! Source into an expression, after `parser/parser.go` of cel-go.

mod binary;
mod grammar;
mod lexer;
mod literals;
mod macros;
mod primary;
mod recovery;
mod tokens;

use super::ast::Expr;
use super::issues::{Issue, Issues};

/// An expression is at most so long, in code points.
const LENGTH_LIMIT: usize = 100_000;
/// Operators, selections and member calls lie in each other at most so deep.
const DEPTH_LIMIT: u32 = 250;
/// Expressions in brackets, and arguments, lie in each other at most so deep. cel-go allows 250; evaluating these takes
/// more than the 2 MB of stack that a thread has.
const NESTING_LIMIT: u32 = 100;
/// Macros may copy expressions; there are at most so many nodes afterwards.
const NODES_LIMIT: usize = 200_000;

/// An expression that could be read, and how many nodes it has.
pub(crate) struct Parsed {
    pub root: Expr,
    pub nodes: usize,
}

/// Reads an expression. `bindings` says whether `cel.bind` is a macro.
///
/// # Errors
/// Everything that is wrong with it, in kube-apiserver's words.
pub(crate) fn parse(source: &str, bindings: bool) -> Result<Parsed, Issues> {
    let chars: Vec<char> = source.chars().collect();
    if chars.len() > LENGTH_LIMIT {
        let size = chars.len();
        let message = format!("expression code point size exceeds limit: size: {size}, limit {LENGTH_LIMIT}");
        return Err(Issues::new(source, vec![Issue { at: None, message }]));
    }
    let mut parser = grammar::Parser::new(recovery::Stream::new(&chars, lexer::lex(&chars)), bindings);
    let root = parser.start();
    let nodes = parser.nodes();
    let mut issues = parser.stream.syntax;
    issues.append(&mut parser.issues);
    if issues.is_empty() { Ok(Parsed { root, nodes }) } else { Err(Issues::new(source, issues)) }
}

#[cfg(test)]
mod tests;
