//! The machinery under the objects, as the component map shows it: etcd, the API server, and for each
//! component its reflectors, FIFOs, caches, queue and worker. These are facts, without pixels and without
//! texts.
//!
//! All of it is read from the cluster and limited to what a person can read, so on a cluster of a thousand
//! nodes the cost depends on the number of components, not of objects.
//!
//! ```
//! use steady::session::{Session, Start, scenario, view::machinery};
//! let mut session = Session::new(Start::default());
//! session.apply(&scenario::all().remove(0).manifest);
//! let overview = machinery::overview(session.cluster());
//! // No component has been told of the Deployment yet.
//! let controller = overview.components.iter().find(|c| &*c.name == "deployment-controller").unwrap();
//! assert_eq!(controller.behind, 1);
//! ```

mod machine;
mod movement;
mod overview;
mod reflector;
mod rooms;
#[cfg(test)]
mod rooms_tests;
mod runtime;
mod stages;
#[cfg(test)]
mod tests;
mod waits;

pub use machine::{Delayed, Machine, Pending, PodQueues, Queue, Work, machine};
pub use movement::{Carried, Movement, Stop, movement};
pub use overview::{LogLine, Overview, Row, State, overview};
pub use reflector::{Coming, Connection, Reflector, Stale, Told};
pub use rooms::{
    DecisionRow, ExclusiveRow, Garbage, ManagerRoom, PlegEvent, ProbeRow, ProcessorsRoom, Relists, Rooms,
    SandboxRow, ShutdownRoom, SignalRow, SourceRoom, VolumeRow,
};
pub use runtime::{CallPart, CallView, CallsView, runtime_calls};
pub use stages::{Step, StepId, Verdict, Way, last_request, way};
pub use waits::WorkerRow;

/// How many entries of a list are shown. Further ones are counted.
pub const SHOWN: usize = 5;

/// The first entries of a list, and the number of further ones.
fn cut<T>(all: impl Iterator<Item = T>, most: usize) -> (Vec<T>, usize) {
    let mut all = all;
    let first: Vec<T> = all.by_ref().take(most).collect();
    (first, all.count())
}
