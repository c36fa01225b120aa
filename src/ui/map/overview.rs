//! etcd, and how every component stands.

use std::collections::BTreeSet;
use std::rc::Rc;

use steady::engine::machinery::{LogLine, Row, State};
use steady::engine::{Actor, Input, MapState, Member, Role};
use yew::prelude::*;

use super::held::Held;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::{Texts, middle};
use crate::ui::{keys, who};

/// More kubelets than this are a grid.
const TILES: usize = 8;

/// What of etcd is shown.
#[derive(Properties, PartialEq)]
pub struct EtcdProps {
    /// Its revision.
    pub revision: u64,
    /// How many keys it has.
    pub keys: usize,
    /// Its members, where there are several, and the term of their leader.
    pub members: Held<(Vec<Member>, u64)>,
    /// Its last writes.
    pub log: Held<Vec<LogLine>>,
    /// Whether the step touched it.
    pub class: Classes,
}

/// etcd.
#[component]
pub fn EtcdView(props: &EtcdProps) -> Html {
    let t = use_texts();
    let line = |l: &LogLine| {
        let verb = match (l.deleted, l.existed) {
            (true, _) => "delete",
            (_, true) => "put",
            (_, false) => "create",
        };
        html! {
            <li key={l.revision} class="log-line" title={l.object.to_string()}>
                <span class="rv">{ l.revision }</span><span class="op">{ verb }</span>
                <span class="kind">{ l.object.kind.as_str() }</span><code>{ middle(&l.object.key.name, 24) }</code>
            </li>
        }
    };
    let (list, term) = &*props.members.0;
    let member = |m: &Member| {
        let (class, key) = match m.role {
            Role::Leader => ("leads", "map-member-leader"),
            Role::Follower => ("", "map-member-follower"),
            Role::Leaderless => ("wait", "map-member-leaderless"),
            Role::Lost => ("lost", "map-member-lost"),
        };
        let words = format!("{}: {}, index {}", m.name, t.get(key), m.log.index);
        html! { <li class={class} title={words.clone()}><span class="sr">{ words }</span><span aria-hidden="true">{ &m.name }</span></li> }
    };
    let members = (!list.is_empty()).then(|| {
        html! { <ul class="members" aria-label={t.with("map-members", &[("term", (*term as f64).into())])}>{ for list.iter().map(member) }</ul> }
    });
    html! {
        <article class={classes!("part", "etcd", props.class.clone())} data-stop="etcd" aria-label="etcd">
            <h3>{ "etcd" }<span class="rv">{ format!("revision {}", props.revision) }</span>
                <span class="sub">{ t.with("map-keys", &[("n", (props.keys as f64).into())]) }</span></h3>
            { members }
            <ol class="log" aria-label={t.get("map-log")}>{ for props.log.0.iter().map(line) }</ol>
        </article>
    }
}

/// Which components.
#[derive(Properties, PartialEq)]
pub struct RowsProps {
    /// How they stand.
    pub rows: Held<Vec<Row>>,
    /// Those that the step reached.
    pub acted: Vec<Actor>,
    /// What is chosen.
    pub map: MapState,
}

fn state_class(state: State) -> &'static str {
    match state {
        State::Down => "down",
        State::Off => "off",
        State::Standby => "standby",
        State::Failing => "failing",
        State::Working => "working",
        State::Queued => "queued",
        State::Behind => "behind",
        State::Waiting => "waiting",
        State::Idle => "idle",
    }
}

/// How a component stands, in words.
fn said(t: &Texts, r: &Row) -> String {
    let n = |n: usize| [("n", (n as f64).into())];
    let mut out = vec![t.get(&format!("state-{}", state_class(r.state)))];
    for (count, key) in [
        (r.behind, "map-behind"),
        (r.queued, "map-queued"),
        (r.delayed, "map-delayed-n"),
        (r.failing, "map-failing-n"),
    ] {
        if count > 0 {
            out.push(t.with(key, &n(count)));
        }
    }
    out.join(", ")
}

/// A component's name as short as it can be told.
pub fn short(name: &str) -> &str {
    name.strip_suffix("-controller").unwrap_or(name)
}

