//! What followed from what a person did last, when nothing is left to do: who issued how many writes, and in a dialog which of
//! them led to which.

use steady::engine::{Answer, Ask, ConsequenceView, Input, SummaryView, Word};
use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::i18n::Texts;
use super::{glyph, who};
use crate::ui::hooks::{use_answer, use_store, use_texts};

/// What the summary is of.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every step.
    pub version: u64,
}

/// The summary: a line, and the button that opens the dialog.
#[component]
pub fn Summary(props: &Props) -> Html {
    let t = use_texts();
    let open = use_state(|| false);
    let answer = use_answer(Some(Ask::Summary), props.version);
    let Some(Answer::Summary(summary)) = answer.as_deref() else { return Html::default() };
    if summary.too_long {
        return html! { <p class="empty">{ t.get("summary-too-long") }</p> };
    }
    let writes: usize = summary.counts.iter().map(|(_, n)| n).sum();
    if summary.deed.is_none() || writes == 0 {
        return Html::default();
    }
    let count = |(by, n): &(Word, usize)| {
        html! { <li class={who::class(by)}><i class="dot" aria-hidden="true"></i>{ by.as_str() }{ " " }<b>{ *n }</b></li> }
    };
    let show = {
        let open = open.clone();
        move |_| open.set(true)
    };
    let close = {
        let open = open.clone();
        Callback::from(move |()| open.set(false))
    };
    html! {
        <section class="summary" aria-label={t.get("summary")}>
            <p>{ t.with("summary-writes", &[("n", (writes as f64).into())]) }{ " " }
                <button type="button" class="quiet" aria-haspopup="dialog" onclick={show}>{ t.get("summary-more") }</button></p>
            <ul class="counts">{ for summary.counts.iter().map(count) }</ul>
            if *open { <Outline summary={(**summary).clone()} {close} /> }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct OutlineProps {
    summary: SummaryView,
    close: Callback<()>,
}

/// What led to what, as a list whose lines are indented below what they followed from.
#[component]
fn Outline(props: &OutlineProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(d) = dialog.cast::<HtmlDialogElement>().filter(|d| !d.open()) {
                let _ = d.show_modal();
            }
        });
    }
    let onclose = props.close.reform(|_: Event| ());
    let shut = {
        let dialog = dialog.clone();
        move |_| {
            if let Some(d) = dialog.cast::<HtmlDialogElement>() {
                d.close();
            }
        }
    };
    let outside = {
        let close = props.close.clone();
        Callback::from(move |e: MouseEvent| {
            if e.target() == e.current_target() {
                close.emit(());
            }
        })
    };
    let of_lines = dialog.clone();
    let line = |c: &ConsequenceView| {
        let (store, dialog, moment) = (store.clone(), of_lines.clone(), c.moment);
        let go = move |_| {
            if let Some(d) = dialog.cast::<HtmlDialogElement>() {
                d.close();
            }
            store.send(Input::Goto(moment));
        };
        html! {
            <li class={LEVELS.get(c.depth).copied()}>
                <button type="button" class={classes!("led", who::class(&c.by))} onclick={go}>
                    <i class="dot" aria-hidden="true"></i><span>{ said(&t, c) }
                    if let Some(why) = &c.why { { " " }<span class="because">{ because(&t, c) }{ t.gap(&t.why(why)) }{ t.why(why) }</span> }
                    if c.waited { { " " }<em>{ t.get("why-waited") }</em> }</span>
                </button>
            </li>
        }
    };
    html! {
        <dialog class="keys led-to" ref={dialog} aria-labelledby="led-to-title" {onclose} onclick={outside}>
            <div class="sheet">
                <header><h2 id="led-to-title">{ t.get("summary-more") }</h2>
                    <button type="button" class="tool" aria-label={t.get("close")} onclick={shut}>{ glyph::icon(glyph::CLOSE) }</button></header>
                <ol>{ for props.summary.outline.iter().map(line) }</ol>
                if props.summary.more > 0 {
                    <p>{ t.with("summary-left-out", &[("n", (props.summary.more as f64).into())]) }</p>
                }
            </div>
        </dialog>
    }
}

/// How far a line stands from what the person did; without inline styles that takes a class each.
const LEVELS: [&str; 12] = ["i0", "i2", "i4", "i6", "i8", "i10", "i12", "i14", "i16", "i18", "i20", "i22"];

/// What stands before the reason: of writes whose reasons differ it says which one has it.
fn because(t: &Texts, c: &ConsequenceView) -> String {
    match &c.why_of {
        None => t.get("because"),
        Some(_) if c.objects == 1 => t.get("because-first"),
        Some(of) => t.with("because-of-one", &[("name", of.key.name.to_string().into())]),
    }
}

/// Who wrote what, and how often.
fn said(t: &Texts, c: &ConsequenceView) -> String {
    let by = if c.by == "you" { t.get("you") } else { c.by.to_string() };
    let (verb, part) = c.verb.split_once('/').unwrap_or((&c.verb, ""));
    let verb = if part == "binding" { "BIND".to_owned() } else { verb.to_ascii_uppercase() };
    let part = if part.is_empty() || part == "binding" { String::new() } else { format!("/{part}") };
    let what = match &c.object {
        Some(one) if c.objects == 1 => format!("{} {}{part}", c.kind.as_str(), one.key.name),
        _ => format!("{}× {}{part}", c.objects, c.kind.as_str()),
    };
    let more = c.writes > c.objects;
    let times =
        if more { t.with("summary-times", &[("n", (c.writes as f64).into())]) } else { String::new() };
    format!("{by} {verb} {what}{times}")
}
