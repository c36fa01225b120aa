//! What the cells of several tables have in common (`k8s.io/kubernetes/pkg/printers/internalversion`).
//!
//! The API server fills in the cells of a table, and kubectl aligns them. What `kubectl describe` shows in the same
//! words as a cell is in [`api::cells`](crate::api::cells) and [`api::duration`](crate::api::duration).

pub(super) mod pod_template;

use crate::api::duration::age;
use crate::api::types::ObjectMeta;
use crate::api::{MetaExt, Timestamp};

/// The age of an object.
pub(super) fn created(meta: &ObjectMeta, now: Timestamp) -> String {
    age(meta.creation_timestamp.as_ref(), now)
}

/// The object's name, owned.
pub(super) fn name(meta: &ObjectMeta) -> String {
    MetaExt::name(meta).to_owned()
}

/// The text, or `<none>`.
pub(super) fn or_none(text: Option<&str>) -> String {
    text.filter(|t| !t.is_empty()).unwrap_or("<none>").to_owned()
}

/// How many items a cell lists; the others are counted.
const LISTED: usize = 3;

/// A cell that lists items, `a,b,c + 2 more...`; `none` if there are none.
pub(super) fn listed(all: &[String], none: &str) -> String {
    if all.is_empty() {
        return none.to_owned();
    }
    let shown: Vec<&str> = all.iter().take(LISTED).map(String::as_str).collect();
    match all.len().saturating_sub(LISTED) {
        0 => shown.join(","),
        more => format!("{} + {more} more...", shown.join(",")),
    }
}

/// A cell for a text that may be absent.
pub(super) fn or_unset(text: Option<&String>) -> String {
    text.filter(|t| !t.is_empty()).cloned().unwrap_or_else(|| "<unset>".into())
}

/// The cells of a kind without a printer of its own.
pub(super) fn created_at(meta: &ObjectMeta) -> Vec<String> {
    vec![name(meta), meta.creation_timestamp.as_ref().map_or_else(|| "<unknown>".into(), |t| t.0.to_string())]
}
