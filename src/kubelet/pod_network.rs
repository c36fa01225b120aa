//! What the processes of a pod have asked the network, and what they were told.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::Timestamp;
use crate::network::{Answer, Question};
use crate::shell::Answers;

/// The most questions of a pod that are noted. A program that asks more of them does not go on.
const QUESTIONS_LIMIT: usize = 256;

/// The most answers to a question that are kept. The oldest ones are forgotten.
const ANSWERS_LIMIT: usize = 4096;

/// What the processes of a pod have asked, and the answers until now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodNetwork {
    /// The pod's uid.
    pub uid: Rc<str>,
    /// The answers to each question. A question without answers is open.
    pub answers: Rc<BTreeMap<Question, Answers>>,
}

impl PodNetwork {
    /// Nothing was asked yet.
    pub(super) fn new(uid: &Rc<str>) -> PodNetwork {
        PodNetwork { uid: uid.clone(), answers: Rc::default() }
    }

    /// Notes questions. More than [`QUESTIONS_LIMIT`] are not.
    pub(super) fn ask(&mut self, questions: &[Question]) {
        for question in questions {
            if self.answers.len() < QUESTIONS_LIMIT && !self.answers.contains_key(question) {
                Rc::make_mut(&mut self.answers).insert(question.clone(), Vec::new());
            }
        }
    }

    /// Notes answers, each valid from now on.
    pub(super) fn tell(&mut self, now: Timestamp, news: &[(Question, Answer)]) {
        let all = Rc::make_mut(&mut self.answers);
        for (question, answer) in news {
            let answers = all.entry(question.clone()).or_default();
            if answers.last().is_none_or(|(_, last)| last != answer) {
                answers.push((now, answer.clone()));
            }
            if answers.len() > ANSWERS_LIMIT {
                answers.remove(0);
            }
        }
    }
}