/// A shape for a state: it is told without colour, too.
fn mark(state: State) -> Html {
    let inner = match state {
        State::Idle => html! { <circle r="2" class="dot-rest" /> },
        State::Behind => html! { <path d="M-3.6-1.6 0 2 3.6-1.6" class="line" /> },
        State::Queued => html! { <path d="M-3.6-2.6H3.6M-3.6 0H3.6M-3.6 2.6H3.6" class="line" /> },
        State::Working => html! { <path d="M-2.4-4 4 0-2.4 4Z" class="fill" /> },
        State::Waiting => html! { <><circle r="4" class="line" /><path d="M0-2V0H1.8" class="line" /></> },
        State::Failing => html! { <path d="M0-4.6 4.6 3.6H-4.6Z" class="fill" /> },
        State::Standby => html! { <circle r="4" class="line dash" /> },
        State::Down => html! { <path d="M-3.2-3.2 3.2 3.2M3.2-3.2-3.2 3.2" class="line" /> },
        State::Off => html! { <path d="M-4 0H4" class="line" /> },
    };
    html! { <svg class={classes!("state", state_class(state))} viewBox="-6 -6 12 12" width="12" height="12" aria-hidden="true">{ inner }</svg> }
}

/// More components than this of a process that have nothing to do are folded.
const AT_REST: usize = 8;

