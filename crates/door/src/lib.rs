//! Steady's cluster behind Kubernetes' own HTTP: the library of the program `steady-door`.
//!
//! All that is Kubernetes is in one function of the library, from request to response
//! ([`steady::cluster::Cluster::serve`]), with [`steady::cluster::Cluster::more`] for the pieces of a list
//! and the events of a watch. This crate has sockets, limits, and what makes time pass.
//!
//! ```
//! use steady::cluster::{Cluster, Config};
//! use steady_door::{Options, Running};
//! let door = Running::start(Options::default(), || Cluster::new(&Config::nodes(1))).unwrap();
//! assert!(door.url().starts_with("http://127.0.0.1:"));
//! door.stop();
//! ```
//!
//! One thread owns the cluster, which is made of shared pointers and cannot move to another thread;
//! connections are tasks of that thread. Each request is answered without interruption, so nothing needs a
//! lock.

pub mod args;
mod clock;
mod control;
mod guard;
mod house;
pub mod kubeconfig;
mod limits;
mod places;
mod remote;
mod reply;
mod running;
mod serve;
mod stream;
mod texts;
mod websocket;

pub use house::Time;
pub use limits::Limits;
pub use running::{Options, Running};
