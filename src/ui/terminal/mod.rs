//! The terminal: what was typed and printed, and the line.

mod keys;
mod line;
mod list;

use std::rc::Rc;

use steady::engine::{Entered, Entry, Input, ShellView};
use web_sys::Element;
use yew::prelude::*;

use super::glyph;
use super::store::Shared;
use crate::ui::hooks::{use_store, use_texts};
use line::Line;

/// What the terminal shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What was typed and printed.
    pub entries: Shared<Vec<Rc<Entry>>>,
    /// The lines that were typed, oldest first.
    pub history: Shared<Vec<String>>,
    /// The shell in a container that the lines go to.
    pub shell: Option<Shared<ShellView>>,
}

/// The terminal.
#[component]
pub fn Terminal(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let log = use_node_ref();
    // Whether the end of what was printed is in sight: then it stays so.
    let at_end = use_mut_ref(|| true);
    {
        let store = store.clone();
        use_effect_with((), move |()| store.recall());
    }
    {
        let (log, at_end) = (log.clone(), at_end.clone());
        let last = props.entries.last().map(|e| e.id);
        let seen = use_mut_ref(|| None);
        use_effect_with(props.entries.clone(), move |_| {
            // What was typed is shown wherever one has scrolled to.
            let typed = seen.replace(last) != last;
            if let Some(log) = log.cast::<Element>().filter(|_| typed || *at_end.borrow()) {
                log.set_scroll_top(log.scroll_height());
            }
        });
    }
    let onscroll = Callback::from(move |e: Event| {
        if let Some(log) = e.target_dyn_into::<Element>() {
            *at_end.borrow_mut() = log.scroll_height() - log.scroll_top() - log.client_height() < 40;
        }
    });
    // What becomes of such a line is said where somebody meets the first one.
    let first = |how| props.entries.iter().find(|e| e.inside == Some(how)).map(|e| e.id);
    let (first_executed, first_attached) = (first(Entered::Exec), first(Entered::Attach));
    let first_astray = props.entries.iter().find(|e| e.astray).map(|e| e.id);
    let entry = |e: &Rc<Entry>| {
        let copy = {
            let (store, output) = (store.clone(), e.output.clone());
            move |_| store.copy(&output)
        };
        let label = t.with("terminal-copy", &[("line", e.line.clone().into())]);
        let go_on = {
            let store = store.clone();
            move |_| store.send(Input::Terminal(String::new()))
        };
        // A table is as wide as it is. Sentences are as wide as the pane.
        let has_sentences = e.said.is_some()
            || e.failed
            || e.refused
            || e.waits
            || e.edits
            || e.holds
            || [first_executed, first_attached, first_astray].contains(&Some(e.id));
        html! {
            <div class={classes!("entry", has_sentences.then_some("wraps"))} key={e.id}>
                if !e.line.is_empty() { <p class="typed"><span>if e.prompt.is_empty() { <i aria-hidden="true">{ "$ " }</i> } else { <i>{ &e.prompt }</i> }{ &e.line }</span>
                    if !e.output.is_empty() {
                        <button type="button" class="copy" title={label.clone()} aria-label={label} onclick={copy}>{ glyph::copy() }</button>
                    }</p> }
                if let Some(said) = &e.said { <p class={classes!("muted", e.line.is_empty().then_some("new-run"))}>{ t.said(said) }</p> }
                if !e.output.is_empty() { <pre class={classes!(e.failed.then_some("bad"))}>{ e.output.trim_end_matches('\n') }</pre> }
                if e.refused { <pre class="bad">{ format!("error: {}", t.get("still-loading")) }</pre> }
                if first_executed == Some(e.id) { <p class="muted exec-note">{ t.get("terminal-exec") }</p> }
                if first_attached == Some(e.id) { <p class="muted exec-note">{ t.get("terminal-attached") }</p> }
                if first_astray == Some(e.id) { <p class="muted exec-note">{ t.get("terminal-astray") }</p> }
                if e.waits { <p class="muted">{ t.get("terminal-waits") }</p> }
                if e.edits { <p class="muted">{ t.get("terminal-edits") }</p> }
                if e.holds {
                    <p class="muted">{ t.get("terminal-holds") }
                        <button type="button" class="quiet" onclick={go_on}>{ t.get("terminal-go-on") }</button></p>
                }
            </div>
        }
    };
    html! {
        <div class="terminal">
            <div class="log" ref={log} role="log" tabindex="0" aria-label={t.get("terminal-log")} {onscroll}>
                if props.entries.is_empty() { <p class="muted">{ t.get("terminal-hint") }</p> }
                { for props.entries.iter().map(entry) }
            </div>
            if let Some(shell) = props.shell.as_ref().filter(|shell| shell.attached) {
                <p class="muted" role="status">{ t.get(if shell.reads { "terminal-reads" } else { "terminal-busy" }) }</p>
            }
            <Line history={props.history.clone()} shell={props.shell.clone()} runs={props.entries.last().is_some_and(|e| e.waits)} />
        </div>
    }
}
