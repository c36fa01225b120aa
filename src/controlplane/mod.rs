//! The controllers that run in kube-apiserver (`k8s.io/kubernetes/pkg/controlplane`,
//! `k8s.io/kubernetes/pkg/registry/core/service`, `k8s.io/apiextensions-apiserver/pkg/controller`).

mod apiextensions;
mod default_service_cidr;
mod ip_repair;

use crate::api::ip_family::IpFamily;
use crate::client::{Component, Controller};

/// The user of kube-apiserver's own requests in the audit log.
const USER: &str = "kube-apiserver";

/// All controllers, in the order in which they take turns under the fair policy. `ip_family` is what
/// `--service-cluster-ip-range` says.
pub fn all(ip_family: IpFamily) -> Vec<Box<dyn Component>> {
    let mut all = apiextensions::all();
    all.push(Controller::boxed(default_service_cidr::DefaultServiceCidr { ip_family }));
    all.push(Controller::boxed(ip_repair::RepairIpAddress));
    all
}
