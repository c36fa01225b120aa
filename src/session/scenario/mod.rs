//! Scenarios: a cluster that has reached an interesting state, a text that says what to look at, and things
//! to try. Each scenario is a file in `static/scenarios/`, in both languages; [`read`] reads one.
//!
//! The library contains the files in another form, which `build.rs` makes of them: YAML would bring its
//! parser into the page (141 KB of wasm, 42 KB of what is downloaded). Titles are ready to use, and a
//! scenario is parsed when it is asked for.

mod file;
mod play;

use super::link::find_action;
use jiff::SignedDuration;

use super::{CommandLine, Depth, MomentId, Op, Passing, Session, Start};
pub use file::{
    Act, Expect, Note, PlayStep, Requests, Scenario, ScenarioStep, Size, Steps, Text, Theme, Try, read,
};
pub use play::Broken;

use crate::api::labels::Selector;
use crate::api::order;
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt};
use crate::apimachinery::{Request, Response, Verb};
use crate::cluster::Fault;
use crate::kubectl::Output;

/// The most steps until a scenario is steady, or until time has passed.
const STEPS_TO_STEADY: usize = 20_000;

/// Why a deed that lets time pass has not come to its moment.
const NO_TIME: &str = "time does not pass so far here";

/// A scenario in the list of scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The scenario's name in links: the name of its file.
    pub id: &'static str,
    /// The title.
    pub title: Text<&'static str>,
    /// Its place in the list.
    number: usize,
}

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// All scenarios, in the order of their files' names. Nothing is parsed.
pub fn list() -> &'static [Listed] {
    LISTED
}

/// A scenario by its id; `None` if there is none.
pub fn find(id: &str) -> Option<Scenario> {
    LISTED.iter().find(|listed| listed.id == id)?.scenario()
}

/// All scenarios in the order of [`list`]. Each of them is parsed.
pub fn all() -> Vec<Scenario> {
    LISTED.iter().filter_map(Listed::scenario).collect()
}

/// The scenarios of ordinary size, in the order of [`list`]: for what runs each of them to its end.
pub fn ordinary() -> Vec<Scenario> {
    all().into_iter().filter(|s| s.size == Size::Ordinary).collect()
}

/// The file of a scenario but the first, as JSON. The page opens with the first one, which never calls this function: so
/// crates/split can leave these texts out of what is loaded to open the page.
#[inline(never)]
fn later(number: usize) -> Option<&'static str> {
    LATER.get(number).copied()
}

impl Listed {
    /// The whole file as JSON.
    fn json(&self) -> Option<&'static str> {
        self.number.checked_sub(1).map_or(Some(FIRST), later)
    }

    /// The parsed scenario. A test makes sure that every file can be parsed.
    fn scenario(&self) -> Option<Scenario> {
        let scenario: Scenario = serde_json::from_str(self.json()?).ok()?;
        Some(Scenario { id: self.id.to_owned(), ..scenario })
    }
}

impl Scenario {
    /// The start of the scenario's run.
    pub fn start(&self) -> Start {
        let ip_family = self.ip_family;
        Start { scenario: self.id.clone(), nodes: self.nodes, etcd: self.etcd, ip_family, ..Start::default() }
    }

    /// A session with the set-up done, at once; [`SetUp`] does it in slices.
    pub fn open(&self) -> Session {
        let mut setup = SetUp::new(self);
        while !setup.advance(usize::MAX) {}
        setup.finish()
    }

