//! The commands that are a part of the shell (POSIX, 2.14): they change its state.

use super::array::Array;
use super::machine::{Ran, Shell, Stop, Variable};
use super::parser::is_name;
use super::{signals, tools};
use crate::api::Timestamp;

/// The names of all builtins, sorted.
pub(super) const NAMES: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "cd", "command", "continue", "declare", "disown", "eval", "exit",
    "export", "fg", "getopts", "hash", "jobs", "kill", "let", "local", "read", "readonly", "return", "set",
    "shift", "shopt", "source", "test", "times", "trap", "type", "typeset", "ulimit", "umask", "unset",
    "wait", "which",
];

/// The names of the builtins that only bash has.
const OF_BASH: &[&str] = &["mapfile", "readarray"];

/// Runs a builtin; `None` if there is none of this name.
pub(super) fn run(shell: &mut Shell<'_>, name: &str, args: &[String]) -> Option<Ran> {
    let known = NAMES.binary_search(&name).is_ok() || (shell.frame.bash && OF_BASH.contains(&name));
    if !known {
        return None;
    }
    let rest = args.get(1..).unwrap_or_default();
    let first = rest.first().map(String::as_str);
    let count = || first.and_then(|n| n.parse::<u32>().ok()).unwrap_or(1).max(1);
    let code = |shell: &Shell<'_>| match first {
        Some(n) => n.parse::<i32>().map_or(2, |n| n & 0xff),
        None => shell.status,
    };
    Some(match name {
        ":" => Ok(0),
        "exit" => {
            shell.exits = true;
            Err(Stop::Exit(code(shell)))
        }
        "return" => Err(Stop::Return(code(shell))),
        "break" => Err(Stop::Break(count())),
        "continue" => Err(Stop::Continue(count())),
        "cd" => shell.change_directory(rest),
        "eval" => shell.evaluate(&rest.join(" ")),
        "." | "source" => shell.source(rest),
        "set" if rest.is_empty() => shell.print_variables("", |_| true),
        "export" if matches!(rest, [] | [_]) && first.is_none_or(|f| f == "-p") => {
            shell.print_variables("export ", |exported| exported)
        }
        "set" => shell.set_command(rest),
        "shift" => {
            let n = usize::try_from(count()).unwrap_or(1);
            let all = &mut shell.frame.args;
            if n > all.len() {
                Ok(1)
            } else {
                all.drain(..n);
                Ok(0)
            }
        }
        "export" | "readonly" | "local" | "declare" | "typeset" => shell.declare(name, rest),
        "unset" => {
            let functions = first == Some("-f");
            let mut status = Ok(0);
            for name in rest.iter().filter(|n| !n.starts_with('-')) {
                if functions {
                    shell.frame.functions.remove(name);
                } else if status.is_ok() {
                    status = shell.unset(name);
                }
            }
            status
        }
        "trap" => shell.trap(rest),
        "wait" => shell.wait(rest),
        "kill" => shell.kill(rest),
        "jobs" | "umask" | "ulimit" | "hash" | "shopt" | "times" | "fg" | "bg" | "disown" | "alias" => Ok(0),
        "read" => shell.read_command(rest),
        "mapfile" | "readarray" if shell.frame.bash => shell.read_array(rest),
        "type" | "command" | "which" => shell.command(name, rest),
        "getopts" => Ok(1),
        "test" => shell.test_command("test", rest),
        "[" => match rest.split_last() {
            Some((last, rest)) if last == "]" => shell.test_command("[", rest),
            _ => {
                shell.complain("[: missing ]");
                Ok(2)
            }
        },
        "let" => {
            let word = vec![super::ast::Part::Text { text: rest.join(", "), quoted: true }];
            shell.arithmetic(&word).map(|n| i32::from(n == 0))
        }
        _ => return None,
    })
}

