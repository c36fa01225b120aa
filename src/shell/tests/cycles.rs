//! Loops whose rounds are alike.

use super::*;
use crate::network::question::{Because, Extras, Reply, Response};

const SECOND: i64 = 1000;

fn at(millis: i64) -> Timestamp {
    crate::api::later(program(&[], Tools::Gnu).start, SignedDuration::from_millis(millis))
}

/// The reply of a server that takes so many milliseconds.
fn answer(millis: i64) -> Answer {
    let response = Response {
        by: None,
        location: "".into(),
        headers: Default::default(),
        status: 200,
        server: "".into(),
        content_type: "".into(),
        body: "OK!".into(),
        takes: SignedDuration::from_millis(millis),
        goes_on: SignedDuration::ZERO,
    };
    let reply = Reply::of_all(crate::network::Outcome::Answered(Rc::new(response)), Because::Nothing);
    Answer::Replies { replies: [reply].into(), seed: 1 }
}

/// A world whose only server answers like this from these moments on, in milliseconds.
fn world(answers: &[(i64, i64)]) -> World {
    let question = |agent: &str| Question::Fetch {
        to: ([10, 96, 0, 7], 80).into(),
        tls: false,
        host: "10.96.0.7".into(),
        method: "GET".into(),
        path: "/".into(),
        headers: Default::default(),
        extras: Rc::new(Extras { agent: agent.into(), ..Extras::default() }),
    };
    let all: Vec<(Timestamp, Answer)> =
        answers.iter().map(|(from, takes)| (at(*from), answer(*takes))).collect();
    let of = |agent: &str| (question(agent), all.clone());
    World {
        answers: Rc::new(BTreeMap::from(["Wget", "Wget/1.21.3", "curl/8.14.1"].map(of))),
        ..World::default()
    }
}

/// Each cycle of a program: from and until when, how long a round takes, and when it sends, all in milliseconds.
fn cycles(p: &Program, world: &World) -> Vec<(i128, Option<i128>, i128, Vec<i128>)> {
    let run = run(p, world, &Nobody, Until::End);
    assert_eq!(run.end, End::Runs);
    let since = |t: Timestamp| t.duration_since(p.start).as_millis();
    let of = |c: &Cycle| {
        let sent = c.requests.iter().map(|(after, _)| after.as_millis()).collect();
        (since(c.from), c.until.map(since), c.period.as_millis(), sent)
    };
    run.cycles.iter().map(of).collect()
}

const LOOP: &str = "while sleep 0.01; do wget -q -O- http://10.96.0.7; done";

/// The load generator of kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough.
#[test]
fn a_load_generator_is_a_cycle() {
    assert_eq!(cycles(&sh(LOOP), &world(&[(0, 50)])), [(120, None, 60, vec![10])]);
    // The server becomes slower after ten minutes, when 10,000 rounds are over.
    let both = cycles(&sh(LOOP), &world(&[(0, 50), (600 * SECOND, 190)]));
    let [(120, Some(first), 60, _), (second, None, 200, _)] = both.as_slice() else { panic!("{both:?}") };
    assert!((599 * SECOND..=600 * SECOND).contains(&i64::try_from(*first).unwrap()), "{first}");
    assert!(second > first);
    let other = "while true; do wget -q -O- http://10.96.0.7; wget -q -O- http://10.96.0.7; sleep 2; done";
    assert_eq!(cycles(&sh(other), &world(&[(0, 500)])), [(6000, None, 3000, vec![0, 500])]);
    let p = program(&["bash", "-c", "for ((;;)); do sleep 1; done"], Tools::Gnu);
    assert_eq!(cycles(&p, &World::default()), [(2000, None, 1000, vec![])]);
}

/// The first request of a loop that always does the same is a period after the moment that a cycle names.
#[test]
fn a_cycle_says_when_its_loop_sends_first() {
    let first = |world: &World| {
        let run = run(&sh(&format!("sleep 3; {LOOP}")), world, &Nobody, Until::End);
        let (cycle, p) = (run.cycles.last().cloned().unwrap(), sh(LOOP));
        (cycle.first(cycle.requests[0].0) + cycle.period).duration_since(p.start).as_millis()
    };
    assert_eq!(first(&world(&[(0, 50)])), 3010);
    // Where the time of a round is another one, only the rest of a round is kept.
    let changed = first(&world(&[(0, 50), (600 * SECOND, 190)]));
    assert!((3000..3200).contains(&changed), "{changed}");
}

