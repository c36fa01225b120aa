//! A process: informers and the components that share them.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::api::{Kind, Shared};
use crate::apimachinery::{Filter, WatchId};
use crate::client::{Caches, Component, Informer, Listeners, Notification, Wants, leaderelection};

/// kube-controller-manager, kube-scheduler, a kubelet, or the process of the addons.
#[derive(Clone, Debug)]
pub struct Process {
    /// The process's name.
    pub name: Rc<str>,
    /// The program that runs in it, the same for all instances: the first word of its user agent. `None` for the addons,
    /// each of which is a program of its own with the name of its user.
    pub program: Option<Rc<str>>,
    /// The node of a kubelet; `None` for other processes.
    pub node: Option<Rc<str>>,
    /// Whether the process runs. A stopped process receives and does nothing.
    pub running: bool,
    /// The informers. One without listeners has stopped and keeps its index ([`Informer::is_stopped`]).
    pub informers: Vec<Shared<Informer>>,
    /// For each component the informers that it listens to: the informer's index, and the component's index
    /// among the informer's listeners.
    pub routes: Rc<[Vec<(u16, u16)>]>,
    /// The objects that the informers have delivered.
    pub caches: Rc<Caches>,
    /// The components. A component keeps its index as long as the process exists.
    pub components: Vec<Shared<Box<dyn Component>>>,
    /// The indices of components that are switched off (`--controllers`).
    off: Rc<BTreeSet<u16>>,
    /// Whether it goes on with what it knows before its informers have synced: a kubelet that nobody answers runs its static pods.
    pub(super) alone: bool,
    /// Whether all informers have synced, kept so that they need not be asked each time.
    pub(super) synced: bool,
    /// The index of the component that takes part in a leader election, if there is one.
    pub(super) elector: Option<u16>,
    /// Whether the process waits to become the leader. Only its elector works then.
    pub(super) waits: bool,
    /// Whether its informers run while it waits. Those of kube-scheduler do (`DelayCacheUntilActive` is
    /// off), those of kube-controller-manager start when it leads.
    pub(super) warm: bool,
}

impl Process {
    /// A process with these components, and an informer for each kind that one of them watches.
    pub fn new(name: &str, node: Option<Rc<str>>, components: Vec<Box<dyn Component>>) -> Process {
        let mut process = Process {
            name: name.into(),
            program: Some(name.into()),
            node,
            running: true,
            informers: Vec::new(),
            routes: Rc::new([]),
            caches: Rc::default(),
            components: components.into_iter().map(Shared::new).collect(),
            off: Rc::default(),
            alone: false,
            synced: false,
            elector: None,
            waits: false,
            warm: false,
        };
        process.attach_all();
        process
    }

    /// Whether the process is one of several instances and waits to become the leader.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// The index of the component that takes part in a leader election, if there is one.
    pub fn elector(&self) -> Option<u16> {
        self.elector
    }

    /// Whether a component is switched on.
    pub fn is_on(&self, component: u16) -> bool {
        !self.off.contains(&component)
    }

    /// The process's identity in a leader election, if it takes part in one.
    pub fn identity(&self) -> Option<Rc<str>> {
        let elector = self.components.get(usize::from(self.elector?))?;
        leaderelection::state_of(elector.state()).map(|s| s.identity.clone())
    }

    /// Whether the process's elector holds the lease.
    pub(super) fn leads(&self) -> bool {
        let elector = self.elector.and_then(|e| self.components.get(usize::from(e)));
        elector.and_then(|e| leaderelection::state_of(e.state())).is_some_and(|s| s.leads)
    }

    /// Whether the process's informers run.
    pub(super) fn hears(&self) -> bool {
        self.running && (!self.waits || self.warm)
    }

    /// Whether a component's syncs, requests and events go on: its process runs, it is switched on, and its
    /// process does not wait for the lease. While a process waits, its elector goes on.
    pub(super) fn works(&self, component: u16) -> bool {
        self.running
            && (!self.waits || self.elector == Some(component))
            && (self.off.is_empty() || self.is_on(component))
    }

    /// What a component can do next, apart from receiving changes. A worker takes a key only after the first
    /// lists of the component's informers are in the caches (`WaitForCacheSync`).
    pub(super) fn wants(&self, component: u16) -> Wants {
        match self.components.get(usize::from(component)) {
            Some(c) if self.works(component) => {
                let wants = c.wants();
                Wants {
                    start: wants.start && (self.synced || self.alone || self.has_synced(component)),
                    ..wants
                }
            }
            _ => Wants::default(),
        }
    }

    /// Restarts the process: memory, caches and queues are lost. Returns the watches of the informers, which
    /// the caller ends.
    pub(super) fn restart(&mut self) -> Vec<WatchId> {
        let mut caches = Caches::default();
        if self.alone {
            // What it says of its own Node it knows by itself (`initialNode`).
            *caches.of_mut(Kind::NODE) = self.caches.of(Kind::NODE).clone();
        }
        self.caches = Rc::new(caches);
        for n in &mut self.informers {
            n.listeners = Listeners::default();
        }
        let watches = self.informers.iter_mut().filter_map(|n| n.reset()).collect();
        self.components.iter_mut().for_each(|c| c.restart());
        self.attach_all();
        self.waits = self.elector.is_some();
        watches
    }

    /// Adds a component, which starts at once. Returns its index.
    pub(super) fn add(&mut self, component: Box<dyn Component>) -> u16 {
        self.components.push(Shared::new(component));
        let place = place(self.components.len() - 1);
        self.attach(place);
        self.reroute();
        place
    }

