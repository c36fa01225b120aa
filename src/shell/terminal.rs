//! A shell that reads its commands one by one from its standard input, and what a terminal does when that is one: it echoes what is
//! typed, ends an input, interrupts commands (`man 7 signal`, `man 3 termios`); BusyBox' `shell/ash.c`, `cmdloop`.
//!
//! What is typed while a command runs that does not read it is echoed at once, and kept. A shell that prompts for it afterwards shows it
//! once more, as its line editor does (BusyBox' `libbb/lineedit.c`); any other command that reads it does not.

use super::ast::Node;
use super::machine::{Input, Ran, Shell, Stop};
use super::parser::{self, SyntaxError};
use super::{COMMANDS_LIMIT, COMMANDS_LIMIT_OF_A_MOMENT, END_OF_INPUT, INTERRUPT, Program, World};
use crate::api::Timestamp;

/// The exit code of a command that a person has interrupted.
pub(super) const INTERRUPTED: i32 = 130;

impl Input {
    /// The standard input of a program.
    pub(super) fn first(program: &Program, world: &World) -> Input {
        let mut text: Vec<char> = program.input.chars().collect();
        let mut comes = Vec::new();
        if !world.typed.is_empty() {
            comes.push((text.len(), program.start));
        }
        let mut closed = None;
        for typed in world.typed.iter() {
            text.extend(typed.text.chars());
            comes.push((text.len(), typed.at));
            if typed.closes {
                closed = Some(typed.at);
                break;
            }
        }
        // A terminal never comes to an end by itself, also if nobody can type into it.
        Input { text, open: program.stdin || program.terminal, comes, closed, ..Input::default() }
    }

    /// The place of the character that ends the next line.
    pub(super) fn end_of_line(&self, ends: impl Fn(char) -> bool) -> Option<usize> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.iter().position(|c| ends(*c)).map(|n| self.at + n)
    }

    /// Since when the character at a place is there; `None` if it was from the beginning.
    pub(super) fn there(&self, place: usize) -> Option<Timestamp> {
        self.comes.iter().find(|(end, _)| *end > place).map(|(_, at)| *at)
    }

    /// Takes the text up to a place.
    pub(super) fn take(&mut self, end: usize) -> String {
        let end = end.min(self.text.len());
        let text = self.text.get(self.at..end).unwrap_or_default().iter().collect();
        self.at = self.at.max(end);
        text
    }
}

