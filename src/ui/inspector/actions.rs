//! What a person can do to the object: faults and changes, as command lines where kubectl has one.

use steady::api::{Kind, ObjectRef};
use steady::session::view::graph::Card;
use steady::session::view::{PodFault, running_containers};
use yew::prelude::*;

use crate::ui::hooks::{use_store, use_texts};
use crate::ui::menu::{Choice, Menu};
use crate::ui::{glyph, keys};

/// Of which object.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It.
    pub object: ObjectRef,
    /// Grows with every step.
    pub version: u64,
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
    if let Some((want, paused)) = want.filter(|_| [Kind::DEPLOYMENT, Kind::REPLICA_SET].contains(&o.kind)) {
        lines.push(("act-more", format!("scale {resource} {name} --replicas={}{on}", want + 1)));
        if want > 0 {
            lines.push(("act-fewer", format!("scale {resource} {name} --replicas={}{on}", want - 1)));
        }
        if o.kind == Kind::DEPLOYMENT {
            lines.push(("act-restart", format!("rollout restart deployment {name}{on}")));
            let verb = if paused { "resume" } else { "pause" };
            lines.push((
                if paused { "act-resume" } else { "act-pause" },
                format!("rollout {verb} deployment {name}{on}"),
            ));
            lines.push(("act-undo", format!("rollout undo deployment {name}{on}")));
        }
    }
    if o.kind == Kind::NODE {
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
    let evict = (o.kind == Kind::POD).then(|| {
        let (store, pod) = (store.clone(), o.clone());
        html! {
            <button type="button" class="quiet bad" title={t.get("act-evict-about")}
                onclick={move |_| store.evict(&pod)}>{ t.get("act-evict") }</button>
        }
    });
    let faults = store.node_faults(o).into_iter().map(|(key, fault)| {
        let store = store.clone();
        let class = classes!("quiet", (key != "act-node-up").then_some("bad"));
        html! { <button type="button" {class} onclick={move |_| store.break_it(&fault)}>{ t.get(key) }</button> }
    });
    let describe = {
        let (store, line) = (store.clone(), format!("describe {resource} {name}{on}"));
        move |_| {
            store.kubectl(&line);
            keys::click("#tab-kubectl");
        }
    };
    html! {
        <div class="actions" role="group" aria-label={t.get("actions")}>
            { for lines.into_iter().map(button) }
            { for evict }
            { for faults }
            if o.kind == Kind::POD { <PodFaults object={o.clone()} version={props.version} /> }
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
    let pod = props.object.clone();
    let running = store.with(|s| running_containers(s.session(), &pod));
    let crash = {
        let (store, pod, code, which) = (store.clone(), pod.clone(), code.clone(), which.clone());
        let only = running.first().cloned().unwrap_or_else(|| "".into());
        Callback::from(move |e: SubmitEvent| {
            e.prevent_default();
            let code =
                code.cast::<web_sys::HtmlInputElement>().and_then(|i| i.value().parse().ok()).unwrap_or(1);
            let chosen = which.cast::<web_sys::HtmlSelectElement>().map(|s| s.value());
            store.crash(&pod, chosen.as_deref().unwrap_or(&only), code);
        })
    };
    let choices = {
        let (store, t, pod) = (store.clone(), t.clone(), pod.clone());
        Callback::from(move |()| {
            let choice = |f: PodFault| {
                let probe = f.probe.map_or("", |p| p.as_str());
                let args = [("what", f.what.to_string().into()), ("probe", probe.into())];
                let about = t.get(&format!("{}-about", f.key));
                Choice { title: t.with(f.key, &args), about, now: false }
            };
            store.pod_faults(&pod).into_iter().map(choice).collect()
        })
    };
    let choose = {
        let (store, pod) = (store.clone(), pod.clone());
        Callback::from(move |i: usize| {
            if let Some(f) = store.pod_faults(&pod).get(i) {
                store.break_it(&f.fault);
            }
        })
    };
    let placed = !store.pod_faults(&pod).is_empty();
    html! { <>
        if !running.is_empty() {
            <form class="crash" onsubmit={crash}>
                <button class="quiet bad">{ t.get("act-crash") }</button>
                if running.len() > 1 {
                    <select ref={which} aria-label={t.get("crash-container")}>
                        { for running.iter().map(|c| html! { <option value={c.to_string()}>{ c.to_string() }</option> }) }
                    </select>
                }
                <label>{ t.get("crash-code") }
                    <input type="number" min="0" max="255" value="1" required=true ref={code} /></label>
            </form>
        }
        if placed {
            <Menu class="ills" name={t.get("act-break")} {choices} {choose}
                label={html! { <>{ glyph::icon(glyph::BOLT) }{ t.get("act-break") }</> }} />
        }
    </> }
}
