//! Small drawings: a pod's looks, each a shape and a colour, and the icons of buttons.

use steady::engine::PodLook;
use yew::prelude::*;

/// The class with a look's colour.
pub fn tone(look: PodLook) -> &'static str {
    match look {
        PodLook::Ready | PodLook::Succeeded => "ok",
        PodLook::NotReady | PodLook::Starting => "wait",
        PodLook::Trouble | PodLook::Failed | PodLook::Unknown => "bad",
        PodLook::Unscheduled => "new",
        PodLook::Terminating => "gone",
    }
}

/// A look, sixteen pixels wide, centred at the origin.
pub fn look(look: PodLook) -> Html {
    let inner = match look {
        PodLook::Ready => html! { <>
            <circle r="7.5" class="fill" />
            <path d="M-3.2.2-.9 2.5 3.3-2.2" class="on" />
        </> },
        PodLook::Succeeded => html! { <>
            <circle r="7" class="line" /><path d="M-3 .2-.8 2.4 3.1-2.1" class="line" />
        </> },
        PodLook::NotReady => html! { <>
            <circle r="7" class="line" /><path d="M0-7A7 7 0 0 1 0 7Z" class="fill" />
        </> },
        PodLook::Starting => html! { <>
            <circle r="7" class="line" /><path d="M0 0V-7A7 7 0 0 1 7 0Z" class="fill" />
        </> },
        PodLook::Unscheduled => html! { <>
            <circle r="7" class="line" /><path d="M-3.2 0H3.2M0-3.2V3.2" class="line" />
        </> },
        PodLook::Terminating => html! { <circle r="6.8" class="line dash" /> },
        PodLook::Trouble => html! { <>
            <path d="M0-8 8 6.4H-8Z" class="fill soft" /><path d="M0-2.6V2.2M0 4.2V4.7" class="on" />
        </> },
        PodLook::Failed => html! { <>
            <circle r="7.5" class="fill" /><path d="M-2.8-2.8 2.8 2.8M2.8-2.8-2.8 2.8" class="on" />
        </> },
        PodLook::Unknown => html! { <>
            <circle r="7" class="line" />
            <path d="M-2.2-1.6A2.2 2.2 0 1 1 .9.4Q0 .8 0 2M0 4.2V4.6" class="line" />
        </> },
    };
    html! { <g class={classes!("glyph", tone(look))}>{ inner }</g> }
}

/// A look in a line of text.
pub fn inline(l: PodLook) -> Html {
    html! { <svg class="inline-glyph" viewBox="-9 -9 18 18" width="14" height="14" aria-hidden="true">{ look(l) }</svg> }
}

/// An icon of a button, by its path in a box of 16.
pub fn icon(d: &'static str) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d={d} /></svg>
    }
}

/// To the start.
pub const RESTART: &str = "M3.5 3v10M13 3.4v9.2L6 8z";
/// Back.
pub const BACK: &str = "M12 3.2v9.6L4.5 8z";
/// Run.
pub const PLAY: &str = "M5 3.2v9.6L12.5 8z";
/// Pause.
pub const PAUSE: &str = "M5.2 3.5v9M10.8 3.5v9";
/// Run to the end.
pub const STEADY: &str = "M3 3.6v8.8L8.2 8zM8.2 3.6v8.8L13.4 8zM14 3.5v9";
/// Light and dark.
pub const THEME: &str = "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12";
/// A fork in the timeline.
pub const FORK: &str = "M5 2.5v11M5 9.5c0-3 6-2 6-6M11 3.6v-.8M9.2 4.6 11 2.6l1.8 2";
/// Bigger.
pub const PLUS: &str = "M8 3.5v9M3.5 8h9";
/// Smaller.
pub const MINUS: &str = "M3.5 8h9";
/// All of it.
pub const ALONE: &str = "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9";
/// A funnel.
pub const FILTER: &str = "M2.5 3.2h11L9.4 8.2v4.6l-2.8-1.5V8.2z";
/// All of it.
pub const FIT: &str = "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10";
/// Downwards.
pub const DOWN: &str = "M4 6.2 8 10.2 12 6.2";
/// Something goes wrong.
pub const BOLT: &str = "M9 1.8 3.8 9H7.6L7 14.2 12.2 7H8.4z";
/// Who goes next.
pub const POLICY: &str =
    "M2.5 4.5h2.6l5.2 7h3M11.4 9.6l2 1.9-2 1.9M2.5 11.5h2.6l1.6-2.1M8.7 6.7l1.6-2.2h3M11.4 2.6l2 1.9-2 1.9";
/// Every order: ways that part and meet.
pub const ORDERS: &str = "M2.5 8C6 8 5 3.5 8 3.5S10 8 13.5 8C10 8 11 12.5 8 12.5S6 8 2.5 8zM2.5 8h11";
/// Requests that come through, and one that does not.
pub const REQUESTS: &str = "M2 4.5h11M10.5 2l2.5 2.5L10.5 7M2 11.5h4.5M9 9.5l4 4M13 9.5l-4 4";
/// The course: an open book.
pub const COURSE: &str = "M8 4.2C6.4 3 4.4 2.8 2.2 3v9.4c2.2-.2 4.2 0 5.8 1.2 1.6-1.2 3.6-1.4 5.8-1.2V3c-2.2-.2-4.2 0-5.8 1.2zM8 4.2v9.4";
/// Runs that are kept: a list.
pub const RUNS: &str = "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.2M2.5 8h.2M2.5 12h.2";
/// Close.
pub const CLOSE: &str = "M4 4l8 8M12 4l-8 8";

/// The icon of a button that copies.
pub fn copy() -> Html {
    icon(
        "M5.5 5.5V3.2a.7.7 0 0 1 .7-.7h6.6a.7.7 0 0 1 .7.7v6.6a.7.7 0 0 1-.7.7h-2.3M3.2 5.5h6.6a.7.7 0 0 1 .7.7v6.6a.7.7 0 0 1-.7.7H3.2a.7.7 0 0 1-.7-.7V6.2a.7.7 0 0 1 .7-.7Z",
    )
}