/// A loop that counts or looks at the clock is run round by round, and sends as evenly as one that does not.
#[test]
fn a_loop_that_counts_is_a_client() {
    let server = world(&[(0, 20)]);
    let get = "wget -q -O- http://10.96.0.7";
    for script in [
        format!("i=0; while true; do i=$((i+1)); {get}; sleep 0.08; done"),
        format!("while true; do date; {get}; sleep 0.08; done"),
        format!("while true; do {get} >> /tmp/log; sleep 0.08; done"),
    ] {
        assert_eq!(cycles(&sh(&script), &server), [(200, None, 100, vec![0])], "{script}");
    }
    let count = "for ((i = 0;; i++)); do curl -s http://10.96.0.7; sleep 1; done";
    let all = cycles(&program(&["bash", "-c", count], Tools::Gnu), &server);
    assert_eq!(all, [(2040, None, 1020, vec![0])]);
    // A list that ends, a condition that ends it, a part of it.
    let listed = format!("for i in $(seq 1 100); do {get}; sleep 0.08; done; sleep 3600; sleep infinity");
    assert_eq!(cycles(&sh(&listed), &server), [(200, Some(10_000), 100, vec![0])]);
    let counted = format!("i=0; while [ $i -lt 50 ]; do i=$((i+1)); {get}; sleep 0.08; done; sleep infinity");
    assert_eq!(cycles(&sh(&counted), &server), [(200, Some(5000), 100, vec![0])]);
    let slows =
        format!("i=0; while true; do i=$((i+1)); {get}; [ $i -lt 60 ] && sleep 0.08 || sleep 5; done");
    let [(200, Some(6000 | 5900), 100, _), (_, None, 5020, _)] = cycles(&sh(&slows), &server)[..] else {
        panic!("{:?}", cycles(&sh(&slows), &server));
    };
    // Twice the same word is no loop without an end.
    let same = format!("for i in x x x x x; do {get}; sleep 0.08; done; sleep infinity");
    assert_eq!(cycles(&sh(&same), &server), [(200, Some(500), 100, vec![0])]);
    // Of loops in loops the outer one sends.
    let nested = format!("while true; do date; for i in 1 2 3; do {get}; done; sleep 0.94; done");
    assert_eq!(cycles(&sh(&nested), &server), [(2000, None, 1000, vec![0, 20, 40])]);
}

/// Loops that send nothing, or at other distances each time, are none.
#[test]
fn what_differs_from_round_to_round_is_no_cycle() {
    let server = world(&[(0, 0)]);
    assert_eq!(cycles(&sh("i=0; while true; do i=$((i+1)); sleep 1; done"), &server), []);
    assert_eq!(cycles(&sh("while true; do echo x >> /tmp/log; sleep 1; done"), &server), []);
    let slower = "i=0; while true; do i=$((i+1)); wget -q -O- http://10.96.0.7; sleep $i; done";
    assert_eq!(cycles(&sh(slower), &server), []);
    let clock = "end=$(( $(date +%s) + 300 )); while [ $(date +%s) -lt $end ]; do sleep 1; done; exit 3";
    assert_eq!(ends(&sh(clock)), Some((300_000, 3)));
    assert_eq!(ends(&sh("while true; do date; sleep 1; done | head -n 5")), None);
    assert_eq!(ends(&sh("i=0; while [ $i -lt 9 ]; do i=$((i+1)); sleep 60; done")), Some((540_000, 0)));
}

/// A loop that waits notices what it waits for, however late it comes.
#[test]
fn a_loop_ends_long_after_the_budget_of_commands() {
    let mut late = World::default();
    late.files.note(&Write { at: at(50_000 * SECOND), path: "/m/go".into(), change: Change::Put("".into()) });
    let waits = sh("until [ -f /m/go ]; do sleep 1; done; exit 4");
    let run = run(&waits, &late, &Nobody, Until::End);
    assert_eq!(run.end, End::Exit(at(50_000 * SECOND), 4));
    assert!(!run.exhausted);
    let mut traps = sh("trap 'exit 7' TERM; while :; do sleep 1; done");
    traps.signal = Some(at(70_000 * SECOND + 300));
    assert_eq!(ends(&traps), Some((70_001_000, 7)));
    let job = sh("sleep 90000 & while kill -0 $!; do sleep 1; done; exit 5");
    assert_eq!(ends(&job), Some((90_000_000, 5)));
}

/// Two replies of equal shares that differ in what they say.
fn two_versions() -> World {
    let mut world = world(&[(0, 0)]);
    let all = Rc::make_mut(&mut world.answers);
    for answers in all.values_mut() {
        let reply = |body: &str| {
            let Answer::Replies { replies, .. } = answer(0) else { panic!() };
            let crate::network::Outcome::Answered(response) = &replies[0].outcome else { panic!() };
            let response = Response { body: body.into(), ..(**response).clone() };
            Reply::of_all(crate::network::Outcome::Answered(Rc::new(response)), Because::Nothing)
        };
        *answers = vec![(at(0), Answer::Replies { replies: [reply("v1"), reply("v2")].into(), seed: 1 })];
    }
    world
}

