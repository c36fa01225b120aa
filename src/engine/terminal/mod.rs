//! Command lines: those that a person types, those behind buttons, and those of a script that drives the page.

mod around;
mod docker;
mod goes;
mod inside;
mod line;
mod live;
mod node_files;
mod outside;
pub mod recall;
mod shown;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::rc::Rc;

use super::keep::MANIFEST;
use super::{Engine, Notice, Output, Said, Texts, Value};
use crate::api::ObjectRef;
use crate::kubectl::{self, ContainerShell, KUBECONFIG};
use crate::session::view::{eviction, problems};
use crate::shell;

use goes::Goes;
pub(super) use inside::OpenShell;
use line::Printed;
pub(super) use live::Live;
pub use shown::{Completion, Editing, Entered, Entry, ShellView};
pub use words::is_unfinished;

/// How many entries the terminal keeps.
const ENTRIES: usize = 400;
/// How many bytes of output it keeps, beside those of the last entry.
const BYTES: usize = 4 << 20;
/// How many lines are remembered.
pub(super) const REMEMBERED: usize = 500;

/// What a script reads of `kubectl explain` as long as its texts are not here.
const TEXTS_COME: &str =
    "warning: the texts of the fields are being loaded; run the line again to have them printed\n";

impl Engine {
    /// Runs a line that was typed.
    pub(super) fn type_line(&mut self, typed: &str) {
        if self.shown.shell.is_some() {
            return self.type_into_shell(typed);
        }
        let text = words::without_prompts(typed);
        if text.is_empty() {
            return self.let_go_on();
        }
        self.close_shell();
        self.remember(&text);
        let word = text.trim();
        if matches!(word, "clear" | "reset") {
            return self.clear_terminal();
        }
        let mut entry = Entry { line: text.clone(), ..Entry::default() };
        if word == "help" {
            entry.said = Some(Said::key("terminal-help"));
        } else if !self.at_rest() {
            (entry.refused, entry.failed) = (true, true);
        } else {
            self.interrupt();
            self.push_entry(entry);
            return match ContainerShell::of(&text) {
                Some(shell) => self.open_shell(shell),
                None => self.begin_line(&text),
            };
        }
        self.push_entry(entry);
    }

    fn push_entry(&mut self, mut entry: Entry) {
        self.entries += 1;
        entry.id = self.entries;
        let terminal = Rc::make_mut(&mut self.shown.terminal);
        terminal.push(Rc::new(entry));
        let size = |all: &[Rc<Entry>]| all.iter().map(|e| e.output.len()).sum::<usize>();
        while terminal.len() > ENTRIES || (terminal.len() > 1 && size(terminal) > BYTES) {
            terminal.remove(0);
        }
        self.touch();
    }

    /// Says where the lines of another run begin, if there are any of the run before.
    pub(super) fn mark_new_run(&mut self) {
        let begins = Said::key("terminal-new-run");
        if self.shown.terminal.last().is_some_and(|last| last.said.as_ref() != Some(&begins)) {
            self.push_entry(Entry { said: Some(begins), ..Entry::default() });
        }
    }

    /// Runs a line outside of a container: a shell that is open there is closed first.
    pub(super) fn type_outside(&mut self, line: &str) {
        self.close_shell();
        self.type_line(line);
    }

    /// Changes the last entry.
    fn amend(&mut self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = Rc::make_mut(&mut self.shown.terminal).last_mut() {
            change(Rc::make_mut(entry));
        }
        self.touch();
    }

    /// Forgets what was printed. A line that waits ends; a shell in a container stays open.
    pub(super) fn clear_terminal(&mut self) {
        if self.clear_all_but_process() {
            return;
        }
        self.interrupt();
        self.shown.terminal = Rc::default();
        self.touch();
    }

    fn remember(&mut self, line: &str) {
        let history = Rc::make_mut(&mut self.shown.history);
        if history.last().is_some_and(|last| last == line) {
            return;
        }
        history.push(line.to_owned());
        if history.len() > REMEMBERED {
            history.remove(0);
        }
        self.out.push(Output::Remember(line.to_owned()));
        self.touch();
    }

    /// Takes over the lines that were typed before the page was loaded.
    pub(super) fn recall(&mut self, lines: Vec<String>) {
        let mut all = lines;
        all.extend(self.shown.history.iter().cloned());
        let surplus = all.len().saturating_sub(REMEMBERED);
        all.drain(..surplus);
        self.shown.history = Rc::new(all);
        self.touch();
    }

    /// How the line that is typed can go on after `head`, the text before the cursor.
    pub(super) fn complete(&self, head: &str) -> Completion {
        if self.shown.shell.is_some() {
            return self.complete_inside(head);
        }
        let Some(at) = shell::at_cursor(head) else { return Completion::default() };
        let first = !at.before.contains('|');
        let mut words = match words::goes_on(&at.words, first) {
            Goes::Kubectl(words) => {
                let mut files = BTreeMap::from([(MANIFEST.to_owned(), String::new())]);
                files.extend(self.kubeconfig.clone().map(|text| (KUBECONFIG.to_owned(), text)));
                self.session.complete(&words, &at.partial, &files)
            }
            Goes::With(words) => words.into_iter().map(str::to_owned).collect(),
            Goes::Nodes => self.session.cluster().machines().map(str::to_owned).collect(),
        };
        words.retain(|word| word.starts_with(&at.partial));
        Completion { before: at.before, partial: at.partial, words }
    }

