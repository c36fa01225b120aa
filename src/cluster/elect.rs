//! Several instances of a process, one of which leads.
//!
//! In Kubernetes, kube-controller-manager and kube-scheduler always hold a lease. Here they do once a second
//! instance has been started, because the lease of a single instance decides nothing.

use std::rc::Rc;

use super::action::{Action, Actor};
use super::fault::NoSuchFault;
use super::{Cluster, Process};
use crate::api::Shared;
use crate::client::Component;
use crate::client::Controller;
use crate::client::leaderelection::LeaderElector;

/// The most instances of a process.
pub const INSTANCES_LIMIT: usize = 3;
/// The processes that can have several instances: the name, the component in the events about its election,
/// and whether its informers run while it waits.
const REPLICATED: [(&str, &str, bool); 2] = [
    ("kube-controller-manager", "kube-controller-manager", false),
    ("kube-scheduler", "default-scheduler", true),
];
/// More actions than an elector needs to take the first lease.
const FIRST_LEASE: usize = 100;

impl Cluster {
    /// The names of the processes that can have one more instance.
    pub fn replicable(&self) -> impl Iterator<Item = &'static str> {
        let more =
            |name: &str| self.instances(name) < INSTANCES_LIMIT && self.find_process(name, None).is_ok();
        REPLICATED.into_iter().map(|(name, ..)| name).filter(move |name| more(name))
    }

    fn instances(&self, name: &str) -> usize {
        let of = |p: &&Rc<Process>| {
            let rest = p.name.strip_prefix(name);
            rest.is_some_and(|n| {
                n.is_empty() || n.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok())
            })
        };
        self.processes.iter().filter(of).count()
    }

    /// Starts one more instance of a process.
    pub(super) fn replicate(&mut self, name: &str) -> Result<(), NoSuchFault> {
        let (lease, component, warm) = *REPLICATED.iter().find(|(n, ..)| *n == name).ok_or(NoSuchFault)?;
        let instances = self.instances(name);
        if instances >= INSTANCES_LIMIT {
            return Err(NoSuchFault);
        }
        let first = self.find_process(name, None)?;
        let elector = |instance| LeaderElector {
            lease: lease.into(),
            instance,
            component: component.into(),
            seed: self.api.seed(),
        };
        let (mine, theirs) = (elector(1), elector(instances + 1));
        if instances == 1 {
            // The first instance takes the lease before the second one starts.
            self.lead(first, mine, warm).ok_or(NoSuchFault)?;
        }
        let mut process = Process::clone(self.processes.get(first as usize).ok_or(NoSuchFault)?);
        process.name = format!("{name}-{}", instances + 1).into();
        process.running = true;
        let at = process.elector.ok_or(NoSuchFault)?;
        if let Some(c) = process.components.get_mut(usize::from(at)) {
            *c = Shared::new(component_of(theirs));
        }
        // The clone has copies of the first instance's watches. They are forgotten, not ended: the first
        // instance uses them.
        process.restart();
        self.elects = true;
        self.add_process(process);
        Ok(())
    }

    /// Adds an elector to a process that was the only instance, and lets it take the lease.
    fn lead(&mut self, id: u32, elector: LeaderElector, warm: bool) -> Option<()> {
        let before = self.clone();
        let p = self.process_mut(id).filter(|p| p.running)?;
        let component = p.add(component_of(elector));
        (p.elector, p.warm) = (Some(component), warm);
        let actor = Actor { process: id, component };
        for _ in 0..FIRST_LEASE {
            let Some(action) = self.next_for(actor) else { break };
            self.act(&action).ok()?;
        }
        if self.processes.get(id as usize).is_some_and(|p| p.leads()) {
            return Some(());
        }
        // The API server does not answer, so the lease cannot be taken.
        *self = before;
        None
    }

    /// After an action of an elector: its process begins to work if it has taken the lease, and restarts if
    /// it has lost it.
    pub(super) fn note_election(&mut self, action: &Action) {
        let (Action::Send { actor } | Action::Start { actor }) = action else { return };
        let Some(p) = self.processes.get(actor.process as usize) else { return };
        if p.elector != Some(actor.component) || p.leads() != p.waits {
            return;
        }
        if p.waits {
            if let Some(p) = self.process_mut(actor.process) {
                p.waits = false;
            }
        } else {
            // A process that has lost the lease exits and is started again ("leaderelection lost").
            let _ = self.lose_memory(actor.process);
        }
        self.ready.insert(actor.process);
    }
}

fn component_of(elector: LeaderElector) -> Box<dyn Component> {
    let mut component = Controller::boxed(elector);
    // The elector makes its identity when it starts.
    component.restart();
    component
}
