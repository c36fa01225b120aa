//! Commands that read text and write text.

use std::collections::BTreeSet;

use super::super::Tools;
use super::super::files::Change;
use super::super::glob;
use super::super::machine::{Ran, Shell, TEXT_LIMIT};
use super::super::text::unescape;
use super::{Options, base_name, fill, regex};

/// `-n 5`, `-5`, `-c 5`: how many, and whether of bytes.
fn amount(args: &[String], o: &Options<'_>) -> (String, bool) {
    let plain = args
        .iter()
        .skip(1)
        .find_map(|a| a.strip_prefix('-').filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit())));
    match (o.value('c'), o.value('n').or(plain)) {
        (Some(n), _) => (n.to_owned(), true),
        (None, n) => (n.unwrap_or("10").to_owned(), false),
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

pub(super) fn head(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "nc");
    let (n, bytes) = amount(args, &o);
    let tools = shell.program.tools;
    let Some(many) = fill::amount(tools, n.trim_start_matches('-'), fill::Units::Text) else {
        shell.error(&match (tools, bytes) {
            (Tools::Busybox, _) => format!("head: invalid number '{n}'"),
            (Tools::Gnu, true) => format!("head: invalid number of bytes: '{n}'"),
            (Tools::Gnu, false) => format!("head: invalid number of lines: '{n}'"),
        });
        return Ok(1);
    };
    let count = usize::try_from(many).unwrap_or(usize::MAX);
    if bytes && !n.starts_with('-') && shell.reads_for_ever(&o.operands) {
        return fill::filled(shell, "head", many);
    }
    if o.operands.is_empty() && !bytes && !n.starts_with('-') {
        // It reads no more than it prints, so that who writes may go on for ever.
        for _ in 0..count {
            match shell.read_line()? {
                Some(line) => shell.print(&line),
                None => break,
            }
        }
        return Ok(0);
    }
    let (all, failed) = shell.inputs_of("head", &o.operands)?;
    for (_, text) in all {
        let part: String = if bytes {
            text.chars().take(count).collect()
        } else {
            let lines = lines(&text);
            let keep = if n.starts_with('-') { lines.len().saturating_sub(count) } else { count };
            lines.into_iter().take(keep).collect()
        };
        shell.print(&part);
    }
    Ok(i32::from(failed))
}

pub(super) fn tail(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "nc");
    let (n, bytes) = amount(args, &o);
    let count = n.trim_start_matches(['-', '+']).parse::<usize>().unwrap_or(10);
    let follows = o.has('f') || o.has('F');
    if follows && o.operands.first().is_some_and(|p| *p == "/dev/null") {
        return Err(shell.block());
    }
    let (all, failed) = shell.inputs_of("tail", &o.operands)?;
    for (_, text) in &all {
        let part: String = if bytes {
            let skip = text.chars().count().saturating_sub(count);
            text.chars().skip(skip).collect()
        } else {
            let lines = lines(text);
            let skip =
                if n.starts_with('+') { count.saturating_sub(1) } else { lines.len().saturating_sub(count) };
            lines.into_iter().skip(skip).collect()
        };
        shell.print(&part);
    }
    if follows && !(failed && all.is_empty() && !o.has('F')) {
        return follow(shell, &o.operands);
    }
    Ok(i32::from(failed))
}

/// Prints what is appended to files; of a file that is written anew, all of it.
fn follow(shell: &mut Shell<'_>, paths: &[&str]) -> Ran {
    let mut seen: Vec<String> = paths.iter().map(|p| shell.read(p).unwrap_or_default()).collect();
    loop {
        let next = paths.iter().filter_map(|p| shell.files.next_change(&shell.path(p), shell.now)).min();
        let Some(next) = next else { return Err(shell.block()) };
        shell.step()?;
        shell.pass(next.duration_since(shell.now))?;
        for (path, seen) in paths.iter().zip(&mut seen) {
            let text = shell.read(path).unwrap_or_default();
            let new = text.strip_prefix(seen.as_str()).unwrap_or(&text).to_owned();
            shell.print(&new);
            *seen = text;
        }
    }
}

