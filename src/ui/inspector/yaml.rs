//! The object as YAML, with what the last step changed marked.

use steady::engine::{Answer, Ask, Line, LineMark};
use yew::prelude::*;

use super::TabProps;
use crate::ui::hooks::{use_answer, use_texts};
use crate::ui::i18n::Texts;

/// More lines of a text than this are not shown.
const LINES: usize = 3000;

/// The lines.
#[component]
pub fn Yaml(props: &TabProps) -> Html {
    let t = use_texts();
    let managed = use_state(|| false);
    let answer = use_answer(Some(Ask::Yaml(props.object.clone(), *managed)), props.version);
    // What changed is brought into view, without moving anything but the list itself.
    use_effect_with((props.object.clone(), props.version), move |_| {
        gloo::timers::callback::Timeout::new(0, show_change).forget();
    });
    let toggle = {
        let managed = managed.clone();
        move |_| managed.set(!*managed)
    };
    let Some(Answer::Yaml(yaml)) = answer.as_deref() else { return Html::default() };
    html! { <>
        <pre class="yaml">{ for yaml.lines.iter().map(|l| line(&t, l)) }</pre>
        if yaml.bookkeeping {
            <button type="button" class="quiet fold-button" aria-expanded={managed.to_string()} onclick={toggle}>
                { t.get(if *managed { "yaml-less" } else { "yaml-more" }) }</button>
        }
    </> }
}

/// A text as YAML: each line in its colours, a long one hung below its own beginning.
pub fn plain(text: &str) -> Html {
    let line = |l: &str| {
        html! { <span class={classes!("l", INDENTS.get(indent(l) / 2).copied())}>{ for tokens(l) }{ "\n" }</span> }
    };
    html! { <pre class="yaml">{ for text.lines().take(LINES).map(line) }</pre> }
}

fn line(t: &Texts, l: &Line) -> Html {
    let (class, was) = match &l.mark {
        LineMark::Same => (None, None),
        LineMark::Added => (Some("added"), None),
        LineMark::Removed => (Some("removed"), None),
        LineMark::Changed(was) => (Some("added"), Some(t.with("was", &[("value", was.clone().into())]))),
    };
    html! { <span class={classes!("l", class, INDENTS.get(indent(&l.text) / 2).copied())}>{ for tokens(&l.text) }if let Some(was) = was { <em>{ was }</em> }{ "\n" }</span> }
}

/// A long line goes on below its own beginning; without inline styles that takes a class each.
const INDENTS: [&str; 12] = ["i0", "i2", "i4", "i6", "i8", "i10", "i12", "i14", "i16", "i18", "i20", "i22"];

fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '-']).len()
}

/// A line's name and value, each in its colour.
fn tokens(text: &str) -> Vec<Html> {
    let body = text.trim_start_matches([' ', '-']);
    let indent = &text[..text.len() - body.len()];
    let key_end = body.find(": ").or_else(|| body.strip_suffix(':').map(str::len));
    let Some(end) = key_end.filter(|_| !body.starts_with(['"', '\'', '{'])) else {
        return vec![html! { { indent.to_owned() } }, value(body)];
    };
    let (key, rest) = body.split_at(end);
    let mut out = vec![
        html! { { indent.to_owned() } },
        html! { <i class="k">{ key.to_owned() }</i> },
        html! { { ":" } },
    ];
    if let Some(v) = rest.strip_prefix(": ") {
        out.push(html! { { " " } });
        out.push(value(v));
    }
    out
}

fn value(v: &str) -> Html {
    let class = match v {
        "true" | "false" | "null" => "n",
        _ if v.parse::<f64>().is_ok() => "n",
        _ => "s",
    };
    html! { <i {class}>{ v.to_owned() }</i> }
}

/// Scrolls to the first line that changed, past the bookkeeping of `metadata`.
fn show_change() {
    use wasm_bindgen::JsCast;
    let document = gloo::utils::document();
    let Ok(marked) = document.query_selector_all(".inspected .added, .inspected .removed") else { return };
    let Ok(Some(pane)) = document.query_selector(".inspected") else { return };
    let line = |i: u32| marked.item(i).and_then(|l| l.dyn_into::<web_sys::HtmlElement>().ok());
    let telling = |l: &web_sys::HtmlElement| {
        let text = l.text_content().unwrap_or_default();
        !["resourceVersion", "generation:", "observedGeneration"].iter().any(|w| text.contains(w))
    };
    let first = (0..marked.length()).filter_map(line).find(telling).or_else(|| line(0));
    if let (Some(l), Some(pane)) = (first, pane.dyn_ref::<web_sys::HtmlElement>()) {
        let top = l.get_bounding_client_rect().top() - pane.get_bounding_client_rect().top();
        let height = f64::from(pane.client_height());
        if top < 0.0 || top > height - 30.0 {
            pane.set_scroll_top(pane.scroll_top() + (top - height / 3.0) as i32);
        }
    }
}
