//! Why a command was issued, as plain data.

use serde::{Deserialize, Serialize};

use super::Word;
use crate::api::ObjectRef;
use crate::client::Why;

/// A [`Why`]: the rule of a controller that fired, and what it looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The function in the code that decided, as `manage_replicas.create`.
    pub rule: Word,
    /// What it read, in the order in which a sentence names it.
    pub facts: Vec<ReasonFact>,
}

/// Something a rule read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonFact {
    /// Its name in the sentence.
    pub name: Word,
    /// Of which object it was read, if it was read of one.
    pub object: Option<ObjectRef>,
    /// The value.
    pub value: String,
}

impl Reason {
    /// A reason as a component gave it.
    pub fn of(why: &Why) -> Reason {
        let fact = |f: &crate::client::Fact| ReasonFact {
            name: Word::new_static(f.name),
            object: f.object.clone(),
            value: f.value.clone(),
        };
        Reason { rule: Word::new_static(why.rule), facts: why.facts.iter().map(fact).collect() }
    }

    /// The value of the first fact of a name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|f| f.name == name).map(|f| f.value.as_str())
    }
}
