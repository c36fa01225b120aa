//! A button that opens a list to choose from.

use gloo::utils::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::sought::Sought;

/// A line of a menu.
#[derive(Clone, PartialEq)]
pub struct Choice {
    /// What it says.
    pub title: String,
    /// What it says below.
    pub about: String,
    /// Whether it is the one that holds now.
    pub now: bool,
    /// The heading above it and its neighbours with the same one; empty for none.
    pub group: String,
}

/// A menu.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The button's text.
    pub label: Html,
    /// What it is called.
    pub name: String,
    /// What it is called for whoever does not see it, where the button has a text: that text belongs to it, too.
    #[prop_or_default]
    pub called: String,
    /// Its class.
    #[prop_or_default]
    pub class: Classes,
    /// Asked for what can be chosen when it opens; it opens with the answer.
    pub choices: Callback<Callback<Vec<Choice>>>,
    /// Called with the place of what was chosen.
    pub choose: Callback<usize>,
    /// The name of a field that narrows a long list down; no such field if it is empty.
    #[prop_or_default]
    pub find: String,
    /// Told when the list opens, and when it closes.
    #[prop_or_default]
    pub opened: Callback<bool>,
}

/// The button and, when it is open, its list.
#[component]
pub fn Menu(props: &Props) -> Html {
    let open = use_state(|| None::<Vec<Choice>>);
    let sought = use_state(String::new);
    let root = use_node_ref();
    let button = use_node_ref();
    {
        let (root, opened) = (root.clone(), props.opened.clone());
        use_effect_with(open.is_some(), move |open| {
            opened.emit(*open);
            if *open {
                move_focus(&root, To::First);
            }
        });
    }
    let toggle = {
        let (open, choices, sought) = (open.clone(), props.choices.clone(), sought.clone());
        Callback::from(move |_: MouseEvent| {
            if open.is_some() {
                return open.set(None);
            }
            sought.set(String::new());
            let open = open.setter();
            choices.emit(Callback::from(move |choices| open.set(Some(choices))));
        })
    };
    let close = {
        let (open, button) = (open.clone(), button.clone());
        move || {
            open.set(None);
            if let Some(b) = button.cast::<HtmlElement>() {
                let _ = b.focus();
            }
        }
    };
    let onkeydown = {
        let (root, open, close) = (root.clone(), open.clone(), close.clone());
        Callback::from(move |e: KeyboardEvent| {
            if open.is_none() {
                return;
            }
            match e.key().as_str() {
                "Escape" => close(),
                "ArrowDown" => move_focus(&root, To::By(1)),
                "ArrowUp" => move_focus(&root, To::By(-1)),
                "Home" => move_focus(&root, To::First),
                "End" => move_focus(&root, To::Last),
                "Tab" => {
                    open.set(None);
                    return;
                }
                key if key.chars().count() == 1 && !e.ctrl_key() && !e.meta_key() && !e.alt_key() => {
                    e.stop_propagation();
                    let field =
                        root.cast::<Element>().and_then(|r| r.query_selector(".menu-find").ok().flatten());
                    match field.and_then(|f| f.dyn_into::<HtmlElement>().ok()) {
                        // The field takes the letter over, for it has the focus by the time that the letter is put in.
                        Some(field) if key != " " => {
                            let _ = field.focus();
                            return;
                        }
                        Some(_) => return,
                        None if key == " " => return,
                        None => move_focus(&root, To::Named(key.to_lowercase())),
                    }
                }
                _ => return,
            }
            e.prevent_default();
            e.stop_propagation();
        })
    };
    let onfocusout = {
        let (open, root) = (open.clone(), root.clone());
        Callback::from(move |e: FocusEvent| {
            let to = e.related_target().and_then(|t| t.dyn_into::<web_sys::Node>().ok());
            let inside = root.cast::<Element>().is_some_and(|r| r.contains(to.as_ref()));
            if !inside && open.is_some() {
                open.set(None);
            }
        })
    };
    let looked_for = Sought::new(&sought);
    let found = |c: &Choice| looked_for.is_in([c.title.as_str()]);
    let shown: Vec<(usize, &Choice)> = open.iter().flatten().enumerate().filter(|(_, c)| found(c)).collect();
    let items = shown.iter().enumerate().map(|(place, (i, c))| {
        let i = *i;
        let above = place.checked_sub(1).and_then(|p| shown.get(p)).map_or("", |(_, c)| c.group.as_str());
        let head = (!c.group.is_empty() && c.group != above)
            .then(|| html! { <p class="menu-head" role="presentation">{ &c.group }</p> });
        let (choose, close) = (props.choose.clone(), close.clone());
        let onclick = move |_| {
            close();
            choose.emit(i);
        };
        // One of them can be reached with Tab, so that a long list can be scrolled without a mouse.
        let tabindex = if place == 0 { "0" } else { "-1" };
        html! { <>
            { for head }
            <button type="button" role="menuitemradio" aria-checked={c.now.to_string()} {tabindex} {onclick}>
                <b>{ &c.title }</b>
                if !c.about.is_empty() { <span>{ &c.about }</span> }
            </button>
        </> }
    });
    let seek = {
        let sought = sought.clone();
        Callback::from(move |e: InputEvent| {
            sought.set(e.target_unchecked_into::<web_sys::HtmlInputElement>().value())
        })
    };
    html! {
        <div class={classes!("menu", props.class.clone())} ref={root} {onkeydown} {onfocusout}>
            <button type="button" class="menu-button" ref={button} aria-haspopup="menu" title={props.name.clone()}
                aria-expanded={open.is_some().to_string()} aria-label={if props.called.is_empty() { props.name.clone() } else { props.called.clone() }} onclick={toggle}>
                { props.label.clone() }
            </button>
            if open.is_some() {
                if props.find.is_empty() {
                    <div class="menu-list" role="menu" tabindex="0" aria-label={props.name.clone()}>{ for items }</div>
                } else {
                    <div class="menu-list">
                        <input class="menu-find" type="text" autocomplete="off" spellcheck="false" aria-label={props.find.clone()}
                            placeholder={props.find.clone()} value={(*sought).clone()} oninput={seek} />
                        <div role="menu" aria-label={props.name.clone()}>{ for items }</div>
                    </div>
                }
            }
        </div>
    }
}

/// Where the focus moves in a list.
pub enum To {
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// So many lines down, or up; from the last line to the first.
    By(i32),
    /// The next line that begins with this text, in small letters.
    Named(String),
}

/// Moves the focus along the lines of a menu.
pub fn move_focus(root: &NodeRef, to: To) {
    let Some(root) = root.cast::<Element>() else { return };
    let Ok(list) = root.query_selector_all("[role=menuitemradio], [role=menuitem]") else { return };
    let n = list.length() as i32;
    if n == 0 {
        return;
    }
    let item = |i: i32| list.item(i as u32).and_then(|x| x.dyn_into::<HtmlElement>().ok());
    let active = document().active_element().and_then(|a| a.dyn_into::<HtmlElement>().ok());
    let at = (0..n).find(|i| active.is_some() && item(*i) == active).unwrap_or(-1);
    let to = match to {
        To::First => 0,
        To::Last => n - 1,
        To::By(by) => (at + by).rem_euclid(n),
        To::Named(begin) => {
            let named = |i: &i32| {
                item(*i)
                    .and_then(|el| el.text_content())
                    .is_some_and(|t| t.to_lowercase().starts_with(&begin))
            };
            match (1..=n).map(|by| (at + by).rem_euclid(n)).find(named) {
                Some(i) => i,
                None => return,
            }
        }
    };
    if let Some(el) = item(to) {
        let _ = el.focus();
    }
}
