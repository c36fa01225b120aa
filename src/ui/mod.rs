//! The page's components.

use yew::prelude::*;

/// Puts the page in place of the skeleton that `index.html` shows while the wasm loads.
pub fn mount() {
    let Some(root) = gloo::utils::document().get_element_by_id("app") else { return };
    // Yew appends to what is there; the skeleton has done its work.
    root.set_inner_html("");
    yew::Renderer::<App>::with_root(root).render();
}

/// The whole page.
#[component]
fn App() -> Html {
    html! { <main><h1>{ "Steady" }</h1></main> }
}
