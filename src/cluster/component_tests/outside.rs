//! Streams of requests from outside of the cluster, and the load balancer in front of it.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::network::{Net, net, nginx};
use crate::api::{Key, Kind, Object, ObjectRef, Timestamp};
use crate::apimachinery::{Body, Request, Subresource, Verb};
use crate::cluster::Fault;
use crate::network::cni::{At, End};
use crate::network::proxy::Mode;
use crate::network::question::Behind;
use crate::network::traffic::{Cause, Client, Counts};
use crate::network::url::Url;
use crate::network::{Because, Outcome};

fn web() -> ObjectRef {
    ObjectRef { kind: Kind::SERVICE, key: Key::new("default", "web") }
}

/// Two nodes and a Service with a node port, whose pods run on the first node.
fn exposed(replicas: usize, container: Value, service: Value) -> Net {
    let mut n = net(2);
    n.serve("web", replicas, container, service);
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["spec"]["nodeName"] = "node-1".into();
    });
    n.steady();
    n
}

fn node_port(policy: &str) -> Value {
    let ports = json!([{"port": 80, "nodePort": 30080}]);
    json!({"type": "NodePort", "externalTrafficPolicy": policy, "ports": ports})
}

fn declare(n: &mut Net, requests: Option<&str>) {
    n.change(Kind::SERVICE, "web", |web| {
        web["metadata"]["annotations"] = json!(requests.map(|r| json!({"sim.steady/requests": r})));
    });
}

fn counts(n: &Net, since: Timestamp) -> Counts {
    n.0.traffic(since).into_iter().find(|t| t.sender == web()).unwrap().counts
}

/// Writes the address of a load balancer into the status of the Service, as MetalLB does.
fn balance(n: &mut Net, address: &str) {
    let mut value = n.0.api().cached(&web()).unwrap().to_value();
    value["status"] = json!({"loadBalancer": {"ingress": [{"ip": address}]}});
    let object = Object::from_value(Kind::SERVICE, value).unwrap();
    let request = Request::new(&"person".into(), Verb::Update, Kind::SERVICE, web().key);
    let request = request.subresource(Subresource::Status).body(Body::Object(object));
    let (response, _) = n.0.request(&request);
    assert!(response.code() < 300, "{response:?}");
}

/// <https://kubernetes.io/docs/tutorials/services/source-ip/#source-ip-for-services-with-type-nodeport>: every node answers on a node
/// port and leads to every endpoint. A stream lasts as long as an object declares it.
#[test]
fn a_service_declares_a_stream_through_its_node_port() {
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    let mut n = exposed(3, whoami, node_port("Cluster"));
    assert!(n.0.scene().is_none());
    declare(&mut n, Some("20/s http://172.18.0.3:30080/ timeout=1s"));
    n.wait(30);
    let all = counts(&n, Timestamp::MIN);
    assert_eq!((all.sent, all.losses(), all.answered.len()), (600, 0, 3), "{all:?}");
    let [client] = &n.0.clients()[..] else { panic!("{:?}", n.0.clients()) };
    assert!(client.id().is_from_outside() && client.end.is_none());
    declare(&mut n, None);
    let sent = |n: &Net| n.0.traffic_until_now().streams().map(|(_, counts)| counts.sent).sum::<u64>();
    let until_then = sent(&n);
    n.wait(10);
    assert_eq!((sent(&n), n.0.clients().iter().all(|c| c.end.is_some())), (until_then, true));
    // Another text is another stream, which counts from its own beginning.
    declare(&mut n, Some("1/s http://172.18.0.2:30080/"));
    n.wait(10);
    assert_eq!(sent(&n), until_then + 10);
    n.delete(Kind::SERVICE, "web").wait(10);
    assert_eq!(sent(&n), until_then + 10);
}

/// The same page: with `externalTrafficPolicy: Local` a node without an endpoint drops the packet, and the others keep the address of the
/// sender, which the server's log has; with `Cluster` it has that of the node.
#[test]
fn the_policy_of_a_service_decides_who_is_seen() {
    let mut n = exposed(1, nginx(), node_port("Local"));
    declare(&mut n, Some("1/s http://172.18.0.2:30080/; 1/s http://172.18.0.3:30080/ timeout=1s"));
    n.wait(20);
    let lost: u64 = n.0.traffic_until_now().streams().map(|(_, c)| c.losses()).sum();
    let dropped = n.0.traffic(Timestamp::MIN);
    let causes: Vec<Cause> = dropped.iter().flat_map(|t| t.counts.lost.keys().copied()).collect();
    assert_eq!(causes, [Cause::TimedOut(Because::NoEndpoints)]);
    assert!(lost > 15, "{lost}");
    let pod = n.pods("web")[0].clone();
    let log = n.log(&pod, "nginx");
    assert!(log.contains("172.18.0.1 - - ") && !log.contains("172.18.0.3 - - "), "{log}");
    n.change(Kind::SERVICE, "web", |web| web["spec"]["externalTrafficPolicy"] = "Cluster".into());
    n.wait(20);
    let log = n.log(&pod, "nginx");
    assert!(log.contains("172.18.0.3 - - "), "{log}");
}

/// <https://kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow/>: the rules of the node that is asked lag behind
/// pods that have got SIGTERM.
#[test]
fn a_rollout_loses_requests_from_outside() {
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    let mut n = exposed(2, whoami, node_port("Cluster"));
    declare(&mut n, Some("50/s http://172.18.0.3:30080/ timeout=1s"));
    n.wait(5);
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["metadata"]["annotations"] = json!({"again": "1"});
    });
    n.wait(60);
    let all = counts(&n, Timestamp::MIN);
    assert!(all.lost.contains_key(&Cause::Refused(Because::Stopping)), "{all:?}");
    assert!(all.behind.get(&Behind::Rules).is_some_and(|many| *many > 0), "{all:?}");
}

