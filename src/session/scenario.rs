//! Scenarios: a cluster that has come to an interesting point, a text that says what to look at,
//! and a few things to try. Each is a file in `static/scenarios/`, in both languages.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::link::find_action;
use super::{Depth, MomentId, Op, Session, Start};
use crate::api::labels::Selector;
use crate::api::order;
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt, yaml};
use crate::apiserver::{Request, Response, Verb};
use crate::cluster::Fault;

/// More steps than this no scenario needs to come to rest.
const STEPS_TO_STEADY: usize = 20_000;

macro_rules! scenarios {
    ($($id:literal),* $(,)?) => {
        const FILES: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../static/scenarios/", $id, ".yaml")))),*];
    };
}

scenarios!(
    "01-first-deployment",
    "02-self-healing",
    "03-scaling",
    "04-rolling-update",
    "05-stuck-rollout",
    "06-recreate",
    "07-pause-resume",
    "08-orphan-adopt",
    "09-two-deployments-one-selector",
    "10-node-lost",
    "11-crash-loop",
    "12-readiness-never",
    "13-no-room",
    "14-conflict",
    "15-watch-lost",
    "16-crash-in-a-sync",
    "17-expectations",
    "18-back-off",
    "19-leader-election",
    "20-etcd-members",
    "21-etcd-five",
    "22-empty",
);

/// A text in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

/// Something a scenario does, or offers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Deed {
    /// A kubectl command line. `{pod:app=web:1}` stands for the oldest pod with that label.
    Kubectl(String),
    /// Something goes wrong.
    Fault(Fault),
    /// A component that is chosen steps, as a person lets one of the next commands go first.
    Step(Chosen),
    /// A finest action is chosen: its name, whose, and the kind its informer watches.
    Act(String, String, String),
    /// The cluster runs until it is steady.
    Steady(bool),
}

/// Steps of a component that is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// Which, as `kube-controller-manager:deployment-controller`.
    pub by: String,
    /// How deep a step goes.
    #[serde(default)]
    pub depth: Depth,
    /// How many.
    #[serde(default = "once")]
    pub times: usize,
}

fn once() -> usize {
    1
}

/// Something to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// What the button says.
    pub label: Text,
    /// What it does.
    pub deed: Deed,
}

/// Not derived: `flatten` reads through a form of its own, for which all that a deed may hold would be
/// compiled once more.
impl<'de> Deserialize<'de> for Try {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Try, D::Error> {
        let mut map = Map::deserialize(from)?;
        let label = map.remove("label").ok_or_else(|| D::Error::missing_field("label"))?;
        let label = serde_json::from_value(label).map_err(D::Error::custom)?;
        Ok(Try { label, deed: serde_json::from_value(Value::Object(map)).map_err(D::Error::custom)? })
    }
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name in links.
    #[serde(skip)]
    pub id: &'static str,
    /// What it is called.
    pub title: Text,
    /// What to look at.
    pub text: Text,
    /// How many nodes.
    pub nodes: usize,
    /// How many members etcd has: 1, 3 or 5.
    #[serde(default = "once")]
    pub etcd: usize,
    /// How deep a step goes when it is opened; as it was if it does not say.
    #[serde(default)]
    pub depth: Option<Depth>,
    /// What the editor shows.
    pub manifest: String,
    /// What was applied before, where that is another text.
    #[serde(default)]
    pub before: Option<String>,
    /// What is done before a person sees it.
    pub setup: Vec<Deed>,
    /// What a person may try.
    #[serde(default, rename = "try")]
    pub tries: Vec<Try>,
}

/// All scenarios, in the gallery's order. A file that cannot be read is left out; a test reads
/// them all.
pub fn all() -> Vec<Scenario> {
    FILES.iter().filter_map(|(id, text)| parse(id, text).ok()).collect()
}

/// A scenario by its id.
pub fn find(id: &str) -> Option<Scenario> {
    let (id, text) = FILES.iter().find(|(i, _)| *i == id)?;
    parse(id, text).ok()
}

