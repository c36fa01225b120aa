//! Facts of kubernetes/ingress-nginx v1.15.1, and of the precedence of paths in the API's documentation
//! (kubernetes.io/docs/concepts/services-networking/ingress, "Examples" of path types).
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;
use crate::api::types::{EndpointSlice, Ingress, IngressClass, Pod, Service};
use crate::api::{Key, Kind, MetaExt, ObjectRef};

fn service(name: &str, spec: Value) -> Service {
    serde_json::from_value(json!({"metadata": {"namespace": "default", "name": name}, "spec": spec})).unwrap()
}

fn web(name: &str) -> Service {
    service(
        name,
        json!({"clusterIP": "10.96.0.50", "ports": [{"name": "http", "port": 80, "targetPort": 8080}]}),
    )
}

fn slice(service: &str, addresses: &[&str]) -> EndpointSlice {
    let endpoint = |a: &&str| json!({"addresses": [a], "conditions": {"ready": !a.ends_with(".99")}});
    serde_json::from_value(json!({
        "metadata": {"namespace": "default", "name": format!("{service}-1")}, "addressType": "IPv4",
        "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
        "endpoints": addresses.iter().map(endpoint).collect::<Vec<_>>(),
    }))
    .unwrap()
}

fn path(path: &str, path_type: &str, service: &str) -> Value {
    let backend = json!({"service": {"name": service, "port": {"number": 80}}});
    json!({"path": path, "pathType": path_type, "backend": backend})
}

fn ingress(name: &str, annotations: Value, spec: Value) -> Ingress {
    let meta = json!({"namespace": "default", "name": name, "annotations": annotations});
    serde_json::from_value(json!({"metadata": meta, "spec": spec})).unwrap()
}

fn rules(host: &str, paths: &[Value]) -> Value {
    json!({"rules": [{"host": host, "http": {"paths": paths}}]})
}

/// A cluster with the Services `a` to `d`, of which `d` has no endpoints.
fn build(ingresses: &[Ingress]) -> Configuration {
    let services: Vec<Service> = ["a", "b", "c", "d"].map(web).into();
    let slices = [
        slice("a", &["10.244.0.1", "10.244.0.99"]),
        slice("b", &["10.244.0.2"]),
        slice("c", &["10.244.0.3"]),
    ];
    let services = services.iter().map(|s| (s.metadata.key(), s)).collect();
    let mut known = Known { services, ..Known::default() };
    for s in &slices {
        let name = s.metadata.name().trim_end_matches("-1");
        known.slices.insert(Key::new("default", name), vec![s]);
    }
    Configuration::build(&ingresses.iter().collect::<Vec<_>>(), &known).unwrap()
}

fn ask(c: &Configuration, host: &str, path: &str) -> Routed {
    c.route(&Request { host, path, tls: false })
}

/// The Service that a request comes to, or the status that nginx answers.
fn leads(c: &Configuration, host: &str, path: &str) -> String {
    match ask(c, host, path) {
        Routed { then: Then::Pass(p), .. } => {
            let first = p.backends.first().unwrap();
            format!("{} {}", c.backends.get(&first.0).unwrap().service.name, p.path)
        }
        Routed { then: Then::Redirect { status, to }, .. } => format!("{status} {to}"),
        Routed { then: Then::Error { status, lack }, .. } => format!("{status} {lack:?}"),
    }
}

