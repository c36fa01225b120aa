//! The filter's bar above the graph: a field for words and labels, and buttons for kinds, namespaces and health.

use std::collections::BTreeSet;
use std::rc::Rc;

use steady::engine::{Facets, Graph, GraphFilter, Health, Input, ObjectRef};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::glyph;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::Texts;
use crate::ui::keys;
use crate::ui::store::Shared;

/// So many kinds and namespaces have a button, beside those that are set. The field finds the others.
const CHIPS: usize = 24;

/// What the bar is drawn from.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// All objects.
    pub whole: Shared<Graph>,
    /// The objects that the filter lets through.
    pub filtered: Shared<Graph>,
    /// The filter that is set.
    pub filter: Shared<GraphFilter>,
    /// Whether the field and the buttons are shown. The number of hidden objects is shown as long as there are any.
    pub open: bool,
    /// Opens or closes the bar.
    pub set: Callback<bool>,
    /// Called with an object that was found, which is to be brought into sight.
    pub found: Callback<ObjectRef>,
}

/// The filter's bar.
#[component]
pub fn FilterBar(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with(props.open, move |open| {
            if let Some(field) = field.cast::<HtmlInputElement>().filter(|_| *open) {
                let _ = field.focus();
                field.select();
            }
        });
    }
    // Counted while the bar is open only: a closed bar need not count at every step.
    let facets =
        use_memo(
            (props.open, props.whole.clone()),
            |(open, whole)| {
                if *open { whole.facets() } else { Facets::default() }
            },
        );
    let set = {
        let store = store.clone();
        Rc::new(move |change: &dyn Fn(&mut GraphFilter)| {
            // The filter that was drawn last may be older.
            let mut next = GraphFilter::clone(&store.filter());
            change(&mut next);
            store.send(Input::Filter(next));
        })
    };
    let oninput = {
        let set = set.clone();
        Callback::from(move |e: InputEvent| {
            let text = e.target_unchecked_into::<HtmlInputElement>().value();
            set(&|filter| filter.text.clone_from(&text));
        })
    };
    let close = {
        let set = props.set.clone();
        Callback::from(move |()| {
            set.emit(false);
            keys::focus("#graph-filter");
        })
    };
    let onkeydown = {
        let (store, found, close) = (store.clone(), props.found.clone(), close.clone());
        Callback::from(move |e: KeyboardEvent| {
            match e.key().as_str() {
                "Enter" => {
                    if let Some(object) =
                        store.with(|s| beside(&s.filtered, store.selection().as_ref(), e.shift_key()))
                    {
                        store.send(Input::Select(Some(object.clone())));
                        found.emit(object);
                    }
                }
                "Escape" => close.emit(()),
                _ => return,
            }
            e.prevent_default();
            e.stop_propagation();
        })
    };
    let clear = {
        let (store, field, open) = (store.clone(), field.clone(), props.open);
        Callback::from(move |_: MouseEvent| {
            store.send(Input::Filter(GraphFilter::default()));
            match field.cast::<HtmlInputElement>().filter(|_| open) {
                Some(field) => drop(field.focus()),
                None => keys::focus("#graph-filter"),
            }
        })
    };
    let hides = !props.filter.is_empty();
    if !props.open && !hides {
        return html! { <div class="filter" hidden=true></div> };
    }
    let (shown, all) = (props.filtered.nodes.len() as f64, props.whole.nodes.len() as f64);
    let count = t.with("filter-count", &[("shown", shown.into()), ("all", all.into())]);
    html! {
        <div class={classes!("filter", (shown == 0.0).then_some("none"))} role="search" aria-label={t.get("filter")} {onkeydown}>
            <div class="filter-line">
                if props.open {
                    <input type="text" ref={field} autocomplete="off" autocapitalize="off" spellcheck="false" aria-label={t.get("filter-text")} placeholder={t.get("filter-text")}
                        aria-describedby="filter-keys" value={store.filter().text.clone()} {oninput} />
                    <span id="filter-keys" class="sr">{ t.get("filter-keys") }</span>
                }
                <span role="status" class="filter-count">{ count }</span>
                if hides { <button type="button" class="quiet" onclick={clear}>{ t.get("filter-clear") }</button> }
                if props.open {
                    <button type="button" class="tool" title={t.get("close")} aria-label={t.get("filter-close")} onclick={move |_| close.emit(())}>{ glyph::icon(glyph::CLOSE) }</button>
                }
            </div>
            if props.open { <div class="filter-chips">{ chips(&t, &facets, &props.filter, &set) }</div> }
        </div>
    }
}

