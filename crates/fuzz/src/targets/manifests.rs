//! What somebody writes into the editor.

use serde_json::Value;
use steady::api::yaml::{self, Limits};
use steady::session::{Depth, Session, import};

use crate::clusters;
use crate::heard::Heard;
use crate::seeds;

/// The manifests of the repository, and what kubectl prints of a cluster.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut cluster = clusters::base();
    let kinds = ["deploy,rs,pod,svc,node", "pod,job,cronjob,cm,secret,quota", "all"];
    let mut print = |kinds: &str| cluster.kubectl(&format!("get {kinds} -o yaml"), &[]).stdout;
    let printed: Vec<String> = kinds.iter().map(|kinds| print(kinds)).collect();
    super::bytes(seeds::manifests().into_iter().chain(printed))
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let text = &*String::from_utf8_lossy(input);
    let lines = text.split('\n').count();
    match yaml::documents(text, &Limits::default()) {
        Err(why) => {
            assert!((1..=lines + 1).contains(&why.line), "line {} of {lines}: {why}", why.line);
            assert!(why.column > 0 && !why.message.is_empty(), "{why}");
            heard.say("yaml", &why.message);
        }
        Ok(documents) => {
            for (nth, document) in documents.iter().enumerate() {
                assert!(
                    (1..=lines).contains(&document.start_line),
                    "document {nth} begins at {}",
                    document.start_line
                );
                document.warnings.iter().for_each(|w| heard.say("yaml warns", &w.message));
                written_again(&document.value);
                for path in ["metadata.name", "spec.template.spec.containers[0].image", "spec", "x", "[0]"] {
                    if let Some((line, _)) = yaml::position_of(text, nth, path) {
                        assert!((1..=lines).contains(&line), "{path} at line {line}");
                    }
                }
            }
        }
    }
    if import::is_likely(text)
        && let Ok(imported) = import::read(text)
    {
        heard.say("import", "");
        let mut session = Session::new(imported.start());
        for _ in 0..12 {
            session.step(Depth::Command, None);
        }
        clusters::whole(session.cluster());
    }
    applied(text, heard);
}

/// A value that is written as YAML is the same value when it is read.
fn written_again(value: &Value) {
    let limits = Limits { bytes: usize::MAX, nodes: usize::MAX, depth: 80, ..Limits::default() };
    for written in [yaml::to_yaml(value), yaml::to_yaml_unfolded(value)] {
        match yaml::documents(&written, &limits) {
            Ok(again) => {
                let again = again.into_iter().next().map(|d| d.value).unwrap_or_default();
                assert!(same(&again, value), "{value} is read as {again} from\n{written}");
            }
            Err(why) => panic!("{why} in\n{written}"),
        }
    }
}

/// Whether two values are the same. A zero with a sign, which YAML can write, is a zero in JSON.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        (a, b) => a == b,
    }
}

fn applied(text: &str, heard: &mut Heard) {
    let base = clusters::base();
    let (writes, preview) = base.preview(text);
    let mut s = base.clone();
    let out = s.apply(text);
    assert_eq!(preview.stderr, out.stderr, "a preview says something else");
    out.stderr.lines().take(4).for_each(|line| heard.say("apply", line));
    assert!(out.exit == 0 || !out.stderr.is_empty(), "it failed without a word");
    if writes.is_empty() {
        clusters::unchanged(base.cluster(), s.cluster(), text.len());
    } else {
        heard.say("applied", &out.stdout);
        for _ in 0..12 {
            s.step(Depth::Command, None);
        }
    }
    for refused in &out.refused {
        let place = &refused.place;
        if let Some((line, column)) = yaml::position_of(text, place.document, &place.item) {
            assert!(line >= 1 && column >= 1, "{place:?}");
        }
    }
}
