//! Who goes next where nobody is chosen: a menu beside the speed.

use std::rc::Rc;

use steady::engine::{Answer, Ask, Input, Policy};
use yew::prelude::*;

use super::glyph;
use super::i18n::Texts;
use super::menu::{Choice, Menu};
use crate::ui::hooks::{use_store, use_texts};

/// What holds now.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The policy.
    pub policy: Policy,
}

/// A policy's name.
pub fn name_of(t: &Texts, policy: &Policy) -> String {
    match policy {
        Policy::Fair => t.get("policy-fair"),
        Policy::Random { seed } => t.with("policy-random", &[("seed", seed.to_string().into())]),
        Policy::Newest => t.get("policy-newest"),
        Policy::Starved { component } => t.with("policy-starved", &[("who", component.clone().into())]),
    }
}

fn about(t: &Texts, policy: &Policy) -> String {
    t.get(match policy {
        Policy::Fair => "policy-fair-about",
        Policy::Random { .. } => "policy-random-about",
        Policy::Newest => "policy-newest-about",
        Policy::Starved { .. } => "policy-starved-about",
    })
}

/// The menu. Its button says which policy holds, unless it is the fair one.
#[component]
pub fn PolicyMenu(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    // As they were when the menu was opened.
    let offered = use_mut_ref(Vec::<Policy>::new);
    let choices = {
        let (store, t, offered) = (store.clone(), t.clone(), offered.clone());
        Callback::from(move |open: Callback<Vec<Choice>>| {
            let (store, t, offered) = (store.clone(), t.clone(), offered.clone());
            let told = {
                let store = store.clone();
                move |answer: Answer| {
                    let Answer::Policies(policies) = answer else { return };
                    let now = store.with(|s| s.policy.clone());
                    let mut said = false;
                    let choice = |(p, process): &(Policy, Option<Rc<str>>)| {
                        let starved = matches!(p, Policy::Starved { .. });
                        // What holds of all components is said once.
                        let about = if starved && said { String::new() } else { about(&t, p) };
                        said |= starved;
                        let group = match process {
                            Some(process) => process.to_string(),
                            None if starved => t.get("policy-acted"),
                            None => String::new(),
                        };
                        Choice { title: name_of(&t, p), about, now: *p == now, group }
                    };
                    let choices = policies.iter().map(choice).collect();
                    *offered.borrow_mut() = policies.into_iter().map(|(policy, _)| policy).collect();
                    open.emit(choices);
                }
            };
            store.ask(Ask::Policies, Callback::from(told));
        })
    };
    let choose = Callback::from(move |i: usize| {
        let chosen = offered.borrow().get(i).cloned();
        if let Some(policy) = chosen {
            store.send(Input::Policy(policy));
        }
    });
    let fair = props.policy == Policy::Fair;
    let label = html! { <>{ glyph::icon(glyph::POLICY) }
    if !fair { <b>{ name_of(&t, &props.policy) }</b> } </> };
    let name = t.with("policy", &[("now", name_of(&t, &props.policy).into())]);
    html! { <Menu class={classes!("policy", (!fair).then_some("set"))} {name} {label} {choices} {choose} find={t.get("policy-find")} /> }
}
