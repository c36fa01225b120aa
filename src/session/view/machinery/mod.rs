//! The machinery under the objects, as the component map shows it: etcd, the API server, and for each
//! component its reflectors, FIFOs, caches, queue and worker. Facts, no pixels and no words.
//!
//! What is shown is read off the cluster as it stands and is cut to what a person can read: a look at
//! a cluster of a thousand nodes costs what its components are many, not its objects.
//!
//! ```
//! use steady::session::{Session, Start, scenario, view::machinery};
//! let mut session = Session::new(Start::default());
//! session.apply(&scenario::all().remove(0).manifest);
//! let overview = machinery::overview(session.cluster());
//! // Nobody has heard of the Deployment yet.
//! let controller = overview.components.iter().find(|c| &*c.name == "deployment-controller").unwrap();
//! assert_eq!(controller.behind, 1);
//! ```

mod machine;
mod movement;
mod overview;
mod reflector;
mod stages;
#[cfg(test)]
mod tests;

pub use machine::{Delayed, Machine, Pending, Queue, Work, machine};
pub use movement::{Carried, Movement, Stop, movement};
pub use overview::{LogLine, Overview, Row, State, overview};
pub use reflector::{Coming, Connection, Reflector, Stale, Told};
pub use stages::{Step, StepId, Verdict, Way, last_request, way};

/// Of a list of things that wait so many are shown; the rest is counted.
pub const SHOWN: usize = 5;

/// The first of a list, and how many more there are.
fn cut<T>(all: impl Iterator<Item = T>, most: usize) -> (Vec<T>, usize) {
    let mut all = all;
    let first: Vec<T> = all.by_ref().take(most).collect();
    (first, all.count())
}
