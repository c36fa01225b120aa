//! What a status report of a pod is due to.

use std::rc::Rc;

use crate::api::Timestamp;

/// What a status report is due to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The container, if the cause is about one.
    pub container: Option<Rc<str>>,
    /// What happened.
    pub what: PodCause,
    /// When it happened, if a relist has noticed it later.
    pub happened: Option<Timestamp>,
}

/// Calls a macro for each cause: its documentation, variant and word.
macro_rules! causes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// What happened to a pod or to one of its containers, so that the kubelet reports another status.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum PodCause {
            $($(#[$doc])* $variant,)*
        }

        impl PodCause {
            /// All of them.
            pub const ALL: &'static [PodCause] = &[$(PodCause::$variant,)*];

            /// The word of the cause, see [`Fact::word`](crate::client::Fact::word).
            pub const fn word(self) -> &'static str {
                match self {
                    $(PodCause::$variant => $word,)*
                }
            }
        }
    };
}

causes! {
    /// The pod was bound to the node.
    #[default]
    Bound = "pod-bound",
    /// The kubelet does not admit the pod.
    Rejected = "pod-rejected",
    /// `spec.activeDeadlineSeconds` have passed.
    DeadlineExceeded = "pod-deadline-exceeded",
    /// Somebody deletes the pod.
    DeletionRequested = "pod-deletion-requested",
    /// The manifest of the static pod is gone, or is that of another pod now.
    Withdrawn = "pod-withdrawn",
    /// The kubelet ends the pod, because the node runs out of something or because the pod uses too much of it.
    Evicted = "pod-evicted",
    /// All containers have ended, and none of them is to be restarted.
    Over = "pod-over",
    /// The containers of a pod that ends have stopped.
    Stopped = "pod-stopped",
    /// All containers are restarted, because of the rules of one that has ended.
    AllRestarted = "pod-all-restarted",
    /// The container has started.
    Started = "container-started",
    /// The container could not be started.
    NotStarted = "container-not-started",
    /// The container has ended, and the kubelet waits before it restarts it (`CrashLoopBackOff`).
    RestartBackOff = "container-restart-back-off",
    /// The image could not be pulled, and the kubelet waits before it tries again (`ImagePullBackOff`).
    PullBackOff = "container-pull-back-off",
    /// The container has ended.
    Ended = "container-ended",
    /// The readiness probe has begun to pass.
    Ready = "container-ready",
    /// The readiness probe has begun to fail.
    NotReady = "container-not-ready",
    /// The startup probe has passed.
    StartupProbePassed = "startup-probe-passed",
    /// The startup probe has failed.
    StartupProbeFailed = "startup-probe-failed",
    /// The liveness probe has failed.
    LivenessProbeFailed = "liveness-probe-failed",
}

impl PodCause {
    /// The event of PLEG that this is; `None` if PLEG does not report it.
    pub const fn event(self) -> Option<&'static str> {
        match self {
            PodCause::Started => Some("ContainerStarted"),
            PodCause::Ended => Some("ContainerDied"),
            _ => None,
        }
    }
}
