//! Parsing YAML to JSON values, and writing it in the format of `kubectl -o yaml`.
//!
//! Manifests are parsed as kubectl does (`sigs.k8s.io/yaml`, which follows YAML 1.1 in some places: `yes` is
//! a bool, `010` is eight), one document after the other. Positions are kept, so that an error of the API
//! server can be shown at the line that caused it.
//!
//! The parser is `saphyr-parser`, which is safe Rust and reports events with positions. `yaml_serde` is not
//! enough: it hides duplicate keys, the quotes of scalars, and positions.
//!
//! ```
//! use steady::api::yaml::{self, Limits};
//! let text = "kind: ConfigMap\ndata:\n  on: \"yes\"\n";
//! let documents = yaml::documents(text, &Limits::default()).unwrap();
//! assert_eq!(documents[0].value["data"]["true"], "yes");
//! assert_eq!(yaml::position_of(text, 0, "data.true"), Some((3, 3)));
//! assert_eq!(yaml::to_yaml(&documents[0].value), "data:\n  \"true\": \"yes\"\nkind: ConfigMap\n");
//! ```

mod chunks;
mod emit;
mod indentation;
mod position;
mod resolve;
mod tree;

pub use emit::{to_yaml, to_yaml_placed, to_yaml_unfolded};
pub use position::{position_of, with_scalar, without_field};

use serde_json::Value;

/// The limits of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a text.
    pub bytes: usize,
    /// The deepest nesting of lists and maps, aliases included.
    pub depth: usize,
    /// The most nodes of all documents, with aliases expanded.
    pub nodes: usize,
    /// The most documents of a text.
    pub documents: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 2_000_000, depth: 64, nodes: 200_000, documents: 2_000 }
    }
}

/// The limit that a text exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::bytes`]
    Bytes,
    /// [`Limits::depth`]
    Depth,
    /// [`Limits::nodes`]
    Nodes,
    /// [`Limits::documents`]
    Documents,
}

/// Why a text cannot be parsed. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line in the whole text.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// The message, in the words of Go's YAML library if it has some for this error.
    pub message: String,
    /// The limit, if one was exceeded.
    pub limit: Option<Limit>,
    /// The line in kubectl's message: it counts from the start of the document, is one too small for some
    /// errors, and is missing for the first line.
    pub(crate) go_line: Option<usize>,
}

impl YamlError {
    fn new(line: usize, column: usize, message: impl Into<String>) -> YamlError {
        YamlError { line, column, message: message.into(), limit: None, go_line: None }
    }

    fn limit(line: usize, column: usize, limit: Limit, message: String) -> YamlError {
        YamlError { limit: Some(limit), ..YamlError::new(line, column, message) }
    }

    /// The message that kubectl prints after the file's name.
    pub fn kubectl_text(&self) -> String {
        match self.go_line {
            Some(line) => format!("error converting YAML to JSON: yaml: line {line}: {}", self.message),
            None => format!("error converting YAML to JSON: yaml: {}", self.message),
        }
    }
}

impl std::fmt::Display for YamlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for YamlError {}

/// Something that kubectl accepts without a message but that is most likely a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The line in the whole text, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// The message.
    pub message: String,
}

/// One document of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The value, as JSON.
    pub value: Value,
    /// The line in the whole text at which the document begins, counted from 1.
    pub start_line: usize,
    /// The document's text, without separators.
    pub text: String,
    /// Warnings about duplicate keys (the last one counts) and about documents that kubectl ignores.
    pub warnings: Vec<Warning>,
}

/// The documents of a text. Empty ones (only comments, or nothing) are left out, as in kubectl.
///
/// # Errors
/// The first error in the text, or the first limit that it exceeds.
pub fn documents(text: &str, limits: &Limits) -> Result<Vec<Document>, YamlError> {
    let mut nodes = 0;
    let mut out = Vec::new();
    for chunk in chunks::chunks(text, limits)? {
        let (value, warnings) = match chunk.json {
            Some(value) => (value, Vec::new()),
            None => {
                let Some((root, mut warnings)) = tree::parse(&chunk, limits)? else {
                    continue;
                };
                let value = tree::to_value(&root, limits, &mut nodes, &mut warnings)?;
                (value, warnings)
            }
        };
        if value.is_null() {
            continue;
        }
        out.push(Document { value, start_line: chunk.line, text: chunk.text.to_owned(), warnings });
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
