#![allow(clippy::unwrap_used)]
use std::cell::Cell;
use std::rc::Rc;

use super::tests::{at_once, finish, in_slices, notices};
use super::*;
use crate::session::{Link, Replay};

/// The runs that the page is to keep.
fn drafts(out: &[Output]) -> Vec<&Draft> {
    out.iter().filter_map(|o| if let Output::Keep(draft) = o { Some(draft) } else { None }).collect()
}

fn work(draft: &Draft) -> Option<Work> {
    Some(Work { id: Some(draft.id.to_string()), link: draft.link.clone() })
}

/// A page that goes on with a run.
fn page(tab: &str, work: Option<Work>) -> Engine {
    let mut page = Engine::new(|| 0.0);
    page.handle(Input::Begin(Begin { work, tab: tab.into(), ..Begin::default() }));
    page
}

#[test]
fn a_link_opens_what_was_shared_and_a_reload_brings_it_back() {
    let mut e = at_once();
    e.handle(Input::Terminal("kubectl scale deployment web --replicas=2".into()));
    e.handle(Input::Step);
    e.handle(Input::ShowMap(true));
    let out = e.handle(Input::Share);
    let link = out.iter().find_map(|o| if let Output::Link(l) = o { Some(l.clone()) } else { None }).unwrap();

    let mut other = Engine::new(|| 0.0);
    let out = other.handle(Input::Begin(Begin { link: Some(link), others: true, ..Begin::default() }));
    assert_eq!(notices(&out), [&Said::key("link-opened")]);
    assert_eq!(other.session.cluster().digest(), e.session.cluster().digest());
    assert!(other.shown().map.shown);

    // The link has left the address by now.
    let out = other.handle(Input::Save);
    let mut again = Engine::new(|| 0.0);
    let out = again.handle(Input::Begin(Begin { work: work(drafts(&out)[0]), ..Begin::default() }));
    assert_eq!(notices(&out), Vec::<&Said>::new());
    assert_eq!(again.session.cluster().digest(), e.session.cluster().digest());

    // What cannot be opened says why, and leaves what was there.
    let out = again.handle(Input::Open("a<script>".into()));
    assert!(matches!(notices(&out)[..], [Said::Key(key, _)] if key == "link-refused"));
    assert_eq!(again.session.cluster().digest(), e.session.cluster().digest());
}

#[test]
fn what_nobody_touched_is_not_kept() {
    let mut e = at_once();
    assert!(drafts(&e.handle(Input::Save)).is_empty());
    assert!(drafts(&e.handle(Input::OpenScenario("08-orphan-adopt".into()))).is_empty());
    // Opened again as it was, it is not newer than before.
    e.handle(Input::Step);
    let out = e.handle(Input::Save);
    let mut again = page("b", work(drafts(&out)[0]));
    assert!(drafts(&again.handle(Input::Save)).is_empty());
    // From where a person goes counts, too.
    again.handle(Input::Back);
    assert_eq!(drafts(&again.handle(Input::Save))[0].id, again.shown().run);
}

#[test]
fn each_scenario_has_its_own_run_and_steps_alone_are_kept() {
    let mut e = page("t", None);
    let first = e.shown().run.clone();
    e.handle(Input::Step);
    let digest = e.session.cluster().digest();
    let out = e.handle(Input::OpenScenario("08-orphan-adopt".into()));
    let kept = drafts(&out)[0].clone();
    assert_eq!((&kept.id, kept.steps), (&first, 1));
    let second = e.shown().run.clone();
    assert_ne!(second, first);
    e.handle(Input::Step);
    let out = e.handle(Input::OpenScenario("10-node-lost".into()));
    assert_eq!(drafts(&out)[0].id, second);
    // The first goes on under its own id.
    e.handle(Input::OpenRun(work(&kept).unwrap()));
    assert_eq!((&e.shown().run, e.session.cluster().digest()), (&first, digest));
    // A copy does not.
    e.handle(Input::OpenRun(Work { id: None, link: kept.link }));
    assert_ne!(e.shown().run, first);
}

#[test]
fn a_text_that_was_not_applied_is_kept() {
    let mut e = at_once();
    e.handle(Input::Typed("kind: nothing yet".into()));
    let out = e.handle(Input::Save);
    assert_eq!(*page("b", work(drafts(&out)[0])).shown().text, "kind: nothing yet");
}

#[test]
fn a_run_that_another_tab_goes_on_with_gets_another_id() {
    let mut e = page("t", None);
    e.handle(Input::Step);
    let before = drafts(&e.handle(Input::Save))[0].id.clone();
    e.handle(Input::Part);
    assert_ne!(e.shown().run, before);
    assert!(drafts(&e.handle(Input::Save)).is_empty());
    e.handle(Input::Step);
    assert_eq!(drafts(&e.handle(Input::Save))[0].id, e.shown().run);
}

/// The page is closed in the middle of a run: what is kept is where the run had come to.
#[test]
fn a_run_is_kept_while_it_goes_on() {
    let mut e = in_slices();
    e.handle(Input::ToSteady);
    for _ in 0..40 {
        e.work();
    }
    assert!(e.activity.is_some(), "it takes more slices than these");
    let out = e.handle(Input::Save);
    let link = Link::decode(&drafts(&out)[0].link).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(9) {}
    let there = replay.finish().session;
    let here = e.session.cluster_at(e.session.at()).unwrap();
    assert_eq!(there.cluster().digest(), here.digest());
    assert!(there.timeline().len() > 3, "{}", there.timeline().len());
    finish(&mut e);
}

#[test]
fn keeping_takes_a_twentieth_of_the_time_of_a_run() {
    // Each look at the clock takes a millisecond, so keeping takes one.
    let now = Rc::new(Cell::new(0.0));
    let clock = now.clone();
    let mut e = Engine::new(move || {
        clock.set(clock.get() + 1.0);
        clock.get()
    });
    e.handle(Input::Begin(Begin::default()));
    e.handle(Input::Speed(0));
    e.handle(Input::Run);
    assert_eq!(drafts(&e.handle(Input::Save)).len(), 1);
    let then = now.get();
    e.handle(Input::Step);
    e.handle(Input::Run);
    assert!(drafts(&e.handle(Input::Save)).is_empty());
    while drafts(&e.work()).is_empty() {}
    assert!(now.get() - then >= 20.0, "{}", now.get() - then);
    // At rest nothing has to wait.
    e.handle(Input::Stop);
    e.handle(Input::Back);
    assert_eq!(drafts(&e.handle(Input::Save)).len(), 1);
}

/// A page that asked for it is handed the run together with each moment that it shows, and with what was typed.
#[test]
fn a_run_is_kept_with_every_change() {
    let mut e = at_once();
    e.handle(Input::Begin(Begin { keep: true, ..Begin::default() }));
    assert!(drafts(&finish(&mut e).0).is_empty(), "nobody has touched it");
    let steps = |out: &[Output]| drafts(out).last().map(|draft| draft.steps);
    assert_eq!(steps(&e.handle(Input::Step)), Some(1));
    assert_eq!(steps(&e.handle(Input::Step)), Some(2));
    assert_eq!(steps(&e.handle(Input::Back)), Some(2));
    let typed = drafts(&e.handle(Input::Typed("kind: Pod".into())))[0].link.clone();
    assert_eq!(Link::decode(&typed).unwrap().text.as_deref(), Some("kind: Pod"));
    assert!(drafts(&e.handle(Input::Select(None))).is_empty());
}
