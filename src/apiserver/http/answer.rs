//! Answers as text: JSON in the order of Kubernetes' structs, YAML, tables.

use std::rc::Rc;

use serde_json::{Value, json};

use super::list::{Items, ListBody};
use super::negotiate::{Media, Shape};
use super::path::Target;
use super::read::List;
use super::stream::Stream;
use super::table::{Columns, Rows, metadata_of};
use super::{Call, Result, table};
use crate::api::quote::go_quote;
use crate::api::{Kind, Manager, Object, go_types, yaml};
use crate::apimachinery::{Details, HttpResponse, Status, ordered};
use crate::apiserver::kinds::versions;
use crate::apiserver::managed_fields::with_managers;
use crate::etcd::Record;

/// What a request came to.
pub(super) enum Answer {
    /// An object.
    Object {
        object: Object,
        code: u16,
        /// The field managers to show, where they were not stored.
        managers: Option<Rc<[Manager]>>,
    },
    /// A list of what was deleted.
    List { kind: Kind, items: Vec<Object>, revision: u64 },
    /// The scale of an object.
    Scale(Value),
    /// A `Status` with `Success`.
    Success { code: u16, details: Option<Box<Details>> },
}

impl Answer {
    pub(super) fn object(object: Object, created: bool) -> Answer {
        Answer::Object { object, code: if created { 201 } else { 200 }, managers: None }
    }

    /// An answer with an object and with the field managers that it would have.
    pub(super) fn owned(object: Object, created: bool, managers: Option<Rc<[Manager]>>) -> Answer {
        Answer::Object { object, code: if created { 201 } else { 200 }, managers }
    }
}

/// A value as the client wants it.
pub(super) fn json(status: u16, value: &Value, media: Media) -> HttpResponse {
    let body = if media.yaml { yaml::to_yaml(value) } else { ordered(value) + "\n" };
    HttpResponse { status, content_type: media.content_type().into(), body, ..HttpResponse::default() }
}

/// A refusal; always JSON.
pub(super) fn failure(status: &Status) -> HttpResponse {
    let retry_after = Some(status.retry_after_seconds()).filter(|n| *n > 0);
    HttpResponse { retry_after, ..json(status.code, &status.to_value(), Media::default()) }
}

impl Call<'_> {
    /// The JSON of an object in the version of the kind that was asked for.
    fn value_of(&self, kind: Kind, object: &Object, managers: Option<&[Manager]>) -> Value {
        let stored = match managers {
            Some(m) => with_managers(object.to_value(), m),
            None => self.api.managed_value(object),
        };
        versions::present(kind, stored)
    }

    fn text_of(&self, kind: Kind, value: &Value, media: Media) -> String {
        if media.yaml {
            return yaml::to_yaml(value);
        }
        go_types::to_json(go_types::of(kind), value, None) + "\n"
    }

    /// An answer as text; `kind` is the kind in the version that was asked for.
    pub(super) fn render(&mut self, answer: Answer, kind: Kind, media: Media) -> HttpResponse {
        match answer {
            Answer::Object { object, code, managers } => {
                let value = self.value_of(kind, &object, managers.as_deref());
                match media.shape {
                    Shape::Table => {
                        let meta = json!({"resourceVersion": object.resource_version()});
                        let rows = [(object.clone(), value)];
                        let columns = Columns::of(object.kind(), self.cx.view.as_ref());
                        let table = table::table(columns, &rows, &meta, self.api.now, &self.rows(media));
                        json(code, &table, media)
                    }
                    Shape::Metadata | Shape::MetadataList => {
                        json(code, &metadata_of(&value, media.meta), media)
                    }
                    _ => HttpResponse {
                        status: code,
                        content_type: media.content_type().into(),
                        body: self.text_of(kind, &value, media),
                        ..HttpResponse::default()
                    },
                }
            }
            Answer::List { kind, items, revision } => {
                let etcd = &self.api.etcd;
                let record = |object: Object| Record {
                    notes: etcd.notes_of(&object).cloned(),
                    object,
                    create_revision: 0,
                    mod_revision: 0,
                };
                let items = Items::Given(items.into_iter().map(record).collect());
                let metadata = json!({"resourceVersion": revision.to_string()});
                let view = self.cx.view.clone();
                self.stream_list(
                    ListBody::of(kind, view, items, metadata, media, self.rows(media), self.api.now),
                    media,
                )
            }
            Answer::Scale(value) if media.shape == Shape::Table => {
                json(200, &table::of_scale(&value, self.api.now, &self.rows(media)), media)
            }
            Answer::Scale(value) => json(200, &value, Media { shape: Shape::Whole, ..media }),
            Answer::Success { code, details } => {
                let mut value =
                    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
                if let Some(d) = details {
                    value["details"] = d.to_value();
                }
                if code != 200 {
                    value["code"] = code.into();
                }
                json(code, &value, Media { shape: Shape::Whole, ..media })
            }
        }
    }

    /// `TableOptions`: what of an object goes with its row.
    pub(super) fn check_include_object(&self) -> Result<()> {
        match self.query.text("includeObject") {
            "" | "None" | "Metadata" | "Object" => Ok(()),
            other => Err(Status::bad_request(format!(
                "includeObject: Invalid value: {}: must be 'Metadata', 'Object', 'None', or empty",
                go_quote(other)
            ))),
        }
    }

    /// What goes with the rows of a table that answers this request.
    pub(super) fn rows(&self, media: Media) -> Rows {
        let include = match self.query.text("includeObject") {
            "" => "Metadata",
            other => other,
        };
        Rows { include: include.to_owned(), meta: media.meta }
    }

    /// A list is written while it is read; a table in YAML, which nobody prints, at once.
    pub(super) fn render_list(&mut self, target: &Target, list: List, media: Media) -> HttpResponse {
        let (kind, view) = (target.kind, target.view.as_ref());
        if media.shape == Shape::Table && media.yaml {
            let metadata = list.metadata();
            let mut rows = Vec::new();
            let mut cursor = list.cursor;
            cursor.take_while(|record| {
                let object = view.and_then(|v| v.read(&record.object).ok());
                let object = object.unwrap_or_else(|| record.object.clone());
                let value = self.value_of(kind, &object, None);
                rows.push((object, value));
                true
            });
            let columns = Columns::of(kind, view);
            let table = table::table(columns, &rows, &metadata, self.api.now, &self.rows(media));
            return json(200, &table, media);
        }
        let body = ListBody::new(kind, view.cloned(), list, media, self.rows(media), self.api.now);
        self.stream_list(body, media)
    }

    fn stream_list(&mut self, body: ListBody, media: Media) -> HttpResponse {
        self.stream = Some(Stream::list(body));
        HttpResponse { status: 200, content_type: media.content_type().into(), ..HttpResponse::default() }
    }
}
