//! Which modules use which others, and which of these uses the map does not allow.

use std::collections::{BTreeMap, BTreeSet};

use crate::map::Map;
use crate::paths::{self, Found};

/// A file of the repository.
pub struct File {
    /// The path, for example `src/api/mod.rs`.
    pub name: String,
    /// The content.
    pub text: String,
}

/// A path in a file that leads out of its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The file, for example `src/api/mod.rs`.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The module that has the path, for example `api/patch`. For a file outside of `src/` its place:
    /// `crates/door/src/main`.
    pub from: String,
    /// The module or item that the path names, for example `etcd/Etcd`.
    pub to: String,
    /// Whether it is compiled for tests only.
    pub in_test: bool,
}

/// A use that the map does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    pub file: String,
    pub line: usize,
    /// The room; in a cycle, the module.
    pub from: String,
    pub to: String,
    /// Whether it closes a cycle inside a room.
    pub in_circle: bool,
}

/// The uses in all files.
pub fn uses(files: &[File]) -> Result<Vec<Use>, String> {
    let mut read = Vec::new();
    for file in files {
        let (module, roots): (Vec<String>, &[&str]) = match file.name.strip_prefix("src/") {
            // The page is a crate of its own; its paths into the library begin with `steady`.
            Some(path) => (module_of(path), &["crate", "steady"]),
            None => (module_of(&file.name), &["steady"]),
        };
        let found = paths::read(&file.text, &module, roots).map_err(|e| format!("{}: {e}", file.name))?;
        read.push((file, module, found));
    }
    let macros = exported(&read);
    let tests: BTreeSet<Vec<String>> = read.iter().flat_map(|(.., f)| f.test_modules.clone()).collect();
    let mut uses = Vec::new();
    for (file, module, Found { paths, .. }) in read {
        let for_tests = tests.iter().any(|test| module.starts_with(test));
        // Paths of another member into itself, with `super` and `self`, are not uses of the library.
        let outside = !file.name.starts_with("src/");
        let own = |path: &paths::Path| outside && path.segments.first() == module.first();
        uses.extend(paths.into_iter().filter(|path| !own(path)).map(|path| Use {
            file: file.name.clone(),
            line: path.line,
            from: module.join("/"),
            to: match path.segments.first().and_then(|first| macros.get(first)) {
                Some(module) => module.clone(),
                None => path.segments.join("/"),
            },
            in_test: path.in_test || for_tests,
        }));
    }
    Ok(uses)
}

/// The macros at the crate's root (`#[macro_export]`), each with the module that defines it.
fn exported(files: &[(&File, Vec<String>, Found)]) -> BTreeMap<String, String> {
    let mut macros = BTreeMap::new();
    for (file, module, _) in files {
        let mut lines = file.text.lines().map(str::trim).skip_while(|line| *line != "#[macro_export]");
        while let Some(line) = lines.next() {
            if let Some(name) =
                line.strip_prefix("macro_rules! ").and_then(|rest| rest.split([' ', '{']).next())
            {
                macros.insert(name.to_owned(), module.join("/"));
                lines.find(|line| *line == "#[macro_export]");
            }
        }
    }
    macros
}

/// The module of a file: `api/patch` of `api/patch/mod.rs`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod") || path == "lib" {
        parts.pop();
    }
    parts
}

/// The longest room name that a module is in.
fn room<'m>(map: &'m Map, module: &str) -> Option<&'m str> {
    let inside = |room: &&String| module == room.as_str() || module.starts_with(&format!("{room}/"));
    map.rooms.keys().filter(inside).max_by_key(|room| room.len()).map(String::as_str)
}

/// The uses between rooms that the map does not allow, one for each file and pair of rooms.
pub fn between(map: &Map, uses: &[Use]) -> Result<Vec<Break>, String> {
    let mut breaks: Vec<Break> = Vec::new();
    // The crate's root declares the rooms and is left out.
    for used in uses.iter().filter(|used| !used.from.is_empty() && !used.to.is_empty()) {
        let no_room = |module: &str| {
            format!("{}:{}: {module} is in no room of the map in ARCHITECTURE.md", used.file, used.line)
        };
        let from = room(map, &used.from).ok_or_else(|| no_room(&used.from))?;
        let to = room(map, &used.to).ok_or_else(|| no_room(&used.to))?;
        let allowed = from == to || map.rooms.get(from).is_some_and(|may| may.iter().any(|room| room == to));
        let known = |b: &Break| b.file == used.file && b.from == from && b.to == to;
        if !allowed && !breaks.iter().any(known) {
            let (file, line) = (used.file.clone(), used.line);
            breaks.push(Break { file, line, from: from.into(), to: to.into(), in_circle: false });
        }
    }
    Ok(breaks)
}

