//! The recorded histories: whole objects, rebuilt from their differences, and the order of writes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::normalise::Normaliser;
use crate::report::read;
use crate::system::{Op, Write};

/// A line of `history.jsonl`, with the whole object.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Seconds since the case began.
    pub t: f64,
    /// The index of the step to which the write belongs.
    pub step: u64,
    /// The write.
    pub write: Write,
}

/// The writes in a case's `history.jsonl`.
///
/// # Errors
/// If the file cannot be read, or a line is not as the README says.
pub fn history(case: &Path) -> Result<Vec<Recorded>, String> {
    // Objects from before the case (nodes) are known only from its end.
    let last =
        read(&case.join("final.json")).and_then(|t| serde_json::from_str(&t).map_err(|e| e.to_string()))?;
    let before = by_name(&last);
    let mut live: BTreeMap<(String, String), Value> = BTreeMap::new();
    let mut out = Vec::new();
    for line in read(&case.join("history.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let text = |k: &str| row.get(k).and_then(Value::as_str).unwrap_or("").to_owned();
        let op = match text("op").as_str() {
            "ADDED" => Op::Added,
            "MODIFIED" => Op::Modified,
            _ => Op::Deleted,
        };
        let place = (text("kind"), text("name"));
        let mut object = match row.get("object") {
            Some(o) => o.clone(),
            None => live.get(&place).or_else(|| before.get(&place)).cloned().unwrap_or_else(|| stub(&place)),
        };
        for (pointer, value) in row.get("set").and_then(Value::as_object).into_iter().flatten() {
            set(&mut object, pointer, Some(value.clone()));
        }
        let mut unset: Vec<&str> = row
            .get("unset")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        // From the back, so that removing an item of a list moves none that is to be removed later.
        unset.reverse();
        unset.iter().for_each(|p| set(&mut object, p, None));
        match op {
            Op::Deleted => live.remove(&place),
            _ => live.insert(place, object.clone()),
        };
        out.push(Recorded {
            t: row.get("t").and_then(Value::as_f64).unwrap_or(0.0),
            step: row.get("step").and_then(Value::as_u64).unwrap_or(0),
            // The recorder writes `?` for a request that it did not find in the audit log.
            write: Write { op, object, by: text("by").trim_matches('?').into(), verb: text("verb") },
        });
    }
    Ok(out)
}

/// The objects of a list, by kind and name.
fn by_name(list: &Value) -> BTreeMap<(String, String), Value> {
    let items = list.as_array().or_else(|| list.get("items").and_then(Value::as_array));
    let text = |o: &Value, p: &str| o.pointer(p).and_then(Value::as_str).unwrap_or("").to_owned();
    let place = |o: &Value| (text(o, "/kind"), text(o, "/metadata/name"));
    items.into_iter().flatten().map(|o| (place(o), o.clone())).collect()
}

/// An object from before the case, of which only kind and name are known.
fn stub((kind, name): &(String, String)) -> Value {
    serde_json::json!({"kind": kind, "metadata": {"name": name}})
}

/// Sets or removes the value at a JSON pointer. Missing maps are created.
fn set(value: &mut Value, pointer: &str, new: Option<Value>) {
    let keys: Vec<String> =
        pointer.split('/').skip(1).map(|k| k.replace("~1", "/").replace("~0", "~")).collect();
    let Some((last, path)) = keys.split_last() else { return };
    let mut at = value;
    for k in path {
        at = match at {
            Value::Array(items) => match k.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                Some(v) => v,
                None => return,
            },
            Value::Object(map) => map.entry(k.clone()).or_insert_with(|| Value::Object(Map::new())),
            _ => return,
        };
    }
    match (at, new) {
        (Value::Array(items), Some(v)) => match last.parse::<usize>() {
            Ok(i) if i < items.len() => {
                if let Some(item) = items.get_mut(i) {
                    *item = v;
                }
            }
            _ => items.push(v),
        },
        (Value::Array(items), None) => {
            if let Some(i) = last.parse::<usize>().ok().filter(|i| *i < items.len()) {
                items.remove(i);
            }
        }
        (Value::Object(map), Some(v)) => {
            map.insert(last.clone(), v);
        }
        (Value::Object(map), None) => {
            map.remove(last);
        }
        _ => {}
    }
}

