//! What is said for a while: messages, and how far a long task is.

use steady::engine::{Input, Mode};
use yew::prelude::*;

use super::glyph;
use super::i18n::Texts;
use super::store::{Store, Toast};
use crate::ui::hooks::{use_store, use_texts};

/// A message, until it is closed or its time is over.
pub fn message(store: &Store, t: &Texts, toast: Option<&Toast>) -> Html {
    let Some(toast) = toast else { return Html::default() };
    html! {
        <div class={classes!("toast", toast.bad.then_some("bad"))} role={if toast.bad { "alert" } else { "status" }}>
            <div class="told"><span>{ &toast.text }</span>
            if !toast.whole.is_empty() {
                <details key={toast.whole.clone()}><summary>{ t.get("whole") }</summary><pre tabindex="0">{ &toast.whole }</pre></details>
            }</div>
            if let Some(act) = &toast.act {
                <button type="button" class="quiet" onclick={let (s, act) = (store.clone(), act.clone()); move |_| s.answer(act.clone())}>{ t.get(act.key()) }</button>
            }
            <button class="tool" aria-label={t.get("close")}
                onclick={let s = store.clone(); move |_| s.hush()}>{ glyph::icon(glyph::CLOSE) }</button>
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct ProgressProps {
    /// Which task is under way.
    pub mode: Mode,
    /// Whether it has taken long.
    pub slow: bool,
}

/// How far a long run is, and a way to stop it.
#[component]
pub fn Progress(props: &ProgressProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let (text, value) = match props.mode {
        Mode::ToSteady { done } | Mode::ToMoment { done } if props.slow => {
            (t.with("running", &[("n", (done as f64).into())]), None)
        }
        Mode::Stepping if props.slow => (t.get("stepping"), None),
        Mode::Loading { done, of: None } if props.slow => {
            (t.with("setting-up", &[("n", (done as f64).into())]), None)
        }
        Mode::Loading { done, of: Some(of) } if props.slow => {
            let args = [("done", (done as f64).into()), ("of", (of as f64).into())];
            (t.with("restoring", &args), Some((done, of)))
        }
        _ => return Html::default(),
    };
    html! {
        <div class="progress" role="status">
            if let Some((done, of)) = value { <progress value={done.to_string()} max={of.to_string()} aria-label={text.clone()} /> }
            else { <progress aria-label={text.clone()} /> }
            <span>{ text }</span>
            <button type="button" class="quiet" onclick={move |_| store.send(Input::Stop)}>{ t.get("stop") }</button>
        </div>
    }
}
