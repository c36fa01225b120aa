//! The stable facts of a run, in the form of `facts.json`: a port of the suite's `facts.py`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fancy_regex::Regex;
use serde_json::{Map, Value, json};

use crate::normalise::{Normaliser, compile, occurs, replace};
use crate::report::{Fact, short};
use crate::system::{Op, Write};

static SUFFIX: LazyLock<Regex> = LazyLock::new(|| compile(r"<r[\d?]+>"));
static UID_N: LazyLock<Regex> = LazyLock::new(|| compile(r"\buid-\d+\b"));
static MOMENT: LazyLock<Regex> = LazyLock::new(|| compile(r"T\+-?[\d.]+"));
static WHOLE_MOMENT: LazyLock<Regex> = LazyLock::new(|| compile(r"^T\+-?[\d.]+$"));
static IP_N: LazyLock<Regex> = LazyLock::new(|| compile(r"\bip-(node-)?\d+\b"));
static NODE: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(node-\d+)\b"));

/// The kinds whose conditions are facts.
const CONDITIONED: [&str; 11] = [
    "Deployment",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
    "Namespace",
    "CustomResourceDefinition",
    "Service",
];

/// The kinds whose `spec.replicas` is a fact.
const SCALED: [&str; 4] = ["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"];

/// In some `facts.json` a node's heartbeat counts as a writer, although heartbeats are left out of every
/// history. It comes from the stand-in kubelet, so it is not judged.
const HEARTBEAT: &str = "kubelet: patch Node/status";

/// An event's object and content: kind, name, type, reason, message.
pub type EventKey = [String; 5];

/// The facts of one run, or of all recordings of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The successive values of `spec.replicas`, by object.
    pub replicas: BTreeMap<String, Value>,
    /// The successive `[status, reason, message]` of conditions, by object and condition type.
    pub conditions: BTreeMap<String, Value>,
    /// The number of times each event was recorded.
    pub events: BTreeMap<EventKey, i64>,
    /// The number of created objects, by kind.
    pub creates: BTreeMap<String, Value>,
    /// The number of deleted objects, by kind.
    pub deletes: BTreeMap<String, Value>,
    /// The components that wrote, as `deployment-controller: create ReplicaSet`.
    pub writers: BTreeSet<String>,
    /// The objects at the end, by `Kind/name`. Those whose names differ in a generated suffix are together.
    pub last: BTreeMap<String, Vec<Value>>,
}

/// Removes what differs between any two runs.
pub fn fuzz(value: &Value, uids: &BTreeMap<String, String>, scheduling: bool) -> Value {
    match value {
        Value::Object(map) => {
            let mut out = Map::new();
            for (k, v) in map {
                if v.as_str().is_some_and(|s| occurs(&WHOLE_MOMENT, s)) {
                    continue;
                }
                let node = ["nodeName", "hostIP", "hostIPs", "volume.kubernetes.io/selected-node"];
                if !scheduling && node.contains(&k.as_str()) {
                    continue;
                }
                let mut v = fuzz(v, uids, scheduling);
                if ["addresses", "notReadyAddresses", "endpoints"].contains(&k.as_str())
                    && let Value::Array(items) = &mut v
                {
                    items.sort_by_cached_key(Value::to_string);
                }
                out.insert(fuzz_text(k, uids, scheduling), v);
            }
            Value::Object(out)
        }
        Value::Array(items) => Value::Array(items.iter().map(|v| fuzz(v, uids, scheduling)).collect()),
        Value::String(s) => Value::String(fuzz_text(s, uids, scheduling)),
        other => other.clone(),
    }
}

/// [`fuzz`] for a text.
pub fn fuzz_text(text: &str, uids: &BTreeMap<String, String>, scheduling: bool) -> String {
    let mut s = text.to_owned();
    if s.contains("uid-") {
        s = replace(&UID_N, &s, |c| {
            let name = c.get(0).and_then(|m| uids.get(m.as_str()));
            format!("uid:{}", name.map_or("?", String::as_str))
        });
    }
    s = starred(&s);
    if s.contains("T+") {
        s = replace(&MOMENT, &s, |_| "<t>".into());
    }
    if s.contains("ip-") {
        s = replace(&IP_N, &s, |_| "<ip>".into());
    }
    if !scheduling && s.contains("node-") {
        s = replace(&NODE, &s, |_| "<node>".into());
    }
    s
}

