//! kube-scheduler: it chooses a node for each pod, and says why other nodes do not fit.
//!
//! [`plugins`] judge nodes by what [`framework`] tells them, and [`runtime`] asks them in their order; these are pure
//! functions over typed objects, and so is [`default_preemption`]. [`cache`] keeps what they look at, [`queue`] the pods
//! that wait, and [`schedule_one`] is the loop that takes a pod, finds a node and binds it; [`binding_cycle`] is what comes
//! in between when the pod's claims have to be bound first.

pub mod binding_cycle;
pub mod cache;
pub mod default_preemption;
pub mod framework;
mod listers;
mod outcome;
pub mod plugins;
pub mod queue;
pub mod runtime;
pub mod schedule_one;
pub mod state;

use crate::client::{Component, Controller};

/// The components of the kube-scheduler process.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(schedule_one::Scheduler)]
}
