//! Files that are dropped on the page.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use steady::engine::Input;
use wasm_bindgen::JsCast;
use web_sys::DragEvent;

use super::store::Store;

/// Takes over the text of each file that is dropped, as long as the listeners are not dropped.
pub fn listen(store: &Store) -> [EventListener; 2] {
    let options = EventListenerOptions::enable_prevent_default();
    let over = EventListener::new_with_options(&window(), "dragover", options, |e| {
        // Without this the browser would open the file in place of the page.
        if files_of(e).is_some() {
            e.prevent_default();
        }
    });
    let store = store.clone();
    let drop = EventListener::new_with_options(&window(), "drop", options, move |e| {
        let Some(files) = files_of(e) else { return };
        e.prevent_default();
        let store = store.clone();
        wasm_bindgen_futures::spawn_local(async move {
            // Several files are one text, as `kubectl apply -f` would read a folder.
            let mut texts = Vec::new();
            for file in (0..files.length()).filter_map(|i| files.get(i)) {
                if let Ok(text) = wasm_bindgen_futures::JsFuture::from(file.text()).await {
                    texts.extend(text.as_string());
                }
            }
            if !texts.is_empty() {
                store.send(Input::Dropped(texts.join("\n---\n")));
            }
        });
    });
    [over, drop]
}

/// The files that are dragged.
fn files_of(e: &web_sys::Event) -> Option<web_sys::FileList> {
    let data = e.dyn_ref::<DragEvent>()?.data_transfer()?;
    if !data.types().includes(&"Files".into(), 0) {
        return None;
    }
    data.files()
}
