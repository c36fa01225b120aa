//! What every component can ask for.

use yew::prelude::*;

use super::i18n::Texts;
use super::store::Store;

/// The page's state.
#[hook]
#[allow(clippy::expect_used)]
pub fn use_store() -> Store {
    // The app puts both around everything that it draws.
    use_context::<Store>().expect("the app provides it")
}

/// The texts of the language that is shown.
#[hook]
#[allow(clippy::expect_used)]
pub fn use_texts() -> Texts {
    use_context::<Texts>().expect("the app provides it")
}
