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
}
