//! The stages of a request in the API server: what each of them did with it.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use serde_json::Value;

use crate::api::{Kind, ObjectRef};
use crate::apimachinery::{Response, Subresource};
use crate::apiserver::{Entered, Stage, Trace};
use crate::cluster::Cluster;
use crate::session::view::Word;
use crate::session::view::changes::{FieldChange, all_changes};
use crate::session::{Exchange, MomentId, Session};

use super::cut;

/// How many changed fields of a stage are listed.
const NAMED: usize = 40;

/// A stage of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepId {
    /// Authentication: who the user is.
    Authenticate,
    /// Authorization: whether the user may do this.
    Authorize,
    /// A stage that handles the request itself.
    Stage(Stage),
}

impl StepId {
    /// The stage's name.
    pub fn as_str(self) -> &'static str {
        match self {
            StepId::Authenticate => "authenticate",
            StepId::Authorize => "authorize",
            StepId::Stage(stage) => stage.as_str(),
        }
    }
}

/// The result of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// The request passed.
    Passed,
    /// The request was refused, with this status.
    Refused {
        /// The HTTP status code.
        code: u16,
        /// `Conflict`, `Invalid`; empty where Kubernetes leaves it empty.
        reason: Word,
        /// The sentence.
        message: String,
    },
    /// The request was refused before this stage.
    NotReached,
}

/// What a stage did with the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The stage.
    pub id: StepId,
    /// The name of the admission plug-in; empty for other stages.
    pub plugin: Word,
    /// The result.
    pub verdict: Verdict,
    /// The first fields that the stage changed, and the number of further ones.
    pub changes: (Vec<FieldChange>, usize),
}

/// All stages of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// `PUT`
    pub method: Word,
    /// The path.
    pub path: String,
    /// Who asks.
    pub user: Rc<str>,
    /// What kind of object it is about.
    pub kind: Kind,
    /// The query of the URL; empty if there is none.
    pub query: String,
    /// The media type of the body; empty if there is no body.
    pub media: String,
    /// The length of the body as JSON, in bytes.
    pub bytes: usize,
    /// The stages, those included that were not reached.
    pub steps: Vec<Step>,
    /// The status code of the response.
    pub code: u16,
    /// The warnings in the response.
    pub warnings: Vec<String>,
    /// The resourceVersion on which the request is based, and the stored one; each if there is one.
    pub versions: (Option<String>, Option<String>),
    /// What was stored: the revision, the object, and whether it was deleted.
    pub stored: Vec<(u64, ObjectRef, bool)>,
    /// The notified watches: for each process its name, its node and the number of its watches.
    pub told: Vec<(Rc<str>, Option<Rc<str>>, usize)>,
}

/// The stages of a request that led to a moment, computed by taking the actions again. `None` if there is no
/// such request, or the moment has too many actions (see [`FINEST_LIMIT`](crate::session::FINEST_LIMIT)).
pub fn way(session: &Session, moment: MomentId, exchange: usize) -> Option<Way> {
    let sent = session.exchanges(moment).into_iter().nth(exchange)?;
    let (before, trace) = session.trace(moment, exchange)?;
    Some(of(&before, sent, trace))
}

/// The last request of a person or a component up to the current moment: its moment, and its index there.
/// Only the last `most` moments are searched.
pub fn last_request(session: &Session, most: usize) -> Option<(MomentId, usize)> {
    let mut id = session.at();
    for _ in 0..most {
        let n = session.exchanges(id).len();
        if n > 0 {
            return Some((id, n - 1));
        }
        id = session.moment(id)?.parent?;
    }
    None
}

fn of(cluster: &Cluster, sent: Exchange, trace: Trace) -> Way {
    let (http, _) = sent.on_the_wire();
    let request = sent.request;
    let brings = version_in(&http.body);
    let about = request.object();
    let had = cluster.api().cached(&about).and_then(|o| o.resource_version().map(str::to_owned));
    Way {
        query: http.query,
        media: http.content_type,
        bytes: http.body.len(),
        steps: steps(&trace, request.kind, request.subresource),
        code: trace.response.code(),
        versions: (brings, had),
        stored: trace.writes.iter().map(|w| (w.revision, w.object.clone(), w.next.is_none())).collect(),
        told: told(cluster, &trace.told),
        warnings: trace.warnings,
        method: Word::new_static(request.verb.method()),
        path: request.path(),
        user: request.user.clone(),
        kind: request.kind,
    }
}

/// The resourceVersion in the body of a request: that of the object, or of the precondition of a deletion.
fn version_in(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let named = ["/metadata/resourceVersion", "/preconditions/resourceVersion"];
    named.iter().find_map(|path| value.pointer(path)?.as_str()).map(str::to_owned)
}

fn told(cluster: &Cluster, watches: &[u32]) -> Vec<(Rc<str>, Option<Rc<str>>, usize)> {
    let mut by_process: Vec<(u32, usize)> = Vec::new();
    for id in watches {
        match by_process.iter_mut().find(|(p, _)| p == id) {
            Some((_, n)) => *n += 1,
            None => by_process.push((*id, 1)),
        }
    }
    let named = |(id, n)| cluster.process(id).map(|p| (p.name.clone(), p.node.clone(), n));
    by_process.into_iter().filter_map(named).collect()
}

fn steps(trace: &Trace, kind: Kind, subresource: Subresource) -> Vec<Step> {
    let passed =
        |id| Step { id, plugin: Word::default(), verdict: Verdict::Passed, changes: (Vec::new(), 0) };
    let mut steps = vec![passed(StepId::Authenticate), passed(StepId::Authorize)];
    let refusal = match &trace.response {
        Response::Failure(status) => Some(status),
        _ => None,
    };
    let stored = match &trace.response {
        Response::Object { object, .. } if refusal.is_none() => Some(object),
        _ => None,
    };
    for (i, entered) in trace.entered.iter().enumerate() {
        let next = trace.entered.get(i + 1);
        let after = match next {
            Some(next) => next.object.as_ref(),
            // The last stage, the store, has the stored object.
            None => stored.filter(|o| o.kind() == kind && subresource != Subresource::Eviction),
        };
        let verdict = match (next, refusal) {
            (None, Some(status)) => Verdict::Refused {
                code: status.code,
                reason: Word::from(&*status.reason),
                message: status.message.clone(),
            },
            _ => Verdict::Passed,
        };
        steps.push(Step {
            id: StepId::Stage(entered.stage),
            plugin: Word::new_static(entered.plugin),
            verdict,
            changes: changes(entered, after),
        });
    }
    if refusal.is_some() {
        let last = trace.entered.last().map_or(Stage::Decode, |e| e.stage);
        let rest =
            [Stage::Default, Stage::Mutate, Stage::Prepare, Stage::Validate, Stage::Admit, Stage::Store];
        steps.extend(
            rest.into_iter()
                .filter(|s| *s > last)
                .map(|s| Step { verdict: Verdict::NotReached, ..passed(StepId::Stage(s)) }),
        );
    }
    steps
}

fn changes(entered: &Entered, after: Option<&crate::api::Object>) -> (Vec<FieldChange>, usize) {
    match (&entered.object, after) {
        (Some(a), Some(b)) if a.kind() == b.kind() && a != b => cut(all_changes(a, b).into_iter(), NAMED),
        _ => (Vec::new(), 0),
    }
}
