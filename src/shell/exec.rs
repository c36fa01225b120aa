//! Executes shells, and commands that consist of commands.

use super::ast::Node;
use super::machine::{Input, Job, Out, Ran, Shell, Stop};
use super::parser::{self, Script, SyntaxError};
use super::{Tools, tools};

/// How deep functions, substitutions and compound commands can be nested.
const DEPTH_LIMIT: usize = 60;

/// The process number of the first command in the background.
const FIRST_PID: usize = 7;

impl Shell<'_> {
    /// Runs the container's program.
    pub(super) fn start(&mut self) -> Ran {
        let words = self.program.words.clone();
        let Some(name) = words.first().filter(|w| !w.is_empty()) else {
            return self.unknown("no command");
        };
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
        let root = self.program.user.0 == 0;
        let prompt = match (self.program.tools, self.frame.bash) {
            (_, true) => None,
            (Tools::Busybox, false) => Some("\\w \\$ "),
            (Tools::Gnu, false) => Some(if root { "# " } else { "$ " }),
        };
        if let Some(prompt) = prompt {
            // Also a shell that prompts nobody has it.
            self.frame.variables.entry("PS1".to_owned()).or_insert_with(|| (prompt.into(), false));
        }
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
                Err(_) if !self.program.complete => {
                    return self.unknown(&format!("{file}: No such file or directory"));
                }
                Err(_) => {
                    self.complain(&format!("can't open '{file}': No such file or directory"));
                    return Err(Stop::Exit(2));
                }
            }
            self.frame.name = file.clone();
        }
        self.frame.args = rest.cloned().collect();
        let result = match script {
            Some(script) => self.script(&script, main),
            None if self.inputs.get(self.input).is_some_and(|i| i.open) => self.dialogue(),
            None => {
                let script = self.read_input()?;
                self.script(&script, main)
            }
        };
        self.leave(result)
    }

    /// Leaves a shell or a copy of it, and runs the trap of EXIT. What `exit` said there says nothing to the shell around it.
    fn leave(&mut self, result: Ran) -> Ran {
        let code = match result {
            Ok(code) | Err(Stop::Exit(code) | Stop::Return(code)) => code,
            Err(Stop::Break(_) | Stop::Continue(_)) => self.status,
            Err(stop) => return Err(stop),
        };
        let left = match self.frame.traps.remove("EXIT") {
            Some(action) => {
                self.status = code;
                match self.evaluate(&action) {
                    Err(Stop::Exit(code)) => Ok(code),
                    Err(Stop::Never) => Err(Stop::Never),
                    _ => Ok(code),
                }
            }
            None => Ok(code),
        };
        self.exits = false;
        left
    }

    fn script(&mut self, text: &str, main: bool) -> Ran {
        let script = parser::parse(text, self.frame.bash);
        // A shell that has one simple command to run becomes that command.
        let single = script.error.is_none()
            && matches!(&script.commands, Node::List(all)
                if matches!(all.as_slice(), [(command, false)] if matches!(**command, Node::Simple { .. })));
        self.alone &= main && single;
        self.read_script(script)
    }

    /// Runs what could be read of a script. If that is not all of it, the shell says so and ends.
    fn read_script(&mut self, script: Script) -> Ran {
        let status = self.node(&script.commands)?;
        let Some((line, SyntaxError(why))) = script.error else { return Ok(status) };
        self.complain_at(line, &format!("syntax error: {why}"));
        Err(Stop::Exit(2))
    }

    /// Reads and runs a text in this shell (`eval`).
    pub(super) fn evaluate(&mut self, text: &str) -> Ran {
        let script = parser::parse(text, self.frame.bash);
        self.nested(|s| s.read_script(script))
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
                self.in_rounds(true, |shell, rounds| {
                    let mut status = 0;
                    for item in items {
                        shell.step()?;
                        shell.set(name, &item);
                        shell.begin_round(rounds)?;
                        if !shell.round(body, &mut status)? {
                            break;
                        }
                    }
                    Ok(status)
                })
            }
            Node::Count([first, condition, next], body) => {
                self.arithmetic(first)?;
                self.in_rounds(false, |shell, rounds| {
                    let mut status = 0;
                    while condition.is_empty() || shell.arithmetic(condition)? != 0 {
                        shell.step()?;
                        shell.begin_round(rounds)?;
                        if !shell.round(body, &mut status)? {
                            break;
                        }
                        shell.arithmetic(next)?;
                    }
                    Ok(status)
                })
            }
            Node::Case(word, arms) => {
                let text: Vec<char> = self.expand_text(word)?.chars().collect();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        let pattern = self.expand_pattern(pattern)?;
                        if self.fits(&pattern, &text)? {
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
        self.in_rounds(false, |shell, rounds| {
            let mut status = 0;
            loop {
                shell.step()?;
                shell.begin_round(rounds)?;
                match shell.test(condition) {
                    Ok(code) if (code == 0) == until => return Ok(status),
                    Ok(_) => {}
                    Err(Stop::Break(n)) => return if n > 1 { Err(Stop::Break(n - 1)) } else { Ok(status) },
                    Err(stop) => return Err(stop),
                }
                if !shell.round(body, &mut status)? {
                    return Ok(status);
                }
            }
        })
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
                self.inputs.push(Input {
                    text: text.chars().collect(),
                    at: 0,
                    from,
                    open,
                    ..Input::default()
                });
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
        let (input, cycles) = (self.input, self.cycles.len());
        self.inputs.push(Input::default());
        self.input = self.inputs.len() - 1;
        self.tested += 1;
        self.behind += 1;
        let result = self.subshell(|s| s.node(command));
        self.behind -= 1;
        self.tested -= 1;
        self.input = input;
        self.steps = rest;
        let ends = match result {
            Ok(code) => Some((self.now, code)),
            Err(Stop::Never) => None,
            Err(stop) => return Err(stop),
        };
        let pid = FIRST_PID + self.jobs.len();
        self.jobs.push(Job { pid, ends, cycles: cycles..self.cycles.len() });
        self.now = start;
        Ok(0)
    }
}
