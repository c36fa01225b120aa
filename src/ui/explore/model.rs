//! What the explorer's panel knows.

use std::rc::Rc;

use steady::engine::explorer::{Found, Own, Picture, Plan, Progress, StateId, Symmetry, Tell, Unreadable};
use steady::engine::{Depth, Moment};
use yew::Reducible;

/// The library's invariants, by their names there.
pub const INVARIANTS: [&str; 6] =
    ["maxUnavailable", "maxSurge", "oneController", "noOrphan", "boundOnce", "noRequestLost"];

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Phase {
    /// Nothing is under way.
    #[default]
    Idle,
    /// The run is repeated: so many steps of so many.
    Replaying(u64, u64),
    /// It explores.
    Exploring,
}

/// Where an exploration began, in the page's own terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// In which session.
    pub session: u32,
    /// At which moment.
    pub moment: Moment,
    /// What one step is.
    pub depth: Depth,
}

/// What a person has chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// What one step is; that of the page if none was chosen.
    pub depth: Option<Depth>,
    /// Whether interchangeable objects are told apart.
    pub symmetry: Symmetry,
    /// Bounds: states, steps, megabytes.
    pub bounds: [usize; 3],
    /// Which of [`INVARIANTS`].
    pub invariants: [bool; 6],
    /// Their own.
    pub own: Own,
}

impl Default for Choices {
    fn default() -> Choices {
        Choices {
            depth: None,
            symmetry: Symmetry::Merged,
            bounds: [10_000, 1_000, 512],
            invariants: [true; 6],
            own: Own::default(),
        }
    }
}

impl Choices {
    /// The same, with one of [`INVARIANTS`] and no other.
    pub fn only(&self, name: &str) -> Choices {
        Choices { invariants: INVARIANTS.map(|known| known == name), own: Own::default(), ..self.clone() }
    }

    /// What the worker is to do.
    pub fn plan(&self, link: String, depth: Depth) -> Plan {
        let [states, steps, megabytes] = self.bounds;
        let chosen = INVARIANTS.iter().zip(self.invariants).filter(|(_, on)| *on);
        let own = (!self.own.text.trim().is_empty()).then(|| self.own.clone());
        Plan {
            link,
            depth,
            symmetry: self.symmetry,
            states,
            steps,
            megabytes,
            invariants: chosen.map(|(name, _)| (*name).to_owned()).collect(),
            own: own.into_iter().collect(),
        }
    }
}

/// What the panel shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// What was chosen.
    pub choices: Choices,
    /// How far it is.
    pub phase: Phase,
    /// Since when, in milliseconds of the page's clock.
    pub since: f64,
    /// For how long it explored, in milliseconds.
    pub took: f64,
    /// What it said last of how far it is.
    pub progress: Progress,
    /// Where it began.
    pub anchor: Option<Anchor>,
    /// What it found.
    pub found: Option<Rc<Found>>,
    /// The graph of states.
    pub picture: Option<Rc<Picture>>,
    /// The state that a person stands on.
    pub focus: Option<StateId>,
    /// In which states the page's run is.
    pub run: Rc<Vec<Option<StateId>>>,
    /// What is wrong with their own invariant.
    pub unreadable: Option<Unreadable>,
    /// What it refused, or how it failed.
    pub trouble: Option<String>,
    /// Whether the worker is gone.
    pub failed: bool,
}

/// What happens to it.
pub enum Change {
    /// Something else was chosen.
    Chosen(Choices),
    /// It was told to explore from there.
    Started(Anchor, f64),
    /// The worker told something, at that time.
    Told(Tell, f64),
    /// The worker did not stop by itself, so it was ended.
    Ended,
    /// A person stands on another state.
    Focused(StateId),
    /// The run is not where the exploration is.
    Elsewhere,
}

impl Model {
    /// Whether something is under way.
    pub fn is_busy(&self) -> bool {
        self.phase != Phase::Idle
    }
}

impl Reducible for Model {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut m = (*self).clone();
        match change {
            Change::Chosen(choices) => {
                if choices.own.text != m.choices.own.text {
                    m.unreadable = None;
                }
                m.choices = choices;
            }
            Change::Started(anchor, now) => {
                m = Model { choices: m.choices, ..Model::default() };
                m.phase = Phase::Replaying(0, 0);
                m.anchor = Some(anchor);
                m.since = now;
            }
            Change::Ended => m.phase = Phase::Idle,
            Change::Focused(id) => m.focus = Some(id),
            Change::Elsewhere => m.run = Rc::default(),
            Change::Told(tell, now) => m.hear(tell, now),
        }
        m.into()
    }
}

impl Model {
    fn hear(&mut self, tell: Tell, now: f64) {
        match tell {
            // What is told of rehearsals is told to another worker.
            Tell::Ready(_) | Tell::Rehearsing(_) | Tell::Rehearsed(_) | Tell::NoRehearsal(_) => {}
            Tell::Way { .. } => self.trouble = None,
            Tell::Stopped => self.phase = Phase::Idle,
            Tell::Replaying(done, of) => self.phase = Phase::Replaying(done, of),
            Tell::Progress(progress) => {
                if self.phase != Phase::Exploring {
                    self.phase = Phase::Exploring;
                    self.since = now;
                }
                self.took = now - self.since;
                self.progress = progress;
            }
            Tell::Found(found) => {
                self.took = now - self.since;
                self.phase = Phase::Idle;
                self.found = Some(Rc::from(found));
            }
            Tell::Picture(picture) => {
                if self.focus.is_none() {
                    self.focus = picture.nodes.first().map(|n| n.id);
                }
                self.picture = Some(Rc::new(picture));
            }
            Tell::Where(states) => {
                // Who moves the run looks at where it is.
                let now = states.last().copied().flatten();
                if now.is_some() && now != self.run.last().copied().flatten() {
                    self.focus = now;
                }
                self.run = Rc::new(states);
            }
            Tell::Readable => self.unreadable = None,
            Tell::Unreadable(why) => {
                self.phase = Phase::Idle;
                self.unreadable = Some(why);
            }
            Tell::NoWay(_) => self.trouble = Some(String::new()),
            Tell::Refused(why) => {
                self.phase = Phase::Idle;
                self.trouble = Some(why);
            }
            Tell::Failed(why) => {
                self.phase = Phase::Idle;
                self.failed = true;
                self.trouble = Some(why);
            }
        }
    }
}