/// The table of the documentation, as far as one path is compared.
#[test]
fn paths_match_as_the_documentation_of_ingress_says() {
    for (kind, rule, asked, matches) in [
        ("Prefix", "/", "/anything/at/all", true),
        ("Exact", "/foo", "/foo", true),
        ("Exact", "/foo", "/bar", false),
        ("Exact", "/foo", "/foo/", false),
        ("Exact", "/foo/", "/foo", false),
        ("Prefix", "/foo", "/foo", true),
        ("Prefix", "/foo", "/foo/", true),
        ("Prefix", "/foo/", "/foo/", true),
        ("Prefix", "/aaa/bb", "/aaa/bbb", false),
        ("Prefix", "/aaa/bbb", "/aaa/bbb", true),
        ("Prefix", "/aaa/bbb/", "/aaa/bbb", true),
        ("Prefix", "/aaa/bbb", "/aaa/bbb/ccc", true),
        ("Prefix", "/aaa/bbb", "/aaa/bbbxyz", false),
        // `SetDefaultNGINXPathType` in internal/k8s/main.go makes it `Prefix`.
        ("ImplementationSpecific", "/foo", "/foobar", false),
        ("ImplementationSpecific", "/foo", "/foo/bar", true),
    ] {
        let c = build(&[ingress("i", json!({}), rules("x.example", &[path(rule, kind, "a")]))]);
        let found = leads(&c, "x.example", asked);
        if rule == "/aaa/bbb/" {
            // nginx adds the slash, as it does wherever a location ends with one.
            assert_eq!(found, "301 http://x.example/aaa/bbb/");
            continue;
        }
        assert_eq!(found == format!("a {asked}"), matches, "{kind} {rule} {asked}: {found}");
        assert!(matches || found == "404 None", "{found}");
    }
}

/// `internal/ingress/controller/controller.go`, `getBackendServers`, sorts the locations by their length.
#[test]
fn the_longest_path_wins_and_an_exact_one_before_a_prefix() {
    let paths = [
        path("/", "Prefix", "a"),
        path("/cart", "Prefix", "b"),
        path("/cart", "Exact", "c"),
        path("/cart/empty", "Prefix", "d"),
    ];
    let c = build(&[ingress("i", json!({}), rules("x.example", &paths))]);
    assert_eq!(leads(&c, "x.example", "/about"), "a /about");
    assert_eq!(leads(&c, "x.example", "/cart"), "c /cart");
    assert_eq!(leads(&c, "x.example", "/cart/1?x=y"), "b /cart/1?x=y");
    assert_eq!(leads(&c, "X.example:80", "/cart/1"), "b /cart/1");
    assert_eq!(leads(&c, "x.example", "/cart/empty/now"), "503 Some(NoEndpoints)");
    let place = ask(&c, "x.example", "/cart/1").place;
    assert_eq!(place.rule, Some(("/cart".into(), PathType::Prefix)));
    assert_eq!(place.of, Some(ObjectRef::new(Kind::INGRESS, "default", "i")));
}

/// `buildServerName`: a wildcard stands for one part.
#[test]
fn a_host_of_its_own_comes_before_a_wildcard_and_that_before_all_others() {
    let c = build(&[
        ingress("own", json!({}), rules("a.x.example", &[path("/own", "Prefix", "a")])),
        ingress("wild", json!({}), rules("*.x.example", &[path("/", "Prefix", "b")])),
        ingress("all", json!({}), rules("", &[path("/all", "Prefix", "c")])),
    ]);
    assert_eq!(leads(&c, "a.x.example", "/own"), "a /own");
    // A host with a server of its own has only that server's locations.
    assert_eq!(leads(&c, "a.x.example", "/other"), "404 None");
    assert_eq!(leads(&c, "b.x.example", "/other"), "b /other");
    assert_eq!(leads(&c, "c.b.x.example", "/other"), "404 None");
    assert_eq!(leads(&c, "x.example", "/all"), "c /all");
    assert_eq!(leads(&c, "10.96.0.9", "/all/1"), "c /all/1");
}

/// `rootfs/etc/nginx/lua/balancer.lua`, `rewrite`: 503 without a balancer. `rootfs/etc/nginx/template/nginx.tmpl`: the default
/// server returns 404.
#[test]
fn what_is_missing_is_503_and_what_no_rule_is_for_404() {
    let port = json!({"path": "/port", "pathType": "Prefix",
        "backend": {"service": {"name": "a", "port": {"number": 81}}}});
    let named = json!({"path": "/named", "pathType": "Prefix",
        "backend": {"service": {"name": "a", "port": {"name": "http"}}}});
    let paths = [path("/gone", "Prefix", "gone"), port, named];
    let c = build(&[ingress("i", json!({}), rules("x.example", &paths))]);
    assert_eq!(leads(&c, "x.example", "/gone"), "503 Some(NoService)");
    assert_eq!(leads(&c, "x.example", "/port"), "503 Some(NoPort)");
    assert_eq!(leads(&c, "x.example", "/named"), "a /named");
    assert_eq!(leads(&c, "x.example", "/"), "404 None");
    assert_eq!(leads(&c, "y.example", "/gone"), "404 None");
    // The endpoint that is not ready is left out.
    let backend = c.backends.get("default-a-http").unwrap();
    assert_eq!(backend.endpoints, ["10.244.0.1:8080".parse().unwrap()]);
}

