//! How requests are said and drawn: why some were lost, and bars of how many with what the bars and lines mean. How times are said stands in `times.rs`.

use steady::engine::explorer::rehearsal::{Because, Behind, Cause, Direction};
use steady::engine::{Chart, Kind, Losses, ObjectRef, Took};
use yew::prelude::*;

use super::i18n::Texts;

/// The key of the text about why requests were lost.
fn key(cause: Cause) -> &'static str {
    match cause {
        Cause::NoSuchName => "lost-no-such-name",
        Cause::NoDns => "lost-no-dns",
        Cause::Refused(Because::NoEndpoints) => "lost-no-endpoints",
        Cause::Refused(Because::NotListening) => "lost-not-listening",
        Cause::Refused(Because::Stopping) => "lost-stopping",
        Cause::Refused(Because::NotRunning) => "lost-not-running",
        Cause::Refused(Because::NotNoticed) => "lost-not-noticed",
        Cause::Refused(_) => "lost-refused",
        Cause::TimedOut(Because::NoEndpoints) => "lost-dropped",
        Cause::TimedOut(Because::NoSuchPort) => "lost-no-such-port",
        Cause::TimedOut(Because::Gone) => "lost-gone",
        Cause::TimedOut(Because::CutOff) => "lost-cut-off",
        Cause::TimedOut(Because::Policy(Direction::Egress)) => "lost-policy-egress",
        Cause::TimedOut(Because::Policy(Direction::Ingress)) => "lost-policy-ingress",
        Cause::TimedOut(Because::NoRoute) => "lost-no-route",
        Cause::TimedOut(Because::Astray) => "lost-astray",
        Cause::TimedOut(_) => "lost-timed-out",
        Cause::Broken => "lost-broken",
        Cause::Reset => "lost-reset",
        Cause::NoHttp => "lost-no-http",
        Cause::TooSlow => "lost-too-slow",
        Cause::Status(_) => "lost-status",
        Cause::QueueFull => "lost-queue-full",
    }
}

/// Who sends requests: a pod, or somebody outside as another object says.
pub fn sender(t: &Texts, sender: &ObjectRef) -> String {
    let name = sender.key.name.to_string();
    match sender.kind == Kind::POD {
        true => name,
        false => t.with("requests-outside", &[("name", name.into()), ("kind", sender.kind.as_str().into())]),
    }
}

/// Why requests were lost.
pub fn cause(t: &Texts, cause: Cause) -> String {
    let status = match cause {
        Cause::Status(status) => f64::from(status),
        _ => 0.0,
    };
    t.with(key(cause), &[("status", status.into())])
}

/// How many requests had not been led right because somebody had not heard of a change yet, a sentence for each of them.
pub fn behind(t: &Texts, all: &[(Behind, u64)]) -> Vec<String> {
    let said = |(who, n): &(Behind, u64)| {
        let args = [("n", (*n as f64).into())];
        match who {
            Behind::Rules => t.with("lost-behind-rules", &args),
            Behind::Proxy => t.with("lost-behind-proxy", &args),
        }
    };
    all.iter().map(said).collect()
}

/// Why requests were lost: how many for each cause, and for how many of all these somebody had not heard of a change yet.
pub fn losses(t: &Texts, losses: &Losses) -> Vec<String> {
    let said = |(why, n): &(Cause, u64)| {
        t.with("lost-many", &[("n", (*n as f64).into()), ("cause", cause(t, *why).into())])
    };
    losses.causes.iter().map(said).chain(behind(t, &losses.behind)).collect()
}

const HEIGHT: f64 = 110.0;
/// The width of all bars together.
const WIDTH: f64 = 720.0;

/// The longest time that an answer of the chart took; 0 where no line is drawn.
fn longest(chart: &Chart) -> f64 {
    chart.buckets.iter().filter_map(|b| b.took).map(|t| t.max).fold(0.0, f64::max)
}

