//! What is shown: a snapshot whose parts are shared with the one before where nothing changed.

use std::collections::BTreeSet;
use std::rc::Rc;

use steady::api::{Kind, Object, ObjectRef};
use steady::cluster::Outcome;
use steady::session::view::graph::{Graph, touched};
use steady::session::view::{Declared, Preview, Problem, declared};
use steady::session::{Depth, MomentId, Policy, What as Did};

use super::run::clock;
use super::{Listing, MapState, Mode, Shared, State, Store};
use crate::ui::i18n::{Texts, step_sentence};
use crate::ui::who;

/// A mark of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Its moment.
    pub moment: MomentId,
    /// Its colour.
    pub who: &'static str,
    /// Whether a person did it.
    pub person: bool,
    /// Whether other branches begin here.
    pub fork: bool,
}

/// A command line and what it printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What was typed.
    pub line: String,
    /// What it printed.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it waits for something to happen.
    pub waits: bool,
}

/// A message that passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub bad: bool,
}

/// The step that led here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// Whose it was, as a class.
    pub who: &'static str,
    /// What happened and why.
    pub text: String,
}

/// What is shown.
#[derive(Clone, PartialEq)]
pub struct View {
    /// Grows with every change.
    pub version: u64,
    /// The language's texts.
    pub texts: Texts,
    /// The objects.
    pub graph: Shared<Graph>,
    /// What the last step changed.
    pub changed: Shared<BTreeSet<ObjectRef>>,
    /// What a command that is pointed at is about.
    pub lit: Shared<BTreeSet<ObjectRef>>,
    /// The colour of who changed it.
    pub said: Said,
    /// The selected object.
    pub selection: Option<ObjectRef>,
    /// The timeline.
    pub marks: Shared<Vec<Mark>>,
    /// Where on it we stand.
    pub position: usize,
    /// The moment that is looked at.
    pub at: MomentId,
    /// Milliseconds since the start.
    pub time: i64,
    /// etcd's revision.
    pub revision: u64,
    /// What may come next.
    pub listing: Listing,
    /// How deep a step goes.
    pub depth: Depth,
    /// Who goes next where nobody is chosen.
    pub policy: Policy,
    /// Whether it runs.
    pub mode: Mode,
    /// Whether it has run or loaded for so long that a person wants to know how far it is.
    pub slow: bool,
    /// Which of [`super::SPEEDS`].
    pub speed: usize,
    /// Whether what was declared is what is running.
    pub declared: Rc<Declared>,
    /// The manifest.
    pub text: Shared<String>,
    /// Grows when the page set it.
    pub text_set: u32,
    /// What is wrong with it.
    pub diagnostics: Shared<Vec<Problem>>,
    /// What Apply would do.
    pub preview: Option<Shared<Preview>>,
    /// What was typed and printed.
    pub terminal: Shared<Vec<Entry>>,
    /// What of the component map is chosen.
    pub map: MapState,
    /// A message.
    pub toast: Option<Toast>,
    /// The scenario's name.
    pub scenario: String,
}

impl State {
    /// Works out what follows from where the run stands.
    pub(super) fn derive(&mut self) {
        self.version += 1;
        if let Some(boot) = self.session.cluster_at(0) {
            let cluster = self.session.cluster();
            // Along one line only what was written in between is looked at.
            let followed = self.drawn.as_ref().and_then(|(at, then)| touched(&self.session, *at, then));
            let graph = match followed {
                Some(touched) => self.graph.after(cluster, &boot, &touched),
                None => Graph::new(cluster, &boot, &self.graph),
            };
            self.drawn = Some((self.session.at(), cluster.api().clone()));
            self.graph = Shared::new(graph);
        }
        self.declared = Rc::new(declared(self.session.cluster(), &self.graph));
        let moment = self.session.current();
        let changed: BTreeSet<ObjectRef> =
            moment.writes().iter().map(|w| w.object.clone()).filter(|o| o.kind != Kind::EVENT).collect();
        self.changed = Shared::new(changed);
        if !self.lit.is_empty() {
            self.lit = Shared::default();
        }
        if self.selection.as_ref().is_some_and(|s| self.graph.find(s).is_none() && !exists(self, s)) {
            self.selection = None;
        }
        self.derive_marks();
        self.follow();
        self.listing = Listing::default();
        self.lines = super::listing::LINES;
    }

