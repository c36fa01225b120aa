//! Facts, outcomes, and the table of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::groups::{self, Group};

/// A fact that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its area in the case: `replicas`, `events`, `stdout`, `status` and so on.
    pub part: &'static str,
    /// Its name in the area.
    pub name: String,
    /// Whether the recordings have the fact. If not, it is something that the run did beyond them.
    pub recorded: bool,
    /// How the run differs, in one line; `None` if it does not.
    pub difference: Option<String>,
}

impl Fact {
    /// A recorded fact, which is met if there is no difference.
    pub fn new(part: &'static str, name: impl Into<String>, difference: Option<String>) -> Fact {
        Fact { part, name: name.into(), recorded: true, difference }
    }

    /// Whether the fact is met.
    pub fn met(&self) -> bool {
        self.difference.is_none()
    }
}

/// All facts of one case, one api row, one kubectl row or one hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The name: `cases/deploy-create`, `api/02-crud/3`, `kubectl/01-get/7`, `hash/affinity`.
    pub name: String,
    /// The facts.
    pub facts: Vec<Fact>,
    /// The report about the order of writes, which does not count.
    pub notes: Vec<String>,
    /// Why this is not judged; `None` if it is. Without judgement there are no facts.
    pub unjudged: Option<String>,
    /// Whether the request had headers that the system cannot take, so that facts are met by chance only.
    pub unheard: bool,
}

impl Outcome {
    /// The number of facts that are met, and the number of all facts.
    pub fn score(&self) -> (usize, usize) {
        (self.facts.iter().filter(|f| f.met()).count(), self.facts.len())
    }

    /// The name to keep in the list of what passes; `None` unless all facts are met. A single fact that is
    /// met may be so by chance, as may those of a request that was not taken as a whole.
    pub fn passing(&self) -> Option<String> {
        let whole = !self.facts.is_empty() && self.facts.iter().all(Fact::met);
        (whole && !self.unheard).then(|| self.name.clone())
    }
}

/// A text, cut to at most `limit` characters.
pub fn short(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.into();
    }
    let mut out: String = text.chars().take(limit).collect();
    out.push('…');
    out
}

/// Reads a file.
///
/// # Errors
/// An error with the file's name.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The names in a folder, sorted.
///
/// # Errors
/// An error with the folder's name.
pub fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut out: Vec<String> =
        entries.filter_map(Result::ok).filter_map(|e| e.file_name().into_string().ok()).collect();
    out.sort();
    Ok(out)
}

/// The table: each group with its first difference (or all of them), the totals of suites and areas, and the
/// last line `N of M facts`.
pub fn table(outcomes: &[Outcome], verbose: bool) -> String {
    let mut out = String::new();
    let groups = groups::of(outcomes);
    let width = groups.iter().map(|g| g.name.len()).max().unwrap_or(0);
    for Group { name, outcomes: list, met, all } in &groups {
        let mut failing =
            list.iter().flat_map(|o| o.facts.iter().map(move |f| (o, f))).filter(|(_, f)| !f.met());
        let line = |(o, f): (&&Outcome, &Fact)| {
            let row = o.name.strip_prefix(name.as_str()).unwrap_or("").trim_start_matches('/');
            let gap = if row.is_empty() { "" } else { " " };
            let difference = f.difference.as_deref().unwrap_or("").replace('\n', "\\n");
            format!("{row}{gap}{} {}: {difference}", f.part, f.name)
        };
        if verbose {
            let _ = writeln!(out, "{name:width$} {met:5} of {all:5}");
            for x in failing.by_ref() {
                let _ = writeln!(out, "    {}", short(&line(x), 1000));
            }
            for (o, why) in list.iter().filter_map(|o| Some((o, o.unjudged.as_ref()?))) {
                let _ = writeln!(out, "    {} is not judged: {why}", o.name);
            }
            for note in list.iter().flat_map(|o| &o.notes) {
                let _ = writeln!(out, "    (order) {}", short(note, 1000));
            }
        } else {
            let first = failing.next().map_or_else(String::new, |x| short(&line(x), 160));
            let _ = writeln!(out, "{name:width$} {met:5} of {all:5}  {first}");
        }
    }
    totals(outcomes, &mut out);
    out
}

