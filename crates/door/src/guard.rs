//! Which requests are accepted. There are no passwords: the door is open only to this machine. But a web
//! page could make its visitor's browser send requests to it, which three headers show.

use std::net::{IpAddr, SocketAddr};

use hyper::Version;
use hyper::header::{HOST, HeaderMap, ORIGIN};

/// The reason to refuse a request, if there is one. `here` is the address that the `Host` header must name;
/// any is allowed if it is `None`.
pub fn refusal(version: Version, headers: &HeaderMap, here: Option<SocketAddr>) -> Option<&'static str> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (None, _) => None,
        (Some(host), None) => match host.to_str() {
            Ok(host) => Some(host),
            Err(_) => return Some("the Host header is no text\n"),
        },
        (Some(_), Some(_)) => return Some("there is more than one Host header\n"),
    };
    // Browsers send `Origin` with every request of a page of another origin. WebSocket clients send it, too,
    // and name the server itself.
    if headers.contains_key(ORIGIN) && !same_origin(headers, host) {
        return Some(
            "requests of web pages are refused: the Origin header names another server than this one\n",
        );
    }
    let site = headers.get("sec-fetch-site").map(|v| v.as_bytes());
    if site.is_some_and(|v| v != b"none" && v != b"same-origin") {
        return Some("requests of web pages are refused: this comes from another site\n");
    }
    // A name that somebody made to resolve to this machine (DNS rebinding) is not accepted.
    let address = here?;
    let allowed = match host {
        Some(name) => is_here(name, address),
        // HTTP/1.0 has no Host, and no browser uses it.
        None => version == Version::HTTP_10 && !headers.contains_key("sec-fetch-site"),
    };
    (!allowed).then_some("the Host header names another machine than this one\n")
}

/// Whether `Origin` is the server that `Host` names, and `Host` is an address. A name could have been made
/// to resolve to this machine.
fn same_origin(headers: &HeaderMap, host: Option<&str>) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let (Some(origin), None, Some(host)) = (origins.next(), origins.next(), host) else { return false };
    let Some(origin) = origin.to_str().ok().and_then(|o| o.strip_prefix("http://")) else { return false };
    // The default port of HTTP may be omitted.
    let full = |name: &str| {
        let name = name.to_ascii_lowercase();
        if port_of(&name).is_some() { name } else { format!("{name}:80") }
    };
    is_address(host) && full(origin) == full(host)
}

fn port_of(host: &str) -> Option<u16> {
    host.rsplit_once(':').and_then(|(_, port)| port.parse().ok())
}

fn is_address(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok()
}

/// Whether a `Host` is a name of the loopback interface, or `address` itself.
fn is_here(host: &str, address: SocketAddr) -> bool {
    if host.parse::<SocketAddr>().is_ok_and(|a| a == address) {
        return true;
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    matches!(name.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_this_machine_is_named() {
        let here: SocketAddr = "127.0.0.1:8001".parse().unwrap();
        for good in ["localhost", "localhost:8001", "LOCALHOST:1", "127.0.0.1:8001", "[::1]:8001"] {
            assert!(is_here(good, here), "{good}");
        }
        for bad in ["example.com", "example.com:8001", "localhost.example.com", "127.0.0.2:8001", ""] {
            assert!(!is_here(bad, here), "{bad}");
        }
        let other: SocketAddr = "127.0.0.2:8001".parse().unwrap();
        assert!(is_here("127.0.0.2:8001", other));
    }

    fn ask(version: Version, here: Option<SocketAddr>, headers: &[(&'static str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        refusal(version, &map, here).is_none()
    }

    #[test]
    fn pages_are_refused() {
        let here = Some("127.0.0.1:8001".parse().unwrap());
        let from = |headers: &[(&'static str, &str)]| ask(Version::HTTP_11, here, headers);
        let host = ("host", "localhost:8001");
        assert!(from(&[host]));
        assert!(from(&[host, ("sec-fetch-site", "none")]));
        assert!(!from(&[host, ("sec-fetch-site", "cross-site")]));
        assert!(!from(&[host, ("sec-fetch-site", "same-site")]));
        for other in [
            "null",
            "http://example.com",
            "http://localhost:3000",
            "http://127.0.0.1:8001",
            "https://localhost:8001",
            "http://localhost:8001.example.com",
            "http://localhost",
            "",
        ] {
            assert!(!from(&[host, ("origin", other)]), "{other}");
        }
        assert!(!from(&[host, ("origin", "http://localhost:8001"), ("origin", "http://example.com")]));
        assert!(!from(&[host, ("host", "example.com")]));
        assert!(!from(&[
            ("host", "rebound.example.com:8001"),
            ("origin", "http://rebound.example.com:8001")
        ]));
    }

    #[test]
    fn who_speaks_websocket_names_the_server_as_its_origin() {
        let here = Some("127.0.0.1:8001".parse().unwrap());
        for name in ["localhost:8001", "127.0.0.1:8001", "[::1]:8001"] {
            let origin = format!("http://{name}");
            assert!(ask(Version::HTTP_11, here, &[("host", name), ("origin", &origin)]), "{name}");
        }
        let port_80 = Some("127.0.0.1:80".parse().unwrap());
        assert!(ask(Version::HTTP_11, port_80, &[("host", "localhost"), ("origin", "http://localhost:80")]));
        // Where any `Host` is allowed, a name may be one made for rebinding.
        let both = |name: &str| {
            ask(Version::HTTP_11, None, &[("host", name), ("origin", &format!("http://{name}"))])
        };
        assert!(both("192.0.2.1:8001"));
        assert!(!both("rebound.example.com:8001"));
    }

    #[test]
    fn http_1_0_needs_no_host() {
        let here = Some("127.0.0.1:8001".parse().unwrap());
        assert!(ask(Version::HTTP_10, here, &[]));
        assert!(!ask(Version::HTTP_11, here, &[]));
        assert!(!ask(Version::HTTP_10, here, &[("host", "example.com")]));
        assert!(!ask(Version::HTTP_10, here, &[("origin", "http://localhost:8001")]));
        assert!(!ask(Version::HTTP_10, here, &[("sec-fetch-site", "none")]));
    }
}
