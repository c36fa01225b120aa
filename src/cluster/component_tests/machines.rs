//! Requests from machines: from a node, and from the person's own machine, which is no node.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::json;

use super::network::{Net, net, nginx};
use crate::api::Kind;
use crate::cluster::{Fault, NodeOutput};
use crate::network::proxy::Mode;

/// The modes of kube-proxy, and none: then a node has the rules that one would write.
const PROXIES: [Option<Mode>; 4] = [None, Some(Mode::Iptables), Some(Mode::Ipvs), Some(Mode::Nftables)];

/// Two nodes, of which the first one has the pods of a Service with a node port.
fn exposed(mode: Option<Mode>, replicas: usize, policy: &str) -> Net {
    let mut n = net(2);
    if mode.is_some() {
        n.0.fault(&Fault::KubeProxy { mode }).unwrap();
    }
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    let ports = json!([{"port": 80, "nodePort": 30080}]);
    n.serve(
        "web",
        replicas,
        whoami,
        json!({"type": "NodePort", "externalTrafficPolicy": policy, "ports": ports}),
    );
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["spec"]["nodeName"] = "node-1".into();
    });
    n.steady();
    n
}

fn own(n: &Net, line: &str, nth: u64) -> NodeOutput {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    n.0.run_on_own_machine(&words, nth).0
}

fn on_node(n: &Net, node: &str, line: &str) -> NodeOutput {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    n.0.run_on_node(node, &words, 0).unwrap()
}

/// <https://kubernetes.io/docs/tutorials/services/source-ip/#source-ip-for-services-with-type-nodeport>: every node answers on a node
/// port, and with `externalTrafficPolicy: Local` only those with an endpoint; on the others the packet is dropped.
#[test]
fn a_node_port_answers_the_persons_own_machine() {
    for mode in PROXIES {
        let n = exposed(mode, 3, "Cluster");
        for node in ["172.18.0.2", "172.18.0.3"] {
            let ask = |nth| own(&n, &format!("curl -s http://{node}:30080"), nth);
            let hosts: BTreeSet<String> = (0..20)
                .map(|nth| ask(nth).stdout.lines().find(|l| l.starts_with("Hostname")).unwrap().to_owned())
                .collect();
            assert_eq!(hosts.len(), 3, "{mode:?} {node}");
        }
        assert_eq!(own(&n, "curl -s http://172.18.0.2:30081", 0).exit, 7, "{mode:?}");

        let n = exposed(mode, 1, "Local");
        assert_eq!(own(&n, "curl -s http://172.18.0.2:30080", 0).exit, 0, "{mode:?}");
        assert_eq!(own(&n, "curl -s -m 3 http://172.18.0.3:30080", 0).exit, 28, "{mode:?}");
    }
}

/// `pkg/proxy/iptables/proxier.go`, `syncProxyRules`: rules for node ports are also for 127.0.0.1 (`route_localnet`), unlike those of the
/// other modes (`getNodeIPs` of ipvs and `nodePortAddresses` of nftables leave loopback out).
#[test]
fn a_node_port_answers_at_the_nodes_own_loopback_with_iptables() {
    for mode in PROXIES {
        let n = exposed(mode, 1, "Cluster");
        let by_iptables = matches!(mode, None | Some(Mode::Iptables));
        for node in ["node-1", "node-2"] {
            let exit = on_node(&n, node, "curl -s http://127.0.0.1:30080").exit;
            assert_eq!(exit, if by_iptables { 0 } else { 7 }, "{mode:?} {node}");
            assert_eq!(on_node(&n, node, "curl -s http://127.0.0.1:30081").exit, 7, "{mode:?} {node}");
        }
    }
}

