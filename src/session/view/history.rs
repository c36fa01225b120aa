//! The versions of one object along the branch that is shown.

use std::rc::Rc;

use crate::api::{Object, ObjectRef};
use crate::session::{MomentId, Session};

/// A version of an object.
#[derive(Clone, Debug)]
pub struct Version {
    /// The moment that made it.
    pub moment: MomentId,
    /// The revision.
    pub revision: u64,
    /// Who asked for it: a component's name, or `you`.
    pub by: Rc<str>,
    /// `update/status`
    pub verb: String,
    /// The object; `None` where it was removed.
    pub object: Option<Object>,
}

/// The versions of an object, oldest first: those that the branch shown writes, also after the
/// moment that is looked at.
pub fn versions(session: &Session, of: &ObjectRef) -> Vec<Version> {
    let mut out = Vec::new();
    for id in session.timeline() {
        let Some(moment) = session.moment(id) else { continue };
        // Most moments wrote something else, and there can be very many of them.
        if !moment.wrote(of) {
            continue;
        }
        for w in moment.writes() {
            if w.object == *of {
                out.push(Version {
                    moment: id,
                    revision: w.revision,
                    by: moment.by().unwrap_or_else(|| w.user.clone()),
                    verb: w.verb_string(),
                    object: w.next.clone(),
                });
            }
        }
    }
    out
}
