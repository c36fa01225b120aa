//! The pane of the map, and the switch between it and the objects.

use std::rc::Rc;

use steady::session::MomentId;
use steady::session::view::machinery::{self, Movement, Stop};
use yew::prelude::*;

use super::machine::MachineView;
use super::overview::{Components, EtcdView, Kubelets};
use super::stages::ServerView;
use super::token::{measured, travel, use_places};
use super::wires;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::keys;
use crate::ui::store::{MapState, Mode};
use crate::ui::who;

/// What the map shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every step.
    pub version: u64,
    /// The moment that is looked at.
    pub at: MomentId,
    /// What of it is chosen.
    pub map: MapState,
    /// Whether it runs.
    pub mode: Mode,
    /// What is laid over it.
    pub children: Html,
}

/// A value that is drawn anew only where it is another.
#[derive(Clone)]
pub struct Held<T>(pub Rc<T>);

impl<T: PartialEq> PartialEq for Held<T> {
    fn eq(&self, other: &Held<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// Which of the map's parts a step touched.
#[derive(Clone, Default, PartialEq)]
pub struct Lit(Rc<[Stop]>);

impl Lit {
    /// The classes of a part: whether the step went through it, and whether it ended there.
    pub fn class(&self, stop: Stop) -> Classes {
        let on = self.0.contains(&stop);
        classes!(on.then_some("lit"), (self.0.last() == Some(&stop)).then_some("end"))
    }
}

/// The pane.
#[component]
pub fn MachineMap(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let world = use_node_ref();
    let token = use_node_ref();
    let key = (props.version, props.map.machine);
    let facts = {
        let (store, machine) = (store.clone(), props.map.machine);
        use_memo(key, move |_| {
            store.with(|s| {
                let cluster = s.session().cluster();
                (
                    machinery::overview(cluster),
                    machinery::machine(cluster, machine),
                    machinery::movement(cluster, s.session().current()),
                )
            })
        })
    };
    let places = use_places(&world);
    let (overview, machine, movement) = &*facts;
    // A step of a component that is not looked at is seen as far as the API server.
    let shown = movement.as_ref().map(|m| seen(m, props.map));
    let lit = Lit(shown.as_ref().map_or_else(Rc::default, |m| m.path.clone().into()));
    let points = shown.as_ref().map(|m| wires::way(&places, &m.path)).unwrap_or_default();
    {
        let (token, world, path) = (token.clone(), world.clone(), lit.0.clone());
        let rushing = matches!(props.mode, Mode::ToSteady { .. } | Mode::Loading { .. });
        let last = use_mut_ref(|| None::<u64>);
        // Once for each step; not for the one that was there when the map was opened.
        use_effect_with((props.version, rushing), move |(version, rushing)| {
            let before = last.replace(Some(*version));
            if !rushing
                && before.is_some_and(|b| b != *version)
                && let Some(world) = world.cast::<web_sys::Element>()
            {
                travel(&token, &wires::way(&measured(&world), &path));
            }
        });
    }
    let informers: Vec<u16> = machine.iter().flat_map(|m| &m.reflectors).map(|r| r.informer).collect();
    let base = wires::all(&places, &informers);
    let hot = wires::path(&points);
    let failed = shown.as_ref().is_some_and(|m| m.failed);
    let acted = movement.as_ref().map(|m| m.reaches.clone()).unwrap_or_default();
    let colour = machine.as_ref().map_or("who-machinery", |m| who::class(&m.name));
    html! {
        <section class="graph map" aria-label={t.get("map")}>
            // A region that scrolls can be scrolled by keys.
            <div class="map-scroll" tabindex="0" role="region" aria-label={t.get("map")}>
                <div class={classes!("map-world", colour)} ref={world}>
                    <svg class="map-wires" aria-hidden="true">
                        { for base.iter().map(|d| html! { <path d={d.clone()} /> }) }
                        <path class={classes!("hot", failed.then_some("failed"))} d={hot} />
                    </svg>
                    <ServerView version={props.version} at={props.at} class={lit.class(Stop::Server)} keys={overview.keys} />
                    <EtcdView revision={overview.revision} keys={overview.keys}
                        members={Held(Rc::new((overview.members.clone(), overview.term)))} log={Held(Rc::new(overview.log.clone()))}
                        class={lit.class(Stop::Etcd)} />
                    <Components rows={Held(Rc::new(overview.components.clone()))} acted={acted.clone()} map={props.map} />
                    <Kubelets rows={Held(Rc::new(overview.kubelets.clone()))} {acted} map={props.map} />
                    if let Some(m) = machine {
                        <MachineView machine={Held(Rc::new(m.clone()))} lit={lit.clone()} pinned={props.map.pinned} />
                    }
                    <i class={classes!("token", failed.then_some("failed"))} ref={token} aria-hidden="true"></i>
                </div>
            </div>
            { props.children.clone() }
        </section>
    }
}

/// As much of a movement as is on the page: the machine that is shown, or only the API server and etcd.
fn seen(m: &Movement, map: MapState) -> Movement {
    if m.reaches.is_empty() || m.reaches.contains(&map.machine) {
        return m.clone();
    }
    let path = m.path.iter().copied().filter(|s| matches!(s, Stop::Server | Stop::Etcd)).collect();
    Movement { path, ..m.clone() }
}

/// What is switched.
#[derive(Properties, PartialEq)]
pub struct SwitchProps {
    /// Whether the map is shown.
    pub shown: bool,
}

/// The objects or the machinery.
#[component]
pub fn ViewSwitch(props: &SwitchProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let button = |map: bool, key: &str| {
        let on = props.shown == map;
        let store = store.clone();
        html! {
            <button type="button" role="radio" aria-checked={on.to_string()} tabindex={if on { "0" } else { "-1" }}
                aria-keyshortcuts="V" title={t.get("view-about")} onclick={move |_| store.show_map(map)}>{ t.get(key) }</button>
        }
    };
    let onkeydown = {
        let store = store.clone();
        Callback::from(move |e: KeyboardEvent| {
            if matches!(e.key().as_str(), "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown") {
                e.prevent_default();
                e.stop_propagation();
                store.toggle_map();
                keys::focus(".view-switch [aria-checked='true']");
            }
        })
    };
    html! {
        <div class="seg view-switch" role="radiogroup" aria-label={t.get("view")} {onkeydown}>
            { button(false, "view-objects") }
            { button(true, "view-machinery") }
        </div>
    }
}
