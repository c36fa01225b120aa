//! The rule book: each rule of each component as a guarded command, with what it enables now and how often it was used.
//!
//! The book is the file `static/rules.yaml`. Kubernetes has no such list: the rules are what its controllers' code does, and
//! the names are those that this library's code gives to a command's reason ([`Why`](crate::client::Why)).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Word;
use super::next::{Listing, NextLine, NextWhat};
use crate::api::Kind;
use crate::cluster::Outcome;
use crate::session::scenario::Text;
use crate::session::{MomentId, Session, What};

/// The rules of a component, or those that several components have in common.
struct Chapter {
    by: &'static [&'static str],
    rules: &'static [Rule],
}

/// A rule as the book has it.
struct Rule {
    name: &'static str,
    when: Text<&'static str>,
    then: Text<&'static str>,
    /// The files below `src/`, each with a line.
    places: &'static [(&'static str, usize)],
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The rule book at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleBook {
    /// The rules, by component.
    pub chapters: Vec<RuleChapter>,
    /// Whether the next commands are known, so that a rule without any is not enabled. They are not looked for at the depth
    /// of the machinery.
    pub looked: bool,
    /// How many components have something to do, and were not looked at.
    pub more: usize,
}

/// The rules of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleChapter {
    /// The components' names.
    pub by: Vec<Word>,
    /// Their rules.
    pub rules: Vec<RuleView>,
}

/// A rule at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleView {
    /// Its name, which is the one in [`Reason::rule`](super::Reason::rule).
    pub name: Word,
    /// The condition, over the current state.
    pub when: Text,
    /// The command that it enables.
    pub then: Text,
    /// Where it stands in the code: files below `src/`, and a line in each.
    pub places: Vec<(Word, usize)>,
    /// The next commands by this rule. What each is about is among the objects that exist.
    pub enabled: Vec<NextLine>,
    /// How many commands of the run up to now were by this rule.
    pub used: usize,
    /// The moment of the last of them.
    pub last: Option<MomentId>,
}

/// The book, with the next commands of a listing.
pub fn rule_book(session: &Session, listing: &Listing) -> RuleBook {
    let used = used(session);
    let view = |rule: &Rule| {
        let (count, last) = used.get(rule.name).map_or((0, None), |(n, last)| (*n, Some(*last)));
        RuleView {
            name: Word::new_static(rule.name),
            when: rule.when.into_owned(),
            then: rule.then.into_owned(),
            places: rule.places.iter().map(|(file, line)| (Word::new_static(file), *line)).collect(),
            enabled: listing
                .lines
                .iter()
                .filter(|l| is_by(l, rule.name))
                .map(|l| of_existing(session, l))
                .collect(),
            used: count,
            last,
        }
    };
    let chapter = |c: &Chapter| RuleChapter {
        by: c.by.iter().map(|name| Word::new_static(name)).collect(),
        rules: c.rules.iter().map(view).collect(),
    };
    let actions = listing.lines.iter().any(|l| matches!(l.what, NextWhat::Action { .. }));
    let looked = listing.ready && !actions;
    RuleBook { chapters: BOOK.iter().map(chapter).collect(), looked, more: listing.more }
}

/// Whether a line has a command of the rule.
fn is_by(line: &NextLine, rule: &str) -> bool {
    match &line.what {
        NextWhat::Command(c) => c.why.as_ref().is_some_and(|why| why.rule == rule),
        NextWhat::Action { .. } => false,
    }
}

/// The line, about objects that exist: one that a command creates cannot be looked at yet. Each of them once.
fn of_existing(session: &Session, line: &NextLine) -> NextLine {
    let api = session.cluster().api();
    let mut about = Vec::new();
    for object in line.about.iter().filter(|o| o.kind != Kind::EVENT && api.cached(o).is_some()) {
        if !about.contains(object) {
            about.push(object.clone());
        }
    }
    NextLine { about: about.into(), ..line.clone() }
}

/// How many commands of each rule led to the current moment, and the moment of the last one.
fn used(session: &Session) -> BTreeMap<&'static str, (usize, MomentId)> {
    let mut used: BTreeMap<&'static str, (usize, MomentId)> = BTreeMap::new();
    for id in session.timeline().iter().copied() {
        let mut add = |rule: &'static str| {
            let (n, last) = used.entry(rule).or_default();
            (*n, *last) = (*n + 1, id);
        };
        match session.moment(id).map(|m| &m.what) {
            Some(What::Commands(all)) => all.iter().filter_map(|c| c.why.as_ref()).for_each(|w| add(w.rule)),
            Some(What::Machinery(t)) => {
                if let Outcome::Sent { why: Some(why), .. } = &t.outcome {
                    add(why.rule);
                }
            }
            _ => {}
        }
        if id == session.at() {
            break;
        }
    }
    used
}

#[cfg(test)]
mod tests;
