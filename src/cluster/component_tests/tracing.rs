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

/// `strtol_or_err` of iputils' `iputils_common.c` and the options of its `ping/ping.c`; `xatou_range` of BusyBox (`libbb/xatonum_template.c`)
/// with `networking/ping.c` and `networking/traceroute.c`; `CLIF_parse` and the checks after it in `traceroute.c` of traceroute 2.1.
#[test]
fn a_value_that_a_tool_cannot_read_ends_it_in_its_own_words() {
    let mut n = two_nodes(Plugin::Kindnet);
    let web = n.addresses("web")[0].clone();
    for (container, line, says, code) in [
        ("gnu", "ping -c 1 -s x", "ping: invalid argument: 'x'", 1),
        (
            "gnu",
            "ping -c 1 -s 65508",
            "ping: invalid -s value: '65508': out of range: 0 <= value <= 65507",
            1,
        ),
        (
            "gnu",
            "ping -c 0",
            "ping: invalid argument: '0': out of range: 1 <= value <= 9223372036854775807",
            1,
        ),
        ("gnu", "ping -t 256", "ping: invalid argument: '256': out of range: 0 <= value <= 255", 1),
        ("gnu", "ping -c 1 -t 0", "ping: cannot set unicast time-to-live: Invalid argument", 2),
        ("gnu", "ping -c 1 -M often", "ping: invalid -M argument: often", 2),
        ("gnu", "ping -c 1 -W -1", "ping: bad linger time: -1", 2),
        ("c", "ping -c 1 -s x", "ping: invalid number 'x'", 1),
        ("c", "ping -c 1 -s 65536", "ping: number 65536 is not in 0..65535 range", 1),
        ("c", "ping -c x", "ping: invalid number 'x'", 1),
        ("c", "ping -c 1 -i x", "ping: invalid number 'x'", 1),
        ("c", "traceroute -q x", "traceroute: invalid number 'x'", 1),
        ("c", "traceroute -q 0", "traceroute: number 0 is not in 1..2147483647 range", 1),
        ("c", "traceroute -m 3 -f 4", "traceroute: number 4 is not in 1..3 range", 1),
        ("gnu", "traceroute -q x", "Cannot handle `-q' option with arg `x' (argc 2)", 2),
        ("gnu", "traceroute -n -qx", "Cannot handle `-q' option with arg `x' (argc 2)", 2),
        ("gnu", "traceroute -N x", "Cannot handle `-N' option with arg `x' (argc 2)", 2),
        ("gnu", "traceroute -q 11", "no more than 10 probes per hop", 2),
        ("gnu", "traceroute -f 31", "first hop out of range", 2),
        ("gnu", "traceroute -m 256", "max hops cannot be more than 255", 2),
    ] {
        let said = n.run(container, &format!("{line} {web} 2>&1; echo $?"));
        assert_eq!(said, format!("{says}\n{code}\n"), "{container}: {line}");
    }
    // The value of an option is no host.
    for line in ["ping -c 1 -p ff -Q 0", "ping -c 1 -l 1 -S 10.0.0.1"] {
        assert!(n.run("gnu", &format!("{line} {web}")).contains("1 received"), "{line}");
    }
    // A kernel that refuses it is not asked by BusyBox, and iputils only warns of a time that is none.
    assert!(n.busybox(&format!("ping -c 1 -t 0 {web}")).contains("1 packets received"));
    let said = n.run("gnu", &format!("ping -c 1 -W x {web}"));
    assert!(
        said.contains("ping: option argument contains garbage: x\n") && said.contains("1 received"),
        "{said}"
    );
    let said = n.run("gnu", &format!("ping -c 3 -i 0.2 {web}"));
    assert!(said.contains("3 received, 0% packet loss, time 400ms"), "{said}");
}