/// Replaces generated suffixes: `web-<r1>` becomes `web-*`.
fn starred(text: &str) -> String {
    if text.contains("<r") { replace(&SUFFIX, text, |_| "*".into()) } else { text.into() }
}

fn text_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// Appends a value, unless it equals the last one.
fn append(list: &mut Value, value: Value) {
    if let Value::Array(items) = list
        && items.last() != Some(&value)
    {
        items.push(value);
    }
}

fn add_one(counts: &mut BTreeMap<String, Value>, kind: &str) {
    let n = counts.get(kind).and_then(Value::as_i64).unwrap_or(0);
    counts.insert(kind.into(), json!(n + 1));
}

/// Whether the suite leaves out an object: those of every namespace, heartbeats, and custom objects.
pub fn left_out(object: &Value) -> bool {
    let name = text_at(object, "/metadata/name");
    let kind = text_at(object, "/kind");
    let version = text_at(object, "/apiVersion");
    let custom = version.split_once('/').is_some_and(|(g, _)| g.contains('.') && !g.ends_with(".k8s.io"));
    let starts_with_kube = name.starts_with("kube-");
    custom
        || kind == "Lease"
        || (kind == "Namespace" && (name == "default" || starts_with_kube))
        || (kind == "ServiceAccount" && name == "default")
        || (kind == "ConfigMap" && name == "kube-root-ca.crt")
}

/// The facts of a run in the namespace `default` that began at `start`, in seconds since 1970. `writes` are
/// those since the case began, without what [`left_out`] names.
pub fn facts(writes: &[Write], scheduling: bool, start: f64) -> Facts {
    let mut normaliser = Normaliser::new("default", start);
    for w in writes.iter().filter(|w| w.op == Op::Added) {
        normaliser.learn(&w.object);
    }
    let mut uids = BTreeMap::new();
    for w in writes {
        let uid = normaliser.uid(text_at(&w.object, "/metadata/uid"));
        let name = starred(&normaliser.text(text_at(&w.object, "/metadata/name")));
        uids.insert(uid, format!("{}/{name}", text_at(&w.object, "/kind")));
    }
    let mut out = Facts::default();
    let mut last: BTreeMap<(String, String), &Value> = BTreeMap::new();
    let mut events: BTreeMap<&str, &Value> = BTreeMap::new();
    for w in writes {
        let o = &w.object;
        let (kind, name) = (text_at(o, "/kind"), text_at(o, "/metadata/name"));
        if kind == "Event" {
            if w.op != Op::Deleted {
                events.insert(name, o);
            }
            continue;
        }
        // By kind and name, as in the reference: each recording has one namespace.
        let place = (kind.to_owned(), name.to_owned());
        last.remove(&place);
        match w.op {
            Op::Added => add_one(&mut out.creates, kind),
            Op::Deleted => add_one(&mut out.deletes, kind),
            Op::Modified => {}
        }
        if w.op != Op::Deleted {
            last.insert(place, o);
        }
        if !w.by.is_empty() {
            let (verb, sub) = w.verb.split_once('/').unwrap_or((&w.verb, ""));
            let slash = if sub.is_empty() { "" } else { "/" };
            let removed = if w.op == Op::Deleted { " (removed)" } else { "" };
            out.writers.insert(format!("{}: {verb} {kind}{slash}{sub}{removed}", w.by));
        }
        let key = fuzz_text(&format!("{kind}/{}", normaliser.text(name)), &uids, scheduling);
        let replicas = o.pointer("/spec/replicas").filter(|r| !r.is_null());
        if let Some(replicas) = replicas.filter(|_| w.op != Op::Deleted && SCALED.contains(&kind)) {
            append(out.replicas.entry(key.clone()).or_insert_with(|| json!([])), replicas.clone());
        }
        if CONDITIONED.contains(&kind) {
            for c in o.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten() {
                let seen = json!([
                    fuzz_text(text_at(c, "/status"), &uids, scheduling),
                    fuzz_text(text_at(c, "/reason"), &uids, scheduling),
                    fuzz_text(&normaliser.text(text_at(c, "/message")), &uids, scheduling),
                ]);
                let key = format!("{key} {}", text_at(c, "/type"));
                append(out.conditions.entry(key).or_insert_with(|| json!([])), seen);
            }
        }
    }
    for o in events.values() {
        let mut field = |pointer| fuzz_text(&normaliser.text(text_at(o, pointer)), &uids, scheduling);
        let key = [
            field("/involvedObject/kind"),
            field("/involvedObject/name"),
            field("/type"),
            field("/reason"),
            field("/message"),
        ];
        let count = |p: &str| o.pointer(p).and_then(Value::as_i64).filter(|n| *n != 0);
        *out.events.entry(key).or_default() += count("/count").or(count("/series/count")).unwrap_or(1);
    }
    for o in last.values() {
        let o = fuzz(&normaliser.object(o), &uids, scheduling);
        let key = format!("{}/{}", text_at(&o, "/kind"), text_at(&o, "/metadata/name"));
        out.last.entry(key).or_default().push(o);
    }
    out
}

