//! A lesson as somebody goes through it: which step is shown, when each step began in the run, what was predicted, which hints were
//! given, and whether the goal is met.

use std::rc::Rc;

use super::file::{By, Lesson, LessonStep, Predict, Task};
use super::history::{Asking, History};
use super::prints::PrintView;
use crate::cel::Value;
use crate::session::scenario::{Scenario, ScenarioStep};
use crate::session::{LessonLink, MomentId, Prediction, Session, VisitLink};

/// A prediction that was made, and what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// What was predicted.
    pub said: Prediction,
    /// What happened: one text, or the list of texts that the prediction's way of answering asks for.
    pub really: Vec<String>,
    /// Whether that is what was predicted.
    pub right: bool,
    /// The moment at which it had happened.
    pub at: MomentId,
}

/// A step of the lesson that was reached.
#[derive(Clone, Debug)]
struct Visit {
    history: History,
    said: Option<Prediction>,
    predicted: Option<Predicted>,
    hints: usize,
    /// Whether each part of the goal holds at the moment that is shown. `None` if the step's beginning does not lie on the way
    /// there.
    parts: Option<Vec<Result<bool, String>>>,
    /// The moment at which the goal was met first.
    met: Option<MomentId>,
}

/// A lesson that somebody goes through. After its last step comes its end.
#[derive(Clone, Debug)]
pub struct LessonRun {
    lesson: Rc<Lesson>,
    scenario: Rc<Scenario>,
    step: usize,
    visits: Vec<Visit>,
}

impl LessonRun {
    /// A lesson whose set-up is done, before its first step is entered.
    pub fn new(lesson: Rc<Lesson>) -> LessonRun {
        LessonRun { scenario: Rc::new(lesson.scenario()), lesson, step: 0, visits: Vec::new() }
    }

    /// The lesson.
    pub fn lesson(&self) -> &Rc<Lesson> {
        &self.lesson
    }

    /// The place of the step that is shown; the number of steps at the end of the lesson.
    pub fn at(&self) -> usize {
        self.step
    }

    /// How many steps were reached; the end counts as one.
    pub fn reached(&self) -> usize {
        self.visits.len()
    }

    /// The step that is shown; `None` at the end.
    pub fn step(&self) -> Option<&LessonStep> {
        self.lesson.steps.get(self.step)
    }

    /// The moment at which the step that is shown began.
    pub fn begins(&self) -> Option<MomentId> {
        self.visits.get(self.step).map(|v| v.history.begins())
    }

    /// The moment at which the lesson began.
    pub fn began(&self) -> Option<MomentId> {
        self.visits.first().map(|v| v.history.begins())
    }

    /// What the lesson does before a step is entered for the first time; nothing if it was reached already, or is the end.
    pub fn first(&self, step: usize) -> &[ScenarioStep] {
        let entered = step < self.visits.len();
        self.lesson.steps.get(step).filter(|_| !entered).map_or(&[], |s| s.first.as_slice())
    }

    /// Shows a step. One that was not reached before begins at the moment that is shown, after what [`LessonRun::first`] says
    /// was done.
    ///
    /// Returns the moment to go to, if the step was reached before: the one at which it was done, so that what is shown is what
    /// its answer tells of, or else its beginning. `None` also for a step that cannot be reached yet.
    pub fn enter(&mut self, step: usize, session: &Session) -> Option<MomentId> {
        if let Some(visit) = self.visits.get(step) {
            self.step = step;
            let answered = visit.predicted.as_ref().map(|p| p.at);
            return Some(visit.met.or(answered).unwrap_or(visit.history.begins()));
        }
        if step == self.visits.len() && step <= self.lesson.steps.len() {
            self.step = step;
            let asking = Asking { scenario: self.scenario.clone(), lesson: self.lesson.clone(), step };
            self.visits.push(Visit {
                history: History::begin(session, asking),
                said: None,
                predicted: None,
                hints: 0,
                parts: None,
                met: None,
            });
            self.judge(session);
        }
        None
    }

    /// Whether the step that is shown is done: read, predicted, or its goal met.
    pub fn is_done(&self) -> bool {
        let (Some(step), Some(visit)) = (self.step(), self.visits.get(self.step)) else { return false };
        let predicted = step.predict.is_none() || visit.predicted.is_some();
        predicted && (step.task.is_none() || visit.met.is_some())
    }

