//! An object's card.

use std::rc::Rc;

use steady::engine::{Card as Says, GraphNode, Halt, ObjectRef, Place, PodView, Standing};
use yew::prelude::*;

use crate::ui::clock;
use crate::ui::glyph;
use crate::ui::i18n::{Texts, middle};
use crate::ui::layout::Rect;
use crate::ui::who;

/// A node that is compared by its address.
#[derive(Clone)]
pub struct Held(pub Rc<GraphNode>);

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What a card shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The object.
    pub node: Held,
    /// Where.
    pub rect: Rect,
    /// Its owner's name: a pod's begins with it, and it is left out.
    pub owner: Option<Rc<str>>,
    /// When it runs next by its schedule, in milliseconds since 1970.
    pub next: Option<i64>,
    /// What the clock shows, likewise; the same for all cards without a schedule.
    pub now: i64,
    /// Of a node: how many pods run on it.
    pub pods: usize,
    /// Of a node: whether it is cut off from the API server.
    pub cut_off: bool,
    /// Whether it has the small form of narrow panes.
    pub small: bool,
    /// Whether a command that is pointed at is about it.
    pub lit: bool,
    /// Whether it is selected.
    pub selected: bool,
    /// Whether a run without pauses is under way.
    pub rushing: bool,
    /// Whether the Tab key stops here.
    pub stop: bool,
    /// The step that changed it, if it was the last.
    pub changed: Option<u64>,
    /// Called when it is clicked.
    pub select: Callback<ObjectRef>,
    /// The language.
    pub texts: Texts,
}

/// A text that names an object in the page.
pub fn id(r: &ObjectRef) -> String {
    format!("{} {}", r.kind.as_str(), r.key)
}

/// What makes it the same card in the next drawing.
pub fn key(n: &GraphNode) -> String {
    format!("{:x}", n.id)
}

/// The card.
#[component]
pub fn Card(props: &Props) -> Html {
    // It appears once. A card that is only moved among the others begins no second time, and in a run there is no time.
    let fresh = use_state(|| !props.rushing);
    let onanimationend = {
        let fresh = fresh.clone();
        Callback::from(move |e: AnimationEvent| {
            if e.animation_name() == "appear" {
                fresh.set(false);
            }
        })
    };
    let (n, r, t) = (&props.node.0, props.rect, &props.texts);
    let onclick = {
        let (select, object) = (props.select.clone(), n.reference.clone());
        Callback::from(move |e: MouseEvent| {
            e.stop_propagation();
            select.emit(object.clone());
        })
    };
    let class = classes!(
        "card",
        place_class(n.place),
        props.selected.then_some("selected"),
        props.lit.then_some("lit"),
        props.changed.is_some().then_some("changed"),
        n.deleting.then_some("deleting"),
    );
    let inner = match &n.card {
        _ if r.h < LINE => line(props),
        Says::Workload { .. } => workload(props),
        Says::Pod(pod) => pod_card(props, pod),
        Says::Node { ready, schedulable } => node_card(props, *ready, *schedulable),
        Says::Resource(standing) => resource_card(props, standing.as_ref()),
        Says::Schedule { schedule, zone, halt } => schedule_card(props, schedule, zone.as_deref(), *halt),
        Says::Other => other_card(props),
    };
    html! {
        <g {class} transform={format!("translate({} {})", r.x, r.y)} role="button"
            tabindex={if props.stop { "0" } else { "-1" }} aria-label={label(props, t)}
            aria-pressed={props.selected.to_string()} data-object={id(&n.reference)} {onclick}>
            <g class={(*fresh && !props.rushing).then_some("appear")} {onanimationend}>
                <rect class="box" width={r.w.to_string()} height={r.h.to_string()} rx="9" />
                { inner }
                if let Some(version) = props.changed {
                    <rect key={version.to_string()} class="ring" x="-1" y="-1" rx="10"
                        width={(r.w + 2.0).to_string()} height={(r.h + 2.0).to_string()} />
                }
                <rect class="focus" x="-4" y="-4" rx="12" width={(r.w + 8.0).to_string()} height={(r.h + 8.0).to_string()} />
            </g>
        </g>
    }
}

/// A card that is lower than this has one line of text.
const LINE: f32 = 36.0;

