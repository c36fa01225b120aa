//! What became of the requests of the run's clients, in one line under the timeline. Without clients it is not there.
//!
//! The chart is a slider over its buckets: the arrow keys or the pointer choose one, whose numbers are said, and Enter or a press leads
//! to a request of it, at its moment. Below it stand what its colours and lines mean, and why requests were lost: those of the bucket that
//! is chosen, or else all. A bar that was pressed is let go by a second press, by Escape and by another run ([`Picked`]). That text has room for two lines, so that the line is as high whatever is chosen; of more it can be scrolled.

use std::rc::Rc;

use steady::engine::{Answer, Ask, Bucket, Input, Losses, SentView, TrafficView};
use web_sys::Element;
use yew::prelude::*;

use super::alike::apart;
use super::i18n::Texts;
use super::picked::Picked;
use super::{requests, times};
use crate::ui::hooks::{use_answer, use_store, use_texts};

/// The most clients that are named; the rest are in the sum.
const NAMED: usize = 4;

/// When it is asked anew.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every change of the run.
    pub version: u64,
    /// A request is to be looked at.
    pub open: Callback<Rc<SentView>>,
}

fn sums(t: &Texts, sent: u64, lost: u64) -> String {
    t.with("traffic", &[("sent", (sent as f64).into()), ("lost", (lost as f64).into())])
}

