//! What a step has moved, and along which path.

use crate::api::{Kind, ObjectRef};
use crate::apimachinery::{Request, Response};
use crate::cluster::{Action, Actor, Cluster, Outcome, Transition};
use crate::session::view::Word;
use crate::session::{Exchange, Moment, What};
use serde::{Deserialize, Serialize};

/// A part on the path of data. Those after the API server belong to a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// etcd.
    Etcd,
    /// The API server.
    Server,
    /// The reflector of an informer, by the informer's index.
    Reflector(u16),
    /// The delta FIFO of an informer.
    Fifo(u16),
    /// The indexer of an informer.
    Indexer(u16),
    /// The component's handlers for an informer.
    Handlers(u16),
    /// The component's work queue.
    Queue,
    /// The component's worker.
    Worker,
}

/// What was moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Carried {
    /// A list with this many objects.
    List(Kind, usize),
    /// A watch event.
    Event(ObjectRef),
    /// A delta.
    Delta(ObjectRef),
    /// A notification.
    Notification(ObjectRef),
    /// A key, in the form `namespace/name`.
    Key(String),
    /// A request: its method, its object, and the status code of the response.
    Request(Word, ObjectRef, u16),
    /// No object: informers of these kinds have started or stopped.
    Informers(Vec<Kind>),
    /// No object: this many milliseconds have passed.
    Time(i64),
}

/// A step on the component map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// The component that acted, or the first one reached. `None` for what a person did, and for time.
    pub actor: Option<Actor>,
    /// All components that it reached.
    pub reaches: Vec<Actor>,
    /// The parts that it passed, in order. A refused request comes back.
    pub path: Vec<Stop>,
    /// What was moved.
    pub carried: Carried,
    /// Whether it was refused, or failed.
    pub failed: bool,
}

/// The movement that led to a moment; if several commands did, that of the last one. `None` if nothing
/// moved.
pub fn movement(cluster: &Cluster, moment: &Moment) -> Option<Movement> {
    match &moment.what {
        What::Start | What::Import | What::Fault(..) => None,
        What::Person { exchanges, .. } => {
            let Exchange { request, response, .. } = exchanges.last()?;
            let carried = request_carried(request, response);
            Some(written(None, carried, response))
        }
        What::Commands(commands) => {
            let c = commands.last()?;
            let carried = request_carried(&c.request, &c.response);
            Some(written(Some(c.actor), carried, &c.response))
        }
        What::Machinery(t) => of_transition(cluster, t),
    }
}

fn request_carried(request: &Request, response: &Response) -> Carried {
    Carried::Request(Word::new_static(request.verb.method()), request.object(), response.code())
}

/// A request on its way to etcd, and back if it was refused.
fn written(actor: Option<Actor>, carried: Carried, response: &Response) -> Movement {
    let failed = matches!(response, Response::Failure(_));
    let mut path = Vec::new();
    path.extend(actor.map(|_| Stop::Worker));
    path.push(Stop::Server);
    path.extend(if failed { actor.map(|_| Stop::Worker) } else { Some(Stop::Etcd) });
    Movement { actor, reaches: actor.into_iter().collect(), path, carried, failed }
}

fn of_transition(cluster: &Cluster, t: &Transition) -> Option<Movement> {
    let about = |kind: &Kind, key: &crate::api::Key| ObjectRef { kind: *kind, key: key.clone() };
    let reaches = reached(cluster, &t.action);
    let actor = reaches.first().copied();
    let n = t.action.informer().unwrap_or_default();
    let (path, carried, failed) = match &t.outcome {
        Outcome::Listed { kind, items, .. } => (
            vec![Stop::Etcd, Stop::Server, Stop::Reflector(n), Stop::Fifo(n)],
            Carried::List(*kind, *items),
            false,
        ),
        Outcome::Reflected { kind, key } => (
            vec![Stop::Etcd, Stop::Server, Stop::Reflector(n), Stop::Fifo(n)],
            Carried::Event(about(kind, key)),
            false,
        ),
        Outcome::Indexed { kind, key } => (
            vec![Stop::Fifo(n), Stop::Indexer(n), Stop::Handlers(n)],
            Carried::Delta(about(kind, key)),
            false,
        ),
        Outcome::Handled { kind, key } => {
            (vec![Stop::Handlers(n), Stop::Queue], Carried::Notification(about(kind, key)), false)
        }
        Outcome::Started { key, error, .. } => {
            let mut path = vec![Stop::Queue, Stop::Worker];
            path.extend(error.as_ref().map(|_| Stop::Queue));
            (path, Carried::Key(key.to_string()), error.is_some())
        }
        Outcome::Sent { request, response, error, .. } => {
            let carried = request_carried(request, response);
            let mut m = written(actor, carried, response);
            if !request.verb.writes() {
                m.path = vec![Stop::Worker, Stop::Server, Stop::Worker];
            }
            if error.is_some() {
                // The key of a failed sync returns to the queue, to be tried again later.
                m.path.push(Stop::Queue);
                m.failed = true;
            }
            return Some(m);
        }
        Outcome::Recorded { exchange } => {
            let (request, response) = exchange.as_ref()?;
            let carried = request_carried(request, response);
            return Some(written(actor, carried, response));
        }
        Outcome::Informers { started, stopped } => {
            let kinds = started.iter().chain(stopped).copied().collect();
            (vec![Stop::Worker], Carried::Informers(kinds), false)
        }
        Outcome::Advanced { from, to } => {
            let passed = to.as_millisecond().saturating_sub(from.as_millisecond());
            (vec![Stop::Queue], Carried::Time(passed), false)
        }
    };
    Some(Movement { actor, reaches, path, carried, failed })
}

/// The components that an action concerns; for an action of an informer, all that listen to it.
fn reached(cluster: &Cluster, action: &Action) -> Vec<Actor> {
    match action {
        Action::Notify { actor, .. }
        | Action::Start { actor }
        | Action::Send { actor }
        | Action::Record { actor }
        | Action::Informers { actor } => vec![*actor],
        Action::List { process, informer }
        | Action::Watch { process, informer }
        | Action::Pop { process, informer } => {
            let n = cluster.process(*process).and_then(|p| p.informers.get(usize::from(*informer)));
            let place = |c: usize| u16::try_from(c).unwrap_or(u16::MAX);
            let listeners = n.into_iter().flat_map(|n| n.listeners.iter());
            listeners.map(|l| Actor { process: *process, component: place(l.component) }).collect()
        }
        Action::Advance => Vec::new(),
    }
}
