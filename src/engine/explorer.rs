//! The messages between the page and the worker that explores every order ([`crate::session::explore`]) and rehearses
//! rollouts ([`crate::session::rehearsal`]), and how messages are written as text.

pub use crate::session::explore::message::{
    Ask, Break, Found, Goal, Outcome, Own, Plan, Progress, Rehearse, Tell, Unreadable, VERSION, read, write,
};
pub use crate::session::explore::picture::{Line, Node, Picture};
pub use crate::session::explore::{Choice, Cut, StateId, Symmetry};
pub use crate::session::export::dot;

/// What a rehearsal of a rollout is asked for, and what it finds.
pub mod rehearsal {
    pub use crate::session::rehearsal::{
        Because, Behind, Cause, Direction, Happened, Loser, Mend, NoRehearsal, Occasion, Plan, Port, RATE,
        RATE_LIMIT, Reach, Rehearsed, Stand, Story, Tried, Trigger,
    };
}
