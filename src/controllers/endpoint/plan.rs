//! What becomes of the slices of a Service.

use std::rc::Rc;

use crate::api::types::discovery::EndpointSlice;

/// Which slices of a Service with addresses of one type are written, and how.
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub(super) create: Vec<EndpointSlice>,
    pub(super) update: Vec<Rc<EndpointSlice>>,
    pub(super) delete: Vec<Rc<EndpointSlice>>,
    pub(super) unchanged: Vec<Rc<EndpointSlice>>,
}
