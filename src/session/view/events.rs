//! The conditions of an object, and the events about it.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::types::Event;
use crate::api::{Kind, Object, ObjectRef, Timestamp, order};
use crate::cluster::Cluster;

/// A condition of an object's status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The type of the condition, for example `Available`.
    pub type_: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason, for example `MinimumReplicasAvailable`.
    pub reason: String,
    /// Its message.
    pub message: String,
}

/// An event about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLine {
    /// The reason, for example `Scheduled`.
    pub reason: String,
    /// The source that it names.
    pub from: String,
    /// The name of the component that recorded it; the source, if that is no component's.
    pub by: Rc<str>,
    /// Whether it is a warning.
    pub warning: bool,
    /// The number of times that the event happened.
    pub count: i64,
    /// The last time that the event happened, in milliseconds since the start of the run.
    pub at: Option<i64>,
    /// Its message.
    pub message: String,
}

/// An object's conditions and events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsView {
    /// Its conditions, in the order in which it has them.
    pub conditions: Vec<Condition>,
    /// The events about it, oldest first.
    pub events: Vec<EventLine>,
}

/// An object's conditions and events. `start` is when the run began.
pub fn events(cluster: &Cluster, of: &ObjectRef, start: Timestamp) -> EventsView {
    let object = cluster.api().cached(of).map(|o| o.to_value());
    let conditions = object.as_ref().and_then(|v| v.pointer("/status/conditions")?.as_array());
    EventsView {
        conditions: conditions.into_iter().flatten().map(Condition::of).collect(),
        events: events_of(cluster, of).iter().map(|e| event(cluster, &e.to_value(), start)).collect(),
    }
}

fn text(v: &Value, pointer: &str) -> String {
    v.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl Condition {
    /// The parts of a condition, as the typed conditions of the API have them.
    pub(super) fn new(type_: &str, status: &str, reason: Option<&str>, message: Option<&str>) -> Condition {
        let text = |t: Option<&str>| t.unwrap_or_default().to_owned();
        Condition {
            type_: type_.to_owned(),
            status: status.to_owned(),
            reason: text(reason),
            message: text(message),
        }
    }

    /// One of the values in `status.conditions`.
    pub(super) fn of(c: &Value) -> Condition {
        Condition {
            type_: text(c, "/type"),
            status: text(c, "/status"),
            reason: text(c, "/reason"),
            message: text(c, "/message"),
        }
    }
}

fn event(cluster: &Cluster, e: &Value, start: Timestamp) -> EventLine {
    let from = match text(e, "/source/component") {
        s if s.is_empty() => text(e, "/reportingComponent"),
        s => s,
    };
    let count = e.pointer("/count").or_else(|| e.pointer("/series/count")).and_then(Value::as_i64);
    let at = ["/lastTimestamp", "/eventTime", "/metadata/creationTimestamp"].iter().find_map(|p| {
        let at: Timestamp = e.pointer(p)?.as_str()?.parse().ok()?;
        Some(at.as_millisecond().saturating_sub(start.as_millisecond()))
    });
    EventLine {
        reason: text(e, "/reason"),
        by: cluster.name_of_event_source(&from).unwrap_or_else(|| from.as_str().into()),
        from,
        warning: text(e, "/type") == "Warning",
        count: count.unwrap_or(1),
        at,
        message: text(e, "/message"),
    }
}

/// The reason and message of the last warning about an object, if there is one.
pub(super) fn last_warning(cluster: &Cluster, of: &ObjectRef) -> Option<(String, String)> {
    let events = events_of(cluster, of);
    let mut warnings =
        events.iter().filter_map(|e| e.get::<Event>()).filter(|e| e.type_.as_deref() == Some("Warning"));
    let last = warnings.next_back()?;
    Some((last.reason.clone()?, last.message.clone()?))
}

/// If a namespace has more events than this, only those are read whose names begin with the object's name, as every
/// component names its events.
const EVENTS: usize = 2_000;

/// Whether an object is an event about another object. Their namespaces are not compared.
pub(super) fn is_about(event: &Object, of: &ObjectRef) -> bool {
    event.get::<Event>().is_some_and(|e| {
        e.involved_object.name.as_deref() == Some(&*of.key.name)
            && e.involved_object.kind.as_deref() == Some(of.kind.as_str())
    })
}

/// The events about an object, oldest first.
fn events_of(cluster: &Cluster, of: &ObjectRef) -> Vec<Object> {
    let namespace = if of.kind.namespaced() { &*of.key.namespace } else { "default" };
    let api = cluster.api();
    let mut events: Vec<(u64, Object)> = Vec::new();
    let mut look = |event: &Object| {
        if is_about(event, of) {
            let version = event.revision();
            events.push((version.unwrap_or(0), event.clone()));
        }
    };
    if api.cached_list(Kind::EVENT, Some(namespace)).nth(EVENTS).is_some() {
        let prefix = format!("{}.", of.key.name);
        api.cached_named(Kind::EVENT, namespace, &prefix).for_each(|(_, o)| look(o));
    } else {
        api.cached_list(Kind::EVENT, Some(namespace)).for_each(|(_, o)| look(o));
    }
    order::sort_by_key(&mut events, |(revision, _)| *revision);
    events.into_iter().map(|(_, o)| o).collect()
}
