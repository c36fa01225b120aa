//! Commands about files.

use super::super::files::{Access, Change, Sort, absolute, parent};
use super::super::machine::{Ran, Shell};
use super::access::{blocks, is_refused, long};
use super::{Options, Tools, base_name};

pub(super) fn basename(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let path = args.get(1).map_or("", |p| p.trim_end_matches('/'));
    let name = if path.is_empty() { "/" } else { base_name(path) };
    let suffix = args.get(2).map_or("", String::as_str);
    let name = name.strip_suffix(suffix).filter(|n| !n.is_empty()).unwrap_or(name);
    shell.print(&format!("{name}\n"));
    Ok(0)
}

pub(super) fn dirname(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let path = args.get(1).map_or("", |p| p.trim_end_matches('/'));
    let name = match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => ".",
    };
    shell.print(&format!("{name}\n"));
    Ok(0)
}

pub(super) fn cat(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let (all, failed) = shell.inputs_of("cat", &o.operands)?;
    for (_, text) in all {
        if o.has('n') {
            let lines = text.lines().enumerate().map(|(i, l)| format!("{:6}\t{l}\n", i + 1));
            let text: String = lines.collect();
            shell.print(&text);
        } else {
            shell.print(&text);
        }
    }
    Ok(i32::from(failed))
}

pub(super) fn ls(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let paths = if o.operands.is_empty() { vec!["."] } else { o.operands.clone() };
    let (mut status, mut out) = (0, String::new());
    for path in &paths {
        let link = shell.link(path);
        let names = match shell.look(path) {
            // With `-l` a link is shown as what it is.
            Some(Sort::Directory)
                if !o.has('d') && (link.is_none() || !o.has('l') || path.ends_with('/')) =>
            {
                if paths.len() > 1 {
                    out.push_str(&format!("{path}:\n"));
                }
                let mut names = shell.names_in(path);
                names.retain(|n| o.has('a') || o.has('A') || !n.starts_with('.'));
                if o.has('a') {
                    names.splice(0..0, [".".to_owned(), "..".to_owned()]);
                }
                if o.has('l') {
                    let directory = shell.path(path);
                    let total: u64 = names.iter().map(|n| blocks(shell, &absolute(&directory, n))).sum();
                    out.push_str(&format!("total {total}\n"));
                }
                names
            }
            Some(_) => vec![(*path).to_owned()],
            None if link.is_some() => vec![(*path).to_owned()],
            None => {
                shell.uncertain(path);
                let (message, code) = match shell.program.tools {
                    Tools::Busybox => (format!("ls: {path}: No such file or directory"), 1),
                    Tools::Gnu => (format!("ls: cannot access '{path}': No such file or directory"), 2),
                };
                shell.error(&message);
                status = code;
                continue;
            }
        };
        for name in names {
            let full = absolute(&shell.path(path), &name);
            let full = if shell.look(&full).is_none() && shell.link(&full).is_none() {
                shell.path(&name)
            } else {
                full
            };
            let link = shell.link(&full);
            if o.has('l') {
                out.push_str(&long(shell, &full, link.as_deref()));
            }
            out.push_str(&name);
            if let Some(to) = link.filter(|_| o.has('l')) {
                out.push_str(&format!(" -> {to}"));
            }
            out.push('\n');
        }
    }
    shell.print(&out);
    Ok(status)
}

pub(super) fn touch(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "dtr");
    let mut status = 0;
    for path in &o.operands {
        if is_refused(shell, path, &format!("touch: {path}"), &format!("touch: cannot touch '{path}'")) {
            status = 1;
            continue;
        }
        if shell.look(path).is_some() || o.has('c') {
            continue;
        }
        match shell.open(path, true) {
            Ok(_) => {}
            Err(_) => {
                shell.error(&match shell.program.tools {
                    Tools::Busybox => format!("touch: {path}: No such file or directory"),
                    Tools::Gnu => format!("touch: cannot touch '{path}': No such file or directory"),
                });
                status = 1;
            }
        }
    }
    Ok(status)
}

