//! The terminal's line: one row of text, and what stands around it.

use std::rc::Rc;

use steady::engine::ShellView;
use web_sys::{ClipboardEvent, HtmlInputElement};
use yew::prelude::*;

use super::keys::{LineKeys, Memory, Search};
use super::list::{Words, id_of};
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::store::Shared;

/// What the line knows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The lines that were typed, oldest first.
    pub history: Shared<Vec<String>>,
    /// The shell in a container that the line goes to.
    pub shell: Option<Shared<ShellView>>,
    /// Whether a line runs that Ctrl+C ends.
    pub runs: bool,
}

/// The line.
#[component]
pub fn Line(props: &Props) -> Html {
    let t = use_texts();
    let field = use_node_ref();
    let memory = use_memo((), |()| Memory::default());
    let history = props.shell.as_ref().map_or_else(|| props.history.clone(), |s| Shared::from(&s.history));
    let keys = LineKeys {
        store: use_store(),
        history: history.clone(),
        runs: props.runs,
        inside: props.shell.is_some(),
        attached: props.shell.as_ref().is_some_and(|s| s.attached),
        memory,
        offer: use_state(|| None),
        search: use_state(|| None),
        begun: use_state(Rc::default),
    };
    let onkeydown = {
        let keys = keys.clone();
        Callback::from(move |e: KeyboardEvent| {
            let Some(input) = e.target_dyn_into::<HtmlInputElement>() else { return };
            // Enter ends the writing of a word in many languages.
            if !e.is_composing() && keys.key(&e, &input) {
                e.prevent_default();
            }
        })
    };
    let oninput = {
        let keys = keys.clone();
        Callback::from(move |e: InputEvent| {
            if let Some(input) = e.target_dyn_into::<HtmlInputElement>() {
                keys.typed(&input);
            }
        })
    };
    let onpaste = {
        let keys = keys.clone();
        Callback::from(move |e: Event| {
            let text = wasm_bindgen::JsCast::dyn_ref::<ClipboardEvent>(&e)
                .and_then(|e| e.clipboard_data()?.get_data("text/plain").ok());
            let (Some(text), Some(input)) = (text, e.target_dyn_into::<HtmlInputElement>()) else { return };
            if text.contains('\n') {
                e.prevent_default();
                keys.paste(&input, &text);
            }
        })
    };
    let onblur = {
        let offer = keys.offer.clone();
        Callback::from(move |_: FocusEvent| offer.set(None))
    };
    // The keys that a phone has not.
    let pressed = |what: &'static str, key: &'static str| {
        let (keys, field) = (keys.clone(), field.clone());
        let onmousedown = |e: MouseEvent| e.prevent_default();
        let onclick = move |_| {
            let Some(input) = field.cast::<HtmlInputElement>() else { return };
            match what {
                "Tab" => {
                    // A finger asks for the list at once.
                    keys.memory.tabbed.set(true);
                    keys.tab(&input);
                }
                "↑" => keys.go_back(&input, true),
                "↓" => keys.go_back(&input, false),
                _ => keys.interrupt(&input),
            }
            let _ = input.focus();
        };
        html! { <button type="button" aria-label={t.get(key)} {onmousedown} {onclick}>{ what }</button> }
    };
    let offer = &*keys.offer;
    let take = {
        let (keys, field) = (keys.clone(), field.clone());
        Callback::from(move |at| {
            if let Some(input) = field.cast::<HtmlInputElement>() {
                keys.take(&input, at);
            }
        })
    };
    let found = keys.search.map(|Search(at)| at.and_then(|at| history.get(at)).cloned());
    let prompt = props.shell.as_ref().map(|s| s.prompt.clone());
    let label = props.shell.as_ref().map_or_else(
        || "kubectl".to_owned(),
        |s| {
            t.with(
                "terminal-inside-line",
                &[("container", s.container.clone().into()), ("pod", s.pod.clone().into())],
            )
        },
    );
    let sign = if keys.search.is_some() {
        "?"
    } else if keys.begun.is_empty() {
        prompt.as_deref().unwrap_or("$").trim_end()
    } else {
        ">"
    };
    html! { <>
        if let Some(offer) = offer { <Words words={offer.completion.words.clone()} at={offer.at} {take} /> }
        if !keys.begun.is_empty() {
            <pre class="begun">{ keys.begun.iter().map(|l| format!("> {l}")).collect::<Vec<_>>().join("\n") }</pre>
        }
        if let Some(found) = found {
            <p class="found" role="status">{ t.get("terminal-search") }<code>{ found.unwrap_or_else(|| "–".to_owned()) }</code></p>
        }
        <p class="leave" id="leave-line"><kbd>{ "Esc" }</kbd><kbd>{ "Tab" }</kbd>{ t.get("leave-line") }</p>
        <div class="line"><span aria-hidden="true">{ sign }</span>
            <input id="kubectl-line" ref={field.clone()} type="text" role="combobox" aria-label={label} aria-autocomplete="list" aria-describedby="leave-line"
                aria-expanded={offer.is_some().to_string()} aria-controls={offer.as_ref().map(|_| "terminal-words")}
                aria-activedescendant={offer.as_ref().map(|o| id_of(o.at))}
                autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" enterkeyhint="send"
                placeholder={if props.shell.is_some() { "ls /etc" } else { "kubectl get pods" }} {onkeydown} {oninput} {onpaste} {onblur} />
            <div class="touch" role="group" aria-label={t.get("terminal-keys")}>
                { pressed("Tab", "terminal-tab") }{ pressed("↑", "terminal-up") }{ pressed("↓", "terminal-down") }{ pressed("^C", "terminal-stop") }
            </div></div>
    </> }
}
