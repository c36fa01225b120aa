//! Which functions open the page: `first.txt` in `crates/split/page` and `crates/split/engine` lists those that do and `second.txt` all
//! others, as they were when `cargo xtask split` wrote them.
//!
//! A function is identified by its name, which is the path in its source with all types for which it is
//! compiled. The name stays the same between builds and compilers, unless the source changes it. A line of
//! a file is a hash of a name; the names themselves would be a megabyte. A function that stands in neither file is new, and whether
//! it opens the page is not known. It stays in the first module: a page that is somewhat larger opens, and one that calls a function
//! of the second module waits for all of that.
//!
//! Of most functions that ran much never did: behind the hash of its name a function has the print of its shape and a bit for
//! each place in it, reached or not. One whose shape is another one by now stays whole.

use std::collections::BTreeMap;

use crate::hook::fnv;
use crate::module::Module;
use crate::plan::Known;

/// Which places of a function were reached: a bit for each of its [points](crate::points).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran(Vec<u8>);

impl Ran {
    /// Whether a place was reached.
    pub fn has(&self, point: usize) -> bool {
        self.0.get(point / 4).is_some_and(|four| four >> (point % 4) & 1 == 1)
    }

    /// Reads a text of hexadecimal digits with four places each.
    fn read(text: &str) -> Option<Ran> {
        text.chars().map(|c| c.to_digit(16).map(|four| four as u8)).collect::<Option<Vec<u8>>>().map(Ran)
    }

    fn add(&mut self, other: &Ran) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (four, more) in self.0.iter_mut().zip(&other.0) {
            *four |= more;
        }
    }

    fn write(&self) -> String {
        self.0.iter().map(|four| format!("{four:x}")).collect()
    }
}

/// The hashes of a file. Functions that were marked have what was reached of them, by the print of their [shape](crate::points):
/// one that looks otherwise by now is another function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(BTreeMap<u32, BTreeMap<u32, Ran>>);

impl Names {
    /// Parses a file: in every line a hash, and maybe a print with what was reached; `#` begins a comment.
    pub fn read(text: &str) -> Self {
        Names::lines(text, ' ', |hash| u32::from_str_radix(hash, 16).ok())
    }

    /// The names in a text, one in a line; behind a tab each may have a print, and behind another one what was reached.
    pub fn of(text: &str) -> Self {
        Names::lines(text, '\t', |name| Some(hash(name)))
    }

    fn lines(text: &str, between: char, name: impl Fn(&str) -> Option<u32>) -> Self {
        let mut names = Names::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split(between);
            let Some(hash) = columns.next().and_then(&name) else { continue };
            let prints = names.0.entry(hash).or_default();
            let print = columns.next().and_then(|print| u32::from_str_radix(print, 16).ok());
            if let (Some(print), Some(ran)) = (print, columns.next().and_then(Ran::read)) {
                // Functions of the same name and print: what any of them reached.
                prints.entry(print).or_default().add(&ran);
            }
        }
        names
    }

    /// Those that are not among others.
    pub fn without(&self, others: &Names) -> Self {
        let apart = self.0.iter().filter(|(hash, _)| !others.0.contains_key(hash));
        Names(apart.map(|(hash, _)| (*hash, BTreeMap::new())).collect())
    }

    /// The file, with a first line that says what is in it.
    pub fn write(&self, about: &str) -> String {
        let line = |hash: &u32, prints: &BTreeMap<u32, Ran>| match prints.is_empty() {
            true => format!("{hash:08x}\n"),
            false => prints
                .iter()
                .map(|(print, ran)| format!("{hash:08x} {print:08x} {}\n", ran.write()))
                .collect(),
        };
        std::iter::once(format!("# {about}, as hashes of their names: `cargo xtask split` writes this.\n"))
            .chain(self.0.iter().map(|(hash, prints)| line(hash, prints)))
            .collect()
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(&hash(name))
    }

    /// What was reached of a function with this name and print; `None` if none such was marked.
    fn ran(&self, name: &str, print: u32) -> Option<&Ran> {
        self.0.get(&hash(name))?.get(&print)
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

    /// What opening the page reached of a function with this name and print; `None` if that is not known.
    pub fn ran(&self, name: &str, print: u32) -> Option<&Ran> {
        self.first.ran(name, print)
    }
}

/// What is known of the functions of a module.
pub struct Of<'a> {
    profile: &'a Profile,
    module: &'a Module<'a>,
}

impl Profile {
    /// What is known of the functions of a module.
    pub fn of<'a>(&'a self, module: &'a Module<'a>) -> Of<'a> {
        Of { profile: self, module }
    }
}

impl Known for Of<'_> {
    fn opens(&self, function: u32) -> bool {
        self.profile.opens(self.module.name(function))
    }

    fn ran(&self, function: u32, print: u32) -> Option<&Ran> {
        self.profile.ran(self.module.name(function), print)
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
    #![allow(clippy::unwrap_used)]
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
    fn what_was_reached_of_a_function_is_known_by_its_shape() {
        let names = Names::of("steady::a\t0000002a\t0f1\nsteady::b\nsteady::a\t0000002a\t8\nsteady::a\t7\t1");
        let names = Names::read(&names.write("Some"));
        let profile = Profile { first: names, second: None };
        let ran = profile.ran("steady::a", 42).unwrap();
        assert_eq!([0, 3, 4, 7, 8, 9].map(|point| ran.has(point)), [false, true, true, true, true, false]);
        assert!(profile.ran("steady::a", 7).is_some() && profile.ran("steady::a", 8).is_none());
        assert!(profile.opens("steady::b") && profile.ran("steady::b", 42).is_none());
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
