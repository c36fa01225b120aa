//! Versions: `k8s.io/apiserver/pkg/cel/semver.go` with `github.com/blang/semver/v4`.

use std::cmp::Ordering;

use crate::api::quote::go_quote;

/// A version of <https://semver.org>. Build metadata does not count in comparisons.
#[derive(Clone, Debug)]
pub struct Semver {
    /// Major, minor and patch.
    pub(crate) numbers: [u64; 3],
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
    /// Reads a version as the page above has it.
    pub(crate) fn parse(text: &str) -> Result<Semver, String> {
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

    /// Reads a version after making it one: without a leading `v`, with the numbers that it lacks, without leading zeros.
    pub(crate) fn parse_tolerant(text: &str) -> Result<Semver, String> {
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

    /// Which of two versions is the later one.
    pub(crate) fn order(&self, other: &Semver) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            // A version comes after its own prereleases.
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.pre.cmp(&other.pre),
        })
    }
}
