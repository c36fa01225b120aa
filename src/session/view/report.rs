//! What a workload declares, and what its status reports of it.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::labels::Selector;
use crate::api::types::{ControllerRevision, LabelSelector};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::controllers::history;

use super::card::Halt;

/// What a workload is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counts {
    /// Pods that are to run.
    Pods {
        /// The number of declared pods.
        want: i32,
        /// The number of pods with the newest template.
        updated: i32,
        /// The number of available pods.
        available: i32,
        /// The number of all pods.
        total: i32,
    },
    /// Pods that are to succeed, of a Job.
    Completions {
        /// The number of declared completions.
        want: i32,
        /// The number of pods that have succeeded.
        succeeded: i32,
        /// The number of pods that run or wait to.
        active: i32,
        /// The number of pods that have failed.
        failed: i32,
    },
}

/// What a workload declares, and what it reports.
#[derive(Clone, Debug)]
pub struct Report {
    /// The declared pods, and those that there are.
    pub counts: Counts,
    /// The number of ready pods, as its card has it.
    pub ready: i32,
    /// How many pods may have an old template: those below the partition of a StatefulSet.
    pub old: i32,
    /// Whether a person has halted it.
    pub halt: Option<Halt>,
    /// Whether the status is about what is declared now.
    pub observed: bool,
    /// Reason and message of a condition that says what is wrong.
    pub failure: Option<(String, String)>,
    /// The selector of its pods.
    pub selector: Option<Selector>,
}

impl Report {
    /// The pods that have the template that they shall have, at most as many as are declared.
    pub fn updated(&self) -> i32 {
        match self.counts {
            Counts::Pods { want, updated, .. } => want.min(updated.saturating_add(self.old)),
            Counts::Completions { .. } => 0,
        }
    }

    /// Whether everything is as it was declared.
    pub fn is_as_declared(&self) -> bool {
        match self.counts {
            Counts::Pods { want, available, total, .. } => {
                self.observed && self.updated() == want && available == want && total == want
            }
            Counts::Completions { want, succeeded, .. } => succeeded >= want,
        }
    }
}

/// The selector of a workload's pods.
pub(super) fn selecting(selector: Option<&LabelSelector>) -> Option<Selector> {
    Selector::from_label_selector(Some(selector?)).ok()
}

/// The number of pods that have the present template of a set.
pub(super) fn updated_of<T: ApiKind>(cluster: &Cluster, set: &Rc<T>) -> i32 {
    let (namespace, uid) = (set.meta().namespace(), set.meta().uid());
    let is_owned = |o: &Object| o.meta().controller().is_some_and(|c| c.uid == uid);
    let revisions = cluster.api().cached_list(Kind::CONTROLLER_REVISION, Some(namespace));
    let present = revisions
        .filter_map(|(_, o)| o.get::<ControllerRevision>().filter(|_| is_owned(o)))
        .find(|r| history::is_present(set, r));
    let Some(revision) = present else { return 0 };
    let is_updated = |o: &Object| {
        let label = o.meta().label("controller-revision-hash");
        // A StatefulSet's pods have the name of their revision, a DaemonSet's its hash.
        label == Some(revision.metadata.name())
            || label.is_some_and(|l| revision.metadata.label("controller-revision-hash") == Some(l))
    };
    let pods = cluster.api().cached_list(Kind::POD, Some(namespace));
    let updated = pods.filter(|(_, o)| is_owned(o) && is_updated(o)).count();
    i32::try_from(updated).unwrap_or(i32::MAX)
}
