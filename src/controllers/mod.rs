//! kube-controller-manager: one file per controller, named as in `kubernetes/pkg/controller`.
use crate::client::Component;
/// Every controller, in the order in which they take turns.
pub fn all() -> Vec<Box<dyn Component>> {
    Vec::new()
}
