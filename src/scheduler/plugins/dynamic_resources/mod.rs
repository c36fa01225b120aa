//! `DynamicResources`: a pod gets a node only with the devices that its ResourceClaims ask for
//! (`pkg/scheduler/framework/plugins/dynamicresources`).
//!
//! [`structured`](crate::scheduler::structured) chooses the devices for each node. The choice for the pod's node is written to
//! the claims by the [binding cycle](crate::scheduler::binding_cycle).

mod claims;
mod filter;
mod hints;

use std::rc::Rc;

use crate::api::types::Pod;
use crate::api::types::resource::{AllocationResult, DeviceRequest, ResourceClaim};
use crate::api::{Kind, MetaExt};
use crate::scheduler::framework::{
    Actions, ClaimLister, EventResource, Handle, Hint, NodeInfo, PodInfo, Registered, Status,
};
use crate::scheduler::structured::Allocator;

pub use claims::allocation;
pub(crate) use claims::{BindingState, binding_state, has_binding_conditions, not_found};
pub use filter::{PostFiltered, filter, post_filter, score};

/// The plugin's name.
pub const NAME: &str = "DynamicResources";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_LABEL).or(Actions::UPDATE_NODE_ALLOCATABLE),
        hint: Hint::Queue,
    },
    Registered {
        resource: EventResource::Of(Kind::RESOURCE_CLAIM),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::ResourceClaim(hints::after_claim),
    },
    Registered {
        resource: EventResource::Pod,
        actions: Actions::UPDATE_POD_GENERATED_RESOURCE_CLAIM,
        hint: Hint::Pod(hints::after_pod),
    },
    Registered {
        resource: EventResource::Of(Kind::DEVICE_CLASS),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Queue,
    },
    Registered {
        resource: EventResource::Of(Kind::RESOURCE_SLICE),
        actions: Actions::ADD.or(Actions::UPDATE),
        hint: Hint::Queue,
    },
];

/// What PreFilter finds out about a pod that has claims.
#[derive(Clone, Debug)]
pub struct State {
    /// The pod's claims, in its order.
    pub(super) claims: Vec<Rc<ResourceClaim>>,
    /// What chooses devices for the claims that have none; `None` if all have theirs.
    pub(super) allocator: Option<Rc<Allocator>>,
}

impl State {
    /// The claims that have no devices yet.
    pub(super) fn to_allocate(&self) -> Vec<Rc<ResourceClaim>> {
        self.claims.iter().filter(|c| allocation(c).is_none()).cloned().collect()
    }
}

/// Refuses a pod of which a claim does not exist yet.
pub fn pre_enqueue(claims: &dyn ClaimLister, pod: &Pod) -> Status {
    match claims::of_pod(claims, pod) {
        Ok(_) => Status::SUCCESS,
        Err(why) => Status::unresolvable(why),
    }
}

/// Checks that the pod's claims can be used; `None` if it has none.
///
/// # Errors
/// The refusal of every node, or a failure.
pub fn pre_filter(h: &Handle<'_>, pod: &PodInfo) -> Result<Option<State>, Status> {
    let named = pod.pod.spec.as_ref().and_then(|s| s.resource_claims.as_ref());
    if named.is_none_or(Vec::is_empty) {
        return Ok(None);
    }
    let claims = claims::of_pod(h.devices, &pod.pod).map_err(Status::unresolvable)?;
    if claims.is_empty() {
        return Ok(None);
    }
    if claims.iter().all(|c| allocation(c).is_some()) {
        return Ok(Some(State { claims, allocator: None }));
    }
    let mut allocator = Allocator { selectors: h.devices.selectors(), ..Allocator::default() };
    for claim in claims.iter().filter(|c| allocation(c).is_none()) {
        if h.devices.is_pending(claim.metadata.uid()) {
            let key = claim.metadata.key();
            return Err(Status::unresolvable(format!(
                "resource claim {key} is in the process of being allocated"
            )));
        }
        let requests = claim.spec.devices.as_ref().and_then(|d| d.requests.as_deref());
        for request in requests.unwrap_or_default() {
            find_classes(h, claim, request, &mut allocator)?;
        }
    }
    allocator.slices = h.devices.resource_slices();
    allocator.allocated = h.devices.allocated();
    Ok(Some(State { claims, allocator: Some(Rc::new(allocator)) }))
}

/// Finds the classes of which a request asks for devices.
fn find_classes(
    h: &Handle<'_>,
    claim: &ResourceClaim,
    request: &DeviceRequest,
    into: &mut Allocator,
) -> Result<(), Status> {
    let alternatives = request.first_available.as_deref().unwrap_or_default();
    let named: Vec<(String, &str)> = match &request.exactly {
        Some(exactly) => vec![(request.name.clone(), &exactly.device_class_name)],
        None => alternatives
            .iter()
            .map(|a| (format!("{}/{}", request.name, a.name), a.device_class_name.as_str()))
            .collect(),
    };
    if named.is_empty() {
        let (key, name) = (claim.metadata.key(), &request.name);
        return Err(Status::unresolvable(format!(
            "resource claim {key}, request {name}: unknown request type"
        )));
    }
    for (name, class) in named {
        if class.is_empty() {
            return Err(Status::error(format!("request {name}: unsupported request type")));
        }
        let Some(found) = h.devices.device_class(class) else {
            return Err(Status::unresolvable(format!("request {name}: device class {class} does not exist")));
        };
        into.classes.insert(class.to_owned(), found);
    }
    Ok(())
}

/// The pod's claims, each with what it gets on a node that fits (`Reserve`); `None` if the devices were not found again.
pub fn reserve(state: &State, node: &NodeInfo) -> Option<Vec<(Rc<ResourceClaim>, Option<AllocationResult>)>> {
    let mut found = match &state.allocator {
        Some(allocator) => allocator.allocate(node.node()?, &state.to_allocate()).ok()??.into_iter(),
        None => Vec::new().into_iter(),
    };
    let of = |claim: &Rc<ResourceClaim>| {
        let new = if allocation(claim).is_none() { Some(found.next()?) } else { None };
        Some((claim.clone(), new))
    };
    state.claims.iter().map(of).collect()
}
