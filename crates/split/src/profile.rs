//! The functions that open the page: `crates/split/first.txt`, which `cargo xtask split` writes.
//!
//! A function is identified by its name, which is the path in its source with all types for which it is
//! compiled. The name stays the same between builds and compilers, unless the source changes it. A line of
//! the file is a hash of a name; the names themselves would be a megabyte. A function that is missing in the
//! file moves to the second module, and a line without a function has no effect.

use std::collections::BTreeSet;

use crate::hook::fnv;

/// The set of functions that open the page.
pub struct Profile(BTreeSet<u32>);

impl Profile {
    /// Parses the file: a hash in every line; `#` begins a comment.
    pub fn read(text: &str) -> Self {
        Profile(text.lines().filter_map(|line| u32::from_str_radix(line.trim(), 16).ok()).collect())
    }

    /// Whether a function with this name is in the set.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&hash(name))
    }
}

impl FromIterator<u32> for Profile {
    fn from_iter<T: IntoIterator<Item = u32>>(hashes: T) -> Self {
        Profile(hashes.into_iter().collect())
    }
}

impl std::fmt::Display for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "# Functions that open the page, as hashes of their names: `cargo xtask split` writes this."
        )?;
        self.0.iter().try_for_each(|hash| writeln!(f, "{hash:08x}"))
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
        let profile: Profile = [hash(now)].into_iter().collect();
        let read = Profile::read(&profile.to_string());
        assert!(read.has(&now.replace("[77]", "[1a]")));
        assert!(read.has(&format!("{now}.1234")));
        assert!(!read.has("steady::other"));
    }
}
