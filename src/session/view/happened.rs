//! The step that led to a moment, as facts. The page makes a sentence of them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{Reason, Word};
use crate::api::types::Event;
use crate::api::{Kind, ObjectRef};
use crate::apimachinery::{Request, Response, Subresource, Verb};
use crate::cluster::{Action, Cluster, Command, Fault, Outcome, Transition};
use crate::kubectl;
use crate::session::op::Op;
use crate::session::{Moment, What};

/// The step that led to a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Happened {
    /// The run started.
    #[default]
    Start,
    /// The run started with the objects of another cluster.
    Imported,
    /// A person ran a command line, which printed these lines.
    Printed(Vec<String>),
    /// A person had a container execute a command, which has written files.
    Executed {
        /// The pod's name.
        pod: String,
        /// The container's name.
        container: String,
        /// The command, or the line that was typed into a shell.
        command: String,
    },
    /// A person sent these requests with a command line that printed JSON, which is too long for a sentence.
    Requested(Vec<RequestWords>),
    /// A person injected a fault, or ended one.
    Fault(Fault),
    /// A component issued commands: the first one of the reconcile, and the number of further ones.
    Issued(Box<Issued>, usize),
    /// A sync ended without a command.
    Nothing,
    /// A finest action.
    Finest(Finest),
}

/// A request in two words: the verb and the object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestWords {
    /// `create`, `update`, `patch`, `delete` and so on; `bind` and `evict` for the subresources of a pod.
    pub verb: Word,
    /// `Pod web-cc5`, or `Pod web-cc5/status` for a subresource.
    pub object: String,
}

/// A command of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Issued {
    /// The component.
    pub by: Rc<str>,
    /// The request that the command sent.
    pub request: RequestWords,
    /// The HTTP status code of the answer.
    pub code: u16,
    /// The reason that the component gave; `None` if it gave none.
    pub why: Option<Reason>,
    /// What an event says that the command writes: its reason and its message.
    pub event: Option<(String, String)>,
}

/// What a finest action did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Finest {
    /// A reflector listed a kind.
    Listed {
        /// The kind.
        kind: Kind,
        /// The number of listed objects.
        items: usize,
        /// If the watch could not go on: the last revision that it had seen, and the oldest one that etcd knows.
        expired: Option<(u64, u64)>,
    },
    /// A watch event went into a FIFO.
    Reflected(ObjectRef),
    /// A delta went into an indexer.
    Indexed(ObjectRef),
    /// A handler ran.
    Handled(ObjectRef),
    /// A sync of this key began, and whether it ended without a request.
    Started(String, bool),
    /// A request has been answered.
    Sent {
        /// The HTTP method, for example `PUT`.
        method: Word,
        /// The path of the request.
        path: String,
        /// The HTTP status code of the answer.
        code: u16,
    },
    /// An event was written.
    Recorded,
    /// Time passed, in milliseconds.
    Advanced(i64),
    /// Informers started or stopped while their process runs.
    Informers {
        /// The kinds whose informers started.
        started: Vec<Kind>,
        /// The kinds whose informers stopped.
        stopped: Vec<Kind>,
    },
}

impl RequestWords {
    /// A request in two words. The name is that of the object in the answer: a create may have none in its request.
    pub fn of(request: &Request, response: &Response) -> RequestWords {
        let verb = match (request.verb, request.subresource) {
            (Verb::Create, Subresource::Binding) => "bind",
            (Verb::Create, Subresource::Eviction) => "evict",
            (verb, _) => verb.as_str(),
        };
        let name = match response {
            Response::Object { object, .. } if !object.name().is_empty() => object.name(),
            _ => request.key.name.as_str(),
        };
        let kind = request.kind.as_str();
        let object = match request.subresource {
            Subresource::None => format!("{kind} {name}"),
            part => format!("{kind} {name}/{}", part.as_str()),
        };
        RequestWords { verb: Word::new_static(verb), object }
    }
}

impl Issued {
    /// The page's form of a command.
    pub fn of(c: &Command) -> Issued {
        Issued {
            by: c.by.clone(),
            request: RequestWords::of(&c.request, &c.response),
            code: c.response.code(),
            why: c.why.as_deref().map(Reason::of),
            event: event_of(&c.response)
                .map(|e| (e.reason.clone().unwrap_or_default(), e.message.clone().unwrap_or_default())),
        }
    }
}

/// The event in an answer.
fn event_of(response: &Response) -> Option<&Event> {
    match response {
        Response::Object { object, .. } => object.get::<Event>().map(|e| &**e),
        _ => None,
    }
}

/// The object that a command's event is about; `None` if the command writes no event.
pub(super) fn regarded(c: &Command) -> Option<ObjectRef> {
    regarding(event_of(&c.response)?)
}

/// The object that an event is about; `None` if it is of a kind that does not exist.
pub fn regarding(event: &Event) -> Option<ObjectRef> {
    let about = &event.involved_object;
    let kind = Kind::of(about.api_version.as_deref()?, about.kind.as_deref()?)?;
    Some(ObjectRef::new(kind, about.namespace.as_deref().unwrap_or_default(), about.name.as_deref()?))
}

