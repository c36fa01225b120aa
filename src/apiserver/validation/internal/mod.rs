//! Objects as kube-apiserver has them inside, for the messages that show that form.
//!
//! The API server validates its internal types, not `v1`: they have no JSON tags, so a value that
//! a message quotes has Go's field names, every field, and `null` for what is not set. They also
//! differ a little in shape: what `v1` calls `spec.hostNetwork` is `SecurityContext.HostNetwork`.

mod table;

use serde_json::Value;

use super::field::{BadValue, go_json_string};

/// A field of an internal type.
struct Field {
    go: &'static str,
    json: &'static str,
    shape: Shape,
}

/// What a field holds, which decides what its absence looks like.
#[derive(Clone, Copy)]
enum Shape {
    Str,
    Int,
    Bool,
    Quantity,
    Null,
    Scalars,
    Map,
    Selector,
    List(&'static str),
    Pointer(&'static str),
    Struct(&'static str),
}

/// JSON whose objects keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::apiserver) enum Json {
    Scalar(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn null() -> Json {
        Json::Scalar("null".to_owned())
    }

    /// As `json.Marshal` writes it.
    pub(in crate::apiserver) fn compact(&self) -> String {
        match self {
            Json::Scalar(s) => s.clone(),
            Json::List(items) => {
                format!("[{}]", items.iter().map(Json::compact).collect::<Vec<_>>().join(","))
            }
            Json::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(k, v)| format!("{}:{}", go_json_string(k), v.compact())).collect();
                format!("{{{}}}", fields.join(","))
            }
        }
    }

    /// As `json.MarshalIndent` with one blank per level writes it.
    pub(in crate::apiserver) fn indented(&self) -> String {
        let mut out = String::new();
        self.indent(0, &mut out);
        out
    }

    fn indent(&self, depth: usize, out: &mut String) {
        let pad = |out: &mut String, depth: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', depth));
        };
        match self {
            Json::Scalar(s) => out.push_str(s),
            Json::List(items) if items.is_empty() => out.push_str("[]"),
            Json::Object(fields) if fields.is_empty() => out.push_str("{}"),
            Json::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    pad(out, depth + 1);
                    item.indent(depth + 1, out);
                }
                pad(out, depth);
                out.push(']');
            }
            Json::Object(fields) => {
                out.push('{');
                for (i, (key, value)) in fields.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    pad(out, depth + 1);
                    out.push_str(&go_json_string(key));
                    out.push_str(": ");
                    value.indent(depth + 1, out);
                }
                pad(out, depth);
                out.push('}');
            }
        }
    }
}

/// Plain JSON, keys sorted as Go sorts a map's.
fn plain(value: &Value) -> Json {
    match value {
        Value::String(s) => Json::Scalar(go_json_string(s)),
        Value::Array(items) => Json::List(items.iter().map(plain).collect()),
        Value::Object(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), plain(v))).collect()),
        other => Json::Scalar(other.to_string()),
    }
}

/// A label selector keeps its `v1` names inside too.
fn selector(value: &Value) -> Json {
    let ordered = |value: &Value, keys: &[&str], each: fn(&Value) -> Json| {
        let fields = keys.iter().filter_map(|k| {
            let field = value.get(k).filter(|v| !is_empty(v))?;
            Some(((*k).to_owned(), each(field)))
        });
        Json::Object(fields.collect())
    };
    let requirement = |value: &Value| match value {
        Value::Array(items) => Json::List(
            items
                .iter()
                .map(|r| {
                    let mut fields = Vec::new();
                    for key in ["key", "operator", "values"] {
                        match r.get(key) {
                            Some(v) if key != "values" || !is_empty(v) => {
                                fields.push((key.to_owned(), plain(v)))
                            }
                            None if key != "values" => {
                                fields.push((key.to_owned(), Json::Scalar("\"\"".to_owned())))
                            }
                            _ => {}
                        }
                    }
                    Json::Object(fields)
                })
                .collect(),
        ),
        other => plain(other),
    };
    ordered(value, &["matchLabels", "matchExpressions"], requirement)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(a) => a.is_empty(),
        Value::Object(o) => o.is_empty(),
        _ => false,
    }
}

