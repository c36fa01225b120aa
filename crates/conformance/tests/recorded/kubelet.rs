//! The stand-in kubelet in every recorded life of a pod: given what all others wrote, and when, it writes
//! what was recorded.

use std::collections::BTreeMap;

use serde_json::Value;
use steady::api::Timestamp;
use steady::api::types::Pod;
use steady_conformance::kubelet::{KubeletWrite, Node, next};
use steady_conformance::{Op, facts::first_difference, history};

use super::common;

/// A value without times, ids, addresses and Go's nulls.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(k, v)| !v.is_null() && !k.ends_with("Time") && !k.ends_with("At"))
            .map(|(k, v)| {
                let hidden = ["podIP", "ip", "containerID", "imageID"].contains(&k.as_str()) && v != "";
                (k.clone(), if hidden { Value::from("<id>") } else { plain(v) })
            })
            .collect(),
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

fn at(seconds: f64) -> Timestamp {
    Timestamp::from_millisecond(common::START * 1000 + (seconds * 1000.0).round() as i64).unwrap()
}

/// When a node's annotation `fake/down` was set and removed.
fn down_times(writes: &[history::Recorded], node: &str) -> Vec<(f64, bool)> {
    let of_node = |w: &&history::Recorded| {
        w.write.object["kind"] == "Node" && w.write.object["metadata"]["name"] == node
    };
    let down = |w: &history::Recorded| w.write.object["metadata"]["annotations"]["fake/down"] == "true";
    writes.iter().filter(of_node).filter(|w| w.write.by == "kubectl").map(|w| (w.t, down(w))).collect()
}

/// Plays one life of a pod. Returns how many of the kubelet's writes were as recorded, and the first that
/// was not.
fn play(all: &[history::Recorded], life: &[&history::Recorded]) -> (usize, Option<String>) {
    let node = |pod: &Value| pod["spec"]["nodeName"].as_str().map(str::to_owned);
    let mut memory = None;
    let mut done = 0;
    for (i, w) in life.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| &life[j].write.object);
        // A patch of status cannot begin a deletion: there the recorder has mistaken one request for
        // another.
        let deletion = |w: &history::Recorded| w.write.object["metadata"].get("deletionTimestamp").is_some();
        let begins = deletion(w) && i.checked_sub(1).is_some_and(|j| !deletion(life[j]));
        let theirs = w.write.by == "kubelet" && !(begins && w.write.verb == "patch/status");
        let until = if theirs { w.t + 0.3 } else { w.t };
        // What the kubelet sees between the last write and this one.
        let Some(before) = before.filter(|p| node(p).is_some()) else { continue };
        let pod: Pod = serde_json::from_str(&common::revive(&before.to_string())).unwrap();
        let name = node(before).unwrap();
        let number = name.strip_prefix("node-").unwrap().parse().unwrap();
        let mut now = life[i - 1].t;
        let mut wrote = None;
        let saved = memory;
        for _ in 0..20 {
            let downs = down_times(all, &name);
            let down = downs.iter().rev().find(|(t, _)| *t <= now).is_some_and(|(_, d)| *d);
            let step = next(&pod, Node { number, down, next_ip: 1 }, at(now), memory);
            memory = Some(step.memory);
            if step.write.is_some() {
                wrote = step.write;
                break;
            }
            let wake = step.wake.map(|x| (x.as_millisecond() - common::START * 1000) as f64 / 1000.0);
            let change = downs.iter().map(|(t, _)| *t).find(|t| *t > now);
            let Some(soonest) = [wake, change].into_iter().flatten().reduce(f64::min) else { break };
            if soonest > until {
                break;
            }
            now = soonest;
        }
        let line = format!("{} {} {}", w.t, w.write.op.as_str(), w.write.verb);
        match (theirs, wrote) {
            // The recorded times are rounded, so which of two writes came first may be unknown.
            (false, Some(_)) if (now - w.t).abs() < 0.11 => memory = saved,
            (false, Some(x)) => return (done, Some(format!("{line}: wrote {x:?} at {now} before"))),
            (false, None) => {}
            (true, None) => return (done, Some(format!("{line}: nothing written until {until}"))),
            (true, Some(KubeletWrite::Delete)) if w.write.verb == "delete" => done += 1,
            (true, Some(KubeletWrite::Status(s))) if w.write.verb == "patch/status" => {
                if (now - w.t).abs() > 0.25 {
                    return (done, Some(format!("{line}: written at {now}")));
                }
                let want: Pod = serde_json::from_str(&common::revive(&w.write.object.to_string())).unwrap();
                let want = plain(&serde_json::to_value(want.status.unwrap()).unwrap());
                let have = plain(&serde_json::to_value(*s).unwrap());
                if let Some(d) = first_difference("", &want, &have) {
                    return (done, Some(format!("{line}: {d}")));
                }
                done += 1;
            }
            (true, Some(x)) => return (done, Some(format!("{line}: wrote {x:?}"))),
        }
        // The API server makes two changes for one delete.
        if theirs && w.write.verb == "delete" {
            break;
        }
    }
    (done, None)
}

#[test]
fn it_writes_what_the_recordings_have() {
    let (mut writes, mut lives, mut wrong) = (0, 0, Vec::new());
    for (case, folder) in common::cases() {
        let all = history::history(&folder).unwrap();
        let mut pods: BTreeMap<String, Vec<Vec<&history::Recorded>>> = BTreeMap::new();
        for w in all.iter().filter(|w| w.write.object["kind"] == "Pod") {
            let name = w.write.object["metadata"]["name"].as_str().unwrap();
            let list = pods.entry(name.into()).or_default();
            if w.write.op == Op::Added {
                list.push(Vec::new());
            }
            list.last_mut().unwrap().push(w);
        }
        for (name, life) in pods.iter().flat_map(|(n, l)| l.iter().map(move |l| (n, l))) {
            lives += 1;
            let (done, difference) = play(&all, life);
            writes += done;
            wrong.extend(difference.map(|d| format!("{case} {name}: {d}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {lives} lives, {writes} writes:\n{}",
        lives - wrong.len(),
        wrong.join("\n")
    );
    println!("{lives} lives, {writes} writes");
    assert!(writes > 700, "only {writes} writes");
}

#[test]
fn exit_codes_are_read_from_commands() {
    let pod = |command: Value| -> Pod {
        serde_json::from_value(
            serde_json::json!({"spec": {"containers": [{"name": "c", "command": command}]}}),
        )
        .unwrap()
    };
    let code = |command: Value| steady_conformance::kubelet::exit_code(&pod(command));
    assert_eq!(code(serde_json::json!(["sh", "-c", "echo no; exit 7"])), 7);
    assert_eq!(code(serde_json::json!(["false"])), 1);
    assert_eq!(code(serde_json::json!(["/bin/false"])), 1);
    assert_eq!(code(serde_json::json!(["sleep", "5"])), 0);
    assert_eq!(code(serde_json::json!(["true"])), 0);
}
