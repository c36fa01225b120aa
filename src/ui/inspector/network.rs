//! The journey of a request that a pod could send now: the names that it asks for, the packet's way hop by hop with its headers,
//! and what becomes of it. What it comes by is lit up in the graph. One can go along it stop by stop.

use std::collections::BTreeSet;
use std::rc::Rc;

use steady::engine::explorer::rehearsal::Behind;
use steady::engine::journey::{
    EndView, HopPlace, HopView, JourneyView, Lack, LookupAnswer, LookupView, OuterView, Taken, UrlError,
    ViaView, WaitView, WaitWhat, WayView, Whose,
};
use steady::engine::{Answer, Ask, Kind, Moment, ObjectRef, SentView};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::{link, sent};
use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::{Texts, seconds};
use crate::ui::keys;
use crate::ui::store::Way;
use crate::ui::{requests, times};

/// The id of the list of URLs that the field offers.
const OFFERS: &str = "journey-offers";

/// What the tab gets.
#[derive(Properties, PartialEq)]
pub struct NetworkProps {
    /// The pod.
    pub object: ObjectRef,
    /// Grows with every step.
    pub version: u64,
    /// The URL that a lesson has led to, and a number that is another one each time.
    pub asked: Option<(String, u32)>,
    /// The moment that is looked at.
    pub at: Moment,
    /// The request that was looked at last.
    pub request: Option<Rc<SentView>>,
}

/// The tab.
#[component]
pub fn Network(props: &NetworkProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let url = use_state(|| None::<String>);
    use_effect_with(props.asked.clone(), {
        let url = url.setter();
        move |asked: &Option<(String, u32)>| {
            if let Some((asked, _)) = asked {
                url.set(Some(asked.clone()));
            }
        }
    });
    let field = use_node_ref();
    // A request that was sent is followed where it was sent, as long as nobody asks for another URL.
    let told = props
        .request
        .as_deref()
        .filter(|r| r.sender == props.object && r.moment == props.at && url.is_none());
    let ask = match told {
        Some(sent) => Ask::Journey(sent.sender.clone(), Some(sent.url.clone()), sent.nth),
        None => Ask::Journey(props.object.clone(), (*url).clone(), 0),
    };
    let answer = use_answer(Some(ask), props.version);
    let view = match answer.as_deref() {
        Some(Answer::Journey(view)) => Some(&**view),
        _ => None,
    };
    let way = match view.map(|v| &v.taken) {
        Some(Taken::Followed(f)) => Some(&**f),
        _ => None,
    };
    let stops = way.map(WayView::stops).unwrap_or_default();
    let chosen = use_state(|| None::<Chosen>);
    let now = chosen.as_ref().filter(|(_, of)| *of == stops).map(|(at, _)| *at);
    let lit: BTreeSet<ObjectRef> = match (now.and_then(|n| stops.get(n)), way) {
        (Some(at), _) => at.iter().cloned().collect(),
        (None, Some(f)) => f.objects.iter().cloned().collect(),
        (None, None) => BTreeSet::new(),
    };
    let along = Way { along: stops.iter().map(|s| s.first().cloned()).collect(), at: now };
    // A step puts the light out, so it is lit again with every version.
    use_effect_with((lit, along, props.version), {
        let store = store.clone();
        move |(lit, along, _)| {
            store.show_way(lit.clone(), along.clone());
            move || store.show_way(BTreeSet::new(), Way::default())
        }
    });
    let list = use_node_ref();
    use_effect_with(now, {
        let list = list.clone();
        move |now| {
            if now.is_some() {
                keys::into_sight(&list, ".stop-now");
            }
        }
    });
    let Some(view) = view else { return Html::default() };
    let from_pod = props.object.kind == Kind::POD;
    let follow = {
        let (url, field) = (url.clone(), field.clone());
        move || {
            let text = field.cast::<HtmlInputElement>().map(|i| i.value()).unwrap_or_default();
            url.set(Some(text).filter(|t| !t.trim().is_empty()));
        }
    };
    // What was asked for stands there also while the answer is on its way.
    let written = (*url).clone().unwrap_or_else(|| view.url.clone());
    let onsubmit = {
        let follow = follow.clone();
        move |e: SubmitEvent| {
            e.prevent_default();
            follow();
        }
    };
    html! { <>
        <form class="journey-ask" {onsubmit}>
            <label for="journey-url">{ t.get(if from_pod { "journey-url" } else { "journey-url-outside" }) }</label>
            <input id="journey-url" ref={field} type="text" inputmode="url" list={OFFERS} autocomplete="off" spellcheck="false"
                autocapitalize="none" value={written} placeholder={if from_pod { "http://web" } else { "http://172.18.0.2:30080" }} onchange={move |_: Event| follow()} />
            <datalist id={OFFERS}>{ for view.offers.iter().map(|o| html! { <option value={o.clone()} /> }) }</datalist>
            <button type="submit" class="quiet">{ t.get("journey-follow") }</button>
        </form>
        if let Some(sent) = told { <sent::Sent sent={sent.clone()} /> }
        <p class="about">{ t.get(if told.is_some() { "journey-about-sent" } else { "journey-about" }) }</p>
        if stops.len() > 1 { { stepper(&t, &stops, now, &chosen) } }
        <div ref={list}>{ taken(&t, &store, view, &props.object, now) }</div>
    </> }
}

