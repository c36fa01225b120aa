//! Watches over HTTP: what happened since a revision, one event per line
//! (`k8s.io/apiserver/pkg/endpoints/handlers/watch.go`, `pkg/storage/cacher`).
//!
//! The cluster stands still while a request is answered, so the answer to a watch is all that has
//! happened up to now, and a [`Watch`] with which whoever serves the connection asks for what comes
//! later ([`more`]). Nothing is kept for a client that does not ask: it is the store's history that
//! is read, and a client that is later than that goes back gets `410 Expired`, as it would there.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};

use super::negotiate::{Media, Shape};
use super::path::Target;
use super::read::{Selectors, check_list_options, revision_of};
use super::{Call, Result, answer};
use crate::api::{Kind, Object, Timestamp, go_types, later};
use crate::apimachinery::{HttpResponse, Status, ordered};
use crate::apiserver::ApiServer;
use crate::apiserver::managed_fields::with_managers;
use crate::apiserver::registry::owners;
use crate::etcd::Note;

/// How often a watch that asked for bookmarks gets one (`cacher.defaultBookmarkFrequency`), in
/// seconds.
pub const BOOKMARK_SECONDS: i64 = 60;
/// How long before its end a watch gets its last bookmark, in seconds.
const LAST_BOOKMARK_SECONDS: i64 = 2;
/// How long a watch lasts that does not say (`--min-request-timeout`; there up to twice that, by
/// chance), in seconds.
pub const WATCH_SECONDS: i64 = 1800;

/// So many texts of events are remembered.
const SEEN: usize = 256;

/// The texts of the latest events: when many watch the same, each is written once
/// (`pkg/storage/cacher`, cachingObject). Whoever serves connections keeps one for the one cluster it
/// serves; two clusters may have different events of the same revision.
#[derive(Clone, Debug, Default)]
pub struct Seen(BTreeMap<(u64, bool), Rc<str>>);

impl Seen {
    /// The text of the object that a revision changed: as it is after it, or as it went.
    fn text(&mut self, revision: u64, gone: bool, object: &Object, notes: Option<&Note>) -> Rc<str> {
        if let Some(text) = self.0.get(&(revision, gone)) {
            return text.clone();
        }
        let mut value = managed(object, notes);
        if gone {
            value["metadata"]["resourceVersion"] = revision.to_string().into();
        }
        let text: Rc<str> = go_types::to_json(go_types::of(object.kind()), &value, None).into();
        self.0.insert((revision, gone), text.clone());
        if self.0.len() > SEEN {
            self.0.pop_first();
        }
        text
    }
}

/// An object's JSON with the owners of its fields after a write.
fn managed(object: &Object, notes: Option<&Note>) -> Value {
    let managers = notes.map(owners).unwrap_or_default();
    with_managers(object.to_value(), &managers)
}

/// A watch that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// The kind's name and version, for bookmarks.
    kind: &'static str,
    api_version: String,
    /// What is watched; nothing ever happens to a kind that is not built.
    watched: Option<(Kind, Option<String>, Selectors)>,
    media: Media,
    /// `includeObject`, of tables.
    include: String,
    /// Whether a table was sent already: only the first has columns.
    headed: bool,
    revision: u64,
    ends: Timestamp,
    bookmark: Option<Timestamp>,
    ended: bool,
}

impl Watch {
    /// The revision up to which everything was told.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether nothing comes any more: its time is over, or it was answered with an error.
    pub fn ended(&self) -> bool {
        self.ended
    }

    fn new(kind: &'static str, api_version: &str, call: &Call<'_>, media: Media) -> Result<Watch> {
        let (api, query) = (&*call.api, &call.query);
        let seconds = query.number("timeoutSeconds")?.filter(|s| *s > 0).unwrap_or(WATCH_SECONDS);
        let lasts = Duration::from_secs(seconds.unsigned_abs());
        let ends = api.now.checked_add(lasts).unwrap_or(Timestamp::MAX);
        let mut watch = Watch {
            kind,
            api_version: api_version.to_owned(),
            watched: None,
            media,
            include: call.include_object().to_owned(),
            headed: false,
            revision: api.etcd.revision(),
            ends,
            bookmark: None,
            ended: false,
        };
        if query.on("allowWatchBookmarks") {
            watch.bookmark = Some(watch.next_bookmark(api.now));
        }
        Ok(watch)
    }

    /// Bookmarks come every minute, and once shortly before the end.
    fn next_bookmark(&self, now: Timestamp) -> Timestamp {
        let regular = later(now, jiff::SignedDuration::from_secs(BOOKMARK_SECONDS));
        let last = self.ends.checked_sub(Duration::from_secs(LAST_BOOKMARK_SECONDS.unsigned_abs()));
        match last {
            Ok(last) if now < last => regular.min(last),
            _ => regular.max(self.ends),
        }
    }

    fn line(kind: &str, object: &str) -> String {
        format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n")
    }

    fn error(&mut self, status: &Status) -> String {
        self.ended = true;
        Watch::line("ERROR", &ordered(&status.to_value()))
    }

    /// An event about an object, at a revision of its own where that is not the object's.
    fn event(
        &mut self,
        kind: &str,
        (object, notes): (&Object, Option<&Note>),
        revision: Option<u64>,
        annotations: Option<Value>,
        now: Timestamp,
    ) -> String {
        let mut value = managed(object, notes);
        if let Some(r) = revision {
            value["metadata"]["resourceVersion"] = r.to_string().into();
        }
        if let Some(a) = annotations {
            value["metadata"]["annotations"] = a;
        }
        let text = match self.media.shape {
            Shape::Table => {
                let meta = json!({"resourceVersion": value["metadata"]["resourceVersion"]});
                let columns = !std::mem::replace(&mut self.headed, true);
                let rows = [(object.clone(), value)];
                ordered(&super::table::table(object.kind(), &rows, &meta, now, &self.include, columns))
            }
            Shape::Metadata | Shape::MetadataList => ordered(&answer::metadata_of(&value)),
            _ => go_types::to_json(go_types::of(object.kind()), &value, None),
        };
        Watch::line(kind, &text)
    }

