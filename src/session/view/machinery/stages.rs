//! A request's way through the API server, as facts: what each stage did with this one.

use std::rc::Rc;

use serde_json::Value;

use crate::api::{Kind, ObjectRef};
use crate::apimachinery::{Request, Response, Status, Subresource};
use crate::apiserver::{Entered, Stage, Trace};
use crate::cluster::Cluster;
use crate::session::view::changes::{FieldChange, all_changes};
use crate::session::{Exchange, MomentId, Session};

use super::cut;

/// So many fields that a stage changed are named.
const NAMED: usize = 40;

/// Which stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepId {
    /// Who asks.
    Authenticate,
    /// Whether they may.
    Authorize,
    /// One of those that the request itself goes through.
    Stage(Stage),
}

impl StepId {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            StepId::Authenticate => "authenticate",
            StepId::Authorize => "authorize",
            StepId::Stage(stage) => stage.as_str(),
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It went on.
    Passed,
    /// It ended here: the refusal.
    Refused(Box<Status>),
    /// It was refused before it came here.
    NotReached,
}

/// What a stage did with the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which.
    pub id: StepId,
    /// The admission plug-in; empty elsewhere.
    pub plugin: &'static str,
    /// What came of it.
    pub verdict: Verdict,
    /// What it changed, and how many more fields.
    pub changes: (Vec<FieldChange>, usize),
}

/// A request's whole way.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The request.
    pub request: Rc<Request>,
    /// Its query; empty for none.
    pub query: String,
    /// The media type of its body; empty for none.
    pub media: String,
    /// The length of its body as JSON, in bytes.
    pub bytes: usize,
    /// The stages it came to, and those it did not come to.
    pub steps: Vec<Step>,
    /// The status code of the answer.
    pub code: u16,
    /// What it was advised against.
    pub warnings: Vec<String>,
    /// The resourceVersion that the request brings, and the one that was stored; each if there is one.
    pub versions: (Option<String>, Option<String>),
    /// What was stored: the revision, the object, whether it was removed.
    pub stored: Vec<(u64, ObjectRef, bool)>,
    /// For each process, how many of its watches were told: name, node, how many.
    pub told: Vec<(Rc<str>, Option<Rc<str>>, usize)>,
}

/// The way of one of the requests that led to a moment; it is found by doing again what led there.
/// `None` if there is no such request, or it is too far to look (see
/// [`FINEST_LIMIT`](crate::session::FINEST_LIMIT)).
pub fn way(session: &Session, moment: MomentId, exchange: usize) -> Option<Way> {
    let sent = session.exchanges(moment).into_iter().nth(exchange)?;
    let (before, trace) = session.trace(moment, exchange)?;
    Some(of(&before, sent, trace))
}

/// The last request before now, a person's or a component's: the moment that it belongs to, and its
/// place there. So many moments back at most.
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
    let had = cluster.api().cached(&about).and_then(|o| o.meta().resource_version.clone());
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
        request,
    }
}

/// The resourceVersion that the body of a request names: that of the object, or of the precondition of a deletion.
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
    let passed = |id| Step { id, plugin: "", verdict: Verdict::Passed, changes: (Vec::new(), 0) };
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
            // What the last stage, the store, made of it.
            None => stored.filter(|o| o.kind() == kind && subresource != Subresource::Eviction),
        };
        let verdict = match (next, refusal) {
            (None, Some(status)) => Verdict::Refused(status.clone()),
            _ => Verdict::Passed,
        };
        steps.push(Step {
            id: StepId::Stage(entered.stage),
            plugin: entered.plugin,
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
