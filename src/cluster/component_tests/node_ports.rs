//! What answers on the ports of a node: kube-proxy for load balancers, and pods that have a port of their node.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::network::{Net, net, nginx};
use crate::api::Kind;
use crate::cluster::Fault;
use crate::network::proxy::Mode;

/// The pods of the Deployment `web` run on the first of two nodes, and its Service asks for a `healthCheckNodePort`.
fn balanced() -> Net {
    let mut n = net(2);
    let pod = json!({"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {
        "nodeName": "node-1", "containers": [nginx()],
    }});
    n.create(Kind::POD, pod);
    let spec = json!({
        "type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 31000,
        "selector": {"app": "web"}, "ports": [{"port": 80}],
    });
    n.create(Kind::SERVICE, json!({"metadata": {"name": "web"}, "spec": spec})).client().steady();
    n
}

/// `ServiceHealthServer` of `pkg/proxy/healthcheck/service_health.go`: a load balancer asks each node whether it has a ready
/// endpoint.
#[test]
fn a_load_balancer_is_told_which_nodes_have_endpoints() {
    for mode in [None, Some(Mode::Iptables)] {
        let mut n = balanced();
        if mode.is_some() {
            n.0.fault(&Fault::KubeProxy { mode }).unwrap();
            n.steady();
        }
        let ask = |n: &mut Net, address: &str| {
            n.run("curl", &format!("curl -s -w ' %{{http_code}}' http://{address}:31000/"))
        };
        let with = ask(&mut n, "172.18.0.2");
        assert!(with.contains("\"localEndpoints\": 1") && with.ends_with(" 200"), "{mode:?} {with}");
        let without = ask(&mut n, "172.18.0.3");
        assert!(without.contains("\"localEndpoints\": 0") && without.ends_with(" 503"), "{mode:?} {without}");
    }
}

/// The page "Using Source IP" of Kubernetes' documentation; `serveMetrics` in `cmd/kube-proxy/app/server.go`: the port is bound to the
/// loopback address (`metricsBindAddress`).
#[test]
fn kube_proxy_says_on_its_node_in_which_mode_it_runs() {
    for mode in [None, Some(Mode::Iptables), Some(Mode::Nftables), Some(Mode::Ipvs)] {
        let mut n = net(1);
        if mode.is_some() {
            n.0.fault(&Fault::KubeProxy { mode }).unwrap();
        }
        n.steady();
        let ask = |url: &str| {
            let words = ["curl", "-s", url].map(str::to_owned);
            n.0.run_on_node("node-1", &words, 0).unwrap()
        };
        assert_eq!(ask("http://localhost:10249/proxyMode").stdout, mode.unwrap_or_default().name());
        assert_eq!(ask("http://localhost:10249/healthz").stdout, "ok");
        assert_eq!(ask("http://172.18.0.2:10249/proxyMode").exit, 7);
    }
}

/// `ProxyHealthServer` of `pkg/proxy/healthcheck/proxy_health.go`: a node that is about to go away says so to load balancers, and a
/// kube-proxy that does not run says nothing.
#[test]
fn kube_proxy_answers_for_itself() {
    let mut n = balanced();
    let ask = "curl -s -w ' %{http_code}' http://172.18.0.2:10256";
    assert!(n.run("curl", &format!("{ask}/healthz")).ends_with(" 200"));
    assert!(n.run("curl", &format!("{ask}/metrics")).ends_with("404 page not found\n 404"));
    n.change(Kind::NODE, "node-1", |node| {
        node["spec"]["taints"] = json!([{"key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule"}]);
    });
    let leaving = n.run("curl", &format!("{ask}/healthz"));
    assert!(leaving.contains("\"nodeEligible\":false") && leaving.ends_with(" 503"), "{leaving}");
    assert!(n.run("curl", &format!("{ask}/livez")).ends_with(" 200"));

    n.0.fault(&Fault::KubeProxy { mode: Some(Mode::Nftables) }).unwrap();
    n.steady();
    assert!(n.run("curl", &format!("{ask}/livez")).ends_with(" 200"));
}

/// The plugin `portmap` of CNI, with which the configurations of kindnet and flannel end.
#[test]
fn a_pod_can_have_a_port_of_its_node() {
    let mut n = net(2);
    let ports = json!([{"containerPort": 80, "hostPort": 8080}, {"containerPort": 80, "hostPort": 8081, "hostIP": "172.18.0.3"}]);
    let pod = json!({"metadata": {"name": "web"}, "spec": {
        "nodeName": "node-1", "containers": [{"name": "nginx", "image": "nginx:1.27.5", "ports": ports}],
    }});
    n.create(Kind::POD, pod).client().steady();
    assert!(n.busybox("wget -qO- http://172.18.0.2:8080").contains("Welcome"));
    for closed in ["172.18.0.2:8081", "172.18.0.3:8080", "172.18.0.2:80"] {
        assert!(n.busybox(&format!("wget -qO- http://{closed}")).contains("Connection refused"), "{closed}");
    }
}

/// The rules of a node stay in its kernel when its kube-proxy stops, so they lead to pods that are gone, until it starts again. Another
/// node has the new ones.
#[test]
fn a_kube_proxy_that_does_not_run_leaves_its_rules_as_they_are() {
    let mut n = net(2);
    n.0.fault(&Fault::KubeProxy { mode: Some(Mode::Iptables) }).unwrap();
    n.serve("web", 1, nginx(), json!({"ports": [{"port": 80}]})).client().steady();
    let before = n.addresses("web");
    let (process, node) = ("kube-proxy".to_owned(), Some("node-2".to_owned()));
    n.0.fault(&Fault::Stop { process: process.clone(), node: node.clone() }).unwrap();
    n.delete(Kind::POD, &n.pods("web")[0]).steady();
    let after = n.addresses("web");
    assert_ne!(before, after);
    let rules = |n: &Net, node: &str| n.0.kernel_rules(node).unwrap().0[0].to_string();
    assert!(rules(&n, "node-1").contains(&after[0]) && !rules(&n, "node-1").contains(&before[0]));
    assert!(rules(&n, "node-2").contains(&before[0]) && !rules(&n, "node-2").contains(&after[0]));
    assert_eq!(n.run("curl", "curl -s http://172.18.0.3:10256/livez; echo $?"), "7\n");
    n.0.fault(&Fault::Start { process, node }).unwrap();
    n.steady();
    assert!(rules(&n, "node-2").contains(&after[0]) && !rules(&n, "node-2").contains(&before[0]));
}
