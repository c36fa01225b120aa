//! What a page shows of a lesson, as plain data.

use serde::{Deserialize, Serialize};

use super::file::{By, Choice, Lit, Look, Predict, Task};
use super::journeys::JourneyLink;
use super::prints::PrintView;
use super::run::{LessonRun, Predicted};
use crate::api::{Kind, ObjectRef};
use crate::cluster::Cluster;
use crate::session::scenario::Text;
use crate::session::view::Issued;
use crate::session::{MomentId, Prediction, Session, What};

/// The most lines of what was seen in a lesson.
const SEEN: usize = 12;

/// A lesson at the step that is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonView {
    /// The lesson's id.
    pub id: String,
    /// Whether a person has brought the file: it is none of the course's.
    pub own: bool,
    /// The title.
    pub title: Text,
    /// How many steps there are, without the end.
    pub steps: usize,
    /// The place of the step that is shown; the number of steps at the end.
    pub step: usize,
    /// How many steps were reached; the end counts as one.
    pub reached: usize,
    /// What the step says, in Markdown; `None` at the end.
    pub text: Option<Text>,
    /// Whether the page shows the component map beside the text.
    pub map: bool,
    /// The objects that are lit.
    pub lit: Vec<ObjectRef>,
    /// What the step asks to be predicted.
    pub predict: Option<PredictView>,
    /// What the step's command lines print at the moment that is shown; nothing before a prediction that is asked for.
    pub prints: Vec<PrintView>,
    /// Requests whose journeys the page shows when asked; none before a prediction that is asked for.
    pub journeys: Vec<JourneyLink>,
    /// What the step asks to be done.
    pub task: Option<TaskView>,
    /// Whether the step is done, so that the next one can be entered.
    pub done: bool,
    /// Whether the run went back behind the step's beginning, or onto a branch that does not come from there.
    pub astray: bool,
    /// The end of the lesson, if it is shown.
    pub end: Option<EndView>,
}

/// A prediction that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictView {
    /// The question.
    pub ask: Text,
    /// How it is answered.
    pub by: AnswerForm,
    /// What was predicted and what happened, once it has.
    pub predicted: Option<PredictedView>,
}

/// How a prediction is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AnswerForm {
    /// One of these is chosen.
    Choice(Vec<Text>),
    /// These are put in order.
    Order(Vec<Text>),
    /// A number between these two.
    Number(u32, u32),
    /// An object of this kind is pointed at.
    Object(String),
}

/// A prediction beside what happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictedView {
    /// The prediction.
    pub prediction: Prediction,
    /// The prediction in words.
    pub said: Vec<Text>,
    /// What happened in words, in the same form.
    pub really: Vec<Text>,
    /// Whether it was as predicted.
    pub right: bool,
    /// What is said to who chose this, if it is not what happened.
    pub but: Option<Text>,
    /// What is said whatever was predicted.
    pub because: Text,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskView {
    /// The parts of the goal.
    pub parts: Vec<PartView>,
    /// The hints that were given.
    pub hints: Vec<Text>,
    /// Whether there is another hint before the solution.
    pub more_hints: bool,
    /// Whether the goal was met.
    pub met: bool,
}

/// A part of a goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartView {
    /// What it says.
    pub label: Text,
    /// Whether it holds; `None` where that cannot be said.
    pub holds: Option<bool>,
    /// Why it cannot be said: CEL's message.
    pub error: Option<String>,
}

/// The end of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndView {
    /// What was seen: who did what, because of what, and how often.
    pub seen: Vec<SeenView>,
    /// How many lines of that were left out.
    pub more: usize,
    /// The sentence to keep.
    pub keep: Text,
    /// Pages of documentation to go on with: labels and addresses.
    pub read_on: Vec<(Text, String)>,
}

/// Commands of one component, of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenView {
    /// The first of them.
    pub first: Issued,
    /// The moment of it.
    pub moment: MomentId,
    /// How many there were.
    pub times: usize,
}

impl LessonView {
    /// Whether the step asks for a prediction that has not been made.
    pub fn asks(&self) -> bool {
        self.predict.as_ref().is_some_and(|p| p.predicted.is_none())
    }

    /// Whether that prediction is made by selecting an object.
    pub fn asks_for_object(&self) -> bool {
        let object = |p: &PredictView| matches!(p.by, AnswerForm::Object(_));
        self.asks() && self.predict.as_ref().is_some_and(object)
    }

    /// The lesson at the moment that a session shows. `own` says that a person has brought the file.
    pub fn of(run: &LessonRun, session: &Session, own: bool) -> LessonView {
        let lesson = run.lesson();
        let step = run.step();
        let predict = step.and_then(|s| s.predict.as_ref()).map(|p| PredictView::of(p, run.predicted()));
        let asks = predict.as_ref().is_some_and(|p| p.predicted.is_none());
        let astray = run.begins().is_some_and(|begins| !session.comes_from(begins));
        LessonView {
            id: lesson.id.clone(),
            own,
            title: lesson.title.clone(),
            steps: lesson.steps.len(),
            step: run.at(),
            reached: run.reached(),
            text: step.map(|s| s.text.clone()),
            map: step.is_some_and(|s| s.look == Look::Map),
            lit: step.map_or(Vec::new(), |s| lit(&s.lit, session.cluster())),
            prints: if asks { Vec::new() } else { run.prints(session) },
            journeys: step.filter(|_| !asks).map_or_else(Vec::new, |s| s.journeys.links()),
            predict,
            task: step.and_then(|s| s.task.as_ref()).map(|t| TaskView::of(t, run)),
            done: run.is_done(),
            astray,
            end: step.is_none().then(|| EndView::of(run, session)),
        }
    }
}

