//! Versions: `k8s.io/apiserver/pkg/cel/library/semverlib.go` with `github.com/blang/semver/v4`.

use std::cmp::Ordering;

use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult};
use crate::api::quote::go_quote;

/// A version of <https://semver.org>. Build metadata does not count in comparisons.
#[derive(Clone, Debug)]
pub struct Semver {
    numbers: [u64; 3],
    pre: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(String),
}

impl PartialEq for Semver {
    fn eq(&self, other: &Semver) -> bool {
        self.order(other) == Ordering::Equal
    }
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!(
            "Invalid character(s) found in {} number {}",
            name.to_lowercase(),
            go_quote(text)
        ));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{name} number must not contain leading zeroes {}", go_quote(text)));
    }
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {}: value out of range", go_quote(text)))
}

impl Semver {
    fn parse(text: &str) -> Result<Semver, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (rest, build) = rest.split_once('+').map_or((rest, None), |(r, b)| (r, Some(b)));
        let (patch, pre) = rest.split_once('-').map_or((rest, None), |(r, p)| (r, Some(p)));
        let numbers = [number(major, "Major")?, number(minor, "Minor")?, number(patch, "Patch")?];
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let mut parts = Vec::new();
        for part in pre.into_iter().flat_map(|pre| pre.split('.')) {
            if part.is_empty() {
                return Err("Prerelease is empty".to_owned());
            }
            if !plain(part) {
                return Err(format!("Invalid character(s) found in prerelease {}", go_quote(part)));
            }
            let digits = part.bytes().all(|b| b.is_ascii_digit());
            if digits && part.len() > 1 && part.starts_with('0') {
                return Err(format!(
                    "Numeric PreRelease version must not contain leading zeroes {}",
                    go_quote(part)
                ));
            }
            parts.push(match part.parse() {
                Ok(number) if digits => Part::Number(number),
                _ => Part::Text(part.to_owned()),
            });
        }
        for part in build.into_iter().flat_map(|build| build.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".to_owned());
            }
            if !plain(part) {
                return Err(format!("Invalid character(s) found in build meta data {}", go_quote(part)));
            }
        }
        Ok(Semver { numbers, pre: parts })
    }

    /// Without a leading `v`, with numbers that are missing, without leading zeros.
    fn parse_tolerant(text: &str) -> Result<Semver, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
        for part in &mut parts {
            if part.len() > 1 {
                let short = part.trim_start_matches('0');
                let digit = short.starts_with(|c: char| c.is_ascii_digit());
                *part = if digit { short.to_owned() } else { format!("0{short}") };
            }
        }
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err("Short version cannot contain PreRelease/Build meta data".to_owned());
            }
            parts.resize(3, "0".to_owned());
        }
        Semver::parse(&parts.join("."))
    }

    fn order(&self, other: &Semver) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            // A version comes after its own prereleases.
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.pre.cmp(&other.pre),
        })
    }
}

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let (Value::String(text), tolerant) = (match args {
        [text] => (text, false),
        [text, Value::Bool(tolerant)] => (text, *tolerant),
        _ => return None,
    }) else {
        return None;
    };
    let read = || if tolerant { Semver::parse_tolerant(text) } else { Semver::parse(text) };
    match function {
        "semver" => {
            Some(read().map(|version| Value::library(Library::Semver(version))).map_err(EvalError::new))
        }
        "isSemver" => Some(Ok(Value::Bool(read().is_ok()))),
        _ => None,
    }
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let version = |value: &Value| match value {
        Value::Library(library) => match &**library {
            Library::Semver(version) => Some(version.clone()),
            _ => None,
        },
        _ => None,
    };
    let (of, rest) = args.split_first()?;
    let of = version(of)?;
    let [major, minor, patch] = of.numbers;
    let int = |n: u64| Some(Ok(Value::Int(i64::try_from(n).unwrap_or(i64::MAX))));
    let order = || rest.first().and_then(version).map(|other| of.order(&other));
    match function {
        "major" => int(major),
        "minor" => int(minor),
        "patch" => int(patch),
        "isGreaterThan" => Some(Ok(Value::Bool(order()?.is_gt()))),
        "isLessThan" => Some(Ok(Value::Bool(order()?.is_lt()))),
        "compareTo" => Some(Ok(Value::Int(order()? as i64))),
        _ => None,
    }
}
