//! The way of one packet with each plugin. The lines of the routing tables are those that flannel's backends and kindnet make
//! (`pkg/backend/{hostgw,vxlan,udp}` of flannel, `cmd/kindnetd/routes.go` of kind), and the plugins `bridge` and `ptp`.
#![allow(clippy::unwrap_used)]

use crate::api::Key;
use crate::network::Protocol;
use crate::network::policy::{Denied, Direction};
use crate::network::proxy::{Origin, Verdict};

use super::*;

fn network(plugin: Plugin) -> Network {
    let machine = |n: u8, pods: &[(u8, &str)]| Machine {
        name: format!("node-{n}").into(),
        addresses: vec![format!("172.18.0.{}", n + 1).parse().unwrap()],
        pod_ranges: vec![format!("10.244.{}.0/24", n - 1).parse().unwrap()],
        pods: pods
            .iter()
            .map(|(at, name)| (format!("10.244.{}.{at}", n - 1).parse().unwrap(), (*name).into()))
            .collect(),
    };
    Network {
        plugin,
        machines: vec![machine(1, &[(2, "client"), (3, "near")]), machine(2, &[(5, "web")])],
        pod_ranges: vec!["10.244.0.0/16".parse().unwrap()],
        machine_ranges: vec!["172.18.0.0/16".parse().unwrap()],
    }
}

/// Every node leads 10.96.0.10:80 to `web`, and node-2 leads its port 30080 there.
struct Service {
    denied: Option<Denied>,
}

impl Rules for Service {
    fn translate(&mut self, node: &str, headers: &Headers, _: Origin, _: &str) -> Translation {
        let to = headers.destination.to_string();
        let masquerade = node == "node-2" && to == "172.18.0.3:30080";
        let verdict = if masquerade || to == "10.96.0.10:80" {
            Verdict::Endpoint { address: "10.244.1.5:8080".parse().unwrap(), masquerade }
        } else {
            Verdict::Unchanged
        };
        Translation { lines: vec!["-j DNAT --to-destination 10.244.1.5:8080".to_owned()], verdict }
    }

    fn deny(&mut self, _: Barrier<'_>) -> Option<Denied> {
        self.denied.clone()
    }
}

/// Who sends, and the headers of its packet.
fn client(hosted: bool, to: &str) -> (Sender, Headers) {
    let source = if hosted { "172.18.0.2:40000" } else { "10.244.0.2:40000" };
    let headers = Headers {
        source: source.parse().unwrap(),
        destination: to.parse().unwrap(),
        protocol: Some(Protocol::Tcp),
    };
    (Sender { node: "node-1".into(), pod: "client".into(), hosted, balanced_to: None }, headers)
}

fn send(plugin: Plugin, hosted: bool, to: &str) -> Way {
    let (sender, headers) = client(hosted, to);
    way(&network(plugin), &sender, headers, &mut Service { denied: None })
}

/// The way of the answer to what [`send`] sends.
fn answer(plugin: Plugin, hosted: bool, to: &str) -> Option<Way> {
    back(&network(plugin), &client(hosted, to).0, &send(plugin, hosted, to))
}

