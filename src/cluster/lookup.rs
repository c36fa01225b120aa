//! Looking up a name as a program does it: one question to the DNS after the other, until one is answered with an address.

use std::collections::BTreeMap;

use super::network::Network;
use crate::api::{Key, Timestamp};
use crate::network::traffic::{Client, Names};
use crate::network::{Answer, Question};

/// The most names that are asked for one request, over all search domains.
const NAMES_LIMIT: usize = 64;

/// What came of looking up a client's host.
pub(super) struct LookedUp {
    /// The questions to the DNS in their order, each with its answer.
    pub(super) names: Vec<(Question, Answer)>,
    /// The same, as a client reads them.
    pub(super) answers: BTreeMap<Question, Vec<(Timestamp, Answer)>>,
    /// What the client asks then; `None` if the name leads nowhere.
    pub(super) then: Option<Question>,
}

impl Network<'_> {
    /// Looks up the host of a client that runs in a pod.
    pub(super) fn look_up(&self, pod: &Key, known: &Names, client: &Client) -> LookedUp {
        let mut looked = LookedUp { names: Vec::new(), answers: BTreeMap::new(), then: None };
        for _ in 0..NAMES_LIMIT {
            match client.open(known, &looked.answers, self.now) {
                Some(question @ Question::Lookup { .. }) => {
                    let answer = self.answer(pod, &question);
                    looked.answers.insert(question.clone(), vec![(self.now, answer.clone())]);
                    looked.names.push((question, answer));
                }
                then => {
                    looked.then = then;
                    break;
                }
            }
        }
        looked
    }
}
