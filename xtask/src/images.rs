//! The table of images that the simulated registry has: `src/kubelet/registry.txt`, from the history of the
//! library of official images (github.com/docker-library/official-images).
//!
//! A tag that was published once stays, so the table is made of all files that the library has ever had. A tag is taken
//! apart at its `-`. Its first part is a version or a word; further parts are words. A table row says for one image
//! which versions, which first words and which further words there were, each word that ends in a number with the
//! highest one: `src/kubelet/registry.rs` says how it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::run::{Result, command, output, root};

const TABLE: &str = "src/kubelet/registry.txt";
/// How many numbers of a version are looked at.
const NUMBERS_LIMIT: usize = 3;
/// Last parts of versions with more gaps than this (dates, say) become one range.
const GAPS_LIMIT: usize = 24;

/// Larger numbers are dates: `20260811`.
const DATES: u64 = 100_000;

/// Words without the number that they end in, each with the highest number.
type Words = BTreeMap<String, Vec<u64>>;

/// What an image's tags were made of.
#[derive(Default)]
struct Image {
    /// The parts that followed a beginning of a version: `1.31` has `1` after the empty one and `31` after `1`.
    versions: BTreeMap<String, BTreeSet<(u64, String)>>,
    first: Words,
    further: Words,
}

/// `cargo xtask images --from DIR`: DIR is a clone of the library with its history.
pub fn run(args: &[String]) -> Result<()> {
    let [flag, from] = args else { return Err("cargo xtask images --from DIR".into()) };
    if flag != "--from" {
        return Err(format!("`{flag}` is not known here: cargo xtask images --from DIR"));
    }
    let git = |words: &[&str]| {
        output(command("git").arg("-C").arg(Path::new(from)).args(words))
            .ok_or_else(|| format!("git {} failed in {from}", words.join(" ")))
    };
    let head = git(&["log", "-1", "--format=%cs %H"])?;
    let history = git(&["log", "-p", "-U0", "--no-renames", "--format=", "--", "library/"])?;
    let (date, commit) = head.split_once(' ').unwrap_or_default();
    let mut text = format!(
        "# The official images of Docker Hub (docker.io/library) as of {date}. `cargo xtask images` writes this file, from\n\
         # github.com/docker-library/official-images at {commit}.\n\
         # name|versions|first words of tags|further words of tags\n"
    );
    for (name, image) in read(&history) {
        // Writing to a `String` cannot fail.
        let _ =
            writeln!(text, "{name}|{}|{}|{}", versions(&image), words(&image.first), words(&image.further));
    }
    let file = root().join(TABLE);
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))
}

/// The images of a history, as `git log -p` prints it: what was ever added to a file of the library.
fn read(history: &str) -> BTreeMap<&str, Image> {
    let mut images = BTreeMap::<&str, Image>::new();
    let mut name = None;
    for line in history.lines() {
        if let Some(file) = line.strip_prefix("+++ ") {
            name = file.strip_prefix("b/library/").filter(|n| *n != "MAINTAINERS");
            continue;
        }
        let (Some(name), Some(added)) = (name, line.strip_prefix('+')) else { continue };
        let added = added.trim();
        let tags = added.strip_prefix("Tags:").or_else(|| added.strip_prefix("SharedTags:"));
        // Until 2016 a line was a tag, and where its Dockerfile is.
        let tags = tags.or_else(|| {
            let (tag, source) = added.split_once(char::is_whitespace)?;
            source.trim_start().starts_with("git://").then(|| tag.trim_end_matches(':'))
        });
        for tag in tags.into_iter().flat_map(|t| t.split(',')).map(str::trim).filter(|t| !t.is_empty()) {
            images.entry(name).or_default().add(tag);
        }
    }
    images
}