/// One node leads one address to an endpoint, without masquerading.
struct Leads(&'static str, &'static str, &'static str);

impl Rules for Leads {
    fn translate(&mut self, node: &str, headers: &Headers, _: Origin, _: &str) -> Translation {
        let Leads(at, to, endpoint) = *self;
        let verdict = if node == at && headers.destination.to_string() == to {
            Verdict::Endpoint { address: endpoint.parse().unwrap(), masquerade: false }
        } else {
            Verdict::Unchanged
        };
        Translation { lines: Vec::new(), verdict }
    }

    fn deny(&mut self, _: Barrier<'_>) -> Option<Denied> {
        None
    }
}

const SERVICE: &str = "10.96.0.10:80";

/// kind's `images/kindnetd/cmd/kindnetd/routes.go`, `syncRoute`; CNI's `plugins/main/ptp/ptp.go`.
#[test]
fn kindnet_has_direct_routes() {
    insta::assert_snapshot!(send(Plugin::Kindnet, false, SERVICE));
}

/// flannel's `pkg/backend/hostgw/hostgw.go`, `RegisterNetwork`; CNI's `plugins/main/bridge/bridge.go`.
#[test]
fn host_gw_has_direct_routes_and_a_bridge() {
    insta::assert_snapshot!(send(Plugin::FlannelHostGw, false, SERVICE));
}

/// RFC 7348, and `pkg/backend/vxlan`: UDP port 8472, VNI 1, 50 bytes.
#[test]
fn vxlan_packs_packets_in_the_kernel() {
    insta::assert_snapshot!(send(Plugin::FlannelVxlan, false, SERVICE));
    assert_eq!(Plugin::FlannelVxlan.mtu([10, 244, 0, 1].into()), 1450);
}

/// `pkg/backend/udp`: UDP port 8285, 28 bytes, and the process flanneld on both nodes.
#[test]
fn udp_packs_packets_in_a_process() {
    insta::assert_snapshot!(send(Plugin::FlannelUdp, false, SERVICE));
    assert_eq!(Plugin::FlannelUdp.mtu([10, 244, 0, 1].into()), 1472);
}

/// The packet follows the default route, and nobody outside knows pods. CNI's `plugins/main/bridge/bridge.go` makes no routes on
/// the node.
#[test]
fn without_routes_packets_for_other_nodes_leave_the_cluster() {
    let way = send(Plugin::Bridge, false, SERVICE);
    assert_eq!(way.end, End::Outside);
    let last: Vec<String> = way.hops.iter().rev().take(2).map(Hop::to_string).collect();
    assert!(last.last().is_some_and(|h| h.contains("route default via 172.18.0.1 dev eth0")), "{way}");
    let near = send(Plugin::Bridge, false, "10.244.0.3:80");
    insta::assert_snapshot!(near);
}

/// kind's `images/kindnetd/cmd/kindnetd/masq.go`, `SyncRules`: what has an address of the node as its destination keeps its
/// source. flannel's `pkg/trafficmngr/iptables/iptables.go`: `FLANNEL-POSTRTG`.
#[test]
fn what_leaves_the_pods_network_gets_the_nodes_address() {
    for plugin in Plugin::ALL {
        let way = send(plugin, false, "203.0.113.1:443");
        assert_eq!(
            (way.end.clone(), way.headers.source.to_string().as_str()),
            (End::Outside, "172.18.0.2:40000")
        );
        let own = send(plugin, false, "172.18.0.2:10250");
        assert_eq!(own.end, End::Arrived { node: "node-1".into(), pod: None }, "{own}");
        assert_eq!(own.headers.source.to_string(), "10.244.0.2:40000");
    }
    let node = send(Plugin::FlannelVxlan, true, SERVICE);
    assert_eq!(node.headers.source.to_string(), "10.244.0.0:40000", "{node}");
    assert_eq!(send(Plugin::Kindnet, true, SERVICE).headers.source.to_string(), "172.18.0.2:40000");
}

/// The other node's own rules translate a node port, and the pod sees that node. `pkg/proxy/iptables/proxier.go`,
/// `syncProxyRules`: what comes to a node port is masqueraded.
#[test]
fn a_node_port_of_another_node_is_translated_there() {
    let way = send(Plugin::Kindnet, false, "172.18.0.3:30080");
    assert_eq!(way.end, End::Arrived { node: "node-2".into(), pod: Some("web".into()) });
    assert_eq!(way.headers.source.to_string(), "10.244.1.1:40000");
}

/// kind's `images/kindnetd/cmd/kindnetd/main.go` runs kube-network-policies; flannel's README: flanneld enforces no policies.
#[test]
fn only_a_plugin_that_enforces_policies_drops() {
    let denied = Denied {
        direction: Direction::Egress,
        pod: Key::new("default", "client"),
        policies: vec!["deny".to_owned()],
    };
    for plugin in Plugin::ALL.into_iter().filter(|p| p.connects_nodes([10, 244, 0, 1].into())) {
        let headers = Headers {
            source: "10.244.0.2:40000".parse().unwrap(),
            destination: SERVICE.parse().unwrap(),
            protocol: Some(Protocol::Tcp),
        };
        let sender = Sender { node: "node-1".into(), pod: "client".into(), hosted: false, balanced_to: None };
        let mut rules = Service { denied: Some(denied.clone()) };
        let way = way(&network(plugin), &sender, headers, &mut rules);
        assert_eq!(way.end == End::Denied(denied.clone()), plugin == Plugin::Kindnet, "{way}");
    }
}

/// Where a connection is translated back.
fn translated(way: &Way) -> Vec<(String, String)> {
    let is_conntrack = |hop: &&Hop| matches!(hop.at, At::Conntrack(_));
    way.hops.iter().filter(is_conntrack).map(|h| (h.node.to_string(), h.headers.to_string())).collect()
}

/// Linux' `net/netfilter/nf_nat_core.c`, `nf_nat_inet_fn` and `nf_nat_packet`: an answer is translated by the connection that is kept, and
/// no rule is asked; its source is changed where it leaves, behind the routing table. conntrack(8): how `-L` prints a connection.
#[test]
fn the_answer_has_the_services_address_again() {
    let way = answer(Plugin::Kindnet, false, SERVICE).unwrap();
    let lines = [
        "node-2 web process: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-2 web route default via 10.244.1.1 dev eth0: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-2 web eth0: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-2 veth0fd9bc91: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-2 route 10.244.0.0/24 via 172.18.0.2 dev eth0: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-2 eth0: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-1 eth0: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-1 route 10.244.0.2 dev veth8f929c1e scope link: 10.244.1.5:8080 > 10.244.0.2:40000 tcp",
        "node-1 conntrack tcp src=10.244.0.2 dst=10.96.0.10 sport=40000 dport=80 src=10.244.1.5 dst=10.244.0.2 \
         sport=8080 dport=40000: 10.96.0.10:80 > 10.244.0.2:40000 tcp",
        "node-1 veth8f929c1e: 10.96.0.10:80 > 10.244.0.2:40000 tcp",
        "node-1 client eth0: 10.96.0.10:80 > 10.244.0.2:40000 tcp",
        "node-1 client process: 10.96.0.10:80 > 10.244.0.2:40000 tcp",
        "arrived at client on node-1",
    ];
    assert_eq!(way.to_string(), lines.join("\n"));
}

/// What an overlay packs on the way there it packs on the way back, too: flannel's `pkg/backend/vxlan/vxlan_network.go` and
/// `pkg/backend/udp/udp_network_amd64.go` make the same routes on each node.
#[test]
fn the_answer_comes_back_by_each_plugin() {
    for plugin in Plugin::ALL.into_iter().filter(|p| p.connects_nodes([10, 244, 0, 1].into())) {
        for hosted in [false, true] {
            let (there, way) = (send(plugin, hosted, SERVICE), answer(plugin, hosted, SERVICE).unwrap());
            let (sender, asked) = client(hosted, SERVICE);
            assert_eq!(
                way.end,
                End::Arrived { node: sender.node, pod: Some(sender.pod) },
                "{plugin:?}\n{way}"
            );
            assert_eq!(way.headers, asked.reversed(), "{plugin:?}\n{way}");
            let packed = |way: &Way| way.hops.iter().filter_map(|h| h.outer).map(|o| o.overhead).max();
            assert_eq!(packed(&way), packed(&there), "{plugin:?}\n{way}");
        }
    }
    assert_eq!(
        answer(Plugin::Bridge, false, "203.0.113.1:443").unwrap().end,
        End::Arrived { node: "node-1".into(), pod: Some("client".into()) }
    );
}

/// Linux' `net/netfilter/nf_nat_core.c`: who was masqueraded is found again before the routing table is asked, on each node that has
/// translated. `pkg/proxy/iptables/proxier.go`, `syncProxyRules`: what comes to a node port is masqueraded.
#[test]
fn the_answer_of_a_node_port_comes_back_by_its_node() {
    let way = answer(Plugin::Kindnet, false, "172.18.0.3:30080").unwrap();
    let own = |node: &str, headers: &str| (node.to_owned(), format!("{headers} tcp"));
    let expected = [
        own("node-2", "10.244.1.5:8080 > 172.18.0.2:40000"),
        own("node-2", "172.18.0.3:30080 > 172.18.0.2:40000"),
        own("node-1", "172.18.0.3:30080 > 10.244.0.2:40000"),
    ];
    assert_eq!(translated(&way), expected, "{way}");
    assert_eq!(way.end, End::Arrived { node: "node-1".into(), pod: Some("client".into()) });
}

/// Kubernetes' page "Network Plugins", "Network Plugin Requirements", and Linux' `Documentation/networking/ip-sysctl.rst`,
/// `bridge-nf-call-iptables`: what a bridge passes on is translated, too; otherwise the answer of a pod of the same node would come from an
/// address that was not asked.
#[test]
fn an_answer_over_a_bridge_is_translated() {
    let network = network(Plugin::FlannelHostGw);
    let (sender, headers) = client(false, SERVICE);
    let there = way(&network, &sender, headers, &mut Leads("node-1", SERVICE, "10.244.0.3:8080"));
    let way = back(&network, &sender, &there).unwrap();
    let expected = ("node-1".to_owned(), "10.96.0.10:80 > 10.244.0.2:40000 tcp".to_owned());
    assert_eq!(translated(&way), [expected], "{way}");
    assert!(!way.hops.iter().any(|h| matches!(h.at, At::Route(_)) && h.pod.is_none()), "{way}");
}

/// Kubernetes' page "Using Source IP", "Source IP for Services with Type=NodePort": a node that leads a packet to a pod of another node has
/// to put its own address in the place of the sender's, or else the answer would not come back by it.
#[test]
fn an_answer_from_an_address_that_was_not_asked_is_for_nobody() {
    let mut network = network(Plugin::Kindnet);
    network.machines.push(Machine {
        name: "node-3".into(),
        addresses: vec!["172.18.0.4".parse().unwrap()],
        pod_ranges: vec!["10.244.2.0/24".parse().unwrap()],
        pods: Vec::new(),
    });
    let (sender, headers) = client(false, "172.18.0.4:31000");
    let there = way(&network, &sender, headers, &mut Leads("node-3", "172.18.0.4:31000", "10.244.1.5:8080"));
    assert_eq!(there.end, End::Arrived { node: "node-2".into(), pod: Some("web".into()) }, "{there}");
    let way = back(&network, &sender, &there).unwrap();
    assert_eq!(way.end, End::Untracked { node: "node-1".into() }, "{way}");
}

/// kind's `images/kindnetd/cmd/kindnetd/main.go` runs kube-network-policies, which drops: nobody gets the packet, so nobody answers.
#[test]
fn what_is_dropped_has_no_answer() {
    let denied =
        Denied { direction: Direction::Ingress, pod: Key::new("default", "web"), policies: Vec::new() };
    let (sender, headers) = client(false, SERVICE);
    let network = network(Plugin::Kindnet);
    let there = way(&network, &sender, headers, &mut Service { denied: Some(denied) });
    assert_eq!(back(&network, &sender, &there), None);
}
