//! What a plugin says about a pod, or about a pod on a node (`framework.Status`).

use std::borrow::Cow;
use std::fmt;

/// The kind of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The pod may go there.
    #[default]
    Success,
    /// Not now; removing other pods may help.
    Unschedulable,
    /// Not now, and no preemption would help.
    UnschedulableAndUnresolvable,
    /// The plugin waits for something to happen outside the scheduler.
    Pending,
    /// The plugin could not decide.
    Error,
}

impl Code {
    /// Kubernetes' name of it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::Success => "Success",
            Code::Unschedulable => "Unschedulable",
            Code::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
            Code::Pending => "Pending",
            Code::Error => "Error",
        }
    }
}

/// One sentence of an answer; nearly always a constant.
pub type Reason = Cow<'static, str>;

/// An answer and its reasons. Success has none and costs no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The kind of answer.
    pub code: Code,
    /// Why, as they appear in messages.
    pub reasons: Vec<Reason>,
}

impl Status {
    /// The answer yes.
    pub const SUCCESS: Status = Status { code: Code::Success, reasons: Vec::new() };

    /// An answer with one reason.
    pub fn new(code: Code, reason: impl Into<Reason>) -> Status {
        Status { code, reasons: vec![reason.into()] }
    }

    /// `Unschedulable` with a constant reason.
    pub fn unschedulable(reason: &'static str) -> Status {
        Status::new(Code::Unschedulable, reason)
    }

    /// `UnschedulableAndUnresolvable` with a reason.
    pub fn unresolvable(reason: impl Into<Reason>) -> Status {
        Status::new(Code::UnschedulableAndUnresolvable, reason)
    }

    /// `Error` with its text.
    pub fn error(reason: impl Into<Reason>) -> Status {
        Status::new(Code::Error, reason)
    }

    /// Whether the answer is yes.
    pub fn is_success(&self) -> bool {
        self.code == Code::Success
    }

    /// Whether the answer is a considered no, not a failure to answer.
    pub fn is_rejected(&self) -> bool {
        matches!(self.code, Code::Unschedulable | Code::UnschedulableAndUnresolvable | Code::Pending)
    }

    /// The reasons in one line.
    pub fn message(&self) -> String {
        self.reasons.join(", ")
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())?;
        for (i, reason) in self.reasons.iter().enumerate() {
            f.write_str(if i == 0 { ": " } else { ", " })?;
            f.write_str(reason)?;
        }
        Ok(())
    }
}

/// What the filters say about one node: success, or the first plugin that refuses it and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerNodeVerdict {
    /// The plugin that refuses; empty if none does.
    pub plugin: &'static str,
    /// Its answer.
    pub status: Status,
}

impl PerNodeVerdict {
    /// Whether the pod fits.
    pub fn fits(&self) -> bool {
        self.status.is_success()
    }
}