pub(super) fn mkdir(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "m");
    let mut status = 0;
    for path in &o.operands {
        let full = shell.path(path);
        let why = if shell.look(&full).is_some() {
            (!o.has('p')).then_some("File exists")
        } else if shell.is_read_only(&full) {
            Some("Read-only file system")
        } else if o.has('p') || !shell.program.complete || shell.is_directory(parent(&full)) {
            shell.change(&full, Change::Directory);
            let mut above = parent(&full).to_owned();
            while shell.look(&above).is_none() {
                shell.change(&above, Change::Directory);
                above = parent(&above).to_owned();
            }
            None
        } else {
            Some("No such file or directory")
        };
        if let Some(why) = why {
            shell.error(&match shell.program.tools {
                Tools::Busybox => format!("mkdir: can't create directory '{path}': {why}"),
                Tools::Gnu => format!("mkdir: cannot create directory '{path}': {why}"),
            });
            status = 1;
        }
    }
    Ok(status)
}

pub(super) fn mktemp(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "p");
    let mut number = 0;
    let mut path = String::new();
    while number == 0 || shell.look(&path).is_some() {
        number += 1;
        path = format!("/tmp/tmp.{number:06}");
    }
    let change = if o.has('d') { Change::Directory } else { Change::Put("".into()) };
    shell.change(&path, change);
    shell.print(&format!("{path}\n"));
    Ok(0)
}

/// `rm` and `rmdir`.
pub(super) fn rm(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let name = args.first().map_or("rm", |n| base_name(n));
    let (all, force) = (o.has('r') || o.has('R') || name == "rmdir", o.has('f'));
    let mut status = 0;
    for path in &o.operands {
        let link = shell.link(path).is_some();
        let why = match shell.look(path) {
            None if force && !link => continue,
            None if !link => {
                shell.uncertain(path);
                "No such file or directory"
            }
            Some(Sort::Directory) if !all && !link => "Is a directory",
            _ if shell.is_read_only(path) => "Read-only file system",
            _ => {
                let top = shell.files.resolve_parent(&shell.path(path), shell.now);
                let tree = shell.files.tree(&top, shell.now);
                for below in tree.iter().rev() {
                    shell.change(below, Change::Remove);
                }
                continue;
            }
        };
        shell.error(&match (shell.program.tools, why) {
            (Tools::Busybox, "Is a directory") => format!("rm: '{path}' is a directory"),
            (Tools::Busybox, _) => format!("{name}: can't remove '{path}': {why}"),
            (Tools::Gnu, _) => format!("{name}: cannot remove '{path}': {why}"),
        });
        status = 1;
    }
    Ok(status)
}

/// `ln`: a symbolic link with `-s`; a hard link is a copy here.
pub(super) fn ln(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    if !o.has('s') {
        return transfer(shell, args, false);
    }
    let Some((&first, rest)) = o.operands.split_first() else { return Ok(1) };
    let name = rest.first().copied().unwrap_or_else(|| base_name(first.trim_end_matches('/')));
    let mut path = shell.path(name);
    if shell.is_directory(&path) && !(o.has('n') && shell.link(&path).is_some()) {
        path = absolute(&path, base_name(first.trim_end_matches('/')));
    }
    let gnu = format!("ln: failed to create symbolic link '{name}'");
    if is_refused(shell, &path, &format!("ln: {name}"), &gnu) {
        return Ok(1);
    }
    if !o.has('f') && (shell.link(&path).is_some() || shell.look(&path).is_some()) {
        shell.error(&match shell.program.tools {
            Tools::Busybox => format!("ln: {name}: File exists"),
            Tools::Gnu => format!("{gnu}: File exists"),
        });
        return Ok(1);
    }
    shell.change(&path, Change::Link(first.into()));
    Ok(0)
}

/// `cp`
pub(super) fn cp(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    transfer(shell, args, false)
}

pub(super) fn mv(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    transfer(shell, args, true)
}