/// The machine has no route to the networks of pods and Services, and its DNS knows no cluster.
#[test]
fn pods_and_services_are_not_reached_from_beside_the_cluster() {
    let n = exposed(None, 1, "Cluster");
    let service = n
        .0
        .api()
        .cached(&crate::api::ObjectRef { kind: Kind::SERVICE, key: crate::api::Key::new("default", "web") });
    let address = service.unwrap().to_value()["spec"]["clusterIP"].as_str().unwrap().to_owned();
    for to in [address, n.addresses("web")[0].clone()] {
        assert_eq!(own(&n, &format!("curl -s -m 2 http://{to}"), 0).exit, 28, "{to}");
        assert_eq!(own(&n, &format!("nc -z -w 2 {to} 80"), 0).exit, 1, "{to}");
        assert!(own(&n, &format!("ping -c 1 {to}"), 0).stdout.contains("100% packet loss"), "{to}");
        // A node has rules and routes.
        assert_eq!(on_node(&n, "node-2", &format!("curl -s http://{to}")).exit, 0, "{to}");
    }
    let unknown = own(&n, "curl http://web", 0);
    assert_eq!((unknown.exit, unknown.stderr.contains("Could not resolve host: web")), (6, true));
    assert!(own(&n, "ping -c 1 172.18.0.2", 0).stdout.contains("1 received"));
    // Nobody has this address, and this machine itself serves nothing.
    assert_eq!(own(&n, "curl -s http://172.18.0.99", 0).exit, 7);
    assert_eq!(own(&n, "curl -s http://localhost", 0).exit, 7);
    assert_eq!(own(&n, "curl -s http://example.com", 0).exit, 0);
    assert_eq!(own(&n, "ping 172.18.0.2", 0).exit, 130);
}

/// A port that a pod has of its node (the plugin `portmap`) is there for everybody who reaches the node; a node that is cut off reaches
/// nobody, and nobody reaches it.
#[test]
fn host_ports_and_nodes_that_are_cut_off() {
    let mut n = net(2);
    let ports = json!([{"containerPort": 80, "hostPort": 8080}]);
    let container = json!({"name": "nginx", "image": "nginx:1.27.5", "ports": ports});
    let pod = json!({"metadata": {"name": "web"}, "spec": {"nodeName": "node-1", "containers": [container]}});
    n.create(Kind::POD, pod).steady();
    let ask = "curl -s -m 3 http://172.18.0.2:8080";
    assert!(own(&n, ask, 0).stdout.contains("Welcome"));
    assert!(on_node(&n, "node-2", ask).stdout.contains("Welcome"));
    n.0.fault(&Fault::NodeDown { node: "node-1".into() }).unwrap();
    assert_eq!(own(&n, ask, 0).exit, 7);
    assert_eq!(on_node(&n, "node-1", "curl -s -m 3 http://172.18.0.3:10250").exit, 28);
}

/// <https://kubernetes.io/docs/concepts/services-networking/network-policies/>: `ipBlock` is for machines outside of the cluster. Where
/// the node masquerades, the pod's node sees the address of that node.
#[test]
fn policies_hold_for_requests_from_beside_the_cluster() {
    let mut n = exposed(None, 1, "Local");
    let policy = |from: serde_json::Value| json!({"metadata": {"name": "web"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": from}});
    let ask = "curl -s -m 3 http://172.18.0.2:30080";
    n.create(Kind::NETWORK_POLICY, policy(json!([])));
    assert_eq!(own(&n, ask, 0).exit, 28);
    n.delete(Kind::NETWORK_POLICY, "web");
    n.create(Kind::NETWORK_POLICY, policy(json!([{"from": [{"ipBlock": {"cidr": "172.18.0.1/32"}}]}])));
    assert_eq!(own(&n, ask, 0).exit, 0);
}

/// What nobody serves is refused also with nginx behind a Service: the port of the Service is none of a node's.
#[test]
fn only_the_node_port_is_a_nodes() {
    let mut n = net(1);
    n.serve("web", 1, nginx(), json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]}))
        .steady();
    assert!(own(&n, "wget -qO- http://172.18.0.2:30080", 0).stdout.contains("Welcome"));
    assert_eq!(own(&n, "curl -s http://172.18.0.2:80", 0).exit, 7);
}
