//! Custom resources in a whole cluster: definitions that people install, sessions, links and the explorer.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod installed;
mod runs;

use steady::session::{Session, Start};

/// A session in which a definition was applied and is established.
fn session(definition: &str) -> Session {
    let mut session = Session::new(Start::default());
    let output = session.apply(definition);
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    settle(&mut session);
    session
}

/// Lets every component do what it can without time passing.
fn settle(session: &mut Session) {
    while session.step(steady::session::Depth::Command, None) {}
}

/// What a command line prints, which must succeed.
fn kubectl(session: &mut Session, line: &str, files: &[(&str, &str)]) -> String {
    let output = session.kubectl(line, files);
    assert_eq!(output.exit, 0, "{line}: {}{}", output.stdout, output.stderr);
    output.stdout
}
