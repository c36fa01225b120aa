//! Tables: `meta.k8s.io/v1` Table, what kubectl asks for to print lists.

use serde_json::{Value, json};

use super::answer::metadata_of;
use super::columns;
use crate::api::{Kind, Object, Timestamp};
use crate::apiserver::printers;

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
    let printed = printers::columns(kind);
    let described: Vec<columns::Described> =
        printed.iter().map(|c| columns::describe(kind, c.name)).collect();
    let definitions: Vec<Value> = printed
        .iter()
        .zip(&described)
        .map(|(c, d)| {
            json!({
                "name": c.name, "type": d.kind, "format": if c.name == "Name" { "name" } else { "" },
                "description": d.description, "priority": u8::from(c.wide),
            })
        })
        .collect();
    let rows: Vec<Value> = objects
        .iter()
        .map(|(object, value)| {
            let cells: Vec<Value> = printers::row(object, now)
                .into_iter()
                .zip(&described)
                .map(|(cell, d)| match (d.bare, cell.as_str(), cell.parse::<i64>()) {
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

/// The table of a kind that there is nothing of.
pub(super) fn none(metadata: &Value) -> Value {
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": [
            {"name": "Name", "type": "string", "format": "name", "description": columns::NAME, "priority": 0},
            {"name": "Created At", "type": "date", "format": "", "description": columns::CREATED, "priority": 0},
        ],
        "rows": [],
    })
}
