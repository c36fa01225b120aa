//! ingress-nginx in a cluster: its objects, its pods, the routes of Ingresses, and requests that go through it
//! (kubernetes/ingress-nginx v1.15.1).
#![allow(clippy::unwrap_used)]

use super::{Depth, Link, Replay, Session, Start};
use crate::api::types::Ingress;
use crate::api::{Key, Kind, ObjectRef};
use crate::cluster::{Cluster, Fault};
use crate::network::Outcome;
use crate::network::ingress::Lack;
use crate::network::question::Behind;
use crate::network::traffic::Client;

const SHOP: &str = r#"
apiVersion: v1
kind: Service
metadata: {name: cart}
spec: {selector: {app: cart}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart}
spec:
  replicas: 2
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec: {containers: [{name: c, image: "team/cart:1", ports: [{containerPort: 80}]}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  ingressClassName: nginx
  rules:
    - host: shop.example
      http:
        paths:
          - {path: /cart, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}
          - {path: /pay, pathType: Prefix, backend: {service: {name: pay, port: {number: 80}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {containers: [{name: c, image: "curlimages/curl:8.14.1", command: [sleep, infinity]}]}
"#;

fn rest(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.at() < 20_000, "the cluster does not come to rest");
    }
}

/// Lets everybody hear of what has been written, also where no command follows.
fn hear(s: &mut Session) {
    while s.step(Depth::Machinery, None) {
        assert!(s.at() < 20_000, "the cluster does not come to rest");
    }
}

fn said(s: &Session, line: &str) -> String {
    let output = s.clone().kubectl(line, &[]);
    format!("{}{}", output.stdout, output.stderr)
}

const CONTROLLER: &str = "http://ingress-nginx-controller.ingress-nginx";

fn get(s: &Session, host: &str, path: &str) -> String {
    said(s, &format!("exec client -- curl -s -w '%{{http_code}}' -H 'Host: {host}' {CONTROLLER}{path}"))
}

/// A run with the controller and a shop, at rest.
fn with_shop() -> Session {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.fault(&Fault::IngressNginx { installed: true }).unwrap();
    s.apply(SHOP);
    rest(&mut s);
    s
}

fn ingress(cluster: &Cluster) -> Ingress {
    let at = ObjectRef::new(Kind::INGRESS, "default", "shop");
    (**cluster.api().cached(&at).unwrap().get::<Ingress>().unwrap()).clone()
}

#[test]
fn requests_are_led_by_host_and_path_to_the_endpoints() {
    let s = with_shop();
    let pods = said(&s, "-n ingress-nginx get pods");
    assert!(pods.contains("1/1     Running"), "{pods}");
    assert!(get(&s, "shop.example", "/cart/1").starts_with("cart-"));
    assert!(get(&s, "shop.example", "/cart").ends_with("200"));
    // A Service that is not there, a path that no rule is for, a host that nobody has.
    assert!(get(&s, "shop.example", "/pay").contains("503 Service Temporarily Unavailable"));
    assert!(get(&s, "shop.example", "/help").ends_with("404"));
    assert!(get(&s, "other.example", "/cart").ends_with("404"));
    // The node port leads there, too, and TLS is spoken on its own port.
    let ports = said(
        &s,
        "-n ingress-nginx get service ingress-nginx-controller -o jsonpath={.spec.ports[*].nodePort}",
    );
    let (http, https) = ports.split_once(' ').unwrap();
    let node = |scheme: &str, port: &str| {
        said(
            &s,
            &format!("exec client -- curl -sk -H 'Host: shop.example' {scheme}://172.18.0.2:{port}/cart"),
        )
    };
    assert!(node("http", http).starts_with("cart-"));
    assert!(node("https", https).starts_with("cart-"));
    assert!(node("http", https).contains("400 Bad Request"));
}

/// Without a flag that says otherwise the addresses are those of the nodes where the controller is ready; a status is written at
/// the next whole minute of the leader.
#[test]
fn the_status_has_the_addresses_of_the_controllers_nodes() {
    let mut s = with_shop();
    let status = ingress(s.cluster()).status.unwrap().load_balancer.unwrap().ingress.unwrap();
    assert_eq!(status.len(), 1);
    assert!(status[0].ip.as_deref().unwrap().starts_with("172.18.0."));
    let events = said(&s, "describe ingress shop");
    assert!(events.contains("Scheduled for sync") && events.contains("nginx-ingress-controller"), "{events}");
    let pod = said(&s, "-n ingress-nginx get events");
    assert!(pod.contains("NGINX reload triggered due to a change in configuration"), "{pod}");
    let by = |rule: &str| {
        let line = s.timeline();
        let commands = line.iter().filter_map(|id| s.moment(*id)).flat_map(|m| m.commands());
        commands.filter(|c| c.why.as_ref().is_some_and(|w| w.rule == rule)).count()
    };
    assert_eq!((by("ingress_nginx.first_sync"), by("ingress_nginx.update_status")), (1, 1));
    // Without a pod that goes on the address is taken back.
    s.kubectl("-n ingress-nginx scale deployment ingress-nginx-controller --replicas=0", &[]);
    rest(&mut s);
    let balancer = ingress(s.cluster()).status.and_then(|s| s.load_balancer);
    assert_eq!(balancer.and_then(|l| l.ingress), None);
}

#[test]
fn an_ingress_of_no_class_or_another_is_left_alone() {
    let mut s = with_shop();
    let class = |class: &str| {
        format!(
            "patch ingress shop --type=json -p '[{{\"op\":\"add\",\"path\":\"/spec/ingressClassName\",\"value\":\"{class}\"}}]'"
        )
    };
    assert!(s.cluster().ingress_controller().unwrap().serves(&Key::new("default", "shop")));
    s.kubectl(&class("other"), &[]);
    rest(&mut s);
    assert!(!s.cluster().ingress_controller().unwrap().serves(&Key::new("default", "shop")));
    assert!(get(&s, "shop.example", "/cart").ends_with("404"));
    s.kubectl(&class("nginx"), &[]);
    rest(&mut s);
    assert!(get(&s, "shop.example", "/cart").starts_with("cart-"));
}

/// A journey goes from the client to the controller by the Service's rules, and from there to a pod past the Service.
#[test]
fn a_journey_goes_through_the_controller() {
    let s = with_shop();
    let client =
        |path: &str| Client::parse(&format!("1/s {CONTROLLER}{path} host=shop.example")).unwrap().remove(0);
    let from = Key::new("default", "client");
    let journey = s.cluster().journey_of(&from, &client("/cart"), 0).unwrap();
    assert_eq!(journey.service, Some(Key::new("ingress-nginx", "ingress-nginx-controller")));
    let via = journey.reply.as_ref().unwrap().via.clone().unwrap();
    assert_eq!(via.place.of, Some(ObjectRef::new(Kind::INGRESS, "default", "shop")));
    assert_eq!(via.place.service.as_ref().unwrap().0, Key::new("default", "cart"));
    assert_eq!(&*via.pod.namespace, "ingress-nginx");
    let onward = journey.onward.unwrap();
    assert_eq!(onward.from, via.pod);
    assert_eq!(onward.service, None);
    let end = format!("{:?}", onward.way.unwrap().end);
    assert!(end.contains("default/cart-"), "{end}");
    let missing = s.cluster().journey_of(&from, &client("/pay"), 0).unwrap();
    assert_eq!(missing.reply.unwrap().via.unwrap().lack, Some(Lack::NoService));
    assert_eq!(missing.onward, None);
}

/// A request that the controller leads to itself is refused by the fourth proxy, and its journey ends there, too.
#[test]
fn a_request_that_goes_in_circles_ends() {
    const CIRCLE: &str = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: circle, namespace: ingress-nginx}
spec:
  ingressClassName: nginx
  rules:
    - host: circle.example
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: ingress-nginx-controller, port: {number: 80}}}}
"#;
    let mut s = with_shop();
    s.apply(CIRCLE);
    rest(&mut s);
    hear(&mut s);
    assert!(get(&s, "circle.example", "/").ends_with("502"));
    let client = Client::parse(&format!("1/s {CONTROLLER}/ host=circle.example")).unwrap().remove(0);
    let mut journey = s.cluster().journey_of(&Key::new("default", "client"), &client, 0).unwrap();
    let mut passed_on = 0;
    while let Some(onward) = journey.onward.take() {
        (journey, passed_on) = (*onward, passed_on + 1);
    }
    assert_eq!(passed_on, 3);
    let reply = journey.reply.unwrap();
    assert_eq!(reply.via.unwrap().asked, None);
    assert!(matches!(reply.outcome, Outcome::Answered(response) if response.status == 502));
}

