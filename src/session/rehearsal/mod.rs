//! A rehearsal answers a question about a workload: does a rollout of it drop requests?
//!
//! It works on a copy of a run. There it puts a client on each node, which sends requests to a Service of the workload; then it
//! rolls the workload out, or does something else that replaces pods of it ([`Occasion`]), and counts what became of the requests
//! ([`crate::network::traffic`]). If some are lost, it tells how the first one was ([`Story`]), and tries what could mend it
//! ([`Mend`]), each beside the others from the same beginning.
//!
//! All that it does are ops of a session: [`Tried::link`] repeats them, so whoever doubts a count can walk through it.
//!
//! ```
//! use steady::api::{Kind, ObjectRef};
//! use steady::session::rehearsal::{Plan, Rehearsal};
//! use steady::session::{Session, Start};
//!
//! let mut session = Session::new(Start::default());
//! session.apply(include_str!("../../../tests/rehearsal/web.yaml"));
//! let workload = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
//! let mut rehearsal = Rehearsal::new(session, Plan { rate: 20, ..Plan::of(workload) });
//! let found = loop {
//!     if let Some(found) = rehearsal.advance(|| true) {
//!         break found.unwrap();
//!     }
//! };
//! assert!(found.tried[0].lost() > 0, "pods that end close their ports before all rules have heard of it");
//! assert!(found.tried.iter().any(|t| t.lost() == 0), "something mends it");
//! ```

mod clients;
mod mend;
mod story;
mod targets;
#[cfg(test)]
mod tests;
mod trial;
mod workload;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::chart::{Chart, Took};
use super::{MomentId, Session};
use crate::api::ObjectRef;

pub use crate::network::Because;
pub use crate::network::policy::Direction;
pub use crate::network::question::Behind;
pub use crate::network::traffic::Cause;
pub use mend::Mend;
pub use story::{Happened, Story};
pub use targets::{Candidate, Reach, targets};
use trial::{Stage, Trial};
pub use workload::KINDS;

/// The requests that each client sends in a second, if nobody says otherwise.
pub const RATE: u32 = 50;
/// The most requests that each client sends in a second.
pub const RATE_LIMIT: u32 = 1_000;

/// What makes pods of the workload go in a rehearsal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Occasion {
    /// A rollout: that of the manifest if it changes the workload, and otherwise that of `kubectl rollout restart`.
    #[default]
    Rollout,
    /// `kubectl rollout restart` of the workload as it is in the cluster, whatever the manifest says.
    Restart,
    /// `kubectl rollout undo`: the workload goes back to its former revision.
    Undo,
    /// `kubectl scale`: the workload has half as many pods afterwards.
    Scale,
    /// `kubectl drain` of the node that has most pods of the workload.
    Drain,
}

/// A TCP port of a Service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// The name of the Service.
    pub service: String,
    /// The number of its port or, of a headless Service, that of its pods' port.
    pub port: i32,
}

/// What is rehearsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The workload whose pods are replaced: a Deployment, a StatefulSet or a DaemonSet.
    pub workload: ObjectRef,
    /// A manifest to apply. If the workload is in the cluster and the manifest changes it, applying it is the rollout;
    /// otherwise the rollout is that of `kubectl rollout restart`. A workload that is not in the cluster comes from it.
    pub manifest: Option<String>,
    /// The requests that each client sends in a second.
    pub rate: u32,
    /// Where the requests are sent; `None` for the first port of all that lead to the workload's pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<Port>,
    /// Whether the clients keep their connections.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_alive: bool,
    /// What makes pods go.
    #[serde(default)]
    pub occasion: Occasion,
}

impl Plan {
    /// A restart of a workload, with clients that send [`RATE`] requests a second to its first port.
    pub fn of(workload: ObjectRef) -> Plan {
        Plan {
            workload,
            manifest: None,
            rate: RATE,
            port: None,
            keep_alive: false,
            occasion: Occasion::Rollout,
        }
    }
}

/// How it was begun that pods are replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trigger {
    /// `kubectl rollout restart`
    Restart,
    /// `kubectl apply` of the manifest.
    Apply,
    /// `kubectl rollout undo` to this revision.
    Undo(i64),
    /// `kubectl scale` from so many pods to so many.
    Scale(i32, i32),
    /// `kubectl drain` of this node.
    Drain(String),
}

