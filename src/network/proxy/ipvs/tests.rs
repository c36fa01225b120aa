#![allow(clippy::unwrap_used)]

use crate::network::Protocol;
use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::json;

use super::super::testing::*;
use super::super::*;
use super::*;

fn state(ruleset: &Ruleset) -> &State {
    match &ruleset.rules {
        Rules::Ipvs(state) => state,
        other => panic!("{other:?}"),
    }
}

fn three() -> (Vec<crate::api::types::Service>, Vec<crate::api::types::EndpointSlice>) {
    let spec = json!({"clusterIP": "172.30.0.41", "ports": [{"name": "p80", "port": 80, "protocol": "TCP"}]});
    let endpoints = [("10.180.0.1", ""), ("10.180.0.2", ""), ("10.180.0.3", "")];
    (vec![service("ns1", "svc1", spec)], vec![slice("ns1", "svc1", &endpoints)])
}

fn with(scheduler: Scheduler) -> Ruleset {
    synced(&Config { ipvs_scheduler: scheduler, ..config(Mode::Ipvs) }, &three())
}

/// The columns are those of `ipvsadm`, and the entries those of `ipset list`.
#[test]
fn virtual_servers_and_sets_are_shown_as_their_tools_do() {
    let ruleset = synced(&config(Mode::Ipvs), &overall(true));
    let shown = ruleset.to_string();
    for part in [
        "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  \
         -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\n",
        "TCP  172.30.0.44:80 rr\n  -> 10.180.0.4:80                Masq    1      0          0         \n  \
         -> 10.180.0.5:80                Masq    1      0          0         \n",
        "TCP  172.30.0.45:80 rr persistent 10800\n",
        "TCP  172.30.0.46:80 rr\nTCP  192.168.0.2:3001 rr\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let sets = state(&ruleset).ipset_list();
    for part in [
        "Name: KUBE-LOOP-BACK\nType: hash:ip,port,ip\nHeader: family inet hashsize 1024 maxelem 65536\nReferences: 1\n\
         Number of entries: 1\nMembers:\n10.180.0.5,tcp:80,10.180.0.5\n",
        "Name: KUBE-LOAD-BALANCER-SOURCE-CIDR\nType: hash:ip,port,net\n",
        "5.6.7.8,tcp:80,203.0.113.0/25\n",
        "Name: KUBE-NODE-PORT-LOCAL-TCP\nType: bitmap:port\nHeader: range 0-65535\nReferences: 1\nNumber of entries: 1\n\
         Members:\n3001\n",
    ] {
        assert!(sets.contains(part), "{part}\n{sets}");
    }
}

/// After `TestClusterIP`, `TestNodePortIPv4`, `TestOnlyLocalLoadBalancing` and `TestLoadBalancerSourceRanges` in
/// `pkg/proxy/ipvs/proxier_test.go`.
#[test]
fn rules_are_as_many_for_one_service_as_for_many() {
    let ruleset = synced(&config(Mode::Ipvs), &overall(false));
    let tables = &state(&ruleset).tables;
    let written = tables.to_string();
    for rule in [
        "-A KUBE-SERVICES -m comment --comment \"Kubernetes service cluster ip + port for masquerade purpose\" -m set \
         --match-set KUBE-CLUSTER-IP dst,dst ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ",
        "-A KUBE-SERVICES -m comment --comment \"Kubernetes service lb portal\" -m set --match-set KUBE-LOAD-BALANCER \
         dst,dst -j KUBE-LOAD-BALANCER",
        "-A KUBE-NODE-PORT -p tcp -m comment --comment \"Kubernetes nodeport TCP port with externalTrafficPolicy=local\" \
         -m set --match-set KUBE-NODE-PORT-LOCAL-TCP dst -j RETURN",
        "-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT",
        "-A KUBE-IPVS-OUT-FILTER -s 5.6.7.8 -m ipvs --vaddr 5.6.7.8 --vproto tcp --vport 80 -j DROP",
        "-A KUBE-POSTROUTING -m comment --comment \"Kubernetes endpoints dst ip:port, source ip for solving hairpin \
         purpose\" -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE",
    ] {
        assert!(written.lines().any(|l| l == rule), "{rule}\n{written}");
    }
    let (mut services, slices) = overall(false);
    for i in 0..50 {
        let spec = json!({"clusterIP": format!("172.30.1.{i}"), "ports": [{"name": "p80", "port": 80}]});
        services.push(service("many", &format!("svc{i}"), spec));
    }
    let many = synced(&config(Mode::Ipvs), &(services, slices));
    assert_eq!(state(&many).tables, *tables);
    assert_eq!(state(&many).bound.len(), state(&ruleset).bound.len() + 50);
}

/// `pkg/proxy/ipvs/proxier.go`, `syncProxyRules` and `syncEndpoint`: the real servers of a virtual one.
#[test]
fn packets_go_to_real_servers() {
    let ruleset = synced(&config(Mode::Ipvs), &overall(true));
    let sent = [
        ("10.180.0.9", "172.30.0.41:80", "10.180.0.1:80"),
        (CLIENT, "172.30.0.41:80", "10.180.0.1:80 masquerade"),
        ("10.180.0.9", "172.30.0.44:80", "10.180.0.4:80, 10.180.0.5:80"),
        // A pod of this node reaches itself.
        ("10.180.0.5", "172.30.0.44:80", "10.180.0.4:80, 10.180.0.5:80 masquerade"),
        // Nobody reaches a process of the node by a Service's address.
        ("10.180.0.9", "172.30.0.41:443", "REJECT"),
        ("10.180.0.9", "172.30.0.46:80", "REJECT"),
        (NODE_IP, "172.30.0.46:80", "REJECT"),
        // Unlike the other modes, this one uses endpoints of other nodes if the policy is Local and there are no others.
        (CLIENT, "1.2.3.4:80", "10.180.0.2:80"),
        (CLIENT, "192.168.0.2:3001", "10.180.0.2:80"),
        (CLIENT, "192.168.0.2:3003", "10.180.0.3:80 masquerade"),
        (CLIENT, "192.168.1.2:3003", "10.180.0.3:80 masquerade"),
        ("127.0.0.1", "127.0.0.1:3003", "unchanged"),
        (CLIENT, "5.6.7.8:80", "10.180.0.3:80 masquerade"),
        (BLOCKED_CLIENT, "5.6.7.8:80", "DROP"),
        (CLIENT, "192.168.0.2:30000", "unchanged"),
        (CLIENT, "8.8.8.8:53", "unchanged"),
    ];
    assert_sent(&ruleset, &sent);
    let own = Packet { origin: Origin::Node, ..packet("5.6.7.8", "5.6.7.8:80") };
    assert_eq!(outcome(&ruleset, &own), "DROP");
}

/// The kernel's `net/netfilter/ipvs/ip_vs_rr.c`, `ip_vs_lc.c`, `ip_vs_sed.c`, `ip_vs_nq.c` and `ip_vs_sh.c`;
/// `include/net/ip_vs.h`, `ip_vs_dest_conn_overhead`.
#[test]
fn schedulers_choose_as_the_kernel_does() {
    let key = ("172.30.0.41:80".parse().unwrap(), Protocol::Tcp);
    let server = |n: u8| -> SocketAddr { format!("10.180.0.{n}:80").parse().unwrap() };
    let go = |ruleset: &Ruleset, kernel: &mut Kernel, source: &str| {
        let walk = ruleset.walk(&packet(source, "172.30.0.41:80"), at(0), kernel, &mut || Chance::new(0.0));
        walk.verdict.to_string()
    };
    let mut kernel = Kernel::default();
    let turns: Vec<String> =
        (0..4).map(|_| go(&with(Scheduler::RoundRobin), &mut kernel, "10.180.0.9")).collect();
    assert_eq!(turns, ["10.180.0.1:80", "10.180.0.2:80", "10.180.0.3:80", "10.180.0.1:80"]);

    let count = |active, inactive| Connections { active, inactive };
    kernel.connections.insert((key, server(1)), count(2, 0));
    kernel.connections.insert((key, server(2)), count(1, 300));
    kernel.connections.insert((key, server(3)), count(2, 1));
    assert_eq!(go(&with(Scheduler::LeastConnection), &mut kernel, "10.180.0.9"), "10.180.0.1:80");
    assert_eq!(go(&with(Scheduler::ShortestExpectedDelay), &mut kernel, "10.180.0.9"), "10.180.0.2:80");
    kernel.connections.insert((key, server(3)), count(0, 9));
    assert_eq!(go(&with(Scheduler::NeverQueue), &mut kernel, "10.180.0.9"), "10.180.0.3:80");

    let hashed = with(Scheduler::SourceHashing);
    let first = go(&hashed, &mut kernel, "10.180.0.9");
    assert_eq!(go(&hashed, &mut kernel, "10.180.0.9"), first);
    let all: std::collections::BTreeSet<String> =
        (0..50).map(|i| go(&hashed, &mut kernel, &format!("10.180.7.{i}"))).collect();
    assert_eq!(all.len(), 3);

    let shares = with(Scheduler::RoundRobin).distribution(
        &packet("10.1.1.1", "172.30.0.41:80"),
        at(0),
        &Kernel::default(),
    );
    assert!(shares.iter().all(|s| s.share == Fraction::new(1, 3)) && shares.len() == 3);
}

/// After `Test_GracefulDeleteRS`.
#[test]
fn a_real_server_finishes_its_connections() {
    let before = with(Scheduler::RoundRobin);
    let (services, mut slices) = three();
    slices[0] = slice("ns1", "svc1", &[("10.180.0.1", "")]);
    let mut after = synced(&config(Mode::Ipvs), &(services, slices));
    let key = ("172.30.0.41:80".parse().unwrap(), Protocol::Tcp);
    let busy = Connections { active: 1, inactive: 0 };
    let connections = BTreeMap::from([((key, "10.180.0.2:80".parse().unwrap()), busy)]);
    let Rules::Ipvs(new) = &mut after.rules else { panic!() };
    new.keep_terminating(state(&before), &connections);
    let servers: Vec<String> =
        state(&after).virtual_servers[&key].real_servers.iter().map(ToString::to_string).collect();
    assert_eq!(
        servers,
        ["-> 10.180.0.1:80                Masq    1", "-> 10.180.0.2:80                Masq    0"]
    );
    assert_eq!(outcome(&after, &packet("10.180.0.9", "172.30.0.41:80")), "10.180.0.1:80");
}

/// `pkg/proxy/ipvs/proxier.go`, `syncProxyRules`: `FlagPersistent` and the timeout, which is three hours by default.
#[test]
fn a_client_stays_with_its_real_server() {
    let (mut services, slices) = three();
    let spec = services[0].spec.as_mut().unwrap();
    spec.session_affinity = Some("ClientIP".to_owned());
    let ruleset = synced(&config(Mode::Ipvs), &(services, slices));
    let mut kernel = Kernel::default();
    let mut go = |second, source| {
        let walk = ruleset
            .walk(&packet(source, "172.30.0.41:80"), at(second), &mut kernel, &mut || Chance::new(0.0));
        walk.verdict.to_string()
    };
    assert_eq!(go(0, "10.180.0.8"), "10.180.0.1:80");
    assert_eq!(go(1, "10.180.0.9"), "10.180.0.2:80");
    assert_eq!(go(2, "10.180.0.8"), "10.180.0.1:80");
    assert_eq!(go(10_803, "10.180.0.8"), "10.180.0.3:80");
}

/// Sets of IPv6 have names of at most 31 letters (`NewIPSet`).
#[test]
fn sets_of_ipv6_have_names_of_their_own() {
    let mut config = config(Mode::Ipvs);
    config.family = Family::Ipv6;
    let ruleset = synced(&config, &three());
    let names: Vec<&str> = state(&ruleset).sets.iter().map(|set| &*set.name).collect();
    assert!(
        names.contains(&"KUBE-6-LOAD-BALANCER-SOURCE-CID")
            && names.contains(&"KUBE-6-NODE-PORT-LOCAL-SCTP-HAS")
    );
    assert!(state(&ruleset).virtual_servers.is_empty());
}
