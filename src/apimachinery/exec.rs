//! A command that is executed in a container: what is asked of a kubelet ([`ExecOptions`]), how it ended ([`ExecEnd`]), and the streams
//! that a client reads ([`Channels`]).

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
    /// Whether the client asks for none of the three streams, which the kubelet refuses.
    pub no_streams: bool,
}

/// What a client writes to the process of a container that it is attached to (`v1.PodAttachOptions`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachOptions {
    /// The container's name.
    pub container: String,
    /// What is written to the standard input of the process.
    pub stdin: String,
    /// Whether the client has come to the end of what it writes.
    pub closes: bool,
    /// The instance of the container that the client is attached to; empty if it attaches only now.
    pub instance: String,
    /// Whether the client asks for none of the three streams, which the kubelet refuses.
    pub no_streams: bool,
}

/// What the process of a container has printed to which a client is attached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// What it has printed on standard output since it was started.
    pub stdout: String,
    /// What it has printed on standard error.
    pub stderr: String,
    /// The instance of the container.
    pub instance: String,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether it has taken what was written to it.
    pub took: bool,
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

/// The streams of `v5.channel.k8s.io`, whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// Channel 1: standard output.
    pub stdout: String,
    /// Channel 2: standard error.
    pub stderr: String,
    /// Channel 3: how the command ended, as a `Status`; `None` if it does not end.
    pub status: Option<String>,
    /// The instance of the container that a client is attached to; empty for a command. With it the client reads on:
    /// [`HttpRequest::attached`](super::HttpRequest::attached).
    pub instance: String,
}
