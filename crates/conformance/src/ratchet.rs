//! The committed list of what passes: it may grow, but nothing in it may be lost.

use std::collections::BTreeSet;
use std::path::Path;

use crate::report::{Outcome, read};

/// The names in a list. Lines that begin with `#` are comments.
pub fn parse(text: &str) -> BTreeSet<String> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect()
}

/// The names of all outcomes that pass as a whole.
pub fn passing(outcomes: &[Outcome]) -> BTreeSet<String> {
    outcomes.iter().flat_map(Outcome::passing).collect()
}

/// Compares a run with the committed list. If `update` is set, names that pass now are added; none is ever
/// removed.
///
/// # Errors
/// The names that do not pass any more, each with the first difference; or the reason why the file cannot be
/// written.
pub fn check(list: &Path, outcomes: &[Outcome], update: bool) -> Result<(), String> {
    let text = read(list).unwrap_or_default();
    let listed = parse(&text);
    let passing = passing(outcomes);
    if update {
        let all: BTreeSet<&String> = listed.union(&passing).collect();
        let mut new = String::from(
            "# What passes, one name per line. STEADY_UPDATE=1 cargo test adds to it; nothing removes from it but you.\n",
        );
        for name in all {
            new.push_str(name);
            new.push('\n');
        }
        std::fs::write(list, new).map_err(|e| format!("{}: {e}", list.display()))?;
    }
    let lost: Vec<String> = listed.difference(&passing).map(|name| lost_line(name, outcomes)).collect();
    if lost.is_empty() { Ok(()) } else { Err(format!("no longer passing:\n{}", lost.join("\n"))) }
}

fn lost_line(name: &str, outcomes: &[Outcome]) -> String {
    let outcome = outcomes.iter().filter(|o| name.starts_with(&o.name)).max_by_key(|o| o.name.len());
    let Some(outcome) = outcome else { return format!("  {name}: there is no such case") };
    let part = name.strip_prefix(&outcome.name).unwrap_or("").trim_start_matches('/');
    let failing = outcome.facts.iter().find(|f| !f.met() && (part.is_empty() || f.part == part));
    let why = failing.map_or_else(String::new, |f| {
        format!("{} {}: {}", f.part, f.name, f.difference.as_deref().unwrap_or(""))
    });
    format!("  {name}: {why}")
}
