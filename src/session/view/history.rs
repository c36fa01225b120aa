//! The versions of an object on the branch that is shown.

use std::rc::Rc;

use crate::api::{Object, ObjectRef};
use crate::session::{MomentId, Session};

/// A version of an object.
#[derive(Clone, Debug)]
pub struct Version {
    /// The moment at which it was written.
    pub moment: MomentId,
    /// Its revision.
    pub revision: u64,
    /// The name of the component that wrote it, or `you`.
    pub by: Rc<str>,
    /// The verb and subresource of the request, for example `update/status`.
    pub verb: String,
    /// The object; `None` if this version is its deletion.
    pub object: Option<Object>,
}

/// The versions of an object, oldest first: all that the shown branch writes, also those after the current
/// moment.
pub fn versions(session: &Session, of: &ObjectRef) -> Vec<Version> {
    let mut out = Vec::new();
    for id in session.timeline() {
        let Some(moment) = session.moment(id) else { continue };
        // Most moments wrote other objects, and there can be very many moments.
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