pub(super) fn wc(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let (all, failed) = shell.inputs_of("wc", &o.operands)?;
    let chosen = ['l', 'w', 'c', 'm'].into_iter().filter(|c| o.has(*c)).collect::<Vec<_>>();
    let chosen = if chosen.is_empty() { vec!['l', 'w', 'c'] } else { chosen };
    for (name, text) in all {
        let counts = chosen.iter().map(|c| match c {
            'l' => text.matches('\n').count() as u64,
            'w' => text.split_whitespace().count() as u64,
            'm' => text.chars().count() as u64,
            _ if name == "-" => (text.len() as u64).saturating_add(shell.counted_input()),
            _ => shell.size_of(&name),
        });
        let counts: Vec<String> = counts.map(|n| n.to_string()).collect();
        let name = if name == "-" { String::new() } else { format!(" {name}") };
        let joined = if counts.len() == 1 {
            counts.join(" ")
        } else {
            counts.iter().map(|n| format!("{n:>7}")).collect::<Vec<_>>().join(" ")
        };
        shell.print(&format!("{joined}{name}\n"));
    }
    Ok(i32::from(failed))
}

/// How many lines `grep` prints before and after each match.
struct Around {
    before: usize,
    after: usize,
}

impl Around {
    /// What the options `-A`, `-B` and `-C` say; an error if one of them is no number.
    fn of(o: &Options<'_>) -> Result<Around, std::num::ParseIntError> {
        let lines = |letter: char| o.value(letter).or(o.value('C')).map_or(Ok(0), str::parse::<usize>);
        Ok(Around { before: lines('B')?, after: lines('A')? })
    }

    fn is_wanted(&self) -> bool {
        self.before + self.after > 0
    }

    /// The lines that are printed of so many, given those that match; each once and in their order.
    fn shown(&self, matches: &[usize], lines: usize) -> BTreeSet<usize> {
        let of = |i: &usize| {
            i.saturating_sub(self.before)..i.saturating_add(self.after).saturating_add(1).min(lines)
        };
        matches.iter().flat_map(of).collect()
    }
}

pub(super) fn grep(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "emABC");
    let command = args.first().map_or("grep", |n| base_name(n));
    let mut operands = o.operands.clone();
    let mut patterns = o.all('e');
    if patterns.is_empty() {
        if operands.is_empty() {
            shell.error("grep: no pattern");
            return Ok(2);
        }
        patterns.push(operands.remove(0));
    }
    let fixed = o.has('F') || command == "fgrep";
    let extended = o.has('E') || o.has('P') || command == "egrep";
    let mut compiled = Vec::new();
    for pattern in patterns.iter().flat_map(|p| p.split('\n')) {
        let mut p = if fixed { ::regex::escape(pattern) } else { pattern.to_owned() };
        if o.has('w') {
            p = if extended || fixed { format!(r"\b({p})\b") } else { format!(r"\b\({p}\)\b") };
        }
        if o.has('x') {
            p = if extended || fixed { format!("^({p})$") } else { format!(r"^\({p}\)$") };
        }
        match regex(&p, extended || fixed, o.has('i')) {
            Some(re) => compiled.push(re),
            None => {
                shell.error("grep: bad regex");
                return Ok(2);
            }
        }
    }
    let Ok(around) = Around::of(&o) else {
        shell.error("grep: invalid context length argument");
        return Ok(2);
    };
    let (all, failed) = shell.inputs_of("grep", &operands)?;
    let many = all.len() > 1 && !o.has('h');
    let most = o.value('m').and_then(|m| m.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let mut found = false;
    for (name, text) in all {
        let lines: Vec<&str> = text.lines().collect();
        let is_match = |line: &str| compiled.iter().any(|re| re.is_match(line)) != o.has('v');
        let matches = lines.iter().enumerate().filter(|(_, line)| is_match(line)).map(|(i, _)| i);
        let matches: Vec<usize> = matches.take(most).collect();
        found |= !matches.is_empty();
        if o.has('q') {
            continue;
        }
        if o.has('l') {
            if !matches.is_empty() {
                shell.print(&format!("{name}\n"));
            }
            continue;
        }
        if o.has('c') {
            let prefix = if many { format!("{name}:") } else { String::new() };
            shell.print(&format!("{prefix}{}\n", matches.len()));
            continue;
        }
        let mut last: Option<usize> = None;
        for i in around.shown(&matches, lines.len()) {
            let Some(line) = lines.get(i) else { continue };
            let matched = matches.binary_search(&i).is_ok();
            // A line around a match has a dash where a match has a colon, and two dashes stand between groups.
            if around.is_wanted() && last.is_some_and(|last| last + 1 < i) {
                shell.print("--\n");
            }
            last = Some(i);
            let mark = if matched { ':' } else { '-' };
            let mut prefix = if many { format!("{name}{mark}") } else { String::new() };
            if o.has('n') {
                prefix.push_str(&format!("{}{mark}", i + 1));
            }
            if !o.has('o') {
                shell.print(&format!("{prefix}{line}\n"));
            } else if matched {
                let parts = compiled.iter().flat_map(|re| re.find_iter(line)).filter(|m| !m.is_empty());
                let parts: Vec<String> = parts.map(|m| format!("{prefix}{}\n", m.as_str())).collect();
                shell.print(&parts.concat());
            }
        }
    }
    Ok(if failed && !(found && o.has('q')) { 2 } else { i32::from(!found) })
}