    /// The moment at which the set-up ended in a session of this scenario. It is found by the ops, without
    /// repeating them; the root if the run did not begin with this set-up.
    pub fn begins(&self, session: &Session) -> MomentId {
        let line = session.timeline();
        let mut at = 0;
        let next = |at: usize| line.get(at + 1).and_then(|m| session.moment(*m)).map(|m| &*m.op);
        for deed in &self.setup {
            if let ScenarioStep::Wait(_) = deed {
                at += passed((0..).map_while(|i| next(at + i)));
                continue;
            }
            let matches = |op: Option<&Op>| match (deed, op) {
                // In the op, the placeholders for pods are replaced by names.
                (ScenarioStep::Kubectl(line), Some(Op::Kubectl { line: done, .. })) => {
                    line == done || line.contains("{pod:")
                }
                (ScenarioStep::Fault(fault), Some(Op::Fault(done))) => fault == done,
                (ScenarioStep::Step(steps), Some(Op::Step { depth, choice: Some(_) })) => {
                    steps.depth == *depth
                }
                (ScenarioStep::Act(_), Some(Op::Act(_))) => true,
                (ScenarioStep::Schedule(_), Some(op)) => *op == Op::Schedule { depth: Depth::Command },
                (ScenarioStep::Steady(_), Some(op)) => {
                    *op == Op::Step { depth: Depth::Command, choice: None }
                }
                _ => false,
            };
            let times = match deed {
                ScenarioStep::Steady(_) => usize::MAX,
                ScenarioStep::Step(steps) => steps.times,
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

    /// Carries out a deed in a session. Returns whether it did anything.
    pub fn perform(&self, session: &mut Session, deed: &ScenarioStep) -> bool {
        let before = session.at();
        let _ = self.try_perform(session, deed);
        session.at() != before
    }

    /// Carries out a deed in a session.
    ///
    /// # Errors
    ///
    /// Why it changed nothing. A cluster that is steady already is no error.
    pub fn try_perform(&self, session: &mut Session, deed: &ScenarioStep) -> Result<(), String> {
        let before = session.at();
        let why = match deed {
            ScenarioStep::Kubectl(line) => {
                let output = self.kubectl(session, line);
                if output.stderr.trim().is_empty() { output.stdout } else { output.stderr }
            }
            ScenarioStep::Fault(fault) => {
                // It is reported as a deed that changed nothing.
                let _ = session.fault(fault);
                "this cannot happen here".to_owned()
            }
            ScenarioStep::Step(steps) => {
                for _ in 0..steps.most() {
                    if !steps.once(session) {
                        break;
                    }
                }
                steps.why_not(session)
            }
            ScenarioStep::Act(act) => {
                if let Some(action) = find_action(&act.action, &act.of, &act.kind, session.cluster()) {
                    session.act(action);
                }
                "there is no such action at this moment".to_owned()
            }
            ScenarioStep::Schedule(_) => {
                // It is reported as a deed that changed nothing.
                let _ = session.to_schedule(Depth::Command);
                "nothing is due, however much time passes".to_owned()
            }
            ScenarioStep::Steady(_) => {
                for _ in 0..STEPS_TO_STEADY {
                    if !session.step(Depth::Command, None) {
                        break;
                    }
                }
                return Ok(());
            }
            ScenarioStep::Wait(seconds) => {
                let mut passing = passing(session, *seconds);
                for _ in 0..STEPS_TO_STEADY {
                    if !passing.once(session) {
                        break;
                    }
                }
                return if passing.is_over(session) { Ok(()) } else { Err(NO_TIME.to_owned()) };
            }
        };
        if session.at() == before { Err(why.trim().to_owned()) } else { Ok(()) }
    }

    fn kubectl(&self, session: &mut Session, line: &str) -> Output {
        let line = name_pods(line, session);
        let files: Vec<(&str, &str)> = self.files_of(&line).collect();
        session.kubectl(&line, &files)
    }

    /// What kubectl prints at the moment that a session shows, on both streams, with the line in which the names of pods are put in.
    /// The session stays as it is.
    pub fn prints(&self, session: &Session, line: &str) -> (String, String) {
        let line = name_pods(line, session);
        let files = self.files_of(&line).map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        let given = CommandLine { line, files, editor: false };
        let output = session.preview_command(&given).1;
        (given.line, output.stdout + &output.stderr)
    }

    /// The files that a command line names.
    fn files_of(&self, line: &str) -> impl Iterator<Item = (&str, &str)> {
        let own = self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let all = [("manifest.yaml", self.manifest.as_str())].into_iter().chain(own);
        all.filter(move |(name, _)| line.contains(name))
    }

    /// What kubectl says against a command line that changes nothing here. Empty if it does not refuse the line.
    pub fn refusal(&self, session: &Session, line: &str) -> String {
        self.kubectl(&mut session.clone(), line).stderr
    }

    /// The moment at which the set-up applied the manifest that the editor shows. `None` if it did not.
    pub fn applied(&self, session: &Session) -> Option<MomentId> {
        let applies = |line: &str| line.starts_with("apply ") && line.contains("manifest.yaml");
        let last = self
            .setup
            .iter()
            .filter(|deed| matches!(deed, ScenarioStep::Kubectl(line) if applies(line)))
            .count();
        let is_apply = |id: &MomentId| {
            let op = session.moment(*id).map(|m| &*m.op);
            matches!(op, Some(Op::Kubectl { line, .. }) if applies(line))
        };
        session.timeline().iter().copied().filter(is_apply).nth(last.checked_sub(1)?)
    }
}

impl Steps {
    fn most(&self) -> usize {
        self.times.min(STEPS_TO_STEADY)
    }

    /// Why there was no step.
    fn why_not(&self, session: &Session) -> String {
        match session.cluster().actor_at(&self.by) {
            None => format!("there is no component {:?}", self.by),
            Some(_) => format!("{} has nothing to do", self.by),
        }
    }

    /// Takes one of the steps. Returns whether there was one.
    fn once(&self, session: &mut Session) -> bool {
        let actor = session.cluster().actor_at(&self.by);
        actor.is_some() && session.step(self.depth, actor)
    }
}

/// How many ops of a run have let time pass to a moment: up to the last that waits for it. If none does, because something was due at
/// that very moment, these are all steps that follow, as for a run to a steady state.
fn passed<'o>(ops: impl Iterator<Item = &'o Op>) -> usize {
    let mut until = None;
    let is_on_the_way = |op: &&Op| match op {
        Op::Step { depth: Depth::Command, choice: None } | Op::Schedule { depth: Depth::Command } => true,
        Op::Fault(Fault::Wait { until: moment }) => *until.get_or_insert(*moment) == *moment,
        _ => false,
    };
    let ops: Vec<&Op> = ops.take_while(is_on_the_way).collect();
    ops.iter().rposition(|op| matches!(op, Op::Fault(_))).map_or(ops.len(), |last| last + 1)
}

fn passing(session: &Session, seconds: u32) -> Passing {
    Passing::by(session, SignedDuration::from_secs(seconds.into()))
}

/// The set-up of a scenario, or other deeds in it, done in slices.
#[derive(Clone, Debug)]
pub struct SetUp {
    scenario: Scenario,
    deeds: Vec<ScenarioStep>,
    session: Session,
    /// The index of the next deed, and the number of steps of it that are done.
    deed: usize,
    steps: usize,
    /// How far time has passed, if that is what the deed does.
    passing: Option<Passing>,
    done: u64,
    idle: Option<Idle>,
}

/// A deed that changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The deed, as a person would write it.
    pub deed: String,
    /// Why: what kubectl printed, or what was missing.
    pub why: String,
}

impl std::fmt::Display for Idle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.deed, self.why)
    }
}

