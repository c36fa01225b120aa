//! Tests of the rule book.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::session::{Depth, scenario};

/// The file of the book, as it is written.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    by: Vec<String>,
    rules: Vec<RuleWritten>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleWritten {
    name: String,
    when: Text,
    then: Text,
}

fn written() -> Vec<Written> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/static/rules.yaml");
    serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn names() -> Vec<&'static str> {
    BOOK.iter().flat_map(|c| c.rules.iter().map(|r| r.name)).collect()
}

#[test]
fn the_file_has_each_rule_once_and_in_both_languages() {
    let mut known = BTreeSet::new();
    for chapter in written() {
        assert!(!chapter.by.is_empty() && !chapter.rules.is_empty(), "{chapter:?}");
        for rule in chapter.rules {
            for text in [&rule.when, &rule.then] {
                assert!(!text.en.is_empty() && !text.en.ends_with('.'), "{}: {}", rule.name, text.en);
                assert!(!text.zh.is_ascii(), "{}: {}", rule.name, text.zh);
                assert!(!text.zh.ends_with('。'), "{}: {}", rule.name, text.zh);
            }
            assert!(known.insert(rule.name.clone()), "{} stands twice", rule.name);
        }
    }
    assert_eq!(known, names().into_iter().map(str::to_owned).collect());
}

/// The names in the code: where a reason is made of a name, or a name that has a sentence is passed on.
#[test]
fn each_rule_in_the_code_stands_in_the_book() {
    let book: BTreeSet<&str> = names().into_iter().collect();
    let sentences = include_str!("../../../ui/i18n/en.ftl");
    let sentences: BTreeSet<&str> = sentences
        .lines()
        .filter_map(|line| line.strip_prefix("why-")?.split_once(" =").map(|(key, _)| key))
        .collect();
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut missing = BTreeSet::new();
    while let Some(path) = folders.pop() {
        if path.is_dir() && !path.ends_with("ui") {
            folders.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".rs") || name.ends_with("tests.rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for line in source.lines().filter(|l| !l.trim_start().starts_with("//")) {
            for (i, part) in line.split('"').enumerate().skip(1).step_by(2) {
                let made = line.split('"').nth(i - 1).is_some_and(|before| before.ends_with("Why::new("));
                let told = part.contains('.') && sentences.contains(&*part.replace('.', "-"));
                if (made || told) && !book.contains(part) {
                    missing.insert(part.to_owned());
                }
            }
        }
    }
    assert!(missing.is_empty(), "rules that static/rules.yaml does not have: {missing:?}");
    for chapter in BOOK {
        for rule in chapter.rules {
            let key = rule.name.replace('.', "-");
            assert!(sentences.contains(&*key), "{} has no sentence", rule.name);
        }
    }
}

/// What the components of the scenarios do is in the book, in a chapter of theirs.
#[test]
fn the_book_names_who_follows_a_rule() {
    let mut by_rule: BTreeMap<&str, &[&str]> = BTreeMap::new();
    for chapter in BOOK {
        by_rule.extend(chapter.rules.iter().map(|r| (r.name, chapter.by)));
    }
    let (mut seen, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for scenario in scenario::ordinary() {
        let mut session = scenario.open();
        for _ in 0..120 {
            if !session.step(Depth::Command, None) {
                break;
            }
        }
        for id in session.timeline().iter().copied() {
            for command in session.moment(id).map_or(&[][..], |m| m.commands()) {
                let Some(why) = &command.why else { continue };
                // Each instance of a process has an elector of its own.
                let by =
                    if command.by.starts_with("leaderelection") { "leaderelection" } else { &*command.by };
                seen.insert(why.rule);
                if by_rule.get(why.rule).is_none_or(|all| !all.contains(&by)) {
                    wrong.insert((why.rule, by.to_owned()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(seen.len() > 60, "{} {seen:?}", seen.len());
}

#[test]
fn a_rule_is_enabled_where_the_listing_has_its_command() {
    let scenario = scenario::find("01-first-deployment").unwrap();
    let mut session = scenario.open();
    session.apply(&scenario.manifest);
    let book = |session: &Session| {
        let lines = session.cluster().next_commands(10);
        let lines = lines.iter().map(|c| NextLine::of_command(session.cluster(), c)).collect::<Vec<_>>();
        rule_book(session, &Listing { lines: lines.into(), more: 0, ready: true, scheduled: None })
    };
    let find = |book: &RuleBook, name: &str| {
        book.chapters.iter().flat_map(|c| &c.rules).find(|r| r.name == name).unwrap().clone()
    };
    let before = book(&session);
    assert!(before.looked);
    let rule = find(&before, "new_replica_set.create");
    assert_eq!((rule.enabled.len(), rule.used, rule.last), (1, 0, None));
    // The ReplicaSet is not there yet; the Deployment is.
    let about: Vec<String> = rule.enabled[0].about.iter().map(ToString::to_string).collect();
    assert_eq!(about, ["Deployment default/web"]);
    assert!(rule.places.iter().any(|(file, line)| file == "controllers/deployment/sync.rs" && *line > 0));
    assert!(session.step(Depth::Command, None));
    let after = book(&session);
    let rule = find(&after, "new_replica_set.create");
    assert_eq!((rule.enabled.len(), rule.used, rule.last), (0, 1, Some(session.at())));
}
