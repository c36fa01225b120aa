//! Which levels the labels of a namespace choose (`k8s.io/pod-security-admission/api`).

use std::collections::BTreeMap;
use std::fmt;

use crate::api::quote::go_quote;
use crate::apiserver::validation::{FieldError, Path};

/// A level of the Pod Security Standards, from what allows everything to what allows least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Privileged,
    Baseline,
    Restricted,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        }
    }
}

/// The minor version of Kubernetes whose checks count. A version of the future, and the latest one, has the checks of the
/// newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    Minor(i64),
    Latest,
}

/// A level, and the version of its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelVersion {
    pub(super) level: Level,
    pub(super) version: Version,
}

impl LevelVersion {
    const DEFAULT: LevelVersion = LevelVersion { level: Level::Privileged, version: Version::Latest };

    /// `"restricted:latest"`, in quotation marks.
    pub(super) fn quoted(self) -> String {
        go_quote(self.to_string())
    }
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Version::Latest => write!(f, "{}:latest", self.level.as_str()),
            Version::Minor(minor) => write!(f, "{}:v1.{minor}", self.level.as_str()),
        }
    }
}

/// What a namespace asks of its pods. The labels for the audit log are checked and have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Policy {
    /// What pods are refused for.
    pub(super) enforce: LevelVersion,
    /// What pods and workloads are warned of.
    pub(super) warn: LevelVersion,
}

impl Policy {
    /// The policy that labels choose, and what is wrong with them (`PolicyToEvaluate`).
    pub(super) fn of_labels(labels: &BTreeMap<String, String>) -> (Policy, Vec<FieldError>) {
        let mut errors = Vec::new();
        let enforce = read(labels, "enforce", &mut errors);
        let _audited = read(labels, "audit", &mut errors);
        let warn = read(labels, "warn", &mut errors);
        // What is refused is refused; what is only warned of or audited passes if the label cannot be read.
        let (enforced, warned) = (enforce.level_or(Level::Restricted), warn.level_or(Level::Privileged));
        let mut policy = Policy {
            enforce: LevelVersion { level: enforced, version: enforce.version_or_latest() },
            warn: LevelVersion { level: warned, version: warn.version_or_latest() },
        };
        // Who enforces a level without a word about warnings is warned of it.
        if let (Label::Known(level), Label::Absent) = (enforce.level, warn.level) {
            policy.warn.level = level;
            if matches!(warn.version, Label::Absent) && level > LevelVersion::DEFAULT.level {
                policy.warn.version = policy.enforce.version;
            }
        }
        (policy, errors)
    }
}

/// What a label says.
#[derive(Clone, Copy, Debug)]
enum Label<T> {
    Absent,
    Unknown,
    Known(T),
}

/// The two labels of a mode.
struct Mode {
    level: Label<Level>,
    version: Label<Version>,
}

impl Mode {
    /// The level, or `unknown` if the label cannot be read.
    fn level_or(&self, unknown: Level) -> Level {
        match self.level {
            Label::Absent => LevelVersion::DEFAULT.level,
            Label::Unknown => unknown,
            Label::Known(level) => level,
        }
    }

    fn version_or_latest(&self) -> Version {
        match self.version {
            Label::Known(version) => version,
            Label::Absent | Label::Unknown => Version::Latest,
        }
    }
}

/// Reads the two labels of a mode.
fn read(labels: &BTreeMap<String, String>, mode: &str, errors: &mut Vec<FieldError>) -> Mode {
    let mut wrong = |label: &str, value: &str, why: &str| {
        let at = Path::new("metadata").child("labels").key(label);
        errors.push(FieldError::invalid(&at, value, why));
    };
    let label = format!("pod-security.kubernetes.io/{mode}");
    let level = match labels.get(&label) {
        None => Label::Absent,
        Some(text) => match parse_level(text) {
            Some(level) => Label::Known(level),
            None => {
                wrong(&label, text, "must be one of privileged, baseline, restricted");
                Label::Unknown
            }
        },
    };
    let label = format!("{label}-version");
    let version = match labels.get(&label) {
        None => Label::Absent,
        Some(text) => match parse_version(text) {
            Some(version) => Label::Known(version),
            None => {
                wrong(&label, text, r#"must be "latest" or "v1.x""#);
                Label::Unknown
            }
        },
    };
    Mode { level, version }
}

fn parse_level(text: &str) -> Option<Level> {
    [Level::Privileged, Level::Baseline, Level::Restricted].into_iter().find(|level| level.as_str() == text)
}

/// `latest`, or `v1.` and a number without leading zeros.
fn parse_version(text: &str) -> Option<Version> {
    if text == "latest" {
        return Some(Version::Latest);
    }
    let digits = text.strip_prefix("v1.")?;
    let is_number =
        digits.bytes().all(|b| b.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    if !is_number {
        return None;
    }
    digits.parse().ok().map(Version::Minor)
}
