//! The rule book: each rule of each component, whether it is enabled now, how often it was used, and where it stands.

use std::rc::Rc;

use steady::engine::{
    Answer, Ask, Input, NextLine, NextWhat, ObjectRef, RuleBook, RuleChapter, RuleView, Word,
};
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use super::hooks::{use_answer, use_store, use_texts};
use super::i18n::{Texts, middle, seconds};
use super::sought::Sought;
use super::store::Store;
use super::{glyph, keys, who};

/// What the dialog is drawn from.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Where the book is open: at a rule, or at its beginning with `None`. The dialog is closed without.
    pub at: Option<Option<Word>>,
    /// Opens the book, or closes it with `None`.
    pub set: Callback<Option<Option<Word>>>,
    /// Grows with every step.
    pub version: u64,
    /// Whether the next commands are known.
    pub ready: bool,
}

/// Which rules are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    Enabled,
    Used,
}

impl Which {
    fn has(self, rule: &RuleView) -> bool {
        match self {
            Which::All => true,
            Which::Enabled => !rule.enabled.is_empty(),
            Which::Used => rule.used > 0,
        }
    }
}

/// The dialog.
#[component]
pub fn RulesDialog(props: &Props) -> Html {
    let t = use_texts();
    let dialog = use_node_ref();
    let which = use_state(|| Which::All);
    let asked = use_state(String::new);
    let answer =
        use_answer(props.at.is_some().then_some(Ask::Rules), props.version * 2 + u64::from(props.ready));
    {
        let (dialog, which, asked) = (dialog.clone(), which.setter(), asked.setter());
        use_effect_with(props.at.clone(), move |at| {
            let Some(d) = dialog.cast::<HtmlDialogElement>() else { return };
            if at.is_some() && !d.open() {
                which.set(Which::All);
                asked.set(String::new());
                let _ = d.show_modal();
            } else if at.is_none() && d.open() {
                d.close();
            }
        });
    }
    {
        // The rule that the book is open at has the focus, once it is drawn.
        let rule = props.at.clone().flatten();
        use_effect_with((rule, answer.is_some()), move |(rule, is_here)| {
            if let Some(rule) = rule.as_ref().filter(|_| *is_here) {
                keys::focus(&format!("#{}", id_of(rule)));
            }
        });
    }
    let set = |at: Option<Option<Word>>| {
        let set = props.set.clone();
        move || set.emit(at.clone())
    };
    let (closed, close, outside) = (set(None), set(None), set(None));
    let outside = Callback::from(move |e: MouseEvent| {
        if e.target() == e.current_target() {
            outside();
        }
    });
    let none = RuleBook::default();
    let book = match answer.as_deref() {
        Some(Answer::Rules(book)) => &**book,
        _ => &none,
    };
    let count = |which: Which| {
        let rules = book.chapters.iter().flat_map(|c| &c.rules);
        rules.filter(|rule| which.has(rule)).count()
    };
    let choice = |key: &'static str, to: Which| {
        let (on, which) = (*which == to, which.clone());
        let text = t.with(key, &[("n", (count(to) as f64).into())]);
        html! { <button type="button" class="quiet" aria-pressed={on.to_string()} onclick={move |_| which.set(to)}>{ text }</button> }
    };
    let search = {
        let asked = asked.clone();
        Callback::from(move |e: InputEvent| {
            if let Some(field) = e.target_dyn_into::<HtmlInputElement>() {
                asked.set(field.value());
            }
        })
    };
    let words = Sought::new(&asked);
    let shown: Vec<Html> =
        book.chapters.iter().filter_map(|c| chapter(&t, props, c, *which, &words)).collect();
    html! {
        <dialog class="keys rules" ref={dialog} aria-labelledby="rules-title" onclose={Callback::from(move |_: Event| closed())} onclick={outside}>
            if props.at.is_some() {
                <div class="sheet">
                    <header><h2 id="rules-title">{ t.get("rules") }</h2>
                        <button type="button" class="tool" aria-label={t.get("close")} onclick={move |_| close()}>{ glyph::icon(glyph::CLOSE) }</button></header>
                    <p>{ t.get("rules-about") }</p>
                    <div class="rules-choose">
                        <input type="search" aria-label={t.get("rules-find")} placeholder={t.get("rules-find")} value={(*asked).clone()} oninput={search} />
                        <div role="group" aria-label={t.get("rules-show")}>
                            { choice("rules-all", Which::All) }{ choice("rules-enabled", Which::Enabled) }{ choice("rules-used", Which::Used) }
                        </div>
                    </div>
                    if !book.looked { <p class="muted">{ t.get("rules-unknown") }</p> }
                    if book.looked && book.more > 0 { <p class="muted">{ t.with("rules-more", &[("n", (book.more as f64).into())]) }</p> }
                    if shown.is_empty() { <p role="status">{ t.get("rules-none") }</p> }
                    // One child, whatever comes: the button at the top keeps the focus.
                    <>{ for shown }</>
                </div>
            }
        </dialog>
    }
}

