//! Watches over HTTP: what happened since a revision, one event per line
//! (`k8s.io/apiserver/pkg/endpoints/handlers/watch.go`).
//!
//! The cluster stands still while a request is answered, so a watch is all that has happened up to
//! now; who serves a connection asks again from the last revision.

use serde_json::{Value, json};

use super::path::Target;
use super::query::Query;
use super::read::{Selectors, check_list_options, revision_of};
use crate::api::{Kind, Object};
use crate::apiserver::{ApiServer, Status};

/// One line.
pub(super) struct Event {
    pub kind: &'static str,
    pub what: What,
}

/// What a line is about.
pub(super) enum What {
    /// An object, at a revision of its own where that is not the object's.
    Object(Object, Option<u64>),
    /// JSON: a bookmark, a refusal.
    Value(Value),
}

/// A watch, up to now.
pub(super) struct Watched {
    pub events: Vec<Event>,
    /// The revision that was reached.
    pub revision: u64,
}

fn event(kind: &'static str, object: &Object) -> Event {
    Event { kind, what: What::Object(object.clone(), None) }
}

fn bookmark(kind: Kind, revision: u64, initial: bool) -> Event {
    let mut meta = json!({"resourceVersion": revision.to_string()});
    if initial {
        meta["annotations"] = json!({"k8s.io/initial-events-end": "true"});
    }
    let value = json!({"kind": kind.as_str(), "apiVersion": kind.api_version(), "metadata": meta});
    Event { kind: "BOOKMARK", what: What::Value(value) }
}

impl ApiServer {
    pub(super) fn http_watch(&self, target: &Target, query: &Query) -> Result<Watched, Status> {
        query.number("timeoutSeconds")?;
        let mut selectors = Selectors::parse(target.kind, query)?;
        if let Some(name) = &target.name {
            selectors.only(name);
        }
        check_list_options(query, true)?;
        let revision = self.etcd.revision();
        let namespace = target.namespace.as_deref();
        let asked = revision_of(query.text("resourceVersion")).map_err(|e| Status::new(500, "", e))?;
        let initial = query.on("sendInitialEvents");
        let mut events = Vec::new();
        if initial || (asked.is_none() && !query.has("sendInitialEvents")) {
            let objects = self.etcd.range(target.kind, namespace).map(|(_, r)| &r.object);
            events.extend(objects.filter(|o| selectors.matches(o)).map(|o| event("ADDED", o)));
            if initial && query.on("allowWatchBookmarks") {
                events.push(bookmark(target.kind, revision, true));
            }
            return Ok(Watched { events, revision });
        }
        let Some(asked) = asked else { return Ok(Watched { events, revision }) };
        if asked > revision {
            return Ok(Watched { events, revision: asked });
        }
        let Ok(log) = self.etcd.since(asked) else {
            let gone = Status::too_old(asked, self.etcd.compacted() + 1);
            events.push(Event { kind: "ERROR", what: What::Value(gone.to_value()) });
            return Ok(Watched { events, revision });
        };
        for entry in log {
            let here =
                entry.key.kind == target.kind && namespace.is_none_or(|n| &*entry.key.key.namespace == n);
            if !here {
                continue;
            }
            let before = entry.prev.as_ref().filter(|o| selectors.matches(o));
            let after = entry.next.as_ref().filter(|o| selectors.matches(o));
            match (before, after) {
                (None, Some(o)) => events.push(event("ADDED", o)),
                (Some(_), Some(o)) => events.push(event("MODIFIED", o)),
                // What went out of view is shown as it was, at the revision that took it.
                (Some(o), None) => events
                    .push(Event { kind: "DELETED", what: What::Object(o.clone(), Some(entry.revision)) }),
                (None, None) => {}
            }
        }
        Ok(Watched { events, revision })
    }
}
