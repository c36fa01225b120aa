//! What becomes of requests.

use super::*;

/// graph/backend_refs.go and split_clients.go: a backend that cannot be used keeps its part of the requests, which are answered 500.
#[test]
fn backends_that_cannot_be_used_are_told_and_answered_with_500() {
    let rules = json!([{"matches": prefix("/"), "backendRefs": [
        {"name": "a", "port": 80, "weight": 3}, {"name": "b", "namespace": "other", "port": 80, "weight": 1},
    ]}]);
    let mut world = World::default().http().route("r", 1, json!({"rules": rules}));
    world = world.service("default", "a", &["10.0.0.1"]).service("other", "b", &["10.0.0.2"]);
    let refs = |world: &World| said(&route_status(world, 0)[0]["conditions"]).pop().unwrap();
    assert_eq!(refs(&world), "ResolvedRefs=False RefNotPermitted");
    let configuration = world.configuration();
    let Then::Pass(passed) = ask(&configuration, "x", "/").then else { panic!() };
    assert_eq!((passed.backends[0].1, passed.backends[1].1), (7500, 2500));
    let refused = configuration.upstream(&passed.backends[1].0).unwrap();
    assert_eq!(refused.without, (500, Lack::NotResolved));
    world.grants.push(json!({"metadata": {"namespace": "other", "name": "g"}, "spec": {
        "from": [{"group": crate::network::gateway::objects::GROUP, "kind": "HTTPRoute", "namespace": "default"}],
        "to": [{"group": "", "kind": "Service", "name": "b"}],
    }}));
    assert_eq!(refs(&world), "ResolvedRefs=True ResolvedRefs");
    let configuration = world.configuration();
    let endpoint: SocketAddr = "10.0.0.2:8080".parse().unwrap();
    assert_eq!(configuration.upstream("other_b_80").unwrap().endpoints, [endpoint]);
    world.services.clear();
    assert_eq!(refs(&world), "ResolvedRefs=False BackendNotFound");
    // Without a backend, or without a weight, it is 500, too; without endpoints 503.
    let bare =
        World::default().http().route("r", 1, json!({"rules": [{"matches": prefix("/")}]})).configuration();
    let Then::Pass(passed) = ask(&bare, "x", "/").then else { panic!() };
    assert_eq!(bare.upstream(&passed.backends[0].0).unwrap().without, (500, Lack::NoWeight));
    let world = World::default().http().service("default", "a", &[]);
    let none = world.route("r", 1, json!({"rules": [{"matches": prefix("/"), "backendRefs": to("a")}]}));
    assert_eq!(none.configuration().upstream("default_a_80").unwrap().without, (503, Lack::NoEndpoints));
}

/// `percentOf` in split_clients.go rounds down to hundredths of a per cent; the last backend gets the rest.
#[test]
fn weights_become_hundredths_of_a_per_cent() {
    let backends: Vec<Value> = ["a", "b", "c"].iter().map(|n| json!({"name": n, "port": 80})).collect();
    let rules = json!([{"matches": prefix("/"), "backendRefs": backends}]);
    let mut world = World::default().http().route("r", 1, json!({"rules": rules}));
    for name in ["a", "b", "c"] {
        world = world.service("default", name, &["10.0.0.1"]);
    }
    let Then::Pass(passed) = ask(&world.configuration(), "x", "/").then else { panic!() };
    assert_eq!(passed.backends.iter().map(|(_, part)| *part).collect::<Vec<_>>(), [3333, 3333, 3334]);
}