fn transfer(shell: &mut Shell<'_>, args: &[String], moves: bool) -> Ran {
    let o = Options::parse(args, "");
    let name = args.first().map_or("cp", |n| base_name(n)).to_owned();
    let recursive = moves || name == "ln" || o.has('r') || o.has('R') || o.has('a');
    let Some((to, sources)) = o.operands.split_last().filter(|(_, s)| !s.is_empty()) else {
        shell.error(&format!("{name}: missing file operand"));
        return Ok(1);
    };
    let into = shell.is_directory(to);
    let mut status = 0;
    for from in sources {
        let source = shell.path(from);
        let mut target = shell.path(to);
        if into {
            target = absolute(&target, base_name(source.trim_end_matches("/.")));
        }
        if from.ends_with("/.") {
            target = shell.path(to);
        }
        let (busybox, gnu) = match moves {
            true => (format!("mv: can't rename '{from}'"), format!("mv: cannot move '{from}' to '{to}'")),
            false => (
                format!("{name}: can't create '{target}'"),
                format!("{name}: cannot create regular file '{target}'"),
            ),
        };
        let gone = moves && shell.is_read_only(&source) && shell.look(&source).is_some();
        let at = if gone { source.clone() } else { target.clone() };
        if is_refused(shell, &at, &busybox, &gnu) {
            status = 1;
            continue;
        }
        // A link that is moved, or copied with its directory, stays a link; any other is followed.
        let is_link = moves && shell.link(&source).is_some();
        let source = if is_link { source } else { shell.files.resolve(&source, shell.now).0 };
        if is_link && let Some(to) = shell.link(&source) {
            shell.change(&target, Change::Link(to.into()));
            shell.change(&source, Change::Remove);
            continue;
        }
        match shell.look(&source) {
            Some(Sort::File) if !shell.may(&source, 4) => {
                shell.error(&match shell.program.tools {
                    Tools::Busybox => format!("{name}: can't open '{from}': Permission denied"),
                    Tools::Gnu => format!("{name}: cannot open '{from}' for reading: Permission denied"),
                });
                status = 1;
            }
            None => {
                shell.uncertain(from);
                if !shell.certain {
                    // What the image has there is not known, nor what the copy would be.
                    continue;
                }
                shell.error(&match shell.program.tools {
                    Tools::Busybox if moves => {
                        format!("mv: can't rename '{from}': No such file or directory")
                    }
                    Tools::Busybox => format!("{name}: can't stat '{from}': No such file or directory"),
                    Tools::Gnu => format!("{name}: cannot stat '{from}': No such file or directory"),
                });
                status = 1;
            }
            Some(Sort::Directory) if !recursive => {
                shell.error(&match shell.program.tools {
                    Tools::Busybox => format!("{name}: omitting directory '{from}'"),
                    Tools::Gnu => format!("{name}: -r not specified; omitting directory '{from}'"),
                });
                status = 1;
            }
            Some(_) => {
                let tree = shell.files.tree(&source, shell.now);
                for path in tree.iter().take(1000) {
                    let rest = path.get(source.len()..).unwrap_or_default();
                    let changes = match (shell.files.link(path, shell.now), shell.files.sort(path, shell.now))
                    {
                        (Some(to), _) => vec![Change::Link(to)],
                        (None, Some(Sort::File)) => shell.files.copy(path, shell.now),
                        (None, Some(Sort::Directory)) => vec![Change::Directory],
                        (None, None) => continue,
                    };
                    for change in changes {
                        shell.change(&format!("{target}{rest}"), change);
                    }
                    if let Some(Access { mode, .. }) = shell.files.access(path, shell.now) {
                        let (uid, gid) = shell.program.user;
                        let access = Change::Access(Access { mode, uid, gid });
                        shell.change(&format!("{target}{rest}"), access);
                    }
                }
                if moves {
                    for path in tree.iter().rev() {
                        shell.change(path, Change::Remove);
                    }
                }
            }
        }
    }
    Ok(status)
}
