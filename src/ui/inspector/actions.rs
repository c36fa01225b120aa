//! What a person can do to the object.

use steady::engine::{Deed, Input, ObjectRef, ObjectView, Offer, PodFault};
use yew::prelude::*;

use crate::ui::hooks::{use_store, use_texts};
use crate::ui::menu::{Choice, Menu};
use crate::ui::{glyph, keys};

/// The object whose actions are offered.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The object.
    pub object: ObjectRef,
    /// What can be done to it.
    pub view: ObjectView,
}

/// The buttons.
#[component]
pub fn Actions(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let button = |offer: &Offer| {
        let title = match &offer.deed {
            Deed::Kubectl(line) => Some(format!("kubectl {line}")),
            Deed::Evict => Some(t.get("act-evict-about")),
            Deed::Fault(_) => None,
        };
        let input = match &offer.deed {
            Deed::Kubectl(line) => Input::Do(line.clone()),
            Deed::Evict => Input::Evict(props.object.clone()),
            Deed::Fault(fault) => Input::Break(fault.clone()),
        };
        let store = store.clone();
        html! {
            <button type="button" class={classes!("quiet", offer.bad.then_some("bad"))} {title}
                onclick={move |_| store.send(input.clone())}>{ t.get(&offer.key) }</button>
        }
    };
    let describe = {
        let (store, line) = (store.clone(), props.view.describe.clone());
        move |_| {
            store.send(Input::Outside(line.clone()));
            keys::click("#tab-kubectl");
        }
    };
    html! {
        <div class="actions" role="group" aria-label={t.get("actions")}>
            { for props.view.offers.iter().map(button) }
            <PodFaults object={props.object.clone()} view={props.view.clone()} />
            <button type="button" class="quiet" onclick={describe}>{ "describe" }</button>
        </div>
    }
}

/// What can go wrong with a pod: a container crashes with an exit code; a probe fails, an image is
/// gone.
#[component]
fn PodFaults(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let code = use_node_ref();
    let which = use_node_ref();
    let running = &props.view.running;
    let crash = {
        let (store, pod, code, which) = (store.clone(), props.object.clone(), code.clone(), which.clone());
        let only = running.first().map(ToString::to_string).unwrap_or_default();
        Callback::from(move |e: SubmitEvent| {
            e.prevent_default();
            let code =
                code.cast::<web_sys::HtmlInputElement>().and_then(|i| i.value().parse().ok()).unwrap_or(1);
            let chosen = which.cast::<web_sys::HtmlSelectElement>().map(|s| s.value());
            store.send(Input::Crash(pod.clone(), chosen.unwrap_or_else(|| only.clone()), code));
        })
    };
    let choices = {
        let (t, faults) = (t.clone(), props.view.faults.clone());
        Callback::from(move |open: Callback<Vec<Choice>>| {
            let choice = |f: &PodFault| {
                let probe = f.probe.map_or("", |p| p.as_str());
                let args = [("what", f.what.to_string().into()), ("probe", probe.into())];
                let about = t.get(&format!("{}-about", f.key));
                Choice { title: t.with(&f.key, &args), about, now: false, group: String::new() }
            };
            open.emit(faults.iter().map(choice).collect());
        })
    };
    let choose = {
        let faults = props.view.faults.clone();
        Callback::from(move |i: usize| {
            if let Some(f) = faults.get(i) {
                store.send(Input::Break(f.fault.clone()));
            }
        })
    };
    html! { <>
        if !running.is_empty() {
            <form class="crash" onsubmit={crash}>
                <button class="quiet bad">{ t.get("act-crash") }</button>
                if running.len() > 1 {
                    <select ref={which} aria-label={t.get("crash-container")}>
                        { for running.iter().enumerate().map(|(i, c)| html! {
                            <option value={c.to_string()} selected={i == 0}>{ c.to_string() }</option> }) }
                    </select>
                }
                <label>{ t.get("crash-code") }
                    <input type="number" min="0" max="255" value="1" required=true ref={code} /></label>
            </form>
        }
        if !props.view.faults.is_empty() {
            <Menu class="ills" name={t.get("act-break")} {choices} {choose}
                label={html! { <>{ glyph::icon(glyph::BOLT) }{ t.get("act-break") }</> }} />
        }
    </> }
}
