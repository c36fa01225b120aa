//! What the expressions of mutating policies make: objects, and operations of JSON patches
//! (`k8s.io/apiserver/pkg/cel/mutation`).

use base64::Engine as _;
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::operators::said;
use super::value::{Key, Map, Value};
use crate::api::quote::go_quote;

impl Value {
    /// The items, if it is a list.
    pub fn items(&self) -> Option<impl Iterator<Item = &Value>> {
        match self {
            Value::List(list) => Some(list.items.iter()),
            _ => None,
        }
    }

    /// The value of a map for a key that is text, or that of a field of an object.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Map(map) => map.entries.get(&Key::String(name.into())),
            _ => None,
        }
    }

    /// The type's name of a part of a patch that an expression made.
    fn made(&self) -> Option<&str> {
        match self {
            Value::Map(map) => map.made.as_deref(),
            _ => None,
        }
    }

    /// The complaints about objects in this value whose type is not the one that their field calls for: what stands in the field
    /// `spec` of an `Object` is an `Object.spec` (`CheckTypeNamesMatchFieldPathNames` of `mutation/dynamic/objects.go`). Items of
    /// lists and values of maps have the type of their field. Empty if the value itself is no object.
    pub fn misnamed(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(name) = self.made() {
            misnamed(self, name, &mut found);
        }
        found
    }

    /// The value as JSON.
    ///
    /// # Errors
    /// What in it has no JSON.
    pub fn to_json(&self) -> Result<Json, String> {
        Ok(match self {
            Value::Null | Value::Optional(None) => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Int(n) => (*n).into(),
            Value::Uint(n) => (*n).into(),
            Value::Double(d) => number(*d)?,
            Value::String(text) => Json::String(text.to_string()),
            Value::Bytes(bytes) => base64::engine::general_purpose::STANDARD.encode(bytes).into(),
            Value::Timestamp(moment) => moment.to_string().into(),
            Value::Optional(Some(inner)) => inner.to_json()?,
            Value::List(list) => {
                Json::Array(list.items.iter().map(Value::to_json).collect::<Result<_, _>>()?)
            }
            Value::Map(Map { entries, .. }) => {
                let entry = |(key, value): (&Key, &Value)| Ok((key_text(key)?, value.to_json()?));
                Json::Object(entries.iter().map(entry).collect::<Result<JsonMap<_, _>, String>>()?)
            }
            Value::Unknown(json) => (**json).clone(),
            Value::Invalid(why) => return Err(why.to_string()),
            Value::Duration(_) | Value::Type(_) | Value::Library(_) => {
                return Err(format!("{} has no JSON", self.type_name()));
            }
        })
    }
}

fn misnamed(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Map(Map { made: Some(name), entries, .. }) => {
            if **name != *path {
                let (name, path) = (go_quote(name), go_quote(path));
                found.push(format!(
                    "unexpected type name {name}, expected {path}, which matches field name path from root Object type"
                ));
            }
            for (key, value) in entries {
                misnamed(value, &format!("{path}.{}", said(&key.value())), found);
            }
        }
        Value::Map(map) => map.entries.iter().for_each(|(_, value)| misnamed(value, path, found)),
        Value::List(list) => list.items.iter().for_each(|item| misnamed(item, path, found)),
        _ => {}
    }
}

fn key_text(key: &Key) -> Result<String, String> {
    match key {
        Key::String(text) => Ok(text.to_string()),
        other => {
            let value = other.value();
            Err(format!("map key {} is of type {}, not string", said(&value), value.type_name()))
        }
    }
}

/// A number with a point; one without a fraction is written without it.
fn number(d: f64) -> Result<Json, String> {
    const EXACT: f64 = 9.0e15;
    if d.fract() == 0.0 && d.abs() < EXACT {
        return Ok((d as i64).into());
    }
    Number::from_f64(d).map(Json::Number).ok_or_else(|| format!("{} has no JSON", said(&Value::Double(d))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::super::{Activation, Env, PER_CALL_LIMIT};
    use super::*;

    fn eval(expression: &str) -> Value {
        let program = Env::base().patches().compile(expression).unwrap();
        program.evaluate(&Activation::new(), PER_CALL_LIMIT).result.unwrap()
    }

    /// `TestTypeResolver` and `TestCELOptional` of `k8s.io/apiserver/pkg/cel/mutation/typeresolver_test.go`.
    #[test]
    fn an_expression_makes_objects() {
        for (expression, made) in [
            ("Object{}", json!({})),
            ("Object{spec: Object.spec{replicas: 3}}", json!({"spec": {"replicas": 3}})),
            (
                "Object{spec: Object.spec{containers: [Object.spec.containers{args: ['-g']}]}}",
                json!({"spec": {"containers": [{"args": ["-g"]}]}}),
            ),
            ("Object{?spec: optional.none(), ?kind: optional.of('x')}", json!({"kind": "x"})),
            ("Object{n: 1.0, half: 0.5}", json!({"n": 1, "half": 0.5})),
            ("Object{l: [1, 2, 3]}.l.sum()", json!(6)),
            ("Object{a: 1} == Object{a: 2 - 1}", json!(true)),
            ("dyn(Object.a{b: 1}) == Object{b: 1}", json!(false)),
            ("JSONPatch{op: 'add', path: '/a', value: {'b': null}}.value", json!({"b": null})),
            ("jsonpatch.escapeKey('k8s.io/my~label')", json!("k8s.io~1my~0label")),
        ] {
            assert_eq!(eval(expression).to_json(), Ok(made), "{expression}");
        }
        let wrong = |expression: &str| {
            Env::base()
                .patches()
                .compile(expression)
                .err()
                .map(|issues| issues.to_string())
                .unwrap_or_default()
        };
        assert!(wrong("Invalid{}").contains("undeclared reference to 'Invalid'"));
        assert!(
            wrong("JSONPatch{op: 1}")
                .contains("expected type of field 'op' is 'string' but provided type is 'int'")
        );
        let plain = Env::base().compile("jsonpatch.escapeKey('a')");
        assert!(
            plain.is_err_and(|issues| issues.to_string().contains("undeclared reference to 'jsonpatch'"))
        );
        assert!(Env::base().compile("Object{}").is_err());
    }

    /// `typeCheck` of `k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go`.
    #[test]
    fn the_type_of_an_object_says_where_it_stands() {
        let fits = "Object{spec: Object.spec{list: [Object.spec.list{map: {'a': Object.spec.list.map{}}}]}}";
        assert_eq!(eval(fits).misnamed(), Vec::<String>::new());
        assert_eq!(
            eval("Object{spec: Object.specx{}}").misnamed(),
            [
                r#"unexpected type name "Object.specx", expected "Object.spec", which matches field name path from root Object type"#
            ]
        );
        assert!(eval("Object{a: {1: 2}}").to_json().is_err());
    }
}
