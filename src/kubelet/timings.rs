//! How long things take that a real node needs time for.
//!
//! | what | how long | changed by |
//! | --- | --- | --- |
//! | sandbox and network of a pod | 1 s | |
//! | pull of an image that the node does not have | 2 s | `sim.steady/image-pull: "12"` (seconds) |
//! | pull of an image that the node has (`Always`) | 500 ms | the same |
//! | a pull that fails | 1 s | the same |
//! | create and start of a container | 0 s | `sim.steady/start-seconds` |
//! | an init container whose command says nothing of it is done | after 1 s | `sim.steady/run-seconds` |
//! | a container stops after SIGTERM | 1 s | `sim.steady/stop-seconds`, `sim.steady/ignores-sigterm` |
//! | a container that uses more memory than its limit is killed | after 5 s | |
//!
//! Pulls of different images wait for each other on a node (`serializeImagePulls`); a pull of an
//! image that is being pulled ends with that pull.

use jiff::SignedDuration;

pub use crate::api::later;

/// Sandbox and network of a pod.
pub const SANDBOX: SignedDuration = SignedDuration::from_secs(1);
/// The pull of an image that the node does not have.
pub const PULL: SignedDuration = SignedDuration::from_secs(2);
/// The pull of an image that the node has: only its manifest is asked for.
pub const PULL_PRESENT: SignedDuration = SignedDuration::from_millis(500);
/// A pull that fails.
pub const PULL_FAILED: SignedDuration = SignedDuration::from_secs(1);
/// From the start of an init container to its end, if its command does not tell.
pub const INIT: SignedDuration = SignedDuration::from_secs(1);
/// From SIGTERM to the end of a container that heeds it.
pub const STOP: SignedDuration = SignedDuration::from_secs(1);
/// From the start of a container to its end, if it wants more memory than it may have.
pub const OUT_OF_MEMORY: SignedDuration = SignedDuration::from_secs(5);
/// The least time between SIGTERM and SIGKILL (`minimumGracePeriodInSeconds`).
pub const MINIMUM_GRACE: SignedDuration = SignedDuration::from_secs(2);
/// When a sync that failed is tried again (`backOffPeriod`). Real kubelets add up to half of it.
pub const SYNC_RETRY: SignedDuration = SignedDuration::from_secs(10);
/// The longest time between two syncs of a pod whose containers wait (`syncFrequency`).
pub const RESYNC: SignedDuration = SignedDuration::from_secs(60);
/// A mount that failed is tried again after this, then after twice as long, up to [`MOUNT_MAX`].
pub const MOUNT_RETRY: SignedDuration = SignedDuration::from_millis(500);
/// The longest time between two attempts to mount.
pub const MOUNT_MAX: SignedDuration = SignedDuration::from_secs(122);
/// How often the lease is renewed: a quarter of [`LEASE_SECONDS`].
pub const LEASE_RENEW: SignedDuration = SignedDuration::from_secs(10);
/// How long a lease is good for.
pub const LEASE_SECONDS: i32 = 40;
/// How often an unchanged node status is reported (`nodeStatusReportFrequency`).
pub const NODE_STATUS: SignedDuration = SignedDuration::from_secs(300);
