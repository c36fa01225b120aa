//! What Services and endpoints a proxier knows, what a sync changes, and what holds for every set of rules.
#![allow(clippy::unwrap_used)]

use crate::network::Protocol;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::testing::*;
use super::*;
use crate::api::types::{EndpointSlice, Service};

const MODES: [Mode; 3] = [Mode::Iptables, Mode::Nftables, Mode::Ipvs];

fn ports(family: Family, services: &[Service]) -> ServicePortMap {
    service_ports(family, services.iter())
}

/// After `TestServiceToServiceMap` in `pkg/proxy/servicechangetracker_test.go`.
#[test]
fn services_without_an_address_of_the_family_are_skipped() {
    let port = json!([{"name": "p", "port": 80}]);
    let mut other = service("ns", "other", json!({"clusterIP": "172.30.0.9", "ports": port}));
    other.metadata.labels = Some(BTreeMap::from([(LABEL_SERVICE_PROXY_NAME.to_owned(), "x".to_owned())]));
    let all = [
        service("ns", "headless", json!({"clusterIP": "None", "ports": port})),
        service("ns", "nothing", json!({"ports": port})),
        service("ns", "external", json!({"type": "ExternalName", "clusterIP": "172.30.0.8", "ports": port})),
        other,
        service("ns", "six", json!({"clusterIP": "fd00::1", "clusterIPs": ["fd00::1"], "ports": port})),
        service(
            "ns",
            "both",
            json!({"clusterIP": "172.30.0.1", "clusterIPs": ["172.30.0.1", "fd00::2"], "ports": port}),
        ),
        service("ns", "zero", json!({"clusterIP": "172.30.0.3", "ports": [{"name": "p", "port": 0}]})),
    ];
    let names = |family| ports(family, &all).keys().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(Family::Ipv4), ["ns/both:p"]);
    assert_eq!(names(Family::Ipv6), ["ns/both:p", "ns/six:p"]);
}

/// After `TestServiceToServiceMap` in `pkg/proxy/servicechangetracker_test.go`.
#[test]
fn a_port_has_what_its_service_says() {
    let mut service = balanced(
        "ns",
        "svc",
        json!({"type": "LoadBalancer", "clusterIP": "172.30.0.1", "externalTrafficPolicy": "Local",
            "internalTrafficPolicy": "Local", "healthCheckNodePort": 32000, "sessionAffinity": "ClientIP",
            "externalIPs": ["1.1.1.1", "fd00::9"], "loadBalancerSourceRanges": [" 10.1.2.3/8 ", "fd00::/64"],
            "ports": [{"port": 80, "nodePort": 30080, "protocol": "UDP"}]}),
        &["5.5.5.5", "fd00::5", "6.6.6.6"],
    );
    let status = service.status.as_mut().unwrap().load_balancer.as_mut().unwrap();
    status.ingress.as_mut().unwrap()[2].ip_mode = Some("Proxy".to_owned());
    let map = ports(Family::Ipv4, std::slice::from_ref(&service));
    let (name, port) = map.first_key_value().unwrap();
    assert_eq!((name.to_string(), name.protocol), ("ns/svc".to_owned(), Protocol::Udp));
    let expected = ServicePort {
        cluster_ip: ip("172.30.0.1"),
        port: 80,
        protocol: Protocol::Udp,
        node_port: Some(30080),
        external_ips: vec![ip("1.1.1.1")],
        load_balancer_vips: vec![ip("5.5.5.5")],
        source_ranges: vec!["10.0.0.0/8".parse().unwrap()],
        affinity_seconds: Some(10_800),
        internal_policy_local: true,
        external_policy_local: true,
        health_check_node_port: Some(32000),
    };
    assert_eq!(*port, expected);
    // A range of everybody is the same as no range.
    let spec = service.spec.as_mut().unwrap();
    spec.load_balancer_source_ranges.as_mut().unwrap().push("0.0.0.0/0".to_owned());
    assert!(ports(Family::Ipv4, &[service]).values().all(|port| port.source_ranges.is_empty()));
}

