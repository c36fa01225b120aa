//! The worker without a browser: its messages, and that they agree with the library.
#![allow(clippy::unwrap_used)]

use steady::session::explore::message::{Ask, Found, Goal, Own, Plan, Rehearse, Tell, read, write};
use steady::session::explore::picture::Picture;
use steady::session::explore::{Choice, Explorer, Options, Symmetry, builtin, follow};
use steady::session::rehearsal::{self, Rehearsal};
use steady::session::{Depth, Link, Replay, Session, Start, scenario};
use steady_worker::{Cel, LENGTH, Work, explore};

/// The first scenario's Deployment with fewer pods, applied, after two steps.
fn session() -> Session {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    let manifest = scenario::all().remove(0).manifest;
    s.apply(&manifest.replace("replicas: 3", "replicas: 2"));
    s.step(Depth::Command, None);
    s.step(Depth::Command, None);
    s
}

fn plan(session: &Session, own: &[&str]) -> Plan {
    Plan {
        link: Link::between(session, 0).unwrap().encode(),
        depth: Depth::Command,
        symmetry: Symmetry::Merged,
        states: 5_000,
        steps: 1_000,
        megabytes: 0,
        invariants: builtin().iter().map(|i| i.name().to_owned()).collect(),
        own: own.iter().map(|text| Own { text: (*text).to_owned(), steady: false }).collect(),
    }
}

fn found(told: Vec<Tell>) -> Found {
    let found = told.into_iter().find_map(|t| match t {
        Tell::Found(f) => Some(*f),
        _ => None,
    });
    found.unwrap()
}

/// A worker that has explored.
fn worked(plan: Plan) -> (Work, Found, Picture) {
    let mut work = Work::default();
    assert_eq!(work.hear(Ask::Explore(Box::new(plan)), 0), []);
    let mut told = Vec::new();
    while work.is_busy() {
        // The number of looks at the clock in a slice.
        let mut left = 40;
        told = work.go_on(
            || {
                left -= 1;
                left > 0
            },
            || 0,
        );
    }
    let picture = told.iter().find_map(|t| match t {
        Tell::Picture(p) => Some(p.clone()),
        _ => None,
    });
    (work, found(told), picture.unwrap())
}

