//! Steady's cluster behind Kubernetes' own HTTP: what the program `steady-door` is made of.
//!
//! Everything that is Kubernetes is the library's one function, request in and response out
//! ([`steady::cluster::Cluster::serve`]), with [`steady::cluster::Cluster::more`] for the pieces of a list and
//! for what a watch tells later. Here are sockets, limits, and what makes time pass.
//!
//! ```
//! use steady::cluster::{Cluster, Config};
//! use steady_door::{Options, Running};
//! let door = Running::start(Options::default(), || Cluster::new(&Config::nodes(1))).unwrap();
//! assert!(door.url().starts_with("http://127.0.0.1:"));
//! door.stop();
//! ```
//!
//! One thread owns the cluster, which is made of shared pointers and cannot leave it; connections are
//! tasks of that thread. A request is answered at once and alone, so nothing needs a lock.

pub mod args;
mod clock;
mod control;
mod guard;
mod house;
pub mod kubeconfig;
mod limits;
mod places;
mod reply;
mod running;
mod serve;
mod stream;
mod texts;
mod websocket;

pub use house::Time;
pub use limits::Limits;
pub use running::{Options, Running};
