#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::super::testing::*;
use super::super::*;
use super::*;

fn table(ruleset: &Ruleset) -> &Table {
    match &ruleset.rules {
        Rules::Nftables(table) => table,
        other => panic!("{other:?}"),
    }
}

fn rules<'a>(table: &'a Table, chain: &str) -> impl Iterator<Item = String> + use<'a> {
    let chain = table.chains.get(chain).unwrap();
    chain.rules.iter().map(|rule| rule.text(table.family))
}

/// The names of chains and sets, and the elements of maps, are those of `TestOverallNFTablesRules` in
/// `pkg/proxy/nftables/proxier_test.go`.
#[test]
fn names_and_elements_are_those_of_kube_proxys_own_test() {
    let ruleset = synced(&config(Mode::Nftables), &overall(true));
    let table = table(&ruleset);
    let map = |name: &str| {
        let map = table.maps.get(name).unwrap();
        map.elements.iter().map(|(key, element)| Map::element(key, element)).collect::<Vec<_>>()
    };
    assert_eq!(
        map("service-ips"),
        [
            "1.2.3.4 . tcp . 80 : goto external-42NFTM6N-ns2/svc2/tcp/p80",
            "5.6.7.8 . tcp . 80 : goto external-HVFWP5L3-ns5/svc5/tcp/p80",
            "172.30.0.41 . tcp . 80 : goto service-ULMVA6XW-ns1/svc1/tcp/p80",
            "172.30.0.42 . tcp . 80 : goto service-42NFTM6N-ns2/svc2/tcp/p80",
            "172.30.0.43 . tcp . 80 : goto service-4AT6LBPK-ns3/svc3/tcp/p80",
            "172.30.0.44 . tcp . 80 : goto service-LAUZTJTB-ns4/svc4/tcp/p80",
            "172.30.0.45 . tcp . 80 : goto service-HVFWP5L3-ns5/svc5/tcp/p80",
            "192.168.99.22 . tcp . 80 : goto external-42NFTM6N-ns2/svc2/tcp/p80",
            "192.168.99.33 . tcp . 80 : goto external-LAUZTJTB-ns4/svc4/tcp/p80",
        ]
    );
    assert_eq!(
        map("service-nodeports"),
        [
            "tcp . 3001 : goto external-42NFTM6N-ns2/svc2/tcp/p80",
            "tcp . 3002 : goto external-HVFWP5L3-ns5/svc5/tcp/p80",
            "tcp . 3003 : goto external-4AT6LBPK-ns3/svc3/tcp/p80",
        ]
    );
    assert_eq!(map("no-endpoint-nodeports"), ["tcp . 3001 comment \"ns2/svc2:p80\" : drop"]);
    assert_eq!(
        map("no-endpoint-services"),
        [
            "1.2.3.4 . tcp . 80 comment \"ns2/svc2:p80\" : drop",
            "172.30.0.46 . tcp . 80 comment \"ns6/svc6:p80\" : goto reject-chain",
            "192.168.99.22 . tcp . 80 comment \"ns2/svc2:p80\" : drop",
        ]
    );
    assert_eq!(map("firewall-ips"), ["5.6.7.8 . tcp . 80 : goto firewall-HVFWP5L3-ns5/svc5/tcp/p80"]);
    let external: Vec<String> = rules(table, "external-42NFTM6N-ns2/svc2/tcp/p80").collect();
    assert_eq!(
        external,
        [
            "ip saddr 10.0.0.0/8 goto service-42NFTM6N-ns2/svc2/tcp/p80 comment \"short-circuit pod traffic\"",
            "fib saddr type local meta mark set meta mark | 0x00004000 comment \"masquerade local traffic\"",
            "fib saddr type local goto service-42NFTM6N-ns2/svc2/tcp/p80 comment \"short-circuit local traffic\"",
        ]
    );
    let sticky: Vec<String> = rules(table, "endpoint-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80").collect();
    assert_eq!(
        sticky,
        [
            "update @affinity-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80 { ip saddr }",
            "meta l4proto tcp dnat to 10.180.0.3:80",
        ]
    );
}