    /// Switches a component off: its memory, its queue and its sync under way are lost, and informers that
    /// no other component needs stop. Returns the watches of these, which the caller ends.
    pub(super) fn switch_off(&mut self, component: u16) -> Vec<WatchId> {
        Rc::make_mut(&mut self.off).insert(component);
        if let Some(c) = self.components.get_mut(usize::from(component)) {
            c.restart();
        }
        let stopped = self.detach(component, |_, _| false);
        self.reroute();
        stopped
    }

    /// Switches a component on. It starts with nothing in memory.
    pub(super) fn switch_on(&mut self, component: u16) {
        Rc::make_mut(&mut self.off).remove(&component);
        self.attach(component);
        self.reroute();
    }

    /// Brings a component's informers up to date with the kinds that it watches now. Returns the kinds that
    /// it did not watch before, those that it does not watch any more, and the watches of stopped informers,
    /// which the caller ends.
    pub(super) fn follow(&mut self, component: u16) -> (Vec<Kind>, Vec<Kind>, Vec<WatchId>) {
        let before = self.watched_by(component);
        let wanted = self.components.get(usize::from(component)).map(|c| c.watches()).unwrap_or_default();
        let is = |list: &[(Kind, Filter)], of: &(Kind, Filter)| list.contains(of);
        let gone: Vec<Kind> = before.iter().filter(|w| !is(&wanted, w)).map(|(k, _)| *k).collect();
        let new: Vec<Kind> = wanted.iter().filter(|w| !is(&before, w)).map(|(k, _)| *k).collect();
        let ended =
            self.detach(component, |kind, filter| wanted.iter().any(|(k, f)| *k == kind && f == filter));
        self.attach(component);
        self.reroute();
        (new, gone, ended)
    }

    fn watched_by(&self, component: u16) -> Vec<(Kind, Filter)> {
        let routes = self.routes.get(usize::from(component)).into_iter().flatten();
        let informers = routes.filter_map(|(n, _)| self.informers.get(usize::from(*n)));
        informers.map(|n| (n.kind, n.filter.clone())).collect()
    }

    fn attach_all(&mut self) {
        for component in 0..place(self.components.len()) {
            if self.is_on(component) {
                self.attach(component);
            }
        }
        self.reroute();
    }

    /// Makes a component a listener of the informers of the kinds that it watches. An informer that runs
    /// already notifies it of all objects in the cache, as if they were new (`AddEventHandler`).
    fn attach(&mut self, component: u16) {
        let Some(c) = self.components.get_mut(usize::from(component)) else { return };
        c.watching();
        for (watch, (kind, filter)) in c.watches().into_iter().enumerate() {
            let Some(informer) = informer_for(&mut self.informers, kind, filter) else { continue };
            let component = usize::from(component);
            if informer.listeners.place_of(component).is_some() {
                continue;
            }
            let known = self.caches.of(kind).list(None).filter(|o| informer.filter.matches(o));
            let as_new =
                |o: &crate::api::Object| Notification { key: o.key(), old: None, new: Some(o.clone()) };
            informer.listeners.add(component, watch, known.map(as_new));
            self.synced &= informer.has_synced();
        }
    }

    /// Ends a component's listening, except to the kinds and filters that `keeps` accepts. Returns the
    /// watches of informers that have stopped.
    fn detach(&mut self, component: u16, keeps: impl Fn(Kind, &Filter) -> bool) -> Vec<WatchId> {
        let mut ended = Vec::new();
        let mut stopped = Vec::new();
        for n in &mut self.informers {
            let component = usize::from(component);
            if keeps(n.kind, &n.filter) || n.listeners.place_of(component).is_none() {
                continue;
            }
            n.listeners.remove(component);
            if n.is_stopped() {
                ended.extend(n.reset());
                stopped.push(n.kind);
            }
        }
        stopped.retain(|k| !self.informers.iter().any(|n| n.kind == *k && !n.is_stopped()));
        if !stopped.is_empty() {
            let caches = Rc::make_mut(&mut self.caches);
            stopped.into_iter().for_each(|kind| caches.remove(kind));
        }
        self.note_synced();
        ended
    }

    fn reroute(&mut self) {
        let mut routes = vec![Vec::new(); self.components.len()];
        for (i, informer) in (0..).zip(&self.informers) {
            for (l, listener) in (0..).zip(informer.listeners.iter()) {
                if let Some(route) = routes.get_mut(listener.component) {
                    route.push((i, l));
                }
            }
        }
        self.routes = routes.into();
    }

    fn has_synced(&self, component: u16) -> bool {
        let routes = self.routes.get(usize::from(component)).into_iter().flatten();
        routes.filter_map(|(n, _)| self.informers.get(usize::from(*n))).all(|n| n.has_synced())
    }

    /// Notes whether all informers have synced, after a change in one of them.
    pub(super) fn note_synced(&mut self) {
        self.synced = self.synced || self.informers.iter().all(|n| n.is_stopped() || n.has_synced());
    }
}

/// The index of a component as an [`Actor`](super::Actor) has it.
fn place(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

/// The informer of a kind and filter. If there is none, a new one is added, in the place of a stopped one if
/// possible.
fn informer_for(informers: &mut Vec<Shared<Informer>>, kind: Kind, filter: Filter) -> Option<&mut Informer> {
    let same = informers.iter().position(|n| n.kind == kind && n.filter == filter);
    let at = same.or_else(|| informers.iter().position(|n| n.is_stopped()));
    let at = match at {
        Some(at) => at,
        None => {
            informers.push(Shared::new(Informer::new(kind, filter.clone())));
            informers.len() - 1
        }
    };
    let informer = informers.get_mut(at)?;
    if informer.kind != kind || informer.filter != filter {
        **informer = Informer::new(kind, filter);
    }
    Some(informer)
}
