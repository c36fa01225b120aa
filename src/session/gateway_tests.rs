//! NGINX Gateway Fabric in a cluster: its objects, what it makes for a Gateway, the statuses that it writes, and requests that go
//! through (nginx/nginx-gateway-fabric v2.6.7, kubernetes-sigs/gateway-api v1.5.1).
#![allow(clippy::unwrap_used)]
use super::{Depth, Link, Replay, Session, Start};
use crate::api::{Key, Kind, ObjectRef};
use crate::cluster::Fault;
use crate::network::Outcome;
use crate::network::passing::{Lack, Whose};
use crate::network::question::Behind;
use crate::network::traffic::Client;

const GATEWAY: &str = r#"
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web}
spec:
  gatewayClassName: nginx
  listeners: [{name: http, port: 80, protocol: HTTP}]
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {containers: [{name: c, image: "curlimages/curl:8.14.1", command: [sleep, infinity]}]}
"#;

/// A Service `NAME` with two pods that answer with their name.
fn app(name: &str) -> String {
    format!(
        r#"
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec: {{selector: {{app: {name}}}, ports: [{{port: 80}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: c, image: "team/{name}:1", ports: [{{containerPort: 80}}]}}]}}
"#
    )
}

const ROUTE: &str = r#"
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop}
spec:
  parentRefs: [{name: web, sectionName: http}]
  hostnames: [shop.example]
  rules:
    - matches: [{path: {type: PathPrefix, value: /cart}}]
      backendRefs: [{name: cart, port: 80}]
    - matches: [{path: {type: PathPrefix, value: /pay}}]
      backendRefs: [{name: pay, port: 80}]
    - matches: [{headers: [{name: X-Version, value: "2"}]}]
      backendRefs: [{name: cart, port: 80}]
      filters:
        - {type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /rewritten}}}
"#;

fn rest(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.at() < 20_000, "the cluster does not come to rest");
    }
}

fn said(s: &Session, line: &str) -> String {
    let output = s.clone().kubectl(line, &[]);
    format!("{}{}", output.stdout, output.stderr)
}

fn get(s: &Session, words: &str, path: &str) -> String {
    said(s, &format!("exec client -- curl -s -w '%{{http_code}}' {words} http://web-nginx{path}"))
}

fn shop(s: &Session, path: &str) -> String {
    get(s, "-H 'Host: shop.example'", path)
}

/// What the conditions of an object say, as `TYPE=STATUS REASON`.
fn conditions(s: &Session, object: &str, list: &str) -> Vec<String> {
    let path = format!("{{range {list}[*]}}{{.type}}={{.status}} {{.reason}};{{end}}");
    let all = said(s, &format!("get {object} -o jsonpath='{path}'"));
    all.split(';').filter(|c| !c.is_empty()).map(str::to_owned).collect()
}

fn of_route(s: &Session, name: &str) -> Vec<String> {
    conditions(s, &format!("httproute {name}"), ".status.parents[0].conditions")
}

/// A run with the controller, at rest.
fn with_controller() -> Session {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.fault(&Fault::GatewayFabric { installed: true }).unwrap();
    rest(&mut s);
    s
}

/// A run with the controller, a Gateway and a shop, at rest.
fn with_shop() -> Session {
    let mut s = with_controller();
    s.apply(GATEWAY);
    s.apply(&app("cart"));
    s.apply(ROUTE);
    rest(&mut s);
    s
}

/// `charts/nginx-gateway-fabric`: the class is there with its controller, which accepts it.
#[test]
fn the_class_is_accepted() {
    let s = with_controller();
    let pods = said(&s, "-n nginx-gateway get pods");
    assert!(pods.contains("1/1     Running"), "{pods}");
    let all = conditions(&s, "gatewayclass nginx", ".status.conditions");
    for wanted in
        ["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs", "SupportedVersion=True SupportedVersion"]
    {
        assert!(all.iter().any(|c| c == wanted), "{wanted} {all:?}");
    }
}

