//! The usual commands, as far as they need no more than files, text, time and names. Their messages and exit codes are
//! those of BusyBox or of GNU.

mod access;
mod applets;
mod awk;
mod encode;
mod files;
mod fill;
mod filter;
mod find;
mod machine;
mod net;
mod sed;
mod system;

use jiff::SignedDuration;

use super::machine::{Ran, Shell};
use super::{Tools, Unknown, text};

pub use applets::OF_ALPINE;
pub(super) use applets::is_applet;
pub use system::CLEARING;

/// The part of a path after its last `/`.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Whether a path is in one of the directories of commands.
pub(super) fn is_standard(path: &str) -> bool {
    ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"]
        .iter()
        .any(|d| path.strip_prefix(d).is_some_and(|rest| !rest.contains('/')))
}

/// Whether a command is a shell.
pub fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "ash" | "dash" | "bash")
}

/// Commands that end by themselves at once with 0, and have no effect that a process here could notice.
const EFFECTLESS: [&str; 8] = ["chgrp", "chown", "logger", "mount", "swapoff", "sync", "sysctl", "umount"];

/// Commands that every image with a shell has and that are not played: whoever uses one is told so.
const NOT_PLAYED: [&str; 2] = ["chroot", "stty"];

/// Whether a command is known.
pub fn is_tool(name: &str) -> bool {
    EFFECTLESS.contains(&name)
        || NOT_PLAYED.contains(&name)
        || TOOLS.binary_search_by(|(n, _)| (*n).cmp(name)).is_ok()
}

/// Whether a command is known that the image of a process can have: BusyBox has no curl, and `ip` and `ps` are BusyBox' alone,
/// because images with GNU's tools mostly lack them.
pub(super) fn is_built(program: &super::Program, name: &str) -> bool {
    let lacks = match program.tools {
        Tools::Busybox => name == "curl" && program.complete,
        Tools::Gnu => matches!(name, "ip" | "ps" | "reset"),
    };
    is_tool(name) && !lacks
}

/// The names of all commands that are known, shells among them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(name, _)| *name).chain(EFFECTLESS).chain(["sh"])
}

/// Whether a command prints what it makes of each line before it reads the next one.
pub(super) fn is_line_by_line(name: &str) -> bool {
    matches!(name, "awk" | "cat" | "cut" | "egrep" | "fgrep" | "grep" | "sed" | "tee" | "tr" | "uniq")
}

type Tool = fn(&mut Shell<'_>, &[String]) -> Ran;

/// The commands by their names, sorted.
const TOOLS: &[(&str, Tool)] = &[
    ("[", |s, a| {
        let end = a.len().saturating_sub(1);
        s.test_command("[", a.get(1..end).unwrap_or_default())
    }),
    ("awk", awk::awk),
    ("base64", encode::base64),
    ("basename", files::basename),
    ("cat", files::cat),
    ("chmod", access::chmod),
    ("clear", system::clear),
    ("cp", files::cp),
    ("curl", net::curl),
    ("cut", filter::cut),
    ("date", system::date),
    ("dd", fill::dd),
    ("dirname", files::dirname),
    ("dumb-init", system::wrapper),
    ("echo", system::echo),
    ("egrep", filter::grep),
    ("env", system::env),
    ("expr", system::expr),
    ("fallocate", fill::fallocate),
    ("false", |_, _| Ok(1)),
    ("fgrep", filter::grep),
    ("find", find::find),
    ("free", machine::free),
    ("getent", net::getent),
    ("grep", filter::grep),
    ("head", filter::head),
    ("hostname", system::hostname),
    ("id", system::id),
    ("install", files::mkdir),
    ("ip", machine::ip),
    ("kill", |s, a| s.kill(a.get(1..).unwrap_or_default())),
    ("ln", files::ln),
    ("ls", files::ls),
    ("md5sum", encode::md5sum),
    ("mkdir", files::mkdir),
    ("mktemp", files::mktemp),
    ("mv", files::mv),
    ("nc", net::nc),
    ("nice", system::wrapper),
    ("nohup", system::wrapper),
    ("nproc", system::nproc),
    ("nslookup", net::nslookup),
    ("ping", net::ping),
    ("printenv", system::printenv),
    ("printf", system::printf),
    ("ps", machine::ps),
    ("pwd", system::pwd),
    ("readlink", find::readlink),
    ("realpath", find::readlink),
    ("reset", system::reset),
    ("rm", files::rm),
    ("rmdir", files::rm),
    ("sed", sed::sed),
    ("seq", system::seq),
    ("sha256sum", encode::sha256sum),
    ("sleep", sleep),
    ("sort", filter::sort),
    ("stdbuf", system::wrapper),
    ("tail", filter::tail),
    ("tee", filter::tee),
    ("test", |s, a| s.test_command("test", a.get(1..).unwrap_or_default())),
    ("timeout", system::wrapper),
    ("tini", system::wrapper),
    ("touch", files::touch),
    ("tr", filter::tr),
    ("traceroute", net::traceroute),
    ("true", |_, _| Ok(0)),
    ("uname", system::uname),
    ("uniq", filter::uniq),
    ("usleep", |s, a| {
        let micros = a.get(1).and_then(|n| n.parse::<i64>().ok()).unwrap_or(0);
        s.pass(SignedDuration::from_micros(micros.max(0)))?;
        Ok(0)
    }),
    ("wc", filter::wc),
    ("wget", net::wget),
    ("which", |s, a| s.command("which", a.get(1..).unwrap_or_default())),
    ("whoami", system::whoami),
    ("xargs", system::xargs),
    ("yes", filter::yes),
];

/// Whether a program can be in the image of a process: one that [`is_tool`] does not know may be there all the same.
pub(super) fn may_exist(program: &super::Program, name: &str) -> bool {
    !program.complete || applets::is_applet(name) || program.others.contains(&name)
}

impl Shell<'_> {
    /// Whether the image certainly has a program.
    pub(super) fn has_program(&self, name: &str) -> bool {
        is_built(self.program, name) || (self.program.complete && may_exist(self.program, name))
    }
}

