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
    /// In which order.
    pub order: WriteOrder,
    /// The instance of the container.
    pub instance: String,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether it has taken what was written to it.
    pub took: bool,
}

/// In which order somebody has written to standard output and standard error: one write after the other, each with whether it was to
/// standard error, and with the number of bytes that its stream had then.
pub type WriteOrder = Vec<(bool, usize)>;

/// The pieces of two streams in the order in which they were written, each with whether it is of standard error, without the first
/// bytes of each stream. What the order says nothing of comes last.
pub fn in_order<'t>(texts: [&'t str; 2], order: &[(bool, usize)], from: [usize; 2]) -> Vec<(bool, &'t str)> {
    let ([stdout, stderr], [mut out, mut err]) = (texts, from);
    let last = [(false, stdout.len()), (true, stderr.len())];
    let mut pieces = Vec::new();
    for (is_stderr, end) in order.iter().copied().chain(last) {
        let (text, at) = if is_stderr { (stderr, &mut err) } else { (stdout, &mut out) };
        if let Some(piece) = text.get(*at..end).filter(|piece| !piece.is_empty()) {
            pieces.push((is_stderr, piece));
            *at = end;
        }
    }
    pieces
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
    /// In which order both were written: a server sends what it reads of them message by message.
    pub order: WriteOrder,
    /// Channel 3: how the command ended, as a `Status`; `None` if it does not end.
    pub status: Option<String>,
    /// The instance of the container that a client is attached to; empty for a command. With it the client reads on:
    /// [`HttpRequest::attached`](super::HttpRequest::attached).
    pub instance: String,
}

impl Channels {
    /// What was printed beyond the first bytes of standard output and standard error, in its order, each piece with whether it is of
    /// standard error.
    pub fn pieces(&self, from: [usize; 2]) -> Vec<(bool, &str)> {
        in_order([&self.stdout, &self.stderr], &self.order, from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_read_in_the_order_in_which_they_were_written() {
        let channels = Channels {
            stdout: "one\nthree\n".into(),
            stderr: "two\nlast\n".into(),
            order: vec![(false, 4), (true, 4), (false, 10)],
            ..Channels::default()
        };
        let all = [(false, "one\n"), (true, "two\n"), (false, "three\n"), (true, "last\n")];
        assert_eq!(channels.pieces([0, 0]), all);
        assert_eq!(channels.pieces([2, 4]), [(false, "e\n"), (false, "three\n"), (true, "last\n")]);
        assert_eq!(channels.pieces([10, 99]), []);
    }
}
