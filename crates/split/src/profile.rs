//! Which functions open the page: `crates/split/first.txt` lists those that do and `crates/split/second.txt` all others, as they
//! were when `cargo xtask split` wrote both.
//!
//! A function is identified by its name, which is the path in its source with all types for which it is
//! compiled. The name stays the same between builds and compilers, unless the source changes it. A line of
//! a file is a hash of a name; the names themselves would be a megabyte. A function that stands in neither file is new, and whether
//! it opens the page is not known. It stays in the first module: a page that is somewhat larger opens, and one that calls a function
//! of the second module waits for all of that.

use std::collections::BTreeSet;

use crate::hook::fnv;

/// The hashes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(BTreeSet<u32>);

impl Names {
    /// Parses a file: a hash in every line; `#` begins a comment.
    pub fn read(text: &str) -> Self {
        Names(text.lines().filter_map(|line| u32::from_str_radix(line.trim(), 16).ok()).collect())
    }

    /// The names in a text, one in a line.
    pub fn of(text: &str) -> Self {
        Names(text.lines().map(hash).collect())
    }

    /// Those that are not among others.
    pub fn without(&self, others: &Names) -> Self {
        Names(self.0.difference(&others.0).copied().collect())
    }

    /// The file, with a first line that says what is in it.
    pub fn write(&self, about: &str) -> String {
        let lines = self.0.iter().map(|hash| format!("{hash:08x}\n"));
        std::iter::once(format!("# {about}, as hashes of their names: `cargo xtask split` writes this.\n"))
            .chain(lines)
            .collect()
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(&hash(name))
    }
}

/// Which functions open the page.
pub struct Profile {
    /// Those that do.
    pub first: Names,
    /// Those that do not; `None` for all others.
    pub second: Option<Names>,
}

impl Profile {
    /// Whether a function with this name stays in the first module.
    pub fn opens(&self, name: &str) -> bool {
        self.first.has(name) || self.second.as_ref().is_some_and(|second| !second.has(name))
    }
}

/// The hash of a name, as in the file.
pub fn hash(name: &str) -> u32 {
    let hash = fnv(unhashed(name).as_bytes());
    (hash ^ hash >> 32) as u32
}

/// A name without the hashes of crates, which change with the compiler, and without the number that
/// link-time optimisation adds: `steady[0123456789abcdef]::a.17` becomes `steady::a`.
pub fn unhashed(name: &str) -> String {
    let name = match name.rsplit_once('.') {
        Some((before, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => before,
        _ => name,
    };
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((hash, after)) if !hash.is_empty() && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
                rest = after
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_another_build() {
        let now = "<alloc[0123456789abcdef]::vec::Vec<[u8; 4]> as steady[77]::api::Key>::of::{closure#0}";
        assert_eq!(unhashed(now), "<alloc::vec::Vec<[u8; 4]> as steady::api::Key>::of::{closure#0}");
        let first = Names::read(&Names::of(now).write("Some"));
        let profile = Profile { first, second: None };
        assert!(profile.opens(&now.replace("[77]", "[1a]")));
        assert!(profile.opens(&format!("{now}.1234")));
        assert!(!profile.opens("steady::other"));
    }

    #[test]
    fn a_function_that_is_new_stays() {
        let all = Names::of("steady::open\nsteady::other");
        let first = Names::of("steady::open");
        let profile = Profile { second: Some(all.without(&first)), first };
        assert_eq!(
            ["open", "other", "new"].map(|f| profile.opens(&format!("steady::{f}"))),
            [true, false, true]
        );
    }
}
