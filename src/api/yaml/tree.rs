//! The parser's events as a tree with positions, and that tree as JSON.

use std::collections::BTreeMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::{Map, Value};

use super::chunks::Chunk;
use super::indentation::Indented;
use super::resolve::{self, Scalar};
use super::{Limit, Limits, Warning, YamlError};

/// A node of a document. The target of an alias is shared.
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) column: usize,
    /// The number of levels from this node down, itself included.
    depth: usize,
    pub(super) data: Data,
}

pub(super) enum Data {
    Scalar {
        text: String,
        plain: bool,
        tag: Option<String>,
    },
    List(Vec<Rc<Node>>),
    /// Keys and values in the order of the text, duplicates included.
    Map(Vec<(Rc<Node>, Rc<Node>)>),
}

impl Node {
    /// The text of a map's key, as a JSON object has it.
    pub(super) fn key(&self) -> Result<String, YamlError> {
        let Data::Scalar { text, plain, tag } = &self.data else {
            return Err(self.error("invalid map key: lists and maps cannot be keys"));
        };
        resolve::key(text, *plain, tag.as_deref()).map_err(|e| self.error(e))
    }

    pub(super) fn is_merge(&self) -> bool {
        matches!(&self.data, Data::Scalar { text, plain: true, .. } if text == "<<")
    }

    fn error(&self, message: impl Into<String>) -> YamlError {
        YamlError::new(self.line, self.column, message)
    }
}

/// The root of a document, and its warnings.
type Parsed = (Rc<Node>, Vec<Warning>);

/// A list or map that is being parsed.
struct Frame {
    line: usize,
    column: usize,
    anchor: usize,
    map: bool,
    children: Vec<Rc<Node>>,
}

/// The first document of a chunk; `None` if there is none. kubectl ignores further ones (after `...` or `---
/// x`), so there is a warning about those.
pub(super) fn parse(chunk: &Chunk<'_>, limits: &Limits) -> Result<Option<Parsed>, YamlError> {
    let mut text = Indented::new(chunk.text);
    loop {
        match parse_once(&text, chunk.line, limits) {
            Ok(parsed) => return Ok(parsed),
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Scan(error)) if text.move_line(&error) => {}
            Err(Failure::Scan(error)) => return Err(scan_error(&error, &text, chunk.line, limits)),
        }
    }
}

/// Why a text is not parsed.
enum Failure {
    /// The parser says so.
    Scan(ScanError),
    /// The parser takes it, and it is wrong.
    Error(YamlError),
}

impl From<YamlError> for Failure {
    fn from(error: YamlError) -> Failure {
        Failure::Error(error)
    }
}

