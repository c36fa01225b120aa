#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::super::testing::*;
use super::super::*;
use super::*;

fn tables(ruleset: &Ruleset) -> &Tables {
    match &ruleset.rules {
        Rules::Iptables(tables) => tables,
        other => panic!("{other:?}"),
    }
}

/// The rules are those of `TestOverallIPTablesRules` in `pkg/proxy/iptables/proxier_test.go`.
const OVERALL: &str = r#"
*filter
:KUBE-NODEPORTS - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FIREWALL - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
-A KUBE-NODEPORTS -m comment --comment "ns2/svc2:p80 health check node port" -m tcp -p tcp --dport 30000 -j ACCEPT
-A KUBE-SERVICES -m comment --comment "ns6/svc6:p80 has no endpoints" -m tcp -p tcp -d 172.30.0.46 --dport 80 -j REJECT
-A KUBE-EXTERNAL-SERVICES -m comment --comment "ns2/svc2:p80 has no local endpoints" -m tcp -p tcp -d 192.168.99.22 --dport 80 -j DROP
-A KUBE-EXTERNAL-SERVICES -m comment --comment "ns2/svc2:p80 has no local endpoints" -m tcp -p tcp -d 1.2.3.4 --dport 80 -j DROP
-A KUBE-EXTERNAL-SERVICES -m comment --comment "ns2/svc2:p80 has no local endpoints" -m addrtype --dst-type LOCAL -m tcp -p tcp --dport 3001 -j DROP
-A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A KUBE-PROXY-FIREWALL -m comment --comment "ns5/svc5:p80 traffic not accepted by KUBE-FW-NUKIZ6OKUXPJNT4C" -m tcp -p tcp -d 5.6.7.8 --dport 80 -j DROP
COMMIT
*nat
:KUBE-NODEPORTS - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-EXT-4SW47YFZTEDKD3PK - [0:0]
:KUBE-EXT-GNZBNJ2PO5MGZ6GT - [0:0]
:KUBE-EXT-NUKIZ6OKUXPJNT4C - [0:0]
:KUBE-EXT-X27LE4BHSL4DOUIK - [0:0]
:KUBE-FW-NUKIZ6OKUXPJNT4C - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SEP-C6EBXVWJJZMIWKLZ - [0:0]
:KUBE-SEP-I77PXRDZVX7PMWMN - [0:0]
:KUBE-SEP-OYPFS5VJICHGATKP - [0:0]
:KUBE-SEP-RS4RBKLTHTF2IUXJ - [0:0]
:KUBE-SEP-SXIVWICOYRO3J4NJ - [0:0]
:KUBE-SEP-UKSFD7AGPMPPLUHC - [0:0]
:KUBE-SVC-4SW47YFZTEDKD3PK - [0:0]
:KUBE-SVC-GNZBNJ2PO5MGZ6GT - [0:0]
:KUBE-SVC-NUKIZ6OKUXPJNT4C - [0:0]
:KUBE-SVC-X27LE4BHSL4DOUIK - [0:0]
:KUBE-SVC-XPGD46QRK7WJZT7O - [0:0]
-A KUBE-NODEPORTS -m comment --comment ns2/svc2:p80 -m tcp -p tcp -d 127.0.0.0/8 --dport 3001 -m nfacct --nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-GNZBNJ2PO5MGZ6GT
-A KUBE-NODEPORTS -m comment --comment ns2/svc2:p80 -m tcp -p tcp --dport 3001 -j KUBE-EXT-GNZBNJ2PO5MGZ6GT
-A KUBE-NODEPORTS -m comment --comment ns3/svc3:p80 -m tcp -p tcp -d 127.0.0.0/8 --dport 3003 -m nfacct --nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-X27LE4BHSL4DOUIK
-A KUBE-NODEPORTS -m comment --comment ns3/svc3:p80 -m tcp -p tcp --dport 3003 -j KUBE-EXT-X27LE4BHSL4DOUIK
-A KUBE-NODEPORTS -m comment --comment ns5/svc5:p80 -m tcp -p tcp -d 127.0.0.0/8 --dport 3002 -m nfacct --nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-NUKIZ6OKUXPJNT4C
-A KUBE-NODEPORTS -m comment --comment ns5/svc5:p80 -m tcp -p tcp --dport 3002 -j KUBE-EXT-NUKIZ6OKUXPJNT4C
-A KUBE-SERVICES -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O
-A KUBE-SERVICES -m comment --comment "ns2/svc2:p80 cluster IP" -m tcp -p tcp -d 172.30.0.42 --dport 80 -j KUBE-SVC-GNZBNJ2PO5MGZ6GT
-A KUBE-SERVICES -m comment --comment "ns2/svc2:p80 external IP" -m tcp -p tcp -d 192.168.99.22 --dport 80 -j KUBE-EXT-GNZBNJ2PO5MGZ6GT
-A KUBE-SERVICES -m comment --comment "ns2/svc2:p80 loadbalancer IP" -m tcp -p tcp -d 1.2.3.4 --dport 80 -j KUBE-EXT-GNZBNJ2PO5MGZ6GT
-A KUBE-SERVICES -m comment --comment "ns3/svc3:p80 cluster IP" -m tcp -p tcp -d 172.30.0.43 --dport 80 -j KUBE-SVC-X27LE4BHSL4DOUIK
-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-SERVICES -m comment --comment "ns4/svc4:p80 external IP" -m tcp -p tcp -d 192.168.99.33 --dport 80 -j KUBE-EXT-4SW47YFZTEDKD3PK
-A KUBE-SERVICES -m comment --comment "ns5/svc5:p80 cluster IP" -m tcp -p tcp -d 172.30.0.45 --dport 80 -j KUBE-SVC-NUKIZ6OKUXPJNT4C
-A KUBE-SERVICES -m comment --comment "ns5/svc5:p80 loadbalancer IP" -m tcp -p tcp -d 5.6.7.8 --dport 80 -j KUBE-FW-NUKIZ6OKUXPJNT4C
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-EXT-4SW47YFZTEDKD3PK -m comment --comment "masquerade traffic for ns4/svc4:p80 external destinations" -j KUBE-MARK-MASQ
-A KUBE-EXT-4SW47YFZTEDKD3PK -j KUBE-SVC-4SW47YFZTEDKD3PK
-A KUBE-EXT-GNZBNJ2PO5MGZ6GT -m comment --comment "pod traffic for ns2/svc2:p80 external destinations" -s 10.0.0.0/8 -j KUBE-SVC-GNZBNJ2PO5MGZ6GT
-A KUBE-EXT-GNZBNJ2PO5MGZ6GT -m comment --comment "masquerade LOCAL traffic for ns2/svc2:p80 external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
-A KUBE-EXT-GNZBNJ2PO5MGZ6GT -m comment --comment "route LOCAL traffic for ns2/svc2:p80 external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC-GNZBNJ2PO5MGZ6GT
-A KUBE-EXT-NUKIZ6OKUXPJNT4C -m comment --comment "masquerade traffic for ns5/svc5:p80 external destinations" -j KUBE-MARK-MASQ
-A KUBE-EXT-NUKIZ6OKUXPJNT4C -j KUBE-SVC-NUKIZ6OKUXPJNT4C
-A KUBE-EXT-X27LE4BHSL4DOUIK -m comment --comment "masquerade traffic for ns3/svc3:p80 external destinations" -j KUBE-MARK-MASQ
-A KUBE-EXT-X27LE4BHSL4DOUIK -j KUBE-SVC-X27LE4BHSL4DOUIK
-A KUBE-FW-NUKIZ6OKUXPJNT4C -m comment --comment "ns5/svc5:p80 loadbalancer IP" -s 203.0.113.0/25 -j KUBE-EXT-NUKIZ6OKUXPJNT4C
-A KUBE-FW-NUKIZ6OKUXPJNT4C -m comment --comment "other traffic to ns5/svc5:p80 will be dropped by KUBE-PROXY-FIREWALL"
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE
-A KUBE-SEP-C6EBXVWJJZMIWKLZ -m comment --comment ns4/svc4:p80 -s 10.180.0.5 -j KUBE-MARK-MASQ
-A KUBE-SEP-C6EBXVWJJZMIWKLZ -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.5:80
-A KUBE-SEP-I77PXRDZVX7PMWMN -m comment --comment ns5/svc5:p80 -s 10.180.0.3 -j KUBE-MARK-MASQ
-A KUBE-SEP-I77PXRDZVX7PMWMN -m comment --comment ns5/svc5:p80 -m recent --name KUBE-SEP-I77PXRDZVX7PMWMN --set -m tcp -p tcp -j DNAT --to-destination 10.180.0.3:80
-A KUBE-SEP-OYPFS5VJICHGATKP -m comment --comment ns3/svc3:p80 -s 10.180.0.3 -j KUBE-MARK-MASQ
-A KUBE-SEP-OYPFS5VJICHGATKP -m comment --comment ns3/svc3:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.3:80
-A KUBE-SEP-RS4RBKLTHTF2IUXJ -m comment --comment ns2/svc2:p80 -s 10.180.0.2 -j KUBE-MARK-MASQ
-A KUBE-SEP-RS4RBKLTHTF2IUXJ -m comment --comment ns2/svc2:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.2:80
-A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment ns1/svc1:p80 -s 10.180.0.1 -j KUBE-MARK-MASQ
-A KUBE-SEP-SXIVWICOYRO3J4NJ -m comment --comment ns1/svc1:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.1:80
-A KUBE-SEP-UKSFD7AGPMPPLUHC -m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ
-A KUBE-SEP-UKSFD7AGPMPPLUHC -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.5000000000 -j KUBE-SEP-UKSFD7AGPMPPLUHC
-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j KUBE-SEP-C6EBXVWJJZMIWKLZ
-A KUBE-SVC-GNZBNJ2PO5MGZ6GT -m comment --comment "ns2/svc2:p80 cluster IP" -m tcp -p tcp -d 172.30.0.42 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-GNZBNJ2PO5MGZ6GT -m comment --comment "ns2/svc2:p80 -> 10.180.0.2:80" -j KUBE-SEP-RS4RBKLTHTF2IUXJ
-A KUBE-SVC-NUKIZ6OKUXPJNT4C -m comment --comment "ns5/svc5:p80 cluster IP" -m tcp -p tcp -d 172.30.0.45 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-NUKIZ6OKUXPJNT4C -m comment --comment "ns5/svc5:p80 -> 10.180.0.3:80" -m recent --name KUBE-SEP-I77PXRDZVX7PMWMN --rcheck --seconds 10800 --reap -j KUBE-SEP-I77PXRDZVX7PMWMN
-A KUBE-SVC-NUKIZ6OKUXPJNT4C -m comment --comment "ns5/svc5:p80 -> 10.180.0.3:80" -j KUBE-SEP-I77PXRDZVX7PMWMN
-A KUBE-SVC-X27LE4BHSL4DOUIK -m comment --comment "ns3/svc3:p80 cluster IP" -m tcp -p tcp -d 172.30.0.43 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-X27LE4BHSL4DOUIK -m comment --comment "ns3/svc3:p80 -> 10.180.0.3:80" -j KUBE-SEP-OYPFS5VJICHGATKP
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "ns1/svc1:p80 -> 10.180.0.1:80" -j KUBE-SEP-SXIVWICOYRO3J4NJ
COMMIT
"#;

