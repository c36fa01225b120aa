//! Plays a lesson to its end by its solutions, which shows whether it holds what it promises.

use std::fmt;
use std::rc::Rc;

use super::file::{By, Lesson, LessonStep};
use super::perform;
use super::run::LessonRun;
use crate::api::types::CustomResourceDefinition;
use crate::api::{Kind, ObjectRef};
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
/// given, a kind that does not exist.
pub fn check(lesson: &Lesson) -> (Session, Option<Flaw>) {
    let lesson = Rc::new(lesson.clone());
    let mut session = Session::new(lesson.scenario().start());
    let flaw = play(&lesson, &mut session).err();
    (session, flaw)
}

fn play(lesson: &Rc<Lesson>, session: &mut Session) -> Result<(), Flaw> {
    if let Some(deed) = perform(lesson, session, &lesson.start.setup) {
        return Err(Flaw { step: 0, what: format!("{deed:?} changes nothing") });
    }
    let mut run = LessonRun::new(lesson.clone());
    for (nth, step) in lesson.steps.iter().enumerate() {
        let flaw = |what: String| Flaw { step: nth + 1, what };
        if let Some(deed) = perform(lesson, session, &step.first) {
            return Err(flaw(format!("{deed:?} changes nothing")));
        }
        run.enter(nth, session);
        known_kinds(step, session).map_err(flaw)?;
        predict(lesson, &mut run, session).map_err(flaw)?;
        solve(lesson, &mut run, session).map_err(flaw)?;
        if !run.is_done() {
            return Err(flaw("the step is not done at its end".to_owned()));
        }
    }
    run.enter(lesson.steps.len(), session);
    Ok(())
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

/// Every prediction that can be made of a step but for the orders, which are too many: of these it is the given one and its reverse.
fn predictions(by: &By) -> Vec<Prediction> {
    match by {
        By::Choice(all) => (0..all.len()).map(Prediction::Choice).collect(),
        By::Order(all) => vec![
            Prediction::Order((0..all.len()).collect()),
            Prediction::Order((0..all.len()).rev().collect()),
        ],
        By::Number(of) => (of.from..=of.to).map(Prediction::Number).collect(),
        By::Object(_) => vec![Prediction::Object(String::new())],
    }
}

fn predict(lesson: &Lesson, run: &mut LessonRun, session: &mut Session) -> Result<(), String> {
    let Some(predict) = run.step().and_then(|s| s.predict.clone()) else { return Ok(()) };
    // What happens is the same, whatever was said.
    let mut after = session.clone();
    if let Some(deed) = perform(lesson, &mut after, &predict.play) {
        return Err(format!("{deed:?} changes nothing"));
    }
    let mut right = Vec::new();
    let mut really = Vec::new();
    for said in predictions(&predict.by) {
        let mut run = run.clone();
        run.predict(said.clone());
        run.played(&after)?;
        let Some(predicted) = run.predicted() else { return Err("the prediction cannot be made".to_owned()) };
        really.clone_from(&predicted.really);
        if predicted.right {
            right.push(said);
        }
    }
    let said = match (&predict.by, right.as_slice()) {
        (By::Choice(_) | By::Number(_), [one]) => one.clone(),
        (By::Choice(_) | By::Number(_), all) => {
            return Err(format!("{really:?} is what happens, and {} of the answers are that", all.len()));
        }
        (By::Order(all), _) => {
            let place = |text: &String| all.iter().position(|c| c.is == *text);
            let mut order: Vec<usize> = really.iter().filter_map(place).collect();
            if order.is_empty() || order.len() < really.len() {
                return Err(format!("{really:?} happens, which is not all among what can be put in order"));
            }
            let rest: Vec<usize> = (0..all.len()).filter(|n| !order.contains(n)).collect();
            order.extend(rest);
            Prediction::Order(order)
        }
        (By::Object(_), _) => {
            let name = really.first().ok_or("no object is what happens")?;
            Prediction::Object(name.clone())
        }
    };
    let play = run.predict(said).unwrap_or_default().to_vec();
    perform(lesson, session, &play);
    run.played(session)?;
    if run.predicted().is_some_and(|p| p.right) { Ok(()) } else { Err(format!("nothing said is {really:?}")) }
}

fn solve(lesson: &Lesson, run: &mut LessonRun, session: &mut Session) -> Result<(), String> {
    let Some(task) = run.step().and_then(|s| s.task.clone()) else { return Ok(()) };
    if run.met().is_some() {
        return Err("the goal is met before anything is done".to_owned());
    }
    if let Some(idle) = perform(lesson, session, &task.solution) {
        return Err(format!("{idle:?} changes nothing"));
    }
    // As the page does: what holds on the way alone does not count.
    run.judge(session);
    if run.met().is_some() {
        return Ok(());
    }
    let parts = run.parts().unwrap_or_default();
    let open = task.goal.iter().zip(parts).filter(|(_, is)| **is != Ok(true)).map(|(part, is)| match is {
        Ok(_) => format!("{:?}", part.label.en),
        Err(why) => format!("{:?} ({why})", part.label.en),
    });
    Err(format!("the solution does not meet {}", open.collect::<Vec<_>>().join(", ")))
}
