//! Which tab has a run open: the browser's Web Locks. A tab holds the lock of the run that it shows, until it is closed,
//! shows another run, or another tab takes the run over. A browser without Web Locks tells no tabs apart.

use gloo::utils::window;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::Callback;

use crate::ui::js::object;

/// What comes before a run's id in the name of its lock.
const PREFIX: &str = "steady:run:";
/// How many milliseconds a tab waits for the lock that it had before: long, if it was reloaded, for on a busy machine the page
/// before may end late; and not so long if it may be a copy of another tab, which goes on.
const PATIENCE: [f64; 2] = [5000.0, 700.0];

#[wasm_bindgen]
extern "C" {
    /// `navigator.locks`, which web-sys has only where its unstable parts are switched on.
    type LockManager;
    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &JsValue,
        granted: &JsValue,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn query(this: &LockManager) -> Result<Promise, JsValue>;

    type AbortSignal;
    #[wasm_bindgen(static_method_of = AbortSignal, catch)]
    fn timeout(milliseconds: f64) -> Result<AbortSignal, JsValue>;
}

/// How a tab asks for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Only if no other tab has it.
    Free,
    /// The tab had it before it was reloaded: what is left of the tab before may have it for a moment.
    Again,
    /// Whoever has it loses it.
    TakeOver,
}

/// A lock that this tab holds, until the value is dropped.
pub(super) struct Held(Option<Function>);

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(release) = &self.0 {
            // A promise's own function does not fail.
            let _ = release.call0(&JsValue::NULL);
        }
    }
}

fn locks() -> Option<LockManager> {
    let locks = Reflect::get(&window().navigator(), &"locks".into()).ok()?;
    (!locks.is_undefined()).then(|| locks.unchecked_into())
}

/// Whether the page was loaded again, or gone back to.
fn is_reloaded() -> bool {
    let entries = window().performance().map(|p| p.get_entries_by_type("navigation"));
    let kind = entries.and_then(|all| Reflect::get(&all.get(0), &"type".into()).ok()?.as_string());
    kind.is_some_and(|kind| kind != "navigate")
}

/// Asks for the lock of a run. `None` if another tab has it. `lost` is called when another tab has taken it over.
pub(super) async fn hold(id: &str, ask: Ask, lost: Callback<()>) -> Option<Held> {
    let Some(locks) = locks() else { return Some(Held(None)) };
    let options = match ask {
        Ask::Free => object(&[("ifAvailable", JsValue::TRUE)]),
        Ask::TakeOver => object(&[("steal", JsValue::TRUE)]),
        Ask::Again => match AbortSignal::timeout(PATIENCE[usize::from(!is_reloaded())]) {
            Ok(signal) => object(&[("signal", signal.into())]),
            Err(_) => object(&[("ifAvailable", JsValue::TRUE)]),
        },
    };
    let mut release = None;
    let until_released = Promise::new(&mut |resolve, _| release = Some(resolve));
    let mut answer = None;
    let answered = Promise::new(&mut |resolve, _| answer = Some(resolve));
    let (release, answer) = (release?, answer?);
    let tell = answer.clone();
    let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        let _ = tell.call1(&JsValue::NULL, &JsValue::from_bool(!lock.is_null()));
        if lock.is_null() { JsValue::UNDEFINED } else { until_released.into() }
    });
    let request = locks.request(&format!("{PREFIX}{id}"), &options, &granted).ok()?;
    spawn_local(async move {
        // It is refused when the wait is over, and when another tab takes over a lock that was granted. The second answer
        // to a promise is not heard.
        if JsFuture::from(request).await.is_err() {
            let _ = answer.call1(&JsValue::NULL, &JsValue::FALSE);
            lost.emit(());
        }
    });
    let granted = JsFuture::from(answered).await.is_ok_and(|granted| granted.is_truthy());
    granted.then_some(Held(Some(release)))
}

/// The ids of the runs that any tab has open.
pub(super) async fn open() -> Vec<String> {
    let Some(query) = locks().and_then(|locks| locks.query().ok()) else { return Vec::new() };
    let Ok(state) = JsFuture::from(query).await else { return Vec::new() };
    let held = Reflect::get(&state, &"held".into()).map(|held| Array::from(&held)).unwrap_or_default();
    let name = |lock: JsValue| Reflect::get(&lock, &"name".into()).ok()?.as_string();
    held.iter().filter_map(name).filter_map(|name| Some(name.strip_prefix(PREFIX)?.to_owned())).collect()
}
