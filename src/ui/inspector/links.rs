//! What an object hangs together with.

use steady::api::ObjectRef;
use steady::session::view::links;
use yew::prelude::*;

use super::{TabProps, link};
use crate::ui::hooks::{use_store, use_texts};

/// More than this of one sort are only counted.
const SHOWN: usize = 100;

/// The lists.
#[component]
pub fn LinkList(props: &TabProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let l = store.with(|s| links(s.graph(), &props.object));
    let all: [(&str, &Vec<ObjectRef>); 8] = [
        ("links-owners", &l.owners),
        ("links-dependents", &l.dependents),
        ("links-selects", &l.selects),
        ("links-selected-by", &l.selected_by),
        ("links-node", &l.node),
        ("links-pods", &l.pods),
        ("links-names", &l.names),
        ("links-named-by", &l.named_by),
    ];
    let part = |(key, list): &(&str, &Vec<ObjectRef>)| {
        let rest = list.len().saturating_sub(SHOWN);
        html! { <>
            <h3>{ t.get(key) }</h3>
            <ul class="links">{ for list.iter().take(SHOWN).map(|o| html! { <li>{ link(&store, o) }</li> }) }</ul>
            if rest > 0 { <p class="empty">{ t.with("next-more", &[("n", (rest as f64).into())]) }</p> }
        </> }
    };
    let some: Vec<_> = all.iter().filter(|(_, list)| !list.is_empty()).collect();
    html! { <>
        if some.is_empty() { <p class="empty">{ t.get("none") }</p> }
        { for some.into_iter().map(part) }
    </> }
}
