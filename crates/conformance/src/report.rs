//! Counting: facts, what met them, and the table of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::groups::{self, Group};

/// One compared fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its area within the case: `replicas`, `events`, `stdout`, `status` …
    pub part: &'static str,
    /// Which one.
    pub name: String,
    /// Whether the recordings have it. A fact without it is something the run did beyond them.
    pub recorded: bool,
    /// How the run differs, in one line; nothing if it does not.
    pub difference: Option<String>,
}

impl Fact {
    /// A recorded fact, met if there is no difference.
    pub fn new(part: &'static str, name: impl Into<String>, difference: Option<String>) -> Fact {
        Fact { part, name: name.into(), recorded: true, difference }
    }

    /// Whether the run agrees.
    pub fn met(&self) -> bool {
        self.difference.is_none()
    }
}

/// All facts of one case, one api row, one kubectl row or one hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// `cases/deploy-create`, `api/02-crud/3`, `kubectl/01-get/7`, `hash/affinity`
    pub name: String,
    /// Its facts.
    pub facts: Vec<Fact>,
    /// The causal report, which counts for nothing.
    pub notes: Vec<String>,
    /// Why this is not judged, if it is not. Then there are no facts.
    pub unjudged: Option<String>,
    /// The request had headers that the system has no way to take, so what is met is met by chance.
    pub unheard: bool,
}

impl Outcome {
    /// How many facts are met, and how many there are.
    pub fn score(&self) -> (usize, usize) {
        (self.facts.iter().filter(|f| f.met()).count(), self.facts.len())
    }

    /// The name under which it passes, if all of it does. A part that holds while the rest does not
    /// may hold by chance, and so may the answer to a request that was not taken as a whole: these are
    /// not worth being held to.
    pub fn passing(&self) -> Option<String> {
        let whole = !self.facts.is_empty() && self.facts.iter().all(Fact::met);
        (whole && !self.unheard).then(|| self.name.clone())
    }
}

/// At most this many characters of a line.
pub fn short(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.into();
    }
    let mut out: String = text.chars().take(limit).collect();
    out.push('…');
    out
}

/// A file's text.
///
/// # Errors
/// With the file's name.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The names in a folder, in order.
///
/// # Errors
/// With the folder's name.
pub fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut out: Vec<String> =
        entries.filter_map(Result::ok).filter_map(|e| e.file_name().into_string().ok()).collect();
    out.sort();
    Ok(out)
}

/// The table: each group with its first difference (or all of them), totals per suite and area, and
/// the last line `N of M facts`.
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

/// The table without differences: what each group has met, how many facts it has not met, and in
/// which areas these are; then the same totals.
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