/// After `TestEndpointsMapFromESC` in `pkg/proxy/endpointslicecache_test.go`.
#[test]
fn slices_of_a_service_become_one_list() {
    let port = || json!({"name": "p80", "port": 80});
    let terminating = json!({"ready": false, "serving": true, "terminating": true});
    let mut second = slice_of(
        "ns",
        "svc",
        port(),
        json!([{"addresses": ["10.0.0.10"]}, {"addresses": ["10.0.0.9"], "conditions": terminating}]),
    );
    second.metadata.name = Some("svc-2".to_owned());
    let mut nameless = slice_of("ns", "svc", json!({"port": 80}), json!([{"addresses": ["10.0.0.77"]}]));
    nameless.metadata.name = Some("svc-3".to_owned());
    let slices = [
        slice_of(
            "ns",
            "svc",
            port(),
            json!([{"addresses": ["10.0.0.9"], "nodeName": NODE}, {"addresses": ["10.0.0.2"]}]),
        ),
        second,
        nameless,
        slice_of("ns", "six", port(), json!([{"addresses": ["fd00::1"]}])),
    ];
    let map = endpoints(NODE, Family::Ipv4, slices.iter());
    assert_eq!(map.len(), 1);
    let texts: Vec<(&str, bool, bool)> =
        map.values().flatten().map(|e| (&*e.text, e.is_local, e.terminating)).collect();
    // Endpoints are sorted as text. The one that is not terminating wins.
    assert_eq!(
        texts,
        [("10.0.0.10:80", false, false), ("10.0.0.2:80", false, false), ("10.0.0.9:80", true, false)]
    );
    assert_eq!(local_ready_endpoints(&map).into_values().collect::<Vec<_>>(), [1]);
}

fn hinted(hints: &[(&str, &str, &str, &str)]) -> Vec<Endpoint> {
    let one = |(ip, node, zone, for_node): &(&str, &str, &str, &str)| {
        let zones: Vec<Value> =
            Some(*zone).filter(|z| !z.is_empty()).map(|z| json!({"name": z})).into_iter().collect();
        let nodes: Vec<Value> =
            Some(*for_node).filter(|n| !n.is_empty()).map(|n| json!({"name": n})).into_iter().collect();
        json!({"addresses": [ip], "nodeName": node, "hints": {"forZones": zones, "forNodes": nodes}})
    };
    let all: Vec<Value> = hints.iter().map(one).collect();
    let slice = slice_of("ns", "svc", json!({"name": "p80", "port": 80}), all.into());
    endpoints(NODE, Family::Ipv4, [slice].iter()).into_values().flatten().collect()
}

/// After `TestCategorizeEndpoints` in `pkg/proxy/topology_test.go`.
#[test]
fn hints_are_used_if_all_endpoints_have_them() {
    let info = ports(
        Family::Ipv4,
        &[service("ns", "svc", json!({"clusterIP": "172.30.0.1", "ports": [{"name": "p80", "port": 80}]}))],
    )
    .into_values()
    .next()
    .unwrap();
    let used = |zone: &str, hints: &[(&str, &str, &str, &str)]| {
        let endpoints = hinted(hints);
        let found = categorize(&endpoints, &info, Place { node: NODE, zone });
        found.cluster.iter().map(|e| e.address.ip().to_string()).collect::<Vec<_>>()
    };
    let zones = [("10.0.0.1", NODE, "a", ""), ("10.0.0.2", "n2", "b", ""), ("10.0.0.3", "n3", "a", "")];
    assert_eq!(used("a", &zones), ["10.0.0.1", "10.0.0.3"]);
    // No hint is for this zone, or the node has none.
    assert_eq!(used("c", &zones).len(), 3);
    assert_eq!(used("", &zones).len(), 3);
    // One endpoint has no hint.
    assert_eq!(used("a", &[zones[0], zones[1], ("10.0.0.3", "n3", "", "")]).len(), 3);
    // Hints for nodes come before hints for zones.
    let nodes = [("10.0.0.1", NODE, "a", NODE), ("10.0.0.2", "n2", "a", "n2")];
    assert_eq!(used("a", &nodes), ["10.0.0.1"]);
    let others = [("10.0.0.1", "n1", "a", "n1"), ("10.0.0.2", "n2", "b", "n2")];
    assert_eq!(used("b", &others), ["10.0.0.2"]);
}

/// After the cases of terminating endpoints in `TestCategorizeEndpoints` (KEP-1669).
#[test]
fn terminating_endpoints_are_the_last_resort() {
    let spec = json!({"type": "NodePort", "externalTrafficPolicy": "Local", "clusterIP": "172.30.0.1",
        "ports": [{"name": "p80", "port": 80, "nodePort": 30080}]});
    let terminating = json!({"ready": false, "serving": true, "terminating": true});
    let objects = |remote_ready: bool| {
        let remote = if remote_ready { json!({}) } else { terminating.clone() };
        let endpoints = json!([
            {"addresses": ["10.0.0.1"], "nodeName": NODE, "conditions": terminating},
            {"addresses": ["10.0.0.2"], "nodeName": "other", "conditions": remote},
        ]);
        (
            vec![service("ns", "svc", spec.clone())],
            vec![slice_of("ns", "svc", json!({"name": "p80", "port": 80}), endpoints)],
        )
    };
    for mode in [Mode::Iptables, Mode::Nftables] {
        let one_ready = synced(&config(mode), &objects(true));
        assert_eq!(outcome(&one_ready, &packet("10.9.9.9", "172.30.0.1:80")), "10.0.0.2:80");
        assert_eq!(outcome(&one_ready, &packet(CLIENT, "192.168.0.2:30080")), "10.0.0.1:80");
        let none_ready = synced(&config(mode), &objects(false));
        assert_eq!(outcome(&none_ready, &packet("10.9.9.9", "172.30.0.1:80")), "10.0.0.1:80, 10.0.0.2:80");
    }
}

