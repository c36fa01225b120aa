//! What a person does.

use std::collections::BTreeSet;

use gloo::utils::window;
use steady::api::{Kind, ObjectRef};
use steady::cluster::Fault;
use steady::kubectl::{Kubectl, Output};
use steady::session::scenario::{self, Deed, SetUp};
use steady::session::view::{PlaneFault, PodFault, Preview, problems};
use steady::session::{Depth, MomentId, Policy};
use wasm_bindgen::JsCast;

use super::load::Job;
use super::persist::MANIFEST;
use super::{Entry, Mode, NextLine, Shared, Store, Toast, What};

/// Lines of the terminal that are kept.
const TERMINAL: usize = 400;

impl Store {
    /// Ends a run, for a person takes over. `false` while something is loaded: that has to be
    /// stopped by itself.
    pub(super) fn at_rest(&self) -> bool {
        if let Some(to) = self.turn_round() {
            // Whoever is on the way somewhere means that place.
            self.change(|s| {
                s.session.goto(to);
                s.derive();
            });
        }
        if self.is_loading() {
            return false;
        }
        if self.with(|s| s.mode != Mode::Idle) {
            self.change(|s| {
                s.mode = Mode::Idle;
                s.session.give_up();
            });
            self.ended();
        }
        true
    }

    /// Steps, at the depth that is set, in one go; [`Store::step_on`] leaves the page awake.
    pub fn step(&self) -> bool {
        if !self.at_rest() {
            return false;
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
        if !self.at_rest() {
            return;
        }
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

    /// Goes back a moment. `false` if there is none before, or the way there takes a while.
    pub fn back(&self) -> bool {
        let parent = self.with(|s| {
            let from = s.heading.unwrap_or(s.session.at());
            s.session.moment(from).and_then(|m| m.parent)
        });
        parent.is_some_and(|p| self.goto(p))
    }

    /// Gives up a way that is not done; where it was to lead.
    fn turn_round(&self) -> Option<MomentId> {
        let to = self.change(|s| s.heading.take())?;
        self.0.job.set(self.0.job.get() + 1);
        self.change(|s| s.mode = Mode::Idle);
        Some(to)
    }

    /// Goes to a moment, a slice at a time where that takes long; whether it is there.
    pub fn goto(&self, moment: MomentId) -> bool {
        self.turn_round();
        if !self.at_rest() {
            return false;
        }
        if self.with(|s| s.session.at() != moment)
            && let Some(way) = self.with(|s| s.session.travel(moment))
        {
            self.change(|s| s.heading = Some(moment));
            self.begin(Job::Travel(Box::new(way)));
        } else {
            self.refresh();
        }
        self.with(|s| s.session.at() == moment)
    }

    /// Goes along the branch that is shown.
    pub fn walk(&self, by: isize) {
        let to = self.with(|s| {
            let from = s.heading.unwrap_or(s.session.at());
            let at = s.marks.iter().position(|m| m.moment == from).unwrap_or(0);
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

    /// Sets how deep a step goes.
    pub fn set_depth(&self, depth: Depth) {
        self.change(|s| s.depth = depth);
        self.list_anew();
    }

    /// Lets another policy choose who goes next.
    pub fn set_policy(&self, policy: Policy) -> bool {
        if !self.at_rest() {
            return false;
        }
        self.change(|s| s.session.set_policy(policy));
        self.list_anew();
        self.plan_save();
        true
    }

    /// Shows more of what may come next.
    pub fn show_more(&self) {
        self.change(|s| s.lines += super::listing::LINES);
        self.list_anew();
    }

    /// What comes next is looked for once more.
    fn list_anew(&self) {
        self.change(|s| s.listing = super::Listing::default());
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
        if !self.at_rest() {
            return;
        }
        let Some(scenario) = scenario::find(id) else { return };
        self.hush();
        self.put_aside();
        let setup = SetUp::new(&scenario);
        self.begin(Job::SetUp(Box::new((scenario, setup))));
    }

    /// Does what a scenario offers to try.
    pub fn attempt(&self, i: usize) {
        if !self.at_rest() {
            return;
        }
        let id = self.with(|s| s.session.start().scenario.clone());
        let Some(scenario) = scenario::find(&id) else { return };
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
        self.plan_preview();
    }

    /// Works out what Apply would do once the person pauses, or the run does.
    pub(super) fn plan_preview(&self) {
        let turn = self.0.previewing.get() + 1;
        self.0.previewing.set(turn);
        self.plan(250, move |store| {
            if store.0.previewing.get() == turn && store.with(|s| s.mode == Mode::Idle) {
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
        if !self.at_rest() {
            return;
        }
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
        if !self.at_rest() {
            return self.still_loading();
        }
        let before = self.with(|s| s.session.at());
        let output = self.change(|s| s.session.apply(text));
        if output.exit == 0 {
            // What was said of the text before is no longer so.
            self.hush();
        }
        // Its mistakes are marked where it is shown: another text has its own.
        if self.with(|s| s.text.as_str() == text) {
            let diagnostics = problems(text, &output);
            self.change(|s| {
                s.diagnostics = Shared::new(diagnostics);
                s.preview = None;
            });
        }
        if self.with(|s| s.session.at()) == before {
            self.refresh()
        } else {
            self.moved()
        }
        output
    }

    /// What a command prints that comes while a run is being opened.
    fn still_loading(&self) -> Output {
        let stderr = format!("error: {}\n", self.texts().get("still-loading"));
        Output { stdout: String::new(), stderr, exit: 1 }
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
        let text = self.with(|s| s.text.clone());
        // A link carries the files with the line: only those that it names.
        let files: &[(&str, &str)] = &[(MANIFEST, &text)];
        self.kubectl_with(line, if line.contains(MANIFEST) { files } else { &[] })
    }

    fn kubectl_with(&self, line: &str, files: &[(&str, &str)]) -> (Output, Option<Kubectl>) {
        if !self.at_rest() {
            return (self.still_loading(), None);
        }
        self.interrupt();
        let before = self.with(|s| s.session.at());
        let done = self.change(|s| s.session.kubectl_or_wait(line, files));
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

    /// Evicts a pod: through its Eviction subresource, which asks the budgets first.
    pub fn evict(&self, pod: &ObjectRef) {
        let (namespace, name) = (&pod.key.namespace, &pod.key.name);
        let line =
            format!("create --raw /api/v1/namespaces/{namespace}/pods/{name}/eviction -f eviction.yaml");
        let body = format!(
            "apiVersion: policy/v1\nkind: Eviction\nmetadata:\n  name: {name}\n  namespace: {namespace}\n"
        );
        let (out, _) = self.kubectl_with(&line, &[("eviction.yaml", &body)]);
        if out.exit == 0 {
            self.say(self.texts().with("evicted", &[("pod", name.to_string().into())]), false);
        } else {
            self.say(out.stderr.trim().to_owned(), true);
        }
    }

    /// What can go wrong with a pod, besides a crash.
    pub fn pod_faults(&self, pod: &ObjectRef) -> Vec<PodFault> {
        self.with(|s| steady::session::view::pod_faults(&s.session, pod))
    }

    /// Lets a container end with an exit code.
    pub fn crash(&self, pod: &ObjectRef, container: &str, exit_code: i32) {
        match self.with(|s| steady::session::view::crash(&s.session, pod, container, exit_code)) {
            Some(fault) => self.break_it(&fault),
            None => self.say(self.texts().get("try-nothing"), false),
        }
    }

    /// What can go wrong with a node.
    pub fn node_faults(&self, object: &ObjectRef) -> Vec<(&'static str, Fault)> {
        if object.kind != Kind::NODE {
            return Vec::new();
        }
        let node = object.key.name.to_string();
        let running = self.with(|s| {
            let cluster = s.session.cluster();
            cluster.processes().find(|p| p.node.as_deref() == Some(&*node)).map(|p| p.running)
        });
        let (process, on) = ("kubelet".to_owned(), Some(node.clone()));
        match running {
            Some(true) => vec![
                ("act-node-down", Fault::NodeDown { node }),
                ("act-restart-kubelet", Fault::Restart { process: process.clone(), node: on.clone() }),
                ("act-cut-kubelet", Fault::CutWatches { process, node: on }),
            ],
            Some(false) => vec![("act-node-up", Fault::NodeUp { node })],
            None => Vec::new(),
        }
    }

    /// What can go wrong with the control plane.
    pub fn plane_faults(&self) -> Vec<PlaneFault> {
        self.with(|s| steady::session::view::plane_faults(s.session.cluster()))
    }

    /// Makes something go wrong.
    pub fn break_it(&self, fault: &Fault) {
        if !self.at_rest() {
            return;
        }
        match self.change(|s| s.session.fault(fault)) {
            Ok(()) => self.moved(),
            Err(e) => self.say(e.to_string(), true),
        }
    }
}
