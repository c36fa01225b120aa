//! Files of lessons and scenarios.

use steady::lessons::{self, Check};
use steady::session::scenario;

use crate::clusters;
use crate::heard::Heard;
use crate::seeds;

/// How many steps of a lesson are played.
const STEPS: usize = 120;
/// The most nodes of a cluster that is begun.
const NODES: usize = 12;

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let all =
        seeds::files("static/lessons", ".yaml").into_iter().chain(seeds::files("static/scenarios", ".yaml"));
    super::bytes(all.map(|(_, text)| text))
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let text = &*String::from_utf8_lossy(input);
    let lines = text.split('\n').count();
    let placed = |why: &dyn std::fmt::Display, line: Option<usize>| {
        assert!(line.is_none_or(|l| (1..=lines + 1).contains(&l)), "{why} in {lines} lines");
        assert!(why.to_string().len() < 20_000 + 4 * text.len(), "{} bytes say why", why.to_string().len());
    };
    match scenario::read("mine.yaml", text) {
        Ok(_) => heard.say("scenario", ""),
        Err(why) => {
            placed(&why, why.line);
            heard.say("scenario", &why.message);
        }
    }
    let lesson = match lessons::read("mine.yaml", text) {
        Ok(lesson) => lesson,
        Err(why) => {
            placed(&why, why.line);
            return heard.say("lesson", &why.message);
        }
    };
    if lesson.start.nodes > NODES {
        return;
    }
    let mut check = Check::new(&lesson);
    check.advance(STEPS);
    heard.count("played", check.done() as usize);
    match check.flaw() {
        Some(flaw) => {
            heard.say("flaw", &flaw.what);
            assert!(!flaw.what.is_empty(), "a flaw without words");
        }
        None => heard.say("flaw", "none"),
    }
    let _ = clusters::whole;
}
