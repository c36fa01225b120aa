//! What a controller watches, and what a change means to it: [`Watches`].
//!
//! Most of what handlers do is the same in all controllers and is said here once: an object's own
//! key ([`Watches::for_`]), the owner of a child ([`Watches::owns`], [`Watches::owns_expecting`]), or
//! nothing ([`Watches::reads`]). Whatever is a controller's own is a handler of its own
//! ([`Watches::watches`]).

use std::rc::Rc;

use jiff::SignedDuration;

use super::children::{self, Selects, controller_of};
use super::expectations::Expectations;
use super::handler::{Handler, Seen};
use super::key::WorkKey;
use super::listeners::Notification;
use crate::api::pod::is_ready;
use crate::api::types::Pod;
use crate::api::{ApiKind, Key, Kind, MetaExt};
use crate::apimachinery::Filter;

/// Kinds that are known at run time only.
pub type Kinds = Rc<[Kind]>;

type Handle<S, K> = Rc<dyn Fn(&mut Handler<'_, S, K>, &Notification)>;

/// The kinds that a controller watches, in the order in which its process makes their informers.
pub struct Watches<S = (), K = Key> {
    list: Vec<Watch<S, K>>,
    known: Option<Known<S, K>>,
}

struct Watch<S, K> {
    kind: Kind,
    filter: Filter,
    handlers: Vec<Handle<S, K>>,
}

/// Kinds that depend on what the controller knows.
struct Known<S, K> {
    kinds: fn(&S) -> &Kinds,
    handler: Handle<S, K>,
}

impl<S, K> Default for Watches<S, K> {
    fn default() -> Self {
        Watches { list: Vec::new(), known: None }
    }
}

impl<S: 'static, K: WorkKey> Watches<S, K> {
    /// No kinds yet.
    pub fn new() -> Watches<S, K> {
        Watches::default()
    }

    /// Every change of an object enqueues its key.
    #[must_use]
    pub fn for_<T: ApiKind>(self) -> Self
    where
        K: From<Key>,
    {
        self.watches::<T>(|cx, seen| cx.enqueue(seen.key.clone().into()))
    }

    /// Every change of an object enqueues its key, and what is expected of its children is forgotten
    /// when it is gone or has been replaced by another one of the same name. Goes together with
    /// [`Watches::owns_expecting`].
    #[must_use]
    pub fn for_expecting<T: ApiKind>(self, expectations: fn(&mut S) -> &mut Expectations) -> Self
    where
        K: From<Key>,
    {
        self.watches::<T>(move |cx, seen| {
            let replaced = match (seen.old, seen.new) {
                (Some(old), Some(new)) => old.meta().uid != new.meta().uid,
                (_, new) => new.is_none(),
            };
            if replaced {
                expectations(cx.state).delete(seen.key);
            }
            cx.enqueue(seen.key.clone().into());
        })
    }

    /// A change of a `C` enqueues the `O` that controls it or did so before; where no controller owns
    /// it, every `O` that selects it and may want to adopt it.
    #[must_use]
    pub fn owns<O: Selects, C: ApiKind>(self) -> Self
    where
        K: From<Key>,
    {
        self.watches::<C>(|cx, seen| children::changed::<S, K, O, C>(cx, seen, None))
    }

    /// [`Watches::owns`] for a controller that counts what it has created and deleted ([`Expectations`]): a child that
    /// is new, or that begins to be deleted, has been observed.
    #[must_use]
    pub fn owns_expecting<O: Selects, C: ApiKind>(self, expectations: fn(&mut S) -> &mut Expectations) -> Self
    where
        K: From<Key>,
    {
        self.watches::<C>(move |cx, seen| children::changed::<S, K, O, C>(cx, seen, Some(expectations)))
    }

    /// When a pod becomes ready, enqueues the `O` that controls it for the moment at which the pod is available: after
    /// `wait` in seconds, which is 0 if the owner does not wait for this pod.
    #[must_use]
    pub fn owns_until_available<O: ApiKind>(self, wait: fn(&O, &Pod) -> i32) -> Self
    where
        K: From<Key>,
    {
        self.watches::<Pod>(move |cx, seen| {
            let (Some(old), Some(new)) = (seen.old, seen.new) else { return };
            if is_ready(old) || !is_ready(new) {
                return;
            }
            let Some(owner) = controller_of::<O>(cx.caches, &new.metadata) else { return };
            let wait = wait(owner, new);
            if wait > 0 {
                cx.enqueue_after(owner.meta().key().into(), SignedDuration::from_secs(i64::from(wait)));
            }
        })
    }

    /// The objects are in the caches; a change of one leads to nothing.
    #[must_use]
    pub fn reads<T: ApiKind>(self) -> Self {
        self.add(T::KIND, Filter::All, None)
    }

    /// A change is told to a handler. A kind may have several; they are called in the order in which
    /// they were given.
    #[must_use]
    pub fn watches<T: ApiKind>(
        self,
        handler: impl Fn(&mut Handler<'_, S, K>, Seen<'_, T>) + 'static,
    ) -> Self {
        self.watches_only(Filter::All, handler)
    }

    /// [`Watches::watches`] for the objects of the kind that match a filter.
    #[must_use]
    pub fn watches_only<T: ApiKind>(
        self,
        filter: Filter,
        handler: impl Fn(&mut Handler<'_, S, K>, Seen<'_, T>) + 'static,
    ) -> Self {
        let handle: Handle<S, K> = Rc::new(move |cx, seen| {
            if let Some(seen) = Seen::of(seen) {
                handler(cx, seen);
            }
        });
        self.add(T::KIND, filter, Some(handle))
    }

    /// Kinds that depend on what the controller knows, all with the same handler. When `kinds` gives
    /// others than before, the process makes informers for the new ones and stops those that no
    /// component needs any more, as a step of its own
    /// ([`Action::Informers`](crate::cluster::Action::Informers)).
    #[must_use]
    pub fn known(
        mut self,
        kinds: fn(&S) -> &Kinds,
        handler: impl Fn(&mut Handler<'_, S, K>, &Notification) + 'static,
    ) -> Self {
        self.known = Some(Known { kinds, handler: Rc::new(handler) });
        self
    }

    fn add(mut self, kind: Kind, filter: Filter, handler: Option<Handle<S, K>>) -> Self {
        match self.list.iter_mut().find(|w| w.kind == kind && w.filter == filter) {
            Some(watch) => watch.handlers.extend(handler),
            None => self.list.push(Watch { kind, filter, handlers: handler.into_iter().collect() }),
        }
        self
    }

    /// The kinds that depend on what is known, as things stand.
    pub(super) fn kinds(&self, state: &S) -> Option<Kinds> {
        self.known.as_ref().map(|k| (k.kinds)(state).clone())
    }

    /// Whether these are others than the ones given.
    pub(super) fn differ_from(&self, state: &S, kinds: Option<&Kinds>) -> bool {
        let Some(known) = &self.known else { return false };
        let now = (known.kinds)(state);
        kinds.is_none_or(|before| !Rc::ptr_eq(before, now) && before != now)
    }

    /// All kinds with their filters, as things stand; each pair once. Pairs that were named keep their
    /// places; those that depend on what is known come after them.
    pub(super) fn all(&self, state: &S) -> Vec<(Kind, Filter)> {
        let mut all: Vec<_> = self.list.iter().map(|w| (w.kind, w.filter.clone())).collect();
        for kind in self.known.iter().flat_map(|k| (k.kinds)(state).iter()) {
            let pair = (*kind, Filter::All);
            if !all.contains(&pair) {
                all.push(pair);
            }
        }
        all
    }

    /// Tells the handlers of the pair at a place in [`Watches::all`].
    pub(super) fn tell(&self, cx: &mut Handler<'_, S, K>, place: usize, seen: &Notification) {
        let named = self.list.get(place);
        for handle in named.iter().flat_map(|w| &w.handlers) {
            handle(cx, seen);
        }
        if let Some(known) = &self.known
            && named.is_none_or(|w| w.filter == Filter::All)
            && seen.object().is_some_and(|o| (known.kinds)(cx.state).contains(&o.kind()))
        {
            (known.handler)(cx, seen);
        }
    }
}
