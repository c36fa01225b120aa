//! Fuzzing: inputs that nobody would write, for every place at which text from outside comes into the library.
//!
//! A [`Target`] is such a place. Its first inputs are the repository's own: manifests, lessons, recorded requests, links.
//! [`Drive`] changes them, as text and as the trees that they are, and executes the target on each. An execution
//! holds the library to its promises: there is no panic; an error says where and why; what is refused changes nothing; what
//! is written can be read again; a run that is repeated ends in the same bytes. Whoever gives the library a new answer
//! (a sentence that was not heard before) stays among the inputs that are changed further.
//!
//! Everything follows from a seed: the same seed gives the same inputs on every machine. An input that breaks a promise is
//! shortened and kept in `kept/`, and this crate's tests execute all of these for ever.
//!
//! Why this is neither cargo-fuzz nor bolero: both leave coverage to libFuzzer, which wants a nightly compiler for
//! its sanitizers, a C++ compiler and `unsafe`, and has a licence (NCSA) that `deny.toml` does not allow; on a stable
//! compiler bolero tries bytes by chance, and a stack that overflows ends it without the input. The functions of
//! the targets take bytes, as theirs do.

mod clusters;
mod dice;
mod drive;
mod heard;
mod hostile;
mod kept;
mod mutate;
mod runs;
mod seeds;
mod targets;

pub use drive::{Drive, Finding};
pub use kept::{Kept, folder, kept};
pub use runs::links;
pub use targets::{Target, targets};

/// The stack of a thread that executes inputs, in bytes. The page's workers have 16 MiB (`crates/worker/build.rs`); a frame of
/// a build without optimisation is several times as large.
pub const STACK: usize = if cfg!(debug_assertions) { 128 << 20 } else { 16 << 20 };
