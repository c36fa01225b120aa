//! The story of one request that a client had sent.

use steady::engine::explorer::rehearsal::Behind;
use steady::engine::{NobodysAddress, SentStep, SentView, SentWhat};
use yew::prelude::*;

use crate::ui::hooks::use_texts;
use crate::ui::i18n::Texts;
use crate::ui::{requests, times};

/// The id of the story, which gets the focus when somebody wants to see it. From there the arrow keys step through the run.
pub const STORY: &str = "request-story";

/// What is shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The request.
    pub sent: SentView,
}

/// The story.
#[component]
pub fn Sent(props: &Props) -> Html {
    let t = use_texts();
    let sent = &props.sent;
    let args = [
        ("nth", ((sent.nth + 1) as f64).into()),
        ("pod", requests::sender(&t, &sent.sender).into()),
        ("url", sent.url.clone().into()),
        ("at", times::time(&t, sent.at).into()),
        ("clock", times::clock(sent.clock).into()),
    ];
    let verdict = match (sent.lost, sent.took) {
        (Some(cause), _) => html! { <p class="bad">{ requests::cause(&t, cause) }</p> },
        (None, Some(took)) => {
            html! { <p class="ok">{ t.with("sent-answered", &[("took", times::time(&t, took).into())]) }</p> }
        }
        (None, None) => Html::default(),
    };
    html! {
        <section class="sent" id={STORY} tabindex="-1" aria-label={t.get("sent-of")}>
            <h3>{ t.with("sent-request", &args) }</h3>
            { verdict }
            if let Some(nobody) = &sent.nobody { <p class="about">{ whose(&t, nobody) }</p> }
            <p class="about">{ times::stands(&t, &sent.stands) }</p>
            <ol>{ for sent.steps.iter().map(|s| step(&t, s)) }</ol>
        </section>
    }
}

/// Whose address it was that nobody has.
fn whose(t: &Texts, nobody: &NobodysAddress) -> String {
    let address = ("address", nobody.address.clone().into());
    let had = match &nobody.pod {
        Some(pod) => t.with("sent-gone-pod", &[address, ("pod", pod.clone().into())]),
        None => t.with("sent-gone", &[address]),
    };
    let service = |service: &String| t.with("sent-gone-service", &[("service", service.clone().into())]);
    nobody.service.iter().map(service).fold(had, |had, service| format!("{had} {service}"))
}

fn step(t: &Texts, step: &SentStep) -> Html {
    let to = |endpoint: &str, pod: &Option<String>| match pod {
        Some(pod) => format!("{pod} ({endpoint})"),
        None => endpoint.to_owned(),
    };
    let said = match &step.what {
        SentWhat::Nowhere => t.get("sent-nowhere"),
        SentWhat::WaitsForConnection => t.get("sent-waits-for-connection"),
        SentWhat::Opens { endpoint, .. } if endpoint.is_empty() => t.get("sent-opens-nowhere"),
        SentWhat::Opens { endpoint, pod, behind, through } => {
            let key = match behind {
                None => "sent-opens",
                Some(Behind::Rules) => "sent-opens-stale",
                Some(Behind::Proxy) => "sent-opens-stale-proxy",
            };
            let through = through.as_ref().map(|by| t.with("sent-through", &[("by", by.clone().into())]));
            t.with(key, &[("to", (to(endpoint, pod) + &through.unwrap_or_default()).into())])
        }
        SentWhat::PassedOn(endpoint) => t.with("sent-passed-on", &[("to", endpoint.clone().into())]),
        SentWhat::Reuses { endpoint, pod, used } => {
            t.with("sent-reuses", &[("to", to(endpoint, pod).into()), ("used", f64::from(*used).into())])
        }
        SentWhat::Waits => t.get("sent-waits"),
        SentWhat::Answered(status) => t.with("sent-status", &[("status", f64::from(*status).into())]),
        SentWhat::Again(cause, closed) => {
            let key = if *closed { "sent-again-closed" } else { "sent-again" };
            t.with(key, &[("why", requests::cause(t, *cause).into())])
        }
        SentWhat::Lost(cause) => t.with("sent-lost", &[("why", requests::cause(t, *cause).into())]),
    };
    let bad = matches!(step.what, SentWhat::Lost(_) | SentWhat::Again(..));
    html! { <li class={bad.then_some("bad")}><time>{ format!("+{}", times::time(t, step.after)) }</time>{ said }</li> }
}
