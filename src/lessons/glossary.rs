//! The glossary: what the terms in the texts of lessons and scenarios mean.
//!
//! The glossary is the file `static/glossary.yaml`. A [`Reader`] finds the terms in a text:
//!
//! ```
//! use steady::lessons::glossary::Reader;
//! let mut reader = Reader::new(|forms| forms.en);
//! let found: Vec<_> = reader.read("Pods run on nodes. A pod has an address.").collect();
//! let terms: Vec<_> = found.iter().filter_map(|piece| Some((piece.text, piece.term?.term.en))).collect();
//! assert_eq!(terms, [("Pods", "Pod"), ("nodes", "node")]);
//! assert_eq!(found.iter().map(|piece| piece.text).collect::<String>(), "Pods run on nodes. A pod has an address.");
//! ```

use crate::session::scenario::Text;

/// A term.
#[derive(Debug, PartialEq, Eq)]
pub struct Term {
    /// The term.
    pub term: Text<&'static str>,
    /// The words by which it is found in a text.
    pub forms: Text<&'static [&'static str]>,
    /// What it means: a sentence.
    pub says: Text<&'static str>,
    /// The page of Kubernetes' documentation about it.
    pub url: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/glossary.rs"));

/// All terms.
pub fn terms() -> &'static [Term] {
    TERMS
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    /// The piece as it stands in the text.
    pub text: &'t str,
    /// The term that it is, if it is one that was not found before.
    pub term: Option<&'static Term>,
}

/// Finds the first occurrence of each term in a text, which may come in several parts.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The forms of the terms that were not found yet, each with its term.
    left: Vec<(&'static str, &'static Term)>,
}

impl Reader {
    /// A reader for a text of the language whose forms `of` names.
    pub fn new(of: fn(&Text<&'static [&'static str]>) -> &'static [&'static str]) -> Reader {
        let mut left: Vec<_> =
            TERMS.iter().flat_map(|term| of(&term.forms).iter().map(move |form| (*form, term))).collect();
        // "Pod template" is not the template that a text speaks of later.
        crate::api::order::sort_by_key(&mut left, |(form, _)| std::cmp::Reverse(form.len()));
        Reader { left }
    }

    /// The next part of the text, in pieces.
    pub fn read<'t>(&mut self, text: &'t str) -> impl Iterator<Item = Piece<'t>> + use<'t> {
        let mut pieces = Vec::new();
        let (mut from, mut at) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            match self.term_at(before, rest) {
                Some((length, term)) => {
                    pieces.extend(text.get(from..at).map(|text| Piece { text, term: None }));
                    pieces.extend(rest.get(..length).map(|text| Piece { text, term: Some(term) }));
                    self.left.retain(|(_, t)| !std::ptr::eq(*t, term));
                    at += length;
                    from = at;
                }
                None => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        pieces.extend(text.get(from..).map(|text| Piece { text, term: None }));
        pieces.into_iter().filter(|piece| !piece.text.is_empty())
    }

    /// The term that a text begins with, and how long it is there.
    fn term_at(&self, before: Option<char>, rest: &str) -> Option<(usize, &'static Term)> {
        let (form, term) = self.left.iter().find(|(form, _)| begins_with(before, rest, form))?;
        Some((form.len(), term))
    }
}

/// Whether a text begins with a form, as a word of its own where it is written with letters that make words.
fn begins_with(before: Option<char>, rest: &str, form: &str) -> bool {
    let same = match (rest.chars().next(), form.chars().next()) {
        (Some(a), Some(b)) if a == b => rest.starts_with(form),
        // The beginning of a sentence.
        (Some(a), Some(b)) if a.to_ascii_lowercase() == b => {
            rest.get(1..).zip(form.get(1..)).is_some_and(|(rest, form)| rest.starts_with(form))
        }
        _ => false,
    };
    let after = rest.get(form.len()..).and_then(|t| t.chars().next());
    let ends = |c: Option<char>| form.ends_with(joins) && c.is_some_and(joins);
    let begins = |c: Option<char>| form.starts_with(joins) && c.is_some_and(|c| joins(c) || c == '.');
    same && !begins(before) && !ends(after)
}

/// Whether a character goes on with a word that is written with Latin letters.
fn joins(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        term: Text,
        forms: Text<Vec<String>>,
        says: Text,
        url: String,
    }

    fn found(text: &str) -> Vec<(&str, &'static str)> {
        Reader::new(|forms| forms.en).read(text).filter_map(|p| Some((p.text, p.term?.term.en))).collect()
    }

    fn found_zh(text: &str) -> Vec<(&str, &'static str)> {
        Reader::new(|forms| forms.zh).read(text).filter_map(|p| Some((p.text, p.term?.term.zh))).collect()
    }

    #[test]
    fn each_term_is_whole_and_no_two_have_a_form_in_common() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/static/glossary.yaml");
        let written: Vec<Written> = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert!(written.len() >= 60 && written.len() == terms().len(), "{}", written.len());
        let (mut en, mut zh) = (BTreeSet::new(), BTreeSet::new());
        for (term, listed) in written.iter().zip(terms()) {
            let name = &term.term.en;
            assert_eq!(name, listed.term.en);
            assert!(!name.is_empty() && !term.term.zh.is_empty(), "{term:?}");
            assert!(term.says.en.ends_with('.') && term.says.zh.ends_with('。'), "{name}");
            assert!(term.says.en.len() < 160, "{name}: {}", term.says.en);
            assert!(term.url.starts_with("https://kubernetes.io/docs/"), "{name}: {}", term.url);
            assert!(!term.forms.en.is_empty() && !term.forms.zh.is_empty(), "{name}");
            for (forms, known) in [(&term.forms.en, &mut en), (&term.forms.zh, &mut zh)] {
                for form in forms {
                    assert!(!form.is_empty() && known.insert(form.clone()), "{name}: {form} stands twice");
                }
            }
            assert_eq!(term.forms.en, listed.forms.en);
            assert_eq!(term.forms.zh, listed.forms.zh);
        }
    }

    #[test]
    fn the_first_occurrence_is_found_as_a_word() {
        assert_eq!(found("A pod, two pods."), [("pod", "Pod")]);
        assert_eq!(
            found("Deployments have ReplicaSets"),
            [("Deployments", "Deployment"), ("ReplicaSets", "ReplicaSet")]
        );
        // Inside of other words there are no terms.
        assert_eq!(found("podium, node-1, deployment-controller, spec.nodes"), [("spec", "spec")]);
        assert_eq!(found("the pod template of a template"), [("pod template", "template")]);
        assert_eq!(found(""), []);
    }

    #[test]
    fn chinese_has_no_spaces_between_words() {
        assert_eq!(
            found_zh("调度器把Pod绑定到节点，标签选择算符"),
            [("调度器", "调度器"), ("Pod", "Pod"), ("节点", "节点"), ("标签选择算符", "选择算符"),]
        );
        assert_eq!(found_zh("PodDisruptionBudget"), [("PodDisruptionBudget", "干扰预算")]);
    }

    #[test]
    fn a_text_comes_back_whole() {
        for text in ["Pods. é节点x 🙂 etcd", "a", "节点节点"] {
            let mut reader = Reader::new(|forms| forms.zh);
            assert_eq!(reader.read(text).map(|p| p.text).collect::<String>(), text);
        }
    }
}
