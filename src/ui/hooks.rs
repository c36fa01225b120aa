//! Hooks: how a component gets the page's state and texts, and asks the engine.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use steady::engine::{Answer, Ask};
use yew::prelude::*;

use super::i18n::Texts;
use super::store::Store;

/// The page's state.
#[hook]
pub fn use_store() -> Store {
    // The app puts both around everything that it draws.
    use_context::<Store>().unwrap_or_default()
}

/// The texts of the language that is shown.
#[hook]
pub fn use_texts() -> Texts {
    use_context::<Texts>().unwrap_or_default()
}

/// The engine's answer to a question, which is asked again when the question or the version changes. Until the engine has
/// answered, this is the answer before, or `None`; the component is drawn again when the answer comes.
#[hook]
pub fn use_answer(ask: Option<Ask>, version: u64) -> Option<Rc<Answer>> {
    let store = use_store();
    let last = use_mut_ref(|| None::<Rc<Answer>>);
    let redraw = use_force_update();
    let here = last.clone();
    use_memo((ask, version), move |(ask, _)| {
        let Some(ask) = ask.clone() else {
            *here.borrow_mut() = None;
            return;
        };
        // An answer that comes before `ask` returns needs no second drawing.
        let drawing = Rc::new(Cell::new(true));
        let (slot, still) = (here.clone(), drawing.clone());
        store.ask(
            ask,
            Callback::from(move |answer| {
                *slot.borrow_mut() = Some(Rc::new(answer));
                if !still.get() {
                    redraw.force_update();
                }
            }),
        );
        drawing.set(false);
    });
    RefCell::borrow(&last).clone()
}