pub(super) fn sort(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "kto");
    let (all, failed) = shell.inputs_of("sort", &o.operands)?;
    let text: String =
        all.into_iter().map(|(_, t)| if t.ends_with('\n') || t.is_empty() { t } else { t + "\n" }).collect();
    let mut rows: Vec<&str> = text.lines().collect();
    let key = o.value('k').unwrap_or_default();
    let field =
        key.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().unwrap_or(0);
    let numeric = o.has('n') || key.contains('n');
    let separator = o.value('t').and_then(|t| t.chars().next());
    let key_of = |row: &str| -> String {
        match (field.checked_sub(1), separator) {
            (None, _) => row.to_owned(),
            (Some(n), Some(s)) => row.split(s).nth(n).unwrap_or_default().to_owned(),
            (Some(n), None) => row.split_whitespace().skip(n).collect::<Vec<_>>().join(" "),
        }
    };
    let value = |row: &str| {
        let key = key_of(row);
        let end = key.trim_start().find(|c: char| !c.is_ascii_digit() && c != '-' && c != '.');
        let number = key.trim_start().get(..end.unwrap_or(key.trim_start().len())).unwrap_or_default();
        number.parse::<f64>().unwrap_or(0.0)
    };
    crate::api::order::sort_by(&mut rows, |a, b| {
        let order =
            if numeric { value(a).total_cmp(&value(b)) } else { key_of(a).cmp(&key_of(b)) }.then(a.cmp(b));
        if o.has('r') || key.contains('r') { order.reverse() } else { order }
    });
    if o.has('u') {
        rows.dedup();
    }
    let out: String = rows.iter().flat_map(|r| [*r, "\n"]).collect();
    shell.print(&out);
    Ok(i32::from(failed))
}

pub(super) fn uniq(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let (all, failed) = shell.inputs_of("uniq", &o.operands)?;
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for line in all.iter().flat_map(|(_, t)| t.lines()) {
        match groups.last_mut() {
            Some((last, n)) if *last == line => *n += 1,
            _ => groups.push((line, 1)),
        }
    }
    let mut out = String::new();
    for (line, n) in groups {
        if (o.has('d') && n < 2) || (o.has('u') && n > 1) {
            continue;
        }
        out.push_str(&if o.has('c') { format!("{n:>7} {line}\n") } else { format!("{line}\n") });
    }
    shell.print(&out);
    Ok(i32::from(failed))
}

