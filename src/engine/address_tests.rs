//! What the page's address opens: a scenario or a link, at which step, until which step, and for whom.
#![allow(clippy::unwrap_used)]

use super::*;

fn engine(with: Begin) -> (Engine, Vec<Output>) {
    let mut engine = Engine::new(|| 0.0);
    let mut out = engine.handle(Input::Begin(with));
    out.extend(finish(&mut engine));
    (engine, out)
}

fn finish(engine: &mut Engine) -> Vec<Output> {
    let mut out = Vec::new();
    while engine.due().is_some() {
        out.extend(engine.work());
    }
    out
}

fn scenario_of(engine: &Engine) -> String {
    engine.shown().scenario.as_ref().map(|s| s.id.to_string()).unwrap_or_default()
}

fn link_of(engine: &mut Engine) -> String {
    match engine.handle(Input::Ask(1, Ask::Link)).pop() {
        Some(Output::Answer(_, answer)) => match *answer {
            Answer::Link(Some(link)) => link,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_scenario_has_an_address() {
    let id = "04-rolling-update";
    for begin in [
        Begin { link: Some(id.into()), ..Begin::default() },
        Begin { scenario: Some(id.into()), ..Begin::default() },
    ] {
        let (engine, out) = engine(begin);
        assert_eq!(scenario_of(&engine), id);
        assert!(out.iter().any(|o| matches!(o, Output::Opened)));
        assert_eq!(engine.shown().position, engine.shown().beginning);
    }
    // A link outranks it, and it outranks kept work; of no scenario the reason is said.
    let (mut other, _) = engine(Begin { link: Some("11-crash-loop".into()), ..Begin::default() });
    let link = link_of(&mut other);
    let both = Begin { link: Some(link.clone()), scenario: Some(id.into()), ..Begin::default() };
    assert_eq!(scenario_of(&engine(both).0), "11-crash-loop");
    let work = Some(Work { id: Some("1".into()), link });
    let (with_work, _) = engine(Begin { link: Some(id.into()), work: work.clone(), ..Begin::default() });
    assert_eq!(scenario_of(&with_work), id);
    let (with_work, out) = engine(Begin { link: Some("99-no".into()), work, ..Begin::default() });
    assert_eq!(scenario_of(&with_work), "11-crash-loop");
    let said = |o: &Output| matches!(o, Output::Notice(Notice { said: Said::Key(key, _), .. }) if key.as_str() == "link-no-scenario");
    assert!(out.iter().any(said));
}

#[test]
fn an_address_says_where_the_run_opens_and_where_it_ends() {
    let begin =
        |at, until| Begin { scenario: Some("04-rolling-update".into()), at, until, ..Begin::default() };
    let (mut engine, _) = engine(begin(Some(2), Some(4)));
    let past = |engine: &Engine| engine.shown().position - engine.shown().beginning;
    assert_eq!((past(&engine), engine.shown().ended), (2, false));
    for input in [Input::Step, Input::StepAtOnce, Input::Step, Input::ToSteady, Input::Walk(9), Input::Run] {
        engine.handle(input);
        finish(&mut engine);
    }
    assert_eq!((past(&engine), engine.shown().ended), (4, true));
    engine.handle(Input::Back);
    assert_eq!((past(&engine), engine.shown().ended), (3, false));
    engine.handle(Input::ToSteady);
    finish(&mut engine);
    assert_eq!(past(&engine), 4);
    // The steps of a link are those that it repeats, as far as it has them.
    let link = link_of(&mut engine);
    let opened = |at| {
        super::address_tests::engine(Begin { link: Some(link.clone()), at: Some(at), ..Begin::default() }).0
    };
    assert_eq!(past(&opened(1)), 1);
    assert_eq!(opened(1).shown().marks.len(), engine.shown().marks.len());
    assert_eq!(past(&opened(6)), 6);
}

#[test]
fn an_embedded_page_keeps_nothing_and_opens_no_work() {
    let (mut other, _) = engine(Begin { link: Some("11-crash-loop".into()), ..Begin::default() });
    let work = link_of(&mut other);
    let begin = Begin {
        work: Some(Work { id: Some("1".into()), link: work.clone() }),
        others: true,
        embedded: true,
        ..Begin::default()
    };
    let (mut engine, mut out) = engine(begin);
    assert_ne!(scenario_of(&engine), "11-crash-loop");
    let apply = Input::ApplyText("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n".into());
    for input in
        [Input::Open(work), apply, Input::Save, Input::OpenScenario("04-rolling-update".into()), Input::Save]
    {
        out.extend(engine.handle(input));
        out.extend(finish(&mut engine));
    }
    assert_eq!(scenario_of(&engine), "04-rolling-update");
    assert!(!out.iter().any(|o| matches!(o, Output::Keep(..) | Output::Notice(_))));
}
