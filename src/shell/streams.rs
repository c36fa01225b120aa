//! What a shell's commands read and print: standard input, descriptors, messages.

use super::files::{self, Change};
use super::machine::{Out, Shell, Stop, TEXT_LIMIT, cut};
use super::{Output, Printed, Tools};
use crate::api::Timestamp;

impl Shell<'_> {
    /// Opens a file for writing, or says why that cannot be.
    pub(super) fn open(&mut self, path: &str, append: bool) -> Result<Out, &'static str> {
        match self.path(path).as_str() {
            "/dev/tty" if self.program.terminal => return Ok(Out::Console { stderr: false }),
            "/dev/null" | "/dev/tty" => return Ok(Out::Nowhere),
            "/dev/stdout" => return Ok(self.outs.get(&1).cloned().unwrap_or(Out::Nowhere)),
            "/dev/stderr" => return Ok(self.outs.get(&2).cloned().unwrap_or(Out::Nowhere)),
            "/proc/1/fd/1" | "/proc/self/fd/1" => return Ok(Out::Console { stderr: false }),
            "/proc/1/fd/2" | "/proc/self/fd/2" => return Ok(Out::Console { stderr: true }),
            _ => {}
        }
        if let Some(commands) = &self.commands {
            return Err(commands.no_files());
        }
        if self.is_directory(path) {
            return Err("Is a directory");
        }
        if self.is_read_only(path) {
            return Err("Read-only file system");
        }
        if !self.may(path, 2) {
            return Err("Permission denied");
        }
        let path = self.path(path);
        let directory = files::parent(&path).to_owned();
        if !self.is_directory(&directory) && self.program.complete {
            return Err("nonexistent directory");
        }
        let new = !append || self.files.sort(&path, self.now).is_none();
        if new {
            self.change(&path, Change::Put("".into()));
        }
        Ok(Out::File(path))
    }

    /// Writes to a file descriptor.
    pub(super) fn write(&mut self, fd: u8, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.outs.get(&fd) {
            Some(Out::Console { stderr }) => {
                let stderr = *stderr;
                self.show(stderr, text);
            }
            Some(Out::File(path)) => {
                let path = path.clone();
                self.change(&path, Change::Append(cut(text).into()));
            }
            Some(Out::Buffer(at)) => {
                if let Some(buffer) = self.buffers.get_mut(*at) {
                    let free = self.text_limit.saturating_sub(buffer.len());
                    buffer.extend(text.chars().scan(0, |used, c| {
                        *used += c.len_utf8();
                        (*used <= free).then_some(c)
                    }));
                }
            }
            Some(Out::Nowhere) | None => {}
        }
    }

    /// Prints something to the stream of the program that whoever reads its output sees.
    pub(super) fn show(&mut self, stderr: bool, text: &str) {
        self.printed = self.printed.saturating_add(text.len());
        self.note_printed(Printed::of(text));
        // Who runs a program to its end asks for what it has done only at some moment.
        if self.until.is_some() && self.printed <= 64 * TEXT_LIMIT {
            self.output.push(Output { at: self.now, stderr, text: text.to_owned() });
        }
    }

    /// Writes so many zero bytes to a file descriptor. In a file they are only counted, so that it may be as large as the disk.
    pub(super) fn fill(&mut self, fd: u8, count: u64) -> Result<(), &'static str> {
        match self.outs.get(&fd) {
            Some(Out::File(path)) => {
                let path = path.clone();
                let free = self.program.machine.disk.map_or(u64::MAX, |all| all.saturating_sub(self.filled));
                let fits = count.min(free);
                self.filled = self.filled.saturating_add(fits);
                self.change(&path, Change::Fill(fits));
                if fits < count { Err("No space left on device") } else { Ok(()) }
            }
            _ => {
                let text = usize::try_from(count).unwrap_or(usize::MAX).min(TEXT_LIMIT);
                self.write(fd, &"\0".repeat(text));
                if matches!(self.outs.get(&fd), Some(Out::Console { .. })) {
                    self.note_printed(Printed { bytes: count.saturating_sub(text as u64), lines: 0 });
                }
                Ok(())
            }
        }
    }

    /// Puts a text into a file.
    pub(super) fn put(&mut self, path: &str, text: &str) -> Result<(), &'static str> {
        match self.open(path, false)? {
            Out::File(path) => self.change(&path, Change::Put(cut(text).into())),
            out => {
                let before = self.outs.insert(1, out);
                self.print(text);
                self.outs.remove(&1);
                self.outs.extend(before.map(|out| (1, out)));
            }
        }
        Ok(())
    }

    pub(super) fn print(&mut self, text: &str) {
        self.write(1, text);
    }

    /// A message of a command about itself.
    pub(super) fn error(&mut self, message: &str) {
        self.write(2, &format!("{message}\n"));
    }

    /// A message of the shell, as `sh: …`.
    pub(super) fn complain(&mut self, message: &str) {
        self.complain_at(1, message);
    }

    /// A message of the shell about a line.
    pub(super) fn complain_at(&mut self, line: usize, message: &str) {
        let name = if self.frame.name.is_empty() { "sh" } else { &self.frame.name };
        let text = match self.program.tools {
            _ if self.frame.bash => format!("{name}: line {line}: {message}"),
            Tools::Gnu => format!("{name}: {line}: {message}"),
            Tools::Busybox => format!("{name}: {message}"),
        };
        self.error(&text);
    }

    /// All that is left of standard input.
    pub(super) fn read_input(&mut self) -> Result<String, Stop> {
        self.await_input()?;
        if self.reads_as_it_comes() {
            let mut text = String::new();
            while let Some(line) = self.read_line()? {
                text.push_str(&line);
            }
            return Ok(text);
        }
        let Some(input) = self.inputs.get_mut(self.input) else { return Ok(String::new()) };
        let open = input.open;
        let text = input.text.iter().skip(input.at).collect();
        input.at = input.text.len();
        if open && !self.line_by_line {
            return Err(self.block_reading());
        }
        self.wants_more |= open;
        Ok(text)
    }

    fn await_input(&mut self) -> Result<(), Stop> {
        match self.inputs.get(self.input).and_then(|i| i.from) {
            Some(from) => self.await_moment(from),
            None => Ok(()),
        }
    }

    /// Waits until a moment, if it has not come.
    pub(super) fn await_moment(&mut self, at: Timestamp) -> Result<(), Stop> {
        if at > self.now { self.pass(at.duration_since(self.now)) } else { Ok(()) }
    }

    /// The next line of standard input with its newline; `None` at its end.
    pub(super) fn read_line(&mut self) -> Result<Option<String>, Stop> {
        self.await_input()?;
        if self.is_terminal() {
            return self.read_line_of_terminal();
        }
        let Some(input) = self.inputs.get(self.input) else { return Ok(None) };
        let end = match input.end_of_line(|c| c == '\n') {
            Some(end) => {
                if let Some(at) = input.there(end) {
                    self.await_moment(at)?;
                }
                end + 1
            }
            None => {
                match input.closed {
                    Some(at) => self.await_moment(at)?,
                    None if input.open => return Err(self.block_reading()),
                    None => {}
                }
                usize::MAX
            }
        };
        let line = self.inputs.get_mut(self.input).map(|input| input.take(end)).unwrap_or_default();
        Ok((!line.is_empty()).then_some(line))
    }
}