/// The table without differences: for each group the facts that are met, the number of those that are not,
/// and their areas; then the same totals.
pub fn brief(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    let groups = groups::of(outcomes);
    let width = groups.iter().map(|g| g.name.len()).max().unwrap_or(0);
    for g in &groups {
        let areas: Vec<String> = g.unmet().iter().map(|(part, n)| format!("{part} {n}")).collect();
        let line = format!("{:width$} {:5} of {:5}  {}", g.name, g.met, g.all, areas.join(", "));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    totals(outcomes, &mut out);
    out
}

/// The groups as a Markdown table for docs/fidelity.md. Cases are taken together by the first word of their names, and
/// what is met as a whole stands first; of the rest the table says which areas are not met.
pub fn markdown(outcomes: &[Outcome]) -> String {
    let mut families: BTreeMap<String, (usize, usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for g in &groups::of(outcomes) {
        let name = match g.name.split_once('/') {
            Some(("cases", case)) => match case.split_once('-') {
                Some((first, _)) => format!("cases `{first}-*`"),
                None => format!("cases `{case}`"),
            },
            _ => format!("`{}`", g.name),
        };
        let family = families.entry(name).or_default();
        family.0 += g.met;
        family.1 += g.all;
        for (part, n) in g.unmet() {
            *family.2.entry(part).or_default() += n;
        }
    }
    let (whole, rest): (Vec<_>, Vec<_>) = families.iter().partition(|(_, (met, all, _))| met == all);
    let facts: usize = whole.iter().map(|(_, (met, ..))| met).sum();
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    let mut out = format!("{facts} facts, every one of these groups: {}.\n\n", names.join(", "));
    out.push_str("| group | met | recorded | not met |\n| --- | ---: | ---: | --- |\n");
    for (name, (met, all, unmet)) in rest {
        let unmet: Vec<String> = unmet.iter().map(|(part, n)| format!("{part} {n}")).collect();
        let _ = writeln!(out, "| {name} | {met} | {all} | {} |", unmet.join(", "));
    }
    out
}

fn totals(outcomes: &[Outcome], out: &mut String) {
    let mut areas: BTreeMap<(String, &str), (usize, usize)> = BTreeMap::new();
    let mut suites: BTreeMap<String, (usize, usize, usize, usize)> = BTreeMap::new();
    let mut beyond = 0;
    for o in outcomes {
        let suite = o.name.split('/').next().unwrap_or("").to_owned();
        let (met, all) = o.score();
        let s = suites.entry(suite.clone()).or_default();
        *s = (s.0 + met, s.1 + all, s.2 + usize::from(all > 0 && met == all), s.3 + 1);
        for f in &o.facts {
            let a = areas.entry((suite.clone(), f.part)).or_default();
            *a = (a.0 + usize::from(f.met()), a.1 + 1);
            beyond += usize::from(!f.recorded);
        }
    }
    let _ = writeln!(out);
    for ((suite, part), (met, all)) in &areas {
        let _ = writeln!(out, "{:24} {met:5} of {all:5}", format!("{suite} {part}"));
    }
    let _ = writeln!(out);
    let (mut n, mut m) = (0, 0);
    for (suite, (met, all, whole, of)) in &suites {
        let _ = writeln!(out, "{suite:24} {met:5} of {all:5}   whole: {whole} of {of}");
        n += met;
        m += all;
    }
    let unheard: usize = outcomes.iter().filter(|o| o.unheard).map(|o| o.score().0).sum();
    if unheard > 0 {
        let _ =
            writeln!(out, "{unheard} facts are met although the system takes no header that says who asks");
    }
    let unjudged: Vec<&str> = outcomes.iter().filter(|o| o.unjudged.is_some()).map(|o| &*o.name).collect();
    if !unjudged.is_empty() {
        let _ = writeln!(out, "not judged: {}", unjudged.join(", "));
    }
    if beyond > 0 {
        let _ = writeln!(out, "{beyond} of these facts are things the recordings never did");
    }
    let _ = writeln!(out, "{n} of {m} facts");
}
