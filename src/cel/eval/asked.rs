//! Questions that expressions put to an authorizer.

use std::fmt::Debug;
use std::rc::Rc;

/// What is asked: whether somebody may do something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The ServiceAccount that it is about, by namespace and name; `None` for the sender of the request.
    pub account: Option<(String, String)>,
    /// The path that it is about; `None` for a question about a resource.
    pub path: Option<String>,
    /// The group of the resource.
    pub group: String,
    /// `pods`
    pub resource: String,
    /// `log`
    pub subresource: String,
    /// The namespace; empty for all.
    pub namespace: String,
    /// The object's name; empty for all.
    pub name: String,
    /// The text of a field selector; empty for none.
    pub field_selector: String,
    /// `get`
    pub verb: String,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: String,
}

/// Whoever answers the questions.
pub trait Authorizer: Debug {
    /// Answers a question.
    fn check(&self, question: &Question) -> Verdict;
}

/// An authorizer that allows everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Authorizer for AllowAll {
    fn check(&self, _: &Question) -> Verdict {
        Verdict { allowed: true, reason: String::new() }
    }
}

/// How far a question has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing has been asked yet.
    Authorizer,
    /// It is about a path.
    Path,
    /// It is about a resource of a group.
    Group,
    /// It is about a resource.
    Resource,
    /// It has been answered.
    Decision,
}

/// A question on its way to an answer.
#[derive(Clone, Debug)]
pub struct Asked {
    authorizer: Rc<dyn Authorizer>,
    question: Question,
    pub(crate) step: Step,
    pub(crate) verdict: Verdict,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        (self.step, &self.question, &self.verdict) == (other.step, &other.question, &other.verdict)
    }
}

impl Asked {
    pub(crate) fn new(authorizer: Rc<dyn Authorizer>, question: Question, step: Step) -> Asked {
        Asked { authorizer, question, step, verdict: Verdict::default() }
    }

    /// The question with more said, one step on.
    pub(crate) fn to(&self, step: Step, say: impl FnOnce(&mut Question)) -> Asked {
        let mut asked = Asked { step, ..self.clone() };
        say(&mut asked.question);
        asked
    }

    /// The answer to the question with this verb.
    pub(crate) fn decided(&self, verb: &str) -> Asked {
        let mut asked = self.to(Step::Decision, |q| verb.clone_into(&mut q.verb));
        asked.verdict = self.authorizer.check(&asked.question);
        asked
    }
}