/// Runs a command; `None` if the shell does not know it. `args` begin with its name.
pub(super) fn run(shell: &mut Shell<'_>, name: &str, args: &[String]) -> Option<Ran> {
    if EFFECTLESS.contains(&name) {
        return Some(Ok(0));
    }
    if NOT_PLAYED.contains(&name) {
        return Some(Ok(shell.is_not_played(name)));
    }
    if !is_built(shell.program, name) {
        return None;
    }
    let at = TOOLS.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    TOOLS.get(at).map(|(_, tool)| tool(shell, args))
}

fn sleep(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let times = args.get(1..).unwrap_or_default();
    if times.is_empty() {
        shell.error("sleep: missing operand");
        return Ok(1);
    }
    let mut total = SignedDuration::ZERO;
    for time in times {
        if matches!(time.as_str(), "infinity" | "inf") {
            return Err(shell.block());
        }
        match text::duration(time) {
            Some(t) => total = total.saturating_add(t),
            None => {
                shell.error(&match shell.program.tools {
                    Tools::Busybox => format!("sleep: invalid number '{time}'"),
                    Tools::Gnu => format!("sleep: invalid time interval '{time}'"),
                });
                return Ok(1);
            }
        }
    }
    shell.pass(total)?;
    Ok(0)
}

/// A regular expression, extended or basic.
pub(super) fn regex(pattern: &str, extended: bool, ignore_case: bool) -> Option<regex::Regex> {
    let pattern = if extended { pattern.to_owned() } else { basic(pattern) };
    let pattern = pattern.replace("[[:<:]]", r"\b").replace("[[:>:]]", r"\b");
    regex::RegexBuilder::new(&pattern)
        .case_insensitive(ignore_case)
        .size_limit(1 << 20)
        .nest_limit(50)
        .build()
        .ok()
}

/// A basic regular expression as an extended one: what is escaped there is not here, and the other way round.
fn basic(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(e @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => out.push(e),
                Some('<' | '>') => out.push_str(r"\b"),
                Some(e) => out.extend(['\\', e]),
                None => out.push_str(r"\\"),
            },
            '*' if first => out.push_str(r"\*"),
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => out.extend(['\\', c]),
            '[' => {
                out.push('[');
                // Up to its end a bracket expression stands for itself; a `[` in it has to be escaped.
                let mut any = false;
                while let Some(c) = chars.next() {
                    match c {
                        ']' if any => {
                            out.push(']');
                            break;
                        }
                        '[' if chars.peek() == Some(&':') => {
                            out.push('[');
                            for c in chars.by_ref() {
                                out.push(c);
                                if c == ']' {
                                    break;
                                }
                            }
                        }
                        '[' | '\\' | ']' => out.extend(['\\', c]),
                        _ => out.push(c),
                    }
                    any |= c != '^';
                }
            }
            _ => out.push(c),
        }
        first = matches!(c, '^') && first;
    }
    out
}

