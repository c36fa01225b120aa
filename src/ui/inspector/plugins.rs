//! The table of filters and scores, and what came of them. Plugins are rows, nodes are columns.

use steady::engine::scheduling::{Column, End, SchedulingTable, Score};
use yew::prelude::*;

use super::link;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::Texts;

fn n(count: usize) -> fluent_bundle::FluentValue<'static> {
    (count as f64).into()
}

/// The table whose result is told.
#[derive(Properties, PartialEq)]
pub struct EndingProps {
    /// The table.
    pub table: SchedulingTable,
}

/// The result of the cycle in words, and what is evicted for the pod.
#[component]
pub fn Ending(props: &EndingProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let table = &props.table;
    let (all, fit, unvisited) = table.nodes;
    let counts = |more: &[(&'static str, fluent_bundle::FluentValue<'static>)]| {
        [&[("fit", n(fit)), ("of", n(all))], more].concat()
    };
    let result = match &table.end {
        End::Node(name, _) if table.scores.is_empty() => {
            html! { <p class="ending ok">{ t.with("sched-end-one", &counts(&[("name", name.clone().into())])) }</p> }
        }
        End::Node(name, ties) if *ties > 1 => {
            let args = counts(&[("name", name.clone().into()), ("ties", n(*ties))]);
            html! { <p class="ending ok">{ t.with("sched-end-tie", &args) }</p> }
        }
        End::Node(name, _) => {
            html! { <p class="ending ok">{ t.with("sched-end-best", &counts(&[("name", name.clone().into())])) }</p> }
        }
        End::Nowhere(message, _) => {
            html! { <p class="ending bad"><b>{ t.get("sched-end-nowhere") }</b><code>{ message.clone() }</code></p> }
        }
        End::Failed(message) => {
            html! { <p class="ending bad"><b>{ t.get("sched-end-failed") }</b><code>{ message.clone() }</code></p> }
        }
        End::Nothing => Html::default(),
    };
    let eviction = match &table.end {
        End::Nowhere(_, Some(e)) => html! { <>
            <h3>{ t.with("sched-evict", &[("n", n(e.victims.len())), ("name", e.node.clone().into())]) }</h3>
            <ul class="links">{ for e.victims.iter().map(|(pod, priority)| html! {
                <li class="victim">{ link(&store, pod) }<span class="rv">{ t.with("sched-priority", &[("n", (*priority).into())]) }</span></li> }) }</ul>
            if e.violations > 0 { <p class="empty">{ t.with("sched-evict-budget", &[("n", n(e.violations))]) }</p> }
        </> },
        _ => Html::default(),
    };
    html! { <>
        { result }
        if let Some((plugin, why)) = &table.refused {
            <p class="about">{ t.with("sched-pre-filter", &[("plugin", plugin.to_string().into())]) }{ " " }<code>{ why.clone() }</code></p>
        }
        if unvisited > 0 { <p class="about">{ t.with("sched-not-visited", &[("n", n(unvisited))]) }</p> }
        { eviction }
    </> }
}

/// The table that is drawn.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The table.
    pub table: SchedulingTable,
    /// Asks for further columns.
    pub more: Callback<()>,
}

/// The table.
#[component]
pub fn PluginTable(props: &Props) -> Html {
    let t = use_texts();
    let open = use_state(|| false);
    let table = &props.table;
    if table.columns.is_empty() {
        return Html::default();
    }
    let span = (table.columns.len() + 1).to_string();
    let refuses = |i: &usize| table.columns.iter().any(|c| c.filters.get(*i).is_some_and(|r| !r.is_empty()));
    let (refusing, passing): (Vec<usize>, Vec<usize>) = (0..table.filters.len()).partition(refuses);
    let shown: Vec<usize> = if *open { (0..table.filters.len()).collect() } else { refusing };
    let toggle = {
        let open = open.clone();
        move |_| open.set(!*open)
    };
    let filter = |i: usize| {
        html! {
            <tr key={i}><th scope="row">{ broken(table.filters.get(i).map_or("", |f| f.as_str())) }</th>
                { for table.columns.iter().map(|c| answer(&t, c, i)) }</tr>
        }
    };
    let score = |(i, (plugin, weight)): (usize, &(_, i64))| {
        let plugin: &steady::engine::Word = plugin;
        html! {
            <tr key={i}><th scope="row">{ broken(plugin) }{ " " }<span class="how">{ format!("×{weight}") }</span></th>
                { for table.columns.iter().map(|c| points(&t, c, c.scores.get(i).copied(), *weight)) }</tr>
        }
    };
    let more = {
        let more = props.more.clone();
        move |_| more.emit(())
    };
    let folded: Vec<&Column> = table.columns.iter().filter(|c| c.count > 1).collect();
    html! { <>
        // A region that scrolls can be scrolled by keys.
        <div class="plugins" tabindex="0" role="region" aria-label={t.get("sched-caption")}>
            <table>
                <caption class="sr">{ t.get("sched-caption") }</caption>
                <thead><tr><td></td>{ for table.columns.iter().map(|c| head(&t, c)) }</tr></thead>
                <tbody>
                    <tr class="part"><th scope="rowgroup" colspan={span.clone()}><span>{ t.get("sched-filter") }</span></th></tr>
                    { for shown.into_iter().map(filter) }
                    if !passing.is_empty() {
                        <tr><td class="fold" colspan={span.clone()}>
                            <button type="button" class="quiet" aria-expanded={open.to_string()} onclick={toggle}>
                                { t.with(if *open { "sched-filters-less" } else { "sched-filters-pass" }, &[("n", n(passing.len()))]) }</button></td></tr>
                    }
                </tbody>
                if !table.scores.is_empty() {
                    <tbody>
                        <tr class="part"><th scope="rowgroup" colspan={span}><span>{ t.get("sched-score") }
                            <span class="how">{ t.get("sched-score-how") }</span></span></th></tr>
                        { for table.scores.iter().enumerate().map(score) }
                        <tr class="sum"><th scope="row">{ t.get("sched-sum") }</th>{ for table.columns.iter().map(sum) }</tr>
                    </tbody>
                }
            </table>
        </div>
        if table.more.0 > 0 {
            <button type="button" class="quiet fold-button" onclick={more}>
                { t.with("sched-more", &[("n", n(table.more.0)), ("nodes", n(table.more.1))]) }</button>
        }
        if !folded.is_empty() {
            <details class="alike"><summary>{ t.get("sched-alike") }</summary>
                { for folded.into_iter().map(|c| alike(&t, c)) }</details>
        }
    </> }
}

