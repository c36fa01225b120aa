//! **For the lead to wire**: the only place that knows which system is judged.

use steady::api::types::PodTemplateSpec;

use crate::system::{NullSystem, Setup, System};

/// The system under test. To be replaced by Steady's own.
pub fn system(_setup: &Setup) -> Box<dyn System> {
    Box::new(NullSystem)
}

/// The pod-template-hash under test. To be replaced by
/// `steady::api::pod_template_hash::compute_hash`.
pub fn compute_hash(_template: &PodTemplateSpec, _collision_count: Option<i32>) -> String {
    String::new()
}
