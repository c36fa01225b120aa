//! Nodes and volumes as in the recordings.

use serde_json::{Value, json};
use steady::api::Timestamp;
use steady::api::types::{Node, PersistentVolume, PersistentVolumeClaim};
use steady_conformance::kubelet::node::{is_down, registration, report};
use steady_conformance::{Op, default_dir, facts::first_difference, history, provisioner};

use super::common;

fn now(seconds: f64) -> Timestamp {
    Timestamp::from_second(common::START + seconds.floor() as i64).unwrap()
}

/// A value without the empty strings that Go writes and k8s-openapi omits, and with times in whole seconds.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            map.iter().filter(|(_, v)| *v != "").map(|(k, v)| (k.clone(), plain(v))).collect()
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

fn recorded(case: &str) -> Vec<history::Recorded> {
    history::history(&default_dir().join("cases").join(case)).unwrap()
}

#[test]
fn a_node_registers_and_reports() {
    let writes = recorded("ds-node-added");
    let mut mine = Vec::new();
    for w in writes.iter().filter(|w| w.write.by == "kubelet" && w.write.object["kind"] == "Node") {
        let want: Node = serde_json::from_str(&common::revive(&w.write.object.to_string())).unwrap();
        mine.push(w.write.op);
        if w.write.op == Op::Added {
            let have = registration("node-4", 4);
            assert_eq!(have.metadata.labels, want.metadata.labels);
            assert_eq!(have.metadata.annotations, want.metadata.annotations);
        } else {
            let have = report(&registration("node-4", 4), 4, now(w.t));
            let (want, have) = (json!(want.status.unwrap()), json!(have));
            assert_eq!(first_difference("", &plain(&want), &plain(&have)), None);
        }
    }
    assert_eq!(mine, [Op::Added, Op::Modified]);
}

#[test]
fn a_node_comes_back() {
    let writes = recorded("node-not-ready");
    let nodes: Vec<_> = writes.iter().filter(|w| w.write.object["kind"] == "Node").collect();
    let i = nodes.iter().position(|w| w.write.by == "kubelet").unwrap();
    let node = |w: &history::Recorded| -> Node {
        serde_json::from_str(&common::revive(&w.write.object.to_string())).unwrap()
    };
    let (before, want) = (node(nodes[i - 1]), node(nodes[i]));
    assert!(!is_down(&before) && is_down(&node(nodes[0])));
    let have = report(&before, 3, now(nodes[i].t));
    assert_eq!(first_difference("", &plain(&json!(want.status.unwrap())), &plain(&json!(have))), None);
}

#[test]
fn claims_get_their_volumes() {
    let mut made = 0;
    for (case, folder) in common::cases() {
        let writes = history::history(&folder).unwrap();
        for (i, w) in writes.iter().enumerate().filter(|(_, w)| w.write.by == "provisioner") {
            if w.write.op != Op::Added {
                let before = writes
                    .iter()
                    .take(i)
                    .rfind(|x| x.write.object["metadata"]["name"] == w.write.object["metadata"]["name"]);
                let volume: PersistentVolume =
                    serde_json::from_str(&common::revive(&before.unwrap().write.object.to_string())).unwrap();
                assert!(provisioner::is_to_go(&volume), "{case}");
                continue;
            }
            let name = &w.write.object["spec"]["claimRef"]["name"];
            let claim = writes.iter().take(i).rfind(|x| {
                x.write.object["kind"] == "PersistentVolumeClaim"
                    && x.write.object["metadata"]["name"] == *name
            });
            let text = common::revive(&claim.unwrap().write.object.to_string());
            let claim: PersistentVolumeClaim = serde_json::from_str(&text).unwrap();
            let have = provisioner::volume(&claim).unwrap_or_else(|| panic!("{case}: none for {text}"));
            let mut want: Value = serde_json::from_str(&common::revive(&w.write.object.to_string())).unwrap();
            // The API server adds these.
            want["spec"].as_object_mut().unwrap().remove("volumeMode");
            let have = json!(have);
            assert_eq!(first_difference("", &plain(&want["spec"]), &plain(&have["spec"])), None, "{case}");
            assert_eq!(want["metadata"]["annotations"], have["metadata"]["annotations"]);
            made += 1;
        }
    }
    assert!(made > 3, "{made}");
}