/// nft(8), and nftables' `src/rule.c`, `table_print`, `set_print` and `chain_print`, and `src/expression.c`, `set_expr_print` with
/// `calculate_delim` (how many elements a line has): the form. The rules are those of `TestOverallNFTablesRules` in
/// `pkg/proxy/nftables/proxier_test.go`.
#[test]
fn rules_have_the_form_of_nft_list() {
    let shown = synced(&config(Mode::Nftables), &overall(true)).to_string();
    for part in [
        "table ip kube-proxy {\n\tcomment \"rules for kube-proxy\"\n\tset hairpin-connections {\n\
         \t\ttype ipv4_addr . ipv4_addr . inet_proto . inet_service\n\t\tcomment \"service hairpin connections\"\n\
         \t\telements = { 10.180.0.5 . 10.180.0.5 . tcp . 80 }\n\t}\n",
        "\t\telements = { 172.30.0.41, 172.30.0.42,\n\t\t\t     172.30.0.43, 172.30.0.44,\n",
        "\tmap service-ips {\n\t\ttype ipv4_addr . inet_proto . inet_service : verdict\n\
         \t\tcomment \"ClusterIP, ExternalIP and LoadBalancer IP traffic\"\n\t\telements = { 1.2.3.4 . tcp . 80 : goto",
        "\tchain services {\n\t\tip daddr @cluster-ips ip saddr != 10.0.0.0/8 meta mark set meta mark | 0x00004000 \
         comment \"masquerade clusterIP traffic from outside cluster\"\n\
         \t\tip daddr . meta l4proto . th dport vmap @service-ips\n\
         \t\tip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports\n\t}\n",
        "\tchain masquerading {\n\t\tmeta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000 \
         masquerade fully-random\n\t\tct status dnat ip saddr . ip daddr . meta l4proto . th dport \
         @hairpin-connections masquerade fully-random\n\t}\n",
        "\tchain service-LAUZTJTB-ns4/svc4/tcp/p80 {\n\t\tmeta l4proto tcp dnat ip to numgen random mod 2 map \
         { 0 : 10.180.0.4 . 80, 1 : 10.180.0.5 . 80 }\n\t}\n",
        "\t\tflags dynamic,timeout\n\t\ttimeout 3h\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

/// After `TestNoEndpointsReject`, `TestClusterIPGeneral`, `TestLoadBalancer` and `TestNodePorts`.
#[test]
fn packets_go_where_kube_proxys_own_tests_send_them() {
    let ruleset = synced(&config(Mode::Nftables), &overall(true));
    let sent = [
        ("10.180.0.9", "172.30.0.41:80", "10.180.0.1:80"),
        (CLIENT, "172.30.0.41:80", "10.180.0.1:80 masquerade"),
        ("10.180.0.9", "172.30.0.44:80", "10.180.0.4:80, 10.180.0.5:80"),
        // A pod of this node reaches itself.
        ("10.180.0.5", "172.30.0.44:80", "10.180.0.4:80, 10.180.0.5:80 masquerade"),
        ("10.180.0.9", "172.30.0.41:443", "REJECT"),
        ("10.180.0.9", "172.30.0.50:80", "DROP"),
        ("10.180.0.9", "172.30.0.46:80", "REJECT"),
        (NODE_IP, "172.30.0.46:80", "REJECT"),
        (CLIENT, "1.2.3.4:80", "DROP"),
        ("10.180.0.9", "1.2.3.4:80", "10.180.0.2:80"),
        (NODE_IP, "1.2.3.4:80", "10.180.0.2:80 masquerade"),
        (CLIENT, "192.168.0.2:3001", "DROP"),
        (CLIENT, "192.168.0.2:3003", "10.180.0.3:80 masquerade"),
        // Node ports answer on the node's first address only, and not on 127.0.0.1.
        (CLIENT, "192.168.1.2:3003", "unchanged"),
        ("127.0.0.1", "127.0.0.1:3003", "unchanged"),
        (CLIENT, "5.6.7.8:80", "10.180.0.3:80 masquerade"),
        (BLOCKED_CLIENT, "5.6.7.8:80", "DROP"),
        (BLOCKED_CLIENT, "192.168.0.2:3002", "10.180.0.3:80 masquerade"),
        ("10.180.0.9", "5.6.7.8:80", "DROP"),
        (CLIENT, "8.8.8.8:53", "unchanged"),
    ];
    assert_sent(&ruleset, &sent);
}

/// `pkg/proxy/nftables/proxier_test.go`, `TestOverallNFTablesRules`: the rules and their order.
#[test]
fn a_walk_tells_which_rules_and_elements_matched() {
    let ruleset = synced(&config(Mode::Nftables), &overall(true));
    let mut kernel = Kernel::default();
    let mut go = |second| {
        let packet = packet("10.180.0.9", "172.30.0.45:80");
        ruleset.walk(&packet, at(second), &mut kernel, &mut || Chance::new(0.0))
    };
    let told: Vec<String> = go(0).steps.iter().map(|s| format!("{} {}", s.chain, s.index)).collect();
    assert_eq!(
        told,
        [
            "filter-prerouting-pre-dnat 0",
            "nat-prerouting 0",
            "services 1",
            "service-ips 6",
            "service-HVFWP5L3-ns5/svc5/tcp/p80 1",
            "endpoint-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80 0",
            "endpoint-GTK6MW7G-ns5/svc5/tcp/p80__10.180.0.3/80 1",
            "filter-forward 0",
            "filter-forward 1",
            "nat-postrouting 0",
        ]
    );
    // The client is known now.
    assert!(go(1).steps.iter().any(|s| s.chain.starts_with("service-HVFWP5L3") && s.index == 0));
    assert!(go(10_802).steps.iter().any(|s| s.chain.starts_with("service-HVFWP5L3") && s.index == 1));
}

/// `pkg/proxy/nftables/proxier.go`, `syncProxyRules` and `setupNFTables`; `pkg/proxy/util/localdetector.go`.
#[test]
fn the_configuration_changes_rules() {
    let shown = |change: &dyn Fn(&mut Config)| {
        let mut config = config(Mode::Nftables);
        change(&mut config);
        synced(&config, &overall(false)).to_string()
    };
    let everywhere = shown(&|c| {
        c.node_port_addresses = NodePortAddresses::Ranges(vec!["0.0.0.0/0".parse().unwrap()]);
    });
    assert!(everywhere.contains(
        "fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports"
    ));
    assert!(!everywhere.contains("nodeport-ips"));
    assert!(everywhere.contains(
        "chain nodeport-endpoints-check {\n\t\tip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @no-endpoint-nodeports"
    ));
    let bridge = shown(&|c| c.local_detector = LocalDetector::BridgeInterface("cbr0".to_owned()));
    assert!(bridge.contains("ip daddr @cluster-ips iifname != \"cbr0\" meta mark set"));
    let prefix = shown(&|c| c.local_detector = LocalDetector::InterfaceNamePrefix("veth".to_owned()));
    assert!(prefix.contains("iifname \"veth*\" goto service-42NFTM6N-ns2/svc2/tcp/p80"));
    let all = shown(&|c| c.masquerade_all = true);
    assert!(all.contains(
        "ip daddr @cluster-ips meta mark set meta mark | 0x00004000 comment \"masquerade all clusterIP traffic\""
    ));
    assert!(all.contains("\t\tmeta mark set meta mark | 0x00004000 comment \"masquerade\"\n"));
}

/// After `TestLoadBalancer`: a node inside the source ranges may use the load balancer, also with the balancer's address.
#[test]
fn a_node_may_use_a_load_balancer_that_lets_it_in() {
    let spec = json!({"type": "LoadBalancer", "clusterIP": "172.30.0.41",
        "ports": [{"name": "p80", "port": 80, "protocol": "TCP", "nodePort": 3001}],
        "loadBalancerSourceRanges": ["192.168.0.0/24", " 203.0.113.0/25"]});
    let objects = (
        vec![balanced("ns1", "svc1", spec, &["1.2.3.4", "5.6.7.8"])],
        vec![slice("ns1", "svc1", &[("10.180.0.1", "")])],
    );
    for mode in [Mode::Nftables, Mode::Iptables] {
        let ruleset = synced(&config(mode), &objects);
        for (source, expected) in [
            (NODE_IP, "10.180.0.1:80 masquerade"),
            ("5.6.7.8", "10.180.0.1:80 masquerade"),
            (BLOCKED_CLIENT, "DROP"),
            ("10.0.0.2", "DROP"),
        ] {
            assert_eq!(outcome(&ruleset, &packet(source, "5.6.7.8:80")), expected, "{source}");
        }
    }
    let ruleset = synced(&config(Mode::Nftables), &objects);
    let firewall: Vec<String> = rules(table(&ruleset), "firewall-ULMVA6XW-ns1/svc1/tcp/p80").collect();
    assert_eq!(firewall, ["ip saddr != { 192.168.0.0/24, 203.0.113.0/25, 1.2.3.4, 5.6.7.8 } drop"]);
}

/// After `Test_servicePortEndpointChainNameBase`, which shortens what is longer than 240 letters.
#[test]
fn names_of_ipv6_and_long_names_fit() {
    let long = "a".repeat(63);
    let spec = json!({"clusterIP": "fd00:10:96::1", "ports": [{"name": long, "port": 80}], "sessionAffinity": "ClientIP"});
    let port = json!({"name": long, "port": 443});
    let endpoints = json!([{"addresses": ["fd00:1234:5678:9abc:def0:1234:5678:9abc"], "nodeName": NODE}]);
    let objects = (vec![service(&long, &long, spec)], vec![slice_of(&long, &long, port, endpoints)]);
    let mut config = config(Mode::Nftables);
    config.family = Family::Ipv6;
    config.node_ips = vec![ip("fd00:5::2")];
    config.local_detector = LocalDetector::Cidr("fd00:1234::/32".parse().unwrap());
    let ruleset = synced(&config, &objects);
    let endpoint = table(&ruleset).chains.keys().find(|name| name.starts_with("endpoint-")).unwrap();
    assert_eq!(endpoint.len(), "endpoint-".len() + 240);
    assert!(endpoint.ends_with("..."));
    let packet = Packet { origin: Origin::Pod, ..packet("fd00:1234::9", "[fd00:10:96::1]:80") };
    assert_eq!(outcome(&ruleset, &packet), "[fd00:1234:5678:9abc:def0:1234:5678:9abc]:443");
    assert!(ruleset.to_string().contains("ip6 daddr @cluster-ips ip6 saddr != fd00:1234::/32"));
}
