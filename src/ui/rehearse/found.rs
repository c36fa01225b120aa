//! What a rehearsal found: how many requests were lost, how the first one was, and what mends it.

use std::cmp::Ordering;
use std::rc::Rc;

use steady::engine::explorer::rehearsal::{
    Behind, Cause, Happened, Loser, Mend, NoRehearsal, Rehearsed, Story, Tried, Trigger,
};
use steady::engine::{Kind, Losses};
use yew::prelude::*;

use super::chart::Chart;
use super::words;
use crate::ui::hooks::use_texts;
use crate::ui::i18n::Texts;
use crate::ui::{requests, times};

/// A rollout to be opened: its link, and after how many of its ops.
pub type Way = (String, usize);

/// What is shown.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What was found.
    pub found: Rc<Rehearsed>,
    /// Whether rollouts can be opened now.
    pub can_open: bool,
    /// Opens a rollout at a moment.
    pub open: Callback<Way>,
    /// Opens a rollout at a moment, and asks there for every order whether requests are lost.
    pub explore: Callback<Way>,
}

fn whole(n: u64) -> fluent_bundle::FluentValue<'static> {
    (n as f64).into()
}

fn tenths(seconds: f64) -> fluent_bundle::FluentValue<'static> {
    ((seconds * 10.0).round() / 10.0).into()
}

/// How a number of requests were lost, one line a cause, and for how many of them somebody had not heard of the change yet.
fn causes(t: &Texts, all: &[(Cause, u64)], behind: &[(Behind, u64)]) -> Html {
    let line = |(cause, n): &(Cause, u64)| {
        html! { <li class="bad"><i aria-hidden="true"></i><div><b>{ n.to_string() }</b>{ " " }{ requests::cause(t, *cause) }</div></li> }
    };
    let late =
        requests::behind(t, behind).into_iter().map(|said| html! { <p class="board-hint">{ said }</p> });
    html! { <><ul>{ for all.iter().map(line) }</ul>{ for late }</> }
}

/// The clients that lose requests before anything is changed. `others` says that there are clients that do not.
fn losers(t: &Texts, all: &[Loser], others: bool) -> Html {
    let Some(one) = all.first() else { return Html::default() };
    let args = [("clients", whole(all.len() as u64)), ("seconds", tenths(one.seconds))];
    let line = |loser: &Loser| {
        let lost: u64 = loser.losses.iter().map(|(_, n)| n).sum();
        let args = [
            ("client", requests::sender(t, &loser.client).into()),
            ("url", loser.url.as_str().into()),
            ("lost", whole(lost)),
            ("sent", whole(loser.sent)),
        ];
        let why = requests::losses(t, &Losses { causes: loser.losses.clone(), behind: Vec::new() });
        html! { <li class="bad"><i aria-hidden="true"></i><div>{ t.with("rehearse-loser", &args) }{ " " }{ why.join(" ") }</div></li> }
    };
    let span = t.with(if others { "rehearse-aside" } else { "rehearse-before-span" }, &args);
    html! { <><p class="board-hint">{ span }</p><ul>{ for all.iter().map(line) }</ul></> }
}