/// The first document of a text whose first line has this number in the whole text.
fn parse_once(text: &Indented<'_>, first_line: usize, limits: &Limits) -> Result<Option<Parsed>, Failure> {
    let mut anchors: BTreeMap<usize, Rc<Node>> = BTreeMap::new();
    let mut stack: Vec<Frame> = Vec::new();
    let mut root: Option<Rc<Node>> = None;
    let mut warnings = Vec::new();
    let mut parser = Parser::new_from_str(text.text());
    while let Some(event) = parser.next_event() {
        let (event, span): (Event<'_>, Span) = event.map_err(Failure::Scan)?;
        let line = span.start.line() + first_line - 1;
        let column = text.column(span.start.line(), span.start.col());
        let (node, anchor) = match event {
            Event::DocumentStart(_) if root.is_some() => {
                let message = "kubectl overlooks this document: a line of only --- must stand before it";
                warnings.push(Warning { line, column, message: message.to_owned() });
                break;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let data = Data::Scalar {
                    text: text.into_owned(),
                    plain: style == ScalarStyle::Plain,
                    tag: tag.map(|t| format!("{}{}", t.handle, t.suffix)),
                };
                (Rc::new(Node { line, column, depth: 1, data }), anchor)
            }
            Event::Alias(anchor) => match anchors.get(&anchor) {
                Some(node) => (node.clone(), 0),
                None => return Err(YamlError::new(line, column, "anchor value contains itself").into()),
            },
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                let map = matches!(event, Event::MappingStart(..));
                stack.push(Frame { line, column, anchor, map, children: Vec::new() });
                if stack.len() > limits.depth {
                    return Err(too_deep(line, column, limits).into());
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(frame) = stack.pop() else { continue };
                let depth = 1 + frame.children.iter().map(|c| c.depth).max().unwrap_or_default();
                if depth > limits.depth {
                    return Err(too_deep(frame.line, frame.column, limits).into());
                }
                let data =
                    if frame.map { Data::Map(pairs(frame.children)) } else { Data::List(frame.children) };
                let node = Node { line: frame.line, column: frame.column, depth, data };
                (Rc::new(node), frame.anchor)
            }
            _ => continue,
        };
        if anchor > 0 {
            anchors.insert(anchor, node.clone());
        }
        match stack.last_mut() {
            Some(frame) => frame.children.push(node),
            None => root = Some(node),
        }
    }
    Ok(root.map(|root| (root, warnings)))
}

fn pairs(children: Vec<Rc<Node>>) -> Vec<(Rc<Node>, Rc<Node>)> {
    let mut out = Vec::with_capacity(children.len() / 2);
    let mut children = children.into_iter();
    while let (Some(key), Some(value)) = (children.next(), children.next()) {
        out.push((key, value));
    }
    out
}

fn too_deep(line: usize, column: usize, limits: &Limits) -> YamlError {
    let message = format!("lists and maps nest deeper than {} levels", limits.depth);
    YamlError::limit(line, column, Limit::Depth, message)
}

/// The parser's error with the message and line of Go's library, which has libyaml's.
fn scan_error(error: &ScanError, text: &Indented<'_>, first_line: usize, limits: &Limits) -> YamlError {
    let (info, marker) = (error.info(), error.marker());
    let (line, column) = (marker.line() + first_line - 1, text.column(marker.line(), marker.col()));
    if info == "recursion limit exceeded" {
        return too_deep(line, column, limits);
    }
    let grammar =
        ["while parsing a block", "while parsing a flow", "while parsing a node", "did not find expected <"]
            .iter()
            .any(|start| info.starts_with(start));
    let problem = match info {
        i if i.starts_with("tabs disallowed") || i.contains("tab cannot be used as indentation") => {
            "found character that cannot start any token"
        }
        "simple key expected" | "simple key expect ':'" => "could not find expected ':'",
        i if i.starts_with("while ") => i.split_once(", ").map_or(i, |(_, problem)| problem),
        i => i,
    };
    let problem = match problem.strip_prefix("expected ") {
        Some(what) => format!("did not find expected {what}"),
        None => problem.to_owned(),
    };
    let mut out = YamlError::new(line, column, problem);
    // Go adds one to the lines of the scanner, which count from 0, but not to those of the grammar.
    out.go_line = match marker.line() {
        0 | 1 => None,
        line if grammar => Some(line - 1),
        line => Some(line),
    };
    out
}

/// A tree as JSON, as in `sigs.k8s.io/yaml`.
pub(super) fn to_value(
    node: &Node,
    limits: &Limits,
    nodes: &mut usize,
    warnings: &mut Vec<Warning>,
) -> Result<Value, YamlError> {
    *nodes += 1;
    if *nodes > limits.nodes {
        let message =
            format!("more than {} values, each alias counted with all that it stands for", limits.nodes);
        return Err(YamlError::limit(node.line, node.column, Limit::Nodes, message));
    }
    match &node.data {
        Data::Scalar { text, plain, tag } => {
            let scalar = resolve::scalar(text, *plain, tag.as_deref()).map_err(|e| node.error(e))?;
            match scalar {
                Scalar::Float(f) => resolve::json_float(f).map_err(|e| node.error(e)),
                Scalar::Int(i) => Ok(i.into()),
                Scalar::Unsigned(u) => Ok(u.into()),
                Scalar::Bool(b) => Ok(b.into()),
                Scalar::Text(s) => Ok(Value::String(s)),
                Scalar::Null => Ok(Value::Null),
            }
        }
        Data::List(items) => {
            let items = items.iter().map(|item| to_value(item, limits, nodes, warnings));
            items.collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        Data::Map(entries) => {
            let mut map = Map::new();
            let mut seen: BTreeMap<String, ()> = BTreeMap::new();
            for (key, value) in entries {
                if key.is_merge() {
                    merge(value, &mut map, limits, nodes, warnings)?;
                    continue;
                }
                let name = key.key()?;
                if seen.insert(name.clone(), ()).is_some() {
                    let message = format!("key {} already set in map", crate::api::quote::go_quote(&name));
                    warnings.push(Warning { line: key.line, column: key.column, message });
                }
                map.insert(name, to_value(value, limits, nodes, warnings)?);
            }
            Ok(Value::Object(map))
        }
    }
}

/// `<<`: adds the entries of another map, or of several maps of which the first ones take precedence.
fn merge(
    value: &Node,
    into: &mut Map<String, Value>,
    limits: &Limits,
    nodes: &mut usize,
    warnings: &mut Vec<Warning>,
) -> Result<(), YamlError> {
    let wrong = || value.error("map merge requires map or sequence of maps as the value");
    let sources: Vec<&Node> = match &value.data {
        Data::Map(_) => vec![value],
        Data::List(items) => items.iter().rev().map(Rc::as_ref).collect(),
        Data::Scalar { .. } => return Err(wrong()),
    };
    for source in sources {
        match to_value(source, limits, nodes, warnings)? {
            Value::Object(map) => into.extend(map),
            _ => return Err(wrong()),
        }
    }
    Ok(())
}
