//! Field selectors (`k8s.io/apimachinery/pkg/fields`). The API server knows which fields of a kind can be
//! selected.

use std::fmt;

use crate::api::order;

/// A condition: a field has, or does not have, a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The path of the field, for example `status.phase`.
    pub field: String,
    /// `true` for `=` and `==`, `false` for `!=`.
    pub equals: bool,
    /// The value, unescaped.
    pub value: String,
}

/// Conditions on fields. All of them must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

impl FieldSelector {
    /// Parses the text of `?fieldSelector=` (`fields.ParseSelector`). It does not check whether the fields
    /// exist.
    ///
    /// # Errors
    /// The message of Kubernetes.
    pub fn parse(text: &str) -> Result<FieldSelector, String> {
        let mut parts = split_terms(text);
        order::sort(&mut parts);
        let mut requirements = Vec::new();
        for part in parts.into_iter().filter(|p| !p.is_empty()) {
            let Some((at, operator)) = find_operator(part) else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            let (field, rest) = part.split_at(at);
            let value = unescape(rest.strip_prefix(operator).unwrap_or(rest))?;
            requirements.push(FieldRequirement { field: field.to_owned(), equals: operator != "!=", value });
        }
        Ok(FieldSelector { requirements })
    }

    /// The selector with renamed fields.
    ///
    /// # Errors
    /// The first error of `rename`. The conditions are sorted by their text.
    pub fn rename<E>(
        mut self,
        mut rename: impl FnMut(&mut String) -> Result<(), E>,
    ) -> Result<FieldSelector, E> {
        for r in &mut self.requirements {
            rename(&mut r.field)?;
        }
        Ok(self)
    }

    /// Whether the selector has no condition.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// The value that a field must have (`RequiresExactMatch`); `None` if the selector does not say.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.requirements.iter().find(|r| r.equals && r.field == field).map(|r| r.value.as_str())
    }

    /// Whether all conditions hold. `fields` returns the value of a field; an absent one counts as empty.
    pub fn matches(&self, fields: &dyn Fn(&str) -> Option<String>) -> bool {
        self.requirements.iter().all(|r| (fields(&r.field).unwrap_or_default() == r.value) == r.equals)
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, r) in self.requirements.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let operator = if r.equals { "=" } else { "!=" };
            write!(f, "{comma}{}{operator}{}", r.field, escape(&r.value))?;
        }
        Ok(())
    }
}

/// Escapes `\`, `,` and `=` in a value (`fields.EscapeValue`).
pub fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=")
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                Some(c) => return Err(format!("invalid field selector: invalid escape sequence: \\{c}")),
                None => return Err("invalid field selector: invalid escape sequence: \\".to_owned()),
            },
            // Go prints the rune as a number.
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {}", c as u32));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c| {
        let split = !escaped && c == ',';
        escaped = !escaped && c == '\\';
        split
    })
    .collect()
}

fn find_operator(term: &str) -> Option<(usize, &'static str)> {
    term.char_indices().find_map(|(i, _)| {
        let rest = term.get(i..)?;
        ["!=", "==", "="].into_iter().find(|op| rest.starts_with(op)).map(|op| (i, op))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn texts() {
        for (text, want) in [
            ("", ""),
            ("metadata.name=a,,", "metadata.name=a"),
            ("b!=x,a==y", "a=y,b!=x"),
            ("a=x\\,y\\=z\\\\", "a=x\\,y\\=z\\\\"),
        ] {
            assert_eq!(FieldSelector::parse(text).unwrap().to_string(), want);
        }
        for (text, want) in [
            ("abc", "invalid selector: 'abc'; can't understand 'abc'"),
            ("a=b=c", "invalid field selector: unescaped character in value: 61"),
            ("a=\\b", "invalid field selector: invalid escape sequence: \\b"),
            ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
        ] {
            assert_eq!(FieldSelector::parse(text).unwrap_err(), want);
        }
    }
}
