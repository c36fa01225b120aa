//! The messages between the page and the worker that explores every order ([`crate::session::explore`]), and how messages
//! are written as text.

pub use crate::session::explore::message::{
    Ask, Break, Found, Goal, Outcome, Own, Plan, Progress, Tell, Unreadable, VERSION, read, write,
};
pub use crate::session::explore::picture::{Line, Node, Picture};
pub use crate::session::explore::{Choice, Cut, StateId, Symmetry};
pub use crate::session::export::dot;
