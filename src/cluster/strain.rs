//! Busy servers and the probes of kubelets: what the requests of the run's clients leave of a server for its probes.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use crate::api::Key;
use crate::kubelet;
use crate::kubelet::busy::probes_of;
use crate::kubelet::strain::{Foreseen, Strained};
use crate::network::serving::{Life, Serving};
use crate::network::traffic::Trial;

impl Cluster {
    /// Tells the kubelets what their probes of busy servers will meet if nothing changes, where that is something else than before.
    pub(super) fn foresee_probes(&mut self) {
        let Some(scene) = self.scene().cloned() else { return };
        let busy = scene.lives.iter().filter(|(process, (serving, life))| {
            *life == Life::Serves && serving.is_limited() && !scene.is_calm(process)
        });
        let mut of_nodes: BTreeMap<&str, Vec<&Rc<Serving>>> = BTreeMap::new();
        for (_, (serving, _)) in busy {
            of_nodes.entry(&*serving.node).or_default().push(serving);
        }
        let mut news = Vec::new();
        for actor in self.actors() {
            let Some(process) = self.processes.get(actor.process as usize).filter(|p| p.running) else {
                continue;
            };
            let Some(node) = process.node.as_deref() else { continue };
            let component = process.components.get(usize::from(actor.component));
            let Some(state) = component.and_then(|c| c.state().downcast_ref::<kubelet::State>()) else {
                continue;
            };
            let servers = of_nodes.get(node).map(Vec::as_slice).unwrap_or_default();
            if servers.is_empty() && state.strained().next().is_none() {
                continue;
            }
            news.extend(self.strain_of(actor, state, &process.caches, node, servers));
        }
        for (actor, strained) in news {
            self.component_fault(actor, &strained);
        }
    }

    fn strain_of(
        &self,
        actor: Actor,
        state: &kubelet::State,
        caches: &crate::client::Caches,
        node: &str,
        servers: &[&Rc<Serving>],
    ) -> Vec<(Actor, Strained)> {
        let (now, node) = (self.now(), Key::new("", node));
        let mut all: BTreeMap<Key, (Rc<str>, Vec<Foreseen>)> = BTreeMap::new();
        for (pod, uid, _) in state.strained() {
            all.insert(pod.clone(), (uid.clone(), Vec::new()));
        }
        for serving in servers {
            let Some((uid, probes)) = probes_of(state, caches, &node, serving, now) else { continue };
            for probe in probes {
                let trial = Trial { takes: probe.takes, within: probe.within, moments: probe.moments };
                let (meets, again) = self.traffic.forecast(serving, &trial, now);
                let of_pod = all.entry(serving.process.pod.clone()).or_default();
                of_pod.0 = uid.clone();
                of_pod.1.push(Foreseen {
                    container: probe.container,
                    type_: probe.type_,
                    process: serving.process.clone(),
                    meets,
                    again,
                });
            }
        }
        let known: BTreeMap<&Key, (&Rc<str>, &Rc<[Foreseen]>)> =
            state.strained().map(|(pod, uid, probes)| (pod, (uid, probes))).collect();
        let is_new = |pod: &Key, uid: &Rc<str>, probes: &[Foreseen]| match known.get(pod) {
            Some((before, of)) => *before != uid || ***of != *probes,
            None => !probes.is_empty(),
        };
        let changed = all.into_iter().filter(|(pod, (uid, probes))| is_new(pod, uid, probes));
        let news = changed.map(|(pod, (uid, probes))| Strained { pod, uid, probes: probes.into() });
        news.map(|strained| (actor, strained)).collect()
    }
}
