//! **Steady**: Kubernetes' control plane as a value.
//!
//! Every state of a cluster can be kept, compared and stepped from. `ARCHITECTURE.md` has the map of the
//! modules, and what is deliberately absent from each.

pub mod api;
pub mod apimachinery;
pub mod apiserver;
pub mod cel;
pub mod client;
pub mod cluster;
pub mod controllers;
pub mod controlplane;
pub mod engine;
pub mod etcd;
pub mod gateway_fabric;
pub mod ingress_nginx;
pub mod kube_proxy;
pub mod kubectl;
pub mod kubelet;
pub mod lessons;
pub mod metrics_server;
pub mod network;
pub mod provisioner;
pub mod quota;
pub mod scheduler;
pub mod session;
pub mod shell;