/// `buildNginxResourceObjects` in internal/controller/provisioner/objects.go, `PrepareGatewayRequests` in
/// internal/controller/status/prepare_requests.go.
#[test]
fn a_gateway_gets_an_nginx_of_its_own() {
    let s = with_shop();
    for object in ["deployment web-nginx", "service web-nginx", "serviceaccount web-nginx"] {
        let owner = said(&s, &format!("get {object} -o jsonpath='{{.metadata.ownerReferences[0].kind}}'"));
        assert_eq!(owner, "Gateway", "{object}");
    }
    let pods = said(&s, "get pods -l gateway.networking.k8s.io/gateway-name=web");
    assert!(pods.contains("1/1     Running"), "{pods}");
    let all = conditions(&s, "gateway web", ".status.conditions");
    assert!(all.contains(&"Accepted=True Accepted".to_owned()), "{all:?}");
    assert!(all.contains(&"Programmed=True Programmed".to_owned()), "{all:?}");
    let address = said(&s, "get gateway web -o jsonpath='{.status.addresses[0].value}'");
    assert_eq!(address, said(&s, "get service web-nginx -o jsonpath='{.spec.clusterIP}'"));
    assert_eq!(said(&s, "get gateway web -o jsonpath='{.status.listeners[0].attachedRoutes}'"), "1");
    let line = said(&s, "get gateways");
    assert!(line.contains("CLASS") && line.contains("PROGRAMMED") && line.contains(&address), "{line}");
    let by = |rule: &str| {
        let line = s.timeline();
        let commands = line.iter().filter_map(|id| s.moment(*id)).flat_map(|m| m.commands());
        commands.filter(|c| c.why.as_ref().is_some_and(|w| w.rule == rule)).count()
    };
    assert!(by("gateway_fabric.provision") >= 5);
    assert_eq!(by("gateway_fabric.first_configuration"), 1);
    assert!(by("gateway_fabric.gateway_status") >= 1 && by("gateway_fabric.route_status") >= 1);
}

/// The object goes with its Gateway: the garbage collector follows `ownerReferences`.
#[test]
fn what_was_made_goes_with_the_gateway() {
    let mut s = with_shop();
    s.kubectl("delete gateway web", &[]);
    rest(&mut s);
    let left = said(&s, "get deployments,services");
    assert!(!left.contains("web-nginx"), "{left}");
}

/// Somebody changes what was made, and it is changed back (`internal/controller/provisioner/eventloop.go`).
#[test]
fn what_was_made_is_put_right() {
    let mut s = with_shop();
    s.kubectl("scale deployment web-nginx --replicas=3", &[]);
    rest(&mut s);
    assert_eq!(said(&s, "get deployment web-nginx -o jsonpath='{.spec.replicas}'"), "1");
    s.kubectl("delete service web-nginx", &[]);
    rest(&mut s);
    assert!(shop(&s, "/cart").starts_with("cart-"));
}

#[test]
fn requests_are_led_by_host_path_and_header() {
    let s = with_shop();
    assert!(shop(&s, "/cart/1").starts_with("cart-"), "{}", shop(&s, "/cart/1"));
    assert!(shop(&s, "/cart").ends_with("200"));
    // A path without a rule, a host without a server.
    assert!(shop(&s, "/cartoon").ends_with("404"));
    assert!(get(&s, "", "/cart").ends_with("404"));
    assert!(get(&s, "-H 'Host: shop.example' -H 'X-Version: 2'", "/").starts_with("cart-"));
    assert!(get(&s, "-H 'Host: shop.example' -H 'X-Version: 3'", "/").ends_with("404"));
    // The Service pay does not exist (the specification of `backendRefs`).
    assert!(shop(&s, "/pay").ends_with("500"), "{}", shop(&s, "/pay"));
    let all = of_route(&s, "shop");
    assert!(all.contains(&"ResolvedRefs=False BackendNotFound".to_owned()), "{all:?}");
    assert!(all.contains(&"Accepted=True Accepted".to_owned()), "{all:?}");
}

