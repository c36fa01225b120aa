//! A test of the runners: a system that plays the recordings back meets every fact.

use std::path::{Path, PathBuf};

use serde_json::Value;
use steady_conformance::cases::OWN_NAMESPACE;
use steady_conformance::report::{Outcome, names, read};
use steady_conformance::session::CRASHED;
use steady_conformance::{
    HttpRequest, HttpResponse, KubectlOutput, NullSystem, Setup, Suite, System, Write, api, cases,
    default_dir, history, session,
};

use super::common;

/// A system that answers from a recording, in its order.
struct Replay {
    commands: Vec<String>,
    printed: Vec<Value>,
    rows: Vec<api::Row>,
    writes: Vec<Write>,
    all: Vec<(u64, Write)>,
    step: u64,
    asked: usize,
}

impl Replay {
    fn advance(&mut self) {
        self.step += 1;
        self.writes = self.all.iter().filter(|(s, _)| *s <= self.step).map(|(_, w)| w.clone()).collect();
    }
}

/// Replaces ages and dates by some that kubectl could print.
fn printed(text: &str) -> String {
    text.replace("(x<n> over <age>)", "(x3 over 4m)")
        .replace("<age>", "5m3s")
        .replace("<date>", "Fri, 02 Jan 2026 03:04:20 +0000")
        .replace("\"<rv>\"", "\"1234\"")
        .replace("<tmp>/LIVE-<n>", "/x/LIVE-12")
        .replace("<tmp>/MERGED-<n>", "/x/MERGED-34")
        .replace("<server>", "127.0.0.1:6443")
        .replace("<go>", "go1.26")
}

fn answered(text: &str) -> String {
    let mut s = text.to_owned();
    // The judge has made up the address that a request was the first to name.
    if s.contains("may not change once set") {
        s = s.replace("ip-2", "10.96.77.2");
    }
    s = common::revive(&s);
    for n in (1..100).rev() {
        s = s.replace(&format!("rv-{n}"), &(100 + n).to_string());
        s = s.replace(&format!("<continue-{n}>"), &format!("c{n}"));
    }
    s.replace("<newer>", "999")
        .replace("<at most the newest>", "101")
        .replace("<time>", "2026-01-02T03:04:20Z")
        .replace("<rv>", "105")
        .replace("<server>", "10.0.0.1:6443")
        .replace("<r>", "zzzzz")
        .replace("<age>", "5m3s")
        .replace("<token>", "eyJhbGciOiJS.eyJhdWQiOlsi.c2lnbmF0dXJl")
}

impl System for Replay {
    fn kubectl(&mut self, command: &str, _: &Path, _: Option<&str>) -> KubectlOutput {
        // A case that deletes its namespace has one of its own, which the recorder shows as `default`.
        if command == format!("create namespace {OWN_NAMESPACE}") {
            return KubectlOutput::default();
        }
        let command = command.replace(OWN_NAMESPACE, "default");
        self.advance();
        // Commands at which the recorded kubectl crashed are not asked.
        let crashed = |row: &Value| self.all.is_empty() && row["stderr"].as_str().unwrap().contains(CRASHED);
        self.asked += self.printed[self.asked..].iter().take_while(|row| crashed(row)).count();
        let row = &self.printed[self.asked];
        self.asked += 1;
        if !self.all.is_empty() {
            let recorded = common::revive(row["command"].as_str().unwrap());
            // Only what was replaced is compared: a time, a uid or an address that was typed cannot be
            // distinguished from its normal form. Custom objects are not in the histories.
            let template = &self.commands[self.asked - 1];
            let stands = ["{ns}", "{pod:", "{uid:", "{va}"].iter().any(|p| template.contains(p));
            if stands {
                assert_eq!(command, format!("-n default {recorded}"), "{template}");
            }
        }
        let text = |k: &str| {
            let text = printed(row[k].as_str().unwrap());
            if self.all.is_empty() { text } else { common::revive(&text) }
        };
        KubectlOutput {
            exit: row["exit"].as_i64().unwrap() as i32,
            stdout: text("stdout"),
            stderr: text("stderr"),
        }
    }
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        // What the recorder did by hand is not in the recording.
        if request.path.ends_with("/serviceaccounts")
            && request.path != "/api/v1/namespaces/default/serviceaccounts"
        {
            return HttpResponse::default();
        }
        let row = self.rows.iter().find(|r| r.n == self.asked as u64 + 1).unwrap();
        self.asked += 1;
        assert_eq!(request.method, row.request.method);
        assert!(
            !format!("{request:?}").contains("rv-"),
            "placeholders are replaced in requests: {request:?}"
        );
        let body = match (row.response.get("text"), row.response.get("watch")) {
            (Some(t), _) => t.as_str().unwrap().to_owned(),
            (_, Some(w)) => w.as_array().unwrap().iter().map(|e| e.to_string() + "\n").collect(),
            _ => row.response.to_string(),
        };
        let content_type = row.response_type.clone().unwrap_or_else(|| "application/json".into());
        HttpResponse {
            status: row.status,
            content_type,
            warnings: row.warnings.clone(),
            body: answered(&body),
            ignored: Vec::new(),
        }
    }
    fn wait(&mut self, _: f64) {
        self.advance();
    }
    fn settle(&mut self) {}
    fn pause_until(&mut self, _: f64) {}
    fn add_node(&mut self, _: &str) {
        self.advance();
    }
    fn writes(&self) -> &[Write] {
        &self.writes
    }
    fn now(&self) -> f64 {
        common::START as f64
    }
}

