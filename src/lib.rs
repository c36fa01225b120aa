//! **Steady**: Kubernetes' control plane as a value.
//!
//! Every state of a cluster can be kept, compared and stepped from; see `ARCHITECTURE.md` for the
//! map of the rooms and what is deliberately absent from each.

pub mod api;
pub mod scheduler;
