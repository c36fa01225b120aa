//! The pane of the map, and the switch between it and the objects.

use std::rc::Rc;

use gloo::render::request_animation_frame;
use steady::engine::machinery::{Movement, Stop};
use steady::engine::{Answer, Ask, Input, MapState, Mode};
use yew::prelude::*;

use super::held::{Held, Lit};
use super::machine::MachineView;
use super::overview::{Components, EtcdView, Kubelets};
use super::stages::ServerView;
use super::token::{measured, travel, use_places};
use super::wires;
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::who;

/// What the map shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every step.
    pub version: u64,
    /// What of it is chosen.
    pub map: MapState,
    /// Whether it runs.
    pub mode: Mode,
    /// What is laid over it.
    pub children: Html,
}

/// The pane.
#[component]
pub fn MachineMap(props: &Props) -> Html {
    let (store, t) = (use_store(), use_texts());
    let world = use_node_ref();
    let token = use_node_ref();
    let open = use_state(|| None::<u16>);
    let answer = use_answer(Some(Ask::Machinery(props.map.machine, *open)), props.version);
    let places = use_places(&world);
    let view = match answer.as_deref() {
        Some(Answer::Machinery(view)) => Some(&**view),
        _ => None,
    };
    let movement = view.and_then(|v| v.movement.as_ref());
    // A step of a component that is not looked at is seen as far as the API server.
    let shown = movement.map(|m| seen(m, props.map));
    let lit = Lit::new(shown.as_ref().map_or_else(Rc::default, |m| m.path.clone().into()));
    let points = shown.as_ref().map(|m| wires::way(&places, &m.path)).unwrap_or_default();
    {
        let (token, world, path) = (token.clone(), world.clone(), lit.path());
        let rushing =
            matches!(props.mode, Mode::ToSteady { .. } | Mode::ToMoment { .. } | Mode::Loading { .. });
        let last = use_mut_ref(|| None::<u64>);
        // Once for each step; not for the one that was there when the map was opened.
        use_effect_with((props.version, rushing), move |(version, rushing)| {
            let before = last.replace(Some(*version));
            let goes = !rushing && before.is_some_and(|b| b != *version);
            let frame = world.cast::<web_sys::Element>().filter(|_| goes).map(|world| {
                request_animation_frame(move |_| travel(&token, &wires::way(&measured(&world), &path)))
            });
            move || drop(frame)
        });
    }
    let Some(view) = view else { return Html::default() };
    let at = store.with(|s| s.at);
    let (overview, machine) = (&view.overview, &view.machine);
    let informers: Vec<u16> = machine.iter().flat_map(|m| &m.reflectors).map(|r| r.informer).collect();
    let base = wires::all(&places, &informers);
    let hot = wires::path(&points);
    let failed = shown.as_ref().is_some_and(|m| m.failed);
    let acted = movement.map(|m| m.reaches.clone()).unwrap_or_default();
    let colour = machine.as_ref().map_or("who-machinery", |m| who::class(&m.name));
    html! {
        <section class="graph map" aria-label={t.get("map")}>
            <div class="over">{ props.children.clone() }</div>
            // A region that scrolls can be scrolled by keys.
            <div class="map-scroll" tabindex="0" role="group" aria-label={t.get("map")}><h2 class="sr">{ t.get("map") }</h2>
                <div class={classes!("map-world", colour)} ref={world}>
                    <svg class="map-wires" aria-hidden="true">
                        { for base.iter().map(|d| html! { <path d={d.clone()} /> }) }
                        <path class={classes!("hot", failed.then_some("failed"))} d={hot} />
                    </svg>
                    <ServerView version={props.version} class={lit.class(Stop::Server)} keys={overview.keys} />
                    <EtcdView revision={overview.revision} keys={overview.keys}
                        members={Held(Rc::new((overview.members.clone(), overview.term)))} log={Held(Rc::new(overview.log.clone()))}
                        class={lit.class(Stop::Etcd)} />
                    <Components rows={Held(Rc::new(overview.components.clone()))} acted={acted.clone()} map={props.map} />
                    <Kubelets rows={Held(Rc::new(overview.kubelets.clone()))} {acted} map={props.map} />
                    if let Some(m) = machine {
                        <MachineView machine={Held(Rc::new(m.clone()))} lit={lit.clone()} pinned={props.map.pinned}
                            open={open.clone()} {at} keys={overview.keys} />
                    }
                    <i class={classes!("token", failed.then_some("failed"))} ref={token} aria-hidden="true"></i>
                </div>
            </div>
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
            <button type="button" aria-pressed={on.to_string()} aria-keyshortcuts="V" title={t.get("view-about")}
                onclick={move |_| store.send(Input::ShowMap(map))}>{ t.get(key) }</button>
        }
    };
    html! {
        <div class="seg view-switch" role="group" aria-label={t.get("view")}>
            { button(false, "view-objects") }
            { button(true, "view-machinery") }
        </div>
    }
}