/// The card in one line: the kind and the name, and how it stands.
fn line(props: &Props) -> Html {
    let (n, r) = (&props.node.0, props.rect);
    let mut kind = "";
    let (mut x, mut mark, mut under) = (12.0, Html::default(), String::new());
    match &n.card {
        Says::Pod(pod) => {
            x = 34.0;
            mark =
                html! { <g transform={format!("translate(19 {})", r.h / 2.0)}>{ glyph::look(pod.look) }</g> };
            if pod.word != "Running" {
                under = pod.word.clone();
            }
        }
        Says::Node { ready, schedulable } => under = node_under(props, *ready, *schedulable),
        Says::Workload { want, ready, .. } => {
            (kind, under) = (n.reference.kind.as_str(), format!("{ready} / {want}"))
        }
        Says::Schedule { schedule, .. } => (kind, under) = (n.reference.kind.as_str(), schedule.clone()),
        Says::Resource(_) | Says::Other => kind = n.reference.kind.as_str(),
    }
    let room = ((r.w - x - 10.0) / 7.0) as usize;
    let under = middle(&under, (room / 3).max(6));
    let left = room.saturating_sub(under.chars().count() + 1);
    // The name is what tells it from others; the kind is said where there is room for both.
    let name = short_name(props);
    let kind = Some(kind).filter(|k| !k.is_empty() && k.len() + name.chars().count().min(12) < left);
    let rest = left.saturating_sub(kind.map_or(0, |k| k.len() + 1));
    let y = (r.h / 2.0 + 4.0).to_string();
    html! { <>
        { mark }
        <text x={x.to_string()} y={y.clone()}>
            if let Some(kind) = kind { <tspan class="kind">{ kind }</tspan> }
            <tspan class="name" dx={if kind.is_some() { "6" } else { "0" }}>{ middle(name, rest) }</tspan>
        </text>
        <text class="under" x={(r.w - 10.0).to_string()} {y} text-anchor="end">{ under }</text>
    </> }
}

fn node_under(props: &Props, ready: bool, schedulable: bool) -> String {
    let t = &props.texts;
    match (ready, schedulable) {
        (false, _) => "NotReady".to_owned(),
        (true, _) if props.cut_off => t.get("node-cut-off"),
        (true, false) => "SchedulingDisabled".to_owned(),
        (true, true) => t.with("node-pods", &[("n", (props.pods as f64).into())]),
    }
}

fn place_class(p: Place) -> &'static str {
    match p {
        Place::Root | Place::Middle => "workload",
        Place::Pod => "pod",
        Place::Node => "node",
        Place::Aside => "aside",
    }
}

/// What a screen reader says.
fn label(props: &Props, t: &Texts) -> String {
    let n = &props.node.0;
    let name = format!("{} {}", n.reference.kind.as_str(), n.reference.key.name);
    let next = props.next.map(|at| clock::short(at, props.now));
    let says = says(n, t, next, (props.pods, props.cut_off));
    let changed = if props.changed.is_some() { t.get("label-changed") } else { String::new() };
    [name, says, changed].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(", ")
}

