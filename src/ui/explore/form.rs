//! What to explore, and how far.

use steady::engine::Depth;
use steady::engine::explorer::{Symmetry, Unreadable};
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::model::{Choices, INVARIANTS};
use crate::ui::hooks::use_texts;
use crate::ui::i18n::Texts;

/// The bounds: the text's key, and the least and most that can be chosen.
const BOUNDS: [(&str, usize, usize); 3] =
    [("explore-states", 1, 1_000_000), ("explore-steps", 1, 100_000), ("explore-memory", 64, 3_000)];
const DEPTHS: [(Depth, &str); 3] = [
    (Depth::Command, "depth-command"),
    (Depth::Reconcile, "depth-reconcile"),
    (Depth::Machinery, "depth-machinery"),
];

/// What the form needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is chosen.
    pub choices: Choices,
    /// The page's depth.
    pub depth: Depth,
    /// Whether something is under way.
    pub busy: bool,
    /// Whether the run goes to another moment, so that nothing can be started yet.
    pub waits: bool,
    /// What is wrong with a person's own invariant.
    pub unreadable: Option<Unreadable>,
    /// Chooses.
    pub choose: Callback<Choices>,
    /// Starts.
    pub start: Callback<Choices>,
    /// Stops.
    pub stop: Callback<()>,
}

/// The form.
#[component]
pub fn Form(props: &Props) -> Html {
    let t = use_texts();
    let c = &props.choices;
    let change = |change: fn(&mut Choices, String)| {
        let (choices, choose) = (c.clone(), props.choose.clone());
        move |value: String| {
            let mut next = choices.clone();
            change(&mut next, value);
            choose.emit(next);
        }
    };
    let depth = selected(change(|c, value| {
        c.depth = value.parse().ok().and_then(|i: usize| DEPTHS.get(i)).map(|(d, _)| *d);
    }));
    let symmetry = selected(change(|c, value| {
        c.symmetry = if value == "1" { Symmetry::Distinct } else { Symmetry::Merged };
    }));
    let own = {
        let set = change(|c, value| c.own.text = value);
        Callback::from(move |e: InputEvent| {
            set(e.target_unchecked_into::<HtmlTextAreaElement>().value());
        })
    };
    let steady = {
        let (choices, choose) = (c.clone(), props.choose.clone());
        Callback::from(move |_: MouseEvent| {
            let mut next = choices.clone();
            next.own.steady = !next.own.steady;
            choose.emit(next);
        })
    };
    let submit = {
        let (choices, start, stop, busy) = (c.clone(), props.start.clone(), props.stop.clone(), props.busy);
        Callback::from(move |e: SubmitEvent| {
            e.prevent_default();
            if busy { stop.emit(()) } else { start.emit(choices.clone()) }
        })
    };
    let chosen = c.depth.unwrap_or(props.depth);
    let wrong = props.unreadable.is_some();
    html! {
        <form class="board-form" onsubmit={submit}>
            <div class="board-row">
                <label><span>{ t.get("depth") }</span>
                    <select onchange={depth}>{ for DEPTHS.iter().enumerate().map(|(i, (d, key))| html! {
                        <option value={i.to_string()} selected={*d == chosen}>{ t.get(key) }</option> }) }</select></label>
                <label><span>{ t.get("explore-symmetry") }</span>
                    <select onchange={symmetry}>
                        <option value="0" selected={c.symmetry == Symmetry::Merged}>{ t.get("explore-merged") }</option>
                        <option value="1" selected={c.symmetry == Symmetry::Distinct}>{ t.get("explore-distinct") }</option>
                    </select></label>
            </div>
            <div class="board-row">{ for (0..3).map(|i| bound(props, &t, i)) }</div>
            <fieldset>
                <legend>{ t.get("explore-invariants") }</legend>
                { for (0..INVARIANTS.len()).map(|i| invariant(props, &t, i)) }
            </fieldset>
            <label class="explore-own"><span>{ t.get("explore-own") }</span>
                <textarea rows="3" spellcheck="false" autocapitalize="off" autocomplete="off"
                    placeholder="objects.filter(o, o.kind == 'Pod').size() <= 5" oninput={own}
                    aria-invalid={wrong.to_string()} aria-describedby="explore-own-said" value={c.own.text.clone()} /></label>
            <p id="explore-own-said" class={classes!("board-hint", wrong.then_some("bad"))} role="status">
                { said(props.unreadable.as_ref(), &t) }</p>
            <label class="board-check"><input type="checkbox" checked={c.own.steady} onclick={steady} />
                <span>{ t.get("explore-own-steady") }</span></label>
            <div class="board-foot"><button type="submit" disabled={props.waits && !props.busy} class={if props.busy { "quiet bad board-go" } else { "solid board-go" }}>
                { if props.busy { t.get("stop") } else { t.get("explore-start") } }</button></div>
        </form>
    }
}

fn selected(set: impl Fn(String) + 'static) -> Callback<Event> {
    Callback::from(move |e: Event| set(e.target_unchecked_into::<HtmlSelectElement>().value()))
}

fn bound(props: &Props, t: &Texts, i: usize) -> Html {
    let Some((key, min, max)) = BOUNDS.get(i) else { return Html::default() };
    let (choices, choose) = (props.choices.clone(), props.choose.clone());
    let onchange = Callback::from(move |e: Event| {
        let value = e.target_unchecked_into::<HtmlInputElement>().value_as_number();
        let mut next = choices.clone();
        if let (Some(bound), true) = (next.bounds.get_mut(i), value.is_finite()) {
            *bound = (value as usize).clamp(*min, *max);
        }
        choose.emit(next);
    });
    let value = props.choices.bounds.get(i).copied().unwrap_or(*min).to_string();
    html! {
        <label><span>{ t.get(key) }</span>
            <input type="number" min={min.to_string()} max={max.to_string()} {value} {onchange} /></label>
    }
}

fn invariant(props: &Props, t: &Texts, i: usize) -> Html {
    let Some(name) = INVARIANTS.get(i) else { return Html::default() };
    let (choices, choose) = (props.choices.clone(), props.choose.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        let mut next = choices.clone();
        if let Some(on) = next.invariants.get_mut(i) {
            *on = !*on;
        }
        choose.emit(next);
    });
    let on = props.choices.invariants.get(i).copied().unwrap_or(false);
    html! {
        <label class="board-check"><input type="checkbox" checked={on} {onclick} />
            <span>{ t.get(&format!("explore-holds-{name}")) }</span></label>
    }
}

/// What is wrong with what was typed; else what can be.
fn said(unreadable: Option<&Unreadable>, t: &Texts) -> String {
    match unreadable {
        None => t.get("explore-own-hint"),
        Some(u) if u.line == 0 => t.with("explore-own-wrong", &[("why", u.why.clone().into())]),
        Some(u) => {
            let args = [
                ("line", (u.line as f64).into()),
                ("column", (u.column as f64).into()),
                ("why", u.why.clone().into()),
            ];
            t.with("explore-own-wrong-at", &args)
        }
    }
}
