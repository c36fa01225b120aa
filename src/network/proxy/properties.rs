//! What holds for every Service, every endpoint and every packet.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::testing::*;
use super::*;
use crate::api::types::{EndpointSlice, Service};

/// A Service of one of its many forms, with its endpoints.
fn any_service() -> impl Strategy<Value = (Value, Value, bool)> {
    let policy = prop_oneof![Just("Cluster"), Just("Local")];
    let kind = prop_oneof![Just("ClusterIP"), Just("NodePort"), Just("LoadBalancer")];
    let endpoint = (1u8..20, any::<bool>(), any::<bool>(), any::<bool>(), 0u8..3);
    let endpoints = proptest::collection::vec(endpoint, 0..5);
    (kind, policy.clone(), policy, any::<bool>(), any::<bool>(), any::<bool>(), endpoints).prop_map(
        |(kind, internal, external, affinity, ranges, external_ip, endpoints)| {
            let mut port = json!({"name": "p80", "port": 80, "protocol": "TCP"});
            if kind != "ClusterIP" {
                port["nodePort"] = 30080.into();
            }
            let spec = json!({
                "type": kind, "clusterIP": "172.30.0.1", "ports": [port],
                "internalTrafficPolicy": internal, "externalTrafficPolicy": external,
                "sessionAffinity": if affinity { "ClientIP" } else { "None" },
                "externalIPs": if external_ip { json!(["9.9.9.9"]) } else { json!([]) },
                "loadBalancerSourceRanges": if ranges { json!(["203.0.113.0/25"]) } else { json!([]) },
            });
            let of = |(n, ready, serving, local, zone): (u8, bool, bool, bool, u8)| {
                let zones = if zone == 0 { json!([]) } else { json!([{"name": format!("z{zone}")}]) };
                json!({
                    "addresses": [format!("10.0.0.{n}")], "nodeName": if local { NODE } else { "other" },
                    "conditions": {"ready": ready, "serving": ready || serving, "terminating": !ready},
                    "hints": {"forZones": zones},
                })
            };
            let all: Vec<Value> = endpoints.into_iter().map(of).collect();
            (spec, all.into(), kind == "LoadBalancer")
        },
    )
}

fn any_packet() -> impl Strategy<Value = Packet> {
    let source = prop_oneof![
        Just("10.0.0.3"),
        Just("10.0.7.7"),
        Just(CLIENT),
        Just(BLOCKED_CLIENT),
        Just(NODE_IP),
        Just("127.0.0.1"),
    ];
    let destination = prop_oneof![
        Just("172.30.0.1:80"),
        Just("172.30.0.1:81"),
        Just("172.30.0.77:80"),
        Just("1.2.3.4:80"),
        Just("9.9.9.9:80"),
        Just("192.168.0.2:30080"),
        Just("192.168.1.2:30080"),
        Just("127.0.0.1:30080"),
        Just("8.8.8.8:80"),
    ];
    (source, destination).prop_map(|(source, destination)| packet(source, destination))
}

fn any_config() -> impl Strategy<Value = Config> {
    let mode = prop_oneof![Just(Mode::Iptables), Just(Mode::Nftables), Just(Mode::Ipvs)];
    (mode, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(mode, all, zone, local)| {
        let mut config = Config { masquerade_all: all, ..config(mode) };
        if zone {
            config.node_labels.insert(LABEL_TOPOLOGY_ZONE.to_owned(), "z1".to_owned());
        }
        if !local {
            config.local_detector = LocalDetector::None;
        }
        config
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every walk ends at an endpoint that may get traffic, or at none; the shares of all outcomes are the whole; and walks with
    /// many chances come to those outcomes and no others. KEP-1669. `pkg/proxy/topology.go`, `CategorizeEndpoints`: which
    /// endpoints may get traffic.
    #[test]
    fn walks_end_where_they_may(
        config in any_config(),
        (spec, all, balancer) in any_service(),
        packet in any_packet(),
        chances in proptest::collection::vec(0.0f64..1.0, 30),
    ) {
        let ingress: &[&str] = if balancer { &["1.2.3.4"] } else { &[] };
        let services: Vec<Service> = vec![balanced("ns", "svc", spec, ingress)];
        let slices: Vec<EndpointSlice> = vec![slice_of("ns", "svc", json!({"name": "p80", "port": 80}), all)];
        let ruleset = synced(&config, &(services, slices));
        let known: Vec<&Endpoint> = ruleset.endpoints.values().flatten().collect();
        let shares = ruleset.distribution(&packet, at(0), &Kernel::default());
        let total = shares.iter().fold(Fraction::ZERO, |sum, s| sum.plus(s.share));
        prop_assert_eq!(total, Fraction::ONE);
        let ready = known.iter().any(|e| e.ready);
        for share in &shares {
            if let Verdict::Endpoint { address, .. } = share.verdict {
                let endpoint = known.iter().find(|e| e.address == address).unwrap();
                // One that terminates only gets traffic if none is ready, at least none of this node.
                prop_assert!(endpoint.ready || (endpoint.serving && (!ready || endpoint.is_local)));
            }
        }
        for chance in chances {
            let walk = ruleset.walk(&packet, at(0), &mut Kernel::default(), &mut || Chance::new(chance));
            prop_assert!(config.mode == Mode::Ipvs || shares.iter().any(|s| s.verdict == walk.verdict));
            prop_assert!(walk.steps.iter().all(|step| !step.text.is_empty()));
        }
        // The same objects make the same rules, and their text.
        prop_assert_eq!(ruleset.to_string(), ruleset.clone().to_string());
        prop_assert!(ruleset.changes_since(&ruleset).is_empty());
    }
}

/// Many walks come to each outcome as often as its share says. `pkg/proxy/iptables/proxier.go`, `computeProbability`; nftables:
/// `numgen random`.
#[test]
fn many_walks_have_the_shares() {
    for (mode, endpoints) in [(Mode::Iptables, 2), (Mode::Iptables, 5), (Mode::Nftables, 3)] {
        let spec = json!({"clusterIP": "172.30.0.1", "ports": [{"name": "p80", "port": 80}]});
        let all: Vec<String> = (1..=endpoints).map(|n| format!("10.0.0.{n}")).collect();
        let all: Vec<(&str, &str)> = all.iter().map(|ip| (ip.as_str(), "")).collect();
        let objects = (vec![service("ns", "svc", spec)], vec![slice("ns", "svc", &all)]);
        let ruleset = synced(&config(mode), &objects);
        let packet = packet("10.0.7.7", "172.30.0.1:80");
        let mut seed = 1u64;
        let mut chance = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Chance::new((seed >> 11) as f64 / (1u64 << 53) as f64)
        };
        let walks = 4000;
        let mut counts = BTreeMap::new();
        for _ in 0..walks {
            let walk = ruleset.walk(&packet, at(0), &mut Kernel::default(), &mut chance);
            *counts.entry(walk.verdict).or_insert(0u32) += 1;
        }
        for share in ruleset.distribution(&packet, at(0), &Kernel::default()) {
            let seen = f64::from(counts.get(&share.verdict).copied().unwrap_or_default()) / f64::from(walks);
            assert!((seen - share.share.value()).abs() < 0.04, "{seen} {}", share.share);
        }
    }
}
