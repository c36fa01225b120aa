//! kube-scheduler: which node a pod goes to, and why not the others.
//!
//! What is here so far is the part that decides: pure functions over typed objects. The queue, the
//! cache's wiring and the binding live beside it and call it.

pub mod framework;
pub mod plugins;
