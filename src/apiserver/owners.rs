//! Owners of an object that a request names twice (`k8s.io/apiserver/pkg/endpoints/handlers/update.go`).

use std::collections::BTreeSet;

use crate::api::Object;
use crate::api::types::OwnerReference;

/// Keeps an owner that is given twice once, and warns of it (`dedupOwnerReferences`). The warning about a patch says that
/// it comes after admission.
pub(super) fn one_owner_once(object: &mut Object, of_patch: bool, warned: &mut Vec<String>) {
    let Some(owners) = &object.meta().owner_references else { return };
    let mut seen = BTreeSet::new();
    let mut again = |o: &OwnerReference| {
        let flags = (o.controller, o.block_owner_deletion);
        !seen.insert((o.api_version.clone(), o.kind.clone(), o.name.clone(), o.uid.clone(), flags))
    };
    let doubles: Vec<usize> = owners.iter().enumerate().filter(|(_, o)| again(o)).map(|(i, _)| i).collect();
    if doubles.is_empty() {
        return;
    }
    let uids: Vec<&str> = doubles.iter().filter_map(|i| owners.get(*i)).map(|o| o.uid.as_str()).collect();
    warned.push(format!(
        ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        if of_patch { " after mutating admission happens" } else { "" },
        uids.join(", ")
    ));
    let mut i = 0;
    object.meta_mut().owner_references.get_or_insert_default().retain(|_| {
        i += 1;
        doubles.binary_search(&(i - 1)).is_err()
    });
}
