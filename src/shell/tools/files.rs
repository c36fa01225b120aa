//! Commands about files.

use super::super::files::{Change, Node, absolute, parent};
use super::super::machine::{Ran, Shell};
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
        let names = match shell.look(path) {
            Some(Node::Directory) if !o.has('d') => {
                if paths.len() > 1 {
                    out.push_str(&format!("{path}:\n"));
                }
                let mut names = shell.names_in(path);
                names.retain(|n| o.has('a') || o.has('A') || !n.starts_with('.'));
                names
            }
            Some(_) => vec![(*path).to_owned()],
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
            if o.has('l') {
                let node = shell.look(&absolute(path, &name)).or_else(|| shell.look(&name));
                let (kind, size) = match node {
                    Some(Node::File(text)) => ("-rw-r--r--", text.len()),
                    _ => ("drwxr-xr-x", 4096),
                };
                let date = super::system::format_date(shell.now, "%b %e %H:%M");
                out.push_str(&format!("{kind}    1 root     root     {size:>9} {date} "));
            }
            out.push_str(&name);
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
        let why = match shell.look(path) {
            None if force => continue,
            None => {
                shell.uncertain(path);
                "No such file or directory"
            }
            Some(Node::Directory) if !all => "Is a directory",
            Some(_) => {
                let tree = shell.files.tree(&shell.path(path), shell.now);
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

/// `cp`, and `ln`, which makes a copy here.
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
        match shell.look(&source) {
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
            Some(Node::Directory) if !recursive => {
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
                    let change = match shell.files.at(path, shell.now) {
                        Some(Node::File(text)) => Change::Put(text.into()),
                        Some(Node::Directory) => Change::Directory,
                        None => continue,
                    };
                    shell.change(&format!("{target}{rest}"), change);
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
