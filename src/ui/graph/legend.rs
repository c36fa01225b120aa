//! The legend: what each kind of line in the graph means, with a switch for it.

use steady::engine::EdgeKind;
use yew::prelude::*;

use crate::ui::hooks::use_texts;

/// Which lines are drawn.
#[derive(Clone, Copy, PartialEq)]
pub struct Lines([bool; 4]);

impl Default for Lines {
    /// All kinds of lines but those from pods to their nodes, which are many.
    fn default() -> Lines {
        Lines([true, true, false, true])
    }
}

impl Lines {
    /// The name of a kind of line in styles, and whether it is drawn.
    pub fn of(self, kind: EdgeKind) -> (&'static str, bool) {
        let found = KINDS.iter().zip(self.0).find(|((k, ..), _)| *k == kind);
        found.map_or(("owner", true), |((_, name, _), on)| (*name, on))
    }
}

const KINDS: [(EdgeKind, &str, &str); 4] = [
    (EdgeKind::Owner, "owner", "line-owner"),
    (EdgeKind::Selector, "selector", "line-selector"),
    (EdgeKind::Binding, "binding", "line-binding"),
    (EdgeKind::Reference, "reference", "line-reference"),
];

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Which lines are drawn.
    pub lines: Lines,
    /// Called with the kinds of lines that are drawn from now on.
    pub set: Callback<Lines>,
    /// What stands beside the legend.
    pub children: Html,
}

/// The legend.
#[component]
pub fn Legend(props: &Props) -> Html {
    let t = use_texts();
    let buttons = KINDS.iter().enumerate().map(|(i, (_, name, key))| {
        let on = props.lines.0.get(i).copied().unwrap_or(false);
        let (set, lines) = (props.set.clone(), props.lines);
        let onclick = move |_| {
            let mut next = lines;
            if let Some(slot) = next.0.get_mut(i) {
                *slot = !on;
            }
            set.emit(next);
        };
        html! {
            <button type="button" aria-pressed={on.to_string()} {onclick}>
                <svg viewBox="0 0 20 8" width="20" height="8" aria-hidden="true">
                    <path class={classes!("wire", *name)} d="M1 4H19" />
                </svg>
                { t.get(key) }
            </button>
        }
    });
    html! { <div class="legend" role="group" aria-label={t.get("lines")}>{ for buttons }{ props.children.clone() }</div> }
}
