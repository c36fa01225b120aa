//! `sed` with the commands `s`, `p`, `d`, `q`, `=`, `a`, `i`, `c` and `y`, each with up to two addresses.

use regex::Regex;

use super::super::files::Change;
use super::super::machine::{Ran, Shell};
use super::{Options, regex};

enum Address {
    Line(usize),
    Last,
    Match(Regex),
}

enum What {
    Substitute { pattern: Regex, with: String, all: bool, print: bool },
    Print,
    Delete,
    Quit,
    Number,
    Append(String),
    Insert(String),
    Change(String),
    Translate(Vec<char>, Vec<char>),
}

struct Command {
    from: Option<Address>,
    to: Option<Address>,
    negated: bool,
    what: What,
    inside: bool,
}

/// Reads a script; `None` if it has something else.
fn parse(script: &str, extended: bool) -> Option<Vec<Command>> {
    let s: Vec<char> = script.chars().collect();
    let mut at = 0;
    let mut all = Vec::new();
    loop {
        while s.get(at).is_some_and(|c| c.is_whitespace() || *c == ';') {
            at += 1;
        }
        if at >= s.len() {
            return Some(all);
        }
        let from = address(&s, &mut at, extended)?;
        let mut to = None;
        if s.get(at) == Some(&',') {
            at += 1;
            to = address(&s, &mut at, extended)?;
        }
        let negated = s.get(at) == Some(&'!');
        at += usize::from(negated);
        while s.get(at) == Some(&' ') {
            at += 1;
        }
        let name = *s.get(at)?;
        at += 1;
        let what = match name {
            'p' => What::Print,
            'd' => What::Delete,
            'q' => What::Quit,
            '=' => What::Number,
            'a' | 'i' | 'c' => {
                let rest: String = s.iter().skip(at).take_while(|c| **c != '\n').collect();
                at += rest.chars().count();
                let text = rest.trim_start().trim_start_matches('\\').trim_start().to_owned();
                match name {
                    'a' => What::Append(text),
                    'i' => What::Insert(text),
                    _ => What::Change(text),
                }
            }
            's' | 'y' => {
                let end = *s.get(at)?;
                at += 1;
                let first = delimited(&s, &mut at, end)?;
                let second = delimited(&s, &mut at, end)?;
                if name == 'y' {
                    What::Translate(first.chars().collect(), second.chars().collect())
                } else {
                    let (mut all, mut print, mut ignore) = (false, false, false);
                    while let Some(flag) = s.get(at).filter(|c| matches!(c, 'g' | 'p' | 'i' | 'I')) {
                        match flag {
                            'g' => all = true,
                            'p' => print = true,
                            _ => ignore = true,
                        }
                        at += 1;
                    }
                    What::Substitute { pattern: regex(&first, extended, ignore)?, with: second, all, print }
                }
            }
            _ => return None,
        };
        all.push(Command { from, to, negated, what, inside: false });
    }
}

fn address(s: &[char], at: &mut usize, extended: bool) -> Option<Option<Address>> {
    Some(match s.get(*at) {
        Some('$') => {
            *at += 1;
            Some(Address::Last)
        }
        Some('/') => {
            *at += 1;
            Some(Address::Match(regex(&delimited(s, at, '/')?, extended, false)?))
        }
        Some(c) if c.is_ascii_digit() => {
            let digits: String = s.iter().skip(*at).take_while(|c| c.is_ascii_digit()).collect();
            *at += digits.len();
            Some(Address::Line(digits.parse().ok()?))
        }
        _ => None,
    })
}

/// The text up to a delimiter.
fn delimited(s: &[char], at: &mut usize, end: char) -> Option<String> {
    let mut out = String::new();
    loop {
        let c = *s.get(*at)?;
        *at += 1;
        match c {
            _ if c == end => return Some(out),
            '\\' if s.get(*at) == Some(&end) => {
                out.push(end);
                *at += 1;
            }
            '\\' => {
                out.push('\\');
                out.extend(s.get(*at));
                *at += 1;
            }
            _ => out.push(c),
        }
    }
}

