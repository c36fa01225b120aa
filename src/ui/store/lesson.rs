//! What the page does for the course: it fetches the texts of lessons, and keeps how far somebody is.

use js_sys::{Function, Promise, Reflect};
use steady::engine::{Input, LessonView, Progress};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::Store;
use super::keep::in_browser;

/// In the browser's storage: how far somebody is in the course.
const COURSE: &str = "steady:course";

impl Store {
    /// Fetches the text of a lesson and hands it in.
    pub(super) fn fetch_lesson(&self, id: String) {
        let window = gloo::utils::window();
        let fetched = Reflect::get(&window, &"steadyLesson".into())
            .and_then(|f| f.dyn_into::<Function>())
            .and_then(|f| f.call1(&window, &id.as_str().into()))
            .and_then(|p| p.dyn_into::<Promise>());
        let store = self.clone();
        spawn_local(async move {
            let text = match fetched {
                Ok(promise) => JsFuture::from(promise).await.ok(),
                Err(_) => None,
            };
            store.send(Input::LessonText(id, text.and_then(|t| t.as_string())));
        });
    }

    /// How far somebody is in the course.
    pub fn progress(&self) -> Progress {
        in_browser(COURSE).and_then(|text| Progress::read(&text)).unwrap_or_default()
    }

    /// Keeps how far somebody is in the course.
    pub fn keep_progress(&self, progress: &Progress) {
        self.put_local(COURSE, &progress.write());
    }

    /// Notes how far the lesson is that is shown.
    pub(super) fn note_lesson(&self, view: &LessonView) {
        // A page that is a part of another one keeps nothing.
        if self.is_embedded() {
            return;
        }
        let mut progress = self.progress();
        if progress.note(view) {
            self.keep_progress(&progress);
        }
    }
}
