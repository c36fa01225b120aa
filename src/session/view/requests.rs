//! The requests that led to a moment, and what the API server answered: as YAML, without the fields that are only kept for
//! bookkeeping, or as kubectl logs them at the highest verbosity.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::lines::yaml_of;
use super::{Reason, Word};
use crate::api::{Kind, Timestamp, yaml};
use crate::apimachinery::{Body, Response, wire_answer};
use crate::client::transport;
use crate::cluster::Cluster;
use crate::session::{Exchange, MomentId, Session};

/// kubectl's `-v` at which it logs requests with their bodies.
const VERBOSITY: u8 = 9;
/// The largest number of requests that are shown; a reconcile can have thousands.
const SHOWN: usize = 40;

/// A request in one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestHead {
    /// The HTTP method, for example `PUT`.
    pub method: Word,
    /// The path.
    pub path: String,
    /// The name of the user that sent the request.
    pub user: Rc<str>,
    /// The name of the component whose user it is; of a person, the user.
    pub by: Rc<str>,
    /// The HTTP status code of the answer.
    pub code: u16,
    /// The code with its text, for example `201 Created`.
    pub status: String,
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestView {
    /// The request in one line.
    pub head: RequestHead,
    /// Why it was sent.
    pub why: Option<Reason>,
    /// The media type and the text of its body; `None` if there is no body, or the log was asked for.
    pub body: Option<(String, String)>,
    /// The answer as YAML; `None` for a list, or if the log was asked for.
    pub answer: Option<String>,
    /// Request and answer as `kubectl -v=9` logs them, if that was asked for.
    pub log: Option<String>,
}

impl RequestHead {
    /// The head of a request and its answer. The cluster knows whose users there are.
    pub fn of(e: &Exchange, cluster: &Cluster) -> RequestHead {
        let code = e.response.code();
        let user = &e.request.user;
        RequestHead {
            method: Word::new_static(e.request.verb.method()),
            path: e.request.path(),
            user: user.clone(),
            by: cluster.name_of_user(user).unwrap_or_else(|| user.clone()),
            code,
            status: transport::status(code),
        }
    }
}

/// The first of the requests that led to a moment, and the number of further ones; as kubectl logs them if
/// `verbose`.
pub fn requests(session: &Session, moment: MomentId, verbose: bool) -> (Vec<RequestView>, usize) {
    let all = session.exchanges(moment);
    let now = session.now();
    let view = |e: &Exchange| RequestView {
        head: RequestHead::of(e, session.cluster()),
        why: e.why.as_deref().map(Reason::of),
        body: body(e).filter(|_| !verbose),
        answer: answer(&e.response).filter(|_| !verbose),
        log: verbose.then(|| log(e, now)),
    };
    (all.iter().take(SHOWN).map(view).collect(), all.len().saturating_sub(SHOWN))
}

fn log(e: &Exchange, now: Timestamp) -> String {
    let (sent, answered) = e.on_the_wire();
    transport::debugging(VERBOSITY, now, &sent, &answered)
}

/// The media type and the text of a request's body.
fn body(e: &Exchange) -> Option<(String, String)> {
    let (http, _) = e.on_the_wire();
    if http.body.is_empty() {
        return None;
    }
    let text = match &e.request.body {
        Body::Object(o) => yaml_of(o, false),
        _ => match serde_json::from_slice(&http.body) {
            Ok(value) => yaml::to_yaml_unfolded(&value),
            Err(_) => String::from_utf8_lossy(&http.body).into_owned(),
        },
    };
    Some((http.content_type, text))
}

fn answer(r: &Response) -> Option<String> {
    match r {
        Response::Object { object, .. } => Some(yaml_of(object, false)),
        Response::Failure(s) => Some(yaml::to_yaml_unfolded(&s.to_value())),
        Response::Success { .. } => {
            let text = wire_answer(Kind::POD, r).body;
            Some(yaml::to_yaml_unfolded(&serde_json::from_str(&text).unwrap_or_default()))
        }
        Response::AccessReview(review) => Some(yaml::to_yaml_unfolded(review)),
        Response::List { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;
    use crate::api::ObjectRef;
    use crate::session::view::events;
    use crate::session::{Depth, Session, Start};

    #[test]
    fn requests_events_and_moments_name_components_and_not_their_users() {
        let mut session = Session::new(Start::default());
        session.kubectl("create deployment web --image=nginx", &[]);
        session.kubectl("expose deployment web --port=80", &[]);
        let mut names = BTreeSet::new();
        for depth in [Depth::Machinery, Depth::Command] {
            for _ in 0..300 {
                if !session.step(depth, None) {
                    break;
                }
                let by = session.current().by(session.cluster());
                let (requests, _) = requests(&session, session.at(), false);
                for head in requests.into_iter().map(|r| r.head) {
                    // An event that is written at the machinery depth is a moment of the machinery.
                    let same = by.as_deref() == Some("machinery") || by.as_ref() == Some(&head.by);
                    assert!(same, "{by:?} {head:?}");
                    names.insert((head.user.to_string(), head.by.to_string()));
                }
            }
        }
        let both = |user: &str, by: &str| (user.to_owned(), by.to_owned());
        assert!(names.contains(&both("endpoint-controller", "endpoints-controller")), "{names:?}");
        let pod = session.cluster().api().cached_list(Kind::POD, Some("default")).next().unwrap().0.clone();
        let of = |object: &ObjectRef| events(session.cluster(), object, session.now()).events;
        let sources: BTreeSet<_> = of(&pod).into_iter().map(|e| (e.from, e.by.to_string())).collect();
        assert!(sources.contains(&both("default-scheduler", "kube-scheduler")), "{sources:?}");
        assert!(sources.contains(&both("kubelet", "kubelet")), "{sources:?}");
    }
}