impl Shell<'_> {
    fn change_directory(&mut self, args: &[String]) -> Ran {
        let home = || self.variable("HOME").map_or_else(|| "/".to_owned(), |h| h.to_string());
        let mut to = args.iter().find(|a| *a != "--").cloned().unwrap_or_else(home);
        if to == "-" {
            to = self.variable("OLDPWD").map_or_else(|| "/".to_owned(), |d| d.to_string());
        }
        // The directories of an image that nobody has looked into may be there.
        if !self.is_directory(&to) && (self.program.complete || self.look(&to).is_some()) {
            self.complain(&format!("cd: can't cd to {to}: No such file or directory"));
            return Ok(if self.program.tools == super::Tools::Gnu { 2 } else { 1 });
        }
        let before = self.frame.directory.clone();
        self.frame.directory = self.path(&to);
        self.set("OLDPWD", &before);
        let now = self.frame.directory.clone();
        self.set("PWD", &now);
        Ok(0)
    }

    fn source(&mut self, args: &[String]) -> Ran {
        let Some(file) = args.first() else { return Ok(2) };
        match self.read(file) {
            Ok(text) => match self.evaluate(&text) {
                Err(Stop::Return(code)) => Ok(code),
                other => other,
            },
            Err(_) if self.has_unknown_files() => {
                self.certain = false;
                Ok(0)
            }
            Err(why) => {
                self.complain(&format!("{file}: {why}"));
                Err(Stop::Exit(2))
            }
        }
    }

    pub(super) fn set_flag(&mut self, flag: char, on: bool) {
        let options = &mut self.frame.options;
        options.retain(|c| c != flag);
        if on {
            options.push(flag);
        }
    }

    pub(super) fn set_option(&mut self, name: &str, on: bool) {
        let flag = match name {
            "allexport" => 'a',
            "errexit" => 'e',
            "noglob" => 'f',
            "nounset" => 'u',
            "xtrace" => 'x',
            "pipefail" => 'P',
            _ => return,
        };
        self.set_flag(flag, on);
    }

    /// Prints variables so that they can be read again.
    fn print_variables(&mut self, before: &str, which: impl Fn(bool) -> bool) -> Ran {
        let variables = self.frame.variables.iter().filter(|(_, (_, exported))| which(*exported));
        let line = |(name, (value, _)): (&String, &Variable)| {
            format!("{before}{name}='{}'\n", value.replace('\'', "'\"'\"'"))
        };
        let text: String = variables.map(line).collect();
        self.print(&text);
        Ok(0)
    }

    fn set_command(&mut self, args: &[String]) -> Ran {
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let on = arg.starts_with('-');
            let Some(flags) = arg.strip_prefix(['-', '+']).filter(|_| arg != "-") else {
                self.frame.args = std::iter::once(arg).chain(args).cloned().collect();
                return Ok(0);
            };
            if arg == "--" {
                self.frame.args = args.cloned().collect();
                return Ok(0);
            }
            for flag in flags.chars() {
                if flag == 'o' {
                    let name = args.next().cloned().unwrap_or_default();
                    self.set_option(&name, on);
                } else {
                    self.set_flag(flag, on);
                }
            }
        }
        Ok(0)
    }

    fn declare(&mut self, what: &str, args: &[String]) -> Ran {
        let export = what == "export" || (what != "readonly" && args.iter().any(|a| a == "-x"));
        for arg in args.iter().filter(|a| !a.starts_with('-')) {
            let (name, value) = arg.split_once('=').map_or((arg.as_str(), None), |(n, v)| (n, Some(v)));
            if !is_name(name) {
                self.complain(&format!("{what}: {arg}: bad variable name"));
                return Err(Stop::Exit(2));
            }
            if !matches!(what, "export" | "readonly") {
                let before = (self.frame.variables.get(name), self.frame.arrays.get(name));
                let (before, array) = (before.0.cloned(), before.1.cloned());
                if let Some(locals) = self.locals.last_mut() {
                    locals.push((name.to_owned(), before, array));
                    self.frame.arrays.remove(name);
                }
            }
            if let Some(kind) = args.iter().find(|a| matches!(a.as_str(), "-a" | "-A")) {
                self.make_array(name, kind == "-A");
            }
            if let Some(value) = value {
                self.set(name, value);
            }
            if export && let Some(variable) = self.frame.variables.get_mut(name) {
                variable.1 = true;
            }
        }
        Ok(0)
    }

    fn trap(&mut self, args: &[String]) -> Ran {
        let Some((action, signals)) = args.split_first() else { return Ok(0) };
        let (action, signals) = match action.as_str() {
            "-" => (None, signals),
            _ if signals.is_empty() => (None, args),
            a => (Some(a.to_owned()), signals),
        };
        for signal in signals {
            let name = signals::name(signal);
            match &action {
                Some(a) => self.frame.traps.insert(name, a.clone()),
                None => self.frame.traps.remove(&name),
            };
        }
        Ok(0)
    }

    fn wait(&mut self, args: &[String]) -> Ran {
        let pids: Vec<usize> = args.iter().filter_map(|a| a.trim_start_matches('%').parse().ok()).collect();
        if !args.is_empty() && pids.iter().any(|p| !self.jobs.iter().any(|j| j.pid == *p)) {
            return Ok(127);
        }
        let waited: Vec<_> =
            self.jobs.iter().filter(|j| pids.is_empty() || pids.contains(&j.pid)).map(|j| j.ends).collect();
        let last = waited.last().copied().flatten().map_or(0, |(_, code)| code);
        let ends = waited.into_iter().try_fold(self.now, |t, e| e.map(|(at, _): (Timestamp, _)| t.max(at)));
        if self.interrupted(ends)? {
            return Ok(143);
        }
        let Some(ends) = ends else { return Err(self.block()) };
        self.pass(ends.duration_since(self.now))?;
        Ok(if pids.is_empty() { 0 } else { last })
    }

    pub(super) fn kill(&mut self, args: &[String]) -> Ran {
        let mut signal = "TERM".to_owned();
        let mut status = 0;
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if arg == "-s" {
                signal = signals::name(rest.next().map_or("", String::as_str));
            } else if let Some(s) = arg.strip_prefix('-') {
                signal = signals::name(s);
            } else if let Some(job) = arg
                .trim_start_matches('%')
                .parse()
                .ok()
                .and_then(|p: usize| self.jobs.iter_mut().find(|j| j.pid == p))
            {
                let over = job.ends.is_some_and(|(at, _)| at <= self.now);
                if over {
                    status = 1;
                } else if signal != "EXIT" {
                    job.ends = Some((self.now, if signal == "KILL" { 137 } else { 143 }));
                    let cycles = job.cycles.clone();
                    self.cut_cycles(cycles);
                }
            } else if arg == "1" && !self.program.first {
                self.signals.push(signal.as_str().into());
            } else if arg == "1" {
                let handled = self.frame.traps.get("TERM").filter(|_| signal == "TERM");
                if let Some(action) = handled.cloned() {
                    self.evaluate(&action)?;
                }
            } else {
                self.complain(&format!("kill: can't kill pid {arg}: No such process"));
                status = 1;
            }
        }
        Ok(status)
    }

    /// bash's `mapfile [-t] NAME`: the lines of standard input.
    fn read_array(&mut self, args: &[String]) -> Ran {
        let text = self.read_input()?;
        let bare = args.iter().any(|a| a == "-t");
        let name = args.iter().find(|a| !a.starts_with('-')).map_or("MAPFILE", String::as_str);
        let lines = text.split_inclusive('\n').map(|l| if bare { l.trim_end_matches('\n') } else { l });
        self.set_array(name, Array::of(lines.map(str::to_owned)));
        Ok(0)
    }

    fn read_command(&mut self, args: &[String]) -> Ran {
        let (mut raw, mut names, mut rest) = (false, Vec::new(), args.iter());
        let mut array = None;
        while let Some(arg) = rest.next() {
            match arg.strip_prefix('-') {
                Some(flags) => {
                    raw |= flags.contains('r');
                    if flags.ends_with('a') && self.frame.bash {
                        array = rest.next().cloned();
                    }
                    if flags.ends_with(['p', 't', 'n', 'd', 'u']) {
                        rest.next();
                    }
                }
                None => names.push(arg.clone()),
            }
        }
        let line = self.read_line()?;
        let complete = line.as_ref().is_some_and(|l| l.ends_with('\n'));
        let line = line.unwrap_or_default();
        let mut line = line.trim_end_matches('\n').to_owned();
        if !raw {
            line = line.replace('\\', "");
        }
        if let Some(name) = array {
            let ifs = self.variable("IFS").map_or_else(|| " \t\n".to_owned(), |v| v.to_string());
            let words = line.split(|c| ifs.contains(c)).filter(|w| !w.is_empty());
            self.set_array(&name, Array::of(words.map(str::to_owned)));
            return Ok(i32::from(!complete));
        }
        if names.is_empty() {
            names.push("REPLY".into());
        }
        let ifs = self.variable("IFS").map_or_else(|| " \t\n".to_owned(), |v| v.to_string());
        let blank = |c: char| ifs.contains(c) && c.is_whitespace();
        let mut text = line.as_str().trim_matches(blank);
        let count = names.len();
        for (i, name) in names.iter().enumerate() {
            let end = if i + 1 == count { None } else { text.find(|c| ifs.contains(c)) };
            let (value, after) = match end {
                Some(at) => {
                    let after = text.get(at..).unwrap_or_default();
                    let after = after.trim_start_matches(blank);
                    let hard = after.strip_prefix(|c| ifs.contains(c) && !blank(c)).unwrap_or(after);
                    (text.get(..at).unwrap_or_default(), hard.trim_start_matches(blank))
                }
                None => (text, ""),
            };
            self.set(name, value);
            text = after;
        }
        Ok(i32::from(!complete))
    }

    /// `command`, `type` and `which`.
    pub(super) fn command(&mut self, what: &str, args: &[String]) -> Ran {
        let look_up = what != "command" || matches!(args.first().map(String::as_str), Some("-v" | "-V"));
        let words: Vec<String> = args.iter().filter(|a| !a.starts_with('-')).cloned().collect();
        if !look_up {
            let Some(name) = words.first().cloned() else { return Ok(0) };
            return match run(self, &name, args) {
                Some(result) => result,
                None => self.external(&name, args),
            };
        }
        let mut status = 0;
        for word in &words {
            // `which` is a program, although it is executed as a builtin here.
            let builtin = word != "which" && NAMES.binary_search(&word.as_str()).is_ok();
            let shell_s = builtin || self.frame.functions.contains_key(word);
            if shell_s && what != "which" {
                self.print(&format!("{word}\n"));
            } else if word == "which" || tools::is_built(self.program, word) || tools::is_shell(word) {
                self.print(&format!("/bin/{word}\n"));
            } else if !tools::may_exist(self.program, word) {
                status = if self.program.tools == super::Tools::Busybox { 127 } else { 1 };
            } else {
                self.certain &= self.program.complete;
                self.print(&format!("/usr/bin/{word}\n"));
            }
        }
        Ok(status)
    }
}
