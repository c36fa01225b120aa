//! The cluster's clock, and how far it is let run.

use steady::engine::Input;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use super::i18n::seconds;
use super::menu::{Choice, Menu};
use crate::ui::hooks::{use_store, use_texts};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// What the clock shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Milliseconds since 1970, in UTC.
    pub now: i64,
    /// Milliseconds since the start of the run.
    pub time: i64,
    /// etcd's revision.
    pub revision: u64,
    /// Told when its menu opens, and when it closes.
    #[prop_or_default]
    pub opened: Callback<bool>,
}

/// A moment as RFC 3339 has it: `2026-01-01T14:00:00.000Z`.
fn text(at: i64) -> String {
    js_sys::Date::new(&JsValue::from_f64(at as f64)).to_iso_string().into()
}

/// The day of a moment, and its time to the second.
fn day_and_time(at: i64) -> (String, String) {
    let text = text(at);
    let (day, time) = text.split_once('T').unwrap_or_default();
    (day.to_owned(), time.get(..8).unwrap_or_default().to_owned())
}

/// A moment that is not far from `now`, without what both have in common: `14:00`, `14:00:05`, `01-02 14:00`.
pub fn short(at: i64, now: i64) -> String {
    let ((day, time), (today, _)) = (day_and_time(at), day_and_time(now));
    let time = time.strip_suffix(":00").unwrap_or(&time);
    if day == today { time.to_owned() } else { format!("{} {time}", day.get(5..).unwrap_or_default()) }
}

/// The first moment after `now` that is a multiple of a span.
fn full(now: i64, span: i64) -> i64 {
    (now.div_euclid(span) + 1) * span
}

/// The clock.
#[component]
pub fn Clock(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let now = props.now;
    let moments = [now + MINUTE, full(now, HOUR), full(now, DAY)];
    let choices = {
        let t = t.clone();
        Callback::from(move |open: Callback<Vec<Choice>>| {
            let choice =
                |title: String, about: String| Choice { title, about, now: false, group: String::new() };
            let to = |at: &i64| {
                let (day, time) = day_and_time(*at);
                choice(t.with("clock-to", &[("at", format!("{day} {time}").into())]), String::new())
            };
            let first = choice(t.get("clock-step"), t.get("clock-about"));
            open.emit(std::iter::once(first).chain(moments.iter().map(to)).collect());
        })
    };
    let choose = Callback::from(move |i: usize| {
        let moment = i.checked_sub(1).and_then(|i| moments.get(i));
        store.send(moment.map_or(Input::Step, |at| Input::ToMoment(*at)));
    });
    let (day, time) = day_and_time(now);
    html! {
        <div class="clock">
            <Menu class="moments" name={t.get("clock-menu")} called={t.with("clock-menu-now", &[("time", format!("{day} {time}").into())])} {choices} {choose} opened={props.opened.clone()}
                label={html! { <><span class="date">{ day }</span><span>{ time }</span></> }} />
            <span class="since">{ t.with("clock", &[("s", seconds(props.time).into())]) }</span>
            <span class="revision">{ format!("rv {}", props.revision) }</span>
        </div>
    }
}
