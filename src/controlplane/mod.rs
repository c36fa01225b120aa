//! The controllers that run in kube-apiserver (`k8s.io/kubernetes/pkg/controlplane`,
//! `k8s.io/apiextensions-apiserver/pkg/controller`).

mod apiextensions;

use crate::client::Component;

/// Every controller, in the order in which they take turns.
pub fn all() -> Vec<Box<dyn Component>> {
    apiextensions::all()
}
