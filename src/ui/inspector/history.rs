//! Every version of an object on this branch: who wrote it, and what that changed.

use serde_json::Value;
use steady::session::view::{FieldChange, Version, field_changes, versions};
use yew::prelude::*;

use super::TabProps;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::i18n::middle;
use crate::ui::who;

/// Of so many versions, the newest, it is told what they changed.
const COMPARED: usize = 40;
/// So many changes of a version are named.
const NAMED: usize = 3;

/// What a version changed: a few fields that tell most, and how many more there are. Of a condition
/// that is its status.
fn changes(before: Option<&Version>, v: &Version) -> (Vec<FieldChange>, usize) {
    let (Some(old), Some(new)) = (before.and_then(|b| b.object.as_ref()), &v.object) else {
        return (Vec::new(), 0);
    };
    let aside = |path: &str| {
        path.starts_with("status.conditions")
            || ["Time", "observedGeneration"].iter().any(|end| path.ends_with(end))
    };
    let mut all: Vec<FieldChange> = field_changes(old, new).into_iter().filter(|c| !aside(&c.path)).collect();
    // What is wanted before what is.
    all.sort_by_key(|c| !c.path.starts_with("spec"));
    let (before, after) = (conditions(&old.to_value()), conditions(&new.to_value()));
    for (path, status) in after {
        let old = before.iter().find(|(type_, _)| *type_ == path).map(|(_, s)| s.clone());
        if old.as_ref() != Some(&status) {
            all.push(FieldChange { path, old, new: Some(status) });
        }
    }
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    (all, more)
}

/// The types of an object's conditions, and their status. They are told apart by type: controllers
/// put them in whatever order they set them.
fn conditions(object: &Value) -> Vec<(String, String)> {
    let list = object.pointer("/status/conditions").and_then(Value::as_array);
    let text = |c: &Value, name: &str| c.get(name)?.as_str().map(str::to_owned);
    list.into_iter().flatten().filter_map(|c| Some((text(c, "type")?, text(c, "status")?))).collect()
}

/// The versions, newest first.
#[component]
pub fn History(props: &TabProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let (versions, at) = store.with(|s| (versions(s.session(), &props.object), s.session().at()));
    let row = |(i, v): (usize, &Version)| {
        let (store, moment) = (store.clone(), v.moment);
        let before =
            i.checked_sub(1).filter(|_| i + COMPARED >= versions.len()).and_then(|b| versions.get(b));
        let (changed, more) = changes(before, v);
        let change = |c: &FieldChange| {
            let short = c.path.rsplit_once('.').map_or(c.path.as_str(), |(_, s)| s).to_owned();
            let value = |v: &Option<String>| middle(v.as_deref().unwrap_or("–"), 22);
            html! { <span class="change" title={c.path.clone()}>{ short }{ " " }<s>{ value(&c.old) }</s>{ " → " }<b>{ value(&c.new) }</b></span> }
        };
        let now = v.moment == at;
        let step = store.with(|s| s.place_of(v.moment));
        html! {
            <li>
                <button type="button" class={classes!("version", who::class(&v.by), now.then_some("now"))}
                    aria-current={now.then_some("step")} onclick={move |_| { store.goto(moment); }}>
                    <i class="dot" aria-hidden="true"></i>
                    <b>{ v.by.to_string() }</b>
                    <span class="step-n">{ t.with("timeline-step", &[("n", (step as f64).into())]) }</span>
                    <code>{ &v.verb }</code>
                    <span class="rv">{ format!("rv {}", v.revision) }</span>
                    { for changed.iter().map(change) }
                    if more > 0 { <span class="change">{ t.with("problem-more", &[("n", (more as f64).into())]) }</span> }
                </button>
            </li>
        }
    };
    html! { <>
        if versions.is_empty() { <p class="empty">{ t.get("none") }</p> }
        <ol class="versions">{ for versions.iter().enumerate().rev().map(row) }</ol>
    </> }
}
