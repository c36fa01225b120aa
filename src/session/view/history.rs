//! The versions of one object along the branch that is shown, and what each of them changed.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::changes::{FieldChange, field_changes};
use crate::api::{Object, ObjectRef};
use crate::session::{MomentId, Session};

/// The number of newest versions whose changes are computed.
const COMPARED: usize = 40;
/// The largest number of changes that are listed for a version.
const NAMED: usize = 3;

/// A version of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// The moment at which it was written.
    pub moment: MomentId,
    /// The step of the timeline that led to that moment.
    pub place: usize,
    /// The revision.
    pub revision: u64,
    /// The name of the component that wrote it, or `you`.
    pub by: Rc<str>,
    /// The verb and subresource of the request, for example `update/status`.
    pub verb: String,
    /// The most telling changed fields. The path of a condition is its type.
    pub changes: Vec<FieldChange>,
    /// The number of further fields that the version changed.
    pub more: usize,
}

/// The versions of an object, oldest first: all that the shown branch writes, also those after the current
/// moment.
pub fn versions(session: &Session, of: &ObjectRef) -> Vec<Version> {
    let cluster = session.cluster();
    let mut out: Vec<(Version, Option<Object>)> = Vec::new();
    for (place, id) in session.timeline().iter().copied().enumerate() {
        let Some(moment) = session.moment(id) else { continue };
        // Most moments wrote other objects, and there can be very many moments.
        if !moment.wrote(of) {
            continue;
        }
        for w in moment.writes().into_iter().filter(|w| w.object == *of) {
            let version = Version {
                moment: id,
                place,
                revision: w.revision,
                by: w
                    .by_account()
                    .or_else(|| moment.by(cluster))
                    .or_else(|| cluster.name_of_user(&w.user))
                    .unwrap_or_else(|| w.user.clone()),
                verb: w.verb_string(),
                changes: Vec::new(),
                more: 0,
            };
            out.push((version, w.next.clone()));
        }
    }
    let first = out.len().saturating_sub(COMPARED).max(1);
    for i in first..out.len() {
        let before = out.get(i - 1).and_then(|(_, o)| o.clone());
        if let (Some(old), Some((version, Some(new)))) = (before, out.get_mut(i)) {
            (version.changes, version.more) = telling_changes(&old, new);
        }
    }
    out.into_iter().map(|(version, _)| version).collect()
}

/// The changes between two versions: the most telling fields, and the number of further ones. For a
/// condition, only a change of its status counts.
pub(super) fn telling_changes(old: &Object, new: &Object) -> (Vec<FieldChange>, usize) {
    let aside = |path: &str| {
        path.starts_with("status.conditions")
            || ["Time", "observedGeneration"].iter().any(|end| path.ends_with(end))
    };
    let mut all: Vec<FieldChange> = field_changes(old, new).into_iter().filter(|c| !aside(&c.path)).collect();
    // Fields of the spec come before those of the status.
    crate::api::order::sort_by_key(&mut all, |c| !c.path.starts_with("spec"));
    let (before, after) = (conditions(&old.to_value()), conditions(&new.to_value()));
    for (path, status) in after {
        let old = before.iter().find(|(type_, _)| *type_ == path).map(|(_, s)| s.clone());
        if old.as_ref() != Some(&status) {
            all.push(FieldChange { path, old, new: Some(status) });
        }
    }
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    (all, more)
}

/// The types of an object's conditions, and their status. They are identified by type, because
/// controllers do not keep them in a fixed order.
fn conditions(object: &Value) -> Vec<(String, String)> {
    let list = object.pointer("/status/conditions").and_then(Value::as_array);
    let text = |c: &Value, name: &str| c.get(name)?.as_str().map(str::to_owned);
    list.into_iter().flatten().filter_map(|c| Some((text(c, "type")?, text(c, "status")?))).collect()
}
