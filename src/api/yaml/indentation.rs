//! Lines within brackets, braces and quotes that begin further to the left than YAML 1.2 wants.
//!
//! go-yaml follows libyaml, which looks at the indentation of such a line no more than JSON does: in
//!
//! ```yaml
//! command: [
//!   "sleep", "5"
//! ]
//! ```
//!
//! the closing bracket may stand below the key. `saphyr-parser` refuses it. Blanks at the beginning of such a line mean
//! nothing, so the line gets some more, and positions in it are counted without them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use saphyr_parser::ScanError;

/// How many bytes may be parsed again at most for lines that were moved to the right.
const AGAIN: usize = 20_000_000;

/// A text with lines that were moved to the right.
pub(super) struct Indented<'a> {
    text: Cow<'a, str>,
    /// The lines that were moved, counted from 1, and by how many blanks.
    moved: BTreeMap<usize, usize>,
}

impl<'a> Indented<'a> {
    /// A text as it is.
    pub(super) fn new(text: &'a str) -> Indented<'a> {
        Indented { text: text.into(), moved: BTreeMap::new() }
    }

    /// The text that the parser shall read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The column, counted from 1, that the parser's column, counted from 0, has in the original text.
    pub(super) fn column(&self, line: usize, column: usize) -> usize {
        column.saturating_sub(self.moved.get(&line).copied().unwrap_or(0)) + 1
    }

    /// Moves the line to the right that the parser complains of; `false` if its complaint is about something else, or
    /// moving the line did not help.
    pub(super) fn move_line(&mut self, error: &ScanError) -> bool {
        let at = error.marker().line();
        let line = match error.info() {
            "invalid indentation" | "invalid indentation in flow construct" => at,
            // The position is where the scalar begins: its lines are moved one after the other.
            "invalid indentation in quoted scalar" => {
                (at + 1..).find(|line| !self.moved.contains_key(line)).unwrap_or(at)
            }
            _ => return false,
        };
        let lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        let known = self.moved.contains_key(&line) || line == 0 || line > lines.len();
        if known || self.moved.len().saturating_mul(self.text.len()) > AGAIN {
            return false;
        }
        let indentation = |line: &&str| line.len() - line.trim_start_matches(' ').len();
        let blanks = lines.iter().map(indentation).max().unwrap_or(0) + 1;
        let mut text = String::with_capacity(self.text.len() + blanks);
        for (i, content) in lines.iter().enumerate() {
            if i + 1 == line {
                text.extend(std::iter::repeat_n(' ', blanks));
            }
            text.push_str(content);
        }
        self.text = text.into();
        self.moved.insert(line, blanks);
        true
    }
}
