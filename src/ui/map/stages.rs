//! The API server: the last request, and what each stage did with it.

use std::rc::Rc;

use steady::engine::machinery::{Step, StepId, Verdict, Way};
use steady::engine::{Answer, Ask, FieldChange, Moment, Stage, Word};
use yew::prelude::*;

use crate::ui::hooks::{use_answer, use_store, use_texts};
use crate::ui::i18n::{Texts, middle};
use crate::ui::keys;
use crate::ui::who;

/// On a store of more keys than this the way of a request is only worked out when somebody asks: what
/// led to it has to be done again.
const AT_ONCE: usize = 400;

/// What of the API server is shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every step.
    pub version: u64,
    /// How many keys there are.
    pub keys: usize,
    /// Whether the step touched it.
    pub class: Classes,
}

/// The API server.
#[component]
pub fn ServerView(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let open = use_state(|| None::<(StepId, Word)>);
    let asked = use_state(|| None::<(Moment, usize)>);
    let session = store.with(|s| s.session);
    let answer = use_answer(Some(Ask::LastRequest), props.version);
    let head = match answer.as_deref() {
        Some(Answer::LastRequest(Some((moment, n, head)))) => Some(((*moment, *n), head)),
        _ => None,
    };
    let last = head.map(|(place, _)| place);
    let wanted = props.keys <= AT_ONCE || (asked.is_some() && *asked == last);
    let answer = use_answer(last.filter(|_| wanted).map(|(m, n)| Ask::Way(m, n)), u64::from(session));
    let the_way = match answer.as_deref() {
        Some(Answer::Way(Some(way))) => Some(&**way),
        _ => None,
    };
    let head = head.map(|(_, head)| {
        html! {
            <p class={classes!("request", who::class(&head.by))}>
                <i class="dot" aria-hidden="true"></i><b>{ head.method.to_string() }</b>
                <code title={head.path.clone()}>{ middle(&head.path, 46) }</code>
                <span class={classes!("chip", if (1..400).contains(&head.code) { "ok" } else { "bad" })}>{ &head.status }</span>
            </p>
        }
    });
    let chips = the_way.map(|w| {
        let chip = |s: &Step| {
            let here = (s.id, s.plugin.clone());
            let on = open.as_ref() == Some(&here);
            let open = open.clone();
            let (class, words) = verdict(&t, s);
            html! {
                <button type="button" class={classes!("stage", class, on.then_some("on"))} aria-expanded={on.to_string()}
                    aria-controls="stage-detail" title={words.clone()} aria-label={format!("{}: {words}", stage_name(&t, s))}
                    onclick={move |_| { open.set(if on { None } else { Some(here.clone()) }); if !on { keys::focus("#stage-detail"); } }}>
                    { stage_name(&t, s) }
                    if s.changes.0.len() + s.changes.1 > 0 { <span class="n">{ format!("+{}", s.changes.0.len() + s.changes.1) }</span> }
                </button>
            }
        };
        html! { <div class="stages" role="group" aria-label={t.get("map-stages")}>{ for w.steps.iter().map(chip) }</div> }
    });
    let ask = (last.is_some() && the_way.is_none()).then(|| {
        let text = t.get(if wanted { "map-stages-far" } else { "map-stages-ask" });
        let asked = asked.clone();
        let onclick = move |_| asked.set(last);
        html! { <button type="button" class="quiet" {onclick} disabled={wanted}>{ text }</button> }
    });
    // What was opened stays open from request to request, where the next one has it too.
    let detail = the_way.zip((*open).clone()).and_then(|(w, (id, plugin))| {
        let steps = &w.steps;
        let step = steps
            .iter()
            .find(|s| s.id == id && s.plugin == plugin)
            .or_else(|| steps.iter().find(|s| s.id == id));
        step.map(|s| detail(&t, w, s))
    });
    html! {
        <article class={classes!("part", "server", props.class.clone())} data-stop="server" aria-label={t.get("map-server")}>
            <h3>{ t.get("map-server") }<span class="sub">{ t.get("map-request-last") }</span></h3>
            { head.unwrap_or_else(|| html! { <p class="request muted">{ t.get("map-request-none") }</p> }) }
            { chips }
            { ask }
            if open.is_some() && the_way.is_some() {
                <div class="stage-detail" id="stage-detail" tabindex="-1">
                    { detail.unwrap_or_else(|| html! { <p class="muted">{ t.get("stage-absent") }</p> }) }
                </div>
            }
        </article>
    }
}

/// A stage's name; of an admission plug-in its own.
fn stage_name(t: &Texts, s: &Step) -> String {
    if s.plugin.is_empty() { t.get(&format!("stage-{}", s.id.as_str())) } else { s.plugin.to_string() }
}

