//! Lessons: a text in steps, with predictions that the run answers and goals that the run meets, over a run like any other.
//!
//! A lesson is a file in `static/lessons/`, in both languages; [`read`] reads one, and docs/lessons.md says how one is written.
//! [`LessonRun`] is a lesson that somebody goes through. Its right answers are not in the file: they are expressions over the
//! cluster's objects and over what happened since the step began.
//!
//! ```
//! use std::rc::Rc;
//! use steady::lessons::{self, LessonRun};
//! let text = "
//! title: {en: One, zh: 一}
//! idea: {en: An idea, zh: 一个想法}
//! start: {nodes: 1, manifest: ''}
//! steps:
//!   - text: {en: Make a ConfigMap., zh: 创建一个 ConfigMap。}
//!     do:
//!       goal:
//!         - label: {en: There is one in default., zh: default 里有一个。}
//!           holds: {now: 'now.configmaps.exists(c, c.metadata.name == \"mine\")'}
//!       solution: [kubectl: create configmap mine]
//! keep: {en: Keep this., zh: 记住这句话。}
//! ";
//! let lesson = Rc::new(lessons::read("one.yaml", text).unwrap());
//! let mut session = lessons::open(&lesson);
//! let mut run = LessonRun::new(lesson.clone());
//! run.enter(0, &session);
//! assert!(!run.is_done());
//! session.kubectl("create configmap mine", &[]);
//! assert!(run.judge(&session) && run.is_done());
//! ```

mod check;
mod expression;
mod file;
pub mod glossary;
mod history;
mod journeys;
mod prints;
mod run;
#[cfg(test)]
mod tests;
mod view;

pub use check::{Check, Flaw, check};
pub use expression::{Answer, AtMoment, Expression, Measure, Now, Scope};
pub use file::{
    Asked, Beginning, By, CHARACTERS_LIMIT, Choice, Holds, Lesson, LessonStep, Lit, Look, NUMBERS_LIMIT,
    Numbers, Page, Part, Predict, STEPS_LIMIT, Task, WORDS_LIMIT, read,
};
pub use journeys::{JourneyLink, Journeys};
pub use prints::{ASKED_LIMIT, PrintView, Prints};
pub use run::{LessonRun, Predicted};
pub use view::{AnswerForm, EndView, LessonView, PartView, PredictView, PredictedView, SeenView, TaskView};

pub use crate::session::{LessonLink, Prediction, VisitLink};

use crate::session::Session;
use crate::session::scenario::{ScenarioStep, Text};

/// A lesson in the course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The lesson's name in addresses: the name of its file. It begins with the numbers of the chapter and of the lesson in it.
    pub id: &'static str,
    /// The title.
    pub title: Text<&'static str>,
    /// The idea.
    pub idea: Text<&'static str>,
    /// The ids of the lessons that lead to this one.
    pub after: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// All lessons of the course, in the order of the numbers with which their files' names begin. Their texts are not in the library: a page has them as the
/// files that they are.
pub fn list() -> &'static [Listed] {
    LISTED
}

/// A session with the lesson's set-up done, at once.
pub fn open(lesson: &Lesson) -> Session {
    let mut session = Session::new(lesson.scenario().start());
    perform(lesson, &mut session, &lesson.start.setup);
    session
}

/// Carries out deeds of a lesson in a session. Returns the first one that changed nothing, where that is not what its steadiness
/// means.
pub fn perform<'d>(
    lesson: &Lesson,
    session: &mut Session,
    deeds: &'d [ScenarioStep],
) -> Option<&'d ScenarioStep> {
    let scenario = lesson.scenario();
    let idle =
        |deed: &&ScenarioStep| !scenario.perform(session, deed) && !matches!(deed, ScenarioStep::Steady(_));
    deeds.iter().find(idle)
}