/// The facts of a `facts.json`, and what varies between recordings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// What all recordings have in common.
    pub facts: Facts,
    /// What differs between recordings and is not judged.
    pub varies: Value,
}

impl Recorded {
    /// Reads a `facts.json`.
    pub fn from_value(value: &Value) -> Recorded {
        let map = |key: &str| -> BTreeMap<String, Value> {
            let object = value.get(key).and_then(Value::as_object);
            object.into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect()
        };
        let mut facts = Facts {
            replicas: map("replicas"),
            conditions: map("conditions"),
            creates: map("creates"),
            deletes: map("deletes"),
            ..Facts::default()
        };
        for row in rows(value.get("events")) {
            let count = row.get(5).and_then(Value::as_i64).unwrap_or(0);
            facts.events.insert(event_key(row), count);
        }
        facts.writers = strings(value.get("writers"));
        for o in value.get("final").and_then(Value::as_array).into_iter().flatten() {
            let (times, o) = match (o.get("times").and_then(Value::as_u64), o.get("object")) {
                (Some(n), Some(o)) => (n, o),
                _ => (1, o),
            };
            let key = format!("{}/{}", text_at(o, "/kind"), text_at(o, "/metadata/name"));
            let list = facts.last.entry(key).or_default();
            list.extend((0..times).map(|_| o.clone()));
        }
        Recorded { facts, varies: value.get("varies").cloned().unwrap_or_else(|| json!({})) }
    }

    /// Compares a run with the recordings. A fact is one key of either side that does not vary. A key that
    /// only the run has is a fact that is not met.
    pub fn compare(&self, mine: &Facts) -> Vec<Fact> {
        let mut out = Vec::new();
        let want = &self.facts;
        let parts = [
            ("replicas", &mine.replicas, &want.replicas),
            ("conditions", &mine.conditions, &want.conditions),
            ("creates", &mine.creates, &want.creates),
            ("deletes", &mine.deletes, &want.deletes),
        ];
        for (part, mine, want) in parts {
            let varies = self.varies.get(part);
            let keys: BTreeSet<&String> = mine.keys().chain(want.keys()).collect();
            for k in keys.into_iter().filter(|k| varies.is_none_or(|v| v.get(k.as_str()).is_none())) {
                out.push(Fact::of(part, k, want.get(k), mine.get(k)));
            }
        }
        self.compare_events(mine, &mut out);
        let mut varying = strings(self.varies.get("writers"));
        varying.insert(HEARTBEAT.into());
        let want_writers: BTreeSet<String> =
            want.writers.iter().filter(|k| *k != HEARTBEAT).cloned().collect();
        for k in mine.writers.union(&want_writers) {
            let (wanted, have) = (want_writers.contains(k), mine.writers.contains(k));
            if wanted || !varying.contains(k) {
                let difference = match (wanted, have) {
                    (true, true) => None,
                    (true, false) => Some("missing".into()),
                    _ => Some("never seen in the recordings".into()),
                };
                out.push(Fact { part: "writers", name: k.clone(), recorded: wanted, difference });
            }
        }
        self.compare_last(mine, &mut out);
        out
    }

    fn compare_events(&self, mine: &Facts, out: &mut Vec<Fact>) {
        let varying: BTreeSet<EventKey> = rows(self.varies.get("events")).map(event_key).collect();
        let want = &self.facts.events;
        let keys: BTreeSet<&EventKey> = mine.events.keys().chain(want.keys()).collect();
        for k in keys.into_iter().filter(|k| !varying.contains(*k)) {
            let number = |m: &BTreeMap<EventKey, i64>| m.get(k).copied().unwrap_or(0);
            let (w, h) = (number(want), number(&mine.events));
            out.push(Fact {
                part: "events",
                name: k.join(" | "),
                recorded: want.contains_key(k),
                difference: (w != h).then(|| format!("want {w}, have {h}")),
            });
        }
    }

