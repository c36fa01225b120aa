//! Invariants: conditions that have to hold in every state, in every steady state, or for every step.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::api::{Kind, Object, ObjectRef};
use crate::cluster::Cluster;

/// How an invariant was violated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The object concerned, if it is about one.
    pub object: Option<ObjectRef>,
    /// The values that were compared, each with a name.
    pub values: Vec<(Cow<'static, str>, String)>,
    /// Why the invariant could not be evaluated; `None` if it could and does not hold.
    pub undecided: Option<String>,
}

impl Violation {
    /// A violation, with the object concerned and the values that were compared.
    pub fn new(object: Option<ObjectRef>, values: Vec<(&'static str, String)>) -> Violation {
        let values = values.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        Violation { object, values, undecided: None }
    }

    /// An invariant that could not be evaluated, with the reason.
    pub fn undecided(why: impl Into<String>) -> Violation {
        Violation { object: None, values: Vec::new(), undecided: Some(why.into()) }
    }
}

/// The objects that an invariant may read: those by which states are told apart. Events and leases are not
/// among them, because states that differ only in these are merged.
pub fn objects(cluster: &Cluster) -> impl Iterator<Item = &Object> {
    let all = cluster.api().cached_all().filter(|(r, _)| is_counted(r));
    all.map(|(_, object)| object)
}

/// Whether objects of this kind tell states apart.
pub(super) fn is_counted(reference: &ObjectRef) -> bool {
    ![Kind::EVENT, Kind::LEASE].contains(&reference.kind)
}

/// A condition on the states and steps of a run. Each method's default is that the condition holds.
pub trait Invariant {
    /// The invariant's name.
    fn name(&self) -> &str;

    /// Checks a state.
    ///
    /// # Errors
    /// The violation.
    fn state(&self, _cluster: &Cluster) -> Result<(), Violation> {
        Ok(())
    }

    /// Checks a state in which no component can act any more.
    ///
    /// # Errors
    /// The violation.
    fn steady(&self, _cluster: &Cluster) -> Result<(), Violation> {
        Ok(())
    }

    /// Checks a step.
    ///
    /// # Errors
    /// The violation.
    fn step(&self, _before: &Cluster, _after: &Cluster) -> Result<(), Violation> {
        Ok(())
    }
}
