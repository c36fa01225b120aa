//! A shell in a container that a person types into: `kubectl exec -it POD -- sh`. A process that a line is attached to
//! (`kubectl attach`, `debug -it`, `run -it`) is in `live`.

use std::rc::Rc;

use super::super::{Completion, Engine, Entered, Entry, Said, ShellView, Value};
use super::REMEMBERED;
use super::outside::NO_POD_YET;
use crate::api::Key;
use crate::kubectl::{ContainerShell, Heard, KUBECONFIG, container_ended};
use crate::session::{CommandLine, MomentId};
use crate::shell;

/// The exit code of a command whose container has ended.
const KILLED: i32 = 137;
/// The exit code of a line that a person has interrupted.
pub(super) const INTERRUPTED: i32 = 130;

/// A shell in a container that is open. It is open at each moment at which the instance of the container runs in which it was
/// started: a step that ends the container ends the shell, and a step back brings both back.
pub(in crate::engine) struct OpenShell {
    pod: Key,
    container: String,
    /// The id of the container's instance.
    instance: Rc<str>,
    /// The shell after each line, with the moment at which the line was typed. Never empty; the first is how it began.
    states: Vec<(MomentId, ContainerShell)>,
    history: Rc<Vec<String>>,
    /// The entry that says that the container has ended.
    ended: Option<u64>,
    /// The number of the command that has opened it, on a line that goes on behind it.
    command: Option<usize>,
}

/// Notes a line among those that were typed, each once.
pub(super) fn note_typed(history: &mut Rc<Vec<String>>, text: &str) {
    let history = Rc::make_mut(history);
    history.retain(|line| line != text);
    history.push(text.to_owned());
    let surplus = history.len().saturating_sub(REMEMBERED);
    history.drain(..surplus);
}

impl Engine {
    /// Opens a shell, whose line is that of the last entry.
    pub(super) fn open_shell(&mut self, mut shell: ContainerShell) {
        let config = self.kubeconfig.clone().map(|text| (KUBECONFIG.to_owned(), text));
        let files = config.into_iter().collect();
        let ran = self.session.command(CommandLine { line: shell.command(""), files, editor: true });
        if ran.waits.is_some() {
            let text = format!("{}{NO_POD_YET}", ran.output.stderr);
            self.status = Some(1);
            return self.amend(|entry| (entry.output, entry.failed) = (text, true));
        }
        let Heard { text, over } = shell.heard(&ran.output);
        let said = if over { None } else { self.enter_shell(shell, None) };
        let Some(said) = said else {
            self.status = Some(ran.output.exit);
            return self.amend(|entry| (entry.output, entry.failed) = (text, true));
        };
        self.amend(|entry| {
            (entry.output, entry.said, entry.inside) = (text, Some(said), Some(Entered::Exec))
        });
        self.show_shell();
    }

    /// Has the lines go to a shell that has started, and returns what is said of that. `None` if its container does not run.
    pub(super) fn enter_shell(&mut self, shell: ContainerShell, command: Option<usize>) -> Option<Said> {
        let (pod, container) = shell.container().cloned()?;
        let instance = self.session.cluster().container_id(&pod, &container)?;
        let said = Said::key("terminal-inside")
            .with("container", Value::Text(container.clone()))
            .with("pod", Value::Text(pod.name.to_string()));
        let states = vec![(self.session.at(), shell)];
        let history = Rc::default();
        self.shell = Some(OpenShell { pod, container, instance, states, history, ended: None, command });
        Some(said)
    }

    /// Whether a shell in a container is open that a line has opened which goes on behind it.
    pub(super) fn is_behind_shell(&self) -> bool {
        self.shell.as_ref().is_some_and(|open| open.command.is_some() && open.ended.is_none())
    }

    /// Closes the shell, without a word.
    pub(in crate::engine) fn close_shell(&mut self) {
        self.shell = None;
        if self.attached_to().is_some() {
            self.interrupt();
        }
        self.shown.shell = None;
    }

    /// Types a line into the shell that is open.
    pub(super) fn type_into_shell(&mut self, text: &str) {
        if let Some(to) = self.attached_to().cloned() {
            return self.type_into_process(&to, text);
        }
        let Some(mut shell) = self.shell_now() else { return };
        // The end of what is typed leaves a shell.
        let text = if text.chars().eq([shell::END_OF_INPUT]) { "exit" } else { text };
        if matches!(text.trim(), "clear" | "reset") {
            return self.clear_terminal();
        }
        let mut entry = Entry { line: text.to_owned(), prompt: shell.prompt(), ..Entry::default() };
        if !self.at_rest() {
            (entry.refused, entry.failed) = (true, true);
            return self.push_entry(entry);
        }
        let before = self.session.at();
        let (mut over, mut exit) = (false, 0);
        if let Some(why) = shell::syntax_error(text) {
            entry.output = shell.refuses(&why);
        } else if !text.trim().is_empty() {
            let line = shell.command(text);
            let ran = self.session.command(CommandLine { line, files: Vec::new(), editor: false });
            entry.inside = ran.output.executed_in.is_some().then_some(Entered::Exec);
            let heard = shell.heard(&ran.output);
            (entry.output, over, exit) = (heard.text, heard.over, ran.output.exit);
            entry.failed = over && exit != 0;
        }
        self.push_entry(entry);
        if over {
            let command = self.shell.as_ref().and_then(|open| open.command);
            self.shell = None;
            match command {
                Some(command) => self.leave_shell(command, exit),
                None => self.status = Some(exit),
            }
            self.show_shell();
        } else if let Some(open) = &mut self.shell {
            if !text.trim().is_empty() {
                note_typed(&mut open.history, text);
            }
            if open.states.last().is_none_or(|(_, last)| *last != shell) {
                open.states.push((self.session.at(), shell));
            }
            self.show_shell();
        }
        self.follow(before);
    }

