//! Several instances of a process, of which one leads.
//!
//! kube-controller-manager and kube-scheduler always hold a lease. Here they do from the moment on at
//! which there is a second instance: a lease that nobody else wants decides nothing.

use std::rc::Rc;

use super::action::{Action, Actor};
use super::fault::NoSuchFault;
use super::{Cluster, Process};
use crate::api::Shared;
use crate::client::Component;
use crate::client::Controller;
use crate::client::leaderelection::LeaderElector;

/// More instances of a process than this are not started.
pub const INSTANCES_LIMIT: usize = 3;
/// The processes that know how to wait, as whom each says that it leads, and whether its informers run
/// while it waits.
const REPLICATED: [(&str, &str, bool); 2] = [
    ("kube-controller-manager", "kube-controller-manager", false),
    ("kube-scheduler", "default-scheduler", true),
];
/// An elector that has the first lease to itself is done in fewer actions.
const FIRST_LEASE: usize = 100;

impl Cluster {
    /// The processes of which another instance can be started.
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
            // It has the lease since it has started.
            self.lead(first, mine, warm).ok_or(NoSuchFault)?;
        }
        let mut process = Process::clone(self.processes.get(first as usize).ok_or(NoSuchFault)?);
        process.name = format!("{name}-{}", instances + 1).into();
        process.running = true;
        let at = process.elector.ok_or(NoSuchFault)?;
        if let Some(c) = process.components.get_mut(usize::from(at)) {
            *c = component_of(theirs);
        }
        process.restart();
        self.elects = true;
        self.add_process(process);
        Ok(())
    }

    /// A process that was alone has an elector from now on, and the lease.
    fn lead(&mut self, id: u32, elector: LeaderElector, warm: bool) -> Option<()> {
        let before = self.clone();
        let p = self.process_mut(id).filter(|p| p.running)?;
        let component = u16::try_from(p.components.len()).ok()?;
        p.components.push(component_of(elector));
        (p.elector, p.warm) = (Some(component), warm);
        let actor = Actor { process: id, component };
        for _ in 0..FIRST_LEASE {
            let Some(action) = self.next_for(actor) else { break };
            self.act(&action).ok()?;
        }
        if self.processes.get(id as usize).is_some_and(|p| p.leads()) {
            return Some(());
        }
        // Nobody answers: there is no lease to be had.
        *self = before;
        None
    }

    /// An elector may have taken its lease, or lost it.
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
            // Whoever loses the lease ends, and is started again ("leaderelection lost").
            let _ = self.lose_memory(actor.process);
        }
        self.ready.insert(actor.process);
    }
}

fn component_of(elector: LeaderElector) -> Shared<Box<dyn Component>> {
    let mut component = Controller::boxed(elector);
    // It is who it is from its first start on.
    component.restart();
    Shared::new(component)
}
