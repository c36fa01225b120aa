//! Lists, written object by object.

use std::collections::VecDeque;

use bytes::Bytes;
use serde_json::{Value, json};

use super::negotiate::{Media, Shape};
use super::piece::Piece;
use super::read::{Cursor, List};
use super::table::{self, Columns, Rows};
use super::texts::{Form, TextCache, Version};
use crate::api::{Kind, Timestamp, yaml};
use crate::apiserver::apiextensions::View;
use crate::etcd::Record;

/// Where the objects come from.
#[derive(Clone, Debug)]
pub(super) enum Items {
    /// The objects of the store, read through a cursor.
    Stored(Cursor),
    /// From elsewhere: what was deleted. Their texts are not kept.
    Given(VecDeque<Record>),
}

/// What is still to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    First,
    Items,
    Ended,
}

/// The body of a list.
#[derive(Clone, Debug)]
pub(super) struct ListBody {
    kind: Kind,
    /// How objects of a custom kind are seen.
    view: Option<View>,
    items: Items,
    metadata: Value,
    media: Media,
    /// What goes with the rows, of tables.
    rows: Rows,
    /// At which time tables tell ages.
    now: Timestamp,
    part: Part,
}

impl ListBody {
    /// A list of a part of a collection.
    pub(super) fn new(
        kind: Kind,
        view: Option<View>,
        list: List,
        media: Media,
        rows: Rows,
        now: Timestamp,
    ) -> ListBody {
        let metadata = list.metadata();
        ListBody::of(kind, view, Items::Stored(list.cursor), metadata, media, rows, now)
    }

    /// A list of objects that come from elsewhere.
    pub(super) fn of(
        kind: Kind,
        view: Option<View>,
        items: Items,
        metadata: Value,
        media: Media,
        rows: Rows,
        now: Timestamp,
    ) -> ListBody {
        ListBody { kind, view, items, metadata, media, rows, now, part: Part::Head }
    }

    pub(super) fn ended(&self) -> bool {
        self.part == Part::Ended
    }

    /// The next piece; empty at the end.
    pub(super) fn more(&mut self, cache: &mut TextCache) -> Piece {
        let mut piece = Piece::default();
        if self.ended() {
            return piece;
        }
        if self.part == Part::Head {
            piece.push(self.head());
            self.part = Part::First;
        }
        let writer = Writer {
            kind: self.kind,
            view: self.view.as_ref(),
            media: self.media,
            rows: &self.rows,
            now: self.now,
            // The list says what its items are.
            own: format!(
                "{{\"kind\":\"{}\",\"apiVersion\":\"{}\",",
                self.kind.as_str(),
                self.kind.api_version()
            ),
        };
        let mut first = self.part == Part::First;
        let mut item = |record: &Record, cache: &mut TextCache| {
            let version = Version {
                kind: self.kind,
                object: &record.object,
                view: writer.view,
                notes: record.notes.as_deref(),
                revision: record.mod_revision,
                gone: false,
            };
            writer.item(version, std::mem::take(&mut first), &mut piece, cache);
            !piece.is_full()
        };
        let done = match &mut self.items {
            Items::Stored(cursor) => cursor.take_while(|record| item(record, cache)),
            Items::Given(records) => {
                let mut more = true;
                while more && let Some(record) = records.pop_front() {
                    more = item(&record, &mut TextCache::default());
                }
                records.is_empty()
            }
        };
        if !first {
            self.part = Part::Items;
        }
        if done {
            piece.push(self.foot());
            self.part = Part::Ended;
        }
        piece
    }

    fn head(&self) -> String {
        let (kind, version) = (self.kind.as_str(), self.kind.api_version());
        let (metadata, meta) = (&self.metadata, self.media.meta.api_version());
        match self.media.shape {
            _ if self.media.yaml => {
                let of = if self.is_metadata() { meta } else { version };
                format!("apiVersion: {of}\nitems:")
            }
            Shape::Table => {
                let columns = Value::from(Columns::of(self.kind, self.view.as_ref()).definitions());
                format!(
                    "{{\"kind\":\"Table\",\"apiVersion\":\"{meta}\",\"metadata\":{metadata},\"columnDefinitions\":{columns},\"rows\":["
                )
            }
            Shape::Metadata | Shape::MetadataList => format!(
                "{{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"{meta}\",\"metadata\":{metadata},\"items\":["
            ),
            // A map in Go, whose keys are sorted.
            _ if self.view.is_some() => format!("{{\"apiVersion\":\"{version}\",\"items\":["),
            _ => format!(
                "{{\"kind\":\"{kind}List\",\"apiVersion\":\"{version}\",\"metadata\":{metadata},\"items\":["
            ),
        }
    }

    fn is_metadata(&self) -> bool {
        matches!(self.media.shape, Shape::Metadata | Shape::MetadataList)
    }

    fn foot(&self) -> String {
        let whole = !self.is_metadata() && self.media.shape != Shape::Table;
        let (list_kind, mut metadata) = (self.kind.list_kind(), self.metadata.clone());
        if whole && self.view.is_some() && metadata.get("continue").is_none() {
            metadata["continue"] = "".into();
        }
        if !self.media.yaml {
            return match whole && self.view.is_some() {
                true => format!("],\"kind\":\"{list_kind}\",\"metadata\":{metadata}}}\n"),
                false => "]}\n".to_owned(),
            };
        }
        let kind = if self.is_metadata() { "PartialObjectMetadataList" } else { list_kind };
        let rest = yaml::to_yaml(&json!({"kind": kind, "metadata": metadata}));
        let none = if self.part == Part::First { " []\n" } else { "" };
        format!("{none}{rest}")
    }
}

/// Writes items.
struct Writer<'a> {
    kind: Kind,
    view: Option<&'a View>,
    media: Media,
    rows: &'a Rows,
    now: Timestamp,
    /// How the text of an object begins that says itself what it is.
    own: String,
}

impl Writer<'_> {
    fn item(&self, version: Version<'_>, first: bool, piece: &mut Piece, cache: &mut TextCache) {
        if self.media.yaml {
            let item = match self.media.shape {
                Shape::Metadata | Shape::MetadataList => {
                    table::metadata_of(&version.value(), self.media.meta)
                }
                _ if self.view.is_some() => version.value(),
                _ => without_type(version.value()),
            };
            // A list within a map is written as it is by itself, without an indent.
            let item = yaml::to_yaml(&Value::from(vec![item]));
            piece.push(if first { format!("\n{item}") } else { item });
            return;
        }
        let comma = if first { "" } else { "," };
        match self.media.shape {
            Shape::Table => {
                piece.push(comma);
                let columns = Columns::of(self.kind, self.view);
                table::row(columns, version, self.now, self.rows, piece, cache);
            }
            Shape::Metadata | Shape::MetadataList => {
                piece.push(comma);
                piece.push(cache.text(version, Form::Metadata(self.media.meta)));
            }
            _ if self.view.is_some() => {
                piece.push(comma);
                piece.push(cache.text(version, Form::Whole));
            }
            _ => {
                let text = cache.text(version, Form::Whole);
                match text.starts_with(self.own.as_bytes()) {
                    true => {
                        piece.push(if first { "{" } else { ",{" });
                        piece.push(text.slice(self.own.len()..));
                    }
                    false => {
                        let value = without_type(version.value());
                        let kind = crate::api::go_types::of(self.kind);
                        piece.push(comma);
                        piece.push(Bytes::from(crate::api::go_types::to_json(kind, &value, None)));
                    }
                }
            }
        }
    }
}

fn without_type(mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        map.remove("kind");
        map.remove("apiVersion");
    }
    value
}
