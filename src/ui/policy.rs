//! Who goes next where nobody is chosen: a menu beside the speed.

use std::collections::BTreeSet;

use steady::session::Policy;
use yew::prelude::*;

use super::glyph;
use super::i18n::Texts;
use super::menu::{Choice, Menu};
use super::store::Store;
use crate::ui::hooks::{use_store, use_texts};

/// What holds now.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The policy.
    pub policy: Policy,
}

/// What can be chosen now: of chance the seed that holds and the next one.
fn offered(store: &Store) -> Vec<Policy> {
    store.with(|s| {
        let now = s.session().policy().clone();
        let mut all = vec![Policy::Fair];
        match now {
            Policy::Random { seed } => {
                all.extend([Policy::Random { seed }, Policy::Random { seed: seed.wrapping_add(1) }]);
            }
            _ => all.push(Policy::Random { seed: 1 }),
        }
        all.push(Policy::Newest);
        let cluster = s.session().cluster();
        let names: BTreeSet<String> =
            cluster.actors().filter_map(|a| cluster.actor_name(a)).map(|n| n.to_string()).collect();
        all.extend(names.into_iter().map(|component| Policy::Starved { component }));
        all
    })
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
    let choices = {
        let (store, t) = (store.clone(), t.clone());
        Callback::from(move |()| {
            let now = store.with(|s| s.session().policy().clone());
            let choice = |p: &Policy| Choice { title: name_of(&t, p), about: about(&t, p), now: *p == now };
            offered(&store).iter().map(choice).collect()
        })
    };
    let choose = {
        let store = store.clone();
        Callback::from(move |i: usize| {
            if let Some(policy) = offered(&store).get(i) {
                store.set_policy(policy.clone());
            }
        })
    };
    let fair = props.policy == Policy::Fair;
    let label = html! { <>{ glyph::icon(glyph::POLICY) }
    if !fair { <b>{ name_of(&t, &props.policy) }</b> } </> };
    let name = t.with("policy", &[("now", name_of(&t, &props.policy).into())]);
    html! { <Menu class={classes!("policy", (!fair).then_some("set"))} {name} {label} {choices} {choose} /> }
}