/// The answer.
#[component]
pub fn Found(props: &Props) -> Html {
    let t = use_texts();
    let f = &*props.found;
    let Some((plain, mended)) = f.tried.split_first() else { return Html::default() };
    // Where all clients lose requests before, nothing is said of the rollout.
    let counted = plain.clients > 0 || plain.before.is_empty();
    let (mark, verdict) = if !counted {
        ("bad", t.get("rehearse-before"))
    } else if plain.sent == 0 {
        ("wait", t.get("rehearse-nothing-sent"))
    } else if plain.lost() == 0 && plain.gone == 0 {
        ("wait", t.get("rehearse-none-gone"))
    } else if plain.lost() == 0 {
        ("ok", t.with("rehearse-none-lost", &[("sent", whole(plain.sent))]))
    } else {
        ("bad", t.with("rehearse-some-lost", &[("lost", whole(plain.lost())), ("sent", whole(plain.sent))]))
    };
    let how = [
        ("clients", (plain.clients as f64).into()),
        ("url", plain.urls.join(", ").into()),
        ("seconds", tenths(plain.seconds)),
        ("how", words::trigger(&t, &f.trigger).into()),
    ];
    let open = |tried: &Tried, moment: usize| {
        let way = (tried.link.clone(), moment);
        props.open.reform(move |_: MouseEvent| way.clone())
    };
    let every_order = {
        let way = (plain.link.clone(), plain.begun);
        props.explore.reform(move |_: MouseEvent| way.clone())
    };
    html! {
        <div class="rehearse-found">
            <p class={classes!("board-verdict", mark)}>{ verdict }</p>
            if counted {
                <p class="board-hint">{ t.with("rehearse-how", &how) }{ " " }<code>{ plain.status.clone() }</code></p>
            }
            if counted && f.trigger == Trigger::Apply { <p class="board-hint">{ t.get("rehearse-apply-takes") }</p> }
            { losers(&t, &plain.before, counted) }
            if let Some(why) = &plain.undrained {
                <p class="board-cut">{ t.with("rehearse-undrained", &[("why", why.as_str().into())]) }</p>
            }
            if !plain.steady { <p class="board-cut">{ t.get("rehearse-cut") }</p> }
            if counted {
                { causes(&t, &plain.losses, &plain.behind) }
                <Chart tried={plain.clone()} trigger={f.trigger.clone()} />
                if let Some(story) = &plain.first {
                    <h3>{ t.get("rehearse-first") }</h3>
                    { told(&t, story, &plain.link, props) }
                }
                <p><button type="button" class="quiet" disabled={!props.can_open} onclick={open(plain, plain.moment)}>
                    { t.get(if plain.first.is_some() { "rehearse-open" } else { "rehearse-open-run" }) }</button></p>
                <p class="board-hint">{ t.get("rehearse-one-order") }</p>
                <p><button type="button" class="quiet" disabled={!props.can_open} onclick={every_order}>
                    { t.get("rehearse-every-order") }</button></p>
            }
            if !mended.is_empty() {
                { mends(&t, plain, mended, props) }
            }
            if !f.untried.is_empty() {
                { untried(&t, &f.untried) }
            }
        </div>
    }
}

/// The story of a request, with the commands that belong to it.
fn told(t: &Texts, story: &Story, link: &str, props: &Props) -> Html {
    let is_pod = story.sender.kind == Kind::POD;
    let client = if is_pod { story.sender.key.to_string() } else { requests::sender(t, &story.sender) };
    let args = [
        ("nth", whole(story.nth)),
        ("client", client.into()),
        ("node", story.node.as_str().into()),
        ("at", tenths(story.at)),
        ("to", story.pod.clone().or(story.endpoint.clone()).unwrap_or_default().into()),
        ("endpoint", story.endpoint.clone().unwrap_or_default().into()),
        ("through", story.through.clone().unwrap_or_default().into()),
    ];
    let request = match (is_pod, story.endpoint.is_some()) {
        (true, true) => "rehearse-request",
        (true, false) => "rehearse-request-nowhere",
        (false, true) => "rehearse-request-outside",
        (false, false) => "rehearse-request-outside-nowhere",
    };
    let request = t.with(request, &args);
    let at = |seconds: f64| html! { <time>{ t.with("rehearse-at", &[("seconds", ((seconds * 1000.0).round() / 1000.0).into())]) }</time> };
    let split = story.happened.iter().position(|h| h.at > story.at).unwrap_or(story.happened.len());
    let (before, after) = story.happened.split_at(split);
    let line = |h: &Happened, new: bool| {
        let way = (link.to_owned(), h.moment);
        let onclick = props.open.reform(move |_: MouseEvent| way.clone());
        html! {
            <li>if new { { at(h.at) } } else { <time></time> }<button type="button" class="link" disabled={!props.can_open} {onclick}>
                <b>{ &*h.by }</b>{ " " }{ &h.verb }{ " " }<span>{ &h.object }</span></button></li>
        }
    };
    let behind = story.behind.map(|behind| match behind {
        Behind::Rules => "rehearse-stale",
        Behind::Proxy => "rehearse-stale-proxy",
    });
    // A time is said where it is another one than that of the line above.
    let lines = |of: &[Happened], mut last: Option<f64>| -> Vec<Html> {
        of.iter().map(|h| line(h, last.replace(h.at) != Some(h.at))).collect()
    };
    html! {
        <ol class="rehearse-story">
            { for lines(before, None) }
            <li class="lost">{ at(story.at) }<div><b>{ request }</b>{ " " }{ requests::cause(t, story.cause) }
                if let Some(key) = behind { { " " }{ t.with(key, &args) } }</div></li>
            { for lines(after, Some(story.at)) }
        </ol>
    }
}