    /// Takes back a line that is begun: the next one follows a prompt (`man 3 termios`, `VINTR`).
    pub(in crate::engine) fn interrupt_line(&mut self, text: &str) {
        if let Some(to) = self.attached_to().cloned() {
            // Without a terminal there the key is for kubectl.
            return match to.tty {
                true => self.type_into_process(&to, &format!("{text}{}", shell::INTERRUPT)),
                false => self.interrupt(),
            };
        }
        let shell = self.shown.shell.as_ref().and_then(|_| self.shell_now());
        let prompt = shell.as_ref().map(ContainerShell::prompt).unwrap_or_default();
        if let (Some(mut shell), Some(open)) = (shell, &mut self.shell) {
            shell.interrupt();
            open.states.push((self.session.at(), shell));
        } else {
            self.status = Some(INTERRUPTED);
        }
        self.push_entry(Entry { line: format!("{text}^C"), prompt, ..Entry::default() });
        self.show_shell();
    }

    /// The shell as it is at the moment that is shown: after the last line that was typed on the way there.
    fn shell_now(&self) -> Option<ContainerShell> {
        let states = &self.shell.as_ref()?.states;
        let state = states.iter().rev().find(|(at, _)| self.session.comes_from(*at)).or(states.first());
        state.map(|(_, shell)| shell.clone())
    }

    pub(super) fn show_shell(&mut self) {
        let open = self.shell.as_ref().filter(|open| open.ended.is_none()).zip(self.shell_now());
        let view = self.attached_view().or_else(|| {
            let (open, shell) = open?;
            let (pod, container) = (open.pod.name.to_string(), open.container.clone());
            let history = open.history.clone();
            Some(ShellView { prompt: shell.prompt(), pod, container, history, attached: false, reads: true })
        });
        if self.shown.shell.as_deref() != view.as_ref() {
            self.shown.shell = view.map(Rc::new);
            self.touch();
        }
    }

    /// Looks whether the container of the shell that is open runs at the moment that is shown.
    pub(in crate::engine) fn look_inside(&mut self) {
        let Some(open) = &self.shell else { return self.show_shell() };
        let id = self.session.cluster().container_id(&open.pod, &open.container);
        let ended = open.ended;
        match (id.is_some_and(|id| id == open.instance), ended) {
            (false, None) => {
                let prompt = self.shell_now().map(|shell| shell.prompt()).unwrap_or_default();
                let entry = Entry { prompt, output: container_ended(), failed: true, ..Entry::default() };
                self.push_entry(entry);
                let id = self.entries;
                let mut command = None;
                if let Some(open) = &mut self.shell {
                    open.ended = Some(id);
                    command = open.command;
                }
                if let Some(command) = command {
                    self.lose_shell(command, KILLED);
                }
            }
            (true, Some(id)) => {
                Rc::make_mut(&mut self.shown.terminal).retain(|e| e.id != id);
                if let Some(open) = &mut self.shell {
                    open.ended = None;
                }
            }
            _ => {}
        }
        self.show_shell();
    }

    /// How a line in the shell can go on: with a command, or with the path of a file.
    pub(super) fn complete_inside(&self, head: &str) -> Completion {
        let (Some(mut shell), Some(at)) = (self.shell_now(), shell::at_cursor(head)) else {
            return Completion::default();
        };
        let script = if at.words.is_empty() && !at.partial.contains('/') {
            let begun: Vec<&str> =
                shell::commands().into_iter().filter(|name| name.starts_with(&at.partial)).collect();
            format!("for c in {}; do command -v \"$c\" >/dev/null && echo \"$c\"; done", begun.join(" "))
        } else {
            let quoted = format!("'{}'", at.partial.replace('\'', "'\"'\"'"));
            format!(
                "for f in {quoted}*; do if [ -d \"$f\" ]; then echo \"$f/\"; elif [ -e \"$f\" ]; then echo \"$f\"; fi; done"
            )
        };
        let line = shell.command(&script);
        let (_, output) =
            self.session.preview_command(&CommandLine { line, files: Vec::new(), editor: false });
        let Heard { text, over } = shell.heard(&output);
        let mut words = Vec::new();
        if !over {
            words.extend(text.lines().filter(|w| w.starts_with(&at.partial)).map(str::to_owned));
        }
        crate::api::order::sort(&mut words);
        Completion { before: at.before, partial: at.partial, words }
    }
}