/// `internal/ingress/controller/controller.go`, `createServers`.
#[test]
fn a_default_backend_without_rules_gets_what_nobody_else_gets() {
    let backend = |name: &str| json!({"service": {"name": name, "port": {"number": 80}}});
    let c = build(&[
        ingress("all", json!({}), json!({"defaultBackend": backend("a")})),
        ingress(
            "shop",
            json!({}),
            json!({
                "defaultBackend": backend("b"),
                "rules": [{"host": "x.example", "http": {"paths": [path("/c", "Prefix", "c")]}}],
            }),
        ),
    ]);
    assert_eq!(leads(&c, "y.example", "/any"), "a /any");
    assert_eq!(leads(&c, "x.example", "/any"), "b /any");
    assert_eq!(leads(&c, "x.example", "/c"), "c /c");
}

/// docs/examples/rewrite in kubernetes/ingress-nginx.
#[test]
fn a_path_is_rewritten_with_the_groups_of_its_expression() {
    let target = json!({"nginx.ingress.kubernetes.io/rewrite-target": "/$2"});
    let paths = [path("/something(/|$)(.*)", "ImplementationSpecific", "a")];
    let c = build(&[
        ingress("i", target, rules("x.example", &paths)),
        // Then all paths of the host are expressions, those of other Ingresses too, and upper case counts as lower case.
        ingress("j", json!({}), rules("x.example", &[path("/other", "Exact", "b")])),
    ]);
    for (asked, found) in [
        ("/something", "a /"),
        ("/something/", "a /"),
        ("/something/new?x=1", "a /new?x=1"),
        ("/SOMETHING/New", "a /New"),
        ("/somethingelse", "404 None"),
        ("/other/more", "b /other/more"),
    ] {
        assert_eq!(leads(&c, "x.example", asked), found, "{asked}");
    }
    let bad = ingress(
        "i",
        json!({"nginx.ingress.kubernetes.io/use-regex": "true"}),
        rules("x.example", &[path("/(", "ImplementationSpecific", "a")]),
    );
    assert!(Configuration::build(&[&bad], &Known::default()).is_err());
}

/// PCRE has more than is simulated: nginx starts with such a location, so the others must not stand still.
#[test]
fn an_expression_that_is_not_simulated_is_left_out_alone() {
    let regex = json!({"nginx.ingress.kubernetes.io/use-regex": "true"});
    for own in ["/(?!admin).*", r"/(a)\1", "/(?>a)b", "/[[a]"] {
        let paths =
            [path(own, "ImplementationSpecific", "a"), path("/shop.*", "ImplementationSpecific", "b")];
        let c = build(&[ingress("i", regex.clone(), rules("x.example", &paths))]);
        assert_eq!(leads(&c, "x.example", "/shop/1"), "b /shop/1", "{own}");
        assert_eq!(leads(&c, "x.example", "/other"), "404 None", "{own}");
        assert_eq!(c.left_out, [(Key::new("default", "i"), own.into())].into());
    }
    for own in ["/(", "/a)", "/[a", "/a{3,2}", "/[b-a]"] {
        let spec = rules("x.example", &[path(own, "ImplementationSpecific", "a")]);
        let bad = ingress("i", regex.clone(), spec);
        assert!(Configuration::build(&[&bad], &Known::default()).is_err(), "{own}");
    }
}

