//! The file of a lesson, and how it is read.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::with::singleton_map_recursive;

use super::expression::{Answer, AtMoment, Expression, Measure, Now};
use super::journeys::Journeys;
use super::prints::Prints;
use crate::api::ip_family::IpFamily;
use crate::session::data::{self, DataError};
use crate::session::scenario::{Scenario, ScenarioStep, Size, Text};
use crate::session::{MEMBERS, NODES_LIMIT};

/// The most words of a step's English text.
pub const WORDS_LIMIT: usize = 60;
/// The most characters of a step's Chinese text.
pub const CHARACTERS_LIMIT: usize = 140;
/// The most steps of a lesson.
pub const STEPS_LIMIT: usize = 50;
/// How many numbers there are to choose from at most.
pub const NUMBERS_LIMIT: u32 = 1_000;

/// A lesson.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The lesson's name in addresses: the name of its file.
    #[serde(skip)]
    pub id: String,
    /// The title.
    pub title: Text,
    /// The idea, as the map of the course says it in a few words.
    pub idea: Text,
    /// The ids of the lessons that lead to this one.
    #[serde(default)]
    pub after: Vec<String>,
    /// The cluster that the lesson begins with.
    pub start: Beginning,
    /// The steps: at least one, and at most [`STEPS_LIMIT`].
    #[serde(deserialize_with = "steps")]
    pub steps: Vec<LessonStep>,
    /// The sentence to keep.
    pub keep: Text,
    /// Where Kubernetes' documentation goes on.
    #[serde(default, rename = "readOn")]
    pub read_on: Vec<Page>,
}

/// A page of somebody's documentation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// What the link is called.
    pub label: Text,
    /// Its address, which begins with `https://`.
    #[serde(deserialize_with = "https")]
    pub url: String,
}

/// The cluster that a lesson begins with: as a scenario's.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beginning {
    /// The number of nodes, at most [`NODES_LIMIT`].
    #[serde(deserialize_with = "nodes")]
    pub nodes: usize,
    /// The number of etcd members: 1, 3 or 5.
    #[serde(default = "one", deserialize_with = "members")]
    pub etcd: usize,
    /// The address families of the cluster: `ipv4` or `dual`.
    #[serde(default, rename = "ipFamily")]
    pub ip_family: IpFamily,
    /// The text in the editor, which command lines of the lesson call `manifest.yaml`.
    pub manifest: String,
    /// Further files that command lines of the lesson name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What is done before the lesson begins.
    #[serde(default, with = "singleton_map_recursive")]
    pub setup: Vec<ScenarioStep>,
}

/// A step of a lesson. One that neither asks for a prediction nor sets a goal is only read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// What the step says, in Markdown: at most [`WORDS_LIMIT`] words, and [`CHARACTERS_LIMIT`] characters in Chinese.
    #[serde(deserialize_with = "short")]
    pub text: Text,
    /// What the lesson does before the step is read.
    #[serde(default, with = "singleton_map_recursive")]
    pub first: Vec<ScenarioStep>,
    /// Whether the text in the editor says from now on what the cluster has by now in those fields that the lesson has changed.
    #[serde(default)]
    pub follow: bool,
    /// The objects that are lit.
    #[serde(default)]
    pub lit: Vec<Lit>,
    /// What the page shows beside the text.
    #[serde(default)]
    pub look: Look,
    /// What kubectl prints at the moment that is shown, for the step's expressions and for the page.
    #[serde(default)]
    pub prints: Prints,
    /// Requests whose journeys at the moment that is shown are read by the step's expressions, and shown by the page.
    #[serde(default)]
    pub journeys: Journeys,
    /// What the learner predicts.
    #[serde(default, deserialize_with = "whole")]
    pub predict: Option<Predict>,
    /// What the learner does, in a step that asks for no prediction.
    #[serde(default, rename = "do")]
    pub task: Option<Task>,
}

/// What the page shows beside a step's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Look {
    /// The objects.
    #[default]
    Graph,
    /// The component map.
    Map,
}

/// Objects: of a kind, or the one with a name. Written `Pod` or `Deployment/web`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lit {
    /// The kind.
    pub kind: String,
    /// The name; `None` for all objects of the kind.
    pub name: Option<String>,
}

impl<'de> Deserialize<'de> for Lit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Lit, D::Error> {
        let text = String::deserialize(from)?;
        let (kind, name) = match text.split_once('/') {
            Some((kind, name)) => (kind, Some(name.to_owned())),
            None => (text.as_str(), None),
        };
        Ok(Lit { kind: kind.to_owned(), name })
    }
}

