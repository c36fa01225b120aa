//! What is known of a process that answers HTTP requests: who it is, and how many requests it can answer at once.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::{Key, Timestamp};

/// The period over which the kernel limits the CPU of a container: the quota is for so much time (`cpu.cfs_period_us`, and `QuotaPeriod` in
/// `k8s.io/kubernetes/pkg/kubelet/cm/helpers_linux.go`).
pub const QUOTA_PERIOD: SignedDuration = SignedDuration::from_millis(100);

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
