//! The service worker's list: which files it keeps, and a version that changes with any of them.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Result, why};

/// The service worker, which Trunk copies into the page as it stands in static/.
const WORKER: &str = "sw.js";
/// The line of it that is replaced.
const LINE: &str = "const [VERSION, FILES] = [\"\", []];";
/// Where index.html says that there is a service worker.
const BOOT: &str = " id=\"boot\"";

/// Writes the version and the files into `sw.js`, and has index.html name it. Returns how many files there are.
pub fn write(dist: &Path, files: &[String]) -> Result<usize> {
    let index = dist.join("index.html");
    let html = std::fs::read_to_string(&index).map_err(why(&index))?;
    if !html.contains(BOOT) {
        return Err(format!("{}: there is no script with{BOOT}", index.display()));
    }
    let html = html.replace(&format!("{BOOT} data-worker=\"./{WORKER}\""), BOOT);
    let html = html.replace(BOOT, &format!("{BOOT} data-worker=\"./{WORKER}\""));
    std::fs::write(&index, html).map_err(why(&index))?;

    let worker = dist.join(WORKER);
    let text = std::fs::read_to_string(&worker).map_err(why(&worker))?;
    let line = text.lines().find(|line| line.starts_with("const [VERSION, FILES]"));
    let line = line.ok_or_else(|| format!("{}: it lacks the line {LINE}", worker.display()))?.to_owned();
    // Of an engine in parts the whole is a second way for when there is a network.
    let in_parts = files.iter().any(|file| file.ends_with("_second.wasm"));
    let is_second_way =
        |file: &str| in_parts && ["steady-worker.js", "steady-worker_bg.wasm"].contains(&file);
    let kept: Vec<&String> = files.iter().filter(|file| is_kept(file) && !is_second_way(file)).collect();
    let mut hash = Sha256::new();
    hash.update(text.replace(&line, LINE));
    for file in &kept {
        let path = dist.join(file);
        hash.update(file);
        hash.update(std::fs::read(&path).map_err(why(&path))?);
    }
    let version: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let list: Vec<String> = kept.iter().map(|file| format!("{file:?}")).collect();
    let text =
        text.replace(&line, &format!("const [VERSION, FILES] = [\"{version}\", [{}]];", list.join(", ")));
    std::fs::write(&worker, text).map_err(why(&worker))?;
    Ok(kept.len())
}

/// The worker itself is the browser's own affair; nobody reads licences on a plane, and marks are for `cargo xtask split`.
fn is_kept(file: &str) -> bool {
    ![WORKER, "licenses.txt"].contains(&file) && !file.starts_with("marks-")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_version_changes_with_any_file_and_with_nothing_else() {
        let dir = std::env::temp_dir().join(format!("steady-pack-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let put = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
        let worker = || std::fs::read_to_string(dir.join(WORKER)).unwrap();
        put("index.html", "<script id=\"boot\"></script>");
        put(WORKER, &format!("// first\n{LINE}\nlast();\n"));
        put("a.js", "a");
        let files = ["a.js", "index.html", "licenses.txt", WORKER].map(str::to_owned);
        assert_eq!(write(&dir, &files), Ok(2));
        let once = worker();
        assert!(once.contains("[\"a.js\", \"index.html\"]]") && once.ends_with("last();\n"), "{once}");
        assert_eq!(write(&dir, &files), Ok(2));
        assert_eq!(worker(), once);
        put("a.js", "b");
        assert_eq!(write(&dir, &files), Ok(2));
        assert_ne!(worker(), once);
        let html = std::fs::read_to_string(dir.join("index.html")).unwrap();
        assert_eq!(html, "<script id=\"boot\" data-worker=\"./sw.js\"></script>");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
