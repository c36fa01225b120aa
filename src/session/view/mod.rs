//! What the page shows of a cluster, worked out natively: facts and their relations, no pixels and
//! no words of a language. Words that Kubernetes itself has (`CrashLoopBackOff`) are facts.

mod changes;
mod declared;
mod faults;
pub mod graph;
mod history;
mod lines;
mod links;
pub mod machinery;
mod pods;
mod preview;
mod problems;
mod readings;

pub use changes::{FieldChange, field_changes};
pub use declared::{Declared, Short, declared};
pub use faults::{PlaneFault, PodFault, crash, plane_faults, pod_faults, running_containers};
pub use history::{Version, versions};
pub use lines::{Line, LineMark, has_bookkeeping, object_lines, yaml_of};
pub use links::{Links, events_of, links};
pub use pods::{PodLook, PodView, pod_view};
pub use preview::Preview;
pub use problems::{Problem, problems};
pub use readings::{Readings, readings};
