//! What of the component map is chosen: whether it is shown, and whose machine.

use gloo::utils::window;
use steady::cluster::Actor;
use steady::session::view::machinery::movement;
use steady::session::{Depth, FINEST_LIMIT, MomentId};

use super::{State, Store, persist};

/// Whether the map was shown last.
const SHOWN: &str = "steady:view";
/// What the map is called there, and in a link.
const MACHINERY: &str = "machinery";

/// What is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MapState {
    /// Whether the map is shown in place of the objects.
    pub shown: bool,
    /// Whose machine.
    pub machine: Actor,
    /// Whether a person chose it; else it is whose turn it was.
    pub pinned: bool,
}

impl MapState {
    /// As it was when the page was closed.
    pub(super) fn remembered() -> MapState {
        MapState { shown: persist::read(SHOWN).as_deref() == Some(MACHINERY), ..MapState::default() }
    }
}

impl MapState {
    /// What a link says of it.
    pub(super) fn in_link(self) -> Option<String> {
        self.shown.then(|| MACHINERY.to_owned())
    }

    /// A run is opened: nobody is chosen, and what it was looked at with is shown.
    pub(super) fn open(&mut self, view: Option<&str>) {
        *self = MapState { shown: self.shown || view == Some(MACHINERY), ..MapState::default() };
    }
}

impl State {
    /// The map shows whoever acted last, unless somebody was chosen.
    pub(super) fn follow(&mut self) {
        let cluster = self.session.cluster();
        if self.map.pinned && cluster.component(self.map.machine).is_some() {
            return;
        }
        let Some(m) = movement(cluster, self.session.current()) else { return };
        // What reaches several components is looked at where one is looking.
        if !m.reaches.contains(&self.map.machine)
            && let Some(actor) = m.actor
        {
            self.map.machine = actor;
        }
    }
}

impl Store {
    /// Shows the map or the objects.
    pub fn show_map(&self, shown: bool) {
        if let Ok(Some(storage)) = window().local_storage() {
            // A setting that cannot be kept holds until the page is closed.
            let _ = storage.set_item(SHOWN, if shown { MACHINERY } else { "objects" });
        }
        self.change(|s| {
            s.map.shown = shown;
            s.follow();
        });
        self.refresh();
    }

    /// Shows the other of the two.
    pub fn toggle_map(&self) {
        let shown = self.with(|s| s.map.shown);
        self.show_map(!shown);
    }

    /// Looks at a component's machine, or with none at whoever acts.
    pub fn look_at_machine(&self, actor: Option<Actor>) {
        self.change(|s| {
            s.map.pinned = actor.is_some();
            match actor {
                Some(actor) => s.map.machine = actor,
                None => s.follow(),
            }
        });
        self.refresh();
    }

    /// Steps into a moment: its finest actions become a branch, and the moment after so many of them is
    /// looked at.
    pub fn step_into(&self, moment: MomentId, n: usize) {
        if !self.at_rest() {
            return;
        }
        if self.change(|s| s.session.step_into(moment, n)) {
            self.change(|s| s.depth = Depth::Machinery);
            self.show_map(true);
            self.moved();
        } else {
            let too_many = self.with(|s| s.session.actions_of(moment).len() > FINEST_LIMIT);
            let key = if too_many { "into-too-many" } else { "into-nothing" };
            self.say(self.texts().with(key, &[("n", (FINEST_LIMIT as f64).into())]), false);
        }
    }
}