/// What the colours of the bars and the lines mean. `shown` says that the moment that is shown has a line.
pub fn legend(t: &Texts, chart: &Chart, shown: bool) -> Html {
    let key =
        |class: &'static str, text: String| html! { <span><i {class} aria-hidden="true"></i>{ text }</span> };
    html! {
        <span class="request-legend">
            { key("answered", t.get("chart-answered")) }
            { key("lost", t.get("chart-lost")) }
            if longest(chart) > 0.0 {
                { key("p50", t.get("chart-p50")) }
                { key("p99", t.get("chart-p99")) }
            }
            if shown { { key("shown", t.get("chart-shown")) } }
        </span>
    }
}

/// A line through the buckets: how long answers took, as a part of the longest time. It is interrupted where nothing was answered.
fn line(chart: &Chart, class: &'static str, of: impl Fn(&Took) -> f64) -> Html {
    let longest = longest(chart);
    if longest <= 0.0 {
        return Html::default();
    }
    let step = WIDTH / (chart.buckets.len().max(1) as f64);
    let mut path = String::new();
    let mut on = false;
    for (i, bucket) in chart.buckets.iter().enumerate() {
        let Some(took) = &bucket.took else {
            on = false;
            continue;
        };
        let (x, y) = (i as f64 * step, HEIGHT - of(took) / longest * (HEIGHT - 4.0) - 2.0);
        path.push_str(&format!("{}{x:.1} {y:.1}L{:.1} {y:.1}", if on { "L" } else { "M" }, x + step));
        on = true;
    }
    html! { <path class={class} d={path} /> }
}

/// Bars, one for each bucket of time, with what was lost on top of what was answered; lines of how long the median and the 99th
/// percentile of the answers took; and a line at a part of the width (`mark`). Bars that begin after the part `shown` are later than
/// the moment that is shown: they are pale, and a line stands before them. The label says it to who does not see it; without one the
/// picture is left to what stands around it.
pub fn bars(chart: &Chart, label: Option<String>, mark: Option<f64>, shown: Option<f64>) -> Html {
    let most = chart.buckets.iter().map(|b| b.answered + b.lost).max().unwrap_or(0).max(1) as f64;
    let step = WIDTH / (chart.buckets.len().max(1) as f64);
    let bars = chart.buckets.iter().enumerate().map(|(i, bucket)| {
        let (answered, lost) = (bucket.answered as f64 / most * HEIGHT, bucket.lost as f64 / most * HEIGHT);
        // What is lost is seen, however little it is.
        let red = if lost > 0.0 { lost.max(3.0) } else { 0.0 };
        let green = answered.min(HEIGHT - red);
        let x = i as f64 * step;
        let width = (step - 1.0).max(1.0);
        let n = |value: f64| format!("{value:.1}");
        let later = shown.is_some_and(|part| x >= part * WIDTH).then_some("later");
        html! { <>
            <rect class={classes!("answered", later)} x={n(x)} y={n(HEIGHT - green)} width={n(width)} height={n(green)} />
            if red > 0.0 {
                <rect class={classes!("lost", later)} x={n(x)} y={n(HEIGHT - green - red)} width={n(width)} height={n(red)} />
            }
        </> }
    });
    let place = |part: f64| format!("{:.1}", part * WIDTH);
    let (mark, shown) = (mark.map(place), shown.map(place));
    let (role, hidden) = if label.is_some() { (Some("img"), None) } else { (None, Some("true")) };
    html! {
        <svg class="request-bars" viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" {role} aria-hidden={hidden} aria-label={label}>
            { for bars }
            { line(chart, "p99", |t| t.p99) }
            { line(chart, "p50", |t| t.p50) }
            if let Some(x) = shown { <line class="shown" x1={x.clone()} x2={x} y1="0" y2={HEIGHT.to_string()} /> }
            if let Some(x) = mark { <line class="first" x1={x.clone()} x2={x} y1="0" y2={HEIGHT.to_string()} /> }
        </svg>
    }
}
