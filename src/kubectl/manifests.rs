//! The objects of manifests, and which of them a command has read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::error::Error;
use super::refused::{ManifestPlace, Refused};
use crate::api::{Key, Kind};

/// One object of a file.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    /// The kind of the object.
    pub(super) kind: Kind,
    /// The namespace of the object: its own, or else the command's; empty for a cluster-scoped object.
    pub(super) namespace: String,
    /// The name of the object; empty where the manifest has none.
    pub(super) name: String,
    /// The JSON of the manifest, with the namespace filled in.
    pub(super) value: Value,
    /// The name of the file.
    pub(super) source: String,
    /// The place of the object in the files.
    pub(super) place: ManifestPlace,
}

impl Manifest {
    /// Namespace and name.
    pub(super) fn key(&self) -> Key {
        Key::new(&self.namespace, &self.name)
    }
}

/// The objects of some files, and what is wrong with others of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Loaded {
    pub(super) manifests: Vec<Rc<Manifest>>,
    pub(super) errors: Vec<Error>,
    /// The documents that some of the errors are about.
    pub(super) refused: Vec<Refused>,
}

impl Loaded {
    /// Notes what is wrong with an object.
    pub(super) fn refuse(&mut self, place: &ManifestPlace, message: String) {
        let error = Error::Text(message);
        self.refused.extend(Refused::of(place, &error));
        self.errors.push(error);
    }
}

/// What a command has loaded, by the names of the files. A command that waits is run again from its start; it finds its
/// manifests here and does not parse them again. Clones of a command share it: they have the same files and flags.
#[derive(Clone, Debug, Default)]
pub(super) struct Manifests(Rc<RefCell<Cache>>);

#[derive(Debug, Default)]
struct Cache {
    loaded: BTreeMap<Sources, Loaded>,
    /// How many files were named that were parsed.
    #[cfg(test)]
    parsed: usize,
}

/// What names manifests: `-f`, `-k` and `-R`.
pub(super) type Sources = (Vec<String>, String, bool);

impl Manifests {
    /// What was loaded from these sources.
    pub(super) fn get(&self, sources: &Sources) -> Option<Loaded> {
        self.0.try_borrow().ok()?.loaded.get(sources).cloned()
    }

    /// Notes what was loaded from these sources.
    pub(super) fn put(&self, sources: Sources, loaded: &Loaded) {
        if let Ok(mut cache) = self.0.try_borrow_mut() {
            #[cfg(test)]
            {
                cache.parsed += sources.0.len();
            }
            cache.loaded.insert(sources, loaded.clone());
        }
    }

    /// How many files were parsed so far.
    #[cfg(test)]
    pub(super) fn parsed(&self) -> usize {
        self.0.borrow().parsed
    }
}