fn replay() -> Replay {
    Replay {
        commands: Vec::new(),
        printed: Vec::new(),
        rows: Vec::new(),
        writes: Vec::new(),
        all: Vec::new(),
        step: 0,
        asked: 0,
    }
}

fn lines(file: &Path) -> Vec<Value> {
    read(file).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn all_met(outcomes: &[Outcome]) {
    let wrong: Vec<String> = outcomes
        .iter()
        .flat_map(|o| o.facts.iter().map(move |f| (o, f)))
        .filter(|(_, f)| !f.met())
        .map(|(o, f)| format!("{} {} {}: {}", o.name, f.part, f.name, f.difference.as_deref().unwrap()))
        .collect();
    let facts: usize = outcomes.iter().map(|o| o.facts.len()).sum();
    assert!(wrong.is_empty(), "{} of {facts}:\n{}", facts - wrong.len(), wrong.join("\n"));
    assert!(facts > 0);
}

#[test]
fn the_recorded_cases_get_every_fact() {
    let folder = default_dir().join("cases");
    let mut outcomes = Vec::new();
    for (name, at) in common::cases() {
        let factory = |_: &Setup| -> Box<dyn System> {
            let steps: Vec<u64> = history::history(&at).unwrap().into_iter().map(|r| r.step).collect();
            let all = steps.into_iter().zip(common::writes(&at).1).collect();
            let case = cases::Case::load(&folder, &name).unwrap();
            let command = |s: &cases::Step| match s {
                cases::Step::Kubectl { command, .. } => Some(command.clone()),
                _ => None,
            };
            let commands = case.steps.iter().filter_map(command).collect();
            Box::new(Replay { commands, printed: lines(&at.join("kubectl.jsonl")), all, ..replay() })
        };
        let outcome = cases::run_one(&folder, &name, &factory).unwrap();
        assert_eq!(outcome.notes, Vec::<String>::new(), "{name}");
        outcomes.push(outcome);
    }
    all_met(&outcomes);
}

#[test]
fn the_recorded_answers_get_every_fact() {
    let folder = default_dir().join("api");
    let mut outcomes = Vec::new();
    for file in names(&folder).unwrap() {
        let group = file.strip_suffix(".jsonl").unwrap().to_owned();
        let factory = |_: &Setup| -> Box<dyn System> {
            Box::new(Replay { rows: api::rows(&folder.join(&file)).unwrap(), ..replay() })
        };
        outcomes.extend(api::run(&folder, &group, &factory).unwrap());
    }
    all_met(&outcomes);
}

#[test]
fn the_recorded_sessions_get_every_fact() {
    let folder: PathBuf = default_dir().join("kubectl");
    let sessions = session::sessions(&folder).unwrap();
    let firsts: Vec<&str> = sessions.iter().map(|s| s.groups[0].as_str()).collect();
    assert_eq!(firsts, ["00-setup", "12-setup-two", "22-setup-three"]);
    let mut outcomes = Vec::new();
    for session in sessions {
        let factory = |_: &Setup| -> Box<dyn System> {
            let groups = session.groups.iter().map(|g| format!("{g}.jsonl"));
            Box::new(Replay { printed: groups.flat_map(|f| lines(&folder.join(f))).collect(), ..replay() })
        };
        outcomes.extend(session::run_one(&folder, &session, "", &factory).unwrap());
    }
    all_met(&outcomes);
}

#[test]
fn a_system_that_does_nothing_gets_no_fact() {
    for suite in Suite::ALL {
        let null = |_: &Setup| -> Box<dyn System> { Box::new(NullSystem) };
        let outcomes = suite.run(&default_dir(), "", &null, &|_, _| String::new()).unwrap();
        assert_eq!(outcomes.iter().map(|o| o.score().0).sum::<usize>(), 0, "{suite:?}");
    }
}
