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

fn send(plugin: Plugin, hosted: bool, to: &str) -> Way {
    let source = if hosted { "172.18.0.2:40000" } else { "10.244.0.2:40000" };
    let headers = Headers {
        source: source.parse().unwrap(),
        destination: to.parse().unwrap(),
        protocol: Some(Protocol::Tcp),
    };
    let sender = Sender { node: "node-1".into(), pod: "client".into(), hosted };
    way(&network(plugin), &sender, headers, &mut Service { denied: None })
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
        let sender = Sender { node: "node-1".into(), pod: "client".into(), hosted: false };
        let mut rules = Service { denied: Some(denied.clone()) };
        let way = way(&network(plugin), &sender, headers, &mut rules);
        assert_eq!(way.end == End::Denied(denied.clone()), plugin == Plugin::Kindnet, "{way}");
    }
}
