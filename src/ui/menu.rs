//! A button that opens a list to choose from.

use gloo::utils::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// A line of a menu.
#[derive(Clone, PartialEq)]
pub struct Choice {
    /// What it says.
    pub title: String,
    /// What it says below.
    pub about: String,
    /// Whether it is the one that holds now.
    pub now: bool,
}

/// A menu.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The button's text.
    pub label: Html,
    /// What it is called.
    pub name: String,
    /// Its class.
    #[prop_or_default]
    pub class: Classes,
    /// Asked for what can be chosen when it opens; it opens with the answer.
    pub choices: Callback<Callback<Vec<Choice>>>,
    /// Called with the place of what was chosen.
    pub choose: Callback<usize>,
}

/// The button and, when it is open, its list.
#[component]
pub fn Menu(props: &Props) -> Html {
    let open = use_state(|| None::<Vec<Choice>>);
    let root = use_node_ref();
    let button = use_node_ref();
    {
        let root = root.clone();
        use_effect_with(open.is_some(), move |open| {
            if *open {
                move_focus(&root, 0, true);
            }
        });
    }
    let toggle = {
        let (open, choices) = (open.clone(), props.choices.clone());
        Callback::from(move |_: MouseEvent| {
            if open.is_some() {
                return open.set(None);
            }
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
                "ArrowDown" => move_focus(&root, 1, false),
                "ArrowUp" => move_focus(&root, -1, false),
                "Home" => move_focus(&root, 0, true),
                "Tab" => {
                    open.set(None);
                    return;
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
    let items = open.iter().flatten().enumerate().map(|(i, c)| {
        let (choose, close) = (props.choose.clone(), close.clone());
        let onclick = move |_| {
            close();
            choose.emit(i);
        };
        // One of them can be reached with Tab, so that a long list can be scrolled without a mouse.
        let tabindex = if i == 0 { "0" } else { "-1" };
        html! {
            <button type="button" role="menuitemradio" aria-checked={c.now.to_string()} {tabindex} {onclick}>
                <b>{ &c.title }</b>
                if !c.about.is_empty() { <span>{ &c.about }</span> }
            </button>
        }
    });
    html! {
        <div class={classes!("menu", props.class.clone())} ref={root} {onkeydown} {onfocusout}>
            <button type="button" class="menu-button" ref={button} aria-haspopup="menu" title={props.name.clone()}
                aria-expanded={open.is_some().to_string()} aria-label={props.name.clone()} onclick={toggle}>
                { props.label.clone() }
            </button>
            if open.is_some() {
                <div class="menu-list" role="menu" tabindex="0" aria-label={props.name.clone()}>{ for items }</div>
            }
        </div>
    }
}

/// Moves the focus along the lines, or to the first.
fn move_focus(root: &NodeRef, by: i32, first: bool) {
    let Some(root) = root.cast::<Element>() else { return };
    let Ok(list) = root.query_selector_all("[role=menuitemradio]") else { return };
    let n = list.length() as i32;
    if n == 0 {
        return;
    }
    let active = document().active_element();
    let at = (0..n).find(|i| {
        let item = list.item(*i as u32).and_then(|x| x.dyn_into::<Element>().ok());
        item.is_some() && item == active
    });
    let to = if first { 0 } else { (at.unwrap_or(-1) + by).rem_euclid(n) };
    if let Some(el) = list.item(to as u32).and_then(|x| x.dyn_into::<HtmlElement>().ok()) {
        let _ = el.focus();
    }
}
