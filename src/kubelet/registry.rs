//! Which official images Docker Hub has (`docker.io/library`), and which tags these have.
//!
//! `registry.txt` has a row for each image that was ever in the library of official images, made by `cargo xtask images`,
//! which names the day. A row is a rule and no list of tags, of which there are some two hundred thousand. A tag is taken
//! apart at its `-`. Its first part is a version, of which the row has the ranges, or a word; further parts are words.
//! A word that ends in a number stands for all numbers up to that one. So each tag that was published is found, and
//! some that never were: `nginx:1.9.0-alpine3.24` is, though there was no such Alpine when nginx 1.9 was new.

use std::cmp::Ordering;

/// Longer names are like none of the table's.
const NAME_LIMIT: usize = 64;

const TABLE: &str = include_str!("registry.txt");

/// An official image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Official {
    /// Its name, for example `nginx`.
    pub(super) name: &'static str,
    versions: &'static str,
    first: &'static str,
    further: &'static str,
}

fn rows() -> impl Iterator<Item = Official> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(row)
}

fn row(line: &'static str) -> Option<Official> {
    let mut columns = line.split('|');
    let mut next = || columns.next();
    Some(Official { name: next()?, versions: next()?, first: next()?, further: next()? })
}

/// The official image of this name; `None` if there is none. The rows are in the order of their names, and what begins
/// with `#` comes before all names, so the search halves the table: a kubelet asks for each container that it starts.
pub(super) fn find(name: &str) -> Option<Official> {
    let mut table = TABLE;
    while !table.is_empty() {
        let middle = table.floor_char_boundary(table.len() / 2);
        let (before, after) = table.split_at(middle);
        let begins = before.rfind('\n').map_or(0, |at| at + 1);
        let ends = after.find('\n').map_or(table.len(), |at| middle + at);
        let line = table.get(begins..ends)?;
        match line.split('|').next().unwrap_or_default().cmp(name) {
            Ordering::Equal => return row(line),
            Ordering::Greater => table = table.get(..begins)?,
            Ordering::Less => table = table.get(ends + 1..).unwrap_or_default(),
        }
    }
    None
}

/// The name of an official image that is most like a name which no official image has; `None` if none is like it.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    // A person mistypes a letter or two, or writes on: `postgresql`, `nodejs`. Short names differ by one letter from too
    // many words.
    let limit = match name.len() {
        0..5 => 1,
        5..=NAME_LIMIT => 2,
        _ => return None,
    };
    let distance = |row: Official| (strsim::osa_distance(name, row.name), row.name);
    rows().map(distance).filter(|(distance, _)| *distance <= limit).min().map(|(_, name)| name)
}

impl Official {
    /// Whether the image has, or had, this tag.
    pub(super) fn has(self, tag: &str) -> bool {
        let mut parts = tag.split('-');
        let first = parts.next().unwrap_or_default();
        let digits = first.strip_prefix('v').unwrap_or(first);
        let first_is_known = match is_version(digits) {
            true => self.has_version(first, digits),
            false => has_word(self.first, first),
        };
        first_is_known && parts.all(|part| has_word(self.further, part))
    }

    /// The newest version, of at most two numbers; `None` if the image has no versions.
    pub(super) fn newest(self) -> Option<String> {
        let mut version: Option<String> = None;
        for _ in 0..2 {
            let before = version.as_deref().unwrap_or_default();
            let Some(next) = self.after(before).and_then(newest_of) else { break };
            version = Some(if before.is_empty() { next.to_owned() } else { format!("{before}.{next}") });
        }
        version
    }

    /// The numbers that follow the beginning of a version, as ranges.
    fn after(self, before: &str) -> Option<&'static str> {
        self.versions.split(' ').find_map(|row| match row.split_once(':') {
            Some((of, ranges)) => (of == before).then_some(ranges),
            None => before.is_empty().then_some(row),
        })
    }

    /// Whether there is this version: `digits` is the version, `first` the same with the `v` that may stand before it.
    fn has_version(self, first: &str, digits: &str) -> bool {
        let mut end = first.len() - digits.len();
        // The table has the first three numbers.
        digits.split('.').take(3).all(|number| {
            let before = first.get(..end).unwrap_or_default();
            end += number.len() + usize::from(before.ends_with(|c: char| c.is_ascii_digit()));
            self.after(before).is_some_and(|ranges| ranges.split(',').any(|range| is_in(number, range)))
        })
    }
}