/// A route of another namespace needs `allowedRoutes`, and its backends in others a ReferenceGrant.
#[test]
fn namespaces_are_asked() {
    let mut s = with_shop();
    s.apply(
        "apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: team, namespace: team}
spec:
  parentRefs: [{name: web, namespace: default}]
  hostnames: [team.example]
  rules: [{backendRefs: [{name: cart, namespace: default, port: 80}]}]",
    );
    rest(&mut s);
    let team = |s: &Session| get(s, "-H 'Host: team.example'", "/");
    let of_team =
        |s: &Session| conditions(s, "-n team httproute team", ".status.parents[0].conditions").join(", ");
    assert!(of_team(&s).contains("Accepted=False NotAllowedByListeners"), "{}", of_team(&s));
    assert!(team(&s).ends_with("404"));
    let open = "patch gateway web --type=merge -p '{\"spec\":{\"listeners\":[{\"name\":\"http\",\"port\":80,\"protocol\":\"HTTP\",\"allowedRoutes\":{\"namespaces\":{\"from\":\"All\"}}}]}}'";
    s.kubectl(open, &[]);
    rest(&mut s);
    assert!(of_team(&s).contains("ResolvedRefs=False RefNotPermitted"), "{}", of_team(&s));
    assert!(team(&s).ends_with("500"), "{}", team(&s));
    assert_eq!(said(&s, "get gateway web -o jsonpath='{.status.listeners[0].attachedRoutes}'"), "2");
    s.apply(
        "apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: cart}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: team}]
  to: [{group: '', kind: Service, name: cart}]",
    );
    rest(&mut s);
    assert!(team(&s).starts_with("cart-"), "{}", team(&s));
}

/// The parts of the weights are exact, and each Service's part is shared by its endpoints.
#[test]
fn weights_split_requests() {
    let mut s = with_shop();
    s.apply(&app("next"));
    s.apply(
        "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: canary}
spec:
  parentRefs: [{name: web}]
  hostnames: [canary.example]
  rules: [{backendRefs: [{name: cart, port: 80, weight: 9}, {name: next, port: 80, weight: 1}]}]",
    );
    rest(&mut s);
    let client = Client::parse("1/s http://web-nginx host=canary.example").unwrap().remove(0);
    let from = Key::new("default", "client");
    let question = s.cluster().journey_of(&from, &client, 0).unwrap().question.unwrap();
    let replies = s.cluster().ask(&from, &question);
    let part = |service: &str| -> u32 {
        let own = replies.iter().filter(|r| {
            let place = r.via.as_ref().map(|v| v.place.service.clone());
            place.flatten().is_some_and(|(key, _)| *key.name == *service)
        });
        own.map(|r| r.share).sum()
    };
    assert_eq!(part("cart"), 9 * part("next"));
    assert_eq!(replies.len(), 4);
}

/// A journey goes from the client to the Gateway's nginx by the Service's rules, and from there to a pod past the Service.
#[test]
fn a_journey_goes_through_the_gateway() {
    let s = with_shop();
    let client = |path: &str| {
        Client::parse(&format!("1/s http://web-nginx{path} host=shop.example")).unwrap().remove(0)
    };
    let from = Key::new("default", "client");
    let journey = s.cluster().journey_of(&from, &client("/cart"), 0).unwrap();
    assert_eq!(journey.service, Some(Key::new("default", "web-nginx")));
    let via = journey.reply.as_ref().unwrap().via.clone().unwrap();
    assert_eq!(via.place.whose, Whose::Gateway);
    let route = via.place.of.clone().unwrap();
    assert_eq!((route.kind.plural(), &*route.key.name), ("httproutes", "shop"));
    assert_eq!(via.place.service.as_ref().unwrap().0, Key::new("default", "cart"));
    let onward = journey.onward.unwrap();
    assert_eq!(onward.from, via.pod);
    let end = format!("{:?}", onward.way.unwrap().end);
    assert!(end.contains("default/cart-"), "{end}");
    let missing = s.cluster().journey_of(&from, &client("/pay"), 0).unwrap();
    assert_eq!(missing.reply.unwrap().via.unwrap().lack, Some(Lack::NotResolved));
    assert_eq!(missing.onward, None);
    let from = ObjectRef { kind: Kind::POD, key: from };
    let offers = super::view::journey::journey(s.cluster(), &from, None, 0).offers;
    assert!(offers.contains(&"http://web-nginx.default/cart host=shop.example".to_owned()), "{offers:?}");
}

