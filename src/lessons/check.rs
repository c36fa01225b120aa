//! Plays a lesson to its end by its solutions, which shows whether it holds what it promises.

use std::fmt;
use std::rc::Rc;

use super::file::{By, Lesson, LessonStep, Predict};
use super::run::LessonRun;
use crate::api::types::CustomResourceDefinition;
use crate::api::{Kind, ObjectRef};
use crate::session::scenario::{ScenarioStep, SetUp};
use crate::session::{Prediction, Session};

/// What a lesson promises and does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The number of the step, the first is 1; 0 for the lesson's set-up.
    pub step: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.what)
    }
}

impl std::error::Error for Flaw {}

/// Plays the lesson to its end: each prediction is made rightly, and each goal is met by the lesson's solution. Returns the session
/// as it is then, and the first thing that is not as the lesson promises, at which the play ends: a deed that changes nothing, a
/// goal that is met before anything is done or not met by its solution, a prediction whose answer is not among those that can be
/// given, a kind that does not exist. [`Check`] does it in slices.
pub fn check(lesson: &Lesson) -> (Session, Option<Flaw>) {
    let mut check = Check::new(lesson);
    while !check.advance(usize::MAX) {}
    (check.doing.finish(), check.flaw)
}

/// The play of a lesson to its end, in slices.
#[derive(Clone, Debug)]
pub struct Check {
    run: LessonRun,
    doing: SetUp,
    /// What is being done, and for which step: the first is 1, and 0 is the set-up.
    part: Doing,
    step: usize,
    flaw: Option<Flaw>,
}

/// The parts of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    SetUp,
    /// What comes before the next step.
    First,
    /// The play of the step's prediction.
    Play,
    /// The solution of the step's goal.
    Solution,
    End,
}

impl Check {
    /// A play that has not begun.
    pub fn new(lesson: &Lesson) -> Check {
        let doing = SetUp::new(&lesson.scenario());
        let run = LessonRun::new(Rc::new(lesson.clone()));
        Check { run, doing, part: Doing::SetUp, step: 0, flaw: None }
    }

    /// The number of steps that were taken.
    pub fn done(&self) -> u64 {
        self.doing.done()
    }

    /// What is not as the lesson promises, as far as the play has come.
    pub fn flaw(&self) -> Option<&Flaw> {
        self.flaw.as_ref()
    }

    /// Takes at most `steps` steps. Returns whether the play is over.
    pub fn advance(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            if self.part == Doing::End {
                break;
            }
            if !self.doing.advance(1) {
                continue;
            }
            match self.next() {
                Ok(part) => self.part = part,
                Err(what) => {
                    self.flaw = Some(Flaw { step: self.step, what });
                    self.part = Doing::End;
                }
            }
        }
        self.part == Doing::End
    }

    /// Ends what was done, and begins what comes next.
    fn next(&mut self) -> Result<Doing, String> {
        if let Some(idle) = self.doing.idle() {
            return Err(format!("nothing is changed by {idle}"));
        }
        let session = self.doing.session();
        match self.part {
            Doing::SetUp => Ok(self.go_on()),
            Doing::First => {
                self.run.enter(self.run.reached(), session);
                let Some(step) = self.run.step().cloned() else { return Ok(Doing::End) };
                known_kinds(&step, session)?;
                if let Some(predict) = step.predict {
                    return Ok(self.begin(predict.play, Doing::Play));
                }
                if let Some(task) = step.task {
                    if self.run.met().is_some() {
                        return Err("the goal is met before anything is done".to_owned());
                    }
                    return Ok(self.begin(task.solution, Doing::Solution));
                }
                Ok(self.go_on())
            }
            Doing::Play => {
                let predict = self.run.step().and_then(|s| s.predict.clone());
                if let Some(predict) = predict {
                    let really = self.run.really(session)?;
                    let said = right_answer(&predict, &really)?;
                    self.run.predict(said);
                    self.run.played(session)?;
                }
                Ok(self.go_on())
            }
            Doing::Solution => {
                // As on the page: what holds on the way alone does not count.
                self.run.judge(session);
                match self.run.met() {
                    Some(_) => Ok(self.go_on()),
                    None => Err(format!("the solution does not meet {}", open_parts(&self.run))),
                }
            }
            Doing::End => Ok(Doing::End),
        }
    }

    /// Begins what comes before the next step.
    fn go_on(&mut self) -> Doing {
        self.step = self.run.reached() + 1;
        let first = self.run.first(self.run.reached()).to_vec();
        self.begin(first, Doing::First)
    }

    fn begin(&mut self, deeds: Vec<ScenarioStep>, part: Doing) -> Doing {
        self.doing.go_on(deeds);
        part
    }
}

/// Whether there are the kinds whose objects a step lights or asks for.
fn known_kinds(step: &LessonStep, session: &Session) -> Result<(), String> {
    let asked = match step.predict.as_ref().map(|p| &p.by) {
        Some(By::Object(of)) => Some(of),
        _ => None,
    };
    let api = session.cluster().api();
    let known = |kind: &str| {
        let defined = |(of, _): (&ObjectRef, _)| of.kind.as_str() == kind;
        Kind::BUILT_IN.iter().any(|k| k.as_str() == kind)
            || api.cached_all().any(defined)
            || api
                .cached_all()
                .filter_map(|(_, o)| o.get::<CustomResourceDefinition>())
                .any(|d| d.spec.names.kind == kind)
    };
    match step.lit.iter().chain(asked).find(|l| !known(&l.kind)) {
        Some(lit) => Err(format!("there is no kind {:?}", lit.kind)),
        None => Ok(()),
    }
}

/// The answer that is right, if what really happened can be said at all.
pub(super) fn right_answer(predict: &Predict, really: &[String]) -> Result<Prediction, String> {
    let cannot = |n: usize| format!("{really:?} is what happens, and {n} of the answers are that");
    let first = really.first();
    match &predict.by {
        By::Choice(all) => {
            let mut right = (0..all.len()).filter(|n| all.get(*n).map(|c| &c.is) == first);
            match (right.next(), right.count()) {
                (Some(one), 0) => Ok(Prediction::Choice(one)),
                (one, more) => Err(cannot(usize::from(one.is_some()) + more)),
            }
        }
        By::Number(of) => {
            let n = first.and_then(|n| n.parse().ok()).filter(|n| (of.from..=of.to).contains(n));
            n.map(Prediction::Number).ok_or_else(|| cannot(0))
        }
        By::Order(all) => {
            let place = |text: &String| all.iter().position(|c| c.is == *text);
            let mut order: Vec<usize> = really.iter().filter_map(place).collect();
            if order.is_empty() || order.len() < really.len() {
                return Err(format!("{really:?} happens, which is not all among what can be put in order"));
            }
            let rest: Vec<usize> = (0..all.len()).filter(|n| !order.contains(n)).collect();
            order.extend(rest);
            Ok(Prediction::Order(order))
        }
        By::Object(_) => first.cloned().map(Prediction::Object).ok_or("no object is what happens".to_owned()),
    }
}

/// The parts of a goal that do not hold.
fn open_parts(run: &LessonRun) -> String {
    let goal = run.step().and_then(|s| s.task.as_ref()).map_or(&[][..], |t| t.goal.as_slice());
    let open = goal.iter().zip(run.parts().unwrap_or_default()).filter(|(_, is)| **is != Ok(true));
    let told = open.map(|(part, is)| match is {
        Ok(_) => format!("{:?}", part.label.en),
        Err(why) => format!("{:?} ({why})", part.label.en),
    });
    told.collect::<Vec<_>>().join(", ")
}
