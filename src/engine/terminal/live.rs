//! The line that goes on while the person steps: it prints what is new at each moment, and a step back takes that back.

use std::rc::Rc;

use super::super::{Editing, Engine, Entry, Output, Said, ShellView};
use super::around::{Around, May, State};
use super::inside::{INTERRUPTED, note_typed};
use super::line::{Line, Printed};
use crate::api::{Kind, ObjectRef};
use crate::kubectl::{AttachedTo, TYPED, keys_shown};
use crate::kubelet::process::GoesOn;
use crate::session::view::{Preview, problems};
use crate::session::{CommandLine, MomentId};
use crate::shell;

/// A line that may go on, with what it was at each moment at which it printed something.
pub(in crate::engine) struct Live {
    entry: u64,
    /// Never empty; the first is where the line was typed.
    states: Vec<(MomentId, Line)>,
    /// What the last of them has printed.
    printed: Printed,
    /// How many bytes of that are not shown any more.
    cleared: usize,
    /// The lines that were typed into the process that it is attached to, oldest first, each once.
    typed: Rc<Vec<String>>,
    /// The `resourceVersion` of the object that the line waits for, when the line was looked at last; empty if there was none.
    seen: Option<String>,
}

impl Printed {
    /// The process that reads what is typed.
    fn reader(&self) -> Option<&AttachedTo> {
        match &self.state {
            State::Attached(to) if to.stdin => Some(to),
            _ => None,
        }
    }

    /// How many bytes of the text stood in the terminal when a program emptied it.
    fn emptied(&self) -> usize {
        let ends = shell::CLEARING.into_iter().filter_map(|text| Some(self.text.rfind(text)? + text.len()));
        ends.max().unwrap_or(0)
    }

    /// The text without the line that is begun, and that line, which is the prompt of a process that reads what is typed.
    fn without_prompt(&self) -> (&str, &str) {
        let begun = self.text.rfind('\n').map_or(0, |at| at + 1);
        let at = if self.reader().is_some() { begun } else { self.text.len() };
        self.text.split_at_checked(at).unwrap_or((&self.text, ""))
    }

    /// Shows it in an entry, but for so many bytes at its beginning.
    pub(super) fn show(&self, entry: &mut Entry, cleared: usize) {
        let cleared = cleared.max(self.emptied());
        self.without_prompt().0.get(cleared..).unwrap_or_default().clone_into(&mut entry.output);
        // A status alone is an answer: that of `diff`, or of `grep`.
        entry.failed = self.complained && matches!(self.state, State::Ended(code) if code != 0);
        (entry.inside, entry.astray) = (self.inside, self.astray);
        let follows = matches!(&self.state, State::Attached(to) if !to.stdin);
        entry.waits = follows || matches!(self.state, State::Waits(_) | State::WantsTexts);
        entry.holds = matches!(self.state, State::Holds | State::HoldsFor(_));
        entry.edits = matches!(self.state, State::Edits { .. });
    }
}