/// The next object that is shown after the selected one, or the one before it. After the last object comes the first.
fn beside(shown: &Graph, selection: Option<&ObjectRef>, before: bool) -> Option<ObjectRef> {
    let n = shown.nodes.len();
    let place = selection.map(|s| shown.nodes.binary_search_by(|node| node.reference.cmp(s)));
    let at = match (place, before) {
        (None, false) => 0,
        (None, true) => n.checked_sub(1)?,
        // A selected object that is hidden stands where it would be if it were shown.
        (Some(Err(at)), false) => at,
        (Some(Ok(at)), false) => at + 1,
        (Some(Ok(at) | Err(at)), true) => at.checked_sub(1).unwrap_or(n.saturating_sub(1)),
    };
    shown.node(if at < n { at } else { 0 }).map(|node| node.reference.clone())
}

type Change = Rc<dyn Fn(&dyn Fn(&mut GraphFilter))>;

fn chips(
    t: &Texts,
    facets: &Facets,
    filter: &GraphFilter,
    set: &Rc<impl Fn(&dyn Fn(&mut GraphFilter)) + 'static>,
) -> Html {
    let set: Change = set.clone();
    let kinds = offered(&filter.kinds, &facets.kinds).into_iter().map(|(kind, n)| {
        chip(kind.as_str().to_owned(), n, filter.kinds.contains(&kind), "", &set, move |f| {
            turn(&mut f.kinds, &kind)
        })
    });
    let several = facets.namespaces.len() > 1 || !filter.namespaces.is_empty();
    let namespaces = offered(&filter.namespaces, &facets.namespaces);
    let namespaces = namespaces.into_iter().filter(|_| several).map(|(name, n)| {
        let says = if name.is_empty() { t.get("filter-cluster") } else { name.clone() };
        let on = filter.namespaces.contains(&name);
        chip(says, n, on, "", &set, move |f| turn(&mut f.namespaces, &name))
    });
    let health = offered(&filter.health, &facets.health).into_iter().map(|(health, n)| {
        let (key, class) = match health {
            Health::Well => ("filter-well", "ok"),
            Health::Waiting => ("filter-waiting", "wait"),
            Health::Bad => ("filter-bad", "bad"),
        };
        chip(t.get(key), n, filter.health.contains(&health), class, &set, move |f| {
            turn(&mut f.health, &health)
        })
    });
    let group = |key: &str, chips: Vec<Html>| {
        if chips.is_empty() {
            return Html::default();
        }
        html! { <div role="group" aria-label={t.get(key)}>{ chips }</div> }
    };
    html! { <>
        { group("filter-health", health.collect()) }
        { group("filter-kinds", kinds.collect()) }
        { group("filter-namespaces", namespaces.collect()) }
    </> }
}

/// The values that have a button, in the graph's order, each with the number of its objects: the first values, and all that
/// are set. Values that are set and have no objects stand last.
fn offered<T: Ord + Clone>(set: &BTreeSet<T>, of: &[(T, usize)]) -> Vec<(T, usize)> {
    let known = of.iter().enumerate().filter(|(i, (value, _))| *i < CHIPS || set.contains(value));
    let gone = set.iter().filter(|value| !of.iter().any(|(v, _)| v == *value));
    known.map(|(_, value)| value.clone()).chain(gone.map(|value| (value.clone(), 0))).collect()
}

fn turn<T: Ord + Clone>(set: &mut BTreeSet<T>, value: &T) {
    if !set.remove(value) {
        set.insert(value.clone());
    }
}

fn chip(
    says: String,
    n: usize,
    on: bool,
    class: &'static str,
    set: &Change,
    change: impl Fn(&mut GraphFilter) + 'static,
) -> Html {
    let set = set.clone();
    html! {
        <button type="button" class="filter-chip" aria-pressed={on.to_string()} onclick={move |_| set(&change)}>
            if !class.is_empty() { <i class={classes!("stands", class)} aria-hidden="true"></i> }
            { says }<span>{ n }</span>
        </button>
    }
}
