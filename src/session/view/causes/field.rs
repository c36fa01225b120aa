//! The fields of an object, and which write gave a field its value.

use std::collections::BTreeMap;

use super::super::lines::{FieldId, fields};
use super::Causes;
use crate::api::{Object, ObjectRef};

impl Causes<'_> {
    /// A field of an object as it is now: its line, and the write that gave it its value, which is `None` if the object had
    /// that when the cluster began. `None` if there is no such field. `all` says whether the fields that are only kept for
    /// bookkeeping are among those that are looked at.
    pub fn field(&self, of: &ObjectRef, field: FieldId, all: bool) -> Option<(String, Option<u64>)> {
        let line_in = |object: &Object| fields(object, all).into_iter().find(|(id, _)| *id == field);
        let (_, line) = line_in(self.session.cluster().api().cached(of)?)?;
        // From the newest write back: the field got its value by the one before which it was something else.
        let revisions = self.of.get(of).into_iter().flatten().rev().copied();
        let by = revisions.into_iter().find(|revision| {
            self.before(*revision).and_then(line_in).is_none_or(|(_, before)| before != line)
        });
        Some((line, by))
    }

    /// All fields of an object as it is now, each with its line and the write that gave it its value, as [`Causes::field`] has
    /// them.
    pub fn fields(&self, of: &ObjectRef) -> Vec<(FieldId, String, Option<u64>)> {
        let Some(object) = self.session.cluster().api().cached(of) else { return Vec::new() };
        let mut out: Vec<(FieldId, String, Option<u64>)> =
            fields(object, false).into_iter().map(|(field, line)| (field, line, None)).collect();
        let mut open = out.len();
        for revision in self.of.get(of).into_iter().flatten().rev() {
            if open == 0 {
                break;
            }
            let before: BTreeMap<FieldId, String> =
                self.before(*revision).map(|o| fields(o, false)).into_iter().flatten().collect();
            for (field, line, by) in out.iter_mut().filter(|(.., by)| by.is_none()) {
                if before.get(field) != Some(line) {
                    *by = Some(*revision);
                    open -= 1;
                }
            }
        }
        out
    }

    /// An object before a write to it; `None` if the write created it.
    fn before(&self, revision: u64) -> Option<&Object> {
        self.step(revision)?.write.prev.as_ref()
    }
}