    fn compare_last(&self, mine: &Facts, out: &mut Vec<Fact>) {
        let varying = self.varies.get("final");
        let keys: BTreeSet<&String> = mine.last.keys().chain(self.facts.last.keys()).collect();
        for k in keys {
            let varies = varying.and_then(|v| v.get(k.as_str()));
            if varies.is_some_and(Value::is_object) {
                continue;
            }
            let mut have = mine.last.get(k).cloned().unwrap_or_default();
            let mut paths: Vec<&str> =
                varies.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
            paths.sort_unstable_by(|a, b| b.cmp(a));
            for o in &mut have {
                paths.iter().for_each(|p| remove(o, p));
            }
            let mut want = self.facts.last.get(k).cloned().unwrap_or_default();
            want.sort_by_cached_key(Value::to_string);
            have.sort_by_cached_key(Value::to_string);
            let difference = (want != have).then(|| difference_of_groups(&want, &have));
            out.push(Fact { part: "final", name: k.clone(), recorded: !want.is_empty(), difference });
        }
    }
}

/// How two groups of objects with the same name differ: in their number, or else in the first field.
fn difference_of_groups(want: &[Value], have: &[Value]) -> String {
    if want.len() != have.len() {
        return format!("want {} object(s), have {}", want.len(), have.len());
    }
    let pair = want.iter().zip(have).find(|(w, h)| w != h);
    pair.and_then(|(w, h)| first_difference("", w, h)).unwrap_or_default()
}

/// The first place at which two values differ, as one line; `None` if they are equal.
pub fn first_difference(path: &str, want: &Value, have: &Value) -> Option<String> {
    match (want, have) {
        (Value::Object(w), Value::Object(h)) => {
            let keys: BTreeSet<&String> = w.keys().chain(h.keys()).collect();
            keys.into_iter().find_map(|k| {
                let at = format!("{path}/{}", k.replace('~', "~0").replace('/', "~1"));
                match (w.get(k), h.get(k)) {
                    (Some(w), Some(h)) => first_difference(&at, w, h),
                    (w, h) => Some(format!("{at}: want {}, have {}", shown(w), shown(h))),
                }
            })
        }
        (Value::Array(w), Value::Array(h)) if w.len() == h.len() => {
            w.iter().zip(h).enumerate().find_map(|(i, (w, h))| first_difference(&format!("{path}/{i}"), w, h))
        }
        _ if want == have => None,
        _ => Some(format!("{path}: want {}, have {}", shown(Some(want)), shown(Some(have)))),
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".into(), |v| short(&v.to_string(), 300))
}

impl Fact {
    /// A fact that is met if both values are equal.
    fn of(part: &'static str, name: &str, want: Option<&Value>, have: Option<&Value>) -> Fact {
        let difference = (want != have).then(|| format!("want {}, have {}", shown(want), shown(have)));
        Fact { part, name: name.into(), recorded: want.is_some(), difference }
    }
}

fn rows(value: Option<&Value>) -> impl Iterator<Item = &[Value]> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(|v| v.as_array().map(Vec::as_slice))
}

fn event_key(row: &[Value]) -> EventKey {
    std::array::from_fn(|i| row.get(i).and_then(Value::as_str).unwrap_or("").to_owned())
}

fn strings(value: Option<&Value>) -> BTreeSet<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Removes the value at a JSON pointer. An item of a list becomes `<varies>`.
fn remove(value: &mut Value, pointer: &str) {
    let keys: Vec<String> =
        pointer.split('/').skip(1).map(|k| k.replace("~1", "/").replace("~0", "~")).collect();
    let Some((last, path)) = keys.split_last() else { return };
    let mut at = value;
    for k in path {
        let next = match at {
            Value::Array(items) => k.parse::<usize>().ok().and_then(|i| items.get_mut(i)),
            Value::Object(map) => map.get_mut(k),
            _ => None,
        };
        match next {
            Some(v) => at = v,
            None => return,
        }
    }
    match at {
        Value::Array(items) => {
            if let Some(item) = last.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                *item = json!("<varies>");
            }
        }
        Value::Object(map) => {
            map.remove(last);
        }
        _ => {}
    }
}