/// What came of a stage, as a class and in words.
fn verdict(t: &Texts, s: &Step) -> (&'static str, String) {
    let n = s.changes.0.len() + s.changes.1;
    match &s.verdict {
        Verdict::Refused { code, .. } => {
            ("refused", t.with("stage-refused", &[("code", f64::from(*code).into())]))
        }
        Verdict::NotReached => ("off", t.get("stage-not-reached")),
        Verdict::Passed if n > 0 => ("changed", t.with("stage-changed", &[("n", (n as f64).into())])),
        Verdict::Passed => ("", t.get("stage-passed")),
    }
}

/// What a stage did with this request.
fn detail(t: &Texts, w: &Way, s: &Step) -> Html {
    let about = match s.id {
        StepId::Authenticate => t.with("stage-authenticate-about", &[("user", w.user.to_string().into())]),
        StepId::Stage(Stage::Decode) if w.bytes == 0 => t.get("stage-decode-none"),
        StepId::Stage(Stage::Decode) => {
            let kind = w.kind.as_str();
            t.with(
                "stage-decode-about",
                &[("media", w.media.clone().into()), ("n", (w.bytes as f64).into()), ("kind", kind.into())],
            )
        }
        StepId::Stage(Stage::Compare) => match &w.versions {
            (Some(brings), had) => {
                let had = had.clone().unwrap_or_else(|| "–".into());
                t.with("stage-compare-about", &[("brings", brings.clone().into()), ("had", had.into())])
            }
            (None, _) => t.get("stage-compare-none"),
        },
        id => t.get(&format!("stage-{}-about", id.as_str())),
    };
    let refusal = match &s.verdict {
        Verdict::Refused { code, reason, message } => Some(html! {
            <p class="bad"><b>{ format!("{code} {reason}") }</b>{ " " }{ message }</p>
        }),
        Verdict::NotReached => Some(html! { <p class="muted">{ t.get("stage-not-reached") }</p> }),
        Verdict::Passed => None,
    };
    let store = s.id == StepId::Stage(Stage::Store) && s.verdict == Verdict::Passed;
    let nothing = s.changes.0.is_empty() && refusal.is_none();
    html! { <>
        <p class="about"><b>{ stage_name(t, s) }</b>{ " " }{ about }</p>
        { refusal }
        { changes(t, &s.changes.0, s.changes.1) }
        if nothing && !store { <p class="muted">{ t.get("stage-same") }</p> }
        if store { { stored(t, w) } }
    </> }
}

fn stored(t: &Texts, w: &Way) -> Html {
    let line = |(revision, object, removed): &(u64, steady::engine::ObjectRef, bool)| {
        let key = if *removed { "stage-store-removed" } else { "stage-store-put" };
        html! { <li>{ t.with(key, &[("object", object.to_string().into()), ("n", (*revision as f64).into())]) }</li> }
    };
    let told = |(name, node, n): &(Rc<str>, Option<Rc<str>>, usize)| {
        let who = node.as_ref().map_or_else(|| name.to_string(), |node| format!("{name} {node}"));
        html! { <li>{ t.with("stage-told", &[("who", who.into()), ("n", (*n as f64).into())]) }</li> }
    };
    html! {
        <ul class="stored">
            { for w.stored.iter().map(line) }
            if w.stored.is_empty() { <li>{ t.get("stage-store-nothing") }</li> }
            { for w.told.iter().take(TOLD).map(told) }
            if w.told.len() > TOLD { <li>{ t.with("next-more", &[("n", ((w.told.len() - TOLD) as f64).into())]) }</li> }
            { for w.warnings.iter().map(|x| html! { <li class="warning">{ format!("Warning: {x}") }</li> }) }
        </ul>
    }
}

/// So many processes that are told are named.
const TOLD: usize = 6;
/// A value is shown up to so many characters.
const VALUE: usize = 160;

/// Fields that differ, a line each.
pub fn changes(t: &Texts, list: &[FieldChange], more: usize) -> Html {
    if list.is_empty() {
        return Html::default();
    }
    let value = |v: &str| middle(v, VALUE);
    let line = |c: &FieldChange| {
        html! {
            <li><code class="path">{ &c.path }</code>
                if let Some(old) = &c.old { <s>{ value(old) }</s> }
                if let Some(new) = &c.new { <b>{ value(new) }</b> } else { <b>{ "–" }</b> }</li>
        }
    };
    html! {
        <ul class="fields">{ for list.iter().map(line) }
            if more > 0 { <li>{ t.with("next-more", &[("n", (more as f64).into())]) }</li> }</ul>
    }
}
