//! How long the operations take that need time on a real node.
//!
//! | what | how long | changed by |
//! | --- | --- | --- |
//! | mount of a pod's CSI volumes | 1 s | |
//! | sandbox and network of a pod | 1 s | |
//! | pull of an image that the node does not have | 2 s | `sim.steady/image-pull: "12"` (seconds) |
//! | pull of an image that the node has (`Always`) | 500 ms | the same |
//! | a pull that fails | 1 s | the same |
//! | create and start of a container | 0 s | `sim.steady/start-seconds` |
//! | an init container whose command says nothing of it is done | after 1 s | `sim.steady/run-seconds` |
//! | a job whose command says nothing of it is done | after 5 s | the same |
//! | a container stops after SIGTERM | 1 s | `sim.steady/stop-seconds`, `sim.steady/ignores-sigterm` |
//! | a container that uses more memory than its limit is killed | after 5 s | |
//! | PLEG notices what has become of containers | in the middle of each second | |
//!
//! A node pulls one image at a time (`serializeImagePulls`). A pull of an image that is being pulled already
//! ends with that pull.

use jiff::SignedDuration;

pub use crate::api::later;

/// The interval at which PLEG lists the containers of all pods (`genericPlegRelistPeriod`).
pub const RELIST: SignedDuration = SignedDuration::from_secs(1);
/// How long after each full second it does.
pub const RELIST_PHASE: SignedDuration = SignedDuration::from_millis(500);
/// The creation of a sandbox and its network.
pub const SANDBOX: SignedDuration = SignedDuration::from_secs(1);
/// After this a sync is tried again that failed for a reason that may be over soon (`backOffOnTransientErrorPeriod` of
/// `pod_workers.go`).
pub const TRANSIENT_RETRY: SignedDuration = SignedDuration::from_secs(1);
/// The pull of an image that the node does not have.
pub const PULL: SignedDuration = SignedDuration::from_secs(2);
/// The pull of an image that the node has: only its manifest is fetched.
pub const PULL_PRESENT: SignedDuration = SignedDuration::from_millis(500);
/// A pull that fails.
pub const PULL_FAILED: SignedDuration = SignedDuration::from_secs(1);
/// From the start of an init container to its end, if its command does not say.
pub const INIT: SignedDuration = SignedDuration::from_secs(1);
/// From the start of a container that is not always restarted to its end, if its command does not say.
pub const JOB: SignedDuration = SignedDuration::from_secs(5);
/// From SIGTERM to the end of a container that does not ignore it.
pub const STOP: SignedDuration = SignedDuration::from_secs(1);
/// From the start of a container to its end, if it needs more memory than its limit.
pub const OUT_OF_MEMORY: SignedDuration = SignedDuration::from_secs(5);
/// The shortest time between SIGTERM and SIGKILL (`minimumGracePeriodInSeconds`).
pub const MINIMUM_GRACE: SignedDuration = SignedDuration::from_secs(2);
/// The delay before a failed sync is retried (`backOffPeriod`). Real kubelets add up to half of it.
pub const SYNC_RETRY: SignedDuration = SignedDuration::from_secs(10);
/// The longest time between two syncs of a pod with waiting containers (`syncFrequency`).
pub const RESYNC: SignedDuration = SignedDuration::from_secs(60);
/// The time after which a deferred resize is tried again (`allocation_manager.go`: `retryDelay`).
pub const RESIZE_RETRY: SignedDuration = SignedDuration::from_mins(3);
/// The delay before a failed mount is retried. It doubles with each failure, up to [`MOUNT_MAX`].
pub const MOUNT_RETRY: SignedDuration = SignedDuration::from_millis(500);
/// The longest time between two attempts to mount.
pub const MOUNT_MAX: SignedDuration = SignedDuration::from_secs(122);
/// The interval of lease renewals: a quarter of [`LEASE_SECONDS`].
pub const LEASE_RENEW: SignedDuration = SignedDuration::from_secs(10);
/// The duration of a lease in seconds.
pub const LEASE_SECONDS: i32 = 40;
/// The mount of a pod's CSI volumes.
pub const MOUNT: SignedDuration = SignedDuration::from_secs(1);
/// The interval at which a changed node status is reported (`nodeStatusUpdateFrequency`).
pub const NODE_STATUS_UPDATE: SignedDuration = SignedDuration::from_secs(10);
/// The interval at which an unchanged node status is reported (`nodeStatusReportFrequency`).
pub const NODE_STATUS: SignedDuration = SignedDuration::from_secs(300);