impl Finest {
    /// The page's form of a transition.
    pub fn of(t: &Transition) -> Finest {
        let object = |kind: &Kind, key: &crate::api::Key| ObjectRef { kind: *kind, key: key.clone() };
        match &t.outcome {
            Outcome::Listed { kind, items, expired } => {
                Finest::Listed { kind: *kind, items: *items, expired: *expired }
            }
            Outcome::Reflected { kind, key } => Finest::Reflected(object(kind, key)),
            Outcome::Indexed { kind, key } => Finest::Indexed(object(kind, key)),
            Outcome::Handled { kind, key } => Finest::Handled(object(kind, key)),
            Outcome::Started { key, ended, .. } => Finest::Started(key.to_string(), *ended),
            Outcome::Sent { request, response, .. } => Finest::Sent {
                method: Word::new_static(request.verb.method()),
                path: request.path(),
                code: response.code(),
            },
            Outcome::Recorded { .. } => Finest::Recorded,
            Outcome::Advanced { from, to } => {
                Finest::Advanced(to.as_millisecond().saturating_sub(from.as_millisecond()))
            }
            Outcome::Informers { started, stopped } => {
                Finest::Informers { started: started.clone(), stopped: stopped.clone() }
            }
        }
    }
}

impl Happened {
    /// Whether a moment is one to which a line has led that a person has typed into a container.
    pub fn is_typed(moment: &Moment) -> bool {
        matches!(&moment.what, What::Person { output, .. } if output.executed_in.is_some())
    }

    /// The step that led to a moment.
    pub fn of(moment: &Moment) -> Happened {
        match &moment.what {
            What::Start => Happened::Start,
            What::Import => Happened::Imported,
            What::Person { output, exchanges, .. } => match &output.executed_in {
                Some((pod, container)) => {
                    let command = match &*moment.op {
                        Op::Kubectl { line, files } => kubectl::executed(line, files),
                        _ => String::new(),
                    };
                    Happened::Executed { pod: pod.name.to_string(), container: container.clone(), command }
                }
                // A raw request prints the raw answer, and a command that waits for what it has made prints nothing yet.
                None if output.stdout.starts_with('{') || output.stdout.is_empty() => Happened::Requested(
                    exchanges.iter().map(|e| RequestWords::of(&e.request, &e.response)).collect(),
                ),
                None => Happened::Printed(output.stdout.lines().map(str::to_owned).collect()),
            },
            What::Fault(fault, _) => Happened::Fault(Fault::clone(fault)),
            What::Commands(c) => match c.first() {
                Some(first) => Happened::Issued(Box::new(Issued::of(first)), c.len() - 1),
                None => Happened::Nothing,
            },
            What::Machinery(t) => Happened::Finest(Finest::of(t)),
        }
    }
}

/// Whether a kind of object was asked for on the way to a moment. The API server writes others beside it, such as the
/// IPAddress of a new Service.
fn was_asked_for(moment: &Moment, kind: Kind) -> bool {
    match &moment.what {
        What::Person { exchanges, .. } => exchanges.iter().any(|e| e.request.kind == kind),
        What::Commands(commands) => commands.iter().any(|c| c.request.kind == kind),
        What::Machinery(t) => matches!(&t.outcome, Outcome::Sent { request, .. } if request.kind == kind),
        What::Start | What::Import | What::Fault(..) => false,
    }
}

/// The object that the step to a moment was about: the first one that it was to write, or else the one that its event is
/// about, or that its finest action handled.
pub fn subject(moment: &Moment) -> Option<ObjectRef> {
    let objects = || moment.writes().into_iter().map(|w| &w.object).filter(|o| o.kind != Kind::EVENT);
    let asked = objects().find(|o| was_asked_for(moment, o.kind));
    let written = asked.or_else(|| objects().next()).cloned();
    let regarded = || moment.commands().first().and_then(regarded);
    written.or_else(regarded).or_else(|| match &moment.what {
        What::Machinery(t) => match (Finest::of(t), &t.outcome) {
            (Finest::Reflected(o) | Finest::Indexed(o) | Finest::Handled(o), _) => Some(o),
            (_, Outcome::Sent { request, .. }) => Some(request.object()),
            _ => None,
        },
        _ => None,
    })
}

/// A finest action in a list of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinestLine {
    /// The component, or for an action of an informer the process.
    pub by: Rc<str>,
    /// The effect of the action.
    pub did: Finest,
}

impl FinestLine {
    /// The line of a transition. The cluster may be any later one: it is asked for the component's name.
    pub fn of(cluster: &Cluster, t: &Transition) -> FinestLine {
        let by = match t.action {
            Action::Notify { actor, .. }
            | Action::Start { actor }
            | Action::Send { actor }
            | Action::Record { actor }
            | Action::Informers { actor } => cluster.actor_name(actor),
            Action::List { process, .. } | Action::Watch { process, .. } | Action::Pop { process, .. } => {
                cluster.process(process).map(|p| p.name.clone())
            }
            Action::Advance => Some("machinery".into()),
        };
        FinestLine { by: by.unwrap_or_else(|| "".into()), did: Finest::of(t) }
    }
}
