//! A plugin's answer about a pod, or about a pod on a node (`framework.Status`).

use std::borrow::Cow;
use std::fmt;

/// The kind of a plugin's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The pod may run there.
    #[default]
    Success,
    /// The pod cannot run there now; removing other pods may help.
    Unschedulable,
    /// The pod cannot run there now, and preemption would not help.
    UnschedulableAndUnresolvable,
    /// The plugin waits for something outside the scheduler.
    Pending,
    /// The plugin could not decide.
    Error,
}

impl Code {
    /// The code's name in Kubernetes.
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

/// One reason of an answer; nearly always a constant text.
pub type Reason = Cow<'static, str>;

/// A plugin's answer with its reasons. A success has no reasons and needs no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The kind of answer.
    pub code: Code,
    /// The reasons, as they appear in messages.
    pub reasons: Vec<Reason>,
}

impl Status {
    /// The answer `Success`.
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

    /// `Error` with the text of the error.
    pub fn error(reason: impl Into<Reason>) -> Status {
        Status::new(Code::Error, reason)
    }

    /// Whether the code is `Success`.
    pub fn is_success(&self) -> bool {
        self.code == Code::Success
    }

    /// Whether the plugin refused, as opposed to failing with `Error`.
    pub fn is_rejected(&self) -> bool {
        matches!(self.code, Code::Unschedulable | Code::UnschedulableAndUnresolvable | Code::Pending)
    }

    /// The reasons in one line, separated by commas.
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

/// The outcome of all filters for one node: success, or the answer of the first plugin that refused it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerNodeVerdict {
    /// The name of the plugin that refused; empty if none did.
    pub plugin: &'static str,
    /// That plugin's answer.
    pub status: Status,
}

impl PerNodeVerdict {
    /// Whether the pod fits on the node.
    pub fn fits(&self) -> bool {
        self.status.is_success()
    }
}