fn choices(work: &mut Work, goal: Goal) -> Vec<Choice> {
    match work.hear(Ask::Way(goal), 0).remove(0) {
        Tell::Way { choices, .. } => choices,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_worker_finds_what_the_library_finds() {
    let s = session();
    let mut e = Explorer::new(s.cluster(), Options::default(), builtin());
    while e.explore(100) {}
    let r = e.report();
    let (mut work, f, picture) = worked(plan(&s, &[]));
    assert_eq!((f.states, f.edges, f.complete, f.cut), (r.states, r.edges, r.complete, r.cut));
    assert_eq!((f.shortest, f.longest, f.outcomes.len()), (r.shortest, r.longest, r.outcomes.len()));
    assert_eq!(f.held.len() + f.broken.len(), builtin().len());
    assert_eq!(found(explore(plan(&s, &[]))), f, "at one go or in slices");
    assert!(f.outcomes[0].objects.contains(&("Pod Running".to_owned(), 2)), "{:?}", f.outcomes);
    assert_eq!(picture.nodes.len() + picture.hidden, f.states);

    // Each path is a run, and its moments are states of the graph.
    for (goal, steps) in [(Goal::Outcome(0), r.shortest), (Goal::Longest, r.longest)] {
        let way = choices(&mut work, goal);
        assert_eq!(Some(way.len()), steps);
        let mut run = s.clone();
        follow(&mut run, Depth::Command, &way).unwrap();
        assert!(run.cluster().is_steady());
        let link = Link::between(&run, s.at()).unwrap().encode();
        let Tell::Where(states) = work.hear(Ask::Where(link), 0).remove(0) else { panic!("where") };
        assert_eq!(states.first(), Some(&Some(0)));
        assert!(states.iter().all(Option::is_some), "{states:?}");
        assert!(states.last().unwrap().is_some_and(|id| e.states()[id].steady));
    }
    assert_eq!(work.hear(Ask::Way(Goal::Circle), 0), [Tell::NoWay(Goal::Circle)]);
    assert_eq!(work.hear(Ask::Way(Goal::State(usize::MAX)), 0).len(), 1);
}

#[test]
fn an_invariant_of_ones_own_breaks_where_it_does() {
    let s = session();
    let few = "objects.filter(o, o.kind == 'Pod').size() <= 1";
    let (mut work, f, picture) = worked(plan(&s, &["objects.size() > 0", few]));
    assert!(f.held.contains(&"objects.size() > 0".to_owned()));
    let nth = f.broken.iter().position(|b| b.name == few).unwrap();
    let broken = &f.broken[nth];
    assert!(broken.own && broken.undecided.is_none());
    let mut run = s.clone();
    follow(&mut run, Depth::Command, &choices(&mut work, Goal::Broken(nth))).unwrap();
    let cel = |text: &str| Cel::read(&Own { text: text.into(), steady: false }).unwrap();
    assert!(cel(few).holds(run.cluster()).is_err());
    run.back();
    assert!(cel(few).holds(run.cluster()).is_ok(), "the step before it still held");
    assert!(picture.nodes.iter().any(|n| n.broken == Some(nth)));

    // Only in steady states.
    let mut at_last = plan(&s, &[]);
    let text = "objects.exists_one(o, o.kind == 'Deployment' && o.status.readyReplicas == 2)";
    at_last.own.push(Own { text: text.into(), steady: true });
    assert!(found(explore(at_last)).held.contains(&text.to_owned()));
}

#[test]
fn what_cannot_be_said_is_not_false() {
    let s = session();
    for (text, why) in [
        ("objects.all(o, o.spec.replicas > 0)", "no such key"),
        ("objects.map(o, o.kind)[9999] == 'Pod'", "index out of bounds"),
        ("objects.size()", "and not true or false"),
        ("objects.all(o, o.kind < 1)", "no such overload"),
        ("objects.all(o, int(o.kind) == 1)", "type conversion error"),
    ] {
        let f = found(explore(plan(&s, &[text])));
        let broken = f.broken.iter().find(|b| b.name == text).unwrap();
        assert!(broken.undecided.as_ref().is_some_and(|said| said.contains(why)), "{text}: {broken:?}");
        assert_eq!(broken.steps, 0, "{text}: of the state it was asked of first");
    }
}

/// Every example in docs/explorer.md can be evaluated in every state of a run.
#[test]
fn the_examples_that_are_shown_can_be_evaluated() {
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/explorer.md")).unwrap();
    let block = docs.split("```").find(|b| b.trim_start().starts_with("objects.")).unwrap();
    let mut seen = 0;
    for text in block.lines().filter(|l| !l.is_empty()) {
        let cel = Cel::read(&Own { text: text.to_owned(), steady: false }).unwrap();
        let mut s = session();
        while s.step(Depth::Command, None) {
            let undecided = cel.holds(s.cluster()).err().and_then(|v| v.undecided);
            assert_eq!(undecided, None, "{text}");
        }
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn a_mistake_is_told_at_its_place() {
    let read = |text: &str| Cel::read(&Own { text: text.to_owned(), steady: false }).err();
    for (text, line, column) in [
        ("objects.filter(o, o.kind = 'Pod').size() < 5", 1, 26),
        ("objects..size()", 1, 9),
        ("objects.size() <=\n  ", 2, 3),
        ("'unended", 1, 1),
        ("pods.size() < 5", 1, 1),
        ("objects.all(o, o.x == 'pods' || pods.y)", 1, 33),
        ("", 1, 1),
        ("数 == 1", 1, 1),
    ] {
        let why = read(text).unwrap_or_else(|| panic!("{text} can be read"));
        assert_eq!((why.line, why.column), (line, column), "{text}: {why:?}");
    }
    assert!(read(&format!("true{}", " ".repeat(LENGTH))).unwrap().why.contains("longer"));
    let nested = "objects.all(a, objects.all(b, objects.all(c, objects.all(d, true))))";
    assert!(read(nested).unwrap().why.contains("loops"));
    assert!(read("objects.all(a, objects.all(b, objects.all(c, true)))").is_none());
}

/// An expression of any nesting is refused or evaluated within the stack that build.rs asks for.
#[test]
fn the_deepest_that_can_be_read_can_be_evaluated() {
    let run = || {
        let s = Session::new(Start { nodes: 1, ..Start::default() });
        for n in [10, 40, 120, 190, 480] {
            for text in [
                format!("1{} == 1", " + 1".repeat(n)),
                format!("true{}", " && true".repeat(n)),
                format!("{}1{} == 1", "(".repeat(n), ")".repeat(n)),
                format!("{}true", "!".repeat(n)),
                format!("{}true", "true ? true : ".repeat(n)),
                format!("objects{} == 1", ".b".repeat(n)),
                format!("{}{} == []", "[".repeat(n), "]".repeat(n)),
                format!("{}true{}", "[1].all(a, ".repeat(n), ")".repeat(n)),
            ] {
                if let Ok(cel) = Cel::read(&Own { text, steady: false }) {
                    let _ = cel.holds(s.cluster());
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(16 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn bounds_and_a_stop_say_what_they_leave_open() {
    let s = session();
    let mut bounded = plan(&s, &[]);
    bounded.states = 10;
    let f = found(explore(bounded));
    assert_eq!((f.states, f.complete), (10, false));
    assert!(f.cut.is_some() && f.outcomes.is_empty());

    let mut work = Work::default();
    work.hear(Ask::Explore(Box::new(plan(&s, &[]))), 0);
    for _ in 0..8 {
        let mut left = 4;
        work.go_on(
            || {
                left -= 1;
                left > 0
            },
            || 0,
        );
    }
    let f = found(work.hear(Ask::Stop, 0));
    assert!(!work.is_busy() && !f.complete && f.cut.is_none() && f.waiting > 0, "{f:?}");
    // The path can be followed all the same.
    assert_eq!(choices(&mut work, Goal::State(1)).len(), 1);

    let mut work = Work::default();
    work.hear(Ask::Explore(Box::new(Plan { megabytes: 1, ..plan(&s, &[]) })), 0);
    let mut told = Vec::new();
    while work.is_busy() {
        told = work.go_on(|| true, || 2 << 20);
    }
    assert_eq!(found(told).cut, Some(steady::session::explore::Cut::Memory));
}

#[test]
fn what_it_is_not_meant_to_hear_is_refused() {
    let mut work = Work::default();
    let broken = Plan { link: "a<script>".into(), ..plan(&session(), &[]) };
    assert!(matches!(work.hear(Ask::Explore(Box::new(broken)), 0)[..], [Tell::Refused(_)]));
    assert!(!work.is_busy());
    assert_eq!(work.hear(Ask::Way(Goal::State(0)), 0), [Tell::NoWay(Goal::State(0))]);
    assert_eq!(work.hear(Ask::Picture(None), 0), []);
    assert_eq!(work.hear(Ask::Stop, 0), []);
    let unread = plan(&session(), &["objects.size( <"]);
    assert!(matches!(work.hear(Ask::Explore(Box::new(unread)), 0)[..], [Tell::Unreadable(_)]));
    let ask = Ask::Read(Own { text: "true".into(), steady: false });
    assert_eq!(work.hear(read(&write(&ask)).unwrap(), 0), [Tell::Readable]);
}

/// Two ReplicaSets. Which of their keys is older depends on when a component is notified. A path that is
/// taken as a run leads to the state that the explorer found.
#[test]
fn a_counterexample_is_a_run_that_breaks_what_it_says() {
    let s = scenario::find("04-rolling-update").unwrap().open();
    let (mut work, f, _) = worked(Plan { states: 1_000, ..plan(&s, &[]) });
    let nth = f.broken.iter().position(|b| b.name == "maxSurge").unwrap();
    let mut run = s.clone();
    let way = choices(&mut work, Goal::Broken(nth));
    follow(&mut run, Depth::Command, &way).unwrap();
    let link = Link::between(&run, s.at()).unwrap();
    let Tell::Where(states) = work.hear(Ask::Where(link.encode()), 0).remove(0) else { panic!("where") };
    assert_eq!(states.len(), way.len() + 1);
    assert!(states.iter().all(Option::is_some), "{states:?}");
    let few = Own { text: "objects.filter(o, o.kind == 'Pod').size() <= 5".into(), steady: false };
    assert!(Cel::read(&few).unwrap().holds(run.cluster()).is_err());
    run.back();
    assert!(Cel::read(&few).unwrap().holds(run.cluster()).is_ok());
    // The same holds when the run is repeated from a link.
    run.forward();
    let mut replay = Replay::new(&Link::decode(&Link::of(&run).encode()).unwrap());
    while !replay.advance(64) {}
    assert!(replay.finish().same);
}

/// Every run that a person steps is found among the states.
#[test]
fn a_run_that_a_person_steps_is_found_among_the_states() {
    let s = session();
    let (mut work, _, _) = worked(plan(&s, &[]));
    for seed in 0..6usize {
        let mut run = s.clone();
        let mut chance = seed.wrapping_mul(7919);
        loop {
            let next = run.next_commands(16);
            chance = chance.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let choice =
                if seed == 0 { None } else { next.get((chance >> 16) % next.len().max(1)).map(|c| c.actor) };
            if !run.step(Depth::Command, choice) {
                break;
            }
        }
        let link = Link::between(&run, s.at()).unwrap().encode();
        let Tell::Where(states) = work.hear(Ask::Where(link), 0).remove(0) else { panic!("where") };
        assert!(states.iter().all(Option::is_some), "seed {seed}: {states:?}");
    }
}

/// A worker that is told to rehearse finds what the library finds, in slices; one that is told to stop does.
#[test]
fn the_worker_rehearses_what_the_library_rehearses() {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.apply(include_str!("../../../tests/rehearsal/web.yaml"));
    let workload = steady::api::ObjectRef::new(steady::api::Kind::DEPLOYMENT, "default", "web");
    let plan = rehearsal::Plan { rate: 20, ..rehearsal::Plan::of(workload) };
    let link = Link::between(&s, 0).unwrap().encode();
    let task = || Ask::Rehearse(Box::new(Rehearse { link: link.clone(), plan: plan.clone() }));
    let expected = Rehearsal::new(s.clone(), plan.clone()).advance(|| true).unwrap().unwrap();
    let mut work = Work::default();
    assert_eq!(work.hear(task(), 0), []);
    let mut last = Vec::new();
    while work.is_busy() {
        let mut left = 40;
        last = work.go_on(
            || {
                left -= 1;
                left > 0
            },
            || 0,
        );
    }
    assert_eq!(read::<Vec<Tell>>(&write(&last)).unwrap(), [Tell::Rehearsed(Box::new(expected))]);
    assert_eq!(work.hear(task(), 0), []);
    work.go_on(|| false, || 0);
    assert_eq!(work.hear(Ask::Stop, 0), [Tell::Stopped]);
    assert!(!work.is_busy());
}