    /// Runs a command line, in which `manifest.yaml` is the editor's text. Returns what it printed; `None` if it did not run,
    /// because of an activity during which nothing else can be done.
    pub(super) fn kubectl(&mut self, line: &str) -> Option<kubectl::Output> {
        let text = self.shown.text.clone();
        // A link carries a line's files with it, so a line gets only those that it names.
        let files: &[(&str, &str)] = &[(MANIFEST, &text)];
        self.kubectl_with(line, if line.contains(MANIFEST) { files } else { &[] })
    }

    /// As [`Engine::kubectl`], for a script, which has its answer at once: the texts of `kubectl explain` are asked for, but it
    /// is the next such line that has them.
    pub(super) fn scripted(&mut self, line: &str) -> Option<kubectl::Output> {
        let words = kubectl::words::split(line).unwrap_or_default();
        let explains = self.texts == Texts::Unasked && kubectl::command_of(&words) == Some("explain");
        let mut done = self.kubectl(line)?;
        if explains {
            self.out.push(Output::WantTexts);
            done.stderr.push_str(TEXTS_COME);
        }
        Some(done)
    }

    fn kubectl_with(&mut self, line: &str, files: &[(&str, &str)]) -> Option<kubectl::Output> {
        if !self.at_rest() {
            return None;
        }
        let before = self.session.at();
        let done = self.session.kubectl(line, files);
        self.follow(before);
        Some(done)
    }

    /// Follows the run if a command line has moved it.
    fn follow(&mut self, before: crate::session::MomentId) {
        if self.session.at() != before {
            // A message about what failed before no longer holds.
            self.out.push(Output::Hush);
            self.moved();
        }
    }

    fn show_printed(&mut self, id: u64, printed: &Printed, cleared: usize) {
        let entries = Rc::make_mut(&mut self.shown.terminal);
        if let Some(entry) = entries.iter_mut().rev().find(|e| e.id == id) {
            printed.show(Rc::make_mut(entry), cleared);
        }
        self.touch();
    }

    /// Runs a command line and shows what it printed as a message.
    pub(super) fn run_line(&mut self, line: &str) {
        let Some(out) = self.kubectl(line) else { return self.say_still_loading() };
        if out.exit != 0 {
            self.say_refused(&out.stderr);
        } else if !out.stdout.trim().is_empty() {
            self.say(Said::Text(out.stdout.trim().to_owned()), false);
        }
    }

    pub(super) fn say_still_loading(&mut self) {
        self.say(Said::key("still-loading"), true);
    }

    /// Evicts a pod through its Eviction subresource, which PodDisruptionBudgets may refuse.
    pub(super) fn evict(&mut self, pod: &ObjectRef) {
        let (line, files) = eviction(pod);
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        let Some(out) = self.kubectl_with(&line, &files) else { return self.say_still_loading() };
        if out.exit == 0 {
            self.say(Said::key("evicted").with("pod", Value::Text(pod.key.name.to_string())), false);
        } else {
            self.say_refused(&out.stderr);
        }
    }

    /// Applies the editor's text, or saves it where `kubectl edit` waits for it.
    pub(super) fn apply(&mut self) {
        if self.shown.editing.is_some() {
            return self.save_edit();
        }
        let text = self.shown.text.clone();
        let Some(out) = self.apply_text(&text) else { return self.say_still_loading() };
        self.refused = out.exit != 0;
        let mistake = self.shown.diagnostics.first().map(|p| p.line as f64);
        if out.exit != 0 {
            match mistake {
                // What kubectl prints of a text that is not YAML has a line that it counts in its own way. The editor marks
                // the mistake, and says what is wrong.
                Some(line)
                    if out.stderr.trim().lines().count() == 1 && out.stderr.contains("yaml: line ") =>
                {
                    let said = Said::key("apply-unreadable").number("line", line);
                    let notice = Notice { said, whole: String::new(), bad: true, marked: true };
                    self.out.push(Output::Notice(notice));
                }
                Some(_) => self.say_marked(&out.stderr),
                None => self.say_refused(&out.stderr),
            }
        } else if !out.stdout.contains("created") && !out.stdout.contains("configured") {
            self.say(Said::Text(out.stdout.trim().to_owned()), false);
        }
    }

    /// Applies a text. Returns `None` if it was not applied, because of an activity during which nothing else can be done.
    pub(super) fn apply_text(&mut self, text: &str) -> Option<kubectl::Output> {
        if !self.at_rest() {
            return None;
        }
        let before = self.session.at();
        let output = self.session.apply(text);
        if output.exit == 0 {
            // A message about an earlier text no longer holds.
            self.out.push(Output::Hush);
        }
        // The mistakes are marked in the editor only if the editor has that text.
        if *self.shown.text == text {
            self.shown.diagnostics = Rc::new(problems(self.session.cluster().api(), text, &output));
            self.shown.preview = None;
        }
        self.touch();
        if self.session.at() != before {
            self.moved();
        } else if output.exit == 0 {
            // Nothing moved, so nobody else looks what is left to apply.
            self.preview();
        }
        Some(output)
    }
}