/// How an object stands, in one line; empty if it does not say. `next` is when it runs next; of a node, `load` is how many pods
/// run on it, and whether it is cut off from the API server.
pub fn says(n: &GraphNode, t: &Texts, next: Option<String>, load: (usize, bool)) -> String {
    match &n.card {
        Says::Workload { want, ready, succeeds, halt, .. } => [tally(t, *succeeds, *ready, *want)]
            .into_iter()
            .chain(halt.map(|h| halted(t, h)))
            .collect::<Vec<_>>()
            .join(", "),
        Says::Schedule { schedule, zone, halt } => {
            let next = next.map(|at| t.with("card-next", &[("at", at.into())]));
            let said = [Some(schedule.clone()), zone.clone(), halt.map(|h| halted(t, h)), next];
            said.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
        Says::Pod(p) => {
            let node = p.node.clone().unwrap_or_else(|| t.get("pod-no-node"));
            t.with(
                "label-pod",
                &[
                    ("word", p.word.clone().into()),
                    ("node", node.into()),
                    ("restarts", p.restarts.into()),
                    ("ready", (p.ready.0 as f64).into()),
                    ("of", (p.ready.1 as f64).into()),
                ],
            )
        }
        Says::Node { ready, .. } => {
            let word = if *ready { "Ready" } else { "NotReady" };
            let (pods, cut_off) = load;
            let said = t.with("label-node", &[("word", word.into()), ("n", (pods as f64).into())]);
            if cut_off { format!("{said}, {}", t.get("node-cut-off")) } else { said }
        }
        Says::Resource(standing) => standing.as_ref().map_or_else(String::new, |s| s.word.clone()),
        Says::Other => String::new(),
    }
}

fn workload(props: &Props) -> Html {
    let (n, r, t) = (&props.node.0, props.rect, &props.texts);
    let Says::Workload { want, ready, have, revision, halt, .. } = n.card else { return Html::default() };
    let kind = n.reference.kind.as_str();
    let mut head = match revision {
        Some(rev) => t.with("card-revision", &[("kind", kind.into()), ("n", (rev as f64).into())]),
        None => kind.to_owned(),
    };
    if let Some(halt) = halt {
        head = format!("{head} · {}", halted(t, halt));
    }
    let chars = ((r.w - 34.0) / 7.6) as usize;
    let (name_y, bar_y) = if props.small { (35.0, 48.0) } else { (40.0, 60.0) };
    let count = format!("{ready} / {want}");
    let room = r.w - 34.0 - count.chars().count() as f32 * 7.4 - 10.0;
    html! { <>
        <rect class={classes!("edge", who::keeper(&n.keeper))} x="10" y="12" width="3" height={(r.h - 24.0).to_string()} rx="1.5" />
        <text class="kind" x="22" y={if props.small { "18" } else { "21" }}>{ head }</text>
        <text class="name" x="22" y={name_y.to_string()}>{ middle(&n.reference.key.name, chars) }</text>
        { bars(22.0, bar_y, room, want, ready, have) }
        <text class="count" x={(r.w - 12.0).to_string()} y={(bar_y + 4.5).to_string()} text-anchor="end">{ count }</text>
    </> }
}

/// How many of the wanted pods are ready, or have succeeded.
pub fn tally(t: &Texts, succeeds: bool, ready: i32, want: i32) -> String {
    let key = if succeeds { "label-job" } else { "label-workload" };
    t.with(key, &[("ready", ready.into()), ("want", want.into())])
}

/// That a person has halted an object.
pub fn halted(t: &Texts, halt: Halt) -> String {
    t.get(match halt {
        Halt::Paused => "card-paused",
        Halt::Suspended => "card-suspended",
    })
}

/// The schedule, when it runs next, and in which time zone it is meant.
fn schedule_card(props: &Props, schedule: &str, zone: Option<&str>, halt: Option<Halt>) -> Html {
    let (n, r, t) = (&props.node.0, props.rect, &props.texts);
    let mut kind = n.reference.kind.as_str().to_owned();
    if let Some(halt) = halt {
        kind = format!("{kind} · {}", halted(t, halt));
    }
    let next = props.next.map(|at| t.with("card-next", &[("at", clock::short(at, props.now).into())]));
    let ends = |text: &str, y: &'static str| {
        html! { <text class="under" x={(r.w - 12.0).to_string()} {y} text-anchor="end">{ text.to_owned() }</text> }
    };
    let chars = ((r.w - 34.0) / 7.6) as usize;
    html! { <>
        <rect class={classes!("edge", who::keeper(&n.keeper))} x="10" y="12" width="3" height={(r.h - 24.0).to_string()} rx="1.5" />
        <text class="kind" x="22" y="18">{ kind }</text>
        <text class="name" x="22" y="34">{ middle(&n.reference.key.name, chars) }</text>
        <text class="under" x="22" y="50">{ schedule.to_owned() }</text>
        if let Some(next) = &next { { ends(next, if props.small { "34" } else { "66" }) } }
        if let Some(zone) = zone {
            if props.small { { ends(zone, "50") } }
            else { <text class="under" x="22" y="66">{ middle(zone, if next.is_some() { 15 } else { 24 }) }</text> }
        }
    </> }
}

/// A dash for each pod that is wanted or there; of very many, a part of a line.
fn bars(x: f32, y: f32, room: f32, want: i32, ready: i32, have: i32) -> Html {
    let n = want.max(have).max(0);
    if n == 0 {
        return html! { <rect class="bar none" x={x.to_string()} y={y.to_string()} width="14" height="2" rx="1" /> };
    }
    let gap = 3.0;
    let width = ((room + gap) / n as f32 - gap).min(20.0);
    if width >= 4.0 {
        let bar = |i: i32| {
            let class = if i < ready {
                "ok"
            } else if i < have {
                "wait"
            } else {
                "none"
            };
            let at = x + i as f32 * (width + gap);
            html! { <rect class={classes!("bar", class)} x={at.to_string()} y={(y - 1.5).to_string()} width={width.to_string()} height="5" rx="2.5" /> }
        };
        return html! { <>{ for (0..n).map(bar) }</> };
    }
    let room = room.max(0.0);
    let part = |of: i32| (room * of.clamp(0, n) as f32 / n as f32).to_string();
    html! { <>
        <rect class="bar none" x={x.to_string()} y={(y - 1.5).to_string()} width={room.to_string()} height="5" rx="2.5" />
        <rect class="bar wait" x={x.to_string()} y={(y - 1.5).to_string()} width={part(have)} height="5" rx="2.5" />
        <rect class="bar ok" x={x.to_string()} y={(y - 1.5).to_string()} width={part(ready)} height="5" rx="2.5" />
    </> }
}