/// Policies are asked on both ways: that of the client to the controller, and that of the controller to the pods.
#[test]
fn policies_apply_to_the_controllers_own_requests() {
    let mut s = with_shop();
    s.apply(
        "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {matchLabels: {app: cart}}, ingress: []}",
    );
    rest(&mut s);
    let answer = get(&s, "shop.example", "/cart");
    assert!(answer.contains("504 Gateway Time-out"), "{answer}");
    let open = "patch networkpolicy closed --type=merge -p '{\"spec\":{\"ingress\":[{\"from\":[{\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/metadata.name\":\"ingress-nginx\"}}}]}]}}'";
    s.kubectl(open, &[]);
    rest(&mut s);
    assert!(get(&s, "shop.example", "/cart").starts_with("cart-"));
}

/// `proxy_next_upstream error timeout`, three tries: one endpoint that is gone is not noticed, and if all are, it is 502.
#[test]
fn another_endpoint_is_tried_after_one_that_refuses() {
    let mut s = with_shop();
    let requests = |s: &Session| {
        let client = Client::parse(&format!("1/s {CONTROLLER}/cart host=shop.example")).unwrap().remove(0);
        s.cluster().journey_of(&Key::new("default", "client"), &client, 0).unwrap().reply.unwrap()
    };
    // The pods close their port, and stay ready: nobody has told them to be probed.
    let pods = said(&s, "get pods -l app=cart -o name");
    let pods: Vec<&str> = pods.split_whitespace().collect();
    s.kubectl(&format!("annotate {} sim.steady/listens=none", pods[0]), &[]);
    hear(&mut s);
    let reply = requests(&s);
    assert!(matches!(&reply.outcome, Outcome::Answered(r) if r.status == 200));
    s.kubectl(&format!("annotate {} sim.steady/listens=none", pods[1]), &[]);
    hear(&mut s);
    let reply = requests(&s);
    assert!(matches!(&reply.outcome, Outcome::Answered(r) if r.status == 502), "{reply:?}");
    assert_eq!(reply.via.unwrap().failed.len(), 2);
}

