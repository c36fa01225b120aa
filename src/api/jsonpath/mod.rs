//! JSONPath in kubectl's dialect (`k8s.io/client-go/util/jsonpath`): text with `{…}` actions, `range` and
//! `end`, filters, slices, unions, recursive descent. A missing key gives nothing, as in kubectl.
//!
//! ```
//! use steady::api::jsonpath::Template;
//! let t = Template::parse(r#"{range .items[*]}{.name}{"\n"}{end}"#).unwrap();
//! let v = serde_json::json!({"items": [{"name": "a"}, {"name": "b"}]});
//! assert_eq!(t.render(&v).unwrap(), "a\nb\n");
//! ```

mod eval;
mod parse;

use serde_json::Value;

use super::{go_types, patch};

/// The most nodes of a template. A person's template has a dozen.
const MAX_NODES: usize = 2_000;
/// The deepest nesting of filters and ranges.
const MAX_DEPTH: usize = 20;
/// The most values that one evaluation visits.
const MAX_VISITS: usize = 2_000_000;
/// The longest text, in bytes.
const MAX_OUTPUT: usize = 4_000_000;

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Path(Vec<Step>),
    Range(Vec<Step>, Vec<Node>),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Wildcard,
    Recursive,
    /// From, to, step, and whether `to` was omitted.
    Slice(Option<i64>, Option<i64>, Option<i64>, bool),
    Union(Vec<Vec<Step>>),
    Filter(Vec<Step>, Op, Vec<Step>),
    Literal(Value),
    /// `@` in a filter; `$` or nothing elsewhere.
    Root,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Exists,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    nodes: Vec<Node>,
    strict: bool,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// The message of kubectl, without `error parsing jsonpath …, ` at its beginning.
    pub fn parse(text: &str) -> Result<Template, String> {
        Ok(Template { nodes: parse::template(text)?, strict: false })
    }

    /// Makes a key that is missing an error (`AllowMissingKeys(false)`).
    #[must_use]
    pub fn strict(mut self) -> Template {
        self.strict = true;
        self
    }

    /// Evaluates the template to text. Objects and lists are written as JSON.
    ///
    /// # Errors
    /// The message about an index out of bounds, or a comparison of several values.
    pub fn render(&self, value: &Value) -> Result<String, String> {
        let mut out = String::new();
        let mut visits = eval::Visits { count: 0, strict: self.strict };
        eval::nodes(&self.nodes, value, value, &mut out, &mut visits)?;
        Ok(out)
    }

    /// The values that the template's paths lead to.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn find<'a>(&'a self, value: &'a Value) -> Result<Vec<&'a Value>, String> {
        let mut visits = eval::Visits { count: 0, strict: self.strict };
        let mut found = Vec::new();
        for node in &self.nodes {
            if let Node::Path(steps) = node {
                found.extend(eval::steps(steps, value, value, &mut visits)?);
            }
        }
        Ok(found)
    }
}

/// Completes the path of `--sort-by` or `custom-columns`: `.spec.x`, `spec.x`, `{.spec.x}` and `{spec.x}`
/// all become `{.spec.x}`.
///
/// # Errors
/// The message of kubectl.
pub fn relaxed(path: &str) -> Result<String, String> {
    if path.is_empty() {
        return Ok(String::new());
    }
    let inner = match path.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}'),
        None => Some(path),
    };
    let inner =
        inner.map(|i| i.strip_prefix('.').unwrap_or(i)).filter(|i| !i.is_empty() && !i.contains(['{', '}']));
    match inner {
        Some(inner) => Ok(format!("{{.{inner}}}")),
        None => Err("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'".into()),
    }
}

/// The text of a value in an evaluated template.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Array(_) | Value::Null => go_types::go_json(value),
        other => patch::go_value(other),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn render(template: &str, value: &Value) -> Result<String, String> {
        Template::parse(template)?.render(value)
    }

    #[test]
    fn paths() {
        let v = json!({
            "kind": "List",
            "items": [
                {"metadata": {"name": "127.0.0.1", "labels": {"a.b/c": "x"}}, "n": 1, "ready": true},
                {"metadata": {"name": "127.0.0.2"}, "n": 2, "ready": false},
            ],
            "users": [{"name": "myself", "user": {}}, {"name": "e2e", "user": {"username": "admin"}}],
        });
        for (template, want) in [
            ("kind is {.kind}", "kind is List"),
            ("{['kind']}", "List"),
            ("{.items[*].metadata.name}", "127.0.0.1 127.0.0.2"),
            ("{.items[*]['metadata.name', 'n']}", "1 2"),
            ("{.users[?(@.name==\"e2e\")].user.username}", "admin"),
            ("{.users[?(@.name==\"nobody\")].user}", ""),
            ("{.items[?(@.n>1)].n}", "2"),
            ("{.items[?(@.ready==true)].n}", "1"),
            ("{.items[?(@.metadata.labels)].n}", "1"),
            ("{..name}", "127.0.0.1 127.0.0.2 myself e2e"),
            ("{range .items[*]}[{.n}, {.metadata.name}] {end}", "[1, 127.0.0.1] [2, 127.0.0.2] "),
            ("{.items[0].metadata.labels.a\\.b/c}", "x"),
            ("{.items[-1].n}", "2"),
            ("{.items[0:1].n}", "1"),
            ("{.items[:].n}", "1 2"),
            ("{.items[0,1].n}", "1 2"),
            ("{.spec.nothing}", ""),
            ("{.users[1]}", "{\"name\":\"e2e\",\"user\":{\"username\":\"admin\"}}"),
            ("{\"\\n\"}{'a'}", "\na"),
            ("plain", "plain"),
        ] {
            assert_eq!(render(template, &v).as_deref(), Ok(want), "{template}");
        }
        for (template, want) in [
            ("{.kind", "unclosed action"),
            ("{.items[a]}", "invalid array index a"),
            ("{.items[\"a\"]}", "invalid array index \"a\""),
            ("{.items[0}", "unterminated array"),
            ("{\"a}", "unterminated quoted string"),
            ("{.items[9]}", "array index out of bounds: index 9, length 2"),
            ("{end}", "not in range, nothing to end"),
        ] {
            assert_eq!(render(template, &v), Err(want.to_owned()), "{template}");
        }
    }

    #[test]
    fn relaxed_paths() {
        for path in [".a.b", "a.b", "{.a.b}", "{a.b}"] {
            assert_eq!(relaxed(path).as_deref(), Ok("{.a.b}"));
        }
        assert!(relaxed("{a").is_err());
    }

    #[test]
    fn a_strict_template_misses_nothing() {
        let strict =
            |text: &str| Template::parse(text).unwrap().strict().render(&json!({"a": [{"b": 1}, {}]}));
        assert_eq!(strict("{.a[*].b}").as_deref(), Ok("1"));
        assert_eq!(strict("{.x.y}"), Err("x is not found".to_owned()));
        assert_eq!(strict("{.a[?(@.b)].b}").as_deref(), Ok("1"));
    }

    /// A short template can print a value often, and reach a value in many ways.
    #[test]
    fn a_template_cannot_do_too_much() {
        let large = json!({"items": vec![json!({"text": "x".repeat(1_000)}); 1_000]});
        let much = "{.items}".repeat(10);
        assert_eq!(render(&much, &large), Err("the template prints too much".to_owned()));
        let mut deep = json!(0);
        for _ in 0..60 {
            deep = json!([deep, []]);
        }
        let many = "{..[*]..[*]..[*]..[*]..[*]}";
        assert_eq!(render(many, &deep), Err("the template visits too many values".to_owned()));
    }
}
