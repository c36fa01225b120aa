//! `kubectl diff`: what an apply would change, as `diff -u -N` prints it
//! (`k8s.io/kubectl/pkg/cmd/diff`).

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::apply;
use super::call::{Call, Payload};
use super::files;
use super::flags::{Args, Flag, boolean, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::{Loaded, Manifest};
use super::output;
use crate::api::{Kind, Object, yaml};
use crate::apimachinery::Verb;

pub(super) const FLAGS: &[Flag] = &[
    boolean("server-side"),
    boolean("force-conflicts"),
    boolean("prune"),
    boolean("show-secrets"),
    text("field-manager").or(apply::MANAGER),
    boolean("show-managed-fields"),
];
/// The number of lines that are shown around a change.
const CONTEXT: usize = 3;
/// Texts whose middles have more lines than this differ as a whole.
const LINES_LIMIT: usize = 4000;

/// An exit code of 1 says that there are differences, so a failure ends with another one.
pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    match differences(cx, args) {
        Err(Stop::Error(e)) => {
            cx.complain(&e);
            Err(Stop::Exit(2))
        }
        done => done,
    }
}

fn differences(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return super::command::usage("kubectl diff", format!("Unexpected args: [{}]", args.words.join(" ")));
    }
    if !args.has_files() {
        return fail("must specify one of -f and -k");
    }
    let Loaded { manifests, errors, .. } = files::load_all(cx, args)?;
    super::command::finish(errors)?;
    let mut out = String::new();
    for m in &manifests {
        let live = apply::current(cx, m)?;
        let merged = merged(cx, args, m, live.as_ref())?;
        let managed = args.on("show-managed-fields");
        let shown = |o: &Object| output::shown(&o.to_value(), managed);
        let (mut live, mut merged) = (live.as_ref().map(shown), shown(&merged));
        if m.kind == Kind::SECRET && !args.on("show-secrets") {
            mask(live.as_mut(), &mut merged);
        }
        let live = live.map(|v| yaml::to_yaml(&v)).unwrap_or_default();
        compare(&name(m), &live, &yaml::to_yaml(&merged), &mut out);
    }
    cx.out.push_str(&out);
    if out.is_empty() { Ok(()) } else { Err(Stop::Exit(1)) }
}

/// Hides the values of a Secret, and shows only whether they differ (`Masker`).
fn mask(live: Option<&mut Value>, merged: &mut Value) {
    fn data(of: Option<&mut Value>) -> Option<&mut Map<String, Value>> {
        of?.get_mut("data")?.as_object_mut()
    }
    let mut none = Map::new();
    let mut none_either = Map::new();
    let old = data(live).unwrap_or(&mut none);
    let new = data(Some(merged)).unwrap_or(&mut none_either);
    for (key, value) in old.iter_mut() {
        let (before, after) = match new.get(key) {
            Some(other) if other != value => ("*** (before)", "*** (after)"),
            _ => ("***", "***"),
        };
        *value = before.into();
        if let Some(other) = new.get_mut(key) {
            *other = after.into();
        }
    }
    for (_, value) in new.iter_mut().filter(|(key, _)| !old.contains_key(*key)) {
        *value = "***".into();
    }
}

/// The object as it would be.
fn merged(cx: &mut Invocation<'_>, args: &Args, m: &Manifest, live: Option<&Object>) -> Result<Object> {
    let mut call = if args.on("server-side") {
        let mut call = Call::new(Verb::Patch, m.kind, &m.namespace, &m.name);
        call.force = args.on("force-conflicts");
        call.body(Payload::Apply(m.value.clone()))
    } else if let Some(live) = live {
        let Some(change) = apply::patch_of(m, live, &apply::unannotated(&m.value))? else {
            return Ok(live.clone());
        };
        let text = change.to_string();
        let body = if m.kind.is_custom() { Payload::MergePatch(text) } else { Payload::StrategicPatch(text) };
        Call::new(Verb::Patch, m.kind, &m.namespace, &m.name).body(body)
    } else {
        Call::new(Verb::Create, m.kind, &m.namespace, &m.name).body(Payload::Object(m.value.clone()))
    };
    call.dry_run = true;
    call.field_manager = apply::manager(cx, args);
    cx.object(&call)
}

fn name(m: &Manifest) -> String {
    let group = match m.kind.group() {
        "" => String::new(),
        group => format!("{group}."),
    };
    format!("{group}{}.{}.{}.{}", m.kind.version(), m.kind.as_str(), m.namespace, m.name)
}

/// A line of a comparison: what happens to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

