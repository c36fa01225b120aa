//! client-go: how a component sees the cluster and acts on it; and what a controller is made of.
//!
//! A component never reads the store. A reflector ([`Informer::list`], [`Informer::next_event`]) lists
//! and watches a kind, a [`DeltaFifo`] holds what came, the informer moves it into an [`Indexer`] and
//! tells the handlers, these put keys into a [`WorkQueue`], and a worker takes a key and syncs it
//! through a [`Context`].
//!
//! A controller implements [`Reconciler`]: see there for one that is complete.

mod call;
mod children;
mod component;
mod consistency;
mod context;
mod controller;
#[cfg(test)]
mod controller_tests;
mod expectations;
mod handler;
mod in_flight;
mod indexer;
mod informer;
mod key;
pub mod leaderelection;
mod listeners;
mod memory;
mod origin;
mod reconciler;
mod recorder;
mod reflector;
mod retry;
mod sync;
mod timer;
pub mod transport;
mod watches;
mod why;
mod workqueue;

pub use call::ApiCall;
pub use children::{Selects, controller_of};
pub use component::{Component, Env, Load, Progress, Reading, Wants};
pub use consistency::Consistency;
pub use context::{Context, Lister, object_reference};
pub use controller::Controller;
pub use expectations::Expectations;
pub use handler::{Handler, Seen};
pub use indexer::{Caches, Changed, Indexer, PodCount, Snapshot};
pub use informer::{Delta, DeltaFifo, Informer};
pub use key::{AnyKey, WorkKey};
pub use listeners::{Listener, Listeners, Notification};
pub use memory::Memory;
pub use origin::Origin;
pub use reconciler::Reconciler;
pub use recorder::{EventFlavour, Recorded, Recorder};
pub use reflector::Listed;
pub use retry::{DEFAULT_BACKOFF, DEFAULT_RETRY, retry_on_conflict, retry_on_refusal};
pub use sync::{Error, Pending, Published, Result};
pub use timer::{ANYWHERE, TimerOp, Wait};
pub use watches::{Kinds, Watches};
pub use why::{Fact, Why};
pub use workqueue::{RateLimit, WorkQueue};
