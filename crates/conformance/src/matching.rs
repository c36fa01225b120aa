//! Compares a response with a recorded one in which placeholders such as `uid-1`, `rv-2` and `<time>` stand
//! for what differs from run to run.
//!
//! A placeholder with a number is bound at its first occurrence and has the same value from then on, in
//! requests too. Two placeholders never have the same value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fancy_regex::Regex;
use serde_json::Value;

use crate::normalise::{compile, replace};
use crate::report::short;

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\buid-\d+\b|\brv-\d+\b|\bip-\d+\b|<continue-\d+>|<r\d+>|<r\??>|<time>|<newer>|<at most the newest>|<rv>|<server>|<age>|<token>|<pem>",
    )
});
static BOUND: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\buid-\d+\b|\brv-\d+\b|\bip-\d+\b|<continue-\d+>|<r\d+>"));

/// A pattern for the values of a placeholder.
fn pattern(placeholder: &str) -> &'static str {
    match placeholder {
        p if p.starts_with("uid-") => "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        p if p.starts_with("rv-") => "[0-9]+",
        p if p.starts_with("ip-") => r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}",
        p if p.starts_with("<continue-") => r"[A-Za-z0-9_=.\-]+",
        p if p.starts_with("<r") && p != "<rv>" => "[bcdfghjklmnpqrstvwxz2456789]{5}",
        "<time>" => r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z",
        "<newer>" | "<at most the newest>" | "<rv>" => "[0-9]+",
        "<age>" => "[0-9dhmsy]+",
        // The token itself, or in base64.
        "<token>" => r"eyJ[\w-]{8,}\.[\w-]*\.[\w-]{8,}|ZXlK[A-Za-z0-9+/=]{40,}",
        "<pem>" => r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]+|-----BEGIN [A-Z ]+-----.*-----END [A-Z ]+-----\n?",
        _ => r"\S+",
    }
}

/// Which parts of two responses are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Whether managedFields are compared, even if none were recorded.
    pub managed_fields: bool,
    /// Whether only a part of the response was kept: then further keys of maps are ignored.
    pub trimmed: bool,
}

/// The values of the placeholders in a session.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    real: BTreeMap<String, String>,
    name: BTreeMap<(&'static str, String), String>,
}

/// The sort of a placeholder. Bindings are separate for each sort, because a revision can look like another
/// one's suffix.
fn family(placeholder: &str) -> &'static str {
    match placeholder {
        p if p.starts_with("uid-") => "uid",
        p if p.starts_with("rv-") => "rv",
        p if p.starts_with("ip-") => "ip",
        p if p.starts_with("<continue") => "continue",
        _ => "suffix",
    }
}

impl Bindings {
    /// A request's text with values in place of placeholders. If a request is the first to name an address,
    /// the address is made up, within the range of Service addresses.
    pub fn real(&mut self, text: &str) -> String {
        // Any time will do in a request: the server does not use it.
        let text = text.replace("<time>", "2026-01-01T00:00:00Z");
        replace(&BOUND, &text, |c| {
            let p = c.get(0).map_or("", |m| m.as_str());
            if let Some(n) = p.strip_prefix("ip-") {
                self.bind(p, &format!("10.96.77.{n}"));
            }
            self.real.get(p).cloned().unwrap_or_else(|| p.into())
        })
    }

    /// The newest revision that is bound to a placeholder.
    fn newest(&self) -> u64 {
        let revisions = self.real.iter().filter(|(k, _)| k.starts_with("rv-"));
        revisions.filter_map(|(_, v)| v.parse().ok()).max().unwrap_or(0)
    }

    /// Binds a placeholder to a value. Returns the reason if that is not possible.
    fn bind(&mut self, placeholder: &str, value: &str) -> Option<String> {
        if let Some(bound) = self.real.get(placeholder) {
            return (bound != value).then(|| format!("{placeholder} is {bound}, have {value}"));
        }
        let place = (family(placeholder), value.to_owned());
        // `<r1>` of different generateNames are different names.
        if family(placeholder) != "suffix" {
            if let Some(other) = self.name.get(&place) {
                return Some(format!("want {placeholder}, have {value}, which is {other}"));
            }
            self.real.insert(placeholder.into(), value.into());
            self.name.insert(place, placeholder.into());
        }
        None
    }

    /// The first difference between two texts; `None` if there is none.
    pub fn text(&mut self, want: &str, have: &str) -> Option<String> {
        let mut placeholders = Vec::new();
        let mut regex = String::from("(?s)^");
        let mut end = 0;
        for m in PLACEHOLDER.find_iter(want).filter_map(Result::ok) {
            regex.push_str(&fancy_regex::escape(want.get(end..m.start()).unwrap_or("")));
            regex.push_str(&format!("({})", pattern(m.as_str())));
            placeholders.push(m.as_str());
            end = m.end();
        }
        let plain = || (want != have).then(|| differ(want, have));
        if placeholders.is_empty() {
            return plain();
        }
        regex.push_str(&fancy_regex::escape(want.get(end..).unwrap_or("")));
        regex.push('$');
        let Ok(regex) = Regex::new(&regex) else { return plain() };
        let Ok(Some(c)) = regex.captures(have) else { return Some(differ(want, have)) };
        let mut out = None;
        for (i, p) in placeholders.into_iter().enumerate() {
            let value = c.get(i + 1).map_or("", |m| m.as_str());
            let wrong = match p {
                p if BOUND.is_match(p).unwrap_or(false) => self.bind(p, value),
                // In a real cluster other clients write as well; in a simulated one none do.
                "<newer>" => (value.parse::<u64>().unwrap_or(0) < self.newest())
                    .then(|| format!("revision {value} is older than {}", self.newest())),
                _ => None,
            };
            out = out.or(wrong);
        }
        out
    }

