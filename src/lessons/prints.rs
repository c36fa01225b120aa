//! What kubectl prints at a moment of a lesson: command lines that a step names, for its expressions and for the page. Nothing that
//! such a line writes is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::cel::Value;
use crate::session::Session;
use crate::session::scenario::Scenario;

/// The most command lines of a step, and the most requests that it follows.
pub const ASKED_LIMIT: usize = 6;

/// The most characters of an output that are shown.
const SHOWN: usize = 4_000;

/// Command lines of kubectl's, without `kubectl`, by the names that expressions have for their outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prints(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Prints {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Prints, D::Error> {
        let lines = BTreeMap::<String, String>::deserialize(from)?;
        names(lines.keys()).map_err(serde::de::Error::custom)?;
        Ok(Prints(lines))
    }
}

/// Whether an expression can read these names as fields, and whether they are not too many.
pub(super) fn names<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> Result<(), String> {
    if names.len() > ASKED_LIMIT {
        return Err(format!("{} names are too many: there may be {ASKED_LIMIT}", names.len()));
    }
    let is_word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match { names }.find(|name| !is_word(name)) {
        Some(name) => Err(format!("{name:?} is no name that an expression can have for it")),
        None => Ok(()),
    }
}

/// A command line, and what it prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintView {
    /// The line with the names of pods put in, without `kubectl`.
    pub line: String,
    /// What it prints, on both streams; cut where it is very long.
    pub output: String,
}

impl Prints {
    /// The outputs at the moment that a session shows, as an expression reads them.
    pub(super) fn value(&self, scenario: &Scenario, session: &Session) -> Value {
        let output = |line: &String| Value::String(scenario.prints(session, line).1.into());
        Value::from_entries(self.0.iter().map(|(name, line)| (name.as_str(), output(line))))
    }

    /// The lines with their outputs at the moment that a session shows, in the order of their names.
    pub(super) fn view(&self, scenario: &Scenario, session: &Session) -> Vec<PrintView> {
        let of = |line: &String| {
            let (line, output) = scenario.prints(session, line);
            let cut = output.char_indices().nth(SHOWN).and_then(|(at, _)| output.get(..at));
            let output = cut.map_or_else(|| output.trim_end().to_owned(), |cut| format!("{cut}…"));
            PrintView { line, output }
        };
        self.0.values().map(of).collect()
    }
}