/// The characters of a set of `tr`.
fn set(text: &str) -> Vec<char> {
    let text: Vec<char> = unescape(text, false).0.chars().collect();
    let (mut out, mut i) = (Vec::new(), 0);
    while let Some(c) = text.get(i) {
        if *c == '[' && text.get(i + 1) == Some(&':') {
            let name: String = text.iter().skip(i + 2).take_while(|c| **c != ':').collect();
            out.extend((0..=127u8).map(char::from).filter(|c| glob::class(&name, *c)));
            i += name.chars().count() + 4;
        } else if let (Some('-'), Some(to)) = (text.get(i + 1), text.get(i + 2)) {
            out.extend((*c..=*to).take(1000));
            i += 3;
        } else {
            out.push(*c);
            i += 1;
        }
    }
    out
}

pub(super) fn tr(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let text = shell.read_input()?;
    let from = o.operands.first().map(|s| set(s)).unwrap_or_default();
    let to = o.operands.get(1).map(|s| set(s)).unwrap_or_default();
    let complement = o.has('c') || o.has('C');
    let place = |c: char| {
        let at = from.iter().position(|f| *f == c);
        if complement { if at.is_none() { Some(usize::MAX) } else { None } } else { at }
    };
    let (mut out, mut last) = (String::new(), None);
    for c in text.chars() {
        let at = place(c);
        if o.has('d') && at.is_some() {
            continue;
        }
        let new = match at {
            Some(at) if !to.is_empty() && !o.has('d') => to.get(at).or(to.last()).copied().unwrap_or(c),
            _ => c,
        };
        let squeezed = if to.is_empty() || o.has('d') { at.is_some() } else { to.contains(&new) };
        if o.has('s') && squeezed && last == Some(new) {
            continue;
        }
        out.push(new);
        last = Some(new);
    }
    shell.print(&out);
    Ok(0)
}

pub(super) fn cut(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "dfcb");
    let (all, failed) = shell.inputs_of("cut", &o.operands)?;
    let separator = o.value('d').and_then(|d| d.chars().next()).unwrap_or('\t');
    let list = o.value('f').or_else(|| o.value('c')).or_else(|| o.value('b')).unwrap_or_default();
    let ranges: Vec<(usize, usize)> = list
        .split(',')
        .map(|r| match r.split_once('-') {
            Some((a, b)) => (a.parse().unwrap_or(1), b.parse().unwrap_or(usize::MAX)),
            None => (r.parse().unwrap_or(0), r.parse().unwrap_or(0)),
        })
        .collect();
    let wanted = |i: usize| ranges.iter().any(|(a, b)| (*a..=*b).contains(&(i + 1)));
    let mut out = String::new();
    for line in all.iter().flat_map(|(_, t)| t.lines()) {
        if o.has('f') {
            if !line.contains(separator) {
                if o.has('s') {
                    continue;
                }
                out.push_str(line);
            } else {
                let fields = line.split(separator).enumerate().filter(|(i, _)| wanted(*i)).map(|(_, f)| f);
                out.push_str(&fields.collect::<Vec<_>>().join(&separator.to_string()));
            }
        } else {
            out.extend(line.chars().enumerate().filter(|(i, _)| wanted(*i)).map(|(_, c)| c));
        }
        out.push('\n');
    }
    shell.print(&out);
    Ok(i32::from(failed))
}

pub(super) fn tee(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let text = shell.read_input()?;
    let mut status = 0;
    for path in &o.operands {
        match shell.open(path, o.has('a')) {
            Ok(super::super::machine::Out::File(path)) => {
                shell.change(&path, Change::Append(text.as_str().into()));
            }
            Ok(_) => {}
            Err(why) => {
                shell.error(&format!("tee: {path}: {why}"));
                status = 1;
            }
        }
    }
    shell.print(&text);
    Ok(status)
}

/// It writes for ever: as much as a stream can hold, then it waits for a reader.
pub(super) fn yes(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let words = args.get(1..).unwrap_or_default().join(" ");
    let line = format!("{}\n", if words.is_empty() { "y" } else { &words });
    shell.print(&line.repeat((TEXT_LIMIT / 16 / line.len()).max(1)));
    Err(shell.block())
}