/// A prediction: a question, the way in which it is answered, and what is done once the learner has answered. The right answer is
/// not in the file. It is worked out from the run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predict {
    /// The question.
    pub ask: Text,
    /// How it is answered.
    #[serde(with = "singleton_map_recursive")]
    pub by: By,
    /// What is done when the learner has answered.
    #[serde(with = "singleton_map_recursive")]
    pub play: Vec<ScenarioStep>,
    /// What is true after that.
    pub answer: Asked,
    /// What is said of the answer, whatever the learner said.
    pub because: Text,
}

/// What a prediction is about: an expression of the moment after its play, or the extreme that a number took in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A text, a number or a list of texts, as [`Predict::by`] needs it.
    Last(Expression<Answer>),
    /// The lowest number when the step began and after any write since; `{lowest: …}` in the file.
    Lowest(Expression<Measure>),
    /// The highest number; `{highest: …}` in the file.
    Highest(Expression<Measure>),
}

impl<'de> Deserialize<'de> for Asked {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Asked, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Asked;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an expression, or a mapping with `lowest` or `highest`")
            }

            fn visit_str<E: serde::de::Error>(self, source: &str) -> Result<Asked, E> {
                Expression::compile(source).map(Asked::Last).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Asked, A::Error> {
                let error = serde::de::Error::custom::<&str>;
                let asked = match map.next_key::<String>()?.as_deref() {
                    Some("lowest") => Asked::Lowest(map.next_value()?),
                    Some("highest") => Asked::Highest(map.next_value()?),
                    _ => return Err(error("an answer is an expression, `lowest` or `highest`")),
                };
                match map.next_key::<String>()? {
                    None => Ok(asked),
                    Some(_) => Err(error("an answer has one of `lowest` and `highest`")),
                }
            }
        }
        from.deserialize_any(Form)
    }
}

/// How a prediction is made.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum By {
    /// One of several answers is chosen.
    Choice(#[serde(deserialize_with = "several")] Vec<Choice>),
    /// Several things are put in order; the answer is a list with the first ones.
    Order(#[serde(deserialize_with = "several")] Vec<Choice>),
    /// A number in a range of at most [`NUMBERS_LIMIT`] numbers: `[0, 9]` in the file, both included.
    Number(Numbers),
    /// An object of the graph is pointed at; the answer is its name, or a list of names of which each is right.
    Object(Lit),
}

/// Numbers to choose from. The first is not above the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "(u32, u32)")]
pub struct Numbers {
    /// The first.
    pub from: u32,
    /// The last.
    pub to: u32,
}

impl TryFrom<(u32, u32)> for Numbers {
    type Error = String;

    fn try_from((from, to): (u32, u32)) -> Result<Numbers, String> {
        match to.checked_sub(from) {
            None => Err(format!("there is no number from {from} to {to}")),
            Some(n) if n >= NUMBERS_LIMIT => {
                Err(format!("there are more than {NUMBERS_LIMIT} numbers from {from} to {to}"))
            }
            Some(_) => Ok(Numbers { from, to }),
        }
    }
}

/// An answer to choose.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The value that the prediction's expression has if this is what happens.
    pub is: String,
    /// What it is called; the value itself if absent.
    #[serde(default)]
    pub label: Option<Text>,
    /// What is said to who chose this, if it is not what happens.
    #[serde(default)]
    pub but: Option<Text>,
}

/// Something to do, with many ways to do it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The parts of the goal, of which there is at least one: it is met when all of them hold.
    #[serde(deserialize_with = "parts")]
    pub goal: Vec<Part>,
    /// Hints, which come one by one. The last hint is always the solution, played.
    #[serde(default)]
    pub hints: Vec<Text>,
    /// A way to meet the goal.
    #[serde(with = "singleton_map_recursive")]
    pub solution: Vec<ScenarioStep>,
}

/// A part of a goal.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What the part says.
    pub label: Text,
    /// When it holds.
    #[serde(with = "singleton_map_recursive")]
    pub holds: Holds,
}

/// When a part of a goal holds. The step's beginning counts as its first moment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Holds {
    /// If the condition holds at the moment that is shown.
    Now(Expression<Now>),
    /// If it has held after every write.
    Always(Expression<AtMoment>),
    /// If it has held after some write.
    Ever(Expression<AtMoment>),
}

fn one() -> usize {
    1
}

fn https<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let url = String::deserialize(from)?;
    if url.starts_with("https://") {
        Ok(url)
    } else {
        Err(serde::de::Error::custom("an address has to begin with https://"))
    }
}

