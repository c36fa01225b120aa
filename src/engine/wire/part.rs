//! The parts of what is shown.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::graph::{self, FilteredChange, GraphChange};
use super::list::{self, Splice};
use crate::api::ObjectRef;
use crate::cluster::Policy;
use crate::engine::terminal::{Editing, Entry, ShellView};
use crate::engine::{
    Declared, DefinedKind, Depth, GraphFilter, Happened, ImageWarning, LessonView, Listing, MapState, Mark,
    Mode, Moment, NextRuns, OwnLesson, Preview, Problem, ScenarioView, Shown,
};
use crate::session::scenario::Text;

/// How a part is compared with the part before, and put in its place: by what it says.
mod whole {
    pub fn changed<T: Clone + PartialEq>(before: &T, now: &T) -> Option<T> {
        (before != now).then(|| now.clone())
    }

    pub fn put<T>(part: &mut T, now: T) {
        *part = now;
    }
}

/// By its pointer.
mod shared {
    use std::rc::Rc;

    pub fn changed<T: ?Sized>(before: &Rc<T>, now: &Rc<T>) -> Option<Rc<T>> {
        (!Rc::ptr_eq(before, now)).then(|| now.clone())
    }

    pub use super::whole::put;
}

/// By its pointer, if it is there.
mod maybe {
    use std::rc::Rc;

    pub fn changed<T>(before: &Option<Rc<T>>, now: &Option<Rc<T>>) -> Option<Option<Rc<T>>> {
        let same = match (before, now) {
            (Some(before), Some(now)) => Rc::ptr_eq(before, now),
            (before, now) => before.is_none() && now.is_none(),
        };
        (!same).then(|| now.clone())
    }

    pub use super::whole::put;
}

/// Makes [`Part`] of the fields of [`Shown`] with the type of each change and the way in which it is compared. `filtered`, which
/// is told by whether it is the graph itself, is not among them.
macro_rules! parts {
    ($($field:ident: $part:ident($change:ty) by $how:ident,)*) => {
        /// A part of what is shown that changed, named as the field of [`Shown`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum Part {
            $(
                #[doc = concat!("[`Shown::", stringify!($field), "`]")]
                $part($change),
            )*
            /// [`Shown::filtered`]
            Filtered(FilteredChange),
        }

        /// What changed.
        pub(super) fn changed(before: &Shown, now: &Shown) -> Vec<Part> {
            // Names every field, so that a new one does not compile until it has a part.
            let Shown { filtered: _, $($field),* } = now;
            let mut parts = Vec::new();
            $(parts.extend($how::changed(&before.$field, $field).map(Part::$part));)*
            parts.extend(changed_filtered(before, now).map(Part::Filtered));
            parts
        }

        /// Carries out what changed of a part.
        pub(super) fn put(shown: &mut Shown, part: Part) {
            match part {
                $(Part::$part(change) => $how::put(&mut shown.$field, change),)*
                Part::Filtered(FilteredChange::Whole) => shown.filtered = shown.graph.clone(),
                Part::Filtered(FilteredChange::Part(change)) => graph::put(&mut shown.filtered, change),
            }
        }
    };
}

parts! {
    version: Version(u64) by whole,
    session: Session(u32) by whole,
    run: Run(Rc<str>) by shared,
    graph: Graph(GraphChange) by graph,
    filter: Filter(Rc<GraphFilter>) by shared,
    changed: Changed(Rc<BTreeSet<ObjectRef>>) by shared,
    happened: Happened(Rc<Happened>) by shared,
    by: By(Option<Rc<str>>) by whole,
    subject: Subject(Option<ObjectRef>) by whole,
    finest: Finest(usize) by whole,
    selection: Selection(Option<ObjectRef>) by whole,
    marks: Marks(Splice<Mark>) by list,
    position: Position(usize) by whole,
    at: At(Moment) by whole,
    act_ahead: ActAhead(Option<Rc<Happened>>) by maybe,
    time: Time(i64) by whole,
    clock: Clock(i64) by whole,
    runs: Runs(Rc<NextRuns>) by whole,
    revision: Revision(u64) by whole,
    listing: Listing(Listing) by whole,
    depth: Depth(Depth) by whole,
    inside: Inside(bool) by whole,
    inside_of: InsideOf(Option<Rc<str>>) by whole,
    policy: Policy(Policy) by whole,
    mode: Mode(Mode) by whole,
    slow: Slow(bool) by whole,
    speed: Speed(usize) by whole,
    declared: Declared(Rc<Declared>) by whole,
    ended: Ended(bool) by whole,
    beginning: Beginning(usize) by whole,
    text: Text(Rc<String>) by shared,
    text_set: TextSet(u32) by whole,
    importable: Importable(bool) by whole,
    notes: Notes(Rc<Vec<(usize, Text)>>) by shared,
    diagnostics: Diagnostics(Rc<Vec<Problem>>) by shared,
    images: Images(Rc<Vec<ImageWarning>>) by shared,
    kinds: Kinds(Rc<Vec<DefinedKind>>) by shared,
    preview: Preview(Option<Rc<Preview>>) by maybe,
    terminal: Terminal(Splice<Rc<Entry>>) by list,
    history: History(Splice<String>) by list,
    shell: Shell(Option<Rc<ShellView>>) by maybe,
    editing: Editing(Option<Rc<Editing>>) by maybe,
    map: Map(MapState) by whole,
    scenario: Scenario(Option<Rc<ScenarioView>>) by maybe,
    lesson: Lesson(Option<Rc<LessonView>>) by maybe,
    own_lesson: OwnLesson(Option<Rc<OwnLesson>>) by maybe,
}

/// What changed of the part of the graph that the filter lets through. It comes after the graph.
fn changed_filtered(before: &Shown, now: &Shown) -> Option<FilteredChange> {
    let (was_whole, is_whole) =
        (Rc::ptr_eq(&before.filtered, &before.graph), Rc::ptr_eq(&now.filtered, &now.graph));
    if !is_whole {
        return graph::changed(&before.filtered, &now.filtered).map(FilteredChange::Part);
    }
    (!was_whole || !Rc::ptr_eq(&before.graph, &now.graph)).then_some(FilteredChange::Whole)
}
