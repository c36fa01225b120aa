//! `kubectl explain` (`k8s.io/kubectl/pkg/explain/v2`): what the API server's OpenAPI documents say of a field.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::Value;

use super::answer::Answer;
use super::call::{Accept, raw};
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::resource;
use crate::api::Kind;
use crate::api::quote::go_quote;

/// The most characters in a line of the descriptions that are not indented.
const WIDTH: usize = 76;
/// The most values of an enumeration that are shown.
const VALUES: usize = 4;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let [path] = args.words.as_slice() else {
        return fail(if args.words.is_empty() {
            "You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources."
        } else {
            "We accept only this format: explain RESOURCE"
        });
    };
    let mut parts = path.split('.').filter(|p| !p.is_empty());
    let name = parts.next().unwrap_or_default();
    let kind = match resource::must_kind(cx, name) {
        // The words are the mapper's, which are no error of the command's own.
        Err(Stop::Error(e)) if e.message().starts_with("the server doesn't have") => {
            cx.err.push_str(&format!("{}\n", e.message()));
            return Err(Stop::Exit(1));
        }
        kind => kind?,
    };
    let version = args.text("api-version");
    let versions = std::iter::once(kind).chain(Kind::OTHER_VERSIONS.iter().copied().filter(|k| *k == kind));
    let Some(kind) = versions.into_iter().find(|k| version.is_empty() || k.api_version() == version) else {
        return fail(format!("couldn't find resource for \"{version}, Resource={}\"", kind.plural()));
    };
    let Some(document) = document(cx, kind)? else {
        return fail(format!("GVR ({}) not found in OpenAPI schema", resource::resource_string(kind)));
    };
    let schemas = Schemas(document.value().pointer("/components/schemas").unwrap_or(&Value::Null));
    let Some(schema) = schemas.of_kind(kind.as_str()) else {
        return fail(format!("GVK {} not found in OpenAPI schema", kind.group_kind()));
    };
    if !kind.group().is_empty() {
        cx.out.push_str(&format!("GROUP:      {}\n", kind.group()));
    }
    cx.out.push_str(&format!("KIND:       {}\nVERSION:    {}\n\n", kind.as_str(), kind.version()));
    let fields: Vec<&str> = parts.collect();
    let mut text = String::new();
    if !schemas.output(schema, &fields, args.on("recursive"), &mut text) {
        let last = fields.last().copied().unwrap_or_default();
        return fail(format!("field {last} does not exist", last = go_quote(last)));
    }
    cx.out.push_str(&text);
    cx.out.push('\n');
    Ok(())
}

/// The OpenAPI document that a kind is in; `None` if the server's index has none for its group and version.
fn document(cx: &mut Invocation<'_>, kind: Kind) -> Result<Option<Rc<Answer>>> {
    let mut get = |path: &str| cx.exchange(&raw("GET", path, Accept::Objects, Vec::new()));
    let index = get("/openapi/v3")?;
    let place = match kind.group() {
        "" => format!("api/{}", kind.version()),
        group => format!("apis/{group}/{}", kind.version()),
    };
    let paths = index.value().get("paths").and_then(|p| p.get(&place));
    match paths.and_then(|p| p.get("serverRelativeURL")).and_then(Value::as_str) {
        Some(path) => Ok(Some(get(path)?)),
        None => Ok(None),
    }
}

/// The names of the fields below a field of a kind, and those of the kind itself for an empty path.
pub(super) fn fields(cx: &mut Invocation<'_>, kind: Kind, path: &[&str]) -> Result<Vec<String>> {
    let Some(document) = document(cx, kind)? else { return Ok(Vec::new()) };
    let schemas = Schemas(document.value().pointer("/components/schemas").unwrap_or(&Value::Null));
    let mut out = Vec::new();
    if let Some(schema) = schemas.of_kind(kind.as_str()) {
        schemas.names_below(schema, path, &mut out);
    }
    Ok(out)
}