impl Shell<'_> {
    /// Whether the current standard input is the program's terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.program.terminal && self.input == 0
    }

    /// Whether the current standard input is one that somebody writes to while the program runs.
    pub(super) fn reads_as_it_comes(&self) -> bool {
        self.is_terminal() || self.inputs.get(self.input).is_some_and(|input| !input.comes.is_empty())
    }

    /// The next line that was typed into the terminal, with its newline; `None` where its input was ended.
    pub(super) fn read_line_of_terminal(&mut self) -> Result<Option<String>, Stop> {
        let Some(input) = self.inputs.get(self.input) else { return Ok(None) };
        let Some(end) = input.end_of_line(|c| matches!(c, '\n' | INTERRUPT | END_OF_INPUT)) else {
            return Err(self.block_reading());
        };
        let last = input.text.get(end).copied();
        let shows = self.prompts == Some(true) || self.echoed <= end;
        if let Some(at) = input.there(end) {
            // Whoever reads is there before what is typed.
            let outer = self.prompts.replace(self.prompts == Some(true));
            let waited = self.await_moment(at);
            self.prompts = outer;
            waited?;
        }
        let Some(input) = self.inputs.get_mut(self.input) else { return Ok(None) };
        let mut line = input.take(end + 1);
        match last {
            Some(INTERRUPT) => {
                line.pop();
                if shows {
                    self.show(false, &line);
                }
                return Err(Stop::Interrupted);
            }
            Some(END_OF_INPUT) => {
                line.pop();
            }
            _ => {}
        }
        if shows {
            self.show(false, &line);
        }
        Ok((!line.is_empty()).then_some(line))
    }

    /// Echoes what somebody types before a moment, and before a place of the input, while something else is done than to read it. What was
    /// typed at once with a line that was read belongs to that, and what comes at the moment itself finds the command at its end.
    pub(super) fn echo_until(&mut self, then: Timestamp, before: usize) {
        if !self.program.terminal || self.behind > 0 || self.prompts.is_some() {
            return;
        }
        let until = self.until.unwrap_or(Timestamp::MAX);
        let Some(input) = self.inputs.first() else { return };
        let (mut begin, mut echoes) = (0, Vec::new());
        for (end, at) in input.comes.iter().filter(|(end, at)| *end <= before && *at <= until && *at < then) {
            if begin >= self.echoed.max(input.at) {
                let typed = input.text.get(begin..*end).unwrap_or_default().iter();
                let typed = typed.filter(|c| !matches!(**c, INTERRUPT | END_OF_INPUT));
                echoes.push((*at, typed.collect::<String>()));
                self.echoed = *end;
            }
            begin = *end;
        }
        let now = self.now;
        for (at, text) in echoes.iter().filter(|(_, text)| !text.is_empty()) {
            self.now = now.max(*at);
            self.show(false, text);
        }
        self.now = now;
    }

    /// Waits for something that nobody has written to the program's standard input yet.
    pub(super) fn block_reading(&mut self) -> Stop {
        let stop = self.block();
        self.reads = stop == Stop::Never && self.input == 0 && self.behind == 0;
        stop
    }

    /// The place of the first Ctrl+C that is typed into the terminal after a moment and was not read, with its own moment.
    pub(super) fn interrupt_after(&self, after: Timestamp) -> Option<(usize, Timestamp)> {
        let input = self.inputs.first().filter(|_| self.program.terminal)?;
        let all = input.text.iter().enumerate().skip(input.at).filter(|(_, c)| **c == INTERRUPT);
        all.map(|(place, _)| (place, input.there(place).unwrap_or(self.program.start)))
            .find(|(_, at)| *at > after)
    }

    /// A person interrupts the command under way, if that is so before `then`: it gets SIGINT, and what was typed before is
    /// forgotten. The first process of a container ignores it, as it ignores other signals, unless it is a shell that prompts.
    pub(super) fn check_interrupt(&mut self, then: Option<Timestamp>) -> Result<(), Stop> {
        if self.behind > 0 || (self.program.first && !self.interactive) {
            return Ok(());
        }
        let Some((place, at)) = self.interrupt_after(Timestamp::MIN) else { return Ok(()) };
        if then.is_some_and(|then| at >= then) || self.is_past(at) {
            return Ok(());
        }
        self.echo_until(Timestamp::MAX, place + 1);
        self.now = self.now.max(at);
        if let Some(input) = self.inputs.first_mut() {
            input.take(place + 1);
        }
        Err(Stop::Interrupted)
    }

    /// Why a program does not go on that has executed as many commands as it may.
    pub(super) fn exhausted(&mut self) -> Stop {
        self.check_interrupt(None).err().unwrap_or(Stop::Never)
    }

    /// Gives a program the whole budget again: what a person types comes once.
    fn renew(&mut self) {
        self.steps = if self.until.is_some() { COMMANDS_LIMIT_OF_A_MOMENT } else { COMMANDS_LIMIT };
    }

    /// Reads commands from an input that somebody may write to, and executes each one when it is whole. Where the input is a terminal,
    /// the shell prompts for them.
    pub(super) fn dialogue(&mut self) -> Ran {
        self.alone = false;
        let (outer, is_terminal) = (self.interactive, self.is_terminal());
        self.interactive = is_terminal;
        let result = self.read_and_execute();
        self.interactive = outer;
        result
    }

    fn read_and_execute(&mut self) -> Ran {
        let mut lines = 0;
        loop {
            let begun = lines;
            let text = match self.read_command_lines(&mut lines) {
                Ok(Some(text)) => text,
                Ok(None) => {
                    if self.interactive {
                        self.show(false, if self.frame.bash { "exit\n" } else { "\n" });
                    }
                    return Ok(self.status);
                }
                Err(Stop::Interrupted) if self.interactive => {
                    self.recover();
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            if self.reads_as_it_comes() {
                self.renew();
            }
            let script = parser::parse(&text, self.frame.bash);
            let nothing = matches!(&script.commands, Node::List(all) if all.is_empty());
            self.exits = false;
            let kept = (self.outs.clone(), self.input, self.inputs.len(), self.buffers.len(), self.deadline);
            let result = if nothing { Ok(self.status) } else { self.node(&script.commands) };
            match result {
                Ok(_) => {}
                Err(stop @ (Stop::Never | Stop::Killed(_))) => return Err(stop),
                Err(stop) if !self.interactive => return Err(stop),
                Err(Stop::Exit(code)) if self.exits => {
                    if self.frame.bash {
                        self.show(false, "exit\n");
                    }
                    return Err(Stop::Exit(code));
                }
                Err(stop) => {
                    // A mistake ends what was typed, and not the shell of a person.
                    let (inputs, buffers);
                    (self.outs, self.input, inputs, buffers, self.deadline) = kept;
                    self.inputs.truncate(inputs);
                    self.buffers.truncate(buffers);
                    match stop {
                        Stop::Interrupted => self.recover(),
                        Stop::Exit(code) | Stop::Return(code) => self.status = code,
                        _ => {}
                    }
                    continue;
                }
            }
            if let Some((line, SyntaxError(why))) = script.error {
                self.complain_at(begun + line, &format!("syntax error: {why}"));
                self.status = 2;
                if !self.interactive {
                    return Err(Stop::Exit(2));
                }
            }
        }
    }

    /// Goes on after Ctrl+C.
    fn recover(&mut self) {
        self.show(false, "^C\n");
        self.status = INTERRUPTED;
        self.renew();
    }

    /// The lines of the next command; `None` at the end of the input.
    fn read_command_lines(&mut self, lines: &mut usize) -> Result<Option<String>, Stop> {
        let mut text = String::new();
        loop {
            if self.interactive {
                let prompt = self.prompt(if text.is_empty() { "PS1" } else { "PS2" });
                self.show(false, &prompt);
            }
            let outer = self.prompts.replace(self.interactive);
            let line = self.read_line();
            self.prompts = outer;
            let Some(line) = line? else { return Ok((!text.is_empty()).then_some(text)) };
            *lines += 1;
            text.push_str(&line);
            if !line.ends_with('\n') && !self.interactive {
                // Nobody has ended the line, and nothing follows.
                return Ok(Some(text));
            }
            if !parser::is_unfinished(&text) {
                return Ok(Some(text));
            }
        }
    }

    /// What stands before the line that is typed next: the variable `PS1` or `PS2`, or what images with bash have by default. Of the
    /// escapes `\h`, `\u`, `\w` and `\$` are known.
    fn prompt(&self, variable: &str) -> String {
        let text = match self.variable(variable) {
            Some(text) => text.to_string(),
            None if variable == "PS2" => "> ".to_owned(),
            None => r"\u@\h:\w\$ ".to_owned(),
        };
        let (user, sign) = if self.program.user.0 == 0 { ("root", "#") } else { ("I have no name!", "$") };
        let home = self.variable("HOME").filter(|home| !home.is_empty() && **home != *"/");
        let below = home.and_then(|home| self.frame.directory.strip_prefix(&*home));
        let below = below.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let directory = below.map_or_else(|| self.frame.directory.clone(), |rest| format!("~{rest}"));
        let host = self.program.host.as_str();
        [(r"\u", user), (r"\h", host), (r"\w", directory.as_str()), (r"\$", sign)]
            .into_iter()
            .fold(text, |text, (escape, value)| text.replace(escape, value))
    }
}