fn hits(address: &Address, line: &str, number: usize, last: bool) -> bool {
    match address {
        Address::Line(n) => *n == number,
        Address::Last => last,
        Address::Match(re) => re.is_match(line),
    }
}

fn applies(c: &mut Command, line: &str, number: usize, last: bool) -> bool {
    let hit = match (&c.from, &c.to) {
        (None, _) => true,
        (Some(from), None) => hits(from, line, number, last),
        (Some(from), Some(to)) => {
            if c.inside {
                c.inside = !hits(to, line, number, last);
                true
            } else {
                let begins = hits(from, line, number, last);
                c.inside = begins && !matches!(to, Address::Line(n) if *n <= number);
                begins
            }
        }
    };
    hit != c.negated
}

/// What a match is replaced by: `&` and `\1` stand for parts of it.
fn replacement(with: &str, found: &regex::Captures<'_>) -> String {
    let (mut out, mut chars) = (String::new(), with.chars());
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str(found.get(0).map_or("", |m| m.as_str())),
            '\\' => match chars.next() {
                Some(d) if d.is_ascii_digit() => {
                    let group = d.to_digit(10).and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
                    out.push_str(found.get(group).map_or("", |m| m.as_str()));
                }
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            _ => out.push(c),
        }
    }
    out
}

/// Edits a text.
fn edit(commands: &mut [Command], text: &str, quiet: bool) -> String {
    let mut out = String::new();
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        let (number, last) = (i + 1, i + 1 == lines.len());
        let (mut line, mut keep, mut quits, mut after) = ((*line).to_owned(), true, false, String::new());
        for c in commands.iter_mut() {
            if !applies(c, &line, number, last) {
                continue;
            }
            match &c.what {
                What::Substitute { pattern, with, all, print } => {
                    let limit = usize::from(!*all);
                    let new = pattern.replacen(&line, limit, |f: &regex::Captures<'_>| replacement(with, f));
                    let changed = pattern.is_match(&line);
                    line = new.into_owned();
                    if *print && changed {
                        out.push_str(&line);
                        out.push('\n');
                    }
                }
                What::Print => out.extend([line.as_str(), "\n"]),
                What::Number => out.push_str(&format!("{number}\n")),
                What::Append(text) => after.extend([text.as_str(), "\n"]),
                What::Insert(text) => out.extend([text.as_str(), "\n"]),
                What::Change(text) => {
                    out.extend([text.as_str(), "\n"]);
                    keep = false;
                }
                What::Translate(from, to) => {
                    let of = |c: char| from.iter().position(|f| *f == c).and_then(|i| to.get(i)).copied();
                    line = line.chars().map(|c| of(c).unwrap_or(c)).collect();
                }
                What::Delete => keep = false,
                What::Quit => quits = true,
            }
            if !keep {
                break;
            }
        }
        if keep && !quiet {
            out.extend([line.as_str(), "\n"]);
        }
        out.push_str(&after);
        if quits {
            break;
        }
    }
    if !text.ends_with('\n') && out.ends_with('\n') {
        out.pop();
    }
    out
}

pub(super) fn sed(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "ef");
    let mut operands = o.operands.clone();
    let mut scripts = o.all('e');
    if scripts.is_empty() {
        if operands.is_empty() {
            shell.error("sed: no script");
            return Ok(1);
        }
        scripts.push(operands.remove(0));
    }
    let Some(mut commands) = parse(&scripts.join("\n"), o.has('E') || o.has('r')) else {
        // A script with another command is a program that nobody knows.
        return shell.unknown("sed: this script is not built here");
    };
    if o.has('i') {
        let mut status = 0;
        for path in operands {
            let (all, failed) = shell.inputs_of("sed", &[path])?;
            status |= i32::from(failed);
            for (path, text) in all {
                let text = edit(&mut commands, &text, o.has('n'));
                shell.change(&path, Change::Put(text.into()));
            }
        }
        return Ok(status);
    }
    let (all, failed) = shell.inputs_of("sed", &operands)?;
    let text: String = all.into_iter().map(|(_, t)| t).collect();
    let text = edit(&mut commands, &text, o.has('n'));
    shell.print(&text);
    Ok(i32::from(failed))
}