#[test]
fn a_sync_says_what_it_changed() {
    let (services, mut slices) = overall(false);
    let texts = |changes: &[Change]| {
        changes.iter().map(|c| format!("{:?} {}", c.happened, c.container)).collect::<Vec<_>>()
    };
    for mode in MODES {
        let config = config(mode);
        let before = synced(&config, &(services.clone(), slices.clone()));
        assert!(before.changes_since(&before.clone()).is_empty());
        slices[0] = slice("ns1", "svc1", &[("10.180.0.1", ""), ("10.180.0.7", "")]);
        let after = synced(&config, &(services.clone(), slices.clone()));
        let changes = after.changes_since(&before);
        match mode {
            Mode::Iptables => {
                assert_eq!(
                    texts(&changes),
                    [
                        "Added chain nat KUBE-SEP-SCNVD5TYCFFO5Y6I",
                        "Changed chain nat KUBE-SVC-XPGD46QRK7WJZT7O"
                    ]
                    .map(|line| line.replace("SCNVD5TYCFFO5Y6I", &endpoint_hash(&after)))
                );
                assert_eq!(changes[1].removed.len(), 1);
                assert_eq!(changes[1].added.len(), 2);
            }
            Mode::Nftables => {
                assert_eq!(texts(&changes), ["Changed chain kube-proxy service-ULMVA6XW-ns1/svc1/tcp/p80"]);
                assert!(changes[0].added[0].contains("numgen random mod 2 map"));
            }
            Mode::Ipvs => {
                assert_eq!(texts(&changes), ["Changed virtual server TCP 172.30.0.41:80"]);
                assert_eq!(changes[0].added, ["-> 10.180.0.7:80                Masq    1"]);
                assert!(changes[0].removed.is_empty());
            }
        }
        let back = before.changes_since(&after);
        assert_eq!(back.len(), changes.len());
        slices[0] = slice("ns1", "svc1", &[("10.180.0.1", "")]);
    }
}

/// The letters of the chain of the endpoint that is new in the test before.
fn endpoint_hash(ruleset: &Ruleset) -> String {
    let Rules::Iptables(tables) = &ruleset.rules else { return String::new() };
    let to = |rules: &Vec<iptables::Rule>| rules.iter().any(|r| r.to_string().ends_with("10.180.0.7:80"));
    let chain = tables.nat.iter().find(|(name, rules)| name.starts_with("KUBE-SEP-") && to(rules));
    chain.unwrap().0.trim_start_matches("KUBE-SEP-").to_owned()
}

/// A thousand Services with ten endpoints each are synced, compared and walked in no time.
#[test]
fn a_large_cluster_is_synced() {
    let mut objects: (Vec<Service>, Vec<EndpointSlice>) = (Vec::new(), Vec::new());
    for i in 0..1000 {
        let (name, ip) = (format!("svc{i}"), format!("172.30.{}.{}", i / 250, i % 250 + 1));
        objects.0.push(service(
            "ns",
            &name,
            json!({"clusterIP": ip, "ports": [{"name": "p80", "port": 80}]}),
        ));
        let all: Vec<String> = (0..10).map(|e| format!("10.{e}.{}.{}", i / 250, i % 250 + 1)).collect();
        let all: Vec<(&str, &str)> = all.iter().map(|ip| (ip.as_str(), "")).collect();
        objects.1.push(slice("ns", &name, &all));
    }
    for mode in MODES {
        let config = config(mode);
        let ruleset = synced(&config, &objects);
        assert_eq!(ruleset.endpoints.values().map(Vec::len).sum::<usize>(), 10_000);
        let shares =
            ruleset.distribution(&packet("10.200.0.1", "172.30.3.250:80"), at(0), &Kernel::default());
        assert_eq!(shares.len(), 10);
        assert!(shares.iter().all(|s| s.share == Fraction::new(1, 10)));
        assert!(ruleset.changes_since(&ruleset.clone()).is_empty());
    }
}
