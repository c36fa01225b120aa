//! Notes of what comes to CoreDNS and to servers while somebody asks.

use std::cell::RefCell;

use crate::kubelet::queries::Queried;
use crate::kubelet::visited::Visited;

/// What has come while somebody asked.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The queries that pods of CoreDNS remember, in their order.
    pub(super) queries: Vec<Queried>,
    /// The requests to servers that write a line for each.
    pub(super) visits: Vec<Visited>,
}

/// Who notes the queries that come to CoreDNS, and the requests that come to servers.
#[derive(Clone, Copy)]
pub(super) struct Noting<'a> {
    /// What has come so far.
    pub(super) noted: &'a RefCell<Noted>,
    /// Whether the answers may come from the cache, and are kept in it.
    pub(super) caches: bool,
}
