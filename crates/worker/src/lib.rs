//! What runs beside the page, in Web Workers that share one wasm: the engine of the page ([`Serving`]), and the explorer
//! ([`Work`]), which a person starts by opening one of its panels. `steady::engine` and `steady::session::explore` do the
//! work; this crate does it in slices, and evaluates a person's invariants.

mod cel;
mod engine;
mod helpers;
mod search;
mod work;

pub use crate::cel::{Cel, LENGTH, LOOPS};
pub use crate::engine::Serving;
pub use crate::search::Search;
pub use crate::work::{Work, explore};
