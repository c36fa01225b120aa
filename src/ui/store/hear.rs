//! What the page does with each output of the engine.

use gloo::utils::{document, window};
use steady::engine::wire::Heard;
use steady::engine::{Input, Mode, Notice, Output, Report, Shown, Stepped};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;

use super::keep::{VIEW, view_name};
use super::{Shared, Store, Texts, Toast};

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: the page stands, and what it needs later can be fetched.
    #[wasm_bindgen(js_name = steadyStands)]
    fn stands();

    /// static/early.js: how many steps a person has asked the first screen for since this was called last.
    #[wasm_bindgen(js_name = steadyAsked)]
    fn asked() -> u32;
}

impl Store {
    pub(super) fn hear(&self, heard: Vec<Heard>) {
        let mut stepped: Vec<Box<Stepped>> = Vec::new();
        let (mut draw, mut handled) = (false, Vec::new());
        for heard in heard {
            let output = match heard {
                Heard::Output(output) => output,
                Heard::Handled(number) => {
                    // What follows may look at what is drawn; an answer's receiver is called at once.
                    handled.push((number, self.0.did.get(), self.0.printed.take()));
                    self.0.did.set(false);
                    continue;
                }
                Heard::Failed(why) => return self.revive(&why),
            };
            match output {
                Output::Show(shown) => {
                    self.show(*shown);
                    draw = true;
                }
                // What the editor marks is said there alone, if that is in sight.
                Output::Notice(Notice { marked: true, .. }) if sees_mistakes() => {
                    self.0.refused.set(true);
                    self.0.toast.borrow_mut().take_if(|toast| toast.act.is_none());
                    draw = true;
                }
                Output::Notice(Notice { said, whole, bad, .. }) => {
                    let text = self.texts().said(&said);
                    self.show_toast(Toast { text, whole, bad, act: None });
                }
                Output::Hush => {
                    // What offers something stays until it is answered.
                    draw |= self.0.toast.borrow_mut().take_if(|toast| toast.act.is_none()).is_some();
                }
                Output::Stepped(step) => stepped.push(step),
                Output::Busy => self.0.busy.set(true),
                Output::Idle => self.0.busy.set(false),
                Output::Did(did) => self.0.did.set(did),
                Output::Printed(printed) => *self.0.printed.borrow_mut() = printed,
                Output::Keep(draft) => self.keep(draft),
                Output::Link(link) => self.hand_out(&link),
                Output::Opened => self.clean_address(),
                Output::Imported(report) => {
                    let (text, whole) = imported(&self.texts(), &report);
                    self.show_toast(Toast { text, whole, bad: false, act: None });
                }
                Output::Remember(line) => self.remember_line(&line),
                Output::WantTexts => self.fetch_texts(),
                Output::WantLesson(id) => self.fetch_lesson(id),
                Output::MapShown(shown) => {
                    self.put_local(VIEW, view_name(shown));
                }
                Output::Answer(number, answer) => {
                    let asked = self.0.asked.borrow_mut().remove(&number);
                    if let Some(asked) = asked {
                        asked.emit(*answer);
                    }
                }
            }
        }
        if draw {
            if self.0.ready.borrow().is_none() {
                self.refresh();
            } else if !self.0.has_shown.replace(true) {
                self.stand();
            }
        }
        for step in stepped {
            announce(&step);
        }
        for (number, did, printed) in handled {
            self.0.did.set(did);
            *self.0.printed.borrow_mut() = printed;
            self.note_handled(number);
        }
        self.tell_idle();
    }

    /// Has the page take the place of its first screen, once it shows what that does: a person may have pressed Step there.
    fn stand(&self) {
        let steps = asked();
        if steps > 0 {
            (1..steps).for_each(|_| self.send(Input::StepAtOnce));
            return self.send_then(Input::StepAtOnce, Store::stand);
        }
        let ready = self.0.ready.borrow_mut().take();
        if let Some(ready) = ready {
            ready.emit(());
            stands();
        }
    }

