//! How kubelets, and the clients outside of the cluster, hear of the network: a process that has asked is answered, and told
//! again when something changes that can make its answer another one. The cluster remembers which kubelets have such processes,
//! so a cluster in which nobody asks has no work with it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::affinity::Remembering;
use super::api_door::Door;
use super::network::Network;
use super::noting::{Noted, Noting};
use super::policing::Policing;
use crate::api::{Key, Kind, MetaExt, Object, Timestamp};
use crate::apiserver::Write;
use crate::client::Published;
use crate::kube_proxy;
use crate::kubelet::{self, NetworkNews};

/// Kinds of which a change can change what the network answers. So can a change of a Pod's labels, where there are policies.
const KINDS: [Kind; 5] =
    [Kind::SERVICE, Kind::ENDPOINT_SLICE, Kind::NAMESPACE, Kind::NODE, Kind::NETWORK_POLICY];

/// What the answers to the processes of a kubelet follow from, beside objects and other processes.
#[derive(Clone, Debug, Default)]
pub(super) struct LedBy {
    /// When they were given.
    at: Timestamp,
    /// The nodes by whose rules packets go, or whose kube-proxies were asked.
    nodes: BTreeSet<Rc<str>>,
}

impl LedBy {
    /// Whether the answers stay as they are if nothing but the rules of some nodes has changed. Later they may be others because time has
    /// passed.
    fn lasts(&self, rules_changed: &BTreeSet<Rc<str>>, now: Timestamp) -> bool {
        self.at == now && self.nodes.is_disjoint(rules_changed)
    }
}

impl Cluster {
    /// Takes note of what a component has published.
    pub(super) fn published(&mut self, actor: Actor, news: Published) {
        if news.metrics {
            self.clock.changed_anywhere();
        }
        if news.asks {
            Rc::make_mut(&mut self.asking).insert(actor, true);
        }
        if news.sends {
            self.begin_to_send();
        }
        if news.stores {
            self.store(actor);
        }
        if news.listens {
            match self.node_of_proxy(actor) {
                Some(node) => _ = self.rules_changed.insert(node),
                None => self.network_changed = true,
            }
            self.follow_static_pods(actor);
            self.open_ports(actor);
        }
    }

    /// The node whose kube-proxy a component is; `None` if it is none.
    fn node_of_proxy(&self, actor: Actor) -> Option<Rc<str>> {
        let process = self.processes.get(actor.process as usize)?;
        let component = process.components.get(usize::from(actor.component))?;
        component.state().downcast_ref::<kube_proxy::State>()?;
        process.node.clone()
    }

    /// Whether what was written can change what the network answers.
    pub(super) fn notice_network(&mut self, writes: &[Write]) {
        if self.asking.is_empty() && self.callers.is_empty() {
            return;
        }
        let relabelled = |w: &Write| {
            let labels = |o: &Option<Object>| o.as_ref().map(|o| o.meta().labels_or_empty().clone());
            w.object.kind == Kind::POD && labels(&w.prev) != labels(&w.next)
        };
        let policed = Policing(&self.api).is_needed() && self.network_plugin().enforces_policies();
        self.network_changed |=
            writes.iter().any(|w| KINDS.contains(&w.object.kind) || (policed && relabelled(w)));
        self.server_changed |=
            (self.callers_ask_server || !self.asks_server.is_empty()) && !writes.is_empty();
    }

