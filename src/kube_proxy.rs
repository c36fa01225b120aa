//! kube-proxy (`k8s.io/kubernetes/pkg/proxy`, `cmd/kube-proxy`): it watches Services and EndpointSlices, and writes the rules of its
//! node. What the rules are stands in [`crate::network::proxy`]; here is when they are written.
//!
//! A cluster starts without kube-proxies: as long as nobody looks, every node has the rules that its kube-proxy would write.
//! With [`Fault::KubeProxy`](crate::cluster::Fault::KubeProxy) each node gets one. Then it takes a while
//! ([`TAKES`]) from a change to the rules, which lead to pods that are gone until then.
//!
//! Rules go to the kernel and not to the API server, but the write is a request all the same (`nodes/ruleset`), so that it is
//! a step: who wrote, and why.

use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::ip_family::IpFamily;
use crate::api::types::{EndpointSlice, Node, Service};
use crate::api::{Key, MetaExt, Timestamp, later};
use crate::apimachinery::Filter;
use crate::client::{
    Component, Context, Controller, Handler, Memory, Reconciler, Result, Seen, Watches, Why,
};
use crate::network::moved::Moved;
use crate::network::proxy::healthcheck::ProxyHealth;
use crate::network::proxy::{Config, Family, LocalDetector, Mode, Proxier, Ruleset, ServicePortName, timing};

/// The name of the component and of its process.
pub const NAME: &str = "kube-proxy";

/// How long it takes from a change to the rules in the kernel: kube-proxy hears of it, works the rules out and hands them over.
/// On a real node these are tenths of a second, and more where there are many Services.
pub const TAKES: SignedDuration = SignedDuration::from_millis(500);

/// The components of the kube-proxy process of a node.
pub fn components(node: &str, mode: Mode, ip_family: IpFamily) -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(KubeProxy { node: node.into(), mode, ip_family })]
}

/// The kube-proxy of one node.
#[derive(Clone, Debug)]
pub struct KubeProxy {
    node: Rc<str>,
    mode: Mode,
    ip_family: IpFamily,
}

/// What a kube-proxy remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The rules in the kernel of its node, for each address family; empty before the first sync.
    pub rules: Rc<[Ruleset]>,
    /// When these rules were written; `None` before the first sync.
    pub written: Option<Timestamp>,
    /// When the process last synced; `None` before its first sync.
    pub synced: Option<Timestamp>,
    /// When it heard of the oldest change that it has not written yet; `None` if it has written all.
    pub pending: Option<Timestamp>,
}

impl State {
    /// When it writes the change that it has heard of, and whether it waits longer than its work takes, because it has synced a short
    /// time before; `None` if it has written all that it has heard of.
    pub fn due(&self, mode: Mode) -> Option<(Timestamp, bool)> {
        let worked_out = later(self.pending?, TAKES);
        let may = self.synced.map_or(worked_out, |synced| later(synced, timing::min_sync_period(mode)));
        Some((worked_out.max(may), may > worked_out))
    }

    /// What it says of its own health.
    pub fn health(&self) -> ProxyHealth {
        let mut health = ProxyHealth::default();
        for family in self.rules.iter().map(|r| r.family) {
            self.synced.into_iter().for_each(|at| health.updated(family, at));
            self.pending.into_iter().for_each(|at| health.queued(family, at));
        }
        health
    }
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let mut lines: Vec<String> =
            self.pending.iter().map(|at| format!("a change of {at} waits")).collect();
        for rules in self.rules.iter() {
            for (name, port) in &rules.ports {
                let endpoints = rules.endpoints.get(name).map(Vec::as_slice).unwrap_or_default();
                let endpoints: Vec<String> = endpoints
                    .iter()
                    .map(|e| {
                        format!(
                            "{} ready {} serving {} terminating {}",
                            e.text, e.ready, e.serving, e.terminating
                        )
                    })
                    .collect();
                lines.push(format!("{name} at {}:{} leads to {endpoints:?}", port.cluster_ip, port.port));
            }
        }
        lines
    }
}

/// How a kube-proxy of a node is configured, as kubeadm and kind do it, and what it reads off the Node.
pub fn config(
    node_name: &str,
    node: Option<&Node>,
    mode: Mode,
    family: Family,
    ip_family: IpFamily,
) -> Config {
    let status = node.and_then(|n| n.status.as_ref());
    let addresses = status.iter().flat_map(|s| s.addresses.iter().flatten());
    let internal = addresses.filter(|a| a.type_ == "InternalIP").filter_map(|a| a.address.parse().ok());
    let of_family = |net: &ipnet::IpNet| Family::of(net.addr()) == family;
    let pods = ip_family.pod_ranges().iter().map(|r| r.cluster).find(of_family);
    Config {
        mode,
        family,
        node_name: node_name.to_owned(),
        node_ips: internal.collect(),
        node_labels: node.map(|n| n.metadata.labels_or_empty().clone()).unwrap_or_default(),
        local_detector: pods.map_or(LocalDetector::None, LocalDetector::Cidr),
        service_cidrs: ip_family.service_ranges().collect(),
        ..Config::default()
    }
}

/// The address families of a cluster's kube-proxies.
pub fn families(ip_family: IpFamily) -> &'static [Family] {
    match ip_family {
        IpFamily::Ipv4 => &[Family::Ipv4],
        IpFamily::Dual => &[Family::Ipv4, Family::Ipv6],
    }
}

