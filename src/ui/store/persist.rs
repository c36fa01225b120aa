//! The work survives a reload: text, ops and position in the browser's own storage.

use gloo::utils::window;
use serde::{Deserialize, Serialize};
use steady::session::{Op, Session, Start};

use super::run::{SLICE, clock};
use super::{Mode, Shared, Store};

const KEY: &str = "steady:work";

/// What is kept.
#[derive(Serialize, Deserialize)]
struct Work {
    v: u32,
    start: Start,
    ops: Vec<Op>,
    /// How many ops lead to where the person stood.
    at: usize,
    first: usize,
    text: String,
}

/// Reads a remembered setting.
pub fn read(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(key).ok().flatten()
}

impl Store {
    pub(super) fn plan_save(&self) {
        if self.0.saving.replace(true) {
            return;
        }
        self.plan(600, |store| {
            store.0.saving.set(false);
            store.save();
        });
    }

    /// Saves; tells the person if it cannot be.
    pub fn save(&self) {
        if self.with(|s| s.mode != Mode::Idle) {
            return self.plan_save();
        }
        let work = self.with(|s| {
            let tip = s.marks.last().map_or(0, |m| m.moment);
            let place = |id| s.marks.iter().position(|m| m.moment == id).unwrap_or(0);
            Work {
                v: 1,
                start: s.session.start().clone(),
                ops: s.session.ops(tip),
                at: place(s.session.at()),
                first: place(s.first),
                text: (*s.text).clone(),
            }
        });
        let Ok(json) = serde_json::to_string(&work) else { return };
        let kept = window().local_storage().ok().flatten().map(|l| l.set_item(KEY, &json));
        if matches!(kept, Some(Err(_))) {
            let text = self.texts().with("save-full", &[("kb", ((json.len() / 1000) as f64).into())]);
            self.say(text, true);
        }
    }

    /// Brings back what was saved, a slice at a time.
    pub fn restore(&self) {
        let Some(json) = read(KEY) else { return };
        let Ok(work) = serde_json::from_str::<Work>(&json) else {
            return self.say(self.texts().get("restore-failed"), true);
        };
        if work.v != 1 || work.ops.is_empty() {
            return;
        }
        let session = Session::new(work.start.clone());
        let of = work.ops.len();
        self.change(|s| {
            s.text = Shared::new(work.text.clone());
            s.text_set += 1;
            s.mode = Mode::Restoring { done: 0, of };
        });
        self.redo(session, work, 0);
    }

    fn redo(&self, mut session: Session, work: Work, mut done: usize) {
        if !self.with(|s| matches!(s.mode, Mode::Restoring { .. })) {
            return;
        }
        let end = clock() + SLICE;
        let mut whole = true;
        while done < work.ops.len() && clock() < end {
            whole = work.ops.get(done).is_some_and(|op| session.perform(op));
            if !whole {
                break;
            }
            done += 1;
        }
        if whole && done < work.ops.len() {
            self.change(|s| s.mode = Mode::Restoring { done, of: work.ops.len() });
            self.refresh();
            return self.plan(0, move |store| store.redo(session, work, done));
        }
        let line = session.timeline();
        if let Some(id) = line.get(work.at) {
            session.goto(*id);
        }
        self.change(|s| {
            s.first = line.get(work.first).copied().unwrap_or(0);
            s.session = session;
            s.marks_tip = usize::MAX;
            s.mode = Mode::Idle;
        });
        self.moved();
        if !whole {
            let of = work.ops.len();
            let args = [("done", (done as f64).into()), ("of", (of as f64).into())];
            self.say(self.texts().with("restore-partly", &args), true);
        }
    }
}