/// dataplane/sort.go (`higherPriority`), servers.go (`createLocations`), modules/src/httpmatches.js: which rule counts.
#[test]
fn of_several_rules_the_most_particular_one_counts() {
    let path = |type_: &str, value: &str| json!({"type": type_, "value": value});
    let rules = json!([
        {"matches": [{"path": path("PathPrefix", "/")}], "backendRefs": to("root")},
        {"matches": [{"path": path("PathPrefix", "/a")}], "backendRefs": to("a")},
        {"matches": [{"path": path("Exact", "/a/b")}], "backendRefs": to("exact")},
        {"matches": [{"path": path("RegularExpression", "/a/[0-9]+")}], "backendRefs": to("number")},
        {"matches": [{"path": path("PathPrefix", "/a"), "headers": [{"name": "x-canary", "value": "yes"}]}], "backendRefs": to("canary")},
        {"matches": [{"path": path("PathPrefix", "/a"), "method": "POST"}], "backendRefs": to("post")},
        {"matches": [{"path": path("PathPrefix", "/a"), "queryParams": [{"name": "v", "type": "RegularExpression", "value": "^2"}]}], "backendRefs": to("two")},
    ]);
    let mut world =
        World::default().http().route("r", 2, json!({"hostnames": ["h.example"], "rules": rules}));
    for name in ["root", "a", "exact", "number", "canary", "post", "two", "old", "wide"] {
        world = world.service("default", name, &["10.0.0.1"]);
    }
    // An older route has the same path; a route for more hosts counts less.
    let older = json!([{"matches": prefix("/a"), "backendRefs": to("old")}]);
    world = world.route("older", 1, json!({"hostnames": ["h.example"], "rules": older}));
    let wide = json!([{"matches": prefix("/"), "backendRefs": to("wide")}]);
    world = world.route("wide", 0, json!({"hostnames": ["*.example"], "rules": wide}));
    let configuration = world.configuration();
    let lead = |path: &str| led(&ask(&configuration, "h.example:80", path));
    assert_eq!(lead("/ab"), "default_root_80");
    assert_eq!(lead("/a"), "default_old_80");
    assert_eq!(lead("/a/x"), "default_old_80");
    assert_eq!(lead("/a/b"), "default_exact_80");
    assert_eq!(lead("/a/12/x"), "default_number_80");
    assert_eq!(lead("/a?v=21"), "default_two_80");
    assert_eq!(lead("/a?v=1&v=2"), "default_old_80");
    assert_eq!(led(&ask(&configuration, "H.EXAMPLE", "/a/x")), "default_old_80");
    assert_eq!(led(&ask(&configuration, "a.b.example", "/a/x")), "default_wide_80");
    assert_eq!(led(&ask(&configuration, "example", "/")), "404");
    let canary = with(&configuration, "GET", "h.example", "/a", &[("X-Canary", "yes")]);
    assert_eq!(led(&canary), "default_canary_80");
    // A method counts more than header fields.
    let post = with(&configuration, "POST", "h.example", "/a", &[("x-canary", "yes")]);
    assert_eq!(led(&post), "default_post_80");
}

/// `createReturnAndRewriteConfigForRedirectFilter` and `createMainRewriteForFilters` in servers.go (and their tests).
#[test]
fn filters_redirect_and_rewrite() {
    let filter = |path: &str, filter: Value| {
        let world = World::default().http().service("default", "a", &["10.0.0.1"]);
        let backends = if filter["type"] == "URLRewrite" { to("a") } else { json!([]) };
        let rule = json!({"matches": prefix(path), "filters": [filter], "backendRefs": backends});
        world.route("r", 1, json!({"rules": [rule]})).configuration()
    };
    let redirect = |prefix: &str, redirect: Value, path: &str| {
        let made = filter(prefix, json!({"type": "RequestRedirect", "requestRedirect": redirect}));
        led(&ask(&made, "h.example", path))
    };
    assert_eq!(
        redirect("/", json!({"scheme": "https", "statusCode": 301}), "/a?b=1"),
        "301 https://h.example/a?b=1"
    );
    // Without a scheme the port of the listener is written.
    assert_eq!(redirect("/", json!({"hostname": "o.example"}), "/a"), "302 http://o.example:80/a");
    assert_eq!(redirect("/", json!({"scheme": "http", "port": 8080}), "/a"), "302 http://h.example:8080/a");
    let change =
        json!({"scheme": "http", "path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/new"}});
    assert_eq!(redirect("/old", change, "/old/x?y=1"), "302 http://h.example/new/x?y=1");
    let rewrite = |prefix: &str, change: Value, path: &str| {
        let rewrite = json!({"hostname": "o.example", "path": change});
        let made = filter(prefix, json!({"type": "URLRewrite", "urlRewrite": rewrite}));
        let Then::Pass(passed) = ask(&made, "h.example", path).then else { panic!() };
        assert_eq!(&*passed.host, "o.example");
        passed.path.to_string()
    };
    let replace = |text: &str| json!({"type": "ReplacePrefixMatch", "replacePrefixMatch": text});
    // The table of `HTTPPathModifier` in apis/v1/httproute_types.go.
    assert_eq!(rewrite("/foo", replace("/xyz"), "/foo/bar?q=1"), "/xyz/bar?q=1");
    assert_eq!(rewrite("/foo", replace("/xyz/"), "/foo/bar"), "/xyz/bar");
    assert_eq!(rewrite("/foo/", replace("/xyz"), "/foo/bar"), "/xyz/bar");
    assert_eq!(rewrite("/foo", replace("/xyz"), "/foo"), "/xyz");
    assert_eq!(rewrite("/foo", replace("/"), "/foo/bar"), "/bar");
    assert_eq!(rewrite("/foo", replace(""), "/foo"), "/");
    let whole = json!({"type": "ReplaceFullPath", "replaceFullPath": "/all"});
    assert_eq!(rewrite("/foo", whole, "/foo/bar?q=1"), "/all?q=1");
}