    /// The moment from which the next step goes on, if that is another one than the one that is shown: the one at which the
    /// prediction had come about or the goal was met, where the moment that is shown does not come from there.
    pub fn goes_on_from(&self, session: &Session) -> Option<MomentId> {
        let visit = self.visits.get(self.step)?;
        let done = visit.predicted.as_ref().map(|p| p.at).or(visit.met).unwrap_or(visit.history.begins());
        (!session.comes_from(done)).then_some(done)
    }

    /// Notes a prediction, and returns what is to be done then: [`LessonRun::played`] says how it came about. `None` if the step
    /// asks for no prediction of this form, or has one already.
    pub fn predict(&mut self, said: Prediction) -> Option<&[ScenarioStep]> {
        let predict = self.lesson.steps.get(self.step)?.predict.as_ref().filter(|p| fits(&said, p))?;
        let visit = self.visits.get_mut(self.step).filter(|v| v.said.is_none())?;
        visit.said = Some(said);
        Some(&predict.play)
    }

    /// Takes back a prediction that the run has not answered, because what is done for it was stopped: another one can be made.
    pub fn take_back(&mut self) {
        if let Some(visit) = self.visits.get_mut(self.step).filter(|v| v.predicted.is_none()) {
            visit.said = None;
        }
    }

    /// Compares the prediction with what has happened up to the moment that is shown.
    ///
    /// # Errors
    ///
    /// What CEL says, if the lesson's expression has no value there, or that its value is no answer.
    pub fn played(&mut self, session: &Session) -> Result<(), String> {
        let said = self.visits.get(self.step).and_then(|v| v.said.clone());
        let Some((said, predict)) = said.zip(self.step().and_then(|s| s.predict.clone())) else {
            return Ok(());
        };
        let really = self.really(session)?;
        let right = is_right(&said, &predict, &really);
        if let Some(visit) = self.visits.get_mut(self.step) {
            visit.predicted = Some(Predicted { said, really, right, at: session.at() });
        }
        Ok(())
    }

    /// What the prediction of the step that is shown asks for, at the moment that is shown.
    ///
    /// # Errors
    ///
    /// As [`LessonRun::played`].
    pub(super) fn really(&mut self, session: &Session) -> Result<Vec<String>, String> {
        let predict = self.lesson.steps.get(self.step).and_then(|s| s.predict.as_ref());
        let Some((predict, visit)) = predict.zip(self.visits.get_mut(self.step)) else {
            return Ok(Vec::new());
        };
        let value = visit.history.answer(session, &predict.answer);
        let value = value.ok_or("the run went back behind the step")??;
        let really = texts(&value);
        if really.is_empty() && !matches!(value, Value::List(_)) {
            return Err(format!(
                "the answer is of the type {}, which is neither a text nor a number",
                value.type_name()
            ));
        }
        Ok(really)
    }

    /// The prediction of the step that is shown, and what came of it.
    pub fn predicted(&self) -> Option<&Predicted> {
        self.visits.get(self.step)?.predicted.as_ref()
    }

    /// Judges the goal of the step that is shown at the moment that is shown. Returns whether it was met for the first time.
    pub fn judge(&mut self, session: &Session) -> bool {
        let Some(task) = self.lesson.steps.get(self.step).and_then(|s| s.task.as_ref()) else { return false };
        let Some(visit) = self.visits.get_mut(self.step) else { return false };
        visit.parts = visit.history.judge(session, &task.goal);
        let met = visit.parts.as_ref().is_some_and(|parts| parts.iter().all(|p| *p == Ok(true)));
        if met && visit.met.is_none() {
            visit.met = Some(session.at());
            return true;
        }
        false
    }

    /// Whether each part of the goal holds at the moment that is shown, or why that cannot be said; `None` if the run went back
    /// behind the step.
    pub fn parts(&self) -> Option<&[Result<bool, String>]> {
        self.visits.get(self.step)?.parts.as_deref()
    }

    /// The moment at which the goal of the step that is shown was met first.
    pub fn met(&self) -> Option<MomentId> {
        self.visits.get(self.step)?.met
    }

    /// What the step's command lines print at the moment that is shown.
    pub fn prints(&self, session: &Session) -> Vec<PrintView> {
        self.step().map_or_else(Vec::new, |step| step.prints.view(&self.scenario, session))
    }

    /// How many hints were given.
    pub fn hints(&self) -> usize {
        self.visits.get(self.step).map_or(0, |v| v.hints)
    }

    /// Gives a further hint.
    pub fn hint(&mut self) {
        let of = self.task().map_or(0, |t| t.hints.len());
        if let Some(visit) = self.visits.get_mut(self.step) {
            visit.hints = (visit.hints + 1).min(of);
        }
    }

