//! YAML text in, JSON values out; and back, as `kubectl -o yaml` prints it.
//!
//! Manifests are read as kubectl reads them (`sigs.k8s.io/yaml`, which is YAML 1.1 where it
//! matters: `yes` is a bool, `010` is eight), one document after the other. Positions stay known,
//! so that an error of the API server can be shown at the line that caused it.
//!
//! The parser is `saphyr-parser`: safe Rust, and it gives events with positions. `yaml_serde`
//! could not: it hides duplicate keys, the quotes of a scalar and where things stand.
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
mod position;
mod resolve;
mod tree;

pub use emit::{to_yaml, to_yaml_placed, to_yaml_unfolded};
pub use position::position_of;

use serde_json::Value;

/// How much a text may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text.
    pub bytes: usize,
    /// How deep lists and maps may nest, aliases included.
    pub depth: usize,
    /// Nodes of all documents once aliases are expanded.
    pub nodes: usize,
    /// Documents in one text.
    pub documents: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 2_000_000, depth: 64, nodes: 200_000, documents: 2_000 }
    }
}

/// The limit that a text went over.
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

/// Why a text cannot be read. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line in the whole text.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What is wrong, as Go's YAML library says it where it has words for it.
    pub message: String,
    /// The limit, if it was one.
    pub limit: Option<Limit>,
    /// The line that kubectl names: it counts from the document's start, is one too small for
    /// some mistakes, and is missing for a first line.
    pub(crate) go_line: Option<usize>,
}

impl YamlError {
    fn new(line: usize, column: usize, message: impl Into<String>) -> YamlError {
        YamlError { line, column, message: message.into(), limit: None, go_line: None }
    }

    fn limit(line: usize, column: usize, limit: Limit, message: String) -> YamlError {
        YamlError { limit: Some(limit), ..YamlError::new(line, column, message) }
    }

    /// What kubectl prints after the file's name.
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

/// Something that kubectl accepts without a word, but that is most likely a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The line in the whole text, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What it is.
    pub message: String,
}

/// One document of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its value, as JSON.
    pub value: Value,
    /// The line of the whole text where it begins, from 1.
    pub start_line: usize,
    /// Its text, without separators.
    pub text: String,
    /// Keys given twice (the last one counts) and documents that kubectl overlooks.
    pub warnings: Vec<Warning>,
}

/// The documents of a text; empty ones (`---` and comments only) are left out, as kubectl does.
///
/// # Errors
/// The first mistake in the text, or the first limit it goes over.
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
