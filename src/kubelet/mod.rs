//! The kubelet.
use crate::client::Component;
/// What runs on a node.
pub fn components(_node: &str) -> Vec<Box<dyn Component>> {
    Vec::new()
}
