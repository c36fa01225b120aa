#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use steady::engine::{Answer, Ask, Begin, Engine, Input, Output};

use super::palette::COLOURS;
use super::*;
use crate::ui::i18n::{Lang, Texts};

fn asked(engine: &mut Engine, ask: Ask) -> Answer {
    match engine.handle(Input::Ask(1, ask)).pop() {
        Some(Output::Answer(_, answer)) => *answer,
        other => panic!("{other:?}"),
    }
}

fn run(id: &str, steps: usize) -> Engine {
    let mut engine = Engine::new(|| 0.0);
    engine.handle(Input::Begin(Begin { scenario: Some(id.into()), ..Begin::default() }));
    while engine.due().is_some() {
        engine.work();
    }
    for _ in 0..steps {
        engine.handle(Input::StepAtOnce);
    }
    engine
}

/// Whether every tag of a text is closed in its order: what an XML parser asks first.
fn is_balanced(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1).filter_map(|t| t.split('>').next()) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn the_graph_is_a_picture_of_its_own() {
    let engine = run("04-rolling-update", 6);
    let shown = engine.shown();
    for (lang, dark) in [(Lang::En, false), (Lang::Zh, true)] {
        let texts = Texts::new(lang);
        let picture = Picture {
            graph: &shown.graph,
            changed: &shown.changed,
            says: "a < b & \"c\"",
            texts: &texts,
            dark,
        };
        let text = svg(&picture);
        assert!(is_balanced(&text), "{text}");
        assert!(text.contains("a &lt; b &amp; &quot;c&quot;"));
        assert!(text.contains(">web<") && text.contains(">Deployment<") && text.contains(">node-1<"));
        assert!(text.contains(if dark { "#0f1013" } else { "#f5f5f2" }));
        assert!(!text.contains("href") && !text.contains("NaN"), "{text}");
    }
    let many = run("01-first-deployment", 0);
    let empty = Picture {
        graph: &many.shown().graph,
        changed: &BTreeSet::new(),
        says: "",
        texts: &Texts::new(Lang::En),
        dark: false,
    };
    assert!(is_balanced(&svg(&empty)));
}

#[test]
fn a_run_is_a_picture_that_moves() {
    let mut engine = run("04-rolling-update", 5);
    let Answer::Frames(frames) = asked(&mut engine, Ask::Frames) else { panic!("no frames") };
    assert_eq!(frames.iter().map(|f| f.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    let text = animated(&frames, "Rolling update", &Texts::new(Lang::En), true);
    assert!(is_balanced(&text.replace("->", "")));
    assert_eq!(text.matches("<g class=\"f ").count(), 6);
    assert_eq!(text.matches("@keyframes").count(), 6);
    assert!(text.contains("prefers-reduced-motion"));
    // A long run has no more pictures than a person will look at.
    engine.handle(Input::ToSteady);
    let Answer::Frames(all) = asked(&mut engine, Ask::Frames) else { panic!("no frames") };
    assert!(all.len() <= 48);
    assert_eq!(all.last().unwrap().number, engine.shown().marks.len() - 1 - engine.shown().beginning);
}

#[test]
fn a_run_is_a_page_of_steps() {
    let mut engine = run("04-rolling-update", 3);
    let Answer::Steps(steps, more) = asked(&mut engine, Ask::Steps) else { panic!("no steps") };
    assert_eq!((steps.len(), more), (3, 0));
    let about = About {
        title: "Rolling <update>",
        story: "Two sets.",
        link: "https://example.org/#x",
        manifest: "a: 1\n",
        more: 2,
    };
    let text = markdown(&steps, &about, &Texts::new(Lang::En));
    assert!(text.starts_with("# Rolling &lt;update>\n\nTwo sets.\n\n["), "{text}");
    assert!(text.contains("(https://example.org/#x)") && text.contains("deployment-controller"), "{text}");
    assert!(
        text.contains("Created `ReplicaSet default/web-") && text.contains("```yaml\na: 1\n```"),
        "{text}"
    );
    assert!(text.contains("`spec.nodeName`: – → `node-"), "{text}");
    let text = markdown(&steps, &about, &Texts::new(Lang::Zh));
    assert!(text.contains("创建") && !text.contains("export-"), "{text}");
}

#[test]
fn the_colours_are_those_of_the_page() {
    let css = include_str!("../../../static/app.css");
    for (name, light, dark) in COLOURS.iter().filter(|(name, ..)| *name != "w-start") {
        assert!(css.contains(&format!("--{name}: light-dark({light}, {dark});")), "{name}");
    }
}