/// The order of the writes of each object, with the writer: one line for each step. Equal writes in a row
/// count once, because status writes are combined differently in each run. Objects whose names differ in a
/// generated suffix are counted together.
pub fn orders(writes: &[Write]) -> BTreeMap<String, BTreeMap<Vec<String>, usize>> {
    let mut normaliser = Normaliser::new("default", 0.0);
    writes.iter().filter(|w| w.op == Op::Added).for_each(|w| normaliser.learn(&w.object));
    // By uid: names are used again, and generated names cannot always be recognised.
    let mut steps: BTreeMap<&str, (String, Vec<String>)> = BTreeMap::new();
    for w in writes {
        let text = |p: &str| w.object.pointer(p).and_then(Value::as_str).unwrap_or("");
        let kind = text("/kind");
        if kind == "Event" {
            continue;
        }
        let name = format!("{kind}/{}", normaliser.text(text("/metadata/name")));
        let uid = Some(text("/metadata/uid")).filter(|u| !u.is_empty()).unwrap_or(text("/metadata/name"));
        let line = format!("{} by {}: {}", w.op.as_str(), w.by, w.verb);
        let (_, list) = steps.entry(uid).or_insert_with(|| (name, Vec::new()));
        if list.last() != Some(&line) {
            list.push(line);
        }
    }
    let mut out: BTreeMap<String, BTreeMap<Vec<String>, usize>> = BTreeMap::new();
    for (name, list) in steps.into_values() {
        let name = crate::facts::fuzz_text(&name, &BTreeMap::new(), true);
        *out.entry(name).or_default().entry(list).or_default() += 1;
    }
    out
}

/// Compares the order of writes in a run with that in a recorded history. The lines are to be read, they are
/// not facts: objects with another order of writes, and objects that were created before their owner.
pub fn causal(recorded: &[Write], mine: &[Write]) -> Vec<String> {
    let mut out = Vec::new();
    let (want, have) = (orders(recorded), orders(mine));
    for (name, want) in &want {
        let Some(have) = have.get(name) else {
            out.push(format!("{name}: never written"));
            continue;
        };
        for (order, n) in want {
            let h = have.get(order).copied().unwrap_or(0);
            if h != *n {
                out.push(format!("{name}: want {n}, have {h} with the order {}", order.join("; ")));
            }
        }
        for (order, n) in have.iter().filter(|(o, _)| !want.contains_key(*o)) {
            out.push(format!("{name}: {n} with an order not recorded: {}", order.join("; ")));
        }
    }
    for name in have.keys().filter(|k| !want.contains_key(*k)) {
        out.push(format!("{name}: written, but never in the recording"));
    }
    let mut born: Vec<&str> = Vec::new();
    let all: Vec<&str> = mine.iter().filter(|w| w.op == Op::Added).filter_map(uid).collect();
    for w in mine.iter().filter(|w| w.op == Op::Added) {
        let owners = w.object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        for owner in owners.into_iter().flatten().filter_map(|o| o.get("uid").and_then(Value::as_str)) {
            if all.contains(&owner) && !born.contains(&owner) {
                out.push(format!("{}: created before its owner", shown_name(&w.object)));
            }
        }
        born.extend(uid(w));
    }
    out
}

fn uid(write: &Write) -> Option<&str> {
    write.object.pointer("/metadata/uid").and_then(Value::as_str)
}

fn shown_name(object: &Value) -> String {
    let text = |p: &str| object.pointer(p).and_then(Value::as_str).unwrap_or("");
    format!("{}/{}", text("/kind"), text("/metadata/name"))
}
