//! Why a command was issued, as data: the page makes a sentence of it in the reader's language.

use crate::api::ObjectRef;

/// A rule of a controller that fired, and what it looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The rule: the function in the code that decided, as `manage_replicas.create`.
    pub rule: &'static str,
    /// What it read, in the order the sentence needs it.
    pub facts: Vec<Fact>,
}

/// Something a rule read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its name in the sentence.
    pub name: &'static str,
    /// The object that the value was read of; `None` if it was computed.
    pub object: Option<ObjectRef>,
    /// Which field; empty where the value was counted or computed.
    pub field: &'static str,
    /// The value.
    pub value: String,
    /// Whether the value is a word for which the page's catalogue has a text (`fact-VALUE`), and not a name or a number.
    pub word: bool,
}

impl Why {
    /// A rule that fired.
    pub fn new(rule: &'static str) -> Why {
        Why { rule, facts: Vec::new() }
    }

    /// A value it read from an object's field.
    #[must_use]
    pub fn read(
        mut self,
        name: &'static str,
        object: ObjectRef,
        field: &'static str,
        value: impl ToString,
    ) -> Why {
        self.facts.push(Fact { name, object: Some(object), field, value: value.to_string(), word: false });
        self
    }

    /// A value it counted or computed.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Why {
        self.facts.push(Fact { name, object: None, field: "", value: value.to_string(), word: false });
        self
    }

    /// A word that says what the component saw, see [`Fact::word`].
    #[must_use]
    pub fn word(mut self, name: &'static str, word: &'static str) -> Why {
        self.facts.push(Fact { name, object: None, field: "", value: word.to_owned(), word: true });
        self
    }

    /// A fact's value by its name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|f| f.name == name).map(|f| f.value.as_str())
    }
}