impl Engine {
    /// What a line finds, and the session.
    fn around<'a>(&'a mut self, may: May, manifest: &'a str, history: &'a [String]) -> Around<'a> {
        Around {
            session: &mut self.session,
            manifest,
            kubeconfig: &mut self.kubeconfig,
            history,
            wants_texts: self.texts == super::super::Texts::Unasked,
            may,
        }
    }

    fn drive(&mut self, line: &mut Line, may: May) -> Printed {
        let (text, history) = (self.manifest_text(), self.shown.history.clone());
        line.drive(self.around(may, &text, &history))
    }

    /// The manifest; while an object is edited in its place, the text that was there before.
    fn manifest_text(&self) -> Rc<String> {
        self.shown.editing.as_ref().map_or_else(|| self.shown.text.clone(), |e| e.manifest.clone())
    }

    /// Begins the line of the last entry.
    pub(super) fn begin_line(&mut self, text: &str) {
        let entry = self.entries;
        let before = self.session.at();
        let mut line = Line::new(text, self.session.now(), self.status.take().unwrap_or_default());
        let printed = self.drive(&mut line, May::Write);
        self.show_printed(entry, &printed, 0);
        let (states, typed) = (vec![(self.session.at(), line)], Rc::default());
        self.live = Some(Live { entry, states, printed, cleared: 0, typed, seen: None });
        self.follow(before);
        self.attend();
        self.show_shell();
    }

    fn state_of_line(&self) -> Option<&State> {
        self.live.as_ref().map(|live| &live.printed.state)
    }

    /// Lets a line go on whose next command writes.
    pub(super) fn let_go_on(&mut self) {
        let state = self.state_of_line().cloned();
        match state {
            Some(State::Holds) if self.at_rest() => self.go_on_with_line(),
            Some(State::HoldsFor(line)) if self.at_rest() => {
                let before = self.session.at();
                let command = CommandLine { line: line.to_string(), files: Vec::new(), editor: true };
                let ran = self.session.command(command);
                if ran.output.exit != 0 {
                    // What the command waits for does not come.
                    return self.end_line(&ran.output.stderr, ran.output.exit);
                }
                self.follow(before);
            }
            _ => {}
        }
    }

    /// Carries the line further at the present moment, with writes.
    fn go_on_with_line(&mut self) {
        let Some(mut live) = self.live.take() else { return };
        let before = self.session.at();
        if let Some((_, line)) = live.states.last() {
            let mut line = line.clone();
            live.printed = self.drive(&mut line, May::Write);
            self.show_printed(live.entry, &live.printed, live.cleared);
            live.states.push((self.session.at(), line));
        }
        self.live = Some(live);
        self.follow(before);
        self.attend();
        self.show_shell();
    }

    /// Sees to what the line wants of the page: an editor, or texts.
    fn attend(&mut self) {
        match self.state_of_line() {
            Some(State::Edits { text, .. }) => {
                let text = text.clone();
                self.open_editor(&text);
            }
            Some(State::WantsTexts) => self.out.push(Output::WantTexts),
            Some(State::Shell { command, shell }) if !self.is_behind_shell() => {
                let (command, shell) = (*command, (**shell).clone());
                let said = self.enter_shell(shell, Some(command));
                if let Some(live) = &self.live {
                    let entries = Rc::make_mut(&mut self.shown.terminal);
                    if let Some(entry) = entries.iter_mut().rev().find(|e| e.id == live.entry) {
                        Rc::make_mut(entry).said = said;
                    }
                }
            }
            _ => {}
        }
    }

    /// Lets the line go on behind the shell in a container that its command with this number has opened, and that a person has left.
    pub(super) fn leave_shell(&mut self, command: usize, exit: i32) {
        let Some(mut line) = self.live.as_mut().and_then(|live| live.states.pop()).map(|(_, line)| line)
        else {
            return;
        };
        line.note_left(command, exit, self.session.now());
        let before = self.session.at();
        let printed = self.drive(&mut line, May::Write);
        let at = self.session.at();
        self.show_behind_shell(printed);
        if let Some(live) = &mut self.live {
            // Whoever has left a shell is not in it again after a step back.
            live.states = vec![(at, line)];
        }
        self.follow(before);
        self.attend();
    }

    /// As [`Engine::leave_shell`], where a step has ended the shell with its container: a step back brings it back.
    pub(super) fn lose_shell(&mut self, command: usize, exit: i32) {
        let last = self.live.as_ref().and_then(|live| live.states.last());
        let Some(mut line) = last.map(|(_, line)| line.clone()) else { return };
        line.note_left(command, exit, self.session.now());
        let printed = self.drive(&mut line, May::Look);
        let at = self.session.at();
        self.show_behind_shell(printed);
        if let Some(live) = &mut self.live {
            live.states.push((at, line));
        }
    }

    /// Shows what a line prints behind a shell: below what was typed there.
    fn show_behind_shell(&mut self, printed: Printed) {
        let Some(before) = self.live.as_ref().map(|live| live.printed.text.len()) else { return };
        let shows = printed.text.len() > before || !matches!(printed.state, State::Ended(_));
        if shows {
            self.push_entry(Entry::default());
        }
        let entry = self.entries;
        if shows {
            self.show_printed(entry, &printed, before);
        }
        if let Some(live) = &mut self.live {
            (live.entry, live.cleared, live.printed) = (entry, before, printed);
        }
    }

    /// Ends the line that goes on.
    pub(in crate::engine) fn interrupt(&mut self) {
        let (says, exit) = match self.state_of_line() {
            // A shell in a container stays open until somebody leaves it.
            Some(State::Shell { .. }) if self.is_behind_shell() => return,
            Some(State::Shell { .. }) => ("", 0),
            // A client lets go of a process, which runs on.
            Some(State::Attached(to)) if to.stdin => ("", 0),
            Some(State::Edits { .. }) => {
                self.close_editor();
                ("Edit cancelled, no changes made.\n", 0)
            }
            _ => ("^C\n", INTERRUPTED),
        };
        self.end_line(says, exit);
    }

    /// Ends the line that goes on with these last words and this exit code. A line that a person has interrupted has not failed.
    fn end_line(&mut self, says: &str, exit: i32) {
        let Some(Live { entry, printed, cleared, .. }) = self.live.take() else { return };
        let lets_go = printed.reader().is_some();
        let Printed { mut text, state, inside, astray, .. } = printed;
        if let State::Ended(code) = state {
            self.status.get_or_insert(code);
            return;
        }
        self.status = Some(exit);
        let complained = !matches!(exit, 0 | INTERRUPTED);
        if lets_go && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(says);
        let state = State::Ended(complained.into());
        self.show_printed(entry, &Printed { text, complained, inside, astray, state }, cleared);
        self.show_shell();
    }

    /// The process that what is typed goes to.
    pub(super) fn attached_to(&self) -> Option<&AttachedTo> {
        let to = self.live.as_ref()?.printed.reader()?;
        // Before the line was typed, and before the container was there, nothing is attached to it.
        self.session.cluster().container_id(&to.pod, &to.container).and(Some(to))
    }

    /// What the process does next that what is typed goes to.
    pub(in crate::engine) fn attached_goes_on(&self) -> Option<GoesOn> {
        let to = self.attached_to()?;
        let cluster = self.session.cluster();
        Some(cluster.process_of(&to.pod, &to.container)?.goes_on(self.session.now()))
    }

    /// The process that what is typed goes to, as it is shown.
    pub(super) fn attached_view(&self) -> Option<ShellView> {
        let live = self.live.as_ref()?;
        let to = self.attached_to()?;
        let (pod, container) = (to.pod.name.to_string(), to.container.clone());
        let (before, begun) = live.printed.without_prompt();
        let emptied = live.printed.emptied().saturating_sub(before.len());
        let prompt = begun.get(emptied..).unwrap_or_default().to_owned();
        let cluster = self.session.cluster();
        let process = cluster.process_of(&to.pod, &to.container);
        let reads = process.is_some_and(|process| process.reads(self.session.now()));
        Some(ShellView { prompt, pod, container, history: live.typed.clone(), attached: true, reads })
    }

    /// Types a text into the process that the line is attached to: a line, or a key.
    pub(super) fn type_into_process(&mut self, to: &AttachedTo, text: &str) {
        let prompt = self.attached_view().map(|view| view.prompt).unwrap_or_default();
        let entry = Entry { line: keys_shown(text), prompt, failed: true, ..Entry::default() };
        if !self.at_rest() {
            return self.push_entry(Entry { refused: true, ..entry });
        }
        let is_key = [shell::INTERRUPT, shell::END_OF_INPUT].into_iter().any(|key| text.chars().eq([key]));
        let (file, written) = match is_key {
            // Without a terminal there the keys are for kubectl, whose own input ends.
            true if !to.tty => ("-", String::new()),
            true => (TYPED, text.to_owned()),
            // A line that is taken back before it ends.
            false if text.ends_with(shell::INTERRUPT) => (TYPED, text.to_owned()),
            false => (TYPED, format!("{text}\n")),
        };
        let before = self.session.at();
        let files = vec![(file.to_owned(), written)];
        let ran = self.session.command(CommandLine { line: to.writing(), files, editor: true });
        if ran.output.exit != 0 {
            // The process has not got it: the connection is broken, and with it the client ends.
            self.push_entry(Entry { output: ran.output.stderr, ..entry });
            return self.end_line("", ran.output.exit);
        }
        if let Some(live) = self.live.as_mut().filter(|_| {
            file == TYPED && !text.ends_with(shell::INTERRUPT) && !is_key && !text.trim().is_empty()
        }) {
            note_typed(&mut live.typed, text);
        }
        self.follow(before);
        // Who has ended the process lets the command go on behind it.
        self.let_go_on();
        self.show_shell();
    }

    /// Ctrl+C: interrupts what runs in the terminal of the process that the line is attached to; ends any other line.
    pub(in crate::engine) fn press_interrupt(&mut self) {
        match self.attached_to().cloned() {
            Some(to) if to.tty => self.type_into_process(&to, &shell::INTERRUPT.to_string()),
            // At a prompt there is nothing to interrupt.
            None if self.shown.shell.is_some() => self.interrupt_line(""),
            _ => self.interrupt(),
        }
    }

    /// Leaves of the terminal only the line that is attached to a process, without what it has printed. `false` if there is none.
    pub(super) fn clear_all_but_process(&mut self) -> bool {
        let Some(live) = self.live.as_mut().filter(|live| live.printed.reader().is_some()) else {
            return false;
        };
        live.cleared = live.printed.without_prompt().0.len();
        let entry = live.entry;
        let terminal = Rc::make_mut(&mut self.shown.terminal);
        terminal.retain(|e| e.id == entry);
        if let Some(entry) = terminal.first_mut() {
            let entry = Rc::make_mut(entry);
            (entry.line, entry.output) = (String::new(), String::new());
        }
        self.touch();
        true
    }

    /// Follows a step among several: has a line look again whose object has changed, so that it prints the same whether somebody looks at
    /// each step or at the last one. That is a line which waits for an object (`kubectl run`, `debug`, `wait`) or is attached to a process.
    pub(in crate::engine) fn follow_line(&mut self) {
        let object = match self.state_of_line() {
            Some(State::Waits(Some(object))) => object.clone(),
            Some(State::Attached(to)) => ObjectRef { kind: Kind::POD, key: to.pod.clone() },
            _ => return,
        };
        let now = self.session.cluster().api().cached(&object);
        let now = now.and_then(|object| object.resource_version()).unwrap_or_default().to_owned();
        let Some(live) = &mut self.live else { return };
        if live.seen.as_ref() != Some(&now) {
            live.seen = Some(now);
            self.look_again();
        }
    }

    /// Looks what the line prints at the moment that is shown now.
    pub(in crate::engine) fn look_again(&mut self) {
        let Some(mut live) = self.live.take() else { return };
        let at = self.session.at();
        let states = live.states.len();
        // Which states lie on the way to here. Before the first one the line has printed what it printed when it was typed.
        while live.states.len() > 1
            && live.states.last().is_some_and(|(then, _)| !self.session.comes_from(*then))
        {
            live.states.pop();
        }
        if let Some((then, line)) = live.states.last().cloned() {
            let mut line = line;
            let mut other = live.states.len() < states;
            if other {
                live.printed = self.drive(&mut line.clone(), May::Print);
            }
            let back = at != then && self.session.is_on_way_to(then);
            let goes_on = matches!(
                live.printed.state,
                State::Waits(_) | State::Holds | State::HoldsFor(_) | State::Attached(_)
            );
            if at != then && !back && goes_on {
                let now = self.drive(&mut line, May::Look);
                if now != live.printed {
                    live.states.push((at, line));
                    live.printed = now;
                    other = true;
                }
            }
            if other {
                self.show_printed(live.entry, &live.printed, live.cleared);
            }
        }
        let edits = matches!(live.printed.state, State::Edits { .. });
        self.live = Some(live);
        if !edits {
            // The command that waited for the editor had not begun at this moment.
            self.close_editor();
        }
        self.attend_to_texts();
    }

    /// A line may come to `kubectl explain` late.
    fn attend_to_texts(&mut self) {
        if self.state_of_line() == Some(&State::WantsTexts) {
            self.out.push(Output::WantTexts);
        }
    }

    /// Takes over the texts of `kubectl explain`, as JSON; `None` if they cannot be had.
    pub(in crate::engine) fn take_texts(&mut self, json: Option<&str>) {
        use super::super::Texts;
        let document = json.and_then(|text| serde_json::from_str(text).ok()).map(Rc::new);
        self.texts = if document.is_some() { Texts::Here } else { Texts::Missing };
        if document.is_none() {
            self.say(Said::key("texts-missing"), true);
        }
        self.schema.clone_from(&document);
        self.session.set_schema(document);
        if !self.is_loading() && self.state_of_line() == Some(&State::WantsTexts) {
            self.go_on_with_line();
        }
        if self.texts == Texts::Missing {
            // The next `kubectl explain` asks again.
            self.texts = Texts::Unasked;
        }
    }

    /// Puts the object of `kubectl edit` in place of the manifest.
    fn open_editor(&mut self, text: &str) {
        if self.shown.editing.is_some() {
            return;
        }
        let manifest = self.shown.text.clone();
        let line = self.shown.terminal.last().map(|e| e.line.clone()).unwrap_or_default();
        self.shown.editing = Some(Rc::new(Editing { line, opened: text.to_owned(), manifest }));
        self.shown.diagnostics = Rc::default();
        self.shown.preview = None;
        self.set_text(text.to_owned());
        self.touch();
    }

    /// Puts the manifest back in its place.
    fn close_editor(&mut self) {
        let Some(editing) = self.shown.editing.take() else { return };
        self.set_text((*editing.manifest).clone());
        self.shown.diagnostics = Rc::default();
        self.shown.preview = None;
        self.touch();
    }

    /// Ends `kubectl edit` without a change.
    pub(in crate::engine) fn cancel_edit(&mut self) {
        if self.shown.editing.is_some() {
            self.interrupt();
            // A run that was opened meanwhile has no line that waits.
            self.close_editor();
        }
    }

    /// The command of `kubectl edit`, as it would be run with the editor's text.
    fn edited(&self) -> Option<(usize, CommandLine)> {
        let editing = self.shown.editing.as_ref()?;
        let live = self.live.as_ref()?;
        let State::Edits { command, .. } = live.printed.state else { return None };
        let (_, line) = live.states.last()?;
        Some((command, line.edited(command, &editing.opened, &self.shown.text)?))
    }

    /// What saving the editor's text would write and print; `None` where `kubectl edit` does not wait for it.
    pub(in crate::engine) fn preview_of_edit(&self) -> Option<Preview> {
        let (_, command) = self.edited()?;
        let (writes, output) = self.session.preview_command(&command);
        Some(Preview::of_writes(writes, output))
    }

    /// Saves the text for which `kubectl edit` waits.
    pub(super) fn save_edit(&mut self) {
        if !self.at_rest() {
            return self.say_still_loading();
        }
        let Some((command, edited)) = self.edited() else { return };
        let before = self.session.at();
        let ran = self.session.command(edited);
        if ran.waits.is_none() && ran.output.exit != 0 {
            let text = self.shown.text.clone();
            self.shown.diagnostics = Rc::new(problems(self.session.cluster().api(), &text, &ran.output));
            self.say_marked(&ran.output.stderr);
            return self.touch();
        }
        let Some(mut live) = self.live.take() else { return };
        if let Some((_, line)) = live.states.last() {
            let mut line = line.clone();
            line.note(command, ran, self.session.now());
            self.close_editor();
            live.printed = self.drive(&mut line, May::Write);
            self.show_printed(live.entry, &live.printed, live.cleared);
            live.states.push((self.session.at(), line));
        }
        self.live = Some(live);
        self.out.push(Output::Hush);
        self.follow(before);
        self.attend();
        self.show_shell();
    }
}
