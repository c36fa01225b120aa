//! The inspector: one object from all sides.

mod actions;
mod events;
mod history;
mod links;
mod network;
mod plugins;
mod request;
mod scheduling;
mod sent;
mod why;
mod yaml;

pub use history::WHY;
use std::rc::Rc;

use steady::engine::{
    Answer, Ask, Card, CpuView, Graph, GraphNode, Input, JourneyLink, Kind, Moment, ObjectRef, ObjectView,
    SentView, can_declare,
};
use yew::prelude::*;

use super::graph::{halted, tally};
use super::i18n::Texts;
use super::left::tab_keys;
use super::store::{Shared, Store};
use super::{glyph, keys, who};
use crate::ui::hooks::{use_answer, use_texts};

/// What is inspected, and when.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The object that was chosen.
    pub selection: Option<ObjectRef>,
    /// Whether many steps are taken at once. If no object was chosen, the pane stays with the step before them until they are taken: nobody
    /// reads what a single frame shows, and drawing the lines of another object in each costs more than the rest of the page.
    pub rushing: bool,
    /// What the last step was about.
    pub subject: Option<ObjectRef>,
    /// The objects.
    pub graph: Shared<Graph>,
    /// Grows with every step.
    pub version: u64,
    /// The moment that is looked at.
    pub at: Moment,
    /// How many finest actions the last step is made of.
    pub finest: usize,
    /// Which side of the object is shown, if it has it.
    pub tab: UseStateHandle<Tab>,
    /// The request that a lesson has last led to, and how often one has.
    #[prop_or_default]
    pub follow: Option<(JourneyLink, u32)>,
    /// The object of which its history shows why it is as it is.
    pub why: UseStateHandle<Option<ObjectRef>>,
    /// The request that was looked at last.
    #[prop_or_default]
    pub request: Option<Rc<SentView>>,
}

/// What a tab gets.
#[derive(Properties, PartialEq)]
pub struct TabProps {
    /// The object.
    pub object: ObjectRef,
    /// Grows with every step.
    pub version: u64,
}

/// A side of an object.
#[derive(Clone, Copy, PartialEq)]
pub enum Tab {
    /// Its YAML.
    Yaml,
    /// Its conditions and events.
    Events,
    /// Its versions.
    History,
    /// The objects that it is related to.
    Links,
    /// What the scheduler says about a pod: its queue, and the table of filters and scores.
    Scheduling,
    /// The journey of a request that a pod could send.
    Network,
    /// The requests of the last step, whatever they are about.
    Request,
}

pub use sent::STORY;

/// The id of the tab that shows how the scheduler stands to a pod.
pub const SCHEDULING: &str = "tab-scheduling";

/// The id of the tab that shows the journey of a pod's request.
pub const NETWORK: &str = "tab-network";

const TABS: [(Tab, &str); 7] = [
    (Tab::Yaml, "tab-yaml"),
    (Tab::Events, "tab-events"),
    (Tab::History, "tab-history"),
    (Tab::Links, "tab-links"),
    (Tab::Scheduling, SCHEDULING),
    (Tab::Network, NETWORK),
    (Tab::Request, "tab-request"),
];

impl Tab {
    /// The tab's name in an address.
    pub fn name(self) -> &'static str {
        let key = TABS.iter().find(|(tab, _)| *tab == self).map_or("tab-yaml", |(_, key)| *key);
        key.trim_start_matches("tab-")
    }

    /// The tab of a name.
    pub fn named(name: &str) -> Option<Tab> {
        TABS.iter().map(|(tab, _)| *tab).find(|tab| tab.name() == name)
    }
}

/// The pane.
#[component]
pub fn Inspector(props: &Props) -> Html {
    let t = use_texts();
    // Nothing chosen: what the last step was about.
    let step = use_mut_ref(|| (props.subject.clone(), props.version, props.at));
    if !props.rushing || props.selection.is_some() {
        *step.borrow_mut() = (props.subject.clone(), props.version, props.at);
    }
    let (subject, version, at) = step.borrow().clone();
    let object = props.selection.clone().or(subject);
    let answer = use_answer(object.clone().map(Ask::Object), version);
    let view = match answer.as_deref() {
        Some(Answer::Object(view)) => Some(&**view),
        _ => None,
    };
    let is_pod = object.as_ref().is_some_and(|o| o.kind == Kind::POD);
    // What is reached from outside of the cluster is asked from there.
    let is_reached = object.as_ref().is_some_and(|o| can_declare(o.kind));
    let has = |which: &Tab| match which {
        Tab::Scheduling => is_pod,
        Tab::Network => is_pod || is_reached,
        _ => true,
    };
    let tab = if has(&props.tab) { *props.tab } else { Tab::Yaml };
    let tabs = TABS.iter().filter(|(which, _)| has(which)).map(|(which, key)| {
        let on = tab == *which;
        let set = props.tab.clone();
        let which = *which;
        html! {
            <button type="button" role="tab" id={*key} aria-selected={on.to_string()} aria-controls="inspected"
                tabindex={if on { "0" } else { "-1" }} onclick={move |_| set.set(which)}>{ t.get(key) }</button>
        }
    });
    let labelled = TABS.iter().find(|(w, _)| *w == tab).map_or("tab-yaml", |(_, k)| *k);
    let body = match (&object, tab) {
        (None, Tab::Request) | (Some(_), Tab::Request) => {
            html! { <request::Exchanges {at} finest={props.finest} /> }
        }
        (None, _) => html! { <p class="empty">{ t.get("inspect-nothing") }</p> },
        (Some(o), Tab::Yaml) => html! { <yaml::Yaml object={o.clone()} {version} /> },
        (Some(o), Tab::Events) => html! { <events::Events object={o.clone()} {version} /> },
        (Some(o), Tab::History) => {
            html! { <history::History object={o.clone()} {version} why={props.why.clone()} /> }
        }
        (Some(o), Tab::Scheduling) => html! { <scheduling::SchedulingOf object={o.clone()} {version} /> },
        (Some(o), Tab::Network) => {
            let asked =
                props.follow.as_ref().filter(|(f, _)| f.pod == *o).map(|(f, nth)| (f.url.clone(), *nth));
            html! { <network::Network object={o.clone()} {version} {asked} {at} request={props.request.clone()} /> }
        }
        (Some(o), Tab::Links) => html! { <links::LinkList object={o.clone()} {version} /> },
    };
    // Another object, or another side of it, is read from its beginning.
    let key = format!("{labelled} {}", object.as_ref().map_or_else(String::new, ToString::to_string));
    html! {
        <aside class="inspector" data-tab={labelled} aria-label={t.get("inspector")}>
            { head(&t, object.as_ref().zip(view), props) }
            <div class="tabs" role="tablist" aria-label={t.get("inspector")} onkeydown={tab_keys()}>{ for tabs }</div>
            <div {key} class="inspected" id="inspected" role="tabpanel" tabindex="0" aria-labelledby={labelled}>{ body }</div>
        </aside>
    }
}

