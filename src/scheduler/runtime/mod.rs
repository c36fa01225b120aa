//! The order in which plugins are called, and the result of their answers
//! (`pkg/scheduler/framework/runtime`, `schedule_one.go`).
//!
//! Every function here depends on its arguments only. A cycle for one pod is [`find_nodes_that_fit`], then
//! [`score_nodes`] and [`select_host`] if more than one node fits, or
//! [`post_filter`](crate::scheduler::default_preemption::post_filter) and [`fit_error_message`] if no node
//! fits.
//!
//! ```
//! use std::rc::Rc;
//! use steady::scheduler::framework::{Handle, NodeInfo, PodInfo};
//! use steady::scheduler::runtime::{FindArgs, find_nodes_that_fit, fit_error_message};
//! let node = serde_json::json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
//!     "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "110"}}});
//! let pod = serde_json::json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
//!     "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}});
//! let nodes = [Rc::new(NodeInfo::of_node(serde_json::from_value(node).unwrap()))];
//! let pod = PodInfo::new(serde_json::from_value(pod).unwrap());
//! let found = find_nodes_that_fit(&Handle::of_nodes(&nodes), &pod, FindArgs::default());
//! assert!(found.nodes.is_empty());
//! assert_eq!(fit_error_message(1, &found.diagnosis, ""), "0/1 nodes are available: 1 Insufficient cpu.");
//! ```

mod cycle;
mod find;
mod score;
#[cfg(test)]
pub(crate) mod tests;

pub use cycle::{CycleState, PreFiltered, filter_each, filter_node, pre_filter};
pub use find::{
    Diagnosis, Extension, FindArgs, Found, find_nodes_that_fit, fit_error_message, num_feasible_nodes_to_find,
};
pub(crate) use find::{filter_changed_with_nominated, fit_error_text, histogram};
pub use score::{PluginScores, Scores, score_nodes, select_host};
