//! What a person does.

use std::collections::BTreeSet;

use gloo::utils::window;
use steady::api::{Kind, ObjectRef};
use steady::cluster::Fault;
use steady::kubectl::{Kubectl, Output};
use steady::session::scenario::Deed;
use steady::session::view::{Preview, problems};
use steady::session::{Depth, MomentId};
use wasm_bindgen::JsCast;

use super::{Entry, Mode, NextLine, Shared, Store, Toast, What};

/// Lines of the terminal that are kept.
const TERMINAL: usize = 400;

impl Store {
    /// Steps, at the depth that is set.
    pub fn step(&self) -> bool {
        if self.with(|s| s.mode != Mode::Idle) {
            self.change(|s| s.mode = Mode::Idle);
        }
        let stepped = self.change(|s| s.session.step(s.depth, None));
        if stepped {
            self.moved();
        } else {
            self.tell_if_full();
            self.refresh();
        }
        stepped
    }

    /// Lets one of the next commands go first.
    pub fn choose(&self, line: &NextLine) {
        let stepped = self.change(|s| match (&line.what, line.actor) {
            (What::Action(action, _), _) => s.session.act(*action),
            // A line that waits for time is nobody's turn yet: the fair policy lets time pass.
            (What::Command(_), Some(actor)) if line.wait == 0 => s.session.step(s.depth, Some(actor)),
            _ => s.session.step(s.depth, None),
        });
        if stepped {
            self.moved();
        }
    }

    /// Goes back a moment.
    pub fn back(&self) -> bool {
        self.move_with(|s| s.session.back())
    }

    /// Goes to a moment.
    pub fn goto(&self, moment: MomentId) {
        self.move_with(|s| s.session.at() != moment && s.session.goto(moment));
    }

    /// Goes along the branch that is shown.
    pub fn walk(&self, by: isize) {
        let to = self.with(|s| {
            let at = s.marks.iter().position(|m| m.moment == s.session.at()).unwrap_or(0);
            let to = at.saturating_add_signed(by).min(s.marks.len().saturating_sub(1));
            s.marks.get(to).map(|m| m.moment)
        });
        if let Some(to) = to {
            self.goto(to);
        }
    }

    /// To the start of the scenario; what was done stays on the timeline.
    pub fn restart(&self) {
        let first = self.with(|s| s.first);
        self.goto(first);
    }

    fn move_with(&self, go: impl FnOnce(&mut super::State) -> bool) -> bool {
        if self.with(|s| s.mode != Mode::Idle) {
            self.change(|s| s.mode = Mode::Idle);
        }
        let moved = self.change(go);
        if moved {
            self.moved();
        } else {
            self.refresh();
        }
        moved
    }

    /// Sets how deep a step goes.
    pub fn set_depth(&self, depth: Depth) {
        self.change(|s| {
            s.depth = depth;
            s.listing = super::Listing::default();
        });
        self.0.planned.set(self.0.planned.get() + 1);
        self.refresh();
        self.plan_listing();
    }

    /// Selects an object, or nothing.
    pub fn select(&self, object: Option<ObjectRef>) {
        if self.with(|s| s.selection != object) {
            self.change(|s| s.selection = object);
            self.refresh();
        }
    }

    /// Lights up the objects that a command is about and that its reason names.
    pub fn light(&self, line: Option<&NextLine>) {
        let mut lit = BTreeSet::new();
        if let Some(What::Command(c)) = line.map(|l| &l.what) {
            lit.insert(c.request.object());
            lit.extend(c.why.iter().flat_map(|w| w.facts.iter().filter_map(|f| f.object.clone())));
        }
        if self.with(|s| *s.lit != lit) {
            self.change(|s| s.lit = Shared::new(lit));
            self.refresh();
        }
    }

    /// Begins a scenario.
    pub fn open_scenario(&self, id: &str) {
        let scenarios = self.with(|s| s.scenarios.clone());
        self.load(scenarios.iter().find(|s| s.id == id));
        self.moved();
    }

    /// Does what a scenario offers to try.
    pub fn attempt(&self, i: usize) {
        let scenarios = self.with(|s| s.scenarios.clone());
        let id = self.with(|s| s.session.start().scenario.clone());
        let Some(scenario) = scenarios.iter().find(|s| s.id == id) else { return };
        let Some(deed) = scenario.tries.get(i).map(|t| &t.deed) else { return };
        if matches!(deed, Deed::Steady(_)) {
            return self.to_steady();
        }
        if self.change(|s| scenario.perform(&mut s.session, deed)) {
            self.moved();
        } else {
            self.say(self.texts().get("try-nothing"), false);
        }
    }

    /// The person typed.
    pub fn typed(&self, text: String) {
        self.change(|s| s.text = Shared::new(text));
        let turn = self.0.previewing.get() + 1;
        self.0.previewing.set(turn);
        self.plan(250, move |store| {
            if store.0.previewing.get() == turn {
                store.preview();
                store.plan_save();
            }
        });
    }

    fn preview(&self) {
        let preview = self.with(|s| Preview::of(&s.session, &s.text));
        let diagnostics = self.with(|s| problems(&s.text, &preview.output));
        self.change(|s| {
            s.diagnostics = Shared::new(diagnostics);
            s.preview = Some(Shared::new(preview));
        });
        self.refresh();
    }

    /// Applies the manifest.
    pub fn apply(&self) {
        let text = self.with(|s| s.text.clone());
        let output = self.apply_text(&text);
        if output.exit != 0 {
            self.say(output.stderr.trim().to_owned(), true);
        } else if !output.stdout.contains("created") && !output.stdout.contains("configured") {
            self.say(output.stdout.trim().to_owned(), false);
        }
    }