/// A text with no more words, or characters, than a step's text may have.
fn short<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    let text: Text = Text::deserialize(from)?;
    let (words, characters) = (text.en.split_whitespace().count(), text.zh.chars().count());
    at_most::<D::Error>(words, "words", WORDS_LIMIT)?;
    at_most::<D::Error>(characters, "Chinese characters", CHARACTERS_LIMIT)?;
    Ok(text)
}

fn at_most<E: serde::de::Error>(n: usize, what: &str, limit: usize) -> Result<(), E> {
    if n > limit {
        return Err(E::custom(format!("{n} {what} are too many: there may be {limit}")));
    }
    Ok(())
}

fn nodes<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let n = usize::deserialize(from)?;
    at_most::<D::Error>(n, "nodes", NODES_LIMIT)?;
    Ok(n)
}

fn members<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let n = usize::deserialize(from)?;
    if MEMBERS.contains(&n) { Ok(n) } else { Err(serde::de::Error::custom("etcd has 1, 3 or 5 members")) }
}

fn steps<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<LessonStep>, D::Error> {
    let steps: Vec<Whole<LessonStep>> = Vec::deserialize(from)?;
    at_most::<D::Error>(steps.len(), "steps", STEPS_LIMIT)?;
    if steps.is_empty() {
        return Err(serde::de::Error::custom("a lesson has at least one step"));
    }
    Ok(steps.into_iter().map(|Whole(step)| step).collect())
}

fn parts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Part>, D::Error> {
    let parts: Vec<Part> = Vec::deserialize(from)?;
    if parts.is_empty() {
        return Err(serde::de::Error::custom("a goal has at least one part"));
    }
    Ok(parts)
}

fn several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Choice>, D::Error> {
    let all: Vec<Choice> = Vec::deserialize(from)?;
    if all.len() < 2 {
        return Err(serde::de::Error::custom("there are at least two answers"));
    }
    Ok(all)
}

fn whole<'de, D: Deserializer<'de>, T: Deserialize<'de> + Fits>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Whole<T>>::deserialize(from)?.map(|Whole(it)| it))
}

/// Something whose fields have to fit together.
trait Fits {
    /// What does not.
    fn misfit(&self) -> Option<&'static str>;
}

impl Fits for LessonStep {
    fn misfit(&self) -> Option<&'static str> {
        let both = self.predict.is_some() && self.task.is_some();
        both.then_some("a step has `predict` or `do`, not both")
    }
}

impl Fits for Predict {
    fn misfit(&self) -> Option<&'static str> {
        let extreme = matches!(self.answer, Asked::Lowest(_) | Asked::Highest(_));
        (extreme && !matches!(self.by, By::Number(_)))
            .then_some("`lowest` and `highest` are answered by a `number`")
    }
}

/// A mapping that is read and checked as a whole. The error is one of the mapping's, so that it has its line.
struct Whole<T>(T);

impl<'de, T: Deserialize<'de> + Fits> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Whole<T>, D::Error> {
        struct Form<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Fits> Visitor<'de> for Form<T> {
            type Value = Whole<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Whole<T>, A::Error> {
                let it = T::deserialize(MapAccessDeserializer::new(map))?;
                match it.misfit() {
                    None => Ok(Whole(it)),
                    Some(why) => Err(serde::de::Error::custom(why)),
                }
            }
        }
        from.deserialize_map(Form(PhantomData))
    }
}

impl Lesson {
    /// The beginning as a scenario, whose set-up is the lesson's.
    pub fn scenario(&self) -> Scenario {
        let start = &self.start;
        Scenario {
            id: String::new(),
            title: self.title.clone(),
            text: self.idea.clone(),
            theme: None,
            nodes: start.nodes,
            size: Size::Ordinary,
            etcd: start.etcd,
            ip_family: start.ip_family,
            depth: None,
            manifest: start.manifest.clone(),
            files: start.files.clone(),
            setup: start.setup.clone(),
            tries: Vec::new(),
            notes: Vec::new(),
            plays: Vec::new(),
        }
    }
}

/// Reads a lesson's file. The lesson's id is the file's name without folder and ending.
///
/// # Errors
///
/// What is wrong, with the file, the line and the field: see [`DataError`]. Conditions are compiled here, so that what is wrong in
/// them is said at their line.
pub fn read(file: &str, text: &str) -> Result<Lesson, DataError> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let id = name.strip_suffix(".yaml").or(name.strip_suffix(".yml")).unwrap_or(name).to_owned();
    Ok(Lesson { id, ..data::read(file, text)? })
}
