//! Command lines: those that a person types, those behind buttons, and those of a script that drives the page.

use std::rc::Rc;

use super::keep::MANIFEST;
use super::{Engine, Entry, Output, Said, Value};
use crate::api::ObjectRef;
use crate::kubectl::{self, Kubectl};
use crate::session::view::{eviction, problems};

/// How many command lines the terminal keeps.
const TERMINAL: usize = 400;

impl Engine {
    /// Runs a command line that was typed.
    pub(super) fn type_line(&mut self, line: &str) {
        let bare = line.trim();
        let bare = bare.strip_prefix("kubectl ").unwrap_or(bare);
        if bare.is_empty() {
            return;
        }
        let done = self.kubectl(bare);
        let refused = done.is_none();
        let (output, waiting) = done.unwrap_or_default();
        let entry = Entry {
            line: format!("kubectl {bare}"),
            output: format!("{}{}", output.stdout, output.stderr),
            failed: refused || output.exit != 0,
            waits: waiting.is_some(),
            refused,
        };
        let terminal = Rc::make_mut(&mut self.shown.terminal);
        terminal.push(entry);
        if terminal.len() > TERMINAL {
            terminal.remove(0);
        }
        if !refused {
            self.waiting = waiting;
        }
        self.touch();
    }

    /// Runs a command line, in which `manifest.yaml` is the editor's text. Returns what it printed, and the command if it
    /// waits; `None` if it did not run, because of a task during which nothing else can be done.
    pub(super) fn kubectl(&mut self, line: &str) -> Option<(kubectl::Output, Option<Kubectl>)> {
        let text = self.shown.text.clone();
        // A link carries a line's files with it, so a line gets only those that it names.
        let files: &[(&str, &str)] = &[(MANIFEST, &text)];
        self.kubectl_with(line, if line.contains(MANIFEST) { files } else { &[] })
    }

    fn kubectl_with(
        &mut self,
        line: &str,
        files: &[(&str, &str)],
    ) -> Option<(kubectl::Output, Option<Kubectl>)> {
        if !self.at_rest() {
            return None;
        }
        self.interrupt();
        let before = self.session.at();
        let done = self.session.kubectl_or_wait(line, files);
        if self.session.at() != before {
            // A message about what failed before no longer holds.
            self.out.push(Output::Hush);
            self.moved();
        }
        Some(done)
    }

    /// Ends the command that waits.
    pub(super) fn interrupt(&mut self) {
        if self.waiting.take().is_some()
            && let Some(e) = Rc::make_mut(&mut self.shown.terminal).last_mut().filter(|e| e.waits)
        {
            e.waits = false;
            e.output.push_str("^C\n");
        }
        self.touch();
    }

    /// Polls the command that waits, because the run moved.
    pub(super) fn look_again(&mut self) {
        let Some(mut command) = self.waiting.take() else { return };
        let (output, waits) = self.session.look_again(&mut command);
        if let Some(e) = Rc::make_mut(&mut self.shown.terminal).last_mut().filter(|e| e.waits) {
            e.output = format!("{}{}", output.stdout, output.stderr);
            e.failed = output.exit != 0;
            e.waits = waits;
        }
        if waits {
            self.waiting = Some(command);
        }
        self.touch();
    }

    /// Runs a command line and shows what it printed as a message.
    pub(super) fn run_line(&mut self, line: &str) {
        let Some((out, _)) = self.kubectl(line) else { return self.say_still_loading() };
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
        let Some((out, _)) = self.kubectl_with(&line, &files) else { return self.say_still_loading() };
        if out.exit == 0 {
            self.say(Said::key("evicted").with("pod", Value::Text(pod.key.name.to_string())), false);
        } else {
            self.say_refused(&out.stderr);
        }
    }

    /// Applies the editor's text.
    pub(super) fn apply(&mut self) {
        let text = self.shown.text.clone();
        let Some(out) = self.apply_text(&text) else { return self.say_still_loading() };
        let mistake = self.shown.diagnostics.first().map(|p| p.line as f64);
        if out.exit != 0 {
            match mistake {
                // What kubectl prints of a text that is not YAML has a line that it counts in its own way. The editor marks
                // the mistake, and says what is wrong.
                Some(line)
                    if out.stderr.trim().lines().count() == 1 && out.stderr.contains("yaml: line ") =>
                {
                    self.say(Said::key("apply-unreadable").number("line", line), true);
                }
                _ => self.say_refused(&out.stderr),
            }
        } else if !out.stdout.contains("created") && !out.stdout.contains("configured") {
            self.say(Said::Text(out.stdout.trim().to_owned()), false);
        }
    }

    /// Applies a text. Returns `None` if it was not applied, because of a task during which nothing else can be done.
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
        }
        Some(output)
    }
}
