//! The recordings and the system under test: nothing that passed may be lost.
//!
//! `STEADY_UPDATE=1 cargo test -p steady-conformance --test ratchet` adds what passes now to
//! `tests/conformance/passing.txt`, and writes the table of docs/fidelity.md anew.

use std::path::Path;

use steady_conformance::{Suite, default_dir, ratchet, report, wiring};

#[test]
fn what_passed_still_passes() {
    // A panic of the system under test is a difference, and need not be printed.
    std::panic::set_hook(Box::new(|_| {}));
    let mut outcomes = Vec::new();
    for suite in Suite::ALL {
        match suite.run(&default_dir(), "", &wiring::system, &wiring::compute_hash) {
            Ok(o) => outcomes.extend(o),
            Err(e) => panic!("{e}"),
        }
    }
    drop(std::panic::take_hook());
    let update = std::env::var("STEADY_UPDATE").is_ok_and(|v| v == "1");
    let table = report::markdown(&outcomes);
    if let Err(stale) = marked(&default_dir().join("../../docs/fidelity.md"), &table, update) {
        panic!("{stale}");
    }
    if let Err(lost) = ratchet::check(&default_dir().join("passing.txt"), &outcomes, update) {
        panic!("{lost}");
    }
}

/// Compares what stands between the two marks of a document with a text, or puts the text there.
fn marked(document: &Path, text: &str, update: bool) -> Result<(), String> {
    const BEGIN: &str = "<!-- what is met: begin -->\n";
    const END: &str = "<!-- what is met: end -->";
    let whole = std::fs::read_to_string(document).map_err(|e| format!("{}: {e}", document.display()))?;
    let parts = whole
        .split_once(BEGIN)
        .and_then(|(before, rest)| rest.split_once(END).map(|(between, after)| (before, between, after)));
    let (before, between, after) =
        parts.ok_or("docs/fidelity.md has no marks for the table of what is met")?;
    if between == text {
        return Ok(());
    }
    if !update {
        return Err(format!(
            "the table of docs/fidelity.md is stale; STEADY_UPDATE=1 writes it anew. It should be:\n{text}"
        ));
    }
    std::fs::write(document, format!("{before}{BEGIN}{text}{END}{after}")).map_err(|e| e.to_string())
}