    /// What does the step that is shown without the learner: what its prediction plays, or its solution.
    pub fn shortcut(&self) -> &[ScenarioStep] {
        let play = self.step().and_then(|s| s.predict.as_ref()).map(|p| p.play.as_slice());
        play.unwrap_or_else(|| self.solution())
    }

    /// A way to meet the goal of the step that is shown.
    pub fn solution(&self) -> &[ScenarioStep] {
        self.task().map_or(&[], |t| t.solution.as_slice())
    }

    fn task(&self) -> Option<&Task> {
        self.step()?.task.as_ref()
    }

    /// The lesson as a link of the session carries it. `text` is the text of the lesson's file, unless every page has it.
    pub fn link(&self, session: &Session, text: Option<String>) -> LessonLink {
        let place = |id: MomentId| session.place(id);
        let visits = self.visits.iter().map(|v| VisitLink {
            begin: place(v.history.begins()),
            said: v.said.clone(),
            at: v.predicted.as_ref().and_then(|p| place(p.at)),
            hints: v.hints,
            met: v.met.and_then(place),
        });
        LessonLink {
            id: self.lesson.id.clone(),
            text,
            draft: None,
            step: self.step,
            visits: visits.collect(),
        }
    }

    /// Takes up a lesson where [`LessonRun::link`] left it, in a run that was repeated. `line` is the timeline of that run when
    /// it had been, which the places in the link are counted in. Steps from the first one on whose beginning the run does not
    /// have were not reached.
    pub fn restore(lesson: Rc<Lesson>, link: &LessonLink, line: &[MomentId], session: &Session) -> LessonRun {
        let mut run = LessonRun::new(lesson);
        let mut there = session.clone();
        for (nth, of) in link.visits.iter().enumerate().take(run.lesson.steps.len() + 1) {
            let begin = of.begin.and_then(|place| line.get(place));
            if !begin.is_some_and(|begin| there.goto(*begin)) {
                break;
            }
            run.enter(nth, &there);
            if let Some(said) = of.said.clone() {
                run.predict(said);
                let played = of.at.and_then(|place| line.get(place)).is_some_and(|at| there.goto(*at));
                if !played || run.played(&there).is_err() {
                    run.take_back();
                    break;
                }
            }
            if let Some(visit) = run.visits.get_mut(nth) {
                visit.hints = of.hints;
                visit.met = of.met.and_then(|place| line.get(place).copied());
            }
        }
        run.step = link.step.min(run.visits.len().saturating_sub(1));
        run.judge(session);
        run
    }
}

/// Whether a prediction is of the form that its question asks for.
fn fits(said: &Prediction, predict: &Predict) -> bool {
    match (said, &predict.by) {
        (Prediction::Choice(n), By::Choice(all)) => *n < all.len(),
        (Prediction::Order(places), By::Order(all)) => {
            let mut sorted = places.clone();
            sorted.sort_unstable();
            sorted.iter().copied().eq(0..all.len())
        }
        (Prediction::Number(n), By::Number(of)) => (of.from..=of.to).contains(n),
        (Prediction::Object(_), By::Object(_)) => true,
        (Prediction::Choice(_) | Prediction::Order(_) | Prediction::Number(_) | Prediction::Object(_), _) => {
            false
        }
    }
}

/// What an expression gives, as texts: one for a text, a number or a truth value, each item's for a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::List(list) => list.items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.to_string()],
        Value::Bool(b) => vec![b.to_string()],
        Value::Int(n) => vec![n.to_string()],
        Value::Uint(n) => vec![n.to_string()],
        Value::Double(n) => vec![n.to_string()],
        _ => Vec::new(),
    }
}

fn is_right(said: &Prediction, predict: &Predict, really: &[String]) -> bool {
    let first = really.first().map(String::as_str);
    match (said, &predict.by) {
        (Prediction::Choice(n), By::Choice(all)) => all.get(*n).map(|c| c.is.as_str()) == first,
        (Prediction::Order(places), By::Order(all)) => {
            let said = places.iter().filter_map(|n| all.get(*n)).map(|c| c.is.as_str());
            !really.is_empty() && said.take(really.len()).eq(really.iter().map(String::as_str))
        }
        (Prediction::Number(n), By::Number(_)) => Some(n.to_string().as_str()) == first,
        (Prediction::Object(name), By::Object(_)) => really.contains(name),
        (Prediction::Choice(_) | Prediction::Order(_) | Prediction::Number(_) | Prediction::Object(_), _) => {
            false
        }
    }
}
