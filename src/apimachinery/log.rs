//! The log of a container: what is asked of it ([`LogOptions`]), and what a kubelet answers ([`ContainerLog`]).

use crate::api::Timestamp;

/// Which part of a container's log is wanted, and in which form (`v1.PodLogOptions`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// The container's name.
    pub container: String,
    /// Whether the log is sent on as the container prints it, until the container ends.
    pub follow: bool,
    /// Whether the log of the instance before the current one is meant.
    pub previous: bool,
    /// Only lines from this moment on (`sinceTime`, or `sinceSeconds` before now).
    pub since: Option<Timestamp>,
    /// Whether each line begins with the moment when it was printed.
    pub timestamps: bool,
    /// Only this many lines at the end. Lines before [`LogOptions::since`] count, too.
    pub tail_lines: Option<usize>,
    /// Only this many bytes at the beginning.
    pub limit_bytes: Option<usize>,
    /// Whether lines of standard error are wanted (`true`), of standard output (`false`), or all (`None`).
    pub stderr: Option<bool>,
}

/// A place in the log of an instance of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPlace {
    /// The instance: the container's id.
    pub instance: String,
    /// When the last line before the place was printed, and how many lines of that moment are before it; `None` if no line is.
    pub last: Option<(Timestamp, usize)>,
}

/// A part of the log of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerLog {
    /// The lines in the form that was asked for.
    pub text: String,
    /// Where the next part begins.
    pub next: LogPlace,
    /// Whether the instance has ended, so that nothing follows.
    pub ended: bool,
}

/// Why a kubelet did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KubeletError {
    /// The node is down, or cut off.
    Unreachable,
    /// The kubelet does not know the pod (404).
    NotFound,
    /// The kubelet answers with 400 and this message.
    Refused(String),
    /// The kubelet answers with 500 and this message.
    Failed(String),
}
