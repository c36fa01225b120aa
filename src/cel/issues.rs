//! What is wrong with an expression and where, in the words of cel-go (`common/error.go`, `common/errors.go`).

use std::fmt;

use crate::api::order;

/// The most issues that are reported one by one; of the others the text has only the number.
const REPORTED: usize = 100;
/// The line an issue is on is shown up to this length, in bytes.
const SNIPPET_LIMIT: usize = 16_384;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// Code points from the start of the source; `None` if it concerns the whole expression.
    pub at: Option<usize>,
    /// What is wrong, without the place.
    pub message: String,
}

/// Everything that is wrong with an expression. `Display` gives the text that kube-apiserver puts into messages:
/// `ERROR: <input>:1:6: undefined field 'foo'`, the line, and a caret below the place, for each issue.
#[derive(Clone, Debug, PartialEq)]
pub struct Issues {
    source: String,
    issues: Vec<Issue>,
}

impl Issues {
    pub(crate) fn new(source: &str, mut issues: Vec<Issue>) -> Issues {
        let lines = Lines::new(source);
        // Issues without a place come first, as line -1.
        order::sort_by_key(&mut issues, |i| i.at.map(|at| lines.position(at)));
        Issues { source: source.to_owned(), issues }
    }

    /// Each issue with its line and column, both counted from 1, in the order of their places. `None` stands for
    /// the whole expression.
    pub fn each(&self) -> impl Iterator<Item = (Option<(usize, usize)>, &str)> {
        let lines = Lines::new(&self.source);
        self.issues.iter().map(move |i| {
            let place = i.at.map(|at| lines.position(at)).map(|(line, column)| (line + 1, column + 1));
            (place, i.message.as_str())
        })
    }
}

/// Where the lines of a source begin, in code points.
struct Lines<'a> {
    starts: Vec<usize>,
    texts: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    fn new(source: &'a str) -> Lines<'a> {
        let (mut starts, mut texts, mut at) = (Vec::new(), Vec::new(), 0);
        for text in source.split('\n') {
            starts.push(at);
            texts.push(text);
            at += text.chars().count() + 1;
        }
        Lines { starts, texts }
    }

    /// Line and column, both counted from 0.
    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        (line, at - self.starts.get(line).copied().unwrap_or(0).min(at))
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = Lines::new(&self.source);
        for (n, issue) in self.issues.iter().take(REPORTED).enumerate() {
            let end = if n == 0 { "" } else { "\n" };
            let Some(at) = issue.at else {
                write!(f, "{end}ERROR: <input>:-1:0: {}", issue.message)?;
                continue;
            };
            let (line, column) = lines.position(at);
            write!(f, "{end}ERROR: <input>:{}:{}: {}", line + 1, column + 1, issue.message)?;
            let Some(text) = lines.texts.get(line).filter(|t| t.len() <= SNIPPET_LIMIT) else { continue };
            let text = text.replace('\t', " ");
            write!(f, "\n | {text}\n | ")?;
            let mut wide = text.chars().map(|c| c.len_utf8() > 1);
            for wide in wide.by_ref().take(column) {
                f.write_str(if wide { "．" } else { "." })?;
            }
            f.write_str(if wide.next().unwrap_or(false) { "＾" } else { "^" })?;
        }
        match self.issues.len().saturating_sub(REPORTED) {
            0 => Ok(()),
            more => write!(f, "\n{more} more errors were truncated"),
        }
    }
}

impl std::error::Error for Issues {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_shows_its_place() {
        let of = |source: &str, at: Option<usize>| {
            Issues::new(source, vec![Issue { at, message: "no".into() }]).to_string()
        };
        assert_eq!(of("a\nbc\td", Some(4)), "ERROR: <input>:2:3: no\n | bc d\n | ..^");
        assert_eq!(of("ó ¢", Some(2)), "ERROR: <input>:1:3: no\n | ó ¢\n | ．.＾");
        assert_eq!(of("a", Some(1)), "ERROR: <input>:1:2: no\n | a\n | .^");
        assert_eq!(of("a", None), "ERROR: <input>:-1:0: no");
    }
}
