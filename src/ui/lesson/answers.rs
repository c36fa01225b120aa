//! The ways to make a prediction, and the prediction beside what happened.

use steady::engine::{AnswerForm, Input, ObjectRef, PredictView, PredictedView, Prediction, Text};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::markdown::markdown;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::store::Store;

/// What is predicted, and how.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The question.
    pub predict: PredictView,
    /// The object that is selected in the graph.
    pub selection: Option<ObjectRef>,
}

/// The question with the way to answer it; once it was answered, with what happened.
#[component]
pub fn Prophecy(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let p = &props.predict;
    html! {
        <div class="lesson-ask" role="group" aria-label={t.of(&p.ask)}>
            <div class="lesson-question">{ markdown(&t, &t.of(&p.ask)) }</div>
            { match (&p.predicted, &p.by) {
                (Some(predicted), _) => outcome(&t, predicted),
                (None, AnswerForm::Choice(all)) => choice(&store, &t, all),
                (None, AnswerForm::Order(all)) => html! { <Order all={all.clone()} /> },
                (None, AnswerForm::Number(from, to)) => html! { <Number from={*from} to={*to} /> },
                (None, AnswerForm::Object(kind)) => object(&store, &t, kind, props.selection.as_ref()),
            } }
        </div>
    }
}

fn choice(store: &Store, t: &Texts, all: &[Text]) -> Html {
    let button = |(n, label): (usize, &Text)| {
        let store = store.clone();
        let onclick = move |_| store.send(Input::Predict(Prediction::Choice(n)));
        html! { <button type="button" class="quiet" {onclick}>{ t.of(label) }</button> }
    };
    html! { <div class="lesson-choices">{ for all.iter().enumerate().map(button) }</div> }
}

fn object(store: &Store, t: &Texts, kind: &str, selection: Option<&ObjectRef>) -> Html {
    let found = selection.filter(|s| s.kind.as_str() == kind);
    let kind: String = kind.to_owned();
    let Some(found) = found else {
        return html! { <p class="muted" role="status">{ t.with("lesson-point", &[("kind", kind.into())]) }</p> };
    };
    let name = found.key.name.to_string();
    let label = t.with("lesson-this-one", &[("kind", kind.into()), ("name", name.as_str().into())]);
    let store = store.clone();
    let onclick = move |_| store.send(Input::Predict(Prediction::Object(name.clone())));
    html! { <div class="lesson-choices"><button type="button" class="solid" {onclick}>{ label }</button></div> }
}

#[derive(Properties, PartialEq)]
struct OrderProps {
    all: Vec<Text>,
}

/// Things to press in their order. Pressing one that has its place takes it and those after it back.
#[component]
fn Order(props: &OrderProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let chosen = use_state(Vec::<usize>::new);
    let n = props.all.len();
    let button = |(i, label): (usize, &Text)| {
        let place = chosen.iter().position(|c| *c == i);
        let chosen = chosen.clone();
        let onclick = move |_: MouseEvent| {
            let mut now = (*chosen).clone();
            match place {
                Some(place) => now.truncate(place),
                None => now.push(i),
            }
            // The last one has no choice.
            if now.len() + 1 == n {
                now.extend((0..n).find(|c| !now.contains(c)));
            }
            chosen.set(now);
        };
        html! {
            <button type="button" class="quiet" aria-pressed={place.is_some().to_string()} {onclick}>
                if let Some(place) = place { <b class="lesson-rank">{ place + 1 }</b> }
                { t.of(label) }</button>
        }
    };
    let done = chosen.len() == n;
    let send = {
        let (store, chosen) = (store.clone(), chosen.clone());
        move |_| store.send(Input::Predict(Prediction::Order((*chosen).clone())))
    };
    html! {
        <>
            <p class="muted">{ t.get("lesson-order") }</p>
            <div class="lesson-choices">{ for props.all.iter().enumerate().map(button) }</div>
            <div class="lesson-choices"><button type="button" class="solid" disabled={!done} onclick={send}>{ t.get("lesson-predict") }</button></div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct NumberProps {
    from: u32,
    to: u32,
}

/// A number to type.
#[component]
fn Number(props: &NumberProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let typed = use_state(String::new);
    let (from, to) = (props.from, props.to);
    let number = typed.trim().parse::<u32>().ok().filter(|n| (from..=to).contains(n));
    let send = {
        let store = store.clone();
        move || {
            if let Some(n) = number {
                store.send(Input::Predict(Prediction::Number(n)));
            }
        }
    };
    let (onclick, entered) = (send.clone(), send);
    let onkeydown = move |e: KeyboardEvent| {
        if e.key() == "Enter" {
            e.prevent_default();
            entered();
        }
    };
    let oninput = {
        let typed = typed.clone();
        move |e: InputEvent| {
            if let Some(field) = e.target_dyn_into::<HtmlInputElement>() {
                typed.set(field.value());
            }
        }
    };
    let wrong = number.is_none() && !typed.trim().is_empty();
    let range = t.with("lesson-number", &[("from", f64::from(from).into()), ("to", f64::from(to).into())]);
    html! {
        <div class="lesson-choices">
            <label>{ range }{ " " }
                <input type="number" inputmode="numeric" min={from.to_string()} max={to.to_string()} value={(*typed).clone()} aria-invalid={wrong.then_some("true")} {oninput} {onkeydown} /></label>
            <button type="button" class="solid" disabled={number.is_none()} onclick={move |_: MouseEvent| onclick()}>{ t.get("lesson-predict") }</button>
            <span class="lesson-range" role="status">if wrong { { t.with("lesson-number-wrong", &[("from", f64::from(from).into()), ("to", f64::from(to).into())]) } }</span>
        </div>
    }
}

/// What was predicted, what happened, and why.
fn outcome(t: &Texts, p: &PredictedView) -> Html {
    let words =
        |all: &[Text]| all.iter().map(|one| t.of(one)).collect::<Vec<_>>().join(&t.get("lesson-then"));
    html! {
        <div class={classes!("lesson-outcome", p.right.then_some("right"))} role="status" tabindex="-1">
            if p.right {
                <p><b>{ t.with("lesson-as-said", &[("what", words(&p.really).into())]) }</b></p>
            } else {
                <dl>
                    <dt>{ t.get("lesson-said") }</dt><dd>{ words(&p.said) }</dd>
                    <dt>{ t.get("lesson-really") }</dt><dd><b>{ words(&p.really) }</b></dd>
                </dl>
                if let Some(but) = &p.but { { markdown(t, &t.of(but)) } }
            }
            { markdown(t, &t.of(&p.because)) }
        </div>
    }
}
