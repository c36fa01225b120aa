//! The object as YAML, with what the last step changed marked.

use std::rc::Rc;

use steady::engine::{Answer, Ask, Line, LineMark, ObjectRef};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::TabProps;

use super::why::Why;
use crate::ui::hooks::{use_answer, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::window::Window;

/// More lines of a text than this are not shown.
const LINES: usize = 3000;
/// So many lines are laid out and painted together, when they come into view (`.lines` in static/app.css says how high they are about).
const GROUP: usize = 16;
/// What nearly every step changes.
const BOOKKEEPING: [&str; 3] = ["resourceVersion", "generation:", "observedGeneration"];

/// The lines.
#[component]
pub fn Yaml(props: &TabProps) -> Html {
    let t = use_texts();
    let managed = use_state(|| false);
    // The field that is asked about.
    let asked = use_state(|| None::<u32>);
    // The line that was reached last.
    let reached = use_state(|| 0_usize);
    // What a person has had shown of a long text, and of which one.
    let wanted = use_state(|| None::<(ObjectRef, u64, Window)>);
    let answer = use_answer(Some(Ask::Yaml(props.object.clone(), *managed)), props.version);
    // What changed is brought into view, without moving anything but the list itself.
    use_effect_with((props.object.clone(), props.version), move |_| {
        gloo::timers::callback::Timeout::new(0, show_change).forget();
    });
    let toggle = {
        let managed = managed.clone();
        move |_| managed.set(!*managed)
    };
    {
        // Another object's lines are others.
        let (asked, reached) = (asked.setter(), reached.setter());
        use_effect_with(props.object.clone(), move |_| {
            asked.set(None);
            reached.set(0);
        });
    }
    let Some(Answer::Yaml(yaml)) = answer.as_deref() else { return Html::default() };
    let last = yaml.lines.iter().filter(|l| l.mark != LineMark::Removed).count().saturating_sub(1);
    // With fewer lines than before the last of them is reached.
    let stop = (*reached).min(last);
    let all = yaml.lines.len();
    let chosen = wanted.as_ref().filter(|(of, version, _)| (of, *version) == (&props.object, props.version));
    let change = first_change(&yaml.lines);
    let window = chosen.map_or_else(|| Window::around(change.unwrap_or(0), all), |(.., window)| *window);
    // Whoever walks on by keys sees where they are.
    let window = window.with(place_of(&yaml.lines, stop).filter(|_| stop > 0), all);
    let shown = || yaml.lines.iter().enumerate().take(window.to).skip(window.from);
    let number = yaml.lines.iter().take(window.from).filter(|l| l.mark != LineMark::Removed).count();
    let asking = Asking {
        fields: shown().filter(|(_, l)| l.mark != LineMark::Removed).map(|(_, l)| l.field).collect(),
        first: number,
        last,
        stop,
        open: *asked,
        asked: asked.setter(),
        reach: reached.setter(),
    };
    let mut numbers = number..;
    let mut lines = shown().map(|(place, l)| {
        let first = change == Some(place);
        let number = if l.mark == LineMark::Removed { None } else { numbers.next() };
        let open = number.is_some() && *asked == Some(l.field);
        html! { <>
            { line(&t, l, first, number.map(|number| (number, open))) }
            if open { <Why object={props.object.clone()} field={Some((l.field, *managed))} version={props.version} /> }
        </> }
    });
    let groups = (0..(window.to - window.from).div_ceil(GROUP)).map(|_| {
        let group: Html = lines.by_ref().take(GROUP).collect();
        html! { <div class="lines">{ group }</div> }
    });
    let groups: Vec<Html> = groups.collect();
    // How many lines stand before or behind those that are shown, and what shows more of them.
    let more = |key: &str, n: usize, window: Window| {
        let (wanted, of) = (wanted.setter(), (props.object.clone(), props.version));
        let show = move |_: MouseEvent| wanted.set(Some((of.0.clone(), of.1, window)));
        let said = t.with(key, &[("n", (n as f64).into())]);
        html! { if n > 0 { <button type="button" class="quiet fold-button" onclick={show}>{ said }</button> } }
    };
    let (before, behind) = (window.from, all - window.to);
    html! { <>
        <p class="empty">{ t.get("why-about") }</p>
        { more("yaml-before", before, window.longer_before()) }
        <div class="yaml" role="group" aria-label={t.get("tab-yaml")} tabindex="0" onkeydown={asking.key()} onclick={asking.click()}>{ for groups }</div>
        { more("yaml-behind", behind, window.longer_behind(all)) }
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

/// How lines are asked about: a press on one shows why it is so, or hides that again. One listener hears of all of them.
#[derive(Clone)]
struct Asking {
    /// The fields of the lines that are shown, but for removed ones.
    fields: Rc<[u32]>,
    /// The number of the first of them.
    first: usize,
    /// The number of the text's last line.
    last: usize,
    /// The number of the line that was reached last.
    stop: usize,
    /// The field that is asked about.
    open: Option<u32>,
    asked: UseStateSetter<Option<u32>>,
    reach: UseStateSetter<usize>,
}

impl Asking {
    /// The number and the field of the line that an event is about.
    fn line(&self, e: &Event) -> Option<(usize, u32)> {
        let line = e.target()?.dyn_into::<Element>().ok()?.closest("[data-line]").ok()??;
        let number: usize = line.get_attribute("data-line")?.parse().ok()?;
        Some((number, *self.fields.get(number.checked_sub(self.first)?)?))
    }

    /// What a key does: the arrow keys go to the lines around. The Tab key reaches the lines as a whole, and ArrowDown goes on from there.
    fn key(&self) -> Callback<KeyboardEvent> {
        let this = self.clone();
        Callback::from(move |e: KeyboardEvent| {
            let to = match (this.line(&e), e.key().as_str()) {
                (None, "ArrowDown") if is_at_lines(&e) => this.stop,
                (Some((number, _)), "ArrowDown") => (number + 1).min(this.last),
                (Some((number, _)), "ArrowUp") => number.saturating_sub(1),
                (Some((number, field)), "Enter" | " ") => {
                    this.asked.set(Some(field).filter(|_| this.open != Some(field)));
                    number
                }
                (Some((number, field)), "Escape") if this.open == Some(field) => {
                    this.asked.set(None);
                    number
                }
                _ => return,
            };
            e.prevent_default();
            e.stop_propagation();
            this.reach.set(to);
            focus_line(to);
        })
    }

    /// What a click does: nothing where it ends the selection of a text.
    fn click(&self) -> Callback<MouseEvent> {
        let this = self.clone();
        Callback::from(move |e: MouseEvent| {
            let selects =
                gloo::utils::window().get_selection().ok().flatten().is_some_and(|s| !s.is_collapsed());
            if let Some((number, field)) = this.line(&e).filter(|_| !selects) {
                this.reach.set(number);
                this.asked.set(Some(field).filter(|_| this.open != Some(field)));
            }
        })
    }
}

/// Whether an event is about the lines as a whole.
fn is_at_lines(e: &Event) -> bool {
    let element = e.target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.matches(".yaml").unwrap_or(false))
}

/// Moves the focus to a line, by its number. One that is not shown yet is, once the text has been drawn again.
fn focus_line(number: usize) {
    let focus = move || crate::ui::keys::focus(&format!(".inspected .yaml [data-line='{number}']"));
    focus();
    gloo::timers::callback::Timeout::new(0, focus).forget();
}

/// The place of the first line that the last step has changed, past the bookkeeping of `metadata` if there is another one.
fn first_change(lines: &[Line]) -> Option<usize> {
    let changed = |l: &Line| l.mark != LineMark::Same;
    let telling = |l: &Line| !BOOKKEEPING.iter().any(|word| l.text.contains(word));
    let telling = lines.iter().position(|l| changed(l) && telling(l));
    telling.or_else(|| lines.iter().position(changed))
}

/// The place among all lines of the one with a number, which those do not have that were removed.
fn place_of(lines: &[Line], number: usize) -> Option<usize> {
    let mut there = lines.iter().enumerate().filter(|(_, l)| l.mark != LineMark::Removed);
    there.nth(number).map(|(place, _)| place)
}

/// A line; `first` is whether it is the first that changed, to which the pane is scrolled. What can be asked about has a number, and whether
/// it is.
fn line(t: &Texts, l: &Line, first: bool, asked: Option<(usize, bool)>) -> Html {
    let change = first.then_some("");
    let (class, was) = match &l.mark {
        LineMark::Same => (None, None),
        LineMark::Added => (Some("added"), None),
        LineMark::Removed => (Some("removed"), None),
        LineMark::Changed(was) => (Some("added"), Some(t.with("was", &[("value", was.clone().into())]))),
    };
    let class = classes!("l", class, INDENTS.get(indent(&l.text) / 2).copied());
    let was = was.map(|was| html! { <em>{ was }</em> });
    // What is struck through is not a line of the object any more, which has to be heard, too.
    let gone =
        (l.mark == LineMark::Removed).then(|| html! { <span class="sr">{ t.get("line-removed") }</span> });
    let Some((number, open)) = asked else {
        return html! { <span {class} data-change={change}>{ gone }{ for tokens(&l.text) }{ was }{ "\n" }</span> };
    };
    html! {
        <span {class} role="button" tabindex="-1" data-change={change} data-line={number.to_string()}
            aria-expanded={open.to_string()}>{ gone }{ for tokens(&l.text) }{ was }{ "\n" }</span>
    }
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

/// Scrolls to the first line that changed.
fn show_change() {
    let document = gloo::utils::document();
    let find = |selector: &str| document.query_selector(selector).ok().flatten();
    if let (Some(line), Some(pane)) = (find(".inspected [data-change]"), find(".inspected")) {
        let top = line.get_bounding_client_rect().top() - pane.get_bounding_client_rect().top();
        let height = f64::from(pane.client_height());
        if top < 0.0 || top > height - 30.0 {
            pane.set_scroll_top(pane.scroll_top() + (top - height / 3.0) as i32);
        }
    }
}
