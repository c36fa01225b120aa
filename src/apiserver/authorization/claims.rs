//! Who may change which part of the status of a ResourceClaim (`pkg/registry/resource/utils.go`, with
//! `DRAResourceClaimGranularStatusAuthorization`, which is on by default). Beside the right to update the status itself, one is
//! needed for what the claim is allocated and reserved for, and one for what each driver says of its devices.

use std::collections::{BTreeMap, BTreeSet};

use super::access::{Access, Asked, Resource};
use super::impersonation::NODE_NAME;
use crate::api::types::ResourceClaim;
use crate::api::types::resource::{AllocatedDeviceStatus, AllocationResult, ResourceClaimStatus};
use crate::api::{ApiKind, MetaExt, Object};
use crate::apimachinery::{Request, Subresource, UserInfo};
use crate::apiserver::ApiServer;
use crate::apiserver::context::RequestContext;
use crate::apiserver::validation::{Errors, FieldError, Path, list, semantic_eq, text};

/// The right to say which devices a claim has, and for whom (`SubresourceBinding`).
const BINDING: &str = "binding";
/// The right to say something of the devices of a driver (`SubresourceDriver`).
const DRIVER: &str = "driver";
/// What the verb of a ServiceAccount of the claim's node begins with (`VerbPrefixAssociatedNode`).
const ASSOCIATED_NODE: &str = "associated-node:";
/// What the verb of everybody else begins with (`VerbPrefixArbitraryNode`).
const ARBITRARY_NODE: &str = "arbitrary-node:";

impl ApiServer {
    /// What the sender of an update of a claim's status changes without the right to.
    pub(in crate::apiserver) fn claim_status_rights(
        &self,
        r: &Request,
        object: &Object,
        old: &Object,
        cx: &RequestContext,
    ) -> Errors {
        let claims = ResourceClaim::from_object(object).zip(ResourceClaim::from_object(old));
        let (Some(user), Some((new, old))) = (&cx.user, claims) else { return Errors::new() };
        if r.subresource != Subresource::Status {
            return Errors::new();
        }
        let none = ResourceClaimStatus::default();
        let (status, before) = (new.status.as_ref().unwrap_or(&none), old.status.as_ref().unwrap_or(&none));
        let may = |verb: &str, subresource: &str, namespace: &str, name: &str| {
            let of = Resource {
                group: ResourceClaim::KIND.group().to_owned(),
                resource: ResourceClaim::KIND.plural().to_owned(),
                subresource: subresource.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                ..Resource::default()
            };
            let access = Access { user: user.clone(), verb: verb.to_owned(), of: Asked::Resource(of) };
            self.must(&access).map_err(|status| status.message)
        };
        let mut errs = Errors::new();
        let verb = r.verb.as_str();
        let same = semantic_eq(&status.allocation, &before.allocation)
            && semantic_eq(&status.reserved_for, &before.reserved_for);
        if !same && let Err(why) = may(verb, BINDING, "", "") {
            let what = "changing status.allocation or status.reservedFor requires";
            let why =
                format!("{what} resource=\"resourceclaims/binding\", verb=\"{verb}\" permission: {why}");
            errs.push(FieldError::forbidden(&Path::new("status"), why));
        }
        let on_its_node = is_of_node(user, node_of(status.allocation.as_ref()));
        let prefixes: &[&str] =
            if on_its_node { &[ASSOCIATED_NODE, ARBITRARY_NODE] } else { &[ARBITRARY_NODE] };
        let verbs: Vec<String> = prefixes.iter().map(|prefix| format!("{prefix}{verb}")).collect();
        for driver in changed_drivers(status, before) {
            let namespace = MetaExt::namespace(&new.metadata);
            let asked: Vec<_> = verbs.iter().map(|verb| may(verb, DRIVER, namespace, driver)).collect();
            if asked.iter().any(Result::is_ok) {
                continue;
            }
            let why = asked.into_iter().find_map(Result::err).unwrap_or_default();
            let verbs = verbs.join(" ");
            let what = "changing status.devices requires resource=\"resourceclaims/driver\",";
            let why = format!("{what} verb=\"[{verbs}]\" permission: {why}");
            errs.push(FieldError::forbidden(&Path::new("status").child("devices"), why));
        }
        errs
    }
}

/// The drivers of whose devices something else is said than before (`getModifiedDrivers`).
fn changed_drivers<'a>(new: &'a ResourceClaimStatus, old: &'a ResourceClaimStatus) -> BTreeSet<&'a str> {
    let by_id = |status: &'a ResourceClaimStatus| -> BTreeMap<_, &'a AllocatedDeviceStatus> {
        let devices = list(&status.devices).iter();
        devices.map(|d| ((&*d.driver, &*d.pool, &*d.device, text(&d.share_id)), d)).collect()
    };
    let (new, old) = (by_id(new), by_id(old));
    let changed = new.iter().filter(|(id, device)| old.get(*id).is_none_or(|o| !semantic_eq(o, *device)));
    let gone = old.iter().filter(|(id, _)| !new.contains_key(*id));
    changed.chain(gone).map(|(_, device)| device.driver.as_str()).collect()
}

/// The node on which the devices of a claim are, if they are on one (`nodeNameFromAllocation`).
fn node_of(allocation: Option<&AllocationResult>) -> Option<&str> {
    let selector = allocation?.node_selector.as_ref()?;
    let [term] = selector.node_selector_terms.as_slice() else { return None };
    let ([], [field]) = (list(&term.match_expressions), list(&term.match_fields)) else { return None };
    let [node] = list(&field.values) else { return None };
    (field.key == "metadata.name" && field.operator == "In").then_some(node.as_str())
}

/// Whether a user is a ServiceAccount whose token is bound to a node (`saAssociatedWithAllocatedNode`).
fn is_of_node(user: &UserInfo, node: Option<&str>) -> bool {
    let bound = user.extra.get(NODE_NAME).map_or(&[][..], Vec::as_slice);
    let [bound] = bound else { return false };
    user.name.starts_with("system:serviceaccount:") && node == Some(bound.as_str())
}
