//! Splitting a text into documents before anything is parsed, as kubectl does.

use serde_json::Value;

use super::{Limit, Limits, YamlError};

/// The text of one document.
pub(super) struct Chunk<'a> {
    /// The line at which it begins, counted from 1.
    pub(super) line: usize,
    pub(super) text: &'a str,
    /// The value, if the whole text is JSON.
    pub(super) json: Option<Value>,
}

pub(super) fn chunks<'a>(text: &'a str, limits: &Limits) -> Result<Vec<Chunk<'a>>, YamlError> {
    if text.len() > limits.bytes {
        let message = format!("the text is {} bytes long; {} are allowed", text.len(), limits.bytes);
        return Err(YamlError::limit(1, 1, Limit::Bytes, message));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let chunks = match json_chunks(text, limits) {
        Some(chunks) => chunks,
        None => yaml_chunks(text),
    };
    if let Some(extra) = chunks.get(limits.documents) {
        let message = format!("more than {} documents", limits.documents);
        return Err(YamlError::limit(extra.line, 1, Limit::Documents, message));
    }
    Ok(chunks)
}

/// Splits at lines of three dashes, which only blanks or a comment may follow.
fn yaml_chunks(text: &str) -> Vec<Chunk<'_>> {
    let separator = |line: &str| {
        line.strip_prefix("---").is_some_and(|rest| {
            let rest = rest.trim();
            rest.is_empty() || rest.starts_with('#')
        })
    };
    let mut chunks = Vec::new();
    let (mut start, mut start_line, mut at) = (0, 1, 0);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if separator(line) {
            chunks.push(Chunk {
                line: start_line,
                text: text.get(start..at).unwrap_or_default(),
                json: None,
            });
            start = at + line.len();
            start_line = i + 2;
        }
        at += line.len();
    }
    chunks.push(Chunk { line: start_line, text: text.get(start..).unwrap_or_default(), json: None });
    chunks.retain(|c| !c.text.trim().is_empty());
    chunks
}

/// The JSON values of a text, if it contains nothing else and is not nested too deeply. A text that is
/// almost JSON is parsed as YAML, whose parser reports the error.
fn json_chunks<'a>(text: &'a str, limits: &Limits) -> Option<Vec<Chunk<'a>>> {
    if !text.trim_start().starts_with('{') || !json_depth_within(text, limits.depth) {
        return None;
    }
    let mut chunks = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let (mut start, mut line) = (0, 1);
    while let Some(value) = stream.next() {
        let end = stream.byte_offset();
        let piece = text.get(start..end)?;
        let blank = piece.len() - piece.trim_start().len();
        line += piece.get(..blank)?.matches('\n').count();
        chunks.push(Chunk { line, text: piece.trim_start(), json: Some(value.ok()?) });
        line += piece.trim_start().matches('\n').count();
        start = end;
    }
    Some(chunks)
}

fn json_depth_within(text: &str, limit: usize) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for b in text.bytes() {
        match b {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            return false;
        }
    }
    true
}