/// What a rehearsal has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rehearsed {
    /// What was rolled out.
    pub workload: ObjectRef,
    /// Where the requests were sent.
    pub url: String,
    /// The pods that sent them, each on a node of its own.
    pub clients: usize,
    /// How the rollout was begun.
    pub trigger: Trigger,
    /// The rollouts: first the one of the workload as it is, then one for each set of mends that was tried.
    pub tried: Vec<Tried>,
    /// The sets of mends that could not be tried, each with the reason.
    pub untried: Vec<(Vec<Mend>, NoRehearsal)>,
}

/// A client that loses requests before anything is changed. What it loses later says nothing about the rollout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loser {
    /// Who sends: a pod or, if the requests come from outside of the cluster, the object whose annotation says so.
    pub client: ObjectRef,
    /// What it asks.
    pub url: String,
    /// So many seconds are counted, in which nothing would be changed.
    pub seconds: f64,
    /// The requests that it would send in that time.
    pub sent: u64,
    /// How many of them would be lost, by cause; the most frequent first.
    pub losses: Vec<(Cause, u64)>,
}

/// A rollout, and what became of the requests meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What had been changed before.
    pub mends: Vec<Mend>,
    /// The lines of a manifest that make these changes; empty if no manifest makes them.
    pub lines: String,
    /// How many clients are counted: those that lost nothing before.
    pub clients: usize,
    /// What these clients ask, each once.
    pub urls: Vec<String>,
    /// How many of the workload's pods that were there when the rollout began have gone.
    pub gone: usize,
    /// The requests that were sent by the clients that are counted, from the beginning of the rollout to its end.
    pub sent: u64,
    /// How many of them were lost, by cause; the most frequent first.
    pub losses: Vec<(Cause, u64)>,
    /// For how many of these somebody on their way had not heard yet of the change of the endpoints, by who; the most frequent first.
    pub behind: Vec<(Behind, u64)>,
    /// The clients that lose requests before the rollout begins: they are not counted.
    pub before: Vec<Loser>,
    /// How long the rollout took, in seconds.
    pub seconds: f64,
    /// Whether the cluster came to rest. Otherwise it was given up after some time.
    pub steady: bool,
    /// What `kubectl rollout status` says at the end or, of a drain, what `kubectl drain` says.
    pub status: String,
    /// Why the node could not be drained: what `kubectl drain` says of a pod that stays. `None` if nothing of the kind was tried, or if
    /// the node was drained.
    pub undrained: Option<String>,
    /// How long the answers took; `None` without any.
    pub took: Option<Took>,
    /// What became of the requests over time.
    pub chart: Chart,
    /// How the first request was lost.
    pub first: Option<Story>,
    /// Repeats all this from the moment at which the rehearsal began: the text of a link of ops.
    pub link: String,
    /// The number of ops until the first lost request was sent or, without one, until the end.
    pub moment: usize,
    /// The number of ops until the rollout begins: what was changed before is in place there.
    pub ready: usize,
    /// The number of ops until the rollout has been begun, and nobody has acted on it yet.
    pub begun: usize,
    /// How many requests were lost until [`Tried::ready`], because to bring a change in is a rollout, too.
    pub brought: u64,
}

impl Tried {
    /// How many requests were lost.
    pub fn lost(&self) -> u64 {
        self.losses.iter().map(|(_, n)| n).sum()
    }

    /// Whether nothing was lost although pods have gone and requests were sent. Where no pod has gone nothing could be lost.
    pub fn is_lossless(&self) -> bool {
        self.lost() == 0 && self.sent > 0 && self.gone > 0
    }
}

/// Why there is no rehearsal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoRehearsal {
    /// The cluster has no such workload, nor has the manifest.
    NoWorkload,
    /// No Service leads to the workload's pods.
    NoService,
    /// This port of a Service was chosen, and does not lead to the workload's pods.
    NotReached(Port),
    /// The workload has no former revision to go back to.
    NoFormerRevision,
    /// The workload has less than two pods, of which half could go.
    TooFewPods,
    /// No node has pods of the workload.
    NoPods,
    /// A DaemonSet cannot be scaled, and a drain leaves its pods on the node.
    OfDaemonSet,
    /// No node is ready, so nobody can send requests.
    NoNode,
    /// What listens at this URL accepts connections and speaks no HTTP, so no request is ever answered.
    NoHttp(String),
    /// A command line was refused. This is what it printed.
    Refused(String),
    /// The cluster did not come to rest before the rollout.
    Restless,
}

