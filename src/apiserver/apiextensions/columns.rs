//! Tables: the columns that a definition names, and an object's cells in them
//! (`pkg/registry/customresource/tableconvertor`).

use serde_json::Value;

use super::types::CustomResourceColumnDefinition;
use crate::api::Timestamp;
use crate::api::duration::age;
use crate::api::jsonpath::{self, Template};
use crate::api::types::Time;
use crate::apiserver::validation::text;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, as the definition has it.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub type_: String,
    /// How a client may show it; `name` for the first one.
    pub format: String,
    /// What it is; `None` for a column of every kind, whose sentence is that of the field.
    pub description: Option<String>,
    /// Columns above 0 are for wide tables.
    pub priority: i32,
    /// Where the value is; the first column, the name, has no path.
    path: Option<Template>,
}

/// The columns of a version: the name, and those it defines or else the age. A path that cannot be read
/// ends the list.
pub fn columns(defined: &[CustomResourceColumnDefinition]) -> Vec<Column> {
    let mut out = vec![Column {
        name: "Name".to_owned(),
        type_: "string".to_owned(),
        format: "name".to_owned(),
        description: None,
        priority: 0,
        path: None,
    }];
    if defined.is_empty() {
        out.push(Column {
            name: "Age".to_owned(),
            type_: "date".to_owned(),
            format: String::new(),
            description: None,
            priority: 0,
            path: Template::parse("{.metadata.creationTimestamp}").ok(),
        });
    }
    for column in defined {
        let Ok(path) = Template::parse(&format!("{{{}}}", column.json_path)) else { return out };
        let description = match text(&column.description) {
            "" => format!("Custom resource definition column (in JSONPath format): {}", column.json_path),
            said => said.to_owned(),
        };
        out.push(Column {
            name: column.name.clone(),
            type_: column.type_.clone(),
            format: text(&column.format).to_owned(),
            description: Some(description),
            priority: column.priority.unwrap_or_default(),
            path: Some(path),
        });
    }
    out
}

/// An object's cells, one for each column; null where it has no value of the column's type.
pub fn cells(columns: &[Column], object: &Value, now: Timestamp) -> Vec<Value> {
    columns.iter().map(|column| cell(column, object, now)).collect()
}

fn cell(column: &Column, object: &Value, now: Timestamp) -> Value {
    let Some(path) = &column.path else {
        return object.pointer("/metadata/name").cloned().unwrap_or_else(|| "".into());
    };
    let found = path.find(object).unwrap_or_default();
    let Some(value) = found.first().copied() else { return Value::Null };
    match (column.type_.as_str(), value) {
        ("string", value) => jsonpath::text_of(value).into(),
        (_, Value::Null) => Value::Null,
        // A float is cut off; one that is too large is the largest integer.
        ("integer", Value::Number(n)) => {
            n.as_i64().or_else(|| n.as_f64().map(|f| f as i64)).map_or(Value::Null, Value::from)
        }
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(text)) => date(text, now).into(),
        _ => Value::Null,
    }
}

/// How long ago a moment was.
fn date(text: &str, now: Timestamp) -> String {
    if text.is_empty() || text == "null" {
        return age(None, now);
    }
    match text.parse::<Timestamp>() {
        Ok(moment) => age(Some(&Time(moment)), now),
        Err(_) => "<invalid>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_are_of_their_columns_types() {
        let column =
            |name: &str, type_: &str, path: &str| json!({"name": name, "type": type_, "jsonPath": path});
        let defined: Vec<CustomResourceColumnDefinition> = serde_json::from_value(json!([
            column("Spec", "integer", ".spec.replicas"),
            column("Ratio", "number", ".spec.ratio"),
            column("On", "boolean", ".spec.on"),
            column("Color", "string", ".spec.color"),
            column("Tags", "string", ".spec.tags"),
            column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
            column("Wrong", "integer", ".spec.color"),
            column("Age", "date", ".metadata.creationTimestamp"),
            column("Bad", "date", ".spec.color"),
        ]))
        .unwrap();
        let object = json!({
            "metadata": {"name": "w", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"replicas": 2.9, "ratio": 0.5, "on": true, "color": "red", "tags": ["a", "b"]},
            "status": {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]},
        });
        let now = "2026-01-01T00:02:05Z".parse().unwrap();
        let columns = columns(&defined);
        assert_eq!(
            cells(&columns, &object, now),
            [
                json!("w"),
                json!(2),
                json!(0.5),
                json!(true),
                json!("red"),
                json!("[\"a\",\"b\"]"),
                json!("True"),
                json!(null),
                json!("2m5s"),
                json!("<invalid>")
            ]
        );
        assert_eq!(cells(&columns, &json!({"metadata": {"name": "w"}}), now)[4], json!(null));
        assert_eq!(
            columns[1].description.as_deref(),
            Some("Custom resource definition column (in JSONPath format): .spec.replicas")
        );
    }

    #[test]
    fn a_definition_without_columns_shows_the_age() {
        let names: Vec<String> = columns(&[]).into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["Name", "Age"]);
    }
}