/// A `v1` value as the internal type `ty`.
pub(in crate::apiserver) fn convert(ty: &str, value: &Value) -> Json {
    let fields = table::fields(ty);
    if fields.is_empty() {
        return plain(value);
    }
    let fields = fields.iter().map(|f| {
        let v = value.get(f.json).filter(|v| !v.is_null());
        let json = match (f.shape, v) {
            (Shape::Str, None) => Json::Scalar("\"\"".to_owned()),
            (Shape::Int, None) => Json::Scalar("0".to_owned()),
            (Shape::Bool, None) => Json::Scalar("false".to_owned()),
            (Shape::Quantity, None) => Json::Scalar("\"0\"".to_owned()),
            (
                Shape::Null
                | Shape::Scalars
                | Shape::Map
                | Shape::Selector
                | Shape::List(_)
                | Shape::Pointer(_),
                None,
            ) => Json::null(),
            (Shape::Struct(t), None) => convert(t, &Value::Null),
            (Shape::Struct(t) | Shape::Pointer(t), Some(v)) => convert(t, v),
            (Shape::List(t), Some(Value::Array(items))) => {
                Json::List(items.iter().map(|i| convert(t, i)).collect())
            }
            (Shape::Selector, Some(v)) => selector(v),
            (_, Some(v)) => plain(v),
        };
        (f.go.to_owned(), json)
    });
    Json::Object(fields.collect())
}

/// A typed `v1` value as the internal type `ty`, for a message to quote.
pub(in crate::apiserver) fn quote<T: serde::Serialize>(ty: &str, value: &T) -> BadValue {
    BadValue::Json(convert(ty, &crate::api::to_value(value)).compact())
}

/// A label selector, for a message to quote.
pub(in crate::apiserver) fn quote_selector(value: Option<&crate::api::types::LabelSelector>) -> BadValue {
    let json = match value {
        None => Json::null(),
        Some(s) => selector(&crate::api::to_value(s)),
    };
    BadValue::Json(json.compact())
}

/// A pod's spec, with the host's namespaces moved into its security context.
pub(in crate::apiserver) fn pod_spec(spec: &crate::api::types::PodSpec) -> Json {
    let mut value = crate::api::to_value(spec);
    if let Value::Object(map) = &mut value {
        let moved: Vec<(&str, Value)> =
            ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"]
                .into_iter()
                .filter_map(|k| map.remove(k).map(|v| (k, v)))
                .collect();
        let context = map.entry("securityContext").or_insert_with(|| Value::Object(Default::default()));
        if let Value::Object(context) = context {
            context.extend(moved.into_iter().map(|(k, v)| (k.to_owned(), v)));
        }
    }
    convert("PodSpec", &value)
}

/// [`pod_spec`] as the value of an error.
pub(in crate::apiserver) fn pod_spec_value(spec: &crate::api::types::PodSpec) -> BadValue {
    BadValue::Json(pod_spec(spec).compact())
}

/// A pod template.
pub(in crate::apiserver) fn template(template: &crate::api::types::PodTemplateSpec) -> BadValue {
    let none = Default::default();
    embedding(template.metadata.as_ref(), pod_spec(template.spec.as_ref().unwrap_or(&none)))
}

/// A template with a spec: inside, metadata has no name of its own and keeps its `v1` fields.
pub(in crate::apiserver) fn embedding(meta: Option<&crate::api::types::ObjectMeta>, spec: Json) -> BadValue {
    let meta = serde_json::to_value(meta).unwrap_or(Value::Null);
    let mut fields = Vec::new();
    for key in ["name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers"]
    {
        if let Some(v) = meta.get(key).filter(|v| !is_empty(v)) {
            fields.push((key.to_owned(), plain(v)));
        }
    }
    fields.push(("Spec".to_owned(), spec));
    BadValue::Json(Json::Object(fields).compact())
}