/// A loop that reads what it is told has to be told everything before its rounds are alike.
#[test]
fn a_loop_that_waits_for_another_answer_gets_it() {
    let script = |until: &str| {
        sh(&format!("until wget -q -O- http://10.96.0.7 | grep -q {until}; do sleep 1; done; exit 6"))
    };
    for version in ["v1", "v2"] {
        let run = run(&script(version), &two_versions(), &Nobody, Until::End);
        assert!(matches!(run.end, End::Exit(_, 6)), "{version}: {:?}", run.end);
    }
    assert_eq!(run(&script("v3"), &two_versions(), &Nobody, Until::End).end, End::Runs);
    // Who does not read them cannot tell them apart.
    let prints = "while true; do wget -q -O- http://10.96.0.7; sleep 1; done";
    assert_eq!(cycles(&sh(prints), &two_versions()), [(2000, None, 1000, vec![0])]);
}

/// What a script does itself can go on for ever, and the budget of commands ends it.
#[test]
fn jobs_without_end_come_to_an_end() {
    for script in [
        "while true; do sleep 100 & while kill -0 $!; do sleep 1; done; done",
        "while true; do (sleep 9; touch /tmp/x) & until [ -f /tmp/x ]; do sleep 1; done; rm /tmp/x; done",
    ] {
        let run = run(&sh(script), &World::default(), &Nobody, Until::End);
        assert!(run.exhausted && run.end == End::Runs, "{script}");
    }
}

/// A loop in the background sends until it is killed; one with a limit of time is run to its end.
#[test]
fn a_cycle_ends_with_its_job() {
    let killed = sh("(while sleep 1; do wget -q -O- http://10.96.0.7; done) & sleep 60; kill $!; sleep 3600");
    let run_ = run(&killed, &world(&[(0, 0)]), &Nobody, Until::End);
    let ends: Vec<_> = run_.cycles.iter().map(|c| c.until).collect();
    assert_eq!(ends, [Some(at(60 * SECOND))]);
    let limited = sh("timeout 60 sh -c 'while sleep 1; do wget -q -O- http://10.96.0.7; done'; sleep 5");
    let run_ = run(&limited, &world(&[(0, 0)]), &Nobody, Until::End);
    let ends: Vec<_> = run_.cycles.iter().map(|c| c.until).collect();
    assert_eq!((run_.end, ends), (End::Exit(at(65 * SECOND), 0), vec![Some(at(59 * SECOND))]));
    // A loop that has ended repeats nothing any more.
    let waits = sh("until wget -q -O- http://10.96.0.7; do sleep 1; done; sleep 3600");
    assert_eq!(run(&waits, &world(&[(0, 0)]), &Nobody, Until::End).cycles, []);
}

/// A loop without a pause, whose requests take no time, goes on at one moment until something changes.
#[test]
fn rounds_that_take_no_time_go_on_until_a_change() {
    let spins = sh("while true; do wget -q -O- http://10.96.0.7; done");
    let all = cycles(&spins, &world(&[(0, 0), (30 * SECOND, 50)]));
    let [(0, Some(30_000), 5, _), (_, None, 50, sent)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(*sent, [0]);
    assert_eq!(cycles(&spins, &world(&[(0, 0)])), [(0, None, 5, vec![0])]);
    let counts =
        sh("while true; do i=$((i+1)); wget -q -O- http://10.96.0.7; curl -s http://10.96.0.7; done");
    assert_eq!(cycles(&counts, &world(&[(0, 0)])), [(0, None, 10, vec![0, 5])]);
    assert_eq!(cycles(&sh("while true; do :; done"), &world(&[])), []);
    let run = run(&spins, &world(&[(0, 0)]), &Nobody, Until::End);
    assert!(!run.exhausted);
}

/// Loops in loops: the inner one is leaped over, and the outer one goes on.
#[test]
fn the_inner_loop_ends_and_the_outer_one_goes_on() {
    let mut late = world(&[(0, 0)]);
    late.files.note(&Write { at: at(9000 * SECOND), path: "/m/go".into(), change: Change::Put("".into()) });
    let script =
        "while true; do until [ -f /m/go ]; do sleep 1; done; wget -q -O- http://10.96.0.7; sleep 2; done";
    let all = cycles(&sh(script), &late);
    let Some((from, None, 2000, sent)) = all.last() else { panic!("{all:?}") };
    assert!(*from >= 9_000_000, "{from}");
    assert_eq!(*sent, [0]);
}