/// `pkg/proxy/iptables/proxier_test.go`, `TestOverallIPTablesRules`.
#[test]
fn the_rules_are_those_of_kube_proxys_own_test() {
    let ruleset = synced(&config(Mode::Iptables), &overall(true));
    let written = tables(&ruleset).to_string();
    for (ours, theirs) in written.lines().zip(OVERALL.trim().lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(written.trim(), OVERALL.trim());
}

/// iptables-save(8), and iptables' `iptables/iptables.c`, `print_rule4` (the order: addresses, protocol, matches, target) with the function
/// `save` of each extension: `extensions/libxt_comment.c`, `libxt_conntrack.c`, `libxt_statistic.c` (a probability is a number of 2^-31),
/// `libxt_nfacct.c` and `libxt_MARK.c`. The rules are those of `TestOverallIPTablesRules` in `pkg/proxy/iptables/proxier_test.go`.
#[test]
fn saved_rules_are_those_of_iptables_save() {
    let ruleset = synced(&config(Mode::Iptables), &overall(false));
    let saved = ruleset.to_string();
    for line in [
        r#"-A KUBE-SERVICES -d 172.30.0.41/32 -p tcp -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O"#,
        r#"-A KUBE-SVC-XPGD46QRK7WJZT7O ! -s 10.0.0.0/8 -d 172.30.0.41/32 -p tcp -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ"#,
        r#"-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-UKSFD7AGPMPPLUHC"#,
        r#"-A KUBE-SEP-SXIVWICOYRO3J4NJ -s 10.180.0.1/32 -m comment --comment "ns1/svc1:p80" -j KUBE-MARK-MASQ"#,
        r#"-A KUBE-SERVICES -d 172.30.0.46/32 -p tcp -m comment --comment "ns6/svc6:p80 has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable"#,
        "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000",
        "-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0",
        r#"-A INPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL"#,
        r#"-A KUBE-NODEPORTS -d 127.0.0.0/8 -p tcp -m comment --comment "ns3/svc3:p80" -m tcp --dport 3003 -m nfacct --nfacct-name  localhost_nps_accepted_pkts -j KUBE-EXT-X27LE4BHSL4DOUIK"#,
        "-A INPUT -j KUBE-FIREWALL",
        ":PREROUTING ACCEPT [0:0]",
        ":KUBE-PROXY-CANARY - [0:0]",
    ] {
        assert!(saved.lines().any(|l| l == line), "{line}\n{saved}");
    }
    let third = rule([Match::OnceIn(3)], Target::Return);
    assert_eq!(third.to_string(), "-m statistic --mode random --probability 0.3333333333 -j RETURN");
    let saved = third.saved(Family::Ipv4);
    assert_eq!(saved, "-m statistic --mode random --probability 0.33333333349 -j RETURN");
}

/// After `TestClusterIPGeneral` and `TestLoadBalancer`.
#[test]
fn packets_go_where_kube_proxys_own_tests_send_them() {
    let ruleset = synced(&config(Mode::Iptables), &overall(false));
    let sent = [
        ("10.180.0.9", "172.30.0.41:80", "10.180.0.1:80"),
        // A pod reaches itself.
        ("10.180.0.1", "172.30.0.41:80", "10.180.0.1:80 masquerade"),
        (CLIENT, "172.30.0.41:80", "10.180.0.1:80 masquerade"),
        ("10.180.0.9", "172.30.0.44:80", "10.180.0.4:80, 10.180.0.5:80"),
        ("10.180.0.9", "172.30.0.41:443", "unchanged"),
        ("10.180.0.9", "172.30.0.46:80", "REJECT"),
        (NODE_IP, "172.30.0.46:80", "REJECT"),
        // From outside, the policy Local drops what this node has no endpoint for; pods and the node are free.
        (CLIENT, "1.2.3.4:80", "DROP"),
        ("10.180.0.9", "1.2.3.4:80", "10.180.0.2:80"),
        (NODE_IP, "1.2.3.4:80", "10.180.0.2:80 masquerade"),
        (CLIENT, "192.168.0.2:3001", "DROP"),
        (CLIENT, "192.168.0.2:3003", "10.180.0.3:80 masquerade"),
        (CLIENT, "192.168.1.2:3003", "10.180.0.3:80 masquerade"),
        ("127.0.0.1", "127.0.0.1:3003", "10.180.0.3:80 masquerade"),
        // Node ports are not subject to source ranges; load balancers are.
        (CLIENT, "5.6.7.8:80", "10.180.0.3:80 masquerade"),
        (BLOCKED_CLIENT, "5.6.7.8:80", "DROP"),
        (BLOCKED_CLIENT, "192.168.0.2:3002", "10.180.0.3:80 masquerade"),
        ("10.180.0.9", "5.6.7.8:80", "DROP"),
        // The port of health checks is let in.
        (CLIENT, "192.168.0.2:30000", "unchanged"),
    ];
    assert_sent(&ruleset, &sent);
}

/// `pkg/proxy/iptables/proxier_test.go`, `TestOverallIPTablesRules`: the rules and their order.
#[test]
fn a_walk_tells_which_rules_matched() {
    let ruleset = synced(&config(Mode::Iptables), &overall(false));
    let mut draws = [0.7].into_iter();
    let walk = ruleset.walk(&packet(CLIENT, "192.168.99.33:80"), at(0), &mut Kernel::default(), &mut || {
        Chance::new(draws.next().unwrap())
    });
    let told: Vec<String> =
        walk.steps.iter().map(|s| format!("{} {} {}", s.table, s.chain, s.index)).collect();
    assert_eq!(
        told,
        [
            "nat PREROUTING 0",
            "nat KUBE-SERVICES 6",
            "nat KUBE-EXT-4SW47YFZTEDKD3PK 0",
            "nat KUBE-MARK-MASQ 0",
            "nat KUBE-EXT-4SW47YFZTEDKD3PK 1",
            "nat KUBE-SVC-4SW47YFZTEDKD3PK 2",
            "nat KUBE-SEP-C6EBXVWJJZMIWKLZ 1",
            "filter FORWARD 0",
            "filter FORWARD 1",
            "filter KUBE-FORWARD 1",
            "nat POSTROUTING 0",
            "nat KUBE-POSTROUTING 1",
            "nat KUBE-POSTROUTING 2",
        ]
    );
    assert_eq!(walk.verdict.to_string(), "10.180.0.5:80 masquerade");
    assert_eq!(
        walk.steps[5].text,
        "-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment \"ns4/svc4:p80 -> 10.180.0.5:80\" -j KUBE-SEP-C6EBXVWJJZMIWKLZ"
    );
}

/// The rules are those that `writeServiceToEndpointRules` in `pkg/proxy/iptables/proxier.go` writes for session affinity.
#[test]
fn a_client_stays_with_its_endpoint() {
    let spec = json!({"clusterIP": "172.30.0.41", "sessionAffinity": "ClientIP",
        "ports": [{"name": "p80", "port": 80, "protocol": "TCP"}]});
    let objects = (
        vec![service("ns1", "svc1", spec)],
        vec![slice("ns1", "svc1", &[("10.180.0.1", ""), ("10.180.0.2", "")])],
    );
    let ruleset = synced(&config(Mode::Iptables), &objects);
    let written = tables(&ruleset).to_string();
    let list = "KUBE-SEP-SXIVWICOYRO3J4NJ";
    assert!(written.contains(&format!(
        "-m comment --comment \"ns1/svc1:p80 -> 10.180.0.1:80\" -m recent --name {list} --rcheck --seconds 10800 --reap -j {list}"
    )));
    assert!(written.contains(&format!(
        "-A {list} -m comment --comment ns1/svc1:p80 -m recent --name {list} --set -m tcp -p tcp -j DNAT --to-destination 10.180.0.1:80"
    )));

    let mut kernel = Kernel::default();
    let client = packet("10.180.0.9", "172.30.0.41:80");
    let mut go =
        |second, chance| ruleset.walk(&client, at(second), &mut kernel, &mut || Chance::new(chance)).verdict;
    let first = go(0, 0.9);
    assert_eq!(first.to_string(), "10.180.0.2:80");
    assert_eq!(go(10_799, 0.0), first);
    // Each connection counts anew.
    assert_eq!(go(21_598, 0.0), first);
    assert_ne!(go(21_598 + 10_800, 0.0), first);
}

/// What single settings change, after `TestNodePorts` and `pkg/proxy/util/localdetector_test.go`.
#[test]
fn the_configuration_changes_rules() {
    let written = |change: &dyn Fn(&mut Config)| {
        let mut config = config(Mode::Iptables);
        change(&mut config);
        tables(&synced(&config, &overall(false))).to_string()
    };
    let masquerade_all = written(&|c| c.masquerade_all = true);
    assert!(masquerade_all.contains("-d 172.30.0.41 --dport 80 -j KUBE-MARK-MASQ"));
    let liberal = written(&|c| c.conntrack_tcp_liberal = true);
    assert!(!liberal.contains("INVALID"));
    let uncounted = written(&|c| c.nfacct = false);
    assert!(uncounted.contains("-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP\n"));
    let bridge = written(&|c| c.local_detector = LocalDetector::BridgeInterface("cbr0".to_owned()));
    assert!(bridge.contains("--dport 80 ! -i cbr0 -j KUBE-MARK-MASQ"));
    let prefix = written(&|c| c.local_detector = LocalDetector::InterfaceNamePrefix("veth".to_owned()));
    assert!(prefix.contains("external destinations\" -i veth+ -j KUBE-SVC-GNZBNJ2PO5MGZ6GT"));
    let nobody = written(&|c| c.local_detector = LocalDetector::None);
    assert!(!nobody.contains("! -s 10.0.0.0/8") && !nobody.contains("pod traffic for"));
    let not_local = written(&|c| c.localhost_node_ports = false);
    assert!(not_local.contains("--dst-type LOCAL ! -d 127.0.0.0/8 -j KUBE-NODEPORTS"));
    assert!(!not_local.contains("localnet") && !not_local.contains("KUBE-FIREWALL"));
    let some = written(&|c| {
        c.node_port_addresses = NodePortAddresses::Ranges(vec!["192.168.1.0/24".parse().unwrap()]);
    });
    assert!(some.contains("in this chain\" -d 192.168.1.2 -j KUBE-NODEPORTS"));
    assert!(!some.contains("--dst-type LOCAL -j KUBE-NODEPORTS"));
}

/// With more than 1000 endpoints, rules of endpoints have no comments (`proxier.go`, `appendServiceCommentLocked`;
/// `TestSyncProxyRulesLargeClusterMode`).
#[test]
fn a_large_cluster_has_no_comments_on_endpoints() {
    let (services, mut slices) = overall(false);
    let many: Vec<String> = (0..1001).map(|i| format!("10.181.{}.{}", i / 250, i % 250)).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|ip| (ip.as_str(), "")).collect();
    slices[0] = slice("ns1", "svc1", &many);
    let ruleset = synced(&config(Mode::Iptables), &(services, slices));
    let written = tables(&ruleset).to_string();
    assert!(!written.contains(" -> ") && written.contains("ns1/svc1:p80 cluster IP"));
    let shares = ruleset.distribution(&packet("10.9.9.9", "172.30.0.41:80"), at(0), &Kernel::default());
    assert_eq!(shares.len(), 1001);
    assert!(shares.iter().all(|s| s.share == Fraction::new(1, 1001)));
}
