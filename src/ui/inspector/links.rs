//! What an object hangs together with.

use steady::engine::{Answer, Ask, LinkGroup};
use yew::prelude::*;

use super::{TabProps, link};
use crate::ui::hooks::{use_answer, use_store, use_texts};

/// The lists.
#[component]
pub fn LinkList(props: &TabProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let answer = use_answer(Some(Ask::Links(props.object.clone())), props.version);
    let Some(Answer::Links(groups)) = answer.as_deref() else { return Html::default() };
    let part = |g: &LinkGroup| {
        html! { <>
            <h3>{ t.get(&format!("links-{}", g.relation)) }</h3>
            <ul class="links">{ for g.objects.iter().map(|o| html! { <li>{ link(&store, o) }</li> }) }</ul>
            if g.more > 0 { <p class="empty">{ t.with("next-more", &[("n", (g.more as f64).into())]) }</p> }
        </> }
    };
    html! { <>
        if groups.is_empty() { <p class="empty">{ t.get("none") }</p> }
        { for groups.iter().map(part) }
    </> }
}