impl Image {
    fn add(&mut self, tag: &str) {
        let mut parts = tag.split('-');
        let first = parts.next().unwrap_or_default();
        let digits = first.strip_prefix('v').unwrap_or(first);
        if is_version(digits) {
            let mut before = first.strip_suffix(digits).unwrap_or_default().to_owned();
            for part in digits.split('.').take(NUMBERS_LIMIT) {
                let number = part.parse().unwrap_or(u64::MAX);
                self.versions.entry(before.clone()).or_default().insert((number, part.to_owned()));
                if is_version(before.trim_start_matches('v')) {
                    before.push('.');
                }
                before.push_str(part);
            }
        } else {
            add_word(&mut self.first, first);
        }
        parts.for_each(|part| add_word(&mut self.further, part));
    }
}

/// Whether a part is numbers with dots between them.
fn is_version(part: &str) -> bool {
    part.split('.').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn add_word(words: &mut Words, word: &str) {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = word.strip_prefix(stem).unwrap_or_default();
    let (stem, number) = if is_version(number) { (stem, number) } else { (word, "") };
    let number: Vec<u64> = number.split('.').filter_map(|n| n.parse().ok()).collect();
    let highest = words.entry(stem.to_owned()).or_default();
    if *highest < number {
        *highest = number;
    }
}

fn versions(image: &Image) -> String {
    let row = |(before, after): (&String, &BTreeSet<(u64, String)>)| {
        let ranges = ranges(after);
        if before.is_empty() { ranges } else { format!("{before}:{ranges}") }
    };
    image.versions.iter().map(row).collect::<Vec<_>>().join(" ")
}

/// Numbers as ranges: `0-3,7`. A number that was written with a zero in front stays as it was written.
fn ranges(numbers: &BTreeSet<(u64, String)>) -> String {
    let mut ranges: Vec<(u64, u64, &str)> = Vec::new();
    for (number, text) in numbers {
        let plain = number.to_string() == *text;
        match ranges.last_mut() {
            Some((_, last, before)) if plain && *last + 1 == *number && before.is_empty() => *last = *number,
            _ => ranges.push((*number, *number, if plain { "" } else { text })),
        }
    }
    let dates = ranges.split_off(ranges.partition_point(|(first, ..)| *first < DATES));
    let ranges = [ranges, dates].into_iter().flat_map(without_gaps);
    let text = |(first, last, text): &(u64, u64, &str)| match (text.is_empty(), first == last) {
        (false, _) => (*text).to_owned(),
        (true, true) => first.to_string(),
        (true, false) => format!("{first}-{last}"),
    };
    ranges.map(|range| text(&range)).collect::<Vec<_>>().join(",")
}

/// The ranges; one range from the first to the last if there are too many.
fn without_gaps(ranges: Vec<(u64, u64, &str)>) -> Vec<(u64, u64, &str)> {
    match (ranges.first(), ranges.last()) {
        (Some((first, ..)), Some((_, last, _))) if ranges.len() > GAPS_LIMIT => vec![(*first, *last, "")],
        _ => ranges,
    }
}

fn words(words: &Words) -> String {
    let word = |(stem, number): (&String, &Vec<u64>)| {
        let number: Vec<String> = number.iter().map(u64::to_string).collect();
        format!("{stem}{}", number.join("."))
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_becomes_rows() {
        let history = "+++ b/library/web\n+Tags: 1.7.0, 1.7, 1, latest, 1.7.0-alpine3.9\n+Tags: 1.7.1-alpine3.10\n\
                       -Tags: 1.6.0\n+SharedTags: 1.9\n+++ b/library/os\n+24.04 git://x\n+v2: git://y\n+GitRepo: z\n";
        let images = read(history);
        let rows: Vec<_> = images
            .iter()
            .map(|(name, i)| format!("{name}|{}|{}|{}", versions(i), words(&i.first), words(&i.further)))
            .collect();
        assert_eq!(rows, ["os|24 24:04 v:2||", "web|1 1:7,9 1.7:0-1|latest|alpine3.10"]);
    }
}
