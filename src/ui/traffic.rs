//! What became of the requests of the run's clients, in one line under the timeline. Without clients it is not there.

use steady::engine::{Answer, Ask, ClientView, Input, TrafficView};
use yew::prelude::*;

use super::requests;
use crate::ui::hooks::{use_answer, use_store, use_texts};

/// The most clients that are named; the rest are in the sum.
const NAMED: usize = 4;

/// When it is asked anew.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every change of the run.
    pub version: u64,
}

/// The line.
#[component]
pub fn Traffic(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let answer = use_answer(Some(Ask::Traffic), props.version);
    let Some(Answer::Traffic(view)) = answer.as_deref() else { return Html::default() };
    let TrafficView { clients, chart, .. } = &**view;
    if clients.is_empty() {
        return Html::default();
    }
    let lost = |c: &ClientView| c.losses.iter().map(|(_, n)| n).sum::<u64>();
    let (sent, all_lost) =
        (clients.iter().map(|c| c.sent).sum::<u64>(), clients.iter().map(lost).sum::<u64>());
    let args = |sent: u64, lost: u64| [("sent", (sent as f64).into()), ("lost", (lost as f64).into())];
    let said = t.with("traffic", &args(sent, all_lost));
    let named = clients.iter().take(NAMED).map(|c| {
        let (store, pod) = (store.clone(), c.pod.clone());
        let onclick = move |_| store.send(Input::Select(Some(pod.clone())));
        let why: Vec<String> =
            c.losses.iter().map(|(cause, n)| format!("{n}: {}", requests::cause(&t, *cause))).collect();
        let title = if why.is_empty() { t.with("traffic", &args(c.sent, 0)) } else { why.join("\n") };
        html! {
            <button type="button" class={classes!("quiet", (lost(c) > 0).then_some("bad"))} {title} {onclick}>
                { format!("{} → {}", c.pod.key.name, c.url) }
                if lost(c) > 0 { <b>{ t.with("traffic-lost", &[("lost", (lost(c) as f64).into())]) }</b> }
            </button>
        }
    });
    html! {
        <div class="traffic" role="group" aria-label={t.get("traffic-of")}>
            <span class={classes!("traffic-said", (all_lost > 0).then_some("bad"))}>{ said.clone() }</span>
            { requests::bars(chart, said, None) }
            <span class="traffic-clients">{ for named }</span>
        </div>
    }
}