    /// Answers what processes have asked since the last action and, if something has changed, what they had asked before.
    pub(super) fn settle_network(&mut self) {
        let rules = std::mem::take(&mut self.rules_changed);
        // What nodes remember of clients makes their answers others, too.
        let changed =
            std::mem::take(&mut self.network_changed) || (!rules.is_empty() && !self.affinity.is_empty());
        let server_changed = std::mem::take(&mut self.server_changed);
        if (self.asking.is_empty() && self.callers.is_empty())
            || (!changed && rules.is_empty() && !server_changed && !self.asking.values().any(|new| *new))
        {
            return;
        }
        let now = self.now();
        let is_led = |actor: &Actor| {
            !rules.is_empty() && self.led_by.get(actor).is_none_or(|by| !by.lasts(&rules, now))
        };
        let is_due = |actor: &Actor, new: bool| {
            changed || new || (server_changed && self.asks_server.contains(actor)) || is_led(actor)
        };
        let asking: Vec<Actor> =
            self.asking.iter().filter(|(a, new)| is_due(a, **new)).map(|(a, _)| *a).collect();
        self.refresh_affinity();
        for actor in asking {
            let (news, asks, noted, nodes) = self.news_for(actor);
            Rc::make_mut(&mut self.led_by).insert(actor, LedBy { at: now, nodes });
            if noted.server != self.asks_server.contains(&actor) {
                let all = Rc::make_mut(&mut self.asks_server);
                let _ = if noted.server { all.insert(actor) } else { all.remove(&actor) };
            }
            self.note(noted);
            if asks {
                Rc::make_mut(&mut self.asking).insert(actor, false);
            } else {
                Rc::make_mut(&mut self.asking).remove(&actor);
                Rc::make_mut(&mut self.led_by).remove(&actor);
            }
            for n in news {
                self.component_fault(actor, &n);
            }
            self.decode_read(actor);
        }
        if changed || !rules.is_empty() || (server_changed && self.callers_ask_server) {
            self.answer_callers();
        }
        if self.sends {
            self.note_traffic();
            self.foresee_probes();
        }
    }

    /// What a kubelet has to be told, whether a process of its pods asks anything, what comes of that, and by which nodes' rules packets go.
    fn news_for(&self, actor: Actor) -> (Vec<NetworkNews>, bool, Noted, BTreeSet<Rc<str>>) {
        let process = self.processes.get(actor.process as usize).filter(|p| p.running);
        let state = process
            .and_then(|p| p.components.get(usize::from(actor.component)))
            .and_then(|c| c.state().downcast_ref::<kubelet::State>());
        let Some(state) = state else { return (Vec::new(), false, Noted::default(), BTreeSet::new()) };
        let (api, processes) = (&self.api, &self.processes);
        let (remembered, nodes) = (RefCell::default(), RefCell::default());
        let network = |noting, opens| {
            let (now, plugin, core_dns) = (self.now(), self.plugin, self.core_dns);
            Network {
                api,
                processes,
                now,
                plugin,
                core_dns,
                noting,
                affinity: &self.affinity,
                remembering: Some(Remembering { noted: &remembered, opens }),
                memo: &self.memo,
                door: Door::reading(&self.traffic),
                controllers: OnceCell::new(),
                topology: OnceCell::new(),
                led_by: Some(&nodes),
                places: OnceCell::new(),
            }
        };
        // What is asked for the first time is logged. What a process goes on to find out is told to it as it changes.
        let noted = RefCell::default();
        let noting = Noting { noted: &noted, caches: false };
        let (first, network) = (network(Some(noting), true), network(None, false));
        let (mut all, mut asks): (Vec<NetworkNews>, bool) = (Vec::new(), false);
        for (pod, uid, question, before) in state.questions() {
            asks = true;
            let network = if before.is_none() { &first } else { &network };
            let answer = network.answer(pod, question);
            if before != Some(&answer) {
                news_of(&mut all, pod, uid).answers.push((question.clone(), answer));
            }
        }
        let server = first.door.was_asked() || network.door.was_asked();
        let noted = Noted { clients: remembered.take(), server, ..noted.take() };
        (all, asks, noted, nodes.take())
    }
}

/// What is to be told to a pod: the last news if they are for it, or new ones.
fn news_of<'a>(all: &'a mut Vec<NetworkNews>, pod: &Key, uid: &Rc<str>) -> &'a mut NetworkNews {
    let at = all.iter().position(|n| n.pod == *pod).unwrap_or_else(|| {
        all.push(NetworkNews { pod: pod.clone(), uid: uid.clone(), answers: Vec::new() });
        all.len() - 1
    });
    &mut all[at]
}
