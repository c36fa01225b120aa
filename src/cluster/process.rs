//! A process: informers and the components that share them.

use std::rc::Rc;

use crate::api::Shared;
use crate::client::{Caches, Component, Informer, leaderelection};

/// kube-controller-manager, kube-scheduler or a kubelet.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: Rc<str>,
    /// The node it runs on, if it is a kubelet.
    pub node: Option<Rc<str>>,
    /// Whether it runs. A stopped process sees and does nothing.
    pub running: bool,
    /// One for each kind it watches.
    pub informers: Vec<Shared<Informer>>,
    /// For each component, where it listens: the informer, and its place among the listeners.
    pub routes: Rc<[Vec<(u16, u16)>]>,
    /// What these have seen.
    pub caches: Rc<Caches>,
    /// What works with them.
    pub components: Vec<Shared<Box<dyn Component>>>,
    /// Whether all its informers have synced; then nobody need ask each any more.
    pub(super) synced: bool,
    /// The component that takes part in the election of a leader, where there is one.
    pub(super) elector: Option<u16>,
    /// Whether it waits to become the leader. Its workers do nothing then.
    pub(super) waits: bool,
    /// Whether its informers run all the same: those of kube-scheduler do
    /// (`DelayCacheUntilActive` is off), those of kube-controller-manager start when it leads.
    pub(super) warm: bool,
}

impl Process {
    /// A process of components, with an informer for each kind that one of them watches.
    pub fn new(name: &str, node: Option<Rc<str>>, components: Vec<Box<dyn Component>>) -> Process {
        let mut informers: Vec<Informer> = Vec::new();
        for (i, c) in components.iter().enumerate() {
            for (kind, filter) in c.watches() {
                let at = informers.iter().position(|n| n.kind == kind && n.filter == filter).unwrap_or_else(
                    || {
                        informers.push(Informer::new(kind, filter));
                        informers.len() - 1
                    },
                );
                if let Some(informer) = informers.get_mut(at) {
                    informer
                        .listeners
                        .push(crate::client::Listener { component: i, pending: Default::default() });
                }
            }
        }
        let mut routes = vec![Vec::new(); components.len()];
        for (i, informer) in (0..).zip(&informers) {
            for (l, listener) in (0..).zip(&informer.listeners) {
                if let Some(route) = routes.get_mut(listener.component) {
                    route.push((i, l));
                }
            }
        }
        let routes = routes.into();
        let informers = informers.into_iter().map(Shared::new).collect();
        let components = components.into_iter().map(Shared::new).collect();
        Process {
            name: name.into(),
            node,
            running: true,
            informers,
            routes,
            caches: Rc::default(),
            components,
            synced: false,
            elector: None,
            waits: false,
            warm: false,
        }
    }

    /// Whether it is one of several and waits to become the leader.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// The component of it that takes part in the election of a leader, where there is one.
    pub fn elector(&self) -> Option<u16> {
        self.elector
    }

    /// Who it is in the election of a leader, where there is one.
    pub fn identity(&self) -> Option<Rc<str>> {
        let elector = self.components.get(usize::from(self.elector?))?;
        leaderelection::state_of(elector.state()).map(|s| s.identity.clone())
    }

    /// Whether its elector holds the lease.
    pub(super) fn leads(&self) -> bool {
        let elector = self.elector.and_then(|e| self.components.get(usize::from(e)));
        elector.and_then(|e| leaderelection::state_of(e.state())).is_some_and(|s| s.leads)
    }

    /// Whether its informers run.
    pub(super) fn hears(&self) -> bool {
        self.running && (!self.waits || self.warm)
    }

    /// Whether a component of it may work.
    pub(super) fn works(&self, component: u16) -> bool {
        self.running && (!self.waits || self.elector == Some(component))
    }

    /// The same process anew: memory, caches and queues are lost.
    pub(super) fn restart(&mut self) {
        self.caches = Rc::new(Caches::default());
        for n in &mut self.informers {
            let mut fresh = Informer::new(n.kind, n.filter.clone());
            fresh.listeners = std::mem::take(&mut n.listeners);
            fresh.listeners.iter_mut().for_each(|l| l.pending.clear());
            **n = fresh;
        }
        self.components.iter_mut().for_each(|c| c.restart());
        self.synced = false;
        self.waits = self.elector.is_some();
    }

    /// Whether a component's worker can take a key: it has one, does not work on another, and what its
    /// informers listed first is in its cache (`WaitForCacheSync`).
    pub(super) fn can_start(&self, component: u16) -> bool {
        let Some(c) = self.components.get(usize::from(component)) else { return false };
        self.works(component)
            && c.working_on().is_none()
            && !c.queue().is_empty()
            && (self.synced || self.has_synced(component))
    }

    fn has_synced(&self, component: u16) -> bool {
        let routes = self.routes.get(usize::from(component)).into_iter().flatten();
        routes.filter_map(|(n, _)| self.informers.get(usize::from(*n))).all(|n| n.has_synced())
    }

    /// Something of a first list may have come.
    pub(super) fn note_synced(&mut self) {
        self.synced = self.synced || self.informers.iter().all(|n| n.has_synced());
    }
}
