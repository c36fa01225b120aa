//! Keys that are added to a work queue later: whether a cluster waits for them, [`Wait`], and what a component
//! tells its process about them, [`TimerOp`].

use std::rc::Rc;

use jiff::SignedDuration;

use super::key::AnyKey;
use crate::api::Timestamp;

/// The namespace of a [`Wait::Poll`] that looks at all objects but Nodes, in whatever namespace or
/// in none. No namespace has this name.
pub const ANYWHERE: &str = "*";

/// Whether a cluster waits for a deadline: whether time passes in order to meet it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The cluster waits; it is not steady before.
    Foreground,
    /// The cluster does not wait. The deadline is met when time passes for another reason: heartbeats
    /// and resyncs.
    Background,
    /// The cluster does not wait until something in a namespace is written, and waits from then on.
    /// To look again where nothing has changed is no reason to let time pass.
    Poll {
        /// The namespace; [`ANYWHERE`] for all, and for objects in none.
        namespace: Rc<str>,
    },
    /// The deadline is that of a component that looks again at regular intervals. It is met on time when time
    /// passes for another reason. The cluster does not wait for it until something is written or
    /// [published](crate::client::Context::publish), and waits from then on.
    Resync,
    /// The deadline belongs to a schedule that never ends, so the cluster does not wait: it is steady until then. The
    /// deadline is met on time when time passes for another reason, and time passes to it when a person lets it
    /// ([`Action::Advance`](crate::cluster::Action::Advance)).
    Schedule,
    /// The deadline belongs to what goes on like this by itself and shows nothing new: the next start of a container whose
    /// back-off is at its longest. As [`Wait::Schedule`], but a run does not stop after many of them.
    Recurring,
    /// The cluster waits from the moment on at which the node's kubelet stops. A kubelet that runs
    /// renews its heartbeat in time, so a deadline for it is never met, however far time jumps. The
    /// deadline is met after everything else that is due at its moment, so that a heartbeat of that
    /// moment has been heard.
    Watchdog {
        /// The node.
        node: Rc<str>,
        /// How long after the kubelet stopped the deadline is met at the soonest: heartbeats before
        /// that were in time, whether or not time was there for each to be written.
        after: SignedDuration,
    },
}

/// What a component tells its process about the deadline of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerOp {
    /// The key has a deadline from now on, or another one than before.
    Set {
        /// The key.
        key: AnyKey,
        /// The moment at which the key is added to the queue.
        at: Timestamp,
        /// The key's deadline until now; `None` if it had none.
        replaces: Option<Timestamp>,
        /// Whether the cluster waits for the deadline.
        wait: Wait,
    },
    /// The key's deadline is dropped.
    Cancel {
        /// The key.
        key: AnyKey,
        /// The deadline.
        at: Timestamp,
    },
}
