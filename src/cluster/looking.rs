//! What kubelets ask of their container runtimes while an action is taken: noted for whoever looks.

use super::{Action, Actor, Cluster, StepError, Transition};
use crate::kubelet::cri::Call;

impl Cluster {
    /// Takes an action, as [`Cluster::act`] does, and returns also the calls that a kubelet makes to its container runtime in
    /// the course of it. To be called on a copy: nobody looks otherwise, so that nothing is noted then.
    ///
    /// # Errors
    /// If the action is not enabled; then nothing has changed.
    pub fn act_looking(&mut self, action: &Action) -> Result<(Transition, Vec<Call>), StepError> {
        let of_kubelet = |actor: &Actor| self.process(actor.process).is_some_and(|p| p.node.is_some());
        let actor = match action {
            Action::Start { actor } | Action::Send { actor } => Some(*actor).filter(of_kubelet),
            _ => None,
        };
        let Some(actor) = actor else { return Ok((self.act(action)?, Vec::new())) };
        let place = usize::from(actor.component);
        if let Some(c) = self.process_mut(actor.process).and_then(|p| p.components.get_mut(place)) {
            c.look();
        }
        let transition = self.act(action)?;
        let component = self.process_mut(actor.process).and_then(|p| p.components.get_mut(place));
        let notes = component.map(|c| c.take_notes()).unwrap_or_default();
        let calls = notes.iter().filter_map(|n| n.downcast_ref::<Vec<Call>>());
        Ok((transition, calls.flatten().cloned().collect()))
    }
}
