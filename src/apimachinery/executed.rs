//! What a kubelet answers about a command that was executed in a container.

use super::exec::{ExecEnd, WriteOrder};
use super::http::{HttpRequest, HttpResponse};
use super::request::{Request, Response};

/// What has become of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// What it printed on standard output.
    pub stdout: String,
    /// What it printed on standard error.
    pub stderr: String,
    /// In which order.
    pub order: WriteOrder,
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
