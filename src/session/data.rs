//! Reading the project's own data: YAML files that become types. Manifests of users are not among them;
//! [`crate::api::yaml`] reads those, as kubectl does.

use std::fmt;

use serde::de::DeserializeOwned;

/// The most bytes of a file.
pub const BYTES_LIMIT: usize = 64 * 1024;
/// The most brackets that may be open at the same place, brackets inside texts included. The parser behind
/// `serde_yaml` takes time that grows with the square of this number: two seconds for 16,000.
pub const BRACKETS_LIMIT: usize = 32;

/// The error about a file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// The file's name, as the caller gave it.
    pub file: String,
    /// The line, counted from 1; `None` if the whole file is over a limit.
    pub line: Option<usize>,
    /// The column, counted from 1; `None` if the line is.
    pub column: Option<usize>,
    /// The field and what is wrong with it, for example `setup[1].fault: unknown variant …`.
    pub message: String,
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for DataError {}

/// Reads a file into a type. `file` is its name in errors.
///
/// # Errors
///
/// If the text is not YAML, does not fit the type, or is over [`BYTES_LIMIT`] or [`BRACKETS_LIMIT`].
pub fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, DataError> {
    let error = |line, column, message| DataError { file: file.to_owned(), line, column, message };
    if text.len() > BYTES_LIMIT {
        return Err(error(None, None, format!("{} bytes are more than {BYTES_LIMIT}", text.len())));
    }
    if let Some(line) = too_deep(text) {
        return Err(error(Some(line), None, format!("more than {BRACKETS_LIMIT} brackets are open")));
    }
    serde_yaml::from_str(text).map_err(|e| {
        let (line, column) = e.location().map(|at| (at.line(), at.column())).unzip();
        let message = e.to_string();
        // [`DataError`] has the place in fields of its own, so it is cut from the message.
        let place = e.location().map(|at| format!(" at line {} column {}", at.line(), at.column()));
        error(line, column, place.map_or(message.clone(), |place| message.replacen(&place, "", 1)))
    })
}

/// The line at which more brackets are open than [`BRACKETS_LIMIT`]; `None` if there is none.
fn too_deep(text: &str) -> Option<usize> {
    let (mut open, mut line) = (0_usize, 1);
    for byte in text.bytes() {
        match byte {
            b'\n' => line += 1,
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > BRACKETS_LIMIT {
            return Some(line);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::Value;

    use super::*;
    use crate::session::scenario;

    const GOOD: &str = "\
title: {en: a, zh: b}
text: {en: a, zh: b}
nodes: 3
manifest: ''
setup:
  - kubectl: get pods
  - fault: {CutWatches: {process: kube-scheduler}}
try:
  - label: {en: a, zh: b}
    do: {fault: Compact}
";

    fn why(old: &str, new: &str) -> String {
        assert!(GOOD.contains(old), "{old}");
        scenario::read("s.yaml", &GOOD.replace(old, new)).unwrap_err().to_string()
    }

    #[test]
    fn an_error_names_file_line_and_field() {
        assert_eq!(scenario::read("x/s.yaml", GOOD).unwrap().id, "s");
        let errors = [
            why("nodes: 3", "nodes: three"),
            why("nodes: 3\n", ""),
            why("nodes: 3", "nodes: 3\nnode: 3"),
            why("zh: b}\ntext", "zh: 1, de: c}\ntext"),
            why("kubectl: get", "kubctl: get"),
            why("kubectl: get pods", "step: {by: kube-scheduler, time: 2}"),
            why("kubectl: get pods", "steady: perhaps"),
            why("kubectl: get pods", "kubectl: get pods\n    steady: true"),
            why("process: kube-scheduler", "proces: kube-scheduler"),
            why("CutWatches", "CutWatch"),
            why("kube-scheduler}", "kube-scheduler, nod: node-1}"),
            why("do: {fault: Compact}", "do: {fault: Compact, steady: true}"),
            why("do: {fault: Compact}", "done: {fault: Compact}"),
            why("setup:", "setup: ["),
        ];
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn a_file_is_bounded() {
        let why = |text: String| read::<Value>("f", &text).unwrap_err().to_string();
        assert_eq!(why("a".repeat(BYTES_LIMIT + 1)), "f: 65537 bytes are more than 65536");
        assert_eq!(why(format!("\n{}", "{a: ".repeat(10_000))), "f:2: more than 32 brackets are open");
        assert_eq!(why("- ".repeat(1_000)), "f:1:257: recursion limit exceeded");
        assert!(read::<Value>("f", &format!("{}{}", "[".repeat(32), "]".repeat(32))).is_ok());
    }
}