fn parse(id: &'static str, text: &str) -> Result<Scenario, String> {
    let documents = yaml::documents(text, &yaml::Limits::default()).map_err(|e| e.message)?;
    let value = documents.into_iter().next().map(|d| d.value).unwrap_or_default();
    let scenario: Scenario = serde_json::from_value(value).map_err(|e| e.to_string())?;
    Ok(Scenario { id, ..scenario })
}

impl Scenario {
    /// How its run starts.
    pub fn start(&self) -> Start {
        Start { scenario: self.id.to_owned(), nodes: self.nodes, etcd: self.etcd, ..Start::default() }
    }

    /// A session in which its set-up is done, in one go; [`SetUp`] does it a slice at a time.
    pub fn open(&self) -> Session {
        let mut setup = SetUp::new(self);
        while !setup.advance(usize::MAX) {}
        setup.finish()
    }

    /// Where a run of this scenario begins for a person: the moment at which its set-up ended. Read
    /// from what was done, without doing it again; the root, if this is not how the run began.
    pub fn begins(&self, session: &Session) -> MomentId {
        let line = session.timeline();
        let mut at = 0;
        let next = |at: usize| line.get(at + 1).and_then(|m| session.moment(*m)).map(|m| &m.op);
        for deed in &self.setup {
            let matches = |op: Option<&Op>| match (deed, op) {
                // The pods that a line names have got names by then.
                (Deed::Kubectl(line), Some(Op::Kubectl { line: done, .. })) => {
                    line == done || line.contains("{pod:")
                }
                (Deed::Fault(fault), Some(Op::Fault(done))) => fault == done,
                (Deed::Step(chosen), Some(Op::Step { depth, choice: Some(_) })) => chosen.depth == *depth,
                (Deed::Act(..), Some(Op::Act(_))) => true,
                (Deed::Steady(_), Some(op)) => *op == Op::Step { depth: Depth::Command, choice: None },
                _ => false,
            };
            let times = match deed {
                Deed::Steady(_) => usize::MAX,
                Deed::Step(chosen) => chosen.times,
                _ => 1,
            };
            let done = (0..times).take_while(|i| matches(next(at + i))).count();
            if done < times && times != usize::MAX {
                return 0;
            }
            at += done;
        }
        line.get(at).copied().unwrap_or(0)
    }

    /// Does something of it in a session; whether anything came of it.
    pub fn perform(&self, session: &mut Session, deed: &Deed) -> bool {
        let before = session.at();
        match deed {
            Deed::Kubectl(line) => {
                let line = name_pods(line, session);
                let mut files = vec![("manifest.yaml", self.manifest.as_str())];
                if let Some(text) = &self.before {
                    files.push(("before.yaml", text));
                }
                files.retain(|(name, _)| line.contains(name));
                session.kubectl(&line, &files);
            }
            Deed::Fault(fault) => {
                // One that cannot happen changes nothing, which is what is told.
                let _ = session.fault(fault);
            }
            Deed::Step(chosen) => {
                for _ in 0..chosen.times.min(STEPS_TO_STEADY) {
                    let actor = session.cluster().actor_at(&chosen.by);
                    if actor.is_none() || !session.step(chosen.depth, actor) {
                        break;
                    }
                }
            }
            Deed::Act(name, whose, kind) => {
                if let Some(action) = find_action(name, whose, kind, session.cluster()) {
                    session.act(action);
                }
            }
            Deed::Steady(_) => {
                for _ in 0..STEPS_TO_STEADY {
                    if !session.step(Depth::Command, None) {
                        break;
                    }
                }
            }
        }
        session.at() != before
    }
}

/// A scenario's set-up under way, so many steps at a time.
#[derive(Clone, Debug)]
pub struct SetUp {
    scenario: Scenario,
    session: Session,
    /// The deed that is next, and how many steps of it are done.
    deed: usize,
    steps: usize,
    done: u64,
}

impl SetUp {
    /// Nothing of it is done yet.
    pub fn new(scenario: &Scenario) -> SetUp {
        let session = Session::new(scenario.start());
        SetUp { scenario: scenario.clone(), session, deed: 0, steps: 0, done: 0 }
    }

