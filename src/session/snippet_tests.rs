//! The beginnings that the editor offers for each kind.

use super::{Depth, Session, Start};

/// A snippet as it stands in the text once it was taken: each `#{place}` is its own name.
fn taken(snippet: &str) -> String {
    snippet.replace("#{", "").replace('}', "")
}

#[test]
fn every_beginning_that_the_editor_offers_can_be_applied() {
    let all = include_str!("../../editor/snippets.yaml");
    let snippets: Vec<String> = all.split("---\n").map(taken).collect();
    assert!(snippets.len() > 20);
    let mut session = Session::new(Start::default());
    for snippet in &snippets {
        let out = session.apply(snippet);
        assert_eq!((out.exit, out.stderr.as_str()), (0, ""), "{snippet}");
        assert!(crate::session::view::image_warnings(session.cluster(), snippet).is_empty(), "{snippet}");
    }
    while session.step(Depth::Command, None) {}
    let pods = session.kubectl("get pods --no-headers", &[]).stdout;
    let stuck: Vec<&str> = pods.lines().filter(|l| l.contains("Image") || l.contains("Error")).collect();
    assert!(!pods.is_empty() && stuck.is_empty(), "{pods}");
}