/// `staging/src/k8s.io/cloud-provider/controllers/service/controller.go` (`nodeIncludedPredicate`): a balancer sends to every node that is
/// not excluded. `ServiceHealthServer` of `pkg/proxy/healthcheck/service_health.go` and `ProxyHealthServer` of `proxy_health.go`: which of
/// them pass the health check.
#[test]
fn a_load_balancer_sends_to_the_nodes_that_pass_its_health_check() {
    for mode in [None, Some(Mode::Iptables), Some(Mode::Nftables)] {
        let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
        let service =
            json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [{"port": 80}]});
        let mut n = exposed(1, whoami, service);
        if mode.is_some() {
            n.0.fault(&Fault::KubeProxy { mode }).unwrap();
        }
        n.steady();
        let curl = |n: &Net| {
            let words = ["curl", "-s", "-m", "3", "http://172.18.255.1/"].map(str::to_owned);
            n.0.run_on_own_machine(&words, 0).0
        };
        assert_ne!(curl(&n).exit, 0, "nobody has the address yet");
        balance(&mut n, "172.18.255.1");
        n.steady();
        // The server sees the sender, and node-2 has no endpoint.
        assert!(curl(&n).stdout.contains("Hostname: web-"), "{mode:?} {:?}", curl(&n));
        declare(&mut n, Some("10/s http://172.18.255.1/ timeout=1s"));
        n.wait(20);
        let local = counts(&n, Timestamp::MIN);
        assert_eq!((local.losses(), local.answered.len()), (0, 1), "{mode:?} {local:?}");
        let client = Client::once(&Url::parse("http://172.18.255.1/").unwrap());
        for nth in 0..4 {
            let journey = n.0.journey_from_outside(&client, nth).unwrap();
            assert_eq!(journey.reply.unwrap().source, Some("172.18.0.1".parse().unwrap()));
            let way = journey.way.unwrap();
            assert_eq!(way.hops[2].at, At::Balancer);
            assert_eq!(&*way.hops[3].node, "node-1", "{way}");
        }
        // A port that the Service does not have is not the balancer's.
        let other = Client::once(&Url::parse("http://172.18.255.1:81/").unwrap());
        let lost = n.0.journey_from_outside(&other, 0).unwrap().cause;
        assert_eq!(lost, Some(Cause::TimedOut(Because::NoSuchPort)));
        // With the policy `Cluster` both nodes get their half, until one of them is excluded.
        n.change(Kind::SERVICE, "web", |web| web["spec"]["externalTrafficPolicy"] = "Cluster".into());
        n.steady().wait(5);
        let nodes = |n: &Net| {
            let of =
                |nth| n.0.journey_from_outside(&client, nth).unwrap().way.unwrap().hops[3].node.to_string();
            let mut all: Vec<String> = (0..20).map(of).collect();
            all.sort();
            all.dedup();
            all
        };
        assert_eq!(nodes(&n), ["node-1", "node-2"], "{mode:?}");
        n.change(Kind::NODE, "node-1", |node| {
            node["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = "".into();
        });
        n.steady();
        assert_eq!(nodes(&n), ["node-2"], "{mode:?}");
        let since = n.0.now();
        n.wait(10);
        assert_eq!(counts(&n, since).losses(), 0, "{mode:?}");
    }
}

/// `pkg/proxy/iptables/proxier.go` and Linux' `nf_conntrack`: the node that was asked leads to the pod, and the answer comes back by it.
#[test]
fn a_journey_from_outside_goes_by_the_node_that_is_asked() {
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    let n = exposed(1, whoami, node_port("Cluster"));
    let follow = |url: &str| {
        let client = Client::once(&Url::parse(url).unwrap());
        n.0.journey_from_outside(&client, 0).unwrap()
    };
    let journey = follow("http://172.18.0.3:30080/");
    assert!(matches!(journey.reply.as_ref().unwrap().outcome, Outcome::Answered(_)));
    let way = journey.way.unwrap();
    let nodes: Vec<&str> = way.hops.iter().map(|hop| &*hop.node).collect();
    assert!(nodes.starts_with(&["", "", "node-2"]) && nodes.last() == Some(&"node-1"), "{way}");
    assert!(matches!(&way.end, End::Arrived { pod: Some(_), .. }), "{way}");
    let back = journey.back.unwrap();
    assert_eq!(back.end, End::Arrived { node: "".into(), pod: None }, "{back}");
    assert_eq!(back.headers, way.hops[0].headers.reversed(), "{back}");
    // It knows no way to pods and Services, and nobody has this address.
    let pod = n.addresses("web")[0].clone();
    assert_eq!(follow(&format!("http://{pod}/")).way.unwrap().end, End::Outside);
    assert_eq!(follow("http://172.18.0.99/").way.unwrap().end, End::Lost);
}

/// A cluster that begins with the objects of another one (docs/behaviour.md, "Requests from outside") has the streams that these declare,
/// although nobody has written them in it.
#[test]
fn a_restored_service_declares_its_stream() {
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    let mut n = exposed(1, whoami, node_port("Cluster"));
    declare(&mut n, Some("10/s http://172.18.0.2:30080/"));
    let service = n.0.api().cached(&web()).unwrap().to_value();
    let config = crate::cluster::Config::nodes(1);
    let mut other = Net(crate::cluster::Cluster::new(&config));
    assert_eq!(other.0.restore(&config, &[service]), []);
    let clients = other.0.clients();
    assert_eq!(clients.iter().map(|c| c.sender.clone()).collect::<Vec<_>>(), [web()]);
}
