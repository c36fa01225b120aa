//! What the conditions of objects say.

use super::*;

/// `internal/framework/controller/resource.go`.
#[test]
fn names_are_those_of_the_gateway_and_its_class() {
    assert_eq!(&*name_of_resources("cafe", "nginx"), "cafe-nginx");
    let long = name_of_resources(&"a".repeat(80), "nginx");
    assert_eq!((long.len(), long.ends_with("-nginx")), (63, true));
    assert_ne!(long, name_of_resources(&"a".repeat(81), "nginx"));
}

/// `prepareGatewayRequest` in status/prepare_requests.go, `NewDefaultListenerConditions` in conditions.go.
#[test]
fn a_gateway_says_that_it_is_accepted_and_programmed_with_the_routes_that_have_attached() {
    let world = World::default().http().service("default", "a", &["10.0.0.1"]);
    let world = world.route("r", 1, json!({"rules": [{"matches": prefix("/"), "backendRefs": to("a")}]}));
    let status = gateway_status(&world);
    assert_eq!(said(&status["conditions"]), ["Accepted=True Accepted", "Programmed=True Programmed"]);
    let listener = &status["listeners"][0];
    assert_eq!(listener["attachedRoutes"], 1);
    assert_eq!(
        said(&listener["conditions"]),
        [
            "Programmed=True Programmed",
            "Accepted=True Accepted",
            "ResolvedRefs=True ResolvedRefs",
            "Conflicted=False NoConflicts",
        ]
    );
    let kinds: Vec<&str> =
        listener["supportedKinds"].as_array().unwrap().iter().map(|k| k["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["HTTPRoute", "GRPCRoute"]);
    let parents = route_status(&world, 0);
    assert_eq!(said(&parents[0]["conditions"]), ["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs"]);
    assert_eq!(parents[0]["parentRef"]["sectionName"], "http");
}

/// graph/gateway_listener.go: `createPortConflictResolver`, `createHTTPSListenerValidator`,
/// `createExternalReferencesForTLSSecretsResolver`, `validateListenerAllowedRouteKind`.
#[test]
fn listeners_say_what_is_wrong_with_them() {
    let first = |listeners: Value| {
        let status = gateway_status(&World::default().gateway(listeners));
        (said(&status["listeners"][0]["conditions"]), said(&status["conditions"]), status)
    };
    let (conflict, gateway, _) = first(json!([
        {"name": "a", "port": 80, "protocol": "HTTP"},
        {"name": "b", "port": 80, "protocol": "HTTPS", "tls": {"mode": "Terminate", "certificateRefs": [{"name": "c"}]}},
    ]));
    assert_eq!(
        conflict,
        [
            "Accepted=False ProtocolConflict",
            "Conflicted=True ProtocolConflict",
            "Programmed=False ProtocolConflict",
        ]
    );
    assert_eq!(gateway, ["Accepted=False ListenersNotValid", "Programmed=False Invalid"]);
    let (missing, gateway, status) = first(json!([
        {"name": "b", "port": 443, "protocol": "HTTPS", "tls": {"mode": "Terminate", "certificateRefs": [{"name": "c"}]}},
        {"name": "a", "port": 80, "protocol": "HTTP"},
    ]));
    let invalid = "InvalidCertificateRef";
    assert_eq!(
        missing,
        [
            format!("Accepted=False {invalid}"),
            format!("ResolvedRefs=False {invalid}"),
            "Programmed=False Invalid".to_owned(),
        ]
    );
    assert_eq!(gateway, ["Programmed=True Programmed", "Accepted=True ListenersNotValid"]);
    assert_eq!(
        status["listeners"][0]["conditions"][0]["message"],
        "tls.certificateRefs[0]: Invalid value: \"default/c\": Secret default/c does not exist"
    );
    let (kinds, ..) = first(json!([{
        "name": "a", "port": 80, "protocol": "HTTP", "allowedRoutes": {"kinds": [{"kind": "TCPRoute"}]},
    }]));
    assert_eq!(kinds, ["ResolvedRefs=False InvalidRouteKinds", "Programmed=False Invalid"]);
    let (unknown, ..) = first(json!([{"name": "a", "port": 80, "protocol": "example.com/x"}]));
    assert_eq!(unknown[0], "Accepted=False UnsupportedProtocol");
    let (metrics, ..) = first(json!([{"name": "a", "port": 9113, "protocol": "HTTP"}]));
    assert_eq!(metrics[0], "Accepted=False UnsupportedValue");
}

/// `tls.X509KeyPair` in graph/shared/secrets/secrets.go needs blocks of PEM, and a Secret of type `kubernetes.io/tls`.
#[test]
fn a_certificate_comes_from_a_secret_of_its_type() {
    let pem = |name: &str| format!("-----BEGIN {name}-----\nAAAA\n-----END {name}-----\n");
    let secret = |type_: &str, crt: String| -> Secret {
        use base64::Engine as _;
        let encode = |text: String| base64::engine::general_purpose::STANDARD.encode(text);
        let data = json!({"tls.crt": encode(crt), "tls.key": encode(pem("RSA PRIVATE KEY"))});
        let meta = json!({"namespace": "default", "name": "c"});
        serde_json::from_value(json!({"metadata": meta, "type": type_, "data": data})).unwrap()
    };
    let key = Key::new("default", "c");
    let check = |secret: &Secret| crate::network::gateway::secrets::certificate(Some(secret), &key);
    assert_eq!(check(&secret("kubernetes.io/tls", pem("CERTIFICATE"))), Ok(()));
    let empty = check(&secret("kubernetes.io/tls", "x".to_owned())).unwrap_err();
    assert!(empty.starts_with("tls secret is invalid"), "{empty}");
    assert_eq!(
        check(&secret("Opaque", pem("CERTIFICATE"))).unwrap_err(),
        "unsupported secret type \"Opaque\""
    );
}

/// graph/route_common.go: `isRouteNamespaceAllowedByListener`, `findAcceptedHostnames`, `findAttachableListeners`.
#[test]
fn a_route_attaches_where_the_listener_lets_it() {
    let rules = json!([{"matches": prefix("/"), "backendRefs": to("a")}]);
    let listeners = |allowed: Value| {
        json!([{
            "name": "http", "port": 80, "protocol": "HTTP", "hostname": "*.example", "allowedRoutes": allowed,
        }])
    };
    let accepted = |allowed: Value, namespace: &str, spec: Value| {
        let mut world = World::default().gateway(listeners(allowed));
        let parents = json!([{"name": "web", "namespace": "default"}]);
        let mut spec = spec;
        spec.as_object_mut().unwrap().entry("parentRefs").or_insert(parents);
        let meta = json!({"namespace": namespace, "name": "r"});
        world.routes.push(("HTTPRoute", json!({"metadata": meta, "spec": spec})));
        let labels = json!({"metadata": {"name": "shop", "labels": {"team": "shop"}}});
        world.namespaces.push(serde_json::from_value(labels).unwrap());
        let attached = gateway_status(&world)["listeners"][0]["attachedRoutes"].clone();
        let conditions = said(&route_status(&world, 0)[0]["conditions"]);
        (conditions.into_iter().find(|c| c.starts_with("Accepted=")).unwrap(), attached)
    };
    let (same, all) = (json!({"namespaces": {"from": "Same"}}), json!({"namespaces": {"from": "All"}}));
    let shop = json!({"namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "shop"}}}});
    let spec = json!({"rules": rules});
    let is = |found: (String, Value), reason: &str, attached: usize| {
        let of = |reason: &str| found.0.ends_with(&format!(" {reason}"));
        assert!(of(reason) && found.1 == attached, "{found:?} {reason}");
    };
    is(accepted(same.clone(), "default", spec.clone()), "Accepted", 1);
    is(accepted(same.clone(), "shop", spec.clone()), "NotAllowedByListeners", 0);
    is(accepted(all.clone(), "shop", spec.clone()), "Accepted", 1);
    is(accepted(shop, "shop", spec.clone()), "Accepted", 1);
    let hosts = json!({"hostnames": ["a.other"], "rules": spec["rules"]});
    is(accepted(all.clone(), "shop", hosts), "NoMatchingListenerHostname", 0);
    let section = json!({"parentRefs": [{"name": "web", "namespace": "default", "sectionName": "x"}]});
    is(accepted(all.clone(), "shop", section), "NoMatchingParent", 0);
    let port = json!({"parentRefs": [{"name": "web", "namespace": "default", "port": 81}]});
    is(accepted(all, "shop", port), "NoMatchingParent", 0);
}

/// graph/httproute.go: what is not supported is told; rules that cannot be used are dropped, or answer 500.
#[test]
fn what_a_route_asks_for_in_vain_is_told() {
    let of = |rules: Value| {
        let world = World::default().http().service("default", "a", &["10.0.0.1"]);
        let world = world.route("r", 1, json!({"rules": rules}));
        let conditions = route_status(&world, 0)[0]["conditions"].clone();
        (said(&conditions), conditions, world.configuration())
    };
    let (words, conditions, _) = of(json!([
        {"matches": prefix("/"), "backendRefs": to("a"), "timeouts": {"request": "1s"}},
    ]));
    assert_eq!(words[1], "Accepted=True UnsupportedField");
    assert_eq!(
        conditions[1]["message"],
        "The following unsupported parameters were ignored: spec.rules[0].timeouts: Forbidden: Timeouts"
    );
    let mirror = json!({"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "a", "port": 80}}});
    let rule = json!({"matches": prefix("/m"), "backendRefs": to("a"), "filters": [mirror]});
    let (words, _, configuration) =
        of(json!([rule.clone(), {"matches": prefix("/"), "backendRefs": to("a")}]));
    assert!(words.contains(&"PartiallyInvalid=True UnsupportedValue".to_owned()), "{words:?}");
    assert_eq!(led(&ask(&configuration, "x", "/m")), "500");
    let (words, _, configuration) = of(json!([rule]));
    assert!(words.contains(&"Accepted=False UnsupportedValue".to_owned()), "{words:?}");
    assert_eq!(led(&ask(&configuration, "x", "/m")), "404");
    let extension = json!({"type": "ExtensionRef", "extensionRef": {
        "group": "gateway.nginx.org", "kind": "SnippetsFilter", "name": "s",
    }});
    let (words, _, configuration) =
        of(json!([{"matches": prefix("/"), "backendRefs": to("a"), "filters": [extension]}]));
    assert!(words.contains(&"ResolvedRefs=False InvalidFilter".to_owned()), "{words:?}");
    assert_eq!(led(&ask(&configuration, "x", "/")), "500");
}

/// `bindL7RouteToListeners` in route_common.go: without HTTP/2 no GRPCRoute is accepted.
#[test]
fn a_grpc_route_is_refused_with_a_reason() {
    let mut world = World::default().http();
    let route = json!({"metadata": {"name": "g"}, "spec": {"parentRefs": [{"name": "web"}]}});
    world.routes.push(("GRPCRoute", route));
    let parents = route_status(&world, 0);
    assert!(said(&parents[0]["conditions"]).contains(&"Accepted=False UnsupportedConfiguration".to_owned()));
    assert_eq!(gateway_status(&world)["listeners"][0]["attachedRoutes"], 0);
}
