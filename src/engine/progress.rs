//! How far somebody is in the course: what a page keeps of each lesson.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::LessonView;

/// How far somebody is in the lessons, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The lessons that were opened.
    pub lessons: BTreeMap<String, Passed>,
}

/// How far somebody is in a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passed {
    /// How many steps were reached.
    pub reached: usize,
    /// How many steps the lesson has.
    pub steps: usize,
    /// Whether the end was reached.
    pub done: bool,
}

impl Progress {
    /// Notes how far a lesson is that is shown. Going through a lesson once more takes nothing back. Returns whether anything
    /// has changed. A lesson that a person has brought is not noted: it is none of the course's.
    pub fn note(&mut self, view: &LessonView) -> bool {
        if view.own {
            return false;
        }
        let before = self.lessons.get(&view.id).copied().unwrap_or_default();
        let reached = view.reached.min(view.steps).max(before.reached.min(view.steps));
        let now = Passed { reached, steps: view.steps, done: before.done || view.end.is_some() };
        if now == before {
            return false;
        }
        self.lessons.insert(view.id.clone(), now);
        true
    }

    /// Whether the end of a lesson was reached.
    pub fn is_done(&self, id: &str) -> bool {
        self.lessons.get(id).is_some_and(|passed| passed.done)
    }

    /// Adds what another browser has noted: the further of the two holds for each lesson.
    pub fn add(&mut self, other: Progress) {
        for (id, theirs) in other.lessons {
            let mine = self.lessons.entry(id).or_default();
            mine.reached = mine.reached.max(theirs.reached);
            mine.steps = mine.steps.max(theirs.steps);
            mine.done |= theirs.done;
        }
    }

    /// The progress as text, which [`Progress::read`] reads.
    pub fn write(&self) -> String {
        super::explorer::write(self)
    }

    /// Reads what [`Progress::write`] has written; `None` for any other text.
    pub fn read(text: &str) -> Option<Progress> {
        super::wire::read(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(reached: usize, end: bool) -> LessonView {
        use crate::lessons::EndView;
        let text = crate::session::scenario::Text { en: String::new(), zh: String::new() };
        let over = EndView { seen: Vec::new(), more: 0, keep: text.clone(), read_on: Vec::new() };
        LessonView {
            id: "1.1-a".into(),
            own: false,
            title: text,
            steps: 3,
            step: 0,
            reached,
            text: None,
            map: false,
            lit: Vec::new(),
            predict: None,
            prints: Vec::new(),
            journeys: Vec::new(),
            task: None,
            done: false,
            astray: false,
            end: end.then_some(over),
        }
    }

    #[test]
    fn going_through_a_lesson_once_more_takes_nothing_back() {
        let mut progress = Progress::default();
        assert!(progress.note(&view(2, false)));
        assert!(progress.note(&view(4, true)));
        assert!(!progress.note(&view(1, false)));
        assert_eq!(progress.lessons.get("1.1-a"), Some(&Passed { reached: 3, steps: 3, done: true }));
        assert_eq!(Progress::read(&progress.write()), Some(progress.clone()));
        assert_eq!(Progress::read("{\"lessons\": 1}"), None);
        let mut other = Progress::default();
        other.note(&view(1, false));
        other.add(progress.clone());
        assert_eq!(other, progress);
    }
}