    /// A bookmark is an object of the kind with nothing but a revision.
    fn bookmark(&mut self, revision: u64, initial: bool, now: Timestamp) -> String {
        let annotations = initial.then(|| json!({"k8s.io/initial-events-end": "true"}));
        let empty = self.watched.as_ref().and_then(|(k, ..)| Object::from_value(*k, json!({})).ok());
        if let Some(object) = empty {
            return self.event("BOOKMARK", (&object, None), Some(revision), annotations, now);
        }
        let mut meta = json!({"resourceVersion": revision.to_string()});
        if let Some(a) = annotations {
            meta["annotations"] = a;
        }
        let value = json!({"kind": self.kind, "apiVersion": self.api_version, "metadata": meta});
        Watch::line("BOOKMARK", &ordered(&value))
    }
}

/// What has happened since the watch was last asked, one event per line; bookmarks when their time
/// has come. Empty if there is nothing to tell.
pub fn more(api: &ApiServer, watch: &mut Watch, seen: &mut Seen) -> String {
    let mut out = String::new();
    if watch.ended {
        return out;
    }
    let (now, revision) = (api.now, api.etcd.revision());
    if let Some((kind, namespace, selectors)) = watch.watched.clone()
        && watch.revision < revision
    {
        let Ok(log) = api.etcd.since(watch.revision) else {
            return watch.error(&Status::too_old(watch.revision, api.etcd.compacted() + 1));
        };
        for entry in log {
            let here =
                entry.key.kind == kind && namespace.as_deref().is_none_or(|n| &*entry.key.key.namespace == n);
            if !here {
                continue;
            }
            let before = entry.prev.as_ref().filter(|o| selectors.matches(o));
            let after = entry.next.as_ref().filter(|o| selectors.matches(o));
            // What went out of view is shown as it was, at the revision that took it.
            let (kind, object, gone) = match (before, after) {
                (None, Some(o)) => ("ADDED", o, false),
                (Some(_), Some(o)) => ("MODIFIED", o, false),
                (Some(o), None) => ("DELETED", o, true),
                (None, None) => continue,
            };
            let notes = if gone { entry.prev_notes.as_deref() } else { entry.next_notes.as_deref() };
            if watch.media.shape == Shape::Whole {
                out.push_str(&Watch::line(kind, &seen.text(entry.revision, gone, object, notes)));
            } else {
                out.push_str(&watch.event(kind, (object, notes), gone.then_some(entry.revision), None, now));
            }
        }
    }
    // One that was begun at a revision to come waits for it.
    watch.revision = watch.revision.max(revision);
    if watch.bookmark.is_some_and(|at| at <= now) {
        out.push_str(&watch.bookmark(revision, false, now));
        watch.bookmark = Some(watch.next_bookmark(now));
    }
    watch.ended = watch.ends <= now;
    out
}

impl Call<'_> {
    fn begun(&mut self, watch: Watch, body: String) -> HttpResponse {
        let content_type = Media { yaml: false, ..watch.media }.content_type().into();
        self.watch = Some(Box::new(watch));
        HttpResponse { status: 200, content_type, body, ..HttpResponse::default() }
    }

    /// Answers a watch: what is there, or what has happened since the revision it names.
    pub(super) fn watch(&mut self, target: &Target, media: Media) -> Result<HttpResponse> {
        let kind = target.kind;
        let mut watch = Watch::new(kind.as_str(), kind.api_version(), self, media)?;
        let (api, query) = (&*self.api, &self.query);
        let mut selectors = Selectors::parse(kind, query)?;
        if let Some(name) = &target.name {
            selectors.only(name);
        }
        check_list_options(query, true)?;
        let namespace = target.namespace.as_deref();
        let asked = revision_of(query.text("resourceVersion")).map_err(|e| Status::new(500, "", e))?;
        let initial = query.on("sendInitialEvents");
        let mut body = String::new();
        if initial || (asked.is_none() && !query.has("sendInitialEvents")) {
            for (_, record) in api.etcd.range(kind, namespace) {
                if selectors.matches(&record.object) {
                    body.push_str(&watch.event(
                        "ADDED",
                        (&record.object, record.notes.as_deref()),
                        None,
                        None,
                        api.now,
                    ));
                }
            }
            if initial && query.on("allowWatchBookmarks") {
                body.push_str(&watch.bookmark(watch.revision, true, api.now));
            }
        } else if let Some(asked) = asked {
            watch.revision = asked;
        }
        watch.watched = Some((kind, target.namespace.clone(), selectors));
        body.push_str(&more(api, &mut watch, &mut Seen::default()));
        Ok(self.begun(watch, body))
    }

    /// Answers a watch of a kind that is not built: nothing will ever happen.
    pub(super) fn watch_unbuilt(
        &mut self,
        kind: &'static str,
        api_version: &str,
        media: Media,
    ) -> Result<HttpResponse> {
        check_list_options(&self.query, true)?;
        let mut watch = Watch::new(kind, api_version, self, media)?;
        let initial = self.query.on("sendInitialEvents") && self.query.on("allowWatchBookmarks");
        let body = match initial {
            true => watch.bookmark(watch.revision, true, self.api.now),
            false => String::new(),
        };
        Ok(self.begun(watch, body))
    }
}