fn head(t: &Texts, shown: Option<(&ObjectRef, &ObjectView)>, props: &Props) -> Html {
    let chosen = props.selection.is_some();
    let Some((object, view)) = shown else { return html! { <div></div> } };
    let node = props.graph.find(object).and_then(|i| props.graph.node(i));
    let owner = view.owner.as_ref().filter(|_| node.is_some()).map(|(kind, name)| {
        t.with("owned-by", &[("kind", kind.clone().into()), ("name", name.clone().into())])
    });
    html! {
        <div class={classes!("who", who::keeper(&view.keeper))}>
            <p class="kind">{ object.kind.as_str() }
                if !chosen { <span>{ " · " }{ t.get("inspect-last") }</span> }
                if let Some(owner) = owner { <span>{ " · " }{ owner }</span> }
            </p>
            <h2>{ object.key.name.to_string() }</h2>
            <div class="chips">
                if view.gone { <span class="chip gone">{ t.get("inspect-gone") }</span> }
                if let Some(n) = node { { chips(t, n, view) } }
            </div>
            { for view.cpu.iter().map(|cpu| html! { <p class="about">{ busy(t, cpu) }</p> }) }
            if chosen && !view.gone { <actions::Actions object={object.clone()} view={view.clone()} /> }
        </div>
    }
}

/// What a container gets of its busy node's CPU.
fn busy(t: &Texts, cpu: &CpuView) -> String {
    let amount = |milli: i64| format!("{milli}m").into();
    let args = [
        ("container", (*cpu.container).to_owned().into()),
        ("wants", amount(cpu.wants)),
        ("weight", (cpu.weight as f64).into()),
        ("gets", amount(cpu.gets)),
        ("of", amount(cpu.of)),
    ];
    t.with("inspect-cpu", &args)
}

fn chips(t: &Texts, n: &GraphNode, view: &ObjectView) -> Html {
    let mut out: Vec<Html> = Vec::new();
    let mut chip = |class: &'static str, text: String| {
        out.push(html! { <span class={classes!("chip", class)}>{ text }</span> })
    };
    match &n.card {
        Card::Workload { want, ready, succeeds, halt, .. } => {
            chip(if ready >= want { "ok" } else { "wait" }, tally(t, *succeeds, *ready, *want));
            if let Some(halt) = halt {
                chip("wait", halted(t, *halt));
            }
        }
        Card::Schedule { schedule, zone, halt } => {
            chip(if halt.is_some() { "wait" } else { "ok" }, schedule.clone());
            zone.iter().for_each(|zone| chip("", zone.clone()));
            if let Some(halt) = halt {
                chip("wait", halted(t, *halt));
            }
        }
        Card::Pod(p) => {
            let glyph = glyph::inline(p.look);
            out.push(
                html! { <span class={classes!("chip", glyph::tone(p.look))}>{ glyph }{ &p.word }</span> },
            );
            let mut chip = |text: String| out.push(html! { <span class="chip">{ text }</span> });
            chip(format!("{}/{}", p.ready.0, p.ready.1));
            if p.restarts > 0 {
                chip(t.with("pod-restarts", &[("n", p.restarts.into())]));
            }
            if let Some(node) = &p.node {
                chip(node.clone());
            }
        }
        Card::Node { ready, .. } => {
            chip(if *ready { "ok" } else { "bad" }, (if *ready { "Ready" } else { "NotReady" }).into())
        }
        Card::Resource(Some(s)) => chip(if s.good { "ok" } else { "wait" }, s.word.clone()),
        Card::Resource(None) | Card::Other => {}
    }
    if let Some(g) = view.generation.filter(|_| !matches!(n.card, Card::Pod(_))) {
        out.push(html! { <span class="chip">{ format!("generation {g}") }</span> });
    }
    html! { <>{ for out }</> }
}

/// An object's name, to go to it.
pub fn link(store: &Store, object: &ObjectRef) -> Html {
    let (store, to) = (store.clone(), object.clone());
    let onclick = move |_| {
        store.send(Input::Select(Some(to.clone())));
        keys::focus(".inspector [role=tab][tabindex='0']");
    };
    html! {
        <button type="button" class="link" {onclick}><span>{ object.kind.as_str() }</span><code>{ object.key.name.to_string() }</code></button>
    }
}