/// The arrows of the map that no file uses, as `from: to`. Uses in tests count.
pub fn unused(map: &Map, uses: &[Use]) -> Vec<String> {
    let used: BTreeSet<(&str, &str)> =
        uses.iter().filter_map(|u| Some((room(map, &u.from)?, room(map, &u.to)?))).collect();
    let arrows =
        map.rooms.iter().flat_map(|(from, may)| may.iter().map(move |to| (from.as_str(), to.as_str())));
    arrows.filter(|arrow| !used.contains(arrow)).map(|(from, to)| format!("{from}: {to}")).collect()
}

/// The folders below `src/` with Rust files, for example `scheduler/framework`, in order.
pub fn folders(files: &[File]) -> BTreeSet<String> {
    let paths = files.iter().filter_map(|file| file.name.strip_prefix("src/")?.rsplit_once('/'));
    paths.map(|(folder, _)| folder.to_owned()).collect()
}

/// The uses between the modules of a folder, one for each file and pair of modules. Code for tests only is
/// left out: the tests of a module may use the whole room.
pub fn inside(folder: &str, files: &[File], uses: &[Use]) -> Vec<Break> {
    let mut edges: Vec<Break> = Vec::new();
    let names = files.iter().filter_map(|file| file.name.strip_prefix("src/"));
    let modules: BTreeSet<String> =
        names.filter_map(|name| child(folder, &module_of(name).join("/"))).collect();
    for used in uses.iter().filter(|used| !used.in_test) {
        let (Some(from), Some(to)) = (child(folder, &used.from), child(folder, &used.to)) else { continue };
        // An item in the folder's own file belongs to the folder.
        let to = if modules.contains(&to) { to } else { folder.to_owned() };
        let known = |b: &Break| b.file == used.file && b.from == from && b.to == to;
        if from != to && !edges.iter().any(known) {
            edges.push(Break { file: used.file.clone(), line: used.line, from, to, in_circle: true });
        }
    }
    edges
}

/// The edges that are part of a cycle.
pub fn circles(mut edges: Vec<Break>) -> Vec<Break> {
    let mut next = BTreeMap::<String, BTreeSet<String>>::new();
    for edge in &edges {
        next.entry(edge.from.clone()).or_default().insert(edge.to.clone());
    }
    edges.retain(|edge| leads(&next, &edge.to, &edge.from));
    edges
}

/// The module of a folder that a module is or is in; the folder itself for its own file; `None` if it is
/// elsewhere.
fn child(folder: &str, module: &str) -> Option<String> {
    if module == folder {
        return Some(folder.to_owned());
    }
    let inside = module.strip_prefix(folder)?.strip_prefix('/')?;
    Some(format!("{folder}/{}", inside.split('/').next().unwrap_or(inside)))
}