    /// The first difference between two values; `None` if there is none.
    pub fn value(&mut self, path: &str, want: &Value, have: &Value, rules: Rules) -> Option<String> {
        match (want, have) {
            (Value::Object(w), Value::Object(h)) => {
                let keys: BTreeSet<&String> = w.keys().chain(h.keys()).collect();
                let mut out = None;
                for k in keys {
                    let unread = rules.trimmed || (k == "managedFields" && !rules.managed_fields);
                    if unread && !w.contains_key(k) {
                        continue;
                    }
                    let at = format!("{path}.{k}");
                    let d = match (w.get(k), h.get(k)) {
                        (Some(w), Some(h)) => self.value(&at, w, h, rules),
                        (Some(w), None) => {
                            Some(format!("{at}: want {}, have nothing", short(&w.to_string(), 300)))
                        }
                        (_, h) => Some(format!(
                            "{at}: want nothing, have {}",
                            h.map_or_else(String::new, |h| short(&h.to_string(), 300))
                        )),
                    };
                    out = out.or(d);
                }
                out
            }
            (Value::Array(w), Value::Array(h)) => {
                let mut out =
                    (w.len() != h.len()).then(|| format!("{path}: want {} items, have {}", w.len(), h.len()));
                for (i, (w, h)) in w.iter().zip(h).enumerate() {
                    let d = self.value(&format!("{path}[{i}]"), w, h, rules);
                    out = out.or(d);
                }
                out
            }
            // The age in a printed row depends on how long the recording took.
            (Value::String(w), Value::String(h)) if path.contains(".cells[") && is_age(w) && is_age(h) => {
                None
            }
            (Value::String(w), Value::String(h)) => self.text(w, h).map(|d| format!("{path}: {d}")),
            _ if want == have => None,
            _ => Some(format!(
                "{path}: want {}, have {}",
                short(&want.to_string(), 300),
                short(&have.to_string(), 300)
            )),
        }
    }
}

/// Whether a text is an age as in tables: `3s`, `2d5h`.
fn is_age(text: &str) -> bool {
    text.ends_with(|c: char| "smhdy".contains(c))
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || "smhdy".contains(c))
}

/// Two texts from the place at which they differ.
pub fn differ(want: &str, have: &str) -> String {
    let common: usize =
        want.chars().zip(have.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    if common < 60 {
        return format!(
            "want {}, have {}",
            short(&format!("{want:?}"), 300),
            short(&format!("{have:?}"), 300)
        );
    }
    let from = want.char_indices().map(|(i, _)| i).rfind(|i| *i + 20 <= common).unwrap_or(0);
    let rest = |s: &str| short(&format!("{:?}", s.get(from..).unwrap_or("")), 300);
    format!("after {from} bytes want …{}, have …{}", rest(want), rest(have))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_placeholder_means_one_thing() {
        let rules = Rules::default();
        let mut b = Bindings::default();
        assert_eq!(b.value("", &json!({"rv": "rv-1"}), &json!({"rv": "17"}), rules), None);
        assert_eq!(b.value("", &json!({"rv": "rv-1"}), &json!({"rv": "17"}), rules), None);
        assert!(b.value("", &json!({"rv": "rv-2"}), &json!({"rv": "17"}), rules).is_some());
        assert_eq!(b.real("watch=1&resourceVersion=rv-1"), "watch=1&resourceVersion=17");
        assert_eq!(b.text("<newer>", "17"), None);
        assert!(b.text("<newer>", "16").is_some());
    }

    #[test]
    fn managed_fields_count_only_where_recorded() {
        let mut b = Bindings::default();
        let have = json!({"metadata": {"managedFields": []}});
        let apply = Rules { managed_fields: true, ..Rules::default() };
        assert_eq!(b.value("", &json!({"metadata": {}}), &have, Rules::default()), None);
        assert!(b.value("", &json!({"metadata": {}}), &have, apply).is_some());
    }

    #[test]
    fn of_a_trimmed_answer_the_kept_part_is_compared() {
        let mut b = Bindings::default();
        let trimmed = Rules { trimmed: true, ..Rules::default() };
        let want = json!({"items": [{"name": "a"}]});
        assert_eq!(
            b.value("", &want, &json!({"items": [{"name": "a", "uid": "x"}], "kind": "L"}), trimmed),
            None
        );
        assert!(b.value("", &want, &json!({"items": [{"name": "b"}]}), trimmed).is_some());
        assert!(b.value("", &want, &json!({"items": [{"name": "a"}, {"name": "b"}]}), trimmed).is_some());
        assert!(b.value("", &want, &json!({"items": [{}]}), trimmed).is_some());
    }

    #[test]
    fn a_token_is_a_token() {
        let mut b = Bindings::default();
        assert_eq!(b.text("<token>", "eyJhbGciOiJS.eyJhdWQiOlsi.c2lnbmF0dXJl"), None);
        assert!(b.text("<token>", "not one").is_some());
    }

    #[test]
    fn text_around_placeholders_is_compared() {
        let mut b = Bindings::default();
        assert_eq!(b.text("name: cfg-<r1> (<time>)", "name: cfg-x2x4z (2026-01-02T03:04:05Z)"), None);
        assert!(b.text("name: cfg-<r1>", "name: cfg-aaaaa").is_some(), "vowels are never generated");
    }
}
