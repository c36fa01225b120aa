//! The frame of a board: a part of the page that lies over the graph, beside the editor. It has a heading, which has the focus when
//! the board opens, a line that says what it is about, and a button that closes it, as Escape does.

use yew::prelude::*;

use super::glyph;
use super::keys::focus;
use crate::ui::hooks::use_texts;

/// A board that is shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The first word of its heading's id, and a class of the board.
    pub name: &'static str,
    /// The key of its heading.
    pub title: &'static str,
    /// The key of the text that says what it is about.
    pub about: &'static str,
    /// Closes it.
    pub close: Callback<()>,
    /// What is in it.
    pub children: Html,
}

/// The board.
#[component]
pub fn Board(props: &Props) -> Html {
    let t = use_texts();
    let id = format!("{}-title", props.name);
    use_effect_with(id.clone(), |id| focus(&format!("#{id}")));
    let onkeydown = {
        let close = props.close.clone();
        Callback::from(move |e: KeyboardEvent| {
            if e.key() == "Escape" && !e.default_prevented() {
                e.prevent_default();
                e.stop_propagation();
                close.emit(());
            }
        })
    };
    let close = props.close.reform(|_: MouseEvent| ());
    html! {
        <section class={classes!("board", props.name)} aria-labelledby={id.clone()} {onkeydown}>
            <header>
                <h2 {id} tabindex="-1">{ t.get(props.title) }</h2>
                <p>{ t.get(props.about) }</p>
                <button type="button" class="tool" title={t.get("close")} aria-label={t.get("close")} onclick={close}>
                    { glyph::icon(glyph::CLOSE) }
                </button>
            </header>
            { props.children.clone() }
        </section>
    }
}