    fn derive_marks(&mut self) {
        let line = self.session.timeline();
        let tip = line.last().copied().unwrap_or(0);
        let kept = self.marks.len();
        let fresh = line.get(kept.saturating_sub(1)).copied();
        let extends = kept > 0 && self.marks.last().map(|m| m.moment) == fresh && kept <= line.len();
        if tip == self.marks_tip && extends && kept == line.len() && !self.fork_is_new(&line) {
            return;
        }
        let mark = |id: MomentId| {
            let m = self.session.moment(id)?;
            let by = m.by();
            Some(Mark {
                moment: id,
                who: by.as_deref().map_or("who-start", who::class),
                person: matches!(m.what, Did::Start | Did::Person { .. }),
                fork: m.children.len() > 1,
            })
        };
        // The mark before the new ones may have become a fork.
        let keep = if extends { kept - 1 } else { 0 };
        let new: Vec<Mark> = line.iter().skip(keep).filter_map(|id| mark(*id)).collect();
        self.marks = self.marks.with(|m| {
            m.truncate(keep);
            m.extend(new);
        });
        self.marks_tip = tip;
    }

    fn fork_is_new(&self, line: &[MomentId]) -> bool {
        line.iter()
            .zip(self.marks.iter())
            .any(|(id, m)| self.session.moment(*id).is_some_and(|x| (x.children.len() > 1) != m.fork))
    }
}

fn exists(state: &State, object: &ObjectRef) -> bool {
    state.session.cluster().api().cached(object).is_some()
}

impl Store {
    /// What is shown now.
    pub fn view(&self) -> View {
        let texts = self.texts();
        self.with(|s| {
            let moment = s.session.current();
            let start = s.session.cluster_at(0).map_or(0, |c| c.now().as_millisecond());
            let position = s.marks.iter().position(|m| m.moment == s.session.at()).unwrap_or(0);
            View {
                version: s.version,
                graph: s.graph.clone(),
                changed: s.changed.clone(),
                lit: s.lit.clone(),
                said: Said {
                    who: moment.by().as_deref().map_or("who-start", who::class),
                    text: step_sentence(&texts, moment),
                },
                selection: s.selection.clone(),
                marks: s.marks.clone(),
                position,
                at: s.session.at(),
                time: s.session.now().as_millisecond() - start,
                revision: s.session.cluster().api().resource_version(),
                listing: s.listing.clone(),
                depth: s.depth,
                policy: s.session.policy().clone(),
                mode: s.mode.clone(),
                slow: s.mode != Mode::Idle && clock() - s.since > 400.0,
                speed: s.speed,
                declared: s.declared.clone(),
                text: s.text.clone(),
                text_set: s.text_set,
                diagnostics: s.diagnostics.clone(),
                preview: s.preview.clone(),
                terminal: s.terminal.clone(),
                map: s.map,
                toast: s.toast.clone(),
                scenario: s.session.start().scenario.clone(),
                texts,
            }
        })
    }

    /// What happened on the way to a moment, and why.
    pub fn said_at(&self, moment: MomentId) -> String {
        let texts = self.texts();
        self.with(|s| s.session.moment(moment).map(|m| step_sentence(&texts, m)).unwrap_or_default())
    }

    /// What the last step was about: the object that it wrote, or that the machinery handled.
    pub fn subject(&self) -> Option<ObjectRef> {
        self.with(|s| {
            let moment = s.session.current();
            let writes = moment.writes();
            let written = writes.iter().map(|w| w.object.clone()).find(|o| o.kind != Kind::EVENT);
            written.or_else(|| match &moment.what {
                Did::Machinery(t) => match &t.outcome {
                    Outcome::Reflected { kind, key }
                    | Outcome::Indexed { kind, key }
                    | Outcome::Handled { kind, key } => Some(ObjectRef { kind: *kind, key: key.clone() }),
                    Outcome::Sent { request, .. } => Some(request.object()),
                    _ => None,
                },
                _ => None,
            })
        })
    }

    /// An object before the last step and after it.
    pub fn before_and_after(&self, of: &ObjectRef) -> (Option<Object>, Option<Object>) {
        self.with(|s| {
            let moment = s.session.current();
            let after = s.session.cluster().api().cached(of).cloned();
            let first = moment.writes().into_iter().find(|w| w.object == *of);
            (first.map_or_else(|| after.clone(), |w| w.prev.clone()), after)
        })
    }

    /// The branches that are not shown: at which step they leave this one, the moment they begin
    /// with, what they begin with, and how long they are.
    pub fn branches(&self, marks: &[Mark]) -> Vec<(usize, MomentId, String, usize)> {
        let texts = self.texts();
        self.with(|s| {
            let mut out = Vec::new();
            for (place, mark) in marks.iter().enumerate().filter(|(_, m)| m.fork) {
                let shown = marks.get(place + 1).map(|m| m.moment);
                let children = s.session.moment(mark.moment).map_or(&[][..], |m| &m.children);
                for child in children.iter().copied().filter(|c| Some(*c) != shown) {
                    let mut length = 1;
                    let mut end = child;
                    while let Some(next) = s.session.moment(end).and_then(|m| m.children.last().copied()) {
                        end = next;
                        length += 1;
                    }
                    let said = s.session.moment(child).map(|m| step_sentence(&texts, m)).unwrap_or_default();
                    out.push((place, child, said, length));
                }
            }
            out
        })
    }
}
