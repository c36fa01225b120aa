//! Who may ask. There are no passwords here: what keeps others out is that the door is on this
//! machine only. A web page could still send its visitor's browser to it; two headers tell.

use std::net::SocketAddr;

use hyper::header::{HOST, HeaderMap, ORIGIN};

/// Why a request is refused, if it is.
pub fn refusal(headers: &HeaderMap, host: Option<SocketAddr>) -> Option<&'static str> {
    // Browsers say where a request comes from whenever it is sent by a page; kubectl and client
    // libraries never do.
    if headers.contains_key(ORIGIN) {
        return Some("requests of web pages are refused: this has an Origin header\n");
    }
    let site = headers.get("sec-fetch-site").map(|v| v.as_bytes());
    if site.is_some_and(|v| v != b"none" && v != b"same-origin") {
        return Some("requests of web pages are refused: this comes from another site\n");
    }
    // A name that was made to lead here (DNS rebinding) is not a name of this machine.
    let address = host?;
    let mut named = headers.get_all(HOST).iter();
    let allowed = match (named.next().map(|v| v.to_str()), named.next()) {
        (Some(Ok(name)), None) => is_here(name, address),
        _ => false,
    };
    (!allowed).then_some("the Host header names another machine than this one\n")
}

/// Whether a `Host` is a name of the loopback, or the address itself.
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

    #[test]
    fn pages_are_refused() {
        let mut headers = HeaderMap::new();
        assert_eq!(refusal(&headers, None), None);
        headers.insert("sec-fetch-site", "none".parse().unwrap());
        assert_eq!(refusal(&headers, None), None);
        headers.insert("sec-fetch-site", "cross-site".parse().unwrap());
        assert!(refusal(&headers, None).is_some());
        headers.remove("sec-fetch-site");
        headers.insert(ORIGIN, "null".parse().unwrap());
        assert!(refusal(&headers, None).is_some());
    }
}