/// `isolateHostnamesForParentRefs` in route_common.go: a host is that of the listener that names it.
#[test]
fn listeners_of_one_port_keep_their_hosts_apart() {
    let listeners = json!([
        {"name": "all", "port": 80, "protocol": "HTTP"},
        {"name": "one", "port": 80, "protocol": "HTTP", "hostname": "one.example"},
    ]);
    let mut world = World::default().gateway(listeners).service("default", "a", &["10.0.0.1"]);
    world = world.service("default", "b", &["10.0.0.2"]);
    let parents = |name: &str| json!([{"name": "web", "sectionName": name}]);
    let to_all = json!([{"matches": prefix("/"), "backendRefs": to("a")}]);
    let hosts = json!(["one.example", "two.example"]);
    world =
        world.route("wide", 1, json!({"parentRefs": parents("all"), "hostnames": hosts, "rules": to_all}));
    let configuration = world.configuration();
    assert_eq!(led(&ask(&configuration, "two.example", "/")), "default_a_80");
    // The listener `one` has no route for its host.
    assert_eq!(led(&ask(&configuration, "one.example", "/")), "404");
}

/// Header fields as `proxy_set_header` and `add_header` change them (`generateProxySetHeaders`, `generateResponseHeaders`).
#[test]
fn header_fields_are_added_set_and_taken_away() {
    let modifier = json!({
        "add": [{"name": "x-a", "value": "2"}], "set": [{"name": "x-b", "value": "new"}], "remove": ["x-c"],
    });
    let filters = json!([
        {"type": "RequestHeaderModifier", "requestHeaderModifier": modifier},
        {"type": "ResponseHeaderModifier", "responseHeaderModifier": modifier},
    ]);
    let world = World::default().http().service("default", "a", &["10.0.0.1"]);
    let rule = json!({"matches": prefix("/"), "backendRefs": to("a"), "filters": filters});
    let configuration = world.route("r", 1, json!({"rules": [rule]})).configuration();
    let Then::Pass(passed) = ask(&configuration, "x", "/").then else { panic!() };
    let fields = [("X-A", "1"), ("x-b", "old"), ("x-c", "c"), ("x-d", "d")];
    let fields = HeaderFields::new(fields.map(|(name, value)| (name.into(), value.into())).to_vec());
    let sent = passed.request.of_request(&fields);
    assert_eq!(sent.get("x-a").as_deref(), Some("1,2"));
    assert_eq!(
        (sent.get("x-b").as_deref(), sent.get("x-c"), sent.get("x-d").as_deref()),
        (Some("new"), None, Some("d"))
    );
    let answered = passed.answer.of_answer(&fields);
    assert_eq!(answered.get("x-a").as_deref(), Some("1,2"));
    assert_eq!((answered.get("x-b").as_deref(), answered.get("x-c")), (Some("new"), None));
}
