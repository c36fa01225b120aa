//! Links.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use steady::session::scenario::{self, ScenarioStep};
use steady::session::{Depth, Link, Replay, Session, Start};

use crate::clusters;
use crate::heard::Heard;

/// The most nodes of a cluster that is begun.
const NODES: usize = 12;
/// How many steps of a link are repeated.
const STEPS: usize = 40;

/// The links of some scenarios after some steps, as what is packed into them.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let of = |s: scenario::Scenario| {
        let mut session = Session::new(s.start());
        session.apply(&s.manifest);
        for deed in s.setup.iter().filter(|deed| !matches!(deed, ScenarioStep::Steady(_))).take(4) {
            s.perform(&mut session, deed);
        }
        for _ in 0..6 {
            session.step(Depth::Command, None);
        }
        serde_json::to_vec(&Link::of(&session)).ok()
    };
    let small = scenario::all().into_iter().filter(|s| s.nodes <= 4).step_by(3);
    let mut all: Vec<Vec<u8>> = small.filter_map(of).collect();
    all.push(Link::of(&Session::new(Start::default())).encode().into_bytes());
    all
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let text = if input.starts_with(b"{") {
        format!("i{}", URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(input, 1)))
    } else {
        String::from_utf8_lossy(input).into_owned()
    };
    let link = match Link::decode(&text) {
        Ok(link) => link,
        Err(why) => return heard.say("refused", &why.to_string()),
    };
    let again = Link::decode(&link.encode());
    assert_eq!(again.as_ref(), Ok(&link), "it is written as another one");
    heard.say("link", &link.encode()[..1]);
    if link.start.nodes > NODES {
        return;
    }
    let mut replay = Replay::new(&link);
    let mut left = STEPS;
    while left > 0 && !replay.advance(1) {
        left -= 1;
    }
    let session = replay.session();
    heard.count("moments", session.timeline().len());
    clusters::whole(session.cluster());
    if left > 0 {
        // What was repeated is a run, whose link repeats it.
        let replayed = replay.finish();
        heard.say("same", if replayed.same { "yes" } else { "no" });
        let link = Link::of(&replayed.session);
        let tip = replayed.session.tip();
        let digest = replayed.session.cluster_at(tip).map(|c| c.digest());
        let again = Link::decode(&link.encode()).map(|l| Replay::new(&l).finish());
        match again {
            Ok(again) => {
                let came_to = again.session.cluster_at(again.session.tip()).map(|c| c.digest());
                assert!(
                    again.same && came_to == digest,
                    "a run's link repeats another one: {came_to:?}, {digest:?}"
                );
            }
            // A run may be longer than a link that is opened.
            Err(why) => heard.say("too long", &why.to_string()),
        }
    }
}