impl SetUp {
    /// A set-up that has not begun.
    pub fn new(scenario: &Scenario) -> SetUp {
        SetUp::of(scenario, scenario.setup.clone(), Session::new(scenario.start()))
    }

    /// Deeds in a session of the scenario, none of which is done yet. They go on from the moment that the session shows.
    pub fn of(scenario: &Scenario, deeds: Vec<ScenarioStep>, session: Session) -> SetUp {
        SetUp {
            scenario: scenario.clone(),
            deeds,
            session,
            deed: 0,
            steps: 0,
            passing: None,
            done: 0,
            idle: None,
        }
    }

    /// The number of steps done. The number of all steps is not known.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Does at most `steps` steps. Returns whether the set-up is done.
    pub fn advance(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            let Some(deed) = self.deeds.get(self.deed) else { return true };
            self.done += 1;
            let again = match deed {
                ScenarioStep::Steady(_) => {
                    self.steps < STEPS_TO_STEADY && self.session.step(Depth::Command, None)
                }
                ScenarioStep::Step(steps) => {
                    let again = self.steps < steps.most() && steps.once(&mut self.session);
                    if !again && self.steps == 0 {
                        let why = steps.why_not(&self.session);
                        self.idle.get_or_insert(Idle { deed: deed.to_string(), why });
                    }
                    again
                }
                ScenarioStep::Wait(seconds) => {
                    let session = &mut self.session;
                    let passing = self.passing.get_or_insert_with(|| passing(session, *seconds));
                    let again = self.steps < STEPS_TO_STEADY && passing.once(session);
                    if !again && !passing.is_over(session) {
                        self.idle.get_or_insert(Idle { deed: deed.to_string(), why: NO_TIME.to_owned() });
                    }
                    again
                }
                other => {
                    if let Err(why) = self.scenario.try_perform(&mut self.session, other) {
                        self.idle.get_or_insert(Idle { deed: other.to_string(), why });
                    }
                    false
                }
            };
            if again {
                self.steps += 1;
                continue;
            }
            self.deed += 1;
            (self.steps, self.passing) = (0, None);
        }
        self.deed >= self.deeds.len()
    }

    /// The first of the deeds that changed nothing, as far as the set-up has come.
    pub fn idle(&self) -> Option<&Idle> {
        self.idle.as_ref()
    }

    /// Further deeds, from where the others have led. It forgets those.
    pub fn go_on(&mut self, deeds: Vec<ScenarioStep>) {
        (self.deeds, self.deed, self.steps, self.passing, self.idle) = (deeds, 0, 0, None, None);
    }

    /// The session, as far as the set-up has come.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, as far as the set-up has come.
    pub fn finish(self) -> Session {
        self.session
    }
}

