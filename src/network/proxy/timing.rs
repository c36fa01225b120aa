//! When kube-proxy writes rules. A change is written at once, unless the last sync was less than [`MIN_SYNC_PERIOD`] ago;
//! then it waits until that time is over, together with all changes that come until then
//! (`pkg/proxy/runner/bounded_frequency_runner.go`).

use jiff::SignedDuration;

use super::config::Mode;

/// The least time between two syncs in the modes `iptables` and `nftables` (`minSyncPeriod`;
/// `pkg/proxy/apis/config/v1alpha1/defaults.go`).
pub const MIN_SYNC_PERIOD: SignedDuration = SignedDuration::from_secs(1);
/// After how long a sync that failed is tried again (`syncPeriod`). In the mode `iptables` kube-proxy looks as often
/// whether somebody else has emptied the tables.
pub const SYNC_PERIOD: SignedDuration = SignedDuration::from_secs(30);
/// After how long all rules are written anew, whether or not something changed (`proxyutil.FullSyncPeriod`). Syncs in
/// between only write the chains of Services that changed.
pub const FULL_SYNC_PERIOD: SignedDuration = SignedDuration::from_hours(1);
/// How often kube-proxy takes all Services and EndpointSlices for changed (`configSyncPeriod`).
pub const CONFIG_SYNC_PERIOD: SignedDuration = SignedDuration::from_mins(15);
/// How long a change may wait until `/healthz` says that kube-proxy is not healthy: twice [`SYNC_PERIOD`]
/// (`cmd/kube-proxy/app/server.go`).
pub const HEALTH_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);
/// After how long the mode `nftables` deletes chains that nothing leads to any more; until then they are empty.
pub const STALE_CHAIN_PERIOD: SignedDuration = SignedDuration::from_secs(1);
/// How often the mode `ipvs` looks whether real servers that only finish their connections have finished
/// (`pkg/proxy/ipvs/graceful_termination.go`).
pub const GRACEFUL_DELETE_CHECK_PERIOD: SignedDuration = SignedDuration::from_mins(1);

/// The least time between two syncs of a mode. IPVS has none if nothing is said.
pub fn min_sync_period(mode: Mode) -> SignedDuration {
    match mode {
        Mode::Iptables | Mode::Nftables => MIN_SYNC_PERIOD,
        Mode::Ipvs => SignedDuration::ZERO,
    }
}
