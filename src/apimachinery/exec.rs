//! A command that is executed in a container: what is asked of a kubelet ([`ExecOptions`]), what it answers
//! ([`Executed`]), and the streams that a client reads ([`Channels`]).

use super::http::{HttpRequest, HttpResponse};
use super::request::{Request, Response};

/// What is executed (`v1.PodExecOptions`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecOptions {
    /// The container's name.
    pub container: String,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// What the command reads from its standard input.
    pub stdin: String,
    /// Whether more may follow, so that a command that reads waits at the end of `stdin`.
    pub stdin_open: bool,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecEnd {
    /// With an exit code.
    Exited(i32),
    /// It was not started, for the reason that the container runtime gives.
    NotStarted(String),
    /// It does not end.
    Runs,
}

/// What has become of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// What it printed on standard output.
    pub stdout: String,
    /// What it printed on standard error.
    pub stderr: String,
    /// How it ended.
    pub end: ExecEnd,
    /// Whether it has written to files, or sent a signal to the first process of its container.
    pub writes: bool,
    /// Its requests to kube-apiserver that have written, in their order.
    pub exchanges: Vec<Exchanged>,
}

/// A request of a command that has written objects, and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchanged {
    /// The request with types, without its body.
    pub asked: Request,
    /// The answer to it.
    pub response: Response,
    /// Both as they travelled.
    pub http: (HttpRequest, HttpResponse),
}

/// The streams of `v5.channel.k8s.io`, whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// Channel 1: standard output.
    pub stdout: String,
    /// Channel 2: standard error.
    pub stderr: String,
    /// Channel 3: how the command ended, as a `Status`; `None` if it does not end.
    pub status: Option<String>,
}
