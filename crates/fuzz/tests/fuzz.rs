//! The inputs that have broken a promise once, and a short run of each target, the same one each time.
#![allow(clippy::unwrap_used)]

use steady_fuzz::{Drive, STACK, Target, kept, links, targets};

/// Does something for each target, on a thread with the stack that the page's workers have. Fails with all that was found.
fn for_each(work: fn(&'static Target) -> Vec<String>) {
    let all = move || targets().iter().flat_map(work).collect::<Vec<String>>();
    let found = std::thread::Builder::new().stack_size(STACK).spawn(all).unwrap().join().unwrap();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn kept_inputs_stay_mended() {
    for_each(|target| {
        let mut drive = Drive::bare(target);
        let mut found = Vec::new();
        for kept in kept(target) {
            if let Err(finding) = drive.execute(&kept.input) {
                found.push(format!("{}/{}: {finding}", target.name, kept.name));
            }
        }
        found
    });
}

#[test]
fn a_short_run_finds_nothing() {
    for_each(|target| {
        let mut drive = Drive::new(target, 1);
        drive.skip_own();
        let mut found = Vec::new();
        while drive.executed() < target.short {
            let input = drive.next_input();
            if let Err(finding) = drive.execute(&input) {
                let shorter = drive.shorten(&input, &finding);
                found.push(format!("{}: {finding}\n{}", target.name, String::from_utf8_lossy(&shorter)));
                break;
            }
        }
        found
    });
}

/// The same seed makes the same inputs.
#[test]
fn a_seed_is_a_run() {
    let inputs = |seed| {
        let mut drive = Drive::new(&targets()[0], seed);
        drive.skip_own();
        (0..200).map(|_| drive.next_input()).collect::<Vec<_>>()
    };
    assert_eq!(inputs(3), inputs(3));
    assert_ne!(inputs(3), inputs(4));
}

/// `tests/wasm.rs` repeats random runs in a browser. They are these; `STEADY_UPDATE=1 cargo test -p steady-fuzz` writes them.
#[test]
fn the_runs_that_a_browser_repeats_are_new() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/wasm/runs.txt");
    let run = || links().join("\n") + "\n";
    let links = std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
    if std::env::var_os("STEADY_UPDATE").is_some() {
        std::fs::write(file, links).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(file).unwrap();
    assert!(kept == links, "{} bytes are kept, {} are there now", kept.len(), links.len());
}