    /// Applies a text.
    pub fn apply_text(&self, text: &str) -> Output {
        let before = self.with(|s| s.session.at());
        let output = self.change(|s| s.session.apply(text));
        let diagnostics = problems(text, &output);
        self.change(|s| {
            s.diagnostics = Shared::new(diagnostics);
            s.preview = None;
        });
        if self.with(|s| s.session.at()) == before {
            self.refresh()
        } else {
            self.moved()
        }
        output
    }

    /// Runs a command line.
    pub fn kubectl(&self, line: &str) {
        let bare = line.trim();
        let bare = bare.strip_prefix("kubectl ").unwrap_or(bare);
        if bare.is_empty() {
            return;
        }
        let (output, waiting) = self.kubectl_begin(bare);
        let entry = Entry {
            line: format!("kubectl {bare}"),
            output: format!("{}{}", output.stdout, output.stderr),
            failed: output.exit != 0,
            waits: waiting.is_some(),
        };
        self.change(|s| {
            s.terminal = s.terminal.with(|t| {
                t.push(entry);
                if t.len() > TERMINAL {
                    t.remove(0);
                }
            });
            s.waiting = waiting;
        });
        self.refresh();
    }

    /// Runs a command line; `manifest.yaml` is the editor's text.
    pub fn kubectl_output(&self, line: &str) -> Output {
        self.kubectl_begin(line).0
    }

    fn kubectl_begin(&self, line: &str) -> (Output, Option<Kubectl>) {
        self.interrupt();
        let before = self.with(|s| s.session.at());
        let text = self.with(|s| s.text.clone());
        let done = self.change(|s| s.session.kubectl_or_wait(line, &[("manifest.yaml", &text)]));
        if self.with(|s| s.session.at()) != before {
            self.moved();
        }
        done
    }

    /// A command that waits is given up.
    pub fn interrupt(&self) {
        self.change(|s| {
            if s.waiting.take().is_some() {
                s.terminal = s.terminal.with(|t| {
                    if let Some(e) = t.last_mut().filter(|e| e.waits) {
                        e.waits = false;
                        e.output.push_str("^C\n");
                    }
                });
            }
        });
        self.refresh();
    }

    /// A command that waits looks again: something has happened.
    pub(super) fn look_again(&self) {
        self.change(|s| {
            let Some(mut command) = s.waiting.take() else { return };
            let (output, waits) = s.session.look_again(&mut command);
            s.terminal = s.terminal.with(|t| {
                if let Some(e) = t.last_mut().filter(|e| e.waits) {
                    e.output = format!("{}{}", output.stdout, output.stderr);
                    e.failed = output.exit != 0;
                    e.waits = waits;
                }
            });
            if waits {
                s.waiting = Some(command);
            }
        });
    }

    /// Shows a message for a while.
    pub fn say(&self, text: String, bad: bool) {
        let toast = Toast { text, bad };
        self.change(|s| s.toast = Some(toast.clone()));
        self.refresh();
        self.plan(if bad { 8000 } else { 3500 }, move |store| {
            if store.with(|s| s.toast.as_ref() == Some(&toast)) {
                store.hush();
            }
        });
    }

    /// Takes the message away.
    pub fn hush(&self) {
        self.change(|s| s.toast = None);
        self.refresh();
    }

    /// Tells whoever embeds the page of a step.
    pub(super) fn announce(&self) {
        let detail = crate::ui::handle::detail(self);
        let init = web_sys::CustomEventInit::new();
        init.set_detail(&detail);
        if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict("steady:step", &init) {
            let _ = window().dispatch_event(event.unchecked_ref());
        }
    }

    /// Runs a command line and says what it printed.
    pub fn kubectl_said(&self, line: &str) {
        let out = self.kubectl_output(line);
        let text = if out.exit == 0 { &out.stdout } else { &out.stderr };
        if !text.trim().is_empty() {
            self.say(text.trim().to_owned(), out.exit != 0);
        }
    }

    /// What can go wrong with an object.
    pub fn faults(&self, object: &ObjectRef) -> Vec<(&'static str, Fault)> {
        if object.kind == Kind::Pod {
            return self.with(|s| steady::session::view::pod_faults(s.session.cluster(), object));
        }
        if object.kind != Kind::Node {
            return Vec::new();
        }
        let node = object.key.name.to_string();
        let kubelet = |n: String| Fault::Restart { process: "kubelet".into(), node: Some(n) };
        let running = self.with(|s| {
            let cluster = s.session.cluster();
            cluster.processes().find(|p| p.node.as_deref() == Some(&*node)).map(|p| p.running)
        });
        match running {
            Some(true) => vec![
                ("act-node-down", Fault::NodeDown { node: node.clone() }),
                ("act-restart-kubelet", kubelet(node)),
            ],
            Some(false) => vec![("act-node-up", Fault::NodeUp { node })],
            None => Vec::new(),
        }
    }

    /// What can go wrong with the control plane: its process, and what.
    pub fn plane_faults(&self) -> Vec<(&'static str, String, Fault)> {
        let names: Vec<String> = self.with(|s| {
            let processes = s.session.cluster().processes().filter(|p| p.node.is_none());
            processes.map(|p| p.name.to_string()).collect()
        });
        names
            .into_iter()
            .flat_map(|name| {
                let (process, node) = (name.clone(), None);
                [
                    (
                        "fault-restart",
                        name.clone(),
                        Fault::Restart { process: process.clone(), node: node.clone() },
                    ),
                    ("fault-watches", name, Fault::CutWatches { process, node }),
                ]
            })
            .collect()
    }

    /// Makes something go wrong.
    pub fn break_it(&self, fault: &Fault) {
        match self.change(|s| s.session.fault(fault)) {
            Ok(()) => self.moved(),
            Err(e) => self.say(e.to_string(), true),
        }
    }
}
