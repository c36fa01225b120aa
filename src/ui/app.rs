//! The whole page.

use std::rc::Rc;

use gloo::events::EventListener;
use gloo::utils::{document, document_element, window};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::clock::Clock;
use super::course::CourseDialog;
use super::drop as files;
use super::explore::Explore;
use super::graph::{Graph, Leads};
use super::i18n::{Lang, Texts};
use super::inspector::{Inspector, NETWORK, SCHEDULING, STORY, Tab, WHY};
use super::keys::{self, KeysDialog};
use super::left::{Brief, Left};
use super::lesson::LessonPanel;
use super::map::{MachineMap, StepIn, ViewSwitch};
use super::next::{NextCommands, StatePill, WhyNode};
use super::notice::{Progress, message};
use super::pane::{Pane, is_narrow};
use super::player::Held;
use super::player::{self, Player};
use super::rehearse::Rehearse;
use super::report::Report;
use super::rules::RulesDialog;
use super::runs::RunsDialog;
use super::share::Share;
use super::store::{Shared, Store, View, read_local};
use super::timeline::Timeline;
use super::topbar::{TopBar, Transport};
use super::traffic::Traffic;
use super::{frame, handle};
use crate::ui::hooks::use_texts;
use steady::engine::{
    Card, Happened, Input, JourneyLink, LessonView, Mode, ObjectRef, Options, PodLook, ScenarioView,
    SentView, Shape, Shown, Word,
};

/// Puts the page in place of the skeleton that `index.html` shows while the wasm loads.
pub fn mount() {
    let Some(root) = document().get_element_by_id("app") else { return };
    let options = Options::parse(&window().location().search().unwrap_or_default());
    let lang = (options.lang.clone())
        .or_else(|| read_local("steady:lang"))
        .or_else(|| window().navigator().language())
        .map_or(Lang::En, |tag| Lang::of_tag(&tag));
    // static/boot.js has read the theme, before anything was drawn.
    let _ = document_element().set_attribute("data-shape", shape_name(options.shape));
    let store = Store::new(lang, options);
    handle::install(&store);
    frame::listen(&store);
    let shown = store.clone();
    store.when_ready(Callback::from(move |()| {
        // Yew appends to what is there; the skeleton has done its work.
        root.replace_children_with_node_0();
        let props = Props { store: shown.clone() };
        yew::Renderer::<App>::with_root_and_props(root.clone(), props).render();
        // Once the run of the address is open.
        shown.when_idle(|_| super::js::tell("ready", &wasm_bindgen::JsValue::NULL));
    }));
    store.started();
}

/// A shape's name in styles.
fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Whole => "whole",
        Shape::Embedded => "embedded",
        Shape::Presented => "presented",
    }
}

/// What the page is made with.
#[derive(Properties, PartialEq)]
struct Props {
    store: Store,
}

