//! A sync under way: what it is made of, so that a copy can run it again, and its code, which cannot be copied.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use super::component::Env;
use super::indexer::Caches;
use super::key::AnyKey;
use super::origin::Origin;
use super::sync::{Pending, Result, Shared};
use crate::api::Timestamp;
use crate::apimachinery::Response;

/// The code of a sync, which cannot be cloned, and what it shares with its [`Context`]s.
pub(super) struct Running<S> {
    pub(super) code: Pin<Box<dyn Future<Output = Result>>>,
    pub(super) shared: Rc<RefCell<Shared<S>>>,
}

/// A sync under way. Its key, caches and answers are cloned; the running code cannot be, and is run
/// again from these where it is needed.
pub(super) struct InFlight<S> {
    pub(super) key: AnyKey,
    /// What the sync followed from.
    pub(super) origin: Origin,
    /// What follows from the sync: its last write, or what the sync itself followed from.
    pub(super) leads: Origin,
    pub(super) caches: Rc<Caches>,
    pub(super) now: Timestamp,
    /// What the controller remembered when the sync began.
    pub(super) state: S,
    /// The number of handlers that had run by then.
    pub(super) handled: u64,
    pub(super) answers: Vec<Rc<Response>>,
    /// The caches at the time of each answer; empty unless the reconciler asks for them.
    pub(super) seen: Vec<Rc<Caches>>,
    pub(super) pending: Option<Pending>,
    /// How many of its effects have been carried out.
    pub(super) effects_done: usize,
    /// The running code, if this value has it. Of several copies the first that goes on takes it along.
    pub(super) live: RefCell<Option<Running<S>>>,
}

impl<S> InFlight<S> {
    /// A sync that begins.
    pub(super) fn new(key: AnyKey, origin: Origin, env: &Env<'_>, state: S, handled: u64) -> InFlight<S> {
        InFlight {
            key,
            leads: origin.clone(),
            origin,
            caches: env.caches.clone(),
            now: env.now,
            state,
            handled,
            answers: Vec::new(),
            seen: Vec::new(),
            pending: None,
            effects_done: 0,
            live: RefCell::new(None),
        }
    }
}

impl<S: Clone> Clone for InFlight<S> {
    fn clone(&self) -> Self {
        InFlight {
            key: self.key.clone(),
            origin: self.origin.clone(),
            leads: self.leads.clone(),
            caches: self.caches.clone(),
            now: self.now,
            state: self.state.clone(),
            handled: self.handled,
            answers: self.answers.clone(),
            seen: self.seen.clone(),
            pending: self.pending.clone(),
            effects_done: self.effects_done,
            // A value is copied because its copy is about to be changed (`Rc::make_mut`), so the copy
            // is the one that goes on. The original can be run again up to where it stands.
            live: RefCell::new(self.live.take()),
        }
    }
}
