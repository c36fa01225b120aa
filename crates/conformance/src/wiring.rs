//! The system that is judged: only this module names it.

use steady::api::pod_template_hash;
use steady::api::types::PodTemplateSpec;

use crate::simulator::Simulator;
use crate::system::{Setup, System};

/// The system under test.
pub fn system(setup: &Setup) -> Box<dyn System> {
    Box::new(Simulator::new(setup))
}

/// The hash function under test.
pub fn compute_hash(template: &PodTemplateSpec, collision_count: Option<i32>) -> String {
    pod_template_hash::compute_hash(template, collision_count)
}
