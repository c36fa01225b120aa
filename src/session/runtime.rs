//! The calls that kubelets have made to their container runtimes on the way to a moment, noted while its actions are taken
//! again.

use super::{FINEST_LIMIT, MomentId, Op, Session};
use crate::api::Timestamp;
use crate::cluster::{Action, Actor, Fault};
use crate::kubelet::cri::Call;
use crate::network::cni::Plugin;

/// The calls of a kubelet in the course of one action.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeCalls {
    /// The place of the action among those of its moment, from 0.
    pub action: usize,
    /// The kubelet.
    pub actor: Actor,
    /// The time of the action.
    pub now: Timestamp,
    /// The network of the cluster then.
    pub plugin: Plugin,
    /// The calls, in the order in which the kubelet has made or planned them.
    pub calls: Vec<Call>,
}

impl Session {
    /// The calls of a moment's actions. `None` if there are more than [`FINEST_LIMIT`] of these.
    pub fn runtime_calls(&self, id: MomentId) -> Option<Vec<RuntimeCalls>> {
        let actions = match self.moment(id).map(|m| &*m.op) {
            // What nobody waits for is done before time passes: images are removed, for one.
            Some(Op::Fault(Fault::Wait { .. })) => {
                self.before(id)?.actions_before_time_passes(FINEST_LIMIT + 1)
            }
            _ => self.made_of(id),
        };
        if !actions.iter().any(|a| self.kubelet_of(a).is_some()) {
            return Some(Vec::new());
        }
        if actions.len() > FINEST_LIMIT {
            return None;
        }
        let mut cluster = self.before(id)?;
        let mut all = Vec::new();
        for (place, action) in actions.iter().enumerate() {
            let (now, plugin) = (cluster.now(), cluster.network_plugin());
            let Ok((_, calls)) = cluster.act_looking(action) else { break };
            if let Some(actor) = self.kubelet_of(action).filter(|_| !calls.is_empty()) {
                all.push(RuntimeCalls { action: place, actor, now, plugin, calls });
            }
        }
        Some(all)
    }

    /// The kubelet whose sync an action begins or continues.
    fn kubelet_of(&self, action: &Action) -> Option<Actor> {
        let (Action::Start { actor } | Action::Send { actor }) = action else { return None };
        self.cluster().process(actor.process)?.node.as_ref().map(|_| *actor)
    }
}
