//! Watches over HTTP: what happened since a revision, one event per line
//! (`k8s.io/apiserver/pkg/endpoints/handlers/watch.go`, `pkg/storage/cacher`).
//!
//! Whoever serves the connection asks a watch for what it has to tell, piece by piece ([`Stream::more`](super::Stream::more)).
//! Nothing is kept for a client that does not ask: the objects that were there at the beginning are read from
//! a snapshot of the store, and later events from the store's history. A client that asks for events that the
//! history no longer has gets `410 Expired`, as from kube-apiserver.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::negotiate::{Media, Shape};
use super::piece::Piece;
use super::read::{Cursor, Selectors};
use super::table::{self, Columns, Rows};
use super::texts::{Form, TextCache, Version};
use super::{Call, Result};
use crate::api::{Kind, Object, Timestamp, later};
use crate::apimachinery::{Status, ordered};
use crate::apiserver::ApiServer;
use crate::apiserver::apiextensions::View;

/// How often a watch that asked for bookmarks gets one (`cacher.defaultBookmarkFrequency`), in
/// seconds.
pub const BOOKMARK_SECONDS: i64 = 60;
/// How long before its end a watch gets its last bookmark, in seconds.
const LAST_BOOKMARK_SECONDS: i64 = 2;
/// How long a watch lasts that does not say (`--min-request-timeout`; there up to twice that, by
/// chance), in seconds.
pub const WATCH_SECONDS: i64 = 1800;

/// A watch that goes on.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// The kind's name and version, for bookmarks.
    kind: &'static str,
    api_version: String,
    /// What is watched; nothing ever happens to a kind that is not built.
    pub(super) watched: Option<(Kind, Option<String>, Selectors)>,
    /// How objects of a custom kind are seen.
    pub(super) view: Option<View>,
    pub(super) media: Media,
    /// What goes with the rows, of tables.
    rows: Rows,
    /// Whether a table was sent already: only the first has columns.
    headed: bool,
    pub(super) revision: u64,
    pub(super) ends: Timestamp,
    bookmark: Option<Timestamp>,
    /// What was there at the beginning, as far as it was not told yet.
    pub(super) initial: Option<Cursor>,
    /// Whether a bookmark says where that ends.
    pub(super) initial_bookmark: bool,
    /// Why the watch cannot begin, which its only event says.
    pub(super) refused: Option<Box<Status>>,
    ended: bool,
}

