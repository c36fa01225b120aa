//! Whole runs: what people and faults do, in any order of actions, with the invariants after every step.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use steady::cluster::Fault;
use steady::session::scenario::{self, ScenarioStep};
use steady::session::{Depth, Link, Replay, Session, Start};

use crate::clusters;
use crate::heard::Heard;

/// How many deeds of an input are done.
const DEEDS: usize = 16;
/// How many actions a deed waits for at most.
const ACTIONS: usize = 60;
/// How many commands a run may take until it is at rest.
const COMMANDS: usize = 250;
/// The most nodes.
const NODES: usize = 5;

/// A run.
#[derive(Serialize, Deserialize)]
struct Run {
    /// The number of nodes.
    nodes: usize,
    /// The number of members of etcd.
    etcd: usize,
    /// The seed of what is chosen.
    seed: u64,
    deeds: Vec<Value>,
}

/// Something that is done.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Deed {
    /// A manifest is applied.
    Apply(String),
    /// A command line.
    Kubectl(String),
    /// A fault.
    Fault(Fault),
    /// So many actions, each chosen among all that are enabled by this number.
    Act(usize, u64),
    /// So many commands of the components whose turn it is.
    Step(usize),
    /// Everything is done that is left to do.
    Steady(bool),
}

/// What scenarios are made of.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (nth, s) in (0_u64..).zip(scenario::ordinary()) {
        if s.nodes > NODES {
            continue;
        }
        let mut deeds = vec![Deed::Apply(s.manifest.clone()), Deed::Act(20, nth)];
        let tries = s.tries.iter().map(|t| &t.deed);
        for deed in s.setup.iter().take(8).chain(tries.take(4)) {
            match deed {
                ScenarioStep::Kubectl(line) if !line.contains("{pod:") => {
                    deeds.push(Deed::Kubectl(line.clone()))
                }
                ScenarioStep::Fault(fault) => deeds.push(Deed::Fault(fault.clone())),
                ScenarioStep::Steady(_) => deeds.push(Deed::Steady(true)),
                _ => deeds.push(Deed::Step(2)),
            }
            deeds.push(Deed::Act(15, 7 * nth));
        }
        let deeds = deeds.iter().filter_map(|d| serde_json::to_value(d).ok()).collect::<Vec<_>>();
        all.push(json!({"nodes": s.nodes.max(1), "etcd": s.etcd, "seed": nth, "deeds": deeds}));
    }
    super::values(all)
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let Ok(run) = serde_json::from_slice::<Run>(input) else { return };
    perform(run, heard);
}

/// The link of the run that an input describes, with the digest of its end; `None` if it describes none.
pub(crate) fn link(input: &[u8]) -> Option<String> {
    let run = serde_json::from_slice::<Run>(input).ok()?;
    Some(Link::of(&perform(run, &mut Heard::default())).encode())
}

/// Does a run with all checks.
fn perform(run: Run, heard: &mut Heard) -> Session {
    let etcd = if run.etcd == 3 { 3 } else { 1 };
    let start = Start { nodes: run.nodes.min(NODES), etcd, seed: run.seed, ..Start::default() };
    let mut s = Session::new(start);
    let begun = s.now();
    let (mut starts, mut faulty) = (0, false);
    let mut seen = s.at();
    for deed in run.deeds.iter().take(DEEDS) {
        let Ok(deed) = serde_json::from_value::<Deed>(deed.clone()) else { continue };
        match deed {
            Deed::Apply(text) => {
                let out = s.apply(&text);
                heard.say("apply", &out.stderr);
            }
            Deed::Kubectl(line) => {
                let out = s.kubectl(&line, &[]);
                heard.say("kubectl", &out.stderr);
            }
            Deed::Fault(fault) => {
                let done = s.fault(&fault).is_ok();
                starts += usize::from(done);
                faulty |= done
                    && !matches!(fault, Fault::Restart { .. } | Fault::CutWatches { .. } | Fault::Compact);
                heard.say(
                    "fault",
                    &format!("{done} {}", format!("{fault:?}").split(' ').next().unwrap_or_default()),
                );
            }
            Deed::Act(n, choice) => {
                let mut choice = choice | 1;
                for _ in 0..n.min(ACTIONS) {
                    let enabled = s.cluster().enabled();
                    if enabled.is_empty() {
                        break;
                    }
                    choice = choice
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let nth = (choice >> 33) as usize % enabled.len();
                    assert!(s.act(enabled[nth]), "{:?} is enabled and cannot be done", enabled[nth]);
                    check(&s, &mut seen);
                }
            }
            Deed::Step(n) => {
                for _ in 0..n.min(ACTIONS) {
                    if !s.step(Depth::Command, None) {
                        break;
                    }
                    check(&s, &mut seen);
                }
            }
            Deed::Steady(_) => rest(&mut s, &mut seen, faulty, heard),
        }
        check(&s, &mut seen);
        clusters::whole(s.cluster());
        clusters::bounded_events(s.cluster(), s.now().duration_since(begun).as_secs(), starts);
    }
    rest(&mut s, &mut seen, faulty, heard);
    clusters::bounded_events(s.cluster(), s.now().duration_since(begun).as_secs(), starts);
    if faulty {
        healed(&s, heard);
    }
    heard.count("moments", s.timeline().len());
    repeated(&s);
    s
}