/// A plugin's name, which may break between its words.
fn broken(name: &str) -> Html {
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        match words.last_mut().filter(|_| !c.is_ascii_uppercase()) {
            Some(word) => word.push(c),
            None => words.push(c.to_string()),
        }
    }
    html! { <>{ for words.into_iter().enumerate().map(|(i, word)| html! { <>if i > 0 { <wbr /> }{ word }</> }) }</> }
}

fn tone(c: &Column) -> &'static str {
    match c.visit.as_str() {
        _ if c.chosen => "chosen",
        "fits" => "fits",
        "refused" => "refused",
        _ => "unseen",
    }
}

fn head(t: &Texts, c: &Column) -> Html {
    let first = c.names.first().cloned().unwrap_or_default();
    let said = match tone(c) {
        "chosen" => t.get("sched-col-chosen"),
        "fits" => t.get("sched-col-fits"),
        "refused" => t.get("sched-col-refused"),
        _ if c.visit == "left-out" => t.get("sched-col-left-out"),
        _ => t.get("sched-col-unseen"),
    };
    html! {
        <th scope="col" class={tone(c)} title={c.names.join(", ")}>{ first }
            if c.count > 1 { { " " }<span class="count">{ t.with("sched-col-more", &[("n", n(c.count - 1))]) }</span> }
            <span class="how">{ said }</span></th>
    }
}

/// What a filter says about the nodes of a column.
fn answer(t: &Texts, c: &Column, i: usize) -> Html {
    let Some(reasons) = c.filters.get(i) else {
        return html! { <td class={tone(c)}><span aria-hidden="true">{ "–" }</span><span class="sr">{ t.get("sched-not-asked") }</span></td> };
    };
    let first = c.filters.iter().position(|r| !r.is_empty());
    // The search ends with the first refusal.
    let late = first.is_some_and(|first| i > first);
    let asked = late.then(|| t.get("sched-late"));
    if reasons.is_empty() {
        return html! {
            <td class={classes!(tone(c), "pass", late.then_some("late"))} title={asked.clone()}>
                <span aria-hidden="true">{ "✓" }</span><span class="sr">{ t.get("sched-fits") }{ asked.map(|a| format!(" ({a})")) }</span></td>
        };
    }
    html! {
        <td class={classes!(tone(c), "no", late.then_some("late"))} title={asked.clone()}>{ reasons.join(", ") }
            if c.for_nominated { <span class="how">{ t.get("sched-for-nominated") }</span> }
            if let Some(asked) = asked { <span class="sr">{ format!(" ({asked})") }</span> }</td>
    }
}

/// What a plugin gives the nodes of a column.
fn points(t: &Texts, c: &Column, score: Option<Score>, weight: i64) -> Html {
    let Some(score) = score else {
        return html! { <td class={tone(c)}><span aria-hidden="true">{ "–" }</span><span class="sr">{ t.get("sched-not-scored") }</span></td> };
    };
    let how = if score.raw == score.normalized {
        format!("{} × {weight}", score.normalized)
    } else {
        format!("{} → {} × {weight}", score.raw, score.normalized)
    };
    html! { <td class={tone(c)}><b>{ score.normalized * weight }</b><span class="how">{ how }</span></td> }
}

fn sum(c: &Column) -> Html {
    let total = c.total.map_or_else(|| "–".to_owned(), |n| n.to_string());
    html! { <td class={tone(c)}><b>{ total }</b></td> }
}

/// The names of the nodes of one column.
fn alike(t: &Texts, c: &Column) -> Html {
    let hidden = c.count - c.names.len();
    html! {
        <p>{ c.names.join(", ") }
            if hidden > 0 { { " " }{ t.with("sched-col-more", &[("n", n(hidden))]) } }</p>
    }
}