/// The stop that is looked at, and the stops of the way that was shown then, each with its objects.
type Chosen = (usize, Vec<Vec<ObjectRef>>);

/// The buttons with which one goes along the way.
fn stepper(
    t: &Texts,
    stops: &[Vec<ObjectRef>],
    now: Option<usize>,
    chosen: &UseStateHandle<Option<Chosen>>,
) -> Html {
    let to = |at: Option<usize>| {
        let (chosen, stops) = (chosen.clone(), stops.to_vec());
        move |_: MouseEvent| chosen.set(at.map(|at| (at, stops.clone())))
    };
    let many = stops.len();
    let next = now.map_or(0, |n| n + 1);
    let where_ = match now {
        Some(n) => {
            let objects: Vec<String> =
                stops.get(n).into_iter().flatten().map(|o| o.key.name.to_string()).collect();
            let args = [
                ("n", ((n + 1) as f64).into()),
                ("of", (many as f64).into()),
                ("at", objects.join(", ").into()),
            ];
            t.with("journey-stop", &args)
        }
        None => t.with("journey-stops", &[("of", (many as f64).into())]),
    };
    html! {
        <div class="stepper" role="group" aria-label={t.get("journey-stepper")}>
            <button type="button" class="quiet" disabled={now.is_none()} onclick={to(now.and_then(|n| n.checked_sub(1)))}>{ t.get("journey-stop-back") }</button>
            <button type="button" class="quiet" disabled={next >= many} onclick={to(Some(next))}>{ t.get("journey-stop-next") }</button>
            <span aria-live="polite">{ where_ }</span>
        </div>
    }
}

/// The class of a stop and what it is to a screen reader; nothing for one that is not looked at.
type Mark = (Option<&'static str>, Option<&'static str>);

/// Which stop of a way comes next as it is drawn, and which one is looked at.
struct Stops {
    next: usize,
    now: Option<usize>,
}

impl Stops {
    /// How the next stop is marked.
    fn mark(&mut self) -> Mark {
        let now = self.now == Some(self.next);
        self.next += 1;
        (now.then_some("stop-now"), now.then_some("step"))
    }
}

fn taken(
    t: &Texts,
    store: &crate::ui::store::Store,
    view: &JourneyView,
    pod: &ObjectRef,
    now: Option<usize>,
) -> Html {
    let key = match &view.taken {
        Taken::Followed(f) => return followed(t, store, f, pod, &mut Stops { next: 0, now }),
        Taken::Nothing if pod.kind == Kind::POD => "journey-none",
        Taken::Nothing => "journey-none-outside",
        Taken::NotRunning => "journey-not-running",
        Taken::NotAUrl(UrlError::Scheme) => "journey-url-scheme",
        Taken::NotAUrl(UrlError::Port) => "journey-url-port",
        Taken::NotAUrl(UrlError::NoHost) => "journey-url-host",
        Taken::NotAUrl(UrlError::Words) => "journey-url-words",
    };
    html! { <p class="empty" role="status">{ t.get(key) }</p> }
}

