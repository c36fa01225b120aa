//! What an apply would do, before it is done.

use crate::api::ObjectRef;
use crate::apiserver::Write;
use crate::kubectl;
use crate::session::Session;
use serde::{Deserialize, Serialize};

use super::changes::{FieldChange, field_changes};

/// The effects of an apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// What it would print.
    pub output: kubectl::Output,
    /// The objects it would create.
    pub created: Vec<ObjectRef>,
    /// The fields it would change, by object.
    pub changed: Vec<(ObjectRef, Vec<FieldChange>)>,
    /// Whether the cluster had what the text says before: the apply would take back what was done since. The engine sets it.
    pub goes_back: bool,
    /// Whether the run has moments after the one that is shown: the apply would begin another branch. The engine sets it.
    pub in_past: bool,
}

impl Preview {
    /// Applies a manifest on a copy of the cluster. The session stays as it is.
    pub fn of(session: &Session, text: &str) -> Preview {
        let (writes, output) = session.preview(text);
        let mut preview = Preview { output, ..Preview::default() };
        for Write { object, prev, next, .. } in writes {
            match (prev, next) {
                (None, Some(_)) => preview.created.push(object),
                (Some(old), Some(new)) => {
                    let fields = field_changes(&old, &new);
                    if !fields.is_empty() {
                        preview.changed.push((object, fields));
                    }
                }
                _ => {}
            }
        }
        preview
    }
}