/// How far a rehearsal is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stand {
    /// The rollouts that were tried.
    pub tried: usize,
    /// How many are known to be tried at least.
    pub of: usize,
    /// The steps of the present one.
    pub steps: usize,
}

/// A rehearsal under way, which is worked on in slices.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    plan: Plan,
    anchor: MomentId,
    /// The run with the clients, before anything is changed.
    prepared: Option<Trial>,
    trial: Trial,
    tried: Vec<Tried>,
    untried: Vec<(Vec<Mend>, NoRehearsal)>,
    /// How the first rollout was begun.
    trigger: Trigger,
    /// What can be changed.
    candidates: Vec<Mend>,
    todo: VecDeque<Vec<Mend>>,
    /// Whether all candidates together have helped, and fewer of them are tried.
    together: bool,
}

impl Rehearsal {
    /// A rehearsal on a run at its current moment.
    pub fn new(session: Session, plan: Plan) -> Rehearsal {
        let anchor = session.at();
        Rehearsal {
            trial: Trial::new(session),
            plan: Plan { rate: plan.rate.clamp(1, RATE_LIMIT), ..plan },
            anchor,
            prepared: None,
            tried: Vec::new(),
            untried: Vec::new(),
            trigger: Trigger::Restart,
            candidates: Vec::new(),
            todo: VecDeque::new(),
            together: false,
        }
    }

    /// How far it is.
    pub fn stand(&self) -> Stand {
        Stand {
            tried: self.tried.len(),
            of: self.tried.len() + self.todo.len() + 1,
            steps: self.trial.steps(),
        }
    }

    /// Goes on as long as `go_on` returns true. Returns what was found once all is done.
    ///
    /// # Errors
    /// Why there is nothing to be found.
    pub fn advance(&mut self, mut go_on: impl FnMut() -> bool) -> Option<Result<Rehearsed, NoRehearsal>> {
        loop {
            match self.trial.advance(&self.plan, &mut go_on) {
                Ok(true) => {}
                Ok(false) => return None,
                // What was found before stays found.
                Err(why) if !self.tried.is_empty() => {
                    self.untried.push((self.trial.mends().to_vec(), why));
                    if self.go_on() {
                        continue;
                    }
                    return Some(Ok(self.rehearsed()));
                }
                Err(why) => return Some(Err(why)),
            }
            if self.trial.stage() == Stage::Prepared {
                self.prepared = Some(self.trial.clone());
                self.trial.begin(Vec::new());
                continue;
            }
            if self.tried.is_empty() {
                self.trigger = self.trial.trigger();
            }
            self.tried.push(self.trial.told(&self.plan, self.anchor));
            self.plan_more();
            if !self.go_on() {
                return Some(Ok(self.rehearsed()));
            }
        }
    }

    /// Begins the next rollout that is to be tried. Returns whether there is one.
    fn go_on(&mut self) -> bool {
        match (self.todo.pop_front(), &self.prepared) {
            (Some(mends), Some(prepared)) => {
                self.trial = prepared.clone();
                self.trial.begin(mends);
                true
            }
            _ => false,
        }
    }

    fn rehearsed(&self) -> Rehearsed {
        Rehearsed {
            workload: self.plan.workload.clone(),
            url: self.trial.url().to_owned(),
            clients: self.trial.clients(),
            trigger: self.trigger.clone(),
            tried: self.tried.clone(),
            untried: self.untried.clone(),
        }
    }

    /// Plans what is tried next: each change alone, and if none of them helps all of them, and then without each.
    fn plan_more(&mut self) {
        let Some(last) = self.tried.last() else { return };
        if self.tried.len() == 1 {
            // What is lost anyway is not lost by a rollout: clients that lose requests before are not counted.
            if last.lost() == 0 {
                return;
            }
            self.candidates = self.trial.candidates(&self.plan, last);
            self.todo = self.candidates.iter().map(|m| vec![*m]).collect();
            return;
        }
        if !self.todo.is_empty() || self.together {
            return;
        }
        let helped = self.tried.iter().any(Tried::is_lossless);
        let all = self.candidates.len();
        if !helped && all > 1 && last.mends.len() < all {
            self.todo.push_back(self.candidates.clone());
        } else if last.mends.len() == all && all > 2 && last.is_lossless() {
            self.together = true;
            let without = |m: &Mend| self.candidates.iter().copied().filter(|c| c != m).collect();
            self.todo = self.candidates.iter().map(without).collect();
        }
    }
}
