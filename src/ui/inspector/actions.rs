//! What a person can do to the object: faults and changes, as command lines where kubectl has one.

use steady::api::{Kind, ObjectRef};
use steady::session::view::graph::Card;
use yew::prelude::*;

use crate::ui::hooks::{use_store, use_texts};
use crate::ui::keys;

/// Of which object.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It.
    pub object: ObjectRef,
}

/// The buttons.
#[component]
pub fn Actions(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let o = &props.object;
    let name = &o.key.name;
    let on = if o.key.namespace.is_empty() || &*o.key.namespace == "default" {
        String::new()
    } else {
        format!(" -n {}", o.key.namespace)
    };
    let resource = o.kind.singular();
    let mut lines: Vec<(&str, String)> = Vec::new();
    let want = store.with(|s| {
        s.graph().find(o).and_then(|i| s.graph().node(i).map(|n| n.card.clone())).and_then(|c| match c {
            Card::Workload { want, paused, .. } => Some((want, paused)),
            _ => None,
        })
    });
    if let Some((want, paused)) = want.filter(|_| matches!(o.kind, Kind::Deployment | Kind::ReplicaSet)) {
        lines.push(("act-more", format!("scale {resource} {name} --replicas={}{on}", want + 1)));
        if want > 0 {
            lines.push(("act-fewer", format!("scale {resource} {name} --replicas={}{on}", want - 1)));
        }
        if o.kind == Kind::Deployment {
            lines.push(("act-restart", format!("rollout restart deployment {name}{on}")));
            let verb = if paused { "resume" } else { "pause" };
            lines.push((
                if paused { "act-resume" } else { "act-pause" },
                format!("rollout {verb} deployment {name}{on}"),
            ));
            lines.push(("act-undo", format!("rollout undo deployment {name}{on}")));
        }
    }
    if o.kind == Kind::Node {
        let open = store.with(|s| {
            let node = s.graph().find(o).and_then(|i| s.graph().node(i).map(|n| n.card.clone()));
            matches!(node, Some(Card::Node { schedulable: true, .. }))
        });
        if open {
            lines.push(("act-cordon", format!("cordon {name}")));
        } else {
            lines.push(("act-uncordon", format!("uncordon {name}")));
        }
        lines.push(("act-drain", format!("drain {name} --ignore-daemonsets --force")));
    } else {
        lines.push(("act-delete", format!("delete {resource} {name}{on} --wait=false")));
    }
    let button = |(key, line): (&str, String)| {
        let store = store.clone();
        let title = format!("kubectl {line}");
        html! {
            <button type="button" class={classes!("quiet", (key == "act-delete").then_some("bad"))} {title}
                onclick={move |_| store.kubectl_said(&line)}>{ t.get(key) }</button>
        }
    };
    let faults = store.faults(o).into_iter().map(|(key, op)| {
        let store = store.clone();
        html! { <button type="button" class={classes!("quiet", (!matches!(key, "act-node-up" | "act-probe-passes" | "act-image-back")).then_some("bad"))} onclick={move |_| store.break_it(&op)}>{ t.get(key) }</button> }
    });
    html! {
        <div class="actions" role="group" aria-label={t.get("actions")}>
            { for lines.into_iter().map(button) }
            { for faults }
            <button type="button" class="quiet" onclick={let name = format!("describe {resource} {name}{on}"); let store = store.clone(); move |_| {
                store.kubectl(&name);
                keys::click("#tab-kubectl");
            }}>{ "describe" }</button>
        </div>
    }
}
