//! What a controller implements: [`Reconciler`].

use std::any::Any;
use std::future::Future;
use std::rc::Rc;

use super::component::Reading;
use super::context::Context;
use super::handler::Handler;
use super::key::WorkKey;
use super::memory::Memory;
use super::recorder::EventFlavour;
use super::sync::Result;
use super::watches::Watches;
use super::workqueue::RateLimit;
use crate::api::Object;

/// What makes one controller differ from another: what it watches, how a change becomes keys, and
/// what it does with a key.
///
/// ```
/// use std::rc::Rc;
/// use steady::api::types::Namespace;
/// use steady::api::{Key, MetaExt, ObjectRef};
/// use steady::client::{Context, Reconciler, Result, Watches, Why};
///
/// /// Gives each namespace that has no label `team` the label `team: none`.
/// #[derive(Clone)]
/// struct TeamLabeller;
///
/// impl Reconciler for TeamLabeller {
///     type Key = Key;
///     type State = ();
///     fn name(&self) -> Rc<str> {
///         "team-labeller".into()
///     }
///     fn watches(&self) -> Watches {
///         Watches::new().for_::<Namespace>()
///     }
///     async fn sync(self, cx: Context, key: Key) -> Result {
///         let Some(mut ns) = cx.lister::<Namespace>().get(&key).cloned() else { return Ok(()) };
///         if ns.metadata.is_deleting() || ns.metadata.label("team").is_some() {
///             return Ok(());
///         }
///         let why = Why::new("team_labeller.default")
///             .read("namespace", ObjectRef::of(&*ns), "metadata.labels", ns.metadata.name());
///         let labels = &mut Rc::make_mut(&mut ns).metadata.labels;
///         labels.get_or_insert_default().insert("team".into(), "none".into());
///         cx.update(ns).because(why).await?;
///         Ok(())
///     }
/// }
/// ```
pub trait Reconciler: Clone + 'static {
    /// What its work queue holds: [`Key`](crate::api::Key), an object's namespace and name, or an enum where it has
    /// several sorts of work.
    type Key: WorkKey;
    /// What it remembers between syncs; `()` if nothing.
    type State: Memory;

    /// Its name: Kubernetes' name in `--controllers`. Its user and the component of its events often have other names.
    fn name(&self) -> Rc<str>;

    /// Its user at the API server: `x` of `system:serviceaccount:kube-system:x`.
    fn user(&self) -> Rc<str> {
        self.name()
    }

    /// Which of the event APIs it writes with, and as which component.
    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.name(), host: None }
    }

    /// The kinds that it watches, and what a change of each means to it.
    fn watches(&self) -> Watches<Self::State, Self::Key>;

    /// Keys to start with: work that is done by the clock and that no change leads to. `state` is what it remembers at the
    /// start, see [`Reconciler::restarted`].
    fn initial_keys(&self, _state: &Self::State) -> Vec<Self::Key> {
        Vec::new()
    }

    /// Works on a key. It reads nothing but `cx` and awaits nothing but requests of `cx`, so that it
    /// does the same when it is run again (see [`Controller`](super::Controller)).
    fn sync(
        self,
        cx: Context<Self::State, Self::Key>,
        key: Self::Key,
    ) -> impl Future<Output = Result> + 'static;

    /// A person makes something go wrong in the component. `fault` is a type of the component's own
    /// room, as [`kubelet::KubeletFault`](crate::kubelet::KubeletFault). Returns whether the component knows the type;
    /// a component of which nothing can be broken knows none.
    fn fault(&self, _cx: &mut Handler<'_, Self::State, Self::Key>, _fault: &dyn Any) -> bool {
        false
    }

    /// What it answers if it is asked what containers and nodes use, as objects of the kinds in
    /// [`api::metrics`](crate::api::metrics). `None` if it does not listen, or has nothing to answer yet.
    /// A kubelet and a metrics server listen.
    fn metrics(&self, _state: &Self::State, _reading: &Reading<'_>) -> Option<Vec<Object>> {
        None
    }

    /// The state after a restart of its process: the default, unless something beside the process
    /// (a disk, a container runtime) keeps a part of it.
    fn restarted(&self, _state: &Self::State) -> Self::State {
        Self::State::default()
    }

    /// Whether its syncs read the caches anew after a request ([`Context::latest`]). If so, a sync under way keeps the
    /// caches as they were at each answer, so that it reads the same when it is run again.
    fn reads_again(&self) -> bool {
        false
    }

    /// How long a key waits that failed.
    fn rate_limit(&self) -> RateLimit {
        RateLimit::default()
    }

    /// After how many failures in a row a key is dropped; never if `None`.
    fn max_retries(&self) -> Option<u32> {
        None
    }
}