    fn show(&self, mut shown: Shown) {
        let revived = self.0.reviving.sees(&mut shown);
        if self.with(|s| s.text_set != shown.text_set) {
            self.0.typed.borrow_mut().take();
        }
        if self.with(|s| s.diagnostics != shown.diagnostics) {
            self.0.refused.set(false);
        }
        let moved = self.with(|s| s.version != shown.version);
        let lesson = shown.lesson.clone().filter(|lesson| self.with(|s| s.lesson.as_ref() != Some(lesson)));
        *self.0.shown.borrow_mut() = shown;
        // The editor has what was typed, whatever the engine knew of it.
        let typed = self.0.typed.borrow().clone().filter(|_| revived);
        if let Some(text) = typed {
            self.send(Input::Typed(text));
        }
        if let Some(lesson) = lesson {
            self.note_lesson(&lesson);
        }
        let loading = self.with(|s| matches!(s.mode, Mode::Loading { .. }));
        // Another run may be about to take the place of the one that is shown: its lock is held already.
        if !loading {
            let (run, scenario) = self.with(|s| (s.run.clone(), s.scenario.as_ref().map(|x| x.id.clone())));
            self.shows_run(&run, scenario.as_deref());
        }
        if moved {
            if !self.0.lit.borrow().is_empty() {
                *self.0.lit.borrow_mut() = Shared::default();
            }
            *self.0.way.borrow_mut() = Shared::default();
            self.plan_preview();
        }
    }
}

/// What is said of objects that were taken over: a sentence, and the rest line by line.
fn imported(t: &Texts, report: &Report) -> (String, String) {
    let n: usize = report.taken.values().sum();
    // A link packs what it contains to about a sixth.
    let kb = (report.bytes / 6000).max(1);
    let counted = |all: &std::collections::BTreeMap<String, usize>| {
        all.iter().map(|(kind, n)| format!("{kind} {n}")).collect::<Vec<_>>().join(", ")
    };
    let mut lines = vec![t.with("import-taken", &[("what", counted(&report.taken).into())])];
    if !report.unknown.is_empty() {
        lines.push(t.with("import-unknown", &[("what", counted(&report.unknown).into())]));
    }
    for (what, why) in &report.unreadable {
        lines
            .push(t.with("import-unreadable", &[("what", what.clone().into()), ("why", why.clone().into())]));
    }
    for (kind, names) in &report.made {
        let what = format!("{kind} {}", names.join(", "));
        lines.push(t.with("import-made", &[("what", what.into())]));
    }
    if report.orphaned > 0 {
        lines.push(t.with("import-orphaned", &[("n", (report.orphaned as f64).into())]));
    }
    if !report.tainted.is_empty() {
        lines.push(t.with("import-tainted", &[("what", report.tainted.join(", ").into())]));
    }
    if report.autoscaled {
        lines.push(t.get("import-autoscaled"));
    }
    let text = t.with("import-said", &[("n", (n as f64).into()), ("kb", (kb as f64).into())]);
    (text, lines.join("\n"))
}

/// Tells the site that embeds the page of a step (docs/embed.md).
fn announce(step: &Stepped) {
    let detail = crate::ui::js::detail(step);
    crate::ui::js::tell("step", &detail);
    let init = web_sys::CustomEventInit::new();
    init.set_detail(&detail);
    if let Ok(event) = web_sys::CustomEvent::new_with_event_init_dict("steady:step", &init) {
        let _ = window().dispatch_event(event.unchecked_ref());
    }
}

/// Whether the place under the editor is in sight at which the mistakes in its text are told.
fn sees_mistakes() -> bool {
    let place = document().query_selector("#tab-manifest-panel .changes").ok().flatten();
    place.is_some_and(|place| {
        let rect = place.get_bounding_client_rect();
        // What is not shown has no size.
        rect.width() > 0.0
            && rect.top() < window().inner_height().ok().and_then(|h| h.as_f64()).unwrap_or(f64::MAX)
    })
}
