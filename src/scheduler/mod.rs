//! kube-scheduler: which node a pod goes to, and why not the others.
//!
//! [`framework`] and [`plugins`] decide, as pure functions over typed objects; [`cache`] keeps what
//! they look at, [`queue`] the pods that wait, and [`schedule_one`] is the loop that takes a pod,
//! finds a node and binds it; [`binding_cycle`] is what comes in between when the pod's claims have to
//! be bound first.

pub mod binding_cycle;
pub mod cache;
pub mod framework;
pub mod plugins;
pub mod queue;
pub mod schedule_one;

use crate::client::{Component, Controller};

/// What runs in kube-scheduler.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(schedule_one::Scheduler)]
}