fn followed(
    t: &Texts,
    store: &crate::ui::store::Store,
    f: &WayView,
    pod: &ObjectRef,
    stops: &mut Stops,
) -> Html {
    let lookups: Vec<Html> = f.lookups.iter().map(|l| lookup(t, l, stops.mark())).collect();
    let verdict = match (f.lost, f.status) {
        (Some(cause), _) => html! { <p class="bad">{ requests::cause(t, cause) }</p> },
        (None, Some(status)) => {
            let by = f.endpoint.clone().unwrap_or_default();
            let key = if by.is_empty() { "journey-answered" } else { "journey-answered-by" };
            let said = t.with(key, &[("status", f64::from(status).into()), ("by", by.into())]);
            html! { <>
                <p class="ok">{ said }</p>
                if let Some(takes) = f.takes {
                    <p class="about">{ t.with("journey-takes", &[("time", times::time(t, takes).into())]) }</p>
                }
            </> }
        }
        (None, None) => Html::default(),
    };
    let policies = f.objects.iter().filter(|o| o.kind == Kind::NETWORK_POLICY);
    html! { <>
        <div class="verdict" role="status">{ verdict }
            if let Some(behind) = f.behind {
                <p class="about">{ t.get(match behind { Behind::Rules => "journey-stale", Behind::Proxy => "journey-behind-proxy" }) }</p>
            }
            { for f.waits.iter().map(|w| wait(t, w)) }
            <ul class="links">{ for policies.map(|p| html! { <li>{ link(store, p) }</li> }) }</ul>
        </div>
        if !f.lookups.is_empty() {
            <h3>{ t.get("journey-names") }</h3>
            <ul class="lookups">{ for lookups }</ul>
        }
        if f.hops.is_empty() && f.status.is_some() {
            <p class="about">{ t.with("journey-within", &[("pod", pod.key.name.to_string().into())]) }</p>
        }
        { way(t, store, f, stops) }
    </> }
}

/// What the rules of a node wait for.
fn wait(t: &Texts, w: &WaitView) -> Html {
    let key = match w.what {
        WaitWhat::Stopped => "journey-wait-stopped",
        WaitWhat::News => "journey-wait-news",
        WaitWhat::Work => "journey-wait-work",
        WaitWhat::Period => "journey-wait-period",
    };
    let args = [("node", w.node.clone().into()), ("s", seconds(w.left).into())];
    html! { <p class="about">{ t.with(key, &args) }</p> }
}

/// A node, or the person's own machine, which has no name.
fn machine(t: &Texts, node: &str) -> String {
    if node.is_empty() { t.get("hop-own-machine") } else { node.to_owned() }
}

/// The places of a way, each node with a heading where the packet comes to it.
fn stages(t: &Texts, hops: &[HopView], mut mark: impl FnMut() -> Mark) -> Vec<Html> {
    let before = std::iter::once(None).chain(hops.iter().map(Some));
    let stage_of = |(hop, before): (&HopView, Option<&HopView>)| {
        let enters = before.is_none_or(|b| b.node != hop.node);
        html! { <>
            if enters { <li class="hop-node"><h4>{ machine(t, &hop.node) }</h4></li> }
            { stage(t, hop, before, mark()) }
        </> }
    };
    hops.iter().zip(before).map(stage_of).collect()
}

/// The answer's way, which is shown when it is asked for.
fn answer(t: &Texts, f: &WayView) -> Html {
    let Some(end) = f.back_end.as_ref().filter(|_| !f.back.is_empty()) else { return Html::default() };
    let arrived = matches!(end, EndView::Arrived { .. });
    html! {
        <details class="answer-way">
            <summary>{ t.get("journey-back") }</summary>
            <p class="about">{ t.get("journey-back-about") }</p>
            <ol class="hops">{ for stages(t, &f.back, || (None, None)) }
                <li class={classes!("hop-end", if arrived { "ok" } else { "bad" })}>{ ends(t, end) }</li>
            </ol>
        </details>
    }
}

