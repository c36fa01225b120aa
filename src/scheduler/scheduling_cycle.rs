//! A scheduling cycle as a function of what the scheduler knows (`schedulePod`, `RunPostFilterPlugins`): which node a pod
//! gets, or why it gets none. The scheduler's loop acts on the result; [`explain`](super::explain) only shows it.

use std::rc::Rc;

use super::default_preemption::{PostFiltered, post_filter};
use super::framework::{Handle, PodInfo};
use super::runtime::{
    FindArgs, Found, Scores, find_nodes_that_fit, fit_error_message, score_nodes, select_host,
};
use crate::api::types::PodDisruptionBudget;

/// The result of a cycle.
#[derive(Clone, Debug)]
pub enum End {
    /// The pod gets the node with this name.
    Node(Rc<str>),
    /// No node fits: the message of the pod's condition, and what PostFilter says.
    Nowhere(String, PostFiltered),
    /// A plugin could not decide, and this is its error.
    Failed(String),
}

/// A cycle and its result.
#[derive(Clone, Debug)]
pub struct Cycle<'a> {
    /// The search for nodes that fit; `None` if there are no nodes.
    pub found: Option<Found<'a>>,
    /// The scores of the nodes that were found. They are empty if fewer than two were found, as then nothing is scored.
    pub scores: Scores,
    /// The result.
    pub end: End,
}

/// Runs a cycle. `start` is the index of the node with which the search begins. `random` decides between equally good
/// nodes. `budgets` is called only if no node fits.
pub fn run<'a>(
    h: &Handle<'a>,
    pod: &'a PodInfo,
    start: usize,
    random: u64,
    budgets: impl FnOnce() -> Vec<Rc<PodDisruptionBudget>>,
) -> Cycle<'a> {
    let nodes = h.snapshot.nodes.len();
    if nodes == 0 {
        let post = PostFiltered { clear_nomination: true, ..PostFiltered::default() };
        let message = "no nodes available to schedule pods".to_owned();
        return Cycle { found: None, scores: Scores::default(), end: End::Nowhere(message, post) };
    }
    let found = find_nodes_that_fit(h, pod, FindArgs { percentage: 0, start });
    let mut scores = Scores::default();
    let end = if let Some(message) = found.diagnosis.failure() {
        End::Failed(message)
    } else {
        match found.nodes.as_slice() {
            [] => {
                let post = post_filter(h, &found, &budgets(), random);
                End::Nowhere(fit_error_message(nodes, &found.diagnosis, &post.message), post)
            }
            [one] => End::Node(one.name().clone()),
            [first, ..] => {
                scores = score_nodes(h, &found.state, &found.nodes);
                End::Node(select_host(&scores, random).unwrap_or_else(|| first.name()).clone())
            }
        }
    };
    Cycle { found: Some(found), scores, end }
}

/// A number in place of chance: it decides between equally good nodes, and with which node preemption begins its search. It is
/// the FNV-1a hash of the pod's uid and of the number of its attempts, folded to 32 bits, so what happens to other pods does
/// not change it.
pub fn tie_break(uid: &str, attempts: u32) -> u64 {
    let add = |h: u64, n: u64| (h ^ n).wrapping_mul(0x0100_0000_01b3);
    let hash = uid.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| add(h, u64::from(b)));
    let hash = add(hash, u64::from(attempts));
    (hash >> 32) ^ (hash & 0xffff_ffff)
}
