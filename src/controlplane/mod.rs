//! The controllers that run in kube-apiserver (`k8s.io/kubernetes/pkg/controlplane`,
//! `k8s.io/apiextensions-apiserver/pkg/controller`).

mod apiextensions;

use crate::client::Component;

/// All controllers, in the order in which they take turns under the fair policy.
pub fn all() -> Vec<Box<dyn Component>> {
    apiextensions::all()
}