/// The way of the first packet and of the answer to it and, behind a proxy, those of the request with which it is passed on.
fn way(t: &Texts, store: &crate::ui::store::Store, f: &WayView, stops: &mut Stops) -> Html {
    let stages = stages(t, &f.hops, || stops.mark());
    let end = f.end.as_ref().filter(|_| !f.hops.is_empty()).map(|end| (end, stops.mark()));
    let proxy = f.via.as_ref().map(|v| (v, stops.mark()));
    // `WayView::stops` counts what the proxy asks the DNS, too.
    let onward = f.onward.as_ref().map(|onward| {
        stops.next += onward.lookups.len();
        way(t, store, onward, stops)
    });
    // What comes to the controller has not come to its end.
    let lost = f.lost.is_some() && f.via.is_none();
    html! { <>
        if !f.hops.is_empty() {
            <h3>{ t.get("journey-way") }</h3>
            <ol class="hops">{ for stages }
                if let Some((end, (now, step))) = end {
                    <li class={classes!("hop-end", if lost { "bad" } else { "ok" }, now)} aria-current={step}>{ ends(t, end) }</li>
                }
            </ol>
            { answer(t, f) }
        }
        if let Some((v, mark)) = proxy { { via(t, store, v, mark) } }
        { for onward }
    </> }
}

/// What a proxy does with the request: that of an ingress controller or of a Gateway, or an nginx with a configuration of its own.
fn via(t: &Texts, store: &crate::ui::store::Store, v: &ViaView, (now, step): Mark) -> Html {
    let name = |o: &Option<ObjectRef>| o.as_ref().map(|o| o.key.name.to_string()).unwrap_or_default();
    let host = if v.host.is_empty() { "*".to_owned() } else { v.host.clone() };
    let (path, kind) = v.rule.clone().unwrap_or_default();
    let args = [
        ("of", name(&v.of).into()),
        ("service", name(&v.service).into()),
        ("host", host.into()),
        ("path", path.into()),
        ("type", kind.into()),
    ];
    let rule = match (&v.rule, &v.service) {
        (Some(_), Some(_)) if v.whose == Whose::Gateway => "journey-via-route",
        (Some(_), None) if v.whose == Whose::Gateway => "journey-via-route-alone",
        (Some(_), _) if v.whose == Whose::Configuration => "journey-via-location-of",
        (None, _) if v.whose == Whose::Configuration => "journey-via-server-of",
        (Some(_), _) => "journey-via-rule",
        (None, Some(_)) => "journey-via-default",
        (None, None) => "journey-via-none",
    };
    let lack = v.lack.map(|lack| match lack {
        Lack::NoService => "journey-via-no-service",
        Lack::NoPort => "journey-via-no-port",
        Lack::NoEndpoints => "journey-via-no-endpoints",
        Lack::NotResolved => "journey-via-not-resolved",
        Lack::BadFilter => "journey-via-bad-filter",
        Lack::NoWeight => "journey-via-no-weight",
        Lack::NoAddress => "journey-via-no-address",
    });
    let heading = match (v.whose, v.passed) {
        (Whose::Ingress, true) => "journey-via",
        (Whose::Ingress, false) => "journey-via-answers",
        (Whose::Gateway, true) => "journey-via-gateway",
        (Whose::Gateway, false) => "journey-via-gateway-answers",
        (Whose::Configuration, true) => "journey-via-nginx",
        (Whose::Configuration, false) => "journey-via-nginx-answers",
    };
    let failed = Some(v.failed.join(", ")).filter(|f| !f.is_empty());
    html! { <section class={classes!("via", now)} aria-current={step}>
        <h3>{ t.with(heading, &[("pod", v.pod.key.name.to_string().into())]) }</h3>
        <p>{ t.with(rule, &args) }</p>
        if let Some(lack) = lack { <p class="bad">{ t.with(lack, &args) }</p> }
        if let Some(to) = &v.location { <p>{ t.with("journey-via-location", &[("location", to.clone().into())]) }</p> }
        if let Some(failed) = failed { <p class="about">{ t.with("journey-via-failed", &[("endpoints", failed.into())]) }</p> }
        if let Some(of) = &v.of { <ul class="links"><li>{ link(store, of) }</li></ul> }
    </section> }
}

fn lookup(t: &Texts, l: &LookupView, (now, step): Mark) -> Html {
    let (class, answer) = match &l.answer {
        LookupAnswer::Silence => ("bad", t.get("journey-name-silence")),
        LookupAnswer::NxDomain => ("none", "NXDOMAIN".to_owned()),
        LookupAnswer::Addresses(all) if all.is_empty() => ("none", t.get("journey-name-empty")),
        LookupAnswer::Addresses(all) => ("ok", all.join(" ")),
    };
    html! { <li class={now} aria-current={step}><code>{ &l.name }{ " " }<span class="how">{ &l.record }</span></code><b {class}>{ answer }</b></li> }
}