fn compare(name: &str, old: &str, new: &str, out: &mut String) {
    if old == new {
        return;
    }
    let (live, merged) = (format!("/tmp/LIVE-0/{name}"), format!("/tmp/MERGED-0/{name}"));
    let _ = write!(out, "diff -u -N {live} {merged}\n--- {live}\n+++ {merged}\n");
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let lines = script(&old, &new);
    let changes: Vec<usize> =
        lines.iter().enumerate().filter(|(_, l)| !matches!(l, Line::Same(_))).map(|(i, _)| i).collect();
    let mut rest = changes.as_slice();
    while let Some(first) = rest.first() {
        // Changes that are near each other stand in one hunk.
        let near = rest.windows(2).take_while(|w| matches!(w, [a, b] if b - a <= 2 * CONTEXT)).count();
        let (here, later) = rest.split_at(near + 1);
        let last = here.last().copied().unwrap_or(*first);
        hunk(&lines, first.saturating_sub(CONTEXT), (last + CONTEXT + 1).min(lines.len()), out);
        rest = later;
    }
}

fn hunk(lines: &[Line<'_>], from: usize, to: usize, out: &mut String) {
    let count = |lines: &[Line<'_>], new: bool| {
        lines.iter().filter(|l| !matches!((l, new), (Line::Gone(_), true) | (Line::New(_), false))).count()
    };
    let (before, here) = (lines.get(..from).unwrap_or_default(), lines.get(from..to).unwrap_or_default());
    let range = |new: bool| match (count(before, new), count(here, new)) {
        // Nothing stands after the line that is named.
        (start, 0) => format!("{start},0"),
        (start, 1) => format!("{}", start + 1),
        (start, n) => format!("{},{n}", start + 1),
    };
    let _ = writeln!(out, "@@ -{} +{} @@", range(false), range(true));
    for line in here {
        let _ = match line {
            Line::Same(l) => writeln!(out, " {l}"),
            Line::Gone(l) => writeln!(out, "-{l}"),
            Line::New(l) => writeln!(out, "+{l}"),
        };
    }
}

/// The shortest way from one text to the other; what goes stands before what comes.
fn script<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let same = |a: &[&str], b: &[&str]| a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let head = same(old, new);
    let (old, new) = (old.split_at(head), new.split_at(head));
    let tail = old.1.iter().rev().zip(new.1.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, end) = old.1.split_at(old.1.len() - tail);
    let (b, _) = new.1.split_at(new.1.len() - tail);
    let mut out: Vec<Line<'a>> = old.0.iter().map(|l| Line::Same(l)).collect();
    if a.len() > LINES_LIMIT || b.len() > LINES_LIMIT {
        out.extend(a.iter().map(|l| Line::Gone(l)).chain(b.iter().map(|l| Line::New(l))));
    } else {
        middle(a, b, &mut out);
    }
    out.extend(end.iter().map(|l| Line::Same(l)));
    out
}

fn middle<'a>(a: &[&'a str], b: &[&'a str], out: &mut Vec<Line<'a>>) {
    // How long the longest common subsequence of the rests is, by row.
    let width = b.len() + 1;
    let mut table = vec![0u32; (a.len() + 1) * width];
    let at = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            let longest = match x == y {
                true => at(&table, i + 1, j + 1) + 1,
                false => at(&table, i + 1, j).max(at(&table, i, j + 1)),
            };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = longest;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => {
                out.push(Line::Same(x));
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), y) if y.is_none() || at(&table, i + 1, j) >= at(&table, i, j + 1) => {
                out.push(Line::Gone(x));
                i += 1;
            }
            (_, Some(y)) => {
                out.push(Line::New(y));
                j += 1;
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_stand_in_hunks_with_their_context() {
        let old: Vec<String> = (1..=20).map(|n| n.to_string()).collect();
        let mut new = old.clone();
        new[1] = "two".into();
        new.remove(14);
        let mut out = String::new();
        compare("v1.Pod.default.p", &(old.join("\n") + "\n"), &(new.join("\n") + "\n"), &mut out);
        let hunks = out.split_once("+++ /tmp/MERGED-0/v1.Pod.default.p\n").map(|(_, h)| h);
        let want = "@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -12,7 +12,6 @@\n 12\n 13\n 14\n-15\n 16\n 17\n 18\n";
        assert_eq!(hunks, Some(want));
        let mut out = String::new();
        compare("x", "", "a\n", &mut out);
        assert!(out.ends_with("@@ -0,0 +1 @@\n+a\n"), "{out}");
    }
}
