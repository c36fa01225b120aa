#![allow(clippy::unwrap_used)]
use std::cell::Cell;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::explorer::{read, write};
use super::*;
use crate::cluster::Fault;
use crate::session::scenario::SetUp;
use crate::session::{Link, Replay};

/// A clock on which a slice ends at every fourth look.
fn ticking() -> impl Fn() -> f64 + 'static {
    let now = Cell::new(0.0);
    move || {
        now.set(now.get() + 2.0);
        now.get()
    }
}

/// An engine whose clock stands still, so that everything is done in its first slice.
pub(super) fn at_once() -> Engine {
    let mut engine = Engine::new(|| 0.0);
    engine.handle(Input::Begin(Begin::default()));
    engine
}

pub(super) fn in_slices() -> Engine {
    let mut engine = Engine::new(ticking());
    engine.handle(Input::Begin(Begin::default()));
    engine
}

/// Works until the engine waits for a person; what came of it, and in how many slices.
pub(super) fn finish(engine: &mut Engine) -> (Vec<Output>, usize) {
    let (mut out, mut slices) = (Vec::new(), 0);
    while engine.due().is_some() {
        out.extend(engine.work());
        slices += 1;
        assert!(slices < 1_000_000);
    }
    (out, slices)
}

/// Writes a message and reads it back: nothing is lost.
fn there_and_back<T: Serialize + DeserializeOwned>(message: &T) -> T {
    let text = write(message);
    assert!(text.len() > 1);
    let back: T = read(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(write(&back), text);
    back
}

fn asked(engine: &mut Engine, ask: Ask) -> Answer {
    let ask = there_and_back(&Input::Ask(7, ask));
    let before = write(engine.shown());
    let out = engine.handle(ask);
    assert_eq!(write(engine.shown()), before, "asking changes nothing");
    match out.as_slice() {
        [Output::Answer(7, answer)] => there_and_back(&**answer),
        other => panic!("{other:?}"),
    }
}

pub(super) fn notices(out: &[Output]) -> Vec<&Said> {
    out.iter().filter_map(|o| if let Output::Notice(n) = o { Some(&n.said) } else { None }).collect()
}

/// Whatever every scenario shows and answers can be written as text and read back.
#[test]
fn everything_that_crosses_is_plain_data() {
    for id in
        ["04-rolling-update", "11-crash-loop", "19-leader-election", "20-etcd-members", "23-custom-resource"]
    {
        let mut e = at_once();
        let mut out = e.handle(there_and_back(&Input::OpenScenario(id.into())));
        for input in
            [Input::Depth(Depth::Reconcile), Input::Step, Input::Depth(Depth::Machinery), Input::Step]
        {
            out.extend(e.handle(there_and_back(&input)));
        }
        out.extend(finish(&mut e).0);
        for input in [Input::Preview, Input::Depth(Depth::Command), Input::Step, Input::Back, Input::Share] {
            out.extend(e.handle(there_and_back(&input)));
        }
        out.extend(e.handle(Input::Terminal("get pods -w".into())));
        out.extend(e.handle(Input::Goto(e.beginning)));
        out.extend(e.handle(Input::ToSteady));
        out.extend(finish(&mut e).0);
        out.iter().for_each(|o| drop(there_and_back(o)));
        let (mut objects, at): (Vec<ObjectRef>, _) =
            (e.shown().graph.nodes.iter().map(|n| n.reference.clone()).collect(), e.shown().at);
        // One of each kind.
        objects.dedup_by_key(|o| o.kind);
        for o in objects {
            for ask in [Ask::Object(o.clone()), Ask::Yaml(o.clone(), true), Ask::Events(o.clone())] {
                asked(&mut e, ask);
            }
            asked(&mut e, Ask::History(o.clone()));
            asked(&mut e, Ask::Why(o.clone(), None));
            let yaml = asked(&mut e, Ask::Yaml(o.clone(), true));
            let Answer::Yaml(yaml) = yaml else { panic!("{yaml:?}") };
            if let Some(line) = yaml.lines.first() {
                asked(&mut e, Ask::Why(o.clone(), Some((line.field, true))));
            }
            asked(&mut e, Ask::Links(o.clone()));
            asked(&mut e, Ask::Journey(o.clone(), None, 0));
            asked(&mut e, Ask::Scheduling(o.clone()));
            asked(&mut e, Ask::SchedulingTable(o.clone(), None, 5));
            asked(&mut e, Ask::SchedulingTable(o, Some(at), 5));
        }
        let machine = e.shown().map.machine;
        for moment in e.session.timeline().to_vec().into_iter().step_by(3) {
            asked(&mut e, Ask::Requests(moment, moment % 2 == 0));
            asked(&mut e, Ask::RuntimeCalls(moment));
            asked(&mut e, Ask::Happened(moment));
        }
        asked(&mut e, Ask::Summary);
        asked(&mut e, Ask::Finest(at));
        asked(&mut e, Ask::Machinery(machine, Some(0)));
        if let Answer::LastRequest(Some((moment, n, _))) = asked(&mut e, Ask::LastRequest) {
            assert!(matches!(asked(&mut e, Ask::Way(moment, n)), Answer::Way(_)));
        }
        for ask in [
            Ask::PlaneFaults,
            Ask::Policies,
            Ask::Branches,
            Ask::Run(0),
            Ask::Digest,
            Ask::Link,
            Ask::Scenarios,
            Ask::Rollouts,
            Ask::Traffic,
            Ask::Sent(0, 1),
            Ask::Rules,
        ] {
            asked(&mut e, ask);
        }
    }
}

#[test]
fn inputs_come_back_as_they_were_sent() {
    let pod = ObjectRef::new(Kind::POD, "default", "web-1");
    let actor = Actor { process: 1, component: 2 };
    let begin = Begin { link: Some("a".into()), map_shown: true, ..Begin::default() };
    let way = vec![explorer::Choice::Actor(actor), explorer::Choice::Time];
    for input in [
        Input::Begin(begin),
        Input::Choose(Pick::Actor(actor)),
        Input::Walk(-3),
        Input::BeginWith(ClusterStart { nodes: 2, etcd: 3, ip_family: IpFamily::Dual }),
        Input::Follow { session: 2, from: 3, depth: Depth::Command, way },
        Input::Repeat { session: 2, from: 3, link: "a".into(), ops: 7 },
        Input::Policy(Policy::Starved { component: "kubelet".into() }),
        Input::Select(Some(pod.clone())),
        Input::Filter(GraphFilter {
            text: "app=web".into(),
            kinds: [Kind::POD].into(),
            ..GraphFilter::default()
        }),
        Input::LookAt(None),
        Input::Crash(pod.clone(), "c".into(), 137),
        Input::Evict(pod),
        Input::Break(Fault::NodeDown { node: "node-1".into() }),
        Input::Ask(1, Ask::Objects(Some("po".into()))),
    ] {
        assert_eq!(there_and_back(&input), input);
    }
    let said = Said::key("link-refused")
        .with("why", Value::Said(Box::new(Said::key("link-newer").number("n", 2.0))));
    assert_eq!(there_and_back(&said), said);
}

/// How work is cut decides nothing.
#[test]
fn in_slices_it_comes_out_the_same() {
    for id in ["01-first-deployment", "04-rolling-update"] {
        let (mut whole, mut sliced) = (at_once(), in_slices());
        let mut slices = 0;
        for input in [
            Input::OpenScenario(id.into()),
            Input::Step,
            Input::Depth(Depth::Reconcile),
            Input::Step,
            Input::ToSteady,
            Input::Restart,
            Input::Walk(5),
            Input::Run,
        ] {
            let running = input == Input::Run;
            whole.handle(input.clone());
            sliced.handle(input);
            if running {
                // A clock that stands still never comes to the next step.
                whole.handle(Input::Stop);
                sliced.handle(Input::Stop);
            }
            finish(&mut whole);
            slices += finish(&mut sliced).1;
        }
        assert!(slices > 20, "{slices}");
        whole.handle(Input::ToSteady);
        sliced.handle(Input::ToSteady);
        finish(&mut whole);
        finish(&mut sliced);
        assert_eq!(whole.session.cluster().digest(), sliced.session.cluster().digest());
        assert!(whole.shown().listing.steady() && sliced.shown().listing.steady());
        assert_eq!(whole.shown().graph.nodes, sliced.shown().graph.nodes);
    }
}

#[test]
fn a_press_of_step_shows_what_happened_and_then_what_comes_next() {
    let mut e = at_once();
    let out = e.handle(Input::Step);
    assert!(matches!(&out[..], [Output::Show(shown), Output::Stepped(_)] if shown.position == 2));
    let shown = e.shown();
    assert!(matches!(&*shown.happened, Happened::Issued(c, 0) if c.request.verb == "create"));
    assert!(!shown.listing.ready && shown.mode == Mode::Idle);
    finish(&mut e);
    assert!(e.shown().listing.ready && !e.shown().listing.lines.is_empty());
    // Choosing the first line is what a step does.
    let (pick, mut other) = (e.shown().listing.lines[0].pick, at_once());
    other.handle(Input::Step);
    other.handle(Input::Step);
    e.handle(Input::Choose(pick));
    assert_eq!(e.session.cluster().digest(), other.session.cluster().digest());
}

/// Where the cluster has nothing of its own to do, a step and a run go over what the person did next, and a run to steady
/// stops there.
#[test]
fn a_step_goes_over_what_was_done() {
    let mut e = in_slices();
    let beginning = e.beginning;
    e.handle(Input::ToSteady);
    finish(&mut e);
    let steady = e.shown().at;
    e.handle(Input::Do("scale deployment web --replicas=5".into()));
    e.handle(Input::Step);
    finish(&mut e);
    let last = e.shown().at;
    e.handle(Input::Goto(steady));
    finish(&mut e);
    assert!(matches!(e.shown().act_ahead.as_deref(), Some(Happened::Printed(_))));
    let out = e.handle(Input::ToSteady);
    let (rest, _) = finish(&mut e);
    assert_eq!(notices(&[out, rest].concat()), [&Said::key("steady-act-ahead")]);
    assert_eq!(e.shown().at, steady);
    for there in steady + 1..=last {
        e.handle(Input::Step);
        finish(&mut e);
        assert_eq!(e.shown().at, there);
    }
    assert_eq!(e.shown().act_ahead, None);
    // The text was applied after the first moment, so the cluster has not changed since.
    e.handle(Input::Goto(beginning));
    finish(&mut e);
    e.handle(Input::Back);
    finish(&mut e);
    e.handle(Input::Preview);
    let preview = e.shown().preview.clone().unwrap();
    assert!(preview.in_past && preview.back.is_empty(), "{preview:?}");
}

/// A text that is not YAML is said with one line number, the one at which the editor marks it.
#[test]
fn a_text_that_is_not_yaml_has_one_line_number() {
    let mut e = at_once();
    e.handle(Input::Typed("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\nbad: b\n".into()));
    let out = e.handle(Input::Apply);
    let line = e.shown().diagnostics[0].line as f64;
    assert_eq!(notices(&out), [&Said::key("apply-unreadable").number("line", line)]);
}

/// A message about a text says whether the editor marks the mistake: the page says it once.
#[test]
fn a_refusal_of_the_editors_text_is_marked_and_one_of_a_command_is_not() {
    let marked = |out: &[Output]| {
        let notice = out.iter().find_map(|o| if let Output::Notice(n) = o { Some(n) } else { None });
        notice.map(|n| (n.bad, n.marked))
    };
    let mut e = at_once();
    e.handle(Input::Typed("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbad: b\n".into()));
    assert_eq!(marked(&e.handle(Input::Apply)), Some((true, true)));
    assert!(!e.shown().diagnostics.is_empty());
    assert_eq!(
        marked(&e.handle(Input::Do("scale deployment nowhere --replicas=1".into()))),
        Some((true, false))
    );
}

/// A message about what failed goes away with the next command that does something, wherever it came from.
#[test]
fn a_success_takes_the_message_before_away() {
    let mut e = at_once();
    let hushes = |out: &[Output]| out.iter().any(|o| matches!(o, Output::Hush));
    assert!(!hushes(&e.handle(Input::Do("scale deployment none --replicas=5".into()))));
    assert!(hushes(&e.handle(Input::Do("scale deployment web --replicas=5".into()))));
    assert!(hushes(&e.handle(Input::Terminal("scale deployment web --replicas=4".into()))));
    assert!(!hushes(&e.handle(Input::Terminal("get pods".into()))));
}

/// A message about a text that was refused goes away when the text is mended.
#[test]
fn a_mended_text_takes_the_message_away() {
    let mut e = at_once();
    let hushes = |out: &[Output]| out.iter().any(|o| matches!(o, Output::Hush));
    e.handle(Input::Typed("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbad: b\n".into()));
    assert!(!hushes(&e.handle(Input::Preview)));
    assert!(!hushes(&e.handle(Input::Apply)));
    assert!(!hushes(&e.handle(Input::Preview)));
    e.handle(Input::Typed("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n".into()));
    assert!(hushes(&e.handle(Input::Preview)));
    assert!(!hushes(&e.handle(Input::Preview)));
}

/// A scenario's own depth is not the next scenario's; the one that a person chose is.
#[test]
fn the_depth_of_a_scenario_stays_with_it() {
    let mut e = at_once();
    let opened = |e: &mut Engine, id: &str| {
        e.handle(Input::OpenScenario(id.to_owned()));
        finish(e);
        e.shown().depth
    };
    e.handle(Input::Depth(Depth::Reconcile));
    assert_eq!(opened(&mut e, "15-watch-lost"), Depth::Machinery);
    assert_eq!(opened(&mut e, "17-expectations"), Depth::Machinery);
    assert_eq!(opened(&mut e, "01-first-deployment"), Depth::Reconcile);
    opened(&mut e, "15-watch-lost");
    e.handle(Input::Depth(Depth::Command));
    assert_eq!(opened(&mut e, "01-first-deployment"), Depth::Command);
}

/// Who stepped into a step comes back to it, to the depth and to the view from before.
#[test]
fn a_step_that_was_stepped_into_is_left_again() {
    let mut e = at_once();
    e.handle(Input::StepAtOnce);
    let at = e.shown().at;
    e.handle(Input::StepInto(at, 1));
    assert!(e.shown().inside && e.shown().map.shown && e.shown().at != at);
    e.handle(Input::StepAtOnce);
    e.handle(Input::StepOut);
    finish(&mut e);
    let s = e.shown();
    assert_eq!((s.at, s.depth, s.map.shown, s.inside), (at, Depth::Command, false, false));
}

/// A rollout that was rehearsed becomes a branch of the run, which stands at the moment that was asked for; a run that is
/// another one by then stays as it is.
#[test]
fn a_rehearsed_rollout_is_a_branch() {
    let mut e = at_once();
    e.handle(Input::ApplyText(include_str!("../../tests/rehearsal/web.yaml").into()));
    e.handle(Input::ToSteady);
    finish(&mut e);
    let (session, from) = (e.shown().session, e.shown().at);
    let Answer::Rollouts(all) = asked(&mut e, Ask::Rollouts) else { panic!("no answer") };
    let web = all.iter().find(|t| !t.reaches.is_empty()).unwrap();
    assert!(web.applied, "{all:?}");
    let plan = crate::session::rehearsal::Plan::of(web.workload.clone());
    let plan = crate::session::rehearsal::Plan { rate: 20, ..plan };
    let mut rehearsal = crate::session::rehearsal::Rehearsal::new(e.session.clone(), plan);
    let found = rehearsal.advance(|| true).unwrap().unwrap();
    let lossy = &found.tried[0];
    let before = e.session.cluster().digest();
    let repeat =
        |session, link: &str| Input::Repeat { session, from, link: link.to_owned(), ops: lossy.moment };
    e.handle(repeat(session + 1, &lossy.link));
    finish(&mut e);
    assert_eq!((e.shown().at, e.session.cluster().digest()), (from, before.clone()));
    e.handle(repeat(session, "nonsense"));
    finish(&mut e);
    assert_eq!(e.shown().at, from);
    let mut out = e.handle(repeat(session, &lossy.link));
    out.extend(finish(&mut e).0);
    assert!(
        matches!(notices(&out)[..], [Said::Key(key, _)] if key == "rehearse-opened"),
        "{:?}",
        notices(&out)
    );
    assert_eq!(e.session.ops_between(from, e.shown().at).unwrap().len(), lossy.moment);
    e.handle(Input::Goto(from));
    finish(&mut e);
    assert_eq!(e.session.cluster().digest(), before);
}

/// Of a cluster with nothing in it a person chooses how it begins, and a link and a reload find that cluster.
#[test]
fn a_person_chooses_how_an_empty_cluster_begins() {
    let mut e = at_once();
    let chosen = |nodes, etcd, ip_family| ClusterStart { nodes, etcd, ip_family };
    let cluster = |e: &Engine| e.shown().scenario.as_ref().and_then(|s| s.cluster);
    // The scenario that is open has a manifest that goes with its cluster.
    let run = e.shown().session;
    e.handle(Input::BeginWith(chosen(5, 1, IpFamily::Dual)));
    assert_eq!((e.shown().session, cluster(&e)), (run, None));

    e.handle(Input::OpenScenario("22-empty".into()));
    finish(&mut e);
    assert_eq!(cluster(&e), Some(chosen(3, 1, IpFamily::Ipv4)));
    e.handle(Input::Typed("kind: Pod".into()));
    let kept = |out: &[Output]| -> Vec<Draft> {
        let drafts = out.iter().filter_map(|o| if let Output::Keep(d) = o { Some(d.clone()) } else { None });
        drafts.collect()
    };
    let five = chosen(5, 3, IpFamily::Dual);
    e.handle(Input::BeginWith(five));
    let run = e.shown().run.clone();
    assert_eq!((cluster(&e), e.shown().text.as_str()), (Some(five), "kind: Pod"));
    let api = e.session.cluster().api();
    assert_eq!(api.etcd().range(Kind::NODE, None).count(), 5);
    assert_eq!(e.session.start().ip_family, IpFamily::Dual);
    // Impossible ones are none.
    for wrong in
        [chosen(0, 1, IpFamily::Ipv4), chosen(NODES + 1, 1, IpFamily::Ipv4), chosen(3, 2, IpFamily::Ipv4)]
    {
        e.handle(Input::BeginWith(wrong));
        assert_eq!(cluster(&e), Some(five));
    }
    let work = kept(&e.handle(Input::Save));
    assert_eq!(work.iter().map(|d| &d.id).collect::<Vec<_>>(), [&run]);

    // A run in which nothing has happened makes room; any other is kept.
    let four = chosen(4, 1, IpFamily::Ipv4);
    e.handle(Input::BeginWith(four));
    assert_eq!(e.shown().run, run);
    e.handle(Input::Do("create namespace mine".into()));
    let drafts = kept(&e.handle(Input::BeginWith(five)));
    assert_eq!(drafts.iter().map(|d| &d.id).collect::<Vec<_>>(), [&run]);
    assert_ne!(e.shown().run, run);

    let mut e = at_once();
    e.handle(Input::Open(work[0].link.clone()));
    finish(&mut e);
    assert_eq!(cluster(&e), Some(five));
}

/// The way back out is there wherever the person goes inside the step, and not outside; also after a reload.
#[test]
fn the_way_out_of_a_step_survives_going_about_and_a_reload() {
    let mut e = at_once();
    for _ in 0..3 {
        e.handle(Input::StepAtOnce);
    }
    let at = e.shown().at;
    e.handle(Input::StepInto(at, 3));
    let third = e.shown().at;
    let inside = |e: &mut Engine, input: Input| {
        e.handle(input);
        finish(e);
        e.shown().inside
    };
    assert!(inside(&mut e, Input::Back) && inside(&mut e, Input::Walk(-1)) && inside(&mut e, Input::Walk(2)));
    assert_eq!(e.shown().at, third);
    assert!(!inside(&mut e, Input::Restart));
    assert!(inside(&mut e, Input::Goto(third)));
    let Some(Output::Keep(kept)) = e.handle(Input::Save).into_iter().find(|o| matches!(o, Output::Keep(_)))
    else {
        panic!("nothing is kept")
    };
    assert!(!inside(&mut e, Input::StepOut));
    assert_eq!((e.shown().at, e.shown().depth, e.shown().map.shown), (at, Depth::Command, false));
    let (digest, place) = (e.session.cluster().digest(), e.shown().position);

    let mut e = at_once();
    let work = Work { id: Some(kept.id.to_string()), link: kept.link.clone() };
    assert!(inside(&mut e, Input::Begin(Begin { work: Some(work), ..Begin::default() })));
    assert_eq!(e.shown().depth, Depth::Machinery);
    assert!(!inside(&mut e, Input::StepOut));
    let s = e.shown();
    assert_eq!((s.position, s.depth), (place, Depth::Command));
    assert_eq!(e.session.cluster().digest(), digest);
}

/// What a scenario offers says why it changes nothing; and what its set-up did is not taken for a person's edit.
#[test]
fn a_try_that_comes_too_late_says_why() {
    let mut e = at_once();
    e.handle(Input::OpenScenario("14-conflict".into()));
    finish(&mut e);
    e.handle(Input::Preview);
    let preview = e.shown().preview.clone().unwrap();
    assert!(preview.changed.is_empty() && preview.back.len() == 1, "{preview:?}");
    e.handle(Input::ToSteady);
    finish(&mut e);
    let out = e.handle(Input::Attempt(0));
    let who = Value::Text("deployment-controller".into());
    assert_eq!(notices(&out), [&Said::key("try-late").with("who", who)]);
    e.handle(Input::OpenScenario("10-node-lost".into()));
    finish(&mut e);
    e.handle(Input::Attempt(0));
    finish(&mut e);
    let out = e.handle(Input::Attempt(0));
    assert_eq!(notices(&out), [&Said::key("no-such-fault")]);
}

/// Where nothing happens by itself, time passes all the same to the moment that somebody wants, and clients go on to ask.
#[test]
fn time_passes_in_a_steady_cluster_to_a_moment() {
    let mut e = at_once();
    e.handle(Input::OpenScenario("42-lossy-rollout".into()));
    finish(&mut e);
    let sent = |e: &Engine| match e.answer(&Ask::Traffic) {
        Answer::Traffic(view) => view.sent,
        other => panic!("{other:?}"),
    };
    let (before, begin) = (sent(&e), e.session.now().as_millisecond());
    for minute in 1..=2 {
        let to = begin + minute * 60_000;
        let out = e.handle(Input::ToMoment(to));
        let (rest, _) = finish(&mut e);
        assert_eq!(notices(&[out, rest].concat()), [] as [&Said; 0]);
        assert_eq!(e.session.now().as_millisecond(), to);
    }
    // Two clients ask twenty times a second.
    assert!((4_700..=4_900).contains(&(sent(&e) - before)), "{}", sent(&e) - before);
    let link = Link::of(&e.session).encode();
    assert!(link.starts_with('j'), "{link}");
    let mut again = Replay::new(&Link::decode(&link).unwrap());
    while !again.advance(1_000) {}
    assert_eq!(again.finish().session.cluster().digest(), e.session.cluster().digest());
}

/// Components that look again at regular intervals keep no run from its moment, nor does what is due long after it lead beyond it.
#[test]
fn a_run_ends_at_its_moment_whatever_else_is_due() {
    let mut e = at_once();
    e.handle(Input::OpenScenario("22-empty".into()));
    finish(&mut e);
    e.handle(Input::Do("create deployment web --image=nginx:1.28".into()));
    e.handle(Input::ToSteady);
    finish(&mut e);
    let run = |e: &mut Engine, minutes: i64| {
        let to = e.session.now().as_millisecond() + minutes * 60_000;
        let out = e.handle(Input::ToMoment(to));
        let (rest, _) = finish(e);
        assert_eq!(notices(&[out, rest].concat()), [] as [&Said; 0]);
        assert_eq!(e.session.now().as_millisecond(), to, "{minutes}");
    };
    run(&mut e, 60);
    e.handle(Input::Break(Fault::MetricsServer { installed: true }));
    e.handle(Input::Do("run sleeper --image=busybox:1.37 -- sleep 9999".into()));
    run(&mut e, 1);
    run(&mut e, 30);
    e.handle(Input::Do("autoscale deployment web --min=1 --max=3 --cpu=50%".into()));
    run(&mut e, 10);
}

/// Without a majority of etcd nothing can be written, and the controllers try again and again.
#[test]
fn a_run_in_which_everything_is_refused_ends() {
    let mut e = at_once();
    e.handle(Input::ToSteady);
    finish(&mut e);
    e.handle(Input::Break(Fault::MetricsServer { installed: true }));
    e.handle(Input::Do("autoscale deployment web --min=1 --max=3 --cpu=50%".into()));
    e.handle(Input::ToSteady);
    finish(&mut e);
    e.handle(Input::Do("scale deployment web --replicas=4".into()));
    e.handle(Input::Break(Fault::MemberDown { member: "etcd-1".into() }));
    let out = e.handle(Input::ToSteady);
    let (rest, _) = finish(&mut e);
    let all = [out, rest].concat();
    let said = notices(&all);
    assert!(said.iter().any(|said| matches!(said, Said::Key(key, _) if *key == "limit-refused")), "{said:?}");
}

#[test]
fn what_is_stopped_leaves_what_was_there() {
    let mut e = in_slices();
    e.handle(Input::ToSteady);
    finish(&mut e);
    let (digest, at) = (e.session.cluster().digest(), e.shown().at);
    let out = e.handle(Input::OpenScenario("10-node-lost".into()));
    assert!(matches!(e.activity, Some(activity::Activity::SetUp(_))), "it takes more than a slice");
    assert!(matches!(out.last(), Some(Output::Busy)));
    // Meanwhile nothing else is done.
    assert!(matches!(e.handle(Input::Kubectl("get pods".into())).as_slice(), [Output::Printed(None)]));
    assert!(matches!(e.handle(Input::StepAtOnce).as_slice(), [Output::Did(false)]));
    assert_eq!(notices(&e.handle(Input::Do("get pods".into()))), [&Said::key("still-loading")]);
    let out = e.handle(Input::Stop);
    assert!(matches!(out.last(), Some(Output::Idle)));
    assert_eq!((e.session.cluster().digest(), e.shown().at), (digest, at));
}

#[test]
fn a_run_at_a_speed_waits_between_its_steps() {
    let now = Rc::new(Cell::new(0.0));
    let clock = now.clone();
    let mut e = Engine::new(move || clock.get());
    e.handle(Input::Begin(Begin::default()));
    e.handle(Input::Speed(0));
    e.handle(Input::Run);
    let at = e.shown().at;
    assert_eq!(e.due(), Some(1600.0));
    now.set(1000.0);
    // Something else that a person does does not make it wait anew.
    e.handle(Input::Typed("a".into()));
    assert_eq!(e.due(), Some(600.0));
    assert!(e.work().is_empty());
    now.set(1600.0);
    e.work();
    assert_eq!(e.shown().at, at + 1);
    e.handle(Input::Step);
    assert_eq!((e.shown().at, e.shown().mode), (at + 2, Mode::Idle));
}

#[test]
fn a_set_up_in_slices_is_the_whole_set_up() {
    let mut e = in_slices();
    for s in scenario::all() {
        e.handle(Input::OpenScenario(s.id.clone()));
        finish(&mut e);
        let mut setup = SetUp::new(&s);
        while !setup.advance(usize::MAX) {}
        assert_eq!(e.session.cluster().digest(), setup.finish().cluster().digest(), "{}", s.id);
    }
}

#[test]
fn a_command_line_that_waits_goes_on_until_it_is_given_up() {
    let mut e = at_once();
    e.handle(Input::Terminal("rollout status deployment/web".into()));
    let waits = |e: &Engine| e.shown().terminal.last().unwrap().clone();
    assert!(waits(&e).waits);
    e.handle(Input::Step);
    assert!(waits(&e).waits);
    e.handle(Input::ToSteady);
    finish(&mut e);
    assert!(!waits(&e).waits && waits(&e).output.contains("successfully rolled out"));
    e.handle(Input::Terminal("rollout restart deployment/web".into()));
    e.handle(Input::Terminal("rollout status deployment/web".into()));
    e.handle(Input::Interrupt);
    assert!(waits(&e).output.ends_with("^C\n"));
}

const KINDS: &str = "apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 1
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: c, image: x}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: names}
spec:
  replicas: 1
  serviceName: names
  selector: {matchLabels: {app: names}}
  template:
    metadata: {labels: {app: names}}
    spec: {containers: [{name: c, image: x}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: everywhere}
spec:
  selector: {matchLabels: {app: everywhere}}
  template:
    metadata: {labels: {app: everywhere}}
    spec: {containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
";

#[test]
fn what_can_be_done_to_an_object_can_be_done() {
    let mut e = at_once();
    assert!(
        matches!(&e.handle(Input::ApplyText(KINDS.into())).last(), Some(Output::Printed(Some(p))) if p.exit == 0)
    );
    e.handle(Input::ToSteady);
    finish(&mut e);
    let objects: Vec<ObjectRef> = e.shown().graph.nodes.iter().map(|n| n.reference.clone()).collect();
    let mut done = std::collections::BTreeSet::new();
    for object in objects {
        let Answer::Object(view) = asked(&mut e, Ask::Object(object.clone())) else { panic!() };
        let at = e.shown().at;
        for offer in view.offers {
            let out = e.handle(match offer.deed {
                Deed::Kubectl(line) => Input::Do(line),
                Deed::Evict => Input::Evict(object.clone()),
                Deed::Fault(fault) => Input::Break(fault),
            });
            let failed = out.iter().any(|o| matches!(o, Output::Notice(n) if n.bad));
            // There is no revision before the first.
            assert!(!failed || offer.key == "act-undo", "{object} {}: {out:?}", offer.key);
            done.insert(offer.key);
            e.handle(Input::Goto(at));
            finish(&mut e);
        }
    }
    assert!(done.len() >= 12, "{done:?}");
}

/// At rest, a press of Step goes to the next run of a CronJob, and what it shows beforehand is what comes of it.
#[test]
fn a_step_at_rest_goes_to_the_next_run_of_a_schedule() {
    for depth in [Depth::Command, Depth::Reconcile] {
        let mut e = in_slices();
        e.handle(Input::OpenScenario("27-cronjob".into()));
        finish(&mut e);
        e.handle(Input::ToSteady);
        finish(&mut e);
        e.handle(Input::Depth(depth));
        finish(&mut e);
        let listing = e.shown().listing.clone();
        assert!(listing.steady());
        let next = listing.scheduled.unwrap();
        assert!((1..=60_100).contains(&next.wait), "{}", next.wait);
        let before = e.shown().at;
        e.handle(Input::Step);
        finish(&mut e);
        assert_eq!(e.shown().at, before + 1);
        assert_eq!(e.shown().by.as_deref(), Some("cronjob-controller"));
        assert_eq!(next.by.as_ref(), "cronjob-controller");
        let text = Link::of(&e.session).encode();
        let mut replay = Replay::new(&Link::decode(&text).unwrap());
        while !replay.advance(7) {}
        let again = replay.finish().session;
        assert_eq!(again.cluster().digest(), e.session.cluster().digest());
    }
}

/// The editor learns of a kind with its definition, asks for its schema, and forgets it with its definition.
#[test]
fn the_schemas_of_custom_kinds() {
    let mut e = at_once();
    assert!(e.shown().kinds.is_empty());
    e.handle(Input::OpenScenario("23-custom-resource".into()));
    finish(&mut e);
    let kinds = e.shown().kinds.clone();
    assert_eq!(kinds.iter().map(|k| k.kind.as_str()).collect::<Vec<_>>(), ["Website"]);
    let asked_for = asked(&mut e, Ask::Schema(kinds[0].clone()));
    let Answer::Schema(Some(schema)) = asked_for else { panic!("{asked_for:?}") };
    assert!(schema.contains("\"maxLength\":63"), "{schema}");

    // A text that is typed can define a kind, once what it would do is worked out.
    let gadget = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gadgets.example.com}\n\
        spec: {group: example.com, scope: Cluster, names: {plural: gadgets, kind: Gadget}, versions: [{name: v1, served: true, \
        storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n---\nkind: [\n";
    e.handle(Input::Typed(gadget.into()));
    assert!(Rc::ptr_eq(&e.shown().kinds, &kinds));
    e.handle(Input::Preview);
    assert_eq!(e.shown().kinds.iter().map(|k| k.kind.as_str()).collect::<Vec<_>>(), ["Gadget", "Website"]);

    e.handle(Input::Typed(String::new()));
    e.handle(Input::Preview);
    e.handle(Input::Do("delete crd websites.shop.example.com --wait=false".into()));
    e.handle(Input::ToSteady);
    finish(&mut e);
    assert!(e.shown().kinds.is_empty());
    assert_eq!(asked(&mut e, Ask::Schema(kinds[0].clone())), Answer::Schema(None));
}

#[test]
fn a_step_is_about_what_was_asked_for() {
    let mut e = at_once();
    e.handle(Input::Do("create service clusterip web --tcp=80:80".to_owned()));
    // The API server has written an IPAddress before the Service.
    let subject = e.shown().subject.clone().unwrap();
    assert_eq!((subject.kind, &*subject.key.name), (Kind::SERVICE, "web"));
}

#[test]
fn a_text_follows_an_undo() {
    let mut e = at_once();
    e.handle(Input::OpenScenario("25-daemon-set".to_owned()));
    finish(&mut e);
    e.handle(Input::Preview);
    e.handle(Input::Attempt(0));
    let text = e.shown().text.to_string();
    assert!(text.contains("fluentd:v1.17") && !text.contains("sim.steady"), "{text} {:?}", e.shown().preview);
}

#[test]
fn a_text_follows_a_try_and_keeps_a_persons_edits() {
    let mut e = at_once();
    e.handle(Input::OpenScenario("01-first-deployment".to_owned()));
    finish(&mut e);
    e.handle(Input::Preview);
    // A person adds a comment and a label.
    let own =
        format!("# Mine.\n{}", e.shown().text).replacen("    app: web", "    app: web\n    team: blue", 1);
    e.handle(Input::Typed(own.clone()));
    let tries = e.shown().scenario.clone().unwrap().tries.len();
    for nth in 0..tries {
        e.handle(Input::Attempt(nth));
    }
    let text = e.shown().text.to_string();
    assert!(text.contains("replicas: 5") && text.contains("nginx:1.28"), "{text}");
    assert_eq!(text.replace("replicas: 5", "replicas: 3").replace("1.28", "1.27"), own);
    let preview = e.shown().preview.clone().unwrap();
    assert!(preview.back.is_empty());
    assert_eq!(preview.changed.len(), 1, "the label");
    // What is done otherwise is said, and taken over when a person asks for it.
    e.handle(Input::Do("scale deployment web --replicas=2".to_owned()));
    e.handle(Input::Preview);
    let preview = e.shown().preview.clone().unwrap();
    assert_eq!(preview.back.iter().flat_map(|(_, fields)| fields).count(), 1);
    assert!(preview.follows);
    e.handle(Input::TakeOver);
    assert!(e.shown().text.contains("replicas: 2") && e.shown().text.starts_with("# Mine."));
    assert!(e.shown().preview.as_ref().unwrap().back.is_empty());
    // Before the try the text is not older than the cluster: Apply would do what was tried.
    e.handle(Input::Restart);
    finish(&mut e);
    e.handle(Input::Preview);
    let preview = e.shown().preview.clone().unwrap();
    assert!(preview.back.is_empty() && !preview.changed.is_empty());
}

/// A filter stays while steps are taken, hides nothing from who asks for all, and ends with the run.
#[test]
fn a_filter_stays_until_another_run_is_opened() {
    let mut e = at_once();
    e.handle(Input::OpenScenario("01-first-deployment".into()));
    e.handle(Input::Filter(GraphFilter { kinds: [Kind::POD].into(), ..GraphFilter::default() }));
    assert_eq!(e.shown().filtered.nodes.len(), 0);
    e.handle(Input::ToSteady);
    finish(&mut e);
    assert_eq!(e.shown().filtered.nodes.len(), 3);
    assert!(e.shown().graph.nodes.len() > 3);
    e.handle(Input::OpenScenario("02-self-healing".into()));
    finish(&mut e);
    assert!(e.shown().filter.is_empty());
    assert!(std::rc::Rc::ptr_eq(&e.shown().filtered, &e.shown().graph));
}
