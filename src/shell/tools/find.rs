//! `find` and `readlink`: which files there are.

use super::super::files::{Change, Sort, parent};
use super::super::glob::{self, letters};
use super::super::machine::{Ran, Shell, Stop};
use super::{Options, Tools, base_name};

/// A condition or an action of `find`. All of an expression have to hold.
enum Primary {
    Name { pattern: String, path: bool, ignore_case: bool },
    Type(char),
    Print(&'static str),
    Exec(Vec<String>),
    Delete,
    Not(Box<Primary>),
}

/// What `find` is to do.
struct Find {
    depth: (usize, usize),
    expression: Vec<Primary>,
}

impl Find {
    /// Reads an expression; `None` for one that is not built: `-o`, `-size`, `-mtime` and others.
    fn parse(words: &[String]) -> Option<Find> {
        let mut find = Find { depth: (0, usize::MAX), expression: Vec::new() };
        let mut rest = words.iter().map(String::as_str);
        let mut negated = false;
        while let Some(word) = rest.next() {
            let primary = match word {
                "!" | "-not" => {
                    negated = !negated;
                    continue;
                }
                "-a" | "-and" => continue,
                "-maxdepth" => {
                    find.depth.1 = rest.next()?.parse().ok()?;
                    continue;
                }
                "-mindepth" => {
                    find.depth.0 = rest.next()?.parse().ok()?;
                    continue;
                }
                "-name" | "-iname" | "-path" | "-ipath" => Primary::Name {
                    pattern: rest.next()?.to_owned(),
                    path: word.ends_with("path"),
                    ignore_case: word.starts_with("-i"),
                },
                "-type" => match rest.next()? {
                    "f" => Primary::Type('f'),
                    "d" => Primary::Type('d'),
                    "l" => Primary::Type('l'),
                    _ => return None,
                },
                "-print" => Primary::Print("\n"),
                "-print0" => Primary::Print("\0"),
                "-delete" => Primary::Delete,
                "-exec" => {
                    let command: Vec<String> =
                        rest.by_ref().take_while(|w| *w != ";").map(str::to_owned).collect();
                    if command.is_empty() || command.iter().any(|w| w == "+") {
                        return None;
                    }
                    Primary::Exec(command)
                }
                _ => return None,
            };
            find.expression.push(match std::mem::take(&mut negated) {
                true => Primary::Not(Box::new(primary)),
                false => primary,
            });
        }
        let acts = |p: &Primary| matches!(p, Primary::Print(_) | Primary::Exec(_) | Primary::Delete);
        if !find.expression.iter().any(acts) {
            find.expression.push(Primary::Print("\n"));
        }
        Some(find)
    }
}

fn is_match(pattern: &str, text: &str, ignore_case: bool) -> bool {
    let fold = |t: &str| if ignore_case { t.to_lowercase() } else { t.to_owned() };
    let text: Vec<char> = fold(text).chars().collect();
    glob::matches(&letters(&fold(pattern), false), &text)
}

/// Whether a primary holds for a path.
fn holds(shell: &mut Shell<'_>, primary: &Primary, path: &str) -> Result<bool, Stop> {
    Ok(match primary {
        Primary::Not(primary) => !holds(shell, primary, path)?,
        Primary::Name { pattern, path: true, ignore_case } => is_match(pattern, path, *ignore_case),
        Primary::Name { pattern, path: false, ignore_case } => {
            let name = base_name(path.trim_end_matches('/'));
            is_match(pattern, if name.is_empty() { "/" } else { name }, *ignore_case)
        }
        Primary::Type(wanted) => {
            let link = path != "." && shell.link(path).is_some();
            *wanted
                == match () {
                    () if link => 'l',
                    () if path == "." || shell.is_directory(path) => 'd',
                    () => 'f',
                }
        }
        Primary::Print(end) => {
            shell.print(&format!("{path}{end}"));
            true
        }
        Primary::Exec(command) => {
            shell.step()?;
            let words: Vec<String> = command.iter().map(|w| w.replace("{}", path)).collect();
            let name = words.first().cloned().unwrap_or_default();
            shell.external(&name, &words)? == 0
        }
        Primary::Delete => {
            if path != "." {
                shell.change(path, Change::Remove);
            }
            true
        }
    })
}

/// `find [PATH…] [EXPRESSION]`. Names of a directory come sorted; real ones come as they stand in the directory.
pub(super) fn find(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let words = args.get(1..).unwrap_or_default();
    let is_path = |w: &String| !w.starts_with('-') && !matches!(w.as_str(), "!" | "(");
    let (paths, expression) = words.split_at(words.iter().position(|w| !is_path(w)).unwrap_or(words.len()));
    let Some(find) = Find::parse(expression) else {
        return shell.unknown("find: this expression is not built here");
    };
    let here = [".".to_owned()];
    let mut status = 0;
    for path in if paths.is_empty() { &here } else { paths } {
        shell.uncertain(path);
        if shell.look(path).is_none() && path != "." {
            shell.error(&match shell.program.tools {
                Tools::Busybox => format!("find: {path}: No such file or directory"),
                Tools::Gnu => format!("find: \u{2018}{path}\u{2019}: No such file or directory"),
            });
            status = 1;
            continue;
        }
        let deletes = find.expression.iter().any(|p| matches!(p, Primary::Delete));
        for (path, depth) in below(shell, path, find.depth.1, deletes)? {
            if depth < find.depth.0 {
                continue;
            }
            for primary in &find.expression {
                if !holds(shell, primary, &path)? {
                    break;
                }
            }
        }
    }
    Ok(status)
}

/// A path and what is below it, with how deep each is; a directory comes before what it has, or after it.
fn below(
    shell: &mut Shell<'_>,
    top: &str,
    deepest: usize,
    contents_first: bool,
) -> Result<Vec<(String, usize)>, Stop> {
    let (mut found, mut open) = (Vec::new(), vec![(top.to_owned(), 0)]);
    while let Some((path, depth)) = open.pop() {
        shell.step()?;
        // Links are followed only where they are named.
        let follows = depth == 0 || shell.link(&path).is_none();
        if depth < deepest && follows && (shell.is_directory(&path) || path == ".") {
            let names = shell.names_in(&path);
            let slash = if path.ends_with('/') { "" } else { "/" };
            open.extend(names.iter().rev().map(|n| (format!("{path}{slash}{n}"), depth + 1)));
        }
        found.push((path, depth));
    }
    if contents_first {
        found.reverse();
    }
    Ok(found)
}

/// `readlink PATH`: where a symbolic link leads. `readlink -f PATH`, `realpath PATH`: the absolute path without links.
pub(super) fn readlink(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let real = args.first().is_some_and(|n| base_name(n) == "realpath");
    let mut status = 0;
    for path in &o.operands {
        if !real && !o.has('f') {
            match shell.link(path) {
                Some(to) => shell.print(&format!("{to}\n")),
                None => {
                    shell.uncertain(path);
                    status = 1;
                }
            }
            continue;
        }
        let full = shell.path(path);
        let there = shell.look(&full).is_some() || shell.look(parent(&full)) == Some(Sort::Directory);
        if !there {
            shell.uncertain(path);
        }
        if there || !shell.program.complete {
            let end = shell.files.resolve(&full, shell.now).0;
            shell.print(&format!("{end}\n"));
        } else {
            status = 1;
            if real {
                shell.error(&format!("realpath: {path}: No such file or directory"));
            }
        }
    }
    Ok(status)
}
