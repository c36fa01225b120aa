//! What becomes of the slices of a Service.

use std::rc::Rc;

use crate::api::types::discovery::EndpointSlice;

/// All slices are IPv4, because the cluster has one family and Services have only its addresses.
pub(super) const ADDRESS_TYPE: &str = "IPv4";

/// Which slices of a Service are written, and how.
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub(super) create: Vec<EndpointSlice>,
    pub(super) update: Vec<Rc<EndpointSlice>>,
    pub(super) delete: Vec<Rc<EndpointSlice>>,
    pub(super) unchanged: Vec<Rc<EndpointSlice>>,
}
