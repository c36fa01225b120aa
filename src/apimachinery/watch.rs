//! The words of a watch: which objects it is about, and its events.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::types::Pod;
use crate::api::{ApiKind, Key, Object};

/// The number of a watch.
pub type WatchId = u32;

/// Which objects of its kind a watch or an informer sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Filter {
    /// All objects of the kind.
    All,
    /// `spec.nodeName=…`: pods of one node.
    NodeName(Rc<str>),
    /// `metadata.name=…`: one object.
    Name(Rc<str>),
}

impl Filter {
    /// Whether the filter lets an object through.
    pub fn matches(&self, object: &Object) -> bool {
        match self {
            Filter::All => true,
            Filter::NodeName(n) => node_name(object) == Some(n),
            Filter::Name(n) => object.name() == &**n,
        }
    }
}

fn node_name(object: &Object) -> Option<&str> {
    Pod::from_object(object)?.spec.as_ref()?.node_name.as_deref()
}

/// One event of a watch.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchEvent {
    /// What happened, as seen through the filter of the watch.
    pub kind: WatchEventType,
    /// Namespace and name; shared with the store.
    pub key: Key,
    /// The object after the write; for a deletion its last state, at the revision of the deletion.
    pub object: Object,
    /// The revision of the write.
    pub revision: u64,
}

/// The type of a watch event: `ADDED`, `MODIFIED` or `DELETED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchEventType {
    /// The object is new, or came into view of the filter.
    Added,
    /// The object changed.
    Modified,
    /// The object was removed, or went out of view of the filter.
    Deleted,
}

impl WatchEventType {
    /// `ADDED`
    pub fn as_str(self) -> &'static str {
        match self {
            WatchEventType::Added => "ADDED",
            WatchEventType::Modified => "MODIFIED",
            WatchEventType::Deleted => "DELETED",
        }
    }

    /// The type that a write has for a watch whose filter let the object through before the write, lets
    /// it through after the write, or both; `None` if neither.
    pub(crate) fn of(before: bool, after: bool) -> Option<WatchEventType> {
        match (before, after) {
            (false, true) => Some(WatchEventType::Added),
            (true, true) => Some(WatchEventType::Modified),
            (true, false) => Some(WatchEventType::Deleted),
            (false, false) => None,
        }
    }
}

/// The watch has ended: its connection was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;
