//! Tries manifests that nobody prepared. Each file gets a new cluster of three nodes: it is applied there, the cluster runs
//! for some minutes of its own time, and what has come of it is told in a line.
//!
//! `cargo xtask manifests DIR` prints the tables of docs/manifests.md.

mod table;
mod trial;

pub use table::{Folder, folders, table};
pub use trial::{Clusters, Outcome, Trial, try_manifest};
