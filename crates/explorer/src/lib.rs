//! Every order at once, beside the page: what a Web Worker does when a person opens the explorer. What is
//! explored, and how, is `steady::session::explore`; here is what takes it a slice at a time, and what
//! reads a person's own invariants.

mod cel;
mod work;

pub use crate::cel::{Cel, LENGTH, LOOPS};
pub use work::{Work, explore};