/// The id of a rule's element.
fn id_of(rule: &str) -> String {
    format!("rule-{}", rule.replace('.', "-"))
}

/// A component's rules, if any of them is shown.
fn chapter(t: &Texts, props: &Props, of: &RuleChapter, which: Which, words: &Sought) -> Option<Html> {
    let is_shown = |rule: &&RuleView| {
        let (when, then) = (t.of(&rule.when), t.of(&rule.then));
        let own = [&*rule.name, &*when, &*then];
        which.has(rule) && words.is_in(of.by.iter().map(|name| &**name).chain(own))
    };
    let rules: Vec<&RuleView> = of.rules.iter().filter(is_shown).collect();
    if rules.is_empty() {
        return None;
    }
    let at = props.at.as_ref().and_then(|at| at.as_ref());
    let name = of.by.join(", ");
    let names = of.by.iter().map(|name| {
        html! { <span class={classes!("rules-by", who::class(name))}><i class="dot" aria-hidden="true"></i>{ name.as_str() }</span> }
    });
    let items = rules.iter().map(|rule| {
        html! { <RulePage key={rule.name.to_string()} rule={Rc::new((*rule).clone())} here={at == Some(&rule.name)} close={props.set.clone()} /> }
    });
    Some(html! {
        <section key={name.clone()} aria-label={name}>
            <h3>{ for names }</h3>
            <ul>{ for items }</ul>
        </section>
    })
}

#[derive(Properties, PartialEq)]
struct PageProps {
    rule: Rc<RuleView>,
    /// Whether the book is open at this rule.
    here: bool,
    close: Callback<Option<Option<Word>>>,
}

/// A rule's page.
#[component]
fn RulePage(props: &PageProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let rule = &props.rule;
    let is_enabled = !rule.enabled.is_empty();
    let last = rule.last.map(|moment| {
        let (store, close) = (store.clone(), props.close.clone());
        let go = move |_| {
            close.emit(None);
            store.send(Input::Goto(moment));
        };
        html! { <>{ " " }<button type="button" class="quiet" onclick={go}>{ t.get("rule-last") }</button></> }
    });
    let place = |(file, line): &(Word, usize)| html! { <code>{ format!("src/{file}:{line}") }</code> };
    html! {
        <li id={id_of(&rule.name)} class={classes!("rule", is_enabled.then_some("enabled"))} tabindex="-1" aria-current={props.here.then_some("true")}>
            <h4><code>{ rule.name.as_str() }</code>
                if is_enabled { <em><i aria-hidden="true">{ "●" }</i>{ t.get("rule-enabled") }</em> }</h4>
            <p class="guarded"><span class="when">{ t.of(&rule.when) }</span>
                <b aria-hidden="true">{ "→" }</b><span class="sr">{ t.get("rule-then") }</span>
                <span class="then">{ t.of(&rule.then) }</span></p>
            if is_enabled { <ul class="rule-now">{ for rule.enabled.iter().map(|line| enabled(&store, &t, line, &props.close)) }</ul> }
            <p class="rule-facts">{ t.with("rule-used", &[("n", (rule.used as f64).into())]) }{ for last }
                <span>{ t.get("rule-place") }{ " " }{ for rule.places.iter().map(place) }</span></p>
        </li>
    }
}

/// A next command by the rule: who would issue it, why, and the objects, each to select.
fn enabled(store: &Store, t: &Texts, line: &NextLine, close: &Callback<Option<Option<Word>>>) -> Html {
    let object = |o: &ObjectRef| {
        let (store, close, object) = (store.clone(), close.clone(), o.clone());
        let select = move |_| {
            close.emit(None);
            store.send(Input::Select(Some(object.clone())));
        };
        html! { <>{ " " }<button type="button" class="quiet" onclick={select}><code>{ middle(&format!("{} {}", o.kind.as_str(), o.key.name), 46) }</code></button></> }
    };
    let why = match &line.what {
        NextWhat::Command(c) => c.why.as_ref().map(|why| t.why(why)),
        NextWhat::Action { .. } => None,
    };
    html! {
        <li class={who::class(&line.by)}><i class="dot" aria-hidden="true"></i><span><b>{ middle(&line.by, 30) }</b>
            if line.wait > 0 { { " " }<em>{ t.with("in-time", &[("s", seconds(line.wait).into())]) }</em> }
            { ": " }{ for why }{ for line.about.iter().map(object) }</span></li>
    }
}