/// What was tried: what mends it, after that what does not, the least lost first, and what shows nothing.
fn mends(t: &Texts, plain: &Tried, tried: &[Tried], props: &Props) -> Html {
    let (mends, others): (Vec<&Tried>, Vec<&Tried>) = tried.iter().partition(|m| m.is_lossless());
    let (mut others, idle): (Vec<&Tried>, Vec<&Tried>) = others.into_iter().partition(|m| m.lost() > 0);
    others.sort_by_key(|m| m.lost());
    let list = |title: &str, all: Vec<&Tried>| {
        html! {
            if !all.is_empty() {
                <h3>{ t.get(title) }</h3>
                if title == "rehearse-mends" { <p class="board-hint">{ t.get("rehearse-mends-how") }</p> }
                <ul class="rehearse-mends">{ for all.into_iter().map(|m| tried_one(t, m, plain, props)) }</ul>
            }
        }
    };
    html! { <>{ list("rehearse-mends", mends) }{ list("rehearse-mends-not", others) }{ list("rehearse-mends-idle", idle) }</> }
}

/// What could not be tried.
fn untried(t: &Texts, all: &[(Vec<Mend>, NoRehearsal)]) -> Html {
    let line = |(mends, why): &(Vec<Mend>, NoRehearsal)| {
        let names: Vec<String> = mends.iter().map(|m| words::mend(t, *m).0).collect();
        html! { <li class="bad"><i aria-hidden="true"></i><div><b>{ names.join(" + ") }</b><span>{ words::none(t, why) }</span></div></li> }
    };
    html! { <><h3>{ t.get("rehearse-untried") }</h3><ul class="rehearse-mends">{ for all.iter().map(line) }</ul></> }
}

/// A rollout after something was mended, beside the one of the workload as it was.
fn tried_one(t: &Texts, tried: &Tried, plain: &Tried, props: &Props) -> Html {
    let all: Vec<_> = tried.mends.iter().map(|m| words::mend(t, *m)).collect();
    let lost = tried.lost();
    let said = match lost {
        0 if tried.sent == 0 => t.get("rehearse-nothing-sent"),
        0 if tried.gone == 0 => t.get("rehearse-none-gone"),
        0 => t.with("rehearse-mended", &[("sent", whole(tried.sent))]),
        n => {
            let key = match n.cmp(&plain.lost()) {
                Ordering::Less => "rehearse-still-lost",
                Ordering::Equal => "rehearse-as-many-lost",
                Ordering::Greater => "rehearse-more-lost",
            };
            t.with(key, &[("lost", whole(n)), ("sent", whole(tried.sent)), ("plain", whole(plain.lost()))])
        }
    };
    // What mends it is opened where it is in place: before, it was brought in by a rollout as lossy as the first.
    let mended = tried.is_lossless() && !tried.mends.is_empty();
    let way = (tried.link.clone(), if mended { tried.ready } else { tried.moment });
    let onclick = props.open.reform(move |_: MouseEvent| way.clone());
    let class = match (tried.is_lossless(), lost) {
        (true, _) => "ok",
        (false, 0) => "wait",
        (false, _) => "bad",
    };
    let name = all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" + ");
    html! {
        <li class={class}><i aria-hidden="true"></i>
            <div><b>{ name.clone() }</b><span>{ said }</span>
                if tried.clients != plain.clients { <small>{ t.with("rehearse-counted", &[("clients", whole(tried.clients as u64))]) }</small> }
                if let Some(took) = &tried.took { <small class="took">{ times::took(t, took) }</small> }
                if mended { <small>{ t.with("rehearse-brought", &[("lost", whole(tried.brought))]) }</small> }
                if let [(_, about)] = all.as_slice() { <small>{ about }</small> }
                if !tried.lines.is_empty() { <pre tabindex="0"><code>{ tried.lines.clone() }</code></pre> }
            </div>
            <button type="button" class="quiet" disabled={!props.can_open} aria-label={t.with("rehearse-open-named", &[("name", name.into())])} {onclick}>{ t.get("explore-open") }</button>
        </li>
    }
}