/// The endpoints that a port of a Service leads to: those that are ready or, without any, those that still serve.
fn usable(rules: &[Ruleset], name: &ServicePortName) -> Vec<SocketAddr> {
    let all = || rules.iter().flat_map(|r| r.endpoints.get(name).into_iter().flatten());
    let ready: Vec<SocketAddr> = all().filter(|e| e.ready).map(|e| e.address).collect();
    if !ready.is_empty() {
        return ready;
    }
    all().filter(|e| e.serving && e.terminating).map(|e| e.address).collect()
}

/// The ports of Services of which the rules are others than before.
fn changed<'a>(before: &'a [Ruleset], now: &'a [Ruleset]) -> Vec<&'a ServicePortName> {
    let names = before.iter().chain(now).flat_map(|r| r.ports.keys());
    let of = |rules: &'a [Ruleset], name: &ServicePortName| -> Vec<_> {
        rules.iter().map(|r| (r.ports.get(name), r.endpoints.get(name))).collect()
    };
    let mut all: Vec<&ServicePortName> = names.filter(|name| of(before, name) != of(now, name)).collect();
    crate::api::order::sort(&mut all);
    all.dedup();
    all
}

impl KubeProxy {
    fn rules(&self, cx: &Context<State>) -> Rc<[Ruleset]> {
        let node = cx.caches().get::<Node>(&Key::new("", &self.node));
        let of_family = |family: &Family| {
            let config = config(&self.node, node.map(|n| &**n), self.mode, *family, self.ip_family);
            let services = cx.lister::<Service>();
            let slices = cx.lister::<EndpointSlice>();
            Proxier::sync(&config, services.list(None).map(|s| &**s), slices.list(None).map(|s| &**s))
        };
        families(self.ip_family).iter().map(of_family).collect()
    }
}

/// Plans a sync for a change that was heard of (`BoundedFrequencyRunner`): not sooner than a second after the last one.
fn plan(cx: &mut Handler<'_, State>, node: &Rc<str>, mode: Mode) {
    // The rules that are there at the start are written without waiting.
    let Some(synced) = cx.state.synced else { return cx.enqueue(Key::new("", node)) };
    cx.state.pending.get_or_insert(cx.now);
    let at = later(cx.now, TAKES).max(later(synced, timing::min_sync_period(mode)));
    cx.enqueue_after(Key::new("", node), at.duration_since(cx.now));
}

impl Reconciler for KubeProxy {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    /// The rules are in the kernel of the node and stay there.
    fn restarted(&self, state: &State) -> State {
        State { rules: state.rules.clone(), written: state.written, ..State::default() }
    }

    fn watches(&self) -> Watches<State> {
        let (node, mode) = (self.node.clone(), self.mode);
        let of = |node: &Rc<str>| node.clone();
        let (for_services, for_slices, for_node) = (of(&node), of(&node), of(&node));
        Watches::new()
            .watches(move |cx, seen: Seen<'_, Service>| {
                let spec = |s: Option<&Rc<Service>>| {
                    s.map(|s| (s.spec.clone(), s.status.clone(), s.metadata.labels.clone()))
                };
                if spec(seen.old) != spec(seen.new) {
                    plan(cx, &for_services, mode);
                }
            })
            .watches(move |cx, seen: Seen<'_, EndpointSlice>| {
                let content = |s: Option<&Rc<EndpointSlice>>| {
                    s.map(|s| (s.endpoints.clone(), s.ports.clone(), s.metadata.labels.clone()))
                };
                if content(seen.old) != content(seen.new) {
                    plan(cx, &for_slices, mode);
                }
            })
            .watches_only(Filter::Name(node), move |cx, seen: Seen<'_, Node>| {
                let labels = |n: Option<&Rc<Node>>| n.and_then(|n| n.metadata.labels.clone());
                if labels(seen.old) != labels(seen.new) {
                    plan(cx, &for_node, mode);
                }
            })
    }

    async fn sync(self, cx: Context<State>, _: Key) -> Result {
        let new = self.rules(&cx);
        let old = cx.state(|s| s.rules.clone());
        let first = cx.state(|s| s.synced.is_none());
        let now = cx.now();
        if new == old && !first {
            cx.update_state(move |s| (s.synced, s.pending) = (Some(now), None));
            return Ok(());
        }
        let names = changed(&old, &new);
        let why = match names.as_slice() {
            _ if first => Why::new("kube_proxy.first_sync").with("services", names.len()),
            [one] => {
                let (before, after) = (usable(&old, one), usable(&new, one));
                let moved = Moved::of(&before, &after);
                Why::new("kube_proxy.sync_proxy_rules")
                    .with("service", one)
                    .with("before", before.len())
                    .with("count", after.len())
                    .with("change", moved.change)
                    .with("new", moved.new)
                    .with("gone", moved.gone)
            }
            [] => Why::new("kube_proxy.sync_node"),
            several => Why::new("kube_proxy.sync_several").with("services", several.len()),
        };
        let why = why.with("node", &self.node);
        // The first rules are those that were there before kube-proxy was looked at, and a step all the same: a run that rests
        // takes no steps in the background, so it would not have them before the next change, which is the one to be seen.
        cx.write_rules(&self.node).because(why).await?;
        let now = cx.now();
        cx.update_state(move |s| {
            s.rules = new.clone();
            (s.written, s.synced, s.pending) = (Some(now), Some(now), None);
        });
        cx.change_network();
        Ok(())
    }
}