    /// How many steps are done. How many there will be nobody knows.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Does at most so many steps; whether all is done.
    pub fn advance(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            let Some(deed) = self.scenario.setup.get(self.deed) else { return true };
            self.done += 1;
            let again = matches!(deed, Deed::Steady(_))
                && self.steps < STEPS_TO_STEADY
                && self.session.step(Depth::Command, None);
            if again {
                self.steps += 1;
                continue;
            }
            if !matches!(deed, Deed::Steady(_)) {
                self.scenario.perform(&mut self.session, deed);
            }
            self.deed += 1;
            self.steps = 0;
        }
        self.deed >= self.scenario.setup.len()
    }

    /// The session, as far as it came.
    pub fn finish(self) -> Session {
        self.session
    }
}

/// `{pod:app=web:2}` becomes the name of the second oldest pod with that label.
fn name_pods(line: &str, session: &Session) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find("{pod:") {
        let Some(end) = rest[start..].find('}').map(|e| start + e) else { break };
        out.push_str(&rest[..start]);
        let inner = &rest[start + 5..end];
        let (selector, n) = inner.rsplit_once(':').unwrap_or((inner, "1"));
        let n: usize = n.parse().unwrap_or(1);
        out.push_str(&oldest(session, selector, n.saturating_sub(1)).unwrap_or_default());
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn oldest(session: &Session, selector: &str, n: usize) -> Option<String> {
    let selector = Selector::parse(selector).ok()?;
    let list = Request::new(&"you".into(), Verb::List, Kind::Pod, Key::new("default", ""));
    let (Response::List { items, .. }, _) = session.cluster().clone().request(&list) else { return None };
    let mut pods: Vec<_> = items
        .iter()
        .filter_map(|o| o.get::<Pod>())
        .filter(|p| !p.metadata.is_deleting() && selector.matches(p.metadata.labels_or_empty()))
        .collect();
    order::sort_by_key(&mut pods, |p| {
        (p.metadata.creation_timestamp.as_ref().map(|t| t.0), p.metadata.name().to_owned())
    });
    pods.get(n).map(|p| p.metadata.name().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_file_is_a_scenario_in_both_languages() {
        for (id, text) in FILES {
            let s = parse(id, text).unwrap_or_else(|e| panic!("{id}: {e}"));
            for t in [&s.title, &s.text].into_iter().chain(s.tries.iter().map(|t| &t.label)) {
                assert!(!t.en.is_empty() && !t.zh.is_empty(), "{id}");
            }
        }
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios")).unwrap();
        assert_eq!(folder.count(), FILES.len(), "a file in static/scenarios is not in the list");
    }

    #[test]
    fn every_set_up_does_what_it_says() {
        for s in all() {
            let mut session = Session::new(s.start());
            for deed in &s.setup {
                assert!(s.perform(&mut session, deed), "{}: {deed:?}", s.id);
            }
        }
    }

    #[test]
    fn where_a_set_up_ended_is_read_from_the_run() {
        for s in all() {
            let mut slow = SetUp::new(&s);
            while !slow.advance(3) {}
            let mut session = slow.finish();
            assert_eq!(session.at(), s.open().at(), "{}", s.id);
            let first = session.at();
            assert_eq!(s.begins(&session), first, "{}", s.id);
            for _ in 0..5 {
                session.step(Depth::Command, None);
            }
            session.kubectl("scale deployment web --replicas=1", &[]);
            session.step(Depth::Command, None);
            assert_eq!(s.begins(&session), first, "{}", s.id);
        }
        assert_eq!(all()[1].begins(&Session::new(Start::default())), 0);
    }

    #[test]
    fn everything_offered_can_be_done() {
        for s in all() {
            for t in &s.tries {
                // Some of it is about how it opens; some needs that the first controller has had its turn.
                let mut session = s.open();
                let at_once = s.perform(&mut session.clone(), &t.deed);
                s.perform(&mut session, &Deed::Steady(true));
                assert!(at_once || s.perform(&mut session, &t.deed), "{}: {:?}", s.id, t.deed);
            }
        }
    }
}