impl Watch {
    /// Whether nothing comes any more: its time is over, or it was answered with an error.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    pub(super) fn new(kind: &'static str, api_version: &str, call: &Call<'_>, media: Media) -> Result<Watch> {
        let (api, query) = (&*call.api, &call.query);
        let seconds = query.number("timeoutSeconds")?.filter(|s| *s > 0).unwrap_or(WATCH_SECONDS);
        let lasts = Duration::from_secs(seconds.unsigned_abs());
        let ends = api.now.checked_add(lasts).unwrap_or(Timestamp::MAX);
        let mut watch = Watch {
            kind,
            api_version: api_version.to_owned(),
            watched: None,
            view: None,
            media,
            rows: call.rows(media),
            headed: false,
            revision: api.etcd.revision(),
            ends,
            bookmark: None,
            initial: None,
            initial_bookmark: false,
            refused: None,
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

    fn line(kind: &'static str, object: impl Into<Bytes>, piece: &mut Piece) {
        piece.push(match kind {
            "ADDED" => r#"{"type":"ADDED","object":"#,
            "MODIFIED" => r#"{"type":"MODIFIED","object":"#,
            "DELETED" => r#"{"type":"DELETED","object":"#,
            "BOOKMARK" => r#"{"type":"BOOKMARK","object":"#,
            _ => r#"{"type":"ERROR","object":"#,
        });
        piece.push(object);
        piece.push("}\n");
    }

    fn error(&mut self, status: &Status, piece: &mut Piece) {
        self.ended = true;
        Watch::line("ERROR", ordered(&status.to_value()), piece);
    }

    /// An event about an object.
    fn event(
        &mut self,
        kind: &'static str,
        version: Version<'_>,
        now: Timestamp,
        piece: &mut Piece,
        cache: &mut TextCache,
    ) {
        let form = match self.media.shape {
            Shape::Table => return self.row(kind, version, now, piece, cache),
            Shape::Metadata | Shape::MetadataList => Form::Metadata(self.media.meta),
            _ => Form::Whole,
        };
        Watch::line(kind, cache.text(version, form), piece);
    }

    /// An event about an object as a table of one row.
    fn row(
        &mut self,
        kind: &'static str,
        version: Version<'_>,
        now: Timestamp,
        piece: &mut Piece,
        cache: &mut TextCache,
    ) {
        let (revision, meta) = (version.revision, self.media.meta.api_version());
        let columns = Columns::of(version.object.kind(), version.view);
        let definitions = match std::mem::replace(&mut self.headed, true) {
            false => Value::from(columns.definitions()),
            true => Value::Null,
        };
        piece.push(format!(
            "{{\"type\":\"{kind}\",\"object\":{{\"kind\":\"Table\",\"apiVersion\":\"{meta}\",\"metadata\":{{\"resourceVersion\":\"{revision}\"}},\"columnDefinitions\":{definitions},\"rows\":["
        ));
        table::row(columns, version, now, &self.rows, piece, cache);
        piece.push("]}}\n");
    }

    /// A bookmark is an object of the kind with nothing but a revision.
    fn bookmark(&mut self, revision: u64, initial: bool, now: Timestamp, piece: &mut Piece) {
        let mut meta = json!({"resourceVersion": revision.to_string()});
        if initial {
            meta["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let Some(kind) = self.watched.as_ref().map(|(kind, ..)| *kind) else {
            let value = json!({"kind": self.kind, "apiVersion": self.api_version, "metadata": meta});
            return Watch::line("BOOKMARK", ordered(&value), piece);
        };
        let empty = Object::from_value(kind.stored(), json!({"metadata": meta}));
        let Ok(object) = empty else { return };
        let view = self.view.clone();
        let version =
            Version { kind, object: &object, view: view.as_ref(), notes: None, revision, gone: false };
        // A bookmark is not what its revision wrote, so its text must not be taken for that.
        self.event("BOOKMARK", version, now, piece, &mut TextCache::default());
    }

    /// What has happened since the watch was last asked, one event per line, or a part of that; bookmarks
    /// when their time has come. Empty if there is nothing to tell.
    pub(super) fn more(&mut self, api: &ApiServer, cache: &mut TextCache) -> Piece {
        let mut piece = Piece::default();
        if self.ended {
            return piece;
        }
        if let Some(status) = self.refused.take() {
            self.error(&status, &mut piece);
            return piece;
        }
        // The watches of a custom resource end with its storage, when the definition changes or goes.
        if self.view.as_ref().is_some_and(|view| !view.is_current(&api.definitions)) {
            self.ended = true;
            return piece;
        }
        let (now, revision) = (api.now, api.etcd.revision());
        self.tell_initial(now, &mut piece, cache);
        if self.initial.is_some() || piece.is_full() {
            return piece;
        }
        if self.watched.is_some() && self.revision < revision && !self.tell_log(api, &mut piece, cache) {
            return piece;
        }
        // One that was begun at a revision to come waits for it.
        self.revision = self.revision.max(revision);
        if self.bookmark.is_some_and(|at| at <= now) {
            self.bookmark(revision, false, now, &mut piece);
            self.bookmark = Some(self.next_bookmark(now));
        }
        self.ended = self.ends <= now;
        piece
    }

    /// Tells a part of what was there at the beginning.
    fn tell_initial(&mut self, now: Timestamp, piece: &mut Piece, cache: &mut TextCache) {
        let watched = self.watched.as_ref().map(|(kind, ..)| *kind);
        if let (Some(mut cursor), Some(kind)) = (self.initial.take(), watched) {
            let view = self.view.clone();
            let done = cursor.take_while(|record| {
                let version = Version {
                    kind,
                    object: &record.object,
                    view: view.as_ref(),
                    notes: record.notes.as_deref(),
                    revision: record.mod_revision,
                    gone: false,
                };
                self.event("ADDED", version, now, piece, cache);
                !piece.is_full()
            });
            if !done {
                self.initial = Some(cursor);
                return;
            }
        }
        if std::mem::take(&mut self.initial_bookmark) {
            self.bookmark(self.revision, true, now, piece);
        }
    }

    /// Tells a part of what the store's history has; whether that was all.
    fn tell_log(&mut self, api: &ApiServer, piece: &mut Piece, cache: &mut TextCache) -> bool {
        let Some((kind, namespace, selectors)) = self.watched.clone() else { return true };
        let view = self.view.clone();
        if let Err(status) = api.is_cached(self.revision) {
            self.error(&status, piece);
            return false;
        }
        let Ok(log) = api.etcd.since(self.revision) else {
            let status = Status::too_old(self.revision, api.etcd.compacted() + 1);
            self.error(&status, piece);
            return false;
        };
        for entry in log {
            if piece.is_full() {
                return false;
            }
            self.revision = entry.revision;
            let here =
                entry.key.kind == kind && namespace.as_deref().is_none_or(|n| &*entry.key.key.namespace == n);
            if !here {
                continue;
            }
            let before = entry.prev.as_ref().filter(|o| selectors.matches(o));
            let after = entry.next.as_ref().filter(|o| selectors.matches(o));
            // What went out of view is shown as it was, at the revision that took it.
            let (event, object, gone) = match (before, after) {
                (None, Some(o)) => ("ADDED", o, false),
                (Some(_), Some(o)) => ("MODIFIED", o, false),
                (Some(o), None) => ("DELETED", o, true),
                (None, None) => continue,
            };
            let notes = if gone { entry.prev_notes.as_deref() } else { entry.next_notes.as_deref() };
            let version =
                Version { kind, object, view: view.as_ref(), notes, revision: entry.revision, gone };
            self.event(event, version, api.now, piece, cache);
        }
        true
    }
}
