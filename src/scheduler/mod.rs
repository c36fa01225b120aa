//! kube-scheduler.
use crate::client::Component;
/// What runs in kube-scheduler.
pub fn components() -> Vec<Box<dyn Component>> {
    Vec::new()
}
