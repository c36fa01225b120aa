//! The API server: the last request, and what each stage did with it.

use std::rc::Rc;

use steady::apiserver::Stage;
use steady::client::transport;
use steady::session::MomentId;
use steady::session::view::FieldChange;
use steady::session::view::machinery::{Step, StepId, Verdict, Way, last_request, way};
use yew::prelude::*;

use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::{Texts, middle};
use crate::ui::keys;
use crate::ui::who;

/// So far back the last request is looked for.
const BACK: usize = 2000;
/// On a store of more keys than this the way of a request is only worked out when somebody asks: what
/// led to it has to be done again.
const AT_ONCE: usize = 400;

/// What of the API server is shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Grows with every step.
    pub version: u64,
    /// The moment that is looked at.
    pub at: MomentId,
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
    let open = use_state(|| None::<(StepId, &'static str)>);
    let last = {
        let store = store.clone();
        use_memo(props.version, move |_| store.with(|s| last_request(s.session(), BACK)))
    };
    let wanted = open.is_some() || props.keys <= AT_ONCE;
    let the_way = {
        let store = store.clone();
        use_memo((*last, wanted), move |(last, wanted)| {
            let (moment, n) = last.filter(|_| *wanted)?;
            store.with(|s| way(s.session(), moment, n))
        })
    };
    let exchange =
        last.and_then(|(moment, n)| store.with(|s| s.session().exchanges(moment).into_iter().nth(n)));
    let head = exchange.map(|e| {
        let code = e.response.code();
        html! {
            <p class={classes!("request", who::class(&e.request.user))}>
                <i class="dot" aria-hidden="true"></i><b>{ e.request.verb.method() }</b>
                <code title={e.request.path()}>{ middle(&e.request.path(), 46) }</code>
                <span class={classes!("chip", if code < 400 { "ok" } else { "bad" })}>{ transport::status(code) }</span>
            </p>
        }
    });
    let chips = the_way.as_ref().as_ref().map(|w| {
        let chip = |s: &Step| {
            let here = (s.id, s.plugin);
            let on = *open == Some(here);
            let open = open.clone();
            let (class, words) = verdict(&t, s);
            html! {
                <button type="button" class={classes!("stage", class, on.then_some("on"))} aria-expanded={on.to_string()}
                    aria-controls="stage-detail" title={words.clone()} aria-label={format!("{}: {words}", stage_name(&t, s))}
                    onclick={move |_| { open.set(if on { None } else { Some(here) }); if !on { keys::focus("#stage-detail"); } }}>
                    { stage_name(&t, s) }
                    if s.changes.0.len() + s.changes.1 > 0 { <span class="n">{ format!("+{}", s.changes.0.len() + s.changes.1) }</span> }
                </button>
            }
        };
        html! { <div class="stages" role="group" aria-label={t.get("map-stages")}>{ for w.steps.iter().map(chip) }</div> }
    });
    let ask = (last.is_some() && the_way.is_none()).then(|| {
        let open = open.clone();
        let text = t.get(if open.is_some() { "map-stages-far" } else { "map-stages-ask" });
        let onclick = move |_| open.set(Some((StepId::Stage(Stage::Store), "")));
        html! { <button type="button" class="quiet" {onclick} disabled={wanted}>{ text }</button> }
    });
    // What was opened stays open from request to request, where the next one has it too.
    let detail = the_way.as_ref().as_ref().zip(*open).and_then(|(w, (id, plugin))| {
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
            if open.is_some() {
                <div class="stage-detail" id="stage-detail" tabindex="-1">
                    { detail.unwrap_or_else(|| html! { <p class="muted">{ t.get("stage-absent") }</p> }) }
                </div>
            }
        </article>
    }
}

/// A stage's name; of an admission plug-in its own.
fn stage_name(t: &Texts, s: &Step) -> String {
    if s.plugin.is_empty() { t.get(&format!("stage-{}", s.id.as_str())) } else { s.plugin.to_owned() }
}

/// What came of a stage, as a class and in words.
fn verdict(t: &Texts, s: &Step) -> (&'static str, String) {
    let n = s.changes.0.len() + s.changes.1;
    match &s.verdict {
        Verdict::Refused(status) => {
            ("refused", t.with("stage-refused", &[("code", f64::from(status.code).into())]))
        }
        Verdict::NotReached => ("off", t.get("stage-not-reached")),
        Verdict::Passed if n > 0 => ("changed", t.with("stage-changed", &[("n", (n as f64).into())])),
        Verdict::Passed => ("", t.get("stage-passed")),
    }
}

/// What a stage did with this request.
fn detail(t: &Texts, w: &Way, s: &Step) -> Html {
    let about = match s.id {
        StepId::Authenticate => {
            t.with("stage-authenticate-about", &[("user", w.request.user.to_string().into())])
        }
        StepId::Stage(Stage::Decode) if w.bytes == 0 => t.get("stage-decode-none"),
        StepId::Stage(Stage::Decode) => {
            let kind = w.request.kind.as_str();
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
        Verdict::Refused(status) => Some(html! {
            <p class="bad"><b>{ format!("{} {}", status.code, status.reason) }</b>{ " " }{ &status.message }</p>
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
    let line = |(revision, object, removed): &(u64, steady::api::ObjectRef, bool)| {
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
