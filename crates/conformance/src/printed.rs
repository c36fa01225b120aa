//! Comparing the exit code, stdout and stderr of a kubectl command.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fancy_regex::Regex;
use serde_json::Value;

use crate::facts::fuzz_text;
use crate::matching::differ;
use crate::normalise::{compile, replace};
use crate::report::Fact;
use crate::system::KubectlOutput;

static BLANKS: LazyLock<Regex> = LazyLock::new(|| compile("[ \t]+"));
static TRAILING: LazyLock<Regex> = LazyLock::new(|| compile("(?m) +$"));
static DIFF_FILE: LazyLock<Regex> = LazyLock::new(|| compile(r"\S+/(LIVE|MERGED)-\d+"));
static DIFF_HEAD: LazyLock<Regex> = LazyLock::new(|| compile(r"(?m)^\+\+\+ <tmp>/MERGED-<n>/\S+\n"));
static DEBUGGER: LazyLock<Regex> = LazyLock::new(|| compile(r"\bdebugger-[a-z0-9]{5}\b"));
static SERVER: LazyLock<Regex> = LazyLock::new(|| compile(r"https://[\w.:-]+"));
static GO: LazyLock<Regex> = LazyLock::new(|| compile(r#""goVersion": "go[^"]*""#));
static LEASE_TIME: LazyLock<Regex> = LazyLock::new(|| compile(r"(?m)(AcquireTime|RenewTime):.*$"));
static LOG_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?m)^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ "));
static MISSING_DIR: LazyLock<Regex> = LazyLock::new(|| compile(r"lstat (?:\S*/)?([^/\s:]+):"));
static EVENT_N: LazyLock<Regex> = LazyLock::new(|| compile(r"<e\d*>"));

/// What a command printed in the recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The command line.
    pub command: String,
    /// Exit code, stdout and stderr, normalised.
    pub output: KubectlOutput,
    /// How far the recordings agree: `exact`, `lines` or `no`.
    pub stable: String,
}

impl Printed {
    /// Reads a line of a `kubectl.jsonl`.
    pub fn from_value(row: &Value) -> Printed {
        let text = |k: &str| row.get(k).and_then(Value::as_str).unwrap_or("").to_owned();
        let exit = row.get("exit").and_then(Value::as_i64).and_then(|e| e.try_into().ok()).unwrap_or(0);
        Printed {
            command: text("command"),
            output: KubectlOutput { exit, stdout: text("stdout"), stderr: text("stderr") },
            stable: text("stable"),
        }
    }

    /// The command line without `kubectl`.
    pub fn arguments(&self) -> &str {
        self.command.strip_prefix("kubectl ").unwrap_or(&self.command)
    }

    /// Three facts: exit code, stdout and stderr; only the first if the recordings disagree. `have` is
    /// normalised already.
    pub fn compare(&self, name: &str, have: &KubectlOutput, scheduling: bool) -> Vec<Fact> {
        let exit = (self.output.exit != have.exit)
            .then(|| format!("want {}, have {} ({})", self.output.exit, have.exit, have.stderr.trim_end()));
        let mut out = vec![Fact::new("exit", name, exit)];
        if self.stable != "no" {
            let lines = self.stable == "lines";
            let part = |want: &str, have: &str| {
                let have = canonical(&with_placeholders(want, have), scheduling, lines);
                let want = canonical(want, scheduling, lines);
                (want != have).then(|| differ(&want, &have))
            };
            out.push(Fact::new("stdout", name, part(&self.output.stdout, &have.stdout)));
            out.push(Fact::new("stderr", name, part(&self.output.stderr, &have.stderr)));
        }
        out
    }
}

/// Inserts the placeholders that only the recordings of kubectl have: temporary files, the server's address,
/// the compiler's version, the head of a log line, the directory. They are inserted where the recording has
/// one.
fn with_placeholders(want: &str, have: &str) -> String {
    let mut s = have.to_owned();
    if want.contains("<tmp>") {
        s = replace(&DIFF_FILE, &s, |c| format!("<tmp>/{}-<n>", c.get(1).map_or("", |m| m.as_str())));
        // Some recordings leave the second head of a comparison out.
        if !want.contains("\n+++ ") {
            s = replace(&DIFF_HEAD, &s, |_| String::new());
        }
    }
    if want.contains("debugger-<r>") {
        s = replace(&DEBUGGER, &s, |_| "debugger-<r>".into());
    }
    if want.contains("<server>") {
        s = replace(&SERVER, &s, |_| "https://<server>".into());
    }
    if want.contains("<go>") {
        s = replace(&GO, &s, |_| "\"goVersion\": \"<go>\"".into());
    }
    if want.contains("W<time> ") {
        s = replace(&LOG_LINE, &s, |c| format!("{}<time> ", c.get(1).map_or("", |m| m.as_str())));
    }
    if want.contains("lstat <dir>/") {
        s = replace(&MISSING_DIR, &s, |c| format!("lstat <dir>/{}:", c.get(1).map_or("", |m| m.as_str())));
    }
    s
}

/// A text without what differs between recordings that count as equal: generated names, addresses, the width
/// of columns, and the names of nodes unless the case is about scheduling.
fn canonical(text: &str, scheduling: bool, lines: bool) -> String {
    let text = fuzz_text(text, &BTreeMap::new(), scheduling);
    let text = replace(&EVENT_N, &text, |_| "<e>".into());
    let text = replace(&LEASE_TIME, &text, |c| format!("{}: <t>", c.get(1).map_or("", |m| m.as_str())));
    let text = replace(&BLANKS, &text, |_| " ".into());
    let text = replace(&TRAILING, &text, |_| String::new());
    if !lines {
        return text;
    }
    let mut rows: Vec<&str> = text.split('\n').collect();
    rows.sort_unstable();
    rows.join("\n")
}
