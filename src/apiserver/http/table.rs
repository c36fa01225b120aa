//! Tables: `meta.k8s.io/v1` Table, what kubectl asks for to print lists.

use serde_json::{Value, json};

use super::answer::metadata_of;
use crate::api::{Kind, Object, Timestamp};
use crate::apiserver::kinds::{self, Column};

/// Objects as rows; `include` is `None`, `Metadata` or `Object`. Of a watch only the first table has
/// columns.
pub(super) fn table(
    kind: Kind,
    objects: &[(Object, Value)],
    metadata: &Value,
    now: Timestamp,
    include: &str,
    with_columns: bool,
) -> Value {
    let columns = kinds::columns(kind);
    let definitions: Vec<Value> = columns.iter().map(definition).collect();
    let rows: Vec<Value> = objects
        .iter()
        .map(|(object, value)| {
            let cells: Vec<Value> = kinds::row(object, now)
                .into_iter()
                .zip(columns)
                .map(|(cell, column)| match (column.bare, cell.as_str(), cell.parse::<i64>()) {
                    (true, _, Ok(n)) => n.into(),
                    (true, "true" | "false", _) => (cell == "true").into(),
                    _ => cell.into(),
                })
                .collect();
            let mut row = json!({"cells": cells});
            match include {
                "None" => row["object"] = Value::Null,
                "Object" => row["object"] = value.clone(),
                _ => row["object"] = metadata_of(value),
            }
            row
        })
        .collect();
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": if with_columns { Value::from(definitions) } else { Value::Null }, "rows": rows,
    })
}

/// The table of a list without items.
pub(super) fn none(metadata: &Value) -> Value {
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": [definition(&kinds::NAME), definition(&kinds::CREATED_AT)],
        "rows": [],
    })
}

/// A column as clients get it.
fn definition(column: &Column) -> Value {
    json!({
        "name": column.name, "type": column.kind, "format": if column.name == "Name" { "name" } else { "" },
        "description": column.description, "priority": u8::from(column.wide),
    })
}
