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
        let store = self.clone();
        spawn_local(async move {
            let text = text_of(&id).await;
            store.send(Input::LessonText(id, text));
        });
    }

    /// Opens a copy of a lesson, for its author-to-be to change.
    pub fn write_lesson(&self, example: &str) {
        let (store, example) = (self.clone(), example.to_owned());
        spawn_local(async move {
            match text_of(&example).await {
                Some(text) => store.send(Input::BringLesson("my-lesson.yaml".to_owned(), text)),
                None => store.say(store.texts().get("lesson-unread"), true),
            }
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

/// The text of a lesson of the course; `None` if it cannot be had.
async fn text_of(id: &str) -> Option<String> {
    let window = gloo::utils::window();
    let load: Function = Reflect::get(&window, &"steadyLesson".into()).ok()?.dyn_into().ok()?;
    let promise: Promise = load.call1(&window, &id.into()).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()?.as_string()
}
