//! Components that are switched off and on in a running cluster.
//!
//! A component keeps its index as long as its process exists, so that an action that names it by index
//! always means the same one. To remove a component is to switch it off. A component of the same name that
//! is added later takes its place.

use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::fault::NoSuchFault;
use super::process::Process;
use crate::api::Shared;
use crate::client::Component;
use crate::controllers::{DISABLED_BY_DEFAULT, canonical_name};

/// Whether a value of `--controllers` enables a controller
/// (`k8s.io/controller-manager/app.IsControllerEnabled`). The first entry that names the controller decides;
/// if none does, `*` enables it, unless it is one of those that only their names enable.
///
/// ```
/// use steady::cluster::is_controller_enabled;
/// assert!(is_controller_enabled("replicaset-controller", "*,-deployment"));
/// assert!(!is_controller_enabled("deployment-controller", "*,-deployment"));
/// assert!(!is_controller_enabled("deployment-controller", "replicaset"));
/// assert!(!is_controller_enabled("token-cleaner-controller", "*"));
/// assert!(is_controller_enabled("token-cleaner-controller", "*,tokencleaner"));
/// ```
pub fn is_controller_enabled(name: &str, controllers: &str) -> bool {
    let mut star = false;
    for entry in controllers.split(',') {
        let (entry, on) = entry.strip_prefix('-').map_or((entry, true), |rest| (rest, false));
        if canonical_name(entry) == name {
            return on;
        }
        star |= entry == "*" && on;
    }
    star && !DISABLED_BY_DEFAULT.contains(&name)
}

impl Process {
    fn switchable(&self) -> impl Iterator<Item = (u16, &Shared<Box<dyn Component>>)> {
        let elector = self.elector();
        (0..).zip(&self.components).filter(move |(at, _)| elector != Some(*at))
    }

    /// The components that can be switched off and on, each with whether it is on. Electors cannot be.
    pub fn switches(&self) -> impl Iterator<Item = (Rc<str>, bool)> {
        self.switchable().map(|(at, c)| (c.name(), self.is_on(at)))
    }
}

impl Cluster {
    /// Applies another value of `--controllers` to a process.
    pub(super) fn set_controllers(&mut self, process: &str, controllers: &str) -> Result<(), NoSuchFault> {
        let id = self.find_process(process, None)?;
        let p = self.processes.get(id as usize).ok_or(NoSuchFault)?;
        let exists = |entry: &str| {
            let name = canonical_name(entry.strip_prefix('-').unwrap_or(entry));
            entry == "*" || p.switches().any(|(known, _)| *known == *name)
        };
        if !controllers.split(',').all(exists) {
            return Err(NoSuchFault);
        }
        let other = |on: bool, name: &str| on != is_controller_enabled(name, controllers);
        let change: Vec<u16> =
            p.switchable().filter(|(at, c)| other(p.is_on(*at), &c.name())).map(|(at, _)| at).collect();
        if change.is_empty() {
            return Err(NoSuchFault);
        }
        for component in change {
            self.switch(Actor { process: id, component });
        }
        self.ready.insert(id);
        Ok(())
    }

    /// Switches a component on if it is off, and off if it is on.
    fn switch(&mut self, actor: Actor) {
        self.clock.forget(actor);
        let Some(p) = self.process_mut(actor.process) else { return };
        if p.is_on(actor.component) {
            let ended = p.switch_off(actor.component);
            ended.into_iter().for_each(|w| self.api.watches.remove(w));
        } else {
            p.switch_on(actor.component);
        }
    }
}