/// The page.
#[component]
fn App(props: &Props) -> Html {
    let store = props.store.clone();
    let view = use_state(|| store.view());
    let pane = use_state(|| Pane::Graph);
    let help = use_state(|| false);
    let exploring = use_state(|| false);
    let rehearsing = use_state(|| false);
    // How often a rehearsal has asked what becomes of its requests in every order.
    let asked_orders = use_state(|| 0_u32);
    // Whether the menu of the clock is open: it reaches over the edge of the graph.
    let timing = use_state_eq(|| false);
    // Whether the graph has the page for itself.
    let alone = use_state(|| false);
    let runs = use_state(|| false);
    let course = use_state(|| false);
    // Where the rule book is open.
    let rules = use_state(|| None::<Option<Word>>);
    let request = use_state(|| None::<Rc<SentView>>);
    let tab = use_state(|| store.options().tab.and_then(|name| Tab::named(&name)).unwrap_or(Tab::Yaml));
    let asked_why = use_state(|| None::<ObjectRef>);
    let followed = use_state(|| None::<(JourneyLink, u32)>);
    let shape = use_state(|| store.options().shape);
    {
        // A link names the tab that is open, if an object stands there.
        let (store, named) = (store.clone(), tab.name());
        let name = Some(named.to_owned()).filter(|_| *tab != Tab::Yaml);
        use_effect_with(named, move |_| store.set_options(|options| options.tab = name));
    }
    let reshape = {
        let (store, shape) = (store.clone(), shape.clone());
        Callback::from(move |to: Shape| {
            store.set_options(|options| options.shape = to);
            store.write_options();
            let _ = document_element().set_attribute("data-shape", shape_name(to));
            shape.set(to);
        })
    };
    {
        let (store, set) = (store.clone(), view.setter());
        use_effect_with((), move |()| store.connect(Callback::from(move |v: View| set.set(v))));
    }
    {
        let (store, leave) = (store.clone(), reshape.reform(|()| Shape::Whole));
        let (shown, explored, lonely) = (pane.setter(), exploring.setter(), alone.setter());
        let rehearsed = rehearsing.setter();
        // Not in an effect: Yew lets the browser go on between the drawing and its effects, and a key that is pressed then
        // would be lost.
        let _listening = use_memo((), move |()| {
            let (keys, help, leave) = (store.clone(), help_setter(&store), leave);
            let show = Callback::from(move |pane: Pane| {
                shown.set(pane);
                if pane != Pane::Graph {
                    lonely.set(false);
                }
                // On a narrow page it lies over all panes.
                if is_narrow() {
                    explored.set(false);
                    rehearsed.set(false);
                }
            });
            let listener = EventListener::new_with_options(
                &window(),
                "keydown",
                gloo::events::EventListenerOptions::enable_prevent_default(),
                move |e| {
                    let Some(e) = e.dyn_ref::<KeyboardEvent>() else { return };
                    match keys.options().shape {
                        Shape::Whole => keys::pressed(&keys, e, &help, &show),
                        shape => player::pressed(&keys, e, shape, &leave),
                    }
                },
            );
            let dropped = files::listen(&store);
            (listener, dropped)
        });
    }
    {
        use_effect_with((), move |()| {
            let following = keys::LastFocus::default().follow();
            move || drop(following)
        });
    }
    {
        let texts = view.texts.clone();
        use_effect_with(view.texts.lang().tag(), move |tag| {
            let _ = document_element().set_attribute("lang", tag);
            gloo::utils::document().set_title(&texts.get("page-title"));
        });
    }
    let inspect = {
        let pane = pane.clone();
        Callback::from(move |()| {
            pane.set(Pane::Object);
            keys::focus(".inspector [role=tab][tabindex='0']");
        })
    };
    // Shows a side of an object.
    let side = |to: Tab, id: &'static str| {
        let (store, pane, tab) = (store.clone(), pane.clone(), tab.clone());
        Callback::from(move |object: ObjectRef| {
            store.send(Input::Select(Some(object)));
            tab.set(to);
            pane.set(Pane::Object);
            keys::focus(&format!("#{id}"));
        })
    };
    let why_node = side(Tab::Scheduling, SCHEDULING);
    // Where a lesson leads.
    let follow = {
        let (show, followed) = (side(Tab::Network, NETWORK), followed.clone());
        let alone = alone.clone();
        Callback::from(move |link: JourneyLink| {
            let nth = followed.as_ref().map_or(0, |(_, nth)| nth.wrapping_add(1));
            let pod = link.pod.clone();
            followed.set(Some((link, nth)));
            alone.set(false);
            show.emit(pod);
        })
    };
    // A request of a client: the run goes to its moment, where the inspector shows its story and its journey.
    let look_at_request = {
        let (store, request, shows) = (store.clone(), request.clone(), side(Tab::Network, STORY));
        Callback::from(move |view: Rc<SentView>| {
            store.send(Input::Goto(view.moment));
            shows.emit(view.sender.clone());
            request.set(Some(view));
        })
    };
    let leads = {
        let lead = |to: &'static str| {
            let pane = pane.clone();
            Callback::from(move |()| {
                pane.set(Pane::Manifest);
                keys::click(to);
            })
        };
        let (store, pane, tab, asked) = (store.clone(), pane.clone(), tab.clone(), asked_why.setter());
        let why = Callback::from(move |object: ObjectRef| {
            let waits = store.with(|s| {
                let node = s.graph.find(&object).and_then(|i| s.graph.node(i));
                node.is_some_and(|n| matches!(&n.card, Card::Pod(p) if p.look == PodLook::Unscheduled))
            });
            store.send(Input::Select(Some(object.clone())));
            // A pod without a node waits for the scheduler; all else is as its last writer left it.
            let (to, id) = if waits { (Tab::Scheduling, SCHEDULING) } else { (Tab::History, WHY) };
            asked.set((!waits).then_some(object));
            tab.set(to);
            pane.set(Pane::Object);
            keys::focus(&format!("#{id}"));
        });
        let alone = alone.clone();
        let shared = |callback: Callback<()>| {
            let alone = alone.clone();
            Callback::from(move |()| {
                alone.set(false);
                callback.emit(());
            })
        };
        // The inspector stands beside the graph, unless the graph has the page for itself.
        let from_graph = |callback: Callback<ObjectRef>| {
            let alone = alone.clone();
            Callback::from(move |object| {
                alone.set(false);
                callback.emit(object);
            })
        };
        Leads {
            terminal: shared(lead("#tab-kubectl")),
            editor: shared(lead("#tab-manifest")),
            rehearse: {
                let (exploring, rehearsing) = (exploring.clone(), rehearsing.clone());
                Callback::from(move |()| {
                    exploring.set(false);
                    rehearsing.set(true);
                })
            },
            why: from_graph(why),
            follow: from_graph(side(Tab::Network, NETWORK)),
        }
    };
    let open_help = {
        let help = help.clone();
        Callback::from(move |open: bool| help.set(open))
    };
    // One of the two panels is open at most: they lie in the same place.
    let explore = {
        let (exploring, rehearsing) = (exploring.clone(), rehearsing.clone());
        Callback::from(move |open: bool| {
            exploring.set(open);
            rehearsing.set(false);
            if !open {
                keys::focus("#explore-button");
            }
        })
    };
    let rehearse = {
        let (exploring, rehearsing) = (exploring.clone(), rehearsing.clone());
        Callback::from(move |open: bool| {
            rehearsing.set(open);
            exploring.set(false);
            if !open {
                keys::focus("#rehearse-button");
            }
        })
    };
    let every_order = {
        let (exploring, rehearsing, asked) = (exploring.clone(), rehearsing.clone(), asked_orders.clone());
        Callback::from(move |()| {
            asked.set(asked.wrapping_add(1));
            rehearsing.set(false);
            exploring.set(true);
        })
    };
    let t = &view.texts;
    let v = &view.shown;
    let last_step = &view.last_step;
    let graph: Shared<_> = (&v.graph).into();
    let text: Shared<_> = (&v.text).into();
    let story = v.scenario.as_ref().map(Shared::from);
    let lesson = v.lesson.as_ref().map(Shared::from);
    // Another step of the lesson leads elsewhere, and another run nowhere.
    let led = (*followed).clone();
    let led = led.filter(|(to, _)| v.lesson.as_ref().is_some_and(|l| l.journeys.contains(to)));
    // As long as a lesson asks what happens next, nothing tells it that was not asked to.
    let asked = v.lesson.as_ref().filter(|l| l.asks()).map(|l| (l.id.clone(), l.step));
    if *shape != Shape::Whole {
        return html! {
            <ContextProvider<Store> context={store.clone()}>
            <ContextProvider<Texts> context={t.clone()}>
                <Player shown={Held(Rc::new(v.clone()))} last_step={last_step.clone()} toast={view.toast.clone()}
                    refused={view.refused} lit={view.lit.clone()} {tab} shape={*shape} leave={reshape.reform(|()| Shape::Whole)} />
            </ContextProvider<Texts>>
            </ContextProvider<Store>>
        };
    }
    html! {
        <ContextProvider<Store> context={store.clone()}>
        <ContextProvider<Texts> context={t.clone()}>
            <div class="app" data-pane={pane.name()} data-alone={(*alone && !v.map.shown && !*exploring && !*rehearsing).then_some("true")}
                data-board={(*exploring || *rehearsing).then_some("true")} data-menu={timing.then_some("clock")}>
                <TopBar scenario={story.clone()} lesson={lesson.clone()} course={let course = course.clone(); move |open: bool| course.set(open)} help={open_help.clone()} runs={let runs = runs.clone(); move |open: bool| runs.set(open)}
                    exploring={*exploring} explore={explore.clone()} rehearsing={*rehearsing} rehearse={rehearse.clone()} />
                <Transport mode={v.mode} speed={v.speed} depth={v.depth} policy={v.policy.clone()} at_start={v.position == 0}
                    first={v.listing.lines.first().or(v.listing.scheduled.as_ref()).filter(|_| asked.is_none()).cloned()} steady={v.listing.steady() && (v.listing.scheduled.is_none() || v.act_ahead.is_some())} ahead={v.act_ahead.clone()} />
                <PaneTabs pane={*pane} set={{ let (pane, exploring, rehearsing) = (pane.clone(), exploring.clone(), rehearsing.clone());
                    // On a narrow page it lies over all of them.
                    Callback::from(move |p| { pane.set(p); exploring.set(false); rehearsing.set(false); }) }} />
                <main>
                    <Left scenario={story.clone()} lesson={lesson.clone()} follow={Some(follow.clone())} own={v.own_lesson.as_ref().map(Shared::from)} selection={v.selection.clone()} {text} text_set={v.text_set}
                        diagnostics={Shared::from(&v.diagnostics)} images={Shared::from(&v.images)} kinds={Shared::from(&v.kinds)} importable={v.importable} preview={v.preview.as_ref().map(Shared::from)}
                        terminal={Shared::from(&v.terminal)} history={Shared::from(&v.history)} shell={v.shell.as_ref().map(Shared::from)}
                        editing={v.editing.as_ref().map(Shared::from)} refused={view.refused} acted={v.position > v.beginning && matches!(*v.happened, Happened::Printed(_) | Happened::Requested(_))} steady={v.listing.steady()}
                        on={let pane = pane.clone(); move |()| { pane.set(Pane::Graph); keys::focus(".next") }} />
                    <Graph key={view.engine} hidden={v.map.shown} graph={Shared::from(&v.filtered)} whole={graph.clone()} filter={Shared::from(&v.filter)} {leads}
                        alone={(*alone, { let alone = alone.clone(); Callback::from(move |to| alone.set(to)) })} rushing={matches!(v.mode, Mode::ToSteady { .. } | Mode::ToMoment { .. })} runs={Shared::from(&v.runs)} now={v.clock} changed={Shared::from(&v.changed)} lit={view.lit.clone()} way={view.way.clone()}
                        version={v.version} session={v.session} selection={v.selection.clone()} {inspect} scenario={v.scenario.as_ref().map(|s| s.id.clone())}>
                        if !v.map.shown { { over(v, &timing) } { brief(v, &story, &lesson, &follow) } }
                    </Graph>
                    if v.map.shown {
                        <MachineMap version={v.version} map={v.map} mode={v.mode}>{ over(v, &timing) } if v.lesson.is_some() { { brief(v, &story, &lesson, &follow) } }</MachineMap>
                    }
                    <Inspector selection={v.selection.clone()} rushing={matches!(v.mode, Mode::ToSteady { .. } | Mode::ToMoment { .. })} subject={v.subject.clone()} {graph} version={v.version} at={v.at}
                        finest={v.finest} tab={tab.clone()} follow={led} why={asked_why} request={(*request).clone()} />
                    <Explore open={*exploring} close={explore.reform(|()| false)} version={v.version} session={v.session} at={v.at}
                        depth={v.depth} mode={v.mode} asked={*asked_orders} />
                    <Rehearse open={*rehearsing} close={rehearse.reform(|()| false)} explore={every_order} version={v.version} session={v.session}
                        selection={v.selection.clone()} text={Shared::from(&v.text)} idle={v.mode == Mode::Idle} />
                    <section class="bottom" aria-label={t.get("what-next")}>
                        <p class={classes!("said", last_step.who)}><i class="dot" aria-hidden="true"></i>
                            <span role="status" aria-live="polite" title={last_step.text.clone()}>{ &last_step.text }</span><WhyNode by={v.by.clone()} about={v.subject.iter().cloned().collect::<Vec<_>>()} open={why_node.clone()} /><StepIn at={v.at} by={v.by.clone()} finest={v.finest} inside={v.inside} inside_of={v.inside_of.clone()} /></p>
                        <NextCommands listing={v.listing.clone()} declared={v.declared.clone()} mode={v.mode} version={v.version} ahead={v.act_ahead.clone()} {why_node}
                            {asked}
                            rules={let rules = rules.clone(); Some(Callback::from(move |at: Option<Word>| rules.set(Some(at))))} />
                        <Timeline marks={Shared::from(&v.marks)} position={v.position} />
                        <Traffic version={v.version} open={look_at_request} />
                    </section>
                    <div class="layer"></div>
                </main>
                { message(&store, t, view.toast.as_ref()) }
                <Progress mode={v.mode} slow={v.slow} />
                if let Some(address) = &view.shared {
                    <Share address={address.clone()} scenario={story.clone()} lesson={lesson.clone()} present={reshape.reform(|()| Shape::Presented)} />
                }
                <Report scenario={story.clone()} lesson={lesson.clone()} version={v.version} />
                <KeysDialog open={*help} set={open_help} />
                <CourseDialog open={*course} set={let course = course.clone(); move |open: bool| course.set(open)} now={v.lesson.as_ref().map(|l| l.id.clone())} />
                <RulesDialog at={(*rules).clone()} set={let rules = rules.clone(); move |at| rules.set(at)} version={v.version} ready={v.listing.ready} />
                <RunsDialog open={*runs} set={let runs = runs.clone(); move |open: bool| runs.set(open)} run={v.run.clone()} />
            </div>
        </ContextProvider<Texts>>
        </ContextProvider<Store>>
    }
}

