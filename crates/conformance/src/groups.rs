//! Groups of outcomes in a report: a case alone, the rows of one `api/` or `kubectl/` file, all hashes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::Outcome;

/// Outcomes that are counted together.
#[derive(Clone, Debug)]
pub struct Group<'o> {
    /// The group's name: `cases/deploy-create`, `api/02-crud`, `kubectl/01-get`, `hash`.
    pub name: String,
    /// The outcomes.
    pub outcomes: Vec<&'o Outcome>,
    /// The number of facts that are met.
    pub met: usize,
    /// The number of facts.
    pub all: usize,
}

impl Group<'_> {
    /// The number of facts that are not met, by area, the largest first.
    pub fn unmet(&self) -> Vec<(&'static str, usize)> {
        let mut parts: BTreeMap<&'static str, usize> = BTreeMap::new();
        for fact in self.outcomes.iter().flat_map(|o| &o.facts).filter(|f| !f.met()) {
            *parts.entry(fact.part).or_default() += 1;
        }
        let mut out: Vec<_> = parts.into_iter().collect();
        out.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        out
    }
}

/// The groups of a run, in order.
pub fn of(outcomes: &[Outcome]) -> Vec<Group<'_>> {
    let mut out: Vec<Group<'_>> = Vec::new();
    for o in outcomes {
        let name = name_of(&o.name);
        if out.last().is_none_or(|g| g.name != name) {
            out.push(Group { name, outcomes: Vec::new(), met: 0, all: 0 });
        }
        let (met, all) = o.score();
        if let Some(group) = out.last_mut() {
            group.outcomes.push(o);
            group.met += met;
            group.all += all;
        }
    }
    out
}

fn name_of(outcome: &str) -> String {
    match outcome.split('/').collect::<Vec<_>>().as_slice() {
        [suite @ ("api" | "kubectl"), group, _] => format!("{suite}/{group}"),
        ["hash", ..] => "hash".into(),
        _ => outcome.into(),
    }
}

/// The groups that differ from an earlier report, one in each line, and the numbers of facts gained and
/// lost. `earlier` is any table that this crate has printed. Groups that only one side has are left out.
pub fn changes(earlier: &str, outcomes: &[Outcome]) -> String {
    let before: BTreeMap<&str, (usize, usize)> = earlier.lines().filter_map(row).collect();
    let mut out = String::new();
    let (mut gained, mut lost) = (0, 0);
    for g in of(outcomes) {
        let Some((met, all)) = before.get(g.name.as_str()).filter(|b| **b != (g.met, g.all)) else {
            continue;
        };
        gained += g.met.saturating_sub(*met);
        lost += met.saturating_sub(g.met);
        let _ = writeln!(out, "{:45} {met} of {all} -> {} of {}", g.name, g.met, g.all);
    }
    let _ = writeln!(out, "{gained} gained, {lost} lost");
    out
}

/// Name, met facts and all facts of a line `cases/two-writers   66 of    66  …`; `None` for other lines.
fn row(line: &str) -> Option<(&str, (usize, usize))> {
    let mut words = line.split_whitespace();
    let (name, met, of, all) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let numbers = (met.parse().ok()?, all.parse().ok()?);
    (of == "of" && !line.starts_with(' ')).then_some((name, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Fact, brief};

    fn outcome(name: &str, differences: &[Option<&str>]) -> Outcome {
        let fact = |d: &Option<&str>| Fact::new("events", "x", d.map(str::to_owned));
        Outcome { name: name.into(), facts: differences.iter().map(fact).collect(), ..Outcome::default() }
    }

    #[test]
    fn rows_of_one_file_are_a_group() {
        let run = [
            outcome("cases/a", &[None]),
            outcome("api/01-b/1", &[None, Some("d")]),
            outcome("api/01-b/2", &[Some("e")]),
        ];
        let groups = of(&run);
        let counts: Vec<_> = groups.iter().map(|g| (g.name.as_str(), g.met, g.all)).collect();
        assert_eq!(counts, [("cases/a", 1, 1), ("api/01-b", 1, 3)]);
        assert_eq!(groups[1].unmet(), [("events", 2)]);
    }

    #[test]
    fn a_report_can_be_compared_with_a_later_run() {
        let before = [outcome("cases/a", &[None, Some("d")]), outcome("cases/b", &[None])];
        let after = [outcome("cases/a", &[None, None]), outcome("cases/b", &[None])];
        let text = changes(&brief(&before), &after);
        let lines: Vec<String> =
            text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines, ["cases/a 1 of 2 -> 2 of 2", "1 gained, 0 lost"]);
    }
}
