//! Paths that name a field of a schema, as rules and selectable fields have them
//! (`pkg/apiserver/schema/cel/validation.go`, `ValidFieldPath`).

use super::schema::Structural;

/// The field that a path of fields and map keys refers to, as `a.b[key]`, and its schema
/// (`ValidFieldPath`). `brackets`: whether `['…']` may stand in it.
///
/// # Errors
/// What is wrong with the path.
pub(super) fn field_path<'s>(
    path: &str,
    schema: &'s Structural,
    brackets: bool,
) -> Result<(String, &'s Structural), String> {
    const INVALID: &str = "does not refer to a valid field";
    const END: &str = "unexpected end of JSON path";
    let mut tokens = tokens(path).into_iter();
    let mut out = String::new();
    let mut schema = schema;
    while let Some(token) = tokens.next() {
        let name = match token {
            "." => tokens.next().ok_or(END)?.to_owned(),
            "[" if !brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let quoted = tokens.next().ok_or(END)?;
                let inside = quoted.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
                let inside =
                    inside.ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                unescape(inside)?
            }
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        if !schema.properties.is_empty() {
            schema = schema.properties.get(&name).ok_or(INVALID)?;
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&name);
        } else {
            schema = schema.additional_schema().ok_or(INVALID)?;
            out.push_str(&format!("[{name}]"));
        }
        if token == "[" {
            match tokens.next() {
                Some("]") => {}
                Some(other) => return Err(format!("expected ] but got {other}")),
                None => return Err(END.to_owned()),
            }
        }
    }
    Ok((out, schema))
}

/// A path's dots, brackets, names and quoted texts. A quoted text that does not end is left out.
fn tokens(path: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let end = if first == '\'' {
            let mut before = '\'';
            let close = rest.char_indices().skip(1).find(|(_, c)| {
                let found = *c == '\'' && before != '\\';
                before = *c;
                found
            });
            match close {
                Some((i, _)) => i + 1,
                None => return out,
            }
        } else if matches!(first, '.' | '[' | ']') {
            1
        } else {
            rest.find(['.', '[', ']']).unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push(token);
        rest = after;
    }
    out
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\u{b}'),
            Some(c @ ('\'' | '\\')) => out.push(c),
            Some(c) => return Err(format!("invalid string literal: invalid escape char \\{c}")),
            None => out.push('\\'),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apiserver::apiextensions::schema::AdditionalProperties;

    #[test]
    fn paths_of_fields() {
        let leaf = Structural { type_: "string".into(), ..Structural::default() };
        let additional = AdditionalProperties::Schema(Box::new(leaf.clone()));
        let map = Structural { additional_properties: Some(additional), ..Structural::default() };
        let mut schema = Structural::default();
        schema.properties.insert("a.b".into(), leaf);
        schema.properties.insert("m".into(), map);
        let path = |p, brackets| field_path(p, &schema, brackets).map(|(p, _)| p);
        assert_eq!(path(".m['x']", true).unwrap(), "m[x]");
        assert_eq!(path(".m.x", true).unwrap(), "m[x]");
        assert_eq!(path("['a.b']", true).unwrap(), "a.b");
        assert_eq!(path(".m['x']", false).unwrap_err(), "array notation is not allowed");
        assert_eq!(path(".n", true).unwrap_err(), "does not refer to a valid field");
        assert_eq!(path("m", true).unwrap_err(), "expected [ or . but got: m");
        assert_eq!(path(".", true).unwrap_err(), "unexpected end of JSON path");
        assert_eq!(path(".m[x]", true).unwrap_err(), "expected single quoted string but got x");
        assert_eq!(path(".m['\\q']", true).unwrap_err(), "invalid string literal: invalid escape char \\q");
    }
}
