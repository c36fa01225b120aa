//! How requests are said and drawn: why some were lost, and bars of how many.

use steady::engine::explorer::rehearsal::{Because, Cause, Direction};
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
        Cause::Refused(_) => "lost-refused",
        Cause::TimedOut(Because::NoEndpoints) => "lost-dropped",
        Cause::TimedOut(Because::NoSuchPort) => "lost-no-such-port",
        Cause::TimedOut(Because::Gone) => "lost-gone",
        Cause::TimedOut(Because::CutOff) => "lost-cut-off",
        Cause::TimedOut(Because::Policy(Direction::Egress)) => "lost-policy-egress",
        Cause::TimedOut(Because::Policy(Direction::Ingress)) => "lost-policy-ingress",
        Cause::TimedOut(Because::NoRoute) => "lost-no-route",
        Cause::TimedOut(_) => "lost-timed-out",
        Cause::Broken => "lost-broken",
        Cause::TooSlow => "lost-too-slow",
        Cause::Status(_) => "lost-status",
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

const HEIGHT: f64 = 110.0;
/// The width of all bars together.
const WIDTH: f64 = 720.0;

/// Bars, one for each bucket of time, with what was lost on top of what was answered; and a line at a part of the width. The
/// label says it to who does not see it.
pub fn bars(chart: &[(u64, u64)], label: String, mark: Option<f64>) -> Html {
    let most = chart.iter().map(|(answered, lost)| answered + lost).max().unwrap_or(0).max(1) as f64;
    let step = WIDTH / (chart.len().max(1) as f64);
    let bars = chart.iter().enumerate().map(|(i, (answered, lost))| {
        let (answered, lost) = (*answered as f64 / most * HEIGHT, *lost as f64 / most * HEIGHT);
        // What is lost is seen, however little it is.
        let red = if lost > 0.0 { lost.max(3.0) } else { 0.0 };
        let green = answered.min(HEIGHT - red);
        let x = i as f64 * step;
        let width = (step - 1.0).max(1.0);
        let n = |value: f64| format!("{value:.1}");
        html! { <>
            <rect class="answered" x={n(x)} y={n(HEIGHT - green)} width={n(width)} height={n(green)} />
            if red > 0.0 {
                <rect class="lost" x={n(x)} y={n(HEIGHT - green - red)} width={n(width)} height={n(red)} />
            }
        </> }
    });
    let mark = mark.map(|part| format!("{:.1}", part * WIDTH));
    html! {
        <svg class="request-bars" viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" role="img" aria-label={label}>
            { for bars }
            if let Some(x) = mark { <line class="first" x1={x.clone()} x2={x} y1="0" y2={HEIGHT.to_string()} /> }
        </svg>
    }
}