/// `redirect_to_https` in lua_ingress.lua.
#[test]
fn plain_requests_for_a_host_with_tls_are_redirected() {
    let mut spec = rules("x.example", &[path("/", "Prefix", "a")]);
    spec["tls"] = json!([{"hosts": ["x.example"], "secretName": "x"}]);
    let c = build(&[ingress("i", json!({}), spec.clone())]);
    assert_eq!(leads(&c, "x.example:8080", "/a/?b"), "308 https://x.example/a/?b");
    assert_eq!(leads(&c, "x.example", "/a/"), "308 https://x.example/a");
    let tls = c.route(&Request { host: "x.example", path: "/a", tls: true });
    assert!(matches!(tls.then, Then::Pass(p) if !p.tls));
    let off = json!({"nginx.ingress.kubernetes.io/ssl-redirect": "false"});
    assert_eq!(leads(&build(&[ingress("i", off, spec)]), "x.example", "/a"), "a /a");
    let force = json!({"nginx.ingress.kubernetes.io/force-ssl-redirect": "true"});
    let c = build(&[ingress("i", force, rules("y.example", &[path("/", "Prefix", "a")]))]);
    assert_eq!(leads(&c, "y.example", "/a"), "308 https://y.example/a");
}

/// `internal/ingress/controller/store/store.go`, `sortIngressSlice`; `controller.go`, `getBackendServers`: a location that is
/// there stays.
#[test]
fn the_older_ingress_keeps_a_path_that_both_have() {
    let at = |name: &str, time: &str, to: &str| {
        let mut i = ingress(name, json!({}), rules("x.example", &[path("/", "Prefix", to)]));
        i.metadata.creation_timestamp = serde_json::from_value(json!(time)).unwrap();
        i
    };
    let (old, new) = (at("z", "2026-01-01T00:00:00Z", "a"), at("a", "2026-01-01T00:00:05Z", "b"));
    assert_eq!(leads(&build(&[new, old]), "x.example", "/"), "a /");
}

/// `SetDefaultNGINXPathType` in internal/k8s/main.go: two types that are one to the controller, so that the older Ingress keeps the
/// path, whatever word it has for it, and a canary of the other word takes its part.
#[test]
fn a_path_of_no_type_of_its_own_is_a_prefix() {
    let at = |name: &str, time: &str, kind: &str, to: &str| {
        let mut i = ingress(name, json!({}), rules("x.example", &[path("/foo", kind, to)]));
        i.metadata.creation_timestamp = serde_json::from_value(json!(time)).unwrap();
        i
    };
    let old = at("old", "2026-01-01T00:00:00Z", "ImplementationSpecific", "a");
    let new = at("new", "2026-01-01T00:00:05Z", "Prefix", "b");
    let c = build(&[new, old.clone()]);
    assert_eq!(leads(&c, "x.example", "/foo/1"), "a /foo/1");
    let place = ask(&c, "x.example", "/foo/1").place;
    assert_eq!(place.rule, Some(("/foo".into(), PathType::ImplementationSpecific)));
    let canary = json!({
        "nginx.ingress.kubernetes.io/canary": "true", "nginx.ingress.kubernetes.io/canary-weight": "20",
    });
    let c = build(&[old, ingress("canary", canary, rules("x.example", &[path("/foo", "Prefix", "b")]))]);
    let Then::Pass(p) = ask(&c, "x.example", "/foo").then else { panic!() };
    assert_eq!(p.backends.len(), 2);
}

/// `mergeAlternativeBackends` in internal/ingress/controller/controller.go, and `get_balancer` in balancer.lua: the alternative is the
/// backend's, so all of its locations have it.
#[test]
fn a_canary_takes_its_part_of_all_that_its_backend_gets() {
    let canary = json!({
        "nginx.ingress.kubernetes.io/canary": "true", "nginx.ingress.kubernetes.io/canary-weight": "20",
    });
    let paths = [path("/", "Prefix", "a"), path("/v1", "Prefix", "a"), path("/c", "Prefix", "c")];
    let main = ingress("main", json!({}), rules("x.example", &paths));
    let parts = |c: &Configuration, host: &str, path: &str| match ask(c, host, path).then {
        Then::Pass(p) => p.backends.len(),
        _ => 0,
    };
    let of_path = ingress("canary", canary.clone(), rules("x.example", &[path("/", "Prefix", "b")]));
    let c = build(&[main.clone(), of_path]);
    assert_eq!(["/", "/v1", "/c"].map(|p| parts(&c, "x.example", p)), [2, 2, 1]);
    // One whose path nobody has is nobody's.
    let lost = ingress("canary", canary.clone(), rules("x.example", &[path("/none", "Prefix", "b")]));
    let c = build(&[main.clone(), lost]);
    assert_eq!(["/", "/v1"].map(|p| parts(&c, "x.example", p)), [1, 1]);
    assert!(!c.backends.contains_key("default-b-80"));
    // A default backend takes part in whatever the server for all other hosts has.
    let backend = |name: &str| json!({"defaultBackend": {"service": {"name": name, "port": {"number": 80}}}});
    let all = ingress("all", json!({}), backend("a"));
    let c = build(&[all, ingress("canary", canary, backend("b"))]);
    assert_eq!(parts(&c, "y.example", "/any"), 2);
}