/// Options of one letter and operands. `valued` are the letters that take a value.
pub(super) struct Options<'a> {
    letters: String,
    values: Vec<(char, &'a str)>,
    pub(super) operands: Vec<&'a str>,
}

impl<'a> Options<'a> {
    pub(super) fn parse(args: &'a [String], valued: &str) -> Options<'a> {
        let mut out = Options { letters: String::new(), values: Vec::new(), operands: Vec::new() };
        let mut rest = args.iter().skip(1);
        while let Some(arg) = rest.next() {
            if arg == "--" {
                out.operands.extend(rest.by_ref().map(String::as_str));
            } else if let Some(long) = arg.strip_prefix("--") {
                let (name, value) = long.split_once('=').unwrap_or((long, ""));
                let letter = name.chars().next().unwrap_or('-');
                out.letters.push(letter);
                out.values.push((letter, value));
            } else if let Some(flags) = arg.strip_prefix('-').filter(|f| !f.is_empty()) {
                for (at, c) in flags.char_indices() {
                    out.letters.push(c);
                    if valued.contains(c) {
                        let value = flags.get(at + c.len_utf8()..).filter(|v| !v.is_empty());
                        let value = value.or_else(|| rest.next().map(String::as_str));
                        out.values.push((c, value.unwrap_or_default()));
                        break;
                    }
                }
            } else {
                out.operands.push(arg);
            }
        }
        out
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    pub(super) fn value(&self, letter: char) -> Option<&'a str> {
        self.values.iter().rev().find(|(c, _)| *c == letter).map(|(_, v)| *v)
    }

    pub(super) fn all(&self, letter: char) -> Vec<&'a str> {
        self.values.iter().filter(|(c, _)| *c == letter).map(|(_, v)| *v).collect()
    }
}

impl Shell<'_> {
    /// The texts of files with their names, or of standard input. A file that cannot be read is told; the second
    /// result is whether there was one.
    pub(super) fn inputs_of(
        &mut self,
        command: &str,
        paths: &[&str],
    ) -> Result<(Vec<(String, String)>, bool), super::machine::Stop> {
        if paths.is_empty() {
            return Ok((vec![("-".into(), self.read_input()?)], false));
        }
        let (mut all, mut failed) = (Vec::new(), false);
        for path in paths {
            if *path == "-" {
                all.push(("-".to_owned(), self.read_input()?));
                continue;
            }
            match self.read(path) {
                Ok(text) => all.push(((*path).to_owned(), text)),
                Err(why) => {
                    self.uncertain(path);
                    // Who wrote the command knew what is in the image or on the node.
                    if why == "No such file or directory" && self.may_have(path) {
                        all.push(((*path).to_owned(), String::new()));
                        continue;
                    }
                    failed = true;
                    self.error(&match self.program.tools {
                        Tools::Busybox if why == "Is a directory" => format!("{command}: read error: {why}"),
                        Tools::Busybox if command == "grep" => format!("{command}: {path}: {why}"),
                        Tools::Busybox => format!("{command}: can't open '{path}': {why}"),
                        Tools::Gnu => format!("{command}: {path}: {why}"),
                    });
                }
            }
        }
        Ok((all, failed))
    }

    /// Whether the image or the node may have a file that the shell does not know: the image is not known as a whole, and
    /// the file is in no directory that was mounted or made.
    fn may_have(&mut self, path: &str) -> bool {
        let path = self.path(path);
        let empty = path.starts_with("/tmp/") || path.starts_with("/dev/");
        let parent = super::files::parent(&path).to_owned();
        // The kubelet makes files in /etc, which has others.
        self.has_unknown_files() && !empty && (parent == "/etc" || !self.is_directory(&parent))
    }

    /// Whether the image may have files that are not known, and these do not count as missing.
    pub(super) fn has_unknown_files(&self) -> bool {
        !self.program.complete && self.program.unknown != Unknown::Missing
    }

    /// Notes that the absence of a path is not certain: the image may have it.
    pub(super) fn uncertain(&mut self, path: &str) {
        let path = self.path(path);
        let empty = path.starts_with("/tmp/") || path.starts_with("/dev/");
        self.certain &= !self.program.companions && (self.program.complete || empty);
    }
}
