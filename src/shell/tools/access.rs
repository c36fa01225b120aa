//! Who may do what with files: `chmod`, the permissions that `ls -l` shows, file systems that are mounted for reading only.

use super::super::files::{Access, Change, Sort};
use super::super::machine::{Ran, Shell};
use super::Tools;

/// What `ls -l` says of an entry before its name.
pub(super) fn long(shell: &mut Shell<'_>, path: &str, link: Option<&str>) -> String {
    let usual = |mode| Access { mode, uid: 0, gid: 0 };
    let (kind, size, access) = match (link, shell.look(path)) {
        (Some(to), _) => ('l', to.len() as u64, usual(0o777)),
        (None, Some(Sort::File)) => {
            ('-', shell.size_of(path), shell.files.access(path, shell.now).unwrap_or(usual(0o644)))
        }
        (None, _) => ('d', 4096, shell.files.access(path, shell.now).unwrap_or(usual(0o755))),
    };
    let changed = shell.files.changed(path, shell.now).unwrap_or(shell.now);
    let date = super::system::format_date(changed, "%b %e %H:%M");
    let owner = |id: i64| if id == 0 { "root".to_owned() } else { id.to_string() };
    let (user, group) = (owner(access.uid), owner(access.gid));
    format!("{kind}{}    1 {user:<8} {group:<8} {size:>9} {date} ", access.letters())
}

/// The KiB that an entry takes on the disk, as `ls -l` adds them up: a link takes none, a directory and each begun 4 KiB of a file
/// take 4.
pub(super) fn blocks(shell: &mut Shell<'_>, path: &str) -> u64 {
    if shell.link(path).is_some() {
        return 0;
    }
    match shell.look(path) {
        Some(Sort::File) => shell.size_of(path).div_ceil(4096) * 4,
        _ => 4,
    }
}

/// Tells that a command cannot change a path, if that is in a file system that is mounted for reading only.
pub(super) fn is_refused(shell: &mut Shell<'_>, path: &str, busybox: &str, gnu: &str) -> bool {
    let refused = shell.is_read_only(path);
    if refused {
        let what = if shell.program.tools == Tools::Busybox { busybox } else { gnu };
        shell.error(&format!("{what}: Read-only file system"));
    }
    refused
}

/// `chmod`: the mode in digits, or letters such as `u+x,go-w`.
pub(super) fn chmod(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let words: Vec<&String> =
        args.iter().skip(1).filter(|a| !matches!(a.as_str(), "-R" | "-v" | "-f")).collect();
    let Some((mode, paths)) = words.split_first() else { return Ok(1) };
    let mut status = 0;
    for path in paths {
        let full = shell.path(path);
        let is_directory = match shell.look(&full) {
            Some(sort) => sort == Sort::Directory,
            None => {
                // What the image has there is not known.
                shell.uncertain(path);
                continue;
            }
        };
        let gnu = format!("chmod: changing permissions of '{path}'");
        if is_refused(shell, path, &format!("chmod: {path}"), &gnu) {
            status = 1;
            continue;
        }
        let before = shell.files.access(&full, shell.now);
        let from =
            before.unwrap_or(Access { mode: if is_directory { 0o755 } else { 0o644 }, uid: 0, gid: 0 });
        match changed_mode(mode, from.mode) {
            Some(mode) => shell.change(&full, Change::Access(Access { mode, ..from })),
            None => {
                shell.error(&format!("chmod: invalid mode '{mode}'"));
                return Ok(1);
            }
        }
    }
    Ok(status)
}

/// A mode after a change in words of `chmod`; `None` if they cannot be read.
fn changed_mode(words: &str, from: u16) -> Option<u16> {
    if words.starts_with(|c: char| c.is_ascii_digit()) {
        return u16::from_str_radix(words, 8).ok().map(|m| m & 0o7777);
    }
    let mut mode = from;
    for clause in words.split(',') {
        let at = clause.find(['+', '-', '='])?;
        let (who, rest) = clause.split_at(at);
        let operator = rest.chars().next()?;
        let mut places = 0;
        for c in if who.is_empty() { "a" } else { who }.chars() {
            places |= match c {
                'u' => 0o700,
                'g' => 0o070,
                'o' => 0o007,
                'a' => 0o777,
                _ => return None,
            };
        }
        let mut bits = 0;
        for c in rest.chars().skip(1) {
            bits |= match c {
                'r' => 0o444,
                'w' => 0o222,
                'x' => 0o111,
                'X' => from & 0o111,
                's' | 't' => 0,
                _ => return None,
            };
        }
        mode = match operator {
            '+' => mode | (bits & places),
            '-' => mode & !(bits & places),
            _ => (mode & !places) | (bits & places),
        };
    }
    Some(mode)
}