impl PredictView {
    fn of(predict: &Predict, predicted: Option<&Predicted>) -> PredictView {
        let labels = |all: &[Choice]| all.iter().map(label).collect();
        let by = match &predict.by {
            By::Choice(all) => AnswerForm::Choice(labels(all)),
            By::Order(all) => AnswerForm::Order(labels(all)),
            By::Number(n) => AnswerForm::Number(n.from, n.to),
            By::Object(of) => AnswerForm::Object(of.kind.clone()),
        };
        PredictView {
            ask: predict.ask.clone(),
            by,
            predicted: predicted.map(|p| PredictedView::of(p, predict)),
        }
    }
}

impl PredictedView {
    fn of(predicted: &Predicted, predict: &Predict) -> PredictedView {
        let choices: &[Choice] = match &predict.by {
            By::Choice(all) | By::Order(all) => all,
            By::Number(_) | By::Object(_) => &[],
        };
        let of_value =
            |value: &String| choices.iter().find(|c| c.is == *value).map_or_else(|| same(value), label);
        let chosen = |n: &usize| choices.get(*n);
        let said = match &predicted.said {
            Prediction::Choice(n) => chosen(n).map(label).into_iter().collect(),
            Prediction::Order(places) => {
                places.iter().take(predicted.really.len()).filter_map(chosen).map(label).collect()
            }
            Prediction::Number(n) => vec![same(&n.to_string())],
            Prediction::Object(name) => vec![same(name)],
        };
        let but = match &predicted.said {
            Prediction::Choice(n) if !predicted.right => chosen(n).and_then(|c| c.but.clone()),
            _ => None,
        };
        PredictedView {
            prediction: predicted.said.clone(),
            said,
            really: predicted.really.iter().map(of_value).collect(),
            right: predicted.right,
            but,
            because: predict.because.clone(),
        }
    }
}

impl TaskView {
    fn of(task: &Task, run: &LessonRun) -> TaskView {
        let (parts, met) = (run.parts(), run.met().is_some());
        let part = |(n, part): (usize, &super::file::Part)| {
            let is = parts.and_then(|all| all.get(n));
            PartView {
                label: part.label.clone(),
                // A goal that was reached stays so, wherever the run goes or looks then.
                holds: if met { Some(true) } else { is.and_then(|is| is.as_ref().ok().copied()) },
                error: is.and_then(|is| is.as_ref().err().cloned()).filter(|_| !met),
            }
        };
        TaskView {
            parts: task.goal.iter().enumerate().map(part).collect(),
            hints: task.hints.iter().take(run.hints()).cloned().collect(),
            more_hints: run.hints() < task.hints.len(),
            met,
        }
    }
}

impl EndView {
    fn of(run: &LessonRun, session: &Session) -> EndView {
        let lesson = run.lesson();
        let mut seen = seen(session, run.began().unwrap_or(0));
        let more = seen.len().saturating_sub(SEEN);
        seen.truncate(SEEN);
        let read_on = lesson.read_on.iter().map(|page| (page.label.clone(), page.url.clone())).collect();
        EndView { seen, more, keep: lesson.keep.clone(), read_on }
    }
}

fn label(choice: &Choice) -> Text {
    choice.label.clone().unwrap_or_else(|| same(&choice.is))
}

/// A text that is the same in both languages.
fn same(text: &str) -> Text {
    Text { en: text.to_owned(), zh: text.to_owned() }
}

fn lit(lit: &[Lit], cluster: &Cluster) -> Vec<ObjectRef> {
    let is = |of: &ObjectRef| {
        lit.iter()
            .any(|l| l.kind == of.kind.as_str() && l.name.as_ref().is_none_or(|name| *name == *of.key.name))
    };
    cluster.api().cached_all().map(|(of, _)| of).filter(|of| is(of)).cloned().collect()
}

/// The commands of components after a moment, those of one rule together, in the order of the first of each.
fn seen(session: &Session, from: MomentId) -> Vec<SeenView> {
    let mut way = Vec::new();
    let mut at = session.at();
    while at > from {
        let Some(moment) = session.moment(at) else { break };
        way.push((at, moment));
        let Some(parent) = moment.parent else { break };
        at = parent;
    }
    let mut all: Vec<(SeenView, Option<&'static str>)> = Vec::new();
    for (id, moment) in way.into_iter().rev() {
        let What::Commands(commands) = &moment.what else { continue };
        for c in commands.iter().filter(|c| c.request.kind != Kind::EVENT) {
            let rule = c.why.as_ref().map(|w| w.rule);
            let same = |(seen, of): &&mut (SeenView, Option<&'static str>)| {
                *of == rule && *seen.first.by == *c.by && (rule.is_some() || is_same(&seen.first, c))
            };
            match all.iter_mut().find(same) {
                Some((seen, _)) => seen.times += 1,
                None => all.push((SeenView { first: Issued::of(c), moment: id, times: 1 }, rule)),
            }
        }
    }
    all.into_iter().map(|(seen, _)| seen).collect()
}

/// Whether a command is of the same verb and kind as another.
fn is_same(first: &Issued, c: &crate::cluster::Command) -> bool {
    let other = Issued::of(c);
    let kind = |of: &Issued| of.request.object.split(' ').next().map(str::to_owned);
    first.request.verb == other.request.verb && kind(first) == kind(&other)
}