/// nginx is not ready before its first configuration (`nginxReadinessProbe`), and what it has stays when its controller is gone.
#[test]
fn an_nginx_goes_on_without_its_controller() {
    let mut s = with_shop();
    s.kubectl("-n nginx-gateway scale deployment nginx-gateway --replicas=0", &[]);
    rest(&mut s);
    s.kubectl("delete httproute shop", &[]);
    rest(&mut s);
    assert!(shop(&s, "/cart").starts_with("cart-"));
    // A pod that starts now is told nothing.
    s.kubectl("delete pods -l gateway.networking.k8s.io/gateway-name=web", &[]);
    rest(&mut s);
    let pods = said(&s, "get pods -l gateway.networking.k8s.io/gateway-name=web");
    assert!(pods.contains("0/1     Running"), "{pods}");
    s.kubectl("-n nginx-gateway scale deployment nginx-gateway --replicas=1", &[]);
    rest(&mut s);
    let pods = said(&s, "get pods -l gateway.networking.k8s.io/gateway-name=web");
    assert!(pods.contains("1/1     Running"), "{pods}");
    assert!(shop(&s, "/cart").ends_with("404"));
}

#[test]
fn a_link_repeats_the_installation_and_it_can_be_taken_back() {
    let mut s = with_shop();
    assert!(s.fault(&Fault::GatewayFabric { installed: true }).is_err());
    let link = Link::decode(&Link::of(&s).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(100) {}
    assert_eq!(replay.finish().session.cluster().digest(), s.cluster().digest());
    s.fault(&Fault::GatewayFabric { installed: false }).unwrap();
    rest(&mut s);
    assert!(!s.cluster().has_gateway_fabric());
    let gone = said(&s, "get namespace nginx-gateway");
    assert!(gone.contains("NotFound"), "{gone}");
    // The definitions stay, and with them the Gateway. Its class went while the controller still ran, so its nginx is taken away.
    assert!(said(&s, "get gateway web").contains("web"));
    assert!(said(&s, "get service web-nginx").contains("NotFound"));
    s.fault(&Fault::GatewayFabric { installed: true }).unwrap();
    rest(&mut s);
    assert!(shop(&s, "/cart").starts_with("cart-"));
}

/// nginx has new endpoints with its next reload: meanwhile it asks those that it has, and the next one when one refuses
/// (`proxy_next_upstream error timeout`).
#[test]
fn routes_lag_behind_the_endpoint_slices() {
    let mut s = with_shop();
    let from = Key::new("default", "client");
    let client = Client::parse("1/s http://web-nginx/cart host=shop.example").unwrap().remove(0);
    let ask = |s: &Session| s.cluster().journey_of(&from, &client, 0).unwrap().reply.unwrap();
    assert_eq!(ask(&s).behind, None);
    s.kubectl("scale deployment cart --replicas=0", &[]);
    let mut behind = 0;
    while s.step(Depth::Command, None) {
        let reply = ask(&s);
        if reply.behind == Some(Behind::Proxy)
            && matches!(&reply.outcome, Outcome::Answered(r) if r.status == 502)
        {
            behind += 1;
        }
    }
    assert!(behind > 0);
    let last = ask(&s);
    assert!(matches!(&last.outcome, Outcome::Answered(r) if r.status == 503), "{last:?}");
    assert_eq!(last.via.unwrap().lack, Some(Lack::NoEndpoints));
    let routes = s.cluster().gateway_controller().unwrap();
    assert!(routes.serves(&Key::new("default", "shop")));
    assert_eq!(
        s.cluster()
            .api()
            .cached_list(Kind::POD, None)
            .filter(|(k, _)| k.key.name.starts_with("cart-"))
            .count(),
        0
    );
}
