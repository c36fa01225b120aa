//! kubectl, line by line.

use steady::engine::{Entry, Input};
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use super::store::Shared;
use crate::ui::hooks::{use_store, use_texts};

/// What the terminal shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What was typed and printed.
    pub entries: Shared<Vec<Entry>>,
}

/// The terminal.
#[component]
pub fn Terminal(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let log = use_node_ref();
    // How far back in what was typed; 0 is the new line.
    let back = use_mut_ref(|| 0_usize);
    {
        let log = log.clone();
        use_effect_with(props.entries.clone(), move |_| {
            if let Some(log) = log.cast::<Element>() {
                log.set_scroll_top(log.scroll_height());
            }
        });
    }
    let onkeydown = {
        let entries = props.entries.clone();
        Callback::from(move |e: KeyboardEvent| {
            let Some(input) = e.target_dyn_into::<HtmlInputElement>() else { return };
            match e.key().as_str() {
                "Enter" => {
                    *back.borrow_mut() = 0;
                    store.send(Input::Terminal(input.value()));
                    input.set_value("");
                }
                "c" if e.ctrl_key() => store.send(Input::Interrupt),
                key @ ("ArrowUp" | "ArrowDown") => {
                    let mut at = back.borrow_mut();
                    *at = if key == "ArrowUp" { (*at + 1).min(entries.len()) } else { at.saturating_sub(1) };
                    let line = entries.len().checked_sub(*at).and_then(|i| entries.get(i));
                    input.set_value(line.map_or("", |e| e.line.strip_prefix("kubectl ").unwrap_or(&e.line)));
                }
                _ => return,
            }
            e.prevent_default();
        })
    };
    let entry = |e: &Entry| {
        html! { <>
            <p class="typed"><i aria-hidden="true">{ "$ " }</i>{ &e.line }</p>
            if !e.output.is_empty() { <pre class={classes!(e.failed.then_some("bad"))}>{ e.output.trim_end_matches('\n') }</pre> }
            if e.refused { <pre class="bad">{ format!("error: {}", t.get("still-loading")) }</pre> }
            if e.waits { <p class="muted">{ t.get("terminal-waits") }</p> }
        </> }
    };
    html! {
        <div class="terminal">
            <div class="log" ref={log} role="log" tabindex="0" aria-label={t.get("terminal-log")}>
                if props.entries.is_empty() { <p class="muted">{ t.get("terminal-hint") }</p> }
                { for props.entries.iter().map(entry) }
            </div>
            <label class="line"><span aria-hidden="true">{ "$ kubectl" }</span>
                <input id="kubectl-line" type="text" aria-label="kubectl" autocomplete="off" autocapitalize="off" spellcheck="false"
                    placeholder="get pods" {onkeydown} /></label>
        </div>
    }
}
