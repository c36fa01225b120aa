//! A lesson that somebody goes through, as a link carries it beside the run.

use serde::{Deserialize, Serialize};

/// A lesson in a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonLink {
    /// The lesson's id.
    pub id: String,
    /// The text of the lesson's file; `None` for a lesson that every page has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The newest text of the lesson's file, if it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// The place of the step that is shown.
    pub step: usize,
    /// The steps that were reached.
    pub visits: Vec<VisitLink>,
}

impl LessonLink {
    /// The same lesson with other places: `place` says where each of them is now, if it is anywhere.
    pub fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> LessonLink {
        let moved = |visit: &VisitLink| VisitLink {
            begin: visit.begin.and_then(&place),
            at: visit.at.and_then(&place),
            met: visit.met.and_then(&place),
            ..visit.clone()
        };
        LessonLink { visits: self.visits.iter().map(moved).collect(), ..self.clone() }
    }
}

/// A step of a lesson that was reached. Moments are said by their places on the branch that the link repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VisitLink {
    /// The place of its beginning; `None` if that is on another branch.
    pub begin: Option<usize>,
    /// What was predicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Prediction>,
    /// The place at which it had come about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// How many hints were given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hints: usize,
    /// The place at which the goal was met first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<usize>,
}

/// What somebody predicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Prediction {
    /// The answer at this place among the choices.
    Choice(usize),
    /// The choices in this order.
    Order(Vec<usize>),
    /// A number.
    Number(u32),
    /// The name of an object.
    Object(String),
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
