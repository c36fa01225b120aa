//! The words that the refusals of admission plug-ins share.

use crate::api::MetaExt;
use crate::api::types::ObjectMeta;

/// How a mutating plug-in names an object that it refuses (`extractResourceName`): a generated name is not there yet.
pub(super) fn name_in_refusal(meta: &ObjectMeta) -> &str {
    let generated = || meta.generate_name.as_deref().filter(|g| !g.is_empty()).unwrap_or("Unknown");
    Some(meta.name()).filter(|n| !n.is_empty()).unwrap_or_else(generated)
}
