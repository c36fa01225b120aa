//! Notes of what comes to CoreDNS while somebody asks.

use std::cell::RefCell;

use crate::kubelet::queries::Queried;

/// Who notes the queries that come to CoreDNS.
#[derive(Clone, Copy)]
pub(super) struct Noting<'a> {
    /// The queries so far.
    pub(super) queries: &'a RefCell<Vec<Queried>>,
    /// Whether the answers may come from the cache, and are kept in it.
    pub(super) caches: bool,
}
