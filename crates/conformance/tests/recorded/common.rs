//! Recorded histories with values as in a real run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use fancy_regex::{Captures, Regex};
use serde_json::Value;
use steady_conformance::{Write, default_dir, history};

/// The start of every such run: 2026-01-02T03:04:20Z.
pub const START: i64 = 1_767_323_060;

const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

pub fn cases() -> Vec<(String, PathBuf)> {
    let folder = default_dir().join("cases");
    steady_conformance::report::names(&folder)
        .unwrap()
        .into_iter()
        .map(|n| (n.clone(), folder.join(n)))
        .collect()
}

thread_local! {
    static COMPILED: RefCell<BTreeMap<&'static str, Regex>> = const { RefCell::new(BTreeMap::new()) };
}

fn sub(text: &str, pattern: &'static str, with: impl Fn(&Captures<'_>) -> String) -> String {
    COMPILED.with_borrow_mut(|compiled| {
        let regex = compiled.entry(pattern).or_insert_with(|| Regex::new(pattern).unwrap());
        regex.replace_all(text, |c: &Captures<'_>| with(c)).into_owned()
    })
}

/// A suffix of five letters of the alphabet of suffixes.
pub fn suffix(n: usize) -> String {
    let mut n = n * 7919 + 12345;
    (0..5)
        .map(|_| {
            let c = ALPHABET[n % ALPHABET.len()] as char;
            n /= ALPHABET.len();
            c
        })
        .collect()
}

/// The moment `seconds` after the start, as the API writes it.
pub fn moment(seconds: f64) -> String {
    let at = jiff::Timestamp::from_millisecond(START * 1000 + (seconds * 10.0).round() as i64 * 100).unwrap();
    let format = if at.subsec_nanosecond() == 0 { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%.1fZ" };
    at.strftime(format).to_string()
}

/// Replaces the normal form by values as a real run has them.
pub fn revive(text: &str) -> String {
    let n = |c: &Captures<'_>| c.get(1).unwrap().as_str().parse::<usize>().unwrap();
    let mut s = sub(text, r"\buid-(\d+)\b", |c| format!("00000000-0000-4000-8000-{:012}", n(c)));
    s = sub(&s, r"kube-api-access-<r>", |_| "kube-api-access-x2x4z".into());
    s = sub(&s, r"<r(\d+)>", |c| suffix(n(c)));
    s = sub(&s, r"<r\?>", |_| "zzzzz".into());
    s = sub(&s, r"<e(\d+)>", |c| format!("18a{:013x}", n(c)));
    s = sub(&s, r"<m(\d+)>", |c| format!("{}", 29_000_000 + n(c)));
    s = sub(&s, r"<h(\d+)>", |c| format!("{}zz6c9d7", n(c)));
    s = sub(&s, r"\bip-node-(\d+)\b", |c| format!("172.18.0.{}", n(c) + 1));
    s = sub(&s, r"\bip-(\d+)\b", |c| format!("10.244.1.{}", n(c)));
    s = sub(&s, r"T\+(-?[\d.]+)", |c| moment(c.get(1).unwrap().as_str().parse().unwrap()));
    sub(&s, r"<id>", |_| format!("containerd://{}", "a".repeat(64)))
}

/// The writes of a case, in normal form, and with values as in a real run.
pub fn writes(folder: &std::path::Path) -> (Vec<Write>, Vec<Write>) {
    let recorded: Vec<Write> = history::history(folder).unwrap().into_iter().map(|r| r.write).collect();
    let mut seen = std::collections::BTreeMap::new();
    let mut revived = Vec::new();
    for w in &recorded {
        let mut object: Value = serde_json::from_str(&revive(&w.object.to_string())).unwrap();
        // Objects from before the case have no uid in the history; any uid will do.
        let name = object.pointer("/metadata/name").unwrap().as_str().unwrap().to_owned();
        let n = seen.len();
        let stand_in = seen.entry(name).or_insert_with(|| format!("00000000-0000-4000-9000-{n:012}"));
        let meta = object["metadata"].as_object_mut().unwrap();
        meta.entry("uid").or_insert_with(|| Value::String(stand_in.clone()));
        revived.push(Write { op: w.op, object, by: w.by.clone(), verb: w.verb.clone() });
    }
    (recorded, revived)
}
