//! kube-scheduler: it chooses a node for each pod, and says why other nodes do not fit.
//!
//! [`plugins`] judge nodes by the data in [`framework`], and [`runtime`] calls them in order; these are pure
//! functions over typed objects, and so is [`default_preemption`]. [`cache`] keeps the nodes and pods that
//! they read, and [`queue`] the pods that wait for a node; the event handlers keep both up to date. [`schedule_one`] is the
//! loop that takes a pod, asks [`scheduling_cycle`] for a node and binds the pod to it; [`binding_cycle`] comes in between if
//! the pod's claims have to be bound first, and preemption goes on beside it. [`explain`] runs a cycle only to show it.

pub mod binding_cycle;
pub mod cache;
pub mod default_preemption;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod dynamic_resources_tests;
mod eventhandlers;
pub mod explain;
pub mod framework;
mod listers;
mod outcome;
pub mod plugins;
mod preemption;
pub mod queue;
pub mod runtime;
pub mod schedule_one;
pub mod scheduling_cycle;
pub mod state;
pub mod structured;

use crate::client::{Component, Controller};

/// The components of the kube-scheduler process.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(schedule_one::Scheduler)]
}