/// The schemas of a document.
struct Schemas<'a>(&'a Value);

fn map<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn list<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

impl<'a> Schemas<'a> {
    fn of_kind(&self, kind: &str) -> Option<&'a Value> {
        let is = |s: &Value| list(s, "x-kubernetes-group-version-kind").any(|g| g["kind"] == kind);
        self.0.as_object()?.values().find(|s| is(s))
    }

    fn resolve(&self, schema: &'a Value) -> &'a Value {
        let name = reference(schema).and_then(|r| r.rsplit('/').next());
        name.and_then(|n| self.0.get(n)).unwrap_or(schema)
    }

    /// What the items of a list, or the values of a map, are.
    fn inside(schema: &'a Value) -> impl Iterator<Item = &'a Value> {
        ["items", "additionalProperties"].into_iter().filter_map(|k| schema.get(k)).filter(|s| s.is_object())
    }

    /// Follows the path and says what is there; `false` if nothing is.
    fn output(&self, schema: &'a Value, path: &[&str], recursive: bool, out: &mut String) -> bool {
        let schema = self.resolve(schema);
        let Some((first, rest)) = path.split_first() else {
            let mut text = String::new();
            self.description(schema, &mut text);
            let text = if text.is_empty() { "<empty>" } else { &text };
            let _ = writeln!(out, "DESCRIPTION:\n{}", indented(&wrapped(text, WIDTH), 4));
            let mut fields = String::new();
            self.fields(schema, 1, recursive, &BTreeSet::new(), &mut fields);
            if !fields.is_empty() {
                let _ = write!(out, "FIELDS:\n{fields}");
            }
            return true;
        };
        if let Some(field) = schema.get("properties").and_then(|p| p.get(*first)) {
            if rest.is_empty() {
                let _ = writeln!(out, "FIELD: {first} <{}>", self.type_of(field));
                let values: Vec<&str> = list(field, "enum").map(shown).collect();
                if !values.is_empty() {
                    let _ = write!(out, "ENUM:\n    {}", values.join("\n    "));
                }
                out.push_str("\n\n");
            }
            return self.output(field, rest, recursive, out);
        }
        if let Some(inside) = Schemas::inside(schema).next() {
            return self.output(inside, path, recursive, out);
        }
        list(schema, "allOf").any(|s| self.output(s, path, recursive, out))
    }

    /// Follows the path and collects the names of the fields there.
    fn names_below(&self, schema: &'a Value, path: &[&str], out: &mut Vec<String>) {
        let schema = self.resolve(schema);
        let first = path.split_first();
        if let Some((first, rest)) = first
            && let Some(field) = schema.get("properties").and_then(|p| p.get(*first))
        {
            return self.names_below(field, rest, out);
        }
        if first.is_none() {
            out.extend(map(schema, "properties").map(|(name, _)| name.clone()));
        }
        for s in list(schema, "allOf").chain(Schemas::inside(schema)) {
            self.names_below(s, path, out);
        }
    }

    /// The description, and those of what the schema is made of.
    fn description(&self, schema: &'a Value, out: &mut String) {
        let schema = self.resolve(schema);
        if let Some(text) = schema.get("description").and_then(Value::as_str).filter(|t| !t.is_empty()) {
            out.push_str(text);
            out.push('\n');
        }
        for s in list(schema, "allOf").chain(Schemas::inside(schema)) {
            self.description(s, out);
        }
    }

    fn fields(
        &self,
        schema: &'a Value,
        level: usize,
        recursive: bool,
        above: &BTreeSet<&'a str>,
        out: &mut String,
    ) {
        let mut above = above.clone();
        if let Some(name) = reference(schema)
            && !above.insert(name)
        {
            return;
        }
        let schema = self.resolve(schema);
        for (name, field) in map(schema, "properties") {
            self.field(schema, name, field, level, recursive, out);
            if recursive {
                self.fields(field, level + 1, recursive, &above, out);
            }
        }
        for s in list(schema, "allOf").chain(Schemas::inside(schema)) {
            self.fields(s, level, recursive, &above, out);
        }
    }

    fn field(
        &self,
        parent: &Value,
        name: &str,
        field: &'a Value,
        level: usize,
        short: bool,
        out: &mut String,
    ) {
        let indent = level * 2;
        let pad = " ".repeat(indent);
        let _ = write!(out, "{pad}{name}\t<{}>", self.type_of(field));
        if list(parent, "required").any(|r| r == name) {
            out.push_str(" -required-");
        }
        let mut values: Vec<&str> = list(field, "enum").map(shown).collect();
        if !values.is_empty() {
            let more = values.len() > VALUES;
            values.truncate(VALUES);
            let _ = write!(out, "\n{pad}enum: {}{}", values.join(", "), if more { ", ...." } else { "" });
        }
        out.push('\n');
        if !short {
            let text = field.get("description").and_then(Value::as_str).filter(|t| !t.is_empty());
            let text = wrapped(text.unwrap_or("<no description>"), WIDTH + 2 - indent);
            let _ = write!(out, "{}\n\n", indented(&text, indent + 2));
        }
    }

    /// `string`, `[]Container`, `map[string]string`: what a person would call it.
    fn type_of(&self, schema: &'a Value) -> String {
        let inside = |key: &str| schema.get(key).filter(|s| s.is_object());
        if let Some(items) = inside("items") {
            return format!("[]{}", self.type_of(items));
        }
        if let Some(values) = inside("additionalProperties") {
            return format!("map[string]{}", self.type_of(values));
        }
        let mut all = list(schema, "allOf");
        if let (Some(one), None, None) = (all.next(), all.next(), schema.get("properties")) {
            return self.type_of(one);
        }
        let named = |s: &'a Value| s.get("type").and_then(Value::as_str);
        if let Some(name) = reference(schema) {
            return match named(self.resolve(schema)) {
                None | Some("object") => name.rsplit(['/', '.']).next().unwrap_or("Object").to_owned(),
                Some(scalar) => scalar.to_owned(),
            };
        }
        match named(schema) {
            None | Some("object") => "Object".to_owned(),
            Some(scalar) => scalar.to_owned(),
        }
    }
}

fn shown(value: &Value) -> &str {
    match value.as_str() {
        Some("") => "\"\"",
        Some(text) => text,
        None => "",
    }
}

fn indented(text: &str, by: usize) -> String {
    let pad = " ".repeat(by);
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}

/// Words wrapped at a width (`mitchellh/go-wordwrap`): a word longer than the width stands alone.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut current, mut space, mut word) = (0, String::new(), String::new());
    let count = |s: &str| s.chars().count();
    for c in text.chars() {
        if c == '\n' {
            if !word.is_empty() || current + count(&space) <= width {
                out.push_str(&space);
            }
            out.push_str(&word);
            space.clear();
            word.clear();
            out.push(c);
            current = 0;
        } else if c.is_whitespace() && c != '\u{a0}' {
            if space.is_empty() || !word.is_empty() {
                current += count(&space) + count(&word);
                out.push_str(&space);
                out.push_str(&word);
                space.clear();
                word.clear();
            }
            space.push(c);
        } else {
            word.push(c);
            let length = count(&word);
            if current + count(&space) + length > width && length < width {
                out.push('\n');
                current = 0;
                space.clear();
            }
        }
    }
    if !word.is_empty() || current + count(&space) <= width {
        out.push_str(&space);
    }
    out.push_str(&word);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_long_ones_stand_alone() {
        assert_eq!(wrapped("one two three", 7), "one two\nthree");
        assert_eq!(wrapped("a https://example.com/path b", 6), "a\nhttps://example.com/path\nb");
        assert_eq!(wrapped("one\ntwo", 7), "one\ntwo");
    }
}