/// The name without that of the owner, with which a pod's begins.
fn short_name(props: &Props) -> &str {
    let full = &*props.node.0.reference.key.name;
    let is_pod = props.node.0.place == Place::Pod;
    let short =
        props.owner.as_deref().filter(|_| is_pod).and_then(|o| full.strip_prefix(o)?.strip_prefix('-'));
    short.filter(|s| !s.is_empty()).unwrap_or(full)
}

fn pod_card(props: &Props, pod: &PodView) -> Html {
    let (r, t) = (props.rect, &props.texts);
    let short = short_name(props);
    let chars = ((r.w - 44.0) / 7.3) as usize;
    let calm = matches!(pod.word.as_str(), "Running");
    let under = match (&pod.node, calm) {
        (Some(node), true) if pod.ready.0 == pod.ready.1 => node.clone(),
        (Some(node), true) => format!("{node} · {}/{}", pod.ready.0, pod.ready.1),
        (None, _) if pod.word == "Pending" => t.get("pod-no-node"),
        _ => pod.word.clone(),
    };
    html! { <>
        <g transform={format!("translate(20 {})", r.h / 2.0)}>{ glyph::look(pod.look) }</g>
        <text class="name" x="36" y="18.5">{ middle(short, chars) }</text>
        <text class="under" x="36" y="33.5">{ middle(&under, ((r.w - 44.0) / 6.1) as usize) }</text>
        if pod.restarts > 0 {
            <g class="restarts" transform={format!("translate({} 14)", r.w - 16.0)}>
                <title>{ t.with("pod-restarts", &[("n", pod.restarts.into())]) }</title>
                <text text-anchor="end" x="6" y="4">{ format!("↻{}", pod.restarts) }</text>
            </g>
        }
    </> }
}

fn node_card(props: &Props, ready: bool, schedulable: bool) -> Html {
    let (n, r) = (&props.node.0, props.rect);
    let under = node_under(props, ready, schedulable);
    let well = ready && !props.cut_off;
    let mid = r.h / 2.0;
    html! { <>
        <path class={classes!("chip", if well { "calm" } else { "bad" })} transform={format!("translate(18 {mid})")}
            d="M-5.5-5.5h11v11h-11zM-8-2.5h2.5M-8 2.5h2.5M5.5-2.5H8M5.5 2.5H8M-2.5-8v2.5M2.5-8v2.5M-2.5 5.5V8M2.5 5.5V8" />
        if !well { <path class="cross" transform={format!("translate(18 {mid})")} d="M-2.5-2.5 2.5 2.5M2.5-2.5-2.5 2.5" /> }
        <text class="name" x="34" y={(mid - 2.0).to_string()}>{ middle(&n.reference.key.name, ((r.w - 40.0) / 7.2) as usize) }</text>
        <text class="under" x="34" y={(mid + 12.0).to_string()}>{ middle(&under, ((r.w - 40.0) / 6.0) as usize) }</text>
    </> }
}

fn other_card(props: &Props) -> Html {
    let (n, r) = (&props.node.0, props.rect);
    html! { <>
        <text class="kind" x="12" y="18">{ middle(n.reference.kind.as_str(), ((r.w - 24.0) / 6.0) as usize) }</text>
        <text class="name" x="12" y="34.5">{ middle(&n.reference.key.name, ((r.w - 24.0) / 7.3) as usize) }</text>
    </> }
}

/// A third line says how it stands: a full dot for well, a ring for not.
fn resource_card(props: &Props, standing: Option<&Standing>) -> Html {
    let (r, t) = (props.rect, &props.texts);
    let (tone, word, x) = match standing {
        Some(s) => (Some(if s.good { "ok" } else { "wait" }), s.word.clone(), 24.0),
        None => (None, t.get("card-no-condition"), 12.0),
    };
    html! { <>
        { other_card(props) }
        if let Some(tone) = tone { <circle class={classes!("standing", tone)} cx="15.5" cy="48.5" r="3.5" /> }
        <text class="under" x={x.to_string()} y="52">{ middle(&word, ((r.w - x - 12.0) / 6.0) as usize) }</text>
    </> }
}
