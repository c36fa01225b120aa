//! Answers as text: JSON in the order of Kubernetes' structs, YAML, tables.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::negotiate::{Media, Shape};
use super::read::List;
use super::{Call, Result, table};
use crate::api::names::quote;
use crate::api::{Kind, Manager, Object, go_types, yaml};
use crate::apimachinery::{Details, HttpResponse, Status, ordered};
use crate::apiserver::managed_fields::with_managers;

/// What a request came to.
pub(super) enum Answer {
    /// An object.
    Object {
        object: Object,
        code: u16,
        /// The owners to show, where they were not stored.
        managers: Option<Rc<[Manager]>>,
    },
    /// A list of what was deleted.
    List { kind: Kind, items: Vec<Object>, revision: u64 },
    /// Something that is no object of a kind.
    Value { code: u16, value: Value },
    /// Done.
    Success { code: u16, details: Option<Box<Details>> },
}

impl Answer {
    pub(super) fn object(object: Object, created: bool) -> Answer {
        Answer::Object { object, code: if created { 201 } else { 200 }, managers: None }
    }

    /// The same with the owners that it would have.
    pub(super) fn owned(object: Object, created: bool, managers: Option<Rc<[Manager]>>) -> Answer {
        Answer::Object { object, code: if created { 201 } else { 200 }, managers }
    }

    /// The scale of an object.
    pub(super) fn scale(object: &Object) -> Result<Answer> {
        let value = super::scale::of(object).ok_or_else(Status::no_such_path)?;
        Ok(Answer::Value { code: 200, value })
    }
}

/// Plain text.
pub(super) fn text(status: u16, body: &str) -> HttpResponse {
    HttpResponse {
        status,
        content_type: "text/plain; charset=utf-8".into(),
        body: body.into(),
        ..HttpResponse::default()
    }
}

/// JSON with a line for each value, as Go's `json.Indent` has it.
pub(super) fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    let mut chars = text.trim_end().chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(c) = chars.next() {
        if quoted {
            out.push(c);
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                match chars.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

/// A value as the client wants it.
pub(super) fn json(status: u16, value: &Value, media: Media) -> HttpResponse {
    let body = if media.yaml { yaml::to_yaml(value) } else { ordered(value) + "\n" };
    HttpResponse { status, content_type: media.content_type().into(), body, ..HttpResponse::default() }
}

/// A refusal; always JSON.
pub(super) fn failure(status: &Status) -> HttpResponse {
    json(status.code, &status.to_value(), Media::default())
}

impl Call<'_> {
    fn value_of(&self, object: &Object, managers: Option<&[Manager]>) -> Value {
        match managers {
            Some(m) => with_managers(object.to_value(), m),
            None => self.api.managed_value(object),
        }
    }

    fn text_of(&self, kind: Kind, value: &Value, media: Media) -> String {
        if media.yaml {
            return yaml::to_yaml(value);
        }
        go_types::to_json(go_types::of(kind), value, None) + "\n"
    }

    pub(super) fn render(&mut self, answer: Answer, media: Media) -> HttpResponse {
        match answer {
            Answer::Object { object, code, managers } => {
                let value = self.value_of(&object, managers.as_deref());
                match media.shape {
                    Shape::Table => {
                        let meta = json!({"resourceVersion": object.meta().resource_version});
                        let rows = [(object.clone(), value)];
                        let table = table::table(
                            object.kind(),
                            &rows,
                            &meta,
                            self.api.now,
                            self.include_object(),
                            true,
                        );
                        json(code, &table, media)
                    }
                    Shape::Metadata | Shape::MetadataList => json(code, &metadata_of(&value), media),
                    _ => HttpResponse {
                        status: code,
                        content_type: media.content_type().into(),
                        body: self.text_of(object.kind(), &value, media),
                        ..HttpResponse::default()
                    },
                }
            }
            Answer::List { kind, items, revision } => {
                let list = List { items, revision, next: String::new(), remaining: None };
                self.render_list(kind, &list, media)
            }
            Answer::Value { code, value } => json(code, &value, Media { shape: Shape::Whole, ..media }),
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
                quote(other)
            ))),
        }
    }

    pub(super) fn include_object(&self) -> &str {
        match self.query.text("includeObject") {
            "" => "Metadata",
            other => other,
        }
    }

    pub(super) fn render_list(&mut self, kind: Kind, list: &List, media: Media) -> HttpResponse {
        let meta = list.metadata();
        match media.shape {
            Shape::Table => {
                let rows: Vec<(Object, Value)> =
                    list.items.iter().map(|o| (o.clone(), self.value_of(o, None))).collect();
                let table = table::table(kind, &rows, &meta, self.api.now, self.include_object(), true);
                json(200, &table, media)
            }
            Shape::Metadata | Shape::MetadataList => {
                let items: Vec<Value> =
                    list.items.iter().map(|o| metadata_of(&self.value_of(o, None))).collect();
                let value = json!({
                    "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": meta, "items": items,
                });
                json(200, &value, media)
            }
            _ => {
                let mut items = Vec::with_capacity(list.items.len());
                for object in &list.items {
                    let mut value = self.value_of(object, None);
                    // The list says what they are.
                    if let Value::Object(map) = &mut value {
                        map.remove("kind");
                        map.remove("apiVersion");
                    }
                    items.push(value);
                }
                if media.yaml {
                    let value = json!({
                        "kind": format!("{}List", kind.as_str()), "apiVersion": kind.api_version(),
                        "metadata": meta, "items": items,
                    });
                    return json(200, &value, media);
                }
                let items: Vec<String> =
                    items.iter().map(|v| go_types::to_json(go_types::of(kind), v, None)).collect();
                let body = format!(
                    "{{\"kind\":\"{}List\",\"apiVersion\":\"{}\",\"metadata\":{meta},\"items\":[{}]}}\n",
                    kind.as_str(),
                    kind.api_version(),
                    items.join(",")
                );
                HttpResponse {
                    status: 200,
                    content_type: media.content_type().into(),
                    body,
                    ..HttpResponse::default()
                }
            }
        }
    }
}

/// `PartialObjectMetadata`.
pub(super) fn metadata_of(value: &Value) -> Value {
    let metadata = value.get("metadata").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
}
