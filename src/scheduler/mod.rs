//! kube-scheduler: it chooses a node for each pod, and says why other nodes do not fit.
//!
//! [`framework`] and [`plugins`] decide, as pure functions over typed objects. [`cache`] keeps the nodes and
//! pods that they read, and [`queue`] the pods that wait for a node. [`schedule_one`] is the loop that takes
//! a pod, finds a node and binds the pod to it; [`binding_cycle`] comes in between if the pod's claims have
//! to be bound first.

pub mod binding_cycle;
pub mod cache;
pub mod framework;
pub mod plugins;
pub mod queue;
pub mod schedule_one;

use crate::client::{Component, Controller};

/// The components of the kube-scheduler process.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(schedule_one::Scheduler)]
}
