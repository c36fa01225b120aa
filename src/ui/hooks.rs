//! Hooks: how a component gets the page's state and texts, and asks the engine.

use std::cell::RefCell;
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
/// answered, this is the answer before, also to another question, or `None`; the component is drawn again when the answer comes.
#[hook]
pub fn use_answer(ask: Option<Ask>, version: u64) -> Option<Rc<Answer>> {
    use_answered(ask, version).map(|(_, answer)| answer)
}

/// As [`use_answer`], but never the answer to another question.
#[hook]
pub fn use_answer_to(ask: Option<Ask>, version: u64) -> Option<Rc<Answer>> {
    let answered = use_answered(ask.clone(), version);
    answered.filter(|(asked, _)| ask.as_ref() == Some(&**asked)).map(|(_, answer)| answer)
}

/// The last answer, and the question that it is about.
#[hook]
fn use_answered(ask: Option<Ask>, version: u64) -> Option<(Rc<Ask>, Rc<Answer>)> {
    let store = use_store();
    let last = use_mut_ref(|| None::<(Rc<Ask>, Rc<Answer>)>);
    let redraw = use_force_update();
    let here = last.clone();
    use_memo((ask, version), move |(ask, _)| {
        let Some(ask) = ask.clone() else {
            *here.borrow_mut() = None;
            return;
        };
        let (slot, asked) = (here.clone(), Rc::new(ask.clone()));
        store.ask(
            ask,
            Callback::from(move |answer| {
                *slot.borrow_mut() = Some((asked.clone(), Rc::new(answer)));
                redraw.force_update();
            }),
        );
    });
    RefCell::borrow(&last).clone()
}