/// What is said of a bucket: its seconds in these words, its numbers, and how long the answers took.
fn bucket_said(t: &Texts, seconds: String, bucket: &Bucket) -> String {
    let sums = sums(t, bucket.answered + bucket.lost, bucket.lost);
    let took = bucket.took.as_ref().map(|took| times::took(t, took)).unwrap_or_default();
    let all = [seconds, sums, took];
    all.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The line.
#[component]
pub fn Traffic(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let answer = use_answer(Some(Ask::Traffic), props.version);
    // The bucket that is chosen, and the seconds of which a request is looked for.
    let chosen = use_state(Picked::default);
    let asked = use_state(|| None::<(i64, i64)>);
    // The seconds of which was asked last, if no request began in them, and at which version of the run.
    let empty = use_state(|| None::<(u64, (i64, i64))>);
    let found = use_answer(asked.map(|(begin, seconds)| Ask::Sent(begin, seconds)), props.version);
    use_effect_with(found, {
        let (asked, empty, open, version) = (asked.clone(), empty.clone(), props.open.clone(), props.version);
        move |found| {
            if let (Some(Answer::Sent(found)), Some(seconds)) = (found.as_deref(), *asked) {
                asked.set(None);
                empty.set(found.is_none().then_some((version, seconds)));
                if let Some(view) = found {
                    open.emit(Rc::new((**view).clone()));
                }
            }
        }
    });
    // Another run has another chart.
    let session = store.with(|s| s.session);
    use_effect_with(session, {
        let (chosen, asked, empty) = (chosen.clone(), asked.clone(), empty.clone());
        move |_| {
            chosen.set(Picked::default());
            asked.set(None);
            empty.set(None);
        }
    });
    let Some(Answer::Traffic(view)) = answer.as_deref() else { return Html::default() };
    let TrafficView { clients, chart, sent, lost, losses, waiting, took, shown, whole } = &**view;
    let run = whole.as_ref();
    if *sent == 0 && clients.is_empty() && run.is_none_or(|run| run.sent == 0) {
        return Html::default();
    }
    let any_lost = *lost > 0 || run.is_some_and(|run| run.lost > 0);
    let waits = (*waiting > 0).then(|| t.with("traffic-waiting", &[("n", (*waiting as f64).into())]));
    let so_far = [Some(sums(&t, *sent, *lost)), waits].into_iter().flatten().collect::<Vec<_>>().join(", ");
    // Where the run has gone on, both are said: a request that is on its way here is answered or lost there.
    let said = match run {
        None => so_far,
        Some(run) => {
            let args = [("here", so_far.into()), ("run", sums(&t, run.sent, run.lost).into())];
            t.with("traffic-until-here", &args)
        }
    };
    let axis = times::axis(&t, chart);
    let latency = took.as_ref().map(|took| times::took(&t, took));
    // As long as no bar is chosen, the whole is described, and what its time is counted from.
    let whole_told = latency.into_iter().chain([axis.clone()]).collect::<Vec<_>>().join(" · ");
    let last = chart.buckets.len().saturating_sub(1);
    let long = (chart.seconds.max(1) as f64) * (chart.buckets.len().max(1) as f64);
    let here = run.map(|_| (shown / long).clamp(0.0, 1.0));
    // A part of the width is a place in the list.
    let here_place = here.map_or(last, |part| ((part * chart.buckets.len() as f64) as usize).min(last));
    let place = chosen.place().map(|place| place.min(last));
    let bucket = place.and_then(|place| Some((place, chart.buckets.get(place)?)));
    // On the page the numbers need the room of the clock, which stands beside why requests were lost.
    let told = bucket.map(|(place, bucket)| bucket_said(&t, times::span(&t, chart, place), bucket));
    let heard = bucket.map(|(place, bucket)| bucket_said(&t, times::seconds_of(&t, chart, place), bucket));
    let why_of = |losses: &Losses| requests::losses(&t, losses).join(t.get("lost-join").as_str());
    let why = match (bucket, run) {
        (Some((_, bucket)), _) if bucket.lost == 0 => String::new(),
        (Some((place, bucket)), _) => {
            let seconds = times::seconds_of(&t, chart, place);
            t.with(
                "traffic-why-seconds",
                &[("seconds", seconds.into()), ("why", why_of(&bucket.losses).into())],
            )
        }
        (None, Some(run)) => t.with("traffic-why-run", &[("why", why_of(&run.losses).into())]),
        (None, None) => why_of(losses),
    };
    // It is said as long as the pointer, or the choice, stays at these seconds, and the run where it is.
    let seconds_of = {
        let (begin, seconds) = (chart.begin, chart.seconds);
        move |place: usize| (begin + i64::try_from(place).unwrap_or(0) * seconds, seconds)
    };
    let nobody = place
        .filter(|place| *empty == Some((props.version, seconds_of(*place))))
        .map(|place| t.with("traffic-nobody", &[("seconds", times::seconds_of(&t, chart, place).into())]));
    let look = {
        let asked = asked.clone();
        Callback::from(move |place: usize| asked.set(Some(seconds_of(place))))
    };
    let at = {
        let many = chart.buckets.len().max(1) as f64;
        move |e: &MouseEvent| {
            let element =
                e.current_target().and_then(|t| wasm_bindgen::JsCast::dyn_into::<Element>(t).ok())?;
            let shape = element.get_bounding_client_rect();
            let part = (f64::from(e.client_x()) - shape.left()) / shape.width().max(1.0);
            Some((part.clamp(0.0, 0.9999) * many) as usize)
        }
    };
    let onmousemove = {
        let chosen = chosen.clone();
        move |e: MouseEvent| chosen.set(chosen.point(at(&e)))
    };
    let onclick = {
        let (chosen, look) = (chosen.clone(), look.clone());
        move |e: MouseEvent| {
            let Some(place) = at(&e) else { return };
            let (picked, looks) = chosen.press(place);
            chosen.set(picked);
            if looks {
                look.emit(place);
            }
        }
    };
    let onkeydown = {
        let (chosen, look) = (chosen.clone(), look.clone());
        move |e: KeyboardEvent| {
            let now = chosen.place().map_or(here_place, |place| place.min(last));
            if e.key() == "Escape" {
                if let Some(picked) = chosen.escape() {
                    chosen.set(picked);
                    e.prevent_default();
                    e.stop_propagation();
                }
                return;
            }
            let to = match e.key().as_str() {
                "ArrowLeft" | "ArrowDown" => now.saturating_sub(1),
                "ArrowRight" | "ArrowUp" => (now + 1).min(last),
                "Home" => 0,
                "End" => last,
                "Enter" | " " => {
                    look.emit(now);
                    now
                }
                _ => return,
            };
            e.prevent_default();
            // The page's own keys step through the run.
            e.stop_propagation();
            chosen.set(Picked::walk(to));
        }
    };
    let first = {
        let (asked, begin) = (asked.clone(), chart.begin);
        let seconds = chart.seconds.saturating_mul(i64::try_from(chart.buckets.len()).unwrap_or(1));
        move |_: MouseEvent| asked.set(Some((begin, seconds)))
    };
    let named = clients.get(..NAMED).unwrap_or(clients);
    let senders: Vec<String> = named.iter().map(|c| requests::sender(&t, &c.sender)).collect();
    // For the whole names of more than two there is no room: what tells them apart stands there, and the whole in the tooltip.
    let is_crowded = named.len() > 2;
    let short = if is_crowded { apart(&senders) } else { senders.iter().map(String::as_str).collect() };
    let one_address = is_crowded && named.iter().zip(named.iter().skip(1)).all(|(a, b)| a.url == b.url);
    let named = named.iter().zip(&senders).zip(short).map(|((c, sender), short)| {
        let (store, of) = (store.clone(), c.sender.clone());
        let onclick = move |_| store.send(Input::Select(Some(of.clone())));
        let lost = c.losses.all();
        let mut about = vec![format!("{sender} → {}", c.url), sums(&t, c.sent, lost)];
        about.extend(requests::losses(&t, &c.losses));
        about.extend(c.took.as_ref().map(|took| times::took(&t, took)));
        for (endpoint, n) in c.connections.iter().flatten() {
            let args = [("n", (*n as f64).into()), ("endpoint", endpoint.clone().into())];
            about.push(t.with("traffic-connections", &args));
        }
        html! {
            <button type="button" class={classes!("quiet", (lost > 0).then_some("bad"))} title={about.join("\n")} {onclick}>
                <span>{ if one_address { short.to_owned() } else { format!("{short} → {}", c.url) } }</span>
                if lost > 0 { <b>{ t.with("traffic-lost", &[("lost", (lost as f64).into())]) }</b> }
            </button>
        }
    });
    let (mark, now) = match bucket {
        Some((place, _)) => (Some((place as f64 + 0.5) / chart.buckets.len().max(1) as f64), place),
        None => (None, here_place),
    };
    let valuetext = match &heard {
        Some(heard) if why.is_empty() => heard.clone(),
        Some(heard) => format!("{heard} · {why}"),
        None => said.clone(),
    };
    // The page's own keys step through the run; these two scroll here.
    let scrolls = |e: KeyboardEvent| {
        if matches!(e.key().as_str(), "ArrowUp" | "ArrowDown") {
            e.stop_propagation();
        }
    };
    html! {
        <div class="traffic" role="group" aria-label={t.get("traffic-of")}>
            <span class={classes!("traffic-said", any_lost.then_some("bad"))}>{ said }</span>
            <div class="traffic-chart" role="slider" tabindex="0" aria-label={format!("{} ({axis})", t.get("traffic-chart"))} aria-valuemin="0" aria-valuemax={last.to_string()}
                aria-valuenow={now.to_string()} aria-valuetext={valuetext} title={format!("{} {axis}", t.get("traffic-chart-about"))}
                {onmousemove} onmouseleave={let chosen = chosen.clone(); move |_: MouseEvent| chosen.set(chosen.leave())} {onclick} {onkeydown}>
                { requests::bars(chart, None, mark, here) }
            </div>
            <span class="traffic-rest">
                <span class="took" title={t.get("took-about")}>
                    <span role="status">{ nobody.clone().unwrap_or_default() }</span>
                    if nobody.is_none() { { told.unwrap_or(whole_told) } }
                </span>
                if chosen.is_held() {
                    <button type="button" class="quiet traffic-let-go" title={t.get("traffic-let-go-about")}
                        onclick={let chosen = chosen.clone(); move |_: MouseEvent| chosen.set(Picked::default())}>{ t.get("traffic-let-go") }</button>
                }
                <span class={classes!("traffic-clients", one_address.then_some("short"))}>{ for named }</span>
            </span>
            { requests::legend(&t, chart, here.is_some()) }
            if any_lost {
                <span class="traffic-lost">
                    <button type="button" class="quiet bad traffic-first" onclick={first}>{ t.get("traffic-first") }</button>
                    <span class="traffic-why" role="group" tabindex="0" aria-label={t.get("traffic-why")} onkeydown={scrolls}>{ why }</span>
                </span>
            }
        </div>
    }
}
