//! Documents of manifests that were refused, as data: an editor finds the places of errors by these, and reads no text
//! that kubectl prints.

use serde::{Deserialize, Serialize};

use super::error::Error;
use crate::apimachinery::Status;

/// A document of a manifest that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The place of the document.
    pub place: ManifestPlace,
    /// Who refused it.
    pub by: Refuser,
}

/// The place of an object in the files that a command was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestPlace {
    /// The file, or the directory of a kustomization.
    pub source: String,
    /// The index of the document in the file, as [`yaml::documents`](crate::api::yaml::documents) counts. Of a
    /// kustomization, the index of the object in what was built.
    pub document: usize,
    /// The path of the object in the document: empty for the whole document, or an item of a list, for example
    /// `items[2]`.
    pub item: String,
}

/// Who refused a document, and in which words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refuser {
    /// The API server.
    Server(Status),
    /// kubectl itself, with this message.
    Kubectl(String),
}

impl Refused {
    /// What an error says of a document.
    pub(super) fn of(place: &ManifestPlace, error: &Error) -> Vec<Refused> {
        let by = match error {
            Error::Status(s) => Refuser::Server(s.status.clone()),
            Error::Text(text) => Refuser::Kubectl(text.clone()),
            Error::Many(all) => return all.iter().flat_map(|e| Refused::of(place, e)).collect(),
        };
        vec![Refused { place: place.clone(), by }]
    }
}
