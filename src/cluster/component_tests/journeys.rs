//! NetworkPolicies and network plugins in a whole cluster, and the journeys of connections.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::network::{Net, net, nginx};
use crate::api::{Key, Kind};
use crate::cluster::{Fault, Journey};
use crate::network::cni::{End, Plugin};
use crate::network::policy::Direction;
use crate::network::traffic::Cause;
use crate::network::url::Url;
use crate::network::{Because, Outcome};

const WGET: &str = "wget -qO- -T 2 http://";

fn policy(n: &mut Net, name: &str, spec: Value) {
    n.create(Kind::NETWORK_POLICY, json!({"metadata": {"name": name}, "spec": spec}));
}

/// A pod `client` on node-1, and the Deployments `near` on node-1 and `far` on node-2 with Services.
fn near_and_far() -> Net {
    let mut n = net(2);
    for (name, node) in [("near", "node-1"), ("far", "node-2")] {
        let labels = json!({"app": name});
        n.create(
            Kind::DEPLOYMENT,
            json!({"metadata": {"name": name}, "spec": {
                "replicas": 1, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {
                    "nodeSelector": {"kubernetes.io/hostname": node}, "containers": [nginx()],
                }},
            }}),
        );
        n.create(
            Kind::SERVICE,
            json!({"metadata": {"name": name}, "spec": {"selector": labels, "type": "NodePort", "ports": [{"port": 80}]}}),
        );
    }
    let client = json!({"name": "c", "image": "busybox:1.37", "command": ["sleep", "infinity"]});
    n.create(
        Kind::POD,
        json!({"metadata": {"name": "client", "labels": {"app": "client"}}, "spec": {
            "nodeSelector": {"kubernetes.io/hostname": "node-1"}, "containers": [client],
        }}),
    );
    n.steady();
    n
}

fn journey(n: &Net, url: &str) -> Journey {
    n.0.journey_to(&Key::new("default", "client"), &Url::parse(url).unwrap()).unwrap()
}

/// Kubernetes' page "Network Policies", "The two sorts of pod isolation": a pod that a policy selects is isolated, policies add up, and ports
/// are those of the pod. The README of kube-network-policies: the first packet of a connection gets a verdict; what is dropped (`NF_DROP`) is
/// not answered.
#[test]
fn what_policies_do_not_allow_times_out() {
    let mut n = near_and_far();
    assert!(n.busybox(&format!("{WGET}far")).contains("Welcome"));
    policy(
        &mut n,
        "deny",
        json!({"podSelector": {"matchLabels": {"app": "far"}}, "policyTypes": ["Ingress"]}),
    );
    assert!(n.busybox(&format!("{WGET}far")).contains("download timed out"));
    assert!(n.busybox(&format!("{WGET}near")).contains("Welcome"));
    let there = journey(&n, "http://far");
    let reply = there.reply.unwrap();
    assert_eq!((reply.outcome, reply.because), (Outcome::TimedOut, Because::Policy(Direction::Ingress)));
    let Some(End::Denied(denied)) = there.way.map(|w| w.end) else { panic!() };
    assert_eq!(denied.policies, ["deny"]);
    // Policies add up. What is asked for is the port of the pod.
    let rule =
        json!([{"from": [{"podSelector": {"matchLabels": {"app": "client"}}}], "ports": [{"port": 80}]}]);
    policy(&mut n, "allow", json!({"podSelector": {"matchLabels": {"app": "far"}}, "ingress": rule}));
    assert!(n.busybox(&format!("{WGET}far")).contains("Welcome"));
}

