//! ServiceCIDRs and IPAddresses.

use super::super::invocation::{Invocation, Result};
use super::{Writer, head, instant};
use crate::api::Object;
use crate::api::types::{IPAddress, ServiceCIDR};

pub(in super::super) fn service_cidr(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(cidr) = object.get::<ServiceCIDR>() else { return Ok(true) };
    let cidrs = cidr.spec.as_ref().and_then(|s| s.cidrs.as_deref()).unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    head::marks(w, object);
    w.line(0, &format!("CIDRs:\t{}", cidrs.join(", ")));
    let conditions = cidr.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    if !conditions.is_empty() {
        w.line(0, "Status:");
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
        w.line(1, "----\t------\t------------------\t------\t-------");
    }
    for c in conditions {
        let since = instant(Some(&c.last_transition_time));
        w.line(1, &format!("{}\t{}\t{since}\t{}\t{}", c.type_, c.status, c.reason, c.message));
    }
    Ok(true)
}

pub(in super::super) fn ip_address(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(address) = object.get::<IPAddress>() else { return Ok(true) };
    w.line(0, &format!("Name:\t{}", object.name()));
    head::marks(w, object);
    let parent = &address.spec.parent_ref;
    w.line(0, "Parent Reference:");
    w.line(1, &format!("Group:\t{}", parent.group.as_deref().unwrap_or_default()));
    w.line(1, &format!("Resource:\t{}", parent.resource));
    w.line(1, &format!("Namespace:\t{}", parent.namespace.as_deref().unwrap_or_default()));
    w.line(1, &format!("Name:\t{}", parent.name));
    Ok(true)
}
