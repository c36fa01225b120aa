//! Owners that are not in a text. The garbage collector deletes what belongs to an owner that does not exist; in the
//! cluster that the text comes from, the owner does exist.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Report, text_at};

/// Drops references to owners that are not there. A pod whose ReplicaSet is not in the text is then nobody's.
pub(super) fn mend(objects: &mut [Value], report: &mut Report) {
    let there: BTreeSet<String> = objects.iter().map(|o| text_at(o, "/metadata/uid")).collect();
    for object in objects {
        let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) else { continue };
        let Some(Value::Array(owners)) = meta.get_mut("ownerReferences") else { continue };
        let before = owners.len();
        owners.retain(|owner| there.contains(&text_at(owner, "/uid")));
        report.orphaned += before - owners.len();
        if owners.is_empty() {
            meta.remove("ownerReferences");
        }
    }
}
