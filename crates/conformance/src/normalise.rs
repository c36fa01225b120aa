//! Brings objects and kubectl's output into the normal form of the recordings: a port of the suite's
//! `normalise.py`, kept exact so that both can be checked against each other.
//!
//! Generated names, uids, addresses, times and ids differ from run to run. They become `<r1>`, `uid-1`,
//! `ip-1`, `T+0.5` and `<id>`, numbered in the order of creation or of first occurrence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fancy_regex::{Captures, Regex};
use serde_json::{Map, Value};

/// The characters of generated name suffixes.
pub const SUFFIX_ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";

macro_rules! pattern {
    ($(#[$doc:meta])* $name:ident, $re:expr) => {
        $(#[$doc])*
        static $name: LazyLock<Regex> = LazyLock::new(|| compile($re));
    };
}

/// Compiles one of this crate's constant patterns.
///
/// # Panics
/// If the pattern is wrong. Since the patterns are constants, every run of the tests shows that.
pub(crate) fn compile(pattern: &str) -> Regex {
    match Regex::new(pattern) {
        Ok(regex) => regex,
        Err(e) => panic!("{pattern}: {e}"),
    }
}

pattern!(UID, r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b");
pattern!(TIME, r"\b(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)");
pattern!(DOTTED, r"[0-9.]+");
pattern!(ADDRESS, r"^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$");
pattern!(RUNTIME_ID, r"containerd://[0-9a-f]{64}|fake@sha256:[0-9a-f]{64}");
pattern!(TOKEN, r"kube-api-access-[a-z0-9]{5}\b");
pattern!(EVENT_SUFFIX, r"\.([0-9a-f]{16,17})\b");
pattern!(CRON, r"-(2\d{7})\b");
pattern!(DATE, r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}");
pattern!(REVISION, r#"(resourceVersion"?: ?)"\d+""#);
pattern!(DESCRIBED_REVISION, r"(Resource Version: +)\d+");
pattern!(GO_DATE, r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} UTC");
pattern!(
    SECRET_TOKEN,
    r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|\beyJ[\w-]{8,}\.\.[\w-]{8,}|\bZXlK[A-Za-z0-9+/=]{40,}"
);
pattern!(PEM, r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]+|-----BEGIN [A-Z ]+-----[\s\S]*-----END [A-Z ]+-----\n?");
pattern!(REPEATED, r"\(x\d+ over [\dsmhd]+\)");
pattern!(
    QUANTITY_LINE,
    r"^\s*((cpu|memory|storage|ephemeral-storage|pods)[:\s]|count/|requests\.|limits\.|(Container|Pod)\s)"
);
pattern!(RESOURCE_LINE, r"\(\d+%\)|\bcpu\b|\bCPU\b");
pattern!(LAST_AGE, r"(?<=  )(?:\d+[dhms])+$");
pattern!(
    AGE,
    r"(?:(?<!for )(?<=[ \t(])|^)((?:\d+y)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?)( ago\)?)?([ ]+(?=\S)|[ \t]*$)"
);

/// Addresses that have the same meaning everywhere and are kept.
const KEPT_ADDRESSES: [&str; 3] = ["0.0.0.0", "127.0.0.1", "255.255.255.255"];

/// The text of a capture group, or the empty string.
fn group<'t>(captures: &Captures<'t>, i: usize) -> &'t str {
    captures.get(i).map_or("", |m| m.as_str())
}

/// `Regex::replace_all` with a closure that can have state.
pub(crate) fn replace(regex: &Regex, text: &str, mut with: impl FnMut(&Captures<'_>) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for captures in regex.captures_iter(text).filter_map(Result::ok) {
        let Some(whole) = captures.get(0) else { continue };
        out.push_str(text.get(end..whole.start()).unwrap_or(""));
        out.push_str(&with(&captures));
        end = whole.end();
    }
    out.push_str(text.get(end..).unwrap_or(""));
    out
}

/// Whether the pattern occurs in the text.
pub(crate) fn occurs(regex: &Regex, text: &str) -> bool {
    regex.is_match(text).unwrap_or(false)
}

/// Whether a character continues a name: Python's `[\w-]`.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// The names and numbers assigned so far to what a run has generated.
#[derive(Clone, Debug, Default)]
pub struct Normaliser {
    namespace: String,
    start: f64,
    uids: BTreeMap<String, String>,
    addresses: BTreeMap<String, String>,
    /// Generated names, longest first, with their replacements.
    names: Vec<(String, String)>,
    generated: BTreeMap<String, usize>,
    events: BTreeMap<String, usize>,
    event_names: BTreeMap<String, String>,
    hashes: Vec<(String, String)>,
    minutes: Vec<(String, String)>,
    /// The prefixes `name-` of all objects that generate names of pods.
    owners: BTreeSet<String>,
}

impl Normaliser {
    /// A normaliser for a run in `namespace` that began at `start`, in seconds since 1970.
    pub fn new(namespace: &str, start: f64) -> Normaliser {
        Normaliser { namespace: namespace.into(), start, ..Normaliser::default() }
    }

    /// Learns the generated names of an object. Objects are given in the order of creation.
    pub fn learn(&mut self, object: &Value) {
        let meta = object.get("metadata");
        let text = |key: &str| meta.and_then(|m| m.get(key)).and_then(Value::as_str).unwrap_or("");
        let (prefix, name) = (text("generateName"), text("name"));
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
        if !prefix.is_empty()
            && name.strip_prefix(prefix).is_some_and(|s| s.chars().count() == 5)
            && !self.names.iter().any(|(n, _)| n == name)
        {
            let count = self.generated.entry(prefix.into()).or_default();
            *count += 1;
            self.names.push((name.into(), format!("{prefix}<r{count}>")));
            self.names.sort_by_key(|(n, _)| std::cmp::Reverse(n.chars().count()));
        }
        if matches!(kind, "ReplicaSet" | "ReplicationController" | "DaemonSet" | "Job") {
            self.owners.insert(format!("{name}-"));
        }
        if kind == "Event"
            && !self.event_names.contains_key(name)
            && let Ok(Some(c)) = EVENT_SUFFIX.captures(name)
        {
            let base = name.get(..c.get(0).map_or(0, |m| m.start())).unwrap_or("");
            let count = self.events.entry(base.into()).or_default();
            *count += 1;
            self.event_names.insert(name.into(), format!("<e{count}>"));
            self.event_names.insert(group(&c, 1).into(), format!("<e{count}>"));
        }
        if kind == "Job"
            && let Ok(Some(c)) = CRON.captures(name)
            && meta
                .and_then(|m| m.get("ownerReferences"))
                .and_then(Value::as_array)
                .is_some_and(|o| o.iter().any(|r| r.get("kind").and_then(Value::as_str) == Some("CronJob")))
            && !self.minutes.iter().any(|(m, _)| m == group(&c, 1))
        {
            let n = self.minutes.len() + 1;
            self.minutes.push((group(&c, 1).into(), format!("<m{n}>")));
        }
        if kind == "ReplicaSet" {
            let restarted = object
                .pointer("/spec/template/metadata/annotations")
                .and_then(|a| a.get("kubectl.kubernetes.io/restartedAt"))
                .is_some();
            let hash =
                object.pointer("/metadata/labels/pod-template-hash").and_then(Value::as_str).unwrap_or("");
            if restarted && !hash.is_empty() && !self.hashes.iter().any(|(h, _)| h == hash) {
                let n = self.hashes.len() + 1;
                self.hashes.push((hash.into(), format!("<h{n}>")));
            }
        }
    }

    /// The normal form of a uid: `uid-1` for the first one.
    pub fn uid(&mut self, uid: &str) -> String {
        let next = self.uids.len() + 1;
        self.uids.entry(uid.into()).or_insert_with(|| format!("uid-{next}")).clone()
    }

    /// A text with real names in place of names such as `web-7c5ddbdf54-<r1>`, for commands that use one.
    pub fn real(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (real, normal) in self.names.iter().chain(&self.hashes) {
            out = out.replace(normal.as_str(), real);
        }
        for (real, normal) in &self.minutes {
            out = out.replace(normal.as_str(), real);
        }
        out
    }

    fn address(&mut self, text: &str) -> String {
        let Ok(Some(c)) = ADDRESS.captures(text) else { return text.into() };
        let parts: Vec<u32> = (1..=4).filter_map(|i| group(&c, i).parse().ok()).collect();
        if KEPT_ADDRESSES.contains(&text) || parts.iter().any(|p| *p > 255) {
            return text.into();
        }
        if let [172, 18, 0, n] = parts.as_slice()
            && text.starts_with("172.18.0.")
        {
            return format!("ip-node-{}", i64::from(*n) - 1);
        }
        let next = self.addresses.len() + 1;
        self.addresses.entry(text.into()).or_insert_with(|| format!("ip-{next}")).clone()
    }

    fn time(&self, c: &Captures<'_>) -> String {
        let field = |i| group(c, i).parse::<i64>().unwrap_or(0);
        let fraction = group(c, 7).parse::<f64>().unwrap_or(0.0);
        let seconds = days_from_civil(field(1), field(2), field(3)) * 86400
            + field(4) * 3600
            + field(5) * 60
            + field(6);
        format!("T+{:.1}", seconds as f64 + fraction - self.start)
    }

    /// Replaces whole generated names. `pad` keeps the columns of a table aligned.
    fn replace_names(&self, text: &str, pad: bool) -> String {
        if self.names.is_empty() {
            return text.into();
        }
        scan(text, |rest| {
            let (real, normal) = self.names.iter().find(|(n, _)| starts_with_word(rest, n))?;
            let mut out = normal.clone();
            if pad && rest.get(real.len()..).is_some_and(|r| r.starts_with("  ")) {
                let missing = real.chars().count().saturating_sub(normal.chars().count());
                out.extend(std::iter::repeat_n(' ', missing));
            }
            Some((real.len(), out))
        })
    }

    /// Replaces names that were generated for an object that was then refused.
    fn replace_lost(&self, text: &str) -> String {
        if self.owners.is_empty() {
            return text.into();
        }
        scan(text, |rest| {
            let mut owners: Vec<&String> =
                self.owners.iter().filter(|o| rest.starts_with(o.as_str())).collect();
            owners.sort_by_key(|o| std::cmp::Reverse(o.len()));
            owners.into_iter().find_map(|o| {
                let suffix = rest.get(o.len()..o.len() + 5)?;
                let end = !rest.get(o.len() + 5..).is_some_and(|r| r.starts_with(is_word));
                (end && suffix.chars().all(|c| SUFFIX_ALPHABET.contains(c)))
                    .then(|| (o.len() + 5, format!("{o}<r?>")))
            })
        })
    }

    /// The normal form of a text.
    pub fn text(&mut self, text: &str) -> String {
        let mut s = self.replace_names(text, false);
        s = self.replace_lost(&s);
        if self.namespace != "default" && !self.namespace.is_empty() {
            s = s.replace(&self.namespace, "default");
        }
        if s.contains('.') {
            s = replace(&EVENT_SUFFIX, &s, |c| {
                format!(".{}", self.event_names.get(group(c, 1)).map_or("<e>", String::as_str))
            });
        }
        for (hash, normal) in &self.hashes {
            s = s.replace(hash.as_str(), normal);
        }
        for (minute, normal) in &self.minutes {
            s = s.replace(&format!("-{minute}"), &format!("-{normal}"));
        }
        if s.contains("containerd://") || s.contains("fake@sha256:") {
            s = replace(&RUNTIME_ID, &s, |_| "<id>".into());
        }
        if s.len() >= 36 && s.contains('-') {
            s = replace(&UID, &s, |c| self.uid(group(c, 0)));
        }
        if s.contains('T') && s.contains(':') {
            s = replace(&TIME, &s, |c| self.time(c));
        }
        if s.contains('.') {
            s = replace(&DOTTED, &s, |c| self.address(group(c, 0)));
        }
        if s.contains("kube-api-access-") {
            s = replace(&TOKEN, &s, |_| "kube-api-access-<r>".into());
        }
        if ["eyJ", "LS0t", "ZXlK", "-----BEGIN"].iter().any(|mark| s.contains(mark)) {
            s = replace(&PEM, &s, |_| "<pem>".into());
            s = replace(&SECRET_TOKEN, &s, |_| "<token>".into());
        }
        s
    }

    /// The normal form of kubectl's output: as [`text`](Self::text), with dates and ages.
    pub fn table(&mut self, text: &str) -> String {
        let s = self.replace_names(text, true);
        let s = self.text(&s);
        let s = replace(&DATE, &s, |_| "<date>".into());
        let s = replace(&REVISION, &s, |c| format!("{}\"<rv>\"", group(c, 1)));
        let s = replace(&GO_DATE, &s, |_| "<date>".into());
        let s = replace(&DESCRIBED_REVISION, &s, |c| format!("{}<rv>", group(c, 1)));
        let s = replace(&REPEATED, &s, |_| "(x<n> over <age>)".into());
        let lines: Vec<String> = s.split('\n').map(ages).collect();
        lines.join("\n")
    }

    /// The normal form of an object, without resourceVersion and managedFields.
    pub fn object(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut out = Map::new();
                for (k, v) in map.iter().filter(|(k, _)| *k != "resourceVersion" && *k != "managedFields") {
                    let key = if k.contains('/') { k.clone() } else { self.text(k) };
                    let v = self.object(v);
                    out.insert(key, v);
                }
                Value::Object(out)
            }
            Value::Array(items) => Value::Array(items.iter().map(|v| self.object(v)).collect()),
            Value::String(s) => Value::String(self.text(s)),
            other => other.clone(),
        }
    }
}

/// Replaces the ages in a line. `100m` can be an age or a quantity, depending on the place.
fn ages(line: &str) -> String {
    if occurs(&QUANTITY_LINE, line) {
        return line.into();
    }
    if occurs(&RESOURCE_LINE, line) {
        return replace(&LAST_AGE, line, |_| "<age>".into());
    }
    replace(&AGE, line, |c| {
        if group(c, 1).is_empty() {
            return group(c, 0).into();
        }
        let more = group(c, 3).ends_with(' ') && c.get(0).is_some_and(|m| m.end() < line.len());
        format!("<age>{}{}", group(c, 2), if more { "   " } else { "" })
    })
}

/// Walks through a text. At each place that does not continue a name, `at` may return a length and a
/// replacement.
fn scan(text: &str, at: impl Fn(&str) -> Option<(usize, String)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut glued = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !glued && let Some((len, new)) = at(rest) {
            let (taken, after) = rest.split_at(len);
            out.push_str(&new);
            glued = taken.ends_with(is_word);
            rest = after;
            continue;
        }
        out.push(c);
        glued = is_word(c);
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    out
}

/// Whether the text begins with this name, and the name ends there.
fn starts_with_word(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_word))
}

/// The number of days from 1970-01-01 to a date of the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
