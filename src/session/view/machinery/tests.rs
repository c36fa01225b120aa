#![allow(clippy::unwrap_used)]
//! The content of the component map as text. `STEADY_UPDATE=1` updates the expected texts.

use std::fmt::Write as _;

use super::*;
use crate::apimachinery::Verb;
use crate::client::RateLimit;
use crate::cluster::{Actor, Cluster, Outcome};
use crate::session::{Depth, Session, Start, What, scenario};

fn started(replicas: usize) -> Session {
    let mut s = Session::new(Start::default());
    s.apply(&scenario::all().remove(0).manifest.replace("replicas: 3", &format!("replicas: {replicas}")));
    s
}

pub(super) fn actor(cluster: &Cluster, name: &str) -> Actor {
    cluster.actors().find(|a| cluster.actor_name(*a).as_deref() == Some(name)).unwrap()
}

pub(super) fn expect(name: &str, text: &str) {
    let file = format!("{}/src/session/view/machinery/expected/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("STEADY_UPDATE").is_some() {
        std::fs::create_dir_all(std::path::Path::new(&file).parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{name}");
}

fn say_overview(o: &Overview) -> String {
    let mut out = format!("etcd: revision {}, {} keys\n", o.revision, o.keys);
    for l in &o.log {
        let what = if l.deleted {
            "delete"
        } else if l.existed {
            "put"
        } else {
            "create"
        };
        let _ = writeln!(out, "  {} {what} {}", l.revision, l.object);
    }
    for m in &o.members {
        let _ = writeln!(out, "  {} {:?} at {}, term {}", m.name, m.role, m.log.index, o.term);
    }
    for r in o.components.iter().chain(&o.kubelets) {
        let node = r.node.as_deref().unwrap_or(match r.leads {
            Some(true) => "leads",
            Some(false) => "waits",
            None => "-",
        });
        let _ = writeln!(
            out,
            "{} {node}: {:?}, {} behind, {} queued, {} delayed, {} failing",
            r.name, r.state, r.behind, r.queued, r.delayed, r.failing
        );
    }
    out
}

fn say(m: &Machine) -> String {
    let mut out = format!("{} in {}\n", m.name, m.process);
    for r in &m.reflectors {
        let _ = writeln!(
            out,
            "reflector {:?} {:?}: {:?} at {}, {} behind, {} deltas, {} known, {} untold",
            r.kind, r.filter, r.connection, r.resource_version, r.behind, r.deltas, r.known, r.untold
        );
        for e in &r.coming {
            let _ = writeln!(
                out,
                "  coming {} {} at {}",
                format!("{:?}", e.kind).to_uppercase(),
                e.key,
                e.revision
            );
        }
        for (gone, key, version) in &r.fifo {
            let _ = writeln!(out, "  delta {key} {version}{}", if *gone { " deleted" } else { "" });
        }
        for s in &r.stale {
            let _ = writeln!(out, "  stale {}: believed {:?}, stored {:?}", s.key, s.believed, s.stored);
            for f in &s.fields {
                let _ = writeln!(out, "    {}: {:?}, is {:?}", f.path, f.old, f.new);
            }
            if s.more > 0 {
                let _ = writeln!(out, "    and {} more", s.more);
            }
        }
        if r.stale_more > 0 {
            let _ = writeln!(out, "  and {} more stale", r.stale_more);
        }
        for t in &r.telling {
            let _ = writeln!(out, "  {} {}", t.handler, t.key);
        }
    }
    let q = &m.queue;
    for key in &q.waiting.0 {
        let _ = writeln!(out, "waiting {key}");
    }
    for (key, again) in &q.processing {
        let _ = writeln!(out, "processing {key}{}", if *again { ", comes again" } else { "" });
    }
    for d in &q.delayed.0 {
        let _ = writeln!(
            out,
            "delayed {} for {} ms, waited for: {}, {} failures",
            d.key, d.milliseconds, d.waited_for, d.failures
        );
    }
    for (key, n) in &q.failing.0 {
        let _ =
            writeln!(out, "failing {key}: {n}, next after {} ms", RateLimit::default().delay(*n).as_millis());
    }
    if let Some(w) = &m.work {
        let _ = writeln!(out, "worker {}: answers {:?}", w.key, w.answers);
        if let Some(a) = &w.pending {
            let _ = writeln!(
                out,
                "  asks {} {} ({:?}), believed {:?}, stored {:?}",
                a.method,
                a.path,
                a.why.as_ref().map(|w| w.rule.as_str()),
                a.believed,
                a.stored
            );
        }
    }
    for line in &m.memory.0 {
        let _ = writeln!(out, "remembers {line}");
    }
    out
}

fn say_way(w: &Way) -> String {
    let mut out = format!("{} {} {} {}: {}\n", w.method, w.path, w.query, w.media, w.code);
    let _ = writeln!(out, "versions {:?}", w.versions);
    for s in &w.steps {
        let verdict = match &s.verdict {
            Verdict::Passed => String::new(),
            Verdict::Refused { code, message, .. } => format!(" refused: {code} {message}"),
            Verdict::NotReached => " not reached".into(),
        };
        let _ = writeln!(out, "{} {}{verdict}", s.id.as_str(), s.plugin);
        for c in &s.changes.0 {
            let _ = writeln!(out, "  {}: {:?} -> {:?}", c.path, c.old, c.new);
        }
        if s.changes.1 > 0 {
            let _ = writeln!(out, "  and {} more", s.changes.1);
        }
    }
    for (revision, object, removed) in &w.stored {
        let _ = writeln!(out, "stored {object} at {revision}{}", if *removed { ", removed" } else { "" });
    }
    for (process, node, n) in &w.told {
        let _ = writeln!(out, "told {process} {}: {n}", node.as_deref().unwrap_or("-"));
    }
    out
}

/// Other components have written, and the controller has not been notified of it.
#[test]
fn a_stale_cache() {
    let mut s = started(3);
    for _ in 0..6 {
        assert!(s.step(Depth::Command, None));
    }
    let controller = actor(s.cluster(), "replicaset-controller");
    // The scheduler and the kubelets go on without the controller manager.
    for name in ["kube-scheduler", "kubelet"] {
        let other = actor(s.cluster(), name);
        for _ in 0..2 {
            s.step(Depth::Command, Some(other));
        }
    }
    expect("stale", &say(&machine(s.cluster(), controller, |_| true).unwrap()));
    // Idle controllers are numerous and differ between builds.
    let text = say_overview(&overview(s.cluster()));
    expect(
        "overview",
        &text.lines().filter(|l| !l.contains(": Idle")).map(|l| format!("{l}\n")).collect::<String>(),
    );
}

/// A rollout that makes no progress is synced again at its deadline.
#[test]
fn a_delayed_key() {
    let mut s = started(1);
    for _ in 0..400 {
        let controller = actor(s.cluster(), "deployment-controller");
        let m = machine(s.cluster(), controller, |_| true).unwrap();
        if m.queue.delayed.0.iter().any(|d| d.waited_for) {
            return expect("delayed", &say(&m));
        }
        assert!(s.step(Depth::Machinery, None));
    }
    panic!("nothing was delayed");
}

/// A sync that began before a person's write: its update is refused, and its key is retried.
fn conflict() -> (Session, Actor) {
    let mut s = started(1);
    while s.step(Depth::Command, None) {}
    s.kubectl("scale deployment web --replicas=2", &[]);
    for _ in 0..4000 {
        let cluster = s.cluster();
        let controller = actor(cluster, "deployment-controller");
        let m = machine(cluster, controller, |_| true).unwrap();
        let asks_to_update =
            m.work.as_ref().and_then(|w| w.pending.as_ref()).is_some_and(|a| a.method == "PUT");
        if asks_to_update {
            let about = m.work.unwrap().pending.unwrap().object;
            let kind = about.kind.singular();
            s.kubectl(&format!("annotate {kind} {} note=mine", about.key.name), &[]);
            return (s, controller);
        }
        assert!(s.step(Depth::Machinery, None));
    }
    panic!("it never updates");
}

#[test]
fn a_failing_key() {
    let (mut s, controller) = conflict();
    let before = machine(s.cluster(), controller, |_| true).unwrap();
    assert!(before.work.as_ref().unwrap().pending.as_ref().unwrap().is_stale());
    expect("conflict-before", &say(&before));
    s.act(crate::cluster::Action::Send { actor: controller });
    let failing = machine(s.cluster(), controller, |_| true).unwrap();
    expect("failing", &say(&failing));
    let m = movement(s.cluster(), s.current()).unwrap();
    assert!(m.failed);
    assert_eq!(m.path, [Stop::Worker, Stop::Server, Stop::Worker, Stop::Queue]);
    let refused = way(&s, s.at(), 0).unwrap();
    expect("way-conflict", &say_way(&refused));
}

#[test]
fn a_lost_watch() {
    let mut s = started(2);
    for _ in 0..5 {
        s.step(Depth::Command, None);
    }
    let cut = crate::cluster::Fault::CutWatches { process: "kube-scheduler".into(), node: None };
    s.fault(&cut).unwrap();
    let controllers = actor(s.cluster(), "replicaset-controller");
    s.step(Depth::Command, Some(controllers));
    let scheduler = actor(s.cluster(), "kube-scheduler");
    expect("cut", &say(&machine(s.cluster(), scheduler, |_| true).unwrap()));
}

#[test]
fn the_way_of_a_pod_and_of_a_person_s_deployment() {
    let mut s = started(1);
    expect("way-deployment", &say_way(&way(&s, s.at(), 0).unwrap()));
    loop {
        assert!(s.step(Depth::Command, None));
        let made_a_pod = s
            .current()
            .commands()
            .iter()
            .any(|c| c.request.verb == Verb::Create && c.request.kind == crate::api::Kind::POD);
        if made_a_pod {
            break;
        }
    }
    expect("way-pod", &say_way(&way(&s, s.at(), 0).unwrap()));
    assert!(s.step(Depth::Command, None));
    expect("way-next", &say_way(&way(&s, s.at(), 0).unwrap()));
}

/// Every action moves something, along parts that are connected.
#[test]
fn every_step_moves_something() {
    let mut s = started(2);
    let mut stops = std::collections::BTreeSet::new();
    while s.step(Depth::Machinery, None) {
        let Some(m) = movement(s.cluster(), s.current()) else {
            let silent = matches!(&s.current().what, What::Machinery(t) if matches!(t.outcome, Outcome::Recorded { exchange: None }));
            assert!(silent);
            continue;
        };
        assert!(!m.path.is_empty());
        stops.extend(m.path.iter().map(|p| format!("{p:?}").split('(').next().unwrap().to_owned()));
    }
    let all = ["Etcd", "Fifo", "Handlers", "Indexer", "Queue", "Reflector", "Server", "Worker"];
    assert_eq!(stops.into_iter().collect::<Vec<_>>(), all);
}

/// The cost of the view is bounded by what is shown: see docs/benchmarks.md for times.
#[test]
fn long_lists_are_cut() {
    let mut s = started(300);
    for _ in 0..310 {
        assert!(s.step(Depth::Command, None));
    }
    let scheduler = actor(s.cluster(), "kube-scheduler");
    for a in s.cluster().actors().collect::<Vec<_>>() {
        let m = machine(s.cluster(), a, |_| true).unwrap();
        assert!(m.queue.waiting.0.len() <= SHOWN && m.queue.delayed.0.len() <= SHOWN);
        for r in &m.reflectors {
            assert!(r.coming.len() <= SHOWN && r.fifo.len() <= SHOWN && r.stale.len() <= SHOWN);
            assert!(r.stale.len() + r.stale_more <= r.behind + r.deltas);
        }
    }
    let m = machine(s.cluster(), scheduler, |_| true).unwrap();
    let row = overview(s.cluster());
    let row = row.components.iter().find(|r| r.actor == scheduler).unwrap();
    let behind: usize = m.reflectors.iter().map(|r| r.behind + r.deltas + r.untold).sum();
    assert_eq!(row.behind, behind);
}

/// Three members of etcd, one of which is lost, and a second kube-controller-manager, which waits.
#[test]
fn members_and_instances() {
    let mut s = Session::new(Start { etcd: 3, ..Start::default() });
    s.fault(&crate::cluster::Fault::MemberDown { member: "etcd-2".into() }).unwrap();
    s.fault(&crate::cluster::Fault::Replicate { process: "kube-controller-manager".into() }).unwrap();
    while s.step(Depth::Command, None) {}
    let text = say_overview(&overview(s.cluster()));
    let about = |l: &&str| l.contains("etcd") || l.contains("deployment-controller") || l.contains("elect");
    expect("members", &text.lines().filter(about).map(|l| format!("{l}\n")).collect::<String>());
}