/// Kubernetes' page "Network Policies", "The two sorts of pod isolation": what a pod may send counts for its questions to the DNS, too.
/// BusyBox' `libbb/xconnect.c`, `str2sockaddr`: the words.
#[test]
fn a_pod_that_may_not_ask_the_dns_finds_no_name() {
    let mut n = near_and_far();
    let to_far = json!({"to": [{"podSelector": {"matchLabels": {"app": "far"}}}]});
    let of_client = |rules: Value| json!({"podSelector": {"matchLabels": {"app": "client"}}, "policyTypes": ["Egress"], "egress": rules});
    policy(&mut n, "to-far", of_client(json!([to_far])));
    assert!(n.busybox(&format!("{WGET}far")).contains("bad address 'far'"));
    assert!(journey(&n, "http://far").question.is_none());
    let address = n.addresses("far").remove(0);
    assert!(n.busybox(&format!("{WGET}{address}")).contains("Welcome"), "the address itself is allowed");
    let dns = json!([{
        "to": [{
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        }],
        "ports": [{"port": 53, "protocol": "UDP"}],
    }]);
    policy(&mut n, "to-dns", of_client(dns));
    assert!(n.busybox(&format!("{WGET}far")).contains("Welcome"));
    assert!(n.busybox(&format!("{WGET}near")).contains("download timed out"));
    let reply = journey(&n, "http://near").reply.unwrap();
    assert_eq!(reply.because, Because::Policy(Direction::Egress));
}

/// Kubernetes' page "Network Policies", "Pod lifecycle": a plugin follows policies that are made and labels that change. The README of
/// kube-network-policies: the first packet of each connection gets a verdict.
#[test]
fn a_stream_of_requests_hears_of_policies_and_labels() {
    let mut n = near_and_far();
    let metadata = json!({
        "name": "stream", "labels": {"app": "stream"}, "annotations": {"sim.steady/requests": "10/s http://far timeout=1s"},
    });
    let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sleep", "infinity"]});
    n.create(Kind::POD, json!({"metadata": metadata, "spec": {"containers": [container]}})).steady().wait(10);
    let from = json!([{"from": [{"podSelector": {"matchLabels": {"app": "client"}}}]}]);
    policy(&mut n, "p", json!({"podSelector": {"matchLabels": {"app": "far"}}, "ingress": from}));
    let since = n.0.now();
    n.wait(10);
    let lost = |n: &Net, since| n.0.traffic(since).remove(0).counts.lost;
    let by_policy = Cause::TimedOut(Because::Policy(Direction::Ingress));
    assert!(lost(&n, since).get(&by_policy).is_some_and(|n| *n >= 90), "{:?}", lost(&n, since));
    n.change(Kind::POD, "stream", |pod| pod["metadata"]["labels"]["app"] = "client".into());
    let since = n.0.now();
    n.wait(10);
    assert!(lost(&n, since).is_empty(), "{:?}", lost(&n, since));
}

/// kind's `images/kindnetd/cmd/kindnetd/routes.go`, flannel's `pkg/backend/{hostgw,vxlan,udp}`, and CNI's `plugins/main/bridge/bridge.go`,
/// which makes no routes to other nodes. flannel's README: it enforces no policies.
#[test]
fn each_plugin_has_its_own_way_to_other_nodes() {
    let mut n = near_and_far();
    policy(
        &mut n,
        "deny",
        json!({"podSelector": {"matchLabels": {"app": "near"}}, "policyTypes": ["Ingress"]}),
    );
    for plugin in Plugin::ALL {
        if plugin != n.0.network_plugin() {
            n.0.fault(&Fault::NetworkPlugin { plugin }).unwrap();
        }
        let far = n.busybox(&format!("{WGET}far"));
        let connects = plugin.connects_nodes([10, 244, 0, 1].into());
        assert_eq!(far.contains("Welcome"), connects, "{plugin:?} {far}");
        let near = n.busybox(&format!("{WGET}near"));
        assert_eq!(near.contains("Welcome"), plugin != Plugin::Kindnet, "{plugin:?} {near}");
        let there = journey(&n, "http://far");
        let (reply, way) = (there.reply.unwrap(), there.way.unwrap());
        let arrived = matches!(way.end, End::Arrived { pod: Some(_), .. });
        assert_eq!(arrived, matches!(reply.outcome, Outcome::Answered(_)), "{plugin:?} {way}");
        assert_eq!(reply.because == Because::NoRoute, !connects);
        assert_eq!(Some(way.headers.destination), reply.endpoint, "{way}");
        let packed = way.hops.iter().filter_map(|h| h.outer).map(|o| o.overhead).max();
        let address = way.headers.destination.ip();
        assert_eq!(packed, plugin.tunnel(address).map(|t| t.overhead), "{plugin:?} {way}");
    }
    assert!(n.0.fault(&Fault::NetworkPlugin { plugin: Plugin::None }).is_err());
}

