//! Hosts of listeners and routes (`findAcceptedHostnames`, `match`, `GetMoreSpecificHostname` in
//! `internal/controller/state/graph/route_common.go`; `haveOverlap` in `gateway_listener.go`).

/// The name of the server for all hosts: a regular expression that finds anything.
pub const ANY: &str = "~^";

fn stands_for(wildcard: &str, host: &str) -> bool {
    wildcard.starts_with("*.") && host.ends_with(wildcard.trim_start_matches('*'))
}

/// Whether a host of a route is one that a listener is for.
fn fits(listener: &str, route: &str) -> bool {
    listener.is_empty() || route == listener || stands_for(listener, route) || stands_for(route, listener)
}

/// The narrower of two hosts that fit.
fn narrower<'a>(a: &'a str, b: &'a str) -> &'a str {
    if a == b || b.is_empty() {
        return a;
    }
    if a.is_empty() {
        return b;
    }
    match (a.starts_with("*."), b.starts_with("*.")) {
        (true, true) if a.split('.').count() > b.split('.').count() => a,
        (true, _) => b,
        (false, _) => a,
    }
}

/// The hosts of which a listener takes requests for a route: none if the route is not for the listener.
pub fn accepted(listener: Option<&str>, route: &[String]) -> Vec<String> {
    let own = listener.unwrap_or_default();
    if route.is_empty() {
        return vec![if own.is_empty() { ANY.to_owned() } else { own.to_owned() }];
    }
    route.iter().filter(|host| fits(own, host)).map(|host| narrower(own, host).to_owned()).collect()
}

/// Whether requests could be for both of two listeners.
pub fn overlap(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b || stands_for(a, b) || stands_for(b, a),
        _ => true,
    }
}