/// The component tiles of the processes that run on no node.
#[component]
pub fn Components(props: &RowsProps) -> Html {
    let t = use_texts();
    let unfolded = use_state(|| false);
    let looked_for = use_state(String::new);
    // Who had something to do while the map was looked at stays in its place.
    let active = use_mut_ref(BTreeSet::<(u32, u16)>::new);
    let key = |r: &Row| (r.actor.process, r.actor.component);
    for r in props.rows.0.iter() {
        let rests = matches!(r.state, State::Idle | State::Standby | State::Down);
        if !rests || props.map.machine == r.actor || props.acted.contains(&r.actor) {
            active.borrow_mut().insert(key(r));
        }
    }
    let mut groups: Vec<(Rc<str>, Vec<&Row>)> = Vec::new();
    for r in props.rows.0.iter() {
        match groups.last_mut() {
            Some((_, rows)) if rows.last().is_some_and(|l| l.actor.process == r.actor.process) => {
                rows.push(r)
            }
            _ => groups.push((r.process.clone(), vec![r])),
        }
    }
    // Processes of many components first; the others share a heading.
    let (several, single): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, rows)| rows.len() > 1);
    let single: Vec<&Row> = single.into_iter().flat_map(|(_, rows)| rows).collect();
    let tiles = |rows: &[&Row]| {
        let at_rest = rows.iter().filter(|r| !active.borrow().contains(&key(r))).count();
        let folds = at_rest > AT_REST;
        let seen = |r: &&&Row| match looked_for.trim() {
            "" => *unfolded || !folds || active.borrow().contains(&key(r)),
            part => r.name.contains(&part.to_ascii_lowercase()),
        };
        let tile = |r: &&Row| {
            html! { <Tile key={format!("{:?}", r.actor)} row={Held(Rc::new((*r).clone()))}
            acted={props.acted.contains(&r.actor)} on={props.map.machine == r.actor} /> }
        };
        let toggle = {
            let unfolded = unfolded.clone();
            move |_| unfolded.set(!*unfolded)
        };
        html! { <>
            { for rows.iter().filter(seen).map(tile) }
            if folds && looked_for.trim().is_empty() {
                <button key="rest" type="button" class="tile rest" aria-expanded={unfolded.to_string()} onclick={toggle}>
                    { t.with(if *unfolded { "map-fold" } else { "map-at-rest" }, &[("n", (at_rest as f64).into())]) }</button>
            }
        </> }
    };
    let oninput = {
        let looked_for = looked_for.clone();
        Callback::from(move |e: InputEvent| {
            let input = e.target_dyn_into::<web_sys::HtmlInputElement>();
            looked_for.set(input.map(|i| i.value()).unwrap_or_default());
        })
    };
    let search = html! {
        <input type="search" value={(*looked_for).clone()} {oninput} aria-label={t.get("map-find")} placeholder={t.get("map-find")} />
    };
    let group = |(i, (name, rows)): (usize, &(Rc<str>, Vec<&Row>))| {
        let said = rows.first().map(|r| match (r.state, r.leads) {
            (State::Down, _) => t.get("state-down"),
            (_, Some(true)) => t.get("map-leads"),
            (_, Some(false)) => t.get("map-standby"),
            (_, None) => String::new(),
        });
        html! { <>
            <h4>{ name.to_string() }<span>{ said }</span>if i == 0 { { search.clone() } }</h4>
            { tiles(rows) }
        </> }
    };
    html! {
        <div class="tiles" role="group" aria-label={t.get("map-components")}>
            { for several.iter().enumerate().map(group) }
            if !single.is_empty() {
                <h4>{ t.get("map-single") }if several.is_empty() { { search.clone() } }</h4>
                { tiles(&single) }
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct TileProps {
    row: Held<Row>,
    acted: bool,
    on: bool,
}

/// A component in a tile.
#[component]
fn Tile(props: &TileProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let r = &props.row.0;
    let actor = r.actor;
    let kubelet = r.node.as_ref().map(|n| format!("{} {n}", r.name));
    // As kubectl abbreviates them.
    let name = kubelet.clone().unwrap_or_else(|| short(&r.name).to_owned());
    let name = name.replace("persistentvolumeclaim", "pvc").replace("persistentvolume", "pv");
    let count = [r.failing, r.queued, r.behind, r.delayed].into_iter().find(|n| *n > 0);
    let words = format!("{}: {}", kubelet.as_deref().unwrap_or(&r.name), said(&t, r));
    html! {
        <button type="button" class={classes!("tile", who::class(&r.name), props.on.then_some("on"), props.acted.then_some("acted"))}
            aria-pressed={props.on.to_string()} aria-label={words.clone()} title={words}
            onclick={move |_| store.send(Input::LookAt(Some(actor)))}>
            { mark(r.state) }<span class="name">{ name }</span>
            if let Some(n) = count { <span class="n">{ n }</span> }
        </button>
    }
}

/// The kubelets: tiles, or a grid where there are many.
#[component]
pub fn Kubelets(props: &RowsProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let rows = &props.rows.0;
    if rows.is_empty() {
        return Html::default();
    }
    if rows.len() <= TILES {
        let tile = |r: &Row| {
            html! { <Tile key={format!("{:?}", r.actor)} row={Held(Rc::new(r.clone()))}
            acted={props.acted.contains(&r.actor)} on={props.map.machine == r.actor} /> }
        };
        return html! {
            <div class="tiles" role="group" aria-label={t.get("map-kubelets")}>
                <h4>{ t.get("map-kubelets") }</h4>{ for rows.iter().map(tile) }
            </div>
        };
    }
    let chosen = rows.iter().position(|r| r.actor == props.map.machine);
    let onchange = {
        let (store, rows) = (store.clone(), rows.clone());
        Callback::from(move |e: Event| {
            let to: Option<usize> =
                e.target_dyn_into::<web_sys::HtmlSelectElement>().and_then(|s| s.value().parse().ok());
            if let Some(r) = to.and_then(|i| rows.get(i)) {
                store.send(Input::LookAt(Some(r.actor)));
            }
        })
    };
    // One click for the whole grid: a thousand listeners would cost more than they are worth, and who
    // has no pointer has the list beside it.
    let onclick = {
        let (store, rows) = (store.clone(), rows.clone());
        Callback::from(move |e: MouseEvent| {
            let cell = e.target_dyn_into::<web_sys::Element>().and_then(|el| el.get_attribute("data-i"));
            if let Some(r) = cell.and_then(|i| i.parse::<usize>().ok()).and_then(|i| rows.get(i)) {
                store.send(Input::LookAt(Some(r.actor)));
            }
        })
    };
    let busy = rows.iter().filter(|r| !matches!(r.state, State::Idle | State::Waiting)).count();
    let cell = |(i, r): (usize, &Row)| {
        html! { <i data-i={i.to_string()} title={r.node.as_ref().map(|n| n.to_string())}
        class={classes!("cell", state_class(r.state), (chosen == Some(i)).then_some("on"), props.acted.contains(&r.actor).then_some("acted"))}></i> }
    };
    html! {
        <div class="tiles many" role="group" aria-label={t.get("map-kubelets")}>
            <h4>{ "kubelet" }<span>{ t.with("map-kubelets-n", &[("n", (rows.len() as f64).into()), ("busy", (busy as f64).into())]) }</span>
                <label><span class="sr">{ t.get("map-pick-kubelet") }</span>
                    <select {onchange} onkeydown={keep_keys()}>
                        <option value="" selected={chosen.is_none()}>{ t.get("map-pick-kubelet") }</option>
                        { for rows.iter().enumerate().map(|(i, r)| html! { <option value={i.to_string()} selected={chosen == Some(i)}>{ r.node.as_deref().unwrap_or_default().to_owned() }</option> }) }
                    </select></label></h4>
            <div class="cells" aria-hidden="true" {onclick}>{ for rows.iter().enumerate().map(cell) }</div>
        </div>
    }
}

/// Arrow keys in a list choose from it and do not step.
fn keep_keys() -> Callback<KeyboardEvent> {
    Callback::from(|e: KeyboardEvent| {
        if e.key() == "Escape" {
            keys::focus(".map-scroll");
        }
        e.stop_propagation();
    })
}
