//! Why a command was issued, as plain data.

use serde::{Deserialize, Serialize};

use super::Word;
use crate::api::ObjectRef;
use crate::client::Why;

/// A [`Why`]: the rule of a controller that fired, and the facts that it read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The function in the code that decided, for example `manage_replicas.create`.
    pub rule: Word,
    /// The facts that the rule read, in the order in which a sentence names them.
    pub facts: Vec<ReasonFact>,
}

/// A fact that a rule read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonFact {
    /// The fact's name in the sentence.
    pub name: Word,
    /// The object from which the fact was read, if it was read from one.
    pub object: Option<ObjectRef>,
    /// The value.
    pub value: String,
    /// Whether the value is a word for which the page's catalogue has a text (`fact-VALUE`).
    pub word: bool,
}

impl Reason {
    /// The page's form of the reason that a component gave.
    pub fn of(why: &Why) -> Reason {
        let fact = |f: &crate::client::Fact| ReasonFact {
            name: Word::new_static(f.name),
            object: f.object.clone(),
            value: f.value.clone(),
            word: f.word,
        };
        Reason { rule: Word::new_static(why.rule), facts: why.facts.iter().map(fact).collect() }
    }

    /// The value of the first fact with this name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|f| f.name == name).map(|f| f.value.as_str())
    }
}
