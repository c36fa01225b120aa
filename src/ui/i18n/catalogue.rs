//! Fluent's files, as much of Fluent as the texts use: `{ $value }`, `{ "literal" }` and choices by
//! number, by plural and by word. `fluent-bundle` says the same, a test compares them; in the page it and
//! the plural rules of every language would be a thirtieth of what is loaded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Lang;

/// A named value of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// A number, which plurals choose by.
    Number(f64),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::Text(text.into())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(text.into())
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Value<'a> {
        Value::Text(text)
    }
}

impl From<f64> for Value<'_> {
    fn from(n: f64) -> Self {
        Value::Number(n)
    }
}

impl From<u16> for Value<'_> {
    fn from(n: u16) -> Self {
        Value::Number(n.into())
    }
}

impl From<i32> for Value<'_> {
    fn from(n: i32) -> Self {
        Value::Number(n.into())
    }
}

/// The messages of one file.
pub struct Catalogue {
    lang: Lang,
    patterns: BTreeMap<&'static str, &'static str>,
}

impl Catalogue {
    /// Finds where each message stands; a pattern is read when it is asked for.
    pub fn new(lang: Lang, source: &'static str) -> Catalogue {
        let mut patterns = BTreeMap::new();
        let (mut at, mut open): (usize, Option<(&'static str, usize)>) = (0, None);
        let mut close = |open: Option<(&'static str, usize)>, end: usize| {
            if let Some((name, from)) = open {
                patterns.insert(name, source.get(from..end).unwrap_or_default().trim());
            }
        };
        for line in source.split_inclusive('\n') {
            // What is indented, and a bracket that closes, goes on with the message.
            if !line.starts_with([' ', '}', '\n', '\r']) {
                close(open.take(), at);
                let name = line.split_once('=').map(|(name, _)| name);
                if let Some(name) = name.filter(|_| line.starts_with(|c: char| c.is_ascii_alphabetic())) {
                    open = Some((name.trim(), at + name.len() + 1));
                }
            }
            at += line.len();
        }
        close(open, at);
        Catalogue { lang, patterns }
    }

    /// Whether there is such a message.
    pub fn has(&self, key: &str) -> bool {
        self.patterns.contains_key(key)
    }

    /// A message with its values.
    pub fn text(&self, key: &str, args: &[(&str, Value<'_>)]) -> Option<String> {
        let mut out = String::new();
        self.write(self.patterns.get(key)?, args, &mut out);
        Some(out)
    }

    fn write(&self, mut pattern: &str, args: &[(&str, Value<'_>)], out: &mut String) {
        while let Some((before, rest)) = pattern.split_once('{') {
            out.push_str(before);
            let end = closing(rest);
            self.place(rest.get(..end).unwrap_or_default().trim(), args, out);
            pattern = rest.get(end + 1..).unwrap_or_default();
        }
        out.push_str(pattern);
    }

    /// What stands between braces.
    fn place(&self, inside: &str, args: &[(&str, Value<'_>)], out: &mut String) {
        if let Some(literal) = inside.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return out.push_str(literal);
        }
        let (name, variants) = match inside.split_once("->") {
            Some((name, variants)) => (name, Some(variants)),
            None => (inside, None),
        };
        let name = name.trim().trim_start_matches('$');
        let value = args.iter().find(|(n, _)| *n == name).map(|(_, v)| v);
        match (variants, value) {
            (Some(variants), value) => {
                let chosen = variants_of(variants)
                    .into_iter()
                    .find(|v| v.default || value.is_some_and(|value| self.chooses(value, v.key)));
                // The default one stands last.
                self.write(chosen.map_or("", |v| v.pattern), args, out);
            }
            (None, Some(Value::Text(text))) => out.push_str(text),
            (None, Some(Value::Number(n))) => out.push_str(&n.to_string()),
            // As Fluent shows it.
            (None, None) => {
                out.push_str("{$");
                out.push_str(name);
                out.push('}');
            }
        }
    }

    fn chooses(&self, value: &Value<'_>, key: &str) -> bool {
        match value {
            // A number in brackets is no word.
            Value::Text(text) => text == key && key.parse::<i32>().is_err(),
            Value::Number(n) => match key.parse::<i32>() {
                Ok(key) => *n == f64::from(key),
                Err(_) => key == self.plural(*n),
            },
        }
    }

    /// CLDR's plural category of a cardinal number that is written without needless decimals.
    fn plural(&self, n: f64) -> &'static str {
        match self.lang {
            Lang::En if n == 1.0 => "one",
            Lang::En | Lang::Zh => "other",
        }
    }
}

/// Where the brace closes that opened before the text; its end, if none does.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '}' if depth == 0 => return i,
            '}' => depth -= 1,
            '{' => depth += 1,
            _ => {}
        }
    }
    text.len()
}

struct Variant<'a> {
    default: bool,
    key: &'a str,
    pattern: &'a str,
}

/// `[one] …` and `*[other] …`, each on lines of its own.
fn variants_of(text: &str) -> Vec<Variant<'_>> {
    let mut starts = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    for line in text.split_inclusive('\n') {
        if depth == 0 && line.trim_start().starts_with(['[', '*']) {
            starts.push(at);
        }
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let variant = |(from, to): (&usize, usize)| {
        let text = text.get(*from..to)?.trim();
        let (default, text) = text.strip_prefix('*').map_or((false, text), |rest| (true, rest));
        let (key, pattern) = text.strip_prefix('[')?.split_once(']')?;
        Some(Variant { default, key: key.trim(), pattern: pattern.trim() })
    };
    starts.iter().zip(ends).filter_map(variant).collect()
}
