//! Checks that no component asks an event for its `currentTarget`. Yew listens at the page's root for all components, so it would be that
//! root: `src/ui/at.rs` has what to ask instead.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn nobody_asks_where_an_event_is_heard() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("src/ui");
    let mut all = Vec::new();
    files(&folder, &mut all);
    assert!(!all.is_empty());
    let asks = |path: &&PathBuf| std::fs::read_to_string(path).unwrap().contains(".current_target()");
    let wrong: Vec<_> = all.iter().filter(asks).collect();
    assert!(wrong.is_empty(), "use src/ui/at.rs: {wrong:?}");
}