/// docs/examples/canary: of a hundred requests the canary gets as many as its weight. `controller.go`,
/// `mergeAlternativeBackends`; `balancer.lua`, `route_to_alternative_balancer`.
#[test]
fn a_canary_takes_its_part() {
    let canary = json!({
        "nginx.ingress.kubernetes.io/canary": "true", "nginx.ingress.kubernetes.io/canary-weight": "20",
    });
    let main = ingress("main", json!({}), rules("x.example", &[path("/", "Prefix", "a")]));
    let c =
        build(&[main, ingress("canary", canary.clone(), rules("x.example", &[path("/", "Prefix", "b")]))]);
    let Then::Pass(p) = ask(&c, "x.example", "/").then else { panic!() };
    assert_eq!(p.backends, [("default-a-80".into(), 80), ("default-b-80".into(), 20)]);
    let alone = build(&[ingress("canary", canary, rules("x.example", &[path("/", "Prefix", "b")]))]);
    assert_eq!(leads(&alone, "x.example", "/"), "404 None");
}

#[test]
fn other_annotations_are_complained_of_and_do_nothing() {
    let i = ingress(
        "i",
        json!({
            "nginx.ingress.kubernetes.io/auth-url": "http://x", "nginx.ingress.kubernetes.io/ssl-redirect": "no",
            "nginx.ingress.kubernetes.io/proxy-next-upstream": "off", "example.com/other": "x",
        }),
        rules("x.example", &[]),
    );
    let (options, complaints) = annotations::Options::read(&i);
    use annotations::Complaint::*;
    assert_eq!(
        complaints,
        [
            NotSimulated("nginx.ingress.kubernetes.io/auth-url".into()),
            Invalid("nginx.ingress.kubernetes.io/ssl-redirect".into()),
        ]
    );
    assert!(options.ssl_redirect && !options.next_on_error && !options.next_on_timeout);
    assert_eq!(options.tries, 3);
}

