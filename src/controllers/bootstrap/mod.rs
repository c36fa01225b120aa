//! The controllers of bootstrap tokens (`k8s.io/kubernetes/pkg/controller/bootstrap`). `*` does not mean them: kubeadm switches them on
//! by their names.

pub mod bootstrapsigner;
mod jws;
pub mod tokencleaner;
