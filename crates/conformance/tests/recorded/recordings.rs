//! A test of the judge: the recorded histories, given as if they were a run, have the facts that are
//! recorded beside them.

use steady_conformance::facts::{Recorded, facts};
use steady_conformance::normalise::Normaliser;
use steady_conformance::{Op, cases::Case, default_dir, history};

use super::common;

#[test]
fn a_recorded_history_has_the_recorded_facts() {
    let (mut met, mut all, mut wrong) = (0, 0, Vec::new());
    for (name, folder) in common::cases() {
        let case = Case::load(&default_dir().join("cases"), &name).unwrap();
        let text = std::fs::read_to_string(folder.join("facts.json")).unwrap();
        let recorded = Recorded::from_value(&serde_json::from_str(&text).unwrap());
        let (_, writes) = common::writes(&folder);
        if let Ok(out) = std::env::var("DUMP_WRITES") {
            dump(&out, &name, &writes);
        }
        for fact in recorded.compare(&facts(&writes, case.scheduling, common::START as f64)) {
            all += 1;
            met += usize::from(fact.met());
            if !fact.met() {
                wrong.push(format!("{name} {} {}: {}", fact.part, fact.name, fact.difference.unwrap()));
            }
        }
    }
    assert!(wrong.is_empty(), "{met} of {all}:\n{}", wrong.join("\n"));
    assert!(all > 2000, "only {all} facts");
}

/// For comparing with the reference in Python by hand.
fn dump(folder: &str, name: &str, writes: &[steady_conformance::Write]) {
    let lines: Vec<String> = writes
        .iter()
        .map(|w| {
            serde_json::json!({"op": w.op.as_str(), "object": w.object, "by": w.by, "verb": w.verb})
                .to_string()
        })
        .collect();
    std::fs::write(format!("{folder}/{name}.jsonl"), lines.join("\n")).unwrap();
}

#[test]
fn the_normal_form_comes_back() {
    for (name, folder) in common::cases() {
        let (recorded, revived) = common::writes(&folder);
        let mut n = Normaliser::new("default", common::START as f64);
        revived.iter().filter(|w| w.op == Op::Added).for_each(|w| n.learn(&w.object));
        for (r, v) in recorded.iter().zip(&revived) {
            let text = |o: &serde_json::Value, p: &str| o.pointer(p).unwrap().as_str().unwrap().to_owned();
            let (want, have) =
                (text(&r.object, "/metadata/name"), n.text(&text(&v.object, "/metadata/name")));
            // Numbers of uids are assigned in the order of first occurrence, wherever that was.
            if !want.contains("uid-") {
                assert_eq!(want, have, "{name}");
            }
        }
    }
}

#[test]
fn a_recording_agrees_with_itself_about_order() {
    for (name, folder) in common::cases() {
        let writes: Vec<_> = history::history(&folder).unwrap().into_iter().map(|r| r.write).collect();
        assert_eq!(history::causal(&writes, &writes), Vec::<String>::new(), "{name}");
    }
}
