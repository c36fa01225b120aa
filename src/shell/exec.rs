//! Executes commands that consist of commands, and dispatches simple ones.

use super::ast::{Node, Redirect, Target, Word};
use super::glob;
use super::machine::{Input, Job, Out, Ran, Shell, Stop};
use super::{Tools, builtins, parser, tools};

/// How deep functions, substitutions and compound commands can be nested.
const DEPTH_LIMIT: usize = 60;

/// The process number of the first command in the background.
const FIRST_PID: usize = 7;

impl Shell<'_> {
    /// Runs the container's program.
    pub(super) fn start(&mut self) -> Ran {
        let words = self.program.words.clone();
        let Some(name) = words.first().filter(|w| !w.is_empty()) else { return self.unknown() };
        if tools::is_shell(tools::base_name(name)) {
            return self.shell(&words, true);
        }
        self.step()?;
        self.external(name, &words)
    }

    /// Runs `sh` with its arguments. `main` is whether it is the container's process.
    pub(super) fn shell(&mut self, words: &[String], main: bool) -> Ran {
        let name = words.first().map_or("sh", |w| tools::base_name(w)).to_owned();
        self.frame.bash = name == "bash";
        let mut script = None;
        let mut rest = words.iter().skip(1).peekable();
        let mut takes_script = false;
        while let Some(flags) = rest.peek().and_then(|w| w.strip_prefix(['-', '+'])).filter(|f| !f.is_empty())
        {
            rest.next();
            if flags == "-" {
                break;
            }
            takes_script |= flags.contains('c') && !flags.starts_with('-');
            if flags.ends_with('o') && !flags.starts_with('-') {
                let option = rest.next().cloned().unwrap_or_default();
                self.set_option(&option, true);
            }
            for c in flags.chars().filter(|c| "aefux".contains(*c) && !flags.starts_with('-')) {
                self.set_flag(c, true);
            }
        }
        self.frame.name = name;
        if takes_script {
            script = rest.next().cloned();
            self.frame.name = rest.next().cloned().unwrap_or_else(|| self.frame.name.clone());
        } else if let Some(file) = rest.next() {
            match self.read(file) {
                Ok(text) => script = Some(text),
                // A program's own scripts are in its image, which nobody has looked into.
                Err(_) if !self.program.complete => return self.unknown(),
                Err(_) => {
                    self.complain(&format!("can't open '{file}': No such file or directory"));
                    return Err(Stop::Exit(2));
                }
            }
            self.frame.name = file.clone();
        }
        self.frame.args = rest.cloned().collect();
        let script = match script {
            Some(script) => script,
            None => self.read_input()?,
        };
        let result = self.script(&script, main);
        self.leave(result)
    }

    /// Runs the trap of EXIT.
    fn leave(&mut self, result: Ran) -> Ran {
        let code = match result {
            Ok(code) | Err(Stop::Exit(code) | Stop::Return(code)) => code,
            Err(Stop::Break(_) | Stop::Continue(_)) => self.status,
            Err(stop) => return Err(stop),
        };
        match self.frame.traps.remove("EXIT") {
            Some(action) => {
                self.status = code;
                match self.evaluate(&action) {
                    Err(Stop::Exit(code)) => Ok(code),
                    Err(Stop::Never) => Err(Stop::Never),
                    _ => Ok(code),
                }
            }
            None => Ok(code),
        }
    }

    fn script(&mut self, text: &str, main: bool) -> Ran {
        let node = match parser::parse(text) {
            Ok(node) => node,
            Err(e) => {
                self.complain(&format!("syntax error: {}", e.0));
                return Err(Stop::Exit(2));
            }
        };
        // A shell that has one simple command to run becomes that command.
        let single = matches!(&node, Node::List(all)
            if matches!(all.as_slice(), [(command, false)] if matches!(**command, Node::Simple { .. })));
        self.alone &= main && single;
        self.node(&node)
    }

    /// Reads and runs a text in this shell (`eval`).
    pub(super) fn evaluate(&mut self, text: &str) -> Ran {
        match parser::parse(text) {
            Ok(node) => self.nested(|s| s.node(&node)),
            Err(e) => {
                self.complain(&format!("syntax error: {}", e.0));
                Err(Stop::Exit(2))
            }
        }
    }

    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Ran) -> Ran {
        if self.depth >= DEPTH_LIMIT {
            self.complain("maximum recursion depth exceeded");
            return Err(Stop::Exit(2));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Runs commands in a copy of this shell. Traps are not copied.
    pub(super) fn subshell(&mut self, f: impl FnOnce(&mut Self) -> Ran) -> Ran {
        let (frame, outs, input) = (self.frame.clone(), self.outs.clone(), self.input);
        let (alone, main, locals) = (self.alone, self.main, std::mem::take(&mut self.locals));
        (self.alone, self.main) = (false, false);
        self.frame.traps.clear();
        let result = self.nested(f);
        let result = self.leave(result);
        (self.frame, self.outs, self.input) = (frame, outs, input);
        (self.alone, self.main, self.locals) = (alone, main, locals);
        result
    }

    /// Runs a command.
    pub(super) fn node(&mut self, node: &Node) -> Ran {
        let status = self.nested(|s| s.compound(node))?;
        self.status = status;
        Ok(status)
    }

    fn compound(&mut self, node: &Node) -> Ran {
        match node {
            Node::Simple { assigns, words, redirects } => {
                let status = self.simple(assigns, words, redirects)?;
                self.status = status;
                self.check_signal()?;
                self.check_failure(status)
            }
            Node::Pipeline(negated, commands) => self.pipeline(*negated, commands),
            Node::AndOr(all) => {
                let mut status = 0;
                for (i, (and, command)) in all.iter().enumerate() {
                    if i > 0 && *and != (status == 0) {
                        continue;
                    }
                    // The last one's failure counts for `set -e`.
                    let last = i + 1 == all.len();
                    status = if last { self.node(command)? } else { self.test(command)? };
                }
                Ok(status)
            }
            Node::List(all) => {
                let mut status = 0;
                for (command, background) in all {
                    status = if *background { self.background(command)? } else { self.node(command)? };
                }
                Ok(status)
            }
            Node::Redirected(command, redirects) => self.redirected(redirects, |s| s.node(command)),
            Node::Subshell(command) => {
                let status = self.subshell(|s| s.node(command))?;
                self.check_failure(status)
            }
            Node::If(arms, otherwise) => {
                for (condition, body) in arms {
                    if self.test(condition)? == 0 {
                        return self.node(body);
                    }
                }
                otherwise.as_ref().map_or(Ok(0), |body| self.node(body))
            }
            Node::Loop(until, condition, body) => self.repeat(*until, condition, body),
            Node::For(name, words, body) => {
                let items = match words {
                    Some(words) => self.expand_all(words)?,
                    None => self.frame.args.clone(),
                };
                let mut status = 0;
                for item in items {
                    self.step()?;
                    self.set(name, &item);
                    if !self.round(body, &mut status)? {
                        break;
                    }
                }
                Ok(status)
            }
            Node::Count([first, condition, next], body) => {
                self.arithmetic(first)?;
                let mut status = 0;
                while condition.is_empty() || self.arithmetic(condition)? != 0 {
                    self.step()?;
                    if !self.round(body, &mut status)? {
                        break;
                    }
                    self.arithmetic(next)?;
                }
                Ok(status)
            }
            Node::Case(word, arms) => {
                let text: Vec<char> = self.expand_text(word)?.chars().collect();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        if glob::matches(&self.expand_pattern(pattern)?, &text) {
                            return self.node(body);
                        }
                    }
                }
                Ok(0)
            }
            Node::Function(name, body) => {
                self.frame.functions.insert(name.clone(), body.clone());
                Ok(0)
            }
            Node::Condition(words) => {
                self.step()?;
                let status = self.condition(words)?;
                self.check_failure(status)
            }
            Node::Arith(text) => {
                self.step()?;
                let status = i32::from(self.arithmetic(text)? == 0);
                self.check_failure(status)
            }
        }
    }

    /// `set -e`: a command that fails ends the shell, unless its status is being tested.
    fn check_failure(&mut self, status: i32) -> Ran {
        if status != 0 && self.tested == 0 && self.frame.options.contains('e') {
            return Err(Stop::Exit(status));
        }
        Ok(status)
    }

    /// Runs a command whose status is being tested.
    fn test(&mut self, command: &Node) -> Ran {
        self.tested += 1;
        let result = self.node(command);
        self.tested -= 1;
        result
    }

    fn repeat(&mut self, until: bool, condition: &Node, body: &Node) -> Ran {
        let mut status = 0;
        loop {
            self.step()?;
            match self.test(condition) {
                Ok(code) if (code == 0) == until => return Ok(status),
                Ok(_) => {}
                Err(Stop::Break(n)) => return if n > 1 { Err(Stop::Break(n - 1)) } else { Ok(status) },
                Err(stop) => return Err(stop),
            }
            if !self.round(body, &mut status)? {
                return Ok(status);
            }
        }
    }

    /// Runs a loop's body once. Returns whether the loop goes on.
    fn round(&mut self, body: &Node, status: &mut i32) -> Result<bool, Stop> {
        match self.node(body) {
            Ok(code) => {
                *status = code;
                Ok(true)
            }
            Err(Stop::Break(n)) if n > 1 => Err(Stop::Break(n - 1)),
            Err(Stop::Break(_)) => Ok(false),
            Err(Stop::Continue(n)) if n > 1 => Err(Stop::Continue(n - 1)),
            Err(Stop::Continue(_)) => Ok(true),
            Err(stop) => Err(stop),
        }
    }

    /// All commands of a pipeline begin at once; a command that reads gets its input when the one before it has ended.
    fn pipeline(&mut self, negated: bool, commands: &[Node]) -> Ran {
        self.tested += usize::from(negated);
        let result = self.pipe(commands);
        self.tested -= usize::from(negated);
        let status = result?;
        if negated { Ok(i32::from(status == 0)) } else { self.check_failure(status) }
    }

    fn pipe(&mut self, commands: &[Node]) -> Ran {
        let (start, mut end, outer, outer_input) = (self.now, self.now, self.outs.clone(), self.input);
        let (mut status, mut failed) = (0, 0);
        let base = self.inputs.len();
        for (i, command) in commands.iter().enumerate() {
            let last = i + 1 == commands.len();
            self.now = start;
            let at = self.buffers.len();
            if !last {
                self.buffers.push(String::new());
                self.outs.insert(1, Out::Buffer(at));
            }
            let result = if commands.len() == 1 {
                self.node(command)
            } else {
                self.tested += 1;
                let result = self.subshell(|s| s.node(command));
                self.tested -= 1;
                result
            };
            self.outs = outer.clone();
            let mut open = false;
            match result {
                Ok(code) => status = code,
                // A command that writes for ever has written enough for one that reads only its beginning.
                Err(Stop::Never) if !last => open = true,
                Err(stop) => {
                    self.input = outer_input;
                    return Err(stop);
                }
            }
            failed = if status == 0 { failed } else { status };
            if !open {
                end = end.max(self.now);
            }
            if !last {
                let text = self.buffers.pop().unwrap_or_default();
                let from = (!open).then_some(self.now);
                self.inputs.push(Input { text: text.chars().collect(), at: 0, from, open });
                self.input = self.inputs.len() - 1;
            }
        }
        self.inputs.truncate(base.max(1));
        self.input = outer_input;
        self.now = end;
        Ok(if self.frame.options.contains('P') { failed } else { status })
    }

    fn background(&mut self, command: &Node) -> Ran {
        let start = self.now;
        // A loop without end must not use up what the shell's own commands need.
        let share = self.steps / 4;
        let rest = self.steps - share;
        self.steps = share;
        let input = self.input;
        self.inputs.push(Input::default());
        self.input = self.inputs.len() - 1;
        self.tested += 1;
        let result = self.subshell(|s| s.node(command));
        self.tested -= 1;
        self.input = input;
        self.steps = rest;
        let ends = match result {
            Ok(code) => Some((self.now, code)),
            Err(Stop::Never) => None,
            Err(stop) => return Err(stop),
        };
        let pid = FIRST_PID + self.jobs.len();
        self.jobs.push(Job { pid, ends });
        self.now = start;
        Ok(0)
    }

    fn simple(&mut self, assigns: &[(String, Word)], words: &[Word], redirects: &[Redirect]) -> Ran {
        self.step()?;
        self.substituted = None;
        let args = self.expand_all(words)?;
        let mut values = Vec::with_capacity(assigns.len());
        for (name, word) in assigns {
            values.push((name, self.expand_text(word)?));
        }
        if self.frame.options.contains('x') {
            let assigned = values.iter().map(|(n, v)| format!("{n}={v}"));
            let line: Vec<String> = assigned.chain(args.iter().cloned()).collect();
            self.error(&format!("+ {}", line.join(" ")));
        }
        let Some(name) = args.first() else {
            for (name, value) in &values {
                self.set(name, value);
            }
            let status = self.substituted.unwrap_or(0);
            return if redirects.is_empty() {
                Ok(status)
            } else {
                self.redirected(redirects, |_| Ok(status))
            };
        };
        if name == "exec" {
            self.redirect(redirects)?;
            return match args.get(1..) {
                Some(rest) if !rest.is_empty() => {
                    self.alone = self.main;
                    let status = self.external(rest.first().map_or("", |r| r), rest)?;
                    Err(Stop::Exit(status))
                }
                _ => Ok(0),
            };
        }
        let mut kept = Vec::new();
        for (name, value) in &values {
            kept.push(((*name).clone(), self.frame.variables.get(*name).cloned()));
            self.frame.variables.insert((*name).clone(), (value.as_str().into(), true));
        }
        let result = self.redirected(redirects, |s| s.dispatch(name, &args));
        for (name, value) in kept {
            match value {
                Some(v) => self.frame.variables.insert(name, v),
                None => self.frame.variables.remove(&name),
            };
        }
        result
    }

    fn dispatch(&mut self, name: &str, args: &[String]) -> Ran {
        if let Some(body) = self.frame.functions.get(name).cloned() {
            let rest = args.iter().skip(1).cloned().collect();
            let outer = std::mem::replace(&mut self.frame.args, rest);
            self.locals.push(Vec::new());
            let result = self.node(&body);
            for (name, value) in self.locals.pop().unwrap_or_default() {
                match value {
                    Some(v) => self.frame.variables.insert(name, v),
                    None => self.frame.variables.remove(&name),
                };
            }
            self.frame.args = outer;
            return match result {
                Err(Stop::Return(code)) => Ok(code),
                other => other,
            };
        }
        if let Some(result) = builtins::run(self, name, args) {
            return result;
        }
        self.external(name, args)
    }

    /// Runs a command that is not a part of the shell.
    pub(super) fn external(&mut self, name: &str, args: &[String]) -> Ran {
        let base = tools::base_name(name);
        let standard = !name.contains('/') || tools::is_standard(name);
        if tools::is_shell(base) && (standard || !self.program.complete) {
            let words = args.to_vec();
            return self.subshell(|s| {
                for (name, (value, _)) in std::mem::take(&mut s.frame.variables).into_iter().filter(|v| v.1.1)
                {
                    s.frame.variables.insert(name, (value, true));
                }
                s.frame.functions.clear();
                s.shell(&words, false)
            });
        }
        if standard && let Some(result) = tools::run(self, base, args) {
            return result;
        }
        if name.contains('/') {
            match self.look(name) {
                Some(super::files::Node::File(text)) if is_script(&text) => {
                    let mut words = vec!["sh".to_owned(), name.to_owned()];
                    words.extend(args.iter().skip(1).cloned());
                    return self.subshell(|s| s.shell(&words, false));
                }
                Some(super::files::Node::Directory) => {
                    self.complain(&format!("{name}: Permission denied"));
                    return Ok(126);
                }
                _ => {}
            }
        }
        if self.program.complete {
            self.complain(&not_found(name, self.frame.bash));
            return Ok(127);
        }
        self.unknown()
    }

    fn redirected(&mut self, redirects: &[Redirect], f: impl FnOnce(&mut Self) -> Ran) -> Ran {
        if redirects.is_empty() {
            return f(self);
        }
        let (outs, input) = (self.outs.clone(), self.input);
        let result = match self.redirect(redirects) {
            Ok(()) => f(self),
            Err(Stop::Return(status)) => Ok(status),
            Err(stop) => Err(stop),
        };
        (self.outs, self.input) = (outs, input);
        result
    }

    /// Connects file descriptors. If that fails, the command is not run: `Stop::Return` with its status.
    fn redirect(&mut self, redirects: &[Redirect]) -> Result<(), Stop> {
        for r in redirects {
            let out = match &r.to {
                Target::Text(text) => {
                    let text = self.expand_text(text)?;
                    self.read_from(text);
                    continue;
                }
                Target::Read(word) => {
                    let path = self.expand_text(word)?;
                    match self.read(&path) {
                        Ok(text) => self.read_from(text),
                        Err(_) if !self.program.complete => {
                            self.certain = false;
                            self.read_from(String::new());
                        }
                        Err(why) => return self.cannot_open("open", &path, why),
                    }
                    continue;
                }
                Target::Copy(word) => {
                    let from = self.expand_text(word)?;
                    match from.parse::<u8>() {
                        Ok(from) if r.fd > 0 => self.outs.get(&from).cloned().unwrap_or(Out::Nowhere),
                        _ => Out::Nowhere,
                    }
                }
                Target::Write(word) | Target::Append(word) | Target::Both(word) => {
                    let path = self.expand_text(word)?;
                    match self.open(&path, matches!(r.to, Target::Append(_))) {
                        Ok(out) => out,
                        Err(why) => return self.cannot_open("create", &path, why),
                    }
                }
            };
            if matches!(r.to, Target::Both(_)) {
                self.outs.insert(2, out.clone());
            }
            if r.fd > 0 {
                self.outs.insert(r.fd, out);
            }
        }
        Ok(())
    }

    fn read_from(&mut self, text: String) {
        self.inputs.push(Input { text: text.chars().collect(), ..Input::default() });
        self.input = self.inputs.len() - 1;
    }

    fn cannot_open(&mut self, what: &str, path: &str, why: &str) -> Result<(), Stop> {
        let (verb, why) = match (self.frame.bash, self.program.tools, why) {
            (true, _, "nonexistent directory") => {
                self.complain(&format!("{path}: No such file or directory"));
                return Err(Stop::Return(1));
            }
            (true, ..) => {
                self.complain(&format!("{path}: {why}"));
                return Err(Stop::Return(1));
            }
            (false, Tools::Busybox, "No such file or directory") => ("can't open", "no such file"),
            (false, Tools::Gnu, "No such file or directory") => ("cannot open", "No such file"),
            (false, Tools::Gnu, "nonexistent directory") => ("cannot create", "Directory nonexistent"),
            (false, Tools::Busybox, _) if what == "open" => ("can't open", why),
            (false, Tools::Busybox, _) => ("can't create", why),
            (false, Tools::Gnu, _) if what == "open" => ("cannot open", why),
            (false, Tools::Gnu, _) => ("cannot create", why),
        };
        self.complain(&format!("{verb} {path}: {why}"));
        Err(Stop::Return(if self.program.tools == Tools::Gnu { 2 } else { 1 }))
    }
}

fn is_script(text: &str) -> bool {
    match text.lines().next().and_then(|l| l.strip_prefix("#!")) {
        Some(line) => line.split_whitespace().any(|w| tools::is_shell(tools::base_name(w))),
        None => true,
    }
}

fn not_found(name: &str, bash: bool) -> String {
    match bash {
        true if name.contains('/') => format!("{name}: No such file or directory"),
        true => format!("{name}: command not found"),
        false => format!("{name}: not found"),
    }
}
