//! **Steady**: Kubernetes' control plane as a value.
//!
//! Every state of a cluster can be kept, compared and stepped from; see `ARCHITECTURE.md` for the
//! map of the rooms and what is deliberately absent from each.

pub mod api;
pub mod apimachinery;
pub mod apiserver;
pub mod cel;
pub mod client;
pub mod cluster;
pub mod controllers;
pub mod engine;
pub mod etcd;
pub mod kubectl;
pub mod kubelet;
pub mod provisioner;
pub mod scheduler;
pub mod session;