fn is_version(part: &str) -> bool {
    part.split('.').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a number is in a range, `0-3` or `7`. A number with a zero in front is only itself.
fn is_in(number: &str, range: &str) -> bool {
    let Some((low, high)) = range.split_once('-') else { return number == range };
    let at_least = |a: &str, b: &str| compare(a, b) != Ordering::Less;
    (number == "0" || !number.starts_with('0')) && at_least(number, low) && at_least(high, number)
}

/// Compares numbers without leading zeros, of any length.
fn compare(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// The highest number of ranges that is not a date.
fn newest_of(ranges: &'static str) -> Option<&'static str> {
    let mut highest = ranges.split(',').map(|range| range.split_once('-').map_or(range, |(_, high)| high));
    highest.rfind(|number| number.len() < 5)
}

/// Whether a word is among the words of a row: it is one, or one with a lower number at its end.
fn has_word(words: &str, word: &str) -> bool {
    let split = |w: &str| w.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (stem, number) = word.split_at(split(word));
    words.split(' ').filter(|known| !known.is_empty()).any(|known| {
        let (known_stem, highest) = known.split_at(split(known));
        known == word || (stem == known_stem && !highest.is_empty() && is_at_most(number, highest))
    })
}

/// Whether a version is at most another one. An empty one is.
fn is_at_most(version: &str, highest: &str) -> bool {
    let (mut a, mut b) = (version.split('.'), highest.split('.'));
    loop {
        match (a.next(), b.next()) {
            (None | Some(""), _) => return true,
            (Some(_), None) => return false,
            (Some(x), Some(y)) => match compare(x.trim_start_matches('0'), y.trim_start_matches('0')) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn exists(image: &str) -> bool {
        let (name, tag) = image.split_once(':').unwrap();
        find(name).is_some_and(|official| official.has(tag))
    }

    #[test]
    fn every_row_is_found_by_its_name() {
        assert!(rows().count() > 100);
        for official in rows() {
            assert_eq!(find(official.name), Some(official));
            assert_eq!(find(&format!("{}x", official.name)).map(|o| o.name.len()), None, "{}", official.name);
        }
        assert_eq!((find(""), find("#"), find("zzz")), (None, None, None));
    }

    #[test]
    fn tags_that_were_published_exist() {
        for image in [
            "nginx:1.7.9",
            "nginx:1.14.2",
            "nginx:1.27",
            "nginx:1.27.5-alpine3.21-slim",
            "nginx:stable-alpine",
            "nginx:latest",
            "nginx:1",
            "alpine:3",
            "alpine:3.9",
            "alpine:edge",
            "busybox:1.28",
            "busybox:1.36.1-glibc",
            "debian:bookworm-slim",
            "debian:bookworm-20250203-slim",
            "debian:12.9",
            "fluentd:v1.16",
            "golang:1.24-alpine",
            "mysql:5.7",
            "mysql:8.0.36",
            "node:0.10.40",
            "node:22-bookworm-slim",
            "node:lts-alpine",
            "openjdk:8-jre-alpine",
            "perl:5.34.0",
            "php:8.2-apache",
            "postgres:16-alpine",
            "python:3.12-slim",
            "redis:7.2",
            "redis:8.0.2",
            "ubuntu:24.04",
            "ubuntu:noble",
            "wordpress:6.2.1-apache",
            "eclipse-temurin:21-jre-alpine",
            "amazonlinux:2.0.20180622.1",
            "centos:7",
            "java:8",
        ] {
            assert!(exists(image), "{image}");
        }
    }

    #[test]
    fn tags_that_were_never_published_do_not() {
        for image in [
            "nginx:1.999",
            "nginx:1.99.1",
            "nginx:2",
            "nginx:1.27.99",
            "nginx:lates",
            "nginx:v1.27",
            "nginx:missing",
            "nginx:1.27-alpin",
            "nginx:1.27-alpine3.99",
            "nginx:",
            "nginx:1..2",
            "postgres:99",
            "ubuntu:24.4",
            "ubuntu:24.05",
            "redis:alpine-",
            "node:184467440737095516160",
            "ngnix:1.27",
            "web:1",
        ] {
            assert!(!exists(image), "{image}");
        }
    }

    #[test]
    fn a_near_miss_is_named() {
        for (typed, meant) in [
            ("ngnix", "nginx"),
            ("nginxx", "nginx"),
            ("postgre", "postgres"),
            ("postgresql", "postgres"),
            ("nodejs", "node"),
            ("busy-box", "busybox"),
            ("reddis", "redis"),
            ("mysq", "mysql"),
        ] {
            assert_eq!(nearest(typed), Some(meant), "{typed}");
        }
        for typed in ["web", "my-shop", "", "frontend", &"x".repeat(10_000)] {
            assert_eq!(nearest(typed), None, "{typed}");
        }
    }

    #[test]
    fn the_newest_version_is_named() {
        let newest = |name| find(name).unwrap().newest();
        assert_eq!(newest("nginx").as_deref(), Some("1.31"));
        assert_eq!(newest("ubuntu").as_deref(), Some("26.10"));
        assert_eq!(newest("alpine").as_deref(), Some("3.24"));
    }

    #[test]
    fn every_row_can_be_read() {
        assert!(rows().count() > 150);
        for row in rows() {
            assert!(row.has("latest") || !row.first.split(' ').any(|w| w == "latest"), "{}", row.name);
            assert!(!row.has("no-such-tag"), "{}", row.name);
        }
    }
}
