//! A run that begins with the objects of another cluster, and the notes of an author.

use std::rc::Rc;

use super::{Engine, Output, Said, Text, Value};
use crate::session::import::{self, ImportError};
use crate::session::scenario::Scenario;
use crate::session::{Link, Session, export};

/// The editor is given what was declared if that is no more than so many bytes.
const TEXT_LIMIT: usize = 100_000;

impl Engine {
    /// Begins a run with the objects in a text. The run that is shown is put aside.
    pub(super) fn import(&mut self, text: &str) {
        if !self.at_rest() {
            return;
        }
        let imported = match import::read(text) {
            Ok(imported) => imported,
            Err(e) => {
                let why = match e {
                    ImportError::Yaml(why) => Said::Text(why),
                    ImportError::NoCluster => Said::key("import-no-cluster"),
                    ImportError::TooLarge(limit) => Said::key("import-large").number("n", limit as f64),
                };
                return self.say(Said::key("import-refused").with("why", Value::Said(Box::new(why))), true);
            }
        };
        // The text is not work: it is what is imported.
        if let Some(scenario) = &self.scenario {
            self.shown.text = Rc::new(scenario.manifest.clone());
        }
        self.keep();
        let session = Session::new(imported.start());
        let boot = session.boot();
        let declared = boot.map(|boot| export::documents(session.cluster(), &boot, TEXT_LIMIT));
        self.take_notes(None, &[]);
        self.replace_run(None, session, 0, None);
        self.set_text(declared.unwrap_or_default());
        self.shown.importable = false;
        self.out.push(Output::Hush);
        self.out.push(Output::Imported(Box::new(imported.report)));
        self.moved();
        // Nothing was done yet, but what was imported is nowhere else.
        self.settle(true);
    }

    /// Sets what is said from the step that is shown on.
    pub(super) fn note(&mut self, text: String) {
        let at = self.shown.position.saturating_sub(self.shown.beginning);
        let notes = Rc::make_mut(&mut self.shown.notes);
        notes.retain(|(step, _)| *step != at);
        if !text.trim().is_empty() {
            let place = notes.partition_point(|(step, _)| *step < at);
            notes.insert(place, (at, Text { en: text.clone(), zh: text }));
        }
        self.noted = true;
        self.touch();
    }

    /// Takes over the notes of a scenario, and those of a link, which come before.
    pub(super) fn take_notes(&mut self, scenario: Option<&Scenario>, of_link: &[(usize, String)]) {
        self.noted = !of_link.is_empty();
        self.shown.notes = Rc::new(if self.noted {
            of_link.iter().map(|(at, text)| (*at, Text { en: text.clone(), zh: text.clone() })).collect()
        } else {
            let notes = scenario.into_iter().flat_map(|s| &s.notes);
            notes.map(|note| (note.at, note.text.clone())).collect()
        });
    }

    /// Gives a link the notes that a person has written.
    pub(super) fn give_notes(&self, link: &mut Link) {
        if self.noted {
            link.notes = self.shown.notes.iter().map(|(at, text)| (*at, text.en.clone())).collect();
        }
    }
}
