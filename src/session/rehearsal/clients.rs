//! The clients of a rehearsal: pods that send requests, one on each of some nodes.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use serde_json::{Value, json};

use super::workload::Target;
use super::{Loser, Plan, Port};
use crate::api::types::Node;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::cluster::{Cluster, RunningClient};
use crate::network::Answer;
use crate::network::traffic::{Counts, Ledger, Loss, StreamId, Target as SentTo, Window};
use crate::session::chart::{Chart, Losses};

/// The most nodes on which there is a client.
const NODES: usize = 5;

/// The label of the clients, by which a drain leaves them where they are: it is they who ask.
const LABEL: &str = "sim.steady/rehearsal";
/// The pods that a drain makes go, as a label selector: all but the clients.
pub const ALL_BUT_CLIENTS: &str = "sim.steady/rehearsal!=client";

/// Where the requests are sent.
pub fn url(namespace: &str, target: &Target) -> String {
    let port = if target.port == 80 { String::new() } else { format!(":{}", target.port) };
    format!("http://{}.{namespace}{port}/", target.service)
}

/// What a client asks, as it is read.
pub fn asks(client: &RunningClient) -> String {
    let host = client.client.host.as_ref().map(|h| format!(" host={h}")).unwrap_or_default();
    format!("http://{}{}{host}", client.client.url.authority(), client.client.url.path)
}

/// Whether an ingress controller leads a client's requests to a Service.
pub fn is_led_to(client: &RunningClient, namespace: &str, service: &str) -> bool {
    let answers = client.answers.values().flatten().map(|(_, answer)| answer);
    let replies = answers.filter_map(|a| match a {
        Answer::Replies { replies, .. } => Some(replies.iter()),
        Answer::Records(_) => None,
    });
    let mut services = replies.flatten().filter_map(|r| r.via.as_ref()?.place.service.as_ref());
    services.any(|(key, _)| *key.namespace == *namespace && *key.name == *service)
}

/// The ports of Services that the address of a client stands for, if it asks at an address.
pub fn asked(cluster: &Cluster, client: &RunningClient) -> Vec<(Key, i32)> {
    let url = &client.client.url;
    let address = url.host.parse::<IpAddr>().ok().filter(|_| client.end.is_none());
    address.map(|ip| cluster.service_ports_at(SocketAddr::new(ip, url.port()))).unwrap_or_default()
}

/// Whether a client goes on to send to a Service and, if a port of it was chosen, to that port: it names the Service, with or without its
/// namespace, it asks at an address that stands for it, as whoever is outside of the cluster does, or an ingress controller leads it there.
/// What an ingress controller leads to the Service is told by no port of the Service. `asked` is what [`asked`] says of the client.
pub fn sends_to(
    client: &RunningClient,
    asked: &[(Key, i32)],
    namespace: &str,
    service: &str,
    chosen: Option<&Port>,
) -> bool {
    if client.end.is_some() {
        return false;
    }
    if is_led_to(client, namespace, service) {
        return true;
    }
    let url = &client.client.url;
    let is_chosen = |port: i32| chosen.is_none_or(|chosen| chosen.port == port);
    if url.host.parse::<IpAddr>().is_ok() {
        let is_it = |key: &Key| *key.namespace == *namespace && *key.name == *service;
        return asked.iter().any(|(key, port)| is_it(key) && is_chosen(*port));
    }
    // Names outside do not lead to the cluster.
    if client.id().is_from_outside() {
        return false;
    }
    let mut labels = url.host.split('.');
    let named = labels.next() == Some(service);
    named
        && labels.next().map_or(*client.sender.key.namespace == *namespace, |n| n == namespace)
        && is_chosen(url.port().into())
}

/// The nodes that are ready.
fn ready_nodes(cluster: &Cluster) -> Vec<Rc<str>> {
    let nodes = cluster.api().cached_list(Kind::NODE, None).filter_map(|(_, o)| o.get::<Node>());
    let ready = nodes.filter(|n| {
        let mut conditions = n.status.iter().flat_map(|s| s.conditions.iter().flatten());
        conditions.any(|c| c.type_ == "Ready" && c.status == "True")
    });
    ready.map(|n| n.metadata.name().into()).collect()
}

/// The manifest of the clients; `None` if no node is ready.
pub fn manifest(cluster: &Cluster, namespace: &str, url: &str, plan: &Plan) -> Option<String> {
    let (rate, keep) = (plan.rate, if plan.keep_alive { " keep-alive" } else { "" });
    let pod = |node: &Rc<str>| {
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": format!("traffic-{node}"),
                "namespace": namespace,
                "labels": {LABEL: "client"},
                "annotations": {"sim.steady/requests": format!("{rate}/s {url}{keep}")},
            },
            "spec": {
                "nodeName": &**node,
                "tolerations": [{"operator": "Exists"}],
                "terminationGracePeriodSeconds": 0,
                "containers": [{
                    "name": "client",
                    "image": "busybox:1.37",
                    "command": ["sleep", "infinity"],
                    "resources": {"requests": {"cpu": "1m", "memory": "1Mi"}, "limits": {"cpu": "100m", "memory": "16Mi"}},
                }],
            },
        })
    };
    let items: Vec<Value> = ready_nodes(cluster).iter().take(NODES).map(pod).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    (!items.is_empty()).then(|| list.to_string())
}

/// The clients that send to a Service now; if a port was chosen, those that send to it.
pub fn of(cluster: &Cluster, namespace: &str, service: &str, chosen: Option<&Port>) -> Vec<RunningClient> {
    let mut all = cluster.clients();
    all.retain(|c| sends_to(c, &asked(cluster, c), namespace, service, chosen));
    all
}

/// What became of the requests of some clients that were sent after a moment until another one.
pub struct Measured {
    ledger: Ledger,
    window: Window,
}

impl Measured {
    /// Measures a window of a run.
    pub fn of(cluster: &Cluster, window: Window) -> Measured {
        Measured { ledger: cluster.traffic_within(window), window }
    }

    /// What became of the requests of all clients together.
    pub fn count(&self, clients: &[RunningClient]) -> Counts {
        let mut all = Counts::default();
        clients.iter().for_each(|c| all.add(self.ledger.counts(&c.id())));
        all
    }

    /// The clients that lose requests, with what they lose.
    pub fn losers(&self, clients: &[RunningClient]) -> Vec<(StreamId, Loser)> {
        let (from, to) = self.window;
        let loser = |c: &RunningClient| {
            let counts = self.ledger.counts(&c.id());
            let losses = Losses::of(&counts).causes;
            let (client, seconds) = (c.sender.clone(), to.duration_since(from).as_secs_f64());
            let loser = Loser { client, url: asks(c), seconds, sent: counts.sent, losses };
            (!loser.losses.is_empty()).then(|| (c.id(), loser))
        };
        clients.iter().filter_map(loser).collect()
    }

    /// The first request that was lost, and who had sent it.
    pub fn first_loss(&self, clients: &[RunningClient]) -> Option<(ObjectRef, Loss)> {
        let losses =
            clients.iter().filter_map(|c| Some((c.sender.clone(), self.ledger.counts(&c.id()).first?)));
        losses.min_by_key(|(_, loss)| loss.at)
    }

    /// What became of the requests over time.
    pub fn chart(&self, clients: &[RunningClient]) -> Chart {
        let is_one = |target: &SentTo, c: &RunningClient| {
            target.namespace == c.sender.key.namespace && *target.authority == c.client.url.authority()
        };
        let (from, to) = self.window;
        Chart::of(&self.ledger, from, to, |target| clients.iter().any(|c| is_one(target, c)))
    }
}
