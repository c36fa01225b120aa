//! The kube-proxies of a cluster: they are installed and taken away, and their rules can be looked at.

use std::borrow::Cow;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::fault::{Fault, NoSuchFault};
use super::process::Process;
use crate::api::types::{EndpointSlice, Node, Service};
use crate::api::{Kind, ObjectRef, Timestamp};
use crate::kube_proxy;
use crate::network::proxy::{Family, Mode, Proxier, Ruleset};

/// Why the rules of a node are not yet those that they will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesWait {
    /// The node's kube-proxy does not run, so they stay as they are.
    Stopped,
    /// It has not been told of all changes of Services and EndpointSlices yet.
    News,
    /// It works them out and writes them at this moment.
    Work(Timestamp),
    /// It writes them at this moment, because it has synced a short time before (`minSyncPeriod`).
    Period(Timestamp),
}

impl Cluster {
    /// What the rules of a node wait for; `None` if nothing, or if there is no kube-proxy to be looked at.
    pub fn rules_wait(&self, node: &str) -> Option<RulesWait> {
        let mode = self.kube_proxy_mode()?;
        let is_it = |p: &&Rc<Process>| p.node.as_deref() == Some(node) && &*p.name == kube_proxy::NAME;
        let process = self.processes.iter().find(is_it)?;
        if !process.running {
            return Some(RulesWait::Stopped);
        }
        let on = (0..).zip(&process.components).filter(|(place, _)| process.is_on(*place));
        let mut states = on.filter_map(|(_, c)| c.state().downcast_ref::<kube_proxy::State>());
        if let Some((at, by_period)) = states.find_map(|s| s.due(mode)) {
            return Some(if by_period { RulesWait::Period(at) } else { RulesWait::Work(at) });
        }
        let mut informers = process
            .informers
            .iter()
            .filter(|i| !i.is_stopped() && [Kind::SERVICE, Kind::ENDPOINT_SLICE].contains(&i.kind));
        let is_behind = informers.any(|i| {
            let sent = i.watch.and_then(|w| self.api.watches.pending(w)).is_some_and(|n| n > 0);
            sent || !i.fifo.is_empty() || !i.listeners.is_quiet()
        });
        is_behind.then_some(RulesWait::News)
    }

    /// Gives each node a kube-proxy, or takes them away.
    pub(super) fn install_kube_proxies(&mut self, mode: Option<Mode>) -> Result<(), NoSuchFault> {
        if self.kube_proxy_mode() == mode {
            return Err(NoSuchFault);
        }
        let nodes: Vec<Rc<str>> =
            self.processes().filter(|p| &*p.name == "kubelet").filter_map(|p| p.node.clone()).collect();
        for node in nodes {
            let known = self.find_process(kube_proxy::NAME, Some(&node)).ok();
            if let Some(id) = known {
                self.switch_kube_proxies_off(id);
            }
            let Some(mode) = mode else { continue };
            let components = kube_proxy::components(&node, mode, self.api.ip_family());
            match known {
                Some(id) => {
                    if let Some(p) = self.process_mut(id) {
                        components.into_iter().for_each(|c| {
                            p.add(c);
                        });
                    }
                    self.ready.insert(id);
                }
                None => self.add_process(Process::new(kube_proxy::NAME, Some(node), components)),
            }
        }
        self.proxy_mode = mode;
        self.proxy_chosen = true;
        Ok(())
    }

    fn switch_kube_proxies_off(&mut self, id: u32) {
        let places: Vec<u16> = self.processes.get(id as usize).map_or_else(Vec::new, |p| {
            (0..).zip(&p.components).map(|(place, _)| place).filter(|place| p.is_on(*place)).collect()
        });
        for component in places {
            self.clock.forget(Actor { process: id, component });
            let ended = self.process_mut(id).map(|p| p.switch_off(component)).unwrap_or_default();
            ended.into_iter().for_each(|w| self.api.watches.remove(w));
        }
        self.ready.insert(id);
    }

    /// What the kube-proxies of the nodes write their rules with; `None` if there is none that can be looked at.
    pub fn kube_proxy_mode(&self) -> Option<Mode> {
        self.proxy_mode
    }

    /// What can be done about the kube-proxies now: to install them in each mode that they do not have, and to take them away.
    pub fn kube_proxy_faults(&self) -> Vec<Fault> {
        let now = self.proxy_mode;
        let others = Mode::ALL.into_iter().map(Some).filter(|mode| *mode != now);
        let none = now.is_some().then_some(None);
        others.chain(none).map(|mode| Fault::KubeProxy { mode }).collect()
    }

    /// The rules in the kernel of a node, as its kube-proxy has written them, for each address family; and when. `None` if
    /// there is no kube-proxy to be looked at, or it has not written yet.
    pub fn kernel_rules(&self, node: &str) -> Option<(&[Ruleset], Timestamp)> {
        let own = self.processes.iter().filter(|p| p.node.as_deref() == Some(node));
        let on = own.flat_map(|p| (0..).zip(&p.components).filter(|(i, _)| p.is_on(*i)).map(|(_, c)| c));
        let mut states = on.filter_map(|c| c.state().downcast_ref::<kube_proxy::State>());
        states.find_map(|s| Some((&*s.rules, s.written?)))
    }

    /// The rules in the kernel of a node, for each address family. Where there is no kube-proxy to be looked at, or it
    /// has not written yet, they are those that one would write now for all Services, in the default mode.
    pub fn rules_on(&self, node: &str) -> Cow<'_, [Ruleset]> {
        if let Some((rules, _)) = self.kernel_rules(node) {
            return Cow::Borrowed(rules);
        }
        let at = ObjectRef::new(Kind::NODE, "", node);
        let object = self.api.cached(&at).and_then(|o| o.get::<Node>()).map(|n| &**n);
        let services = self.api.cached_list(Kind::SERVICE, None);
        let services: Vec<&Service> =
            services.filter_map(|(_, o)| o.get::<Service>().map(|s| &**s)).collect();
        let slices = self.api.cached_list(Kind::ENDPOINT_SLICE, None);
        let slices: Vec<&EndpointSlice> =
            slices.filter_map(|(_, o)| o.get::<EndpointSlice>().map(|s| &**s)).collect();
        let of_family = |family: &Family| {
            let config = kube_proxy::config(node, object, Mode::default(), *family, self.api.ip_family());
            Proxier::sync(&config, services.iter().copied(), slices.iter().copied())
        };
        kube_proxy::families(self.api.ip_family()).iter().map(of_family).collect()
    }
}