#[test]
fn a_link_repeats_the_installation_and_it_can_be_taken_back() {
    let mut s = with_shop();
    assert!(s.fault(&Fault::IngressNginx { installed: true }).is_err());
    let link = Link::decode(&Link::of(&s).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(100) {}
    assert_eq!(replay.finish().session.cluster().digest(), s.cluster().digest());
    s.fault(&Fault::IngressNginx { installed: false }).unwrap();
    rest(&mut s);
    assert!(!s.cluster().has_ingress_nginx());
    let gone = said(&s, "get namespace ingress-nginx");
    assert!(gone.contains("NotFound"), "{gone}");
}

/// `syncRateLimiter` in controller.go, and `BACKENDS_SYNC_INTERVAL` in balancer.lua: between two looks at the EndpointSlices pass
/// 3.3 s, and one more until nginx has what was seen. Meanwhile an endpoint that is gone is asked, and marked as behind.
#[test]
fn routes_lag_behind_the_endpoint_slices() {
    let mut s = with_shop();
    let from = Key::new("default", "client");
    let client = Client::parse(&format!("1/s {CONTROLLER}/cart host=shop.example")).unwrap().remove(0);
    let ask = |s: &Session| s.cluster().journey_of(&from, &client, 0).unwrap().reply.unwrap();
    let known = |s: &Session| {
        let controller = s.cluster().ingress_controller().unwrap();
        let (_, instance) = controller.leader().unwrap();
        instance.running.as_ref().unwrap().backends.get("default-cart-80").unwrap().endpoints.len()
    };
    assert_eq!(ask(&s).behind, None);
    s.kubectl("scale deployment cart --replicas=0", &[]);
    let begin = s.now();
    let (mut behind, mut changes) = (0, vec![(begin, known(&s))]);
    while s.step(Depth::Command, None) {
        // Before SIGTERM an endpoint that is not listed any more still answers.
        let reply = ask(&s);
        if reply.behind == Some(Behind::Proxy)
            && matches!(&reply.outcome, Outcome::Answered(r) if r.status == 502)
        {
            behind += 1;
        }
        if known(&s) != changes.last().unwrap().1 {
            changes.push((s.now(), known(&s)));
        }
    }
    assert!(behind > 0);
    let (at, count) = changes.last().unwrap();
    assert_eq!(*count, 0);
    let lag = at.duration_since(begin).as_millis();
    assert!((1000..=4334).contains(&lag), "{lag} {changes:?}");
    assert_eq!(ask(&s).via.unwrap().lack, Some(Lack::NoEndpoints));
}

/// Two pods of the controller have routes of their own, and one of them writes statuses.
#[test]
fn each_pod_of_the_controller_has_its_own_routes() {
    let mut s = with_shop();
    s.kubectl("-n ingress-nginx scale deployment ingress-nginx-controller --replicas=2", &[]);
    rest(&mut s);
    let controller = s.cluster().ingress_controller().unwrap();
    assert_eq!(controller.instances.len(), 2);
    assert!(
        controller.instances.values().all(|i| i.running.is_some() && i.serves(&Key::new("default", "shop")))
    );
    let status = ingress(s.cluster()).status.unwrap().load_balancer.unwrap().ingress.unwrap();
    assert_eq!(status.len(), 2);
    // A connection meets each of them and each of the endpoints.
    let from = Key::new("default", "client");
    let client = Client::parse(&format!("1/s {CONTROLLER}/cart host=shop.example")).unwrap().remove(0);
    let question = s.cluster().journey_of(&from, &client, 0).unwrap().question.unwrap();
    let seen: std::collections::BTreeSet<_> = s
        .cluster()
        .ask(&from, &question)
        .into_iter()
        .map(|r| (r.via.unwrap().pod.clone(), r.endpoint, r.share))
        .collect();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|(_, _, share)| *share == 1), "{seen:?}");
}

