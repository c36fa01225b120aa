//! The list of words that the line can go on with.

use yew::prelude::*;

use crate::ui::hooks::use_texts;

/// What the list shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The words.
    pub words: Vec<String>,
    /// The place of the word that Enter would take.
    pub at: usize,
    /// Takes the word at a place.
    pub take: Callback<usize>,
}

/// The id of a word's element, which the line names as its active descendant.
pub fn id_of(place: usize) -> String {
    format!("terminal-word-{place}")
}

/// The list.
#[component]
pub fn Words(props: &Props) -> Html {
    let t = use_texts();
    let at = props.at;
    use_effect_with(at, move |at| {
        let option = gloo::utils::document().get_element_by_id(&id_of(*at));
        if let Some(option) = option {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
    let option = |(i, word): (usize, &String)| {
        let take = props.take.clone();
        // The line keeps the focus.
        let onmousedown = |e: MouseEvent| e.prevent_default();
        let onclick = move |_| take.emit(i);
        html! {
            <li id={id_of(i)} key={word.clone()} role="option" aria-selected={(i == at).to_string()} {onmousedown} {onclick}>{ word }</li>
        }
    };
    html! {
        <ul class="words" id="terminal-words" role="listbox" aria-label={t.get("terminal-words")}>
            { for props.words.iter().enumerate().map(option) }
        </ul>
    }
}
