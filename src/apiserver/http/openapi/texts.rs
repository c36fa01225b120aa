//! The documentation of types, read from the schema document that `crates/schema` writes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::TypeTexts;

/// Where the schema document refers to its own definitions.
const DEFINITIONS: &str = "#/definitions/";

/// The documentation of all types of a group and version (`apps/v1`), by the type's name (`DeploymentSpec`). `document` is
/// what `crates/schema` writes: `kinds` has the name of each kind's definition, `definitions` the JSON schemas.
pub fn texts_of(document: &Value, api_version: &str) -> BTreeMap<String, TypeTexts> {
    let mut out = BTreeMap::new();
    let kinds = document.get("kinds").and_then(Value::as_object).into_iter().flatten();
    for (id, root) in kinds {
        let of_version = id.split_once(' ').is_some_and(|(version, _)| version == api_version);
        let Some(root) = root.as_str().filter(|_| of_version) else { continue };
        for name in reachable(document, root) {
            let Some(definition) = document.get("definitions").and_then(|d| d.get(name)) else { continue };
            let short = name.rsplit('.').next().unwrap_or(name).to_owned();
            out.entry(short).or_insert_with(|| type_texts(name, definition));
        }
    }
    out
}

/// The definitions that a definition refers to, and those that these refer to, and so on.
fn reachable<'a>(document: &'a Value, root: &'a str) -> BTreeSet<&'a str> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![root]);
    while let Some(name) = left.pop() {
        if seen.insert(name)
            && let Some(definition) = document.get("definitions").and_then(|d| d.get(name))
        {
            references(definition, &mut left);
        }
    }
    seen
}

fn references<'a>(schema: &'a Value, out: &mut Vec<&'a str>) {
    match schema {
        Value::Object(fields) => {
            let to = fields.get("$ref").and_then(Value::as_str);
            out.extend(to.and_then(|to| to.strip_prefix(DEFINITIONS)));
            fields.values().for_each(|f| references(f, out));
        }
        Value::Array(items) => items.iter().for_each(|i| references(i, out)),
        _ => {}
    }
}

fn type_texts(name: &str, definition: &Value) -> TypeTexts {
    let text = |v: &Value| v.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let fields = || definition.get("properties").and_then(Value::as_object).into_iter().flatten();
    let required = definition.get("required").and_then(Value::as_array).into_iter().flatten();
    let values = |schema: &Value| -> Vec<String> {
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        listed.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    TypeTexts {
        name: name.to_owned(),
        description: text(definition),
        fields: fields().map(|(field, schema)| (field.clone(), text(schema))).collect(),
        values: fields()
            .map(|(field, schema)| (field.clone(), values(schema)))
            .filter(|(_, values)| !values.is_empty())
            .collect(),
        // The crate's structs always have metadata, but in Kubernetes it is optional.
        required: required
            .filter_map(Value::as_str)
            .filter(|f| *f != "metadata")
            .map(str::to_owned)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_types_of_a_version_are_those_that_its_kinds_contain() {
        let document = json!({
            "kinds": {"v1 A": "x.v1.A", "apps/v1 B": "x.apps.B"},
            "definitions": {
                "x.v1.A": {
                    "description": "An a.",
                    "properties": {"inner": {"$ref": "#/definitions/x.v1.Inner", "description": "What is in it."}},
                    "required": ["inner", "metadata"],
                },
                "x.v1.Inner": {"properties": {"mode": {"type": "string", "enum": ["One", "Two"]}}},
                "x.apps.B": {"description": "A b."},
            },
        });
        let core = texts_of(&document, "v1");
        assert_eq!(core.keys().collect::<Vec<_>>(), ["A", "Inner"]);
        assert_eq!(core["A"].fields["inner"], "What is in it.");
        assert_eq!(core["A"].required, ["inner"]);
        assert_eq!(core["Inner"].values["mode"], ["One", "Two"]);
        assert_eq!(texts_of(&document, "apps/v1").keys().collect::<Vec<_>>(), ["B"]);
    }
}
