//! What is known of a process that answers HTTP requests: who it is, and how many requests it can answer at once.

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::{Key, Timestamp};

/// The period over which the kernel limits the CPU of a container: the quota is for so much time (`cpu.cfs_period_us`, and `QuotaPeriod` in
/// `k8s.io/kubernetes/pkg/kubelet/cm/helpers_linux.go`).
pub const QUOTA_PERIOD: SignedDuration = SignedDuration::from_millis(100);

/// 2^64: all requests, where a number of 64 bits says which of them one is.
pub(super) const WHOLE: u128 = 1 << 64;

/// A process of a container, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// The pod.
    pub pod: Key,
    /// The container's name.
    pub container: Rc<str>,
    /// Since when it runs.
    pub since: Timestamp,
}

/// How many requests a server answers with an error, and with which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorRate {
    /// The part of the requests, in thousandths of all: from 1 to 1000.
    pub thousandths: u16,
    /// The status of the answers to them.
    pub status: u16,
}

/// Why an [`ErrorRate`] cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnErrorRate(String);

impl fmt::Display for NotAnErrorRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAnErrorRate {}

impl ErrorRate {
    /// Reads `5%` or `0.5% 503`: a part of the requests, with one digit behind the point at most, and the status, which is 500 if it is
    /// left out.
    ///
    /// # Errors
    /// What cannot be read, and what was expected.
    pub fn parse(text: &str) -> Result<ErrorRate, NotAnErrorRate> {
        let mut words = text.split_whitespace();
        let part = words.next().unwrap_or_default();
        let thousandths = thousandths(part).filter(|n| (1..=1000).contains(n)).ok_or_else(|| {
            NotAnErrorRate(format!("{part:?} is no part of requests between 0.1% and 100%, as 5% or 0.5%"))
        })?;
        let status = match words.next() {
            None => 500,
            Some(word) => word.parse().ok().filter(|n| (400..=599).contains(n)).ok_or_else(|| {
                NotAnErrorRate(format!("{word:?} is no status of an error between 400 and 599"))
            })?,
        };
        match words.next() {
            None => Ok(ErrorRate { thousandths, status }),
            Some(word) => {
                Err(NotAnErrorRate(format!("{word:?} stands behind the status, where nothing is expected")))
            }
        }
    }
}

/// A percentage with one digit behind the point at most, in thousandths.
fn thousandths(text: &str) -> Option<u16> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (whole, tenth) = match text.strip_suffix('%')?.split_once('.') {
        Some((whole, tenth)) => (whole, Some(tenth).filter(|t| digits(t) && t.len() == 1)?),
        None => (text.strip_suffix('%')?, "0"),
    };
    let whole = Some(whole).filter(|w| digits(w))?.parse::<u16>().ok()?;
    whole.checked_mul(10)?.checked_add(tenth.parse().ok()?)
}

/// The errors with which a process answers a part of the requests, though nothing is wrong with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// How many, and with which status.
    pub rate: ErrorRate,
    /// The status of the other answers.
    pub otherwise: u16,
}

impl Errors {
    /// The status for the request that a number from 0 to 2^64 stands for.
    pub fn status(&self, number: u64) -> u16 {
        let bound = WHOLE * u128::from(self.rate.thousandths) / 1000;
        if u128::from(number) < bound { self.rate.status } else { self.otherwise }
    }
}

/// A process that answers requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    /// Which one it is.
    pub process: Process,
    /// The name of its node.
    pub node: Rc<str>,
    /// How long an answer needs one CPU, in billionths of a second; 0 if nobody has said that.
    pub cpu: i64,
    /// For how long the container may use CPUs in each [`QUOTA_PERIOD`], in billionths of a second of one CPU; `None` if it has no
    /// limit.
    pub quota: Option<i64>,
    /// How many requests it answers at once; `None` if any number.
    pub at_once: Option<u32>,
    /// How many requests may wait while it answers others. A request that comes when so many wait is answered with 503.
    pub queue: u32,
    /// How long it leaves a connection open on which nothing is asked; `None` if for ever.
    pub idle: Option<SignedDuration>,
    /// How many requests it answers over one connection; `None` if any number.
    pub requests: Option<u32>,
    /// Whether it closes connections after SIGTERM as soon as nothing is being answered over them. Otherwise it answers over open
    /// connections until it ends.
    pub drains: bool,
    /// The errors with which it answers a part of the requests; `None` if it answers all alike.
    pub errors: Option<Errors>,
}

impl Serving {
    /// Whether an answer can take longer because of other requests.
    pub fn is_limited(&self) -> bool {
        self.at_once.is_some() || (self.quota.is_some() && self.cpu > 0)
    }
}

/// What a request meets at a busy process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// It is answered before its sender gives it up.
    InTime,
    /// It is not.
    Late,
    /// It is answered with 503 at once, because so many wait already.
    Full,
}

/// What a process does with the requests that it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It answers.
    Serves,
    /// It has got SIGTERM, and answers what comes over open connections.
    Stops,
    /// It has got SIGTERM, answers what it has begun, and closes each connection after that.
    Drains,
    /// Its node is cut off: nothing new reaches it, and nothing comes back over connections that are kept. What it had begun before is
    /// answered (`docs/fidelity.md`).
    CutOff,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// `docs/behaviour.md`, the annotation `sim.steady/answer-errors`.
    #[test]
    fn a_rate_of_errors_is_read_or_refused() {
        let read = |text: &str| ErrorRate::parse(text).map(|e| (e.thousandths, e.status));
        assert_eq!(read("5%"), Ok((50, 500)));
        assert_eq!(read("0.5%  503"), Ok((5, 503)));
        assert_eq!(read("100% 429"), Ok((1000, 429)));
        for (text, word) in [
            ("", "\"\""),
            ("5", "\"5\""),
            ("0%", "\"0%\""),
            ("101%", "\"101%\""),
            ("-1%", "\"-1%\""),
            ("0.05%", "\"0.05%\""),
            ("99999999%", "\"99999999%\""),
            ("5% 200", "\"200\""),
            ("5% error", "\"error\""),
            ("5% 503 504", "\"504\""),
        ] {
            let why = ErrorRate::parse(text).unwrap_err().to_string();
            assert!(why.starts_with(word), "{text}: {why}");
        }
    }
}