/// What a narrow page says above the graph: the lesson, or else the scenario's story.
fn brief(
    v: &Shown,
    story: &Option<Shared<ScenarioView>>,
    lesson: &Option<Shared<LessonView>>,
    follow: &Callback<JourneyLink>,
) -> Html {
    match lesson {
        Some(lesson) => {
            html! { <LessonPanel lesson={lesson.clone()} selection={v.selection.clone()} follow={Some(follow.clone())} class="brief" /> }
        }
        None => html! { <Brief scenario={story.clone()} /> },
    }
}

/// What lies over the graph and over the map: how it stands, which of the two is shown, the time.
fn over(v: &Shown, timing: &UseStateHandle<bool>) -> Html {
    let opened = timing.setter();
    html! { <>
        <StatePill listing={v.listing.clone()} declared={v.declared.clone()} mode={v.mode} asks={v.lesson.as_ref().is_some_and(|l| l.asks())} />
        <ViewSwitch shown={v.map.shown} />
        <Clock now={v.clock} time={v.time} revision={v.revision} opened={Callback::from(move |open| opened.set(open))} />
    </> }
}

/// Opens the dialog from the keyboard: by its button, which knows how.
fn help_setter(_: &Store) -> Callback<()> {
    Callback::from(|()| keys::click("#keys-button"))
}

#[derive(Properties, PartialEq)]
struct TabsProps {
    pane: Pane,
    set: Callback<Pane>,
}

/// The tabs of a narrow page.
#[component]
fn PaneTabs(props: &TabsProps) -> Html {
    let t = use_texts();
    let tabs = Pane::ALL.map(|(p, key, _)| {
        let set = props.set.clone();
        let on = p == props.pane;
        html! {
            <button type="button" aria-current={on.then_some("page")} class={classes!(on.then_some("on"))}
                onclick={move |_| set.emit(p)}>{ t.get(key) }</button>
        }
    });
    html! { <nav class="panes tabs" aria-label={t.get("panes")}>{ for tabs }</nav> }
}
