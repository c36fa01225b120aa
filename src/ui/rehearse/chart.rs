//! What became of the requests of a rollout, over its time.

use steady::engine::explorer::rehearsal::{Tried, Trigger};
use yew::prelude::*;

use crate::ui::hooks::use_texts;
use crate::ui::{requests, times};

/// What is drawn.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The rollout.
    pub tried: Tried,
    /// How it was begun.
    pub trigger: Trigger,
}

/// The chart.
#[component]
pub fn Chart(props: &Props) -> Html {
    let t = use_texts();
    let Tried { chart, seconds, first, took, .. } = &props.tried;
    let args = [("sent", (props.tried.sent as f64).into()), ("lost", (props.tried.lost() as f64).into())];
    let long = (chart.seconds.max(1) as f64) * (chart.buckets.len().max(1) as f64);
    let mark = first.as_ref().map(|s| s.at / long);
    let said = t.with("rehearse-chart", &args);
    let latency = took.as_ref().map(|took| times::took(&t, took));
    let label = latency.iter().fold(said, |said, latency| format!("{said}. {latency}"));
    let begin = match props.trigger {
        Trigger::Restart | Trigger::Apply | Trigger::Undo(_) => "rehearse-begin",
        Trigger::Scale(..) => "rehearse-begin-scale",
        Trigger::Drain(_) => "rehearse-begin-drain",
    };
    // Clients that are not counted are in the bars if they ask what the others ask.
    let drawn: u64 = chart.buckets.iter().map(|b| b.answered + b.lost).sum();
    html! {
        <figure class="rehearse-chart">
            { requests::bars(chart, Some(label), mark, None) }
            <figcaption>
                <span>{ t.get(begin) }</span>
                { requests::legend(&t, chart, false) }
                if let Some(latency) = latency { <span class="took" title={t.get("took-about")}>{ latency }</span> }
                if drawn > props.tried.sent { <span>{ t.get("rehearse-chart-all") }</span> }
                <span>{ t.with("rehearse-after", &[("seconds", ((*seconds * 10.0).round() / 10.0).into())]) }</span>
            </figcaption>
        </figure>
    }
}