/// Replaces `{pod:app=web:2}` by the name of the second oldest pod with that label.
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
    let list = Request::new(&"you".into(), Verb::List, Kind::POD, Key::new("default", ""));
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

    /// The scenarios' files, in the order of their names.
    fn files() -> Vec<std::path::PathBuf> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios");
        let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        all.sort();
        all
    }

    #[test]
    fn every_file_is_a_scenario_in_both_languages() {
        let mut names = Vec::new();
        for path in files() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let s = read(&name, &std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
            for t in [&s.title, &s.text].into_iter().chain(s.tries.iter().map(|t| &t.label)) {
                assert!(!t.en.is_empty() && !t.zh.is_empty(), "{name}");
            }
            // The gallery has it under a heading.
            assert!(s.theme.is_some(), "{name} names no theme");
            // The library contains the same scenario, without its plays.
            let s = Scenario { plays: Vec::new(), ..s };
            let listed = list().iter().find(|listed| listed.id == s.id).unwrap();
            assert_eq!((listed.title.en, listed.title.zh), (s.title.en.as_str(), s.title.zh.as_str()));
            assert_eq!(find(&s.id).as_ref(), Some(&s));
            names.push(s.id);
        }
        names.sort();
        assert_eq!(names, list().iter().map(|listed| listed.id).collect::<Vec<_>>());
        assert_eq!(names, all().into_iter().map(|s| s.id).collect::<Vec<_>>());
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

    /// Whoever opens a scenario sees lost requests only where these are what the scenario is about: in others the client begins when
    /// what it asks is there.
    #[test]
    fn a_scenario_opens_without_lost_requests_unless_it_is_about_them() {
        // A NetworkPolicy is to keep one client out.
        let meant = ["40-network-policy"];
        let (mut clients, mut open_lost) = (0, Vec::new());
        for s in all().into_iter().filter(|s| s.size != Size::Large) {
            let traffic = crate::session::view::traffic(&s.open());
            clients += usize::from(traffic.sent > 0);
            if traffic.lost > 0 {
                open_lost.push(s.id);
            }
        }
        assert!(clients > 3, "{clients}");
        assert_eq!(open_lost, meant);
    }

    #[test]
    fn where_a_set_up_ended_is_read_from_the_run() {
        let waits = "{title: {en: a, zh: b}, text: {en: a, zh: b}, theme: nodes, nodes: 1, manifest: \"\", setup: [{kubectl: create deployment web --image=nginx}, {wait: 90}]}";
        let waits = read("waits", waits).unwrap();
        for s in all().into_iter().chain([waits]) {
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
    fn every_play_goes_as_it_is_written() {
        for path in files() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let s = read(&name, &std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
            for play in &s.plays {
                s.play(play).unwrap_or_else(|broken| panic!("{name}: {broken}"));
            }
        }
    }

    #[test]
    fn a_play_that_goes_otherwise_is_said() {
        let mut s = find("13-no-room").unwrap();
        let play = |s: &Scenario, steps: &str| {
            let text = format!("- {}", steps.replace('\n', "\n  "));
            let play: Vec<PlayStep> = serde_yaml::with::singleton_map_recursive::deserialize(
                serde_yaml::Deserializer::from_str(&text),
            )
            .unwrap();
            s.play(&play).err().map(|broken| broken.to_string())
        };
        let expect = "expect: {kubectl: get deployment web, has: [web 0/5], lacks: [web 5/5]}";
        assert_eq!(play(&s, expect), None);
        let why = play(&s, "expect: {kubectl: get deployment web, has: [web 1/5]}").unwrap();
        assert!(
            why.starts_with("step 1: kubectl get deployment web prints no \"web 1/5\" but:\nNAME READY"),
            "{why}"
        );
        let why = play(&s, "expect: {kubectl: get deployment web, lacks: [web 0/5]}").unwrap();
        assert!(why.starts_with("step 1: kubectl get deployment web prints \"web 0/5\":\n"), "{why}");
        assert_eq!(play(&s, "try: Scale to 3"), None);
        assert_eq!(play(&s, "try: Scale to 4").unwrap(), "step 1: there is no \"Scale to 4\" to try");
        s.tries[0].deed = ScenarioStep::Kubectl("scale deployment/webb --replicas=3".into());
        assert_eq!(play(&s, "try: Scale to 3").unwrap(), "step 1: \"Scale to 3\" changes nothing");
    }

    /// A large scenario opens with its objects declared, and what it offers can be done at once. Its run to the end is measured
    /// by `cargo xtask bench`, not tested.
    #[test]
    fn a_large_scenario_opens_like_every_other_one() {
        let large: Vec<Scenario> = all().into_iter().filter(|s| s.size == Size::Large).collect();
        assert!(!large.is_empty() && large.len() + ordinary().len() == all().len());
        for s in large {
            let opened = s.open();
            assert_eq!(s.begins(&opened), opened.at(), "{}", s.id);
            for t in &s.tries {
                assert!(s.perform(&mut opened.clone(), &t.deed), "{}: {:?}", s.id, t.deed);
            }
        }
    }

    #[test]
    fn everything_offered_can_be_done() {
        for s in ordinary() {
            for t in &s.tries {
                // Some deeds are possible only at the opening, others only after the first controller has
                // acted.
                let mut session = s.open();
                let at_once = s.perform(&mut session.clone(), &t.deed);
                s.perform(&mut session, &ScenarioStep::Steady(true));
                assert!(at_once || s.perform(&mut session, &t.deed), "{}: {:?}", s.id, t.deed);
            }
        }
    }
}
