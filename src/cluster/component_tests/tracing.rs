//! The machines that pass packets on, and packets that are too large for an overlay, as programs in pods find them.
#![allow(clippy::unwrap_used)]

use std::net::{IpAddr, Ipv4Addr};

use serde_json::json;

use super::network::{Net, net, nginx};
use crate::api::Kind;
use crate::cluster::Fault;
use crate::network::cni::{Machine, Plugin};

/// A client on the first node, with the tools of BusyBox and with those of Debian, and a server on the second.
fn two_nodes(plugin: Plugin) -> Net {
    let mut n = net(2);
    if plugin != Plugin::default() {
        n.0.fault(&Fault::NetworkPlugin { plugin }).unwrap();
    }
    let sleeps =
        |name: &str, image: &str| json!({"name": name, "image": image, "command": ["sleep", "infinity"]});
    let containers = json!([sleeps("c", "busybox:1.37"), sleeps("gnu", "debian:13")]);
    let client =
        json!({"metadata": {"name": "client"}, "spec": {"nodeName": "node-1", "containers": containers}});
    let labels = json!({"app": "web"});
    let web = json!({"metadata": {"name": "web", "labels": labels}, "spec": {"nodeName": "node-2", "containers": [nginx()]}});
    n.create(Kind::POD, client).create(Kind::POD, web).steady();
    n
}

/// The second word of each line but the first: who answered.
fn answered(n: &mut Net, to: &str) -> Vec<String> {
    let printed = n.busybox(&format!("traceroute -n -m 6 -q 2 {to}"));
    let head = format!("traceroute to {to} ({to}), 6 hops max, 46 byte packets");
    assert_eq!(printed.lines().next(), Some(&*head));
    let second = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    printed.lines().skip(1).map(second).collect()
}

const V4: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// A router answers from the interface that leads back (`icmp_send` in Linux' `net/ipv4/icmp.c`, `ip_forward` in `ip_forward.c`). With
/// VXLAN the tunnel counts for nothing, because the outer packet has a `TTL` of its own (`pkg/backend/vxlan` of flannel, RFC 7348); flanneld
/// takes one on each node and says nothing (`pkg/backend/udp/proxy_amd64.c`, `decrement_ttl`).
#[test]
fn traceroute_finds_the_machines_that_pass_packets_on() {
    for plugin in [Plugin::Kindnet, Plugin::FlannelHostGw, Plugin::FlannelVxlan, Plugin::FlannelUdp] {
        let mut n = two_nodes(plugin);
        let web = n.addresses("web")[0].clone();
        let topology = n.0.topology();
        let [first, second] = ["node-1", "node-2"].map(|name| topology.machine(name).unwrap());
        let gateway = |m: &Machine| m.gateway(V4).unwrap().to_string();
        let on = |m: &Machine, dev: &str| m.address_on(dev, V4).unwrap().to_string();
        let silent = || "*".to_owned();
        let way = match plugin {
            Plugin::FlannelVxlan => vec![gateway(first), on(second, "flannel.1"), web.clone()],
            Plugin::FlannelUdp => {
                vec![gateway(first), silent(), silent(), on(second, "flannel0"), web.clone()]
            }
            _ => vec![gateway(first), on(second, "eth0"), web.clone()],
        };
        assert_eq!(answered(&mut n, &web), way, "{plugin:?}");
        // The node itself, and a host outside, to which the gateway of the nodes' network leads.
        let node = on(first, "eth0");
        assert_eq!(answered(&mut n, &node), std::slice::from_ref(&node), "{plugin:?}");
        assert_eq!(
            answered(&mut n, "203.0.113.1"),
            [gateway(first), "172.18.0.1".to_owned(), "203.0.113.1".to_owned()],
            "{plugin:?}"
        );
    }
    // Without routes nobody passes it on to the other node.
    let mut n = two_nodes(Plugin::Bridge);
    let web = n.addresses("web")[0].clone();
    assert_ne!(answered(&mut n, &web).last(), Some(&web));
}

/// What policies drop is passed on by nobody, but the node that drops it answers what ends there (`ip_forward` looks at the `TTL` before
/// netfilter's hook `forward`).
#[test]
fn traceroute_ends_at_the_node_that_drops() {
    let mut n = two_nodes(Plugin::Kindnet);
    let policy =
        json!({"metadata": {"name": "web"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}});
    n.create(Kind::NETWORK_POLICY, policy);
    let web = n.addresses("web")[0].clone();
    let all = answered(&mut n, &web);
    assert!(
        all.len() == 6 && all[0] != "*" && all[1] != "*" && all[2..].iter().all(|who| who == "*"),
        "{all:?}"
    );
}

/// `encapOverhead` of flannel's backends; ping(8): `-M do` sets the flag that forbids to cut the packet, of which 28 bytes are headers.
#[test]
fn a_pod_knows_how_large_its_packets_can_be() {
    for (plugin, mtu) in [
        (Plugin::Kindnet, 1500),
        (Plugin::FlannelVxlan, 1450),
        (Plugin::FlannelUdp, 1472),
        (Plugin::FlannelHostGw, 1500),
    ] {
        let mut n = two_nodes(plugin);
        let web = n.addresses("web")[0].clone();
        assert!(n.busybox("ip link show eth0").contains(&format!(" mtu {mtu} ")), "{plugin:?}");
        let fits = mtu - 28;
        let said = n.run("gnu", &format!("ping -c 1 -M do -s {fits} {web}"));
        assert!(said.contains(&format!("{} bytes from {web}", fits + 8)), "{plugin:?} {said}");
        let said = n.run("gnu", &format!("ping -c 1 -M do -s {} {web}", fits + 1));
        let error = format!("ping: local error: message too long, mtu={mtu}");
        assert!(said.contains(&error) && said.contains("0 received, +1 errors, 100% packet loss"), "{said}");
        // Whoever does not forbid it has it cut.
        let said = n.run("gnu", &format!("ping -c 1 -s 4000 {web}"));
        assert!(said.contains("4008 bytes from"), "{said}");
        assert!(n.run("gnu", &format!("ping -c 1 -t 1 {web}")).contains("Time to live exceeded"));
    }
}