/// The way of the packet and the answer that processes get are worked out apart from each other, and agree. Kubernetes' pages "Virtual IPs and
/// Service Proxies" and "Network Policies"; Linux' `net/netfilter/nf_nat_core.c` for the answer's addresses.
#[test]
fn journeys_end_as_requests_do() {
    let mut n = near_and_far();
    let at = crate::api::ObjectRef { kind: Kind::SERVICE, key: Key::new("default", "far") };
    let node_port = n.0.api().cached(&at).unwrap().to_value()["spec"]["ports"][0]["nodePort"].clone();
    let urls = [
        "http://far".to_owned(),
        "http://near".to_owned(),
        format!("http://172.18.0.2:{node_port}"),
        format!("http://172.18.0.3:{node_port}"),
        format!("http://{}", n.addresses("far").remove(0)),
        "http://172.18.0.2:10250".to_owned(),
        "https://kubernetes".to_owned(),
        "http://example.com".to_owned(),
    ];
    let policies = [
        (
            "a",
            json!({"podSelector": {"matchLabels": {"app": "far"}}, "ingress": [{"from": [{"podSelector": {}}]}]}),
        ),
        ("b", json!({"podSelector": {"matchLabels": {"app": "near"}}, "policyTypes": ["Ingress"]})),
        (
            "c",
            json!({"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"ports": [{"port": 80}, {"port": 53, "protocol": "UDP"}]}]}),
        ),
    ];
    for round in 0..=policies.len() {
        for url in &urls {
            let there = journey(&n, url);
            let (reply, way) = (there.reply.unwrap(), there.way.unwrap());
            let denied = matches!(way.end, End::Denied(_));
            assert_eq!(denied, matches!(reply.because, Because::Policy(_)), "{url} {round} {reply:?}\n{way}");
            let reached = matches!(reply.outcome, Outcome::Answered(_) | Outcome::Connected);
            // What is answered is answered from the address that was asked.
            let back = there.back.filter(|_| reached);
            assert_eq!(back.is_some(), reached, "{url} {round} {reply:?}\n{way}");
            if let Some(back) = back {
                let first = way.hops.first().unwrap().headers;
                assert!(
                    matches!(&back.end, End::Arrived { pod: Some(pod), .. } if **pod == *"default/client"),
                    "{url}\n{back}"
                );
                assert_eq!(back.headers, first.reversed(), "{url}\n{back}");
            }
            assert!(!reached || !matches!(way.end, End::Lost | End::Dropped | End::Rejected), "{url}\n{way}");
            if let Some(endpoint) = reply.endpoint {
                assert_eq!(way.headers.destination, endpoint, "{url}\n{way}");
            }
        }
        if let Some((name, spec)) = policies.get(round) {
            policy(&mut n, name, spec.clone());
        }
    }
}

/// `pkg/proxy/iptables/proxier.go`, `writeServiceToEndpointRules` and `syncProxyRules`: the rules on the way; kind's
/// `images/kindnetd/cmd/kindnetd/routes.go`: the routes; conntrack(8): the connection by which the answer is translated back.
#[test]
fn a_journey_reads_as_text() {
    let n = near_and_far();
    insta::assert_snapshot!(
        journey(&n, "http://far").to_string().replace(&n.addresses("far").remove(0), "FAR")
    );
}
