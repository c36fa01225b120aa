//! Checks that no style asks with `:has()` what is in a large part of the page. A browser that has such a rule works out the styles of
//! the whole part anew whenever anything in it changes: with a thousand pods that was most of what a step cost the page's thread.
#![allow(clippy::unwrap_used)]

use std::path::Path;

/// What may be asked: the line below the editor and the hint above the terminal's line, which hold a few words each.
const SMALL: &[&str] = &[".apply", ".leave"];

/// What the rules of a style sheet ask with `:has()`, but for what its comments say.
fn asked(style: &str) -> Vec<String> {
    let rules: String =
        style.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, rule)| rule)).collect();
    let mut parts = rules.split(":has(").peekable();
    let mut found = Vec::new();
    while let Some(part) = parts.next() {
        if parts.peek().is_some() {
            let ends = |c: char| c.is_whitespace() || ",{}>+~(".contains(c);
            found.push(part.rsplit(ends).next().unwrap_or_default().to_owned());
        }
    }
    found
}

#[test]
fn no_large_part_is_asked_what_it_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("static");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "css") {
            seen += 1;
            for of in asked(&std::fs::read_to_string(&path).unwrap()) {
                assert!(SMALL.contains(&of.as_str()), "{}: {of}:has(…)", path.display());
            }
        }
    }
    assert!(seen > 0, "there are no styles");
}

#[test]
fn what_a_rule_asks_is_found() {
    let style = "/* .a:has(b) */ main > .c:has(> d), .e:has(f) { color: red } @media print { h:has(i) {} }";
    assert_eq!(asked(style), [".c", ".e", "h"]);
}
