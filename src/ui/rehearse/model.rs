//! What the panel about rollouts knows.

use std::rc::Rc;

use steady::engine::explorer::Tell;
use steady::engine::explorer::rehearsal::{NoRehearsal, Occasion, Port, RATE, Rehearsed, Stand};
use steady::engine::{Moment, ObjectRef};
use yew::Reducible;

/// Where a rehearsal began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// In which session.
    pub session: u32,
    /// At which moment.
    pub moment: Moment,
}

/// How far a rehearsal is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Phase {
    /// None is under way.
    #[default]
    Idle,
    /// The run is repeated: so many steps of so many.
    Replaying(u64, u64),
    /// It rehearses.
    Rehearsing(Stand),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// There is nothing to rehearse.
    None(NoRehearsal),
    /// The worker refused, or has failed.
    Worker(String),
}

/// What the panel shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The workload that was chosen; the first one if none was.
    pub workload: Option<ObjectRef>,
    /// The requests that each client sends in a second.
    pub rate: u32,
    /// The port that was chosen for the workload; the first one if none was.
    pub port: Option<Port>,
    /// Whether the clients keep their connections.
    pub keep_alive: bool,
    /// What makes pods go.
    pub occasion: Occasion,
    /// How far it is.
    pub phase: Phase,
    /// Where it began.
    pub anchor: Option<Anchor>,
    /// What was found.
    pub found: Option<Rc<Rehearsed>>,
    /// Why nothing was found.
    pub trouble: Option<Trouble>,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            workload: None,
            rate: RATE,
            port: None,
            keep_alive: false,
            occasion: Occasion::Rollout,
            phase: Phase::Idle,
            anchor: None,
            found: None,
            trouble: None,
        }
    }
}

/// What happens to it.
pub enum Change {
    /// A workload was chosen.
    Workload(ObjectRef),
    /// A rate was chosen.
    Rate(u32),
    /// A port was chosen; `None` for the first one.
    Port(Option<Port>),
    /// It was chosen whether connections are kept.
    KeepAlive(bool),
    /// It was chosen what makes pods go.
    Occasion(Occasion),
    /// It was told to rehearse from there.
    Started(Anchor),
    /// The worker told something.
    Told(Tell),
    /// The worker was ended.
    Ended,
}

impl Model {
    /// Whether something is under way.
    pub fn is_busy(&self) -> bool {
        self.phase != Phase::Idle
    }

    fn hear(&mut self, tell: Tell) {
        match tell {
            Tell::Replaying(done, of) => self.phase = Phase::Replaying(done, of),
            Tell::Rehearsing(stand) => self.phase = Phase::Rehearsing(stand),
            Tell::Rehearsed(found) => {
                self.phase = Phase::Idle;
                self.found = Some(Rc::from(found));
            }
            Tell::NoRehearsal(why) => {
                self.phase = Phase::Idle;
                self.trouble = Some(Trouble::None(why));
            }
            Tell::Refused(why) | Tell::Failed(why) => {
                self.phase = Phase::Idle;
                self.trouble = Some(Trouble::Worker(why));
            }
            Tell::Stopped => self.phase = Phase::Idle,
            // The rest is about explorations.
            _ => {}
        }
    }
}

impl Reducible for Model {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut m = (*self).clone();
        match change {
            Change::Workload(workload) => (m.workload, m.port) = (Some(workload), None),
            Change::Rate(rate) => m.rate = rate,
            Change::Port(port) => m.port = port,
            Change::KeepAlive(keep_alive) => m.keep_alive = keep_alive,
            Change::Occasion(occasion) => m.occasion = occasion,
            Change::Started(anchor) => {
                (m.phase, m.anchor) = (Phase::Replaying(0, 0), Some(anchor));
                (m.found, m.trouble) = (None, None);
            }
            Change::Told(tell) => m.hear(tell),
            Change::Ended => m.phase = Phase::Idle,
        }
        m.into()
    }
}
