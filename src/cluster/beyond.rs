//! What answers that is outside of the cluster.

use std::net::IpAddr;
use std::rc::Rc;

use crate::network::{Outcome, Question, Response};

/// What becomes of a packet that leaves the cluster: hosts of the internet answer, and nobody has a private address.
pub(super) fn outside(question: &Question, to: IpAddr) -> Outcome {
    let private = match to {
        IpAddr::V4(a) => a.is_private() || a.is_link_local() || a.is_unspecified(),
        IpAddr::V6(a) => (a.segments().first().copied().unwrap_or(0) & 0xfe00) == 0xfc00,
    };
    match question {
        _ if private => Outcome::TimedOut,
        Question::Fetch { .. } => Outcome::Answered(Rc::new(Response {
            status: 200,
            server: "".into(),
            content_type: "text/html".into(),
            body: "".into(),
            takes: Default::default(),
            goes_on: Default::default(),
            by: None,
            location: "".into(),
            headers: Default::default(),
        })),
        _ => Outcome::Connected,
    }
}
