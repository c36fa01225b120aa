//! The runs that the page keeps, as a list: what is known of each without opening it, and what changes about the list. The
//! runs themselves are links ([`Draft::link`](super::Draft)), which the page stores beside it.

use serde::{Deserialize, Serialize};

use super::Draft;
use crate::session::Link;

/// How many runs without a name are kept. With the next one, the one that was changed the longest ago goes.
pub const UNNAMED_LIMIT: usize = 50;
/// The most characters of a name.
pub const NAME_LIMIT: usize = 80;

/// What is known of a kept run without opening it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// [`Draft::id`].
    pub id: String,
    /// What a person called it; empty if nothing.
    pub name: String,
    /// The id of the scenario or of the lesson that it came from; empty if it came from none.
    pub scenario: String,
    /// How many steps its branch has.
    pub steps: usize,
    /// How long it is as a link.
    pub size: usize,
    /// When it was last changed: milliseconds since 1970.
    pub changed: f64,
}

impl Kept {
    /// What is known of a run that is given as a link. `None` if the link cannot be read.
    pub fn of_link(id: &str, link: &str, now: f64) -> Option<Kept> {
        let read = Link::decode(link).ok()?;
        let steps = usize::try_from(read.steps()).unwrap_or(usize::MAX);
        let scenario = read.lesson.map_or(read.start.scenario, |lesson| lesson.id);
        Some(Kept { id: id.to_owned(), name: String::new(), scenario, steps, size: link.len(), changed: now })
    }
}

/// The list, with the run that was changed last at its beginning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs(Vec<Kept>);

impl Runs {
    /// A list of these runs.
    pub fn new(mut runs: Vec<Kept>) -> Runs {
        runs.sort_by(|a, b| b.changed.total_cmp(&a.changed).then_with(|| a.id.cmp(&b.id)));
        Runs(runs)
    }

    /// The runs.
    pub fn all(&self) -> &[Kept] {
        &self.0
    }

    /// The run with this id.
    pub fn find(&self, id: &str) -> Option<&Kept> {
        self.0.iter().find(|run| run.id == id)
    }

    /// What is to be stored for a draft that was made at a time.
    pub fn keep(&self, draft: &Draft, now: f64) -> Kept {
        let name = self.find(&draft.id).map(|before| before.name.clone()).unwrap_or_default();
        Kept {
            id: draft.id.to_string(),
            name,
            scenario: draft.scenario.clone(),
            steps: draft.steps,
            size: draft.link.len(),
            changed: now,
        }
    }

    /// The runs that have to go because there are too many without a name. Those that are named here stay: they are open.
    pub fn surplus(&self, open: &[String]) -> Vec<String> {
        let unnamed = self.0.iter().filter(|run| run.name.is_empty());
        let old = unnamed.skip(UNNAMED_LIMIT).map(|run| run.id.clone());
        old.filter(|id| !open.contains(id)).collect()
    }

    /// A run with another name. The name is what a person typed: without space around it, and cut where it is too long.
    pub fn rename(&self, id: &str, name: &str) -> Option<Kept> {
        let name = name.trim().chars().take(NAME_LIMIT).collect();
        Some(Kept { name, ..self.find(id)?.clone() })
    }

    /// A copy of a run under another id, made at a time. `title` is what the run is called on the page; the copy is called
    /// that and the first number from 2 on that makes it the only one.
    pub fn duplicate(&self, id: &str, copy: &str, title: &str, now: f64) -> Option<Kept> {
        let run = self.find(id)?;
        let taken = |name: &String| self.0.iter().any(|run| run.name == *name);
        let name = (2..=self.0.len() + 2).map(|n| format!("{title} ({n})")).find(|name| !taken(name))?;
        Some(Kept { id: copy.to_owned(), name, changed: now, ..run.clone() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn run(id: &str, name: &str, changed: f64) -> Kept {
        Kept { id: id.into(), name: name.into(), changed, ..Kept::default() }
    }

    fn ids(runs: &Runs) -> Vec<&str> {
        runs.all().iter().map(|run| run.id.as_str()).collect()
    }

    #[test]
    fn the_run_that_was_changed_last_is_the_first() {
        let runs = Runs::new(vec![run("a", "", 1.0), run("c", "", 3.0), run("b", "", 2.0)]);
        assert_eq!(ids(&runs), ["c", "b", "a"]);
    }

    #[test]
    fn a_run_keeps_its_name_when_it_goes_on() {
        let runs = Runs::new(vec![run("a", "mine", 1.0)]);
        let draft = Draft { id: "a".into(), scenario: "01-deployment".into(), steps: 7, link: "axyz".into() };
        let kept = runs.keep(&draft, 5.0);
        assert_eq!((kept.name.as_str(), kept.steps, kept.size, kept.changed), ("mine", 7, 4, 5.0));
        assert_eq!(runs.keep(&Draft { id: "b".into(), ..draft }, 5.0).name, "");
    }

    #[test]
    fn a_run_of_an_older_page_is_known_by_its_link() {
        let mut session = crate::session::scenario::all().remove(0).open();
        session.step(crate::session::Depth::Command, None);
        let link = Link::draft(&session).encode();
        let kept = Kept::of_link("old", &link, 4.0).unwrap();
        assert_eq!((kept.scenario.as_str(), kept.size), ("01-first-deployment", link.len()));
        assert!(kept.steps > 0);
        assert_eq!(Kept::of_link("old", "a<script>", 4.0), None);
    }

    #[test]
    fn runs_with_a_name_and_open_ones_stay() {
        let all: Vec<Kept> = (0..UNNAMED_LIMIT + 3).map(|i| run(&format!("r{i:03}"), "", i as f64)).collect();
        let mut all = all;
        all.push(run("named", "mine", -1.0));
        let runs = Runs::new(all);
        assert_eq!(runs.surplus(&[]), ["r002", "r001", "r000"]);
        assert_eq!(runs.surplus(&["r001".into()]), ["r002", "r000"]);
    }

    #[test]
    fn a_name_is_what_was_typed_within_the_limit() {
        let runs = Runs::new(vec![run("a", "", 1.0)]);
        assert_eq!(runs.rename("a", "  滚动 \n").unwrap().name, "滚动");
        assert_eq!(runs.rename("a", &"x".repeat(200)).unwrap().name.len(), NAME_LIMIT);
        assert_eq!(runs.rename("b", "x"), None);
    }

    #[test]
    fn a_copy_has_a_name_of_its_own() {
        let one = run("a", "mine", 1.0);
        let two = Runs::new(vec![one.clone()]).duplicate("a", "b", "mine", 2.0).unwrap();
        assert_eq!((two.id.as_str(), two.name.as_str(), two.changed), ("b", "mine (2)", 2.0));
        let three = Runs::new(vec![one, two]).duplicate("a", "c", "mine", 3.0).unwrap();
        assert_eq!(three.name, "mine (3)");
    }
}
