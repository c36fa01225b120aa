//! What a step moved, and along which way.

use crate::api::{Kind, ObjectRef};
use crate::apimachinery::Response;
use crate::cluster::{Action, Actor, Cluster, Outcome, Transition};
use crate::session::{Exchange, Moment, What};

/// A place on the way that data take. Those after the API server are a component's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// etcd
    Etcd,
    /// The API server.
    Server,
    /// A reflector, by the place of its informer.
    Reflector(u16),
    /// Its delta FIFO.
    Fifo(u16),
    /// Its cache.
    Indexer(u16),
    /// The component's handlers on it.
    Handlers(u16),
    /// The component's work queue.
    Queue,
    /// Its worker.
    Worker,
}

/// What is moved.
#[derive(Clone, Debug, PartialEq)]
pub enum Carried {
    /// A list of so many objects.
    List(Kind, usize),
    /// A watch event.
    Event(ObjectRef),
    /// A delta.
    Delta(ObjectRef),
    /// A notification.
    Notification(ObjectRef),
    /// A key; it has the form `namespace/name`.
    Key(String),
    /// A request: its method and object, and the status code of the answer.
    Request(&'static str, ObjectRef, u16),
    /// No object: informers of these kinds start or stop.
    Informers(Vec<Kind>),
    /// Nothing but time, in milliseconds.
    Time(i64),
}

/// A step on the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Movement {
    /// Whose; of what reaches several components the first. None for a person's doing, and for time.
    pub actor: Option<Actor>,
    /// All components that it reaches.
    pub reaches: Vec<Actor>,
    /// Where it went, in order. One that is refused comes back.
    pub path: Vec<Stop>,
    /// What went there.
    pub carried: Carried,
    /// Whether it was refused, or failed.
    pub failed: bool,
}

/// What led to a moment, as a movement. Of several commands it is the last. `None` where nothing moved.
pub fn movement(cluster: &Cluster, moment: &Moment) -> Option<Movement> {
    match &moment.what {
        What::Start | What::Fault(_) => None,
        What::Person { exchanges, .. } => {
            let Exchange { request, response, .. } = exchanges.last()?;
            let carried = Carried::Request(request.verb.method(), request.object(), response.code());
            Some(written(None, carried, response))
        }
        What::Commands(commands) => {
            let c = commands.last()?;
            let carried = Carried::Request(c.request.verb.method(), c.request.object(), c.response.code());
            Some(written(Some(c.actor), carried, &c.response))
        }
        What::Machinery(t) => of_transition(cluster, t),
    }
}

/// A request on its way to etcd, or back if it was refused.
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
            let carried = Carried::Request(request.verb.method(), request.object(), response.code());
            let mut m = written(actor, carried, response);
            if !request.verb.writes() {
                m.path = vec![Stop::Worker, Stop::Server, Stop::Worker];
            }
            if error.is_some() {
                // A sync that fails gives its key back, to be tried again later.
                m.path.push(Stop::Queue);
                m.failed = true;
            }
            return Some(m);
        }
        Outcome::Recorded { exchange } => {
            let (request, response) = exchange.as_ref()?;
            let carried = Carried::Request(request.verb.method(), request.object(), response.code());
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

/// The components that an action is about: of an informer's, all that listen to it.
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
            let listeners = n.map_or(&[][..], |n| &n.listeners);
            listeners.iter().map(|l| Actor { process: *process, component: place(l.component) }).collect()
        }
        Action::Advance => Vec::new(),
    }
}
