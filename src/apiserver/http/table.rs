//! Tables: `meta.k8s.io/v1` Table, what kubectl asks for to print lists.

use serde_json::{Map, Value, json};

use super::negotiate::MetaVersion;
use super::piece::Piece;
use super::texts::{Form, TextCache, Version};
use crate::api::types::{Pod, Time};
use crate::api::{Kind, Object, Timestamp, duration};
use crate::apiserver::apiextensions::{View, columns};
use crate::apiserver::kinds::{self, Column};

/// The `PartialObjectMetadata` of an object, which stands in the rows of tables, too.
pub(super) fn metadata_of(value: &Value, version: MetaVersion) -> Value {
    let metadata = value.get("metadata").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata})
}

/// The columns of a Scale, which is a kind of answers alone.
const SCALE: [Column; 4] = [
    kinds::NAME,
    Column {
        name: "Desired",
        kind: "integer",
        format: "",
        description: "replicas is the desired number of instances for the scaled object.",
        bare: true,
        wide: false,
    },
    Column {
        name: "Available",
        kind: "integer",
        format: "",
        description: "replicas is the actual number of observed instances of the scaled object.",
        bare: true,
        wide: false,
    },
    kinds::AGE,
];

/// A column as clients get it.
fn definition(column: &Column) -> Value {
    json!({
        "name": column.name, "type": column.kind, "format": column.format,
        "description": column.description, "priority": u8::from(column.wide),
    })
}

/// The columns of a table: those of a built-in kind, or those that a definition names.
#[derive(Clone, Copy)]
pub(super) enum Columns<'a> {
    BuiltIn(Kind),
    Custom(&'a View),
}

impl<'a> Columns<'a> {
    /// The columns of a kind, which is seen in a view if it is custom.
    pub(super) fn of(kind: Kind, view: Option<&'a View>) -> Columns<'a> {
        view.map_or(Columns::BuiltIn(kind), Columns::Custom)
    }

    /// `columnDefinitions`
    pub(super) fn definitions(self) -> Vec<Value> {
        match self {
            Columns::BuiltIn(kind) => kinds::columns(kind).iter().map(definition).collect(),
            Columns::Custom(view) => view.schema().columns().iter().map(custom_definition).collect(),
        }
    }

    /// The cells of an object.
    fn cells(self, object: &Object, now: Timestamp) -> Value {
        match self {
            Columns::BuiltIn(_) => cells(object, now),
            Columns::Custom(view) => view.cells(object, now).into(),
        }
    }
}

/// A column of a definition as clients get it. The columns of every kind have the sentences of their fields.
fn custom_definition(column: &columns::Column) -> Value {
    let own = if column.name == kinds::NAME.name { kinds::NAME } else { kinds::AGE };
    json!({
        "name": column.name, "type": column.type_, "format": column.format,
        "description": column.description.as_deref().unwrap_or(own.description), "priority": column.priority,
    })
}

fn cells(object: &Object, now: Timestamp) -> Value {
    let cell = |(cell, column): (String, &Column)| -> Value {
        match (column.bare, cell.as_str(), cell.parse::<i64>()) {
            (true, _, Ok(n)) => n.into(),
            (true, "true" | "false", _) => (cell == "true").into(),
            _ => cell.into(),
        }
    };
    kinds::row(object, now).into_iter().zip(kinds::columns(object.kind())).map(cell).collect()
}

/// What a row says of its object as a whole: a pod that has ended is completed (`podSuccessConditions` and
/// `podFailedConditions` in `pkg/printers/internalversion`).
fn conditions(object: &Object) -> Option<Value> {
    let phase = object.get::<Pod>()?.status.as_ref()?.phase.as_deref()?;
    let message = match phase {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}]))
}

/// What goes with the rows of a table.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// `includeObject`: `None`, `Metadata` or `Object`.
    pub(super) include: String,
    /// In which version the table and its objects' metadata are written.
    pub(super) meta: MetaVersion,
}

impl Rows {
    /// What a row shows of an object.
    pub(super) fn shown(&self, value: &Value) -> Value {
        match self.include.as_str() {
            "None" => Value::Null,
            "Object" => value.clone(),
            _ => metadata_of(value, self.meta),
        }
    }
}

/// The row of an object.
pub(super) fn row(
    columns: Columns<'_>,
    version: Version<'_>,
    now: Timestamp,
    rows: &Rows,
    piece: &mut Piece,
    cache: &mut TextCache,
) {
    let object = version.object();
    piece.push(format!("{{\"cells\":{},", columns.cells(&object, now)));
    if let Some(conditions) = conditions(&object) {
        piece.push(format!("\"conditions\":{conditions},"));
    }
    piece.push("\"object\":");
    match rows.include.as_str() {
        "None" => piece.push("null"),
        "Object" => piece.push(cache.text(version, Form::Whole)),
        _ => piece.push(cache.text(version, Form::Metadata(rows.meta))),
    }
    piece.push("}");
}

/// Objects as rows.
pub(super) fn table(
    columns: Columns<'_>,
    objects: &[(Object, Value)],
    metadata: &Value,
    now: Timestamp,
    form: &Rows,
) -> Value {
    let row = |(object, value): &(Object, Value)| {
        let mut row = json!({"cells": columns.cells(object, now), "object": form.shown(value)});
        if let Some(conditions) = conditions(object) {
            row["conditions"] = conditions;
        }
        row
    };
    let rows: Vec<Value> = objects.iter().map(row).collect();
    of_rows(form.meta, metadata, Value::from(columns.definitions()), rows)
}

/// A table.
pub(super) fn of_rows(meta: MetaVersion, metadata: &Value, definitions: Value, rows: Vec<Value>) -> Value {
    json!({
        "kind": "Table", "apiVersion": meta.api_version(), "metadata": metadata,
        "columnDefinitions": definitions, "rows": rows,
    })
}

/// The table of a Scale (`pkg/printers/internalversion`).
pub(super) fn of_scale(scale: &Value, now: Timestamp, form: &Rows) -> Value {
    let text = |path: &str| scale.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let number = |path: &str| scale.pointer(path).and_then(Value::as_i64).unwrap_or(0);
    let created = text("/metadata/creationTimestamp").parse::<Timestamp>().ok().map(Time);
    let cells = json!([
        text("/metadata/name"),
        number("/spec/replicas"),
        number("/status/replicas"),
        duration::age(created.as_ref(), now),
    ]);
    let metadata = json!({"resourceVersion": scale.pointer("/metadata/resourceVersion")});
    let row = json!({"cells": cells, "object": form.shown(scale)});
    of_rows(form.meta, &metadata, SCALE.iter().map(definition).collect(), vec![row])
}

/// The table of a list without items.
pub(super) fn none(meta: MetaVersion, metadata: &Value) -> Value {
    let columns = [definition(&kinds::NAME), definition(&kinds::CREATED_AT)];
    of_rows(meta, metadata, columns.to_vec().into(), Vec::new())
}
