//! Into a step: the finest actions that it is made of.

use steady::cluster::{Action, Cluster, Transition};
use steady::session::MomentId;
use yew::prelude::*;

use crate::ui::hooks::{use_store, use_texts};
use crate::ui::who;

/// So many are listed.
const LISTED: usize = 200;

/// Which moment.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It.
    pub at: MomentId,
}

/// A button that steps into the moment that is looked at.
#[component]
pub fn StepIn(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let n = store.with(|s| s.session().actions_of(props.at).len());
    if n < 2 {
        return Html::default();
    }
    let (at, about) = (props.at, t.with("into-about", &[("n", (n as f64).into())]));
    html! {
        <button type="button" class="quiet step-in" title={about} aria-keyshortcuts="I"
            onclick={move |_| store.step_into(at, 1)}>{ t.get("into") }</button>
    }
}

/// The list, worked out when it is opened.
#[component]
pub fn Into(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let open = use_state(|| false);
    let n = store.with(|s| s.session().actions_of(props.at).len());
    let listed = {
        let store = store.clone();
        use_memo((props.at, *open), move |(at, open)| {
            if !*open {
                return Some(Vec::new());
            }
            store.with(|s| {
                let cluster = s.session().cluster();
                let all = s.session().finest(*at)?;
                Some(all.into_iter().take(LISTED).map(|t| (named(cluster, &t.action), t)).collect::<Vec<_>>())
            })
        })
    };
    if n < 2 {
        return Html::default();
    }
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |e: Event| {
            let is = e.target_dyn_into::<web_sys::Element>().is_some_and(|d| d.has_attribute("open"));
            open.set(is);
        })
    };
    let at = props.at;
    let row = |(i, (by, what)): (usize, &(String, Transition))| {
        let store = store.clone();
        html! {
            <li><button type="button" class={classes!("finest", who::class(by))} onclick={move |_| store.step_into(at, i + 1)}>
                <span class="rv">{ i + 1 }</span><i class="dot" aria-hidden="true"></i><b>{ by.clone() }</b><span>{ t.transition(what) }</span></button></li>
        }
    };
    html! {
        <details class="into" {ontoggle}>
            <summary>{ t.with("into-title", &[("n", (n as f64).into())]) }</summary>
            <p class="muted">{ t.get("into-how") }</p>
            if let Some(all) = &*listed { <ol>{ for all.iter().enumerate().map(row) }</ol> }
            else { <p class="empty">{ t.with("into-too-many", &[("n", (steady::session::FINEST_LIMIT as f64).into())]) }</p> }
            if n > LISTED { <p class="empty">{ t.with("next-more", &[("n", ((n - LISTED) as f64).into())]) }</p> }
        </details>
    }
}

/// Whose an action is: a component, or the process whose informer it is.
fn named(cluster: &Cluster, action: &Action) -> String {
    match action {
        Action::Notify { actor, .. }
        | Action::Start { actor }
        | Action::Send { actor }
        | Action::Record { actor }
        | Action::Informers { actor } => {
            cluster.actor_name(*actor).map_or_else(String::new, |n| n.to_string())
        }
        Action::List { process, .. } | Action::Watch { process, .. } | Action::Pop { process, .. } => {
            cluster.process(*process).map_or_else(String::new, |p| p.name.to_string())
        }
        Action::Advance => "machinery".to_owned(),
    }
}
