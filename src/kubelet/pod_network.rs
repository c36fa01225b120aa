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

/// The most bytes that all answers to a question may have in their bodies. The last one is kept however long it is.
const ANSWERS_BYTES_LIMIT: usize = 4 << 20;

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
            let mut bytes: usize = answers.iter().map(|(_, answer)| answer.bytes()).sum();
            while answers.len() > ANSWERS_LIMIT || (answers.len() > 1 && bytes > ANSWERS_BYTES_LIMIT) {
                let (_, oldest) = answers.remove(0);
                bytes -= oldest.bytes();
            }
        }
    }
}