/// A hop. Its headers are shown where the packet begins and where they have changed.
fn stage(t: &Texts, hop: &HopView, before: Option<&HopView>, (now, step): Mark) -> Html {
    let key = match hop.place {
        HopPlace::Process => "hop-process",
        HopPlace::Kernel => "hop-kernel",
        HopPlace::PodInterface => "hop-pod-interface",
        HopPlace::Veth => "hop-veth",
        HopPlace::Bridge => "hop-bridge",
        HopPlace::KubeProxy => "hop-kube-proxy",
        HopPlace::Route => "hop-route",
        HopPlace::Policy => "hop-policy",
        HopPlace::Masquerade => "hop-masquerade",
        HopPlace::Conntrack => "hop-conntrack",
        HopPlace::Tunnel => "hop-tunnel",
        HopPlace::UserSpace => "hop-user-space",
        HopPlace::Interface if hop.node.is_empty() => "hop-interface-outside",
        HopPlace::Interface => "hop-interface",
        HopPlace::Balancer => "hop-balancer",
    };
    let place = match (&hop.pod, hop.place) {
        (Some(pod), HopPlace::Process) => t.with("hop-process-of", &[("pod", pod.clone().into())]),
        (Some(pod), HopPlace::Kernel) => t.with("hop-kernel-of", &[("pod", pod.clone().into())]),
        _ => t.get(key),
    };
    let changed = hop.new_source || hop.new_destination || before.is_none();
    let side =
        |text: &str, new: bool| html! { <span class={new.then_some("new")}>{ text.to_owned() }</span> };
    html! {
        <li class={classes!("hop", (hop.place == HopPlace::Policy).then_some("bad"), now)} aria-current={step}>
            <p>{ place }if !hop.detail.is_empty() { { " " }<code>{ &hop.detail }</code> }</p>
            if !hop.rules.is_empty() {
                <pre class="klog rule-lines" tabindex="0" aria-label={t.get("hop-kube-proxy")}>
                    { for hop.rules.iter().map(|rule| html! { <span>{ rule }{ "\n" }</span> }) }
                </pre>
            }
            if changed {
                <p class="headers"><code>{ side(&hop.source, hop.new_source) }{ " → " }{ side(&hop.destination, hop.new_destination) }{ " " }{ &hop.protocol }</code></p>
            }
            if let Some(outer) = hop.outer.as_ref().filter(|o| before.and_then(|b| b.outer.as_ref()) != Some(*o)) { { packed(t, outer) } }
        </li>
    }
}

fn packed(t: &Texts, outer: &OuterView) -> Html {
    let args = [
        ("source", outer.source.clone().into()),
        ("destination", outer.destination.clone().into()),
        ("bytes", f64::from(outer.overhead).into()),
        ("mtu", f64::from(outer.mtu).into()),
        ("copies", f64::from(outer.copies).into()),
    ];
    let vni = outer.vni.map(|vni| format!(" (VNI {vni})")).unwrap_or_default();
    html! { <p class="headers outer">{ t.with("hop-packed", &args) }{ vni }</p> }
}

fn ends(t: &Texts, end: &EndView) -> String {
    match end {
        EndView::Arrived { node, pod: Some(pod) } => {
            t.with("journey-end-pod", &[("pod", pod.clone().into()), ("node", node.clone().into())])
        }
        EndView::Arrived { node, pod: None } => {
            t.with("journey-end-node", &[("node", machine(t, node).into())])
        }
        EndView::Refused { node, pod, port } => {
            let key = if pod.is_some() { "journey-end-refused-pod" } else { "journey-end-refused-node" };
            let pod = pod.clone().unwrap_or_default();
            // A port is a name here, and no number with separators.
            let args =
                [("pod", pod.into()), ("node", machine(t, node).into()), ("port", port.to_string().into())];
            t.with(key, &args)
        }
        EndView::Neighbour => t.get("journey-end-neighbour"),
        EndView::Outside => t.get("journey-end-outside"),
        EndView::Lost => t.get("journey-end-lost"),
        EndView::Rejected => t.get("journey-end-rejected"),
        EndView::Dropped => t.get("journey-end-dropped"),
        EndView::Denied(policies) => {
            t.with("journey-end-denied", &[("policies", policies.join(", ").into())])
        }
        EndView::Untracked { node } => t.with("journey-end-untracked", &[("node", machine(t, node).into())]),
    }
}