/// Looks at the writes of the moments since the last look.
fn check(s: &Session, seen: &mut usize) {
    let Some(before) = s.moment(s.at()).filter(|_| s.at() > *seen) else { return };
    let mut writes: Vec<_> = before.writes().into_iter().cloned().collect();
    let mut at = before.parent;
    while let Some(id) = at.filter(|id| id > seen) {
        let Some(moment) = s.moment(id) else { break };
        writes.splice(0..0, moment.writes().into_iter().cloned());
        at = moment.parent;
    }
    if let Some(first) = s.cluster_at(*seen).filter(|_| !writes.is_empty()) {
        clusters::rising(&first, &writes);
    }
    *seen = s.at();
}

/// Runs until nothing is left to do, and looks at what is there then.
fn rest(s: &mut Session, seen: &mut usize, faulty: bool, heard: &mut Heard) {
    for _ in 0..COMMANDS {
        if !s.step(Depth::Command, None) {
            heard.say("rest", if faulty { "faulty" } else { "whole" });
            if !faulty {
                clusters::at_rest(s.cluster());
            }
            return;
        }
        check(s, seen);
    }
    heard.say("rest", "never");
}

/// Takes the faults back in a copy of the run, and looks at what is there when that is at rest: as if there had been none.
fn healed(s: &Session, heard: &mut Heard) {
    let mut s = Session::with_cluster(s.start().clone(), s.cluster().clone());
    for n in 1..=s.start().nodes {
        let _ = s.fault(&Fault::NodeUp { node: format!("node-{n}") });
    }
    for n in 1..=s.start().etcd {
        let _ = s.fault(&Fault::MemberUp { member: format!("etcd-{n}") });
    }
    let processes: Vec<(String, Option<String>, bool)> = s
        .cluster()
        .processes()
        .map(|p| (p.name.to_string(), p.node.as_ref().map(ToString::to_string), p.running))
        .collect();
    for (process, node, running) in processes {
        if !running {
            let _ = s.fault(&Fault::Start { process: process.clone(), node });
        }
        // Of a process that has no controllers this is refused.
        let _ = s.fault(&Fault::Controllers { process, controllers: "*".to_owned() });
    }
    let mut seen = s.at();
    heard.say("healed", "");
    rest(&mut s, &mut seen, false, heard);
    clusters::whole(s.cluster());
}

/// The run's link repeats it.
fn repeated(s: &Session) {
    let link = Link::of(s);
    let digest = s.cluster_at(s.tip()).map(|c| c.digest());
    match Link::decode(&link.encode()) {
        Ok(again) => {
            assert!(again == link, "the link is read as another one");
            let replayed = Replay::new(&again).finish();
            let came_to = replayed.session.cluster_at(replayed.session.tip()).map(|c| c.digest());
            assert!(replayed.same, "the link repeats another run: {came_to:?} instead of {digest:?}");
            assert_eq!(came_to, digest, "the link repeats another run");
        }
        Err(why) => assert!(matches!(why, steady::session::LinkError::TooLarge(_)), "{why}"),
    }
}