/// `Extract` in internal/ingress/annotations/annotations.go and `syncIngress` in store.go: an Ingress with a value that is refused is
/// not taken over. One that is served goes on as it was, until its controller starts anew.
#[test]
fn an_ingress_that_is_refused_goes_on_as_it_was() {
    let mut s = with_shop();
    let snippet = "nginx.ingress.kubernetes.io/configuration-snippet";
    s.kubectl(&format!("annotate ingress shop {snippet}=x"), &[]);
    let path = "patch ingress shop --type=json -p '[{\"op\":\"replace\",\"path\":\"/spec/rules/0/http/paths/0/path\",\"value\":\"/basket\"}]'";
    s.kubectl(path, &[]);
    rest(&mut s);
    assert!(get(&s, "shop.example", "/cart").starts_with("cart-"));
    assert!(get(&s, "shop.example", "/basket").ends_with("404"));
    let events = said(&s, "describe ingress shop");
    assert!(events.contains("RiskyAnnotation"), "{events}");
    // What it is served as is part of the state, since it differs from what is stored.
    let lines = crate::client::Memory::lines(s.cluster().ingress_controller().unwrap(), s.now());
    assert!(lines.iter().any(|l| l.contains("serves default/shop as") && l.contains("/cart")), "{lines:?}");
    s.kubectl("-n ingress-nginx rollout restart deployment ingress-nginx-controller", &[]);
    rest(&mut s);
    assert!(get(&s, "shop.example", "/cart").ends_with("404"));
    s.kubectl(&format!("annotate ingress shop {snippet}-"), &[]);
    rest(&mut s);
    assert!(get(&s, "shop.example", "/basket").starts_with("cart-"));
}

/// `runningAddresses` and `Shutdown` in internal/ingress/status/status.go: a pod without the label `pod-template-hash` of the leader is
/// none of its own; and several addresses are left to the next leader, though there is none.
#[test]
fn addresses_are_those_of_the_leaders_template_and_several_are_not_taken_back() {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.fault(&Fault::IngressNginx { installed: true }).unwrap();
    rest(&mut s);
    let node = said(&s, "-n ingress-nginx get pods -o jsonpath={.items[0].spec.nodeName}");
    let other = said(&s, "get nodes -o jsonpath={.items[*].metadata.name}");
    let other = other.split(' ').find(|n| **n != node && !n.contains("control-plane")).unwrap();
    let labels = ["component: controller", "instance: ingress-nginx", "name: ingress-nginx"];
    let labels = labels.map(|l| format!("app.kubernetes.io/{l}"));
    let version = ["part-of: ingress-nginx", "version: 1.15.1"].map(|l| format!("app.kubernetes.io/{l}"));
    let labels = [labels.join(", "), version.join(", ")].join(", ");
    s.apply(&format!(
        "apiVersion: v1
kind: Pod
metadata: {{namespace: ingress-nginx, name: other, labels: {{{labels}}}}}
spec: {{nodeName: {other}, containers: [{{name: c, image: 'busybox:1.37', command: [sleep, infinity]}}]}}"
    ));
    rest(&mut s);
    assert!(said(&s, "-n ingress-nginx get pod other").contains("1/1"));
    s.apply(SHOP);
    rest(&mut s);
    let count = |s: &Session| {
        let balancer = ingress(s.cluster()).status.and_then(|s| s.load_balancer);
        balancer.and_then(|l| l.ingress).map_or(0, |all| all.len())
    };
    assert_eq!(count(&s), 1);
    s.kubectl("-n ingress-nginx delete pod other", &[]);
    let told = "-n ingress-nginx patch deployment ingress-nginx-controller --type=json -p '[{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/0/args/-\",\"value\":\"--publish-status-address=192.0.2.1,192.0.2.2\"}]'";
    s.kubectl(told, &[]);
    rest(&mut s);
    assert_eq!(count(&s), 2);
    s.kubectl("-n ingress-nginx scale deployment ingress-nginx-controller --replicas=0", &[]);
    rest(&mut s);
    assert_eq!(count(&s), 2);
}
