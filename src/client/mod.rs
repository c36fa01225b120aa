//! client-go: how a component sees the cluster and acts on it.
//!
//! A component never reads the store. A [`Reflector`](informer::Informer) lists and watches, a
//! [`DeltaFifo`] holds what came, the informer moves it into an [`Indexer`]
//! and tells the handlers, these put keys into a [`WorkQueue`], and a worker takes a key and syncs
//! it through a [`Context`].

mod context;
mod controller;
mod indexer;
mod informer;
pub mod leaderelection;
mod recorder;
pub mod transport;
mod why;
mod workqueue;

pub use context::{ApiCall, Context, Error, Lister, Result};
pub use controller::{
    ANYWHERE, Component, Controller, Env, Handler, Pending, Progress, Reconciler, TimerOp, Wait,
};
pub use indexer::{Caches, Indexer, PodCount};
pub use informer::{Delta, DeltaFifo, Informer, Listener, Notification};
pub use recorder::{EventFlavour, Recorded, Recorder};
pub use why::{Fact, Why};
pub use workqueue::WorkQueue;