/// Whether uses lead from one module to another.
fn leads(next: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(module) = waiting.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            waiting.extend(next.get(module).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Vec<File> {
        files.iter().map(|(name, text)| File { name: (*name).into(), text: (*text).into() }).collect()
    }

    fn files(files: &[(&str, &str)]) -> Vec<Use> {
        uses(&read(files)).expect("Rust")
    }

    /// The uses in `src/s` that are part of a cycle, as `file:line to`.
    fn circles_in_s(files: &[(&str, &str)]) -> Vec<String> {
        let files = read(files);
        let edges = inside("s", &files, &uses(&files).expect("Rust"));
        circles(edges).iter().map(|b| format!("{}:{} {}", b.file, b.line, b.to)).collect()
    }

    fn map(lines: &str) -> Map {
        crate::map::read(&format!("\n```arrows\n{lines}\n```\n")).expect("a map")
    }

    #[test]
    fn an_arrow_that_is_not_on_the_map_is_a_break() {
        let uses = files(&[
            ("src/api/mod.rs", "use crate::api::a;\n#[cfg(test)]\nmod tests { use crate::etcd::Etcd; }"),
            ("src/etcd/mod.rs", "use crate::api::Kind;"),
            ("src/lib.rs", "pub use crate::etcd::Etcd;"),
        ]);
        let broken = between(&map("api:\netcd: api"), &uses).expect("rooms");
        let [one] = broken.as_slice() else { panic!("{broken:?}") };
        assert_eq!((one.file.as_str(), one.line), ("src/api/mod.rs", 3));
        assert_eq!((one.from.as_str(), one.to.as_str()), ("api", "etcd"));
    }

    #[test]
    fn an_arrow_that_no_file_uses_is_found() {
        let uses = files(&[
            ("src/etcd/mod.rs", "#[cfg(test)]\nmod tests { use crate::api::Kind; }"),
            ("src/lib.rs", "pub use crate::etcd::Etcd;"),
        ]);
        assert_eq!(unused(&map("api:\ncel:\netcd: api cel"), &uses), ["etcd: cel"]);
    }

    #[test]
    fn other_members_are_rooms() {
        let uses = files(&[("crates/door/src/main.rs", "use steady::etcd::Etcd;\nuse crate::local;")]);
        let broken = between(&map("etcd:\ncrates/door:"), &uses).expect("rooms");
        assert_eq!(broken.iter().map(|b| b.to.as_str()).collect::<Vec<_>>(), ["etcd"]);
    }

    #[test]
    fn a_room_inside_a_room_has_its_own_line() {
        let uses = files(&[
            ("src/s/plugins/a.rs", "use super::super::framework::F;\nuse crate::s::queue::Q;"),
            ("src/s/framework.rs", "use crate::s::plugins::a::A;"),
        ]);
        let broken =
            between(&map("s: s/plugins\ns/framework:\ns/plugins: s/framework"), &uses).expect("rooms");
        let arrows: Vec<_> = broken.iter().map(|b| (b.from.as_str(), b.to.as_str())).collect();
        assert_eq!(arrows, [("s/plugins", "s"), ("s/framework", "s/plugins")]);
    }

    #[test]
    fn a_macro_belongs_to_the_room_it_is_written_in() {
        let uses = files(&[
            (
                "src/api/kinds.rs",
                "#[macro_export]\nmacro_rules! kinds {\n () => {} }\nmacro_rules! own { () => {} }",
            ),
            ("src/etcd/mod.rs", "use crate::kinds;"),
        ]);
        assert_eq!(uses.iter().map(|u| u.to.as_str()).collect::<Vec<_>>(), ["api/kinds"]);
    }

    #[test]
    fn a_module_without_a_room_is_an_error() {
        let uses = files(&[("src/new/mod.rs", "use crate::api::Kind;")]);
        let why = between(&map("api:"), &uses).expect_err("no room");
        assert_eq!(why, "src/new/mod.rs:1: new is in no room of the map in ARCHITECTURE.md");
    }

    #[test]
    fn a_circle_names_every_use_that_closes_it() {
        let broken = circles_in_s(&[
            ("src/s/mod.rs", "pub use a::A;"),
            ("src/s/a.rs", "use super::b::B;\nuse super::c::C;"),
            ("src/s/b/mod.rs", "use crate::s::c::C;"),
            ("src/s/b/inner.rs", "use super::super::a::A;"),
            ("src/s/c.rs", "#[cfg(test)]\nuse super::a::A;"),
        ]);
        assert_eq!(broken, ["src/s/a.rs:1 s/b", "src/s/b/inner.rs:1 s/a"]);
    }

    #[test]
    fn a_folders_own_file_is_part_of_a_circle() {
        let broken =
            circles_in_s(&[("src/s/mod.rs", "use crate::s::a::A;"), ("src/s/a.rs", "use super::Item;")]);
        assert_eq!(broken, ["src/s/mod.rs:1 s/a", "src/s/a.rs:1 s"]);
    }

    #[test]
    fn a_module_that_uses_nothing_is_not_the_folders_own_file() {
        let broken = circles_in_s(&[
            ("src/s/mod.rs", "use crate::s::a::A;"),
            ("src/s/a.rs", "use super::leaf::Item;"),
            ("src/s/leaf.rs", "pub struct Item;"),
        ]);
        assert_eq!(broken, [""; 0]);
    }
}