/// `Extract` in internal/ingress/annotations/annotations.go, with the validators of parser/validators.go: some values keep an Ingress
/// from being taken over, others from having an effect.
#[test]
fn some_values_of_annotations_are_refused_and_others_do_nothing() {
    use annotations::Complaint::*;
    let read = |name: &str, value: &str| {
        let name = format!("{}{name}", annotations::PREFIX);
        let i = ingress("i", json!({ &*name: value }), rules("x.example", &[]));
        let (options, complaints) = annotations::Options::read(&i);
        let complaint = complaints.first().map(|c| match c {
            NotSimulated(n) | Invalid(n) | Refused(n) | TooRisky(n) if *n != name => panic!("{n}"),
            NotSimulated(_) => "not simulated",
            Invalid(_) => "invalid",
            Refused(_) => "refused",
            TooRisky(_) => "too risky",
        });
        assert_eq!(
            complaints.iter().any(|c| c.refuses()),
            matches!(complaint, Some("refused" | "too risky"))
        );
        (options, complaint)
    };
    for (name, value, complaint) in [
        ("server-snippet", "return 200;", Some("too risky")),
        ("auth-snippet", "", Some("too risky")),
        ("permanent-redirect", "https://y.example$request_uri", Some("refused")),
        ("permanent-redirect", "/new", None),
        ("permanent-redirect-code", "soon", Some("refused")),
        ("permanent-redirect-code", "200", None),
        ("temporal-redirect-code", "soon", None),
        ("temporal-redirect", "/new", Some("invalid")),
        ("temporal-redirect", "https://y.example:x/", Some("invalid")),
        ("temporal-redirect", "https://y.example:8443/?a=b", None),
        ("upstream-vhost", "a;b", Some("refused")),
        ("upstream-vhost", "$service_name.example", Some("not simulated")),
        ("upstream-vhost", "a.example", None),
        ("default-backend", "Other", Some("refused")),
        ("default-backend", "1st", Some("refused")),
        ("default-backend", "other-1", None),
        ("rewrite-target", "/x?y=$1", Some("invalid")),
        ("rewrite-target", "/x/$1", None),
        ("app-root", "/a b", Some("invalid")),
        ("backend-protocol", "GRPC", Some("not simulated")),
        ("backend-protocol", "https ", None),
        ("backend-protocol", "udp", Some("invalid")),
        ("proxy-next-upstream", "error never", Some("invalid")),
        ("proxy-next-upstream", "error http_502", None),
    ] {
        assert_eq!(read(name, value).1, complaint, "{name}: {value}");
    }
    // Without a target nothing is rewritten, and the paths are no expressions.
    assert_eq!(read("rewrite-target", "/x?y=$1").0.rewrite_target, None);
    assert_eq!(read("backend-protocol", "GRPC").0, annotations::Options::default());
    assert!(read("proxy-next-upstream", "error never").0.next_on_timeout);
    // nginx puts the host before a path.
    let to = json!({"nginx.ingress.kubernetes.io/permanent-redirect": "/new"});
    let c = build(&[ingress("i", to, rules("x.example", &[path("/", "Prefix", "a")]))]);
    assert_eq!(leads(&c, "x.example:8080", "/old"), "301 http://x.example/new");
}

/// `GetIngressClass`.
#[test]
fn an_ingress_is_served_by_its_class() {
    let class = |controller: &str| -> IngressClass {
        serde_json::from_value(json!({"metadata": {"name": "c"}, "spec": {"controller": controller}}))
            .unwrap()
    };
    let (own, other) = (class("k8s.io/ingress-nginx"), class("example.com/other"));
    let find = |name: &str| match name {
        "nginx" => Some(&own),
        "other" => Some(&other),
        _ => None,
    };
    let of = |args: &[&str]| Flags::of(["/nginx-ingress-controller"].iter().chain(args).copied()).unwrap();
    let with = |class: Option<&str>, old: Option<&str>| {
        let annotations = old.map_or(json!({}), |o| json!({"kubernetes.io/ingress.class": o}));
        ingress("i", annotations, json!({"ingressClassName": class}))
    };
    let plain = of(&["--election-id=x"]);
    assert_eq!(plain.serves(&with(Some("nginx"), None), find), Ok(()));
    assert_eq!(plain.serves(&with(None, Some("nginx")), find), Ok(()));
    assert_eq!(plain.serves(&with(None, None), find), Err(NotServed::NoClass));
    assert_eq!(plain.serves(&with(Some("none"), None), find), Err(NotServed::NoSuchClass("none".into())));
    let theirs = NotServed::OtherController("example.com/other".into());
    assert_eq!(plain.serves(&with(Some("other"), None), find), Err(theirs));
    assert_eq!(of(&["--watch-ingress-without-class"]).serves(&with(None, None), find), Ok(()));
    assert_eq!(Flags::of(["nginx"].into_iter()), None);
    let pod: Pod = serde_json::from_value(json!({
        "metadata": {"namespace": "ns", "name": "p"},
        "spec": {"containers": [{"name": "controller", "args": [
            "/nginx-ingress-controller", "--publish-service=$(POD_NAMESPACE)/svc", "--http-port", "8080",
        ]}]},
    }))
    .unwrap();
    let (name, flags) = Flags::of_pod(&pod).unwrap();
    assert_eq!((&*name, flags.http_port), ("controller", 8080));
    assert_eq!(flags.publish_service, Some(Key::new("ns", "svc")));
}
