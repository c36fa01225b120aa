//! The explorer beside the page: what a Web Worker does when a person opens the panel.
//! `steady::session::explore` does the exploring; this crate does it in slices, and evaluates a person's
//! invariants.

mod cel;
mod work;

pub use crate::cel::{Cel, LENGTH, LOOPS};
pub use work::{Work, explore};
