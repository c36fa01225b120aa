//! Everybody hears of everything that has happened, before anybody acts on it.

use super::Cluster;
use super::action::Action;
use super::command::{ACTIONS_LIMIT, Stopped};

impl Cluster {
    /// Notifies all components of all changes, and writes the events that wait. No component takes a key or sends a request.
    ///
    /// # Errors
    /// [`Stopped::Limit`] if that never ends.
    pub fn tell_everybody(&mut self) -> Result<(), Stopped> {
        for _ in 0..ACTIONS_LIMIT {
            let now = self.enabled();
            let mut news = now.into_iter().filter(|a| {
                matches!(
                    a,
                    Action::List { .. }
                        | Action::Watch { .. }
                        | Action::Pop { .. }
                        | Action::Notify { .. }
                        | Action::Record { .. }
                        | Action::Informers { .. }
                )
            });
            let Some(first) = news.next() else { return Ok(()) };
            for action in std::iter::once(first).chain(news) {
                match action {
                    // A handler writes nothing, so less has to be looked at than after another action.
                    Action::Notify { actor, informer } if !self.elects => {
                        self.hear(actor, informer, 1);
                        self.settle_due();
                    }
                    // An earlier action may have made this one impossible.
                    _ => drop(self.act(&action)),
                }
            }
        }
        Err(Stopped::Limit)
    }
}
